"""
title: streamguard
description: Lists the unsupported statements under each answer. Never blocks, never edits.
version: 0.1.0
license: Apache-2.0
requirements: streamguard-llm
"""  # noqa: D205, D400 -- read by Open WebUI as the frontmatter of a filter function

import json
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.integrations.streams import judged
from streamguard.wire.requests.shown import context_of

Emit = Callable[[dict[str, Any]], Awaitable[None]]

KEY = "streamguard"
# What Open WebUI puts into an answer and a model did not say to its reader.
_ASIDE = re.compile(r'(<details type="(?:reasoning|tool_calls|code_interpreter)"|</details>\s*)')
MAX_REMEMBERED = 1_000  # answers under way; guess: chats at once on one server


class Filter:
    """Paste this file as a function in Open WebUI; each answer gets a status line below it.

    The answer is checked against the sources that Open WebUI retrieved for it, else against
    passages in its prompt. Behind `streamguard proxy` the proxy's verdict is shown instead.
    """

    class Valves(BaseModel):
        """The settings of an administrator."""

        priority: int = 0
        policy: Literal["strict", "moderate", "lenient", "calibrated", "literal"] = "moderate"
        max_findings: int = Field(default=3, ge=0, description="findings named under an answer")
        context_template: str = Field(
            default="", description="your RAG template, with {context} and {question} in it"
        )

    def __init__(self) -> None:
        self.valves = self.Valves()
        self._contexts: OrderedDict[str, Context] = OrderedDict()
        self._results: OrderedDict[str, Mapping[str, Any]] = OrderedDict()

    def inlet(
        self, body: dict[str, Any], __metadata__: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Store the context in the prompt; return the body unchanged."""
        key = (__metadata__ or {}).get("message_id")
        if key:
            template = self.valves.context_template or None
            shown = context_of(body.get("messages"), context_template=template)
            _remember(self._contexts, key, shown)
        return body

    def stream(
        self, event: dict[str, Any], __metadata__: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Store an upstream proxy's verdict; return every event unchanged."""
        annotation = event.get(KEY) if isinstance(event, dict) else None
        key = (__metadata__ or {}).get("message_id")
        if key and isinstance(annotation, dict) and isinstance(annotation.get("result"), dict):
            _remember(self._results, key, annotation["result"])
        return event

    async def outlet(
        self, body: dict[str, Any], __event_emitter__: Emit | None = None
    ) -> dict[str, Any]:
        """Show the verdict on the last message as status lines; return the chat unchanged."""
        key = body.get("id") or ""
        context, result = self._contexts.pop(key, None), self._results.pop(key, None)
        messages = body.get("messages") or []
        answer = messages[-1] if messages else {}
        text = answer.get("content")
        if answer.get("role") != "assistant" or not isinstance(text, str) or not text:
            return body
        if result is None:
            found = _context_of_sources(answer.get("sources"), messages)
            policy = Policy.preset(self.valves.policy)
            annotation = await judged(_visible_text(text), found or context, {"policy": policy})
            result = json.loads(annotation.to_json())["result"] or {}
        if __event_emitter__ is not None:
            for line in _lines(result, self.valves.max_findings):
                status = {"description": line, "done": True}
                await __event_emitter__({"type": "status", "data": status})
        return body


def _context_of_sources(sources: Any, messages: list[dict[str, Any]]) -> Context | None:
    """Return the sources as chunks, numbered as Open WebUI numbers its citations."""
    if not isinstance(sources, list) or not sources:
        return None
    asked = [message.get("content") for message in messages if message.get("role") == "user"]
    chunks = [
        RetrievedChunk(
            "\n\n".join(text for text in source.get("document") or () if isinstance(text, str)),
            source=(source.get("source") or {}).get("name"),
        )
        for source in sources
        if isinstance(source, dict)
    ]
    query = asked[-1] if asked and isinstance(asked[-1], str) else None
    return Context(query=query, chunks=chunks)


def _visible_text(content: str) -> str:
    """Return the model's visible text."""
    before, end, behind = content.rpartition("</details>")
    parts, aside = [], False
    for part in _ASIDE.split(before + end):
        if part.startswith("<details type="):
            aside = True
        elif aside:
            aside = not part.startswith("</details>")
        else:
            parts.append(part)
    return "".join((*parts, behind)).strip()


def _lines(result: Mapping[str, Any], max_findings: int) -> list[str]:
    reasons = result.get("reasons") or ({"message": "checked"},)
    verdict = f"streamguard: {result.get('status') or 'no verdict'}. {reasons[0]['message']}"
    findings = result.get("findings") or ()
    messages = [finding["message"] for finding in findings if finding.get("message")]
    further = [message for message in messages if message not in verdict]
    return [verdict, *further[:max_findings]]


def _remember(kept: OrderedDict[str, Any], key: str, value: Any) -> None:
    kept[key] = value
    while len(kept) > MAX_REMEMBERED:
        kept.popitem(last=False)
