"""Finds chunk boundaries in a chunked body as its bytes arrive."""

from __future__ import annotations

import re

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})\r\n")  # without extensions
_MAX_SIZE_LINE = 10
_LOST = -1


class Chunks:
    """Follows one response's bytes and recognises complete chunks.

    It is strict: at an unusual head or chunk it is `lost` and recognises nothing more. So every
    HTTP parser agrees on the chunks it recognises.
    """

    def __init__(self) -> None:
        self._has_head = False
        self._left = 0  # bytes of the chunk that are to come, with its line end
        self._begun = b""  # of the line with the next chunk's size

    @property
    def lost(self) -> bool:
        """Whether chunk boundaries are unknown."""
        return self._left == _LOST

    def follow(self, data: bytes) -> None:
        """Process the next bytes of the response, beginning with its head."""
        if self.lost:
            return
        at = 0
        if not self._has_head:
            at = _end_of_head(data)
            self._has_head = True
        elif self._begun:
            data, self._begun = self._begun + data, b""
        while 0 <= at < len(data) and not self.lost:
            at = self._follow_chunk(data, at)
        if at < 0:
            self._left = _LOST

    def content(self, data: bytes) -> bytes | None:
        """Return the content of `data` if it consists of complete chunks; else None.

        Complete chunks need not be passed to `follow`.
        """
        if self._left or self._begun or not self._has_head:
            return None
        held, at = [], 0
        while at < len(data):
            line = _SIZE.match(data, at)
            if line is None:
                return None
            begin = line.end()
            at = begin + int(line[1], 16) + 2
            if at == begin + 2 or data[at - 2 : at] != b"\r\n":  # the last chunk, or an unfinished
                return None
            held.append(data[begin : at - 2])
        return held[0] if len(held) == 1 else b"".join(held)

    def _follow_chunk(self, data: bytes, at: int) -> int:
        """Return where the next chunk begins, at most the end; -1 if unknown."""
        if self._left:
            step = min(self._left, len(data) - at)
            self._left -= step
            return at + step
        line = _SIZE.match(data, at)
        if line is None:
            self._begun = data[at:]
            return len(data) if len(self._begun) < _MAX_SIZE_LINE else _LOST
        size = int(line[1], 16)
        self._left = size + 2
        return line.end() if size else _LOST  # behind the last chunk nothing is asked


def _end_of_head(data: bytes) -> int:
    """Return the end of a response's head in `data`, -1 for none or an unusual one."""
    end = data.find(b"\r\n\r\n")
    head = data[: max(end, 0)]
    is_usual = head.startswith(b"HTTP/1.1 ") and head[9:10] != b"1"
    return end + 4 if is_usual and head.count(b"\n") == head.count(b"\r\n") else -1
