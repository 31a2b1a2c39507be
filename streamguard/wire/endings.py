"""The frames with which each protocol ends a stopped answer, replacement text included.

A stopped answer ends like one stopped by the protocol's own filter. One with replacement text ends
like any other: some clients raise an error on a filter's reason. An `Ending` sees every frame that
has left, parsed or as an SDK's object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

from streamguard.wire.fields import field, numbered, text_at
from streamguard.wire.found import text_in
from streamguard.wire.rewriting import with_texts

END = "[DONE]"


def item_like(example: Any, frame: Any) -> Any:
    """Return a frame as an item of the example's type: an SDK's object, or the frame unchanged."""
    validate = getattr(type(example), "model_validate", None)
    return frame if validate is None or isinstance(frame, str) else validate(frame)


# By an SDK's package: where the union of its stream's events is.
_EVENTS = {
    "openai": ("openai.types.responses", "ResponseStreamEvent"),
    "anthropic": ("anthropic.types", "RawMessageStreamEvent"),
}


def event_like(example: Any, frame: Any) -> Any:
    """Return a frame as an event of the example's SDK, which has a type per event.

    The frame is returned unchanged if the SDK is unknown.
    """
    package = type(example).__module__.partition(".")[0]
    if package not in _EVENTS or not hasattr(type(example), "model_validate"):
        return frame
    module, name = _EVENTS[package]
    return TypeAdapter(getattr(import_module(module), name)).validate_python(frame)


def _fields_of(frame: Any, *names: str) -> dict[str, Any]:
    """Return these fields of a frame, without missing ones."""
    values = {name: field(frame, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


class Ending:
    """Ends a stream of plain text, with the remaining text as its last piece."""

    def see(self, frame: Any) -> None:
        """Note the shape of a frame that has come, whether it leaves or not."""

    def note(self, frame: Any) -> None:
        """Note a frame that has left: the frames that follow must fit it."""

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the frames that end the answer, with `text` of `choice` before them."""
        return [text] if text else []

    def mark_stopped(self, answer: dict[str, Any]) -> None:
        """Mark a complete answer without replacement text as stopped by a filter."""


