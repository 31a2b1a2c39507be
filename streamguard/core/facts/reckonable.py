"""Says whether a value of a sentence may follow from others, and from which it could.

These are the values of the sentence, the question, the answer so far and the nearest units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, groupby
from math import fsum
from typing import Final

from streamguard.core.derive.announced import Operation, is_step
from streamguard.core.derive.bounds import AGE_REACH, holds_age, is_age, round_bound
from streamguard.core.derive.equations import Written, counts_of_total, misreckoned
from streamguard.core.derive.reckoning import (
    EARLIER,
    LASTING,
    NEAREST,
    QUESTION,
    SENTENCE,
    KnownValue,
    Reckoning,
    terms_of,
)
from streamguard.core.derive.solver import Derivation, Operands, derive, derive_total
from streamguard.core.derive.unannounced import may_be_bill
from streamguard.core.facts.nearby import MOST_VALUES, Nearby
from streamguard.core.facts.said import Said
from streamguard.core.facts.standing import (
    is_interval,
    is_of_calendar,
    is_part,
    is_side,
    is_whole,
)
from streamguard.core.reading.slots import Slot
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy
from streamguard.values import Anchor
from streamguard.values.relative import FOLD
from streamguard.values.value import ZERO, plain

SOLVING_WORK: Final = 300  # of one reckoning
MOST_SOLVED: Final = 12  # values of one sentence that are reckoned; guess
_STATED = 10  # values of the sentence and the question that may be operands
_PAIR = 2  # summands that a sentence names
_MOST_TERMS = 28  # of a reckoning; guess
_PRODUCTS = frozenset("×÷")
_MULTIPLIED: Final[frozenset[Operation]] = frozenset(["product", "part"])

Derived = tuple[Derivation | None, tuple[int, ...]]
UNDERIVED: Final[Derived] = (None, ())


class Reckonable:
    """What the values of one sentence may be reckoned from."""

    def __init__(self, said: Said, nearby: Nearby) -> None:
        self._said = said
        self._source = said.source
        self._nearby = nearby
        self._solved = 0
        self._of_others = set[int]()  # where values begin that are sums of others than are named

    @property
    def may_derive(self) -> bool:
        """Whether fewer values of the sentence have been reckoned than may be."""
        return self._solved < MOST_SOLVED

    def derived(
        self, slot: Slot, anchor: Anchor, rivals: Sequence[int] = (), *, sharply: bool
    ) -> Derived:
        """Return how the value follows from others, and which slots of the passages it took.

        A figure that a passage has with another unit or period must follow sharply: exactly, and
        not from that figure ("14 days ÷ 24" is no reason for "14 hours"). `rivals`: slots of the
        passages with values of its kind, of one of which it may be a multiple or part.
        """
        is_often = anchor.unit in LASTING and is_interval(self._said.low, slot.start)
        # "Every 6 hours" is as often as it says, and a third no two thirds of a half.
        if is_often or anchor.unit == FOLD or is_part(anchor):
            return UNDERIVED
        self._solved += 1
        self._said.work += SOLVING_WORK
        if "sum" in self._said.operations and (counts := self._listed_as_all(anchor)):
            is_sum = fsum(float(one.number or 0) for one in counts) == anchor.number
            words = " + ".join(one.text for one in counts)
            return (Derivation(words, ()), ()) if is_sum else UNDERIVED
        terms, operations = self._without(slot, anchor)
        if sharply:
            terms = [one for one in terms if one.anchor.number != anchor.number]
            anchor = anchor._replace(precision=ZERO, approx=False)
        found = Reckoning(terms, operations).of(anchor)
        if found is None and not _MULTIPLIED.isdisjoint(operations):
            beside = self._likest(slot, rivals)
            scaled = [*(one for one in terms if one.place < NEAREST), *beside]
            found = Reckoning(scaled, operations).of(anchor) if beside else None
            terms = terms if found is None else scaled
        if found is not None and self._is_of_others(found, terms):
            self._of_others.add(slot.start)
            return UNDERIVED
        if found is not None and self.is_side_of(slot, anchor):
            # In "10 x 15 x 25 cm" the last is no sum of the others, unless a total stands beside.
            used = [terms[number] for number in found.sources]
            own = [one.anchor for one in used if one.place == SENTENCE]
            if len(own) == len(used) and all(
                is_side(self._said.low, one.start, one.end) for one in own
            ):
                return UNDERIVED
        if found is None and not sharply:
            found = round_bound(anchor, self._said.low, slot.start, terms, operations)
        if found is None and is_age(anchor, self._said.low, slot.start, slot.end):
            return self._of_bound(anchor)
        if found is None:
            listed = "sum" in operations and not sharply
            return (derive_total(anchor, self._listed) if listed else None), ()
        places = (terms[number].slot for number in found.sources)
        return found, tuple(place for place in places if place is not None)

    def misreckoned(self, anchor: Anchor) -> str | None:
        """Return what a value should be if its sentence reckons it in writing, and wrongly."""
        return misreckoned(self._said.low, *self._written(anchor))

    def _listed_as_all(self, anchor: Anchor) -> list[Anchor]:
        """Return the counts listed as all of a total; none if no source has any of them."""
        counts = counts_of_total(self._said.low, *self._written(anchor))
        return counts if any(map(self._is_grounded, counts)) else []

    def _written(self, anchor: Anchor) -> tuple[list[Written], int]:
        """Return the sentence's values in its order, and which of them is `anchor`."""
        slots = self._said.slots
        values = [Written(one.start, one.end, one.anchor) for one in slots if one.anchor]
        return values, next(n for n, one in enumerate(values) if one.anchor is anchor)

    def _of_bound(self, age: Anchor) -> Derived:
        """Return the near bound that an age keeps: 12 where the passage says "under 14"."""
        anchors, last = self._source.anchors, None
        for place in self._nearby.values:
            one = anchors[place]
            if last is not None and (last.start, last.text) == (one.start, one.text):
                one = last._replace(high=one.value, high_number=one.number)  # both ends of a range
            before, behind = map(lower_in_place, anchors.around(place, AGE_REACH))
            if holds_age(one, before, behind, age):
                return Derivation(f"within “{one.text}”", ()), (place,)
            last = one
        return UNDERIVED

    def _likest(self, slot: Slot, rivals: Sequence[int]) -> list[KnownValue]:
        """Return the value of the passages that most words of a value's clause stand beside."""
        source = self._source
        clause = frozenset([one.key for one in self._said.slots if one.clause == slot.clause])
        self._said.work += len(rivals)
        shared = [
            (fsum([source.held[key].weight for key in clause & source.near(one)]), -one)
            for one in rivals
        ]
        weight, place = max(shared, default=(0.0, 0))
        if not weight:
            return []
        return [*terms_of(source.anchors[-place], NEAREST, slot=-place)]

    def is_of_others(self, slot: Slot) -> bool:
        """Say whether a value is a sum, and the sentence names other summands."""
        return slot.start in self._of_others

    def _is_of_others(self, found: Derivation, terms: Sequence[KnownValue]) -> bool:
        """Say whether a sum takes one of two values that are named, and another one of no name.

        A clause or row is named by a word that stands beside no other value of the nearest units.
        """
        summands = [terms[number].slot for number in found.sources] if "+" in found.words else []
        if len(summands) < 2 or None in summands:
            return False
        source, beside = self._source, dict[tuple[int, int], frozenset[str]]()
        for place in self._nearby.values:
            clause = self._clause_of(place)
            beside[clause] = beside.get(clause, frozenset()) | source.near(place)
        self._said.work += len(self._nearby.values)
        held = Counter(chain.from_iterable(beside.values()))
        named = {
            clause
            for clause, keys in beside.items()
            if any(held[key] == 1 for key in keys & self._said.keys if key[0] != "#")
        }
        own = {source.keys[place] for place in summands if place is not None}
        theirs = {source.keys[one] for one in self._nearby.values if self._clause_of(one) in named}
        return len(named) == _PAIR and len(own & theirs) == 1 < len(own)

    def _clause_of(self, place: int) -> tuple[int, int]:
        """Return the unit and clause of a slot, of a table all of its row."""
        unit = self._source.unit_of[place]
        is_row = self._source.units[unit].is_row
        return unit, 0 if is_row else self._source.slot(place).clause

    def may_be_result(self, slot: Slot, anchor: Anchor, near: int | None) -> bool:
        """Say whether a value may be no misreading: a bill, or what values of the answer come to.

        No source holds these.
        """
        if self.is_side_of(slot, anchor):
            return False
        source = self._source
        terms, operations = self._without(slot, anchor)
        if Reckoning(terms, operations).agrees(anchor):
            return True
        self._said.work += min(MOST_VALUES, len(source.anchors))
        prices = (source.anchors[place] for place in source.anchors.first(MOST_VALUES))
        units = [
            [source.anchors[place] for place in some]
            for unit, some in groupby(self._nearby.values, key=source.unit_of.__getitem__)
            if not source.units[unit].is_row  # its cells are no bill
        ]
        words = frozenset[str]().union(*(source.units[one].keys for one in self._said.nearest))
        if near is not None and source.unit_of[near] not in self._said.nearest:
            values = [source.anchors[place] for place in self._nearby.of_unit(source.unit_of[near])]
            units.append(values)
            own = [one for one in terms if one.place < NEAREST]
            there = [one for value in values for one in terms_of(value, NEAREST)]
            if Reckoning([*own, *there][:_MOST_TERMS], operations).of(anchor) is not None:
                return True
        return may_be_bill(anchor, terms, prices, units, words)

    def may_follow(self, anchor: Anchor) -> bool:
        """Say whether one operation on two near values comes to it, whatever is announced.

        That excuses nothing; it is a figure of the sentence's doubt.
        """
        terms = (one.anchor for one in self._terms if one.anchor.key != anchor.key)
        return derive(anchor, Operands(terms)) is not None

    def may_be_reckoned(self, anchor: Anchor) -> bool:
        """Say likewise of values that count the same, or do not say what they count.

        A product or quotient has a whole number among its terms.
        """
        nouns = (None, anchor.noun)
        near = [one.anchor for one in self._terms if one.anchor.key != anchor.key]
        terms = [one for one in near if one.label is None and one.noun in nouns]
        found = derive(anchor, Operands(terms))
        if found is None or not _PRODUCTS.intersection(found.words):
            return found is not None
        return any(is_whole(terms[number]) for number in found.sources)

    def is_lone(self, anchor: Anchor) -> bool:
        """Say whether sentence and question hold nothing that a value could be reckoned from.

        That is a figure that a source holds, for a day or a time a duration.
        """
        in_time = anchor.kind in ("date", "time")
        others = (one for one in self._terms if one.place <= QUESTION)
        return not any(
            one.unit in LASTING if in_time else one.is_grounded and one.figure
            for one in others
            if one.anchor.key != anchor.key
        )

    def is_misreckoned(self, anchor: Anchor) -> bool:
        """Say whether a sentence states how far two values are apart, both of them, and wrongly.

        "Climbed by £46 million, from 329 to 365" is checked as it is written: it does not follow.
        """
        own = [
            one
            for one in self._terms
            if one.place == SENTENCE and one.figure and one.anchor.key != anchor.key
        ]
        kinds = {one.anchor.kind for one in own}
        is_pair = len(own) == 2 and kinds in ({anchor.kind}, {"number"}) and anchor.unit is not None
        return is_pair and all(one.is_grounded for one in own)

    def is_side_of(self, slot: Slot, anchor: Anchor) -> bool:
        """Say whether a length is one side of a size, which is reckoned from nothing."""
        return anchor.unit == "m" and is_side(self._said.low, slot.start, slot.end)

    def _without(self, slot: Slot, anchor: Anchor) -> tuple[list[KnownValue], frozenset[Operation]]:
        """Return the values from which a value may be derived, without itself, and how."""
        said, key = self._said, (anchor.kind, anchor.key)
        terms = [one for one in self._terms if (one.anchor.kind, one.anchor.key) != key]
        is_apart = is_step(said.low, slot.start)
        return terms, said.reckonings | {"difference"} if is_apart else said.reckonings

    @lazy
    def _terms(self) -> list[KnownValue]:
        """What a reckoning may start from: of sentence, question, answer so far, nearest units."""
        source, said = self._source, self._said
        found: list[KnownValue] = []
        for slot in said.slots:
            if (anchor := slot.anchor) is not None and not is_of_calendar(anchor):
                is_held, steps = self._is_grounded(anchor), is_step(said.low, slot.start)
                found += terms_of(anchor, SENTENCE, is_grounded=is_held, is_step=steps)
        for slot in said.question:
            if slot.anchor is not None and not is_of_calendar(slot.anchor):
                found += terms_of(slot.anchor, QUESTION)
        del found[_STATED:]
        for one in reversed(said.told.values):
            found += terms_of(one.anchor, EARLIER, is_grounded=one.is_grounded)
        ranks = {unit: rank for rank, unit in enumerate(said.nearest)}
        for place in self._nearby.values:
            if not is_of_calendar(source.anchors[place]):
                found += terms_of(source.anchors[place], ranks[source.unit_of[place]], slot=place)
        return found[:_MOST_TERMS]

    @lazy
    def _listed(self) -> list[list[Anchor]]:
        """What a total may be of: what the answer has listed, all of it or the last lines."""
        results = self._said.told.results
        return [results[first:] for first in range(len(results) - 1)]

    def _is_grounded(self, anchor: Anchor) -> bool:
        """Say whether question or passages hold a value, or its bare figure ("68.0" of £68.0m)."""
        if anchor.kind == "number" and self._source.numbered(anchor.number):
            return True
        keys = {f"#{anchor.key}"}
        if anchor.number is not None:
            keys.add(f"#{plain(anchor.number)}")
        return not keys.isdisjoint(self._said.asked) or any(map(self._source.holds, keys))
