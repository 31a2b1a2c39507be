"""Each wrapper as its own documentation sets it up: a source of tokens in, strings out.

What a caller could see of a verdict while or after it reads goes into `told`. Imports are inside:
each peer has an environment of its own. Telemetry is off, no key is used, nothing is asked of a
network.
"""

import os
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from peers.task import CONTEXT, check

Told = list[str]
Source = AsyncIterator[Any]


class Wrapper(NamedTuple):
    """`wrap` makes the stream that a client reads; `dress` makes a token what the peer streams.

    Tokens are dressed before the clock starts, since a model's client makes such objects anyway.
    """

    wrap: Callable[[Source], AsyncIterator[str]]
    dress: Callable[[str], Any] = str


def bare(told: Told) -> Wrapper:
    """No wrapper, the yardstick."""
    return Wrapper(lambda source: source)


def generator(told: Told) -> Wrapper:
    """The least a wrapper in Python can do: an async generator that keeps what it passes on."""

    async def wrap(source: Source) -> AsyncIterator[str]:
        kept = []
        async for item in source:
            yield item
            kept.append(item)

    return Wrapper(wrap)


def _streamguard(told: Told, checks: Any) -> Wrapper:
    from streamguard import Context, guard

    async def wrap(source: Source) -> AsyncIterator[str]:
        context = Context(query="What does the Basic plan cost?", chunks=[CONTEXT])
        async with guard(source, context=context, checks=checks) as stream:
            async for item in stream.items():
                yield item
            told.extend(finding.message or "" for finding in stream.result.findings)

    return Wrapper(wrap)


def streamguard_patterns(told: Told) -> Wrapper:
    from streamguard import PATTERN_CHECKS

    return _streamguard(told, PATTERN_CHECKS)


def streamguard_everything(told: Told) -> Wrapper:
    from streamguard import DEFAULT_CHECKS

    return _streamguard(told, DEFAULT_CHECKS)


def nemo(told: Told, chunk: int = 200, context: int = 50) -> Wrapper:
    """NeMo Guardrails: an output rail of one action, at the default sizes, `stream_first`."""
    from nemoguardrails import LLMRails, RailsConfig
    from nemoguardrails.actions.rail_outcome import RailOutcome

    config = RailsConfig.from_content(
        colang_content="define flow check output\n  execute spec_check\n",
        yaml_content=f"""
models: []
rails:
  output:
    flows: [check output]
    streaming: {{enabled: true, chunk_size: {chunk}, context_size: {context}, stream_first: true}}
""",
    )
    rails = LLMRails(config)

    async def spec_check(context: dict[str, Any] | None = None, **_: Any) -> RailOutcome:
        check((context or {}).get("bot_message", ""))
        return RailOutcome(decision="allow")

    rails.register_action(spec_check, "spec_check")
    asked = [{"role": "user", "content": "What does it cost?"}]
    return Wrapper(lambda source: rails.stream_async(messages=asked, generator=source))


def nemo_small(told: Told) -> Wrapper:
    """The same with blocks of 20 tokens."""
    return nemo(told, 20, 10)


def guardrails_ai(told: Told) -> Wrapper:
    """Guardrails AI: an AsyncGuard with one validator, which sees sentence by sentence."""
    from guardrails import AsyncGuard
    from guardrails.validator_base import (
        FailResult,
        PassResult,
        Validator,
        register_validator,
    )

    @register_validator(name="bench/spec-check", data_type="string")
    class SpecCheck(Validator):  # type: ignore[misc]
        def validate(self, value: str, metadata: dict[str, Any]) -> Any:
            found = check(value)
            return FailResult(error_message=f"unsupported: {found}") if found else PassResult()

    def wrap(source: Source) -> AsyncIterator[str]:
        async def model(*_: Any, **__: Any) -> Any:
            return SimpleNamespace(completion_stream=source)

        async def run() -> AsyncIterator[str]:
            guard = AsyncGuard().use(SpecCheck(on_fail="noop"))
            outcomes = await guard(
                model, messages=[{"role": "user", "content": "What does it cost?"}], stream=True
            )
            async for outcome in outcomes:
                if outcome.validation_passed is False:
                    told.append("validation failed")
                if outcome.validated_output:
                    yield outcome.validated_output

        return run()

    return Wrapper(wrap)


def openai_guardrails(told: Told) -> Wrapper:
    """openai-guardrails: its client's stream, an output guardrail that raises no tripwire."""
    from guardrails import GuardrailsAsyncOpenAI
    from guardrails.registry import default_spec_registry
    from guardrails.types import GuardrailResult
    from openai.types.chat import ChatCompletionChunk
    from pydantic import BaseModel

    class Nothing(BaseModel):
        pass

    async def spec_check(ctx: Any, data: str, config: Nothing) -> GuardrailResult:
        return GuardrailResult(tripwire_triggered=False, info={"found": check(data)})

    default_spec_registry.register("Spec Check", spec_check, "the three checks", "text/plain")
    stage = {"version": 1, "guardrails": [{"name": "Spec Check", "config": {}}]}
    client = GuardrailsAsyncOpenAI(config={"version": 1, "output": stage}, api_key="none")

    def chunk(text: str) -> ChatCompletionChunk:
        delta = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return ChatCompletionChunk.model_validate(
            {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
             "choices": [delta]}
        )  # fmt: skip

    async def wrap(source: Source) -> AsyncIterator[str]:
        async for response in client._stream_with_guardrails(source, [], []):
            told.extend(str(one.info) for one in response.guardrail_results.output)
            yield response.choices[0].delta.content

    return Wrapper(wrap, chunk)


