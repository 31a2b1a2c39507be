"""Guarded streams written by aiohttp applications, over real sockets."""

import asyncio
import json
from contextlib import asynccontextmanager
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp import web

from streamguard import Context, guard
from streamguard.errors import ConfigError
from streamguard.server.aiohttp import add_results, stream_sse
from streamguard.server.relay.framing import Framer, framing
from streamguard.server.results.result_store import ResultStore
from streamguard.server.workers.serve import start
from tests.kit import streams
from tests.kit.asgi import events
from tests.kit.frames import PATIENCE_S
from tests.kit.upstreams import ask, result

pytestmark = pytest.mark.asyncio

CONTEXT = Context(query="What does it cost?", chunks=["The Basic plan costs $10 per month."])
PIECES = ["The Basic plan ", "costs $59 per month.\n", "It includes “one” seat."]


async def saying(items=PIECES):
    for item in items:
        yield item


@asynccontextmanager
async def serving(source=saying, cancels=True, **options):
    """Run an application that streams what `source` yields; gives base URL and its streams."""
    store, made, raised = ResultStore(store_text=True), [], []

    async def answer(request):
        stream = guard(source(), context=CONTEXT)
        made.append(stream)
        try:
            return await stream_sse(request, stream, store=store, **options)
        except (ConfigError, ConnectionError) as exc:
            raised.append(exc)
            raise

    app = web.Application()
    app.router.add_get("/ask", answer)
    add_results(app, store)
    runner = web.AppRunner(app, handler_cancellation=cancels, access_log=None)
    try:
        base = await start(runner, "127.0.0.1", 0)
        yield SimpleNamespace(base=base, made=made, raised=raised, store=store)
    finally:
        await runner.cleanup()


async def got(server, path="/ask", **headers):
    return await ask(server.base, None, path, "GET", **headers)


def data_of(body):
    return [event.data for event in events(body)]


def chunks():
    """Return Chat Completions chunks as mappings, usage behind the end."""
    raw = streams.frames("chat", "usage")
    return [json.loads(event.data) for event in events(b"".join(raw)) if event.data != "[DONE]"]


async def test_a_sentence_that_settles_behind_its_text_waits_for_room():
    items = [json.loads(event.data) for event in events(b"".join(streams.frames("responses")))]
    told = [each async for each in guard(saying(), context=CONTEXT, live=True)]
    sentence, annotation = next(e for e in told if not isinstance(e, str)), told[-1]
    at = [item["type"] for item in items].index("response.output_text.done")
    for place in range(at - 1, len(items)):
        framer = Framer(framing("responses"), "attach", "0" * 32)
        out = [framer.frame(each) for each in (*items[: place + 1], sentence)]
        out += [*map(framer.frame, items[place + 1 :]), framer.end(annotation)]
        found = [json.loads(data) for data in data_of(b"".join(out))]
        (told_at,) = (n for n, event in enumerate(found) if "streamguard" in event)
        assert told_at == (at if place < at else len(items) - 1)
        assert [event for event in found[:-1] if "streamguard" not in event] == items[:-1]
        assert "streamguard" in found[-1]["response"]


async def test_text_becomes_a_ui_message_stream():
    async with serving(dialect="ui") as server:
        answer = await got(server)
    *parts, done = data_of(answer.body)
    kinds = [json.loads(part)["type"] for part in parts]
    assert kinds == ["start", "text-start", *["text-delta"] * 3, "text-end", "data-streamguard",
                     "finish"]  # fmt: skip
    assert done == "[DONE]"
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"


async def test_what_the_source_raises_ends_the_body_unfinished():
    async def failing():
        for chunk in chunks():
            yield chunk
        raise RuntimeError("the model went away")

    async with serving(failing, dialect="chat") as server:
        answer = await got(server)
        assert not answer.clean
        said = [json.loads(data) for data in data_of(answer.body)]
        assert said == chunks()  # the usage that was held, too
        assert server.made[0].annotation.result.ended == "upstream_error"
        assert (await result(server.base, server.made[0].id))[0] == 200


async def test_a_form_that_is_none_is_refused_and_the_source_closed():
    async with serving() as server:
        answer = await got(server, x_streamguard="loud")
        assert answer.status == 400
        assert b"x-streamguard is 'loud', expected one of" in answer.body
        assert server.made[0].annotation.result.ended == "consumer_stopped"


@pytest.mark.parametrize(
    ("items", "dialect", "message"),
    [
        (PIECES, "morse", "dialect is 'morse', expected one of plain, chat"),
        (PIECES, "anthropic", "the stream gave text, expected the events of anthropic"),
        ([SimpleNamespace(choices=[])], "chat", "expected a str, a mapping or an SDK's object"),
    ],
)
async def test_misuse_is_said_clearly_and_the_source_closed(items, dialect, message):
    closed = []

    async def source():
        try:
            for item in items:
                yield item
        finally:
            closed.append(True)

    async with serving(source, dialect=dialect) as server:
        answer = await got(server)
        assert answer.status == 500 or not answer.clean
        assert message in str(server.raised[0])
    assert closed == ([] if dialect == "morse" else [True])


@pytest.mark.parametrize("cancels", [True, False])
async def test_a_client_that_leaves_closes_the_source(cancels):
    closed, waiting = asyncio.Event(), asyncio.Event()

    async def endless():
        try:
            while True:
                yield "It costs $59. "
                await asyncio.sleep(0)
                if cancels:  # a model that says nothing more: only a cancelled handler knows
                    waiting.set()
                    await asyncio.Event().wait()
        finally:
            closed.set()

    async with serving(endless, cancels=cancels) as server:
        async with asyncio.timeout(PATIENCE_S):
            async with aiohttp.ClientSession() as session:
                response = await session.get(f"{server.base}/ask")
                await response.content.readany()
                response.close()
            await closed.wait()
            while len(server.store) == 0:
                await asyncio.sleep(0)
        annotation = server.store.get(server.made[0].id)
    ended = ("client_disconnect", "cancelled") if cancels else ("client_disconnect",)
    assert (annotation.result.complete, annotation.result.ended in ended) == (False, True)


async def test_headers_of_the_application_take_the_place_of_ours_however_they_are_written():
    given = {"content-type": "text/event-stream; charset=utf-8", "X-STREAMGUARD-ID": "none"}
    async with serving(headers=given, dialect="chat") as server:
        told = (await got(server)).headers
        assert told.getall("content-type") == ["text/event-stream; charset=utf-8"]
        assert told.getall("x-streamguard-id") == [server.made[0].id]


async def test_where_an_application_says_nothing_of_caches_none_may_keep_a_stream():
    async with serving() as server:
        for form, expected in (("event", "no-cache, no-transform"), ("header", "no-cache")):
            answer = await got(server, x_streamguard=form)
            assert answer.headers["Cache-Control"] == expected


@pytest.mark.asyncio
async def test_a_form_may_be_named_by_a_text():
    async with serving(forms="event") as server:
        answer = await got(server)
        assert b"event: streamguard" in answer.body
    async with serving(forms="chunky") as server:
        await got(server)
        assert [str(one) for one in server.raised] == [
            "forms is 'chunky', expected one of off, header, chunk, attach, event, or Forms"
        ]
