"""One small solver: whether a value follows from others by up to three operations.

Sums, differences, products, quotients, percentages, conversions, rounding, counts of days, dates
and times moved by a duration. A reckoning is looked for by its result, wherever its operands stand
near what the sentence speaks of; no word has to name it. What follows from the passages by a short
reckoning is innocent until shown otherwise: of 71 right computations of everyday_dev and 20 wrong
ones, that is the trade this makes (`docs/accuracy.md`).

Dimensions have to agree: what is bought is counted, months are no kilograms, and only a price per
month makes one per year times 12. Reckonings that do not agree say nothing: on answers by
independent authors a value that followed by one of them was wrong as often (0.21) as one that
followed by none (0.25), and one that followed properly in 0.05.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from streamguard.core.derive.operands import (
    MONEY,
    PER,
    PURE,
    Operand,
    Operands,
    Pair,
    Target,
    dimension_of,
    minutes_of,
    ordinal_of,
    target_of,
)
from streamguard.values import Anchor

_SUBSET = 4  # values of a sum that stand in no row
_FOLLOWED = 2  # operands that no source holds, of which one has to follow from what one holds
_SUMMED = 10  # values that such a sum is looked for among
_QUOTIENTS = ("÷", PER, "%", "Δ%")  # what may be rounded
# From one period to another, of what is paid or counted per period.
_FACTORS: Final = {
    7.0: ("day", "week"),
    12.0: ("month", "year"),
    52.0: ("week", "year"),
    365.0: ("day", "year"),
}
_SAME = 1e-6  # that a sum of three, or relative a product, may be off by
_SIGNS = ("", "+", "-", "×")  # by the way a third operand is taken
_TIMES: Final = 3
_DAY_MINUTES = 24 * 60
_DAY_SECONDS = 86_400.0
_MONTH_DAYS = 30.44
_MONTH_SLACK = 2.5  # days that a month counted as 30.44 may be off by


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: in words ("$49 × 12"), and which of the caller's values it took.

    `steps`: operations, from 1. `is_span`: it is the distance of two dates or times.
    """

    words: str
    sources: tuple[int, ...]
    steps: int = 1
    is_span: bool = False


def derive(anchor: Anchor, operands: Operands) -> Derivation | None:
    """Return how the anchor's value follows from the operands, the shortest way first, or None."""
    if anchor.kind == "date":
        return _moved_date(anchor, operands)
    if anchor.kind == "time":
        return _moved_time(anchor, operands)
    target = target_of(anchor)
    if target is None:
        return None
    return _between(target, operands) or _reckoned(target, operands)


def derive_from(
    anchor: Anchor, pool: Sequence[Anchor], grounded: Sequence[bool]
) -> Derivation | None:
    """Return how the anchor's value follows from the pool, a grounded value of it among them.

    `grounded` says which values of the pool stand in a source; what follows from these is grounded
    too. Two figures that follow from each other ("$30 per month, or $360 per year") are not.
    """
    found = derive(anchor, Operands(pool))
    if found is None or any(grounded[number] for number in found.sources):
        return found
    numbers = [number for number, is_grounded in enumerate(grounded) if is_grounded]
    if not numbers:
        return None
    known = Operands(pool[number] for number in numbers)
    straight = derive(anchor, known)
    if straight is not None:
        return replace(straight, sources=tuple(numbers[number] for number in straight.sources))
    first = found.sources[:_FOLLOWED]
    follows = any(derive(pool[number], known) is not None for number in first)
    return found if follows else None


