"""Gemini: the text in a response, and an annotation in one.

`:streamGenerateContent` streams responses as events (`alt=sse`) or as one JSON array,
`:generateContent` returns one. The answer is the text of all parts of a candidate without thoughts.
There is no end sign: the last frame is the one with the last `finishReason`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from streamguard.wire.brought.in_gemini import brought_in
from streamguard.wire.codecs.json_array import END, ArrayDecoder
from streamguard.wire.codecs.sse import SSEDecoder
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, filled, items, numbered, text_at, without
from streamguard.wire.protocols.choice_streams import ChoicesReader, ended_in
from streamguard.wire.reader import Place, sse_frame, with_annotation

_FIELDS = ("candidates", "promptFeedback", "usageMetadata", "error")  # some of which all have
# Where the SDKs' objects have other names than the JSON.
_FINISH = ("finishReason", "finish_reason")
SIDE_FIELDS = ("promptFeedback", "prompt_feedback", "usageMetadata", "usage_metadata")


def text_of(frame: Any) -> dict[int, str]:
    """Return the text per candidate of a response, thoughts left out."""
    texts: dict[int, str] = {}
    for index, candidate in _candidates(frame):
        parts = items(field(candidate, "content"), "parts")
        text = "".join(text_at(part, "text") for part in parts if not field(part, "thought"))
        if text:
            texts[index] = texts.get(index, "") + text
    return texts


def finished(frame: Any) -> set[int]:
    """Return the candidates that a response ends: those with a finish reason.

    A blocked prompt ends the candidate that would have come.
    """
    if is_blocked(frame):
        return {0}
    return ended_in(frame, "candidates", *_FINISH)


def is_blocked(frame: Any) -> bool:
    """Return whether a response says that its prompt was blocked."""
    if field(frame, "candidates"):
        return False
    return any(
        field(field(frame, place), reason) is not None
        for place, reason in (
            ("promptFeedback", "blockReason"),
            ("prompt_feedback", "block_reason"),
        )
    )


class GeminiReader(ChoicesReader):
    """Reads the responses of one stream."""

    signs = (b'"finishReason"', b'"error"')
    content_keys: ClassVar[tuple[str, ...]] = ('"text":"', '"text": "')
    texts = staticmethod(text_of)
    listed = "candidates"
    brings = staticmethod(brought_in)

    def __init__(self) -> None:
        super().__init__()
        self._last: Mapping[str, Any] = {}
        # Early models name the reason in every response: then none of them waits for the next.
        self._overrun = False

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the frame's place; after the last finish reason only usage may follow."""
        if finished(frame) and not self._overrun:
            return "slot"
        quiet = self.ended and "usageMetadata" in frame and not frame.get("candidates")
        return "aside" if quiet else "body"

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a frame has a response's fields."""
        return any(name in frame for name in _FIELDS)

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return the candidates' content other than texts and thoughts."""
        return [_content_of_candidate(candidate) for _, candidate in _candidates(frame)]

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember the candidates, those that have ended, and a response's shape."""
        self.failed = self.failed or bool(frame.get("error"))
        self._overrun = self._overrun or (self.ended and bool(text_of(frame)))
        self.count({index for index, _ in _candidates(frame)}, finished(frame))
        self.done = self.done or is_blocked(frame)  # there is nothing more to come
        self._last = frame or self._last

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return one more response of that candidate, without text, with the key."""
        return sse_frame(self._response(choice, annotation_json), self.line_end)

    def _response(self, choice: int, annotation_json: str) -> str:
        content = {"parts": [{"text": ""}], "role": "model"}
        head: dict[str, Any] = {"candidates": [{"content": content, "index": choice}]}
        for name in ("modelVersion", "responseId"):
            if found := filled(self._last, name, str, None):
                head[name] = found
        return with_annotation(head, annotation_json)


class GeminiArrayReader(GeminiReader):
    """Reads the responses of one stream that is a JSON array."""

    content_keys = ()  # an element is no event: its frame is not remembered
    end_data = END

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return one more element; nothing if there is none before it."""
        return self.live(0, 0, annotation_json) if self._last else b""

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return one more element of that candidate, without text, with the key."""
        return f",\n{self._response(choice, annotation_json)}".encode("ascii")


def _candidates(frame: Any) -> Iterator[tuple[int, Any]]:
    return numbered(frame, "candidates")


def _content_of_candidate(candidate: Any) -> Any:
    content = field(candidate, "content")
    parts = [
        without(each, "text") for each in items(content, "parts") if not field(each, "thought")
    ]
    return [without(candidate, "content"), without(content, "parts"), *parts]


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    known = isinstance(answer.get("candidates"), list) or "promptFeedback" in answer
    return text_of(answer) if known and not answer.get("error") else None


GEMINI = Dialect(
    name="gemini",
    decoder=SSEDecoder,
    reader=GeminiReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="attach",
    frames_of=lambda answer: [answer],
)
GEMINI_ARRAY = replace(
    GEMINI,
    name="gemini_array",
    decoder=ArrayDecoder,
    reader=GeminiArrayReader,
    own_forms={"event": "chunk"},  # elements have no names
)
