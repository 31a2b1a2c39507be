"""The proxy's own endpoints: results, posted contexts, feedback, health and metrics."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web

from streamguard.errors import UpstreamError
from streamguard.server.aiohttp import (
    answer_events,
    answer_feedback,
    answer_result,
    responded,
)
from streamguard.server.headers import encodes, response_headers
from streamguard.server.http.bodies import read_up_to, refused, silent
from streamguard.server.http.patience import RequestSilentError
from streamguard.server.observe.exposition import CONTENT_TYPE, merged
from streamguard.server.observe.metrics import describe_process
from streamguard.server.proxy.exchange import PROXY, Proxy
from streamguard.server.proxy.streaming import pass_on
from streamguard.server.results.feedback import (
    MAX_BODY_BYTES,
    Feedback,
    FeedbackKeeper,
    id_in,
)
from streamguard.server.results.responses import Results, kept

OWN = "/streamguard/"
_PATHS = (
    "/streamguard/health",
    "/streamguard/metrics",
    "/streamguard/results/{id}",
    "/streamguard/results/{id}/events",
    "POST /streamguard/contexts",
    "POST /streamguard/feedback",
)
_RESULT_HEADERS = ("Authorization", "Last-Event-ID")  # of a request for a result
_FEEDBACK_HEADERS = ("Authorization", "Content-Type")  # of feedback
_FEEDBACK = web.AppKey("feedback", Feedback)

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def add_routes(app: web.Application) -> None:
    """Add all routes under `/streamguard/`; no request there goes to the upstream."""
    app.router.add_get("/streamguard/health", _health)
    app.router.add_get("/streamguard/metrics", _guarded_metrics)
    app.router.add_get("/streamguard/results/{id}", _or_sibling(_own_result))
    app.router.add_get(
        "/streamguard/results/{id}/events", _or_sibling(_own_events), allow_head=False
    )
    app.router.add_post("/streamguard/contexts", _context)
    app.router.add_post("/streamguard/feedback", _feedback)
    app.router.add_route("*", "/streamguard/{tail:.*}", _nothing)


def take_feedback(app: web.Application, proxy: Proxy, keeper: FeedbackKeeper) -> Feedback:
    """Accept feedback from now on; return its handler."""
    token, count = proxy.settings.results_token, proxy.metrics.feedback.add
    app[_FEEDBACK] = Feedback(proxy.store, keeper, token, count=count)
    return app[_FEEDBACK]


def make_inner(proxy: Proxy, feedback: Feedback | None = None) -> web.Application:
    """Return the endpoints for the other workers, on a socket that only they can open."""
    app = web.Application()
    app[PROXY] = proxy
    if feedback is not None:
        app[_FEEDBACK] = feedback
    app.router.add_get("/health", _own_health)
    app.router.add_get("/metrics", _own_metrics)
    app.router.add_post("/streamguard/feedback", _own_feedback)
    app.router.add_get("/contexts/{id}", _kept_context)
    app.router.add_get("/streamguard/results/{id}", _own_result)
    app.router.add_get("/streamguard/results/{id}/events", _own_events, allow_head=False)
    return app


async def _health(request: web.Request) -> web.Response:
    """Reply with the server's health, over all its workers that answer."""
    proxy = request.app[PROXY]
    health, workers = _health_of(proxy), 1
    for reply in await proxy.siblings.everywhere("/health"):
        workers += 1
        for name, value in json.loads(reply).items():
            health[name] += value
    several = {"workers": workers} if proxy.siblings.worker.count > 1 else {}
    return web.json_response({"status": "ok", **several, **health})


async def _own_health(request: web.Request) -> web.Response:
    return web.json_response(_health_of(request.app[PROXY]))


def _health_of(proxy: Proxy) -> dict[str, int]:
    return {
        "open_streams": proxy.checked,
        "stored_results": len(proxy.store),
        "stored_contexts": len(proxy.contexts),
    }


def make_metrics(proxy: Proxy) -> web.Application:
    """Return the endpoints for monitoring, for an address of their own."""
    app = web.Application()
    app[PROXY] = proxy
    app.router.add_get("/metrics", _metrics)
    app.router.add_get("/health", _health)
    return app


async def _guarded_metrics(request: web.Request) -> web.Response:
    closed = _results(request).closed_to(request.headers.get("Authorization", ""))
    return await _metrics(request) if closed is None else responded(closed)


