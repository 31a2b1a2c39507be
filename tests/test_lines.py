"""Lines of JSON: every byte comes back, however they are cut."""

import pytest

from streamguard.errors import StreamStateError
from streamguard.testing import every_split
from streamguard.wire.codecs.lines import LineDecoder

CASES = [
    ("", []),
    ('{"a":1}\n', ['{"a":1}']),
    ('{"a":1}\r\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
    ("\n \r\n{}\n", [None, None, "{}"]),
    ("é\U0001f600\n", ["é\U0001f600"]),
    ("a\u2028b\rc\n", ["a\u2028b\rc"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_line_ends_at_lf_or_crlf_and_at_nothing_else(text, expected):
    raw = text.encode()
    for pieces in every_split(raw.decode("latin-1")):
        decoder = LineDecoder()
        lines = [line for piece in pieces for line in decoder.feed(piece.encode("latin-1"))]
        assert [line.data for line in lines] == expected
        assert b"".join(line.raw for line in lines) == raw
        assert decoder.idle
        assert decoder.close() == []


def test_bytes_that_are_no_utf8_are_replaced_in_the_text_alone():
    (line,) = LineDecoder().feed(b"\xff\n")
    assert (line.raw, line.data) == (b"\xff\n", "\ufffd")


def test_a_last_line_without_its_end_is_given_back_unread():
    decoder = LineDecoder()
    assert decoder.feed(b'{"a"') == []
    assert not decoder.idle
    (line,) = decoder.close()
    assert (line.raw, line.data, line.truncated) == (b'{"a"', None, True)
    assert decoder.close() == []
    with pytest.raises(StreamStateError, match="the stream has ended"):
        decoder.feed(b"x")


@pytest.mark.parametrize("size", [1, 3, 7, 40])
def test_a_line_over_the_cap_passes_in_parts_and_the_next_is_read(size):
    raw = b"x" * 25 + b"\n{}\n"
    decoder = LineDecoder(max_line_bytes=10)
    lines = [line for at in range(0, len(raw), size) for line in decoder.feed(raw[at : at + size])]
    assert b"".join(line.raw for line in lines) == raw
    assert [line.data for line in lines if not line.truncated] == ["{}"]


def test_what_a_last_line_lacks_is_its_lf():
    assert (LineDecoder.end_of(b"{}"), LineDecoder.end_of(b"{}\n")) == (b"\n", b"")
    assert not LineDecoder().owes_lf
