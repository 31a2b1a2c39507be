"""LiteLLM: a guardrail class for its proxy that judges answers, streamed or not.

In the proxy's `config.yaml`:

    guardrails:
      - guardrail_name: streamguard
        litellm_params:
          guardrail: streamguard.integrations.litellm.StreamguardGuardrail
          mode: post_call
          default_on: true
          policy: strict

Needs the extra `litellm`. `litellm_guardrail` holds answers back and masks requests as well;
`litellm_api` does the same as this as a server of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.utils import ModelResponseStream

from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.integrations.litellm_answers import annotated, is_answer
from streamguard.integrations.litellm_items import (
    End,
    as_sent,
    attached,
    chunk_with,
    frames_of,
    reading,
    text_in_item,
)
from streamguard.integrations.options import KEY, ContextOf, Options, as_data, context_for
from streamguard.integrations.streams import BrokenOffError, Until, judged
from streamguard.stream import guard
from streamguard.wire.requests.shown import context_of_request


class StreamguardGuardrail(CustomGuardrail):
    """Passes every chunk on unchanged, and adds the verdict in one more ordinary chunk.

    The verdict is the key `streamguard` of that chunk, which comes before the one with the usage,
    and is in its `provider_specific_fields` too; with `live` each settled sentence has one. On
    `/v1/responses` it is a key of the `response` in the last event, on `/v1/messages` of the last
    `message_delta`. A complete answer gets the key itself. LiteLLM's log gets it without any text.
    `context` may be a function of the request; without it the request's messages are read. `policy`
    may be a name. The other options are those of `guard`, or LiteLLM's. Never blocks.
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
        """Yield every chunk of `response`, and the verdict after the last text."""
        last: Any = None
        context = context_for(self._context, request_data)
        read = reading()
        frames = Until(frames_of(response), End(), read)
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
                                yield chunk_with(last, as_data(item))
                            continue
                        if frames.is_end(item):
                            continue
                        last = item
                        yield as_sent(item)
            annotation = stream.annotation
            self._log(annotation, request_data)
            # Other routes of the proxy stream other things, of other kinds.
            if isinstance(last, ModelResponseStream):
                yield chunk_with(last, as_data(annotation))
            for item in frames.end:
                yield as_sent(attached(annotation, item))
            async for item in frames.rest():
                yield as_sent(item)
        finally:
            await frames.aclose()

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Return a complete answer with the verdict added."""
        if not is_answer(response):
            return response
        context = context_for(self._context, data)
        annotation = await judged(response, context, {"text": text_in_item, **self._options})
        self._log(annotation, data)
        return annotated(response, annotation)

    def _log(self, annotation: Annotation, request_data: dict[str, Any]) -> None:
        flagged = annotation.result is not None and annotation.result.status in {"WARN", "REFUSE"}
        acted = annotation.hold is not None and annotation.hold.action != "none"
        status = "guardrail_flagged" if flagged else "success"
        if acted:
            status = "guardrail_intervened"
        self.add_standard_logging_guardrail_information_to_request_data(
            guardrail_json_response=as_data(annotation.without_text()),
            request_data=request_data,
            guardrail_status=status,
            guardrail_provider=KEY,
        )
