"""The middleware under real servers and frameworks, over sockets; on trio where a server can."""

import json
import socket
from collections.abc import AsyncIterable
from contextlib import asynccontextmanager

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
from streamguard.server.results.store import ResultStore
from tests.asgi import annotations, events
from tests.clients import streams

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

    def __init__(self, pause=True):
        self.closed = anyio.Event()
        self.ended = []
        self.asked = 0
        self._pause = pause

    async def pieces(self, request):
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


def starlette_app(store, endless, sinks=()):
    done = []

    async def ask(request):
        async def body():
            async for piece in saying(request):
                yield f"data: {json.dumps(piece)}\n\n"

        task = BackgroundTask(done.append, "background")
        return StreamingResponse(body(), media_type="text/event-stream", background=task)

    async def chat(request):
        provide_context(request, CONTEXT)
        frames = streams.frames("chat")

        async def body():
            for frame in frames:
                yield frame

        return StreamingResponse(body(), media_type="text/event-stream")

    async def sse(request):
        return sse_starlette.EventSourceResponse(saying(request), ping=1)

    async def hang(request):
        return StreamingResponse(endless.pieces(request), media_type="text/event-stream")

    routes = [
        Route("/ask", ask),
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/sse", sse),
        Route("/hang", hang),
        Mount("/streamguard/results", results_app(store)),
    ]
    guard = Middleware(StreamGuardMiddleware, store=store, sinks=sinks)
    return Starlette(routes=routes, middleware=[Middleware(GZipMiddleware), guard])


def fastapi_app(store):
    app = FastAPI()
    app.add_middleware(StreamGuardMiddleware, store=store)
    app.mount("/streamguard/results", results_app(store))

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

            def stop():
                running.should_exit = True

        else:
            config = hypercorn.Config()
            config.bind = [f"fd://{listener.detach()}"]
            config.errorlog = None
            config.graceful_timeout = 1
            stopped = anyio.Event()
            stop = stopped.set
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
    async with serving(*served, starlette_app(store, None)) as client:
        response = await client.get("/ask")
        assert said(response.content) == PIECES
        assert summary((await stored(client, response))["result"]) == expected()
        response = await client.get("/ask", headers={"x-streamguard": "event"})
        assert [event.event for event in events(response.content)][-1] == "streamguard.result"
        response = await client.post("/v1/chat/completions", json={"stream": True})
        ((event, annotation),) = annotations(response.content)
        assert response.content.replace(event.raw, b"") == b"".join(streams.frames("chat"))
        assert summary(annotation["result"]) == expected(streams.TEXT)


async def test_sse_starlette_streams_checked_answers(served):
    async with serving(*served, starlette_app(ResultStore(), None)) as client:
        response = await client.get("/sse", headers={"x-streamguard": "event"})
        assert b"\r\n\r\n" in response.content
        *pieces, last = [event for event in events(response.content) if event.data]
        assert [event.data for event in pieces] == PIECES
        assert last.raw.endswith(b"\r\n\r\n")
        assert summary(json.loads(last.data)["result"]) == expected()


async def test_fastapis_event_source_streams_checked_answers(served):
    async with serving(*served, fastapi_app(ResultStore())) as client:
        response = await client.get("/ask", headers={"x-streamguard": "event"})
        *pieces, last = said(response.content)
        assert pieces == PIECES
        assert summary(last["result"]) == expected()


@pytest.mark.parametrize("pause", [True, False], ids=["silent", "talking"])
async def test_a_client_that_leaves_closes_the_models_stream(served, pause):
    endless, ended, told = Endless(pause), [], anyio.Event()

    def sink(annotation):
        ended.append(annotation.result.ended)
        told.set()

    async with serving(*served, starlette_app(ResultStore(), endless, [sink])) as client:
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
