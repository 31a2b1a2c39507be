"""Reads the frames of one stream: text per choice, and progress of the answer.

A stream's frames mostly differ in nothing but the text, so the form of the last one is remembered,
and texts are cut out of frames of that form; only other frames are parsed as JSON.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from streamguard.core.model.brought import Brought
from streamguard.errors import DecodeError
from streamguard.wire.bounds import FrameLimitError, decoded
from streamguard.wire.brought.tool_passages import MAX_LISTED
from streamguard.wire.codecs.frame_forms import FrameForm, form_of, read_text
from streamguard.wire.codecs.json_bytes import with_key
from streamguard.wire.codecs.sse import SSEEvent, is_cut
from streamguard.wire.fields import text_at
from streamguard.wire.found import Elsewhere, Finder, Silence, is_empty, path_of

# Where a frame stands, seen from the annotation:
#   body   before it, and more of the answer may follow
#   aside  wherever it comes: a comment, a ping
#   slot   the annotation may ride in it, if nothing but asides and the tail follows
#   foot   the annotation stands before it, if nothing but asides and the tail follows
#   rear   slot or foot: the annotation rides in it or stands before it, never behind
#   end    the annotation rides in it, or stands before it
#   tail   the annotation stands before it
Place = Literal["body", "aside", "slot", "foot", "rear", "end", "tail"]

END_DATA = "[DONE]"
OVER_SIZE = "an event over the size that is parsed"
KEY = "streamguard"  # the one key that is ours, in frames, answers and requests
_DECODER = json.JSONDecoder()
_PROBE = "\x01probe"  # a text that a new form must return
# Frames of which a further part varies (log probabilities, say) have no common form: after this
# many misses all frames of a stream are parsed. Guess.
MAX_FORMS = 4
_LEARNT_CHARS = 4_096  # of a frame whose form is remembered; guess
_NONE: tuple[None, Mapping[str, Any]] = (None, {})
_HEAD_BYTES = 1_024  # of a frame too long to be parsed, searched for its type; guess


class Reader(ABC):
    """Reads every frame of one stream, in order; a dialect interprets the frames.

    `ended`: the answer's end was seen. `failed`: an error frame came, so nothing may be added any
    more. `broken`: the protocol's own last frame reports a failed answer.

    If path or header named a protocol and no frame belongs to it, the text is read as in frames of
    unknown shape; `guessed` is True then and nothing may be added.
    """

    # Byte strings that occur only in frames outside the body. A frame with one is read before it
    # passes on, any other frame afterwards.
    signs: ClassVar[tuple[bytes, ...]] = ()
    # Such byte strings of a last frame that repeats the answer and may be too long to be parsed.
    end_signs: ClassVar[tuple[bytes, ...]] = ()
    # The keys before a frame's text, for its form.
    content_keys: ClassVar[tuple[str, ...]] = ()
    # `end_data`: the data of a last frame that is no JSON. `kinds`: prefixes of the other types.
    end_data: ClassVar[str | None] = None
    kinds: ClassVar[tuple[str, ...]] = ()
    # The protocol has no end sign: an orderly end is complete.
    open_ended: ClassVar[bool] = False

    def __init__(self) -> None:
        self.failed = False
        self.broken = False
        self.done = False  # the protocol's last frame has come
        self.line_end = "\n"  # the upstream's
        self._brought: Sequence[tuple[int, Brought]] = ()  # from the last frame
        self._begun = b""  # the beginning of an unfinished event
        self._found = Finder()
        self._known = False  # a frame of the protocol has come
        self._strange = False  # a frame of another shape has come
        self._blank = False  # such a frame has come with an empty text and no other
        self._has_text = False
        self._odd = False  # the value at the place of text could not be read
        self._has_read_text = False  # text came at the protocol's place of text
        self._elsewhere = Elsewhere()  # watches the other places
        self._silence = Silence()  # watches the protocol's frames before any text
        # The data of the frame judged last, and its parsed value or the error.
        self._judged: tuple[str | None, Mapping[str, Any] | DecodeError] = _NONE
        self._form: FrameForm | None = None  # the common form of the frames so far
        self._form_choice = 0  # the choice whose text they hold
        self._forms_left = MAX_FORMS

    def find_at(self, path: str | None) -> None:
        """Read frames of unknown shape at `path`, with dots between its names."""
        if path is not None:
            self._found = Finder(path_of(path))

    @property
    def guessed(self) -> bool:
        """Whether frames have come and none belonged to the protocol."""
        return (self._strange or self._blank) and not self._known

    @property
    def unread(self) -> bool:
        """Whether something passed that may hold answer text and was not read."""
        odd = self._odd or (self._has_read_text and self._elsewhere.unread)
        odd = odd or (self._found.unread and not self._known)
        return odd or ((self._strange or self._silence.unread) and not self._has_text)

    def rest(self) -> Mapping[int, str]:
        """Return held-back text of a stream of unknown shape, at its end."""
        text = "" if self._known else self._found.rest()
        self._has_text = self._has_text or bool(text)
        return {0: text} if text else {}

    # --- a dialect's part

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a frame without text belongs to the protocol."""
        return text_at(frame, "type").startswith(self.kinds)

    @abstractmethod
    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text per choice of a frame."""

    def texts_alone(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the same without counting it as read."""
        return self.texts(frame)

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the place of a frame that is not read yet."""
        return "body"

    def note(self, frame: Mapping[str, Any]) -> None:  # noqa: B027 - some frames say no more
        """Remember a frame's other facts, errors included."""

    def brings(self, frame: Any, most: int = MAX_LISTED) -> Iterable[tuple[int, Brought]]:
        """Return the passages and citations of a frame or a complete answer, by choice.

        At most `most` elements of all its lists are read.
        """
        return ()

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a frame's content other than its text, where text may stand."""
        return None

    @abstractmethod
    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return a new frame with the annotation; `event` asks for a named one.

        `annotation_json` must be one line of ASCII JSON.
        """

    def attached(self, event: SSEEvent, annotation_json: str) -> bytes | None:
        """Return the bytes of `event` with the annotation added; None if it does not fit."""
        return spliced(event, lambda data: with_key(data, KEY, annotation_json))

    @abstractmethod
    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return a new frame with the annotation of sentence `index` of `choice`."""

    @property
    def has_room(self) -> bool:
        """Whether a sentence's annotation fits here; else it waits, at most until the end."""
        return True

    @property
    def ending(self) -> bool:
        """Whether closing frames may follow, in any form."""
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether the answer's end was seen."""
        return self.done

    def is_done(self, data: str) -> bool:
        """Return whether a frame is an end sign other than JSON."""
        return data.strip() == self.end_data

    def parse(self, data: str) -> Mapping[str, Any]:
        """Return a frame's data as a mapping; raises `DecodeError` if it is not JSON."""
        return read_frame(data)

    # --- the same for all

    def first_sign(self, block: bytes) -> int:
        """Return the first offset in `block` at which a closing frame may begin, -1 for none.

        The search is over bytes: read the frames it finds before handing them on.
        """
        found = [at for sign in self.signs if (at := block.find(sign)) >= 0]
        return min(found) if found else -1

    def place(self, event: SSEEvent) -> Place:
        """Return the event's place in the answer; it is not read yet, and may be unreadable."""
        data = event.data
        self._note_line_end(event)
        if data is None or event.begun:
            return "body" if event.truncated or event.begun else "aside"
        if self.failed:
            return "body"
        if self.is_done(data):
            return "tail"
        try:
            frame = self.parse(data)
        except DecodeError as exc:
            self._judged = data, exc
            return "body"
        self._judged = data, frame
        return self.place_of(frame)

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text per choice in `event`.

        Raises `DecodeError` for data that is neither JSON nor the end sign, `FrameLimitError` for a
        frame with too many values.
        """
        data = event.data
        if data is None:
            if event.part:
                self._begun = self._begun or event.raw[:_HEAD_BYTES]
            elif event.truncated:
                self._pass_over(event)
            return {}
        self._begun = b""
        self._note_line_end(event)
        if event.event == "error":
            self.failed = True
        elif self._form is not None:
            text = self._form.text_in(data)
            if text is not None:
                self.note_cut((text,), event.raw)
                return {self._form_choice: text} if text else {}
        if self.is_done(data):
            self.done = True
            return {}
        texts = self._read_frame(event, data)
        if event.cut and any(map(is_cut, texts.values())):
            self._pass_over(event)
            raise FrameLimitError(OVER_SIZE)
        return texts

    def plain(self, raw: bytes) -> list[bytes] | None:
        """Return the texts of `raw` for `read_plain` if all its frames are like the one before.

        None otherwise: then it must be read frame by frame. `raw` must begin with a frame.
        """
        return None if self._form is None else self._form.texts_in(raw)

    def read_plain(self, literals: list[bytes]) -> tuple[int, list[str]]:
        """Return the choice and the texts of frames that `plain` recognised."""
        # Each by itself: halves of one character in two frames are no character.
        texts = [read_text(each) for each in literals if each]
        self.note_cut(texts)
        return self._form_choice, texts

    def note_cut(self, texts: Sequence[str], raw: bytes = b"") -> None:  # noqa: B027 - as `note`
        """Count texts of frames that were not parsed; `raw` is the last one, unless `plain` saw it.

        They are the last parsed frame with another text.
        """

    def _note_line_end(self, event: SSEEvent) -> None:
        if event.raw != b"\n":  # half of a CRLF that came late, or a line of its own
            self.line_end = "\r\n" if b"\r\n" in event.raw else "\n"

    def _pass_over(self, event: SSEEvent) -> None:
        """Note an event that is too long or too wide to read; it may be the last."""
        head, self._begun = self._begun or event.raw[:_HEAD_BYTES], b""
        self.done = self.done or any(sign in head for sign in self.end_signs)
        self._strange = True

    def _read_frame(self, event: SSEEvent, data: str) -> Mapping[int, str]:
        try:
            frame = self._parsed_once(data)
        except FrameLimitError:
            self._pass_over(event)
            raise
        except DecodeError:
            if data.strip() == END_DATA:  # many servers end every line so
                return {}
            self._strange = True
            raise
        texts = self.take(frame)
        if texts is None:
            kind = "" if event.event == "message" else event.event
            self._look_at(frame or data, kind)  # a list, or a string
            return self._unknown(frame, kind)
        usual = len(texts) == 1 and not (self.ending or self.failed)
        if usual and self._forms_left and len(data) <= _LEARNT_CHARS:
            self._learn(data, event.raw, *texts)
        return texts

    def _parsed_once(self, data: str) -> Mapping[str, Any]:
        """Return a frame as `place` parsed it, if that was the latest one."""
        (judged, frame), self._judged = self._judged, _NONE
        if judged is not data:
            return self.parse(data)
        if isinstance(frame, DecodeError):
            raise frame
        return frame

    def take(self, frame: Mapping[str, Any]) -> Mapping[int, str] | None:
        """Return the text per choice of a frame of the protocol, None for another one."""
        texts = self.texts(frame)
        self._brought = tuple(self.brings(frame))
        self.note(frame)
        if not (texts or self.knows(frame)):
            return None
        self._known = True
        self._look_at(self.other_content(frame))
        if texts:
            self._has_text = self._has_read_text = True
        elif not self._has_text:
            self._silence.take(frame)
        return texts

    def brought(self) -> Sequence[tuple[int, Brought]]:
        """Return the passages, citations and calls of the last frame, by choice, once.

        They precede the frame's text.
        """
        brought, self._brought = self._brought, ()
        return brought

    def look(self, frame: Any) -> None:
        """Watch a frame without text in a stream whose text somebody else reads."""
        if text_at(frame, "object").startswith(KEY):
            return
        self._has_text = self._has_read_text = True
        if not isinstance(frame, Mapping) or self.take(frame) is None:
            self._look_at(frame)

    def _look_at(self, value: Any, kind: str = "") -> None:
        """Watch a frame without text; an upstream guard's annotation is skipped."""
        if self.failed or not value or kind.startswith(KEY):
            return
        if isinstance(value, Mapping) and KEY in value:
            value = {name: each for name, each in value.items() if name != KEY}
        self._elsewhere.take(value, kind)

    def _unknown(self, frame: Any, kind: str) -> Mapping[int, str]:
        """Return the text known so far of frames outside the protocol."""
        self._blank = True
        self._strange = self._strange or not is_empty(frame)
        text = "" if self._known else self._found.take(frame, kind)
        self._has_text = self._has_text or bool(text)
        return {0: text} if text else {}

    def _learn(self, data: str, raw: bytes, choice: int) -> None:
        """Remember the form of a frame, if the text's place in it is certain."""
        varies = self._forms_left < MAX_FORMS  # another one than the first
        self._forms_left -= 1
        for key in self.content_keys:
            start = data.find(key) + len(key)
            if start < len(key):
                continue
            _, end = _DECODER.raw_decode(data, start - 1)
            probe = read_frame(f"{data[: start - 1]}{json.dumps(_PROBE)}{data[end:]}")
            if self.texts_alone(probe) == {choice: _PROBE}:
                self._form = form_of(data, start, end - 1, raw, varies=varies)
                self._form_choice = choice
                return


