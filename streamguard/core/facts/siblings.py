"""Facts that passages tell of several owners side by side: rows, labels, brackets, like clauses.

Where a passage says the same of Basic, Plus and Pro, the price of Plus beside the name of Basic is
an exchange, whatever the words around it. Owners and fillers are found by form alone: a table's
labels and heads, "label: filler", "owner (filler)", "respectively", and neighbours that share all
their words but an owner and its fillers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from streamguard.core.facts.entries import (
    Cell,
    Column,
    Entry,
    Segment,
    Table,
    bracketed,
    by_clause,
    chains,
    keys_of,
    labelled,
    part_of,
    respective,
    segment_of,
    shape_of,
)
from streamguard.core.facts.slots import CONTENT, Slot
from streamguard.text.patterns import lazy_re

Way = Literal["row", "line", "bracket", "clause", "sentence"]

_LABEL = lazy_re(r"\s*(?:[-*•]\s|\d{1,3}[.)]\s)?[^:|\n]{1,60}?(?P<stop>:|[ ][-–—][ ])")
_STOPS = (":", " - ", " – ", " — ")
_RESPECTIVELY = "respectively"
_MOST_ENTRIES = 60  # of one group; guess
_MOST_CELLS = 300  # of one table; guess
_MOST_GROUPS = 300  # of one set of passages; guess
_EMPTY: Final[frozenset[str]] = frozenset()

Frames = Mapping[str, frozenset[str]]


class Group(NamedTuple):
    """Entries that are told side by side.

    `marks`: of each owner the keys that tell it from the others. `columns`: which entries hold each
    filler of a column. `frames`: of a line the words that it shares in all entries, or the head
    above it. `units` hold the group.
    """

    way: Way
    entries: Sequence[Entry]
    marks: Sequence[frozenset[str]]
    columns: Mapping[Column, Mapping[frozenset[str], Sequence[int]]]
    frames: Frames
    units: frozenset[int]


class Alone(NamedTuple):
    """What one sentence tells side by side: way, entries and frames of each group.

    `label`: its entry, if it is "label: filler". Places count from its first slot.
    """

    label: Entry | None
    groups: Sequence[tuple[Way, Sequence[Entry], Frames]]


_NOTHING: Final = Alone(None, ())


def is_row(text: str) -> bool:
    """Say whether a sentence of a passage is the row of a table."""
    return text.count("|") > 1 and text.lstrip().startswith("|")


def read_alone(text: str, slots: Sequence[Slot]) -> Alone:
    """Read what a sentence that is no table's row, a line or an item tells by itself."""
    label = _LABEL.match(text) if any(map(text.__contains__, _STOPS)) else None
    groups: list[tuple[Way, Sequence[Entry], Frames]] = []
    if text.count("(") > 1:
        groups.append(("bracket", bracketed(text, slots), {}))
    if slots[0].clause != slots[-1].clause:
        groups += _in_clauses(text, slots)
    entry = None if label is None else labelled(slots, label.start("stop"))
    return Alone(entry, groups) if entry or groups else _NOTHING


def _in_clauses(text: str, slots: Sequence[Slot]) -> Iterator[tuple[Way, Sequence[Entry], Frames]]:
    """Yield what the clauses of one sentence tell side by side."""
    if text.rstrip(" .").endswith(_RESPECTIVELY):
        yield "clause", respective(slots, [*by_clause(slots)][:-1]), {}
        return
    # Clauses of one shape have a value each or share a word: most sentences' have neither.
    values = sum([slot.anchor is not None for slot in slots])
    if values < 2 and len(keys_of(slots)) == sum([slot.kind in CONTENT for slot in slots]):
        return
    clauses = [segment_of(slots[first:end], first) for first, end in by_clause(slots)]
    for entries, shared in chains(clauses):
        yield "clause", entries, {"": shared}


