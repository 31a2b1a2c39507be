"""Which bytes of a guarded stream go on now, which wait, and where the annotation goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from streamguard.core.types import Ended
from streamguard.errors import DecodeError
from streamguard.server.checking import Checking
from streamguard.wire.openai_chat import (
    annotation_frame,
    first_sign_of_end,
    is_done,
    read_frame,
)
from streamguard.wire.sse import SSEDecoder, SSEEvent

MAX_HELD_BYTES = 65_536  # SPEC 10: an unfinished frame beyond it goes on as it is


class ChatRelay:
    """Relays one event stream: for every read `receive`, write, `examine`, write; then `finish`.

    What goes out are the bytes that came in, in order, and before the first frame of the tail
    the annotation, if `in_band`. Only that frame waits, and only for the verdict.
    """

    def __init__(self, checking: Checking, *, in_band: bool = True) -> None:
        self._checking = checking
        self._reader = checking.reader
        self._passing = not in_band  # nothing will be inserted any more
        self._decoder = SSEDecoder()
        self._held = bytearray()  # the unfinished frame, as far as it has not gone on
        self._ahead = 0  # bytes of the unfinished frame that have gone on
        self._unread: list[SSEEvent] = []  # went on, still to be read
        self._judged: deque[SSEEvent] = deque()  # to be read before they go on
        self._plain: Mapping[int, str] | None = None  # text of a read that was one usual frame

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on before anything is parsed."""
        if self._decoder.idle and not self._held:
            self._plain = self._reader.read_plain(chunk)
            if self._plain is not None:
                return chunk
        events = self._decoder.feed(chunk)
        if self._passing:
            self._unread += events
            return chunk
        if self._held:
            self._held += chunk
            chunk = bytes(self._held)
            self._held.clear()
        ahead, size = self._ahead, sum(len(event.raw) for event in events)
        whole = max(0, size - ahead)
        self._ahead = max(0, ahead - size)
        head = self._sorted(events, chunk[:whole], -ahead)
        return head + self._rest(chunk[whole:])

    async def examine(self) -> bytes:
        """Read what the last `receive` took; return what goes on now, the annotation included."""
        if self._plain is not None:
            texts, self._plain = self._plain, None
            await self._checking.examine_texts(texts)
            return b""
        if self._unread:
            unread, self._unread = self._unread, []
            await self._checking.examine(unread)
        if not self._judged:
            return b""
        out = []
        while self._judged:
            event = self._judged.popleft()
            out.append(await self._placed(event))
            await self._checking.examine((event,))
        self._passing = self._passing or self._reader.failed
        if self._passing:
            out.append(self._flushed())
        return b"".join(out)

    async def finish(self) -> bytes:
        """Say that the stream ended in order; return what goes on last.

        Inside a frame, or after an error frame, nothing is added; between frames the annotation
        is, with `complete` False where the answer's end was not seen.
        """
        last, whole = self._last_event()
        if not whole:
            self.abandon("upstream_error")
            return self._flushed()
        out = self._flushed()
        if last is not None:
            if out == last.raw:
                out = await self._placed(last)
            await self._checking.examine((last,))
        if self._reader.failed:
            self.abandon("upstream_error")
            return out
        annotation = await self._checking.conclude(
            "complete" if self._reader.ended else "upstream_error"
        )
        if self._passing:
            return out
        ending = _blank_line_missing(last.raw) if last is not None else b""
        return out + ending + self._frame(annotation.to_json())

    def abandon(self, ended: Ended) -> None:
        """Say that the stream broke off, or that nobody reads on; every frame taken counts.

        A reader that leaves once the answer has ended, as many do, leaves a complete one.
        """
        if self._plain is not None:
            self._checking.take_texts(self._plain)
            self._plain = None
        self._checking.take((*self._unread, *self._judged))
        self._unread.clear()
        self._judged.clear()
        self._passing = True
        left = ended in ("client_disconnect", "cancelled")
        whole = self._reader.ended and not self._reader.failed
        self._checking.close("complete" if left and whole else ended)

    def rest(self) -> bytes:
        """Return the bytes that were held when the stream broke off."""
        return self._flushed()

    def _sorted(self, events: list[SSEEvent], head: bytes, start: int) -> bytes:
        """Sort events into those that go on unread and those to be judged; return the former.

        `start` is where the first event begins in `head`, negative if part of it has gone on.
        """
        sign = 0 if self._reader.ending else first_sign_of_end(head)
        if sign < 0:
            self._unread += events
            return head
        for number, event in enumerate(events):
            if start >= 0 and start + len(event.raw) > sign:
                self._unread += events[:number]
                self._judged += events[number:]
                return head[:start]
            start += len(event.raw)
        self._unread += events
        return head

    def _rest(self, rest: bytes) -> bytes:
        """Hold the beginning of a frame, or let it go on if it is too long to be held."""
        too_long = self._ahead or len(rest) > MAX_HELD_BYTES
        if too_long and not self._judged:
            self._ahead += len(rest)
            return rest
        self._held += rest
        return b""

    async def _placed(self, event: SSEEvent) -> bytes:
        """Return the event's bytes, behind the annotation if it is the first of the tail."""
        if self._passing or not self._reader.is_tail(event):
            return event.raw
        annotation = await self._checking.conclude("complete")
        self._passing = True
        # The LF of a CRLF that the last frame ended with still belongs to that frame.
        lead = b"\n" if event.raw.startswith(b"\n") else b""
        return lead + self._frame(annotation.to_json()) + event.raw[len(lead) :]

    def _frame(self, annotation_json: str) -> bytes:
        reader = self._reader
        return annotation_frame(reader.last, annotation_json, usage=reader.carries_usage)

    def _flushed(self) -> bytes:
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def _last_event(self) -> tuple[SSEEvent | None, bool]:
        """Return the last block, if it has no blank line, and whether nothing else is missing."""
        left = self._decoder.close()
        if not left:
            return None, True
        (last,) = left
        if not last.truncated:
            return last, True
        # No prefix of a JSON object is one: if it is whole, only its line end is missing.
        (*_, event) = SSEDecoder().feed(last.raw + b"\n\n")
        if event.data is None or not (is_done(event.data) or _is_object(event.data)):
            return last, False
        return SSEEvent(last.raw, event.event, event.data), True


def _is_object(data: str) -> bool:
    try:
        return data.lstrip().startswith("{") and bool(read_frame(data))
    except DecodeError:
        return False


def _blank_line_missing(raw: bytes) -> bytes:
    if raw.endswith(b"\r"):
        return b"\r"
    return b"\n" if raw.endswith(b"\n") else b"\n\n"
