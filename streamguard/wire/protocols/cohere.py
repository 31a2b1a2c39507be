"""Cohere's chat (version 2): the text in an event, and an annotation in one.

The answer is the text of all content in order, without thoughts, plans, calls and citations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.brought.in_cohere import brought_in
from streamguard.wire.codecs.sse import SSEDecoder
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, items, parts_text, text_at
from streamguard.wire.reader import END_DATA, Place, Reader, sse_frame, with_annotation

EVENT = "streamguard.result"
_DELTA, _END = "content-delta", "message-end"
_KINDS = frozenset(
    {"message-start", "content-start", _DELTA, "content-end", "tool-plan-delta", "tool-call-start"}
    | {"tool-call-delta", "tool-call-end", "citation-start", "citation-end", _END, "debug"}
)


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of an event or a complete answer, as choice 0."""
    kind = text_at(frame, "type")
    if kind in ("content-start", _DELTA):
        text = text_at(frame, "delta", "message", "content", "text")
    else:
        text = parts_text(field(field(frame, "message"), "content"))
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return choice 0 if `frame` ends the message."""
    return {0} if text_at(frame, "type") == _END else set()


class CohereReader(Reader):
    """Reads the events of one chat."""

    signs = end_signs = (b"message-end",)
    end_data = END_DATA  # it follows the last event
    content_keys = ('"text":"', '"text": "')
    texts = staticmethod(text_of)
    brings = staticmethod(brought_in)

    def __init__(self) -> None:
        super().__init__()
        self._open: Any = None  # the index of the content that is being written

    @property
    def has_room(self) -> bool:
        """Whether content is open, so that an empty delta fits, or the end was seen."""
        return self._open is not None or self.ended

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the frame's place; the message's end brings usage."""
        return "end" if finished(frame) else "body"

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether an event has a type of the protocol."""
        return text_at(frame, "type") in _KINDS

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a delta without text: some server may put it elsewhere."""
        return None if text_of(frame) else field(frame, "delta")

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember which content is open, and how the message ended."""
        kind = text_at(frame, "type")
        if kind in ("content-start", _DELTA):
            self._open = frame.get("index", 0)
        elif kind == "content-end":
            self._open = None
        self.done = self.done or bool(finished(frame))
        self.broken = self.broken or text_at(frame, "delta", "finish_reason") == "ERROR"

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return an empty delta with the key; for a named event one with a type of its own."""
        if event is None:
            return self.live(0, 0, annotation_json)
        return sse_frame(with_annotation({"type": EVENT}, annotation_json), self.line_end, EVENT)

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return an empty delta of the open content with the key."""
        delta = {"message": {"content": {"text": ""}}}
        head = {"type": _DELTA, "index": self._open or 0, "delta": delta}
        return sse_frame(with_annotation(head, annotation_json), self.line_end, _DELTA)


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    known = isinstance(answer.get("message"), dict) and "finish_reason" in answer
    return text_of(answer) if known else None


def _frames_of(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = items(answer.get("message"), "content")
    return [{"type": _DELTA, "delta": {"message": {"content": part}}} for part in parts]


COHERE = Dialect(
    name="cohere",
    decoder=SSEDecoder,
    reader=CohereReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="attach",
    frames_of=_frames_of,
)
