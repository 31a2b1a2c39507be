"""Derivations of an amount whose sentence announces none: a bill of one unit.

That excuses no amount, but it is no misreading of a single one either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import permutations
from math import fsum, isclose
from typing import Final

from streamguard.core.derive.reckoning import QUESTION, KnownValue
from streamguard.values import Anchor

_SAME: Final = 1e-6  # relative: what binary arithmetic leaves of equality
_COUNTING: Final = frozenset(["number", "quantity"])
_SHARES: Final = {"half": 1 / 2, "quarter": 1 / 4}  # words that are read as no value alone


def may_be_bill(
    target: Anchor,
    terms: Sequence[KnownValue],
    prices: Iterable[Anchor],
    units: Sequence[Sequence[Anchor]],
    words: Collection[str] = (),
) -> bool:
    """Return whether an amount is a count times a price, or follows from one unit.

    The count is the sentence's or the question's. From a unit follow the sum of its amounts, the
    largest less the others, or a share of one: a percentage or fraction there, or one in `words`,
    which are the stems of the units' words.
    """
    if target.kind != "amount" or target.value is None:
        return False
    goal = float(target.value)
    counts = [
        one.figure
        for one in terms
        if one.place <= QUESTION and one.anchor.kind in _COUNTING and one.figure >= 1
    ]
    near = [one for unit in units for one in unit]
    if counts and any(
        isclose(size, goal, rel_tol=_SAME) for size in _with_more(near, target, counts)
    ):
        return True
    sizes = list(_sizes(prices, target)) if counts else []
    if any(
        isclose(count * size, goal, rel_tol=_SAME)
        for count in counts
        if count > 1
        for size in sizes
    ):
        return True
    shares = [float(one.value) / 100 for one in near if one.kind == "percent" and one.value]
    shares += [float(one.value) for one in near if one.value and _is_fraction(one)]
    shares += [share for word, share in _SHARES.items() if word in words]
    parts = [part for share in shares for part in (share, 1 - share, 1 + share)]
    results = [size * part for size in _sizes(near, target) for part in parts]
    results += [size for unit in units for size in _bills(unit, target)]
    return any(isclose(size, goal, rel_tol=_SAME) for size in results)


def _sizes(anchors: Iterable[Anchor], target: Anchor) -> Iterator[float]:
    for one in anchors:
        if one.kind == "amount" and one.value and one.unit in (None, target.unit):
            yield float(one.value)
        elif one.family == "pound" and one.number and target.unit == "GBP":
            yield float(one.number)


def _is_fraction(one: Anchor) -> bool:
    return one.kind == "number" and one.value is not None and 0 < one.value < 1


def _with_more(near: Sequence[Anchor], target: Anchor, counts: Sequence[float]) -> Iterator[float]:
    """Yield near prices with so many times another: two seats, one of them included."""
    sizes = list(dict.fromkeys(_sizes(near, target)))
    times = {times for count in counts for times in (count, count - 1) if times >= 1}
    for base, more in permutations(sizes, 2):
        yield from (base + number * more for number in times if more < base)


def _bills(unit: Sequence[Anchor], target: Anchor) -> Iterator[float]:
    sizes = list(_sizes(unit, target))
    if len(sizes) > 1:
        total = fsum(sizes)
        yield total
        yield 2 * max(sizes) - total
