"""One answer in the middleware, message by message."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from time import perf_counter

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import cancel_shielded_checkpoint, checkpoint

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.delivering import deliver, deliver_late
from streamguard.server.asgi.context_source import ContextOf, ContextSource
from streamguard.server.asgi.messages import (
    Message,
    Request,
    Send,
    announced,
    encoding_in,
    length_of,
    media_type,
    names_of,
)
from streamguard.server.headers import shown_path
from streamguard.server.observe.metrics import Metrics
from streamguard.server.relay.checking import Checking, SkipReason
from streamguard.server.relay.held import Answer, HeldJSON, HeldStream
from streamguard.server.relay.json_answer import MAX_ANSWER_BYTES, JSONRelay
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.pace import Pace
from streamguard.server.relay.room import Room
from streamguard.server.relay.tail import MAX_TAIL_WAIT_S
from streamguard.server.request_context import Policies
from streamguard.server.request_options import Forms, RequestOptions
from streamguard.server.results.result_store import ResultStore
from streamguard.tap import Sink
from streamguard.verify.verifier import Verifier
from streamguard.wire.dialects import ANSWER_TYPES, TEXT_TYPE, is_stream, of_path
from streamguard.wire.requests.shown import ContextFrom

_FILES = frozenset({"http.response.pathsend", "http.response.zerocopysend"})
_NO_BODY = frozenset({204, 205})  # of the successes

log = logging.getLogger("streamguard.asgi")

_MOST_BARE = 100  # paths without a context that are logged, each once; guess
_HINT = "nothing was judged: give StreamGuardMiddleware a context, or call provide_context"


class StoppedError(ConnectionError):
    """The application continues an answer that the policy has stopped."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The settings of one middleware, as `StreamGuardMiddleware` documents them."""

    context_of: ContextOf | None
    context_from: ContextFrom
    context_template: str | None
    policies: Policies
    checks: Checks
    forms: Forms
    text: str | None
    store: ResultStore | None
    sinks: tuple[Sink, ...]
    verifiers: tuple[Verifier, ...] = ()
    metrics: Metrics = field(default_factory=Metrics)
    room: Room = field(default_factory=Room)
    bare: set[str] = field(default_factory=set)  # paths that answered without a context

    def unchecked(self, reason: SkipReason) -> None:
        """Count an answer that is not checked."""
        self.metrics.requests.add("unchecked")
        self.metrics.skipped.add(reason)

    def note_bare(self, path: str, id: str) -> None:
        """Log once per path that an answer had no context to be checked against."""
        if path not in self.bare and len(self.bare) < _MOST_BARE:
            self.bare.add(path)
            log.warning("no_context", extra={"fields": {"path": path, "id": id, "hint": _HINT}})


def succeeds(start: Message) -> bool:
    """Return whether a response may hold an answer."""
    return 200 <= start["status"] < 300 and start["status"] not in _NO_BODY


