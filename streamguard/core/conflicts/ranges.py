"""Ranges with two values for their ends: "Tuesday to Sunday", "between 2003 and 2016".

One end of a range says nothing against its other end, nor against a value between the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from streamguard.core.conflicts.reading import Value

_LINKS = frozenset(["to", "through", "thru", "till", "til", "until", "up to", "-"])
_BETWEEN = re.compile(r"(?i)\bbetween (?:the )?$")
_BETWEEN_REACH = 12  # characters: "between the "
_CALENDAR = frozenset(["date", "year", "month"])
_ROUND = frozenset(["weekday", "month", "time"])  # from Friday to Monday

Place = tuple[int, ...]


def with_ends(text: str, values: Sequence[Value]) -> list[Value]:
    """Return the values of `text`, in order; those that are ends of a range know both ends."""
    found = list(values)
    for at, (low, high) in enumerate(pairwise(values)):
        if found[at].ends is None and _is_range(text, low, high):
            found[at] = replace(low, ends=(low, high))
            found[at + 1] = replace(high, ends=(low, high))
    return found


def _is_range(text: str, low: Value, high: Value) -> bool:
    kinds = {low.group[0], high.group[0]}
    if low.group != high.group and not kinds <= _CALENDAR:
        return False
    link = text[low.end : high.start].strip().lower()
    if link == "and":
        before = text[max(0, low.start - _BETWEEN_REACH) : low.start]
        return _BETWEEN.search(before) is not None
    return link in _LINKS


def of_one_range(one: Value, other: Value) -> bool:
    """Say whether two values of a text are the ends of one range."""
    return one.ends is not None and any(end.at == other.at for end in one.ends)


def are_opposite_ends(one: Value, other: Value) -> bool:
    """Say whether one is the lower end of its range and the other the upper end of its own."""
    return _is_low(one) != _is_low(other)


def in_range(answer: Value, source: Value) -> Literal["same", "apart"] | None:
    """Compare two values that differ, one of which is an end of a range.

    "same": the answer's lies in the chunk's range. "apart": the chunk's lies in the answer's.
    """
    if source.ends:
        return "same" if _lies_in(answer, source.ends) else None
    return "apart" if answer.ends and _lies_in(source, answer.ends) else None


def _is_low(value: Value) -> bool:
    return value.ends is not None and value.at == value.ends[0].at


def _lies_in(value: Value, ends: tuple[Value, Value]) -> bool:
    """Say whether a value lies between two; so too where it says nothing that both say."""
    parts = [each.place for each in (ends[0], value, ends[1])]
    told = [all(place[at] is not None for place in parts) for at in range(len(parts[0]))]
    low, here, high = (
        tuple(part for part, is_told in zip(place, told, strict=True) if is_told) for place in parts
    )
    if low > high:
        return value.group[0] in _ROUND and (here >= low or here <= high)
    return low <= here <= high
