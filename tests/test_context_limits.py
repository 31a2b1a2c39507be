"""Requests and posted contexts of any size: read in turns, and no further than the limits."""

import asyncio
import gc
import json
import tracemalloc

import pytest

from streamguard.server import request_context
from streamguard.server.request_context import (
    MAX_CHUNKS,
    MAX_CONTEXT_CHARS,
    ContextLimitError,
    Policies,
    parse_context,
    read_request,
    read_request_in_turns,
    without_key_in_turns,
)
from streamguard.server.store import ContextStore
from streamguard.text.patterns import TURN_CHARS
from streamguard.wire.codecs import json_turns
from tests.kit.frames import ASKED, CHUNKED, DONE, END, answer, chunked
from tests.kit.upstreams import ask, proxy, stored_of, upstream

POLICIES = Policies()
WHOLE = CHUNKED + chunked(answer("The Basic plan costs $59. ") + DONE) + END
QUESTION = {"role": "user", "content": "What does it cost?"}


def body(value):
    return json.dumps(value).encode()


def deep(levels):
    return b'{"chunks":[{"text":"a","metadata":{"a":' + b"[" * levels + b"]" * levels + b"}}]}"


OVER = {
    "chunks": (body({"chunks": [""] * (MAX_CHUNKS + 1)}), "10001 chunks, at most 10000"),
    "very many chunks": (body({"chunks": [""] * 20_000}), "20000 chunks, at most 10000"),
    "values": (body({"chunks": [""] * 30_001}), "more than 30000 values"),
    "characters": (
        body({"chunks": ["x" * (MAX_CONTEXT_CHARS + 1)]}),
        "2000001 characters, at most 2000000",
    ),
    "characters of the question": (
        body({"query": "x" * 1_000_001, "chunks": [{"text": "é" * 1_000_000}]}),
        "2000001 characters, at most 2000000",
    ),
    "depth": (deep(97), "more than 100 values in each other"),
    "much depth": (deep(20_000), "more than 100 values in each other"),
}


@pytest.mark.parametrize("name", OVER)
def test_a_context_over_a_limit_says_which(monkeypatch, name):
    monkeypatch.setattr(json_turns, "MAX_VALUES", 30_000)
    posted, words = OVER[name]
    with pytest.raises(ContextLimitError, match=words):
        parse_context(posted)
    with pytest.raises(ContextLimitError, match=words):
        ContextStore().put(posted, POLICIES)
    request = b'{"model": "m", "streamguard": ' + posted + b"}"
    found = read_request(request, POLICIES)
    assert words.split(",")[0] in found.over
    assert (found.context.chunks, found.context.query) == (None, None)
    stored = read_request(body({"model": "m"}), POLICIES, stored=posted)
    assert words.split(",")[0] in stored.over
    assert stored.model == "m"


def test_messages_over_a_limit_are_not_read():
    content = "[C1] x\n[C2] " + "y" * MAX_CONTEXT_CHARS
    found = read_request(body({"messages": [{"role": "system", "content": content}]}), POLICIES)
    assert "characters, at most 2000000" in found.over
    assert found.context.evidence is None


# --- turns


@pytest.fixture
def pauses():
    """Give a pause, and what counts its calls."""
    made = []

    async def pause():
        made.append(None)
        await asyncio.sleep(0)

    return pause, made


