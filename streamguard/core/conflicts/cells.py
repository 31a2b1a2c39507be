"""Tables by their cells: which rows and columns words name, and yes and no in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from streamguard.core.conflicts.reading import Reading
from streamguard.core.conflicts.tables import cells, is_rule

MOST_ROWS = 64  # of one table that are looked at; guess
_MOST_COLUMNS = 16  # guess

_YES = frozenset("yes y true included available supported allowed possible ✓ ✔ ✅ ☑".split())
_NO = frozenset(
    "no|n|false|none|not included|not available|not supported|not allowed|not possible|excluded|"
    "unavailable|✗|✘|❌|✕".split("|")
)
_DASHES = frozenset(["-", "--", "---"])
_MARKS = " \t*_`~\ufe0e\ufe0f."

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell: its content keys in order, and its place in the chunk sentence."""

    keys: tuple[str, ...]
    text: str
    sentence: int
    start: int
    end: int

    @property
    def sign(self) -> int:
        """1 for yes, -1 for no, 0 for anything else; a dash says neither by itself."""
        said = self.text.strip(_MARKS).lower()
        return 1 if said in _YES else -1 if said in _NO else 0

    @property
    def is_dash(self) -> bool:
        """Whether it is a dash, which says no where other cells say yes."""
        return self.text.strip() in _DASHES

    @property
    def words(self) -> Keys:
        """Its keys without values."""
        return frozenset(key for key in self.keys if not key.startswith("#"))


_NOTHING = Cell((), "", -1, 0, 0)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its heading's cells, and its rows, each of as many cells as the heading."""

    head: list[Cell]
    rows: list[list[Cell]]

    @property
    def row_heads(self) -> list[Cell]:
        """The first cell of each row."""
        return [row[0] for row in self.rows]

    def sign(self, row: int, column: int) -> int:
        """Return 1 where a cell says yes, -1 for no; a dash is a no beside a yes."""
        cell = self.rows[row][column]
        if not cell.is_dash:
            return cell.sign
        beside = (*self.rows[row], *(other[column] for other in self.rows))
        return -1 if any(other.sign > 0 for other in beside) else 0


def grid_of(rows: Iterable[tuple[int, Reading]]) -> Grid:
    """Return the table of these sentences, the heading first. Linear in their length."""
    found = [
        _cells(number, reading)[:_MOST_COLUMNS]
        for number, reading in rows
        if not is_rule(reading.text)
    ]
    width = len(found[0])
    return Grid(found[0], [(row + [_NOTHING] * width)[:width] for row in found[1:]])


def _cells(number: int, reading: Reading) -> list[Cell]:
    spans = cells(reading.text)
    inside: list[list[str]] = [[] for _ in spans]
    column = 0
    for (start, _), key in zip(reading.spans, reading.keys, strict=True):
        while column < len(spans) and spans[column][1] <= start:
            column += 1
        if key and column < len(spans):
            inside[column].append(key)
    return [
        Cell(
            tuple(keys),
            reading.text[start:end].strip(),
            number,
            *_trimmed(reading.text, start, end),
        )
        for keys, (start, end) in zip(inside, spans, strict=True)
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    written = text[start:end]
    return start + len(written) - len(written.lstrip()), end - len(written) + len(written.rstrip())


def named(heads: Sequence[Cell], said: Collection[str]) -> dict[int, Keys]:
    """Return which heads of rows or columns words name, and by which keys.

    By all the keys that tell the head from the others, or by its last one where no other head has
    it. A head whose keys are all another's that is named too ("Pro", "Pro Max") is not.
    """
    common = common_keys(heads)
    found: dict[int, Keys] = {}
    for at, head in enumerate(heads):
        telling = head.words - common
        if telling and telling.issubset(said):
            found[at] = telling
        elif telling and _is_only(at, heads) and head.keys[-1] in said:
            found[at] = frozenset(head.keys[-1:])
    return {
        at: keys for at, keys in found.items() if not any(keys < other for other in found.values())
    }


def _is_only(at: int, heads: Sequence[Cell]) -> bool:
    last = heads[at].keys[-1]
    return not any(last in head.keys for other, head in enumerate(heads) if other != at)


def common_keys(heads: Sequence[Cell]) -> Keys:
    """Return the keys of all heads: "account" of "basic account" and "premium account"."""
    if len(heads) < 2:
        return frozenset()
    return reduce(frozenset.intersection, (head.words for head in heads))
