"""Lines of JSON: every byte comes back, however they are cut."""

import pytest

from streamguard.errors import StreamStateError
from streamguard.testing import every_split
from streamguard.wire.codecs.json_array import ArrayDecoder
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


PICTURE = b"iVBORw0K" * 20_000  # 160,000 bytes, of which 65,536 are kept


@pytest.mark.parametrize(("decoder", "around"), [
    (LineDecoder, (b"", b"\n", b"\r\n", b"")),
    (ArrayDecoder, (b" [", b" ,\n", b",", b"]\n")),
])  # fmt: skip
@pytest.mark.parametrize("size", [999, 65_536, 10**6])
def test_what_pictures_make_too_long_is_read_without_the_most_of_them(decoder, around, size):
    first, second, third, last = around
    pictured = b'{"a": "b", "c": "%s"}'
    raw = first + pictured % PICTURE + second + pictured % (b"a b " * 40_000) + third + b"{}" + last
    raw = raw if last else raw + b"\n"
    reading = decoder(100_000)
    events = [each for at in range(0, len(raw), size) for each in reading.feed(raw[at : at + size])]
    assert b"".join(each.raw for each in events) == raw
    data = [each.data for each in events if each.data is not None]
    assert data == [(pictured % PICTURE[:65_536]).decode(), "{}", *(["]"] if last else [])]
    assert [each.cut for each in events if each.data] == [True, False, *([False] if last else [])]
    assert sum(each.truncated and not each.part for each in events) == 1
    assert not reading.halfway


def test_blanks_over_the_cap_between_elements_are_no_part_of_the_next():
    reading = ArrayDecoder(10)
    pieces = (b"[", b" " * 20, b" ", b'{"a":1}', b"]")
    events = [each for piece in pieces for each in reading.feed(piece)]
    assert [each.data for each in events if each.data] == ['{"a":1}', "]"]
