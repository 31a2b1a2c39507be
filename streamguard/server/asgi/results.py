"""The side channel as an ASGI application, to be mounted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from streamguard.core.model.policy import Policy, as_policy
from streamguard.server.asgi.contexts import leave_alone
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
from streamguard.server.asked import Policies
from streamguard.server.observe.exposition import CONTENT_TYPE
from streamguard.server.observe.metrics import Metrics
from streamguard.server.results.contexts import ContextStore
from streamguard.server.results.feedback import MAX_BODY_BYTES, Feedback, FeedbackKeeper
from streamguard.server.results.results import (
    STREAM_HEADERS,
    Reply,
    Results,
    closed_to,
    kept,
    refusal,
)
from streamguard.server.results.store import ResultStore


def results_app(store: ResultStore, token: str | None = None) -> App:
    """Return an application that answers `GET …/{id}` and `GET …/{id}/events` out of `store`.

    Mount it where clients look, `/streamguard/results`. With a `token`, only for requests with
    `Authorization: Bearer TOKEN`. The last events of a stream come when its answer is over.
    """
    results = Results(store, token)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"streamguard's results are for http, not {scope['type']}")
        leave_alone(scope)
        reply = await _reply(results, scope)
        if isinstance(reply, Reply):
            await send(_start(reply.status, dict(reply.headers)))
            body = b"" if scope["method"] == "HEAD" else reply.body
            await send({"type": "http.response.body", "body": body, "more_body": False})
            return
        await send(_start(200, STREAM_HEADERS))
        async with aclosing(reply):
            async for piece in reply:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app


def contexts_app(
    contexts: ContextStore, policy: Policy | str | None = None, token: str | None = None
) -> App:
    """Return an application that keeps in `contexts` what is posted to it: 201 with its id.

    Mount it where clients look, `/streamguard/contexts`. `policy` is the middleware's: what is
    posted may name it and no other. With a `token`, only for requests with
    `Authorization: Bearer TOKEN`.
    """
    policies = Policies(as_policy(policy))
    limit = min(MAX_REQUEST_BYTES, contexts.max_bytes)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"streamguard's contexts are for http, not {scope['type']}")
        leave_alone(scope)
        named = names_of(scope["headers"])
        reply = closed_to(token, _authorization(named))
        if reply is None and scope["method"] != "POST":
            reply = refusal(
                405, f"{scope['method']} is not for contexts, expected POST", "bad_method"
            )
        if reply is None:
            body, kind = await _body(receive, limit), media_type(named)
            reply = await kept(contexts, body, kind, limit, policies)
        await send(_start(reply.status, dict(reply.headers)))
        shown = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.body", "body": shown, "more_body": False})

    return app


def feedback_app(store: ResultStore, keeper: FeedbackKeeper, token: str | None = None) -> App:
    """Return an application that takes feedback on the answers of `store`: 204 when it is kept.

    Mount it where clients look, `/streamguard/feedback`. `keeper` is a `FeedbackFile`, or whatever
    keeps feedback. With a `token`, only for requests with `Authorization: Bearer TOKEN`.
    """
    feedback = Feedback(store, keeper, token)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"streamguard's feedback is for http, not {scope['type']}")
        leave_alone(scope)
        named = names_of(scope["headers"])
        if scope["method"] == "POST":
            body = await _body(receive, MAX_BODY_BYTES)
            reply = await feedback.take(body, media_type(named), _authorization(named))
        else:
            message = f"{scope['method']} is not for feedback, expected POST"
            reply = refusal(405, message, "bad_method")
        await send(_start(reply.status, dict(reply.headers)))
        body = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return app


def metrics_app(metrics: Metrics, token: str | None = None) -> App:
    """Return an application that answers every request with `metrics`, as Prometheus reads them.

    Mount it where that looks. With a `token`, only requests with `Authorization: Bearer TOKEN`.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"streamguard's metrics are for http, not {scope['type']}")
        leave_alone(scope)
        reply = closed_to(token, _authorization(names_of(scope["headers"])))
        if reply is None:
            text = "".join(family.text({}) for family in metrics.families())
            reply = Reply(200, text.encode(), {"Content-Type": CONTENT_TYPE})
        await send(_start(reply.status, dict(reply.headers)))
        shown = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.body", "body": shown, "more_body": False})

    return app


async def _body(receive: Receive, most: int) -> bytes | None:
    """Return a request's body; None where it is over `most` bytes or its client left."""
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


async def _reply(results: Results, scope: Scope) -> Reply | AsyncGenerator[bytes, None]:
    named = names_of(scope["headers"])
    authorization = _authorization(named)
    if scope["method"] not in ("GET", "HEAD"):
        return refusal(405, f"{scope['method']} is not for results, expected GET", "bad_method")
    before, _, last = str(scope["path"]).rpartition("/")
    if last == "events" and scope["method"] == "GET":
        name = before.rpartition("/")[2]
        return await results.events_of_any(name, authorization, named.get("last-event-id", "0"))
    return await results.of_any(last, authorization)


def _authorization(named: Mapping[str, str]) -> str:
    """Return the header as it was written: in UTF-8, though names and values come as Latin-1."""
    written = named.get("authorization", "").encode("latin-1")
    return written.decode(errors="surrogateescape")


def _start(status: int, headers: dict[str, str]) -> Message:
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": raw}
