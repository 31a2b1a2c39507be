"""The doors: each takes a prompt and an answer in one of its streams, and gives the result."""

import json
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from streamguard import guard
from streamguard.integrations.options import as_data
from streamguard.server.aiohttp import stream_sse
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.workers.serve import make_runner, start
from streamguard.wire.requests.shown import context_of
from tests.kit import asgi
from tests.kit.streams import pieces
from tests.programs.first_day.prompts import Prompt
from tests.programs.first_day.streams import BY_HAND, STREAMS

# Gives the result, as JSON values, of an answer to a prompt in the stream of that name.
Check = Callable[[Prompt, str, str], Awaitable[dict[str, Any]]]
BYTES = 16  # of a body, at once: frames are cut
# What an answer is said of that passed without anything being said of it.
UNGUARDED = {"status": None, "reasons": [{"code": "unguarded"}], "findings": []}
BY_NAME = {stream.name: stream for stream in STREAMS}


def _cut(body):
    return [body[at : at + BYTES] for at in range(0, len(body), BYTES)]


def _request(prompt, stream):
    asked = {"model": "m", "stream": not stream.name.endswith("whole")}
    return json.dumps({**asked, **stream.asked(prompt.messages)}).encode()


@asynccontextmanager
async def _served(app):
    runner = make_runner(app)
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()


@asynccontextmanager
async def proxy(context_template=None):
    """Ask a proxy in front of a model that answers as the request's headers say."""

    async def model(request):
        stream = STREAMS[int(request.headers["x-stream"])]
        response = web.StreamResponse(headers={"Content-Type": stream.kind})
        await response.prepare(request)
        for piece in _cut(stream.body(json.loads(request.headers["x-answer"]))):
            await response.write(piece)
        return response

    upstream = web.Application()
    upstream.router.add_post("/{path:.*}", model)
    options = {"check_paths": (BY_HAND,), "store_text": True, "context_template": context_template}
    async with (
        _served(upstream) as url,
        _served(make_app(Settings(url, **options))) as base,
        aiohttp.ClientSession(base) as session,
    ):

        async def check(prompt, name, answer):
            stream = BY_NAME[name]
            headers = {
                "x-stream": str(STREAMS.index(stream)),
                "x-answer": json.dumps(answer),
                "Content-Type": "application/json",
            }
            body = _request(prompt, stream)
            async with session.post(stream.path, data=body, headers=headers) as response:
                await response.read()
                name = response.headers.get("x-streamguard-id")
            if name is None:
                return UNGUARDED
            async with session.get(f"/streamguard/results/{name}") as response:
                return (await response.json())["result"] or UNGUARDED

        yield check


@asynccontextmanager
async def middleware(context_template=None):
    """Ask an ASGI application that answers so, the middleware around it."""

    async def check(prompt, name, answer):
        stream, kept = BY_NAME[name], []
        app = asgi.saying(_cut(stream.body(answer)), stream.kind)
        body = _request(prompt, stream)
        guarded = StreamGuardMiddleware(app, sinks=[kept.append], context_template=context_template)
        await asgi.call(guarded, asgi.scope(path=stream.path), body)
        return (as_data(kept[0])["result"] if kept else None) or UNGUARDED

    yield check


@asynccontextmanager
async def by_hand(context_template=None):
    """Ask an aiohttp application that guards what it streams, in a dialect of `stream_sse`."""
    kept = {}

    def keep(annotation):
        kept[annotation.id] = as_data(annotation)["result"]

    async def answer(request):
        async def said():
            for piece in pieces(json.loads(request.headers["x-answer"])):
                yield piece

        messages = (await request.json())["messages"]
        context = context_of(messages, context_template=context_template)
        stream = guard(said(), context=context, sinks=[keep])
        return await stream_sse(request, stream, dialect=request.headers["x-dialect"])

    app = web.Application()
    app.router.add_post("/", answer)
    async with _served(app) as base, aiohttp.ClientSession() as session:

        async def check(prompt, name, answer):
            headers = {"x-dialect": DIALECTS[name], "x-answer": json.dumps(answer)}
            asked = {"messages": prompt.messages}
            async with session.post(base, json=asked, headers=headers) as response:
                await response.read()
            return kept.pop(response.headers["x-streamguard-id"])

        yield check


# What an aiohttp application calls the dialect in which its clients read.
DIALECTS = {
    "events of JSON strings": "plain", "Chat Completions": "chat", "UI message stream": "ui",
}  # fmt: skip
OVER_HTTP = tuple(BY_NAME)
DOORS = {
    "proxy": (proxy, OVER_HTTP),
    "ASGI": (middleware, OVER_HTTP),
    "aiohttp": (by_hand, tuple(DIALECTS)),
}
