"""Serves the page's files, with headers that keep other origins out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from streamguard.server.chat.page import HEADERS, files


def add_page(app: web.Application) -> None:
    """Serve the page's files, read once."""
    for path, (content, kind) in files().items():
        app.router.add_get(path, as_file(content, kind))


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Add headers that keep other origins out; a signal handler for `on_response_prepare`."""
    response.headers.setdefault("Cache-Control", "no-store")  # answers are no files
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")


def as_file(content: bytes, kind: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Return a handler that responds with a file of the page."""
    headers = {"Cache-Control": HEADERS["Cache-Control"]}

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)

    return answer
