"""Newline-delimited JSON: bytes in, lines out, no byte lost."""

from __future__ import annotations

from typing import ClassVar

from streamguard.errors import StreamStateError
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, Shortened, SSEEvent


class LineDecoder:
    """Cuts a byte stream into lines: `feed` every piece, then `close`.

    A line is an `SSEEvent`: its `raw` includes the LF or CRLF, its `data` does not and is None for
    a line of white space. The lines do not depend on how the bytes are cut. Lines over
    `max_line_bytes` come in parts with `data` None and `truncated` True; if pictures alone make a
    line too long, its last part has the data with the pictures shortened.
    """

    turn_bytes: ClassVar[int] = MAX_EVENT_BYTES  # line ends cost, not bytes

    def __init__(self, max_line_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_line_bytes
        self._pending = bytearray()  # the unfinished line, searched once
        self._oversized = False  # it passed the cap; the rest of it is handed on
        self._shortened = Shortened(max_line_bytes)  # of that line
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether the next byte begins a line."""
        return not self._pending and not self._oversized

    @property
    def owes_lf(self) -> bool:
        """Return False: a line ends with its LF, so no LF belongs to the line before."""
        return False

    @property
    def halfway(self) -> bool:
        """Whether part of an unfinished line over the limit was already returned."""
        return self._oversized

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Decode the next bytes; return the lines they complete, in order.

        Raises `StreamStateError` after `close`.
        """
        if self._closed:
            raise StreamStateError("feed() after close(): the stream has ended; use a new decoder")
        lines, at = [], 0
        while (end := piece.find(b"\n", at) + 1) > 0:
            lines.append(self._line(piece[at:end]))
            at = end
        self._pending += piece[at:]
        if self._pending and (self._oversized or len(self._pending) > self._max):
            lines.append(self._hand_on())
        return lines

    def close(self) -> list[SSEEvent]:
        """Return the remaining bytes as at most one line; further calls return nothing.

        Its `truncated` is True: without its LF the line may be incomplete.
        """
        self._closed = True
        raw = bytes(self._pending)
        self._pending.clear()
        return [SSEEvent(raw, truncated=True)] if raw else []

    @staticmethod
    def whole(data: bytes) -> int:
        """Return the offset at which the last line of `data` ends, 0 for none."""
        return data.rfind(b"\n") + 1

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return the bytes that complete `raw`, the last line of a stream."""
        return b"" if raw.endswith(b"\n") else b"\n"

    def _hand_on(self) -> SSEEvent:
        """Return the bytes so far of a line over the limit."""
        if not self._oversized:
            self._oversized, self._shortened = True, Shortened(self._max)
        raw = bytes(self._pending)
        self._pending.clear()
        self._shortened.add(raw)
        return SSEEvent(raw, truncated=True, part=True)

    def _line(self, rest: bytes) -> SSEEvent:
        raw = line = bytes(self._pending) + rest
        self._pending.clear()
        begun, cut = self._oversized, self._oversized or len(raw) > self._max
        if cut:
            shortened = self._shortened if begun else Shortened(self._max)
            self._oversized = False
            shortened.add(raw)
            if shortened.data is None:
                return SSEEvent(raw, truncated=True)
            line = bytes(shortened.data)
        text = line.decode(errors="replace").removesuffix("\n").removesuffix("\r")
        return SSEEvent(raw, data=text if text.strip() else None, begun=begun, cut=cut)
