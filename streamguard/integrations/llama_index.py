"""LlamaIndex: adds the verdict to an LLM's stream or a query engine's streamed response.

    stream = guarded(await llm.astream_chat(messages), context_of(messages))
    response = guarded_response(query_engine.query(question), question)

Needs the extra `llama-index`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar, Unpack

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events import BaseEvent

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.errors import ConfigError
from streamguard.integrations.options import KEY, Options, as_data
from streamguard.stream import Source, guard
from streamguard.stream_sync import guard_sync
from streamguard.wire.requests.shown import ContextFrom
from streamguard.wire.requests.shown import context_of as shown_in

Keep = Callable[[Annotation], None]
Answer = TypeVar("Answer", Response, StreamingResponse, AsyncStreamingResponse, AgentChatResponse)
_ANSWERS = (Response, StreamingResponse, AsyncStreamingResponse, AgentChatResponse)

dispatcher = get_dispatcher(__name__)


class LlamaIndexResult(BaseEvent):
    """The verdict on an answer, as JSON values, for LlamaIndex's instrumentation."""

    annotation: dict[str, Any]


class LlamaIndexSentence(BaseEvent):
    """A settled sentence (`live=True`), as JSON values."""

    annotation: dict[str, Any]


# The names that listeners import.
StreamguardResult = LlamaIndexResult
StreamguardSentence = LlamaIndexSentence


def guarded(
    source: Source[Any], context: Context | None = None, **options: Unpack[Options]
) -> AsyncIterator[Any]:
    """Return the responses of `astream_chat` or `astream_complete` unchanged, then the verdict.

    The verdict comes as one more response with an empty delta and
    `additional_kwargs["streamguard"]`, and as the event `LlamaIndexResult`; for plain strings as
    the event alone. The options are those of `guard`.
    """
    return _items(source, context, options, _nothing)


async def _items(
    source: Source[Any], context: Context | None, options: Options, keep: Keep
) -> AsyncIterator[Any]:
    last: Any = None
    async with guard(source, context=context, **options) as stream:
        async for item in stream:
            if not isinstance(item, SentenceAnnotation | Annotation):
                last = item
                yield item
            elif (told := _emitted(item, last, keep)) is not None:
                yield told


def guarded_sync(
    source: Any, context: Context | None = None, **options: Unpack[Options]
) -> Iterator[Any]:
    """Like `guarded`, for `stream_chat` and `stream_complete`."""
    return _items_sync(source, context, options, _nothing)


def _items_sync(
    source: Any, context: Context | None, options: Options, keep: Keep
) -> Iterator[Any]:
    last: Any = None
    with guard_sync(source, context=context, **options) as stream:
        for item in stream:
            if not isinstance(item, SentenceAnnotation | Annotation):
                last = item
                yield item
            elif (told := _emitted(item, last, keep)) is not None:
                yield told


def guarded_response(
    response: Answer, query: str | None = None, **options: Unpack[Options]
) -> Answer:
    """Guard a query engine's streamed response in place, and return it.

    It is checked against its own `source_nodes`. After reading, the verdict is in
    `metadata["streamguard"]`; it is pending while a verifier runs. A complete response, also of a
    chat engine, has it at once. Raises `ConfigError` for other objects.
    """
    if not isinstance(response, _ANSWERS):
        raise ConfigError(
            f"the response is a {type(response).__name__}, expected one of a query engine; guard"
            " the stream of a chat engine: guarded_sync(response.response_gen,"
            " Context(query=..., chunks=response.source_nodes))"
        )
    context = Context(query=query, chunks=response.source_nodes)

    def keep(annotation: Annotation) -> None:
        response.metadata = {**(response.metadata or {}), KEY: as_data(annotation)}

    with_keep: Options = {**options, "sinks": [keep, *options.get("sinks", ())]}
    if isinstance(response, Response | AgentChatResponse):
        for _ in _items_sync([response.response or ""], context, with_keep, keep):
            pass
    elif isinstance(response, StreamingResponse):
        response.response_gen = _items_sync(response.response_gen, context, with_keep, keep)
    else:
        response.response_gen = _items(response.response_gen, context, with_keep, keep)
    return response


def context_of(
    asked: str | Sequence[ChatMessage],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in an LLM's prompt: the question, passages, and tool results.

    `context_from` and `context_template` select the passages that count, as in
    `wire.requests.shown.context_of`.
    """
    said = partial(shown_in, context_from=context_from, context_template=context_template)
    if isinstance(asked, str):
        return said([{"role": "user", "content": asked}])
    messages: Sequence[Any] = asked
    turns = [
        {
            "role": message.role.value,
            "content": message.content,
            "tool_call_id": message.additional_kwargs.get("tool_call_id"),
        }
        for message in messages
    ]
    return said(turns)


def _nothing(annotation: Annotation) -> None:
    pass


def _emitted(annotation: Annotation | SentenceAnnotation, last: Any, keep: Keep) -> Any:
    """Emit the event; return a response with the verdict, None if it cannot carry one."""
    data = as_data(annotation)
    if isinstance(annotation, SentenceAnnotation):
        dispatcher.event(LlamaIndexSentence(annotation=data))
        return None
    if annotation.state == "pending":  # else the sinks had it
        keep(annotation)
    dispatcher.event(LlamaIndexResult(annotation=data))
    if isinstance(last, ChatResponse):
        return ChatResponse(message=last.message, delta="", additional_kwargs={KEY: data})
    if isinstance(last, CompletionResponse):
        return CompletionResponse(text=last.text, delta="", additional_kwargs={KEY: data})
    return None
