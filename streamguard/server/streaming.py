"""Relays one checked stream over sockets: write first, read after."""

from __future__ import annotations

import asyncio

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.core.types import Ended
from streamguard.errors import UpstreamError
from streamguard.server.bodies import UpstreamSilentError, cut, is_gone, next_bytes
from streamguard.server.checking import Checking
from streamguard.server.relay import MAX_HELD_BYTES, Relay
from streamguard.wire import dialects
from streamguard.wire.dialect import Form


class Opening:
    """The beginning of a stream, until it is known which protocol it speaks.

    Mostly the request's path and the headers tell; else the first frame does, and is held as long.
    """

    def __init__(
        self, upstream: aiohttp.ClientResponse, path: str, checking: Checking, form: Form | None
    ) -> None:
        self._content_type = upstream.content_type
        self._checking = checking
        self._form = form
        self._begun = b""
        found = dialects.of_stream(path, upstream.content_type, upstream.headers)
        self.relay = None if found is None else Relay(checking, found, found.form(form))

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on at once."""
        if self.relay is not None:
            return self.relay.receive(chunk)
        self._begun += chunk
        empty, first = dialects.first_frame(self._begun, self._content_type)
        passing, self._begun = self._begun[:empty], self._begun[empty:]
        if first is None and len(self._begun) <= MAX_HELD_BYTES:
            return passing
        return passing + self._decided(first or "")

    async def examine(self) -> bytes:
        """Read what the last `receive` took; return what goes on now."""
        return await self.relay.examine() if self.relay is not None else b""

    async def finish(self) -> bytes:
        """Say that the stream ended in order; return what goes on last."""
        if self.relay is not None:
            return await self.relay.finish()
        begun = self._decided("")
        return begun + await self.examine() + await self.finish()

    def abandon(self, ended: Ended) -> bytes:
        """Say that the stream broke off, or that nobody reads on; return the bytes held back."""
        if self.relay is None:
            self._checking.close(ended)
            return self._begun
        self.relay.abandon(ended)
        return self.relay.rest()

    def _decided(self, first: str) -> bytes:
        found = dialects.by_first_frame(first, self._content_type)
        self.relay = Relay(self._checking, found, found.form(self._form))
        return self.relay.receive(self._begun)


async def relay_stream(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    checking: Checking,
    form: Form | None,
) -> web.StreamResponse:
    """Relay a stream with its annotation; end the client's connection as the upstream's ended."""
    sent.popall("Content-Length", None)
    sent.setdefault("Cache-Control", "no-cache")
    sent["X-Accel-Buffering"] = "no"
    response = web.StreamResponse(status=upstream.status, reason=upstream.reason, headers=sent)
    opening = Opening(upstream, request.path, checking, form)
    try:
        await response.prepare(request)
        while chunk := await next_bytes(upstream):
            if out := opening.receive(chunk):
                await response.write(out)
            if out := await opening.examine():
                await response.write(out)
        if out := await opening.finish():
            await response.write(out)
    except UpstreamError as exc:
        if rest := opening.abandon(_ended(exc)):
            await response.write(rest)
        cut(request)
    except ConnectionError:
        opening.abandon("client_disconnect")
    except asyncio.CancelledError:
        opening.abandon("client_disconnect" if is_gone(request) else "cancelled")
        raise
    return response


def _ended(error: UpstreamError) -> Ended:
    return "limit" if isinstance(error, UpstreamSilentError) else "upstream_error"
