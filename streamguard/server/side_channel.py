"""What a proxy answers itself, beside the answers it relays: results and given contexts."""

from __future__ import annotations

from aiohttp import web

from streamguard.errors import ConfigError
from streamguard.server.aiohttp import answer_events, answer_result, responded
from streamguard.server.bodies import read_up_to, refused
from streamguard.server.exchange import PROXY
from streamguard.server.results import HEADERS, Results

_PATHS = (
    "/streamguard/health",
    "/streamguard/results/{id}",
    "/streamguard/results/{id}/events",
    "POST /streamguard/contexts",
)


def add_routes(app: web.Application) -> None:
    """Add everything under `/streamguard/`; nothing there goes on to the upstream."""
    app.router.add_get("/streamguard/health", _health)
    app.router.add_get("/streamguard/results/{id}", _result)
    app.router.add_get("/streamguard/results/{id}/events", _events, allow_head=False)
    app.router.add_post("/streamguard/contexts", _context)
    app.router.add_route("*", "/streamguard/{tail:.*}", _nothing)


async def _health(request: web.Request) -> web.Response:
    proxy = request.app[PROXY]
    return web.json_response(
        {
            "status": "ok",
            "open_streams": proxy.checked,
            "stored_results": len(proxy.store),
            "stored_contexts": len(proxy.contexts),
        }
    )


async def _result(request: web.Request) -> web.StreamResponse:
    return await answer_result(request, _results(request))


async def _events(request: web.Request) -> web.StreamResponse:
    return await answer_events(request, _results(request))


async def _context(request: web.Request) -> web.Response:
    """Keep a context for answers to come: 201 with its id, 400 and 413 say what is wrong."""
    closed = _results(request).closed_to(request.headers.get("Authorization", ""))
    if closed is not None:
        return responded(closed)
    proxy = request.app[PROXY]
    limit = min(proxy.settings.max_body_bytes, proxy.contexts.max_bytes)
    body, all_read = await read_up_to(request, limit)
    if not all_read:
        return refused(413, f"the context is over {limit} bytes", "context_too_long")
    try:
        name = proxy.contexts.put(body, proxy.settings.policies)
    except ConfigError as exc:
        return refused(400, str(exc), "bad_context")
    kept = {"object": "streamguard.context", "id": name, "expires_in_s": proxy.contexts.ttl_s}
    return web.json_response(kept, status=201, headers=HEADERS)


async def _nothing(request: web.Request) -> web.Response:
    return refused(404, f"this server has {', '.join(_PATHS)}", "no_path")


def _results(request: web.Request) -> Results:
    proxy = request.app[PROXY]
    return Results(proxy.store, proxy.settings.results_token)
