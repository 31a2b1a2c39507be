"""LiteLLM: a guardrail class for its proxy that judges streamed and whole answers.

In the proxy's `config.yaml`:

    guardrails:
      - guardrail_name: streamguard
        litellm_params:
          guardrail: streamguard.integrations.litellm.StreamguardGuardrail
          mode: post_call
          default_on: true
          policy: strict

Needs the extra `litellm`. `litellm_api` does the same as a server of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.llms.openai import ResponsesAPIResponse
from litellm.types.utils import ModelResponse, ModelResponseStream

from streamguard.adapters import adapter_for
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.errors import ConfigError, DecodeError
from streamguard.integrations.options import KEY, ContextOf, Options, as_data, context_for
from streamguard.integrations.streams import BrokenOffError, Until, judged
from streamguard.stream import guard
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.fields import text_at
from streamguard.wire.protocols import anthropic, openai_chat, openai_responses
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.reader import read_frame
from streamguard.wire.requests.shown import context_of_request


class StreamguardGuardrail(CustomGuardrail):
    """Hands every chunk on as it is, and says the verdict in one more ordinary chunk.

    The verdict is the key `streamguard` of that chunk, which comes before the one with the usage,
    and is in its `provider_specific_fields` too; with `live` each settled sentence has one. On
    `/v1/responses` it is a key of the `response` in the last event, on `/v1/messages` of the last
    `message_delta`. A whole answer gets the key itself. LiteLLM's log gets it without any text.
    `context` may be a function of the request; without it the request's messages are read.
    `policy` may be a name. The other options are those of `guard`, or LiteLLM's. Never blocks.
    """

    def __init__(self, context: ContextOf = None, **options: Any) -> None:
        self._context = context_of_request if context is None else context
        ours = {name: options.pop(name) for name in Options.__optional_keys__ & set(options)}
        if isinstance(policy := ours.get("policy"), str):
            ours["policy"] = Policy.preset(policy)
        self._options = cast("Options", ours)
        super().__init__(**options)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Yield every chunk of `response`, and the verdict behind the last text."""
        last: Any = None
        context = context_for(self._context, request_data)
        read = _reading()
        frames = Until(_frames(response), _End(), read)
        options = cast("Options", {**self._options, "text": self._options.get("text", read)})
        try:
            stream = guard(frames.upto(), context=context, **options)
            with suppress(BrokenOffError):
                async with stream:
                    async for item in stream:
                        if isinstance(item, Annotation):
                            break
                        if isinstance(item, SentenceAnnotation):
                            if isinstance(last, ModelResponseStream):
                                yield _chunk(last, as_data(item))
                            continue
                        if frames.is_end(item):
                            continue
                        last = item
                        yield _as_sent(item)
            annotation = stream.annotation
            self._log(annotation, request_data)
            # Other routes of the proxy stream other things; what they are is theirs to say.
            if isinstance(last, ModelResponseStream):
                yield _chunk(last, as_data(annotation))
            for item in frames.end:
                yield _as_sent(_attached(annotation, item))
            async for item in frames.rest():
                yield _as_sent(item)
        finally:
            await frames.aclose()

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Put the verdict on a whole answer into it."""
        message = isinstance(response, dict) and ANTHROPIC.answer(response) is not None
        if message or isinstance(response, ModelResponse | ResponsesAPIResponse):
            context = context_for(self._context, data)
            annotation = await judged(response, context, {"text": _text, **self._options})
            self._log(annotation, data)
            if message:
                response[KEY] = as_data(annotation)
            else:
                setattr(response, KEY, as_data(annotation))
        return response

    def _log(self, annotation: Annotation, request_data: dict[str, Any]) -> None:
        flagged = annotation.result is not None and annotation.result.status in {"WARN", "REFUSE"}
        self.add_standard_logging_guardrail_information_to_request_data(
            guardrail_json_response=as_data(annotation.without_text()),
            request_data=request_data,
            guardrail_status="guardrail_flagged" if flagged else "success",
            guardrail_provider=KEY,
        )


async def _frames(source: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the items of a stream; bytes, which may be cut anywhere, as events. Closes it."""
    decoder = SSEDecoder()
    try:
        async for item in source:
            for each in decoder.feed(item) if isinstance(item, bytes) else (item,):
                yield each
        for each in decoder.close():
            yield each
    finally:
        aclose = getattr(source, "aclose", None)
        if aclose is not None:
            await aclose()


def _as_sent(item: Any) -> Any:
    return item.raw if isinstance(item, SSEEvent) else item


class _End:
    """Where an answer's end begins, by the protocol of its items.

    That is the usage of Chat Completions, where it comes; the last event of Responses; the event
    of Messages that says why the answer stopped.
    """

    def __init__(self) -> None:
        self._over = False
        self._seen: set[int] = set()  # choices that spoke
        self._ended: set[int] = set()

    @property
    def broken(self) -> bool:
        """Whether some choice spoke that has not ended."""
        return not self._over and not self._seen <= self._ended

    def __call__(self, item: Any) -> bool:
        if isinstance(item, ModelResponseStream):
            if openai_chat.is_usage(item, self._ended):
                return True
            self._seen.update(openai_chat.text_of(item))
            self._ended.update(openai_chat.finished(item))
            return False
        if isinstance(item, SSEEvent):
            frame = _parsed(item)
            ends, said = anthropic.finished(frame), anthropic.text_of(frame)
        else:
            ends = openai_responses.finished(item)
            said = {0: ""} if self._seen or openai_responses.brings_text(item) else {}
        self._seen.update(said)
        failed = text_at(item, "type") == "response.failed"
        self._over = bool(ends) and not failed
        return bool(ends)


def _attached(annotation: Annotation, end: Any) -> Any:
    """Return the end of an answer with the annotation, where it has room for it."""
    if isinstance(end, SSEEvent):
        raw = ANTHROPIC.reader().attached(end, annotation.to_json())
        return end if raw is None else SSEEvent(raw, end.event, end.data)
    if openai_responses.finished(end):
        setattr(end.response, KEY, as_data(annotation))
    return end


def _parsed(event: SSEEvent) -> Mapping[str, Any]:
    try:
        return read_frame(event.data or "")
    except DecodeError:
        return {}


def _reading() -> Callable[[Any], Any]:
    """Return what reads the text of one stream, each part of a response once."""
    output = openai_responses.OutputText()

    def text(item: Any) -> Any:
        is_response = text_at(item, "type").startswith("response.")
        return output.take(item) if is_response else _text(item)

    return text


def _text(item: Any) -> Any:
    """Return the text of whatever a route streams, none of what nobody knows."""
    if isinstance(item, ModelResponse | ModelResponseStream):
        return openai_chat.text_of(item)
    if isinstance(item, SSEEvent):
        return anthropic.text_of(_parsed(item))
    if isinstance(item, ResponsesAPIResponse):
        return openai_responses.text_of(item)
    if isinstance(item, dict) and (whole := ANTHROPIC.answer(item)) is not None:
        return whole
    try:
        return None if isinstance(item, str) else adapter_for(item).text(item)
    except ConfigError:
        return None


def _chunk(last: ModelResponseStream, data: Mapping[str, Any]) -> ModelResponseStream:
    choice = {"index": 0, "delta": {}, "finish_reason": None}
    return ModelResponseStream(
        id=last.id,
        created=last.created,
        model=last.model,
        choices=[choice],
        # LiteLLM's proxy serialises keys of others only beside these.
        provider_specific_fields={KEY: data},
        **{KEY: data},
    )
