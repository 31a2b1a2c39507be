"""Answers that arrive whole and are odd: encodings, shapes, sizes, other kinds of bodies."""

import gzip
import json
import zlib

from tests.faults.answers import chat, text, two_choices, worded
from tests.faults.fault import Act, Fault, begun, head, sent
from tests.faults.kinds_ending import broken, cut_inside, cut_short
from tests.upstreams import DONE, frame

FINISH = frame(finish="stop")


def mixed_in(rng, answer, *odd):
    """Return the body of `answer` with `odd` frames at random places before its finish."""
    frames = list(answer.opening)
    for each in odd:
        frames.insert(rng.randint(1, len(frames)), each)
    return b"".join((*frames, *answer.finish, *answer.tail))


def event(data):
    """Return one event with one line of data."""
    return b"data: " + data + b"\n\n"


# --- how it is cut and written


def single_bytes(rng):
    """Send one byte at a time."""
    body = b"".join((*worded(rng, "It costs $10. “Né!”")[:3], FINISH, DONE))
    return Fault(sent(rng, body, size=1), body)


def line_ends_cut(rng):
    """Write CRLF or CR, and cut inside the line ends."""
    ends = rng.choice((b"\r\n", b"\r"))
    body = chat(rng).body.replace(b"\n", ends)
    return Fault(sent(rng, body, size=rng.choice((40, 900))), body)


def comments(rng):
    """Mix in comments, ids, retries and unknown fields."""
    odd = [b": ping\n\n", b":\n\n", b"id: 7\n\n", b"retry: 100\n\n", b"unknown\n\n", b"\n", b"\n\n"]
    body = mixed_in(rng, chat(rng), *rng.choices(odd, k=rng.randint(5, 40)))
    return Fault(sent(rng, body), body)


def data_in_several_lines(rng):
    """Write one frame's JSON in several lines of data."""
    odd = event(b'{"choices": [\ndata:{"index":0,\ndata:   "delta":{"content":"A b. "}}]\ndata: }')
    body = mixed_in(rng, chat(rng), odd, odd)
    return Fault(sent(rng, body), body)


def byte_order_marks(rng):
    """Begin with a byte order mark or two."""
    body = b"\xef\xbb\xbf" * rng.randint(1, 2) + chat(rng, "It costs $10.").body
    return Fault(sent(rng, body, size=rng.choice((2, 900))), body)


# --- what it says


def error_frame(rng):
    """Report an error inside the answer."""
    answer = chat(rng)
    error = json.dumps({"error": {"message": "overloaded", "type": "server_error", "code": 503}})
    at = rng.randint(0, len(answer.opening))
    frames = [*answer.opening[:at], event(error.encode())]
    if rng.random() < 0.5:
        frames.append(DONE)
    body = b"".join(frames)
    return Fault(sent(rng, body), body, finished=False, added=False)


def error_event(rng):
    """Report an error as an event of that name."""
    body = cut_short(rng, chat(rng)) + b'event: error\ndata: {"message":"overloaded"}\n\n'
    return Fault(sent(rng, body), body, finished=False, added=False)


def no_json(rng):
    """Mix in data that is no JSON."""
    odd = [b"{", b"}", b"]]", b"{'a': 1}", b"nul", b"undefined", b'{"a":}', b"<html>", b"\\u"]
    body = mixed_in(rng, chat(rng), *map(event, rng.choices(odd, k=rng.randint(1, 5))))
    return Fault(sent(rng, body), body)


def no_utf8(rng):
    """Mix in bytes that are no UTF-8."""
    odd = [b'{"choices":[{"index":0,"delta":{"content":"\xff\xc3"}}]}', b"\x80\x81", b"\xf0\x9f"]
    body = mixed_in(rng, chat(rng), *map(event, rng.choices(odd, k=rng.randint(1, 5))))
    return Fault(sent(rng, body), body)


ODD = (
    b"null",
    b"[]",
    b"42",
    b'"text"',
    b"{}",
    b'{"choices":null}',
    b'{"choices":{}}',
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
    b'{"error":null}',
    b"[" * 20_000,
    b'{"n":' + b"9" * 6_000 + b"}",
)


