"""LangChain: any streaming runnable with its verdict, and an agent middleware.

    chain = guarded(prompt | model, context=lambda asked: Context(chunks=asked["passages"]))
    chain = prompt | guarded(model, context_of)  # where the prompt holds the passages
    agent = create_agent(model, tools, middleware=[StreamguardMiddleware()])

Needs the extra `langchain`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator
from langgraph.runtime import Runtime

from streamguard.core.context import Context
from streamguard.core.model.chunks import as_chunks
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import ContextOrigin, RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.integrations.options import (
    KEY,
    RESULT,
    SENTENCE,
    ContextOf,
    Options,
    as_data,
    context_for,
    context_now,
)
from streamguard.integrations.streams import judged
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from streamguard.wire.requests.shown import ContextFrom
from streamguard.wire.requests.shown import context_of as shown_in
from streamguard.wire.requests.tool_results import labelled

_CALL = "tool_call_id"
_ROLES = {"human": "user", "ai": "assistant"}


def guarded(
    runnable: Runnable[Any, Any], context: ContextOf = None, **options: Unpack[Options]
) -> Runnable[Any, Any]:
    """Return a runnable that yields the chunks of `runnable` unchanged, then emits the verdict.

    The verdict is the custom event `streamguard.result` (`on_custom_event` of `astream_events` and
    of callback handlers); with `live`, each settled sentence is a `streamguard.sentence`. After
    message chunks, an extra one with empty content carries it in
    `response_metadata["streamguard"]`, as does the result of `invoke`. Strings (after an output
    parser) cannot carry it: use the events or `sinks`. `context` may be a function of the
    runnable's input. The other options are those of `guard`; a chain that yields dicts needs
    `text`.
    """

    async def astream(inputs: AsyncIterator[Any], config: RunnableConfig) -> AsyncIterator[Any]:
        asked = _joined([part async for part in inputs])
        messages = False
        source = runnable.astream(asked, config)
        async with guard(source, context=context_for(context, asked), **options) as stream:
            async for item in stream:
                if isinstance(item, SentenceAnnotation):
                    await adispatch_custom_event(SENTENCE, as_data(item), config=config)
                elif isinstance(item, Annotation):
                    data = as_data(item)
                    await adispatch_custom_event(RESULT, data, config=config)
                    if messages:
                        yield _last_chunk(data)
                else:
                    messages = isinstance(item, AIMessageChunk)
                    yield item

    def stream(inputs: Iterator[Any], config: RunnableConfig) -> Iterator[Any]:
        asked = _joined(inputs)
        messages = False
        source = runnable.stream(asked, config)
        with guard_sync(source, context=context_now(context, asked), **options) as stream:
            for item in stream:
                if isinstance(item, SentenceAnnotation):
                    dispatch_custom_event(SENTENCE, as_data(item), config=config)
                elif isinstance(item, Annotation):
                    data = as_data(item)
                    dispatch_custom_event(RESULT, data, config=config)
                    if messages:
                        yield _last_chunk(data)
                else:
                    messages = isinstance(item, AIMessageChunk)
                    yield item

    return RunnableGenerator(stream, astream, name=KEY)


class StreamguardMiddleware(AgentMiddleware[Any, Any]):
    """Checks an agent's answers against its tools' results.

    The verdict is in the answer's `response_metadata["streamguard"]`, and comes in
    `stream_mode="custom"` as `{"streamguard": ...}` when the model's stream is over. A message that
    calls tools is not judged. `context` may be a function of the messages so far; without it
    `context_of` reads them.
    """

    def __init__(self, context: ContextOf = None, **options: Unpack[Options]) -> None:
        super().__init__()
        self._context = context_of if context is None else context
        self._options = options

    def after_model(
        self, state: AgentState[Any], runtime: Runtime[Any]
    ) -> dict[str, list[BaseMessage]] | None:
        """Add the verdict to the model's latest answer."""
        *before, answer = state["messages"]
        if not _is_answer(answer):
            return None
        context = context_now(self._context, before)
        with guard_sync([str(answer.text)], context=context, **self._options) as stream:
            for _ in stream.items():
                pass
        return _with_verdict(answer, stream.annotation, runtime)

    async def aafter_model(
        self, state: AgentState[Any], runtime: Runtime[Any]
    ) -> dict[str, list[BaseMessage]] | None:
        """Like `after_model` in async code, where context and sinks may be awaited."""
        *before, answer = state["messages"]
        if not _is_answer(answer):
            return None
        context = context_for(self._context, before)
        annotation = await judged(str(answer.text), context, self._options)
        return _with_verdict(answer, annotation, runtime)


def _is_answer(message: BaseMessage) -> bool:
    return isinstance(message, AIMessage) and not message.tool_calls and bool(message.text)


def _with_verdict(
    answer: BaseMessage, annotation: Annotation, runtime: Runtime[Any]
) -> dict[str, list[BaseMessage]]:
    data = as_data(annotation)
    runtime.stream_writer({KEY: data})
    known = {**answer.response_metadata, KEY: data}
    return {"messages": [answer.model_copy(update={"response_metadata": known})]}


def context_of(
    asked: PromptValue | str | Sequence[BaseMessage],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a prompt: the last question, passages, and tool results.

    If a tool's artifact is a list of documents, they replace its text. `context_from` and
    `context_template` select the passages that count, as in `wire.requests.shown.context_of`.
    Raises `ConfigError` for anything but a prompt, such as a template's variables.
    """
    documents: list[RetrievedChunk] = []
    turns: list[dict[str, Any]] = []
    for message in _messages(asked):
        found = _documents(getattr(message, "artifact", None))
        documents += found
        if not found:
            role, call = _ROLES.get(message.type, message.type), getattr(message, _CALL, None)
            turns.append({"role": role, "content": str(message.text), _CALL: call})
    shown = shown_in(turns, context_from=context_from, context_template=context_template)
    if not documents:
        return shown
    origins = (*shown.origins, ContextOrigin("tool", None, len(documents)))
    return replace(shown, chunks=[*(shown.chunks or ()), *documents], origins=origins)


def _messages(asked: PromptValue | str | Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    if isinstance(asked, PromptValue):
        messages: Sequence[BaseMessage] = asked.to_messages()
        return messages
    messages = [HumanMessage(asked)] if isinstance(asked, str) else asked
    if isinstance(messages, Mapping) or not all(isinstance(it, BaseMessage) for it in messages):
        raise ConfigError(
            f"context_of got a {type(asked).__name__}, expected a prompt, a str or messages: guard"
            " the model behind the prompt, prompt | guarded(model, context_of)"
        )
    return messages


def _documents(artifact: Any) -> list[RetrievedChunk]:
    if isinstance(artifact, list) and all(isinstance(each, Document) for each in artifact):
        return labelled(as_chunks(artifact))
    return []


def _joined(parts: Iterable[Any]) -> Any:
    """Return an input that arrived in parts, joined as for runnables that take it at once."""
    whole: Any = None
    for part in parts:
        try:
            whole = part if whole is None else whole + part
        except TypeError:  # as LangChain has it: of what cannot be added up the last counts
            whole = part
    return whole


def _last_chunk(data: dict[str, Any]) -> AIMessageChunk:
    return AIMessageChunk(content="", response_metadata={KEY: data})
