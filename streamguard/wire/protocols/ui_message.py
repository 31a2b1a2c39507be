"""The UI message stream (version 1) of AI SDK front ends, and its place for data.

An unknown type is fatal to front ends, except `data-…`: such data parts may have any content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.brought.in_agents import brought_by_ui_message
from streamguard.wire.codecs.json_bytes import with_key_in
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import text_at, without
from streamguard.wire.reader import KEY, Place, Reader, spliced, sse_frame

HEADER = "x-vercel-ai-ui-message-stream"  # of every response that is one
PART = "data-streamguard"
SENTENCE_PART = "data-streamguard-sentence"
_PARTS = (
    "start",
    "text-",
    "reasoning-",
    "tool-",
    "source-",
    "file",
    "data-",
    "finish",
    "abort",
    "error",
    "message-metadata",
)  # how the types of the protocol begin


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of a part as choice 0."""
    text = text_at(frame, "delta") if text_at(frame, "type") == "text-delta" else ""
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return choice 0 if `frame` finishes the message."""
    return {0} if text_at(frame, "type") == "finish" else set()


class UIMessageReader(Reader):
    """Reads the parts of one UI message stream."""

    signs = (b'"finish"', b'"abort"', b"[DONE]")
    content_keys = ('"delta":"', '"delta": "')
    texts = staticmethod(text_of)
    kinds = _PARTS
    brings = staticmethod(brought_by_ui_message)

    def is_done(self, data: str) -> bool:
        """Return whether the data is `[DONE]`."""
        return data.lstrip().startswith("[DONE]")

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the part's place; `finish` or `abort` ends the message."""
        return "end" if text_at(frame, "type") in ("finish", "abort") else "body"

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a text part without text: some server may put it elsewhere."""
        is_known = text_of(frame) or not text_at(frame, "type").startswith("text-")
        return None if is_known else without(frame, "type", "id", "providerMetadata")

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember how the message ended."""
        kind = text_at(frame, "type")
        self.failed = self.failed or kind == "error"
        self.broken = self.broken or kind == "abort"
        self.done = self.done or kind in ("finish", "abort")

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return a data part with the annotation."""
        return self._part(PART, "streamguard", annotation_json)

    def attached(self, event: SSEEvent, annotation_json: str) -> bytes | None:
        """Return `finish` with the annotation in its message metadata; None for `abort`."""
        if '"finish"' not in (event.data or ""):
            return None
        return spliced(
            event, lambda data: with_key_in(data, "messageMetadata", KEY, annotation_json)
        )

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return a data part with a sentence's annotation, one part per sentence."""
        return self._part(SENTENCE_PART, f"streamguard-{index}", annotation_json)

    def _part(self, kind: str, id: str, annotation_json: str) -> bytes:
        part = f'{{"type":"{kind}","id":"{id}","data":{annotation_json}}}'
        return sse_frame(part, self.line_end)


def _answer(answer: Mapping[str, Any]) -> None:
    """Return None for any JSON: the protocol has streams alone."""


UI_MESSAGE = Dialect(
    name="ui_message",
    decoder=SSEDecoder,
    reader=UIMessageReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="chunk",
    own_forms={"event": "chunk"},  # a named event is fatal to every client of this protocol
)
