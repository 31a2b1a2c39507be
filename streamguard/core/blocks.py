"""Blocks: the pieces of bounded size in which the index reads the chunks."""

from __future__ import annotations

from dataclasses import dataclass

from streamguard.text.normalise import Folded
from streamguard.values import Anchor


@dataclass(frozen=True, slots=True)
class Block:
    """A part of chunk number `chunk` from `start` on, folded, and the values it holds."""

    chunk: int
    start: int  # into the chunk's text
    folded: Folded
    anchors: tuple[Anchor, ...]
