"""`streamguard chat`: answers questions over one's own documents, checked by the guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from math import inf

from aiohttp import web

from streamguard.errors import ConfigError, UpstreamError
from streamguard.rag.extras import library
from streamguard.server.aiohttp import answer_result, take_feedback
from streamguard.server.chat.explaining import add_explain
from streamguard.server.chat.flow import Chat
from streamguard.server.chat.frames import gate_fields, passages
from streamguard.server.chat.model import upstream_session
from streamguard.server.chat.pages import add_headers, add_page
from streamguard.server.chat.requests import (
    MAX_QUESTION_CHARS,
    MAX_REQUEST_BYTES,
    ChatQuestion,
    chosen,
    read_json,
)
from streamguard.server.chat.settings import PRESETS, SCRIPTED, ChatSettings
from streamguard.server.http.bodies import refused
from streamguard.server.http.hosts import only_for
from streamguard.server.results.feedback import (
    Feedback,
    FeedbackFile,
    FeedbackKeeper,
    SharedFeedback,
)
from streamguard.server.results.responses import Results
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, check_shared
from streamguard.server.workers.serve import GRACE_S

log = logging.getLogger("streamguard.chat")

_CHAT = web.AppKey("chat", Chat)
_FEEDBACK = web.AppKey("feedback", Feedback)
_SETTINGS = web.AppKey("settings", ChatSettings)

_Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_app(settings: ChatSettings) -> web.Application:
    """Return the chat server as an application; run it with `serve.make_runner`.

    Raises `ConfigError` if the default preset is not among the policies.
    """
    chosen(settings.preset, settings.preset, settings.policies)
    check_shared(settings.shared)
    app = web.Application(middlewares=[only_for(settings.hosts)], client_max_size=MAX_REQUEST_BYTES)
    app[_SETTINGS] = settings
    app.cleanup_ctx.append(_chat)
    app.on_shutdown.append(_drain)
    app.on_response_prepare.append(add_headers)
    add_page(app)
    app.router.add_get("/api/config", _or_400(_config))
    app.router.add_post("/api/chat", _or_400(_answer_question))
    add_explain(app, settings.policies)
    app.router.add_post("/streamguard/feedback", _feedback)
    app.router.add_get("/collections/{name}/query", _or_400(_query))
    app.router.add_get("/streamguard/results/{id}", _result)
    app.router.add_get("/streamguard/health", _health)
    if settings.shared is not None:
        library("streamguard.server.dashboard.app", "sql").add_dashboard(app, settings.shared.url)
    return app


async def _chat(app: web.Application) -> AsyncIterator[None]:
    settings = app[_SETTINGS]
    session = upstream_session()
    store_text = settings.store_text
    shared = None if settings.shared is None else SharedResults(settings.shared)
    if shared is not None:
        shared.warm()
    results = ResultStore(
        settings.max_results, settings.results_ttl_s, store_text=store_text, shared=shared
    )
    app[_CHAT] = Chat(
        settings,
        settings.make_model(session),
        results,
        # For as long as a page is open: people come back to an answer later than clients do.
        ResultStore(settings.max_feedback_answers, inf, store_text=store_text),
    )
    keeper: FeedbackKeeper = FeedbackFile(settings.feedback, max_bytes=settings.max_feedback_bytes)
    if shared is not None and shared.journal is not None:
        keeper = SharedFeedback(shared, keeper)
    app[_FEEDBACK] = Feedback(app[_CHAT].answers, keeper)
    yield
    await results.aclose()
    await session.close()


async def _drain(app: web.Application) -> None:
    await app[_CHAT].drain(GRACE_S)


def _or_400(answer: _Answer) -> _Answer:
    async def answered(request: web.Request) -> web.StreamResponse:
        try:
            return await answer(request)
        except ConfigError as exc:
            return refused(400, str(exc), "bad_request")

    return answered


async def _config(request: web.Request) -> web.Response:
    settings = request.app[_SETTINGS]
    try:
        sources = await request.app[_CHAT].sources()
    except UpstreamError:
        sources = {}  # logged; the page can do without, and the replies to questions name the error
    presets = [name for name in PRESETS if name in settings.policies]
    presets += [name for name in settings.policies if name not in PRESETS]
    return web.json_response(
        {
            "title": settings.title,
            "model": settings.model_name,
            "presets": presets,
            "preset": settings.preset,
            "on_refuse": settings.policies[settings.preset].on_refuse,
            "documents": [{"source": name, "chunks": count} for name, count in sources.items()],
            "show_documents": settings.show_documents,
            "questions": [*settings.questions, *(f"{q}{SCRIPTED}" for q in settings.scripts)],
        }
    )


async def _answer_question(request: web.Request) -> web.StreamResponse:
    chat, settings = request.app[_CHAT], request.app[_SETTINGS]
    body = await read_json(request, ChatQuestion)
    preset = chosen(body.preset, settings.preset, settings.policies)
    if chat.open_chats >= settings.max_open_chats:
        return refused(503, "too many chats are open, try again soon", "too_many_chats")
    return await chat.answer(request, body, preset)


async def _feedback(request: web.Request) -> web.StreamResponse:
    return await take_feedback(request, request.app[_FEEDBACK])


async def _query(request: web.Request) -> web.Response:
    """Reply with the passages of one collection that pass the gate."""
    settings, name = request.app[_SETTINGS], request.match_info["name"]
    if name not in settings.collections:
        known = ", ".join(settings.collections)
        return refused(404, f"collection is {name!r}, this server has {known}", "no_collection")
    text = request.query.get("query_text", "").strip()
    if not 0 < len(text) <= MAX_QUESTION_CHARS:
        raise ConfigError(
            f"query_text has {len(text)} characters, expected 1 to {MAX_QUESTION_CHARS}"
        )
    policy = settings.policies[settings.preset]
    try:
        retrieval, declined, line = await request.app[_CHAT].retrieve([name], text, policy)
    except UpstreamError as exc:
        return refused(502, str(exc), "store_failed")
    log.info(line.pop("event"), extra={"fields": line})
    found = {"passages": passages(retrieval.chunks), **gate_fields(retrieval)}
    return web.json_response({**found, "declined": asdict(declined) if declined else None})


async def _result(request: web.Request) -> web.Response:
    """Reply with the annotation: 200, 202 while its stream runs, 404 for an unknown id."""
    return await answer_result(request, Results(request.app[_CHAT].results))


async def _health(request: web.Request) -> web.Response:
    chat = request.app[_CHAT]
    return web.json_response(
        {"status": "ok", "open_chats": chat.open_chats, "stored_results": len(chat.results)}
    )
