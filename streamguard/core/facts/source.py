"""The passages as units: sentences, table rows and list items with what stands above them."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import nsmallest
from itertools import groupby
from operator import attrgetter
from typing import Final

from streamguard.core.facts.siblings import Alone, Siblings, is_row
from streamguard.core.facts.slots import Clause, Slot, clauses_of
from streamguard.text.patterns import lazy_re
from streamguard.text.words import Memo
from streamguard.values import Anchor

# Weight of a word of the surroundings that stands near the place, elsewhere in its unit, or above
# it. Near is the place's clause within `NEAR` slots, or all of these where it has the clause to
# itself; in a table its cell, the row's label and the column's head. Chosen among a few on
# everyday_dev, out of fold; 0.5 and 0.25 in place of the last two change little.
NEAR: Final = 5
IN_UNIT: Final = 0.35
AROUND: Final = 0.3
_NEARBY: Final = 1.0 - IN_UNIT
_ROUNDING = 1e-9
# Of a word that no passage holds, beside the rarest that one holds.
_ABSENT: Final = 0.6
_ITEM = lazy_re(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_HEADING = lazy_re(r"\s*(?:#|\*\*)")
_ENDS = (".", "!", "?")
_HEADING_SLOTS = 8  # at most, of a line that ends without a stop
_MOST_UNITS = 100  # with one key that are looked at; guess, more than any real passage has
_MOST_ROWS = 60  # of a table whose columns are added up, its head among them; guess
_MOST_NEAR = 200  # units whose surroundings are looked at as well, those that hold most; guess

Surroundings = Mapping[str, float]
_EMPTY: Final[frozenset[str]] = frozenset()
_NO_ROWS: Final[list[int]] = []


@dataclass(slots=True)
class Unit:
    """A sentence, row or item of a passage.

    `first` and `end` number its slots among those of all passages; `keys` are theirs, of a row
    also those of the heads above its cells; `above` the others of its heading, its list's lead-in
    and the sentence before it. `number` is the sentence's among those of all chunks.
    """

    chunk: int
    number: int
    first: int
    end: int
    keys: frozenset[str]
    above: frozenset[str]
    is_row: bool
    _clauses: list[Clause] | None = field(default=None, repr=False)


class Source:
    """The slots of all passages by key and place; grown sentence by sentence, then asked."""

    def __init__(self) -> None:
        # The slots by column: a collector looks at every tuple, and at no text or number.
        self.keys: list[str] = []
        self.kinds: list[str] = []
        self.anchors: dict[int, Anchor] = {}
        self._starts, self._ends, self._clauses = array("l"), array("l"), array("l")
        self._senses = bytearray()
        self.units: list[Unit] = []
        self.unit_of: list[int] = []  # of each slot
        self._places: dict[str, list[int]] = defaultdict(list)  # key -> slots
        self._numbered: dict[Decimal | None, list[int]] = {}  # number as written -> slots
        self._rows_below: dict[str, list[int]] = {}  # key of a head -> the rows' units
        self._cells_below: dict[str, list[int]] = {}  # key of a head -> its cells' first slots
        self._above: dict[int, frozenset[str]] = {}  # a row's slot -> its label's and head's keys
        self._near: dict[int, frozenset[str]] = {}  # of the places that were asked for
        # ln((1 + N) / (1 + df)) + 1 over the units, less for a key that none holds; to be asked
        # once all sentences are added.
        self.weights = Memo(self._weight)
        self._units_with = Memo(self._read_units)  # likewise
        self._chunk = -1
        self._title = self._lead = self._before = _EMPTY
        self._head: dict[int, frozenset[str]] | None = None  # of the table at hand, by column
        self.siblings = Siblings()

    def add(
        self, chunk: int, number: int, text: str, slots: Sequence[Slot], alone: Alone | None
    ) -> None:
        """Add the next sentence of a chunk: its folded text, its slots, what it tells by itself.

        The last is None of a table's row, and where there are no slots.
        """
        if chunk != self._chunk:
            self.siblings.finish()
            self._chunk, self._head = chunk, None
            self._title = self._lead = self._before = _EMPTY
        if alone is not None:
            self._head = None
            self.siblings.add_sentence(alone, slots, len(self.keys), len(self.units))
            self._add_sentence(number, text, slots)
        elif is_row(text):
            self._add_row(number, slots)
        else:
            self._head = None

    def _add_row(self, number: int, slots: Sequence[Slot]) -> None:
        if not slots:
            return  # a rule
        cells = _cells(slots)
        self.siblings.add_row(slots, len(self.keys), len(self.units), is_head=self._head is None)
        if self._head is None:
            self._head = cells
            self._push(number, slots, self._title | self._before, _EMPTY)
            return
        label = next(iter(cells.values()))
        begin, cell = len(self.keys), -1
        for place, slot in enumerate(slots, begin):
            head = self._head.get(slot.clause, _EMPTY)
            self._above[place] = label | head
            if slot.clause != cell:
                cell = slot.clause
                for key in head:
                    self._cells_below.setdefault(key, []).append(place)
        above = _EMPTY.union(*self._head.values())
        self._push(number, slots, self._title | self._before, above)

    def _add_sentence(self, number: int, text: str, slots: Sequence[Slot]) -> None:
        is_item = _ITEM.match(text) is not None
        around = self._title | self._before | (self._lead if is_item else _EMPTY)
        self._push(number, slots, around)
        keys = self.units[-1].keys
        stripped = text.rstrip()
        is_heading = len(slots) <= _HEADING_SLOTS and not stripped.endswith(_ENDS)
        opens = not self._before and is_heading
        if opens or _HEADING.match(text):
            self._title = keys
        if not is_item and (is_heading or stripped.endswith((":", "?"))):
            self._lead = keys
        self._before = keys

    def _push(
        self, number: int, slots: Sequence[Slot], around: frozenset[str],
        heads: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        """Add a unit; `heads` are the keys above the cells of a row, None of what is no row."""
        unit, begin = len(self.units), len(self.keys)
        places = self._places
        keys, kinds, starts, ends, clauses, senses, anchors = zip(*slots, strict=True)
        self.keys += keys
        self.kinds += kinds
        self._starts.extend(starts)
        self._ends.extend(ends)
        self._clauses.extend(clauses)
        self._senses.extend(senses)
        for place, (key, kind) in enumerate(zip(keys, kinds, strict=True), begin):
            places[key].append(place)
            if kind == "name" and "-" in key:  # "the Oslovik-Sandoy ferry" goes to Sandoy
                for part in key.split("-"):
                    places[part].append(place)
        for place, anchor in enumerate(anchors, begin):
            if anchor is not None:
                self.anchors[place] = anchor
                self._numbered.setdefault(anchor.number, []).append(place)
        self.unit_of += [unit] * len(slots)
        own, is_row = frozenset(keys), heads is not None
        for key in (heads or _EMPTY) - own:
            self._rows_below.setdefault(key, []).append(unit)
        held, end = own | (heads or _EMPTY), len(self.keys)
        self.units.append(Unit(self._chunk, number, begin, end, held, around - held, is_row))

    def slot(self, place: int) -> Slot:
        """Return one slot."""
        return Slot(
            self.keys[place], self.kinds[place], self._starts[place], self._ends[place],
            self._clauses[place], self._senses[place], self.anchors.get(place),
        )  # fmt: skip

    def places(self, key: str) -> Sequence[int]:
        """Return the slots that hold the key, in order."""
        return self._places.get(key, ())

    def places_below(self, key: str) -> Sequence[int]:
        """Return the first slots of the cells below a head with the key, in order."""
        return self._cells_below.get(key, ())

    def numbered(self, number: Decimal | None) -> Sequence[int]:
        """Return the slots that are values with this number as written, in order."""
        return self._numbered.get(number, ())

    def are_together(self, keys: frozenset[str], beside: frozenset[int]) -> bool:
        """Say whether a unit other than those beside holds all of some keys, of heads too."""
        units = (set(self._units_with[key]) for key in keys)
        return not set.intersection(*units) <= beside

    def holds(self, key: str) -> bool:
        """Say whether a passage holds the key."""
        return key in self._places

    def _weight(self, key: str) -> float:
        df = len(self._units_with[key])
        found = math.log((1 + len(self.units)) / (1 + df)) + 1
        return found if df else found * _ABSENT

    def _read_units(self, key: str) -> list[int]:
        """Return the units that hold the key or stand in a column below it, each once."""
        units = list(map(self.unit_of.__getitem__, self._places.get(key, ())))
        if len(units) > 1:
            units = list(dict.fromkeys(units))
        return units + self._rows_below.get(key, _NO_ROWS)

    def nearest(self, surroundings: Surroundings, most: int) -> list[int]:
        """Return the units that hold most of the surroundings' weight, the best first.

        Ties go to the first unit. Units that only stand below some of the words are no candidates.
        """
        scores: dict[int, float] = defaultdict(float)
        for key, weight in surroundings.items():
            for unit in self._units_with[key][:_MOST_UNITS]:
                scores[unit] += weight
        if len(scores) > most:
            # What stands above a unit lifts none over those that are better by more than all of it.
            least = sorted(scores.values(), reverse=True)[most - 1]
            least -= AROUND * math.fsum(surroundings.values())
            scores = {unit: score for unit, score in scores.items() if score >= least}
        if len(scores) > _MOST_NEAR:
            best = nsmallest(_MOST_NEAR, scores, key=lambda unit: (-scores[unit], unit))
            scores = {unit: scores[unit] for unit in best}
        for unit in scores:
            scores[unit] += AROUND * weight_of(surroundings, self.units[unit].above)
        found: dict[frozenset[str], int] = {}  # passages overlap, and one may be given twice
        for unit in sorted(scores, key=lambda unit: (-scores[unit], unit)):
            found.setdefault(self.units[unit].keys, unit)
            if len(found) == most:
                break
        return list(found.values())

    def near(self, place: int) -> frozenset[str]:
        """Return the keys near a slot: its clause's, or cell's, row's label and column's head."""
        found = self._near.get(place)
        if found is None:
            unit, clauses = self.units[self.unit_of[place]], self._clauses
            clause = clauses[place]
            if unit.is_row:
                cell = [n for n in range(unit.first, unit.end) if clauses[n] == clause]
                beside = [self.keys[n] for n in cell]
            else:
                first, end = max(unit.first, place - NEAR), min(unit.end, place + NEAR + 1)
                inside = [n for n in range(first, end) if clauses[n] == clause and n != place]
                beside = [self.keys[n] for n in inside]
                if not beside:
                    beside = self.keys[first:place] + self.keys[place + 1 : end]
            found = self._above.get(place, _EMPTY).union(beside)
            self._near[place] = found
        return found

    def columns(self, row: int) -> list[list[Anchor]]:
        """Return the values of the table that a row's unit is in, by column, without its head.

        Of a table of more than `_MOST_ROWS` rows there are none: a part of it has no total.
        """
        units, first, last = self.units, row, row
        while first and last - first < _MOST_ROWS and self._is_beside(units[first - 1], units[row]):
            first -= 1
        for after in units[row + 1 : first + _MOST_ROWS + 1]:
            if not self._is_beside(after, units[row]):
                break
            last += 1
        if last - first == _MOST_ROWS:
            return []
        found: dict[int, list[Anchor]] = defaultdict(list)
        for place in range(units[first].end, units[last].end):
            if place in self.anchors:
                found[self._clauses[place]].append(self.anchors[place])
        return list(found.values())

    @staticmethod
    def _is_beside(one: Unit, other: Unit) -> bool:
        return one.is_row and one.chunk == other.chunk

    def clauses(self, unit: int) -> list[Clause]:
        """Return the clauses of a unit; read on first need and kept."""
        at = self.units[unit]
        if at._clauses is None:  # noqa: SLF001
            at._clauses = clauses_of([*map(self.slot, range(at.first, at.end))])  # noqa: SLF001
        return at._clauses  # noqa: SLF001


def _cells(slots: Sequence[Slot]) -> dict[int, frozenset[str]]:
    """Return the keys of each cell of a row by its clause, which numbers its column."""
    cells = groupby(slots, key=attrgetter("clause"))
    return {clause: frozenset([slot.key for slot in cell]) for clause, cell in cells}


def weight_of(surroundings: Surroundings, keys: frozenset[str]) -> float:
    """Return the weight of the surroundings that some keys hold."""
    # In whatever order a set gives them, their exact sum is one.
    return math.fsum(map(surroundings.__getitem__, surroundings.keys() & keys))


class Likeness:
    """How much of some surroundings stands at places of the passages, near them counting most."""

    def __init__(self, source: Source, surroundings: Surroundings) -> None:
        self._source = source
        self._surroundings = surroundings
        self.total = sum(surroundings.values()) or 1.0
        # Likeness of a unit, and of its best place.
        self._units: dict[int, tuple[float, float]] = {}

    def share(self, unit: int) -> float:
        """Return the share of the weight that stands anywhere in or above a unit."""
        return self._of_unit(unit)[0] / self.total

    def at(self, place: int) -> float:
        """Return the weight that stands in or above a place's unit, and near the place."""
        inside = weight_of(self._surroundings, self._source.near(place))
        return self._of_unit(self._source.unit_of[place])[0] + _NEARBY * inside

    def best(self, places: Sequence[int]) -> tuple[int | None, float]:
        """Return the place with the largest likeness, the first of equal ones, and its share."""
        largest, found, unit_of = 0.0, None, self._source.unit_of
        for place in places:
            # What stands near a place is held by its unit.
            if found is None or self._of_unit(unit_of[place])[1] > largest:
                likeness = self.at(place)
                if found is None or likeness > largest:
                    largest, found = likeness, place
        return found, largest / self.total

    def _of_unit(self, unit: int) -> tuple[float, float]:
        known = self._units.get(unit)
        if known is None:
            at, surroundings = self._source.units[unit], self._surroundings
            inside = weight_of(surroundings, at.keys)
            likeness = IN_UNIT * inside + AROUND * weight_of(surroundings, at.above)
            # Rounding may not make a place's likeness more than its unit's best.
            known = self._units[unit] = (likeness, likeness + _NEARBY * inside + _ROUNDING)
        return known
