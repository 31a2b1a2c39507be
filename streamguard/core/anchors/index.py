"""Every anchor of the sources by value, so that a look-up does not depend on their number."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from streamguard.core.anchors.agreement import agree
from streamguard.core.anchors.dates import containing, day_number
from streamguard.core.anchors.value import Anchor, distance, plain, plus

Relation = Literal["same", "unit", "period", "none"]

# Different units, periods and kinds of one number that are kept and compared; guess.
_MAX_SAME_NUMBER = 64
# Neighbours in value that are compared when the answer rounds; guess.
_MAX_NEIGHBOURS = 32
_RANK = {"same": 0, "period": 1, "unit": 2, "no": 3}


@dataclass(frozen=True, slots=True)
class Match:
    """What the sources say about an answer's anchor.

    `anchor` in chunk number `chunk` is the one that supports or contradicts it; with relation
    "none" the nearest of the same kind, None where there is none.
    """

    relation: Relation
    chunk: int | None
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class _Entry:
    chunk: int
    anchor: Anchor


class _Table:
    """The anchors of one chunk, or of all of them."""

    def __init__(self) -> None:
        self.by_number: dict[str, list[_Entry]] = {}
        self.by_key: dict[str, list[_Entry]] = {}
        # (kind, unit) -> sorted values; the entry that first had a value.
        self.values: dict[tuple[str, str | None], list[Decimal]] = {}
        self.first: dict[tuple[str, str | None, Decimal], _Entry] = {}

    def add(self, entry: _Entry) -> None:
        anchor = entry.anchor
        for key in _keys(anchor):
            self._keep(self.by_key, key, entry)
        for number in _numbers(anchor):
            self._keep(self.by_number, plain(number), entry)
        for other in anchor.ambiguous if anchor.number is not None else ():
            self._keep(self.by_number, other, entry)
        for value in (_order(anchor), anchor.high):
            if value is not None:
                self._sort(anchor, value, entry)

    def _keep(self, table: dict[str, list[_Entry]], key: str, entry: _Entry) -> None:
        entries = table.setdefault(key, [])
        mark = _signature(entry.anchor)
        if len(entries) < _MAX_SAME_NUMBER and all(_signature(e.anchor) != mark for e in entries):
            entries.append(entry)

    def _sort(self, anchor: Anchor, value: Decimal, entry: _Entry) -> None:
        group = (anchor.kind, anchor.unit)
        if (*group, value) not in self.first:
            self.first[(*group, value)] = entry
            insort(self.values.setdefault(group, []), value)

    def best(self, anchor: Anchor) -> tuple[str, _Entry | None]:
        relation, best = "no", None
        for entry in self._candidates(anchor):
            now = agree(anchor, entry.anchor)
            if _RANK[now] < _RANK[relation]:
                relation, best = now, entry
                if now == "same":
                    break
        return relation, best

    def _candidates(self, anchor: Anchor) -> Iterable[_Entry]:
        for key in (anchor.key, *anchor.ambiguous):
            yield from self.by_key.get(key, ())
            yield from self.by_number.get(key, ())
        for number in {plain(number) for number in _numbers(anchor)} - {anchor.key}:
            yield from self.by_number.get(number, ())
        if anchor.value is not None and anchor.precision:
            for group in self.values:
                if group[0] == anchor.kind or group[1] is None or anchor.unit is None:
                    yield from self._near(group, anchor)

    def _near(self, group: tuple[str, str | None], anchor: Anchor) -> Iterable[_Entry]:
        assert anchor.value is not None
        centre = anchor.value if group[1] == anchor.unit else anchor.number or anchor.value
        values = self.values[group]
        lowest = plus(centre, -anchor.precision)
        highest = plus(centre, anchor.precision)
        at = bisect_left(values, lowest)
        for value in values[at : at + _MAX_NEIGHBOURS]:
            if value > highest:
                break
            yield self.first[(*group, value)]

    def nearest(self, anchor: Anchor) -> _Entry | None:
        """Return the entry of the same kind, and unit if possible, whose value is closest."""
        order = _order(anchor)
        groups = [group for group in self.values if group[0] == anchor.kind]
        groups.sort(key=lambda group: group[1] != anchor.unit)
        if order is None or not groups:
            return None
        group = groups[0]
        values = self.values[group]
        at = bisect_left(values, order)
        around = values[max(0, at - 1) : at + 1]
        closest = min(around, key=lambda value: distance(value, order))
        return self.first[(*group, closest)]


class AnchorIndex:
    """Holds every anchor of the sources by value between calls."""

    def __init__(self) -> None:
        self._all = _Table()
        self._chunks: dict[int, _Table] = {}

    def add(self, chunk: int, anchors: Iterable[Anchor]) -> None:
        """Add the anchors of chunk number `chunk`; may be called again for the same chunk."""
        table = self._chunks.setdefault(chunk, _Table())
        for anchor in anchors:
            entry = _Entry(chunk, anchor)
            table.add(entry)
            self._all.add(entry)

    def find(self, anchor: Anchor, chunks: Collection[int] | None = None) -> Match:
        """Return what the sources (only `chunks`, where given) say about `anchor`.

        The best relation wins: same, then period, then unit. A range is also supported by its
        two ends in one chunk, a full date by its day and its year in one chunk.
        """
        tables = (
            [self._all]
            if chunks is None
            else [self._chunks[chunk] for chunk in sorted(chunks) if chunk in self._chunks]
        )
        relation, best = "no", None
        for table in tables:
            now, entry = table.best(anchor)
            if _RANK[now] < _RANK[relation]:
                relation, best = now, entry
        if relation != "same" and (parts := _parts(anchor)):
            together = self._together(parts, chunks)
            if together is not None:
                return Match("same", together.chunk, together.anchor)
        if best is not None:
            return Match(_relation(relation), best.chunk, best.anchor)
        nearest = next((entry for table in tables if (entry := table.nearest(anchor))), None)
        return Match(
            "none", nearest.chunk if nearest else None, nearest.anchor if nearest else None
        )

    def _together(
        self, parts: tuple[Anchor, Anchor], chunks: Collection[int] | None
    ) -> _Entry | None:
        numbers = sorted(self._chunks if chunks is None else set(chunks) & set(self._chunks))
        for chunk in numbers:
            relation, entry = self._chunks[chunk].best(parts[0])
            if relation == "same" and self._chunks[chunk].best(parts[1])[0] == "same":
                return entry
        return None


def _relation(agreement: str) -> Relation:
    return "same" if agreement == "same" else "period" if agreement == "period" else "unit"


def _signature(anchor: Anchor) -> tuple[object, ...]:
    return (anchor.kind, anchor.unit, anchor.period, anchor.scale, anchor.approx, anchor.key)


def _keys(anchor: Anchor) -> Iterable[str]:
    if anchor.kind in ("date", "year"):
        keys = {key for one in (anchor.key, *anchor.ambiguous) for key in containing(one)}
        if anchor.kind == "date" and anchor.key[-3:-2] == "-":
            keys.add(str(int(anchor.key[-2:])) if anchor.key[-2:].isdigit() else anchor.key)
        return keys
    if anchor.kind in ("time", "version", "identifier"):
        return (anchor.key, *anchor.ambiguous)
    return ()


def _numbers(anchor: Anchor) -> set[Decimal]:
    written = (anchor.number, anchor.high_number, anchor.value, anchor.high)
    return {number for number in written if number is not None}


def _order(anchor: Anchor) -> Decimal | None:
    return day_number(anchor.key) if anchor.kind == "date" else anchor.value


def _parts(anchor: Anchor) -> tuple[Anchor, Anchor] | None:
    """Return the two anchors that together say what `anchor` says; None for a single value."""
    if anchor.high is not None and anchor.high_number is not None:
        low = replace(anchor, high=None, high_number=None, key=anchor.key.partition("..")[0])
        high = replace(
            low, value=anchor.high, number=anchor.high_number, key=anchor.key.partition("..")[2]
        )
        return low, high
    if anchor.kind == "date" and len(anchor.key) == 10 and not anchor.key.startswith("--"):
        return replace(anchor, key=f"-{anchor.key[4:]}"), replace(
            anchor, kind="year", key=anchor.key[:4]
        )
    return None