def _through_litellm(callback: Any, told: Told) -> Wrapper:
    import litellm
    from litellm.caching.caching import DualCache
    from litellm.proxy._types import UserAPIKeyAuth
    from litellm.proxy.utils import ProxyLogging
    from litellm.types.utils import ModelResponseStream

    litellm.callbacks = [callback]
    logging = ProxyLogging(user_api_key_cache=DualCache())

    def chunk(text: str) -> Any:
        return ModelResponseStream(choices=[{"index": 0, "delta": {"content": text}}])

    async def wrap(source: Source) -> AsyncIterator[str]:
        request = {"model": "m", "metadata": {}, "messages": []}
        key = UserAPIKeyAuth(api_key="none", request_route="/v1/chat/completions")
        stream = logging.async_post_call_streaming_iterator_hook(source, key, request)
        async for piece in stream:
            told.extend(getattr(piece, "found", ()))
            yield piece.choices[0].delta.content or ""

    return Wrapper(wrap, chunk)


def litellm_hook(told: Told) -> Wrapper:
    """LiteLLM: a guardrail's iterator hook that checks each sentence, by its proxy's own path."""
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks

    class SpecCheck(CustomGuardrail):  # type: ignore[misc]
        async def async_post_call_streaming_iterator_hook(
            self, user_api_key_dict: Any, response: Any, request_data: Any
        ) -> AsyncIterator[Any]:
            text = ""
            async for piece in response:
                yield piece
                text += piece.choices[0].delta.content or ""
                if text[-1:] in ".!?\n":
                    check(text)
                    text = ""

    event = GuardrailEventHooks.post_call
    return _through_litellm(
        SpecCheck(guardrail_name="spec", event_hook=event, default_on=True), told
    )


def litellm_filter(told: Told) -> Wrapper:
    """LiteLLM's built-in content filter, masking two words and prices."""
    from litellm.proxy.guardrails.guardrail_hooks.litellm_content_filter.content_filter import (
        ContentFilterGuardrail,
    )
    from litellm.types.guardrails import (
        BlockedWord,
        ContentFilterAction,
        ContentFilterPattern,
        GuardrailEventHooks,
    )

    mask = ContentFilterAction.MASK
    callback = ContentFilterGuardrail(
        guardrail_name="filter",
        patterns=[
            ContentFilterPattern(pattern_type="regex", pattern=r"\$\d+", name="price", action=mask)
        ],
        blocked_words=[BlockedWord(keyword=word, action=mask) for word in ("i cannot", "sorry")],
        event_hook=GuardrailEventHooks.post_call,
        default_on=True,
    )
    return _through_litellm(callback, told)


def llm_guard(told: Told) -> Wrapper:
    """LLM Guard has no stream: its scanners over each sentence, in a loop written by hand."""
    from llm_guard.output_scanners import BanSubstrings, Regex

    from peers.task import REFUSALS

    scanners = [
        BanSubstrings(substrings=list(REFUSALS), match_type="str", redact=False),
        Regex(patterns=[r"\$(?!49|99|500)\d+"], is_blocked=True, match_type="search", redact=False),
    ]

    async def wrap(source: Source) -> AsyncIterator[str]:
        text = ""
        async for item in source:
            yield item
            text += item
            if text[-1:] in ".!?\n":
                for scanner in scanners:
                    _, valid, _ = scanner.scan("", text)
                    if not valid:
                        told.append(text)
                text = ""

    return Wrapper(wrap)


ADAPTERS: dict[str, Callable[[Told], Wrapper]] = {
    "bare": bare,
    "generator": generator,
    "streamguard, PATTERN_CHECKS": streamguard_patterns,
    "streamguard, everything": streamguard_everything,
    "NeMo Guardrails, blocks of 200": nemo,
    "NeMo Guardrails, blocks of 20": nemo_small,
    "Guardrails AI, AsyncGuard": guardrails_ai,
    "openai-guardrails": openai_guardrails,
    "LiteLLM, iterator hook": litellm_hook,
    "LiteLLM, content filter": litellm_filter,
    "LLM Guard, loop by sentence": llm_guard,
}
for name, value in {
    "OTEL_SDK_DISABLED": "true",
    "GUARDRAILS_METRICS_DISABLED": "true",
    "LITELLM_TELEMETRY": "False",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "DO_NOT_TRACK": "1",
}.items():
    os.environ.setdefault(name, value)
