"""Compares negation, modal and quantifier of a sentence's clauses with those of the passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from streamguard.core.facts.columns import Unit
from streamguard.core.facts.model import Edit, Group
from streamguard.core.facts.said import FULL, MAX_COMPARED, Said
from streamguard.core.facts.slots import MARKS, MAY, MUST, PART, SHOULD, WHOLE, Clause, clauses_of
from streamguard.core.facts.source import Surroundings, weight_of

MOST_CLAUSES: Final = 40  # of one unit that are compared; guess
# By how much clauses with a mark have to be likelier than those without for it to be missed where
# none is; between 0 and 0.05 no figure on everyday_dev changes.
_LEAST_LEAD = 0.05

_Others = Sequence[tuple[Unit, Sequence[Clause]]]


class Likest:
    """The largest likeness in [0, 1] of the passages' clauses to one, by the marks that they have.

    Of the weight of the surroundings all counts that stands in a clause, half of what stands
    beside it, a quarter of what stands above it.
    """

    def __init__(self, around: Surroundings) -> None:
        self.negated = [0.0, 0.0]
        self.modal = [0.0, 0.0, 0.0, 0.0]
        self.quantifier = [0.0, 0.0, 0.0]
        self._around = around
        self._total = sum(around.values())

    def add(self, others: _Others) -> None:
        """Compare with more of the passages' clauses."""
        negated, modal, quantifier = self.negated, self.modal, self.quantifier
        around, total = self._around, self._total
        for unit, clauses in others:
            wide = 0.5 * weight_of(around, unit.keys) + 0.25 * weight_of(around, unit.above)
            for clause in clauses:
                share = (wide + 0.5 * weight_of(around, clause.keys)) / total
                negated[clause.negated] = max(share, negated[clause.negated])
                modal[clause.modal] = max(share, modal[clause.modal])
                quantifier[clause.quantifier] = max(share, quantifier[clause.quantifier])

    @property
    def misses(self) -> bool:
        """Whether a clause without marks should have one."""
        return any(map(_is_missed, (self.negated, self.modal, self.quantifier)))


def compare_marks(said: Said) -> Iterator[Edit | None]:
    """Yield the edits of each clause's marks; None comes behind each clause.

    Marks that neither the clause nor the nearest ones of the passages have are not compared.
    """
    units = list(zip(said.nearest, said.units, strict=True))
    likely = [number for number, unit in units if not unit.keys.isdisjoint(MARKS)]
    clauses = clauses_of(said.slots[:MAX_COMPARED])
    if not likely:
        clauses = [clause for clause in clauses if clause.marked]
    if not clauses:
        return
    marked, unmarked = _clauses(said, likely), None
    beside, weights = said.beside, said.source.weights
    for clause in clauses:
        around = beside | {key: weights[key] for key in clause.keys}
        likest = Likest(around)
        likest.add(marked)
        # Clauses without a mark only make it less likely that one is missed.
        if clause.marked or likest.misses:
            if unmarked is None:
                unmarked = _clauses(said, [one for one in said.nearest if one not in likely])
            likest.add(unmarked)
        said.count(around, sum(len(near) for _, near in (*marked, *(unmarked or ()))))
        if clause.negated or _is_missed(likest.negated):
            yield _polarity(said, clause, likest)
        if clause.modal or _is_missed(likest.modal):
            yield _modal(said, clause, likest)
        if clause.quantifier or _is_missed(likest.quantifier):
            yield _quantifier(said, clause, likest)
        yield None


def _clauses(said: Said, units: Sequence[int]) -> _Others:
    source = said.source
    return [(source.units[unit], source.clauses(unit)[:MOST_CLAUSES]) for unit in units]


def _is_missed(likenesses: Sequence[float]) -> bool:
    """Say whether clauses with a mark are likelier than those without, which come first."""
    return max(likenesses[1:]) > likenesses[0] + _LEAST_LEAD


def _polarity(said: Said, clause: Clause, likest: Likest) -> Edit:
    same, contrary = likest.negated[clause.negated], likest.negated[not clause.negated]
    full = contrary**FULL
    lead = max(contrary - same, 0.0) * full
    figures = (lead, full if lead else 0.0)
    return said.unless_agreed(clause.first, _mark(said, "polarity", "negator", clause, figures))


def _modal(said: Said, clause: Clause, likest: Likest) -> Edit:
    mine = clause.modal
    contrary = max(likest.modal[sense] for sense in (MUST, SHOULD, MAY) if sense != mine)
    lead = max(contrary - likest.modal[mine], 0.0)
    figures = (lead, contrary if lead else 0.0, lead if mine == MUST else 0.0)
    return _mark(said, "modal", "modal", clause, figures)


def _quantifier(said: Said, clause: Clause, likest: Likest) -> Edit:
    mine = clause.quantifier
    lead = max(likest.quantifier[PART] - likest.quantifier[mine], 0.0)
    return _mark(said, "quantifier", "quantifier", clause, (lead if mine == WHOLE else 0.0,))


def _mark(said: Said, group: Group, kind: str, clause: Clause, figures: tuple[float, ...]) -> Edit:
    at = clause.marked.get(kind)
    first, last = (clause.first, clause.last) if at is None else (at, at)
    start, end = said.slots[first].start, said.slots[last].end
    return Edit(group, start, end, None if at is None else said.slots[at], None, figures)
