"""Compressed bodies, undone in bounded steps under every cut."""

import gzip
import random
import zlib

import pytest

from streamguard.errors import UpstreamError
from streamguard.server.http import inflating
from streamguard.server.http.inflating import Inflating

BODY = b"The Basic plan costs $10 per month. " * 300 + random.Random(7).randbytes(2_000)


def raw_deflated(body):
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(body) + packing.flush()


WHOLE = {
    "gzip": ("gzip", gzip.compress(BODY), BODY),
    "gzip in two members": ("gzip", gzip.compress(BODY) + gzip.compress(b"more"), BODY + b"more"),
    "gzip in many members": ("gzip", gzip.compress(b"ab") * 3_000, b"ab" * 3_000),
    "gzip with padding": ("gzip", gzip.compress(BODY) + b"\0" * 20_000, BODY),
    "gzip with padding between": ("gzip", (gzip.compress(b"ab") + b"\0\0") * 300, b"ab" * 300),
    "gzip of nothing": ("x-gzip", gzip.compress(b""), b""),
    "deflate": ("deflate", zlib.compress(BODY), BODY),
    "deflate without its format": ("deflate", raw_deflated(BODY), BODY),
    "a long run": ("gzip", gzip.compress(b"x" * 1_000_000), b"x" * 1_000_000),
    "nothing": ("gzip", b"", b""),
}


def decoded(encoding, pieces):
    """Return what `pieces` decode to, after asserting that no step is too long."""
    reading, out = Inflating(encoding), []
    for piece in pieces:
        reading.feed(piece)
        while step := reading.step():
            assert len(step) <= inflating.STEP_BYTES
            out.append(step)
        while reading.due:
            out.append(reading.step())
    reading.end()
    return b"".join(out)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("size", [1, 7, 1_000, 100_000])
def test_a_body_is_what_it_was_under_every_cut(name, size, monkeypatch):
    monkeypatch.setattr(inflating, "STEP_BYTES", 5_000)
    encoding, packed, body = WHOLE[name]
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert decoded(encoding, pieces) == body


@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate without its format"])
def test_a_body_that_is_cut_says_so(name):
    encoding, packed, _ = WHOLE[name]
    for end in (1, 2, 11, len(packed) // 2, len(packed) - 1):
        with pytest.raises(UpstreamError, match="is cut"):
            decoded(encoding, [packed[:end]])
