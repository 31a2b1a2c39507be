"""Contexts given ahead: the store's caps, and the proxy's way in."""

import json

import pytest

from streamguard.core.model.policy import Policy
from streamguard.server.asgi import contexts_app
from streamguard.server.request_context import Policies, ProvidedContext, parse_context
from streamguard.server.results.context_store import KEPT_BYTES, ContextStore
from tests.kit import streams
from tests.kit.asgi import call, scope
from tests.kit.upstreams import HEAD, ask, proxy, upstream

POLICIES = Policies(Policy(), {"strict": Policy.preset("strict")})
CONTEXT = {"query": "Which?", "chunks": ["One.", {"text": "Two.", "id": "d2"}], "policy": "strict"}


def body(value):
    return json.dumps(value).encode()


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_context_is_kept_until_its_time_or_its_place_is_over():
    clock = Clock()
    store = ContextStore(ttl_s=10, clock=clock)
    name = store.put(body(CONTEXT), POLICIES)
    assert store.get(name) == body(CONTEXT)
    assert parse_context(store.get(name)) == ProvidedContext.model_validate(CONTEXT)
    clock.now += 9.9
    assert store.get(name) is not None
    clock.now += 0.1
    assert store.get(name) is None
    assert len(store) == 0
    store = ContextStore(max_contexts=2)
    names = [store.put(body({"query": str(n)}), POLICIES) for n in range(3)]
    assert [store.get(name) is not None for name in names] == [False, True, True]
    size = len(body({"query": "0"}))
    store = ContextStore(max_bytes=2 * (size + KEPT_BYTES))
    names = [store.put(body({"query": str(n)}), POLICIES) for n in range(3)]
    assert [store.get(name) is not None for name in names] == [False, True, True]


# --- over sockets


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "application/x-www-form-urlencoded; x=y", "application/xml"]
)
async def test_what_a_page_of_another_origin_can_send_is_no_context(kind):
    headers = {} if kind is None else {"content_type": kind}
    async with upstream(ANSWER) as up, proxy(up.url) as base:
        status, said = await given(base, body(CONTEXT), **headers)
    assert (status, said["error"]["code"]) == (415, "bad_content_type")
    assert "expected application/json" in said["error"]["message"]
    app = contexts_app(ContextStore())
    sent = await call(app, scope("/", **headers), json.dumps(CONTEXT).encode())
    assert sent.status == 415


BARE = HEAD + b"Connection: close\r\n\r\n"
ANSWER = BARE + b"".join(streams.frames("chat"))


async def given(base, value, **headers):
    got = await ask(base, value, "/streamguard/contexts", **headers)
    return got.status, json.loads(got.body)


@pytest.mark.asyncio
async def test_the_bodys_key_wins_over_a_stored_context_and_that_over_the_messages():
    asked = {"stream": True, "messages": [{"role": "user", "content": "[C1] A.\nQuestion: B?"}]}
    key = {"chunks": ["Mine.", "Yours.", "Ours."]}
    async with upstream(ANSWER) as up, proxy(up.url, policies=POLICIES) as base:
        name = (await given(base, CONTEXT))[1]["id"]
        counts = []
        for sent in (asked, {**asked, "streamguard": key}):
            got = await ask(base, sent, x_streamguard_context=name)
            counts.append(got.annotations[0]["result"]["retrieval"]["raw_count"])
            assert got.annotations[0]["result"]["policy"] == "strict"
        assert counts == [2, 3]
