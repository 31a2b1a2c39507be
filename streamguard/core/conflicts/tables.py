"""Rows of Markdown tables: their cells, and the keys that stand in them."""

from __future__ import annotations

import re
from itertools import pairwise

from streamguard.core.conflicts.reading import Reading

_BARS = re.compile(r"(?<!\\)\|")
_ALNUM = re.compile(r"[^\W_]")

Span = tuple[int, int]


def is_row(text: str) -> bool:
    """Say whether a line is a table's row, with bars at its ends or only between its cells."""
    return "|" in text and (text.lstrip().startswith("|") or " | " in text)


def is_rule(text: str) -> bool:
    """Say whether a row is the line under a table's heading: nothing but dashes and bars."""
    return "-" in text and _ALNUM.search(text) is None


def cells(text: str) -> list[Span]:
    """Return the half-open spans of a row's cells, empty ones too; bars at its ends hold none."""
    bars = [found.start() for found in _BARS.finditer(text)]
    edges = [-1, *bars, len(text)]
    spans = [(left + 1, right) for left, right in pairwise(edges)]
    if spans and not text[slice(*spans[0])].strip():
        spans = spans[1:]
    if spans and not text[slice(*spans[-1])].strip():
        spans = spans[:-1]
    return spans


def keys_in_cells(reading: Reading, spans: list[Span]) -> list[frozenset[str]]:
    """Return the content keys of each cell of a row that was read. Linear in the row."""
    found: list[set[str]] = [set() for _ in spans]
    column = 0
    for (start, _), key in zip(reading.spans, reading.keys, strict=True):
        while column < len(spans) and spans[column][1] <= start:
            column += 1
        if key and column < len(spans):
            found[column].add(key)
    return [frozenset(keys) for keys in found]
