"""Reads owners and what is told of them out of one row, line, sentence or clause, by form alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from streamguard.core.facts.slots import CONTENT, Slot
from streamguard.text.patterns import lazy_re

_BRACKET = lazy_re(r"\(([^()]{1,60})\)")
MOST_RUN: Final = 4  # slots of an owner or filler in prose; guess
_MOST_FILLERS = 40  # of one entry; guess
_AGREED = frozenset(["yes", "not"])


class Part(NamedTuple):
    """Content keys of an owner or filler, and where its slots begin.

    Places count from the first slot of all passages; while a sentence is read by itself, from its
    own.
    """

    keys: frozenset[str]
    place: int

    def moved(self, by: int) -> Part:
        """Return the part so many slots further on."""
        return Part(self.keys, self.place + by)


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

    def moved(self, by: int) -> Entry:
        """Return the entry with its places so many slots further on."""
        fillers = [(column, part.moved(by)) for column, part in self.fillers]
        return Entry(self.owner.moved(by), fillers, self.denied)


class Cell(NamedTuple):
    """One cell of a table's row: its column, content and slots."""

    number: int
    part: Part
    slots: Sequence[Slot]


class Segment(NamedTuple):
    """Slots in a row from `begin` on among those of all passages, and their content keys."""

    begin: int
    slots: Sequence[Slot]
    keys: frozenset[str]


def keys_of(slots: Sequence[Slot]) -> frozenset[str]:
    """Return the content keys of slots."""
    return frozenset([slot.key for slot in slots if slot.kind in CONTENT])


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


def part_of(slots: Sequence[Slot], place: int) -> Part:
    """Return the part that some slots are, the first of them at `place`."""
    return Part(keys_of(slots), place)


def by_clause(slots: Sequence[Slot]) -> Iterator[tuple[int, int]]:
    """Yield the first slot of each clause and the one behind its last."""
    first = 0
    for number in range(1, len(slots) + 1):
        if number == len(slots) or slots[number].clause != slots[first].clause:
            yield first, number
            first = number


def fill(entry: Entry, line: str, slots: Sequence[Slot], place: int) -> None:
    """Put in what a line holds: values and names one by one, else a few words as a whole."""
    if slots and {slot.key for slot in slots} <= _AGREED:
        entry.denied[line] = is_denied(slots)
        return
    begun, number = len(entry.fillers), 0
    while number < len(slots) and len(entry.fillers) < _MOST_FILLERS:
        slot, end = slots[number], number + 1
        while slot.kind == "name" and end < len(slots) and slots[end].kind == "name":
            end += 1
        if slot.kind in ("value", "name"):
            part = part_of(slots[number:end], place + number)
            entry.fillers.append((Column(line, kind_of(slot)), part))
        number = end
    whole = part_of(slots, place)
    if len(entry.fillers) == begun and whole.keys and len(slots) <= MOST_RUN:
        entry.fillers.append((Column(line, "word"), whole))


class Table:
    """What a table tells, row by row: of the label of every row, and of every head.

    Prices, weights and days under their heads are attributes of the rows, and no siblings: a head
    is told what stands below it in rows whose cells are all of one kind. `heads` and `labels` are
    the keys above a column and before a row, by their lines.
    """

    def __init__(self, head: Sequence[Cell]) -> None:
        self.rows: list[Entry] = []
        self.columns = {cell.number: Entry(cell.part) for cell in head}
        self.heads = {str(cell.number): cell.part.keys for cell in head}
        self.labels: dict[str, frozenset[str]] = {}
        self.cells = 0

    def add(self, row: Sequence[Cell]) -> None:
        """Add a row below the head."""
        self.cells += len(row)
        line = str(len(self.rows))
        label, *cells = row
        self.labels[line] = label.part.keys
        entry = Entry(label.part)
        told: dict[int, Entry] = {}
        for cell in cells:
            one = told[cell.number] = Entry(cell.part)
            fill(one, line, cell.slots, cell.part.place)
            if len(entry.fillers) < _MOST_FILLERS:
                _add_cell(entry, str(cell.number), one)
        self.rows.append(entry)
        kinds = {column.kind for one in told.values() for column, _ in one.fillers}
        if len(kinds) > 1 or any(kind.startswith("number") for kind in kinds):
            return
        for number, one in told.items():
            if number in self.columns:
                self.columns[number].fillers += one.fillers
                self.columns[number].denied |= one.denied


def _add_cell(entry: Entry, line: str, cell: Entry) -> None:
    """Add what a cell tells of its column to what it tells of its row's label."""
    for column, part in cell.fillers[: _MOST_FILLERS - len(entry.fillers)]:
        entry.fillers.append((Column(line, column.kind), part))
    for denied in cell.denied.values():
        entry.denied[line] = denied


def labelled(slots: Sequence[Slot], stop: int) -> Entry | None:
    """Return the entry of "label: filler"; None where either is missing or the label is long."""
    split = sum(slot.start < stop for slot in slots)
    if not 0 < split < len(slots) or split > MOST_RUN:
        return None
    entry = Entry(part_of(slots[:split], 0))
    fill(entry, "", slots[split:], split)
    return entry


