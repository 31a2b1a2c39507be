"""`streamguard dashboard`: the page and its views, standalone or within another server."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from streamguard.server.aiohttp import responded
from streamguard.server.chat.page import files as chat_files
from streamguard.server.chat.pages import add_headers, as_file
from streamguard.server.dashboard import views
from streamguard.server.dashboard.scope import DashboardScope, ListScope
from streamguard.server.http.bodies import refused
from streamguard.server.http.hosts import only_for
from streamguard.server.results.feedback import explained
from streamguard.server.results.responses import closed_to
from streamguard.sinks.sql.database import migrate, open_engine, reason, shown

log = logging.getLogger("streamguard.dashboard")

LISTEN = "127.0.0.1:8090"
_PAGE = Path(__file__).parent / "page"
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_SHARED = ("/dom.js", "/style.css")  # the chat page's own

_Scope = TypeVar("_Scope", bound=DashboardScope)
_View = Callable[[AsyncEngine, Any], Awaitable[dict[str, Any]]]


def make_app(
    results: str, *, token: str | None = None, hosts: frozenset[str] | None = None
) -> web.Application:
    """Return the dashboard over the database at a URL as an application.

    `hosts`: the only host names accepted, None for any. Raises `ConfigError` for an unsupported
    URL.
    """
    app = web.Application(middlewares=[only_for(hosts)])
    app.on_response_prepare.append(add_headers)
    add_dashboard(app, results, token=token)
    app.router.add_get("/", _to_dashboard)
    app.router.add_get("/dashboard", _to_dashboard)
    return app


def add_dashboard(app: web.Application, results: str, *, token: str | None = None) -> None:
    """Serve the dashboard under `/dashboard/`; database tables are migrated to this version.

    The application must add the headers that keep other origins out. With a `token`, the views
    require `Authorization: Bearer TOKEN`; the page asks for it.
    """
    engine = open_engine(results)

    async def opened(_app: web.Application) -> AsyncIterator[None]:
        await migrate(engine)
        yield
        await engine.dispose()

    app.cleanup_ctx.append(opened)
    for name, (content, kind) in _files().items():
        app.router.add_get(name, as_file(content, kind))
    shown_views: dict[str, tuple[_View, type[DashboardScope]]] = {
        "summary": (views.summary, DashboardScope),
        "values": (views.values, DashboardScope),
        "areas": (views.areas, DashboardScope),
        "feedback": (views.agreement, DashboardScope),
        "results": (views.listed, ListScope),
    }
    for name, (view, scope) in shown_views.items():
        app.router.add_get(f"/dashboard/api/{name}", _answers(engine, token, view, scope))
    app.router.add_get("/dashboard/api/results/{id}", _answers_one(engine, token))


def _answers(
    engine: AsyncEngine, token: str | None, view: _View, scope: type[_Scope]
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        try:
            requested = scope.model_validate(dict(request.query))
        except ValidationError as exc:
            return refused(400, explained(exc), "bad_scope")
        return web.json_response(await view(engine, requested))

    return _guarded(engine, token, answer)


def _answers_one(
    engine: AsyncEngine, token: str | None
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        found = await views.one(engine, request.match_info["id"])
        if found is None:
            return refused(404, "no result of this id, or no longer", "no_result")
        return web.json_response(found)

    return _guarded(engine, token, answer)


def _guarded(
    engine: AsyncEngine, token: str | None, answer: Callable[[web.Request], Awaitable[web.Response]]
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answered(request: web.Request) -> web.Response:
        closed = closed_to(token, request.headers.get("Authorization", ""))
        if closed is not None:
            return responded(closed)
        try:
            return await answer(request)
        except (SQLAlchemyError, sqlite3.Error, OSError) as exc:
            fields = {"database": shown(engine.url), "error": reason(exc)}
            log.error("database_failed", extra={"fields": fields})
            return refused(503, "the database does not answer", "database_failed")

    return answered


async def _to_dashboard(_request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/dashboard/"})


def _files() -> dict[str, tuple[bytes, str]]:
    found = {
        f"/dashboard/{path.name}": (path.read_bytes(), _KINDS[path.suffix])
        for path in sorted(_PAGE.iterdir())
        if path.suffix in _KINDS
    }
    found["/dashboard/"] = found.pop("/dashboard/index.html")
    theirs = chat_files()
    return found | {f"/dashboard/chat{name}": theirs[name] for name in _SHARED}
