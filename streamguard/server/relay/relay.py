"""Decides which bytes of a guarded stream pass now, which wait, and where the annotation goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import perf_counter_ns

from streamguard.core.model.result import Annotation
from streamguard.core.model.types import Ended
from streamguard.errors import DecodeError
from streamguard.examiner import TURN_NS
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.tail import Tail
from streamguard.wire.bounds import FrameLimitError
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEEvent
from streamguard.wire.dialect import IN_BAND, Decoder, Dialect, Form
from streamguard.wire.reader import OVER_SIZE, Reader, read_frame

# SPEC 10: an unfinished frame longer than this passes in parts. A frame that may be the last, and
# so carry the annotation, has the second limit.
MAX_HELD_BYTES = 65_536
MAX_HELD_LAST_BYTES = MAX_EVENT_BYTES


class Relay:
    """Relays one stream: for every read `receive`, write, `read`, write; at its end `finish`.

    If `keep` returns False, `read` may be left out. While `due`, `turn` has text to examine when no
    bytes come, and `sentence_frames` may have sentences.

    Bytes pass unchanged, with the annotation in the given form: before the first closing frame, or
    as a key in the last frame with room for it. Only those frames wait, and only for the verdict:
    no other frame waits for a check.

    `text` is the application's path of the text in frames of unknown shape.
    """

    def __init__(
        self, checking: Checking, dialect: Dialect, form: Form, text: str | None = None
    ) -> None:
        self._checking = checking
        self._reader = dialect.reader()
        self._reader.find_at(text)
        checking.dialect = dialect.name
        self.form = form
        self._passing = form not in IN_BAND  # nothing will be inserted any more
        self._decoder = dialect.decoder()
        self._held = bytearray()  # the part of the unfinished frame that has not passed on
        self._ahead = 0  # bytes of the unfinished frame that have passed on
        self._last_held = False  # the unfinished frame is long and held: it may be the last
        self._halfway = False  # the latest bytes began inside a frame of which parts have passed on
        self._unread: deque[SSEEvent] = deque()  # passed on, still to be read
        self.lags = False  # the turn that received them left some of them unread
        self._judged: deque[SSEEvent] = deque()  # to be read before they pass on
        self._plain: list[bytes] | None = None  # the texts of a read that held only usual frames
        self._tail = Tail(self._reader, form)
        self._queued_sentences = 0  # number of settled sentences passed to the tail
        self._ended: Ended | None = None  # how the stream ended, None while it runs

    @property
    def may_add(self) -> bool:
        """Whether the annotation may still come, so that the end of the body waits for it."""
        return not self._passing

    @property
    def due(self) -> bool:
        """Whether `turn` has text to examine."""
        return self._checking.due

    @property
    def passing(self) -> bool:
        """Whether nothing will be inserted any more, so that everything passes at once."""
        return self._passing

    @property
    def hurries(self) -> bool:
        """Whether text is read at once, since its sentences have a listener."""
        return self._checking.hurries

    @property
    def between(self) -> bool:
        """Whether complete frames without a sign of the end may pass before they are read.

        That is the case if the next byte begins a frame and the answer has not ended.
        """
        begun = self._held or self._ahead or self._judged or self._unread or self._plain
        ending = self._tail.has_slot or self._reader.ending
        return self._decoder.idle and not (begun or ending)

    @property
    def turn_bytes(self) -> int:
        """The number of bytes to read in one turn."""
        return self._decoder.turn_bytes

    def first_sign(self, data: bytes) -> int:
        """Return where in `data` a sign of the answer's end begins, -1 without one."""
        return self._reader.first_sign(data)

    def complete_frames(self, data: bytes) -> int | None:
        """Return how many bytes of `data`, which begins with a frame, are complete frames.

        None if only decoding shows it.
        """
        return self._decoder.whole(data)

    def texts_in(self, chunk: bytes) -> list[bytes] | None:
        """Return the texts of frames like the one before, for `take`; None for anything else.

        Such frames may pass on before an expected annotation, to be read with later ones.
        """
        return self._reader.plain(chunk)

    def take(self, texts: list[bytes]) -> None:
        """Accept texts that `texts_in` found in passed frames."""
        self._checking.take(*self._reader.read_plain(texts))

    def follow(self, piece: bytes) -> bool:
        """Read bytes that have passed on; all earlier ones were read.

        Returns whether they were frames like those before. If reading takes more than a turn, the
        relay `lags`, and `read_on` reads the rest.
        """
        plain = self._reader.plain(piece) if self._decoder.idle else None
        if plain is None:
            self._unread += self._decoder.feed(piece)
            self.read_on()
            return False
        self.take(plain)
        return True

    def read_on(self) -> None:
        """Read passed bytes for a turn."""
        began = perf_counter_ns()
        while self._unread:
            self._take((self._unread.popleft(),))
            if perf_counter_ns() - began >= TURN_NS:
                break
        self.lags = bool(self._unread)

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on before anything is parsed."""
        if not (self._tail.has_slot or self._held) and self._decoder.idle:
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
        """Keep the latest bytes if they are only text; return whether to `read` them."""
        if self._plain is None:
            return True
        plain, self._plain = self._plain, None
        self.take(plain)
        return False

    async def read(self) -> bytes:
        """Read the latest bytes; return those that pass on now, the annotation included."""
        self.keep()
        await self._read_in_turns()
        if not self._judged:
            return self.sentence_frames()
        out, began = [self.sentence_frames()], perf_counter_ns()
        while self._judged:
            out.append(await self._judge(self._judged.popleft()))
            if self._judged and perf_counter_ns() - began >= TURN_NS:
                await self._checking.pause()
                began = perf_counter_ns()
        out.append(self.sentence_frames())
        if self._reader.failed:
            out.append(self._tail.rest())
            self._passing = True
        if self._passing:
            out.append(self._flushed())
        return b"".join(out)

    async def _read_in_turns(self) -> None:
        """Read all passed bytes in turns."""
        self.read_on()
        while self.lags:
            await self._checking.pause()
            self.read_on()

    def turn(self) -> None:
        """Examine text that was read, for about a millisecond."""
        self._checking.turn()

    @property
    def holds(self) -> bool:
        """Whether frames that may be the last wait for more of the stream or its end."""
        return self._tail.has_slot and not self._passing

    async def settle(self) -> bytes:
        """Treat the waiting frames as the last; return them with the annotation.

        For a stream that stays open after its answer: later text counts as late.
        """
        self.keep()
        await self._read_in_turns()
        annotation = await self._closed("complete" if self._reader.ended else "upstream_error")
        self._passing = True
        # What came in the moment in which the patience ended has not been read.
        late = [*self._judged]
        self._judged.clear()
        out = self._annotated(annotation) + b"".join([event.raw for event in late])
        self._take(late)
        return out + self._flushed()

    async def finish(self) -> bytes:
        """Handle the stream's orderly end; return the last bytes. `conclude` must follow.

        Nothing is added inside a frame or after an error frame; between frames the annotation is,
        with `complete` False if the answer's end was not seen.
        """
        last, complete = self._last_event()
        if not complete:
            return self._broken_off()
        out = b""
        if last is not None:
            held = self._flushed()
            out = await self._judge(last) if held == last.raw else held
            if held != last.raw:
                self._take((last,))
        if self._reader.failed:
            return out + self._broken_off()
        ended = (self._reader.ended or self._reader.open_ended) and not self._reader.broken
        self._ended = "complete" if ended else "upstream_error"
        if self._passing or self._reader.done:
            return out + self.rest()
        annotation = await self._closed(self._ended)
        self._passing = True
        # An LF alone is the half of a CRLF that came late: the frame before it lacks nothing.
        if last is None or last.raw == b"\n" or self._tail.has_slot:
            return out + self._annotated(annotation)
        return out + self._decoder.end_of(last.raw) + self._annotated(annotation)

    async def conclude(self) -> None:
        """Examine in turns the rest of a stream that has ended, and close."""
        self._take_rest()
        await self._checking.conclude(self._ended or "upstream_error")

    async def _closed(self, ended: Ended) -> Annotation:
        """Return the annotation for the answer: the verdict, or a pending one."""
        self._take_rest()
        return await self._checking.tail(ended)

    def _take_rest(self) -> None:
        """Queue text that the reader held back, and report unread text."""
        self._checking.take_texts(self._reader.rest())
        if self._decoder.halfway:  # it ended within such an event
            self._checking.report_limit(OVER_SIZE)
        if self._reader.unread:
            self._checking.report_unread("its frames hold text where none was looked for")
        self._checking.reported_error = self._reader.failed or self._reader.broken

    def leave(self) -> None:
        """Insert nothing from now on; `read_on` reads the bytes so far while it `lags`."""
        self.keep()
        self._unread += self._judged
        self._judged.clear()
        self._passing = True
        self.lags = bool(self._unread)

    async def catch_up(self) -> None:
        """Check all queued text in turns; `abandon` would do it at once, however much it is."""
        self.leave()
        await self._read_in_turns()
        self._take_rest()
        await self._checking.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Handle a stream that broke off, or whose client left; every frame so far counts.

        An answer is complete if its client leaves after its end, as many do, or its upstream breaks
        off after the protocol's last frame.
        """
        self._leave_at_once()
        self._take_rest()
        left = ended in ("client_disconnect", "cancelled")
        self._checking.close(self._ended or self._ending(ended, left=left))

    def _leave_at_once(self) -> None:
        self.leave()
        while self.lags:
            self.read_on()

    def _broken_off(self) -> bytes:
        """Return the held bytes if no annotation may follow them."""
        self._leave_at_once()
        self._ended = self._ending("upstream_error")
        return self.rest()

    def _ending(self, ended: Ended, *, left: bool = False) -> Ended:
        """Return how the answer ended, given how the stream `ended`; `left`: its client is gone."""
        reader = self._reader
        complete = (reader.done or (left and reader.ended)) and not reader.failed
        return "complete" if complete and not reader.broken else ended

    def rest(self) -> bytes:
        """Return the bytes held when the stream broke off."""
        return self._tail.rest() + self._flushed()

    def _sorted(self, events: list[SSEEvent]) -> bytes:
        """Split events into those that pass unread, whose bytes it returns, and those to judge."""
        if not events:
            return b""
        head = b"".join([event.raw for event in events])
        start = -self._ahead  # where an event begins in what is held
        block = head[self._ahead :]
        del self._held[: len(block)]
        self._ahead = max(0, self._ahead - len(head))
        self._last_held = False
        if self._tail.has_slot or self._reader.ending:
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
        """Return the beginning of an unfinished frame that is too long to hold."""
        if self._judged or self._tail.has_slot:
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

    def _take(self, events: Iterable[SSEEvent]) -> None:
        """Read `events`; their text is examined in later turns."""
        began, checking = perf_counter_ns(), self._checking
        was_unread = self._reader.unread
        for event in events:
            if event.truncated and not event.part:
                checking.report_limit(OVER_SIZE)
                checking.note_late()
            try:
                checking.take_texts(checking.read(self._reader, event))
            except FrameLimitError as exc:
                checking.report_limit(str(exc))
                checking.note_late()
            except DecodeError as exc:
                checking.report("wire", exc)
                checking.note_late()
            except Exception as exc:  # fail open: a defect of ours must not end the stream
                checking.fail("wire", exc)
        if self._reader.unread and not was_unread:
            checking.note_late()
        checking.spend(perf_counter_ns() - began)

    async def _judge(self, event: SSEEvent) -> bytes:
        """Read one event whose place matters; return the bytes that pass now."""
        if self._passing:
            self._take((event,))
            return event.raw
        try:
            place = self._reader.place(event)
        except Exception as exc:  # fail open, as above
            self._checking.fail("wire", exc)
            place = "body"
        if place != "tail":
            self._take((event,))
        out = self._tail.add(event, place)
        if place not in ("end", "tail"):
            return out
        annotation = await self._closed("upstream_error" if self._reader.broken else "complete")
        self._passing = True
        out += self._annotated(annotation)
        if place == "tail":
            self._take((event,))  # text in it comes too late
        return out

    def _annotated(self, annotation: Annotation) -> bytes:
        self._queue_sentences()
        return self._tail.annotated(self._checking.in_band(annotation))

    def sentence_frames(self) -> bytes:
        """Return the annotations of newly settled sentences, if our frames fit here.

        They fit between two frames: no part of one has passed, and the last lacks no LF.
        """
        self._queue_sentences()
        owes_lf = self._judged[0].raw.startswith(b"\n") if self._judged else self._decoder.owes_lf
        halfway = self._halfway if self._judged else self._decoder.halfway
        between = not (self._ahead or owes_lf or halfway or self._plain or self._unread)
        return self._tail.sentence_frames() if between else b""

    def _queue_sentences(self) -> None:
        sentences = self._checking.sentences
        for sentence in sentences[self._queued_sentences :]:
            self._tail.add_sentence(sentence)
        self._queued_sentences = len(sentences)

    def _flushed(self) -> bytes:
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def _last_event(self) -> tuple[SSEEvent | None, bool]:
        """Return the last block if it lacks its blank line, and whether it lacks nothing else."""
        left = self._decoder.close()
        if not left:
            return None, True
        (last,) = left
        if not last.truncated:
            return last, True
        event = completed(self._decoder, self._reader, last)
        return (last, False) if event is None else (event, True)


def completed(decoder: Decoder, reader: Reader, last: SSEEvent) -> SSEEvent | None:
    """Return the last frame of a body with its data if it only lacks its line end.

    None if it lacks more: no prefix of a JSON object is one.
    """
    if not last.truncated:
        return last
    ended = type(decoder)().feed(last.raw + b"\n\n")
    event = next((each for each in ended if each.data is not None), last)
    if event.data is None or not (reader.is_done(event.data) or _is_object(event.data)):
        return None
    return SSEEvent(last.raw, event.event, event.data)


def _is_object(data: str) -> bool:
    try:
        return data.lstrip().startswith("{") and bool(read_frame(data))
    except DecodeError:
        return False
