"""Relays one answer over sockets: bytes pass at once, checks run in between."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from time import perf_counter

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.core.model.types import Ended
from streamguard.errors import UpstreamError
from streamguard.server.http.bodies import UpstreamSilentError, cut, is_gone
from streamguard.server.http.causes import failure
from streamguard.server.http.heads import Relayed
from streamguard.server.http.incoming import Incoming
from streamguard.server.proxy.arriving import MAX_UNSENT_BYTES, Arriving, Passing, Woken
from streamguard.server.proxy.turns import Begin, Turns
from streamguard.server.relay.ahead import Passed
from streamguard.server.relay.checking import ROUNDS_BETWEEN_TURNS, Checking
from streamguard.server.relay.held import Answer
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.pace import Pace
from streamguard.server.relay.tail import MAX_TAIL_WAIT_S

# Rounds of the loop: in the first a transport closes its socket, in the second its waiters run.
# Measured with 500 clients that leave at once (benchmarks/bench_disconnect.py).
TURNS_TO_CLOSE = 2

log = logging.getLogger("streamguard.proxy")


async def relay_answer(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    checking: Checking,
    answer: Answer,
    turns: Turns,
) -> web.StreamResponse:
    """Relay an answer with its annotation; the client's connection ends like the upstream's."""
    response = Relayed(upstream, sent)
    relaying = _Relaying(request, response, upstream, checking, answer, turns)
    try:
        await response.prepare(request)  # from here on, the head is out
        await relaying.run()
        await response.write_eof()
        await answer.conclude()
    except UpstreamError as exc:
        log.warning("upstream_broke_off", extra={"fields": failure(upstream.url, exc)})
        with suppress(ConnectionError):  # the client left as well
            if rest := answer.rest():
                await response.write(rest)
        cut(request)
        await _left(upstream, answer, _ended(exc))
    except ConnectionError:
        await _left(upstream, answer, "client_disconnect")
    except asyncio.CancelledError:
        ended: Ended = "client_disconnect" if is_gone(request) else "cancelled"
        await _left(upstream, answer, ended)
        raise
    return response


async def pass_on(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    broke_off: Callable[[Ended], object] | None = None,
) -> web.StreamResponse:
    """Relay a response with its kind of end; `broke_off` is called on a bad one."""
    response = Relayed(upstream, sent)
    body = Incoming(upstream)
    await response.prepare(request)
    if request.method == "HEAD":  # another worker was asked by GET
        return response
    arriving = Arriving(request, response, upstream, body)
    passing = Passing()
    try:
        while piece := await body.next_bytes():
            await response.write(piece)
            await arriving.handed_on(passing)
    except UpstreamError as exc:
        log.warning("upstream_broke_off", extra={"fields": failure(upstream.url, exc)})
        if broke_off is not None:
            broke_off(_ended(exc))
        cut(request)
    except ConnectionError:
        pass  # the client left; closing the upstream is all that is to be done
    return response


class _Relaying:
    """Relays one answer: bytes pass first, checks use the time in between."""

    def __init__(
        self,
        request: web.Request,
        response: web.StreamResponse,
        upstream: aiohttp.ClientResponse,
        checking: Checking,
        answer: Answer,
        turns: Turns,
    ) -> None:
        self._request = request
        self._response = response
        self._upstream = upstream
        self._checking = checking
        self._answer = answer
        self._opening = answer if isinstance(answer, Opening) else None  # nothing of it is held
        self._turns = turns
        self._body = Incoming(upstream)
        self._context = copy_context()  # of the request, for turns that its task need not take
        self._output = b""  # what a turn gave to be written
        self._patience: float | None = None  # until when frames that may be the last wait
        self._pace = Pace(perf_counter())
        self._flows = False  # bytes came when they were looked for: more may be on their way

    async def run(self) -> None:
        """Relay the complete answer, annotation included."""
        answer = self._answer
        self._arriving = Arriving(self._request, self._response, self._upstream, self._body)
        while chunk := await self._next_bytes():
            await self._write(self.receive(chunk))
            await self._read()
            if answer.over:
                break
        if answer.over:  # stopped: nothing more of the upstream is wanted
            self._upstream.close()
        if answer.may_add:
            await self._write(await self._timed(answer.finish(), over=True))
            return
        # All bytes have passed on, so the end is sent before the rest is read. A client that
        # leaves after it leaves an answer that ended in order.
        await self._response.write_eof()
        finishing = asyncio.create_task(self._timed(answer.finish(), over=True))
        try:
            await asyncio.shield(finishing)
        except asyncio.CancelledError:
            await finishing
            raise

    def pass_on(self, chunk: bytes) -> Passed:
        """Accept a read whose bytes all pass on at once and may be read later."""
        return self._opening.pass_on(chunk) if self._opening is not None else "not"

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on at once."""
        self._pace.received_at = perf_counter()
        return self._answer.receive(chunk)

    def keep(self) -> bool:
        """Return whether the received bytes must be read before more passes on."""
        return self._answer.keep()

    @property
    def due(self) -> bool:
        """Whether there is something to read or examine, passed or held."""
        return self._answer.due or self._answer.held

    async def _next_bytes(self) -> bytes:
        """Return the next bytes, empty at the end; checks run until they come."""
        while not self._answer.over:
            if self._out_of_patience():
                await self._write(await self._timed(self._answer.settle(), over=True))
            if self._answer.due or self._answer.held:
                if (chunk := await self._at_hand()) is not None:
                    return chunk
                await self._examine()
            elif (chunk := await self._in_time()) is not None:
                return chunk
        return b""

    async def _in_time(self) -> bytes | None:
        """Return the next bytes, empty at the end, None if there may be other work first."""
        try:
            async with asyncio.timeout_at(self._patience):
                woken = await self._arriving.handed_on(self)
                if woken == "read":
                    return await self._body.next_bytes()
        except TimeoutError:
            return None
        await self._go_on(woken)
        return None

    async def _go_on(self, woken: Woken) -> None:
        """Do the work for which the task was woken."""
        if woken == "received" or (woken == "turn" and self._answer.held):
            await self._read()
        else:
            if woken == "turn":
                self._work()
            output, self._output = self._output, b""
            await self._write(output)

    def _out_of_patience(self) -> bool:
        """Return whether possibly last frames have waited long enough for further ones."""
        now = asyncio.get_running_loop().time()
        if not self._answer.holds:
            self._patience = None
        elif self._patience is None:
            patience_s = self._answer.patience_s
            self._patience = now + (MAX_TAIL_WAIT_S if patience_s is None else patience_s)
        if self._patience is None or now < self._patience:
            return False
        self._patience = None
        return True

    async def _at_hand(self) -> bytes | None:
        """Return available bytes, empty at the end, None if a turn of checking is next."""
        chunk = None
        for _ in range(ROUNDS_BETWEEN_TURNS if self._flows else 0):
            await asyncio.sleep(0)  # the loop hears of bytes for anybody, and hands them on
            if not self._reads_on():
                break
            if (chunk := self._body.at_hand()) is not None:
                return chunk
        if not self._flows and self._reads_on():
            chunk = self._body.at_hand()
        self._flows = bool(chunk)
        return chunk

    def _reads_on(self) -> bool:
        """Return whether to read more: the client keeps up, and the checks nearly do."""
        client = self._request.transport
        slow = client is not None and client.get_write_buffer_size() > MAX_UNSENT_BYTES
        return not (slow or self._answer.full)

    async def _examine(self) -> None:
        """Read or examine for a turn; bytes that come before the turn pass first."""
        if self._reads_on():
            if self._left_s() or not self._turns.take():
                woken = await self._arriving.handed_on(self)
                if woken != "read":
                    await self._go_on(woken)
                    return
                if self._body.at_end:
                    return
                await self._turns.next()
        else:
            await self._turns.next()
        await self._go_on("turn")

    def request_turn(self, begin: Begin) -> None:
        """Call `begin` at the next turn, unless bytes come fast."""
        if left := self._left_s():
            asyncio.get_running_loop().call_later(left, self.request_turn, begin)
        else:
            self._turns.request(begin)

    def turn(self) -> Woken | None:
        """Read or examine for a turn; return the task's reason to wake, None without one."""
        if self._opening is None or self._opening.held:
            return "turn"
        self._context.run(self._work)
        answer = self._opening
        has_work = self._output or answer.held or answer.holds or answer.full
        return "output" if has_work else None

    def _work(self) -> None:
        began = perf_counter()
        self._answer.turn()
        self._pace.turned(began, now := perf_counter())
        self._checking.delays.note(now - began, over=False)
        self._output += self._answer.sentence_frames()

    def _left_s(self) -> float:
        """Return the seconds during which no turn should begin, if no more bytes come."""
        if self._answer.held:
            return 0.0
        now = perf_counter()
        self._pace.received_at = max(self._pace.received_at, now - self._arriving.quiet_s())
        return self._pace.left_s(now)

    async def _read(self) -> None:
        await self._write(await self._timed(self._answer.read()))

    async def _timed(self, reading: Awaitable[bytes], *, over: bool = False) -> bytes:
        began = perf_counter()
        out = await reading
        over = over or self._checking.annotation is not None
        self._checking.delays.note(perf_counter() - began, over=over)
        return out

    async def _write(self, out: bytes) -> None:
        if out:
            await self._response.write(out)


async def _left(upstream: aiohttp.ClientResponse, answer: Answer, ended: Ended) -> None:
    """Release the upstream at once, then check the answer so far.

    Seconds of work may be queued. If many clients leave at once, every upstream is released before
    the first of their verdicts is made.
    """
    upstream.close()
    work = asyncio.create_task(_caught_up(answer))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        await work  # a lost connection fails the write that waits, and then cancels the request
        raise
    finally:
        answer.abandon(ended)


async def _caught_up(answer: Answer) -> None:
    for _ in range(TURNS_TO_CLOSE):
        await asyncio.sleep(0)
    await answer.catch_up()


def _ended(error: UpstreamError) -> Ended:
    return "limit" if isinstance(error, UpstreamSilentError) else "upstream_error"