class ChatEnding(Ending):
    """Ends Chat Completions and the older Completions."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}  # the head of the last frame that had choices
        self._open: dict[int, bool] = {0: True}

    def note(self, frame: Any) -> None:
        """Note which choices have not ended."""
        for index, choice in numbered(frame, "choices"):
            if field(choice, "finish_reason") is not None:
                self._open[index] = False

    def see(self, frame: Any) -> None:
        """Note the stream's head and its choices: of a held answer none may have left."""
        for index, _ in numbered(frame, "choices"):
            self._open.setdefault(index, True)
        if field(frame, "choices"):
            head = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
            self._last = _fields_of(frame, *head)

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return a chunk with the text, and one with `content_filter` per open choice."""
        older = text_at(self._last, "object") == "text_completion"
        found = [self._chunk(choice, text, None, older=older)] if text else []
        reason = "stop" if text else "content_filter"
        ended = [index for index, is_open in self._open.items() if is_open]
        return [*found, *(self._chunk(index, "", reason, older=older) for index in ended)]

    def mark_stopped(self, answer: dict[str, Any]) -> None:
        """Set the reason of every choice to `content_filter`."""
        for _, choice in numbered(answer, "choices"):
            if isinstance(choice, dict):
                choice["finish_reason"] = "content_filter"

    def _chunk(self, index: int, text: str, reason: str | None, *, older: bool) -> dict[str, Any]:
        content: dict[str, Any] = {"delta": {"content": text} if text else {}}
        if older:
            content = {"text": text}
        kind = {"id": "chatcmpl-streamguard", "object": "chat.completion.chunk"}
        head = {**kind, "created": 0, "model": "unknown", **self._last}
        return {**head, "choices": [{"index": index, **content, "finish_reason": reason}]}


class ResponsesEnding(Ending):
    """Ends a Response: closes open parts with their text, then the response itself."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._number = 0
        self._item: dict[str, Any] = {"type": "message", "id": "msg_streamguard"}
        self._at: dict[str, Any] = {}  # the place of the part that is open
        self._text: list[str] = []  # of it, as it has left

    def note(self, frame: Any) -> None:
        """Note the response's head, the open item and its text."""
        kind, number = text_at(frame, "type"), field(frame, "sequence_number")
        if isinstance(number, int):
            self._number = number + 1
        if (response := field(frame, "response")) is not None:
            self._head = _fields_of(response, "id", "object", "created_at", "model")
        if kind == "response.output_item.added":
            self._item = _fields_of(field(frame, "item"), "id", "type", "role")
            self._text = []
        elif kind == "response.output_text.delta":
            self._at = _fields_of(frame, "item_id", "output_index", "content_index")
            self._text.append(text_at(frame, "delta"))
        elif kind == "response.output_item.done":
            self._at, self._text = {}, []

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the events that end part, item and response."""
        at = self._at or {"item_id": self._item.get("id"), "output_index": 0, "content_index": 0}
        place = {name: at.get(name, 0) for name in ("item_id", "output_index", "content_index")}
        complete, status = "".join([*self._text, text]), "completed" if text else "incomplete"
        part = {"type": "output_text", "text": complete, "annotations": []}
        item = {
            "type": "message",
            "role": "assistant",
            **self._item,
            "status": status,
            "content": [part],
        }
        response = {
            "id": "resp_streamguard",
            "object": "response",
            "created_at": 0,
            "model": "unknown",
            **self._head,
            "status": status,
            "incomplete_details": None if text else {"reason": "content_filter"},
            "output": [item],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
        delta = {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
        done = {"type": "response.output_text.done", **place, "text": complete, "logprobs": []}
        index = {"output_index": place["output_index"]}
        events = [
            *([delta] if text else []),
            done,
            {"type": "response.content_part.done", **place, "part": part},
            {"type": "response.output_item.done", **index, "item": item},
            {"type": f"response.{status}", "response": response},
        ]
        return [
            {**event, "sequence_number": number}
            for number, event in enumerate(events, self._number)
        ]

    def mark_stopped(self, answer: dict[str, Any]) -> None:
        """Set the response to incomplete with the reason `content_filter`."""
        answer["status"] = "incomplete"
        answer["incomplete_details"] = {"reason": "content_filter"}


class AnthropicEnding(Ending):
    """Ends an Anthropic message: the open block, `message_delta`, `message_stop`."""

    def __init__(self) -> None:
        self._next = 0  # the index of the next block
        self._open: int | None = None
        self._is_text = False

    def note(self, frame: Any) -> None:
        """Note which block is open."""
        kind, index = text_at(frame, "type"), field(frame, "index")
        if kind == "content_block_start" and isinstance(index, int):
            self._open, self._next = index, index + 1
            self._is_text = text_at(frame, "content_block", "type") == "text"
        elif kind == "content_block_stop":
            self._open = None

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the events that end block and message: `stop_reason` is `refusal`."""
        found: list[dict[str, Any]] = []
        if text and not (self._open is not None and self._is_text):
            found += self._closed()
            self._open, self._is_text = self._next, True
            block = {"type": "text", "text": ""}
            found.append(
                {"type": "content_block_start", "index": self._open, "content_block": block}
            )
        if text:
            delta = {"type": "text_delta", "text": text}
            found.append({"type": "content_block_delta", "index": self._open, "delta": delta})
        ended = {"stop_reason": "end_turn" if text else "refusal", "stop_sequence": None}
        return [
            *found,
            *self._closed(),
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0}},
            {"type": "message_stop"},
        ]

    def mark_stopped(self, answer: dict[str, Any]) -> None:
        """Set the message's reason to `refusal`."""
        answer["stop_reason"] = "refusal"

    def _closed(self) -> list[dict[str, Any]]:
        if self._open is None:
            return []
        return [{"type": "content_block_stop", "index": self._open}]


