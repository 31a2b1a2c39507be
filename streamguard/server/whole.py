"""An answer that comes in one piece: checked whole, with the annotation as its last key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from streamguard.errors import DecodeError, UpstreamError
from streamguard.server.bodies import cut, next_bytes
from streamguard.server.checking import Checking
from streamguard.wire.json_bytes import with_key
from streamguard.wire.openai_chat import KEY, is_error, read_frame, text_of

MAX_ANSWER_BYTES = 33_554_432  # as for request bodies; longer answers are relayed unchecked


async def check_whole(
    request: web.Request,
    upstream: aiohttp.ClientResponse,
    sent: CIMultiDict[str],
    checking: Checking,
    *,
    in_band: bool,
) -> web.StreamResponse:
    """Relay a JSON answer, checked; what is no answer goes on as it is."""
    body, ended = await _read(upstream)
    if ended:
        annotation_json = await _annotation(body, checking)
        if annotation_json is not None and in_band:
            body = with_key(body, KEY, annotation_json)
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


async def _annotation(body: bytes, checking: Checking) -> str | None:
    """Check a whole answer; None where the body is none."""
    try:
        answer: Mapping[str, Any] = read_frame(body.decode())
    except (DecodeError, UnicodeDecodeError):
        return None
    if is_error(answer) or not isinstance(answer.get("choices"), list):
        return None
    await checking.examine_texts(text_of(answer))
    annotation = await checking.conclude("complete")
    return annotation.to_json()
