"""A sentence of the answer with the surroundings of its slots, by which it is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from streamguard.core.derive.announced import RESULTS, Operation, announced
from streamguard.core.facts.columns import Unit
from streamguard.core.facts.model import Edit
from streamguard.core.facts.sentence_forms import ITEM
from streamguard.core.facts.source import Source
from streamguard.core.owners.exchanges import Pairing, pairings
from streamguard.core.reading.slots import CONTENT, Slot
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy
from streamguard.values import Anchor

# Surroundings of a slot: all words beside it count by their rarity, those of another clause by
# `OTHER_CLAUSE` of it. The sentence before and the question are what an elliptic sentence leaves
# unsaid. Chosen among a few on everyday_dev, out of fold; nearness within a clause changed nothing.
OTHER_CLAUSE: Final = 0.55
BEFORE: Final = 0.2
ASKED: Final = 0.35
# Of a clause's marks: words of its sentence's other clauses.
BESIDE_CLAUSE: Final = 0.4
MAX_COMPARED: Final = 60  # values and names of one sentence; guess, many times the mean
_MOST_ASKED = MAX_COMPARED  # content slots of the question; guess, four times the most seen
MOST_SLOTS: Final = 4 * MAX_COMPARED
NEAREST: Final = 4  # units that are looked into; two or three give nearly the same
FULL: Final = 4  # power of a likeness that tells nearly whole ones from the rest; guess
_MOST_FILLERS = 2_000  # of the groups that one sentence is compared with; guess
# Work is counted in places that are compared: a microsecond or two each.
_SLOT_WORK = 30  # of a slot beside its places: its surroundings
_WORDS_A_PLACE = 20  # words of the surroundings that make a place's work twice as much


class Stated(NamedTuple):
    """A value of the answer so far; `is_grounded`: passages or question hold or reckon it."""

    anchor: Anchor
    is_grounded: bool


@dataclass(slots=True)
class Told:
    """What the answer's sentences so far held: what the surroundings of the next one need.

    `results`: the last amount, or else the last value, of each of them. `lead`: slots of the last
    sentence that a list may follow.
    """

    before: Sequence[Slot] = ()
    keys: set[str] = field(default_factory=set)
    values: list[Stated] = field(default_factory=list)
    results: list[Anchor] = field(default_factory=list)
    lead: Sequence[Slot] = ()


class Asked:
    """The content slots of the question, their keys, and what they weigh beside a sentence's."""

    def __init__(self, source: Source, question: Sequence[Slot]) -> None:
        content = [slot for slot in question if slot.kind in CONTENT]
        self.slots = content[:_MOST_ASKED]
        self.keys = frozenset([slot.key for slot in content])
        held = source.held
        self.weights = {slot.key: ASKED * held[slot.key].weight for slot in self.slots}
        self.held = {key: weight for key, weight in self.weights.items() if held[key].units}


