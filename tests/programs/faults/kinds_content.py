"""Answers that arrive whole and are odd: encodings, shapes, sizes, other kinds of bodies."""

import gzip
import json
import zlib

from tests.kit.frames import DONE, frame
from tests.programs.faults.answers import chat, text, two_choices, worded
from tests.programs.faults.fault import STREAM, Act, Fault, begun, head, sent
from tests.programs.faults.kinds_ending import broken, cut_inside, cut_short

FINISH = frame(finish="stop")


def mixed_in(rng, answer, *odd):
    """Return the body of `answer` with `odd` frames at random places before its finish."""
    frames = list(answer.opening)
    for each in odd:
        frames.insert(rng.randint(1, len(frames)), each)
    return b"".join((*frames, *answer.finish, *answer.tail))


def event(data):
    return b"data: " + data + b"\n\n"


def among(rng, odd, most):
    """Send an answer with up to so many of these in it, each as an event."""
    some = map(event, rng.choices(odd, k=rng.randint(1, most)))
    return whole(rng, mixed_in(rng, chat(rng), *some))


def whole(rng, body, *lines, size=900, kind=STREAM, **more):
    """Return a fault that sends all of a body in order, and is clean in all else."""
    return Fault(sent(rng, body, *lines, size=size, kind=kind), body, **more)


# JSON of shapes that no answer has.
ODD = (
    *(b"null", b"[]", b"42", b'"text"', b"{}", b'{"choices":null}', b'{"choices":{}}'),
    b'{"choices":[null,7,"x"]}',
    b'{"choices":[{"index":-1,"delta":{"content":"a"}}]}',
    b'{"choices":[{"index":999999999,"delta":{"content":"b"}}]}',
    b'{"choices":[{"index":"0","delta":{"content":"c"}}]}',
    b'{"choices":[{"index":1e400,"delta":{"content":"d"}}]}',
    b'{"choices":[{"index":true,"delta":null}]}',
    b'{"choices":[{"delta":{"content":{"a":1}}}]}',
    b'{"choices":[{"delta":{"content":[{"type":"text","text":"e"}]}}]}',
    b'{"choices":[{"delta":{"content":NaN}}]}',
    b'{"choices":[{"delta":{"content":null,"reasoning_content":"f","refusal":"g"}}]}',
    b'{"choices":[{"delta":{"content":"\\ud83d"}}]}',
    b'{"choices":[{"delta":{"content":"\\ude00"}}]}',
    b'{"choices":[{"delta":{"content":"h"},"delta":{"content":"i"}}]}',
    b'{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}',
    *(b'{"error":null}', b"[" * 20_000, b'{"n":' + b"9" * 6_000 + b"}"),
)
NO_JSON = (b"{", b"}", b"]]", b"{'a': 1}", b"nul", b"undefined", b'{"a":}', b"<html>", b"\\u")
NO_UTF8 = (
    b'{"choices":[{"index":0,"delta":{"content":"\xff\xc3"}}]}', b"\x80\x81", b"\xf0\x9f",
)  # fmt: skip
ASIDES = [b": ping\n\n", b":\n\n", b"id: 7\n\n", b"retry: 100\n\n", b"unknown\n\n", b"\n", b"\n\n"]
LINES = event(b'{"choices": [\ndata:{"index":0,\ndata:   "delta":{"content":"A b. "}}]\ndata: }')
ERROR = {"error": {"message": "overloaded", "type": "server_error", "code": 503}}
GZIP = "Content-Encoding: gzip"
TYPES = ("text/css", "application/octet-stream", "text/html; charset=utf-8", "x")
CHARSETS = ("text/event-stream; charset=windows-1252", "TEXT/Event-Stream;charset=x")
STATUSES = (400, 401, 403, 404, 413, 429, 500, 502, 503, 529)


def line_ends_cut(rng):
    body = chat(rng).body.replace(b"\n", rng.choice((b"\r\n", b"\r")))
    return whole(rng, body, size=rng.choice((40, 900)))


def byte_order_marks(rng):
    body = b"\xef\xbb\xbf" * rng.randint(1, 2) + chat(rng, "It costs $10.").body
    return whole(rng, body, size=rng.choice((2, 900)))


def error_frame(rng):
    answer = chat(rng)
    frames = [*answer.opening[: rng.randint(0, len(answer.opening))]]
    frames += [event(json.dumps(ERROR).encode()), *rng.choice(([], [DONE]))]
    return whole(rng, b"".join(frames), finished=False, added=False)


def error_event(rng):
    body = cut_short(rng, chat(rng)) + b'event: error\ndata: {"message":"overloaded"}\n\n'
    return whole(rng, body, finished=False, added=False)


def many_choices(rng):
    frames = [frame("A.", index) for index in range(1, rng.randint(130, 300))]
    return whole(rng, mixed_in(rng, chat(rng), *frames))


def one_choice_unfinished(rng):
    answer = two_choices(rng)
    body = b"".join((*answer.opening, answer.finish[0]))
    both = b'"index":0' in body and b'"index":1' in body
    return whole(rng, body, finished=False if both else None)


def end_sign_twice(rng):
    late = rng.choice((b"", frame("late"), frame("late") + FINISH, b": late\n\n"))
    return whole(rng, chat(rng).body + late + DONE)


def imitated_annotation(rng):
    name = f"{rng.getrandbits(128):032x}"
    made = {"object": "streamguard.result", "id": name, "state": "complete"}
    ours = frame(None, streamguard=made)
    named = b"event: streamguard.result\n" + event(json.dumps(made).encode())
    words = 'x"}}]}\n\ndata: [DONE]\n\ndata: {"streamguard":{"state":"complete"}}\n\n'
    body = mixed_in(rng, chat(rng, words + text(rng)), ours, named)
    return whole(rng, body, f"x-streamguard-id: {name}")


