"""Which bytes of a guarded stream go on now, which wait, and where the annotation goes."""

from __future__ import annotations

from collections import deque

from streamguard.core.types import Ended
from streamguard.errors import DecodeError
from streamguard.server.checking import Checking
from streamguard.wire.dialect import IN_BAND, Dialect, Form
from streamguard.wire.plain import EVENT
from streamguard.wire.reader import read_frame
from streamguard.wire.sse import MAX_EVENT_BYTES, SSEEvent

# SPEC 10: an unfinished frame beyond it goes on as it is; one that may be the last, in which the
# annotation rides, beyond the other.
MAX_HELD_BYTES = 65_536
MAX_HELD_LAST_BYTES = MAX_EVENT_BYTES


class Relay:
    """Relays one stream: for every read `receive`, write, `examine`, write; then `finish`.

    Where `keep` says that there is nothing to examine, `examine` may be left out.

    What goes out are the bytes that came in, in order, and the annotation in the given form: in
    front of the first frame of the tail, or as a key in the last frame that has room for it. Only
    those frames wait, and only for the verdict.
    """

    def __init__(self, checking: Checking, dialect: Dialect, form: Form) -> None:
        self._checking = checking
        self._reader = checking.reader = dialect.reader()
        checking.dialect = dialect.name
        self.form = form
        self._passing = form not in IN_BAND  # nothing will be put in any more
        self._decoder = dialect.decoder()
        self._held = bytearray()  # the unfinished frame, as far as it has not gone on
        self._ahead = 0  # bytes of the unfinished frame that have gone on
        self._last_held = False  # it is long, and held all the same: it may be the last
        self._halfway = False  # what came last began inside a frame of which parts have gone on
        self._unread: list[SSEEvent] = []  # went on, still to be read
        self._judged: deque[SSEEvent] = deque()  # to be read before they go on
        self._plain: list[bytes] | None = None  # texts of a read that was usual frames alone
        self._seat: SSEEvent | None = None  # the annotation rides in it if the tail comes next
        self._behind: list[bytes] = []  # what came behind the seat and decides nothing
        self._told = 0  # sentences whose annotation went on

    @property
    def may_add(self) -> bool:
        """Whether the annotation may still come, so that the end of the body waits for it."""
        return not self._passing

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on before anything is parsed."""
        if self._seat is None and not self._held and self._decoder.idle:
            self._plain = self._reader.plain(chunk)
            if self._plain is not None:
                return chunk
        self._halfway = self._decoder.halfway
        events = self._decoder.feed(chunk)
        if self._passing:
            self._unread += events
            return chunk
        self._held += chunk
        return self._sorted(events) + self._too_long()

    def keep(self) -> bool:
        """Keep what the last `receive` took, as far as that is text; say whether to `examine`.

        Most frames bring a word to a sentence that is not over: there is nothing to do yet.
        """
        if self._plain is None:
            return True
        plain, self._plain = self._plain, None
        self._checking.take_plain(*self._reader.read_plain(plain))
        return self._checking.due

    async def examine(self) -> bytes:
        """Read what the last `receive` took; return what goes on now, the annotation included."""
        self.keep()
        unread, self._unread = self._unread, []
        await self._checking.examine(unread)
        if not self._judged:
            return self._sentences()
        out = [self._sentences()]
        while self._judged:
            out.append(await self._judge(self._judged.popleft()))
        out.append(self._sentences())
        if self._reader.failed:
            out.append(self._unseated())
            self._passing = True
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
            return self.rest()
        out = b""
        if last is not None:
            held = self._flushed()
            out = await self._judge(last) if held == last.raw else held
            if held != last.raw:
                await self._checking.examine((last,))
        if self._reader.failed:
            self.abandon("upstream_error")
            return out + self.rest()
        ended = (self._reader.ended or self._reader.open_ended) and not self._reader.broken
        await self._checking.conclude("complete" if ended else "upstream_error")
        if self._passing or self._reader.done:
            return out + self.rest()
        self._passing = True
        # An LF alone is the half of a CRLF that came late: the frame before it lacks nothing.
        if last is None or last.raw == b"\n" or self._seat is not None:
            return out + self._seated(b"")
        return out + self._decoder.end_of(last.raw) + self._seated(b"")

    async def catch_up(self) -> None:
        """Check all that was taken, in turns; `abandon` does it in one, however much it is."""
        await self._checking.examine(self._left())

    def abandon(self, ended: Ended) -> None:
        """Say that the stream broke off, or that nobody reads on; every frame taken counts.

        A reader that leaves once the answer has ended, as many do, leaves a complete one, and so
        does an upstream behind the protocol's last frame.
        """
        self._checking.take(self._left())
        left = ended in ("client_disconnect", "cancelled")
        reader = self._reader
        whole = (reader.done or (left and reader.ended)) and not reader.failed
        self._checking.close("complete" if whole and not reader.broken else ended)

    def _left(self) -> tuple[SSEEvent, ...]:
        """Return the frames that were taken and are not read, of a stream that breaks off."""
        self.keep()
        left = (*self._unread, *self._judged)
        self._unread.clear()
        self._judged.clear()
        self._passing = True
        return left

    def rest(self) -> bytes:
        """Return the bytes that were held when the stream broke off."""
        return self._unseated() + self._flushed()

    def _sorted(self, events: list[SSEEvent]) -> bytes:
        """Sort events into those that go on unread and those to be judged; return the former."""
        if not events:
            return b""
        head = b"".join([event.raw for event in events])
        start = -self._ahead  # where an event begins in what is held
        block = head[self._ahead :]
        del self._held[: len(block)]
        self._ahead = max(0, self._ahead - len(head))
        self._last_held = False
        if self._seat is not None or self._reader.ending:
            sign = 0
        else:
            sign = self._reader.first_sign(block)
        for number, event in enumerate(events if sign >= 0 else ()):
            if start >= 0 and start + len(event.raw) > sign:
                self._unread += events[:number]
                self._judged += events[number:]
                self._halfway = self._halfway and not number
                return block[:start]
            start += len(event.raw)
        self._unread += events
        return block

    def _too_long(self) -> bytes:
        """Return the beginning of an unfinished frame that is too long to be held."""
        if self._judged or self._seat is not None:
            return b""
        if not self._ahead:
            limit = MAX_HELD_LAST_BYTES if self._last_held else MAX_HELD_BYTES
            if len(self._held) <= limit:
                return b""
            if not self._last_held and self._reader.first_sign(bytes(self._held)) >= 0:
                self._last_held = True
                return b""
        self._ahead += len(self._held)
        return self._flushed()

    async def _judge(self, event: SSEEvent) -> bytes:
        """Read one event whose place matters; return what goes on now."""
        if self._passing:
            await self._checking.examine((event,))
            return event.raw
        place = self._reader.place(event)
        if place == "tail":
            out = await self._annotated(event)
            await self._checking.examine((event,))
            return out
        await self._checking.examine((event,))
        if place == "end":
            return await self._annotated(event, itself=self.form == "attach")
        if place == "aside" and self._seat is not None:
            self._behind.append(event.raw)
            return b""
        out = self._unseated()
        if place == "seat" and self.form == "attach":
            self._seat = event
            return out
        return out + event.raw

    async def _annotated(self, event: SSEEvent, *, itself: bool = False) -> bytes:
        """Return the annotation and `event`, which nothing of the answer follows.

        The annotation rides in the seat, in the event `itself`, or else in a frame of ours.
        """
        await self._checking.conclude("upstream_error" if self._reader.broken else "complete")
        self._passing = True
        if itself and (attached := self._reader.attached(event, self._annotation())) is not None:
            return self._unseated() + self._behind_sentences(attached)
        return self._seated(event.raw)

    def _seated(self, tail: bytes) -> bytes:
        """Return the annotation, in the seat or a frame of ours, and the tail behind it."""
        seat, behind = self._seat, b"".join(self._behind)
        unseated = self._unseated()
        if seat is not None:
            attached = self._reader.attached(seat, self._annotation())
            if attached is not None:
                return self._behind_sentences(attached) + behind + tail
        event = EVENT if self.form == "event" else None
        addition = self._reader.addition(self._annotation(), event)
        return unseated + self._behind_sentences(tail, addition)

    def _behind_sentences(self, frame: bytes, addition: bytes = b"") -> bytes:
        """Return `frame` behind what was found since and `addition`."""
        # The LF of a CRLF that the last frame ended with still belongs to that frame.
        lead = b"\n" if frame.startswith(b"\n") else b""
        return b"".join((lead, self._live(), addition, frame[len(lead) :]))

    def _sentences(self) -> bytes:
        """Return the annotations of sentences settled since, where frames of ours may stand.

        That is where the dialect has room, between two frames: no part of one has gone on, and no
        LF is missing of the last.
        """
        owes_lf = self._judged[0].raw.startswith(b"\n") if self._judged else self._decoder.owes_lf
        halfway = self._halfway if self._judged else self._decoder.halfway
        between = not (self._ahead or owes_lf or halfway) and self._seat is None
        return self._live() if between and self._reader.has_room else b""

    def _live(self) -> bytes:
        sentences = self._checking.sentences
        if self._told == len(sentences) or self.form not in IN_BAND or self._reader.failed:
            return b""
        fresh, self._told = sentences[self._told :], len(sentences)
        return b"".join(
            self._reader.live(each.choice, each.index, each.to_json()) for each in fresh
        )

    def _annotation(self) -> str:
        return self._checking.close("complete").to_json()  # it was concluded before

    def _unseated(self) -> bytes:
        """Return the seat and what came behind it, as they came."""
        if self._seat is None:
            return b""
        out = self._seat.raw + b"".join(self._behind)
        self._seat = None
        self._behind.clear()
        return out

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
        (*_, event) = type(self._decoder)().feed(last.raw + b"\n\n")
        if event.data is None or not (self._reader.is_done(event.data) or _is_object(event.data)):
            return last, False
        return SSEEvent(last.raw, event.event, event.data), True


def _is_object(data: str) -> bool:
    try:
        return data.lstrip().startswith("{") and bool(read_frame(data))
    except DecodeError:
        return False