class Said:
    """One sentence of the answer while it is compared.

    `content`: clause, key and weight of each slot that is no mark. `units` are the nearest of the
    passages, the best first. `work`: places compared so far.
    """

    def __init__(
        self,
        source: Source,
        slots: Sequence[Slot],
        question: Asked,
        told: Told,
        text: str = "",
        asks: frozenset[Operation] = frozenset(),
    ) -> None:
        self.source, self.slots, self.told = source, slots, told
        self._text, self._asks = text, asks
        self._question = question
        self.question, self.asked = question.slots, question.keys
        self.keys = frozenset([slot.key for slot in slots])
        self._clauses: dict[int, dict[str, float]] = {}
        self.content: list[tuple[int, str, float]] = []
        whole, held = dict(question.weights), source.held
        for key, kind, _, _, clause, _, _ in slots:  # in the order of the text, not of a set
            units, weight = held[key]
            if units:
                whole[key] = weight
            if kind in CONTENT:
                self.content.append((clause, key, weight))
        self.work = len(whole)
        self.nearest = source.nearest(whole, NEAREST)
        self.units: list[Unit] = [source.units[unit] for unit in self.nearest]

    @lazy
    def low(self) -> str:
        """The sentence in small letters, every character in its place."""
        return lower_in_place(self._text)

    @lazy
    def operations(self) -> frozenset[Operation]:
        """The reckonings that the sentence announces."""
        return announced(self.low)

    @property
    def announces(self) -> bool:
        """Whether it announces what a stated value could be the result of."""
        return not self.operations.isdisjoint(RESULTS)

    @property
    def reckonings(self) -> frozenset[Operation]:
        """The reckonings that sentence or question announce."""
        return self.operations | self._asks

    @lazy
    def pairings(self) -> dict[int, Pairing]:
        """The owners of the sentence's fillers, by their first slots."""
        groups, fillers = [], 0
        for group in self.source.siblings.about(self.keys):
            fillers += group.fillers
            if fillers > _MOST_FILLERS:
                break
            groups.append(group)
        self.work += fillers
        if not groups:
            return {}
        source, lead = self.source, self.told.lead if ITEM.match(self._text) else ()
        return pairings(groups, self.slots, self.asked, source.are_together, source.keys_at, lead)

    @lazy
    def owners(self) -> frozenset[int]:
        """The owners in the passages that the sentence may name."""
        return self.source.owners.about(self.keys)

    def unless_agreed(self, number: int, edit: Edit) -> Edit:
        """Return the edit of a slot; it is agreed where the passages tell it of its owner too."""
        for one in self.pairings.values():
            # A list's item is told of in all of its clause, which may say more of it.
            counts = one.agrees and (one.kind != "listed" or edit.group == "polarity")
            if counts and one.first <= number < one.end:
                return edit._replace(is_agreed=True)
        return edit

    def around(self, number: int) -> dict[str, float]:
        """Return the surroundings of a slot: key to weight, its own key and its name's left out."""
        first, last = self._run_of(number)
        found = dict(self._of_clause(self.slots[number].clause))
        for slot in self.slots[first : last + 1]:
            found.pop(slot.key, None)
        return found

    def _of_clause(self, clause: int) -> Mapping[str, float]:
        """Return the weights of what surrounds the slots of a clause, these included."""
        known = self._clauses.get(clause)
        if known is None:
            known = self._clauses[clause] = dict(self._unsaid)
            content = self.content
            known |= {key: OTHER_CLAUSE * weight for at, key, weight in content if at != clause}
            known |= {key: weight for at, key, weight in content if at == clause}
        return known

    @lazy
    def _unsaid(self) -> dict[str, float]:
        """The weights of what the sentence before and the question say, if a passage holds it."""
        found: dict[str, float] = {}
        for slot in self.told.before:
            units, weight = self.source.held[slot.key]
            if units and slot.kind in CONTENT:
                found[slot.key] = BEFORE * weight
        return found | self._question.held

    @lazy
    def beside(self) -> dict[str, float]:
        """The weights of what stands beside any clause: the question, the sentence's slots."""
        found = dict(self._question.weights)
        for _, key, weight in self.content:
            found[key] = BESIDE_CLAUSE * weight
        return found

    def with_clause(self, keys: frozenset[str]) -> dict[str, float]:
        """Return the weights of what stands in and beside a clause with these content keys."""
        found, held = dict(self.beside), self.source.held
        for key in keys:
            found[key] = held[key].weight
        return found

    def _run_of(self, number: int) -> tuple[int, int]:
        """Return the first and last slot of the name that a slot is a part of."""
        slots = self.slots
        first = last = number
        while first and _joins(slots[first - 1], slots[first]):
            first -= 1
        while last + 1 < len(slots) and _joins(slots[last], slots[last + 1]):
            last += 1
        return first, last

    def count(self, around: Mapping[str, float], places: int) -> None:
        """Count what it takes to compare so many places with such surroundings."""
        self.work += _SLOT_WORK + places * (1 + len(around) // _WORDS_A_PLACE)


def _joins(one: Slot, other: Slot) -> bool:
    """Say whether two names stand side by side and so are one."""
    return one.kind == other.kind == "name" and other.start - one.end == 1
