"""Dify: events of chats, completions and workflows, identified by their `event`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.agents.quiet import QuietReader, quiet
from streamguard.wire.brought.in_agents import brought_by_dify
from streamguard.wire.fields import field, text_at

_KINDS = (
    "message",
    "agent_",
    "tts_",
    "workflow_",
    "node_",
    "parallel_",
    "iteration_",
    "loop_",
    "text_",
    "human_",
    "error",
    "ping",
)  # how the names of events begin


class DifyReader(QuietReader):
    """Reads Dify: the answer of a chat or completion, or the text of a workflow."""

    brings = staticmethod(brought_by_dify)

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text that an event adds to the answer."""
        kind = field(frame, "event")
        if kind in ("message", "agent_message"):
            text = text_at(frame, "answer")
        else:
            text = text_at(frame, "data", "text") if kind == "text_chunk" else ""
        return {0: text} if text else {}

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether an event has a kind and a task, as all Dify events do."""
        return isinstance(frame.get("event"), str)

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return an event of an unknown kind."""
        return None if text_at(frame, "event").startswith(_KINDS) else frame

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember how the answer ended, and whether it was withdrawn."""
        kind = frame.get("event")
        self.failed = self.failed or kind == "error"
        self.done = self.done or kind in ("message_end", "workflow_finished")
        self.broken = self.broken or text_at(frame, "data", "status") in ("failed", "stopped")
        self._odd = self._odd or kind in ("message_replace", "text_replace")
        self._strange = self._strange or kind == "workflow_finished"


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    text = text_at(answer, "answer")
    return {0: text} if text and "message_id" in answer else None


DIFY = quiet("dify", DifyReader, _answer)
