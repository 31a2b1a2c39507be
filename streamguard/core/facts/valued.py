"""Compares the values and names of a sentence with those that the passages have in their places."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import islice

from streamguard.core.derive.solver import Derivation, derive_from, derive_total, of_use
from streamguard.core.facts.model import Edit, risk_of
from streamguard.core.facts.said import MAX_COMPARED, Said, Stated
from streamguard.core.facts.source import Likeness
from streamguard.text.patterns import lazy
from streamguard.values import Anchor, agree
from streamguard.values.agreement import in_words
from streamguard.values.value import ZERO, plain

_MOST_PLACES = 40  # of one slot that are compared, on either side and in one unit; guess
# Of all passages: values that an absent value is compared with, after those with its number;
# guess, three times as many as the passages of any everyday or RAGTruth answer hold.
_MOST_VALUES = 200
_SOLVING_WORK = 300  # of one reckoning
_MOST_SOLVED = 12  # values of one sentence that are reckoned; guess
_STATED = 8  # values of the sentence and the question that may be operands


class Slots:
    """The values and names of one sentence while they are compared."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._source = said.source
        self._many = len({slot.key for slot in said.slots if slot.anchor is not None})
        self._pool: list[Stated] | None = None
        self._solved = 0

    def compare(self) -> Iterator[Edit | None]:
        """Yield the edit of each value and name, at most `MAX_COMPARED`; None between two steps."""
        said, compared = self._said, 0
        for number, slot in enumerate(said.slots):
            if slot.kind in ("value", "name"):
                compared += 1
                if compared > MAX_COMPARED:
                    return
                if slot.kind == "value":
                    found = yield from self._value(number)
                else:
                    found = self._name(number)
                yield found if found.absent else said.unless_agreed(number, found)

    def _value(self, number: int) -> Generator[None, None, Edit]:
        said = self._said
        slot = said.slots[number]
        anchor = slot.anchor
        assert anchor is not None  # so values are read
        same, rivals, differing = self._value_places(slot.key, anchor)
        unit_differs = bool(differing) and not same
        around = said.around(number)
        said.count(around, len(same) + len(rivals))
        likeness = Likeness(self._source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked
        derivation: Derivation | None = None
        operands: tuple[int, ...] = ()
        if absent and self._solved < _MOST_SOLVED:
            yield  # a reckoning may take as long as all before it
            derivation, operands = self._derived(anchor, sharply=unit_differs)
        if derivation is not None and derivation.is_span:
            unit_differs = False  # so long is from one time to another: no figure in another unit
        unmet = absent and derivation is None
        best = max(rival, *map(likeness.share, said.nearest[:2]), 0.0) if unmet else 0.0
        is_said = place is not None and self._source.keys[place] in said.keys
        figures = (
            float(asked), float(absent and asked), 0.0 if absent else rival - best_same,
            rival if absent else 0.0, float(unit_differs), float(is_said), best,
            float(anchor.kind == "quantity"), float(absent and anchor.casual), said.late,
            said.late if unmet else 0.0,
        )  # fmt: skip
        if unit_differs:
            place, _ = likeness.best(differing)
        risk = risk_of("value", figures)
        return Edit(
            "value", slot.start, slot.end, slot, place, figures, risk,
            absent, asked, unit_differs, derivation, operands,
        )  # fmt: skip

    def _value_places(self, key: str, anchor: Anchor) -> tuple[list[int], list[int], list[int]]:
        """Return where the passages hold the value, where another of its kind, near ones first.

        Third: those of the others that have its number with another unit or period.
        """
        source = self._source
        same: list[int] = []
        rivals: list[int] = []
        differing: list[int] = []
        near = self._near_values
        alike: Sequence[int] = source.places(key)[:_MOST_PLACES]
        if not alike:
            with_number = source.numbered(anchor.number)[:_MOST_PLACES]
            alike = [*islice(source.anchors, _MOST_VALUES), *with_number]
        places = dict.fromkeys((*near, *alike))
        self._said.work += len(places)
        for place in places:
            other = source.anchors.get(place)
            assert other is not None  # no word is written like a value's key
            relation = agree(anchor, other)
            if relation == "same" or _same_day(anchor, other):
                same.append(place)
            elif relation in ("unit", "period"):
                rivals.append(place)
                differing.append(place)
            elif _is_like(anchor, other):
                rivals.append(place)
        if not same:
            same = [place for word in in_words(anchor) for place in source.places(word)]
        known = set(near)
        rivals.sort(key=lambda place: place not in known)
        return same[:_MOST_PLACES], rivals[:_MOST_PLACES], differing[:_MOST_PLACES]

    @lazy
    def _near_values(self) -> list[int]:
        """The values of the nearest units, of each the first ones."""
        found: list[int] = []
        for unit in self._said.units:
            values = filter(self._source.anchors.__contains__, range(unit.first, unit.end))
            found += islice(values, _MOST_PLACES)
        return found

    @lazy
    def _near_names(self) -> list[int]:
        """The names of the nearest units that the sentence does not hold."""
        source, said = self._source, self._said
        return [
            place
            for unit in said.units
            for place in range(unit.first, unit.end)
            if source.kinds[place] == "name" and source.keys[place] not in said.keys
        ][:_MOST_PLACES]

    def _derived(
        self, anchor: Anchor, *, sharply: bool
    ) -> tuple[Derivation | None, tuple[int, ...]]:
        """Return how the value follows from others, and which slots of the passages it took.

        A figure that a passage has with another unit or period must follow sharply: exactly, and
        not from that figure ("14 days ÷ 24" is no reason for "14 hours").
        """
        self._solved += 1
        self._said.work += _SOLVING_WORK
        if self._pool is None:
            self._pool = self._operands()
        pool = [one for one in self._pool if one.anchor.key != anchor.key]
        pool = [pool[number] for number in of_use(anchor, [one.anchor for one in pool])]
        if sharply:
            pool = [one for one in pool if one.anchor.number != anchor.number]
            anchor = anchor._replace(precision=ZERO)
        found = derive_from(anchor, [one.anchor for one in pool], [one.is_grounded for one in pool])
        if found is None:
            return derive_total(anchor, self._rows), ()
        places = (pool[number].place for number in found.sources)
        return found, tuple(place for place in places if place is not None)

    def _operands(self) -> list[Stated]:
        """Return the values that a reckoning may start from.

        The sentence's own come first, then the question's, those of the nearest units, and those
        that the answer stated before.
        """
        source, said = self._source, self._said
        own = [
            Stated(slot.anchor, None, self._is_grounded(slot.anchor))
            for slot in (*said.slots, *said.question)
            if slot.anchor is not None
        ][:_STATED]
        near = [
            Stated(anchor, place, is_grounded=True)
            for place in self._near_values
            if (anchor := source.anchors.get(place)) is not None
        ]
        return [*own, *near, *reversed(said.told.values)]

    @lazy
    def _rows(self) -> list[list[Anchor]]:
        """What a total may be of: what the answer listed, and the columns of the nearest table."""
        said, source = self._said, self._source
        results = said.told.results
        listed = [results[first:] for first in range(len(results) - 1)]
        rows = (unit for unit in said.nearest if source.units[unit].is_row)
        return [*listed, *(columns for row in islice(rows, 1) for columns in source.columns(row))]

    def _is_grounded(self, anchor: Anchor) -> bool:
        """Say whether question or passages hold a value, or its bare figure ("68.0" of £68.0m)."""
        if anchor.kind == "number" and self._source.numbered(anchor.number):
            return True
        keys = {f"#{anchor.key}"}
        if anchor.number is not None:
            keys.add(f"#{plain(anchor.number)}")
        return not keys.isdisjoint(self._said.asked) or any(map(self._source.holds, keys))

    def _name(self, number: int) -> Edit:
        said, source = self._said, self._source
        slot = said.slots[number]
        same = [*source.places(slot.key), *source.places_below(slot.key)][:_MOST_PLACES]
        rivals = self._near_names
        around = said.around(number)
        said.count(around, len(same) + len(rivals))
        likeness = Likeness(source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked
        margin = 0.0 if absent else rival - best_same
        figures = (
            float(absent), float(asked), margin, max(margin, 0.0), said.covered,
            float(self._many), said.late,
        )  # fmt: skip
        risk = risk_of("name", figures)
        return Edit("name", slot.start, slot.end, slot, place, figures, risk, absent, asked)


def _same_day(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two dates are the same day of a year that only one of them names."""
    if anchor.kind != "date" or other.kind != "date":
        return False
    keys = {key[-6:] for key in (other.key, *other.ambiguous) if len(key) > 6}
    bare = anchor.key.startswith("--") or other.key.startswith("--")
    return bare and any(key[-6:] in keys for key in (anchor.key, *anchor.ambiguous))


def _is_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, and of quantities of one unit or number."""
    if anchor.kind == "quantity":
        if other.kind != "quantity":
            return False
        return anchor.unit == other.unit or anchor.number == other.number
    if anchor.kind == "year":
        return other.kind in ("year", "date")
    return anchor.kind == other.kind
