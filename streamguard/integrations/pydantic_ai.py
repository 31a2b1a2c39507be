"""pydantic-ai: a capability that judges an agent's answers, in every way to run it.

    agent = Agent(model, capabilities=[Streamguard(sinks=[jsonl_sink("verdicts.jsonl")])])
    async with agent.run_stream_events(question) as events: ...   # StreamguardResult comes last

Needs the extra `pydantic-ai`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import Any, Unpack

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    AgentStreamEvent,
    CapabilityEvent,
    ModelMessage,
    ModelRequest,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.framework_items import is_pydantic_ai, pydantic_ai_text
from streamguard.integrations.options import ContextOf, Options, as_data, context_for
from streamguard.integrations.streams import while_true
from streamguard.stream import guard
from streamguard.wire.requests.shown import ContextFrom
from streamguard.wire.requests.shown import context_of as shown_in


@dataclass(kw_only=True)
class StreamguardResult(CapabilityEvent, namespace="streamguard", name="result"):  # type: ignore[call-arg, unused-ignore]
    """The verdict on the text just streamed, as JSON values."""

    annotation: dict[str, Any]


@dataclass(kw_only=True)
class StreamguardSentence(CapabilityEvent, namespace="streamguard", name="sentence"):  # type: ignore[call-arg, unused-ignore]
    """A settled sentence (`live=True`), as JSON values."""

    annotation: dict[str, Any]


class Streamguard(AbstractCapability[Any]):
    """Passes an agent's events on unchanged, and adds a verdict after each streamed answer.

    `context` may be a function of pydantic-ai's `RunContext`; without it `context_of` reads the
    messages. The other options are those of `guard`.
    """

    def __init__(self, context: ContextOf = None, **options: Unpack[Options]) -> None:
        self._context = context
        self._options = options

    async def wrap_run_event_stream(
        self, ctx: RunContext[Any], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterator[AgentStreamEvent]:
        """Yield every event of `stream`; one without text (a tool's) gets no verdict."""
        context = context_for(self._context or (lambda _: context_of(ctx.messages)), ctx)
        said = False
        sinks = while_true(lambda: said, self._options.get("sinks", ()))
        options: Options = {"text": _text, **self._options, "sinks": sinks}
        async with guard(stream, context=context, **options) as guarded:
            async for item in guarded:
                if isinstance(item, SentenceAnnotation):
                    yield StreamguardSentence(annotation=as_data(item))
                elif isinstance(item, Annotation):
                    if said:
                        yield StreamguardResult(annotation=as_data(item))
                else:
                    said = said or bool(_text(item))
                    yield item


def context_of(
    messages: list[ModelMessage],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a run's messages: the last question, passages, and tool results.

    `context_from` and `context_template` select the passages that count, as in
    `wire.requests.shown.context_of`.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelRequest) and message.instructions:
            turns.append({"role": "system", "content": message.instructions})
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, SystemPromptPart):
                turns.append({"role": "system", "content": part.content})
            if isinstance(part, UserPromptPart):
                turns.append({"role": "user", "content": _text_of_prompt(part)})
            elif isinstance(part, ToolReturnPart):
                said = {"content": part.model_response_str(), "tool_call_id": part.tool_call_id}
                turns.append({"role": "tool", **said})
    return shown_in(turns, context_from=context_from, context_template=context_template)


def _text_of_prompt(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(each for each in part.content if isinstance(each, str))


def _text(event: Any) -> str:
    return pydantic_ai_text(event) if is_pydantic_ai(event) else ""
