"""An answer that comes in one piece: checked whole, with the annotation as its last key."""

from __future__ import annotations

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.errors import DecodeError, UpstreamError
from streamguard.server.bodies import cut, next_bytes
from streamguard.server.checking import Checking
from streamguard.wire.dialect import IN_BAND, Dialect, Form
from streamguard.wire.dialects import of_answer
from streamguard.wire.json_bytes import with_key
from streamguard.wire.reader import KEY, read_frame

MAX_ANSWER_BYTES = 33_554_432  # as for request bodies; longer answers are relayed unchecked


async def check_whole(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    checking: Checking,
    form: Form | None,
) -> web.StreamResponse:
    """Relay a JSON answer, checked; what is no answer goes on as it is."""
    body, ended = await _read(upstream)
    if ended:
        dialect = await _check(body, request.path, checking)
        if dialect is not None and dialect.form(form) in IN_BAND:
            annotation = await checking.conclude("complete")
            body = with_key(body, KEY, annotation.to_json())
        sent["Content-Length"] = str(len(body))
    checking.skip()
    response = web.StreamResponse(status=upstream.status, reason=upstream.reason, headers=sent)
    try:
        await response.prepare(request)
        await response.write(body)
        while not ended and (piece := await next_bytes(upstream)):
            await response.write(piece)
    except UpstreamError:
        cut(request)
    except ConnectionError:
        pass  # the client left
    return response


async def _read(upstream: aiohttp.ClientResponse) -> tuple[bytes, bool]:
    """Return the body, and whether it ended in order and below the cap."""
    body = bytearray()
    try:
        while piece := await next_bytes(upstream):
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                return bytes(body), False
    except UpstreamError:
        return bytes(body), False
    return bytes(body), True


async def _check(body: bytes, path: str, checking: Checking) -> Dialect | None:
    """Check a whole answer; return the protocol it speaks, None where the body is no answer."""
    try:
        answer = read_frame(body.decode())
    except (DecodeError, UnicodeDecodeError):
        return None
    dialect = of_answer(path, answer)
    texts = dialect.answer(answer) if dialect is not None else None
    if texts is not None:
        await checking.examine_texts(texts)
        await checking.conclude("complete")
    return dialect
