"""AG-UI: events of a run of agents, identified by their `type`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streamguard.wire.agents.quiet import QuietReader, no_answer, quiet
from streamguard.wire.brought.in_agents import brought_by_ag_ui
from streamguard.wire.fields import field, items, joined, parts_text, text_at
from streamguard.wire.found import MAX_KEPT_CHARS

_MOST_COMPARED = 4_194_304  # characters, in addition to 16 times the text; guess


class AGUIReader(QuietReader):
    """Reads AG-UI: the text messages of one run, from any of its agents."""

    kinds = (
        "RUN_",
        "STEP_",
        "TEXT_",
        "TOOL_",
        "STATE_",
        "MESSAGES_",
        "ACTIVITY_",
        "REASONING_",
        "THINKING_",
        "RAW",
        "CUSTOM",
    )  # how their types begin
    brings = staticmethod(brought_by_ag_ui)

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, list[str]] = {}  # by message, in pieces
        self._chars = 0
        self._compared = 0  # characters of it, compared with snapshots

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a message piece."""
        is_text = text_at(frame, "type") in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")
        text = text_at(frame, "delta") if is_text else ""
        self._chars += len(text)
        if text and self._chars <= MAX_KEPT_CHARS:
            self._texts.setdefault(text_at(frame, "messageId"), []).append(text)
        return {0: text} if text else {}

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a text event that lacks its usual text field, else None."""
        kind = text_at(frame, "type")
        return frame if kind.startswith("TEXT_") and not text_at(frame, "delta") else None

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember how the run ended."""
        kind = text_at(frame, "type")
        self.failed = self.failed or kind == "RUN_ERROR"
        self.done = self.done or kind == "RUN_FINISHED"
        self._strange = self._strange or kind in ("MESSAGES_SNAPSHOT", "CUSTOM", "RAW")
        if kind == "MESSAGES_SNAPSHOT" and 0 < self._chars <= MAX_KEPT_CHARS:
            self._odd = self._odd or self._changes(items(frame, "messages"))

    def _changes(self, messages: Sequence[Any]) -> bool:
        """Return whether a snapshot has new words after the user's last message."""
        self._compared += self._chars
        if self._compared > _MOST_COMPARED + 16 * self._chars:
            return True  # nobody knows
        known = {joined(pieces).strip() for pieces in self._texts.values()}
        for message in reversed(messages):
            if text_at(message, "role") == "user":
                break
            text = parts_text(field(message, "content")).strip()
            if text_at(message, "role") == "assistant" and text and text not in known:
                return True
        return False


AG_UI = quiet("ag_ui", AGUIReader, no_answer)