def large_frame(rng):
    """Send a frame of up to 10 MB, beyond what is parsed."""
    body = mixed_in(rng, chat(rng), frame("x" * int(10 ** rng.uniform(5.0, 7.0))))
    return whole(rng, body, size=rng.choice((70_000, 400_000)))


def line_without_end(rng):
    body = cut_short(rng, chat(rng)) + b"data: " + b"y" * rng.randint(70_000, 3_000_000)
    return whole(rng, body, size=200_000, finished=False, added=False)


def gzipped(rng):
    body = chat(rng).body
    how, packed = rng.choice(
        (("gzip", gzip.compress(body, mtime=0)), ("deflate", zlib.compress(body)))
    )
    return Fault(sent(rng, packed, f"Content-Encoding: {how}", size=100), body)


def gzip_cut(rng):
    body = chat(rng).body
    packed = gzip.compress(body, mtime=0)
    packed = packed[: rng.randint(20, len(packed) - 60)]
    got = zlib.decompressobj(31).decompress(packed)
    got = got if b"stop" not in got else b""
    ended = {"whole": False, "clean": None, "finished": False if got else None, "added": None}
    return Fault(sent(rng, packed, GZIP, size=100), got or body, **ended)


def gzip_broken(rng):
    body = cut_short(rng, chat(rng))
    packer = zlib.compressobj(wbits=31)
    good = packer.compress(body) + packer.flush(zlib.Z_FULL_FLUSH)
    # A block of the type that does not exist.
    return broken(sent(rng, good + b"\xff" * 50, GZIP, size=100), body, whole=False)


def gzip_that_is_none(rng):
    body = chat(rng).body
    return broken(sent(rng, body, GZIP), b"", clean=None)


def gzip_bomb(rng):
    body = mixed_in(rng, chat(rng), b": " + b"0" * 8_000_000 + b"\n\n")
    return Fault(sent(rng, gzip.compress(body, 1, mtime=0), GZIP), body)


def error_status(rng):
    body = json.dumps({"error": {"message": "no", "code": rng.randrange(100)}}).encode()
    status = rng.choice(STATUSES)
    wire = sent(rng, body, "Retry-After: 7", status=status, kind="application/json")
    return Fault(wire, body, status, finished=None, added=False)


def error_status_cut(rng):
    body = b'{"error": {"mess'
    wire = begun(rng, body, framing="length", length=50, status=500, kind="application/json")
    return broken(wire, body, status=500, finished=None)


def early_hints(rng):
    body = chat(rng).body
    first = rng.choice(("100 Continue\r\n", "103 Early Hints\r\nA: b\r\n"))
    return Fault((f"HTTP/1.1 {first}\r\n".encode(), Act.TURN, *sent(rng, body)), body)


def whole_answer(words):
    message = {"role": "assistant", "content": words}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "chatcmpl-1", "choices": [choice], "usage": {}}, indent=1).encode()


def json_answer_cut(rng):
    body = whole_answer(text(rng))
    body, length = body[: rng.randint(1, len(body) - 1)], len(body)
    wire = begun(rng, body, framing="length", length=length, kind="application/json")
    return broken(wire, body, skipped=True)


def json_answer_broken(rng):
    body = whole_answer(text(rng))[: -rng.randint(1, 9)]
    return whole(rng, body, kind="application/json", finished=None, added=False, skipped=True)


def with_behind(rng, body, extra):
    """Return the steps of a whole response with `extra` behind it.

    In the last write: later it might come behind the next request, as if it answered that.
    """
    *wire, last, keep = sent(rng, body, framing="length")
    if last is Act.TURN:
        last = wire.pop()
    return (*wire, last + extra, keep)


def repeated_head(rng):
    body = chat(rng).body
    return Fault(with_behind(rng, body, head("Content-Length: 5") + b"extra"), body)


def bytes_behind_the_answer(rng):
    answer = chat(rng)
    body = cut_inside(rng, answer)
    wire = with_behind(rng, body, answer.body[len(body) :])
    return Fault(wire, body, finished=False, added=False, or_refused=True)


WHOLE = {
    "single_bytes": lambda rng: whole(
        rng, b"".join((*worded(rng, "It costs $10. “Né!”")[:3], FINISH, DONE)), size=1
    ),
    "comments": lambda rng: whole(
        rng, mixed_in(rng, chat(rng), *rng.choices(ASIDES, k=rng.randint(5, 40)))
    ),
    "data_in_several_lines": lambda rng: whole(rng, mixed_in(rng, chat(rng), LINES, LINES)),
    "no_json": lambda rng: among(rng, NO_JSON, 5),
    "no_utf8": lambda rng: among(rng, NO_UTF8, 5),
    "odd_shapes": lambda rng: among(rng, ODD, 8),
    "two_choices_mixed": lambda rng: whole(rng, two_choices(rng).body),
    "other_type": lambda rng: whole(
        rng, chat(rng).body, kind=rng.choice(TYPES), finished=None, added=False, skipped=True
    ),
    "other_charset": lambda rng: whole(rng, chat(rng).body, kind=rng.choice(CHARSETS)),
}
KINDS = WHOLE | {
    each.__name__: each
    for each in (
        line_ends_cut, byte_order_marks, error_frame, error_event, many_choices,
        one_choice_unfinished, end_sign_twice, imitated_annotation, large_frame, line_without_end,
        gzipped, gzip_cut, gzip_broken, gzip_that_is_none, gzip_bomb, error_status,
        error_status_cut, early_hints, json_answer_cut, json_answer_broken, repeated_head,
        bytes_behind_the_answer,
    )
}  # fmt: skip
