"""Reads request and response bodies, and distinguishes the ways in which they end."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import aiohttp
from aiohttp import web

from streamguard.errors import UpstreamError
from streamguard.server.http.patience import pieces

# So much of an upstream's body is taken at a time, and aiohttp stops reading ahead of a slow client
# at twice as much. With its own 256 KiB half a megabyte went on at once, in five copies: a client
# that read nothing took 3 MB (benchmarks/bench_disconnect.py).
READ_BYTES = 65_536

Body = bytes | AsyncIterator[bytes] | None  # of a request


class ErrorResponse(web.Response):
    """An error response of our own, with its `code`."""

    code = ""


def as_sent(body: Body) -> Body | io.BytesIO:
    """Return a request's body in a form that the session sends, a long one piece by piece."""
    return io.BytesIO(body) if isinstance(body, bytes) and len(body) > READ_BYTES else body


class UpstreamSilentError(UpstreamError):
    """The upstream sent nothing for longer than the idle limit."""


async def next_bytes(upstream: aiohttp.ClientResponse) -> bytes:
    """Return the next bytes of the body as they arrive, empty at its orderly end.

    Raises `UpstreamError` if the upstream breaks off, `UpstreamSilentError` if it stalls.
    """
    with _as_upstream_errors():
        return await upstream.content.read(READ_BYTES)


def bytes_at_hand(upstream: aiohttp.ClientResponse) -> bytes | None:
    """Like `next_bytes` without waiting; None if it would have to wait."""
    with _as_upstream_errors():
        return upstream.content.read_nowait(READ_BYTES) or (b"" if at_end(upstream) else None)


@contextmanager
def _as_upstream_errors() -> Iterator[None]:
    # The body keeps its exception, whose traceback keeps the frames that read it, and by them all
    # of the answer: dropped, so that it goes with its last user and waits for no collector.
    try:
        yield
    except TimeoutError as exc:
        raise UpstreamSilentError("the upstream fell silent") from exc.with_traceback(None)
    # aiohttp raises RuntimeError if the connection is lost before the body's end.
    except (aiohttp.ClientError, aiohttp.http.HttpProcessingError, OSError, RuntimeError) as exc:
        raise UpstreamError("the upstream broke off") from exc.with_traceback(None)


def report_loss(upstream: aiohttp.ClientResponse) -> None:
    """Report every loss of the connection to the body's reader.

    If a body violates chunked coding, aiohttp 3.14 closes the connection, drops its read timeout
    and does not notify the body's reader, which would wait forever.
    """
    body, connection = upstream.content, upstream.connection
    if connection is None or connection.protocol is None:
        return  # the body has ended already

    def lost(_: asyncio.Future[None] | None) -> None:
        if not body.is_eof() and body.exception() is None:
            body.set_exception(aiohttp.ClientPayloadError("the connection is lost"))

    closed = connection.protocol.closed
    if closed is None:
        lost(None)
    else:
        closed.add_done_callback(lost)

        def kept() -> None:  # the connection goes on to other requests, with bodies of their own
            closed.remove_done_callback(lost)

        body.on_eof(kept)


def at_end(upstream: aiohttp.ClientResponse) -> bool:
    """Return whether the body has ended in order, as far as known without waiting."""
    return upstream.content.at_eof() and upstream.content.exception() is None


async def read_up_to(request: web.Request, max_bytes: int) -> tuple[bytes, bool]:
    """Return the request's body and whether it is complete; stop soon after `max_bytes`."""
    body = bytearray()
    async for piece in pieces(request):
        body += piece
        if len(body) > max_bytes:
            return bytes(body), False
    return bytes(body), True


async def continued(begun: bytes, request: web.Request) -> AsyncIterator[bytes]:
    """Yield the part of a request's body that was read, then the rest as it arrives."""
    yield begun
    async for piece in pieces(request):
        yield piece


def refused(status: int, message: str, code: str) -> ErrorResponse:
    """Return an error response in the form that OpenAI's clients display."""
    kind = "invalid_request_error" if status < 500 else "upstream_error"
    error = {"message": message, "type": kind, "param": None, "code": code}
    made = ErrorResponse(
        status=status, body=json.dumps({"error": error}), content_type="application/json"
    )
    made.code = code
    return made


def silent() -> ErrorResponse:
    """Return the response to a request whose body does not arrive; its connection is closed."""
    refusal = refused(408, "the request's body does not come", "request_timeout")
    refusal.force_close()
    return refusal


def close_where_no_end_is_seen(request: web.Request, response: web.StreamResponse) -> None:
    """Close the connection after a body without length or chunks; call it before `prepare`.

    HTTP/1.0 has no other end of a body. aiohttp (3.14) keeps the connection if the client asked for
    that, and the client would wait forever.
    """
    if request.version < (1, 1) and response.content_length is None:
        response.force_close()


def is_gone(request: web.Request) -> bool:
    """Return whether the client's connection is closed."""
    return request.transport is None or request.transport.is_closing()


def cut(request: web.Request) -> None:
    """Abort the client's connection so that the response is recognisably incomplete."""
    transport = request.transport
    if transport is None:
        return
    if request.version >= (1, 1):
        transport.close()  # the written bytes arrive, the end of the body does not
        return
    # Without chunks the end of the connection is the end of the body: only a reset differs.
    transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    transport.abort()
