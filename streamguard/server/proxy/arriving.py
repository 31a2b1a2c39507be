"""Passes frames on in the callback in which they arrive, if nothing else must be done.

aiohttp wakes a task for every read: a future, a turn of the loop and a chain of coroutines, a third
of an event's cost (benchmarks/bench_proxy.py, 100 streams). Most events hold a word in the middle
of a sentence and need none of that: they pass on from the connection's own callback. The task is
woken for everything else and reads as usual. Complete chunks pass before aiohttp parses them.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import Literal, Protocol

import aiohttp
from aiohttp import web

from streamguard.server.http.bodies import READ_BYTES
from streamguard.server.http.connections import Connection
from streamguard.server.http.incoming import Incoming
from streamguard.server.proxy.turns import Begin
from streamguard.server.relay.ahead import Passed

# The most that waits in the client's socket before the task waits for it; aiohttp's own limit.
MAX_UNSENT_BYTES = 65_536


# Why a waiting task is woken:
#   received  received bytes must be read
#   read      it must do the next read itself: data, the end or a lost connection
#   turn      it must take a turn of checking
#   output    a turn has produced bytes to write
Woken = Literal["received", "read", "turn", "output"]


class Taker(Protocol):
    """Receives every read of a connection."""

    def pass_on(self, chunk: bytes) -> Passed:
        """Accept a read whose bytes all pass on at once and may be read later."""

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on at once."""

    def keep(self) -> bool:
        """Return whether the received bytes, which have passed on, must be read at once."""

    @property
    def due(self) -> bool:
        """Whether there is work for a turn of checking."""

    def request_turn(self, begin: Begin) -> None:
        """Call `begin` at the next turn of checking."""

    def turn(self) -> Woken | None:
        """Work for a turn; return the reason to wake the task, None if it may wait."""


class Passing:
    """Receives bytes that pass on unchanged."""

    due = False  # there is nothing to examine

    def request_turn(self, begin: Begin) -> None:
        """Do nothing: there are no checks."""

    def turn(self) -> Woken | None:
        """Do nothing."""
        return None

    def pass_on(self, chunk: bytes) -> Passed:
        """Accept all of it."""
        return "passed"

    def receive(self, chunk: bytes) -> bytes:
        """Return the same bytes."""
        return chunk

    def keep(self) -> bool:
        """Return False: there is nothing to examine."""
        return False


class Arriving:
    """The reads of one response; none passes on early if it has a length or was compressed."""

    def __init__(
        self,
        request: web.Request,
        response: web.StreamResponse,
        upstream: aiohttp.ClientResponse,
        incoming: Incoming,
    ) -> None:
        self._client = request.transport
        self.chunked = response.headers.get("Transfer-Encoding") == "chunked"
        self._body = upstream.content
        self._read_bytes = -1  # of the whole body, where it is known: nothing more is there then
        connection = upstream.connection
        own = incoming.compressed or "Content-Length" in response.headers
        found = None if connection is None or own else connection.protocol
        self._connection = found if isinstance(found, Connection) else None
        self._has_chunks = upstream.headers.getall("Transfer-Encoding", ()) == ["chunked"]

    async def handed_on(self, taker: Taker) -> Woken:
        """Pass bytes on and give `taker` its turns until the task has work; return the reason.

        The task also gets the next read if the client is slow or gone, or nothing can pass on here.
        """
        connection, client = self._connection, self._client
        # A connection that is already lost calls no listener any more.
        if connection is None or client is None or not (connection.connected and self.ready()):
            return "read"
        if (due := self.take(taker)) is not None:
            return due
        waiting = _Waiting(self, taker, client)
        connection.listener = waiting.on_read
        if self._has_chunks:
            connection.pass_on = waiting.pass_on
        try:
            return await waiting.woken
        finally:
            connection.listener = connection.pass_on = None

    def quiet_s(self) -> float:
        """Return the seconds since the last bytes; infinite if they are not observed here."""
        if self._connection is None:
            return inf
        return asyncio.get_running_loop().time() - self._connection.received_at

    def ready(self) -> bool:
        """Return whether the next bytes may pass on at once and are not the end."""
        client, body = self._client, self._body
        if client is None or client.is_closing() or body.is_eof() or body.exception() is not None:
            return False
        return client.get_write_buffer_size() <= MAX_UNSENT_BYTES

    def take(self, taker: Taker) -> Woken | None:
        """Pass on available bytes; return like `handed_on`, None to wait for more."""
        body = self._body
        while chunk := body.read_nowait(READ_BYTES):
            self._read_bytes += len(chunk)
            if out := taker.receive(chunk):
                self._write(out)
            if taker.keep():
                return "received"
            if not self.ready():
                return "read"
            if self._read_bytes == body.total_bytes:
                return None
        self._read_bytes = body.total_bytes
        return None

    def _write(self, data: bytes) -> None:
        assert self._client is not None  # noqa: S101  (`ready` said so)
        self._client.write(b"%x\r\n%b\r\n" % (len(data), data) if self.chunked else data)


class _Waiting:
    """A task that waits for work its connection's callbacks cannot do; `woken` is the reason."""

    __slots__ = ("_arriving", "_client", "_taker", "_turn_requested", "woken")

    def __init__(self, arriving: Arriving, taker: Taker, client: asyncio.Transport) -> None:
        self._arriving, self._taker, self._client = arriving, taker, client
        self._turn_requested = False  # for a turn
        self.woken: asyncio.Future[Woken] = asyncio.get_running_loop().create_future()
        self._request_turn_if_due()

    def pass_on(self, data: bytes, content: bytes) -> bool:
        """Pass chunks on as they came, if nothing else must be done with their content."""
        client = self._client
        if self.woken.done() or client.is_closing():
            return False
        if client.get_write_buffer_size() > MAX_UNSENT_BYTES:
            return False
        try:
            passed = self._taker.pass_on(content)
        except Exception as exc:  # the task's to handle, not the connection's
            self.woken.set_exception(exc)
            return False
        if passed == "not":
            return False
        client.write(data if self._arriving.chunked else content)
        if passed == "due":
            self._request_turn()
        return True

    def on_read(self, *, lost: bool) -> None:
        """Handle new bytes or the connection's end; may be called until the task runs."""
        woken, arriving = self.woken, self._arriving
        if woken.done():
            return
        try:
            due: Woken | None = (
                "read" if lost or not arriving.ready() else arriving.take(self._taker)
            )
        except Exception as exc:  # as above
            woken.set_exception(exc)
            return
        if due is not None:
            woken.set_result(due)
        else:
            self._request_turn_if_due()

    def _request_turn_if_due(self) -> None:
        if self._taker.due:
            self._request_turn()

    def _request_turn(self) -> None:
        if not self._turn_requested:
            self._turn_requested = True
            self._taker.request_turn(self._begin)

    def _begin(self) -> bool:
        """Use a turn, and wake the task only if it has something to do."""
        self._turn_requested = False
        if self.woken.done():
            return False
        try:
            due = self._taker.turn()
        except Exception as exc:  # as above
            self.woken.set_exception(exc)
            return True
        if due is not None:
            self.woken.set_result(due)
        else:
            self._request_turn_if_due()
        return True
