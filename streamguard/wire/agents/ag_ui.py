"""AG-UI: events of a run of agents, told by their `type`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.agents.quiet import QuietReader, no_answer, quiet
from streamguard.wire.fields import text_at


class AGUIReader(QuietReader):
    """Reads AG-UI: the text messages of one run, whoever of its agents says them."""

    _KINDS = ("RUN_", "STEP_", "TEXT_", "TOOL_", "STATE_", "MESSAGES_", "ACTIVITY_", "REASONING_",
              "THINKING_", "RAW", "CUSTOM")  # how their types begin  # fmt: skip

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a message's piece."""
        said = text_at(frame, "type") in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")
        text = text_at(frame, "delta") if said else ""
        return {0: text} if text else {}

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Say whether an event has a type of the protocol's."""
        return text_at(frame, "type").startswith(self._KINDS)

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember how the run ended."""
        kind = text_at(frame, "type")
        self.failed = self.failed or kind == "RUN_ERROR"
        self.done = self.done or kind == "RUN_FINISHED"
        self._strange = self._strange or kind in ("MESSAGES_SNAPSHOT", "CUSTOM", "RAW")


AG_UI = quiet("ag_ui", AGUIReader, no_answer)
