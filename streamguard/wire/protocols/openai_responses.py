"""OpenAI Responses: where the text is in an event, and how an annotation rides in one.

The answer is every piece of output text in order, as the SDKs' `output_text` joins it. Refusals,
reasoning and arguments are not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.codecs.json_bytes import with_key_in
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, is_aside, items, text_at
from streamguard.wire.reader import KEY, Place, Reader, spliced, sse_frame, with_annotation

_DELTA = "response.output_text.delta"
# Pieces of text, and of what is spoken; and the same told whole, with where its words stand.
TEXT = frozenset({_DELTA, "response.text.delta"})
SPOKEN = frozenset({"response.output_audio_transcript.delta", "response.audio_transcript.delta"})
_WHOLE = {
    "response.output_text.done": "text",
    "response.text.done": "text",
    "response.output_audio_transcript.done": "transcript",
    "response.audio_transcript.done": "transcript",
}
_TERMINAL = {"response.completed", "response.incomplete", "response.failed"}
_OTHERS = ("error", "ping", "keepalive")  # beside those of a response
# Any of them ends the text that was open: not every server sends all three.
_CLOSING = {"response.output_text.done", "response.content_part.done", "response.output_item.done"}
# Where an event of text belongs.
_AT = ("item_id", "output_index", "content_index")
# What an event of ours shows where no event has shown the response yet.
_UNKNOWN = {
    "id": "resp_streamguard",
    "object": "response",
    "created_at": 0,
    "model": "unknown",
    "status": "in_progress",
    "output": [],
}
_HEAD = ("id", "created_at", "model")
EVENT = "response.streamguard.result"


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of an event, or of a whole response, as choice 0."""
    if text_at(frame, "type") == _DELTA:
        text = text_at(frame, "delta")
    else:
        text = "".join(
            text_at(part, "text")
            for item in items(frame, "output")
            for part in items(item, "content")
            if text_at(part, "type") == "output_text"
        )
    return {0: text} if text else {}


class OutputText:
    """The text of one response by its events, however a server tells it: each part once.

    Most parts come in deltas; one without any is read where it is told whole. `kinds` are the types
    of deltas that are read.
    """

    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = kinds
        self._wholes = {f"{kind.removesuffix('delta')}done" for kind in kinds}
        self._parts: set[tuple[Any, ...]] = set()  # those that text came of, by their places
        self.chars = 0  # of the text that came; whoever reads it counts
        self.unread = False  # text came that was not read

    def text_in(self, frame: Mapping[str, Any]) -> str:
        """Return the text that an event brings; `note` is to follow."""
        kind = text_at(frame, "type")
        if kind in self._kinds:
            return text_at(frame, "delta")
        if self._parts & {_place(frame), _NOWHERE}:
            return ""
        if kind in self._wholes:
            return text_at(frame, _WHOLE[kind])
        return _shown(field(frame, "part")) if kind == "response.content_part.added" else ""

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember of which part text came, and whether something came that is not read."""
        kind, delta = text_at(frame, "type"), field(frame, "delta")
        if self.text_in(frame):
            self._parts.add(_place(frame))
        elif delta and kind.endswith(".delta") and not is_aside(kind):
            self.unread = True

    def end(self, whole: str) -> str:
        """Return what a whole response, behind its events, shows of a text that nothing told."""
        self.unread = self.unread or 0 < self.chars < len(whole.rstrip())
        return "" if self.chars else whole


_NOWHERE = (None, None)  # of a server that does not say where a text belongs


def _place(frame: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return which part an event is of; not its item's id, which some servers change."""
    found = (frame.get("output_index"), frame.get("content_index"))
    return found if all(isinstance(each, int) for each in found) else _NOWHERE


def _shown(part: Any) -> str:
    is_text = text_at(part, "type") in ("output_text", "text")
    return text_at(part, "text") if is_text else text_at(part, "transcript")


def finished(frame: Any) -> set[int]:
    """Return choice 0 where `frame` is the last event, whatever became of the response."""
    return {0} if text_at(frame, "type") in _TERMINAL else set()


class ResponsesReader(Reader):
    """Reads the events of one Responses stream."""

    signs = end_signs = tuple(name.encode() for name in sorted(_TERMINAL))

    def __init__(self) -> None:
        super().__init__()
        self._response: Mapping[str, Any] = _UNKNOWN  # as the last event that held one showed it
        self._number = 0  # the last sequence number
        self._open_text: Mapping[str, Any] | None = None  # where the text that is written belongs
        self._output = OutputText(frozenset({_DELTA}))

    @property
    def has_room(self) -> bool:
        """Whether text is being written, or the end was seen.

        openai Node 6 begins its copy of the response anew at every `response.in_progress` and
        loses what follows; readers have nothing to add an empty delta to but open text.
        """
        return self._open_text is not None or self.ended

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a delta, and of what no delta told where it is told whole."""
        if text_at(frame, "type") in _TERMINAL:
            return {} if self._has_text else text_of(frame.get("response"))
        text = self._output.text_in(frame)
        return {0: text} if text else {}

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text per choice that `event` brings, and count it."""
        texts = super().read(event)
        self._output.chars += len(texts.get(0, ""))
        return texts

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Find the last event, which carries the whole response."""
        return "end" if text_at(frame, "type") in _TERMINAL else "body"

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Say whether an event has a type of the protocol's."""
        kind = text_at(frame, "type")
        return kind.startswith("response.") or kind in _OTHERS

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember the response, the open text, the last number, and how it ended."""
        kind, response = text_at(frame, "type"), frame.get("response")
        number = frame.get("sequence_number")
        self.failed = self.failed or kind == "error"
        self._odd = self._odd or "transcript" in kind  # words beside a sound are not read
        self.done = self.done or kind in _TERMINAL
        self.broken = self.broken or kind == "response.failed"
        self._output.note(frame)
        if kind in _TERMINAL:
            self._output.end(text_of(response).get(0, ""))
        self._odd = self._odd or self._output.unread
        # An event of ours in front of the last one must not show what that one alone may say:
        # pydantic-ai adds up the usage of every response it is shown.
        if isinstance(response, dict) and response:
            if kind not in _TERMINAL:
                self._response = response
            elif self._response is _UNKNOWN:
                self._response = {**_UNKNOWN, **{k: response[k] for k in _HEAD if k in response}}
        if type(number) is int:
            self._number = number
        if kind == _DELTA:
            self._open_text = {key: frame[key] for key in _AT if key in frame}
        elif kind in _CLOSING:
            self._open_text = None

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return one more `response.in_progress` with the key beside the response."""
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
        place = {"type": _DELTA, "sequence_number": self._number, **self._open_text}
        made = with_annotation({**place, "delta": "", "logprobs": []}, annotation_json)
        return sse_frame(made, self.line_end, _DELTA)

    def _in_progress(self, annotation_json: str) -> bytes:
        """Return one more `response.in_progress`; its number repeats the one before."""
        kind = "response.in_progress"
        head = {"type": kind, "sequence_number": self._number, "response": self._response}
        return sse_frame(with_annotation(head, annotation_json), self.line_end, kind)


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    return text_of(answer) if answer.get("object") == "response" else None


RESPONSES = Dialect(
    name="openai_responses",
    decoder=SSEDecoder,
    reader=ResponsesReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="attach",
    given={},
)
