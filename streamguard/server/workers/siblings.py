"""Reads results that other workers of one proxy keep, over their Unix sockets.

Nothing is copied: a result, its live sentences and a posted context stay with the worker that made
them, and their ids end with its number.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from streamguard.errors import UpstreamError
from streamguard.server.results.responses import PING_S
from streamguard.server.workers.workers import Worker

_ID = re.compile(r"[0-9a-f]{30}([0-9a-f]{2})")
CONNECT_TIMEOUT_S = 2.0  # of a process on this machine, which answers at once or not at all; guess
HEAD_TIMEOUT_S = 5.0  # until it begins to answer: it may have to ask a database first; guess


@dataclass(slots=True)
class SiblingWorkers:
    """The other workers of `worker`'s server; a single worker has none and keeps every id."""

    worker: Worker = field(default_factory=Worker)
    _sessions: dict[int, aiohttp.ClientSession] = field(default_factory=dict)

    def new_id(self) -> str:
        """Return an unguessable id of 32 hexadecimal digits."""
        if self.worker.count == 1:
            return secrets.token_hex(16)
        return f"{secrets.token_hex(15)}{self.worker.number:02x}"

    def keeper(self, id: str) -> int | None:
        """Return the number of the other worker that keeps `id`, None if there is none."""
        found = _ID.fullmatch(id) if self.worker.count > 1 else None
        number = int(found[1], 16) if found else self.worker.number
        return None if number == self.worker.number or number >= self.worker.count else number

    def socket_of(self, number: int) -> str | None:
        """Return the path of a worker's Unix socket, None for a single worker."""
        directory = self.worker.directory
        return None if directory is None else str(directory / f"{number}.sock")

    @asynccontextmanager
    async def open_response(
        self,
        number: int,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open another worker's response to `GET path`, or with a `body` to `POST path`.

        Raises `UpstreamError` if it does not answer.
        """
        try:
            async with asyncio.timeout(HEAD_TIMEOUT_S):  # one that hangs is connected all the same
                response = await self._session(number).request(
                    "GET" if body is None else "POST",
                    f"http://worker{path}",
                    headers=headers,
                    data=body,
                )
        except (aiohttp.ClientError, OSError) as exc:  # a timeout is an OSError
            raise UpstreamError(f"worker {number} does not answer") from exc
        try:
            yield response
        finally:
            response.close()

    async def context(self, id: str) -> bytes | None:
        """Return a posted context that another worker keeps, None if unknown."""
        number = self.keeper(id)
        if number is None:
            return None
        try:
            path = f"/contexts/{id}"
            async with (
                asyncio.timeout(CONNECT_TIMEOUT_S),
                self.open_response(number, path) as response,
            ):
                if response.status != 200:
                    return None
                return await response.read()
        except (UpstreamError, aiohttp.ClientError, OSError):
            return None

    async def everywhere(self, path: str) -> list[bytes]:
        """Return the other workers' responses to `GET path`, by number, without failed ones."""
        numbers = (n for n in range(self.worker.count) if n != self.worker.number)
        replies = await asyncio.gather(*(self._response(number, path) for number in numbers))
        return [each for each in replies if each is not None]

    async def close(self) -> None:
        """Close the connections to the other workers."""
        for session in self._sessions.values():
            await session.close()

    async def _response(self, number: int, path: str) -> bytes | None:
        try:
            async with (
                asyncio.timeout(CONNECT_TIMEOUT_S),
                self.open_response(number, path) as response,
            ):
                return await response.read()
        except (UpstreamError, aiohttp.ClientError, OSError):
            return None

    def _session(self, number: int) -> aiohttp.ClientSession:
        if number not in self._sessions:
            # Between sentences only pings are sent to a listener.
            timeout = aiohttp.ClientTimeout(
                total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=3 * PING_S
            )
            path = self.socket_of(number)
            if path is None:
                raise UpstreamError(f"worker {number} has no socket")
            self._sessions[number] = aiohttp.ClientSession(
                connector=aiohttp.UnixConnector(path, limit=0), timeout=timeout
            )
        return self._sessions[number]
