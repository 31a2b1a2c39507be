"""Groups of owners of which passages tell side by side: what they are, and many of them packed."""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# The first ones are kept as they are: those of most prompts.
KEPT = 10  # 1 MB at most; guess
MOST_OPEN = 10  # of the others, kept once they were read; guess, likewise

Frames = Mapping[str, frozenset[str]]


class Part(NamedTuple):
    """Content keys of an owner or filler, and its first slot's place, counted in its entry."""

    keys: frozenset[str]
    place: int


class Column(NamedTuple):
    """Where a filler stands in its entry, and of what kind it is: a value's with its unit."""

    line: str
    kind: str


@dataclass(slots=True)
class Entry:
    """One owner with what is told of it; `denied` says of a line that holds yes or no which.

    `begin`: from which slot of all passages on its parts' places count.
    """

    owner: Part
    fillers: list[tuple[Column, Part]] = field(default_factory=list)
    denied: dict[str, bool] = field(default_factory=dict)
    begin: int = 0


class Group(NamedTuple):
    """Entries that are told side by side.

    `marks`: of each owner the keys that tell it from the others. `columns`: which entries hold each
    filler of a column. `frames`: of a line the words that it shares in all entries, or the head
    above it. `units` hold the group.
    """

    entries: Sequence[Entry]
    marks: Sequence[frozenset[str]]
    columns: Mapping[Column, Mapping[frozenset[str], Sequence[int]]]
    frames: Frames
    units: frozenset[int]


def group_of(entries: Sequence[Entry], frames: Frames, units: frozenset[int]) -> Group:
    """Return the group of some entries."""
    owners = [entry.owner.keys for entry in entries]
    shared = frozenset.intersection(*owners)
    marks = [keys - shared or keys for keys in owners]
    columns: dict[Column, dict[frozenset[str], list[int]]] = {}
    for number, entry in enumerate(entries):
        for column, part in entry.fillers:
            columns.setdefault(column, {}).setdefault(part.keys, []).append(number)
    return Group(entries, marks, columns, frames, units)


class Groups(Sequence[Group]):
    """A list of groups that grows; those behind the first are bytes until they are asked for."""

    def __init__(self) -> None:
        self._kept: list[Group] = []
        self._fillers = 0  # of these
        self._bytes = bytearray()
        self._ends = array("I")
        self._open: dict[int, Group] = {}  # by their numbers

    def __len__(self) -> int:
        return len(self._kept) + len(self._ends)

    @property
    def held_bytes(self) -> int:
        """What it holds, by measured sizes."""
        entries = sum([len(group.entries) for group in self._kept])
        kept = 1_200 * entries + 700 * self._fillers + 1_000 * len(self._kept)
        return kept + len(self._bytes) * 9 // 8 + 4 * len(self._ends)

    def append(self, group: Group) -> None:
        """Add a group."""
        if len(self._kept) < KEPT:
            self._kept.append(group)
            self._fillers += sum([len(entry.fillers) for entry in group.entries])
            return
        self._bytes += _packed(group)
        self._ends.append(len(self._bytes))

    def __getitem__(self, number: int) -> Group:  # type: ignore[override]  # of no slices
        if number < len(self._kept):
            return self._kept[number]
        at = number - len(self._kept)
        found = self._open.get(at)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                self._open.clear()
            begin = self._ends[at - 1] if at else 0
            found = self._open[at] = _read(self._bytes[begin : self._ends[at]])
        return found


def _packed(group: Group) -> bytes:
    entries = [
        (
            tuple(entry.owner.keys),
            entry.owner.place,
            [(*column, tuple(part.keys), part.place) for column, part in entry.fillers],
            entry.denied,
            entry.begin,
        )
        for entry in group.entries
    ]
    frames = {line: tuple(keys) for line, keys in group.frames.items()}
    return marshal.dumps((entries, frames, tuple(group.units)))


def _read(packed: bytearray) -> Group:
    written: Any = marshal.loads(packed)  # noqa: S302 (our own bytes)
    entries, frames, units = written
    columns: dict[Column, Column] = {}  # each held once
    read = [
        Entry(
            Part(frozenset(keys), place),
            [
                (columns.setdefault(one, one), Part(frozenset(told), at))
                for line, kind, told, at in fillers
                for one in (Column(line, kind),)
            ],
            denied,
            begin,
        )
        for keys, place, fillers, denied, begin in entries
    ]
    framed = {line: frozenset(keys) for line, keys in frames.items()}
    return group_of(read, framed, frozenset(units))
