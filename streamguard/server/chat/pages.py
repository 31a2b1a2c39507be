"""The page's files on the server, and what keeps other pages out of this one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from streamguard.server.chat.page import HEADERS, files


def add_page(app: web.Application) -> None:
    """Serve the page's files, read once."""
    for path, (content, kind) in files().items():
        app.router.add_get(path, as_file(content, kind))


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that keep other pages out; a signal for `on_response_prepare`."""
    response.headers.setdefault("Cache-Control", "no-store")  # answers are no files
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")


def as_file(content: bytes, kind: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Return a handler that answers with a file of the page."""
    headers = {"Cache-Control": HEADERS["Cache-Control"]}

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)

    return answer
