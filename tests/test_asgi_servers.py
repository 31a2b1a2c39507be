"""The middleware under real servers and frameworks, over sockets; on trio where a server can."""

import json
import socket
from collections.abc import AsyncIterable
from contextlib import asynccontextmanager
from functools import partial

import anyio
import httpx
import hypercorn.asyncio
import hypercorn.trio
import pytest
import sse_starlette
import uvicorn
from fastapi import FastAPI, Request
from fastapi.sse import EventSourceResponse as FastAPIEvents
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import StreamingResponse
from starlette.routing import Mount, Route

from streamguard import Context, check_text
from streamguard.server.asgi import StreamGuardMiddleware, provide_context, results_app
from streamguard.server.results.result_store import ResultStore
from tests.kit import streams
from tests.kit.asgi import annotations, events

pytestmark = pytest.mark.anyio

PATIENCE_S = 15
PIECES = ["The Basic plan ", "costs $59 per month. ", "It includes one “seat”."]
TEXT = "".join(PIECES)
CONTEXT = Context(query="What does it cost?", chunks=["The Basic plan costs $10 per month."])
SERVERS = [("uvicorn", "asyncio"), ("hypercorn", "asyncio"), ("hypercorn", "trio")]


async def saying(request, pieces=PIECES):
    """Retrieve, then stream: as handlers mostly do."""
    provide_context(request, CONTEXT)
    for piece in pieces:
        await anyio.lowlevel.checkpoint()
        yield piece


class Endless:
    """An answer that does not end, and says when it was closed."""

    def __init__(self, pause):
        self.closed, self.asked, self._pause = anyio.Event(), 0, pause

    async def pieces(self):
        try:
            yield b'data: "It costs $59. "\n\n'
            if self._pause:
                await anyio.sleep_forever()
            while True:
                await anyio.lowlevel.checkpoint()
                self.asked += 1
                yield b'data: "It costs $59. "\n\n' * 100
        finally:
            self.closed.set()


EVENTS = "text/event-stream"


def starlette_app(store=None, endless=None, sinks=()):
    store = store or ResultStore()

    async def ask(request):
        body = (f"data: {json.dumps(piece)}\n\n" async for piece in saying(request))
        task = BackgroundTask(repr, "background")
        return StreamingResponse(body, media_type=EVENTS, background=task)

    async def chat(request):
        return StreamingResponse(saying(request, streams.frames("chat")), media_type=EVENTS)

    async def sse(request):
        return sse_starlette.EventSourceResponse(saying(request), ping=1)

    async def hang(request):
        return StreamingResponse(endless.pieces(), media_type=EVENTS)

    routes = [
        Route("/ask", ask),
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/sse", sse),
        Route("/hang", hang),
        Mount("/streamguard/results", results_app(store)),
    ]
    guard = Middleware(StreamGuardMiddleware, store=store, sinks=sinks)
    return Starlette(routes=routes, middleware=[Middleware(GZipMiddleware), guard])


def fastapi_app():
    app = FastAPI()
    app.add_middleware(StreamGuardMiddleware)

    @app.get("/ask", response_class=FastAPIEvents)
    async def ask(request: Request) -> AsyncIterable[str]:
        async for piece in saying(request):
            yield piece

    return app


@asynccontextmanager
async def serving(server, backend, app):
    """Run `app` under a real server; gives a client of it."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    async with anyio.create_task_group() as tasks:
        if server == "uvicorn":
            running = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
            tasks.start_soon(running.serve, [listener])
            stop = partial(setattr, running, "should_exit", True)
        else:
            config, stopped = hypercorn.Config(), anyio.Event()
            config.bind, config.errorlog = [f"fd://{listener.detach()}"], None
            config.graceful_timeout, stop = 1, stopped.set
            serve = getattr(hypercorn, backend).serve
            tasks.start_soon(lambda: serve(app, config, shutdown_trigger=stopped.wait))
        try:
            async with httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=PATIENCE_S
            ) as client:
                yield client
        finally:
            stop()


@pytest.fixture(params=SERVERS, ids="-".join)
def served(request):
    return request.param


@pytest.fixture
def anyio_backend(served):
    return served[1]


def said(body):
    return [json.loads(event.data) for event in events(body) if event.data]


async def stored(client, response):
    """Return the result on the side channel, once there is one."""
    path = f"/streamguard/results/{response.headers['x-streamguard-id']}"
    with anyio.fail_after(PATIENCE_S):
        while (found := await client.get(path)).status_code != 200:
            await anyio.lowlevel.checkpoint()
    return found.json()


def summary(result):
    """Return what a stored result says, which holds no text, of one checked at once."""
    return result["status"], result["flags"], [f["start"] for f in result["findings"]]


def expected(text=TEXT):
    return summary(check_text(text, context=CONTEXT).model_dump(mode="json"))


async def test_starlette_streams_checked_answers(served):
    store = ResultStore()
    async with serving(*served, starlette_app(store)) as client:
        response = await client.get("/ask")
        assert said(response.content) == PIECES
        assert summary((await stored(client, response))["result"]) == expected()
        response = await client.get("/ask", headers={"x-streamguard": "event"})
        assert [event.event for event in events(response.content)][-1] == "streamguard.result"
        response = await client.post("/v1/chat/completions", json={"stream": True})
        ((event, annotation),) = annotations(response.content)
        assert response.content.replace(event.raw, b"") == b"".join(streams.frames("chat"))
        assert summary(annotation["result"]) == expected(streams.TEXT)


@pytest.mark.parametrize(
    ("app", "path"),
    [(starlette_app, "/sse"), (fastapi_app, "/ask")],
    ids=["starlette", "fastapi"],
)
async def test_events_of_a_framework_are_checked(served, app, path):
    async with serving(*served, app()) as client:
        response = await client.get(path, headers={"x-streamguard": "event"})
    *pieces, last = [event for event in events(response.content) if event.data]
    assert [each.data.strip('"') for each in pieces] == PIECES
    assert last.raw[-4:] == response.content[-4:]  # in the line ends of the others
    assert summary(json.loads(last.data)["result"]) == expected()


@pytest.mark.parametrize("pause", [True, False], ids=["silent", "talking"])
async def test_a_client_that_leaves_closes_the_models_stream(served, pause):
    endless, ended, told = Endless(pause), [], anyio.Event()

    def sink(annotation):
        ended.append(annotation.result.ended)
        told.set()

    async with serving(*served, starlette_app(endless=endless, sinks=[sink])) as client:
        with anyio.fail_after(PATIENCE_S):
            async with await anyio.connect_tcp("127.0.0.1", client.base_url.port) as connection:
                await connection.send(b"GET /hang HTTP/1.1\r\nHost: here\r\n\r\n")
                got = b""
                while b"data:" not in got:
                    got += await connection.receive()
            await told.wait()
            # Where the write is what meets the reset, asyncio keeps that error, and with its frames
            # the suspended source: nobody asks it any more, but it is closed with the server.
            if pause or served[0] != "hypercorn":
                await endless.closed.wait()
            asked = endless.asked
            for _ in range(50):
                await anyio.lowlevel.checkpoint()
            assert endless.asked == asked
    assert ended == ["client_disconnect"]
