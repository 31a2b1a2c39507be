"""Time limits for a request's head and for every part of its body."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

HEAD_S = 30.0  # from a connection to its first request's last header; guess, as others have it
KEPT_S = 75.0  # between two requests of one connection, the second's head included
BODY_S = 60.0  # for a body's next bytes, and for all of it, plus the time its length allows
MIN_BYTES_PER_S = 1_000  # slower ones are ended; guess, below any modem
LINGER_S = 2.0  # for the rest of a body behind an answer that did not wait for it; guess
WRITTEN_S = 1.0  # for a finished answer to be written once the server stops; guess
LOOK_S = 5.0  # between two looks for connections without a request


class RequestSilentError(TimeoutError):
    """A request's body does not arrive, or too slowly."""


async def pieces(request: web.Request) -> AsyncIterator[bytes]:
    """Yield a request's body as it arrives; raises `RequestSilentError` if it stalls."""
    waited, size = 0.0, 0
    while True:
        began = monotonic()
        try:
            async with asyncio.timeout(min(BODY_S, BODY_S + size / MIN_BYTES_PER_S - waited)):
                piece = await request.content.readany()
        except TimeoutError as exc:
            raise RequestSilentError("the request's body does not come") from exc
        if not piece:
            return
        waited += monotonic() - began
        size += len(piece)
        yield piece


class PatientRunner(web.AppRunner):
    """A runner whose server closes connections without a timely request.

    When stopped, it lets open requests end before it closes their connections.
    """

    def __init__(self, app: web.Application, **options: Any) -> None:
        self._requested: set[object] = set()
        self._busy: set[object] = set()  # connections with a request that is being answered
        self._watch: asyncio.Task[None] | None = None
        self._stopping = False
        self._shut = False

        @web.middleware
        async def note_request(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._requested.add(request.protocol)
            self._busy.add(request.protocol)
            try:
                response = await handler(request)
            finally:
                self._busy.discard(request.protocol)
            if self._stopping:
                response.force_close()
            return response

        app.middlewares.insert(0, note_request)
        super().__init__(app, keepalive_timeout=KEPT_S, lingering_time=LINGER_S, **options)

    async def setup(self) -> None:
        """Set up the application and start the time limits."""
        await super().setup()
        self._watch = asyncio.create_task(self._close_silent())

    async def cleanup(self) -> None:
        """Stop listening, let the application shut down, then close all connections."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        if self.server is not None:
            await self._stop_listening()
            await self.shutdown()
        await super().cleanup()

    async def shutdown(self) -> None:
        """Let the application shut down, once.

        aiohttp (3.14) does so only after its connections have stopped reading: open uploads and
        WebSockets would get nothing during the wait for them.
        """
        if not self._shut:
            self._shut = True
            await super().shutdown()

    async def _stop_listening(self) -> None:
        self._stopping = True
        for site in list(self.sites):
            await site.stop()
        await asyncio.sleep(0)  # what has come by now begins to be answered
        open_ones = () if self.server is None else self.server.connections
        idle = [each for each in open_ones if each not in self._busy]
        for connection in idle:
            connection.close()
        await asyncio.gather(*(each.shutdown(WRITTEN_S) for each in idle))

    async def _close_silent(self) -> None:
        since: dict[RequestHandler, float] = {}
        while self.server is not None:
            now, connections = monotonic(), self.server.connections
            since = {each: since.get(each, now) for each in connections}
            self._requested.intersection_update(connections)
            for connection, began in since.items():
                if connection not in self._requested and now - began > HEAD_S:
                    connection.force_close()
            await asyncio.sleep(LOOK_S)
