"""For aiohttp applications: guarded streams as server-sent events, results and feedback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from typing import Any

from aiohttp import web
from anyio.lowlevel import checkpoint
from multidict import CIMultiDict

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.errors import ConfigError
from streamguard.server.headers import ID_HEADER, untransformed
from streamguard.server.http.bodies import close_where_no_end_is_seen, cut, read_up_to, silent
from streamguard.server.http.patience import RequestSilentError
from streamguard.server.relay.framing import Framer, framing
from streamguard.server.request_options import Forms, as_forms, read_options
from streamguard.server.results.feedback import MAX_BODY_BYTES, Feedback, FeedbackKeeper
from streamguard.server.results.responses import STREAM_HEADERS, Results, ResultsReply, refusal
from streamguard.server.results.result_store import ResultStore
from streamguard.sinks.sql.records import about_answer
from streamguard.stream import GuardedStream
from streamguard.wire.dialect import IN_BAND, Form
from streamguard.wire.protocols.ui_message import HEADER as UI_HEADER
from streamguard.wire.protocols.ui_message import UI_MESSAGE

__all__ = [
    "add_feedback",
    "add_results",
    "answer_events",
    "answer_feedback",
    "answer_result",
    "responded",
    "stream_sse",
    "take_feedback",
]

_SENT = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
}


async def stream_sse(
    request: web.Request,
    stream: GuardedStream[Any],
    *,
    dialect: str = "plain",
    forms: Forms | Form | None = None,
    headers: Mapping[str, str] | None = None,
    store: ResultStore | None = None,
    model: str = "",
    collection: str = "",
) -> web.StreamResponse:
    """Send the items of a guarded stream in answer to `request`; return the response.

    `dialect` is the clients' protocol: `plain` (each piece of text as a JSON string), `chat` (Chat
    Completions chunks), `ui` (a UI message stream), or, for items that are such events, `responses`
    or `anthropic`. SDK chunks and events are written unchanged. The annotation has the form that
    the request's `x-streamguard` header names, else that of `forms` (or its name), else one that
    breaks no client of the dialect: for `plain` none, though a client may ask for `event`. The
    response header `x-streamguard-id` is its id in `store`; a shared store also keeps `model` and
    `collection` (the searched one). A request with `x-streamguard-live` gets each sentence as it
    settles, in the forms that ride in the answer and from `store`; so does every request where
    `stream` was made with `live=True`.

    The stream is always closed. A client that leaves (`client_disconnect`) is noticed at the next
    item, or at once if the server runs with `handler_cancellation=True`. An error of the source is
    raised again, and the client's body stays incomplete. Raises `ConfigError` for an unknown
    dialect.
    """
    async with stream:
        frames, allowed = framing(dialect), as_forms(forms)
        try:
            options = read_options(request.headers, _query(request), allowed)
        except ConfigError as exc:
            return responded(refusal(400, str(exc), "bad_mode"))
        form = frames.dialect.form(options.form)
        if options.live:
            stream.listen()
        sent = CIMultiDict(_SENT)
        sent.update(headers or {})
        if frames.dialect is UI_MESSAGE:
            sent[UI_HEADER] = "v1"
        if form in IN_BAND:
            cached = ", ".join(sent.getall("Cache-Control"))
            sent["Cache-Control"] = untransformed(cached)
        if form != "off":
            sent[ID_HEADER] = stream.id
        if store is not None:
            store.open(stream.id)
            if store.shares_text:
                stream.examiner.keep_text()
        response = web.StreamResponse(headers=sent)
        try:
            framer = Framer(frames, form, stream.id, options.in_band)
            await _write(request, response, stream, framer, store)
        except _ClientLeftError:
            await stream.aclose("client_disconnect")
        finally:
            await stream.aclose()
            if store is not None:
                stream.when_final(partial(_put, store, stream, model, collection))
                while store.pack_turn():
                    await checkpoint()
    return response


def _put(
    store: ResultStore,
    stream: GuardedStream[Any],
    model: str,
    collection: str,
    annotation: Annotation,
) -> None:
    known = {"model": model, "collection": collection}
    about = about_answer(annotation, stream.examiner, **known) if store.shared else None
    store.put(annotation, about)


class _ClientLeftError(Exception):
    """The client has left; distinct from a `ConnectionError` of the source."""


async def _write(
    request: web.Request,
    response: web.StreamResponse,
    stream: GuardedStream[Any],
    framer: Framer,
    store: ResultStore | None,
) -> None:
    close_where_no_end_is_seen(request, response)
    with _marking_client_errors():
        await response.prepare(request)
    try:
        async for item in stream:
            last = isinstance(item, Annotation)
            if store is not None and isinstance(item, SentenceAnnotation):
                store.publish(item)
            out = framer.end(item) if isinstance(item, Annotation) else framer.frame(item)
            with _marking_client_errors():
                if out:
                    await response.write(out)
                if last:
                    await response.write_eof()
    except _ClientLeftError:
        raise
    except Exception:
        with suppress(ConnectionError):  # the client left as well
            if rest := framer.rest():
                await response.write(rest)
        try:
            await stream.aclose()  # before the handler is cancelled, as with a client that left
        finally:
            cut(request)
        raise


@contextmanager
def _marking_client_errors() -> Iterator[None]:
    try:
        yield
    except ConnectionError as exc:
        raise _ClientLeftError from exc


def add_results(app: web.Application, store: ResultStore, token: str | None = None) -> None:
    """Serve `GET /streamguard/results/{id}`, and `…/events`, from `store`.

    With a `token`, only for requests with `Authorization: Bearer TOKEN`.
    """
    results = Results(store, token)

    async def result(request: web.Request) -> web.StreamResponse:
        return await answer_result(request, results)

    async def events(request: web.Request) -> web.StreamResponse:
        return await answer_events(request, results)

    app.router.add_get("/streamguard/results/{id}", result)
    app.router.add_get("/streamguard/results/{id}/events", events, allow_head=False)


def add_feedback(
    app: web.Application, store: ResultStore, keeper: FeedbackKeeper, token: str | None = None
) -> None:
    """Accept `POST /streamguard/feedback` on the answers of `store`; `keeper` keeps it.

    With a `token`, only from requests with `Authorization: Bearer TOKEN`.
    """
    feedback = Feedback(store, keeper, token)

    async def take(request: web.Request) -> web.StreamResponse:
        return await take_feedback(request, feedback)

    app.router.add_post("/streamguard/feedback", take)


async def take_feedback(request: web.Request, feedback: Feedback) -> web.Response:
    """Read feedback on an answer and reply whether it was kept."""
    try:
        body, all_read = await read_up_to(request, MAX_BODY_BYTES)
    except RequestSilentError:
        return silent()
    return await answer_feedback(request, feedback, body if all_read else None)


async def answer_feedback(
    request: web.Request, feedback: Feedback, body: bytes | None
) -> web.Response:
    """Reply whether the feedback in `body` was kept; a body of None was too long."""
    authorization = request.headers.get("Authorization", "")
    return responded(await feedback.take(body, request.content_type, authorization))


async def answer_result(request: web.Request, results: Results) -> web.Response:
    """Answer with the result that the path names."""
    authorization = request.headers.get("Authorization", "")
    return responded(await results.of_any(request.match_info["id"], authorization))


async def answer_events(request: web.Request, results: Results) -> web.StreamResponse:
    """Answer with the sentences of the answer that the path names, as they settle."""
    reply = await results.events_of_any(
        request.match_info["id"],
        request.headers.get("Authorization", ""),
        request.headers.get("Last-Event-ID", "0"),
    )
    if isinstance(reply, ResultsReply):
        return responded(reply)
    response = web.StreamResponse(headers=STREAM_HEADERS)
    await response.prepare(request)
    async with aclosing(reply):
        with suppress(ConnectionError):  # the listener left
            async for piece in reply:
                await response.write(piece)
    return response


def responded(reply: ResultsReply) -> web.Response:
    """Return a reply as aiohttp's response."""
    return web.Response(status=reply.status, body=reply.body, headers=reply.headers)


def _query(request: web.Request) -> dict[str, str]:
    return {f"x-{name}": value for name, value in request.query.items()}
