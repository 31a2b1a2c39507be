"""Values of one shape: cells of a row or a column, items of two lists, parallel clauses.

Each gives pairs of values of the chunks and the words that tell their owners apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from streamguard.core.conflicts.alignment import MAX_STANDING, segment
from streamguard.core.conflicts.reading import Reading, Value
from streamguard.core.conflicts.respective import paired
from streamguard.core.conflicts.tables import cells, keys_in_cells
from streamguard.core.evidence import Evidence

_MOST_KEYS = 3  # of what tells two owners apart in clauses; guess

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Clause:
    """A value in prose, the keys before and behind it: in its clause, and in all its segment."""

    value: Value
    sentence: int
    near: tuple[list[str], list[str]]
    wide: tuple[list[str], list[str]]

    @property
    def keys(self) -> Keys:
        """All keys of the segment."""
        return frozenset(self.wide[0]).union(self.wide[1])


@dataclass(frozen=True, slots=True)
class Row:
    """A table's row: the keys of each cell, and the first values of cells that hold one, by column.

    The first cell is the row's heading and counts as no value.
    """

    keys: list[Keys]
    values: dict[int, Value]

    def keys_of(self, column: int) -> Keys:
        """Return a cell's keys, none where the row has fewer cells."""
        return self.keys[column] if column < len(self.keys) else frozenset()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of the chunks, and what tells the owner of each from the other's.

    `about`: keys of what both say; `sentence` holds the second value. `only_mine`: keys of which
    one in the answer makes it doubtful that it speaks of the second.
    """

    mine: Value
    other: Value
    owner: Keys
    others: Keys
    about: Keys
    sentence: int
    only_mine: Keys = frozenset()


def row_of(reading: Reading, values: Iterable[Value]) -> Row:
    """Return a row that was read; `values` are all of its text. Linear in the row."""
    spans = cells(reading.text)
    inside: dict[int, list[Value]] = {}
    column = 0
    for value in values:
        while column < len(spans) and spans[column][1] <= value.start:
            column += 1
        inside.setdefault(column, []).append(value)
    single = ((at, found[0]) for at, found in inside.items() if at and len(found) == 1)
    return Row(keys_in_cells(reading, spans), dict(islice(single, MAX_STANDING)))


class Places:
    """The structures of the chunk sentences that one search looks at, each read once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._rows: dict[int, Row] = {}
        self._lists: dict[int, list[tuple[Keys, Value]]] = {}
        self._clauses: dict[int, list[Clause]] = {}

    def row(self, number: int) -> Row:
        """Return a sentence that is a table's row."""
        if number not in self._rows:
            values = self._evidence.values_in(number)
            self._rows[number] = row_of(self._evidence.reading(number), values)
        return self._rows[number]

    def items(self, number: int) -> list[tuple[Keys, Value]]:
        """Return the items of a sentence's two lists, none where it has none."""
        if number not in self._lists:
            values = self._evidence.values_in(number)
            self._lists[number] = paired(self._evidence.reading(number), values)
        return self._lists[number]

    def clauses(self, number: int) -> list[Clause]:
        """Return the values in a sentence's prose; none in a table or two lists."""
        if number not in self._clauses:
            structured = self._evidence.heading_of(number) is not None or self.items(number)
            reading = self._evidence.reading(number)
            self._clauses[number] = [] if structured else clauses_of(reading, number)
        return self._clauses[number]


def clauses_of(reading: Reading, number: int) -> list[Clause]:
    """Return the anchored values of a text with the keys around them."""
    found = []
    for value in reading.values[:MAX_STANDING]:
        if value.anchor is None:
            continue
        low, high = segment(reading, value)
        wide = _sides(reading, value.at, low, high)
        clause = reading.clauses[value.at]
        while low < value.at and reading.clauses[low] != clause:
            low += 1
        while high > value.at + 1 and reading.clauses[high - 1] != clause:
            high -= 1
        found.append(Clause(value, number, _sides(reading, value.at, low, high), wide))
    return found


def _sides(reading: Reading, at: int, low: int, high: int) -> tuple[list[str], list[str]]:
    keys = reading.keys
    before = [key for key in keys[low:at] if key and not key.startswith("#")]
    return before, [key for key in keys[at + 1 : high] if key and not key.startswith("#")]


