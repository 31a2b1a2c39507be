"""Passages, citations and calls of tools that come in an answer's own stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from streamguard.core.model.types import RetrievedChunk, Where


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """A citation that a protocol sends outside the text.

    `names`: possible names of its passage, the best first: an id, a file, an address. `quoted`:
    words of the passage. `start` and `end` count code points from the beginning of `block`; without
    them it covers all the block's text. `said`: the cited text, if sent; it locates the span if the
    offsets are counted differently.
    """

    names: tuple[str, ...] = ()
    quoted: str = ""
    start: int | None = None
    end: int | None = None
    said: str = ""
    block: str = ""
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Brought:
    """The passages, citations and calls of one frame; they count in front of its text.

    `opens`: blocks of text that begin here, or so many code points further on. `awaits` names a
    call whose result will come in this stream, `returns` one whose result has come, or will not.
    `over`: the frame held more than was read of it.
    """

    passages: tuple[RetrievedChunk, ...] = ()
    where: Where = "tool"
    citations: tuple[CitedSpan, ...] = ()
    opens: tuple[tuple[str, int], ...] = ()
    awaits: str | None = None
    returns: str | None = None
    over: bool = False


class NativeCitation(NamedTuple):
    """A citation beside the text: a half-open span of the answer, and names of its passage."""

    start: int
    end: int
    names: tuple[str, ...]
