"""Groups of owners that passages treat side by side, and many of them packed."""

from __future__ import annotations

import marshal
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from streamguard.core.reading.slots import CONTENT, Slot
from streamguard.text.patterns import lazy

# Owners and fillers of the first groups, which are kept as they are: those of most prompts.
KEPT = 300  # 0.3 MB; guess
_FAST = 1  # of zlib's levels: a third of the bytes for 0.1 ms
MOST_OPEN = 10  # of the others, kept once they were read, 1 MB at most; guess

Frames = Mapping[str, frozenset[str]]


class Part(NamedTuple):
    """Content keys of an owner or filler, and its first slot's place, counted in its entry."""

    keys: frozenset[str]
    place: int


class Column(NamedTuple):
    """A filler's place in its entry, and its kind: a value's with its unit."""

    line: str
    kind: str


@dataclass(slots=True)
class Entry:
    """One owner with its fillers; `denied` tells which of yes and no a line holds.

    `begin`: from which slot of all passages on its parts' places count.
    """

    owner: Part
    fillers: list[tuple[Column, Part]] = field(default_factory=list)
    denied: dict[str, bool] = field(default_factory=dict)
    begin: int = 0


class Telling(NamedTuple):
    """What a group tells of its owners.

    `frames`: of a line the words that it shares in all entries, or the head above it.
    """

    entries: Sequence[Entry]
    frames: Frames


class Group:
    """Entries that are told side by side.

    `marks`: of each owner the keys that tell it from the others. `units` hold the group; `fillers`
    counts those of its columns. The rest is read where a sentence names an owner.
    """

    def __init__(
        self,
        owners: Sequence[frozenset[str]],
        units: frozenset[int],
        fillers: int,
        read: Callable[[], Telling],
    ) -> None:
        shared = frozenset.intersection(*owners)
        self.marks = [keys - shared or keys for keys in owners]
        self.units, self.fillers, self._read = units, fillers, read

    @lazy
    def told(self) -> Telling:
        """Its entries and frames."""
        return self._read()

    @lazy
    def columns(self) -> Mapping[Column, Mapping[frozenset[str], Sequence[int]]]:
        """Which entries hold each filler of a column."""
        columns: dict[Column, dict[frozenset[str], list[int]]] = {}
        for number, entry in enumerate(self.told.entries):
            for column, part in entry.fillers:
                columns.setdefault(column, {}).setdefault(part.keys, []).append(number)
        return columns


def group_of(entries: Sequence[Entry], frames: Frames, units: frozenset[int]) -> Group:
    """Return the group of some entries."""
    told, owners = Telling(entries, frames), [entry.owner.keys for entry in entries]
    fillers = {(column, part.keys) for entry in entries for column, part in entry.fillers}
    return Group(owners, units, len(fillers), lambda: told)


class Groups(Sequence[Group]):
    """A list of groups that grows; those behind the first are bytes until they are asked for."""

    def __init__(self) -> None:
        self._kept: list[Group] = []
        self._parts = 0  # owners and fillers of these
        self._bytes = bytearray()
        self._ends = array("I")  # of each where its owners end, and where the rest does
        self._open: dict[int, Group] = {}  # by their numbers

    def __len__(self) -> int:
        return len(self._kept) + len(self._ends) // 2

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        kept = 700 * self._parts + 1_000 * len(self._kept)
        return kept + len(self._bytes) * 17 // 16 + 4 * len(self._ends)

    def append(self, group: Group) -> None:
        """Add a group."""
        entries = group.told.entries
        parts = len(entries) + sum([len(entry.fillers) for entry in entries])
        if not self._ends and self._parts + parts <= KEPT:
            self._kept.append(group)
            self._parts += parts
            return
        for packed in _packed(group):
            self._bytes += packed
            self._ends.append(len(self._bytes))

    def __getitem__(self, number: int) -> Group:  # type: ignore[override]  # of no slices
        if number < len(self._kept):
            return self._kept[number]
        at = number - len(self._kept)
        found = self._open.get(at)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                self._open.clear()
            found = self._open[at] = self._unpacked(at)
        return found

    def _unpacked(self, at: int) -> Group:
        begin = self._ends[2 * at - 1] if at else 0
        middle, end = self._ends[2 * at], self._ends[2 * at + 1]
        written: Any = marshal.loads(self._bytes[begin:middle])  # noqa: S302 (our own bytes)
        owners, units, fillers = written
        keys = [*map(frozenset, owners)]
        rest = bytes(self._bytes[middle:end])
        return Group(keys, frozenset(units), fillers, lambda: _read(keys, rest))


