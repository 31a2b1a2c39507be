"""Checks the answers in one WebSocket while its bytes pass on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic, perf_counter_ns
from typing import Any, Protocol

from streamguard.core.machine.choices import skipped, with_late_text
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import Ended
from streamguard.errors import ConfigError, DecodeError
from streamguard.examiner import TURN_NS
from streamguard.server.headers import shown_path
from streamguard.server.proxy.exchange import Proxy
from streamguard.server.proxy.upstream_judge import readers_for
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.json_answer import MAX_ANSWER_BYTES
from streamguard.server.request_context import LONG_BYTES, parse_json_in_turns, read_parsed_in_turns
from streamguard.server.request_options import RequestOptions
from streamguard.wire.codecs.json_turns import BodyLimitError
from streamguard.wire.fields import holds_words, is_wide
from streamguard.wire.reader import with_annotation
from streamguard.wire.websocket.client_requests import MAX_ANSWERS
from streamguard.wire.websocket.conversations import (
    EVENT,
    AnswerPiece,
    Began,
    Conversation,
    Over,
    is_sound,
    outline,
)
from streamguard.wire.websocket.message_decoder import MessageDecoder, WebSocketMessage, text_frame

MAX_WAITING_BYTES = 4_194_304  # of messages still to be read: beyond it no more are taken; guess
# Of finished answers, whose results are held in case late text comes: 10 MB; guess.
MAX_ENDED_CHARS = 500_000
_MESSAGE_BYTES = 128  # that one takes beside its payload
_SLICE_BYTES = 1_024  # decoded before the clock is looked at: 170 frames at most, 0.5 ms
_UNREAD = "its messages hold text where none was looked for"

log = logging.getLogger("streamguard.proxy")


class SendMessage(Protocol):
    """Sends one of our messages; `between`: no message of the server is unfinished."""

    def __call__(self, message: bytes, *, between: bool) -> None:
        """Send it now or at the next message boundary."""


@dataclass(slots=True)
class _Answer:
    checking: Checking
    response_id: str
    began: float  # by the monotonic clock, in seconds


@dataclass(slots=True)
class _Ended:
    """A finished answer. Its checking is kept only while verdicts are awaited."""

    annotation: Annotation
    awaiting: Checking | None
    is_late: bool = False  # text has come behind it


class Watch:
    """Reads both directions of a WebSocket, and checks every answer in it.

    `sent` and `received` queue bytes; from `begin` on a separate task reads them. The first answer
    has the id in the handshake's header; later ones count up its first four digits, 0000. If
    requested, the annotation follows its answer as an additional event.
    """

    @classmethod
    async def of(
        cls, proxy: Proxy, path: str, options: RequestOptions, conversation: Conversation
    ) -> Watch:
        """Return the watch of one WebSocket, with the context posted for it."""
        stored = None
        if options.context_id is not None:
            stored = await proxy.stored_context(options.context_id)
        return cls(proxy, path, options, conversation, stored)

    def __init__(
        self,
        proxy: Proxy,
        path: str,
        options: RequestOptions,
        conversation: Conversation,
        stored: bytes | None,
    ) -> None:
        self.id = f"0000{proxy.siblings.new_id()[4:]}"
        self._proxy = proxy
        self._path = path
        self._options = options
        self._conversation = conversation
        self._stored = stored
        self._in_band = options.form == "event" or (options.live and options.form != "header")
        self._client = MessageDecoder(MAX_ANSWER_BYTES)
        self._server = MessageDecoder(MAX_ANSWER_BYTES)
        self._waiting: deque[tuple[MessageDecoder, WebSocketMessage]] = deque()
        self._waiting_bytes = 0
        self._undecoded: list[tuple[MessageDecoder, bytes]] = []  # its writer was cancelled
        self._answers: dict[str, _Answer] = {}
        self._closed: dict[str, _Ended] = {}  # the answers that ended last, by their streams
        self._count = 0  # of the answers that began
        self._ended: Ended | None = None  # how the WebSocket ended
        self._woken = asyncio.Event()

    def begin(self, send: SendMessage, refuse: Callable[[bool], None]) -> None:
        """Start reading; `send` sends our own messages.

        `refuse` ends the WebSocket if checks are required and an answer begins that cannot be
        checked; its argument tells whether every message of the server is finished.
        """
        self._send = send
        self._refuse = refuse
        self._proxy.store.open(self.id)
        self._task = asyncio.create_task(self._run())

    async def sent(self, data: bytes) -> None:
        """Queue the client's bytes."""
        await self._feed(self._client, data)

    async def received(self, data: bytes) -> int:
        """Queue the server's bytes; return the last message boundary in them, -1 without one."""
        return await self._feed(self._server, data)

    async def room(self) -> None:
        """Wait while the queue is beyond its limit."""
        while self._waiting_bytes > MAX_WAITING_BYTES:
            await self._proxy.turns.next()

    async def end(self, ended: Ended, unread: bytes) -> None:
        """Read the queued messages, and close unfinished answers.

        `unread`: bytes of the server that were not queued; an answer may have ended in them.
        """
        undecoded, self._undecoded = self._undecoded, []
        for side, data in (*undecoded, (self._server, unread)):
            await self._feed(side, data)
        self._ended = ended
        self._woken.set()
        try:
            await asyncio.shield(self._task)
        except asyncio.CancelledError:
            await self._task  # the client is gone, its answers are checked all the same
            raise

    async def _feed(self, side: MessageDecoder, data: bytes) -> int:
        place, began = -1, perf_counter_ns()
        for at in range(0, len(data), _SLICE_BYTES):
            if at and perf_counter_ns() - began >= TURN_NS:  # frames may be of no bytes
                try:
                    await self._proxy.turns.next()
                except asyncio.CancelledError:  # the other side has left
                    self._undecoded.append((side, data[at:]))
                    raise
                began = perf_counter_ns()
            messages, found = side.feed(data[at : at + _SLICE_BYTES])
            read = [each for each in messages if each.data and not is_sound(each.data)]
            self._waiting += [(side, each) for each in read]
            self._waiting_bytes += sum(len(each.data) + _MESSAGE_BYTES for each in read)
            if read:
                self._woken.set()
            place = at + found if found >= 0 else place
        return place

    async def _run(self) -> None:
        while True:
            if self._waiting:
                await self._read()
            elif due := [each for each in self._answers.values() if each.checking.due]:
                for answer in due:
                    await self._proxy.turns.next()
                    answer.checking.turn()
            elif self._ended is not None:
                break
            else:
                await self._woken.wait()
                self._woken.clear()
        for stream in list(self._answers):
            await self._over(Over(stream, self._ended))
        if not self._count:
            self._proxy.store.put(skipped(self.id))

    async def _read(self) -> None:
        """Read messages for a turn."""
        began = perf_counter_ns()
        while self._waiting and perf_counter_ns() - began < TURN_NS:
            side, message = self._waiting.popleft()
            self._waiting_bytes -= len(message.data) + _MESSAGE_BYTES
            if message.truncated:
                self._report_limit(self._server, "a message over the size that is parsed")
            event = await self._parsed(side, message.data)
            try:
                if side is self._client:
                    self._conversation.sent(event, len(message.data))
                else:
                    await self._take(event)
            except Exception as exc:  # fail open: the messages behind it are read all the same
                log.exception("socket_message_not_read", extra={"fields": {"id": self.id}})
                for answer in self._answers.values():
                    answer.checking.fail("wire", exc)
        await self._proxy.turns.next()

    async def _parsed(self, side: MessageDecoder, data: bytes) -> Mapping[str, Any]:
        """Return a message as an object; an invalid one of the server counts against its answer."""
        try:
            if len(data) <= LONG_BYTES:
                found = json.loads(data.decode())
            else:
                found = await parse_json_in_turns(data, self._proxy.turns.next)
        except BodyLimitError as exc:
            self._report_limit(side, f"a message is not read: {exc}")
            return {}
        except (DecodeError, ValueError, RecursionError) as exc:
            for answer in self._answers.values() if side is self._server else ():
                answer.checking.fail("wire", DecodeError(f"a message is not JSON: {exc}"))
            found = data.decode(errors="replace")
        if isinstance(found, dict) and side is self._server and is_wide(found):
            self._report_limit(
                side, "a message with more lists and objects than are looked through"
            )
            return outline(found)
        if isinstance(found, dict):
            return found
        if side is self._server and holds_words(found):
            for answer in self._answers.values():
                answer.checking.report_unread(_UNREAD)
            if not self._answers:
                self._late(AnswerPiece("", "", unread=True))
        return {}

    def _report_limit(self, side: MessageDecoder, what: str) -> None:
        """Report in the running answers that a message of the server was not read."""
        for answer in self._answers.values() if side is self._server else ():
            answer.checking.report_limit(what)

    async def _take(self, event: Mapping[str, Any]) -> None:
        for step in self._conversation.received(event):
            if isinstance(step, Began):
                await self._began(step)
            elif isinstance(step, Over):
                await self._over(step)
            else:
                await self._on_text(step)

    async def _on_text(self, step: AnswerPiece) -> None:
        answer = self._answers.get(step.stream)
        if answer is None and step.brought and not (step.text or step.unread):
            return  # it belongs to no running answer
        if answer is None:
            for each in self._answers.values() if step.text and not step.stream else ():
                each.checking.report_unread(_UNREAD)  # it may belong to any of them
            self._late(step)
            return
        if step.unread:
            answer.checking.report_unread(_UNREAD)
        for brought in step.brought:
            answer.checking.bring(0, brought)
        answer.checking.take(0, (step.text,) if step.text else ())
        while answer.checking.full:
            await self._proxy.turns.next()
            answer.checking.turn()

    def _late(self, step: AnswerPiece) -> None:
        """Note unchecked text after the end of its answer, whose result reports it.

        Without a stream it belongs to the answer that ended last, if none runs.
        """
        newest = "" if self._answers else next(reversed(self._closed), "")
        ended = self._closed.get(step.stream or newest)
        if ended is not None and ended.awaiting is not None:
            if not ended.awaiting.awaited.done():
                ended.awaiting.take(0, (step.text,))  # reported and counted with its result
                return
            ended.annotation, ended.awaiting = ended.awaiting.awaited.result(), None
        self._proxy.metrics.late_frames.add()
        if ended is None or ended.is_late:
            return
        ended.is_late = True
        fields = {"id": ended.annotation.id, "path": shown_path(self._path)}
        log.warning("late_text", extra={"fields": fields})
        self._proxy.amend(with_late_text(ended.annotation, 1))

    async def _began(self, step: Began) -> None:
        if step.stream in self._answers:  # its end was not reported
            await self._over(Over(step.stream, "upstream_error"))
        if len(self._answers) >= MAX_ANSWERS:
            self._unchecked("answers_at_once", {"open": MAX_ANSWERS})
            return
        proxy, settings = self._proxy, self._proxy.settings
        request_context = await read_parsed_in_turns(
            step.request,
            step.size,
            settings.policies,
            proxy.turns.next,
            stored=self._stored,
            context_from=settings.context_from,
            context_template=settings.context_template,
        )
        if step.over:
            request_context = replace(
                request_context, over="more was sent than is kept of a connection"
            )
        if proxy.not_checked(self._path, request_context) is not None:
            full = (
                "open_streams" if proxy.room.fits(request_context.context) else "open_context_bytes"
            )
            reached = "context" if request_context.over else full
            self._unchecked(reached, {"open": proxy.checked, "over": request_context.over})
            return
        name = f"{self._count % 65_536:04x}{self.id[4:]}"
        self._count += 1
        readers = readers_for(settings, self._options)
        checking = proxy.new_checking(request_context, None, self._options, readers, name)
        checking.dialect = self._conversation.dialect
        if self._options.context_id is not None and self._stored is None:
            checking.report("context", ConfigError("no stored context of this id, or no longer"))
        proxy.metrics.requests.add("checked")
        proxy.opened(name)
        self._answers[step.stream] = _Answer(checking, step.response_id, monotonic())

    def _unchecked(self, reached: str, fields: dict[str, Any]) -> None:
        """Report that an answer passes unchecked; if that is forbidden, end the WebSocket."""
        self._proxy.metrics.skipped.add("limit")
        self._proxy.metrics.reached.add(reached)
        fields = {"id": self.id, **fields, "websocket": True}
        log.warning("limit_reached", extra={"fields": fields})
        if self._proxy.settings.require_check:
            self._refuse(self._server.between)

    async def _over(self, step: Over) -> None:
        answer = self._answers.pop(step.stream, None)
        if answer is None:
            return
        checking = answer.checking
        checking.reported_error = self._ended is None  # its last event says so
        if step.text:  # a server that sends no pieces
            checking.take(0, (step.text,))
        if step.unread:
            checking.report_unread(_UNREAD)
        if self._in_band and self._ended is None:
            shown = checking.in_band(await checking.tail(step.ended))
            head = {"type": EVENT, "response_id": answer.response_id}
            self._send(text_frame(with_annotation(head, shown)), between=self._server.between)
        annotation = await checking.conclude(step.ended)
        await self._proxy.closed(checking, self._path, self._options, monotonic() - answer.began)
        self._closed.pop(step.stream, None)
        awaiting = None if checking.awaited.done() else checking
        self._closed[step.stream] = _Ended(annotation, awaiting)
        while len(self._closed) > 1 and (len(self._closed) > MAX_ANSWERS or self._holds_much()):
            del self._closed[next(iter(self._closed))]

    def _holds_much(self) -> bool:
        results = (each.annotation.result for each in self._closed.values())
        return sum(each.text.code_points for each in results if each) > MAX_ENDED_CHARS
