"""Many short texts in little memory: what they are written with and some bytes, no objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

# The first ones are kept as they are: those of most prompts, and asked for most often.
KEPT = 6_000  # 0.4 MB; guess
BLOCK = 256  # are packed, and read, at once: 5 us; guess
MOST_OPEN = 100  # blocks that are kept once they were read, 2 MB at most; guess
_BETWEEN = "\0"


class Texts(Sequence[str]):
    """A list of texts that grows; those behind the first are packed in blocks of UTF-8."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._blocks: list[bytes | list[str]] = []  # as a list where a text holds the mark between
        self._newest: list[str] = []  # not packed yet
        self._open: dict[int, list[str]] = {}  # blocks by their numbers
        self._packed_bytes = 0

    def __len__(self) -> int:
        return len(self._kept) + BLOCK * len(self._blocks) + len(self._newest)

    @property
    def held_bytes(self) -> int:
        """What it holds, without the texts that are kept as they are."""
        return 8 * len(self._kept) + self._packed_bytes + 50 * len(self._blocks) + 64 * BLOCK

    def extend(self, texts: Iterable[str]) -> None:
        """Add texts behind all those so far."""
        if len(self._kept) < KEPT:
            self._kept += texts
            if len(self._kept) > KEPT:
                self._newest = self._kept[KEPT:]
                del self._kept[KEPT:]
        else:
            self._newest += texts
        while len(self._newest) >= BLOCK:
            block, self._newest = self._newest[:BLOCK], self._newest[BLOCK:]
            joined = _BETWEEN.join(block)
            packed = joined.encode("utf-8", "surrogatepass")
            is_whole = joined.count(_BETWEEN) == BLOCK - 1
            self._blocks.append(packed if is_whole else block)
            self._packed_bytes += len(packed)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Return one text, or those of a slice without a step; none is counted from the end."""
        if isinstance(at, slice):
            first, end, _ = at.indices(len(self))
            return [*self._between(first, end)]
        if at < len(self._kept):
            return self._kept[at]
        block, number = divmod(at - len(self._kept), BLOCK)
        return self._block(block)[number]

    def _between(self, first: int, end: int) -> Iterator[str]:
        kept = len(self._kept)
        yield from self._kept[first:end]
        at = max(first, kept)
        while at < end:
            block, number = divmod(at - kept, BLOCK)
            some = self._block(block)[number : number + end - at]
            yield from some
            at += len(some)

    def _block(self, number: int) -> list[str]:
        if number >= len(self._blocks):
            return self._newest
        found = self._open.get(number)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                self._open.clear()
            packed = self._blocks[number]
            if isinstance(packed, bytes):
                packed = packed.decode("utf-8", "surrogatepass").split(_BETWEEN)
            found = self._open[number] = packed
        return found
