"""Compares negation, modal and quantifier of a sentence's clauses with those of the passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from operator import not_
from typing import Final, NamedTuple

from streamguard.core.facts.model import Edit, Group
from streamguard.core.facts.said import FULL, MAX_COMPARED, Said
from streamguard.core.facts.source import Surroundings, weight_of
from streamguard.core.reading.slots import MARKS, MAY, MUST, PART, SHOULD, WHOLE, Clause, clauses_of

MOST_CLAUSES: Final = 40  # of one unit that are compared; guess
# By how much clauses with a mark have to be likelier than those without for it to be missed where
# none is; between 0 and 0.05 no figure on everyday_dev changes.
_LEAST_LEAD = 0.05


class _Near(NamedTuple):
    """The keys of a unit that sentence or question hold: in it, above it, and in its clauses.

    Behind a clause's keys: whether it is negated, its modal, its quantifier.
    """

    inside: frozenset[str]
    above: frozenset[str]
    clauses: Sequence[tuple[frozenset[str], bool, int, int]]


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

    def add(self, near: Sequence[_Near]) -> None:
        """Compare with more of the passages' clauses."""
        negated, modal, quantifier = self.negated, self.modal, self.quantifier
        around, total = self._around, self._total
        for inside, above, clauses in near:
            wide = 0.5 * weight_of(around, inside) + 0.25 * weight_of(around, above)
            for keys, negates, requires, counts in clauses:
                share = (wide + 0.5 * weight_of(around, keys)) / total
                if share > negated[negates]:
                    negated[negates] = share
                if share > modal[requires]:
                    modal[requires] = share
                if share > quantifier[counts]:
                    quantifier[counts] = share

    def add_unmarked(self, near: Sequence[_Near]) -> None:
        """Compare with the clauses of further units, none of which has a mark."""
        around, total = self._around, self._total
        likeliest = min(self.negated[0], self.modal[0], self.quantifier[0])
        for inside, above, clauses in near:
            own = weight_of(around, inside)
            wide = 0.5 * own + 0.25 * weight_of(around, above)
            if (wide + 0.5 * own) / total > likeliest:  # no clause holds more than its unit
                shares = [(wide + 0.5 * weight_of(around, each[0])) / total for each in clauses]
                likeliest = max(likeliest, *shares)
        for likenesses in (self.negated, self.modal, self.quantifier):
            likenesses[0] = max(likenesses[0], likeliest)

    @property
    def misses(self) -> bool:
        """Whether a clause without marks should have one."""
        return _is_missed(self.negated) or _is_missed(self.modal) or _is_missed(self.quantifier)


def compare_marks(said: Said) -> Iterator[Edit | None]:
    """Yield the edits of each clause's marks; None comes behind each clause.

    Marks that neither the clause nor the nearest ones of the passages have are not compared.
    """
    marked = [not unit.keys.isdisjoint(MARKS) for unit in said.units]
    if not any(marked) and said.keys.isdisjoint(MARKS):
        return
    keys, kinds, _, _, places, senses, _ = zip(*said.slots[:MAX_COMPARED], strict=True)
    clauses = clauses_of(keys, kinds, places, senses)
    if not any(marked):
        clauses = [clause for clause in clauses if clause.marked]
    if not clauses:
        return
    likely = _near(said, [*compress(said.nearest, marked)])
    others: list[_Near] | None = None  # of the units without marks
    for clause in clauses:
        around = said.with_clause(clause.keys)
        likest = Likest(around)
        likest.add(likely)
        # Clauses without a mark only make it less likely that one is missed.
        if clause.marked or likest.misses:
            if others is None:
                others = _near(said, [*compress(said.nearest, map(not_, marked))])
            likest.add_unmarked(others)
        said.count(around, sum([len(unit.clauses) for unit in (*likely, *(others or ()))]))
        if clause.negated or _is_missed(likest.negated):
            yield _polarity(said, clause, likest)
        if clause.modal or _is_missed(likest.modal):
            yield _modal(said, clause, likest)
        if clause.quantifier or _is_missed(likest.quantifier):
            yield _quantifier(said, clause, likest)
        yield None


def _near(said: Said, units: Sequence[int]) -> list[_Near]:
    """Return what these units hold of the sentence and the question."""
    found, keys = list[_Near](), frozenset(said.beside)
    for number in units:
        unit, clauses = said.source.units[number], said.source.clauses(number)[:MOST_CLAUSES]
        held = [
            (inside & keys, negated, modal, quantifier)
            for inside, negated, modal, quantifier, _, _, _ in clauses
        ]
        found.append(_Near(unit.keys & keys, unit.above & keys, held))
    return found


def _is_missed(likenesses: Sequence[float]) -> bool:
    """Say whether clauses with a mark are likelier than those without, which come first."""
    return max(likenesses) > likenesses[0] + _LEAST_LEAD


def _polarity(said: Said, clause: Clause, likest: Likest) -> Edit:
    same, contrary = likest.negated[clause.negated], likest.negated[not clause.negated]
    full = contrary**FULL
    lead = max(contrary - same, 0.0) * full
    figures = (lead, full if lead else 0.0)
    return said.unless_agreed(clause.first, _mark(said, "polarity", "negator", clause, figures))


def _modal(said: Said, clause: Clause, likest: Likest) -> Edit:
    mine = clause.modal
    contrary = max([likest.modal[sense] for sense in (MUST, SHOULD, MAY) if sense != mine])
    if mine and likest.modal[0] > contrary:  # what the passages say of it has no modal at all
        contrary = 0.0
    lead = max(contrary - likest.modal[mine], 0.0)
    figures = (lead, lead if mine == MUST else 0.0)
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
