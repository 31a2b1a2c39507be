"""Facts that passages tell of several owners side by side: rows, labels, brackets, like clauses.

Where a passage says the same of Basic, Plus and Pro, the price of Plus beside the name of Basic is
an exchange, whatever the words around it. Owners and fillers are found by form alone: a table's
labels and heads, "label: filler", "owner (filler)", "respectively", and neighbours that share all
their words but an owner and its fillers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from streamguard.core.owners.grouped import (
    Column,
    Entry,
    Frames,
    Group,
    Groups,
    Leads,
    Part,
    group_of,
)
from streamguard.core.reading.slots import CONTENT, Slot
from streamguard.text.patterns import lazy_re
from streamguard.text.places import Members, Places
from streamguard.values import Anchor
from streamguard.values.weekdays import WEEKDAY

_LABEL = lazy_re(r"\s*(?:[-*•]\s|\d{1,3}[.)]\s)?[^:|\n]{1,60}?(?P<stop>:|[ ][-–—][ ])")
# An item that begins in bold: "- **Jane Miller**, head of sales".
_BOLD_LABEL = lazy_re(r"\s*(?:[-*•]|\d{1,3}[.)])\s\*\*[^*:|\n]{1,60}(?P<stop>\*\*)")
_BRACKET = lazy_re(r"\(([^()]{1,60})\)")
_RULE = lazy_re(r"\s{0,9}:?-{2,99}:?(?:[ ]{0,9}[|+][ ]{0,9}:?-{2,99}:?){1,40}\s{0,9}")
_FRAME = lazy_re(r"\+(?:[-=]{2,99}\+){1,40}\s{0,9}")
_TIGHT_ROW = lazy_re(r"(?:[^|]*[^|\s])?(?:\|(?:[^|\s](?:[^|]*[^|\s])?)?){2,}\s*")
_STOPS = (":", " - ", " – ", " — ")
_AGREED = frozenset(["yes", "not"])
_MOST_RUN = 4  # slots of an owner or filler in prose; guess
_MOST_FILLERS = 40  # of one entry; guess
_MOST_ENTRIES = 60  # of one group; guess
_MOST_CELLS = 300  # of one table; guess
_MOST_GROUPS = 300  # of one set of passages; guess
_EMPTY: Final[frozenset[str]] = frozenset()


class Segment:
    """Slots in a row from `begin` on: a cell, a clause or a sentence."""

    __slots__ = ("_keys", "begin", "slots")

    def __init__(self, slots: Sequence[Slot], begin: int) -> None:
        self.slots, self.begin = slots, begin
        self._keys: frozenset[str] | None = None

    @property
    def keys(self) -> frozenset[str]:
        """The content keys."""
        if self._keys is None:
            self._keys = keys_of(self.slots)
        return self._keys

    @property
    def part(self) -> Part:
        """The segment as an owner or filler."""
        return Part(self.keys, self.begin)


class Alone(NamedTuple):
    """What one sentence tells side by side: entries and frames of each group.

    `label`: its entry, if it is "label: filler". Places count from its first slot. `continues`:
    whether the sentence before it in its block has its shape; None where there is none.
    """

    label: Entry | None
    groups: Sequence[tuple[Sequence[Entry], Frames]]
    continues: bool | None = None


_NOTHING: Final = {continues: Alone(None, (), continues) for continues in (None, False, True)}


def is_row(text: str) -> bool:
    """Say whether a sentence of a passage is the row of a table: "| a | b |", "a|b|c"."""
    if text.count("|") < 2:
        return False
    return text.lstrip().startswith("|") or _TIGHT_ROW.fullmatch(text) is not None


def is_rule(text: str) -> bool:
    """Say whether a line is the rule below a table's head, without bars at its ends.

    That of a database's client has its columns parted by a plus.
    """
    return ("|" in text or "+" in text) and _RULE.fullmatch(text) is not None


def is_frame(text: str) -> bool:
    """Say whether a line is the frame of a table that a database's client prints: "+---+---+"."""
    return text.startswith("+-") and _FRAME.fullmatch(text) is not None


def keys_of(slots: Sequence[Slot]) -> frozenset[str]:
    """Return the content keys of slots."""
    return frozenset([slot.key for slot in slots if slot.kind in CONTENT])


def kind_of(slot: Slot) -> str:
    """Return the kind of a slot: a value's with its unit, a number's with the counted noun."""
    anchor = slot.anchor
    if anchor is None:
        return slot.kind
    counted = anchor.noun if anchor.kind == "number" else anchor.unit
    return f"{anchor.kind} {counted}" if counted else anchor.kind


