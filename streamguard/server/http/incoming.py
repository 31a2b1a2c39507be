"""An upstream's response body as it arrives, decompressed."""

from __future__ import annotations

import asyncio

import aiohttp

from streamguard.server.headers import encoding_of, is_undone
from streamguard.server.http.bodies import at_end, bytes_at_hand, next_bytes
from streamguard.server.http.inflating import Inflating


class Incoming:
    """Reads one upstream response's body; gzip and deflate are decoded, other encodings are not.

    The session must not decompress bodies itself (`auto_decompress=False`).
    """

    def __init__(self, upstream: aiohttp.ClientResponse) -> None:
        self._upstream = upstream
        undone = is_undone(upstream.headers)
        self._inflating = Inflating(encoding_of(upstream.headers)) if undone else None

    @property
    def compressed(self) -> bool:
        """Whether the body was compressed."""
        return self._inflating is not None

    async def next_bytes(self) -> bytes:
        """Return the next bytes of the decoded body, empty at its orderly end.

        Raises `UpstreamError` if the upstream breaks off or its encoding is invalid or incomplete,
        `UpstreamSilentError` if it stalls.
        """
        inflating = self._inflating
        if inflating is None:
            return await next_bytes(self._upstream)
        while True:
            await asyncio.sleep(0)  # a few bytes may be minutes of work
            if decoded := inflating.step():
                return decoded
            if inflating.due:
                continue
            if not (piece := await next_bytes(self._upstream)):
                return inflating.end()
            inflating.feed(piece)

    def at_hand(self) -> bytes | None:
        """Like `next_bytes` without waiting; None if it would have to wait."""
        inflating = self._inflating
        if inflating is None:
            return bytes_at_hand(self._upstream)
        while not (decoded := inflating.step()):
            if inflating.due:
                return None
            piece = bytes_at_hand(self._upstream)
            if not piece:
                return None if piece is None else inflating.end()
            inflating.feed(piece)
        return decoded

    @property
    def at_end(self) -> bool:
        """Whether the body has ended in order, as far as known without waiting."""
        return at_end(self._upstream) and (self._inflating is None or self._inflating.complete)
