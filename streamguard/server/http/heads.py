"""The head of a relayed response, byte for byte as the upstream wrote it."""

from __future__ import annotations

import aiohttp
from aiohttp import hdrs, web
from aiohttp.http import StreamWriter
from multidict import CIMultiDict


class Relayed(web.StreamResponse):
    """A response with `sent` as headers, and the upstream's status and reason.

    aiohttp would add a missing content type and drop bytes that are no UTF-8.
    """

    def __init__(self, upstream: aiohttp.ClientResponse, sent: CIMultiDict[str]) -> None:
        super().__init__(status=upstream.status, headers=sent)
        self._sent_reason = upstream.reason or ""
        self._typed = hdrs.CONTENT_TYPE in sent

    async def _write_headers(self) -> None:
        request, writer, headers = self._req, self._payload_writer, self.headers
        assert request is not None  # noqa: S101  (aiohttp has prepared the response)
        assert isinstance(writer, StreamWriter)  # noqa: S101
        if not self._typed:
            headers.popall(hdrs.CONTENT_TYPE, None)
        version = request.version
        first = f"HTTP/{version.major}.{version.minor} {self.status} {self._sent_reason}"
        lines = (first, *(f"{name}: {value}" for name, value in headers.items()), "", "")
        await writer.write_headers("", CIMultiDict())
        # The parser keeps such bytes as surrogates; it lets no line end and no NUL through.
        writer._headers_buf = "\r\n".join(lines).encode(errors="surrogateescape")  # noqa: SLF001
        writer.send_headers()