def is_denied(slots: Sequence[Slot]) -> bool:
    """Say whether slots are negated an odd number of times."""
    return sum(slot.kind == "negator" for slot in slots) % 2 == 1


def read_alone(text: str, slots: Sequence[Slot], before: Sequence[Slot] | None = None) -> Alone:
    """Read the owner and fillers of a sentence, line or item outside of tables.

    `before`: the slots of the one before it in its block.
    """
    found = _LABEL.match(text) if any(map(text.__contains__, _STOPS)) else None
    if found is None and "**" in text:
        found = _BOLD_LABEL.match(text)
    label = None if found is None else _labelled(slots, found.start("stop"))
    groups = [*_in_clauses(text, slots)] if slots[0].clause != slots[-1].clause else []
    if "(" in text:
        groups.append((_bracketed(text, slots), {}))
    continues = None
    if before is not None:
        pair = (Segment(before, 0), Segment(slots, 0))
        continues = _chain_from(0, pair)[0] > 1
    return Alone(label, groups, continues) if label or groups else _NOTHING[continues]


def _labelled(slots: Sequence[Slot], stop: int) -> Entry | None:
    """Return the entry of "label: filler"; None where either is missing or the label is long."""
    split, end = sum(slot.start < stop for slot in slots), len(slots)
    is_one = 0 < split < end and split <= _MOST_RUN
    return _entry(_segment(slots, 0, split), _segment(slots, split, end)) if is_one else None


def _bracketed(text: str, slots: Sequence[Slot]) -> list[Entry]:
    """Return the entries of "Basic ($12), Plus ($29)"."""
    starts = [slot.start for slot in slots]
    entries, after = [], 0
    for found in _BRACKET.finditer(text):
        opened, closed = (bisect_left(starts, at) for at in found.span())
        if after < opened < closed:
            first, least = opened - 1, max(after, opened - _MOST_RUN)
            while first > least and slots[first - 1].clause == slots[first].clause:
                first -= 1
            entries.append(_entry(_segment(slots, first, opened), _segment(slots, opened, closed)))
        after = closed
    return entries


def _in_clauses(text: str, slots: Sequence[Slot]) -> Iterator[tuple[Sequence[Entry], Frames]]:
    """Yield what the clauses of one sentence tell side by side."""
    if text.rstrip(" .").endswith("respectively"):
        yield _respective(slots), {}
        return
    # Clauses of one shape have a value each or share a word: most sentences' have neither.
    values = sum([slot.anchor is not None for slot in slots])
    if values > 1 or len(keys_of(slots)) < sum([slot.kind in CONTENT for slot in slots]):
        for _, entries, frames in _chains(_by_clause(slots, 0)):
            yield entries, frames


def _segment(slots: Sequence[Slot], first: int, end: int, begin: int = 0) -> Segment:
    """Return [first, end) of some slots that begin at `begin` as a segment."""
    return Segment(slots[first:end], begin + first)


def _by_clause(slots: Sequence[Slot], begin: int) -> list[Segment]:
    """Return the clauses of some slots, or the cells of a row."""
    starts = [n for n, slot in enumerate(slots) if not n or slot.clause != slots[n - 1].clause]
    ends = [*starts[1:], len(slots)]
    return [_segment(slots, *span, begin) for span in zip(starts, ends, strict=True)]


def _respective(slots: Sequence[Slot]) -> list[Entry]:
    """Return the entries of "A, B and C cost x, y and z, respectively".

    The last owner and the first filler share a clause: the owner is as long as the others (the
    first of several may have words before it that all share), the filler begins with its value or
    name, else it is the last slot.
    """
    clauses = _by_clause(slots, 0)[:-1]
    if len(clauses) % 2 == 0 or len(clauses) < 3:
        return []
    many = len(clauses) // 2
    first, end = clauses[many].begin, clauses[many + 1].begin
    longest = max(len(clause.slots) for clause in clauses[1:many] or clauses[:1])
    split = min(first + longest, end - 1)
    filler = next((n for n in range(split, end) if slots[n].kind in ("value", "name")), end - 1)
    owners = [*clauses[:many], _segment(slots, first, split)]
    return [*map(_entry, owners, [_segment(slots, filler, end), *clauses[many + 1 :]])]


def _entry(owner: Segment, *told: Segment) -> Entry:
    """Return the entry of an owner and what stands in one line of it."""
    entry = Entry(owner.part)
    for one in told:
        _fill(entry, "", one)
    return entry


def _moved(entry: Entry, begin: int) -> Entry:
    """Return an entry whose places count from `begin`."""
    return Entry(entry.owner, entry.fillers, entry.denied, begin)