BODIES = [
    b"",
    b"no json",
    b"[1]",
    b'{"a": 1}',
    b'{"streamguard": {"query": "?"}, "a": 1}',
    b'{"\\u0073treamguard": {"chunks": ["x"]}}',
    body({"messages": [QUESTION, {"role": "tool", "content": "x " * 50_000}]}),
    body({"messages": [QUESTION] * 2_000, "streamguard": {"chunks": ["It costs $10."] * 2_000}}),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("number", range(len(BODIES)))
async def test_read_in_turns_a_request_says_the_same(number, pauses):
    pause, made = pauses
    given = BODIES[number]
    stored = body({"query": "Stored?", "chunks": ["Kept."]})
    for kept in (None, stored):
        found = await read_request_in_turns(given, POLICIES, pause, stored=kept)
        whole = read_request(given, POLICIES, stored=kept)
        assert (found.body, found.policy, found.model) == (whole.body, whole.policy, whole.model)
        assert found.context == whole.context
        assert await without_key_in_turns(given, pause) == read_request(given, POLICIES).body
    values = given.count(b",")
    assert len(made) >= 2 * values // json_turns.TURN_VALUES


@pytest.mark.asyncio
async def test_the_thread_that_reads_a_long_prompt_sleeps_between_turns(monkeypatch, pauses):
    slept = []
    monkeypatch.setattr(request_context, "sleep", slept.append)
    monkeypatch.setattr(
        request_context, "_TURN_S", 0.0
    )  # every pause is long enough after the one before
    content = "Context:\n" + "[1] It costs $49.\n\n" * 2_000
    for role in ("system", "user"):
        slept.clear()
        request = body({"messages": [{"role": role, "content": content}]})
        await read_request_in_turns(request, POLICIES, pauses[0])
        assert len(slept) > len(content) // TURN_CHARS
    slept.clear()
    await read_request_in_turns(body({"messages": [QUESTION]}), POLICIES, pauses[0])
    assert slept == []


# --- doors


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["header", "off"])
@pytest.mark.parametrize("over", [[0] * 200, [[[[[[[[[[[[]]]]]]]]]]]], [0] * 150 + ["\\q"]])
async def test_a_request_over_a_limit_goes_on_without_the_key(monkeypatch, form, over):
    monkeypatch.setattr(json_turns, "MAX_VALUES", 100)
    monkeypatch.setattr(json_turns, "MAX_DEPTH", 10)
    sent = {**ASKED, "streamguard": {"chunks": ["secret"]}, "tools": over}
    async with upstream(WHOLE) as up, proxy(up.url) as base:
        got = await ask(base, sent, **{"x-streamguard": form})
        assert (got.status, got.clean) == (200, True)
        assert json.loads(up.requests[0].body) == {**ASKED, "tools": over}
        assert got.headers["x-streamguard-skipped"] == ("off" if form == "off" else "limit")


@pytest.mark.asyncio
async def test_the_proxy_relays_what_is_over_a_limit_unchecked(caplog):
    key = {"chunks": [""] * (MAX_CHUNKS + 1)}
    async with upstream(WHOLE) as up, proxy(up.url) as base:
        got = await ask(base, {**ASKED, "streamguard": key})
        assert (got.status, got.clean) == (200, True)
        assert (await stored_of(base, got))["state"] == "skipped"
        assert json.loads(up.requests[0].body) == ASKED
        metrics = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
    assert 'streamguard_limits_reached_total{limit="context"} 1' in metrics
    (line,) = [record for record in caplog.records if record.msg == "limit_reached"]
    assert line.fields["over"] == "the context has 10001 chunks, at most 10000"


# --- memory


def test_small_contexts_are_counted_with_what_holds_them():
    store = ContextStore(max_contexts=100_000, max_bytes=300_000)
    posted = body({"query": "?"})
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(1_500):
            store.put(bytes(bytearray(posted)), POLICIES)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0 < len(store) < 1_500
    assert held < 300_000


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1_000, 1_200_000])  # more than aiohttp takes by itself
async def test_a_long_request_arrives_as_it_was_sent(size):
    request = {"model": "m", "messages": [{"role": "user", "content": "é" * (size // 2)}]}
    async with upstream(WHOLE) as up, proxy(up.url) as base:
        for path in ("/v1/chat/completions", "/v1/files"):
            got = await ask(base, request, path)
            assert got.status == 200
        assert [json.loads(each.body) for each in up.requests] == [request] * 2
        lengths = [int(each.headers["content-length"]) for each in up.requests]
        assert lengths == [len(each.body) for each in up.requests]
