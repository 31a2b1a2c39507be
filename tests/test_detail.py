"""How much of the annotation rides in an answer, at every door; the side channel has all of it."""

import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from streamguard import Context, guard
from streamguard.core.model.serialising import MAX_ANNOTATION_BYTES
from streamguard.server.aiohttp import add_results, stream_sse
from streamguard.server.asgi import StreamGuardMiddleware, results_app
from streamguard.server.store import ResultStore
from streamguard.server.wishes import Forms
from streamguard.server.workers.serve import make_runner, start
from tests.asgi import CHAT_PATH, annotations, call, saying, scope
from tests.upstreams import (
    ASKED,
    CHUNKED,
    DONE,
    END,
    answer,
    ask,
    chunked,
    proxy,
    result,
    upstream,
    whole,
)

pytestmark = pytest.mark.asyncio

TEXT = "Hello there! The Basic plan costs $59 per month. "
CONTEXT = Context(query="?", chunks=["The Basic plan costs $10 per month."])


@asynccontextmanager
async def proxied(text, most):
    script = CHUNKED + chunked(answer(text, 64) + DONE) + END
    forms = Forms(max_annotation_bytes=most)
    async with upstream(script) as up, proxy(up.url, forms=forms) as base:

        async def asked(**headers):
            got = await ask(base, ASKED, **headers)
            if got.status != 200:
                return got.body.decode(), None
            (annotation,) = got.annotations
            return annotation, (await result(base, got.headers["x-streamguard-id"]))[1]

        yield asked


@asynccontextmanager
async def proxied_json(text, most):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
    forms = Forms(max_annotation_bytes=most)
    async with upstream(whole(body)) as up, proxy(up.url, forms=forms) as base:

        async def asked(**headers):
            got = await ask(base, {**ASKED, "stream": False}, **headers)
            if got.status != 200:
                return got.body.decode(), None
            annotation = json.loads(got.body)["streamguard"]
            return annotation, (await result(base, got.headers["x-streamguard-id"]))[1]

        yield asked


@asynccontextmanager
async def middleware(text, most):
    store = ResultStore()
    inner = saying([answer(text, 64), DONE], "text/event-stream")
    forms = Forms(max_annotation_bytes=most)
    app = StreamGuardMiddleware(inner, store=store, context=lambda *_: CONTEXT, forms=forms)

    async def asked(**headers):
        sent = await call(app, scope(CHAT_PATH, **headers), json.dumps(ASKED).encode())
        ((_, annotation),) = annotations(sent.body)
        kept = await call(results_app(store), scope(f"/{sent.id}", "GET"))
        return annotation, json.loads(kept.body)

    yield asked


@asynccontextmanager
async def aiohttp_app(text, most):
    store = ResultStore()

    async def pieces():
        for at in range(0, len(text), 64):
            yield text[at : at + 64]

    async def answered(request):
        forms = Forms(max_annotation_bytes=most)
        stream = guard(pieces(), context=CONTEXT)
        return await stream_sse(request, stream, dialect="chat", forms=forms, store=store)

    app = web.Application()
    app.router.add_get("/ask", answered)
    add_results(app, store)
    runner = make_runner(app)
    try:
        base = await start(runner, "127.0.0.1", 0)

        async def asked(**headers):
            got = await ask(base, None, "/ask", "GET", **headers)
            if got.status != 200:
                return got.body.decode(), None
            (annotation,) = got.annotations
            return annotation, (await result(base, got.headers["x-streamguard-id"]))[1]

        yield asked
    finally:
        await runner.cleanup()


DOORS = [proxied, proxied_json, middleware, aiohttp_app]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("form", ["chunk", "attach"])
async def test_a_request_says_how_much_detail_it_wants(door, form):
    async with door(TEXT, MAX_ANNOTATION_BYTES) as asked:
        for detail, left_out in (
            ("full", []),
            (" Findings", ["sentences"]),
            ("verdict", ["sentences", "evidence", "findings"]),
        ):
            got, kept = await asked(x_streamguard_detail=detail, x_streamguard=form)
            found, all_of_it = got["result"], kept["result"]
            told = sum(bool(each["findings"]) for each in all_of_it["sentences"])
            sentences = {"full": 2, "verdict": 0}.get(detail, told)
            findings = 0 if detail == "verdict" else len(all_of_it["findings"])
            assert (len(found["sentences"]), len(found["findings"])) == (sentences, findings)
            assert (got["truncated"], kept["truncated"]) == (left_out, [])
            assert len(kept["result"]["sentences"]) == 2
            assert found["status"] == kept["result"]["status"]
            assert found["reasons"] == kept["result"]["reasons"]


@pytest.mark.parametrize("door", [proxied, proxied_json, aiohttp_app])
async def test_a_detail_that_is_none_is_refused(door):
    async with door(TEXT, MAX_ANNOTATION_BYTES) as asked:
        said, _ = await asked(x_streamguard_detail="some")
        assert "x-streamguard-detail is 'some', expected one of full, findings, verdict" in said


async def test_the_middleware_lists_a_detail_that_is_none():
    async with middleware(TEXT, MAX_ANNOTATION_BYTES) as asked:
        got, _ = await asked(x_streamguard_detail="some")
        assert got["truncated"] == []
        (error,) = got["result"]["errors"]
        assert "x-streamguard-detail is 'some', expected one of full" in error


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("most", [3_000, 20_000])
async def test_an_annotation_in_an_answer_is_no_longer_than_allowed(door, most):
    async with door(TEXT * 50, most) as asked:
        got, kept = await asked(x_streamguard="chunk")
        assert "sentences" in got["truncated"]
        assert len(json.dumps(got, separators=(",", ":"))) <= most
        assert len(kept["result"]["sentences"]) == 100
        assert (kept["truncated"], kept["state"]) == ([], "complete")


async def test_an_address_may_say_how_much_detail():
    script = CHUNKED + chunked(answer(TEXT) + DONE) + END
    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, "/v1/chat/completions?streamguard-detail=verdict&x=1")
        assert got.annotations[0]["result"]["sentences"] == []
        assert up.requests[0].path == "/v1/chat/completions?x=1"
