"""The host names that a server accepts, to keep out pages of other origins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from yarl import URL

from streamguard.server.http.bodies import refused

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# A host and perhaps a port, as clients write them (RFC 9110, section 7.2): no user, path or zone.
_AUTHORITY = re.compile(r"([\w-]+(\.[\w-]+)*|\[[\da-fA-F:.]+\])(:\d*)?", re.ASCII)


def hosts_of(host: str, further: Iterable[str] = ()) -> frozenset[str] | None:
    """Return the names for `only_for`, from the listening `host` and `further` names.

    None unless the server listens on loopback: otherwise its names are unknown.
    """
    return LOOPBACK | {name.lower() for name in further} if host in LOOPBACK else None


def only_for(hosts: frozenset[str] | None, own: str = "/") -> Middleware:
    """Return a middleware that rejects requests from pages of other origins; None rejects nothing.

    Such a page may point its own name at this machine to read answers as its own (DNS rebinding):
    the Host header shows that name. Addresses pass, and names without a dot, which no site has. Or
    the page sends a request that needs no permission and whose answer it cannot read: the Origin
    header shows that, and paths that begin with `own` reject it. The upstream decides about its own
    paths.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if hosts is not None:
            named = request.headers.get("Host")
            name = "localhost" if named is None else _host(named)  # no browser's
            if name is None or not (name in hosts or _is_local(name)):
                return refused(403, "this server does not go by that name", "wrong_host")
            origin = request.headers.get("Origin")
            page = None if origin is None else _host(origin.partition("://")[2])
            if origin is not None and request.path.startswith(own) and page not in hosts:
                message = "pages of other origins are not answered here"
                return refused(403, message, "wrong_origin")
        return await handler(request)

    return check


def _is_local(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return "." not in name.rstrip(".")
    return True


def _host(authority: str) -> str | None:
    """Return the host of an authority in lower case; None if it is invalid."""
    if not _AUTHORITY.fullmatch(authority):
        return None
    try:
        return URL(f"http://{authority}").host
    except ValueError:
        return None
