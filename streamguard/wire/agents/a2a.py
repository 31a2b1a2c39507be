"""A2A: task results as JSON-RPC responses between agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.agents.quiet import QuietReader, quiet
from streamguard.wire.fields import field, items, text_at

_REPEATED = 20  # a piece this long that equals the text so far is a repetition; guess
_WRAPPED = ("artifactUpdate", "statusUpdate", "message", "task")  # since version 1


class A2AReader(QuietReader):
    """Reads A2A: the messages and artifacts of a task, in the results of JSON-RPC."""

    open_ended = True  # a message by itself has no end sign

    def __init__(self) -> None:
        super().__init__()
        self._texts = ""

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a result; text that an artifact repeats is returned once."""
        text = _text(field(frame, "result"))
        if text == self._texts and len(text) >= _REPEATED:
            return {}
        self._texts += text
        return {0: text} if text else {}

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a frame is a JSON-RPC response."""
        return "jsonrpc" in frame

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember whether the task failed."""
        self.failed = self.failed or bool(frame.get("error"))
        state = text_at(_bare(field(frame, "result")), "status", "state")
        self.broken = self.broken or state.lower().endswith(("failed", "rejected", "canceled"))


def _bare(result: Any) -> Any:
    """Return the content of a version 1 wrapper; other results unchanged."""
    wrapped = (field(result, name) for name in _WRAPPED)
    return next((each for each in wrapped if isinstance(each, dict)), result)


def _text(result: Any) -> str:
    """Return the text of a message, artifact or task, in either version."""
    result = _bare(result)
    held = [result, field(result, "artifact"), *items(result, "artifacts")]
    held.append(field(field(result, "status"), "message"))
    messages = (each for each in held if not text_at(each, "role").lower().endswith("user"))
    return "".join(text_at(part, "text") for each in messages for part in items(each, "parts"))


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    text = _text(answer.get("result")) if "jsonrpc" in answer else ""
    return {0: text} if text else None


A2A = quiet("a2a", A2AReader, _answer)
