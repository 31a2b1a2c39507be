"""LangGraph's server: events of a run, identified by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.agents.quiet import QuietReader, no_answer, quiet
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.fields import has_unread_text, items, message_text, text_at

_KNOWN_EVENTS = (
    "messages",
    "metadata",
    "end",
    "error",
    "feedback",
)  # events that are read, or hold no text


def _named(event: SSEEvent, name: str) -> SSEEvent:
    return SSEEvent(event.raw, name, event.data, event.id)


class LangGraphReader(QuietReader):
    """Reads a LangGraph server's runs: model messages, as pieces or growing."""

    open_ended = True  # not every server sends `end`

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}  # by message, where they grow

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text in one event; the event's name determines its form."""
        name = event.event.partition("|")[0]  # of a graph within, behind the bar
        self.done = self.done or name == "end"
        self._strange = self._strange or not (event.data is None or name.startswith(_KNOWN_EVENTS))
        if event.data is None or not name.startswith("messages"):
            return {} if name != "error" else super().read(_named(event, name))
        return super().read(_named(event, name))

    def parse(self, data: str) -> Mapping[str, Any]:
        """Return an event's list of messages as a mapping with one key of ours."""
        return super().parse(f'{{"messages":{data}}}')

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the new text in a model's messages."""
        text = "".join(map(self._added, items(frame, "messages")))
        return {0: text} if text else {}

    def _added(self, message: Any) -> str:
        kind = text_at(message, "type")
        if kind in ("AIMessageChunk", "ai"):
            self._odd = self._odd or has_unread_text(message)
        if kind == "AIMessageChunk":
            return _text(message)
        if kind != "ai":
            return ""
        text, key = _text(message), text_at(message, "id")
        before = self._texts.get(key, "")
        self._odd = self._odd or not (text.startswith(before) or before.startswith(text))
        self._texts[key] = max(text, before, key=len)
        return text[len(before) :]

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return True: only message events are passed in."""
        return True


def _text(message: Any) -> str:
    """Return a message's text; LangChain keeps a refusal among the provider's extra fields."""
    return message_text(message) + text_at(message, "additional_kwargs", "refusal")


LANGGRAPH = quiet("langgraph", LangGraphReader, no_answer)
