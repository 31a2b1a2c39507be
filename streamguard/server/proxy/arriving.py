"""Hands frames on in the very callback in which they arrive, while nothing else is to be done.

aiohttp wakes a task for every read: a future, a turn of the loop and a chain of coroutines, a
third of what an event costs (benchmarks/bench_proxy.py, 100 streams). Most events bring a word in
the middle of a sentence. They need none of that, and go on from the connection's own callback;
the task is woken for everything else, and reads on as it always does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

import aiohttp
from aiohttp import web

from streamguard.server.http.bodies import READ_BYTES
from streamguard.server.http.connections import Connection
from streamguard.server.http.incoming import Incoming
from streamguard.server.proxy.turns import Woken

# What may wait in the client's socket before the task waits for the client; aiohttp's own limit.
MAX_UNSENT_BYTES = 65_536


Ask = Callable[[asyncio.Future[Woken]], None]  # to set it to "turn" some time, unless it is done


class Taker(Protocol):
    """What is done with every read."""

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on at once."""

    def keep(self) -> bool:
        """Say whether what was received is to be read at once, now that it has gone on."""

    @property
    def due(self) -> bool:
        """Whether there is work for a turn of checking."""


class Passing:
    """Takes what goes on as it is."""

    due = False  # there is nothing to examine

    def receive(self, chunk: bytes) -> bytes:
        """Return the same bytes."""
        return chunk

    def keep(self) -> bool:
        """Say that there is nothing to examine."""
        return False


class Arriving:
    """The reads of one response; none is handed on where it has a length or was compressed."""

    def __init__(
        self,
        request: web.Request,
        response: web.StreamResponse,
        upstream: aiohttp.ClientResponse,
        incoming: Incoming,
    ) -> None:
        self._client = request.transport
        self._chunked = response.headers.get("Transfer-Encoding") == "chunked"
        self._body = upstream.content
        self._read_bytes = -1  # of the whole body, where it is known: nothing more is there then
        connection = upstream.connection
        own = incoming.compressed or "Content-Length" in response.headers
        found = None if connection is None or own else connection.protocol
        self._connection = found if isinstance(found, Connection) else None

    async def handed_on(self, taker: Taker, ask: Ask) -> Woken:
        """Hand on what comes until `taker` has more to do than that; return what that is.

        "received": what was received is to be read. "read": the next read is the task's, be it
        data, the end or a loss, since the client is slow or gone, or there is nothing to hand on
        here. "turn": there is one; `ask` asks for it once `taker` has work for it.
        """
        # A connection that is lost already has told whoever listened then.
        if self._connection is None or not self._connection.connected or not self._ready():
            return "read"
        if (due := self._take(taker)) is not None:
            return due
        woken: asyncio.Future[Woken] = asyncio.get_running_loop().create_future()
        self._ask: Ask | None = ask
        self._ask_if_due(taker, woken)
        self._connection.listener = partial(self._heard, taker, woken)
        try:
            return await woken
        finally:
            self._connection.listener = None

    def _heard(self, taker: Taker, woken: asyncio.Future[Woken], *, lost: bool) -> None:
        """Hear that bytes have come, or that no more will; may be called until the task runs."""
        if woken.done():
            return
        try:
            due: Woken | None = "read" if lost or not self._ready() else self._take(taker)
        except Exception as exc:  # the task's to handle, not the connection's
            woken.set_exception(exc)
            return
        if due is not None:
            woken.set_result(due)
        else:
            self._ask_if_due(taker, woken)

    def _ask_if_due(self, taker: Taker, woken: asyncio.Future[Woken]) -> None:
        """Ask for a turn, once for every time that `handed_on` waits."""
        if self._ask is not None and taker.due:
            ask, self._ask = self._ask, None
            ask(woken)

    def _ready(self) -> bool:
        """Say whether what comes next may go on at once, and is not the end."""
        client, body = self._client, self._body
        if client is None or client.is_closing() or body.is_eof() or body.exception() is not None:
            return False
        return client.get_write_buffer_size() <= MAX_UNSENT_BYTES

    def _take(self, taker: Taker) -> Woken | None:
        """Hand on what is there; return as `handed_on` does, None to wait for more."""
        body = self._body
        while chunk := body.read_nowait(READ_BYTES):
            self._read_bytes += len(chunk)
            if out := taker.receive(chunk):
                self._write(out)
            if taker.keep():
                return "received"
            if not self._ready():
                return "read"
            if self._read_bytes == body.total_bytes:
                return None
        self._read_bytes = body.total_bytes
        return None

    def _write(self, data: bytes) -> None:
        assert self._client is not None  # noqa: S101  (`_ready` said so)
        self._client.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
