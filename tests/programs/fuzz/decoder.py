"""The decoder of event streams."""

import random

from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEDecoder
from tests.programs.fuzz import grammar, reference

CASE = "event streams under a random cut"


def case(seed):
    rng = random.Random(seed)
    raw = grammar.stream(rng)
    cap = MAX_EVENT_BYTES if rng.random() < 0.7 else rng.choice((0, 1, 2, 5, 8, 12, 20, 33))
    check(raw, grammar.cut(rng, raw), cap)


def check(raw, pieces, cap):
    """Compare what the decoder makes of `pieces` with what the reference makes of `raw`."""
    decoder = SSEDecoder(cap)
    found, held = [], 0
    for piece in pieces:
        events = decoder.feed(piece)
        found += events
        held += len(piece) - sum([len(event.raw) for event in events])
        # A byte order mark or half a CRLF leads the block and does not count, nor does the line
        # end that may turn out to be half a blank line.
        assert held <= cap + 4, f"{held} bytes are held over a cap of {cap}"
    last = decoder.close()
    expected, by_end = reference.events(raw, cap)
    joined = b"".join([event.raw for event in (*found, *last)])
    assert joined == raw, f"the bytes are {joined!r}, expected {raw!r}"
    dispatched = _dispatched(found)
    at_end = len(expected) - by_end
    said = f"{raw!r} in pieces {pieces!r}, cap {cap}"
    assert dispatched == expected[:at_end], f"{said}: {dispatched} while it runs, not {expected}"
    assert _dispatched(last) == expected[at_end:], f"{said}: {last} at its end, not {expected}"


def _dispatched(events):
    return [(e.event, e.data, e.id, e.retry) for e in events if e.data is not None]
