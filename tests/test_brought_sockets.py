"""Evidence that an answer brings by itself, over sockets: under ASGI servers and in aiohttp."""

import json

import pytest
from aiohttp import web
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import StreamingResponse
from starlette.routing import Route

from streamguard import guard
from streamguard.server.aiohttp import stream_sse
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.workers.serve import start
from tests.kit.asgi import annotations, events
from tests.kit.bringing import FACTS, responses, sse
from tests.kit.upstreams import ask
from tests.test_asgi_servers import SERVERS
from tests.test_asgi_servers import serving as served_by

PATH = "/v1/responses"
FOUND = {"type": "mcp_call", "id": "mcp_1", "name": "search", "server_label": "docs",
         "arguments": "{}", "output": FACTS[0][0]}  # fmt: skip
RIGHT, WRONG = (responses(FOUND, said) for said in FACTS[0][1:])


def judged(body):
    """Return status, where the passages came from, and the values that are warned of."""
    ((_, annotation),) = annotations(body)
    result = annotation["result"]
    found = [one["value"] for one in result["findings"] if one["severity"] == "warning"]
    return result["status"], result["context_source"][0]["where"], found


EXPECTED = [(RIGHT, "PASS", []), (WRONG, "REFUSE", ["$59 per month"])]


async def judged_by_the_middleware(server, anyio_backend, frames):
    async def answer(request):
        async def body():
            for frame in frames:
                yield sse([frame])

        return StreamingResponse(body(), media_type="text/event-stream")

    guarded = Middleware(StreamGuardMiddleware)
    app = Starlette(routes=[Route(PATH, answer, methods=["POST"])], middleware=[guarded])
    async with served_by(server, anyio_backend, app) as client:
        return (await client.post(PATH, json={"stream": True})).content


@pytest.mark.anyio
@pytest.mark.parametrize(("server", "anyio_backend"), SERVERS)
async def test_the_middleware_reads_what_a_stream_brings(server, anyio_backend):
    for frames, status, warned in EXPECTED:
        body = await judged_by_the_middleware(server, anyio_backend, frames)
        assert judged(body) == (status, "mcp", warned)


@pytest.mark.asyncio
async def test_an_aiohttp_application_reads_what_its_items_bring():
    async def saying(frames):
        for frame in frames:
            yield frame

    for frames, status, warned in EXPECTED:

        async def answer(request, frames=frames):
            return await stream_sse(request, guard(saying(frames)), dialect="responses")

        app = web.Application()
        app.router.add_get("/ask", answer)
        runner = web.AppRunner(app, access_log=None)
        try:
            base = await start(runner, "127.0.0.1", 0)
            body = (await ask(base, None, "/ask", "GET")).body
        finally:
            await runner.cleanup()
        assert judged(body) == (status, "mcp", warned)
        sent = [json.loads(event.data) for event in events(body)]
        assert [each["type"] for each in sent] == [each["type"] for each in frames]