def _packed(group: Group) -> tuple[bytes, bytes]:
    """Return the owners of a group with all that is asked first, and the rest."""
    entries, frames = group.told
    owners = [tuple(entry.owner.keys) for entry in entries]
    columns: dict[Column, int] = {}
    told = [
        (
            entry.owner.place,
            [
                (columns.setdefault(column, len(columns)), tuple(part.keys), part.place)
                for column, part in entry.fillers
            ],
            entry.denied,
            entry.begin,
        )
        for entry in entries
    ]
    framed = {line: tuple(keys) for line, keys in frames.items()}
    first = marshal.dumps((owners, tuple(group.units), group.fillers))
    rest = marshal.dumps((told, [tuple(column) for column in columns], framed))
    return first, zlib.compress(rest, _FAST)


def _read(owners: Sequence[frozenset[str]], packed: bytes) -> Telling:
    written: Any = marshal.loads(zlib.decompress(packed))  # noqa: S302 (our own bytes)
    told, columns, frames = written
    columns = [Column(*column) for column in columns]
    entries = [
        Entry(
            Part(keys, place),
            [(columns[column], Part(frozenset(held), at)) for column, held, at in fillers],
            denied,
            begin,
        )
        for keys, (place, fillers, denied, begin) in zip(owners, told, strict=True)
    ]
    return Telling(entries, {line: frozenset(keys) for line, keys in frames.items()})


# The line of an entry in which its list's lead-in stands.
LEAD_LINE: Final = "lead-in"
_MOST_OWNER = 6  # words that name an item; guess
_MOST_FRAME = 6  # words of a lead-in; guess
_MOST_ITEMS = 60  # of one passage; guess


class Leads:
    """The items of one passage by their lead-in's words and denial: "Covered:", "Not covered:".

    Two lists tell apart which items are denied. Of more the headings above them may part the
    owners, so none counts.
    """

    def __init__(self) -> None:
        self._lists: dict[frozenset[str], list[tuple[int, bool]]] = {}
        self._items: dict[frozenset[str], list[tuple[Entry, int]]] = {}
        self._many = 0

    def add(
        self, lead: int, above: Sequence[Slot], item: Sequence[Slot], begin: int, unit: int
    ) -> None:
        """Add an item whose slots begin at `begin`; `above` are those of its lead-in."""
        frame = frozenset([slot.key for slot in above if slot.kind in CONTENT])
        names = {
            slot.key: number
            for number, slot in reversed([*enumerate(item)])
            if slot.kind in ("word", "name") and slot.clause == item[0].clause
            if not slot.key.isdigit()  # the item's own number
        }
        is_short = 0 < len(frame) <= _MOST_FRAME and 0 < len(names) <= _MOST_OWNER
        if not is_short or self._many == _MOST_ITEMS:
            return
        self._many += 1
        told = (lead, sum(slot.kind == "negator" for slot in above) % 2 == 1)
        lists = self._lists.setdefault(frame, [])
        if told not in lists:
            lists.append(told)
        owner = Part(frozenset(names), min(names.values()))
        entry = Entry(owner, denied={LEAD_LINE: told[1]}, begin=begin)
        self._items.setdefault(frame, []).append((entry, unit))

    def groups(self) -> Iterator[tuple[list[Entry], dict[str, frozenset[str]], list[int]]]:
        """Yield the items below two lead-ins of one wording, and begin anew."""
        for frame, told in self._items.items():
            if sorted(denied for _, denied in self._lists[frame]) == [False, True]:
                yield [one for one, _ in told], {LEAD_LINE: frame}, [unit for _, unit in told]
        self._lists, self._items, self._many = {}, {}, 0
