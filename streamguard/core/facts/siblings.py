"""Facts that passages tell of several owners side by side: rows, labels, brackets, like clauses.

Where a passage says the same of Basic, Plus and Pro, the price of Plus beside the name of Basic is
an exchange, whatever the words around it. Owners and fillers are found by form alone: a table's
labels and heads, "label: filler", "owner (filler)", "respectively", and neighbours that share all
their words but an owner and a filler.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from streamguard.core.facts.slots import CONTENT, Slot
from streamguard.text.patterns import lazy_re

Way = Literal["row", "line", "bracket", "clause", "sentence"]

_LABEL = lazy_re(r"\s*(?:[-*•]\s|\d{1,3}[.)]\s)?[^:|\n]{1,60}?(?P<stop>:|[ ][-–—][ ])")
_BRACKET = lazy_re(r"\(([^()]{1,60})\)")
_RESPECTIVELY = "respectively"
_MOST_RUN = 4  # slots of an owner or filler in prose; guess
_MOST_ENTRIES = 60  # of one group; guess
_MOST_FILLERS = 40  # of one entry; guess
_MOST_GROUPS = 300  # of one set of passages; guess
_AGREED = frozenset(["yes", "not"])
_EMPTY: Final[frozenset[str]] = frozenset()

Frames = Mapping[str, frozenset[str]]


class Part(NamedTuple):
    """Content keys of an owner or filler, and where its slots begin among those of all passages."""

    keys: frozenset[str]
    place: int


class Column(NamedTuple):
    """Where a filler stands in its entry, and of what kind it is: a value's with its unit."""

    line: str
    kind: str


@dataclass(slots=True)
class Entry:
    """One owner with what is told of it; `denied` says of a line that holds yes or no which."""

    owner: Part
    fillers: list[tuple[Column, Part]] = field(default_factory=list)
    denied: dict[str, bool] = field(default_factory=dict)


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


class _Cell(NamedTuple):
    number: int
    part: Part
    slots: Sequence[Slot]


class _Segment(NamedTuple):
    begin: int
    slots: Sequence[Slot]
    keys: frozenset[str]


