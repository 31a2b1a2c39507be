"""How much of what came is read in one turn: an event may be one line end, or a megabyte."""

from __future__ import annotations

from collections.abc import Iterator

# Of line ends in one turn. Nothing costs as much for its length as an empty line: 64 KiB of them
# are 65,536 events. 128 chunks of an answer take 2.5 ms, 256 empty lines 0.7 ms.
MAX_LINES = 256


def portion(data: bytes, at: int = 0) -> int:
    """Return where the turn ends that begins at `at`: at most `MAX_LINES` line ends further on."""
    size = MAX_LINES
    left = len(data) - at
    while size < left and _lines(data, at, at + 2 * size) <= MAX_LINES:
        size *= 2
    return at + min(size, left)


def portions(data: bytes) -> Iterator[bytes]:
    """Yield `data` in such turns, once where it is empty."""
    at = portion(data)
    yield data[:at]
    while at < len(data):
        start, at = at, portion(data, at)
        yield data[start:at]


def _lines(data: bytes, start: int, end: int) -> int:
    return data.count(b"\n", start, end) + data.count(b"\r", start, end)
