"""One request and its answer, from client to upstream and back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError
from streamguard.server import headers as http
from streamguard.server.http.bodies import (
    Body,
    ErrorResponse,
    as_sent,
    continued,
    read_up_to,
    refused,
    report_loss,
    silent,
)
from streamguard.server.http.inflating import MAX_INFLATED_BYTES
from streamguard.server.http.patience import RequestSilentError, pieces
from streamguard.server.observe.logs import annotation_fields, error_of
from streamguard.server.observe.metrics import Metrics
from streamguard.server.proxy.config import Settings
from streamguard.server.proxy.failures import Failures
from streamguard.server.proxy.readable import CODE, Unpacked, not_checkable, unpacked
from streamguard.server.proxy.recording import RecordedChecking, Recordings
from streamguard.server.proxy.streaming import pass_on, relay_answer
from streamguard.server.proxy.turns import Turns, pause
from streamguard.server.proxy.upstream_judge import readers_for, upstream_judge, wants_upstream
from streamguard.server.relay.checking import Checking, SkipReason
from streamguard.server.relay.held import Answer, HeldJSON, HeldStream, stricter
from streamguard.server.relay.json_answer import MAX_ANSWER_BYTES, JSONRelay
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.room import Room
from streamguard.server.request_context import (
    RequestContext,
    read_request_in_turns,
    without_key_in_turns,
)
from streamguard.server.request_options import RequestOptions, read_options
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.result_store import ResultStore
from streamguard.server.workers.siblings import SiblingWorkers
from streamguard.verify.judge import CONCURRENCY
from streamguard.verify.judge_limits import RequestLimits
from streamguard.verify.verifier import Verifier
from streamguard.wire.dialects import ANSWER_TYPES, is_stream, matches, of_path

if TYPE_CHECKING:
    from streamguard.server.observe.tracing import Tracing  # loaded only where it is asked for

log = logging.getLogger("streamguard.proxy")
AS_IT_CAME = web.RequestKey("as_it_came", bool)  # whether its body goes on encoded, if it was
CANCEL_WAIT_S = 1.0  # for cancelled requests to return, with their text examined; guess

T = TypeVar("T")
Relaying = Callable[["Proxy", web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Proxy:
    """Relays every request of one server, and tracks open ones."""

    settings: Settings
    upstream: URL
    session: aiohttp.ClientSession
    store: ResultStore
    contexts: ContextStore
    siblings: SiblingWorkers = field(default_factory=SiblingWorkers)
    metrics: Metrics = field(default_factory=Metrics)
    tracing: Tracing | None = None
    recordings: Recordings | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    turns: Turns = field(default_factory=Turns)
    places: dict[str, Checking] = field(default_factory=dict)  # answers being checked, by id
    pending: dict[str, Checking] = field(default_factory=dict)  # over, but a word is awaited
    judging: RequestLimits = field(
        default_factory=lambda: RequestLimits(CONCURRENCY, None, None, monotonic)
    )
    failures: Failures = field(init=False)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        self.room = Room(self.settings.max_context_bytes)
        self.failures = Failures(self.upstream, self.metrics)

    @property
    def checked(self) -> int:
        """The number of answers being checked."""
        return len(self.places)

    async def relay(self, request: web.Request, by: Relaying | None = None) -> web.StreamResponse:
        """Answer one request with the upstream's response; `by` replaces our own relaying."""
        # No name for the task: a cancelled one keeps its error, and by the traceback this frame.
        self.tasks.add(request.task)
        try:
            response = await (self._relayed(request) if by is None else by(self, request))
        except web.RequestPayloadError:
            response = refused(400, "the request's body did not arrive whole", "bad_body")
        except RequestSilentError:
            response = silent()
        finally:
            self.tasks.discard(request.task)
        if isinstance(response, ErrorResponse):
            self.metrics.refused(response.status, response.code)
            fields = {"status": response.status, "code": response.code}
            log.warning("refused", extra={"fields": fields})
        return response

    async def _relayed(self, request: web.Request) -> web.StreamResponse:
        guarded = self._guards(request)
        path, query = http.without_ours(request.raw_path) if guarded else (request.raw_path, {})
        url = http.target(self.upstream, path)
        if url is None:
            return refused(400, "expected a path, as in GET /v1/models", "bad_target")
        if guarded:
            return await self._with_options(request, url, query)
        body = pieces(request) if request.body_exists else None
        return await self._unchecked(request, url, body, "unguarded_path")

    async def drain(self, grace_s: float) -> None:
        """Wait for open requests to end, and for their verifiers.

        After `grace_s` seconds requests are ended, verifiers abandoned, and results stored as they
        are; text that takes long to examine is left out.
        """
        until = monotonic() + grace_s
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=grace_s)
        for task in (left := set(self.tasks)):
            task.cancel()
        if left and (await asyncio.wait(left, timeout=CANCEL_WAIT_S))[1]:
            for checking in self.places.values():  # there may be minutes of work
                checking.cut_short()
            await asyncio.wait(left)
        await self._all_final(max(0.0, until - monotonic()))
        for checking in list(self.pending.values()):
            checking.give_up()
        await self._all_final(CANCEL_WAIT_S)

    async def _all_final(self, timeout_s: float) -> None:
        if awaited := {asyncio.wrap_future(each.awaited) for each in self.pending.values()}:
            await asyncio.wait(awaited, timeout=timeout_s)

    def _guards(self, request: web.Request) -> bool:
        """Return whether the answer to `request` is checked, however its path is spelt."""
        if request.method == "HEAD" or (request.method == "OPTIONS" and not request.body_exists):
            return False
        return self.settings.require_check or self._answers(request)

    def _answers(self, request: web.Request) -> bool:
        """Return whether a request expects an answer, by its protocol or the server's settings."""
        if request.method not in ("GET", "DELETE") and of_path(request.path) is not None:
            return True
        return any(matches(request.path, further) for further in self.settings.check_paths)

    async def _with_options(
        self, request: web.Request, url: URL, query: Mapping[str, str]
    ) -> web.StreamResponse:
        began = monotonic()
        try:
            options = read_options(request.headers, query, self.settings.forms)
        except ConfigError as exc:
            return refused(400, str(exc), "bad_mode")
        if options.judge and self.settings.judge == "off":
            return refused(400, f"{http.JUDGE_HEADER} is not allowed here", "judge_not_allowed")
        required, max_bytes = self.settings.strict, self.settings.max_body_bytes
        if options.form == "off" and (required or self.settings.policies.default.hold != "off"):
            return refused(400, f"{http.FORM_HEADER}: off is not allowed here", CODE)
        body, all_read = await read_up_to(request, max_bytes)
        found = await unpacked(body, all_read, http.encoding_of(request.headers), max_bytes)
        readable = found.body
        request[AS_IT_CAME] = readable is None
        if required and (refusal := found.refusal) is not None:
            return refusal
        sent: Body = continued(body, request)
        if options.form == "off":
            if readable is not None:
                try:
                    sent = await without_key_in_turns(readable, pause)
                except ConfigError as exc:
                    return refused(400, str(exc), "bad_streamguard_key")
            return await self._unchecked(request, url, sent, "off")
        return await self._checked(request, url, sent, found, options, began)

    async def _checked(
        self,
        request: web.Request,
        url: URL,
        sent: Body,
        found: Unpacked,
        options: RequestOptions,
        began: float,
    ) -> web.StreamResponse:
        """Relay a request and check its answer; an unreadable request goes on as `sent`."""
        stored = None
        if options.context_id is not None:
            stored = await self.stored_context(options.context_id)
        try:
            request_context = await read_request_in_turns(
                found.body or b"",
                self.settings.policies,
                pause,
                query=request.query,
                stored=stored,
                context_from=self.settings.context_from,
                context_template=self.settings.context_template,
            )
        except ConfigError as exc:
            return refused(400, str(exc), "bad_streamguard_key")
        if (refusal := self.not_checked(request.path, request_context)) is not None:
            return refusal
        readers = readers_for(self.settings, options)
        if wants_upstream(self.settings, options) and request_context.model:
            share = self.settings.judge_share
            judge = upstream_judge(
                self.session, self.upstream, request, request_context.model, share, self.judging
            )
            readers = (*readers, judge)
        checking = self.new_checking(request_context, found.unread, options, readers)
        checking.delays.request = monotonic() - began
        if options.context_id is not None and stored is None:
            checking.report("context", ConfigError("no stored context of this id, or no longer"))
        sent = sent if found.body is None else request_context.body
        body_sent = sent if request.body_exists else None
        try:
            return await self._traced(
                request, url, body_sent, checking, options, request_context.model
            )
        finally:
            self.places.pop(checking.id, None)
            if checking.id not in self.pending:
                self.room.leave(checking.id)

    def not_checked(self, path: str, request_context: RequestContext) -> ErrorResponse | None:
        """Return the rejection of a request whose answer may not pass unchecked, else None."""
        if not self.settings.strict:
            return None
        if self.checked >= (most := self.settings.max_open_streams):
            return refused(503, f"{most} answers are being checked, the most; ask again", CODE)
        if not self.room.fits(request_context.context):
            return refused(503, f"{self._no_room}; ask again", CODE)
        return not_checkable(path, request_context)

    @property
    def _no_room(self) -> str:
        most = self.room.max_bytes
        return f"the passages of the answers being checked hold {most} bytes of memory, the most"

    async def stored_context(self, id: str) -> bytes | None:
        """Return a posted context, from this worker, another one, or another instance."""
        found = self.contexts.get(id) or await self.siblings.context(id)
        if found is None and self.store.shared is not None:
            found = await self.store.shared.context(id)
        return found

    def new_checking(
        self,
        request_context: RequestContext,
        unread: SkipReason | None,
        options: RequestOptions,
        readers: Sequence[Verifier],
        id: str | None = None,
    ) -> Checking:
        """Return the checking of an answer; beyond a limit its annotation says skipped.

        `unread`: why its request could not be read, if so. Otherwise it occupies one of the places
        for checked answers until `closed`.
        """
        policy = stricter(request_context.policy, options.hold)
        context, name = request_context.context, id or self.siblings.new_id()
        reached = "body_bytes" if unread == "limit" else ""
        if request_context.over:
            reached = "context"
        elif unread is None and self.checked >= self.settings.max_open_streams:
            reached = "open_streams"
        elif unread is None and policy.validation_enabled and not self.room.enter(name, context):
            reached = "open_context_bytes"
        if reached and unread in (None, "limit"):
            over = self._no_room if reached == "open_context_bytes" else request_context.over
            fields = {"open": self.checked, "over": over}
            log.warning("limit_reached", extra={"fields": fields})
            self.metrics.reached.add(reached)
            unread, context = "limit", Context()
        if unread is not None:
            policy = policy.model_copy(update={"validation_enabled": False})
        kind = Checking if self.recordings is None else RecordedChecking
        checking = kind(
            name,
            context,
            policy,
            self.settings.checks,
            on_sentence=self.store.publish if options.live else None,
            pause=self.turns.next,
            verifiers=readers,
            in_band=options.in_band,
            lingers=False,  # the connection's next request would wait as well
            keeps_text=self.store.shares_text,
            model=request_context.model,
            collection=request_context.collection,
        )
        checking.fits = partial(self.room.grow, name)
        checking.skip_reason = unread or ("off" if checking.off else "unknown_shape")
        if not checking.off:
            self.places[checking.id] = checking
        checking.awaited.add_done_callback(lambda _: self.room.leave(name))
        return checking

    async def _unchecked(
        self, request: web.Request, url: URL, body: Body, reason: SkipReason
    ) -> web.StreamResponse:
        self.metrics.requests.add("unchecked")
        async with self._open_upstream(request, url, body) as upstream:
            if isinstance(upstream, web.Response):
                return upstream
            sent = http.response_headers(upstream.headers)
            self.failures.not_found(upstream)
            if _succeeds(upstream):
                http.announce(sent, http.SKIPPED_HEADER, reason)
                self.metrics.skipped.add(reason)
                fields = {"path": http.shown_path(request.path), "reason": reason}
                log.info("unchecked", extra={"fields": fields})
            return await pass_on(request, upstream, sent, self.failures.broke_off)

    async def _traced(
        self,
        request: web.Request,
        url: URL,
        body: Body,
        checking: Checking,
        options: RequestOptions,
        model: str,
    ) -> web.StreamResponse:
        if self.tracing is None:
            return await self._guarded(request, url, body, checking, options)
        with self.tracing.answer(request.path, request.headers, model) as span:
            status: int | None = None
            try:
                response = await self._guarded(request, url, body, checking, options)
                status = response.status
            finally:
                self.tracing.ended(span, status, checking)
        return response

    async def _guarded(
        self,
        request: web.Request,
        url: URL,
        body: Body,
        checking: Checking,
        options: RequestOptions,
    ) -> web.StreamResponse:
        started = monotonic()
        self.metrics.requests.add("checked")
        async with self._open_upstream(request, url, body) as upstream:
            if isinstance(upstream, web.Response):
                return upstream
            sent = http.response_headers(upstream.headers)
            self.failures.not_found(upstream)
            if not _succeeds(upstream):
                return await pass_on(request, upstream, sent, self.failures.broke_off)
            http.announce(sent, http.ID_HEADER, checking.id)
            self.opened(checking.id)
            try:
                return await self._answer(request, upstream, sent, checking, options)
            finally:
                checking.close("cancelled")
                await self.closed(checking, request.path, options, monotonic() - started)

    def opened(self, id: str) -> None:
        """Make the result of an answer available to requests; `closed` must follow."""
        _store(self.store.open, id)

    async def closed(
        self, checking: Checking, path: str, options: RequestOptions, took: float
    ) -> None:
        """Store, count and log a finished answer once no verifier is awaited."""
        self.places.pop(checking.id, None)
        form, path = options.form or "default", http.shown_path(path)
        if not checking.awaited.done():
            self.pending[checking.id] = checking
        checking.when_final(partial(self._keep, checking, path, form, took))
        while self.store.pack_turn():
            await self.turns.next()

    def amend(self, annotation: Annotation) -> None:
        """Replace the stored annotation of a finished answer."""
        _store(self.store.amend, annotation)

    def _keep(
        self, checking: Checking, path: str, form: str, took: float, annotation: Annotation
    ) -> None:
        """Store and count an answer for which no verifier is awaited any more."""
        self.pending.pop(checking.id, None)
        about = checking.about(annotation, took) if self.store.shared is not None else None
        _store(partial(self.store.put, about=about), annotation)
        dialect, delays = checking.dialect, checking.delays
        self.metrics.answered(annotation, dialect, took, delays, checking.failure)
        self.metrics.late_frames.add(by=checking.late_pieces)
        fields = {
            **annotation_fields(annotation),
            "path": path,
            "form": form,
            "duration_ms": round(took * 1_000, 1),
            "late_frames": checking.late_pieces,
        }
        if checking.unread is not None or checking.off:
            self.metrics.skipped.add(checking.skip_reason)
            fields |= {"skipped": checking.skip_reason, "unread": checking.unread}
        log.info("answer", extra={"fields": fields})
        if self.recordings is not None and isinstance(checking, RecordedChecking):
            self.recordings.add(checking, annotation, path)
        checking.release()

    async def _answer(
        self,
        request: web.Request,
        upstream: aiohttp.ClientResponse,
        sent: CIMultiDict[str],
        checking: Checking,
        options: RequestOptions,
    ) -> web.StreamResponse:
        encoding, required = http.encoding_of(upstream.headers), self.settings.strict
        if encoding and not http.is_undone(upstream.headers):
            # An encoded body is not read, and inserted bytes would break it.
            checking.skip_reason = "encoding"
            why = f"it is encoded as {encoding}"
            return await self._skipped(request, upstream, sent, checking, why, required)
        if upstream.content_type not in ANSWER_TYPES:
            why = f"{upstream.content_type} is not read"
            strict = required and self._answers(request)
            return await self._skipped(request, upstream, sent, checking, why, strict)
        if checking.off:
            http.announce(sent, http.SKIPPED_HEADER, checking.skip_reason)
        if is_stream(request.path, upstream.content_type):
            sent.setdefault("Cache-Control", "no-cache")
            sent["X-Accel-Buffering"] = "no"
            kind, headers = upstream.content_type, upstream.headers
            text = self.settings.text
            held = checking.policy.hold != "off" and not checking.off
            make = HeldStream if held else Opening
            stream: Answer = make(request.path, kind, headers, checking, options.form, text)
            if stream.adds:
                sent.popall("Content-Length", None)
                cached = ", ".join(sent.getall("Cache-Control"))
                sent["Cache-Control"] = http.untransformed(cached)
            return await relay_answer(request, upstream, sent, checking, stream, self.turns)
        most = MAX_INFLATED_BYTES if encoding else MAX_ANSWER_BYTES
        if required and (upstream.content_length or 0) > most:
            return self.failures.unrelayable(f"it is longer than {most} bytes, and not to be read")
        held = checking.policy.hold != "off" and not checking.off
        json_answer = (HeldJSON if held else JSONRelay)(
            request.path, checking, options.form, most, self.settings.text
        )
        if json_answer.adds:
            sent.popall("Content-Length", None)
        return await relay_answer(request, upstream, sent, checking, json_answer, self.turns)

    async def _skipped(
        self,
        request: web.Request,
        upstream: aiohttp.ClientResponse,
        sent: CIMultiDict[str],
        checking: Checking,
        why: str,
        strict: bool,
    ) -> web.StreamResponse:
        """Pass an unread answer on, unless `strict`; its result has the reason."""
        if strict:
            return self.failures.unrelayable(f"{why}, and cannot be checked")
        http.announce(sent, http.SKIPPED_HEADER, checking.skip_reason)
        checking.report_unread(why)  # whoever leaves it has left it unread
        response = await pass_on(request, upstream, sent, partial(checking.skip, why))
        checking.skip(why)
        return response

    @asynccontextmanager
    async def _open_upstream(
        self, request: web.Request, url: URL, body: Body
    ) -> AsyncIterator[aiohttp.ClientResponse | web.Response]:
        """Yield the upstream's response, or an error response without one."""
        sent = http.request_headers(request.headers)
        if self.tracing is not None:
            self.tracing.propagate(sent)
        length = request.headers.get("Content-Length")
        streamed = body is not None and not isinstance(body, bytes)
        if streamed and length is not None:
            sent["Content-Length"] = length
        if not request.get(AS_IT_CAME, True):
            sent.popall("Content-Encoding", None)
        try:
            upstream = await self.session.request(
                request.method, url, headers=sent, data=as_sent(body), allow_redirects=False
            )
        except (aiohttp.ClientError, OSError) as exc:
            yield self.failures.unreachable(exc)
            return
        report_loss(upstream)
        try:
            if (wrong := http.unrelayable(upstream.status, upstream.headers)) is not None:
                yield self.failures.unrelayable(wrong)
                return
            yield upstream
        finally:
            upstream.close()  # at once: a client that left should not pay for more tokens


PROXY = web.AppKey("proxy", Proxy)


def _succeeds(upstream: aiohttp.ClientResponse) -> bool:
    """Return whether a response may hold an answer; 204 and 205 have no body."""
    return 200 <= upstream.status < 300 and upstream.status not in (204, 205)


def _store(keep: Callable[[T], None], value: T) -> None:
    """Pass `value` to the store; its errors are logged and harm no answer."""
    try:
        keep(value)
    except Exception as exc:
        log.error("result_not_stored", extra={"fields": {"error": error_of(exc)}})
