"""The passages as units: sentences, table rows and list items with what stands above them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from heapq import nsmallest
from itertools import groupby, repeat
from math import fsum, log
from operator import attrgetter
from typing import Final, NamedTuple

from streamguard.core.facts.columns import NONE, Beside, Kinds, SlotColumns, Unit, Units, Values
from streamguard.core.facts.sentence_forms import SentenceForm
from streamguard.core.owners.outline import Outline
from streamguard.core.owners.siblings import Alone, Siblings
from streamguard.core.reading.slots import (
    ALONE,
    APART,
    JOINED,
    Clause,
    Slot,
    clauses_of,
    is_figure,
)
from streamguard.text.layout import Line
from streamguard.text.places import Members, Places
from streamguard.text.texts import Texts
from streamguard.text.words import Memo
from streamguard.values.packed import PackedAnchors
from streamguard.values.value import plain

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
_HEADING_SLOTS = 8  # at most, of a line that ends without a stop
_MOST_UNITS = 100  # with one key that are looked at; guess, more than any real passage has
_MOST_NEAR = 200  # units whose surroundings are looked at as well, those that hold most; guess

Surroundings = Mapping[str, float]
_EMPTY: Final[frozenset[str]] = frozenset()


class HeldKey(NamedTuple):
    """The units that hold a key or stand in a column below it, and its weight.

    That is ln((1 + N) / (1 + df)) + 1 over the units, less for a key that none holds.
    """

    units: Sequence[int]
    weight: float


class Source:
    """The slots of all passages by key and place; grown sentence by sentence, then asked."""

    def __init__(self, anchors: PackedAnchors) -> None:
        # The slots by column.
        self.keys = Texts()
        self._long_bytes = 0  # of keys that no other sentence is likely to hold, and their words
        self.kinds = Kinds()
        self.anchors = Values(anchors)
        self._starts, self._ends, self._clauses = array("H"), array("H"), array("H")
        self._senses = bytearray()  # of values their marks
        self._next = 0  # place of the next sentence's first slot
        self.units = Units(self.keys)
        self.unit_of = array("I")  # of each slot
        self._places = Places()  # key -> slots
        self._apart = Places()  # number as written -> slots whose keys say another one, or none
        self._rows_below = Places()  # key of a head -> the rows' units
        self._cells_below = Places()  # key of a head -> its cells' first slots
        self._near: dict[int, frozenset[str]] = {}  # of the places that were asked for
        # Of every key; to be asked once all sentences are added. The function does not hold the
        # source itself, which so goes with its last user.
        self.held = Memo(
            partial(_held_key, self.units, self.unit_of, self._places, self._rows_below)
        )
        self._chunk = -1
        self._title = self._lead = self._before = NONE  # units
        self._head: int | None = None  # of the table at hand
        self._is_open = False  # whether it has no bars at its ends
        self._heads: dict[int, frozenset[str]] = {}  # its keys by column
        self.siblings = Siblings()
        self.outline = Outline()
        self.owners = self.outline.owners

    def add_slots(self, columns: SlotColumns) -> None:
        """Add the slots of the next sentences, each of which `add` is then told of."""
        begin = len(self.keys)
        if self._next != begin:  # a sentence has failed: its slots are a unit by themselves
            self._push(self._chunk, begin - self._next, Beside())
        self.keys.extend(columns.keys)
        self._long_bytes += columns.long_bytes
        self.kinds.extend(columns.kinds)
        self._starts += columns.starts
        self._ends += columns.ends
        self._clauses += columns.clauses
        self._senses += columns.senses
        first = 0
        for place, parts in columns.joined:
            self._places.add_in_turn(columns.keys[first : place + 1], begin + first)
            self._places.add_to_each(parts, begin + place)
            first = place + 1
        self._places.add_in_turn(columns.keys[first:] if first else columns.keys, begin + first)
        for place, anchor in columns.values:
            self.anchors.add(begin + place, anchor)
        for written, place in columns.apart:
            self._apart.add(written, begin + place)

    def add(
        self,
        chunk: int,
        number: int,
        form: SentenceForm,
        slots: Sequence[Slot],
        alone: Alone | None,
        lines: Sequence[Line] = (),
        *,
        has_values: bool = False,
    ) -> None:
        """Add the next sentence of a chunk: its form, its slots, what it tells by itself.

        That is None of a table's row, and where there are no slots. `lines` begin in it. Its slots
        are added before, with `add_slots`.
        """
        if chunk != self._chunk:
            self.siblings.end_chunk()
            self.outline.begin_chunk()
            self._chunk, self._head = chunk, None
            self._title = self._lead = self._before = NONE
        self._is_open = self._is_open and self._head is not None and form.has_bar
        if alone is not None and not self._is_open:
            self._head = None
            self.siblings.add_sentence(alone, slots, self._next, self.units.count)
            self.outline.add(lines, slots, self._next, has_values=has_values)
            self._add_sentence(number, form, slots)
        elif self._is_open or form.is_row:
            self._add_row(number, slots)
        elif not form.is_frame:
            self._head = None
            if form.is_rule and self._before != NONE:
                self._open_table(self._before)
            else:
                self.outline.add(lines, slots, self._next, has_values=has_values)

    def _open_table(self, unit: int) -> None:
        """Begin a table without bars at its ends below the line before, which was its head."""
        begin = self.units[unit].first
        slots = self.slots_of(begin, self.units.end_of(unit))
        self._is_open = True
        self._head, self._heads = unit, _cells(slots)
        self.outline.add_row(slots, begin)
        self.siblings.add_row(slots, begin, unit, is_head=True)

    def _add_row(self, number: int, slots: Sequence[Slot]) -> None:
        if not slots:
            return  # a rule
        begin, unit = self._next, self.units.count
        self.siblings.add_row(slots, begin, unit, is_head=self._head is None)
        self.outline.add_row(slots, begin)
        beside = Beside(self._title, self._before)
        if self._head is None:
            self._head, self._heads = unit, _cells(slots)
            self._push(number, len(slots), beside, is_row=True)
            return
        cell = NONE
        for place, slot in enumerate(slots, begin):
            if slot.clause != cell:
                cell = slot.clause
                self._cells_below.add_to_each(self._heads.get(cell, _EMPTY), place)
        heads = _EMPTY.union(*self._heads.values()).difference([slot.key for slot in slots])
        self._rows_below.add_to_each(heads, unit)
        self._push(number, len(slots), beside._replace(head=self._head), is_row=True)

    def _add_sentence(self, number: int, form: SentenceForm, slots: Sequence[Slot]) -> None:
        unit = self.units.count
        lead = self._lead if form.is_item else NONE
        if lead != NONE:
            above = self.slots_of(self.units[lead].first, self.units.end_of(lead))
            self.siblings.leads.add(lead, above, slots, self._next, unit)
        self._push(number, len(slots), Beside(self._title, self._before, lead))
        is_heading = len(slots) <= _HEADING_SLOTS and not form.stops
        opens = self._before == NONE and is_heading
        if opens or form.is_marked:
            self._title = unit
        if not form.is_item and (is_heading or form.leads):
            self._lead = unit
        self._before = unit

    def _push(self, number: int, many: int, beside: Beside, *, is_row: bool = False) -> None:
        """Add a unit of so many slots."""
        begin = self._next
        self._next = end = begin + many
        self.unit_of.extend([self.units.count] * many)
        self.units.add(self._chunk, number, begin, end, beside, is_row=is_row)

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return self._places, self._apart, self._rows_below, self._cells_below

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        held = sum([each.held_bytes for each in self.lists]) + self.anchors.held_bytes
        held += self.keys.held_bytes + (0 if self.keys.is_packed else self._long_bytes)
        held += self.siblings.held_bytes + self.owners.held_bytes
        return held + 14 * len(self.keys) + 34 * self.units.count

    def slot(self, place: int) -> Slot:
        """Return one slot."""
        return self.slots_of(place, place + 1)[0]

    def slots_of(self, first: int, end: int) -> list[Slot]:
        """Return the slots at [first, end)."""
        columns = (self._starts, self._ends, self._clauses, self._senses)
        found = zip(
            self.keys[first:end],
            self.kinds.between(first, end),
            *[column[first:end] for column in columns],
            repeat(None),
            strict=False,
        )
        slots = [tuple.__new__(Slot, fields) for fields in found]
        for place in self.anchors.between(first, end):
            at = place - first
            slots[at] = slots[at]._replace(sense=0, anchor=self.anchors[place])
        return slots

    def places(self, key: str, most: int | None = None) -> Sequence[int]:
        """Return the slots that hold the key, in order; of more than `most` the first."""
        return self._places.of(key, most)

    def places_below(self, key: str) -> Sequence[int]:
        """Return the first slots of the cells below a head with the key, in order."""
        return self._cells_below.of(key)

    def numbered(self, number: Decimal | None) -> Sequence[int]:
        """Return the slots that are values with this number as written, in order."""
        apart = self._apart.of(number)
        if number is None:
            return apart
        senses = self._senses
        told = [at for at in self._places.of(f"#{plain(number)}") if not senses[at] & APART]
        return sorted([*told, *apart]) if apart else told

    def figures(self, word: str) -> list[int]:
        """Return the slots that are a figure of bare digits and stand for its word, in order."""
        if not is_figure(word):
            return []
        senses = self._senses
        return [place for place in self._places.of(f"#{word}") if senses[place] & ALONE]

    def chunks_with_figure(self, word: str) -> list[int]:
        """Return the chunks that hold such a figure, in order."""
        places, chunks, at = self.figures(word), list[int](), 0
        while at < len(places):
            unit = self.unit_of[places[at]]
            chunks.append(self.units.chunks[unit])
            last = bisect_right(self.units.chunks, chunks[-1], unit) - 1
            at = bisect_left(places, self.units.end_of(last), at)
        return chunks

    def are_joined(self, one: str, other: str) -> bool:
        """Say whether a figure stands next to another one, both of bare digits."""
        senses, keys, behind = self._senses, self.keys, f"#{other}"
        return any(senses[at] & JOINED and keys[at + 1] == behind for at in self.figures(one))

    def are_together(self, keys: frozenset[str], beside: frozenset[int]) -> bool:
        """Say whether a unit other than those beside holds all of some keys, of heads too."""
        units = (set(self.held[key].units) for key in keys)
        return not set.intersection(*units) <= beside

    def keys_at(self, place: int) -> frozenset[str]:
        """Return the keys of a slot's unit."""
        return self.units[self.unit_of[place]].keys

    def holds(self, key: str) -> bool:
        """Say whether a passage holds the key."""
        return bool(self.held[key].units)

    def nearest(self, surroundings: Surroundings, most: int) -> list[int]:
        """Return the units that hold most of the surroundings' weight, the best first.

        Ties go to the first unit. Units that only stand below some of the words are no candidates.
        """
        scores: dict[int, float] = defaultdict(float)
        for key, weight in surroundings.items():
            units = self.held[key].units
            for unit in units if len(units) <= _MOST_UNITS else units[:_MOST_UNITS]:
                scores[unit] += weight
        likely: Iterable[int] = scores
        if len(scores) > most:
            # What stands above a unit lifts none over those that are better by more than all of it.
            least = sorted(scores.values(), reverse=True)[most - 1]
            least -= AROUND * fsum(surroundings.values())
            likely = [unit for unit, score in scores.items() if score >= least]
            if len(likely) > _MOST_NEAR:
                likely = nsmallest(_MOST_NEAR, likely, key=lambda unit: (-scores[unit], unit))
        made, keys = self.units, frozenset(surroundings)
        ranked = [
            (-scores[unit] - AROUND * weight_of(surroundings, keys & made[unit].above), unit)
            for unit in likely
        ]
        found: dict[frozenset[str], int] = {}  # passages overlap, and one may be given twice
        for _, unit in sorted(ranked):
            found.setdefault(made[unit].keys, unit)
            if len(found) == most:
                break
        return list(found.values())

    def near(self, place: int) -> frozenset[str]:
        """Return the keys near a slot: its clause's, or cell's, row's label and column's head."""
        found = self._near.get(place)
        if found is None:
            unit, clauses, above = self.units[self.unit_of[place]], self._clauses, _EMPTY
            clause = clauses[place]
            if unit.is_row:
                beside = self._in_cell(unit, clause)
                if unit.head != NONE:
                    label = self._in_cell(unit, clauses[unit.first])
                    above = frozenset(self._in_cell(self.units[unit.head], clause)).union(label)
            else:
                first, end = max(unit.first, place - NEAR), min(unit.end, place + NEAR + 1)
                begins = bisect_left(clauses, clause, first, place)
                ends = bisect_right(clauses, clause, place, end)
                if ends - begins > 1:
                    first, end = begins, ends
                beside = self.keys[first:end]
                del beside[place - first]
            found = above.union(beside)
            self._near[place] = found
        return found

    def clauses(self, unit: int) -> list[Clause]:
        """Return the clauses of a unit; read on first need and kept."""
        at = self.units[unit]
        if at.clauses is None:
            first, end = at.first, at.end
            kinds = self.kinds.between(first, end)
            columns = (self._clauses[first:end], self._senses[first:end])
            at.clauses = clauses_of(self.keys[first:end], kinds, *columns)
        return at.clauses

    def _in_cell(self, unit: Unit, clause: int) -> list[str]:
        """Return the keys of a row's cell, which its clause numbers."""
        clauses = self._clauses
        first = bisect_left(clauses, clause, unit.first, unit.end)
        return self.keys[first : bisect_right(clauses, clause, first, unit.end)]


