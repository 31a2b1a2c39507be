"""An answer that comes in one piece: checked whole, with the annotation as its last key."""

from __future__ import annotations

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.errors import UpstreamError
from streamguard.server.bodies import cut
from streamguard.server.checking import Checking
from streamguard.server.inflating import MAX_INFLATED_BYTES, Incoming
from streamguard.server.json_answer import MAX_ANSWER_BYTES, checked, of_json
from streamguard.wire.dialect import Form


async def check_whole(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    checking: Checking,
    form: Form | None,
) -> web.StreamResponse:
    """Relay a JSON answer, checked; what is no answer goes on as it is."""
    incoming = Incoming(upstream)
    body, ended = await _read(incoming)
    if ended:
        body = await checked(body, of_json(request.path, body), checking, form)
        sent["Content-Length"] = str(len(body))
    checking.skip()
    response = web.StreamResponse(status=upstream.status, reason=upstream.reason, headers=sent)
    try:
        await response.prepare(request)
        await response.write(body)
        while not ended and (piece := await incoming.next_bytes()):
            await response.write(piece)
    except UpstreamError:
        cut(request)
    except ConnectionError:
        pass  # the client left
    return response


async def _read(incoming: Incoming) -> tuple[bytes, bool]:
    """Return the body, and whether it ended in order and below the cap."""
    body = bytearray()
    limit = MAX_INFLATED_BYTES if incoming.compressed else MAX_ANSWER_BYTES
    try:
        while piece := await incoming.next_bytes():
            body += piece
            if len(body) > limit:
                return bytes(body), False
    except UpstreamError:
        return bytes(body), False
    return bytes(body), True
