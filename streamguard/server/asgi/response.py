"""One answer on its way through the middleware, message by message."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import anyio

from streamguard.core.checks import Checks
from streamguard.core.policy import Policy
from streamguard.core.result import SentenceAnnotation
from streamguard.core.types import Ended
from streamguard.server.asgi.contexts import ContextOf, ContextSource
from streamguard.server.asgi.messages import (
    Message,
    Request,
    Send,
    announced,
    media_type,
    names_of,
)
from streamguard.server.checking import Checking
from streamguard.server.json_answer import MAX_ANSWER_BYTES, checked, of_json
from streamguard.server.opening import Opening
from streamguard.server.store import ResultStore
from streamguard.server.wishes import Forms, Wishes
from streamguard.stream import deliver
from streamguard.tap import Sink
from streamguard.wire.dialects import STREAM_TYPES, of_path

# Of the successes those without a body, and with a part of one.
_NO_ANSWER = frozenset({204, 205, 206})
_JSON = "application/json"

log = logging.getLogger("streamguard.asgi")


@dataclass(frozen=True, slots=True)
class Guard:
    """What one middleware was told; `StreamGuardMiddleware` says what it means."""

    context_of: ContextOf | None
    policy: Policy
    checks: Checks
    forms: Forms
    store: ResultStore | None
    sinks: tuple[Sink, ...]


class GuardedResponse:
    """Hands the messages of one response on and checks what they say.

    The application calls `send`; then `returned` or `broke_off` say how its call ended. A message
    that is looked at goes on before it is; one body message becomes one or two. The first message
    tells which of three ways the rest go: as they are, as a stream, or held as one JSON answer.
    """

    def __init__(
        self,
        guard: Guard,
        wishes: Wishes,
        path: str,
        request: Request,
        source: ContextSource,
        send: Send,
    ) -> None:
        self.wrong: list[tuple[str, Exception]] = []  # for the result, from before it began
        self._guard = guard
        self._wishes = wishes
        self._path = path
        self._request = request
        self._source = source
        self._send = send
        self._way: Callable[[Message], Awaitable[None]] = self._begin
        self._checking: Checking | None = None  # there is an answer to be checked
        self._opening: Opening | None = None  # it is a stream
        self._held: Message | None = None  # the start of a JSON answer
        self._body = bytearray()  # of that
        self._delivered = False
        # sse-starlette sends its pings from another task than its events.
        self._one_by_one = anyio.Lock(fast_acquire=True)

    async def send(self, message: Message) -> None:
        """Take the application's next message."""
        async with self._one_by_one:
            await self._way(message)

    async def returned(self) -> None:
        """Say that the application has returned; without a last message its answer broke off."""
        await self._end("client_disconnect" if self._request.gone else "upstream_error")

    async def broke_off(self, exc: BaseException) -> None:
        """Say that the application raised: an error of its own, or that it was cancelled."""
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
        kind = media_type(named)
        whole = kind == _JSON and (of_path(self._path) is not None or self._source.provided)
        if not self._answers(start) or not (whole or kind in STREAM_TYPES):
            self._request.forget()
            await self._pass(start)
            return
        self._checking = checking = self._new_checking()
        if named.get("content-encoding", "identity").strip().lower() != "identity":
            checking.skip()
            await self._pass(announced(start, checking.id, length=_length(named)))
            await self._deliver()
        elif whole:
            self._held, self._way = start, self._hold
        else:
            opening = Opening(self._path, kind, named, checking, self._wishes.form)
            self._opening, self._way = opening, self._stream
            length = None if opening.adds else _length(named)
            await self._pass(announced(start, checking.id, length=length))

    def _answers(self, start: Message) -> bool:
        status = start["status"]
        return 200 <= status < 300 and status not in _NO_ANSWER

    def _new_checking(self) -> Checking:
        guard, store = self._guard, self._guard.store
        checking = Checking(
            secrets.token_hex(16),
            self._source.late,
            guard.policy,
            guard.checks,
            on_sentence=self._say if self._wishes.live else None,
            settle=self._source.settle,
        )
        self._source.report = checking.report
        for where, error in self.wrong:
            checking.report(where, error)
        if store is not None:
            store.open(checking.id)
        return checking

    def _say(self, sentence: SentenceAnnotation) -> None:
        if self._guard.store is not None:
            self._guard.store.say(sentence)

    # --- a stream

    async def _stream(self, message: Message) -> None:
        opening = self._opening
        if opening is None or message["type"] != "http.response.body":
            await self._pass(message)
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        out = opening.receive(body) if body else b""
        # Some servers send the start with the first body, and be it an empty one.
        if out or (more and not body):
            await self._pass({**message, "body": out, "more_body": True})
        await self._source.look()
        out = await opening.examine()
        if more:
            if out:
                await self._pass({**message, "body": out, "more_body": True})
            return
        out += await opening.finish()
        self._way = self._pass
        await self._pass({**message, "body": out, "more_body": False})
        await self._deliver()

    # --- an answer in one piece

    async def _hold(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            await self._let_go()
            await self._pass(message)
            return
        self._body += message.get("body", b"")
        more = message.get("more_body", False)
        if not more:
            await self._whole()
        elif len(self._body) > MAX_ANSWER_BYTES:
            await self._let_go()

    async def _whole(self) -> None:
        """Check the JSON that is held and send it."""
        start, checking, body = self._held, self._checking, bytes(self._body)
        answer = of_json(self._path, body)
        if start is None or checking is None or answer is None:
            await self._let_go(more=False)
            return
        await self._source.look()
        body = await checked(body, answer, checking, self._wishes.form)
        self._held, self._way = None, self._pass
        await self._pass(announced(start, checking.id, length=len(body)))
        await self._pass({"type": "http.response.body", "body": body, "more_body": False})
        await self._deliver()

    async def _let_go(self, *, more: bool = True) -> None:
        """Send what is held as it came: it is no answer, too long, or not all of one."""
        start, self._held = self._held, None
        body, self._body = bytes(self._body), bytearray()
        self._way = self._pass
        if start is None:
            return
        if self._checking is not None:
            self._checking.skip()
            start = announced(start, self._checking.id, length=_length_of(start))
        await self._pass(start)
        if body or not more:
            await self._pass({"type": "http.response.body", "body": body, "more_body": more})
        await self._deliver()

    # --- all of them

    async def _pass(self, message: Message) -> None:
        try:
            await self._send(message)
        except OSError:
            self._request.gone = True  # so servers say it since version 2.4 of the protocol
            raise

    async def _end(self, ended: Ended) -> None:
        """Conclude an answer that did not come to its end, and send what was held back of it."""
        if self._delivered or self._checking is None:
            return
        here = ended == "upstream_error"
        try:
            if self._opening is not None:
                self._source.settle_now()
                rest = self._opening.abandon(ended)
                if rest and here:
                    with suppress(OSError):  # the client left as well
                        await self._pass(
                            {"type": "http.response.body", "body": rest, "more_body": True}
                        )
            elif here:
                await self._let_go()
        finally:
            await self._deliver()

    async def _deliver(self) -> None:
        checking = self._checking
        if checking is None or self._delivered:
            return
        self._delivered = True
        self._request.forget()
        annotation = checking.close("cancelled")
        if self._guard.store is not None:
            self._guard.store.put(annotation)
        await deliver(annotation, self._guard.sinks)


def _length(named: dict[str, str]) -> int | None:
    written = named.get("content-length", "")
    return int(written) if written.isascii() and written.isdigit() else None


def _length_of(start: Message) -> int | None:
    return _length(names_of(start.get("headers", ())))