class Siblings:
    """The groups of all passages, found while their units come one after another."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self._with_key: dict[str, list[int]] = {}
        self._table: Table | None = None  # at hand
        self._table_units: list[int] = []
        self._lines: list[tuple[Entry, int]] = []
        self._run: list[Segment] = []  # sentences of one shape
        self._run_units: list[int] = []
        self._shared = _EMPTY  # words of the run, once it has two sentences
        self._shape: tuple[str, ...] | None = None

    def add_row(self, slots: Sequence[Slot], begin: int, unit: int, *, is_head: bool) -> None:
        """Add a row of a table; its slots begin at `begin` among those of all passages."""
        self._end_lines()
        self._end_run()
        cells = [
            Cell(slots[first].clause, part_of(slots[first:end], begin + first), slots[first:end])
            for first, end in by_clause(slots)
        ]
        if is_head or self._table is None:
            self._end_table()
            self._table = Table(cells)
        elif len(self._table.rows) < _MOST_ENTRIES and self._table.cells < _MOST_CELLS:
            self._table.add(cells)
        self._table_units.append(unit)

    def add_sentence(self, alone: Alone, slots: Sequence[Slot], begin: int, unit: int) -> None:
        """Add a sentence, a line or an item."""
        self._end_table()
        if alone.label is None:
            self._end_lines()
        else:
            self._lines.append((alone.label.moved(begin), unit))
        for way, entries, frames in alone.groups:
            self._put(way, [entry.moved(begin) for entry in entries], frames, [unit])
        whole = segment_of(slots, begin)
        if len(self._run) == _MOST_ENTRIES or not self._goes_on(whole):
            self._end_run()
        self._run.append(whole)
        self._run_units.append(unit)

    def _goes_on(self, segment: Segment) -> bool:
        """Say whether a sentence has the shape of those before it."""
        if len(self._run) == 1:
            self._shared = self._run[0].keys & segment.keys
            self._shape = shape_of(self._run[0], self._shared)
        if not self._run or self._shape is None or not self._shared <= segment.keys:
            return not self._run
        return shape_of(segment, self._shared) == self._shape

    def finish(self) -> None:
        """End what is open: a chunk is over."""
        self._end_table()
        self._end_lines()
        self._end_run()

    def about(self, keys: frozenset[str]) -> list[Group]:
        """Return the groups that may have an owner among these keys, in their order."""
        found = {number for key in keys for number in self._with_key.get(key, ())}
        return [self.groups[number] for number in sorted(found)]

    def _end_table(self) -> None:
        table, units = self._table, self._table_units
        if table is None:
            return
        self._table, self._table_units = None, []
        if table.rows:
            self._put("row", table.rows, table.heads, units)
            self._put("row", [*table.columns.values()], table.labels, units)

    def _end_lines(self) -> None:
        if self._lines:
            lines, self._lines = self._lines, []
            self._put("line", [entry for entry, _ in lines], {}, [unit for _, unit in lines])

    def _end_run(self) -> None:
        run, units = self._run, self._run_units
        self._run, self._run_units = [], []
        for entries, shared in chains(run):
            self._put("sentence", entries, {"": shared}, units)

    def _put(
        self, way: Way, entries: Sequence[Entry], frames: Frames, units: Sequence[int]
    ) -> None:
        kept = [entry for entry in entries if _names_something(entry)][:_MOST_ENTRIES]
        owners = [entry.owner.keys for entry in kept]
        if len(set(owners)) < 2 or len(self.groups) == _MOST_GROUPS:
            return
        shared = frozenset.intersection(*owners)
        marks = [keys - shared or keys for keys in owners]
        columns: dict[Column, dict[frozenset[str], list[int]]] = {}
        for number, entry in enumerate(kept):
            for column, part in entry.fillers:
                columns.setdefault(column, {}).setdefault(part.keys, []).append(number)
        for key in frozenset().union(*marks):
            self._with_key.setdefault(key, []).append(len(self.groups))
        self.groups.append(Group(way, kept, marks, columns, frames, frozenset(units)))


def _names_something(entry: Entry) -> bool:
    """Say whether an entry tells something of what is more than figures."""
    told = entry.fillers or entry.denied
    return bool(told) and any(not key.startswith("#") for key in entry.owner.keys)
