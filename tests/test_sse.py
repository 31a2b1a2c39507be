"""The event stream rules of WHATWG, under every cut, and no byte lost."""

import pytest

from streamguard.errors import StreamStateError
from streamguard.testing import every_split
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEDecoder, SSEEvent

BOM = b"\xef\xbb\xbf"


def decode(pieces, max_event_bytes=MAX_EVENT_BYTES):
    """Return the events of `pieces`, after asserting that no byte was lost."""
    decoder = SSEDecoder(max_event_bytes)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.close()
    assert b"".join(event.raw for event in events) == b"".join(pieces)
    return events


def dispatched(events):
    return [(e.event, e.data, e.id, e.retry) for e in events if e.data is not None]


def cuts(raw):
    """Yield lists of byte pieces, as `every_split` cuts text."""
    for pieces in every_split(raw.decode("latin-1")):
        yield [piece.encode("latin-1") for piece in pieces]


def message(data, event="message", id=None, retry=None):
    return (event, data, id, retry)


# WHATWG HTML, server-sent events, "interpreting an event stream", and its four examples; the
# further names are those of web-platform-tests eventsource/.
CASES = {
    "example stocks": (b"data: YHOO\ndata: +2\ndata: 10\n\n", [message("YHOO\n+2\n10")]),
    "example comment, id and an id that resets": (
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third\n\n",
        [message("first event", id="1"), message("second event", id=""), message(" third", id="")],
    ),
    "example empty data": (b"data\n\ndata\ndata\n\n", [message(""), message("\n")]),
    "example optional space": (b"data:test\n\ndata: test\n\n", [message("test"), message("test")]),
    "crlf": (b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [message("a\nb"), message("c")]),
    "cr": (b"data: a\rdata: b\r\rdata: c\r\r", [message("a\nb"), message("c")]),
    "mixed line ends": (b"data: a\r\ndata: b\n\rdata: c\r\n\n", [message("a\nb"), message("c")]),
    "lf then crlf": (b"data: a\n\r\ndata: b\n\n", [message("a"), message("b")]),
    "format-bom": (BOM + b"data: a\n\n", [message("a")]),
    "format-bom-2": (BOM + BOM + b"data: a\n\ndata: b\n\n", [message("b")]),
    "bom later is part of a field name": (b"data: a\n\n" + BOM + b"data: b\n\n", [message("a")]),
    "bom before a blank line": (BOM + b"\ndata: a\n\n", [message("a")]),
    "half a bom": (b"\xef\xbbdata: a\n\ndata: b\n\n", [message("b")]),
    "format-comments": (b"data:1\n:" + b"x" * 99 + b"\n:\ndata:2\n:data:3\n\n", [message("1\n2")]),
    "format-field-data": (b"data:\n\ndata\ndata:1\n\n", [message(""), message("\n1")]),
    "format-field-event":
        (b"event:test\ndata:x\n\ndata:y\n\n", [message("x", "test"), message("y")]),
    "format-field-event-empty": (b"event: \ndata: x\n\n", [message("x")]),
    "format-field-id": (b"id: 1\n\ndata: x\n\n", [message("x", id="1")]),
    "format-field-id-null": (b"id: a\n\nid: b\0c\ndata: x\n\n", [message("x", id="a")]),
    "format-field-parsing": (
        b"data:\0\ndata:  2\nData:1\ndata\0:2\ndata:1\ndata\n : 3\ndata:4\n\n",
        [message("\0\n 2\n1\n\n4")],
    ),
    "format-field-retry": (b"retry:3000\ndata:x\n\n", [message("x", retry=3000)]),
    "format-field-retry-bogus": (b"retry:30\nretry:1000x\ndata:x\n\n", [message("x", retry=30)]),
    "retry in other digits": ("retry:３\ndata:x\n\n".encode(), [message("x")]),
    "retry of absurd length": (b"retry:" + b"9" * 5_000 + b"\ndata:x\n\n", [message("x")]),
    "format-field-unknown": (b"data:test\n data\ndata\nfoo\nfoo:x\n\n", [message("test\n")]),
    "format-leading-space": (b"data:\ttest\n\ndata: \n\n", [message("\ttest"), message("")]),
    "format-null-character": (b"data:\0\n\n", [message("\0")]),
    "format-utf-8": ("data:ok…\n\n".encode(), [message("ok…")]),
    "invalid utf-8": (
        b"data: a\xff\xc3\ndata: b\n\ndata: \xe9.\n\n",
        [message("a\ufffd\ufffd\nb"), message("\ufffd.")],
    ),
    "separators of other alphabets": (
        "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1fh\ndata: i\u2028j\n\n".encode(),
        [message("a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1fh\ni\u2028j")],
    ),
    "block without data": (b"event: x\nid: 7\n\ndata: a\n\n", [message("a", id="7")]),
    "blank lines": (b"\n\r\n\r\rdata: a\n\n\n\n", [message("a")]),
    "lacks only its blank line": (b"data: a\n\ndata: b\n", [message("a"), message("b")]),
    "ends inside a line": (b"data: a\n\ndata: b", [message("a")]),
    "nothing": (b"", []),
    "only a bom": (BOM, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_rules_hold_under_every_cut(name):
    raw, expected = CASES[name]
    for pieces in cuts(raw):
        assert dispatched(decode(pieces)) == expected, pieces


def test_every_pair_of_cuts_gives_the_same_events():
    raw = BOM + b"data: a\r\ndata: \xe2\x82\xac\r\n\r\nid: 4\rdata: b\r\r: c\n\ndata: d\n\n"
    whole = dispatched(decode([raw]))
    assert len(whole) == 3
    for i in range(len(raw) + 1):
        for j in range(i, len(raw) + 1):
            assert dispatched(decode([raw[:i], raw[i:j], raw[j:]])) == whole


def test_a_cr_as_last_byte_dispatches_at_once_and_exactly_once():
    decoder = SSEDecoder()
    assert decoder.feed(b"data: a\r\n\r") == [SSEEvent(b"data: a\r\n\r", data="a")]
    assert decoder.feed(b"\n") == []
    assert decoder.feed(b"data: b\r\n\r\n") == [SSEEvent(b"\ndata: b\r\n\r\n", data="b")]


def test_close_is_idempotent_and_feed_after_it_is_refused():
    decoder = SSEDecoder()
    decoder.feed(b"data: a\n")
    assert len(decoder.close()) == 1
    assert decoder.close() == []
    with pytest.raises(StreamStateError, match="feed\\(\\) after close\\(\\)"):
        decoder.feed(b"x")


@pytest.mark.parametrize(
    ("raw", "lacks"), [(b"data: x", b"\n\n"), (b"data: x\n", b"\n"), (b"data: x\n\r", b"\r")]
)
def test_a_last_event_without_its_blank_line_says_what_it_lacks(raw, lacks):
    assert SSEDecoder.end_of(raw) == lacks
