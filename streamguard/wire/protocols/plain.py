"""Text in no protocol: hand-written events, JSON lines, or plain text.

Clients of such streams are unknown, so nothing is added unless one asks for the named event. The
first frame determines the form: a JSON object in which `found` looks for the text, a JSON string,
or the text itself.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from streamguard.errors import DecodeError, StreamStateError
from streamguard.wire.bounds import FrameLimitError, decoded
from streamguard.wire.brought.in_products import brought_by_sources
from streamguard.wire.codecs.lines import LineDecoder
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.found import text_in
from streamguard.wire.reader import END_DATA, KEY, Place, Reader, sse_frame

EVENT = "streamguard.result"
SENTENCE_EVENT = "streamguard.sentence"
END_EVENTS = frozenset({"done", "end", "close", "complete", "finish"})  # guess
# Prefixes of the names of codecs for text on the web; Python has others, which may raise.
_CHARSETS = (
    "utf-8",
    "utf-16",
    "utf-32",
    "ascii",
    "iso8859",
    "cp125",
    "koi8",
    "shift_jis",
    "euc_",
    "gb",
    "big5",
)


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of a single frame, a string or a mapping, as choice 0."""
    text, _ = text_in(frame)
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return nothing: no frame is known to be the last."""
    return set()


class PlainReader(Reader):
    """Reads events or lines of text; an orderly end is a complete answer."""

    signs = (
        END_DATA.encode(),
        *(b"event:" + e.encode() for e in sorted(END_EVENTS)),
        *(b"event: " + e.encode() for e in sorted(END_EVENTS)),
    )
    end_data = END_DATA
    open_ended = True
    in_lines = False
    brings = staticmethod(brought_by_sources)

    def __init__(self) -> None:
        super().__init__()
        self._kind: type | None = None  # the kind of the first frame

    @property
    def guessed(self) -> bool:
        """Return False: the named event goes only to clients that asked for it."""
        return False

    def place(self, event: SSEEvent) -> Place:
        """Return the event's place; only an end sign is recognised."""
        if event.data is not None and event.event in END_EVENTS and not self.failed:
            return "tail"
        return super().place(event)

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text known after a frame; none after an error."""
        data = event.data
        if data is not None and event.event in END_EVENTS:
            self.done = True
            self._strange = self._strange or bool(data.strip("{} "))
            self._found.end(self._value(event, data))
            return {}
        if data is None or event.event == "error" or self.is_done(data):
            return super().read(event)
        if self.failed:
            return {}
        self._note_line_end(event)
        kind = "" if event.event == "message" else event.event
        value = self._value(event, data)
        frame = {"event": kind, "data": value} if kind and isinstance(value, list) else value
        self._brought = tuple(self.brings(frame))
        return self._unknown(value, kind)

    def _value(self, event: SSEEvent, data: str) -> Any:
        """Return a frame's value, written in the form of the first frame.

        A greeting ("connected") may precede objects; a list in plain text is a citation.
        """
        try:
            found = decoded(data)
        except FrameLimitError:
            self._pass_over(event)
            raise
        except DecodeError:
            found = None
        if self._kind is None:
            self._kind = type(found)
        if found is None or (self._kind not in (dict, list, str) and not isinstance(found, dict)):
            return data
        return found

    def parse(self, data: str) -> Mapping[str, Any]:
        """Return nothing: no frame's content tells its place."""
        return {}

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return nothing: `read` finds the text."""
        return {}

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return the named event; in lines, an object with our key."""
        if self.in_lines:
            return f'{{"{KEY}":{annotation_json}}}{self.line_end}'.encode("ascii")
        return sse_frame(annotation_json, self.line_end, event)

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return the named event of a sentence, or a line."""
        return self.addition(annotation_json, SENTENCE_EVENT)


class PlainLineReader(PlainReader):
    """Reads lines of text."""

    in_lines = True


class TextReader(PlainReader):
    """Reads text without frames: every piece is text."""

    signs = ()

    def __init__(self, *, odd: bool = False) -> None:
        super().__init__()
        self._odd = odd  # in an unknown encoding

    def place(self, event: SSEEvent) -> Place:
        """Return "body": no piece of text is an end sign."""
        return "body"

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the piece."""
        self._known = self._has_text = self._has_text or bool(event.data)
        return {0: event.data} if event.data else {}


class TextDecoder:
    """Makes every piece of bytes a frame whose data is its text.

    A character cut between two pieces belongs to the second.
    """

    def __init__(self, charset: str = "utf-8") -> None:
        self._text = codecs.getincrementaldecoder(charset)(errors="replace")
        self._closed = False

    turn_bytes: ClassVar[int] = MAX_EVENT_BYTES
    idle = True
    owes_lf = False
    halfway = False

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Return the next bytes as one frame.

        Raises `StreamStateError` after `close`.
        """
        if self._closed:
            raise StreamStateError("feed() after close(): the stream has ended; use a new decoder")
        return [SSEEvent(piece, data=self._text.decode(piece))]

    def close(self) -> list[SSEEvent]:
        """Return the rest of an incomplete character as a frame without bytes."""
        left = "" if self._closed else self._text.decode(b"", final=True)
        self._closed = True
        return [SSEEvent(b"", data=left)] if left else []

    @staticmethod
    def whole(data: bytes) -> int:
        """Return the length of `data`: every piece is a frame."""
        return len(data)

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return nothing: text needs no terminator."""
        return b""


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    text, unread = text_in(answer)
    return {0: text} if text and not unread else None


def _dialect(name: str, decoder: Callable[[], Any], reader: Callable[[], Reader]) -> Dialect:
    return Dialect(
        name=name,
        decoder=decoder,
        reader=reader,
        text_of=text_of,
        finished=finished,
        answer=_answer,
        default="header",
        own_forms={"chunk": "header", "attach": "header"},
    )


PLAIN_EVENTS = _dialect("plain_events", SSEDecoder, PlainReader)
PLAIN_LINES = _dialect("plain_lines", LineDecoder, PlainLineReader)
PLAIN_TEXT = replace(
    _dialect("plain_text", TextDecoder, TextReader),
    own_forms={"chunk": "header", "attach": "header", "event": "header"},
)


def plain_text(charset: str) -> Dialect:
    """Return the dialect of text in a character set; text in an unknown one is unread."""
    try:
        known = codecs.lookup(charset).name.startswith(_CHARSETS)
    except LookupError:
        known = False
    if not known:
        return replace(PLAIN_TEXT, reader=partial(TextReader, odd=True))
    return replace(PLAIN_TEXT, decoder=partial(TextDecoder, charset))
