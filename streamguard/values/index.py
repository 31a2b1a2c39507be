"""Every anchor of the sources by value, so that a look-up does not depend on their number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from streamguard.values.agreement import CONVERSION_LEAST, agree, dotted_times, rounds
from streamguard.values.dates import containing, day_number
from streamguard.values.value import Anchor, minus, plus, power_of_ten, quotient, size_of, times

Relation = Literal["same", "given", "unit", "period", "none"]

# Different units, periods and kinds of one number that are kept and compared; guess.
_MAX_SAME_NUMBER = 64
# Neighbours in value that are compared when the answer rounds, or looked at for the nearest in
# given chunks; guess.
_MAX_NEIGHBOURS = 32
_RANK = {"same": 0, "period": 1, "unit": 2}


@dataclass(frozen=True, slots=True)
class Match:
    """What the sources say about an answer's anchor.

    `anchor` in chunk number `chunk` is the one that supports or contradicts it; with relation
    "none" the nearest of the same kind, None where there is none; "given" likewise, where the
    answer states no such value of the sources.
    """

    relation: Relation
    chunk: int | None
    anchor: Anchor | None

    @property
    def stands(self) -> bool:
        """Whether the answer may have the value."""
        return self.relation in ("same", "given")


@dataclass(slots=True, eq=False)  # not frozen: one is made for every value
class _Seen:
    """One value of the sources and the first anchor with it in every chunk."""

    sample: Anchor
    places: dict[int, Anchor] = field(default_factory=dict)

    def place(self, chunks: Collection[int] | None) -> tuple[int, Anchor] | None:
        """Return the first chunk, of `chunks` where given, that holds the value."""
        if chunks is None:
            return next(iter(self.places.items()))
        held = [chunk for chunk in chunks if chunk in self.places]
        return (min(held), self.places[min(held)]) if held else None


_Group = tuple[str, str | None]


class AnchorIndex:
    """Holds every anchor of the sources by value between calls."""

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], _Seen] = {}
        self._by: dict[str | Decimal, list[_Seen]] = {}  # by key and by written number
        # (kind, unit) -> values; sorted on first need after an addition.
        self._values: dict[_Group, list[Decimal]] = {}
        self._unsorted: set[_Group] = set()
        self._at: dict[tuple[str, str | None, Decimal], _Seen] = {}

    def add(self, chunk: int, anchors: Iterable[Anchor]) -> None:
        """Add the anchors of chunk number `chunk`; may be called again for the same chunk."""
        for anchor in anchors:
            mark = _mark(anchor)
            seen = self._seen.get(mark)
            if seen is None:
                seen = self._seen[mark] = _Seen(anchor)
                self._register(seen)
            seen.places.setdefault(chunk, anchor)

    def _register(self, seen: _Seen) -> None:
        anchor = seen.sample
        keys: tuple[str | Decimal, ...] = (*_keys(anchor), *_numbers(anchor))
        for key in keys:
            _keep(self._by.setdefault(key, []), seen)
        group = (anchor.kind, anchor.unit)
        for value in (_order(anchor), anchor.high):
            if value is not None and self._at.setdefault((*group, value), seen) is seen:
                self._values.setdefault(group, []).append(value)
                self._unsorted.add(group)

    def find(self, anchor: Anchor, chunks: Collection[int] | None = None) -> Match:
        """Return what the sources (only `chunks`, where given) say about `anchor`.

        The best relation wins: same, then period, then unit.
        """
        best = self._best(anchor, chunks)
        return best or Match("none", *(self._nearest(anchor, chunks) or (None, None)))

    def _best(self, anchor: Anchor, chunks: Collection[int] | None) -> Match | None:
        best: Match | None = None
        for seen in self._candidates(anchor):
            now = agree(anchor, seen.sample)
            if now == "no" or (best is not None and _RANK[now] >= _RANK[best.relation]):
                continue
            if place := seen.place(chunks):
                best = Match(now, *place)
                if now == "same":
                    break
        return best

    def _candidates(self, anchor: Anchor) -> Iterator[_Seen]:
        others = sorted(dotted_times(anchor) - {anchor.key})
        keys: tuple[str | Decimal, ...] = (anchor.key, *anchor.ambiguous, *others)
        for key in (*keys, *_numbers(anchor)):
            yield from self._by.get(key, ())
        if anchor.value is None or not rounds(anchor):
            return
        groups = (anchor.kind, anchor.unit), (anchor.kind, None), ("number", None)
        for group in dict.fromkeys(groups):
            yield from self._near(group, anchor)

    def _near(self, group: _Group, anchor: Anchor) -> Iterator[_Seen]:
        centre = anchor.value if group == (anchor.kind, anchor.unit) else anchor.number
        assert centre is not None  # what rounds has a value and a number
        reach = max(anchor.precision, times(size_of(centre), CONVERSION_LEAST))
        values = self._sorted(group)
        at, highest = bisect_left(values, minus(centre, reach)), plus(centre, reach)
        for value in values[at : at + _MAX_NEIGHBOURS]:
            if value > highest:
                break
            yield self._at[(*group, value)]

    def _nearest(self, anchor: Anchor, chunks: Collection[int] | None) -> tuple[int, Anchor] | None:
        """Return the anchor of the same kind and dimension whose value is closest.

        Of amounts the same currency is looked at first, then the others.
        """
        order = _order(anchor)
        if order is None:
            return None
        # A length is no evidence about a temperature, but euros are near dollars.
        near = [
            (unit != anchor.unit, size_of(minus(value, order)), (kind, unit, value))
            for kind, unit in self._values
            if kind == anchor.kind and (unit == anchor.unit or kind == "amount")
            for value in self._around((kind, unit), order)
        ]
        near.sort(key=lambda one: one[:2])
        return next(filter(None, (self._at[value].place(chunks) for *_, value in near)), None)

    def _around(self, group: _Group, value: Decimal) -> list[Decimal]:
        values = self._sorted(group)
        at = bisect_left(values, value)
        return values[max(0, at - _MAX_NEIGHBOURS) : at + _MAX_NEIGHBOURS]

    def _sorted(self, group: _Group) -> list[Decimal]:
        values = self._values.get(group, [])
        if group in self._unsorted:
            values.sort()
            self._unsorted.discard(group)
        return values


def _keep(entries: list[_Seen], seen: _Seen) -> None:
    if len(entries) < _MAX_SAME_NUMBER:
        entries.append(seen)


def _mark(anchor: Anchor) -> tuple[object, ...]:
    """Return what distinguishes an anchor from others for `agree`."""
    compared = anchor.kind, anchor.key, anchor.unit, anchor.family, anchor.period, anchor.scale
    told = anchor.approx, anchor.precision, anchor.each, anchor.once, anchor.noun is not None
    return *compared, *told


def _keys(anchor: Anchor) -> Iterable[str]:
    if anchor.kind in ("date", "year"):
        return {key for one in (anchor.key, *anchor.ambiguous) for key in containing(one)}
    if anchor.value is None or anchor.kind == "time":
        return (anchor.key, *anchor.ambiguous, anchor.text.casefold())
    return (*dotted_times(anchor), *anchor.ambiguous, anchor.text)


def _numbers(anchor: Anchor) -> list[Decimal]:
    value, number = anchor.value, anchor.number
    if value is None or number is None:
        return [] if value is None else [value]
    if value is number and not (anchor.high or anchor.ambiguous or anchor.exponent):
        return [value]  # of most anchors
    written = number, anchor.high_number, value, anchor.high, *map(Decimal, anchor.ambiguous)
    numbers = [each for each in written if each is not None]
    if anchor.exponent:  # of a table in millions
        numbers.append(quotient(number, power_of_ten(anchor.exponent)))
    return [*dict.fromkeys(numbers)]


def _order(anchor: Anchor) -> Decimal | None:
    return day_number(anchor.key) if anchor.kind == "date" else anchor.value
