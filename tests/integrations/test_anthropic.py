"""Anthropic's own clients: streams and the helper, over a real socket."""

import asyncio
import sys

import pytest

pytest.importorskip("anthropic", reason="needs the extra anthropic: make test-integrations")

from anthropic import Anthropic, AsyncAnthropic

from streamguard.core.context import Context
from streamguard.core.types import RetrievedChunk
from streamguard.integrations.anthropic import context_of
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from tests.integrations.cases import (
    CONTEXT,
    PASSAGE,
    PIECES,
    QUESTION,
    ROOT,
    check_example,
    check_verdict,
)

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import fake_model

DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": PASSAGE},
    "title": "plans.md",
}
ASKED = [{"role": "user", "content": [DOCUMENT, {"type": "text", "text": QUESTION}]}]
REQUEST = {"model": "fake", "max_tokens": 100, "messages": ASKED}
SHOWN = Context(query=QUESTION, chunks=[RetrievedChunk(PASSAGE, source="plans.md")])


@pytest.fixture(scope="module")
def url():
    with fake_model() as base:
        yield base


def test_a_stream_is_judged(url):
    with Anthropic(base_url=url, api_key="none") as client:
        plain = list(client.messages.create(**REQUEST, stream=True))
        source = client.messages.create(**REQUEST, stream=True)
        with guard_sync(source, context=CONTEXT) as stream:
            assert list(stream.items()) == plain
    check_verdict(stream.annotation)


def test_an_async_request_is_awaited_and_judged(url):
    async def run():
        async with AsyncAnthropic(base_url=url, api_key="none") as client:
            source = client.messages.create(**REQUEST, stream=True)
            async with guard(source, context=CONTEXT) as stream:
                told = [event.type async for event in stream.items()]
        return told, stream.annotation

    told, annotation = asyncio.run(run())
    assert (told[0], told[-1]) == ("message_start", "message_stop")
    check_verdict(annotation)


def test_a_helpers_events_are_judged_once(url):
    with Anthropic(base_url=url, api_key="none") as client:
        with client.messages.stream(**REQUEST) as events:
            with guard_sync(events, context=CONTEXT) as stream:
                told = [event.type for event in stream.items()]
            assert events.get_final_message().stop_reason == "end_turn"
    assert told.count("text") == told.count("content_block_delta") == len(PIECES)
    check_verdict(stream.annotation)


def test_a_helpers_text_is_judged(url):
    async def run():
        async with AsyncAnthropic(base_url=url, api_key="none") as client:
            async with client.messages.stream(**REQUEST) as events:
                async with guard(events.text_stream, context=CONTEXT) as stream:
                    told = [piece async for piece in stream.items()]
        return told, stream.annotation

    told, annotation = asyncio.run(run())
    assert told == PIECES
    check_verdict(annotation)


def test_the_documents_of_a_request_are_the_passages(url):
    assert context_of(REQUEST) == SHOWN
    with Anthropic(base_url=url, api_key="none") as client:
        source = client.messages.create(**REQUEST, stream=True)
        with guard_sync(source, context=context_of(REQUEST)) as stream:
            assert list(stream)
    check_verdict(stream.annotation, context=SHOWN)


PARTS = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]


@pytest.mark.parametrize(
    ("block", "chunks"),
    [
        (
            {"type": "search_result", "source": "s", "title": "a", "content": PARTS},
            [RetrievedChunk("One.\nTwo.", source="a")],
        ),
        (
            {"type": "document", "source": {"type": "content", "content": PARTS}},
            [RetrievedChunk("One."), RetrievedChunk("Two.")],
        ),
        (
            {"type": "tool_result", "tool_use_id": "t", "content": [DOCUMENT]},
            [RetrievedChunk(PASSAGE, source="plans.md")],
        ),
    ],
)
def test_every_block_with_passages_is_read(block, chunks):
    question = {"type": "text", "text": QUESTION}
    request = {"messages": [{"role": "user", "content": [block, question]}]}
    assert context_of(request).chunks == tuple(chunks)


def test_without_documents_the_passages_of_the_prompt_count():
    request = {
        "system": [{"type": "text", "text": f"Answer from:\n[C1] {PASSAGE}"}],
        "messages": [{"role": "user", "content": QUESTION}],
    }
    context = context_of(request)
    assert context.query == QUESTION
    assert [chunk.text for chunk in context.chunks] == [PASSAGE]


@pytest.mark.parametrize(
    "block", [7, {"type": "document"}, {"type": "document", "source": {"type": "url"}}]
)
def test_a_request_that_shows_nothing_gives_an_empty_context(block):
    assert context_of({"messages": [{"role": "user", "content": [block]}, None]}) == Context()
    assert context_of({}) == Context()


def test_the_example_runs():
    check_example("with_anthropic")
