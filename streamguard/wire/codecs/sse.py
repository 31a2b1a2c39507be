"""Server-sent events: bytes in, events out, no byte lost.

The rules are those of the WHATWG event stream format, applied to bytes: lines end at LF, CR or CRLF
and nowhere else; text is always UTF-8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from streamguard.errors import StreamStateError

MAX_EVENT_BYTES = 1_048_576  # SPEC 10
# Of one event: each line takes half a microsecond, and an event is read in one turn. JSON that is
# written in lines has some hundred; guess.
MAX_EVENT_LINES = 4_096
MAX_RETRY_DIGITS = 18  # fits 64 bits; a longer wait in milliseconds means nothing; guess

# Of a string in a block that is too long, so many characters of a picture in Base64 are kept: more
# than any word, name or address has. Guess.
MAX_WORD_BYTES = 65_536
_WORD_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
# Begun at the start of a run alone: a run that is too short is looked at once.
_ENCODED = re.compile(rb"(?<![A-Za-z0-9+/=_\-])[A-Za-z0-9+/=_\-]{%d,}+" % MAX_WORD_BYTES)

_BOM = b"\xef\xbb\xbf"
_LF, _CR = _LINE_ENDS = b"\n\r"
# A blank line, together with the end of the line in front of it. A CR behind an LF or a CR
# always ends an empty line, an LF behind a CR never does: it is the CR's other half.
_USUAL_ENDS = (b"\n\n", b"\r\n\r\n")
_BLANK_LINE = re.compile(rb"\n\n|[\n\r]\r\n?")
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class SSEEvent:
    """One block of an event stream.

    `raw` holds its bytes, blank line included; joined, the `raw` of all events equal the input.
    `data` is None for a block that dispatches nothing: comments, no `data` line, or unreadable
    bytes, which set `truncated`. An oversized block comes in several events: each but the last has
    `part` True, and the last has `begun` True and the data if it could be read after all. In `cut`
    data, strings too long for words were shortened. `event` is "message" unless named, `id` the
    last event id in force (None before the first), `retry` in milliseconds.
    """

    raw: bytes
    event: str = "message"
    data: str | None = None
    id: str | None = None
    retry: int | None = None
    truncated: bool = False
    part: bool = False
    begun: bool = False
    cut: bool = False


def is_cut(text: str) -> bool:
    """Return whether a string of `cut` data may have been shortened."""
    return _ENCODED.search(text.encode(errors="replace")) is not None


class Shortened:
    """The lines of a block with very long strings (pictures) shortened.

    Each byte is read once. `data` becomes None once the shortened lines exceed `max_bytes`.
    """

    def __init__(self, max_bytes: int) -> None:
        self.data: bytearray | None = bytearray()
        self._max = max_bytes
        self._run = 0  # characters without a blank or a quote at the end of `data`

    def add(self, piece: bytes) -> None:
        """Add the next bytes of the block."""
        if self.data is None:
            return
        kept = _ENCODED.sub(lambda run: run.group()[:MAX_WORD_BYTES], piece)
        lead = len(piece) - len(piece.lstrip(_WORD_BYTES))
        if over := max(0, self._run + min(lead, MAX_WORD_BYTES) - MAX_WORD_BYTES):
            kept = kept[over:]
        tail = len(piece) - len(piece.rstrip(_WORD_BYTES))
        before = self._run if tail == len(piece) else 0
        self._run = min(MAX_WORD_BYTES, before + tail)
        self.data += kept
        if len(self.data) > self._max:
            self.data = None


class SSEDecoder:
    """Cuts a byte stream into events: `feed` every piece, then `close`.

    The events do not depend on how the bytes are cut, except for one LF: an event is complete with
    the CR of its blank line, and an LF in the next piece begins the `raw` of the next event. Blocks
    over `max_event_bytes` come in parts with `data` None and `truncated` True, so that memory stays
    bounded; a block of more than `MAX_EVENT_LINES` lines comes in one such part. If pictures alone
    make a block too long, its last event has the data with the pictures shortened.
    """

    turn_bytes: ClassVar[int] = MAX_EVENT_BYTES  # line ends cost, not bytes

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._pending = bytearray()  # bytes of the unfinished block, each searched once
        self._lead = 0  # bytes at its start that are no line: a BOM, or the LF of a cut CRLF
        self._at_start = True  # a BOM may still come, perhaps byte by byte
        self._skip_lf = False  # the last piece ended with the CR of a blank line
        self._oversized = False  # the block passed the cap; the rest of it is handed on
        self._shortened = Shortened(max_event_bytes)  # of that block
        self._last_id: str | None = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether the next byte begins an event, with nothing before it pending."""
        return not (self._pending or self._at_start or self._skip_lf)

    @property
    def owes_lf(self) -> bool:
        """Whether an LF that comes next still belongs to the event before."""
        return self._skip_lf

    @property
    def halfway(self) -> bool:
        """Whether part of an unfinished event over the limit was already returned."""
        return self._oversized

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Decode the next bytes; return the events they complete, in order.

        Raises `StreamStateError` after `close`.
        """
        if self._closed:
            raise StreamStateError("feed() after close(): the stream has ended; use a new decoder")
        if not piece:
            return []
        at = 0
        if self._at_start:
            piece = bytes(self._pending) + piece
            self._pending.clear()
            if len(piece) < len(_BOM) and _BOM.startswith(piece):
                self._pending += piece
                return []
            self._at_start = False
            at = self._leave_out(piece, _BOM)
        elif self._skip_lf:
            self._skip_lf = False
            at = self._leave_out(piece, b"\n")
        return self._cut(piece, at)

    def close(self) -> list[SSEEvent]:
        """Return the remaining bytes as at most one event; further calls return nothing.

        A last block that lacks only its blank line counts as complete. One that ends inside a line
        has `data` None and `truncated` True.
        """
        self._closed = True
        raw = bytes(self._pending)
        self._pending.clear()
        if not raw:
            return []
        lines = raw[self._lead :]
        if self._at_start or self._oversized or (lines and lines[-1] not in _LINE_ENDS):
            return [SSEEvent(raw, id=self._last_id, truncated=True)]
        return [self._read(raw, lines)]

    @staticmethod
    def whole(data: bytes) -> int:
        """Return the offset after the last event that ends in LF LF or CRLF CRLF; 0 for none."""
        return max(data.rfind(end) + len(end) if end in data else 0 for end in _USUAL_ENDS)

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return the bytes that complete the blank line of `raw`, the last event of a stream."""
        if raw.endswith(b"\r"):
            return b"\r"
        return b"\n" if raw.endswith(b"\n") else b"\n\n"

    def _leave_out(self, piece: bytes, lead: bytes) -> int:
        if not piece.startswith(lead):
            return 0
        self._pending += lead
        self._lead = len(lead)
        return len(lead)

    def _cut(self, piece: bytes, at: int) -> list[SSEEvent]:
        events = []
        has_cr = b"\r" in piece
        while at < len(piece):
            end = self._end_of_block(piece, at, has_cr)
            if end < 0:
                self._pending += piece[at:]
                break
            events.append(self._event(piece[at:end]))
            self._skip_lf = end == len(piece) and piece[-1] == _CR
            at = end
        if len(self._pending) - self._lead > self._max or (self._oversized and self._pending):
            events.extend(self._hand_on())
        return events

    def _end_of_block(self, piece: bytes, at: int, has_cr: bool) -> int:
        """Return the offset after the first blank line at or after `at`, -1 without one."""
        first = piece[at]
        before = self._pending[-1] if len(self._pending) > self._lead else _LF
        if before in _LINE_ENDS and (first == _CR or (first == _LF and before == _LF)):
            return at + (2 if piece[at : at + 2] == b"\r\n" else 1)
        if not has_cr:
            found = piece.find(b"\n\n", at)
            return found + 2 if found >= 0 else -1
        match = _BLANK_LINE.search(piece, at)
        return match.end() if match else -1

    def _hand_on(self) -> list[SSEEvent]:
        """Return the pending bytes of an oversized block but the last: a blank line may follow."""
        if not self._oversized:
            self._oversized, self._shortened = True, Shortened(self._max)
        raw = bytes(self._pending[:-1])
        del self._pending[:-1]
        self._shortened.add(raw[self._lead :])
        self._lead = 0
        return [SSEEvent(raw, id=self._last_id, truncated=True, part=True)] if raw else []

    def _event(self, rest: bytes) -> SSEEvent:
        raw = rest
        if self._pending:
            self._pending += rest
            raw = bytes(self._pending)
            self._pending.clear()
        lead, self._lead = self._lead, 0
        lines = raw[lead : -2 if raw.endswith(b"\r\n") else -1]
        begun, cut = self._oversized, self._oversized or len(lines) > self._max
        if cut:
            shortened = self._shortened if begun else Shortened(self._max)
            self._oversized = False
            shortened.add(lines)
            if shortened.data is None:
                return SSEEvent(raw, id=self._last_id, truncated=True)
            lines = bytes(shortened.data)
        event = self._read(raw, lines)
        return replace(event, begun=begun, cut=True) if cut else event

    def _read(self, raw: bytes, lines: bytes) -> SSEEvent:
        """Parse the fields of a complete block."""
        one_line = lines.find(b"\n") == len(lines) - 1 and b"\r" not in lines
        if one_line and lines.startswith(b"data: "):  # as nearly every event is
            return SSEEvent(raw, data=lines[6:-1].decode(errors="replace"), id=self._last_id)
        if lines.count(b"\n") + lines.count(b"\r") > MAX_EVENT_LINES:
            return SSEEvent(raw, id=self._last_id, truncated=True)
        event, retry = "", None
        data: list[str] = []
        for line in _LINE_END.split(lines):
            name, _, value = line.partition(b":")
            text = value.removeprefix(b" ").decode(errors="replace")
            if name == b"data":
                data.append(text)
            elif name == b"event":
                event = text
            elif name == b"id" and "\0" not in text:
                self._last_id = text
            elif name == b"retry" and text.isascii() and text.isdigit():
                retry = int(text) if len(text) <= MAX_RETRY_DIGITS else retry
        joined = "\n".join(data) if data else None
        return SSEEvent(raw, event or "message", joined, self._last_id, retry)