class GeminiEnding(Ending):
    """Ends Gemini's responses: one more with the reason `SAFETY`."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._open: dict[int, bool] = {0: True}

    def see(self, frame: Any) -> None:
        """Note the candidates: of a held answer none may have left."""
        for index, _ in numbered(frame, "candidates"):
            self._open.setdefault(index, True)

    def note(self, frame: Any) -> None:
        """Note which candidates have ended, and a response's other fields."""
        self._head = _fields_of(frame, "modelVersion", "responseId") or self._head
        for index, candidate in numbered(frame, "candidates"):
            if field(candidate, "finishReason") or field(candidate, "finish_reason"):
                self._open[index] = False

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return one response that ends every open candidate, with the text in its own."""
        candidates = []
        for index in (index for index, is_open in self._open.items() if is_open):
            content = {"parts": [{"text": text if index == choice else ""}], "role": "model"}
            reason = "STOP" if text else "SAFETY"
            candidates.append({"content": content, "finishReason": reason, "index": index})
        return [{"candidates": candidates, **self._head}] if candidates else []

    def mark_stopped(self, answer: dict[str, Any]) -> None:
        """Set the reason of every candidate to `SAFETY`."""
        for _, candidate in numbered(answer, "candidates"):
            if isinstance(candidate, dict):
                candidate["finishReason"] = "SAFETY"


class CohereEnding(Ending):
    """Ends a Cohere message: the open content, then `message-end`."""

    def __init__(self) -> None:
        self._open: int | None = None

    def note(self, frame: Any) -> None:
        """Note which content is open."""
        kind, index = text_at(frame, "type"), field(frame, "index")
        if kind in ("content-start", "content-delta"):
            self._open = index if isinstance(index, int) else 0
        elif kind == "content-end":
            self._open = None

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the events that end content and message."""
        found: list[dict[str, Any]] = []
        if text:
            content = {"type": "text", "text": text if self._open is None else ""}
            if self._open is None:
                self._open = 0
                message: dict[str, Any] = {"message": {"content": content}}
                found.append({"type": "content-start", "index": 0, "delta": message})
            else:
                message = {"message": {"content": {"text": text}}}
                found.append({"type": "content-delta", "index": self._open, "delta": message})
        if self._open is not None:
            found.append({"type": "content-end", "index": self._open})
        # Cohere has no reason for a filter: an answer stopped after its last token is COMPLETE.
        return [*found, {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}]


# Clients read these fields of the last line without a check, so they are there, as zeros.
_FIGURES = (
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
)
_NO_FIGURES = dict.fromkeys(_FIGURES, 0)


class OllamaEnding(Ending):
    """Ends Ollama's lines: a last one with `done` and the text."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}
        self._generates = False

    def see(self, frame: Any) -> None:
        """Note the endpoint (chat or generate) and the model."""
        self._last = _fields_of(frame, "model", "created_at") or self._last
        self._generates = self._generates or field(frame, "response") is not None

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the last line; its reason is `stop`, as Ollama has no filter."""
        head = {"model": "unknown", "created_at": "1970-01-01T00:00:00Z", **self._last}
        content: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
        if self._generates:
            content = {"response": text}
        return [{**head, **content, "done": True, "done_reason": "stop", **_NO_FIGURES}]


class UIMessageEnding(Ending):
    """Ends a UI message: the open text, then `finish` with the reason `content-filter`."""

    def __init__(self) -> None:
        self._open: str | None = None

    def note(self, frame: Any) -> None:
        """Note which text is open."""
        kind = text_at(frame, "type")
        if kind in ("text-start", "text-delta"):
            self._open = text_at(frame, "id")
        elif kind == "text-end":
            self._open = None

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the parts that end text and message."""
        found: list[dict[str, Any]] = []
        if text and self._open is None:
            self._open = "streamguard-text"
            found.append({"type": "text-start", "id": self._open})
        if text:
            found.append({"type": "text-delta", "id": self._open, "delta": text})
        if self._open is not None:
            found.append({"type": "text-end", "id": self._open})
        return [*found, {"type": "finish-step"}, {"type": "finish"}]


class PlainEnding(Ending):
    """Ends JSON of no protocol: a frame like the others, with the text in it."""

    def __init__(self) -> None:
        self._like: Any = None  # a frame that had text

    def see(self, frame: Any) -> None:
        """Note a frame that has text."""
        if text_in(frame)[0]:
            self._like = frame

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return a frame with the text."""
        if not text or self._like is None:
            return super().frames(text, choice)
        return [with_texts(self._like, {0: text}, lambda frame: {0: text_in(frame)[0] or ""})]


# By the dialect's name; any other stream just ends, with the text in no frame.
ENDINGS: Mapping[str, Callable[[], Ending]] = {
    "openai_chat": ChatEnding,
    "openai_completions": ChatEnding,
    "openai_responses": ResponsesEnding,
    "anthropic": AnthropicEnding,
    "gemini": GeminiEnding,
    "gemini_array": GeminiEnding,
    "cohere": CohereEnding,
    "ollama": OllamaEnding,
    "ui_message": UIMessageEnding,
    "plain_events": PlainEnding,
    "plain_lines": PlainEnding,
}
ENDS_WITH_DONE = frozenset({"openai_chat", "openai_completions", "cohere", "ui_message"})
