"""Answers that do not end as they should: refused, reset, cut, silent, endless."""

from tests.kit.frames import DONE, frame
from tests.programs.faults.answers import chat
from tests.programs.faults.fault import CHUNKED, Act, Fault, Leave, begun, chunk, head, sent


def cut_short(rng, answer):
    """Return the frames of `answer` up to one before those that finish it."""
    return b"".join(answer.opening[: rng.randint(1, len(answer.opening))])


def cut_inside(rng, answer):
    """Return the bytes of `answer` up to one inside a frame that is not whole without the rest.

    What comes behind the finish is not cut: the answer is complete by then.
    """
    frames = (*answer.opening, *answer.finish)
    at = rng.randrange(len(frames))
    inside = frames[at]
    # The last byte but two is what closes the JSON.
    return b"".join(frames[:at]) + inside[: rng.randint(1, len(inside) - 3)]


def refused(*wire, status=502, **more):
    """Return a fault after which the proxy answers for itself."""
    return Fault(wire, b"", status, finished=None, added=False, **more)


def broken(wire, body, **more):
    """Return a fault that breaks the answer off."""
    expected = {"clean": False, "finished": False, "added": False, **more}
    return Fault(tuple(wire), body, **expected)


def breaks(rng, cut, *steps, extra=b"", **more):
    """Break an answer off where `cut` says, by `steps`; `extra` is what they add to its body."""
    body = cut(rng, chat(rng))
    return broken((*begun(rng, body), *steps), body + extra, **more)


def ends(rng, body, **more):
    """End in order behind `body`."""
    return Fault(sent(rng, body), body, **more)


def content_length_too_long(rng):
    body = cut_short(rng, chat(rng))
    more = rng.randint(1, 1_000)
    return broken(begun(rng, body, framing="length", length=len(body) + more), body)


def silent_after_the_end_sign(rng):
    body = chat(rng).body
    return Fault((*begun(rng, body), Act.WAIT), body, clean=None, silent=True)


def reset_after_the_end_sign(rng):
    body = chat(rng).body
    wire = (*begun(rng, body), Act.RESET)
    return Fault(wire, body, clean=None, whole=False, finished=None, added=None)


def ends_without_blank_line(rng):
    body = cut_short(rng, chat(rng)).removesuffix(b"\n\n")
    lacking = rng.choice((b"", b"\n"))
    return ends(rng, body + lacking, finished=False, ending=b"\n" if lacking else b"\n\n")


def no_end_sign(rng):
    answer = chat(rng)
    return ends(rng, b"".join((*answer.opening, *answer.finish)))


def trailers(rng):
    body = chat(rng).body
    wire = (*begun(rng, body), b"0\r\nX-Checksum: 5\r\nX-Other: 6\r\n\r\n", Act.KEEP)
    return Fault(wire, body)


def leaves(rng, after):
    """Return how a client leaves behind `after` bytes."""
    return Leave(after, rng.choice(("fin", "rst")))


def client_leaves_inside_the_answer(rng):
    body = b"".join(chat(rng).opening) + frame("And on. ") * 400
    gone = leaves(rng, rng.randint(500, 5_000))
    return broken((*begun(rng, body), Act.WAIT), body, clean=None, whole=False, leave=gone)


def client_leaves_a_flood(rng):
    """Stop reading a flood, and leave while the proxy cannot write."""
    big, gone = frame("x" * 60_000), leaves(rng, rng.randint(500, 5_000))
    wire = (head(CHUNKED), chunk(big) * 120, Act.WAIT)
    return broken(wire, big * 120, clean=None, whole=False, leave=gone)


SSH, ZEROS = b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 9_000
BAD_SIZES = (b"xyz\r\n", b"-1\r\nx\r\n", b"0x10\r\n" + b"y" * 16, b"\r\n\r\n", b" 5\r\n")
MORE, NOT_WHOLE = frame("more"), {"whole": False, "or_refused": True}
# Where the machine is busy, the limit on silence may be over before the head was read.
SILENT = {"silent": True, "or_refused": True}
ALONE = (DONE, b"data:[DONE]\n\n", b": hello\n\n" + DONE)
KINDS = {
    "reset_before_the_head": lambda rng: refused(Act.RESET),
    "close_before_the_head": lambda rng: refused(),
    "close_inside_the_head": lambda rng: refused(head(CHUNKED)[: rng.randrange(1, 80)]),
    "no_http": lambda rng: refused(rng.choice((SSH, rng.randbytes(200), ZEROS))),
    "endless_head": lambda rng: refused(
        head(f"X-Long: {'x' * rng.randint(100_000, 300_000)}", CHUNKED), Act.WAIT
    ),
    "silent_before_the_head": lambda rng: refused(Act.WAIT, status=504, silent=True),
    "reset_between_frames": lambda rng: breaks(rng, cut_short, Act.RESET, whole=False),
    "reset_inside_a_frame": lambda rng: breaks(rng, cut_inside, Act.RESET, whole=False),
    "chunks_without_end": lambda rng: breaks(rng, cut_short),
    "chunk_cut_inside_a_frame": lambda rng: breaks(
        rng, cut_inside, b"400\r\nda", extra=b"da", whole=False
    ),
    "half_close": lambda rng: breaks(rng, cut_short, Act.EOF),
    "bad_chunk_size": lambda rng: breaks(
        rng, cut_short, rng.choice(BAD_SIZES), Act.WAIT, **NOT_WHOLE
    ),
    "chunk_without_line_end": lambda rng: breaks(
        rng, cut_short, b"5\r\n" + MORE, Act.WAIT, extra=MORE, **NOT_WHOLE
    ),
    "silent_before_the_answer": lambda rng: broken((head(CHUNKED), Act.WAIT), b"", **SILENT),
    "silent_inside_the_answer": lambda rng: breaks(
        rng, rng.choice((cut_short, cut_inside)), Act.WAIT, **SILENT
    ),
    "ends_between_frames": lambda rng: ends(rng, cut_short(rng, chat(rng)), finished=False),
    "ends_inside_a_frame": lambda rng: ends(
        rng, cut_inside(rng, chat(rng)), finished=False, added=False
    ),
    "end_sign_without_blank_line": lambda rng: ends(rng, chat(rng).body[: -rng.randint(1, 2)]),
    "nothing": lambda rng: ends(rng, b"", finished=False),
    "end_sign_alone": lambda rng: ends(rng, rng.choice(ALONE)),
    "client_leaves_before_the_head": lambda rng: Fault(
        (Act.WAIT,), b"", clean=None, finished=None, added=False, leave=leaves(rng, 0)
    ),
    "client_leaves_before_the_answer": lambda rng: broken(
        (head(CHUNKED), Act.WAIT), b"", clean=None, leave=leaves(rng, 1)
    ),
}
KINDS |= {
    each.__name__: each
    for each in (
        content_length_too_long, silent_after_the_end_sign, reset_after_the_end_sign,
        ends_without_blank_line, no_end_sign, trailers, client_leaves_inside_the_answer,
        client_leaves_a_flood,
    )
}  # fmt: skip
