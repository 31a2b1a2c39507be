"""Finds the context of an answer: from the handler, the application, or the request."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any
from urllib.parse import parse_qsl

import anyio
from anyio.lowlevel import cancel_shielded_checkpoint

from streamguard.core.context import Context, LateContext
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError, DecodeError, StreamguardError, StreamStateError
from streamguard.server.asgi.messages import Request, Scope
from streamguard.server.headers import ENCODINGS
from streamguard.server.http.inflating import MAX_INFLATED_BYTES, inflated
from streamguard.server.request_context import Policies, read_request_in_turns
from streamguard.wire.requests.shown import ContextFrom

SCOPE_KEY = "streamguard"  # of the scope, where a handler's request finds it

AnyContext = Context | LateContext | None
ContextOf = Callable[[Scope, bytes], AnyContext | Awaitable[AnyContext]]

log = logging.getLogger("streamguard.asgi")


def leave_alone(scope: Scope) -> None:
    """Mark a request whose answer is our own, so that no middleware checks it."""
    source = scope.get(SCOPE_KEY)
    if isinstance(source, ContextSource):
        source.ours = True


def provide_context(request: Any, context: Context | LateContext, *, collection: str = "") -> None:
    """Provide the context of the answer to `request` (a request or its scope).

    Call it before the answer's first bytes or while it streams; earlier sentences are judged once
    the context is there. It takes precedence over all other contexts. `collection` names the
    searched collection; its policy applies if it is named before the first piece. Raises
    `ConfigError` for another type, and where no `StreamGuardMiddleware` is around the application;
    `StreamStateError` the second time.
    """
    scope = getattr(request, "scope", request)
    source = scope.get(SCOPE_KEY) if isinstance(scope, Mapping) else None
    if not isinstance(source, ContextSource):
        raise ConfigError(
            "provide_context() found no StreamGuardMiddleware around this request; add it to the"
            " application, and this path to its paths"
        )
    source.provide(context, collection)


class ContextSource:
    """Finds the context of one answer and passes it to `late`, where the checks wait for it.

    In this order: the handler's context; that of `context_of` for scope and body; the one in the
    request's own key; the one `stored` for it; the passages in its messages. Call `look` after each
    frame and `settle` before the verdict. Errors go to `report`; nothing is raised.
    """

    def __init__(
        self,
        context_of: ContextOf | None,
        policies: Policies,
        scope: Scope,
        request: Request,
        context_from: ContextFrom = "application",
        context_template: str | None = None,
    ) -> None:
        self.late = LateContext()
        self.stored: bytes | None = None
        self.collection = ""  # the searched collection, if handler or request name it
        self.ours = False  # an endpoint of our own answers: there is nothing to check
        self.report: Callable[[str, Exception], None] = lambda where, error: None
        self._when_known: Callable[[Context], None] = lambda context: None
        self._context_of = context_of
        self._context_from = context_from
        self._context_template = context_template
        self._policies = policies
        self._scope = scope
        self._request = request
        self._provided = False
        self._judging = False  # by a policy that cannot change any more
        self._has_called = False
        self._waiting: LateContext | None = None  # the application gives it when it has it
        self._coming: Any = None  # a task or future of it
        self._otherwise = Context()

    @property
    def provided(self) -> bool:
        """Whether the handler provided a context or collection."""
        return self._provided

    @property
    def when_known(self) -> Callable[[Context], None]:
        """Called with the context before the checks use it, at once if it is there."""
        return self._when_known

    @when_known.setter
    def when_known(self, call: Callable[[Context], None]) -> None:
        if self.late.context is None:
            self._when_known = call
        else:
            call(self.late.context)

    @property
    def policy(self) -> Policy:
        """The collection's policy, as far as the collection is known."""
        return self._policies.named(None, self.collection)

    def policy_from_now(self) -> Policy:
        """Return the policy and fix it: a collection named later is ignored."""
        self._judging = True
        return self.policy

    def provide(self, context: Any, collection: str) -> None:
        """Store the handler's context, as `provide_context` documents."""
        if not isinstance(context, Context | LateContext):
            kind = type(context).__name__
            raise ConfigError(f"provide_context() takes a Context or a LateContext, not {kind}")
        if not isinstance(collection, str):
            raise ConfigError(f"collection is {collection!r}, expected a string")
        if self._provided:
            raise StreamStateError("the context of this answer is provided already")
        self._provided = True
        before, self.collection = self.policy, collection
        if self._judging and self.policy is not before:
            late = "its collection was named after the first piece, which its policy needs to know"
            self.report("context", StreamStateError(late))
        if self.late.context is not None:
            # Whether the request shows passages is up to the client: no fault of the handler's.
            late = "provided after the answer had begun with the context of its request"
            self.report("context", StreamStateError(late))
        self._take(context)

    async def look(self) -> None:
        """Pass on the context if it is there; the first call asks for it."""
        if self.late.context is not None:
            return
        if not self._provided and not self._has_called:
            self._has_called = True
            await self._call_context_of()
        coming = self._coming
        if coming is not None and coming.done():
            await self._come(coming)
        self._take(self._waiting)

    async def settle(self) -> None:
        """Pass on the context now; wait for one that is still coming."""
        await self.look()
        if self.late.context is None and self._coming is not None:
            await self._come(self._coming)
        self.settle_now()

    def settle_now(self) -> None:
        """Pass on the context if it is there, without waiting."""
        self._take(self._waiting)
        self._take(self._otherwise)

    async def _call_context_of(self) -> None:
        """Ask the application, then the request."""
        found: AnyContext | Awaitable[AnyContext] = None
        if self._context_of is not None:
            try:
                found = self._context_of(self._scope, self._request.body)
                if isawaitable(found) and hasattr(found, "add_done_callback"):
                    self._coming, found = found, None
                elif isawaitable(found):
                    found = await found
                self._take(_expected(found))
            except Exception as exc:
                self._fail(exc)
        if self.late.context is None and self._waiting is None:
            await self._read_request()
        self._request.forget()

    async def _read_request(self) -> None:
        """Use the request's own context; a question alone may be completed until the end."""
        pairs = parse_qsl(self._scope.get("query_string", b"").decode("latin-1"))
        try:
            request_context = await read_request_in_turns(
                await self._unpacked(),
                self._policies,
                cancel_shielded_checkpoint,
                query=dict(pairs),
                stored=self.stored,
                context_from=self._context_from,
                context_template=self._context_template,
            )
        except ConfigError as exc:
            self.report("context", exc)
            return
        if request_context.over is not None:
            self.report("context", ConfigError(request_context.over))
        self._otherwise = request_context.context
        self.collection = request_context.collection
        if request_context.context.evidence is not None and self._coming is None:
            self._take(request_context.context)

    async def _unpacked(self) -> bytes:
        """Return the request's decompressed body; raises `ConfigError` if that fails."""
        body, encoding = self._request.body, self._request.encoding
        if not body or not encoding:
            return body
        if encoding not in ENCODINGS:
            known = ", ".join(sorted(ENCODINGS))
            raise ConfigError(f"the request is encoded as {encoding}, expected one of {known}")
        try:
            return await inflated(body, encoding, MAX_INFLATED_BYTES, cancel_shielded_checkpoint)
        except DecodeError as exc:
            raise ConfigError(f"{exc}, so the request's context is not read") from exc

    async def _come(self, coming: Any) -> None:
        """Wait for a task or future; report its error."""
        self._coming = None
        try:
            if not coming.done():
                # Somebody may cancel the task that we wait for: that is no cancellation of ours.
                there = anyio.Event()
                coming.add_done_callback(lambda _: there.set())
                self._coming = coming  # who gives up waiting may wait again
                await there.wait()
                self._coming = None
            if coming.cancelled():
                raise ConfigError("the context's task was cancelled")
            self._take(_expected(await coming))
        except Exception as exc:
            self._fail(exc)

    def _fail(self, error: Exception) -> None:
        """Report an error of an application's function, without its text: clients see it."""
        if not isinstance(error, StreamguardError):
            log.warning("the context of an answer could not be had", exc_info=error)
            error = type(type(error).__name__, (Exception,), {})()
        self.report("context", error)

    def _take(self, context: AnyContext) -> None:
        if isinstance(context, LateContext):
            self._waiting = context
            context = context.context
        if context is not None and self.late.context is None:
            self._when_known(context)
            self._when_known = lambda context: None  # it holds the response, which holds this
            self.late.give(context)


def _expected(found: Any) -> AnyContext:
    if found is None or isinstance(found, Context | LateContext):
        return found
    raise ConfigError(f"context gave a {type(found).__name__}, expected a Context or None")