def derive_total(anchor: Anchor, rows: Iterable[Sequence[Anchor]]) -> Derivation | None:
    """Return how the anchor's value is all that a row of values comes to, or None.

    A row is a table's column, or what the answer has listed; of one whose values have no unit, as
    that stands in the head, the figures are added. Where the total has its unit, others of the row
    are left out. The derivation takes none of the caller's values.
    """
    target = target_of(anchor)
    if target is None:
        return None
    for row in rows:
        alike = [one for one in row if dimension_of(one) == target.dimension]
        sizes = [float(one.value) for one in alike if one.value is not None]
        goal = target.size
        if not sizes and all(dimension_of(one) == PURE for one in row):
            alike, goal = list(row), target.written
            sizes = [float(one.value) for one in row if one.value is not None]
        if len(sizes) > 1 and abs(sum(sizes) - goal) <= _SAME * goal:
            return Derivation(" + ".join(one.text for one in alike), (), len(sizes) - 1)
    return None


def _reckoned(target: Target, operands: Operands) -> Derivation | None:
    numbers = operands.numbers
    for one in numbers:
        if not (one.is_rate or one.dimension == MONEY):
            continue
        for factor, (short, long) in _FACTORS.items():
            met = target.is_met(one.size * factor, one.dimension, rounded=False)
            if met and _goes_over(one, short, target, long):
                return Derivation(f"{one.text} × {factor:g}", (one.source,))
            met = target.is_met(one.size / factor, one.dimension)
            if met and _goes_over(one, long, target, short):
                return Derivation(f"{one.text} ÷ {factor:g}", (one.source,))
    for number in operands.pairs_of(target):
        pair = operands.pairs[number]
        size, dimension, _, _, sign = pair
        met = target.is_met(size, dimension, rounded=sign in _QUOTIENTS)
        if (met and (sign != PER or target.is_rate)) or target.is_written(pair):
            return Derivation(_words(pair), _sources(pair))
    return _summed(target, numbers) or _of_three(target, operands)


def _goes_over(one: Operand, period: str, target: Target, other: str) -> bool:
    """Say whether a figure may be per the one period, and the target per the other."""
    return one.period in (None, period) and target.period in (None, other)


def _words(pair: Pair) -> str:
    _, _, one, other, sign = pair
    if sign == "%":
        return f"{one.text} ÷ {other.text} in %"
    if sign == "Δ%":
        return f"({one.text} - {other.text}) ÷ {other.text} in %"
    return f"{one.text} {sign} {other.text}"


def _sources(pair: Pair) -> tuple[int, int]:
    return pair[2].source, pair[3].source


def _of_three(target: Target, operands: Operands) -> Derivation | None:
    """Look for the first pair that a plain factor or a third operand brings to the target.

    What a pair must come to for each of them is looked up among all pairs by its size.
    """
    found: list[tuple[int, int, Operand | float]] = []  # pair, way, operand or factor
    for factor, periods in _FACTORS.items() if target.dimension == MONEY else ():
        for number in operands.pairs_near(target.size / factor, _SAME * target.size / factor):
            size, dimension, *parts, _ = operands.pairs[number]
            if (
                size
                and dimension == MONEY
                and all(_goes_over(one, periods[0], target, periods[1]) for one in parts)
            ):
                found.append((number, 0, factor))
    for third in operands.numbers:
        for way, size, slack in _completed(target.size, third.size):
            for number in operands.pairs_near(size, slack):
                pair = operands.pairs[number]
                if pair[0] and target.fits(pair[1]) and _takes(pair, way, third):
                    found.append((number, way, third))
    if not found:
        return None
    number, way, last = min(found, key=lambda each: each[:2])
    pair = operands.pairs[number]
    if isinstance(last, float):
        return Derivation(f"({_words(pair)}) × {last:g}", _sources(pair), 2)
    words = f"({_words(pair)}) {_SIGNS[way]} {last.text}"
    return Derivation(words, (*_sources(pair), last.source), 2)


def _takes(pair: Pair, way: int, third: Operand) -> bool:
    """Say whether a third operand may be added to a pair, taken from it, or count it."""
    _, dimension, one, other, sign = pair
    if third.source in (one.source, other.source) or sign == PER:
        return False
    if third.is_figure and dimension != MONEY:
        return False
    if way == _TIMES:
        return not third.dimension and third.size != 1.0
    return third.dimension == dimension


