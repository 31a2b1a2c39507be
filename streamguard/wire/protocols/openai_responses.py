"""OpenAI Responses: the text in an event, and an annotation in one.

The answer is all output text in order, as the SDKs' `output_text` joins it, and all refusal text.
Reasoning and arguments are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from streamguard.wire.brought.in_responses import brought_in
from streamguard.wire.codecs.json_bytes import with_key_in
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, has_unread_parts, is_aside, items, joined, text_at
from streamguard.wire.found import MAX_KEPT_CHARS, Elsewhere
from streamguard.wire.reader import (
    KEY,
    Place,
    Reader,
    read_frame,
    spliced,
    sse_frame,
    with_annotation,
)

DELTA = "response.output_text.delta"
_REFUSAL = "response.refusal.delta"
# Types of events with a piece of text or of speech. The event that ends in "done" has all of it.
TEXT = frozenset({DELTA, "response.text.delta", _REFUSAL})
SPOKEN = frozenset({"response.output_audio_transcript.delta", "response.audio_transcript.delta"})
_PART, _ITEM = "response.content_part.", "response.output_item."  # prefixes of types
_NOTE = "response.output_text.annotation."  # prefix of the types of events about a text
_TEXT_OF = {"output_text": "text", "text": "text", "refusal": "refusal"}  # by the type of a part
_MOST_COMPARED = 16  # times that a text may be searched for complete texts that repeat it; guess
_MOST_IN_A_TURN = 2_000_000  # characters that are searched for one event's parts: 2 ms
_MOST_KEPT = 65_536  # characters of a finished answer; guess
_AT_ONCE = 1_000  # further characters of it per search; guess
_TERMINAL = {"response.completed", "response.incomplete", "response.failed"}
_OTHERS = ("error", "ping", "keepalive")  # in addition to those of a response
# Each of them ends the open text: not every server sends all three.
_CLOSING = {"response.output_text.done", "response.content_part.done", "response.output_item.done"}
# The fields that place an event's text in the response.
_AT = ("item_id", "output_index", "content_index")
# The response in our own event if no event of the upstream has had one.
_UNKNOWN = {
    "id": "resp_streamguard",
    "object": "response",
    "created_at": 0,
    "model": "unknown",
    "status": "in_progress",
    "output": [],
}
_HEAD = ("id", "created_at", "model")
_NUMBER_KEY = b'"sequence_number":'
_NUMBER = re.compile(rb" ?(-?[0-9]+)(?![0-9.eE])")
_Place = tuple[int | None, int | None]  # of a part: its item's index in the output, its own index
_Delta = tuple[_Place, Mapping[str, Any] | None]
EVENT = "response.streamguard.result"


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of an event or a complete response, as choice 0."""
    if text_at(frame, "type") in (DELTA, _REFUSAL):
        text = text_at(frame, "delta")
    else:
        parts = [part for item in items(frame, "output") for part in items(item, "content")]
        text = "".join(map(_part_text, parts))
    return {0: text} if text else {}


def _part_text(part: Any) -> str:
    kind = text_at(part, "type")
    return text_at(part, _TEXT_OF[kind]) if kind in ("output_text", "refusal") else ""