def _fill(entry: Entry, line: str, told: Segment) -> None:
    """Put in what a line holds: values and names one by one, else a few words as a whole."""
    slots = told.slots
    if slots and {slot.key for slot in slots} <= _AGREED:
        entry.denied[line] = is_denied(slots)
        return
    begun, number = len(entry.fillers), 0
    while number < len(slots) and len(entry.fillers) < _MOST_FILLERS:
        slot, end = slots[number], number + 1
        while slot.kind == "name" and end < len(slots) and slots[end].kind == "name":
            end += 1
        if slot.kind in ("value", "name"):
            part = _segment(slots, number, end, told.begin).part
            entry.fillers.append((Column(line, kind_of(slot)), part))
        number = end
    if len(entry.fillers) == begun < _MOST_FILLERS and told.keys and len(slots) <= _MOST_RUN:
        entry.fillers.append((Column(line, "word"), told.part))


def _chains(
    segments: Sequence[Segment], continues: Sequence[bool | None] | None = None
) -> Iterator[tuple[int, list[Entry], Frames]]:
    """Yield neighbours of one shape: the first's number, entries, and words that all share.

    `continues`: of each, where it is known, whether it has the shape of the one before.
    """
    number = 0
    while number < len(segments) - 1:
        if continues is not None and continues[number + 1] is False:
            number += 1
            continue
        end, shared = _chain_from(number, segments)
        if end - number > 1:
            entries = [_told_in(segment, shared) for segment in segments[number:end]]
            yield number, entries, {"": shared}
        number = end


def _chain_from(number: int, segments: Sequence[Segment]) -> tuple[int, frozenset[str]]:
    """Return where the neighbours end that have the shape of one segment, and their words."""
    shared = segments[number].keys & segments[number + 1].keys
    shape = _shape_of(segments[number], shared)
    end = number + 1
    while shape is not None and end < len(segments) and shared <= segments[end].keys:
        if _shape_of(segments[end], shared) != shape:
            break
        end += 1
    return end, shared


def _shape_of(segment: Segment, shared: frozenset[str]) -> tuple[str, ...] | None:
    """Return the kinds of owner and filler, "" for words; None if there are more or fewer.

    Two runs of words need words beside them that are shared, one run a statement to be denied.
    There may be more fillers, and anything behind a value, where as many words are shared as owner
    and fillers have.
    """
    slots = segment.slots
    if len(segment.keys) - len(shared) > 2 * _MOST_RUN:
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
            if number - first == _MOST_RUN:
                return (), False
    return (runs if first < 0 else [*runs, (first, len(slots))]), False


def _told_in(segment: Segment, shared: frozenset[str]) -> Entry:
    """Return the entry of a segment in a chain."""
    runs, _ = _runs(segment.slots, shared)
    owner, *told = (_segment(segment.slots, *run, segment.begin) for run in runs)
    if owner.slots[0].kind == "value":
        owner, told = told[0], [owner]
    entry = _entry(owner, *told)
    if not told:
        entry.denied[""] = is_denied(segment.slots)
    return entry


class _Table:
    """The entries of a table, row by row: those of each row's label, and of each head.

    A price, a weight and a day under their heads are attributes of the row, and no siblings: a
    head is told what stands below it in rows that have several of its kind, or nothing else.
    `heads` and `labels` are the keys above a column and before a row, by their lines. `named`: the
    entries of second cells, where these are words behind a number or code ("B12 | Liver panel").
    """

    def __init__(self, head: Sequence[Segment]) -> None:
        self.rows: list[Entry] = []
        self.named: list[Entry] = []
        self.columns = {str(cell.slots[0].clause): Entry(cell.part) for cell in head}
        self.heads = {line: entry.owner.keys for line, entry in self.columns.items()}
        self.last = str(head[-1].slots[0].clause) if head else ""
        self.labels: dict[str, frozenset[str]] = {}
        self.cells = 0

    def add(self, label: Segment, *cells: Segment) -> None:
        """Add a row below the head."""
        self.cells += 1 + len(cells)
        line = str(len(self.rows))
        self.labels[line] = label.keys
        entry, told = Entry(label.part), [(str(cell.slots[0].clause), cell) for cell in cells]
        for column, cell in told:
            _fill(entry, column, cell)
        self.rows.append(entry)
        if len(cells) > 1 and not _has_words(label) and _has_words(cells[0]):
            self.named.append(Entry(cells[0].part))
            for column, cell in told[1:]:
                _fill(self.named[-1], column, cell)
        kinds = Counter(column.kind for column, _ in entry.fillers)
        # A figure without a unit is like no other.
        alike = {one for one, many in kinds.items() if many > 1 or len(kinds) == 1}
        alike = {one for one in alike if not one.startswith("number")}
        # A comma in a cell parts it in two: what is behind it stands below other heads.
        is_even = told[-1:] and told[-1][0] == self.last
        for line_of, cell in told if is_even else ():
            own = {column.kind for column, _ in entry.fillers if column.line == line_of}
            is_told = own <= alike if own else not kinds or kinds.keys() <= alike
            if is_told and line_of in self.columns:
                _fill(self.columns[line_of], line, cell)


