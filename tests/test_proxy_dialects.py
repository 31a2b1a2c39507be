"""The proxy in front of a server of every protocol, over real sockets."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from streamguard.server.wishes import Forms
from streamguard.server.workers.serve import make_runner, start
from tests import asgi
from tests.clients import upstream as speaking
from tests.frames import CHUNKED, END, PASSAGES, QUESTION, chunked
from tests.upstreams import ask, proxy, result, upstream

pytestmark = pytest.mark.asyncio

PATHS = {protocol: "/v1" + path for path, protocol in speaking.PATHS.items()} | {
    "anthropic": "/v1/messages",
    "ollama_chat": "/api/chat",
    "ollama_generate": "/api/generate",
    "ui": "/ui",
    "events": "/events",
    "lines": "/lines",
}
FURTHER = ("/ui", "/events", "/lines", "/apps/*")


@asynccontextmanager
async def both(**settings):
    """Run the server of every protocol, and the proxy in front of it."""
    runner = make_runner(speaking.make_app())
    try:
        base = await start(runner, "127.0.0.1", 0)
        async with proxy(base, check_paths=FURTHER, **settings) as proxied:
            yield proxied
    finally:
        await runner.cleanup()


def request(protocol, model="text", stream=True):
    return {"model": model, "stream": stream, "messages": [PASSAGES, QUESTION]}


def annotations(protocol, body):
    """Return the annotations that a reader of the protocol finds, wherever they ride."""
    lines = protocol in ("ollama_chat", "ollama_generate", "lines")
    return [annotation for _, annotation in asgi.annotations(body, lines)]


async def test_the_servers_form_holds_where_a_request_says_nothing():
    async with both(forms=Forms("header")) as base:
        got = await ask(base, request("chat"), PATHS["chat"])
        assert annotations("chat", got.body) == []
        got = await ask(base, request("chat"), PATHS["chat"], X_Streamguard="attach")
        assert len(annotations("chat", got.body)) == 1


async def test_a_comment_goes_on_before_the_first_frame_has_come():
    go = asyncio.Event()

    async def script(_received, writer):
        writer.write(CHUNKED + chunked(b": one moment\n\n"))
        await go.wait()
        writer.write(chunked(b"data: Hi.\n\n") + END)

    async with upstream(script) as up, proxy(up.url, check_paths=("/ask",)) as base:
        reader, writer = await asyncio.open_connection(*base.removeprefix("http://").split(":"))
        writer.write(b"GET /ask HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.wait_for(reader.readuntil(b": one moment\n\n"), 10)
        go.set()
        await asyncio.wait_for(reader.readuntil(b"data: Hi.\n\n"), 10)
        writer.close()


@pytest.mark.parametrize("end", ["orderly", "short"])
async def test_a_stream_that_ends_before_its_first_frame_is_relayed(end):
    async def script(_received, writer):
        writer.write(CHUNKED + chunked(b"data: H") + (END if end == "orderly" else b""))

    async with upstream(script) as up, proxy(up.url, check_paths=("/ask",)) as base:
        got = await ask(base, None, "/ask", "GET")
        assert (got.body, got.clean) == (b"data: H", end == "orderly")
        _, stored = await result(base, got.headers["x-streamguard-id"])
        assert stored["result"]["ended"] == "upstream_error"
