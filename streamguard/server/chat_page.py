"""The page's files, and the headers that keep it to itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from yarl import URL

from streamguard.server.bodies import refused

FILES = {
    "/": ("index.html", "text/html"),
    "/app.js": ("app.js", "text/javascript"),
    "/style.css": ("style.css", "text/css"),
    "/streamguard.js": ("streamguard.js", "text/javascript"),
}
_FOLDER = Path(__file__).parent / "page"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_page(app: web.Application) -> None:
    """Serve the page's files, read once; one that is missing answers 404."""
    for path, (name, kind) in FILES.items():
        file = _FOLDER / name
        app.router.add_get(path, _file(file.read_bytes() if file.is_file() else None, kind))


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Add what keeps other pages out of this one; a signal for `on_response_prepare`."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")


def only_for(hosts: frozenset[str] | None) -> Middleware:
    """Return a middleware that answers only requests that name one of `hosts`, None for any.

    A page of another origin may point its own name at this machine, and would read the documents
    as its own; the Host header still tells.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if hosts is not None and _host(request) not in hosts:
            return refused(403, "this server does not go by that name", "wrong_host")
        return await handler(request)

    return check


def _host(request: web.Request) -> str | None:
    try:
        return URL(f"http://{request.host}").host
    except ValueError:
        return None


def _file(content: bytes | None, kind: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_request: web.Request) -> web.Response:
        if content is None:
            return refused(404, "this installation has no page", "no_page")
        headers = {"Cache-Control": "no-cache"}
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)

    return answer