def read_frame(data: str) -> Mapping[str, Any]:
    """Return a frame's data as a mapping, an empty one for JSON that is no object.

    Raises `DecodeError` if it is not JSON, `FrameLimitError` if it has too many values.
    """
    frame = decoded(data)
    return frame if isinstance(frame, dict) else {}


def sse_frame(data: str, line_end: str = "\n", event: str | None = None) -> bytes:
    """Return one event with one line of data, in ASCII."""
    name = f"event: {event}{line_end}" if event is not None else ""
    return f"{name}data: {data}{line_end}{line_end}".encode("ascii")


def spliced(event: SSEEvent, splice: Callable[[bytes], bytes]) -> bytes | None:
    """Return the bytes of `event` with only its data changed, by `splice`.

    None if the data cannot be found in the bytes (it has several lines, or was no UTF-8), or if
    `splice` raises `DecodeError`.
    """
    data = (event.data or "").encode(errors="replace")
    before, found, after = event.raw.partition(data)
    if not data or not found:
        return None
    try:
        return b"".join((before, splice(data), after))
    except DecodeError:
        return None


def with_annotation(head: Mapping[str, Any], annotation_json: str) -> str:
    """Return the JSON object `head`, which must not be empty, with our key added last."""
    opened = json.dumps(head, separators=(",", ":")).removesuffix("}")
    return f'{opened},"{KEY}":{annotation_json}}}'
