"""Decodes a streamed JSON array: bytes in, elements out, no byte lost."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from streamguard.errors import StreamStateError
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, Shortened, SSEEvent

END = "]"  # the data of the event that closes the array
_TOKEN = re.compile(rb'["\\\[\]{}]')


class ArrayDecoder:
    """Cuts the bytes of one JSON array into elements: `feed` every piece, then `close`.

    An element is an `SSEEvent`: its `data` is the object, its `raw` also has the preceding bracket
    or comma. The closing bracket is an event of its own with the data `]`. Elements over
    `max_bytes`, and bytes that are no array of objects, come in parts with `data` None and
    `truncated` True; if pictures alone make an element too long, its last part has the data with
    the pictures shortened.
    """

    owes_lf = False
    turn_bytes: ClassVar[int] = 4_096  # of brackets alone: 2 ms

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_bytes
        self._pending = bytearray()
        self._searched = 0  # bytes of them whose tokens are read
        self._depth = 0  # of brackets: 1 within the array, 2 within an element
        self._begins = 0  # where the element's brace is in the pending bytes
        self._in_string = False
        self._escaped = False  # the last byte was a backslash within a string
        self._lost = False  # it is no array of objects, or it is over
        self._oversized = False
        self._shortened = Shortened(max_bytes)  # of the element, where it is
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether the next byte begins an element, or precedes one."""
        return not self._pending and not self._oversized

    @property
    def halfway(self) -> bool:
        """Whether part of an unfinished element over the limit was already returned."""
        return self._oversized

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Decode the next bytes; return the elements they complete, in order.

        Raises `StreamStateError` after `close`.
        """
        if self._closed:
            raise StreamStateError("feed() after close(): the stream has ended; use a new decoder")
        self._pending += piece
        events: list[SSEEvent] = []
        while not self._lost and (found := _TOKEN.search(self._pending, self._searched)):
            self._read(found[0], found.start(), events)
        if not self._lost:
            self._escaped = self._escaped and self._searched >= len(self._pending)
            self._searched = len(self._pending)
        if self._pending and (self._lost or self._oversized or len(self._pending) > self._max):
            events.append(self._hand_on())
        return events

    def close(self) -> list[SSEEvent]:
        """Return the remaining bytes as at most one event; further calls return nothing.

        Its `truncated` is True if the array was not closed.
        """
        unfinished = bool(self._depth) and not self._closed
        self._closed = True
        if unfinished:
            return [SSEEvent(self._cut(len(self._pending)).raw, truncated=True)]
        return [self._cut(len(self._pending))] if self._pending else []

    @staticmethod
    def whole(data: bytes) -> None:
        """Return None: an element's end is found only by decoding."""

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return nothing: an unclosed array cannot be completed."""
        return b""

    def _read(self, token: bytes, at: int, events: list[SSEEvent]) -> None:
        """Process the next token, inside or outside a string."""
        escaped = self._escaped and at == self._searched
        self._escaped = False
        self._searched = at + 1
        if self._in_string:
            self._escaped = token == b"\\" and not escaped
            self._in_string = token != b'"' or escaped
        elif token == b'"':
            self._in_string = self._depth > 1
            self._lost = not self._in_string
        elif token in b"{[":
            self._open(token, at)
        elif token in b"}]":
            self._shut(token, events)

    def _open(self, token: bytes, at: int) -> None:
        if self._depth < 2:
            self._lost = token != (b"[", b"{")[self._depth]
            self._begins, self._shortened = at, Shortened(self._max)
        self._depth += 1

    def _hand_on(self) -> SSEEvent:
        """Return all pending bytes: of an element over the limit, or of no array."""
        self._oversized = not self._lost
        if self._oversized and self._depth > 1:
            self._shortened.add(bytes(self._pending[self._begins :]))
            self._begins = 0
        return replace(self._cut(len(self._pending)), part=not self._lost)

    def _shut(self, token: bytes, events: list[SSEEvent]) -> None:
        self._depth -= 1
        if self._depth == 1:
            events.append(self._element())
        elif self._depth <= 0:
            self._lost = True  # the rest is white space, or no JSON
            closes = b"".join(self._pending[: self._searched].split()) in (b"]", b"[]")
            events.append(self._cut(self._searched, END if closes else None))

    def _element(self) -> SSEEvent:
        """Return the element that ends here, or the rest of it."""
        data = self._pending[self._begins : self._searched]
        begun, cut = self._oversized, self._oversized or self._searched > self._max
        self._oversized = False
        if not cut:
            return self._cut(self._searched, data.decode(errors="replace"))
        self._shortened.add(bytes(data))
        if (shortened := self._shortened.data) is None:
            return self._cut(self._searched)
        event = self._cut(self._searched, shortened.decode(errors="replace"))
        return replace(event, begun=begun, cut=True)

    def _cut(self, end: int, data: str | None = None) -> SSEEvent:
        """Emit the first pending bytes as an event; without `data` they are unreadable."""
        raw = bytes(self._pending[:end])
        del self._pending[:end]
        self._searched = 0
        # White space behind the end is nothing to be read.
        return SSEEvent(raw, data=data, truncated=data is None and bool(raw.strip()))