def told_apart(one: Clause, other: Clause) -> tuple[Keys, Keys] | None:
    """Return the keys that tell the owners of two values in clauses of one shape apart.

    They stand in the same place, before or behind both values, and all else on that side is the
    same. The clauses share a word on that side, or say the same on the other; or the later one
    leaves out what it would repeat: "adults take 500 mg, children 250 mg". None where the clauses
    are not alike.
    """
    for mine, theirs in ((one.near, other.near), (one.wide, other.wide)):
        for side in (0, 1):
            found = _differing(mine[side], theirs[side])
            if found is None:
                continue
            alike = len(found[0]) < len(mine[side]) or _same_start(mine[1 - side], theirs[1 - side])
            if alike or _leaves_out(one, other, side):
                return found
    return None


def _same_start(mine: list[str], theirs: list[str]) -> bool:
    common = min(len(mine), len(theirs))
    return common > 0 and mine[:common] == theirs[:common]


def _leaves_out(one: Clause, other: Clause, side: int) -> bool:
    """Say whether the later clause of a sentence has its owner alone, on one side of its value."""
    if one.sentence != other.sentence:
        return False
    later, earlier = (one, other) if one.value.at > other.value.at else (other, one)
    return not later.near[1 - side] and len(later.keys) < len(earlier.keys)


def _differing(mine: list[str], theirs: list[str]) -> tuple[Keys, Keys] | None:
    """Return the keys in which two sides differ, one run of few in the same place; else None."""
    shared = 0
    while shared < min(len(mine), len(theirs)) and mine[shared] == theirs[shared]:
        shared += 1
    mine, theirs = mine[shared:], theirs[shared:]
    while mine and theirs and mine[-1] == theirs[-1]:
        mine, theirs = mine[:-1], theirs[:-1]
    if not mine or not theirs:
        return None
    one, other = frozenset(mine), frozenset(theirs)
    if not one.isdisjoint(other):
        return _before_same_noun(mine, theirs)
    return (one, other) if max(len(mine), len(theirs)) <= _MOST_KEYS else None


def _before_same_noun(mine: list[str], theirs: list[str]) -> tuple[Keys, Keys] | None:
    """Return the words before one noun where a side leaves out the rest of what is behind it.

    "Primary caregivers receive 26 weeks and secondary caregivers 8".
    """
    long, short = (mine, theirs) if len(mine) > len(theirs) else (theirs, mine)
    end = len(long)
    while long[end - 1] not in short:  # the two share a key
        end -= 1
    if end != len(short) or long[1:end] != short[1:] or long[0] == short[0]:
        return None
    return frozenset(mine[:1]), frozenset(theirs[:1])


def row_pairs(
    places: Places, evidence: Evidence, number: int, column: int, others: Iterable[int]
) -> Iterator[Pair]:
    """Yield a cell's value with those of its row, and of its column in the rows `others`."""
    heading = evidence.heading_of(number)
    if heading is None or heading == number:
        return
    head, row = places.row(heading), places.row(number)
    mine, corner = row.values[column], head.keys_of(0)
    for at, value in row.values.items():
        owner, other = head.keys_of(column), head.keys_of(at)
        if at != column:
            about = row.keys_of(0) | corner
            yield Pair(mine, value, owner - other, other - owner, about, number)
    for other_row in others:
        if other_row in (number, heading) or evidence.heading_of(other_row) != heading:
            continue
        value_there = places.row(other_row).values.get(column)
        if value_there is not None:
            owner, other = row.keys_of(0), places.row(other_row).keys_of(0)
            about = head.keys_of(column) | corner
            yield Pair(mine, value_there, owner - other, other - owner, about, other_row)


def item_pairs(places: Places, evidence: Evidence, number: int, value: Value) -> Iterator[Pair]:
    """Yield the value of a list's item with those of the other items."""
    items = places.items(number)
    about = evidence.keys_in_sentence(number)
    for owner in [keys for keys, each in items if each is value]:
        for other, there in items:
            if there is not value:
                yield Pair(value, there, owner - other, other - owner, about, number)


def clause_pairs(evidence: Evidence, one: Clause, others: Iterable[Clause]) -> Iterator[Pair]:
    """Yield a value in prose with those of clauses of the same shape."""
    held = evidence.keys_in_sentence(one.sentence)
    for other in others:
        if other.value is one.value or other.value.group != one.value.group:
            continue
        found = told_apart(one, other)
        if found is not None:
            there = evidence.keys_in_sentence(other.sentence)
            # Where the later clause leaves out the verb, it is no part of the earlier one's owner.
            mine = found[0] if len(found[0]) <= len(found[1]) else frozenset[str]()
            # "26 weeks of leave at full pay" beside "8 weeks at full pay": said once.
            behind = one.near[1]
            once = behind[:1] if other.near[1] and behind[1:] == other.near[1] else ()
            only_mine = mine.union(key for key in held - there if key[0] != "#" and key not in once)
            about = held | there
            yield Pair(one.value, other.value, *found, about, other.sentence, only_mine)
