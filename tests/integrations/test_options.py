"""How an integration comes to its context, whatever the application's function does."""

import asyncio

import aiohttp
import pytest

from streamguard.core.context import Context, LateContext
from streamguard.errors import ConfigError
from streamguard.integrations import litellm_api
from streamguard.integrations.options import context_for, context_now
from streamguard.integrations.streams import judged
from tests.integrations.cases import ANSWER, CONTEXT, PASSAGE, QUESTION
from tests.integrations.checks import check_verdict
from tests.kit.serving import serving


def made(asked):
    return Context(query=asked, chunks=[PASSAGE])


async def awaited(asked):
    await asyncio.sleep(0)
    return made(asked)


def failing(_):
    raise RuntimeError("the store is down")


def test_a_context_is_given_made_or_awaited_and_a_failure_is_listed_and_harms_no_answer():
    for context in (CONTEXT, made, awaited):
        check_verdict(asyncio.run(judged(ANSWER, context_for(context, QUESTION), {})))
    annotation = asyncio.run(judged(ANSWER, context_for(failing, QUESTION), {}))
    assert annotation.state == "complete"
    assert annotation.result.errors == ("context: RuntimeError",)


def test_plain_code_takes_what_it_is_given_and_logs_a_function_that_fails(caplog):
    for context in (None, CONTEXT, LateContext()):
        assert context_now(context, QUESTION) is context
    assert context_now(failing, QUESTION) is None
    assert "the store is down" in caplog.text


def misused(_):
    raise ConfigError("that is no prompt")


def test_what_is_no_context_is_said():
    for context, words in (
        (awaited, "the context is a coroutine, expected Context: this is no async code"),
        (lambda _: [PASSAGE], r"the context is a list, expected Context: give Context\(chunks="),
        (misused, "that is no prompt"),
    ):
        with pytest.raises(ConfigError, match=words):
            context_now(context, QUESTION)
    with pytest.raises(ConfigError, match="that is no prompt"):
        context_for(misused, QUESTION)


@pytest.mark.asyncio
async def test_a_guardrail_server_remembers_requests_up_to_so_many_bytes_together(monkeypatch):
    monkeypatch.setattr(litellm_api, "MAX_REMEMBERED_BYTES", 1_000)
    async with serving(litellm_api.make_app()) as base, aiohttp.ClientSession(base) as session:

        async def post(**body):
            async with session.post(litellm_api.PATH, json=body) as response:
                return (await response.json()).get("streamguard")

        for call, size in (("a", 1), ("b", 1), ("c", 700)):
            shown = [{"role": "system", "content": f"[C1] It costs $10.\n[C2] {'x' * size}"}]
            await post(input_type="request", structured_messages=shown, litellm_call_id=call)
        found = []
        for call in "abc":
            (told,) = await post(input_type="response", texts=["Hello."], litellm_call_id=call)
            found.append("no_context_given" in [each["code"] for each in told["result"]["reasons"]])
    assert found == [True, False, False]