def bracketed(text: str, slots: Sequence[Slot]) -> list[Entry]:
    """Return the entries of "Basic ($12), Plus ($29)"."""
    starts = [slot.start for slot in slots]
    entries, after = [], 0
    for found in _BRACKET.finditer(text):
        opened, closed = (bisect_left(starts, at) for at in found.span())
        if after < opened < closed:
            first = opened - 1
            while first > max(after, opened - MOST_RUN) and _in_one_clause(slots, first):
                first -= 1
            entry = Entry(part_of(slots[first:opened], first))
            fill(entry, "", slots[opened:closed], opened)
            entries.append(entry)
        after = closed
    return entries


def _in_one_clause(slots: Sequence[Slot], number: int) -> bool:
    return slots[number - 1].clause == slots[number].clause


def respective(slots: Sequence[Slot], spans: Sequence[tuple[int, int]]) -> list[Entry]:
    """Return the entries of "A, B and C cost x, y and z, respectively" by its clauses' spans.

    The last owner and the first filler share a clause: the owner is as long as the others (the
    first of several may have words before it that all share), the filler begins with its value or
    name, else it is the last slot.
    """
    if len(spans) % 2 == 0 or len(spans) < 3:
        return []
    many = len(spans) // 2
    first, end = spans[many]
    longest = max(b - a for a, b in spans[1:many] or spans[:1])
    split = min(first + longest, end - 1)
    filler = next((n for n in range(split, end) if slots[n].kind in ("value", "name")), end - 1)
    owners = [*spans[:many], (first, split)]
    fillers = [(filler, end), *spans[many + 1 :]]
    entries = []
    for (a, b), (c, d) in zip(owners, fillers, strict=True):
        entry = Entry(part_of(slots[a:b], a))
        fill(entry, "", slots[c:d], c)
        entries.append(entry)
    return entries


def chains(segments: Sequence[Segment]) -> Iterator[tuple[list[Entry], frozenset[str]]]:
    """Yield the entries of neighbours of one shape, with the words that all of them share."""
    number = 0
    while number < len(segments) - 1:
        end, shared = _chain_at(segments, number)
        if end - number > 1:
            yield [_entry(segment, shared) for segment in segments[number:end]], shared
        number = max(end, number + 1)


def segment_of(slots: Sequence[Slot], begin: int) -> Segment:
    """Return some slots as a segment."""
    return Segment(begin, slots, keys_of(slots))


def _chain_at(segments: Sequence[Segment], number: int) -> tuple[int, frozenset[str]]:
    """Return where the neighbours end that have one shape from `number` on."""
    shared = segments[number].keys & segments[number + 1].keys
    shape = shape_of(segments[number], shared)
    end = number + 1
    if shape is not None:
        while end < len(segments) and shared <= segments[end].keys:
            if shape_of(segments[end], shared) != shape:
                break
            end += 1
    return end, shared


def shape_of(segment: Segment, shared: frozenset[str]) -> tuple[str, ...] | None:
    """Return what owner and filler are, "" for words; None where there is more or less.

    Two runs of words need words beside them that are shared, one run a statement to be denied.
    There may be more fillers, and anything behind a value, where as many words are shared as owner
    and fillers have.
    """
    slots = segment.slots
    if len(segment.keys) - len(shared) > 2 * MOST_RUN:
        return None
    runs, rest = _runs(slots, shared)
    shape = tuple([_sort_of(slots[first]) for first, _ in runs])
    if rest or len(shape) > 2:
        words = sum([end - first for first, end in runs if slots[first].anchor is None])
        return shape if not shape[0] and len(shared) >= words else None
    if len(shape) == 2 and any(shape):
        return shape if "" in shape else None
    return shape if shared and shape in (("",), ("", "")) else None


def _sort_of(slot: Slot) -> str:
    """Return what tells values of one attribute from those of another."""
    if slot.anchor is None:
        return ""
    return "number" if slot.anchor.kind == "number" else kind_of(slot)


def _runs(slots: Sequence[Slot], shared: frozenset[str]) -> tuple[Sequence[tuple[int, int]], bool]:
    """Return the runs of slots that are not shared, up to words that follow a value.

    Values and words are runs of their own. Returns also whether such words follow; no runs at all
    where an owner or filler is too long, or there are three.
    """
    runs: list[tuple[int, int]] = []
    first, value = -1, False
    for number, slot in enumerate(slots):
        key, kind = slot[:2]
        apart = key in shared or kind not in CONTENT
        if first >= 0 and (apart or (kind == "value") != value):
            runs.append((first, number))
            first = -1
        if not apart:
            if first < 0:
                first, value = number, kind == "value"
                if len(runs) > 1 and not value:
                    told = any(slots[begun].kind == "value" for begun, _ in runs)
                    return (runs, True) if told else ((), False)
            if number - first == MOST_RUN:
                return (), False
    return (runs if first < 0 else [*runs, (first, len(slots))]), False


def _entry(segment: Segment, shared: frozenset[str]) -> Entry:
    slots = segment.slots
    (owner, *told), _ = _runs(slots, shared)
    if slots[owner[0]].kind == "value":
        owner, told = told[0], [owner]
    entry = Entry(part_of(slots[owner[0] : owner[1]], segment.begin + owner[0]))
    for first, end in told:
        fill(entry, "", slots[first:end], segment.begin + first)
    if not told:
        entry.denied[""] = is_denied(slots)
    return entry
