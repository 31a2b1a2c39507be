"""The claims that the guard hands out for scoring, each with its nearest passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from streamguard.core.context import Context
from streamguard.core.facts.columns import NONE
from streamguard.core.facts.said import ASKED, MOST_SLOTS
from streamguard.core.facts.source import Source
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Nearest
from streamguard.core.reading.slots import CONTENT, read_slots
from streamguard.core.sentence import Sentence

NEAREST: Final = 3  # units of a claim unless more are asked for


@dataclass(frozen=True, slots=True)
class NearUnit:
    """A sentence, list item or table row of a passage, and the words that stand above it.

    `place` has its words and their span. `heading` is the title of its section, `lead_in` the line
    that opens its list; of a table's row `label` is the first cell and `cells` pairs the others
    with the heads of their columns. Empty where there is none.
    """

    place: Nearest
    heading: str = ""
    lead_in: str = ""
    label: str = ""
    cells: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A settled claim of one answer, to be scored with `StreamGuard.score(claim.id, …)`.

    `choice` is the index of the response's choice. `context` holds the question and all passages,
    as a judge is shown them.
    """

    id: str
    choice: int
    sentence: Sentence

    @property
    def text(self) -> str:
        """The claim as it stands in the answer."""
        return self.sentence.text

    @property
    def context(self) -> Context:
        """The passages and the question of the answer."""
        return self.sentence.scope.context

    def nearest(self, most: int = NEAREST) -> tuple[NearUnit, ...]:
        """Return the units of the passages that hold most of the claim's words, the best first.

        The question's words count too, with less weight. Empty without passages.
        """
        evidence = self.sentence.scope.evidence
        if evidence is None:
            return ()
        found = _nearest(self.sentence, evidence.source, most)
        return tuple(_unit(evidence, one) for one in found)


def _nearest(sentence: Sentence, source: Source, most: int) -> list[int]:
    """Return the numbers of the units that hold most of a sentence, the best first."""
    surroundings = {
        slot.key: ASKED * source.held[slot.key].weight
        for slot in sentence.scope.question.slots
        if slot.kind in CONTENT
    }
    for slot in read_slots(sentence.plain, sentence.anchors, most=MOST_SLOTS):
        if source.holds(slot.key):
            surroundings[slot.key] = source.held[slot.key].weight
    return source.nearest(surroundings, most)


def _unit(evidence: Evidence, number: int) -> NearUnit:
    units = evidence.source.units
    unit, above = units[number], units.above(number)
    place = evidence.place_in(unit.number)
    label, *cells = list(_cells(place.value)) if unit.is_row else [""]
    _, *heads = list(_cells(_text(evidence, above.head))) or [""]
    return NearUnit(
        place,
        _text(evidence, above.title).lstrip("# "),
        _text(evidence, above.lead),
        label,
        tuple((head, cell) for head, cell in zip_longest(heads, cells, fillvalue="")),
    )


def _text(evidence: Evidence, unit: int) -> str:
    """Return the words of a unit, "" of none."""
    if unit == NONE:
        return ""
    return (evidence.place_in(evidence.source.units[unit].number).value or "").strip()


def _cells(row: str | None) -> Iterator[str]:
    """Yield the cells of a row, unparsed."""
    for cell in (row or "").strip().strip("|").split("|"):
        yield cell.strip()
