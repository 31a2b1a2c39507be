"""A WebSocket between client and upstream: every byte passes unchanged in both directions.

If the path belongs to a known conversation, its answers are checked next to the tunnel
(`watching`); every other WebSocket passes unchecked and is marked so.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import aiohttp
from aiohttp import web
from aiohttp.http import StreamWriter
from multidict import CIMultiDict

from streamguard.core.model.types import Ended
from streamguard.errors import ConfigError
from streamguard.server import headers as http
from streamguard.server.http.bodies import READ_BYTES, is_gone, refused
from streamguard.server.http.heads import Relayed
from streamguard.server.proxy.exchange import Proxy
from streamguard.server.proxy.sockets.watching import Watch
from streamguard.server.proxy.streaming import pass_on
from streamguard.server.relay.checking import SkipReason
from streamguard.server.request_options import read_options
from streamguard.wire.websocket.conversations import conversation_of
from streamguard.wire.websocket.message_decoder import close_frame

_POLICY = 1008  # RFC 6455: it violates a policy
LAST_WORDS_S = 5.0  # for the client's last bytes to pass on and the upstream's to arrive; guess

log = logging.getLogger("streamguard.proxy")


def is_websocket(request: web.Request) -> bool:
    """Return whether a request asks for a WebSocket, in the exact form of RFC 6455."""
    headers = request.headers
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    upgrades = headers.get("Upgrade", "").strip().lower() == "websocket" and "upgrade" in named
    bare = not {"Content-Length", "Transfer-Encoding"} & set(headers)
    return upgrades and bare and request.method == "GET" and request.version >= (1, 1)


async def tunnelled(proxy: Proxy, request: web.Request) -> web.StreamResponse:
    """Open the upstream's WebSocket for a request, and tunnel until one side leaves."""
    found, settings = conversation_of(request.path), proxy.settings
    path, query = http.without_ours(request.raw_path)
    try:
        options = read_options(request.headers, query, settings.forms)
    except ConfigError as exc:
        return refused(400, str(exc), "bad_mode")
    if options.judge and found is not None and settings.named_judge is None:
        why = f"{http.JUDGE_HEADER} is not allowed on a WebSocket"
        return refused(400, why, "judge_not_allowed")
    off = options.form == "off"
    policy = settings.policies.default
    holds = policy.hold != "off"
    if holds and policy.hold_fails == "closed":
        return refused(400, "a WebSocket is not held back, as text is here", "check_required")
    if (settings.require_check and (found is None or off)) or (holds and off):
        what = f"{http.FORM_HEADER}: off" if off else "a WebSocket that cannot be checked"
        return refused(400, f"{what} is not allowed here", "check_required")
    if found is None:
        return await _open_upstream(proxy, request, request.raw_path, None, "unguarded_path")
    if off:
        return await _open_upstream(proxy, request, path, None, "off")
    watch = await Watch.of(proxy, request.path, options, found(settings.max_body_bytes))
    return await _open_upstream(proxy, request, path, watch, "encoding")


async def _open_upstream(
    proxy: Proxy, request: web.Request, path: str, watch: Watch | None, reason: SkipReason
) -> web.StreamResponse:
    """Open the upstream's WebSocket; `reason`: why it is unchecked, if it is."""
    url = http.target(proxy.upstream, path)
    if url is None:
        return refused(400, "expected a path, as in GET /v1/realtime", "bad_target")
    sent = _upgrading(http.request_headers(request.headers))
    if watch is not None:  # compressed messages are not read
        sent.popall("Sec-WebSocket-Extensions", None)
    try:
        upstream = await proxy.session.request("GET", url, headers=sent, allow_redirects=False)
    except (aiohttp.ClientError, OSError) as exc:
        return proxy.failures.unreachable(exc)
    try:
        back = http.response_headers(upstream.headers)
        if upstream.status != 101:
            return await pass_on(request, upstream, back, proxy.failures.broke_off)
        if "Sec-WebSocket-Extensions" in upstream.headers:
            if proxy.settings.require_check:
                return proxy.failures.unrelayable(
                    "it compresses the WebSocket, which cannot be checked"
                )
            watch = None
        if watch is None:
            http.announce(back, http.SKIPPED_HEADER, reason)
            proxy.metrics.requests.add("unchecked")
            proxy.metrics.skipped.add(reason)
            path = http.shown_path(request.path)
            fields = {"path": path, "reason": reason, "websocket": True}
            log.info("unchecked", extra={"fields": fields})
        else:
            http.announce(back, http.ID_HEADER, watch.id)
        response = Relayed(upstream, _upgrading(back))
        response.force_close()
        await response.prepare(request)
        await _Tunnel(request, response, upstream, watch, proxy.settings.idle_timeout_s).run()
        return response
    finally:
        upstream.close()


def _upgrading(headers: CIMultiDict[str]) -> CIMultiDict[str]:
    headers.update({"Connection": "Upgrade", "Upgrade": "websocket"})
    return headers