class GuardedResponse:
    """Passes on the messages of one response and checks their text.

    The application calls `send`; `returned` or `broke_off` report the end of its call. The first
    message determines the mode: unchanged, stream, or one JSON answer. A message is passed on
    before it is read, usually as one or two messages. A second task, started in the group `behind`,
    examines the text. So no call of `send` waits for a check, except the last one if it carries the
    annotation.
    """

    def __init__(
        self,
        guard: Guard,
        options: RequestOptions,
        path: str,
        request: Request,
        source: ContextSource,
        send: Send,
        behind: TaskGroup,
    ) -> None:
        self.wrong: list[tuple[str, Exception]] = []  # for the result, from before `_judge`
        self._guard = guard
        self._options = options
        self._path = path
        self._request = request
        self._source = source
        self._send = send
        self._behind = behind
        self._way: Callable[[Message], Awaitable[None]] = self._begin
        self._checking: Checking | None = None  # set once there is an answer to check
        self._answer: Answer | None = None
        self.stopped = False  # the policy stopped the answer, whatever the application still says
        self._judging = False
        self._over = False  # the last message has come
        self._began = perf_counter()
        self._pace = Pace(self._began)
        self._more = anyio.Event()  # there is something to examine, or frames wait
        self._patience = inf  # until when frames that may be the last wait, in the loop's time
        self._delivered = False
        # sse-starlette sends its pings from another task than its events.
        self._one_by_one = anyio.Lock(fast_acquire=True)

    async def send(self, message: Message) -> None:
        """Process the application's next message."""
        async with self._one_by_one:
            await self._way(message)

    async def returned(self) -> None:
        """Note that the application has returned; without a last message its answer broke off."""
        await self._end("client_disconnect" if self._request.gone else "upstream_error")

    async def broke_off(self, exc: BaseException) -> None:
        """Note that the application raised: an error of its own, or a cancellation."""
        if self._request.gone:
            ended: Ended = "client_disconnect"
        else:
            ended = "upstream_error" if isinstance(exc, Exception) else "cancelled"
        try:
            await self._end(ended)
        except Exception:  # the application's own exception is the one to be seen
            log.warning("the end of a broken answer was not sent", exc_info=True)

    # --- the first message

    async def _begin(self, start: Message) -> None:
        if start["type"] != "http.response.start":
            await self._pass(start)
            return
        self._way = self._pass
        named = names_of(start.get("headers", ()))
        kind, length = media_type(named), length_of(named)
        # JSON, and text of a known length, are often something other than an answer.
        stream = is_stream(self._path, kind)
        one_piece = not stream or (kind == TEXT_TYPE and length is not None)
        expected = not one_piece or self._expects_answer or of_path(self._path) is not None
        read = kind in ANSWER_TYPES and start["status"] != 206
        if self._source.ours or not succeeds(start) or not (read or self._expects_answer):
            self._request.forget()
            await self._pass(start)
            return
        if read and not expected:
            self._request.forget()
            self._guard.unchecked("unguarded_path")
            await self._pass(announced(start, length=length, skipped="unguarded_path"))
            return
        self._checking = checking = self._new_checking()
        self._began = perf_counter()
        self._guard.metrics.requests.add("checked")
        if encoding := encoding_in(start.get("headers", ())):
            await self._skip(start, checking, "encoding", f"it is encoded as {encoding}")
            return
        if not read:
            part = "a part of a body" if start["status"] == 206 else kind or "a body without a type"
            await self._skip(start, checking, "unknown_shape", f"{part} is not read")
            return
        form, text = self._options.form, self._guard.text
        held = checking.policy.hold != "off" and not checking.off
        if stream:
            streaming = HeldStream if held else Opening
            answer: Answer = streaming(self._path, kind, named, checking, form, text)
        else:
            relay = HeldJSON if held else JSONRelay
            answer = relay(self._path, checking, form, MAX_ANSWER_BYTES, text)
        self._answer, self._way = answer, self._relay
        self._behind.start_soon(self.examine)
        # Where collections have policies, the request may still name one.
        off = checking.off and not self._guard.policies.collections
        skipped: SkipReason | None = None
        if off:
            skipped = "limit" if checking.skip_reason == "limit" else "off"
        checking.skip_reason = skipped or checking.skip_reason
        length = None if answer.adds else length
        adds = stream and answer.adds
        message = announced(start, id=checking.id, length=length, skipped=skipped, transforms=adds)
        await self._pass(message)

    @property
    def _expects_answer(self) -> bool:
        """Whether an answer is expected by the request's path, in any form."""
        return self._request.is_guarded or self._source.provided

    async def _skip(
        self, start: Message, checking: Checking, reason: SkipReason, what: str
    ) -> None:
        """Pass an unread answer on, with the reason."""
        checking.skip_reason = reason
        self._judge(checking)
        checking.skip(what)
        self._way = self._unread
        length = length_of(names_of(start.get("headers", ())))
        await self._pass(announced(start, id=checking.id, length=length, skipped=reason))

    def _new_checking(self) -> Checking:
        guard, store = self._guard, self._guard.store
        checking = Checking(
            secrets.token_hex(16),
            self._source.late,
            self._source.policy,
            guard.checks,
            on_sentence=self._publish_sentence if self._options.live else None,
            settle=self._source.settle,
            keeps_text=store is not None and store.shares_text,
            verifiers=guard.verifiers,
            in_band=self._options.in_band,
        )
        checking.fits = partial(guard.room.grow, checking.id)
        self._source.report = self._report
        self._source.when_known = partial(self._enter, checking)
        checking.awaited.add_done_callback(lambda _: guard.room.leave(checking.id))
        if store is not None:
            store.open(checking.id)
        return checking

    def _enter(self, checking: Checking, context: Context) -> None:
        """Reserve the memory for a context; without enough of it the answer is not checked."""
        if checking.off or self._guard.room.enter(checking.id, context):
            return
        most = self._guard.room.max_bytes
        over = f"the passages of the answers being checked hold {most} bytes of memory, the most"
        self._guard.metrics.reached.add("open_context_bytes")
        log.warning("limit_reached", extra={"fields": {"id": checking.id, "over": over}})
        self._judge(checking)
        # Without a context no sentence was judged yet.
        checking.judge_by(checking.policy.model_copy(update={"validation_enabled": False}))
        checking.skip_reason = "limit"

    def _report(self, where: str, error: Exception) -> None:
        self.wrong.append((where, error))

    def _judge(self, checking: Checking) -> None:
        """Fix the policy by the collection, before the first text is read."""
        if self._judging:
            return
        self._judging = True
        policy = self._source.policy_from_now()
        if policy is not checking.policy:
            checking.judge_by(policy)
        self._source.report = checking.report
        for where, error in self.wrong:
            checking.report(where, error)

    async def _judge_complete(self, checking: Checking) -> None:
        if self._guard.policies.collections:  # the request may name one, so it is read first
            with anyio.move_on_after(MAX_TAIL_WAIT_S):
                await self._source.look()
        self._judge(checking)

    def _publish_sentence(self, sentence: SentenceAnnotation) -> None:
        if self._guard.store is not None:
            self._guard.store.publish(sentence)

    # --- the others

    async def _relay(self, message: Message) -> None:
        answer, checking = self._answer, self._checking
        if answer is None or checking is None:
            return
        if message["type"] in _FILES:  # a part of its body that is not seen here
            if isinstance(answer, JSONRelay):
                await self._pass_on(answer.give_up(), more=True)
            checking.skip("a file is sent, which is not read")
        if message["type"] != "http.response.body":
            await self._pass(message)
            return
        # Some frameworks hand on views of bytes.
        body, more = bytes(message.get("body", b"")), message.get("more_body", False)
        self._pace.received_at = perf_counter()
        out = answer.receive(body) if body else b""
        if not more:
            await self._end_of(answer, checking, message, out)
            return
        # Some servers send the start only with the first body message, even an empty one.
        if out or not body:
            await self._pass({**message, "body": out, "more_body": True})
        await self._source.look()
        self._judge(checking)
        await self._pass_on(await answer.read(), more=True)
        if answer.over:
            await self._stop(answer, checking)
            return
        if answer.due or answer.holds:
            self._more.set()
        while answer.blocked or answer.full:  # bytes must be read first, or too many wait
            await checkpoint()
            if answer.held:
                await self._pass_on(await answer.read(), more=True)
            else:
                answer.turn()

    async def _stop(self, answer: Answer, checking: Checking) -> None:
        """End the response where the policy stops it; the application's next message raises."""
        if self._over:
            return
        self.stopped = True
        await self._end_of(answer, checking, {"type": "http.response.body"}, b"")
        self._way = self._refuse

    async def _refuse(self, message: Message) -> None:
        raise StoppedError("the answer was stopped by the policy of streamguard")

    async def _end_of(
        self, answer: Answer, checking: Checking, message: Message, out: bytes
    ) -> None:
        """Send the last message: at once, except for bytes that an annotation may precede."""
        self._over = True
        if out and answer.may_add:
            await self._pass({**message, "body": out, "more_body": True})
            out = b""
        adds = answer.may_add
        if adds:
            await self._judge_complete(checking)
            out += await answer.read() + await answer.finish()
        self._way = self._pass
        await self._pass({**message, "body": out, "more_body": False})
        if not adds:  # all bytes have passed on, and are read afterwards
            with anyio.CancelScope(shield=True):  # it ended in order, even if the client leaves now
                await self._judge_complete(checking)
                await answer.read()
                await answer.finish()
        await answer.conclude()
        await self._deliver()

    async def examine(self) -> None:
        """Examine passed messages as they come, until cancelled."""
        while (answer := self._answer) is not None:
            if not answer.holds:
                self._patience = inf
            elif self._patience == inf:
                wait_s = MAX_TAIL_WAIT_S if answer.patience_s is None else answer.patience_s
                self._patience = anyio.current_time() + wait_s
            with anyio.CancelScope(deadline=self._patience) as waiting:
                await self._more.wait()
                self._more = anyio.Event()
            if waiting.cancelled_caught:
                self._patience = inf
                await self._send_sentences(answer, settles=True)
            while answer.due:
                if left := self._pace.left_s(perf_counter()):
                    await anyio.sleep(left)
                    continue
                began = perf_counter()
                answer.turn()
                self._pace.turned(began, perf_counter())
                if self._options.live or answer.leaves:
                    await self._send_sentences(answer)
                await checkpoint()

    async def _send_sentences(self, answer: Answer, *, settles: bool = False) -> None:
        """Send pending annotations between two messages: of sentences, or of the answer.

        `settles`: first release frames that have waited long enough for others.
        """
        async with self._one_by_one:
            if self._over or (settles and not answer.holds):
                return
            try:
                frames = await answer.settle() if settles else answer.sentence_frames()
                if answer.leaves:
                    frames += await answer.read()
                await self._pass_on(frames, more=True)
                if answer.over and self._checking is not None:
                    await self._stop(answer, self._checking)
            except Exception:  # the application hears of it with its next message
                self._over = True
                log.warning("an annotation was not sent", exc_info=True)

    async def _pass_on(self, body: bytes, *, more: bool) -> None:
        if body:
            await self._pass({"type": "http.response.body", "body": body, "more_body": more})

    # --- all of them

    async def _unread(self, message: Message) -> None:
        """Pass on a message of an unread answer; the last one concludes it."""
        await self._pass(message)
        if message["type"] != "http.response.debug" and not message.get("more_body", False):
            await self._deliver()

    async def _pass(self, message: Message) -> None:
        try:
            await self._send(message)
        except OSError:
            self._request.gone = True  # so servers say it since version 2.4 of the protocol
            raise

    async def _end(self, ended: Ended) -> None:
        """Conclude an answer that broke off, and send its held bytes."""
        if self._delivered or self._checking is None:
            return
        self._over = True
        try:
            self._judge(self._checking)
            if self._answer is not None:
                self._source.settle_now()
                if ended == "upstream_error":
                    with suppress(OSError):  # the client left as well
                        await self._pass_on(self._answer.rest(), more=True)
                await self._answer.catch_up()
        finally:
            if self._answer is not None:
                self._answer.abandon(ended)
            await self._deliver()

    async def _deliver(self) -> None:
        checking = self._checking
        if checking is None or self._delivered:
            return
        self._delivered = True
        self._request.forget()
        checking.collection = self._source.collection
        annotation = checking.final("cancelled")
        metrics, took = self._guard.metrics, perf_counter() - self._began
        if checking.unread is not None or checking.off:
            metrics.skipped.add(checking.skip_reason)
        checking.when_final(
            lambda final: metrics.answered(final, checking.dialect, took, None, checking.failure)
        )
        if checking.unread is not None:
            path = shown_path(self._path)
            fields = {"path": path, "id": checking.id, "unread": checking.unread}
            log.warning("unread", extra={"fields": {**fields, "reason": checking.skip_reason}})
        result = annotation.result
        if result is not None and any(one.code == "no_context_given" for one in result.reasons):
            self._guard.note_bare(shown_path(self._path), checking.id)
        if self._guard.store is not None:
            checking.when_final(partial(_put, self._guard.store, checking))
            while self._guard.store.pack_turn():
                await cancel_shielded_checkpoint()
        if annotation.state == "pending":
            deliver_late(checking.awaited, self._guard.sinks)
        else:
            await deliver(annotation, self._guard.sinks)
        checking.when_final(lambda _: checking.release())


def _put(store: ResultStore, checking: Checking, annotation: Annotation) -> None:
    store.put(annotation, checking.about(annotation) if store.shared is not None else None)
