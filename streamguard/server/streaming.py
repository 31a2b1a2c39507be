"""Relays one checked stream over sockets: write first, read after."""

from __future__ import annotations

import asyncio
from time import perf_counter

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.core.types import Ended
from streamguard.errors import UpstreamError
from streamguard.server.arriving import Arriving
from streamguard.server.bodies import UpstreamSilentError, cut, is_gone
from streamguard.server.checking import Checking
from streamguard.server.inflating import Incoming
from streamguard.server.opening import Opening
from streamguard.wire.dialect import Form

# In the first a transport closes its socket, in the second what waited behind it runs: measured
# with 500 clients that leave at once (benchmarks/bench_disconnect.py).
TURNS_TO_CLOSE = 2


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
    opening = Opening(request.path, upstream.content_type, upstream.headers, checking, form)
    body = Incoming(upstream)
    try:
        await response.prepare(request)  # from here on, the head is out
        arriving = Arriving(request, response, upstream, opening, decoded=body.compressed)
        while chunk := await body.next_bytes():
            if out := opening.receive(chunk):
                await response.write(out)
            if not opening.may_add and body.at_end:
                break
            due = opening.keep() or await arriving.handed_on()
            while due:
                if out := await _examined(opening, checking):
                    await response.write(out)
                due = await arriving.handed_on()
        if not opening.may_add:  # what adds nothing does not make the end wait either
            await response.write_eof()
            await _examined(opening, checking)
        if out := await _finished(opening, checking):
            await response.write(out)
    except UpstreamError as exc:
        if rest := opening.abandon(_ended(exc)):
            await response.write(rest)
        cut(request)
    except ConnectionError:
        await _left(upstream, opening, "client_disconnect")
    except asyncio.CancelledError:
        ended: Ended = "client_disconnect" if is_gone(request) else "cancelled"
        await _left(upstream, opening, ended)
        raise
    return response


async def _left(upstream: aiohttp.ClientResponse, opening: Opening, ended: Ended) -> None:
    """Leave the upstream at once, then check what had come of the answer.

    Behind a write that waited that may be a long read, seconds of work. Where many leave at
    once, every upstream is left before the first of their verdicts is made.
    """
    upstream.close()
    work = asyncio.create_task(_caught_up(opening))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        await work  # a lost connection fails the write that waits, and then cancels the request
        raise
    finally:
        opening.abandon(ended)


async def _caught_up(opening: Opening) -> None:
    for _ in range(TURNS_TO_CLOSE):
        await asyncio.sleep(0)
    await opening.catch_up()


async def _examined(opening: Opening, checking: Checking) -> bytes:
    began = perf_counter()
    out = await opening.examine()
    checking.delays.note(perf_counter() - began, over=checking.annotation is not None)
    return out


async def _finished(opening: Opening, checking: Checking) -> bytes:
    began = perf_counter()
    out = await opening.finish()
    checking.delays.note(perf_counter() - began, over=True)
    return out


def _ended(error: UpstreamError) -> Ended:
    return "limit" if isinstance(error, UpstreamSilentError) else "upstream_error"
