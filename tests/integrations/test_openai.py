"""OpenAI's own clients: streams and helpers of both protocols, over a real socket."""

import asyncio
import sys

import pytest

pytest.importorskip("openai", reason="needs the extra openai: make test-integrations")

from openai import AsyncOpenAI, OpenAI

from streamguard.core.context import Context
from streamguard.integrations.openai import context_of
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from tests.integrations.cases import CONTEXT, PASSAGE, QUESTION, ROOT, check_example, check_verdict

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import fake_model

SYSTEM = f"Answer from this passage only:\n[C1] {PASSAGE}"
CHAT = {
    "model": "fake",
    "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}],
}
RESPONSES = {"model": "fake", "instructions": SYSTEM, "input": QUESTION}


@pytest.fixture(scope="module")
def url():
    with fake_model() as base:
        yield f"{base}/v1"


def endpoint(client, protocol):
    return client.chat.completions if protocol == "chat" else client.responses


def request(protocol):
    return CHAT if protocol == "chat" else RESPONSES


def kinds(items):
    return [getattr(item, "type", type(item).__name__) for item in items]


PROTOCOLS = pytest.mark.parametrize("protocol", ["chat", "responses"])


@PROTOCOLS
def test_a_stream_is_judged(url, protocol):
    with OpenAI(base_url=url, api_key="none") as client:
        create = endpoint(client, protocol).create
        plain = list(create(**request(protocol), stream=True))
        with guard_sync(create(**request(protocol), stream=True), context=CONTEXT) as stream:
            assert list(stream.items()) == plain
    check_verdict(stream.annotation)


@PROTOCOLS
def test_an_async_request_is_awaited_and_judged(url, protocol):
    async def run():
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            create = endpoint(client, protocol).create
            async with guard(create(**request(protocol), stream=True), context=CONTEXT) as stream:
                told = [item async for item in stream.items()]
        return told, stream.annotation

    told, annotation = asyncio.run(run())
    assert "response.completed" in kinds(told) or told[-1].choices[0].finish_reason == "stop"
    check_verdict(annotation)


@PROTOCOLS
def test_a_helpers_events_are_judged_once(url, protocol):
    with OpenAI(base_url=url, api_key="none") as client:
        helper = endpoint(client, protocol).stream
        with helper(**request(protocol)) as events:
            plain = kinds(events)
        with helper(**request(protocol)) as events:
            with guard_sync(events, context=CONTEXT) as stream:
                assert kinds(stream.items()) == plain
            whole = events.get_final_completion() if protocol == "chat" else None
    assert whole is None or whole.choices[0].finish_reason == "stop"
    check_verdict(stream.annotation)


@PROTOCOLS
def test_an_async_helpers_events_are_judged_once(url, protocol):
    async def run():
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            async with endpoint(client, protocol).stream(**request(protocol)) as events:
                async with guard(events, context=CONTEXT) as stream:
                    async for _ in stream.items():
                        pass
        return stream.annotation

    check_verdict(asyncio.run(run()))


@PROTOCOLS
def test_the_context_is_read_from_the_request(url, protocol):
    context = context_of(request(protocol))
    expected = Context(query=QUESTION, prompt_context=f"[C1] {PASSAGE}", citations_requested=True)
    assert (context.query, context.chunks) == (expected.query, expected.chunks)
    with OpenAI(base_url=url, api_key="none") as client:
        create = endpoint(client, protocol).create
        with guard_sync(create(**request(protocol), stream=True), context=context) as stream:
            assert list(stream)
    check_verdict(stream.annotation, context=context)


def test_the_input_items_of_a_response_are_read():
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": f"[C1] {PASSAGE}"}]},
        {"role": "assistant", "content": "Fine."},
        {"role": "user", "content": QUESTION},
    ]
    context = context_of({"model": "fake", "input": items})
    assert context.query == QUESTION
    assert [chunk.text for chunk in context.chunks] == [PASSAGE]


@pytest.mark.parametrize("request_", [{}, {"messages": None}, {"input": 7}, {"input": [None]}])
def test_a_request_that_shows_nothing_gives_an_empty_context(request_):
    assert context_of(request_) == Context()


def test_the_example_runs():
    check_example("with_openai")
