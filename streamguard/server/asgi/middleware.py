"""The middleware: decides which requests are checked, and closes every answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

import anyio

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.types import build_models, functions
from streamguard.errors import ConfigError
from streamguard.server import headers as http
from streamguard.server.asgi.context_source import SCOPE_KEY, ContextOf, ContextSource
from streamguard.server.asgi.messages import (
    App,
    Message,
    Receive,
    Request,
    Scope,
    Send,
    announced,
    is_guarded_request,
    length_of,
    media_type,
    names_of,
)
from streamguard.server.asgi.response import Guard, GuardedResponse, succeeds
from streamguard.server.observe.metrics import Metrics
from streamguard.server.relay.checking import SkipReason
from streamguard.server.relay.room import MAX_CONTEXT_BYTES, Room
from streamguard.server.request_context import Policies
from streamguard.server.request_options import Forms, RequestOptions, as_forms, read_options
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.result_store import ResultStore
from streamguard.tap import Sink
from streamguard.text.patterns import compile_all
from streamguard.verify.specs import readers_of
from streamguard.verify.verifier import Ask, Scorer
from streamguard.wire.dialect import Form
from streamguard.wire.dialects import ANSWER_TYPES, matches
from streamguard.wire.found import checked_path
from streamguard.wire.requests.shown import (
    ContextFrom,
    checked_context_from,
    checked_context_template,
)

if TYPE_CHECKING:
    from streamguard.verify.judge import Judge

log = logging.getLogger("streamguard.asgi")


class StreamGuardMiddleware:
    """Checks the answers that `app` streams, and passes all other messages unchanged.

    It checks event streams and JSON lines, and also JSON answers if the path belongs to a protocol
    or the handler provided a context.

    `context` is called with scope and body once the answer has begun. It returns a `Context`, a
    `LateContext`, None, or an awaitable of one: a coroutine is awaited after the first frame, a
    task or future is checked while frames pass. If neither it nor the handler provides a context,
    the request's key `streamguard` does, else the entry of `contexts` for its header
    `x-streamguard-context`, else its messages. `context_from` selects the messages: `application`
    (system and developer messages, else a last user message that holds passages and question),
    `system`, `user` or `any`. With a `context_template` (`prompt.template`) a user's message is
    read only if it fits the template.

    `collection_policies`: the policy by searched collection, as request or handler names it.
    `forms`: the annotation forms that a request may choose, and the default.
    `paths`: the checked paths; a `*` at the end matches anything.
    `text`: the path of the text in frames of no protocol, as `data.text`; without it the first
    frames decide.
    `store` keeps the results, and `sinks` receive them.
    `judge` (a `Judge` or `MODEL@URL`, to which passages and answers are sent) and `scorers`
    (`verifiers` is their earlier name) score claims while the answer streams.
    `metrics` counts answers, and those that pass unchecked by the reason.

    The contexts of all open answers and their indexes hold at most `max_context_bytes` in this
    process. Beyond that an answer passes unchecked, and its annotation reports that it was skipped.
    Errors of a context, an option or a sink are listed in the result or logged: no request is
    refused.
    """

    def __init__(
        self,
        app: App,
        *,
        context: ContextOf | None = None,
        context_from: ContextFrom = "application",
        context_template: str | None = None,
        policy: Policy | str | None = None,
        collection_policies: Mapping[str, Policy | str] | None = None,
        checks: Checks = DEFAULT_CHECKS,
        forms: Forms | Form | None = None,
        paths: Sequence[str] = ("*",),
        text: str | None = None,
        store: ResultStore | None = None,
        contexts: ContextStore | None = None,
        max_context_bytes: int = MAX_CONTEXT_BYTES,
        sinks: Sequence[Sink] = (),
        judge: Judge | str | None = None,
        scorers: Sequence[Scorer | Ask] = (),
        verifiers: Sequence[Scorer | Ask] = (),
        metrics: Metrics | None = None,
    ) -> None:
        if isinstance(paths, str):
            raise ConfigError(f"paths is {paths!r}, expected a sequence of paths")
        if not isinstance(checks, Checks):
            raise ConfigError(f"checks is a {type(checks).__name__}, expected Checks")
        compile_all()  # so that the first answer waits for none
        build_models()
        self._app = app
        self._guard = Guard(
            context_of=context,
            context_from=checked_context_from(context_from),
            context_template=checked_context_template(context_template),
            policies=Policies(
                as_policy(policy),
                collections={
                    name: as_policy(own) for name, own in (collection_policies or {}).items()
                },
            ),
            checks=checks,
            forms=as_forms(forms),
            text=checked_path(text),
            store=store,
            sinks=functions("sinks", sinks),
            verifiers=readers_of(scorers, judge, verifiers),
            metrics=metrics or Metrics(),
            room=Room(max_context_bytes),
        )
        self._paths = tuple(paths)
        self._contexts = contexts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket" and self._looks_at(scope["path"]):
            path = http.shown_path(scope["path"])
            fields = {"path": path, "reason": "unguarded_path", "websocket": True}
            log.info("unchecked", extra={"fields": fields})
        if scope["type"] != "http" or SCOPE_KEY in scope:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # the handler of GET runs, and may provide a context
            guard, request = self._guard, Request(scope, receive)
            scope[SCOPE_KEY] = ContextSource(guard.context_of, guard.policies, scope, request)
            await self._app(scope, receive, send)
            return
        if not self._looks_at(scope["path"]):
            saying = _saying_skipped(self._guard, scope, send, "unguarded_path")
            await self._app(scope, receive, saying)
            return
        guard, request = self._guard, Request(scope, receive)
        source = ContextSource(
            guard.context_of,
            guard.policies,
            scope,
            request,
            guard.context_from,
            guard.context_template,
        )
        # The scope is changed in place: the router adds entries that outer middleware reads.
        scope[SCOPE_KEY] = source
        options, wrong = _options(scope, guard.forms)
        if options.form == "off" and guard.policies.default.hold == "off":
            await self._app(scope, receive, _saying_skipped(guard, scope, send, "off"))
            return
        wrongs = [] if wrong is None else [("wishes", wrong)]
        if options.context_id is not None:
            try:
                source.stored = self._stored(options.context_id)
            except ConfigError as exc:
                wrongs.append(("context", exc))
        raised: BaseException | None = None
        async with anyio.create_task_group() as behind:
            path = scope["path"]
            response = GuardedResponse(guard, options, path, request, source, send, behind)
            response.wrong.extend(wrongs)
            try:
                await self._app(scope, request.receive, response.send)
                await response.returned()
            except (anyio.get_cancelled_exc_class(), GeneratorExit) as exc:
                await response.broke_off(exc)
                raise
            except BaseException as exc:
                await response.broke_off(exc)
                if not response.stopped:  # otherwise our stop has caused the error
                    raised = exc  # raised after the task group, which would wrap it
            behind.cancel_scope.cancel()
        try:
            if raised is not None:
                raise raised
        finally:
            del raised  # its traceback holds this frame

    def _stored(self, id: str) -> bytes:
        """Return the stored context of `id`; raise `ConfigError` for an unknown id."""
        if self._contexts is None:
            raise ConfigError(f"{http.CONTEXT_HEADER} is sent, but no contexts are stored here")
        stored = self._contexts.get(id)
        if stored is None:
            raise ConfigError("no stored context of this id, or no longer")
        return stored

    def _looks_at(self, path: str) -> bool:
        return any(matches(path, known) for known in self._paths)


def _saying_skipped(guard: Guard, scope: Scope, send: Send, reason: SkipReason) -> Send:
    """Return `send` for an unchecked answer: it adds the reason to the response and counts it."""

    async def saying(message: Message) -> None:
        if message["type"] == "http.response.start" and succeeds(message):
            named = names_of(message.get("headers", ()))
            if media_type(named) in ANSWER_TYPES or is_guarded_request(scope):
                guard.unchecked(reason)
                message = announced(message, length=length_of(named), skipped=reason)
        await send(message)

    return saying


def _options(scope: Scope, forms: Forms) -> tuple[RequestOptions, ConfigError | None]:
    """Return the request's options; if they are invalid, the defaults and the error."""
    query = quote_from_bytes(scope.get("query_string", b""), safe="=&%+")
    _, ours = http.without_ours(f"/?{query}")
    try:
        return read_options(names_of(scope.get("headers", ())), ours, forms), None
    except ConfigError as exc:
        return RequestOptions(form=forms.default), exc