class _Pipe:
    """The bytes of one connection; a full pipe pauses the peer."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self.reader = asyncio.StreamReader(READ_BYTES)
        self.reader.set_transport(transport)
        self._held = 0  # received and unread bytes

    # The interface of aiohttp's parser after an upgrade.
    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self._held += len(data)
        self.reader.feed_data(data)
        return False, b""

    def feed_eof(self) -> None:
        self.reader.feed_eof()

    async def read(self) -> bytes:
        """Return the next bytes, empty at any kind of end."""
        data = await self.reader.read(READ_BYTES)
        self._held -= len(data)
        return data

    async def rest(self) -> bytes:
        """Return the unread bytes so far; later ones are ignored."""
        pieces, most = [], self._held
        while most > 0:
            pieces.append(await self.read())
            most -= len(pieces[-1])
        return b"".join(pieces)


async def _linger(client: asyncio.Transport, pipe: _Pipe) -> None:
    """Close the sending side, and read on for a while until the client leaves.

    A socket closed with unread bytes is reset, and bytes that the peer has not read yet would be
    lost.
    """
    if client.is_closing() or not client.can_write_eof():
        return
    client.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS_S):
            while await pipe.read():
                pass


class _Tunnel:
    """Two pipes, until one of them ends or both are idle for `idle_s` seconds."""

    def __init__(
        self,
        request: web.Request,
        response: web.StreamResponse,
        upstream: aiohttp.ClientResponse,
        watch: Watch | None,
        idle_s: float,
    ) -> None:
        self._request = request
        self._response = response
        self._upstream = upstream
        self._watch = watch
        self._idle_s = idle_s
        self._idle = asyncio.timeout(idle_s)
        self._ours: list[bytes] = []  # our messages, which wait for the next message boundary
        self._refused = asyncio.get_running_loop().create_future()
        self._over = False  # the idle limit no longer applies
        self._reads = False  # the server's bytes are read before they pass on

    async def run(self) -> None:
        """Pass bytes on until the end; then conclude the checks."""
        client, connection = self._request.transport, self._upstream.connection
        peer = None if connection is None else connection.protocol
        if client is None or peer is None or peer.transport is None:
            return  # one of them has left already
        from_client, from_upstream = _Pipe(client), _Pipe(peer.transport)
        peer.read_timeout = None  # a side that only listens may be silent for long
        peer.set_parser(from_upstream, from_upstream.reader)
        self._request.protocol.set_parser(from_client)  # type: ignore[arg-type]
        if self._watch is not None:
            self._watch.begin(self._send, self._refuse)
        writer = StreamWriter(peer, asyncio.get_running_loop())
        up = asyncio.create_task(self._up(from_client, writer))
        down = asyncio.create_task(self._down(from_upstream))
        ended: Ended = "upstream_error"
        upstream_over = False
        try:
            async with self._idle:
                ends = (up, down, self._refused)
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                if not is_gone(self._request):  # the upstream's last bytes are on their way
                    await asyncio.wait(ends[1:], return_when=asyncio.FIRST_COMPLETED)
                if self._refused.done():
                    ended = "limit"
                    down.cancel()
                    await asyncio.wait((down,))
                if upstream_over := not is_gone(self._request):
                    up.cancel()
                    await asyncio.wait((up,))
                    await _linger(client, from_client)
        except TimeoutError:
            ended = "upstream_error" if upstream_over else "limit"
        finally:
            self._over = True
            if is_gone(self._request) and not upstream_over:
                ended = "client_disconnect"
                await asyncio.wait((up,), timeout=LAST_WORDS_S)
            up.cancel()
            down.cancel()
            await asyncio.wait((up, down))
            if self._watch is not None:
                await self._watch.end(ended, await from_upstream.rest())

    async def _up(self, pipe: _Pipe, writer: StreamWriter) -> None:
        with suppress(ConnectionError):  # the other one left
            while data := await self._next(pipe):
                await writer.write(data)
                if self._watch is not None:
                    await self._watch.sent(data)
                    await self._watch.room()

    async def _down(self, pipe: _Pipe) -> None:
        with suppress(ConnectionError):
            while data := await self._next(pipe):
                if self._watch is None:
                    await self._response.write(data)
                    continue
                self._reads = True
                place = await self._watch.received(data)
                if self._ours and place >= 0:
                    ours, self._ours = b"".join(self._ours), []
                    data = data[:place] + ours + data[place:]
                self._reads = False
                await self._response.write(data)
                await self._watch.room()

    async def _next(self, pipe: _Pipe) -> bytes:
        data = await pipe.read()
        if not self._over:
            self._idle.reschedule(asyncio.get_running_loop().time() + self._idle_s)
        return data

    def _send(self, message: bytes, *, between: bool) -> None:
        """Send one of our messages to the client: now, or at the next message boundary."""
        transport = self._request.transport
        if between and not self._reads and transport is not None and not transport.is_closing():
            transport.write(message)
        else:
            self._ours.append(message)

    def _refuse(self, between: bool) -> None:
        """End the WebSocket: its messages would pass unchecked."""
        if not self._refused.done():
            if between and not self._reads:
                self._send(close_frame(_POLICY, "check_required"), between=True)
            self._refused.set_result(None)
