"""The decoder of lines."""

import random

from streamguard.wire.codecs.lines import LineDecoder
from tests.programs.fuzz import grammar, reference

CASE = "streams of lines under a random cut"


def case(seed):
    rng = random.Random(seed)
    raw = grammar.stream(rng)
    cap = rng.choice((1, 5, 20, 1_000_000))
    decoder = LineDecoder(cap)
    pieces = grammar.cut(rng, raw)
    found = [line for piece in pieces for line in decoder.feed(piece)]
    joined = b"".join([line.raw for line in (*found, *decoder.close())])
    assert joined == raw, f"the bytes are {joined!r}, expected {raw!r}"
    data = [line.data for line in found if line.raw.endswith(b"\n")]
    assert data == reference.lines(raw, cap), f"{raw!r} in pieces {pieces!r}, cap {cap}: {data}"
