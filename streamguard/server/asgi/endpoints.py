"""The side channel as an ASGI application to mount."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing

from streamguard.core.model.policy import Policy, as_policy
from streamguard.server.asgi.context_source import leave_alone
from streamguard.server.asgi.messages import (
    MAX_REQUEST_BYTES,
    App,
    Message,
    Receive,
    Scope,
    Send,
    media_type,
    names_of,
)
from streamguard.server.observe.exposition import CONTENT_TYPE
from streamguard.server.observe.metrics import Metrics
from streamguard.server.request_context import Policies
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.feedback import MAX_BODY_BYTES, Feedback, FeedbackKeeper
from streamguard.server.results.responses import (
    STREAM_HEADERS,
    Results,
    ResultsReply,
    closed_to,
    kept,
    refusal,
)
from streamguard.server.results.result_store import ResultStore

Answered = ResultsReply | AsyncGenerator[bytes, None]


def results_app(store: ResultStore, token: str | None = None) -> App:
    """Return an application that serves `GET …/{id}` and `GET …/{id}/events` from `store`.

    Mount it where clients look, `/streamguard/results`. With a `token`, only for requests with
    `Authorization: Bearer TOKEN`. The last events of a stream follow its answer's end.
    """
    results = Results(store, token)

    async def answer(scope: Scope, _receive: Receive, named: Mapping[str, str]) -> Answered:
        if scope["method"] not in ("GET", "HEAD"):
            return _wrong_method(scope, "results", "GET")
        before, _, last = str(scope["path"]).rpartition("/")
        if last == "events" and scope["method"] == "GET":
            name, after = before.rpartition("/")[2], named.get("last-event-id", "0")
            return await results.events_of_any(name, _authorization(named), after)
        return await results.of_any(last, _authorization(named))

    return _app("results", answer)


def contexts_app(
    contexts: ContextStore, policy: Policy | str | None = None, token: str | None = None
) -> App:
    """Return an application that stores posted contexts in `contexts` and replies 201 with the id.

    Mount it where clients look, `/streamguard/contexts`. `policy` is the middleware's: a posted
    context may name only that one. With a `token`, only for requests with `Authorization: Bearer
    TOKEN`.
    """
    policies = Policies(as_policy(policy))
    limit = min(MAX_REQUEST_BYTES, contexts.max_bytes)

    async def answer(scope: Scope, receive: Receive, named: Mapping[str, str]) -> ResultsReply:
        if (closed := closed_to(token, _authorization(named))) is not None:
            return closed
        if scope["method"] != "POST":
            return _wrong_method(scope, "contexts", "POST")
        body = await _body(receive, limit)
        return await kept(contexts, body, media_type(named), limit, policies)

    return _app("contexts", answer)


def feedback_app(store: ResultStore, keeper: FeedbackKeeper, token: str | None = None) -> App:
    """Return an application that accepts feedback on the answers of `store`: 204 once kept.

    Mount it where clients look, `/streamguard/feedback`. `keeper` is a `FeedbackFile` or another
    `FeedbackKeeper`. With a `token`, only for requests with `Authorization: Bearer TOKEN`.
    """
    feedback = Feedback(store, keeper, token)

    async def answer(scope: Scope, receive: Receive, named: Mapping[str, str]) -> ResultsReply:
        if scope["method"] != "POST":
            return _wrong_method(scope, "feedback", "POST")
        body = await _body(receive, MAX_BODY_BYTES)
        return await feedback.take(body, media_type(named), _authorization(named))

    return _app("feedback", answer)


def metrics_app(metrics: Metrics, token: str | None = None) -> App:
    """Return an application that serves `metrics` in Prometheus's format on every path.

    Mount it at the scraped path. With a `token`, only for requests with `Authorization: Bearer
    TOKEN`.
    """

    async def answer(_scope: Scope, _receive: Receive, named: Mapping[str, str]) -> ResultsReply:
        if (closed := closed_to(token, _authorization(named))) is not None:
            return closed
        text = "".join(family.text({}) for family in metrics.families())
        return ResultsReply(200, text.encode(), {"Content-Type": CONTENT_TYPE})

    return _app("metrics", answer)


def _app(
    what: str, answer: Callable[[Scope, Receive, Mapping[str, str]], Awaitable[Answered]]
) -> App:
    """Return an application that sends the response of `answer` for scope, body and headers."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"streamguard's app for {what} is for http, not {scope['type']}")
        leave_alone(scope)
        reply = await answer(scope, receive, names_of(scope["headers"]))
        last = b""
        if isinstance(reply, ResultsReply):
            await send(_start(reply.status, dict(reply.headers)))
            last = b"" if scope["method"] == "HEAD" else reply.body
        else:
            async with aclosing(reply):
                await send(_start(200, STREAM_HEADERS))
                async for piece in reply:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": last, "more_body": False})

    return app


def _wrong_method(scope: Scope, what: str, expected: str) -> ResultsReply:
    message = f"{scope['method']} is not for {what}, expected {expected}"
    return refusal(405, message, "bad_method")


async def _body(receive: Receive, most: int) -> bytes | None:
    """Return a request's body; None if it exceeds `most` bytes or the client left."""
    pieces, size = [], 0
    while size <= most:
        message = await receive()
        if message["type"] != "http.request":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if not message.get("more_body", False):
            return b"".join(pieces) if size <= most else None
    return None


def _authorization(named: Mapping[str, str]) -> str:
    """Return the Authorization header decoded as UTF-8; ASGI servers decode it as Latin-1."""
    written = named.get("authorization", "").encode("latin-1")
    return written.decode(errors="surrogateescape")


def _start(status: int, headers: dict[str, str]) -> Message:
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": raw}
