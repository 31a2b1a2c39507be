"""OpenAI Completions, requested with a prompt: Chat Completions with other frames.

Local servers and code completion clients use it. A choice's text stands in `text`; our frames have
an empty `text`, since clients of this protocol read no delta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from streamguard.wire.protocols.openai_chat import CHAT, ChatReader, is_completion

_SHAPE: Mapping[str, Any] = {"choices": [{"text": ""}]}


class CompletionsReader(ChatReader):
    """Reads the events of one Completions stream."""

    content_keys = ('"text":"', '"text": "')

    def __init__(self) -> None:
        super().__init__()
        self.last = _SHAPE  # until a frame shows another


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    return CHAT.answer(answer) if is_completion(answer) else None


COMPLETIONS = replace(CHAT, name="openai_completions", reader=CompletionsReader, answer=_answer)
