"""Looks up where the passages have a value of a sentence, and which others stand near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from streamguard.core.facts.said import Said
from streamguard.core.facts.standing import is_near
from streamguard.core.reading.slots import WHOLES
from streamguard.text.patterns import lazy
from streamguard.values import Anchor, agree
from streamguard.values.agreement import in_words
from streamguard.values.weekdays import WEEKDAY

MOST_PLACES: Final = 40  # of one slot that are compared, on either side and in one unit; guess
# Of all passages: values that an absent value is compared with, after those with its number;
# guess, three times as many as the passages of any everyday or RAGTruth answer hold.
MOST_VALUES: Final = 200


class ValuePlaces(NamedTuple):
    """Slots of the passages that a value is laid beside.

    `same`: they have it; `rivals`: another one of its kind, of these `differing`: its number with
    another unit or period; `near`: one of nearly its size, which the sentence does not state.
    """

    same: Sequence[int]
    rivals: Sequence[int]
    differing: Sequence[int]
    near: Sequence[int]


class Nearby:
    """The values and names of the passages that stand near one sentence."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._source = said.source

    @lazy
    def values(self) -> list[int]:
        """The values of the nearest units, of each the first ones."""
        return [place for unit in self._said.nearest for place in self.of_unit(unit)]

    @lazy
    def names(self) -> list[int]:
        """The names of the nearest units that the sentence does not hold."""
        source, said = self._source, self._said
        return [
            place
            for unit in said.units
            for place in source.kinds.names(unit.first, unit.end)
            if source.keys[place] not in said.keys
        ][:MOST_PLACES]

    def of_unit(self, number: int) -> Sequence[int]:
        """Return the first values of a unit."""
        unit = self._source.units[number]
        return self._source.anchors.between(unit.first, unit.end)[:MOST_PLACES]

    def places_of(self, key: str, anchor: Anchor) -> ValuePlaces:
        """Return where the passages hold the value, and others like it, those nearby first."""
        source, keys = self._source, self._said.keys
        same, rivals, differing = list[int](), list[int](), list[int]()
        near = self.values
        alike: Sequence[int] = source.places(key, MOST_PLACES)
        if not alike:
            with_number = source.numbered(anchor.number)[:MOST_PLACES]
            alike = [*source.anchors.first(MOST_VALUES), *with_number]
        places = dict.fromkeys((*near, *alike))
        self._said.work += len(places)
        is_date = anchor.kind == "date"
        found = source.anchors.of(places)  # no word is written like a value's key
        for place, other in found:
            relation = agree(anchor, other)
            if relation == "same" or (is_date and _same_day(anchor, other)):
                same.append(place)
            elif relation != "no" or _is_like(anchor, other):
                rivals.append(place)
                if relation != "no":
                    differing.append(place)
        if not same:
            in_letters = in_words(anchor)
            same = [place for word in in_letters for place in source.places(word, MOST_PLACES)]
            if anchor.unit == WEEKDAY:
                same += self._every_day()
        if len(places) > len(near):
            known = set(near)
            rivals.sort(key=lambda place: place not in known)
        first = slice(MOST_PLACES)
        if same:
            return ValuePlaces(same[first], rivals[first], differing[first], ())
        similar = [
            place
            for place, other in found
            if is_near(anchor, other)
            and f"#{other.key}" not in keys
            and (anchor.kind != "amount" or self._may_be_money(place))
        ]
        return ValuePlaces(same, rivals[first], differing[first], similar[first])

    def _every_day(self) -> Iterator[int]:
        """Yield where a passage speaks of every day, any day, all seven days."""
        keys = self._source.keys
        for place in self._source.places("day", MOST_PLACES):
            if place and keys[place - 1] in WHOLES:
                yield place

    def _may_be_money(self, place: int) -> bool:
        """Say whether a value is an amount, or a bare figure where no amount has its sign.

        Beside amounts a figure without cents counts something else, as lessons or miles.
        """
        source = self._source
        one, unit = source.anchors[place], source.units[source.unit_of[place]]
        if one.kind == "amount" or one.rounded:
            return True
        beside = source.anchors.between(unit.first, unit.end)
        return not any(source.anchors[other].kind == "amount" for other in beside)


def _same_day(anchor: Anchor, other: Anchor) -> bool:
    """Say whether a date and another value are one day of a year that only one of them names."""
    if other.kind != "date":
        return False
    keys = {key[-6:] for key in (other.key, *other.ambiguous) if len(key) > 6}
    bare = anchor.key.startswith("--") or other.key.startswith("--")
    return bare and any(key[-6:] in keys for key in (anchor.key, *anchor.ambiguous))


def _is_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, and of quantities of one unit or number."""
    if anchor.kind == other.kind == "date":
        return anchor.unit == other.unit
    if anchor.kind == other.kind == "quantity":
        return anchor.unit == other.unit or anchor.number == other.number
    if anchor.noun or other.noun:  # "35 people" beside "35 %"
        return anchor.kind == other.kind or anchor.number == other.number
    return anchor.kind == other.kind or (anchor.kind, other.kind) == ("year", "date")
