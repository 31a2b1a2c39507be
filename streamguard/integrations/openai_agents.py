"""OpenAI Agents SDK: a model wrapper that judges answers, and an output guardrail that never trips.

    agent = Agent(name="support", model=GuardedModel(model, sinks=[...]), tools=tools)
    agent = Agent(name="support", output_guardrails=[output_guardrail(context)])

`guard(result.stream_events(), context=context)` reads a run's events unchanged. Needs the extra
`openai-agents`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Unpack

from agents import Agent, GuardrailFunctionOutput, OutputGuardrail, RunContextWrapper
from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
from agents.models.interface import Model

from streamguard.core.context import Context
from streamguard.integrations.options import KEY, ContextOf, Options, as_data, context_for
from streamguard.integrations.streams import BrokenOffError, Until, judged, while_true
from streamguard.stream import ContextSource, guard
from streamguard.wire.fields import text_at
from streamguard.wire.protocols import openai_responses
from streamguard.wire.requests.shown import ContextFrom, context_of_request


class GuardedModel(Model):
    """Passes a model's events on unchanged; the last one gets the verdict.

    The verdict is the key `streamguard` of the response in `response.completed`. `context` may be a
    function of the input items; without it `context_of` reads them. A response that only calls
    tools is not judged. The other options are those of `guard`.
    """

    def __init__(self, model: Model, context: ContextOf = None, **options: Unpack[Options]) -> None:
        self._model = model
        self._context = context
        self._options = options

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        *args: Any,
        **kwargs: Any,
    ) -> ModelResponse:
        """Return the model's response; the verdict goes to the sinks."""
        response = await self._model.get_response(system_instructions, input, *args, **kwargs)
        if openai_responses.text_of(response):
            context = self._context_for(system_instructions, input)
            await judged(response, context, {"text": openai_responses.text_of, **self._options})
        return response

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        *args: Any,
        **kwargs: Any,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Yield the model's events."""
        source = self._model.stream_response(system_instructions, input, *args, **kwargs)
        said = False
        sinks = while_true(lambda: said, self._options.get("sinks", ()))
        read = openai_responses.OutputText().take
        options: Options = {"text": read, **self._options, "sinks": sinks}
        context = self._context_for(system_instructions, input)
        events = Until(source, _End(), read)
        try:
            stream = guard(events.upto(), context=context, **options)
            with suppress(BrokenOffError):
                async with stream:
                    async for item in stream.items():
                        said = said or openai_responses.brings_text(item)
                        if not events.is_end(item):
                            yield item
            for event in events.end:
                response = getattr(event, "response", None)
                if said and response is not None:
                    setattr(response, KEY, as_data(stream.annotation))
                yield event
            async for event in events.rest():
                yield event
        finally:
            await events.aclose()

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def get_retry_advice(self, request: Any) -> Any:
        """Return the model's own advice."""
        return self._model.get_retry_advice(request)

    def _context_for(self, instructions: str | None, asked: Any) -> ContextSource | None:
        if self._context is None:
            return context_of(instructions, asked)
        return context_for(self._context, asked)


def output_guardrail(context: ContextOf = None, **options: Unpack[Options]) -> OutputGuardrail[Any]:
    """Return a guardrail that judges an agent's final text and never trips.

    Its result's `output_info` is the verdict. `context` may be a function of the run's
    `RunContextWrapper`.
    """

    async def streamguard(
        run: RunContextWrapper[Any], agent: Agent[Any], output: Any
    ) -> GuardrailFunctionOutput:
        if not isinstance(output, str):
            return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)
        annotation = await judged(output, context_for(context, run), options)
        return GuardrailFunctionOutput(output_info=as_data(annotation), tripwire_triggered=False)

    return OutputGuardrail(guardrail_function=streamguard, name=KEY)


def context_of(
    instructions: str | None,
    asked: str | list[TResponseInputItem],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a model call: the last question, passages, and tool results.

    `context_from` and `context_template` select the passages that count, as in
    `wire.requests.shown.context_of`.
    """
    request = {"instructions": instructions, "input": asked}
    return context_of_request(request, context_from=context_from, context_template=context_template)


class _End:
    """Detects a response's last event; a failed response, or one without end, broke off."""

    broken = True

    def __call__(self, event: Any) -> bool:
        ends = bool(openai_responses.finished(event))
        self.broken = not ends or text_at(event, "type") == "response.failed"
        return ends