def odd_shapes(rng):
    """Mix in JSON of shapes that no answer has."""
    body = mixed_in(rng, chat(rng), *map(event, rng.choices(ODD, k=rng.randint(1, 8))))
    return Fault(sent(rng, body), body)


def many_choices(rng):
    """Mix in more choices than are checked."""
    frames = [frame("A.", index) for index in range(1, rng.randint(130, 300))]
    body = mixed_in(rng, chat(rng), *frames)
    return Fault(sent(rng, body), body)


def two_choices_mixed(rng):
    """Send two choices whose frames are mixed."""
    body = two_choices(rng).body
    return Fault(sent(rng, body), body)


def one_choice_unfinished(rng):
    """Finish one choice of two, and end in order."""
    answer = two_choices(rng)
    body = b"".join((*answer.opening, answer.finish[0]))
    both = b'"index":0' in body and b'"index":1' in body
    return Fault(sent(rng, body), body, finished=False if both else None)


def end_sign_twice(rng):
    """Repeat the end sign, with or without more text."""
    late = rng.choice((b"", frame("late"), frame("late") + FINISH, b": late\n\n"))
    body = chat(rng).body + late + DONE
    return Fault(sent(rng, body), body)


def imitated_annotation(rng):
    """Send frames that look like ours, and text that does."""
    made = {
        "object": "streamguard.result",
        "id": f"{rng.getrandbits(128):032x}",
        "state": "complete",
    }
    ours = frame(None, streamguard=made)
    named = b"event: streamguard.result\n" + event(json.dumps(made).encode())
    words = 'x"}}]}\n\ndata: [DONE]\n\ndata: {"streamguard":{"state":"complete"}}\n\n'
    body = mixed_in(rng, chat(rng, words + text(rng)), ours, named)
    lines = (f"x-streamguard-id: {made['id']}",)
    return Fault(sent(rng, body, *lines), body)


# --- how large it is


def large_frame(rng):
    """Send a frame of up to 10 MB, beyond what is parsed."""
    size = int(10 ** rng.uniform(5.0, 7.0))
    body = mixed_in(rng, chat(rng), frame("x" * size))
    return Fault(sent(rng, body, size=rng.choice((70_000, 400_000))), body)


def line_without_end(rng):
    """Send a line that does not end, then close in order."""
    line = b"data: " + b"y" * rng.randint(70_000, 3_000_000)
    body = cut_short(rng, chat(rng)) + line
    wire = sent(rng, body, size=200_000)
    return Fault(wire, body, finished=False, added=False)


# --- encodings


def gzipped(rng):
    """Compress the answer, though it was asked for as it is."""
    body = chat(rng).body
    how = rng.choice(("gzip", "deflate"))
    packed = gzip.compress(body, mtime=0) if how == "gzip" else zlib.compress(body)
    return Fault(sent(rng, packed, f"Content-Encoding: {how}", size=100), body)


def gzip_cut(rng):
    """End in order inside a compressed body."""
    body = chat(rng).body
    packed = gzip.compress(body, mtime=0)
    packed = packed[: rng.randint(20, len(packed) - 60)]
    got = zlib.decompressobj(31).decompress(packed)
    got = got if b"stop" not in got else b""
    return Fault(
        sent(rng, packed, "Content-Encoding: gzip", size=100),
        got or body,
        whole=False,
        clean=None,
        finished=False if got else None,
        added=None,
    )


def gzip_broken(rng):
    """Break a compressed body in its middle."""
    body = cut_short(rng, chat(rng))
    packer = zlib.compressobj(wbits=31)
    good = packer.compress(body) + packer.flush(zlib.Z_FULL_FLUSH)
    # A block of the type that does not exist.
    wire = sent(rng, good + b"\xff" * 50, "Content-Encoding: gzip", size=100)
    return broken(wire, body, whole=False)


def gzip_that_is_none(rng):
    """Announce a compression and send the plain answer."""
    body = chat(rng).body
    return broken(sent(rng, body, "Content-Encoding: gzip"), b"", clean=None)