class OutputText:
    """Collects the text of one response from its events, each part once.

    Most parts come in deltas; other text is read where a part, an item or the response comes
    complete. `kinds` are the types of the deltas to read.
    """

    def __init__(self, kinds: frozenset[str] = frozenset({DELTA, _REFUSAL})) -> None:
        self._kinds = kinds
        self._complete_kinds = {f"{kind.removesuffix('delta')}done" for kind in kinds}
        self._parts: dict[_Place, list[str]] = {}  # the text so far of each part
        self._chars = 0  # of all parts together
        self._compared = 0  # characters that were searched for complete texts so far
        self._compared_now = 0  # those of the current event
        self._elsewhere = Elsewhere()
        self._odd = False
        self._forgot = False  # the text so far was dropped

    @property
    def unread(self) -> bool:
        """Whether text may have come that was not read."""
        return self._odd or self._elsewhere.unread

    def take(self, event: Any) -> str:
        """Read an event; return its new text."""
        self._compared_now = 0
        kind = text_at(event, "type")
        if kind in self._kinds:
            piece = text_at(event, "delta")
            self._odd = self._odd or (not piece and bool(field(event, "delta")))
            return self._added(_place(event), piece)
        if kind in self._complete_kinds:
            complete_texts = (text_at(event, name) for name in ("text", "transcript", "refusal"))
            return self._take_complete(_place(event), next(filter(None, complete_texts), ""))
        if kind.endswith(".added") and not isinstance(event, Mapping):
            return ""  # LiteLLM fills these objects while the text comes
        if kind.startswith(_PART):
            return self._part(_place(event), field(event, "part"))
        if kind.startswith(_ITEM):
            return self._item(field(event, "output_index"), field(event, "item"))
        if (response := field(event, "response")) is not None:
            return self.rest_of(response)
        if "transcript" in kind:  # words beside a sound, where they are not read
            self._odd = True
        elif kind not in _OTHERS and not kind.startswith((EVENT, _NOTE)) and not is_aside(kind):
            self._elsewhere.take(event, kind)
        return ""

    def add(self, at: _Place, texts: Iterable[str]) -> None:
        """Add texts of deltas to their part."""
        for text in texts:
            self._added(at, text)

    def over(self) -> None:
        """Drop long texts: the answer is over, and later text rarely repeats a part."""
        if self._chars > _MOST_KEPT:
            self._parts.clear()
            self._forgot = True

    def rest_of(self, response: Any) -> str:
        """Return the text of a complete response that no event had before."""
        self._compared_now = 0
        shown = enumerate(items(response, "output"))
        return "".join([self._item(index, item) for index, item in shown])

    def _item(self, index: Any, item: Any) -> str:
        kind = text_at(item, "type")
        if kind not in ("", "message"):
            if not is_aside(kind):
                self._elsewhere.take(item, kind)
            return ""
        parts = enumerate(items(item, "content"))
        return "".join([self._part(_at(index, number), part) for number, part in parts])

    def _part(self, at: _Place, part: Any) -> str:
        self._odd = self._odd or has_unread_parts(part)
        name = _TEXT_OF.get(text_at(part, "type"), "transcript")
        return self._take_complete(at, text_at(part, name))

    def _take_complete(self, at: _Place, complete: str) -> str:
        """Return the new text of a complete part; servers place parts differently."""
        before = self._joined(at)
        if self._forgot:
            return ""
        if not (text := complete.strip()) or text == before.strip() or self._holds(text):
            return ""
        for begun in (before, self._all()):
            if begun and complete.startswith(begun):
                return self._added(at, complete[len(begun) :])
        if before:  # it was changed afterwards
            self._odd = True
            return ""
        return self._added(at, complete)

    def _holds(self, text: str) -> bool:
        """Return whether a text came before, in one part or several.

        Beyond the limits of the search it counts as one that came, and the answer as odd.
        """
        over = self._compared + self._chars > _MOST_COMPARED * (self._chars + _AT_ONCE)
        if over or self._compared_now + self._chars > _MOST_IN_A_TURN:
            self._odd = True
            return True
        self._compared += self._chars
        self._compared_now += self._chars
        return text in self._all()

    def _all(self) -> str:
        return "".join(map(self._joined, self._parts))

    def _joined(self, at: _Place) -> str:
        pieces = self._parts.get(at, [])
        pieces[:] = [joined(pieces)]
        return pieces[0]

    def _added(self, at: _Place, text: str) -> str:
        if text and self._chars <= MAX_KEPT_CHARS:  # more of it is not checked
            self._parts.setdefault(at, []).append(text)
            self._chars += len(text)
        return text


def brings_text(event: Any) -> bool:
    """Return whether an event has text, new or repeated."""
    return bool(OutputText().take(event))


def _place(event: Any) -> _Place:
    """Return the part that an event belongs to; its item's id is ignored, as servers change it."""
    return _at(field(event, "output_index"), field(event, "content_index"))


def _at(item: Any, part: Any) -> _Place:
    return _integer(item), _integer(part)


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def finished(frame: Any) -> set[int]:
    """Return choice 0 if `frame` is the last event, whatever the outcome."""
    return {0} if text_at(frame, "type") in _TERMINAL else set()