def _completed(wanted: float, third: float) -> Iterator[tuple[int, float, float]]:
    """Yield what a pair must come to so that a third operand makes it `wanted`: way, size, slack.

    A sum's size may be off by `_SAME`, a factor by `_SAME` of itself.
    """
    yield 1, wanted - third, _SAME
    yield 2, wanted + third, _SAME
    yield _TIMES, wanted / third, _SAME * abs(wanted / third)


def _summed(target: Target, numbers: Sequence[Operand]) -> Derivation | None:
    """Look for a sum of values that stand in a row, or of up to `_SUBSET` of them."""
    alike = [one for one in numbers if one.dimension == target.dimension]
    rows = (alike[first:last] for first, last in combinations(range(len(alike) + 1), 2))
    longer = (row for row in rows if len(row) > 2)
    few = (chosen for count in (3, _SUBSET) for chosen in combinations(alike[:_SUMMED], count))
    for chosen in (*longer, *few):
        total = sum([one.size for one in chosen])
        if target.is_met(total, target.dimension, rounded=False):
            words = " + ".join(one.text for one in chosen)
            return Derivation(words, tuple(one.source for one in chosen), len(chosen) - 1)
    return None


def _between(target: Target, operands: Operands) -> Derivation | None:
    """Look for two dates or times whose distance is the target."""
    for one, other in combinations(operands.days, 2):
        spans = _spans(target.dimension, abs(one.size - other.size))
        exact = target.dimension == "month"
        if any(target.is_met(span, target.dimension, rounded=not exact) for span in spans):
            return _span_of(one, other)
    for one, other in combinations(operands.months, 2):
        if target.is_met(one.size - other.size, "month", rounded=False):
            return _span_of(one, other)
    for one, other in combinations(operands.minutes, 2):
        if one.source == other.source:
            continue
        apart = abs(one.size - other.size)
        for minutes in (apart, _DAY_MINUTES - apart):
            if minutes and target.is_met(minutes * 60.0, "s"):
                return _span_of(one, other)
    return None


def _span_of(one: Operand, other: Operand) -> Derivation:
    words = f"{one.text} to {other.text}"
    return Derivation(words, (one.source, other.source), is_span=True)


def _spans(dimension: str, days: float) -> tuple[float, ...]:
    """Return so many days in a dimension, with and without the last; only whole months are some."""
    if dimension == PURE:
        return days, days + 1
    if dimension == "s":
        return days * _DAY_SECONDS, (days + 1) * _DAY_SECONDS
    months = round(days / _MONTH_DAYS)
    if dimension == "month" and months and abs(days - months * _MONTH_DAYS) <= _MONTH_SLACK:
        return (float(months),)
    return ()


def _moved_date(anchor: Anchor, operands: Operands) -> Derivation | None:
    day = ordinal_of(anchor)
    if day is None:
        return None
    days_in = {"s": (1 / _DAY_SECONDS, 1.0), "month": (_MONTH_DAYS, _MONTH_SLACK)}
    durations = [one for one in operands.numbers if one.dimension in days_in]
    for one in operands.days:
        apart = abs(one.size - day)
        if apart <= 1:
            return Derivation(one.text, (one.source,))
        for duration in durations:
            days, slack = days_in[duration.dimension]
            if abs(apart - duration.size * days) <= slack:
                return Derivation(f"{one.text} ± {duration.text}", (one.source, duration.source))
    return None


def _moved_time(anchor: Anchor, operands: Operands) -> Derivation | None:
    durations = [one for one in operands.numbers if one.dimension == "s"]
    for minute in sorted(minutes_of(anchor)):
        for one in operands.minutes:
            for duration in durations:
                moved, apart = duration.size / 60.0, minute - one.size
                if 0 in ((apart - moved) % _DAY_MINUTES, (apart + moved) % _DAY_MINUTES):
                    words = f"{one.text} ± {duration.text}"
                    return Derivation(words, (one.source, duration.source))
    return None
