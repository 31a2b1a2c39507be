"""Many short texts in little memory: characters and offsets instead of objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

KEPT = 6_000  # are kept unpacked, those of most prompts, 0.4 MB; of more all are packed; guess
BLOCK = 64  # are packed, and read, at once: 1 us; guess
MOST_OPEN = 400  # blocks that are kept once they were read, 2 MB at most; guess
_BETWEEN = "\0"


class Texts(Sequence[str]):
    """A growing list of texts, packed in blocks of UTF-8 once there are many."""

    def __init__(self) -> None:
        self._newest: list[str] = []  # not packed yet
        self._blocks: list[bytes | list[str]] = []  # as a list where a text holds the mark between
        self._open: dict[int, list[str]] = {}  # blocks by their numbers
        self._packed_bytes = 0

    def __len__(self) -> int:
        return BLOCK * len(self._blocks) + len(self._newest)

    @property
    def is_packed(self) -> bool:
        """Whether most texts are packed."""
        return len(self._blocks) > 0

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes; half of the unpacked texts are shared."""
        return 33 * len(self._newest) + self._packed_bytes + 50 * len(self._blocks)

    def extend(self, texts: Iterable[str]) -> None:
        """Append texts."""
        self._newest += texts
        if len(self._newest) < BLOCK or (not self._blocks and len(self._newest) <= KEPT):
            return
        newest, complete = self._newest, len(self._newest) // BLOCK * BLOCK
        self._newest = newest[complete:]
        for first in range(0, complete, BLOCK):
            block = newest[first : first + BLOCK]
            joined = _BETWEEN.join(block)
            packed = joined.encode("utf-8", "surrogatepass")
            is_plain = joined.count(_BETWEEN) == BLOCK - 1
            self._blocks.append(packed if is_plain else block)
            self._packed_bytes += len(packed)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Return one text, or those of a slice without a step; none is counted from the end."""
        if isinstance(at, slice):
            if not self._blocks:
                return self._newest[at]
            first, end, _ = at.indices(len(self))
            return [*self._between(first, end)]
        if not self._blocks:
            return self._newest[at]
        block, number = divmod(at, BLOCK)
        return self._block(block)[number]

    def _between(self, first: int, end: int) -> Iterator[str]:
        at = first
        while at < end:
            block, number = divmod(at, BLOCK)
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
