"""Decompresses a body in bounded steps, and detects a truncated one.

aiohttp's own decoder accepts a truncated gzip body as complete.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable

from streamguard.errors import DecodeError, UpstreamError

# A compressed body grows a thousandfold at most: so much of it is decoded at a time. Guess: what
# a few reads from a socket bring.
STEP_BYTES = 262_144
# A compressed body is read whole up to this size: a bomb of a few kilobytes must not take the
# memory that an honest body of its decoded size may. Guess: a hundred long conversations.
MAX_INFLATED_BYTES = 4_194_304
WINDOW_BYTES = 8_192  # of input; guess
STEP_WINDOWS = 64  # in one step: gzip may have thousands of members with nothing in them

_PADDING = re.compile(rb"\0*+")  # behind a gzip member, as tapes and some clients have it
_GZIP_BITS = 31  # zlib's windowBits for a gzip header and trailer
_RAW_BITS = -15  # and for neither: some servers send deflate without the zlib format around it


class InflatedLimitError(DecodeError):
    """A compressed body is longer than the limit once it is decompressed."""


async def inflated(
    body: bytes, encoding: str, max_bytes: int, pause: Callable[[], Awaitable[None]]
) -> bytes:
    """Return a body decoded from one of `ENCODINGS`; `pause` is awaited between steps.

    Raises `DecodeError` if it is invalid or truncated, `InflatedLimitError` beyond `max_bytes`.
    """
    inflating, out = Inflating(encoding), bytearray()
    inflating.feed(body)
    try:
        while inflating.due:
            out += inflating.step()
            if len(out) > max_bytes:
                raise InflatedLimitError(f"the compressed body holds more than {max_bytes} bytes")
            await pause()
        inflating.end()
    except UpstreamError as exc:
        raise DecodeError(str(exc)) from exc
    return bytes(out)


class Inflating:
    """Decodes one of `ENCODINGS`: `feed` a piece, then `step` while `due`."""

    def __init__(self, encoding: str) -> None:
        self._deflated = encoding == "deflate"
        self._member: zlib._Decompress | None = None  # gzip may have several, one after another
        self._piece = b""
        self._at = 0  # where in the piece to go on
        self._more = False  # the last step was full: zlib may hold some more of its output

    @property
    def complete(self) -> bool:
        """Whether the compressed data is complete and all of it was returned."""
        ended = self._member is None or self._member.eof
        return ended and self._at == len(self._piece)

    def feed(self, piece: bytes) -> None:
        """Add the next bytes; nothing may be `due`."""
        self._piece, self._at = piece, 0

    @property
    def due(self) -> bool:
        """Whether `step` has more to do before the next `feed`."""
        return self._at < len(self._piece) or self._more

    def step(self) -> bytes:
        """Return the next decoded bytes, at most `STEP_BYTES`, empty if there are none yet.

        Raises `UpstreamError` for invalid data.
        """
        for _ in range(STEP_WINDOWS):
            if not self.due:
                break
            if decoded := self._window():
                return decoded
        return b""

    def _window(self) -> bytes:
        if self._member is not None and self._member.eof and self._passed_padding():
            return b""
        if self._member is None or self._member.eof:
            self._member = zlib.decompressobj(self._bits())
        # A window, since the rest is copied: a piece may hold thousands of members.
        window = memoryview(self._piece)[self._at : self._at + WINDOW_BYTES]
        try:
            decoded = self._member.decompress(window, STEP_BYTES)
        except zlib.error as exc:
            raise UpstreamError("the compressed body is broken") from exc
        ended = self._member.eof
        left = self._member.unused_data if ended else self._member.unconsumed_tail
        self._at += len(window) - len(left)
        self._more = not ended and len(decoded) == STEP_BYTES
        return decoded

    def _passed_padding(self) -> bool:
        """Skip NUL bytes after a gzip member; return whether there were any."""
        end = min(self._at + WINDOW_BYTES, len(self._piece))
        found = None if self._deflated else _PADDING.match(self._piece, self._at, end)
        began, self._at = self._at, self._at if found is None else found.end()
        return self._at > began

    def end(self) -> bytes:
        """Return nothing at the end of the data; raises `UpstreamError` if it is incomplete."""
        if not self.complete:
            raise UpstreamError("the compressed body is cut")
        return b""

    def _bits(self) -> int:
        if not self._deflated:
            return _GZIP_BITS
        # RFC 1950: the low half of a zlib stream's first byte is 8.
        return zlib.MAX_WBITS if self._piece[self._at] & 0x0F == 8 else _RAW_BITS