def _held_key(
    units: Units, unit_of: Sequence[int], places: Places, rows_below: Places, key: str
) -> HeldKey:
    """Return where a key is held, each unit once, and its weight."""
    found = [unit_of[place] for place in places.of(key)]
    if len(found) > 1:
        found = [*dict.fromkeys(found)]
    found += rows_below.of(key)
    weight = log((1 + units.count) / (1 + len(found))) + 1
    return HeldKey(array("I", found), weight if found else weight * _ABSENT)


def _cells(slots: Sequence[Slot]) -> dict[int, frozenset[str]]:
    """Return the keys of each cell of a row by its clause, which numbers its column."""
    cells = groupby(slots, key=attrgetter("clause"))
    return {clause: frozenset([slot.key for slot in cell]) for clause, cell in cells}


def weight_of(surroundings: Surroundings, keys: Iterable[str]) -> float:
    """Return the weight of the surroundings that some keys hold, all of which are among them."""
    # In whatever order a set gives them, their exact sum is one.
    return fsum(map(surroundings.__getitem__, keys))


class Likeness:
    """How much of some surroundings stands at places of the passages, near them counting most."""

    def __init__(self, source: Source, surroundings: Surroundings) -> None:
        self._source = source
        self._surroundings, self._keys = surroundings, frozenset(surroundings)
        self.total = sum(surroundings.values()) or 1.0
        # Likeness of a unit, and of its best place.
        self._units: dict[int, tuple[float, float]] = {}

    def share(self, unit: int) -> float:
        """Return the share of the weight that stands anywhere in or above a unit."""
        return self._of_unit(unit)[0] / self.total

    def at(self, place: int) -> float:
        """Return the weight that stands in or above a place's unit, and near the place."""
        inside = weight_of(self._surroundings, self._keys & self._source.near(place))
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
            at, surroundings, keys = self._source.units[unit], self._surroundings, self._keys
            inside = weight_of(surroundings, keys & at.keys)
            likeness = IN_UNIT * inside + AROUND * weight_of(surroundings, keys & at.above)
            # Rounding may not make a place's likeness more than its unit's best.
            known = self._units[unit] = (likeness, likeness + _NEARBY * inside + _ROUNDING)
        return known
