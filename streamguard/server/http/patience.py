"""How long a server waits for a request: for its head, and for every part of its body."""

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
BODY_S = 60.0  # for a body's next bytes, and for all of it beside what its length allows
MIN_BYTES_PER_S = 1_000  # slower ones are ended; guess, below any modem
LINGER_S = 2.0  # for the rest of a body behind an answer that did not wait for it; guess
LOOK_S = 5.0  # between two looks at who has said nothing yet


class RequestSilentError(TimeoutError):
    """A request's body does not come, or comes too slowly."""


async def pieces(request: web.Request) -> AsyncIterator[bytes]:
    """Yield a request's body as it comes; raises `RequestSilentError` where it does not."""
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
    """A runner whose server closes connections that bring no request in time."""

    def __init__(self, app: web.Application, **options: Any) -> None:
        self._heard: set[object] = set()
        self._watch: asyncio.Task[None] | None = None
        heard = self._heard

        @web.middleware
        async def hear(request: web.Request, handler: Handler) -> web.StreamResponse:
            heard.add(request.protocol)
            return await handler(request)

        app.middlewares.insert(0, hear)
        super().__init__(app, keepalive_timeout=KEPT_S, lingering_time=LINGER_S, **options)

    async def setup(self) -> None:
        """Prepare the application, and begin to watch."""
        await super().setup()
        self._watch = asyncio.create_task(self._close_silent())

    async def cleanup(self) -> None:
        """Stop, and end all connections."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        await super().cleanup()

    async def _close_silent(self) -> None:
        since: dict[RequestHandler, float] = {}
        while self.server is not None:
            now, connections = monotonic(), self.server.connections
            since = {each: since.get(each, now) for each in connections}
            self._heard.intersection_update(connections)
            for connection, began in since.items():
                if connection not in self._heard and now - began > HEAD_S:
                    connection.force_close()
            await asyncio.sleep(LOOK_S)