async def _metrics(request: web.Request) -> web.Response:
    """Reply with the metrics of all workers that answer, each labelled with its number."""
    proxy = request.app[PROXY]
    others = await proxy.siblings.everywhere("/metrics")
    return _exposed(merged((_metrics_of(proxy), *(each.decode() for each in others))))


async def _own_metrics(request: web.Request) -> web.Response:
    return _exposed(_metrics_of(request.app[PROXY]))


def _exposed(text: str) -> web.Response:
    return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})


def _metrics_of(proxy: Proxy) -> str:
    metrics, worker = proxy.metrics, proxy.siblings.worker
    describe_process(metrics)
    metrics.open.set(proxy.checked)
    metrics.stored.set(len(proxy.store), "results")
    metrics.stored.set(len(proxy.contexts), "contexts")
    shared = proxy.store.shared
    if shared is not None and shared.journal is not None:
        for name in ("spooled", "written", "dropped", "rejected"):
            metrics.shared.set(shared.journal.counts[name], name)
        metrics.spool.set(shared.journal.waiting_bytes)
    always = {"worker": str(worker.number)} if worker.count > 1 else {}
    return "".join(family.text(always) for family in metrics.families())


async def _own_result(request: web.Request) -> web.StreamResponse:
    return await answer_result(request, _results(request))


async def _own_events(request: web.Request) -> web.StreamResponse:
    return await answer_events(request, _results(request))


def _or_sibling(own: Answer) -> Answer:
    """Relay the response of the worker that keeps the result; reply here if that is this one."""

    async def answer(request: web.Request) -> web.StreamResponse:
        kept_elsewhere = await _sent_on(request, request.match_info["id"], _RESULT_HEADERS)
        return await own(request) if kept_elsewhere is None else kept_elsewhere

    return answer


async def _kept_context(request: web.Request) -> web.Response:
    posted = request.app[PROXY].contexts.get(request.match_info["id"])
    if posted is None:
        return web.Response(status=404)
    return web.Response(body=posted, content_type="application/json")


async def _sent_on(
    request: web.Request, id: str, headers: Sequence[str], body: bytes | None = None
) -> web.StreamResponse | None:
    siblings = request.app[PROXY].siblings
    number = siblings.keeper(id)
    forwarded = {name: request.headers[name] for name in headers if name in request.headers}
    if number is None or not all(map(encodes, forwarded.values())):
        return None  # a header that cannot be sent on is one that is refused here as well
    try:
        async with siblings.open_response(number, request.path, forwarded, body) as answer:
            return await pass_on(request, answer, response_headers(answer.headers))
    except UpstreamError:
        if request.app[PROXY].store.shared is not None:
            return None  # the shared store may know it
        return refused(503, "the worker that keeps this does not answer; ask again", "worker_gone")


async def _feedback(request: web.Request) -> web.StreamResponse:
    """Keep feedback on an answer, or pass it to the worker that keeps the result."""
    if _FEEDBACK not in request.app:
        message = "this server keeps no feedback; it would with --feedback FILE"
        return refused(404, message, "no_feedback")
    try:
        body, all_read = await read_up_to(request, MAX_BODY_BYTES)
    except RequestSilentError:
        return silent()
    about = id_in(body) if all_read else None
    if about is not None:
        kept_elsewhere = await _sent_on(request, about, _FEEDBACK_HEADERS, body)
        if kept_elsewhere is not None:
            return kept_elsewhere
    return await answer_feedback(request, request.app[_FEEDBACK], body if all_read else None)


async def _own_feedback(request: web.Request) -> web.StreamResponse:
    return await answer_feedback(request, request.app[_FEEDBACK], await request.read())


async def _context(request: web.Request) -> web.Response:
    """Store a context for later answers: 201 with its id, 400 and 413 with the error."""
    closed = _results(request).closed_to(request.headers.get("Authorization", ""))
    if closed is not None:
        return responded(closed)
    proxy = request.app[PROXY]
    limit = min(proxy.settings.max_body_bytes, proxy.contexts.max_bytes)
    try:
        body, all_read = await read_up_to(request, limit)
    except RequestSilentError:
        return silent()
    posted = body if all_read else None
    kind, policies = request.content_type, proxy.settings.policies
    shared = proxy.store.shared
    return responded(await kept(proxy.contexts, posted, kind, limit, policies, shared))


async def _nothing(request: web.Request) -> web.Response:
    return refused(404, f"this server has {', '.join(_PATHS)}", "no_path")


def _results(request: web.Request) -> Results:
    proxy = request.app[PROXY]
    return Results(proxy.store, proxy.settings.results_token)
