"""Answers that do not end as they should: refused, reset, cut, silent, endless."""

from tests.faults.answers import chat
from tests.faults.fault import CHUNKED, Act, Fault, Leave, begun, chunk, head, sent
from tests.upstreams import frame


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


# --- before the answer


def reset_before_the_head(rng):
    """Hang up on the request by RST."""
    return refused(Act.RESET)


def close_before_the_head(rng):
    """Hang up on the request by FIN."""
    return refused()


def close_inside_the_head(rng):
    """Hang up inside a header line."""
    whole = head(CHUNKED)
    return refused(whole[: rng.randint(1, len(whole) - 1)])


def no_http(rng):
    """Answer in another protocol."""
    return refused(rng.choice((b"SSH-2.0-OpenSSH_9.2\r\n", rng.randbytes(200), b"\0" * 9_000)))


def endless_head(rng):
    """Send a header line beyond every limit."""
    return refused(head(f"X-Long: {'x' * rng.randint(100_000, 300_000)}", CHUNKED), Act.WAIT)


def silent_before_the_head(rng):
    """Never answer."""
    return refused(Act.WAIT, status=504, silent=True)


# --- inside the answer


def reset_between_frames(rng):
    """End by RST where a frame ended."""
    body = cut_short(rng, chat(rng))
    return broken((*begun(rng, body), Act.RESET), body, whole=False)


def reset_inside_a_frame(rng):
    """End by RST inside a frame."""
    body = cut_inside(rng, chat(rng))
    return broken((*begun(rng, body), Act.RESET), body, whole=False)


def chunks_without_end(rng):
    """End by FIN between frames, without the last chunk."""
    body = cut_short(rng, chat(rng))
    return broken(begun(rng, body), body)


def chunk_cut_inside_a_frame(rng):
    """End by FIN inside a frame and inside a chunk."""
    body = cut_inside(rng, chat(rng))
    return broken((*begun(rng, body), b"400\r\nda"), body + b"da", whole=False)


def half_close(rng):
    """End one direction by FIN, without the last chunk, and keep the other open."""
    body = cut_short(rng, chat(rng))
    return broken((*begun(rng, body), Act.EOF), body)


def content_length_too_long(rng):
    """Announce more bytes than come."""
    body = cut_short(rng, chat(rng))
    more = rng.randint(1, 1_000)
    return broken(begun(rng, body, framing="length", length=len(body) + more), body)


def bad_chunk_size(rng):
    """Announce a chunk whose size is no number."""
    body = cut_short(rng, chat(rng))
    bad = rng.choice((b"xyz\r\n", b"-1\r\nx\r\n", b"0x10\r\n" + b"y" * 16, b"\r\n\r\n", b" 5\r\n"))
    return broken((*begun(rng, body), bad, Act.WAIT), body, whole=False, or_refused=True)


def chunk_without_line_end(rng):
    """Send more bytes than a chunk announced."""
    body = cut_short(rng, chat(rng))
    extra = frame("more")
    wire = (*begun(rng, body), b"5\r\n" + extra, Act.WAIT)
    return broken(wire, body + extra, whole=False, or_refused=True)


def silent_before_the_answer(rng):
    """Send the head and nothing more."""
    return broken((head(CHUNKED), Act.WAIT), b"", silent=True, or_refused=True)


def silent_inside_the_answer(rng):
    """Stop sending, between frames or inside one."""
    answer = chat(rng)
    body = rng.choice((cut_short, cut_inside))(rng, answer)
    # Where the machine is busy, the limit may be over before the head was read.
    return broken((*begun(rng, body), Act.WAIT), body, silent=True, or_refused=True)


def silent_after_the_end_sign(rng):
    """Send everything but the end of the body."""
    body = chat(rng).body
    wire = (*begun(rng, body), Act.WAIT)
    return Fault(wire, body, clean=None, silent=True)


def reset_after_the_end_sign(rng):
    """Send everything, then end by RST."""
    body = chat(rng).body
    wire = (*begun(rng, body), Act.RESET)
    return Fault(wire, body, clean=None, whole=False, finished=None, added=None)


