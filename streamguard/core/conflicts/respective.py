"""Two lists of one sentence that belong together item by item: "A and B cost 1 and 2 respectively".

The cue is "respectively", or "in that order". The values are the list nearest to it, the names
the nearest list of as many items before them, else behind them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from streamguard.core.conflicts.reading import Reading, Value

_CUE = re.compile(r"(?i)\brespectively\b|\bin (?:that|this|the same|the given) order\b")
_CONJUNCTIONS = frozenset(["and", "or"])
_ARTICLES = frozenset(["the", "a", "an", "its", "their", "your", "our", "his", "her"])
# Items of a list, content keys of one item, and tokens of an item between two others; guess.
_LEAST_ITEMS, _MOST_ITEMS = 2, 8
_MOST_KEYS = 3
_MOST_TOKENS = 5

Joint = tuple[int, int, bool]  # last token, next token, whether a conjunction is between
Paired = tuple[frozenset[str], Value]


def paired(reading: Reading, values: Sequence[Value]) -> list[Paired]:
    """Return the items of the two lists: the content keys of the name, and its value.

    `values` are those of the text in order, bare numbers too. Empty where there is no cue, or no
    second list of as many items. Linear in the text.
    """
    cue = _CUE.search(reading.text) if values else None
    if cue is None:
        return []
    run = _nearest(_runs(reading, values), cue.start())
    if not _LEAST_ITEMS <= len(run) <= _MOST_ITEMS:
        return []
    names = _names(reading, 0, run[0].at, len(run), backwards=True)
    if not names:
        names = _names(reading, run[-1].at + 1, len(reading.keys), len(run), backwards=False)
    return list(zip(names, run, strict=True)) if names else []


def _runs(reading: Reading, values: Sequence[Value]) -> list[list[Value]]:
    """Return the lists of values of a kind with next to nothing between them."""
    runs: list[list[Value]] = []
    for value in values:
        if runs and _goes_on(reading, runs[-1][-1], value):
            runs[-1].append(value)
        else:
            runs.append([value])
    return [run for run in runs if len(run) >= _LEAST_ITEMS]


def _goes_on(reading: Reading, before: Value, value: Value) -> bool:
    kinds = {before.group[0], value.group[0]}
    # "500 and 250 mg": the unit is said once.
    if before.group != value.group and (kinds != {"number", "quantity"}):
        return False
    between = reading.words[before.at + 1 : value.at]
    others = [word for word in between if word not in _CONJUNCTIONS]
    return len(others) <= 1 and len(between) <= 1 + len(others)


def _nearest(runs: Sequence[list[Value]], cue: int) -> list[Value]:
    """Return the last list before the cue, else the first one behind it."""
    before = [run for run in runs if run[-1].end <= cue]
    after = [run for run in runs if run[0].start >= cue]
    return before[-1] if before else after[0] if after else []


def _names(
    reading: Reading, low: int, high: int, count: int, *, backwards: bool
) -> list[frozenset[str]]:
    """Return the keys of the items of the list of `count` items in tokens [low, high)."""
    joints = _joints(reading, low, high)
    ends = range(count - 2, len(joints))
    for end in reversed(ends) if backwards else ends:
        window = joints[end - count + 2 : end + 1]
        # A list's last two items have a conjunction between them.
        if not window[-1][2] or _is_longer(reading, low, joints, end - count + 1):
            continue
        inner = [_middle(reading, left[1], right[0]) for left, right in pairwise(window)]
        first = _first(reading, low, window[0][0])
        items = [first, *inner, _last(reading, window[-1][1], high)]
        if all(items):
            return items
    return []


def _is_longer(reading: Reading, low: int, joints: Sequence[Joint], last: int) -> bool:
    """Say whether joint `last` has one more item of the list before it: "Basic," of "A and B"."""
    if last < 0:
        return False
    begin = joints[last - 1][1] if last else low
    before = range(begin, joints[last][0] + 1)
    return all(reading.keys[at] or reading.words[at] in _ARTICLES for at in before)


def _joints(reading: Reading, low: int, high: int) -> list[Joint]:
    """Return where items may meet."""
    joints: list[Joint] = []
    last = low - 1  # the last token that is no conjunction
    joined = comma = False
    for at in range(low, high):
        if at > low:
            gap = reading.text[reading.spans[at - 1][1] : reading.spans[at][0]]
            comma = comma or "," in gap
            joined = joined or "&" in gap
        if reading.words[at] in _CONJUNCTIONS:
            joined = True
            continue
        if (joined or comma) and last >= low:
            joints.append((last, at, joined))
        last, joined, comma = at, False, False
    return joints


def _middle(reading: Reading, low: int, last: int) -> frozenset[str]:
    if last - low >= _MOST_TOKENS:
        return frozenset()
    return frozenset(key for key in reading.keys[low : last + 1] if key)


def _first(reading: Reading, low: int, last: int) -> frozenset[str]:
    """Return the keys of an item that ends with token `last`: its capitals, or its few words."""
    in_capitals = last in reading.capitals
    found: list[str] = []
    for at in range(last, max(low, last - _MOST_TOKENS) - 1, -1):
        key = reading.keys[at]
        if key is None or reading.clauses[at] != reading.clauses[last]:
            break
        if len(found) == _MOST_KEYS or (in_capitals and at not in reading.capitals):
            break
        found.append(key)
    return frozenset(found)


def _last(reading: Reading, first: int, high: int) -> frozenset[str]:
    """Return the keys of an item that begins with token `first`: its capitals, or its first."""
    while first < high and reading.words[first] in _ARTICLES:
        first += 1
    found: list[str] = []
    for at in range(first, min(high, first + _MOST_KEYS)):
        key = reading.keys[at]
        if key is None or (at > first and at not in reading.capitals):
            break
        found.append(key)
        if at not in reading.capitals:
            break
    return frozenset(found)
