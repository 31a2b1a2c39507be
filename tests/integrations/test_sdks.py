"""OpenAI's and Anthropic's own clients: streams, helpers and requests, over a real socket."""

import asyncio
import operator
import sys
from dataclasses import dataclass
from importlib import import_module

import pytest

from streamguard import Context, RetrievedChunk, guard, guard_sync
from tests.integrations.cases import CONTEXT, PASSAGE, PIECES, QUESTION, ROOT
from tests.integrations.checks import check_verdict

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import fake_model

SYSTEM = f"Answer from this passage only:\n[C1] {PASSAGE}"
FROM_PROMPT = Context(query=QUESTION, prompt_context=f"[C1] {PASSAGE}")
ASKED = [{"role": "user", "content": QUESTION}]
DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": PASSAGE},
    "title": "plans.md",
}


def context_of(package, request):
    return import_module(f"streamguard.integrations.{package}").context_of(request)


@dataclass(frozen=True)
class Sdk:
    """A client, where its requests go, one that it sends, and what the request shows."""

    package: str
    name: str
    path: str
    at: str
    request: dict
    shown: Context
    final: str | None  # what a helper knows at its end

    def client(self, url, prefix=""):
        made = getattr(import_module(self.package), prefix + self.name)
        return made(base_url=url + self.path, api_key="none")

    def endpoint(self, client):
        return operator.attrgetter(self.at)(client)

    def streaming(self, client):
        return self.endpoint(client).create(**self.request, stream=True)

    def helper(self, client):
        return self.endpoint(client).stream(**self.request)


SDKS = {
    "chat": Sdk(
        "openai", "OpenAI", "/v1", "chat.completions",
        {"model": "fake", "messages": [{"role": "system", "content": SYSTEM}, *ASKED]},
        FROM_PROMPT, "get_final_completion",
    ),
    "responses": Sdk(
        "openai", "OpenAI", "/v1", "responses",
        {"model": "fake", "instructions": SYSTEM, "input": QUESTION}, FROM_PROMPT, None,
    ),
    "messages": Sdk(
        "anthropic", "Anthropic", "", "messages",
        {"model": "fake", "max_tokens": 100, "messages": [
            {"role": "user", "content": [DOCUMENT, {"type": "text", "text": QUESTION}]},
        ]},
        Context(query=QUESTION, chunks=[RetrievedChunk(PASSAGE, source="plans.md")]),
        "get_final_message",
    ),
}  # fmt: skip


@pytest.fixture(params=SDKS)
def sdk(request):
    made = SDKS[request.param]
    pytest.importorskip(made.package, reason=f"needs the extra {made.package}")
    return made


@pytest.fixture(scope="module")
def url():
    with fake_model() as base:
        yield base


def kinds(items):
    return [getattr(item, "type", type(item).__name__) for item in items]


def test_a_stream_is_judged_and_an_async_request_awaited(url, sdk):
    with sdk.client(url) as client:
        plain = list(sdk.streaming(client))
        with guard_sync(sdk.streaming(client), context=CONTEXT) as stream:
            assert list(stream.items()) == plain
    check_verdict(stream.annotation)

    async def run():
        async with sdk.client(url, "Async") as client:
            async with guard(sdk.streaming(client), context=CONTEXT) as stream:
                assert kinds([item async for item in stream.items()]) == kinds(plain)
        check_verdict(stream.annotation)

    asyncio.run(run())


def test_a_helpers_events_are_judged_once(url, sdk):
    with sdk.client(url) as client:
        with sdk.helper(client) as events:
            plain = kinds(events)
        with sdk.helper(client) as events:
            with guard_sync(events, context=CONTEXT) as stream:
                assert kinds(stream.items()) == plain
            if sdk.final is not None:
                assert "".join(PIECES) in str(getattr(events, sdk.final)())
    check_verdict(stream.annotation)


def test_the_context_is_read_from_the_request(url, sdk):
    context = context_of(sdk.package, sdk.request)
    assert (context.query, context.chunks) == (sdk.shown.query, sdk.shown.chunks)
    with sdk.client(url) as client:
        with guard_sync(sdk.streaming(client), context=context) as stream:
            assert list(stream)
    check_verdict(stream.annotation, context=context)