class ResponsesReader(Reader):
    """Reads the events of one Responses stream."""

    signs = end_signs = tuple(name.encode() for name in sorted(_TERMINAL))
    content_keys = ('"delta":"', '"delta": "')
    brings = staticmethod(brought_in)
    texts_alone = staticmethod(text_of)

    def __init__(self) -> None:
        super().__init__()
        self._response: Mapping[str, Any] = _UNKNOWN  # from the last event that had one
        self._number = 0  # the last sequence number
        self._open_text: Mapping[str, Any] | None = None  # the place of the unfinished text
        self._output = OutputText()
        # Part and opened text of the last delta, and of the deltas of the remembered form.
        self._delta: _Delta = ((None, None), None)
        self._form_delta: _Delta = self._delta

    @property
    def has_room(self) -> bool:
        """Whether text is being written, or the end was seen.

        openai Node 6 restarts its copy of the response at every `response.in_progress` and drops
        what follows; an empty delta fits only into open text.
        """
        return self._open_text is not None or self.ended

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a delta, or of a part that comes complete without deltas."""
        text = self._output.take(frame)
        return {0: text} if text else {}

    def plain(self, raw: bytes) -> list[bytes] | None:
        """Return the texts of events like the one before, and remember their last number."""
        texts = super().plain(raw)
        if texts is not None:
            self._number_in(raw)
        return texts

    def note_cut(self, texts: Sequence[str], raw: bytes = b"") -> None:
        """Add texts to their part, and remember the last number."""
        self._number_in(raw)
        at, open_text = self._form_delta
        self._open_text = open_text or self._open_text
        self._output.add(at, texts)

    def _number_in(self, raw: bytes) -> None:
        at = raw.rfind(_NUMBER_KEY)  # a key: the quotes of a text have a backslash
        if at >= 0 and (number := _NUMBER.match(raw, at + len(_NUMBER_KEY))) is not None:
            self._number = int(number[1])

    def _learn(self, data: str, raw: bytes, choice: int) -> None:
        before = self._form
        super()._learn(data, raw, choice)
        if self._form is before:
            return
        self._form_delta = self._delta
        if numbers := data.count(_NUMBER_KEY.decode()):
            is_own = numbers == 1 and type(read_frame(data).get("sequence_number")) is int
            self._form = self._form if is_own else None

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the event's place; the last event carries the complete response."""
        return "end" if text_at(frame, "type") in _TERMINAL else "body"

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether an event has a type of the protocol."""
        kind = text_at(frame, "type")
        return kind.startswith("response.") or kind in _OTHERS

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember the response, the open text, the last sequence number, and the outcome."""
        kind, response = text_at(frame, "type"), frame.get("response")
        number = frame.get("sequence_number")
        self.failed = self.failed or kind == "error"
        self.done = self.done or kind in _TERMINAL
        self.broken = self.broken or kind == "response.failed"
        self._odd = self._odd or self._output.unread
        # An event of ours before the last one must not show what belongs to that one alone:
        # pydantic-ai adds up the usage of every response it is shown.
        if isinstance(response, dict) and response:
            if kind not in _TERMINAL:
                self._response = response
            elif self._response is _UNKNOWN:
                self._response = {**_UNKNOWN, **{k: response[k] for k in _HEAD if k in response}}
        if type(number) is int:
            self._number = number
        if kind == DELTA:
            self._open_text = {key: frame[key] for key in _AT if key in frame}
            self._delta = _place(frame), self._open_text
        elif kind == _REFUSAL:
            self._delta = _place(frame), None
        elif kind in _CLOSING:
            self._open_text = None

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return one more `response.in_progress` with the key next to the response."""
        if event is None:
            return self._in_progress(annotation_json)
        head = {"type": EVENT, "sequence_number": self._number}
        return sse_frame(with_annotation(head, annotation_json), self.line_end, EVENT)

    def attached(self, event: SSEEvent, annotation_json: str) -> bytes | None:
        """Return the last event with the key in its `response`."""
        return spliced(event, lambda data: with_key_in(data, "response", KEY, annotation_json))

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return an empty delta of the open text with the key, else one more `in_progress`."""
        if self._open_text is None:
            return self._in_progress(annotation_json)
        place = {"type": DELTA, "sequence_number": self._number, **self._open_text}
        made = with_annotation({**place, "delta": "", "logprobs": []}, annotation_json)
        return sse_frame(made, self.line_end, DELTA)

    def _in_progress(self, annotation_json: str) -> bytes:
        """Return one more `response.in_progress`; it repeats the previous sequence number."""
        kind = "response.in_progress"
        head = {"type": kind, "sequence_number": self._number, "response": self._response}
        return sse_frame(with_annotation(head, annotation_json), self.line_end, kind)


RESPONSES = Dialect(
    name="openai_responses",
    decoder=SSEDecoder,
    reader=ResponsesReader,
    text_of=text_of,
    finished=finished,
    answer=lambda answer: text_of(answer) if answer.get("object") == "response" else None,
    default="attach",
    frames_of=lambda answer: [{"type": "response.completed", "response": answer}],
)