class Siblings:
    """The groups of all passages, found while their units come one after another."""

    def __init__(self) -> None:
        self.groups = Groups()
        self._with_key = Places()  # key of an owner -> groups
        self._table: _Table | None = None  # at hand
        self._lines: list[Entry] = []
        self._run: list[Segment] = []  # sentences
        self._continues: list[bool | None] = []  # of each, as `Alone` has it
        self._units: list[int] = []  # of the table or the run
        self._line_units: list[int] = []
        self.leads = Leads()

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return (self._with_key,)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        return self.groups.held_bytes + self._with_key.held_bytes

    def add_row(self, slots: Sequence[Slot], begin: int, unit: int, *, is_head: bool) -> None:
        """Add a row of a table; its slots begin at `begin` among those of all passages."""
        if is_head or self._table is None:
            self.finish()
            self._table = _Table(_by_clause(slots, begin))
        elif len(self._table.rows) < _MOST_ENTRIES and self._table.cells < _MOST_CELLS:
            self._table.add(*_by_clause(slots, begin))
        self._units.append(unit)

    def add_sentence(self, alone: Alone, slots: Sequence[Slot], begin: int, unit: int) -> None:
        """Add a sentence, a line or an item."""
        if self._table is not None or len(self._run) == _MOST_ENTRIES:
            self.finish()
        if alone.label is not None:
            self._lines.append(_moved(alone.label, begin))
            self._line_units.append(unit)
        elif self._lines:
            self._end_lines()
        for entries, frames in alone.groups:
            self._put([_moved(entry, begin) for entry in entries], frames, [unit])
        self._run.append(Segment(slots, begin))
        self._continues.append(alone.continues)
        self._units.append(unit)

    def finish(self) -> None:
        """End the open table or run."""
        table, run, units, continues = self._table, self._run, self._units, self._continues
        self._table, self._run, self._units, self._continues = None, [], [], []
        self._end_lines()
        if table is not None:
            self._put(table.rows, table.heads, units)
            self._put(table.named, table.heads, units)
            self._put([*table.columns.values()], table.labels, units)
        for first, entries, frames in _chains(run, continues):
            self._put(entries, frames, units[first : first + len(entries)])

    def end_chunk(self) -> None:
        """End a chunk: its table, its run and its lists."""
        self.finish()
        for entries, frames, units in self.leads.groups():
            self._put(entries, frames, units)

    def about(self, keys: frozenset[str]) -> Iterator[Group]:
        """Yield the groups that may have an owner among these keys, in their order."""
        named = self._with_key.items(keys)
        found = {number for _, numbers in named for number in numbers}
        return map(self.groups.__getitem__, sorted(found))

    def _end_lines(self) -> None:
        self._put(self._lines, {}, self._line_units)
        self._lines, self._line_units = [], []

    def _put(self, entries: Sequence[Entry], frames: Frames, units: Sequence[int]) -> None:
        if len(entries) < 2:
            return
        # Those that tell something of what is more than figures, as "H100" is.
        telling = (entry for entry in entries if entry.fillers or entry.denied)
        named = (one for one in telling if any(map(_is_name, one.owner.keys)))
        kept = [*islice(named, _MOST_ENTRIES)]
        owners = [entry.owner.keys for entry in kept]
        if len(set(owners)) < 2 or len(self.groups) == _MOST_GROUPS:
            return
        group = group_of(kept, frames, frozenset(units))
        self._with_key.add_to_each(frozenset().union(*group.marks), len(self.groups))
        self.groups.append(group)


def _has_words(cell: Segment) -> bool:
    """Say whether a cell is a few words, some of them perhaps codes ("Thyroid T4")."""
    kinds = {_kind_of(slot.anchor) for slot in cell.slots}
    return len(cell.slots) <= _MOST_RUN and None in kinds and kinds <= {None, "identifier"}


def _kind_of(anchor: Anchor | None) -> str | None:
    return None if anchor is None or anchor.unit == WEEKDAY else anchor.kind


def _is_name(key: str) -> bool:
    """Say whether a key is a word or an identifier, and no figure, day or time."""
    return not key.startswith("#") or any(map(str.isalpha, key))
