"""Anthropic Messages: the text in an event, and an annotation in one.

The answer is the text of all text blocks in order, as the SDKs join it. Thinking, tool input and
citations are not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.brought.in_messages import brought_in
from streamguard.wire.codecs.json_bytes import with_key
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, is_aside, items, text_at, without
from streamguard.wire.reader import KEY, Place, Reader, spliced, sse_frame, with_annotation

EVENT = "streamguard.result"
EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop"}
    | {"message_delta", "message_stop", "ping", "error"}
)
# Types of deltas without text; `is_aside` recognises those of thoughts, calls and citations.
_OTHER_DELTAS = frozenset({"signature_delta", "compaction_delta"})
_PLACES: Mapping[Any, Place] = {"ping": "aside", "message_delta": "slot", "message_stop": "tail"}


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of an event or a complete message, as choice 0."""
    kind = text_at(frame, "type")
    if kind == "content_block_delta":
        block = field(frame, "delta")
        text = text_at(block, "text") if text_at(block, "type") == "text_delta" else ""
    elif kind == "content_block_start":
        text = _text_of_block(field(frame, "content_block"))
    else:
        text = "".join(map(_text_of_block, items(frame, "content")))
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return choice 0 if `frame` gives the answer's stop reason."""
    if text_at(frame, "type") == "message_stop":
        return {0}
    return {0} if text_at(frame, "delta", "stop_reason") else set()


class AnthropicReader(Reader):
    """Reads the events of one Messages stream."""

    signs = (b"message_delta", b"message_stop")
    content_keys = ('"text":"', '"text": "')
    brings = staticmethod(brought_in)

    def __init__(self) -> None:
        super().__init__()
        self._stopped = False  # a reason to stop was named
        self._open_text: Any = None  # the index of the text block that is being written

    @property
    def ended(self) -> bool:
        """Whether the answer's end was seen."""
        return self._stopped or self.done

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of an event."""
        return text_of(frame)

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the frame's place; an annotation fits in the last `message_delta`."""
        return _PLACES.get(text_at(frame, "type"), "body")

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a frame has a type of the protocol."""
        return text_at(frame, "type") in EVENTS

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a block other than text, a message's beginning, or a misplaced event."""
        kind = text_at(frame, "type")
        read = "delta"  # `_is_odd` looks at it
        if kind != "content_block_delta":
            place = "content_block" if kind == "content_block_start" else "content"
            read = place if text_of(frame) else ""
        rest = without(frame, "type", "message", read)
        return [rest, field(field(frame, "message"), "content")]

    def _look_at(self, value: Any, kind: str = "") -> None:
        # SDKs and people's own readers go by the type; the event's name may be another one.
        typed = text_at(value, "type") and not kind.startswith(KEY)
        super()._look_at(value, "" if typed else kind)

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember which block is open and how far the message has come."""
        kind = text_at(frame, "type")
        self.failed = self.failed or kind == "error"
        self.done = self.done or kind == "message_stop"
        self._stopped = self._stopped or bool(finished(frame))
        self._odd = self._odd or (kind == "content_block_delta" and _is_odd(field(frame, "delta")))
        if kind == "content_block_start":
            is_text = text_at(frame, "content_block", "type") == "text"
            self._open_text = frame.get("index") if is_text else None
        elif kind == "content_block_stop":
            self._open_text = None

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return a `ping` with the key, which SDKs drop; only a named event reaches clients."""
        kind = event or "ping"
        return sse_frame(with_annotation({"type": kind}, annotation_json), self.line_end, kind)

    def attached(self, event: SSEEvent, annotation_json: str) -> bytes | None:
        """Return the `message_delta` with the key at its top level."""
        return spliced(event, lambda data: with_key(data, KEY, annotation_json))

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return an empty delta of the open text block with the key, else a `ping` with it."""
        if self._open_text is None:
            return self.addition(annotation_json, None)
        kind = "content_block_delta"
        delta = {"type": "text_delta", "text": ""}
        head = {"type": kind, "index": self._open_text, "delta": delta}
        return sse_frame(with_annotation(head, annotation_json), self.line_end, kind)


def _is_odd(delta: Any) -> bool:
    """Return whether a delta of an unknown type may hold text."""
    kind = text_at(delta, "type")
    if kind == "text_delta" or kind in _OTHER_DELTAS or is_aside(kind):
        return False
    inner = without(delta, "type")
    return bool(inner) and (not isinstance(inner, dict) or any(map(_is_text, inner.values())))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _text_of_block(block: Any) -> str:
    return text_at(block, "text") if text_at(block, "type") == "text" else ""


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    return text_of(answer) if answer.get("type") == "message" else None


ANTHROPIC = Dialect(
    name="anthropic",
    decoder=SSEDecoder,
    reader=AnthropicReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="attach",
    own_forms={},
    frames_of=lambda answer: [
        {"type": "content_block_start", "content_block": block}
        for block in items(answer, "content")
    ],
)
