"""Findings that the rest of a paragraph may still take back.

A citation often stands once, at a paragraph's end, and covers what comes before it. So that a
claim lacks one is known only when its paragraph is over.
"""

from __future__ import annotations

from dataclasses import dataclass

from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding
from streamguard.core.reading.roles import Kind
from streamguard.text.patterns import lazy_re

PROVISIONAL = frozenset({"uncited_claim"})  # flags of findings that wait for the paragraph's end
MAX_HELD = 20  # findings that one citation may take back; guess, more is no paragraph
_BLANK_LINE = lazy_re(r"\n[^\S\n]{0,200}\n")


@dataclass(frozen=True, slots=True)
class Settled:
    """A sentence as it was when it settled: the same under every cut.

    `findings` are its own, the held ones last, with an id for each; `provisional` are the ids of
    the latter. `confirmed` and `retracted` are ids of earlier sentences' findings.
    """

    index: int
    report: SentenceReport
    findings: tuple[Finding, ...]
    ids: tuple[str, ...]
    provisional: tuple[str, ...]
    confirmed: tuple[str, ...]
    retracted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """A finding that waits, the index of its sentence, and the id live annotations give it."""

    index: int
    id: str
    finding: Finding


class Paragraph:
    """The findings of the open paragraph that are not decided yet."""

    def __init__(self) -> None:
        self.held: list[Held] = []
        self._kind: Kind = "prose"  # of its first sentence

    def ends_before(self, gap: str, kind: Kind) -> bool:
        """Say whether a sentence of `kind`, behind the white space `gap`, begins another.

        A blank line ends a paragraph, a heading, item or row begins one, and a line behind an
        item or row belongs to it no more. So does what follows `MAX_HELD` findings.
        """
        if kind == "prose":
            broken = "\n" in gap
            over = broken and (self._kind != "prose" or _BLANK_LINE.search(gap) is not None)
            if not over and len(self.held) < MAX_HELD:
                return False
        self._kind = kind
        return True

    def released(self) -> list[Held]:
        """Return what was held, and hold it no more."""
        held, self.held = self.held, []
        return held