def gzip_bomb(rng):
    """Send 8 MB of nearly nothing in 8 kB."""
    body = mixed_in(rng, chat(rng), b": " + b"0" * 8_000_000 + b"\n\n")
    return Fault(sent(rng, gzip.compress(body, 1, mtime=0), "Content-Encoding: gzip"), body)


# --- other bodies


def other_type(rng):
    """Send the answer as something else."""
    body = chat(rng).body
    kind = rng.choice(("text/css", "application/octet-stream", "text/html; charset=utf-8", "x"))
    return Fault(sent(rng, body, kind=kind), body, finished=None, added=False, skipped=True)


def other_charset(rng):
    """Send the answer with a charset that event streams do not have."""
    body = chat(rng).body
    kind = rng.choice(("text/event-stream; charset=windows-1252", "TEXT/Event-Stream;charset=x"))
    return Fault(sent(rng, body, kind=kind), body)


def error_status(rng):
    """Answer with an error in place of the stream."""
    body = json.dumps({"error": {"message": "no", "code": rng.randrange(100)}}).encode()
    status = rng.choice((400, 401, 403, 404, 413, 429, 500, 502, 503, 529))
    wire = sent(rng, body, "Retry-After: 7", status=status, kind="application/json")
    return Fault(wire, body, status, finished=None, added=False)


def error_status_cut(rng):
    """Break off inside the body of an error."""
    body = b'{"error": {"mess'
    wire = begun(rng, body, framing="length", length=50, status=500, kind="application/json")
    return broken(wire, body, status=500, finished=None)


def early_hints(rng):
    """Send responses of status 100 and 103 first."""
    body = chat(rng).body
    first = rng.choice(
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n")
    )
    return Fault((first, Act.TURN, *sent(rng, body)), body)


def whole_answer(words):
    """Return an answer in one piece."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": words},
        "finish_reason": "stop",
    }
    return json.dumps({"id": "chatcmpl-1", "choices": [choice], "usage": {}}, indent=1).encode()


def json_answer_cut(rng):
    """Break off inside an answer in one piece."""
    body = whole_answer(text(rng))
    body, length = body[: rng.randint(1, len(body) - 1)], len(body)
    wire = begun(rng, body, framing="length", length=length, kind="application/json")
    return broken(wire, body, skipped=True)


def json_answer_broken(rng):
    """Send an answer in one piece that is no JSON."""
    body = whole_answer(text(rng))[: -rng.randint(1, 9)]
    wire = sent(rng, body, kind="application/json")
    return Fault(wire, body, finished=None, added=False, skipped=True)


def with_behind(rng, body, extra):
    """Return the steps of a whole response with `extra` behind it.

    In the last write: later it might come behind the next request, as if it answered that.
    """
    *wire, last, keep = sent(rng, body, framing="length")
    if last is Act.TURN:
        last = wire.pop()
    return (*wire, last + extra, keep)


def repeated_head(rng):
    """Send a second response behind the first, which nobody asked for."""
    body = chat(rng).body
    return Fault(with_behind(rng, body, head("Content-Length: 5") + b"extra"), body)


def bytes_behind_the_answer(rng):
    """Announce fewer bytes than come."""
    answer = chat(rng)
    body = cut_inside(rng, answer)
    wire = with_behind(rng, body, answer.body[len(body) :])
    return Fault(wire, body, finished=False, added=False, or_refused=True)


KINDS = (
    single_bytes, line_ends_cut, comments, data_in_several_lines, byte_order_marks, error_frame,
    error_event, no_json, no_utf8, odd_shapes, many_choices, two_choices_mixed,
    one_choice_unfinished, end_sign_twice, imitated_annotation, large_frame, line_without_end,
    gzipped, gzip_cut, gzip_broken, gzip_that_is_none, gzip_bomb, other_type, other_charset,
    error_status, error_status_cut, early_hints, json_answer_cut, json_answer_broken,
    repeated_head, bytes_behind_the_answer,
)  # fmt: skip