class Siblings:
    """The groups of all passages, found while their units come one after another."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self._with_key: dict[str, list[int]] = {}
        self._head: list[_Cell] = []
        self._rows: list[list[_Cell]] = []
        self._table: list[int] = []  # units of the table at hand
        self._lines: list[tuple[Entry, int]] = []
        self._run: list[_Segment] = []  # sentences of one shape
        self._run_units: list[int] = []
        self._shared = _EMPTY  # words of the run, once it has two sentences
        self._shape: tuple[bool, ...] | None = None

    def add_row(self, slots: Sequence[Slot], begin: int, unit: int, *, is_head: bool) -> None:
        """Add a row of a table; its slots begin at `begin` among those of all passages."""
        self._end_lines()
        self._end_run()
        cells = [
            _Cell(slots[first].clause, _part(slots[first:end], begin + first), slots[first:end])
            for first, end in _by_clause(slots)
        ]
        if is_head:
            self._end_table()
            self._head = cells
        elif len(self._rows) < _MOST_ENTRIES:
            self._rows.append(cells)
        self._table.append(unit)

    def add_sentence(self, text: str, slots: Sequence[Slot], begin: int, unit: int) -> None:
        """Add a sentence, a line or an item."""
        self._end_table()
        label = _LABEL.match(text)
        entry = None if label is None else _labelled(slots, begin, label.start("stop"))
        if entry is None:
            self._end_lines()
        else:
            self._lines.append((entry, unit))
        if text.count("(") > 1:
            self._put("bracket", _bracketed(text, slots, begin), {}, [unit])
        spans = list(_by_clause(slots))
        if len(spans) > 1 and text.rstrip(" .").endswith(_RESPECTIVELY):
            self._put("clause", _respective(slots, begin, spans[:-1]), {}, [unit])
        elif len(spans) > 1:
            clauses = [_segment(slots[first:end], begin + first) for first, end in spans]
            for entries, shared in _chains(clauses):
                self._put("clause", entries, {"": shared}, [unit])
        whole = _segment(slots, begin)
        if len(self._run) == _MOST_ENTRIES or not self._goes_on(whole):
            self._end_run()
        self._run.append(whole)
        self._run_units.append(unit)

    def _goes_on(self, segment: _Segment) -> bool:
        """Say whether a sentence has the shape of those before it."""
        if len(self._run) == 1:
            self._shared = self._run[0].keys & segment.keys
            self._shape = _shape(self._run[0], self._shared)
        if not self._run or self._shape is None or not self._shared <= segment.keys:
            return not self._run
        return _shape(segment, self._shared) == self._shape

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
        head, rows, units = self._head, self._rows, self._table
        self._head, self._rows, self._table = [], [], []
        if head and rows:
            frames = {str(cell.number): cell.part.keys for cell in head}
            self._put("row", _by_row(rows), frames, units)
            labels = {str(number): cells[0].part.keys for number, cells in enumerate(rows)}
            self._put("row", _by_column(head, rows), labels, units)

    def _end_lines(self) -> None:
        lines, self._lines = self._lines, []
        self._put("line", [entry for entry, _ in lines], {}, [unit for _, unit in lines])

    def _end_run(self) -> None:
        run, units = self._run, self._run_units
        self._run, self._run_units = [], []
        for entries, shared in _chains(run):
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


def keys_of(slots: Sequence[Slot]) -> frozenset[str]:
    """Return the content keys of slots."""
    return frozenset(slot.key for slot in slots if slot.kind in CONTENT)


def kind_of(slot: Slot) -> str:
    """Return of what kind a slot is: a value's with its unit, a number's with what it counts."""
    anchor = slot.anchor
    if anchor is None:
        return slot.kind
    counted = anchor.noun if anchor.kind == "number" else anchor.unit
    return f"{anchor.kind} {counted}" if counted else anchor.kind


def is_denied(slots: Sequence[Slot]) -> bool:
    """Say whether slots are negated an odd number of times."""
    return sum(slot.kind == "negator" for slot in slots) % 2 == 1


def _names_something(entry: Entry) -> bool:
    """Say whether an entry tells something of what is more than figures."""
    told = entry.fillers or entry.denied
    return bool(told) and any(not key.startswith("#") for key in entry.owner.keys)


def _part(slots: Sequence[Slot], place: int) -> Part:
    return Part(keys_of(slots), place)


def _by_clause(slots: Sequence[Slot]) -> Iterator[tuple[int, int]]:
    first = 0
    for number in range(1, len(slots) + 1):
        if number == len(slots) or slots[number].clause != slots[first].clause:
            yield first, number
            first = number


def _fill(entry: Entry, line: str, slots: Sequence[Slot], place: int) -> None:
    """Put in what a line holds: values and names one by one, else a few words as a whole."""
    if len(entry.fillers) >= _MOST_FILLERS:
        return
    if slots and {slot.key for slot in slots} <= _AGREED:
        entry.denied[line] = is_denied(slots)
        return
    begun, number = len(entry.fillers), 0
    while number < len(slots) and len(entry.fillers) < _MOST_FILLERS:
        slot, end = slots[number], number + 1
        while slot.kind == "name" and end < len(slots) and slots[end].kind == "name":
            end += 1
        if slot.kind in ("value", "name"):
            part = _part(slots[number:end], place + number)
            entry.fillers.append((Column(line, kind_of(slot)), part))
        number = end
    whole = _part(slots, place)
    if len(entry.fillers) == begun and whole.keys and len(slots) <= _MOST_RUN:
        entry.fillers.append((Column(line, "word"), whole))


def _by_row(rows: Sequence[Sequence[_Cell]]) -> list[Entry]:
    """Return an entry for the label of every row."""
    entries = []
    for label, *cells in rows:
        entry = Entry(label.part)
        for cell in cells:
            _fill(entry, str(cell.number), cell.slots, cell.part.place)
        entries.append(entry)
    return entries


def _by_column(head: Sequence[_Cell], rows: Sequence[Sequence[_Cell]]) -> list[Entry]:
    """Return an entry for every head: of the rows whose cells are all of one kind.

    Prices, weights and days under their heads are attributes of the rows, and no siblings.
    """
    entries = {cell.number: Entry(cell.part) for cell in head}
    for number, (_, *cells) in enumerate(rows):
        row = {cell.number: Entry(cell.part) for cell in cells}
        for cell in cells:
            _fill(row[cell.number], str(number), cell.slots, cell.part.place)
        kinds = {column.kind for one in row.values() for column, _ in one.fillers}
        if len(kinds) > 1 or any(kind.startswith("number") for kind in kinds):
            continue
        for at, one in row.items():
            if at in entries:
                entries[at].fillers += one.fillers
                entries[at].denied |= one.denied
    return list(entries.values())


def _labelled(slots: Sequence[Slot], begin: int, stop: int) -> Entry | None:
    """Return the entry of "label: filler"; None where either is missing or the label is long."""
    split = sum(slot.start < stop for slot in slots)
    if not 0 < split < len(slots) or split > _MOST_RUN:
        return None
    entry = Entry(_part(slots[:split], begin))
    _fill(entry, "", slots[split:], begin + split)
    return entry


def _bracketed(text: str, slots: Sequence[Slot], begin: int) -> list[Entry]:
    """Return the entries of "Basic ($12), Plus ($29)"."""
    starts = [slot.start for slot in slots]
    entries, after = [], 0
    for found in _BRACKET.finditer(text):
        opened, closed = (bisect_left(starts, at) for at in found.span())
        if after < opened < closed:
            first = opened - 1
            while first > max(after, opened - _MOST_RUN) and _in_one_clause(slots, first):
                first -= 1
            entry = Entry(_part(slots[first:opened], begin + first))
            _fill(entry, "", slots[opened:closed], begin + opened)
            entries.append(entry)
        after = closed
    return entries


def _in_one_clause(slots: Sequence[Slot], number: int) -> bool:
    return slots[number - 1].clause == slots[number].clause


def _respective(slots: Sequence[Slot], begin: int, spans: Sequence[tuple[int, int]]) -> list[Entry]:
    """Return the entries of "A, B and C cost x, y and z, respectively" by its clauses' spans.

    The last owner and the first filler share a clause: the owner is as long as the others, the
    filler begins with its value or name, else it is the last slot.
    """
    if len(spans) % 2 == 0 or len(spans) < 3:
        return []
    many = len(spans) // 2
    first, end = spans[many]
    split = min(first + max(b - a for a, b in spans[:many]), end - 1)
    filler = next((n for n in range(split, end) if slots[n].kind in ("value", "name")), end - 1)
    owners = [*spans[:many], (first, split)]
    fillers = [(filler, end), *spans[many + 1 :]]
    entries = []
    for (a, b), (c, d) in zip(owners, fillers, strict=True):
        entry = Entry(_part(slots[a:b], begin + a))
        _fill(entry, "", slots[c:d], begin + c)
        entries.append(entry)
    return entries


def _chains(segments: Sequence[_Segment]) -> Iterator[tuple[list[Entry], frozenset[str]]]:
    """Yield the entries of neighbours of one shape, with the words that all of them share."""
    number = 0
    while number < len(segments) - 1:
        end, shared = _chain_at(segments, number)
        if end - number > 1:
            yield [_entry(segment, shared) for segment in segments[number:end]], shared
        number = max(end, number + 1)


def _segment(slots: Sequence[Slot], begin: int) -> _Segment:
    return _Segment(begin, slots, keys_of(slots))


def _chain_at(segments: Sequence[_Segment], number: int) -> tuple[int, frozenset[str]]:
    """Return where the neighbours end that have one shape from `number` on."""
    shared = segments[number].keys & segments[number + 1].keys
    shape = _shape(segments[number], shared)
    end = number + 1
    if shape is not None:
        while end < len(segments) and shared <= segments[end].keys:
            if _shape(segments[end], shared) != shape:
                break
            end += 1
    return end, shared


def _shape(segment: _Segment, shared: frozenset[str]) -> tuple[bool, ...] | None:
    """Return of owner and filler whether they are values; None where there is more or less.

    Two runs of words need words beside them that are shared, one run a statement to be denied.
    """
    slots = segment.slots
    if len(segment.keys) - len(shared) > 2 * _MOST_RUN:
        return None
    runs = _runs(slots, shared)
    if not runs or any(end - first > _MOST_RUN for first, end in runs):
        return None
    shape = tuple(slots[first].kind == "value" for first, _ in runs)
    if shape in ((False, True), (True, False)):
        return shape
    return shape if shared and shape in ((False,), (False, False)) else None


def _runs(slots: Sequence[Slot], shared: frozenset[str]) -> list[tuple[int, int]]:
    """Return the runs of slots that are not shared; values and words are runs of their own."""
    runs: list[tuple[int, int]] = []
    first = None
    for number, slot in enumerate(slots):
        apart = slot.key in shared or slot.kind not in CONTENT
        if first is not None and (
            apart or (slot.kind == "value") != (slots[first].kind == "value")
        ):
            runs.append((first, number))
            first = None
        if not apart and first is None:
            first = number
    return runs if first is None else [*runs, (first, len(slots))]


def _entry(segment: _Segment, shared: frozenset[str]) -> Entry:
    slots = segment.slots
    runs = _runs(slots, shared)
    if len(runs) == 2 and slots[runs[0][0]].kind == "value":
        runs.reverse()
    first, end = runs[0]
    entry = Entry(_part(slots[first:end], segment.begin + first))
    if len(runs) == 1:
        entry.denied[""] = is_denied(slots)
    else:
        first, end = runs[1]
        _fill(entry, "", slots[first:end], segment.begin + first)
    return entry
