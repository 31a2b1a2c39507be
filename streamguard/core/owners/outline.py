"""Grows the tree of owners, line by line: by headings, indentation, brackets and tables.

A line stands below the last one that comes before it in its order: a heading of a higher level, a
line that is less indented, an open bracket. Fields that come again in turn ("Name:", "Price:",
"Name:", ...) are the fields of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final

from streamguard.core.owners.tree import (
    MOST_NODES,
    NO_LABEL,
    NONE,
    ROOT,
    Label,
    Owners,
    label_of,
    name_of,
)
from streamguard.core.reading.slots import CONTENT, Slot
from streamguard.text.layout import UNLABELLED, Line

_MOST_LABEL: Final = 12  # content slots of a label, as a question has; guess
_MOST_CELLS: Final = 300  # of one table; guess
_MOST_DEPTH: Final = 40  # guess

# Forms of owners, in the order in which one closes the other; each with its depth.
_CHUNK, _HEADING, _LINE, _BRACKET = range(4)


@dataclass(slots=True)
class _Open:
    """An owner below which the next lines may stand.

    `is_opener`: its line ends with its label, so that a line of the same depth stands below it.
    `item`: of a list's item "- name: staging" its label and filler, until it proves to be a record.
    `run`: the fields below it; where the first one may name a record (`is_named`), it begins one
    each time that it comes again. `record`: the record at hand. `begin`: the run's first slot.
    """

    order: tuple[int, int]
    node: int
    is_opener: bool = False
    item: tuple[Label, Sequence[Slot], int] | None = None
    run: list[int] = field(default_factory=list)
    is_named: bool = False
    begin: int = 0
    record: int = NONE

    @property
    def parent(self) -> int:
        """The node below which its lines stand."""
        return self.node if self.record == NONE else self.record


class Outline:
    """Reads the passages' lines into `owners`, one sentence or row after the other."""

    def __init__(self) -> None:
        self.owners = Owners()
        self._open: list[_Open] = []
        self._brackets = self._deeper = 0  # open ones, and those that are not read
        self._heads: dict[int, Label] | None = None  # of the table at hand, by cell
        self._table, self._cells = NONE, 0

    def begin_chunk(self) -> None:
        """Close all that the chunk before has opened."""
        self._open = [_Open((_CHUNK, 0), self.owners.push(ROOT, NO_LABEL))]
        self._open_document()
        self._brackets = self._deeper = 0
        self._heads = None

    def add(
        self, lines: Sequence[Line], slots: Sequence[Slot], begin: int, *, has_values: bool
    ) -> None:
        """Add a sentence outside of tables; its slots begin at `begin` among all."""
        self._heads = None
        is_prose = not lines or (len(lines) == 1 and lines[0].kind == "text")
        if is_prose and not has_values:
            slots = ()  # words own nothing
        if len(self.owners) > MOST_NODES or not (lines or slots):
            return
        at, many = 0, len(slots)
        for line in lines:
            first = at
            while first < many and slots[first].start < line.start:
                first += 1
            self._add_text(slots[at:first], begin + at)
            at = first
            while at < many and slots[at].start < line.end:
                at += 1
            self._add_line(line, slots[first:at], begin + first)
        self._add_text(slots[at:], begin + at)

    def add_row(self, slots: Sequence[Slot], begin: int) -> None:
        """Add a row of a table; the first one is its head."""
        owners = self.owners
        cells = [list(cell) for _, cell in groupby(slots, key=attrgetter("clause"))]
        if self._heads is None:
            self._heads, self._cells = {}, 0
            self._table = owners.push(self._open[-1].parent, NO_LABEL)
            for cell in cells:
                self._heads[cell[0].clause] = label_of(cell, begin)
                begin += len(cell)
            return
        if self._cells > _MOST_CELLS or len(owners) > MOST_NODES:
            return
        row = owners.push(self._table, NO_LABEL)
        self._cells += len(cells)
        for cell in cells:
            # A cell without a head is told by its number, which nobody names.
            nameless = Label(frozenset([f"|{cell[0].clause}"]), begin, begin)
            node = owners.child(row, self._heads.get(cell[0].clause, nameless))
            self._fill(node, cell, begin)
            begin += len(cell)

    def _add_line(self, line: Line, slots: Sequence[Slot], begin: int) -> None:
        if line.kind == "heading":
            self._add_heading(line, slots, begin)
        elif line.kind == "rule":
            self._add_rule()
        elif line.kind in ("open", "close", "field"):
            self._add_bracket(line, slots, begin)
        elif self._brackets:
            self._add_text(slots, begin)
        elif line.kind == "text":
            self._add_paragraph(line, slots, begin)
        else:
            self._add_field(line, slots, begin)

    def _add_heading(self, line: Line, slots: Sequence[Slot], begin: int) -> None:
        label = label_of(slots, begin)
        if not label.keys:
            return
        self._brackets = self._deeper = 0
        order = (_HEADING, line.depth)
        self._close(order)
        top = self._open[-1]
        # Those of the highest level are neighbours in all passages: texts are cut at headings.
        parent = ROOT if top.order[0] == _CHUNK else top.parent
        node = self.owners.child(parent, label)
        self._open.append(_Open(order, node, is_opener=True))
        self.owners.add_leaves(node, slots, begin, label.keys)

    def _add_rule(self) -> None:
        """Begin another document of one file, which its fields name."""
        if not self._brackets and self._open[-1].order[0] != _HEADING:
            self._close((_LINE, 0))
            if self._open[-1].order[0] == _CHUNK:
                del self._open[1:]
                self._open_document()

    def _open_document(self) -> None:
        document = self.owners.push(self._open[0].node, NO_LABEL)
        self._open.append(_Open((_CHUNK, 1), document))

    def _add_paragraph(self, line: Line, slots: Sequence[Slot], begin: int) -> None:
        order = (_LINE, line.depth)
        while (top := self._open[-1]).order >= order:
            if top.order == order and top.is_opener:
                break
            self._open.pop()
        self._add_text(slots, begin)

    def _add_field(self, line: Line, slots: Sequence[Slot], begin: int) -> None:
        """Add a label with its filler, or an item of a list."""
        owners, order, split = self.owners, (_LINE, line.depth), _split(line, slots)
        label = label_of(slots[:split], begin)
        if not label.keys and line.word:  # "From:", of which no key is kept
            label = label._replace(keys=frozenset([f"|{line.word}"]))
        self._close(order)
        top = self._open[-1]
        is_labelled, is_item = line.stop != UNLABELLED, line.kind == "item"
        if not label.keys or sum(one.kind in CONTENT for one in slots[:split]) > _MOST_LABEL:
            self._add_text(slots, begin)
            return
        rest, at = slots[split:], begin + split
        if top.item is not None and not is_item:
            self._make_record(top, *top.item)
        if is_item:
            node = owners.child(top.parent, label)
        else:
            node = self._next_field(top, label, name_of(rest, at, asks=line.asks))
        item = (label, rest, at) if is_item and is_labelled and rest else None
        self._open.append(_Open(order, node, not line.is_filled, item))
        owners.add_field(node)
        if is_labelled:
            owners.add_leaves(node, rest, at)
        else:
            owners.add_leaves(node, slots, begin, label.keys)

    def _next_field(self, top: _Open, label: Label, name: Label | None) -> int:
        """Return the node of the next field of an owner, or of a record that it begins."""
        owners = self.owners
        if not top.run:
            top.is_named, top.begin = name is not None, label.first
        elif top.is_named and name is not None and owners.label(top.run[0]).keys == label.keys:
            if top.record == NONE:
                first = owners.push(top.node, NO_LABEL)
                owners.move(top.run, first, top.begin)
            top.record, top.run = owners.push(top.node, NO_LABEL), []
        node = owners.child(top.parent, label)
        top.run.append(node)
        if name is not None:
            owners.add_name(node, name)
        return node

    def _make_record(self, top: _Open, label: Label, rest: Sequence[Slot], at: int) -> None:
        """Make a record of an item below which a field stands: its label was its first field's."""
        owners = self.owners
        record = owners.push(owners.parent(top.node), NO_LABEL)
        node = owners.push(record, label)
        owners.move_leaves(top.node, node, label.first)
        owners.add_field(node)
        if name := name_of(rest, at):
            owners.add_name(node, name)
        top.item, top.node, top.run = None, record, [node]

    def _add_bracket(self, line: Line, slots: Sequence[Slot], begin: int) -> None:
        split = _split(line, slots)
        label, rest, at = label_of(slots[:split], begin), slots[split:], begin + split
        if line.kind == "field":
            self._fill(self.owners.child(self._open[-1].parent, label), rest, at)
            return
        if line.kind == "open" and len(self._open) > _MOST_DEPTH:
            self._deeper += 1
        elif line.kind == "open":
            self._brackets += 1
            node = self.owners.push(self._open[-1].parent, label)
            self._open.append(_Open((_BRACKET, self._brackets), node))
        elif self._deeper:
            self._deeper -= 1
        elif self._brackets:
            self._brackets -= 1
            self._open.pop()
        self._add_text(rest, at)

    def _fill(self, node: int, slots: Sequence[Slot], begin: int) -> None:
        """Fill a field."""
        self.owners.add_field(node)
        self.owners.add_leaves(node, slots, begin)
        if name := name_of(slots, begin):
            self.owners.add_name(node, name)

    def _add_text(self, slots: Sequence[Slot], begin: int) -> None:
        """Add text below the last owner."""
        top = self._open[-1]
        if top.order[0] != _CHUNK or top.run:  # else nothing owns it
            self.owners.add_leaves(top.parent, slots, begin)

    def _close(self, order: tuple[int, int]) -> None:
        while self._open[-1].order >= order or len(self._open) > _MOST_DEPTH:
            self._open.pop()


def _split(line: Line, slots: Sequence[Slot]) -> int:
    """Return how many slots of a line are its label's."""
    if line.stop == UNLABELLED:
        return len(slots)
    return sum([slot.start < line.stop for slot in slots])
