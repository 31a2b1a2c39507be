"""What a proxy answers itself, beside the answers it relays: results and given contexts."""

from __future__ import annotations

import asyncio
import hmac
import re

from aiohttp import web

from streamguard.core.result import Annotation
from streamguard.errors import ConfigError
from streamguard.server.bodies import read_up_to, refused
from streamguard.server.exchange import PROXY
from streamguard.server.feed import Feed
from streamguard.wire.plain import EVENT, SENTENCE_EVENT

_PATHS = (
    "/streamguard/health",
    "/streamguard/results/{id}",
    "/streamguard/results/{id}/events",
    "POST /streamguard/contexts",
)
_ID = re.compile(r"[0-9a-f]{32}")
PING_S = 15.0  # between two signs of life; proxies mostly cut after 60 s of silence
_STREAM = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


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


async def _result(request: web.Request) -> web.Response:
    """Answer with the annotation: 200, 202 while its stream runs, 404 for an unknown id."""
    found = _bad_token(request) or _found(request)
    if isinstance(found, web.Response):
        return found
    return web.Response(
        status=202 if found.state == "pending" else 200,
        body=found.to_json().encode(),
        content_type="application/json",
        headers=_HEADERS,
    )


async def _events(request: web.Request) -> web.StreamResponse:
    """Send the sentences as they settle, then the annotation; from behind `Last-Event-ID` on.

    204 where all of it was received: a browser's EventSource asks again until it hears that.
    """
    found = _bad_token(request) or _found(request)
    if isinstance(found, web.Response):
        return found
    name, store = request.match_info["id"], request.app[PROXY].store
    feed = store.feed(name)
    last = request.headers.get("Last-Event-ID", "0")
    if feed is None or not last.isascii() or not last.isdigit():
        return refused(400, f"Last-Event-ID is {last!r}, expected a number of ours", "bad_event_id")
    received = int(last)
    if feed.over and received > feed.count:
        return web.Response(status=204, headers=_HEADERS)
    response = web.StreamResponse(headers={**_HEADERS, **_STREAM})
    await response.prepare(request)
    try:
        while True:
            for number, said in feed.after(received):
                await response.write(_event(number, SENTENCE_EVENT, said))
            received = max(received, feed.count)
            if feed.over:
                break
            await _wait(response, feed, received)
        kept = store.get(name)
        if kept is not None:
            await response.write(_event(feed.count + 1, EVENT, kept.to_json()))
    except ConnectionError:
        pass  # the listener left
    return response


async def _wait(response: web.StreamResponse, feed: Feed, received: int) -> None:
    """Wait for the next sentence; keep the connection alive meanwhile."""
    try:
        async with asyncio.timeout(PING_S):
            await feed.beyond(received)
    except TimeoutError:
        # No block of its own: there are readers that dispatch on every blank line.
        await response.write(b": waiting\n")


def _event(number: int, name: str, data: str) -> bytes:
    return f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode("ascii")


async def _context(request: web.Request) -> web.Response:
    """Keep a context for answers to come: 201 with its id, 400 and 413 say what is wrong."""
    if (bad_token := _bad_token(request)) is not None:
        return bad_token
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
    return web.json_response(kept, status=201, headers=_HEADERS)


async def _nothing(request: web.Request) -> web.Response:
    return refused(404, f"this server has {', '.join(_PATHS)}", "no_path")


def _bad_token(request: web.Request) -> web.Response | None:
    """Return the refusal of a request that lacks the server's token, where it has one."""
    token = request.app[PROXY].settings.results_token
    if token is None:
        return None
    given = request.headers.get("Authorization", "")
    if hmac.compare_digest(given.encode(errors="replace"), f"Bearer {token}".encode()):
        return None
    return refused(401, "the side channel needs Authorization: Bearer TOKEN", "bad_token")


def _found(request: web.Request) -> Annotation | web.Response:
    asked = request.match_info["id"]
    found = request.app[PROXY].store.get(asked) if _ID.fullmatch(asked) else None
    return found or refused(404, "no result of this id, or no longer", "no_result")
