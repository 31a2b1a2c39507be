"""Blocks: the pieces of bounded size in which long texts are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamguard.text.normalise import Folded
from streamguard.values import Anchor


@dataclass(frozen=True, slots=True)
class Block:
    """A part of chunk number `chunk` from `start` on, folded, and the values it holds."""

    chunk: int
    start: int  # into the chunk's text
    folded: Folded
    anchors: Sequence[Anchor]  # filled while the block is indexed


def cut_blocks(text: str, chars: int) -> Iterator[tuple[int, int]]:
    """Cut a text into blocks of at most `chars`, at a line or sentence end if any."""
    start = 0
    while len(text) - start > chars:
        end = start + chars
        for mark in ("\n", ". ", " "):
            cut = text.rfind(mark, start + chars // 2, end)
            if cut >= 0:
                end = cut + len(mark)
                break
        yield start, end
        start = end
    if text[start:].strip():
        yield start, len(text)