# --- an orderly end of half an answer


def ends_between_frames(rng):
    """End in order, but before the answer is finished."""
    body = cut_short(rng, chat(rng))
    return Fault(sent(rng, body), body, finished=False)


def ends_inside_a_frame(rng):
    """End in order inside a frame."""
    body = cut_inside(rng, chat(rng))
    return Fault(sent(rng, body), body, finished=False, added=False)


def ends_without_blank_line(rng):
    """End in order where the last frame lacks only its end."""
    body = cut_short(rng, chat(rng)).removesuffix(b"\n\n")
    lacking = rng.choice((b"", b"\n"))
    ending = b"\n" if lacking else b"\n\n"
    return Fault(sent(rng, body + lacking), body + lacking, finished=False, ending=ending)


def end_sign_without_blank_line(rng):
    """End in order behind an end sign that lacks its end."""
    body = chat(rng).body[: -rng.randint(1, 2)]
    return Fault(sent(rng, body), body)


def no_end_sign(rng):
    """End in order behind the finish reason."""
    answer = chat(rng)
    body = b"".join((*answer.opening, *answer.finish))
    return Fault(sent(rng, body), body)


def nothing(rng):
    """Send a body of no bytes."""
    return Fault(sent(rng, b""), b"", finished=False)


def end_sign_alone(rng):
    """Send an end sign and no answer."""
    body = rng.choice((b"data: [DONE]\n\n", b"data:[DONE]\n\n", b": hello\n\ndata: [DONE]\n\n"))
    return Fault(sent(rng, body), body)


def trailers(rng):
    """Send headers behind the last chunk."""
    body = chat(rng).body
    wire = (*begun(rng, body), b"0\r\nX-Checksum: 5\r\nX-Other: 6\r\n\r\n", Act.KEEP)
    return Fault(wire, body)


# --- clients that leave


def endless(rng, count=400):
    """Return the steps of an answer that goes on until somebody hangs up, and its body."""
    answer = chat(rng)
    body = b"".join(answer.opening) + frame("And on. ") * count
    return (*begun(rng, body), Act.WAIT), body


def client_leaves_before_the_head(rng):
    """Leave while the upstream is silent."""
    gone = Leave(0, rng.choice(("fin", "rst")))
    return Fault((Act.WAIT,), b"", clean=None, finished=None, added=False, leave=gone)


def client_leaves_before_the_answer(rng):
    """Leave once the head has come."""
    gone = Leave(1, rng.choice(("fin", "rst")))
    return broken((head(CHUNKED), Act.WAIT), b"", clean=None, leave=gone)


def client_leaves_inside_the_answer(rng):
    """Leave inside an answer that does not end."""
    wire, body = endless(rng)
    gone = Leave(rng.randint(500, 5_000), rng.choice(("fin", "rst")))
    return broken(wire, body, clean=None, whole=False, leave=gone)


def client_leaves_a_flood(rng):
    """Stop reading a flood, and leave while the proxy cannot write."""
    big = chunk(frame("x" * 60_000)) * 120
    body = frame("x" * 60_000) * 120
    gone = Leave(rng.randint(500, 5_000), rng.choice(("fin", "rst")))
    return broken((head(CHUNKED), big, Act.WAIT), body, clean=None, whole=False, leave=gone)


KINDS = (
    reset_before_the_head, close_before_the_head, close_inside_the_head, no_http, endless_head,
    silent_before_the_head, reset_between_frames, reset_inside_a_frame, chunks_without_end,
    chunk_cut_inside_a_frame, half_close, content_length_too_long, bad_chunk_size,
    chunk_without_line_end, silent_before_the_answer, silent_inside_the_answer,
    silent_after_the_end_sign, reset_after_the_end_sign, ends_between_frames, ends_inside_a_frame,
    ends_without_blank_line, end_sign_without_blank_line, no_end_sign, nothing, end_sign_alone,
    trailers, client_leaves_before_the_head, client_leaves_before_the_answer,
    client_leaves_inside_the_answer, client_leaves_a_flood,
)  # fmt: skip
