"""A pass-through proxy as one writes it in an afternoon: Starlette in front of httpx.

    python pass_through.py UPSTREAM PORT

Runs in an environment of its own, under uvicorn with uvloop and httptools.
"""

import contextlib
import sys

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse
from starlette.routing import Route

# Those of the connection, and those that uvicorn writes itself.
NOT_PASSED = {"connection", "transfer-encoding", "date", "server"}


def make_app(upstream: str) -> Starlette:
    """Return the application."""

    @contextlib.asynccontextmanager
    async def lifespan(app):
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=upstream, limits=limits, timeout=None) as client:
            app.state.client = client
            yield

    async def relay(request):
        client = request.app.state.client
        passed = {name: value for name, value in request.headers.items() if name != "host"}
        sent = client.build_request(
            request.method, request.url.path, headers=passed, content=await request.body()
        )
        got = await client.send(sent, stream=True)
        headers = {name: v for name, v in got.headers.items() if name not in NOT_PASSED}
        return StreamingResponse(
            got.aiter_raw(),
            status_code=got.status_code,
            headers=headers,
            background=BackgroundTask(got.aclose),
        )

    return Starlette(routes=[Route("/{path:path}", relay, methods=["POST"])], lifespan=lifespan)


if __name__ == "__main__":
    uvicorn.run(
        make_app(sys.argv[1]),
        host="127.0.0.1",
        port=int(sys.argv[2]),
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
    )
