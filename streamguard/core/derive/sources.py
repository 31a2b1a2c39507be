"""The sources' values and lists as derivations want them, read on first need and kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice

from streamguard.core.blocks import Block
from streamguard.core.derive.lists import Listing, listings
from streamguard.core.derive.operands import Operand, read_operands

# Values handed out for a derivation, and blocks whose lists are; guess, three passages of 250
# words hold fewer.
MAX_OPERANDS = 48
_FEW = 6  # values, of which one is meant where nothing says which; guess
_MAX_LISTED_BLOCKS = 4

Window = tuple[int, int, int]  # chunk, start, end: half-open, into the chunk


class SourceValues:
    """Reads operands and lists block by block, and keeps them for the context's answers.

    `blocks` and `sentences` (block, start, end, in order) are the index's own; it goes on filling
    them until it is ready.
    """

    def __init__(self, blocks: Sequence[Block], sentences: Sequence[tuple[int, int, int]]) -> None:
        self._blocks = blocks
        self._sentences = sentences
        self._operands: dict[int, tuple[Operand, ...]] = {}
        self._listings: dict[int, tuple[Listing, ...]] = {}

    def operands(self, window: Window | None) -> tuple[tuple[Operand, ...], int]:
        """Return the values around a window, and how many of them, the first ones, stand in it.

        Then come those of its chunk, then the others; at most `MAX_OPERANDS`. Where the sentence
        has no window ("That is 150 km/h."), all are near if they are few.
        """
        inside: list[Operand] = []
        others: list[Operand] = []
        for number in self._around(window):
            block = self._blocks[number]
            found = self._operands_of(number)
            held = _sentences_in(block, found, window)
            for one in found:
                (inside if one.sentence in held else others).append(one)
            if len(inside) + len(others) >= MAX_OPERANDS:
                break
        values = tuple([*inside, *others][:MAX_OPERANDS])
        if window is None and _differ(values):
            return values, len(values)
        return values, min(len(inside), len(values))

    def listings(self, window: Window | None) -> list[tuple[int, Listing]]:
        """Return what the blocks around the window list, each with its block's number."""
        found: list[tuple[int, Listing]] = []
        for number in self._around(window)[:_MAX_LISTED_BLOCKS]:
            if number not in self._listings:
                self._listings[number] = listings(self._blocks[number].folded.text)
            found += [(number, listing) for listing in self._listings[number]]
        return found

    def _around(self, window: Window | None) -> list[int]:
        """Return the numbers of the window's block and its neighbours, then of the others."""
        count = len(self._blocks)
        if window is None:
            return list(range(min(count, MAX_OPERANDS)))
        chunk, start, _ = window
        at = bisect_right(self._blocks, (chunk, start), key=_start) - 1
        near = [n for n in (at, at + 1, at - 1) if 0 <= n < count]
        near = [n for n in near if self._blocks[n].chunk == chunk]
        return [*near, *islice((n for n in range(count) if n not in near), MAX_OPERANDS)]

    def _operands_of(self, number: int) -> tuple[Operand, ...]:
        found = self._operands.get(number)
        if found is None:
            block = self._blocks[number]
            first = bisect_left(self._sentences, (number, 0, 0))
            last = bisect_left(self._sentences, (number + 1, 0, 0))
            starts = [start for _, start, _ in self._sentences[first:last]]
            found = read_operands(block.folded.text, block.anchors, number, starts)
            self._operands[number] = found
        return found


def _differ(values: Sequence[Operand]) -> bool:
    """Say whether the values are few, and none of them says again what another one said."""
    return len(values) <= _FEW and len({one.anchor.key for one in values}) == len(values)


def _start(block: Block) -> tuple[int, int]:
    return block.chunk, block.start


def _sentences_in(block: Block, values: Sequence[Operand], window: Window | None) -> set[int]:
    """Return the numbers of the sentences in the window, and of those beside them.

    A comparison often needs the next sentence, of which the answer repeats no word.
    """
    if window is None or block.chunk != window[0]:
        return set()
    inside = set()
    for one in values:
        place = block.start + block.folded.span(one.anchor.start, one.anchor.end)[0]
        if window[1] <= place < window[2]:
            inside |= {one.sentence - 1, one.sentence, one.sentence + 1}
    return inside
