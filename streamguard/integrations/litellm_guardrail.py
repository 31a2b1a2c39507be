"""A guardrail for LiteLLM's proxy that masks requests and holds answers back.

In the proxy's `config.yaml`:

    guardrails:
      - guardrail_name: streamguard
        litellm_params:
          guardrail: streamguard.integrations.litellm_guardrail.Guardrail
          mode: [pre_call, post_call]
          default_on: true
          policy: {packs: [secrets, pii], block: [secret, pii], on_violation: mask}

Needs the extra `litellm`. The modes are LiteLLM's: `pre_call`, `during_call`, `post_call`,
`logging_only`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import ModelResponseStream

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.packs.checks import pack_checks
from streamguard.errors import DecodeError
from streamguard.integrations.litellm import StreamguardGuardrail
from streamguard.integrations.litellm_answers import (
    annotated,
    is_answer,
    texts_of,
    with_other_texts,
)
from streamguard.integrations.litellm_items import (
    End,
    as_sent,
    attached,
    chunk_with,
    is_known,
    made_for,
    text_in_item,
    told_frames_of,
)
from streamguard.integrations.litellm_params import policy_in
from streamguard.integrations.litellm_requests import RequestGuardrail
from streamguard.integrations.options import KEY, ContextOf, Options, as_data, context_for
from streamguard.integrations.streams import held, judged
from streamguard.stream import guard
from streamguard.wire.requests.shown import (
    ContextFrom,
    checked_context_from,
    checked_context_template,
    context_of_request,
)

_LOGGED = "standard_logging_object"


class Guardrail(RequestGuardrail, StreamguardGuardrail):
    """Applies the policy's packs to requests, and holds answers by the policy.

    `policy` is a preset, a TOML file or a table of settings, `judge` a `MODEL@URL`; `context_from`
    and `context_template` select the passages in the messages, as for the proxy.

    `pre_call`: matches that `block` names are masked in the request, or reject it with status 400.
    `during_call`: the request is checked in parallel with the model's call, where nothing can be
    masked, and the answer as with `post_call`. `post_call`: the answer, streamed or complete, is
    judged against the passages in the messages and held; the verdict is placed as by
    `StreamguardGuardrail`. `logging_only`: the verdict goes only to LiteLLM's log. The policy's
    `hold_fails` applies to text that could not be checked.
    """

    def __init__(
        self,
        context: ContextOf = None,
        *,
        guardrail_name: str = KEY,
        policy: Any = None,
        context_from: ContextFrom = "application",
        context_template: str | None = None,
        **options: Any,
    ) -> None:
        self.policy = policy_in(policy, guardrail_name)
        read = partial(
            context_of_request,
            context_from=checked_context_from(context_from),
            context_template=checked_context_template(context_template),
        )
        pack_checks(self.policy)  # a wrong pack is told at the start
        super().__init__(
            read if context is None else context,
            guardrail_name=guardrail_name,
            policy=self.policy,
            **options,
        )

    def should_run_guardrail(self, data: Any, event_type: GuardrailEventHooks) -> bool:
        """Return whether to run: with `during_call` the answer is checked as with `post_call`."""
        if super().should_run_guardrail(data, event_type):
            return True
        during = GuardrailEventHooks.during_call
        return event_type is GuardrailEventHooks.post_call and super().should_run_guardrail(
            data, during
        )

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Yield the chunks that the policy releases, and the verdict after the last text."""
        if self.policy.hold == "off":
            hook = super().async_post_call_streaming_iterator_hook
            async for item in hook(user_api_key_dict, response, request_data):
                yield item
            return
        items, unread = told_frames_of(response), list[Any]()
        try:
            async for item in items:
                if is_known(item):
                    for each in unread:
                        yield each
                    async for sent in self._held(item, items, request_data):
                        yield sent
                    return
                if self.policy.hold_fails == "open":
                    yield as_sent(item)
                else:
                    unread.append(as_sent(item))
            if unread:
                raise self.refused("the answer could not be read", 500)
        finally:
            await items.aclose()  # type: ignore[attr-defined]

    async def _held(
        self, first: Any, rest: AsyncIterator[Any], data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Yield the items of a held stream that begins with `first`."""
        last, end, kept = first, End(), list[Any]()
        context = context_for(self._context, data)
        stream = guard(_after(first, rest), context=context, **self._options)
        async with stream:
            async for item in stream:
                if isinstance(item, Annotation):
                    break
                if isinstance(item, SentenceAnnotation):
                    if isinstance(last, ModelResponseStream):
                        yield chunk_with(last, as_data(item))
                elif kept or end(item):
                    kept.append(item)
                else:
                    last = item
                    yield made_for(first, item)
        annotation = stream.annotation
        self._log(annotation, data)
        if isinstance(last, ModelResponseStream):
            yield chunk_with(last, as_data(annotation))
        if kept:
            kept[0] = attached(annotation, kept[0])
        for item in kept:
            yield made_for(first, item)

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Return a complete answer with the verdict, changed if the policy requires it."""
        if self.policy.hold == "off" or not is_answer(response):
            return await super().async_post_call_success_hook(data, user_api_key_dict, response)
        context = context_for(self._context, data)
        annotation, left = await held(texts_of(response), context, self._options)
        self._log(annotation, data)
        if annotation.hold is not None and annotation.hold.blocked:
            stopped = annotation.hold.action == "stopped"
            try:
                response = with_other_texts(response, left, stopped=stopped)
            except DecodeError as exc:
                raise self.refused("the answer could not be changed", 500) from exc
        return annotated(response, annotation)

    async def async_logging_hook(
        self, kwargs: dict[str, Any], result: Any, call_type: str
    ) -> tuple[dict[str, Any], Any]:
        """Add the verdict to LiteLLM's log record; the answer is unchanged."""
        answer = kwargs.get("async_complete_streaming_response") or result
        logged = kwargs.get(_LOGGED)
        if not isinstance(logged, dict) or not is_answer(answer):
            return kwargs, result
        silent = self.policy.model_copy(update={"hold": "off", "on_violation": "annotate"})
        options: Options = {"text": text_in_item, **self._options, "policy": silent}
        annotation = await judged(answer, context_for(self._context, _asked(kwargs)), options)
        noted: dict[str, Any] = {"metadata": {}}
        self._log(annotation, noted)
        entries = noted["metadata"]["standard_logging_guardrail_information"]
        information = [*(logged.get("guardrail_information") or ()), *entries]
        return {**kwargs, _LOGGED: {**logged, "guardrail_information": information}}, result


async def _after(first: Any, rest: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the first item and the rest; closes the source."""
    try:
        yield first
        async for item in rest:
            yield item
    finally:
        await rest.aclose()  # type: ignore[attr-defined]


def _asked(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request in LiteLLM's log record."""
    given = kwargs.get("optional_params")
    told = given if isinstance(given, Mapping) else {}
    request = {name: told[name] for name in ("system", "instructions") if told.get(name)}
    name = "messages" if kwargs.get("messages") else "input"
    return {**request, name: kwargs.get(name)}
