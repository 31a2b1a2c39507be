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

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor

MAX_OPERANDS: Final = 14  # values that a reckoning may start from; the nearest come first
_MOST_RESULTS = 1_500  # of two operands, that a third is tried with
_ALIKE = 2  # operands of one size: "two seats at $9 and one at $9"
_SUBSET = 4  # values of a sum that stand in no row
_FOLLOWED = 2  # operands that no source holds, of which one has to follow from what one holds
_SUMMED = 10  # values that such a sum is looked for among
_PER: Final = "/"  # a quotient that is one of a rate only: "920 MB / 230 seconds"
_QUOTIENTS = ("÷", _PER, "%", "Δ%")  # what may be rounded
_PURE: Final = ""  # the dimension of a bare number
_MONEY: Final = "money"
_OWN: Final = (_MONEY, "%")  # no bare number stands for these
# From one period to another, of what is paid or counted per period.
_FACTORS: Final = (7.0, 12.0, 52.0, 365.0)
_OFTEN: Final = ("time", _PURE)  # "five times as much"
_LASTING: Final = ("s", "month")  # dimensions of durations
_ROUNDED = 0.02  # relative: the most that rounding may take off a quotient; guess
_EXACT = 1e-6  # relative: what binary arithmetic leaves of equality
_SAME = 1e-6  # that a sum of three, or relative a product, may be off by
_SIGNS = ("", "+", "-", "×")  # by the way a third operand is taken
_TIMES: Final = 3
_DAY_MINUTES = 24 * 60
_DAY_SECONDS = 86_400.0
_CLOCK = lazy_re(r"(\d\d):(\d\d)")
_DATE = lazy_re(r"(?:(\d{4})-|--)(\d\d)-(\d\d)")
_NO_YEAR = 2023  # stands for the year of a date that names none; no leap year
_MONTH_DAYS = 30.44
_MONTH_SLACK = 2.5  # days that a month counted as 30.44 may be off by


class Operand(NamedTuple):
    """A number that a reckoning may start from: its size, what it counts, and how it is written.

    `dimension`: a unit, "" for a bare number, `day` for a date's number, `minute` for a time's.
    `source`: which of the caller's values it is of. `is_figure`: a quantity without its unit.
    `is_rate`: it is per period or per thing.
    """

    size: float
    dimension: str
    text: str
    source: int
    is_figure: bool = False
    is_rate: bool = False

    def counts(self, other: Operand) -> bool:
        """Say whether there may be so many of another: 3 of $4, 4 months of $9."""
        if self.dimension:
            return False
        return not self.is_figure or other.dimension == _MONEY or other.is_rate


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: in words ("$49 × 12"), and which of the caller's values it took.

    `steps`: operations, from 1.
    """

    words: str
    sources: tuple[int, ...]
    steps: int = 1


# What two operands come to: its size and dimension, the operands, and a sign that says how: "%" is
# a share in percent, "Δ%" a change. Plain tuples, as they are many.
_Pair = tuple[float, str, Operand, Operand, str]


class Operands:
    """Values that a text states, made ready for reckoning once for all that are asked for."""

    def __init__(self, anchors: Iterable[Anchor]) -> None:
        seen = Counter[tuple[str, str]]()
        kept: list[tuple[int, Anchor]] = []
        for number, anchor in enumerate(anchors):
            seen[anchor.kind, anchor.key] += 1
            if seen[anchor.kind, anchor.key] <= _ALIKE:
                kept.append((number, anchor))
            if len(kept) == MAX_OPERANDS:
                break
        found = [one for number, anchor in kept for one in _operands(anchor, number)]
        self.numbers = [one for one in found if one.dimension not in ("day", "minute")]
        self.days = [one for one in found if one.dimension == "day"]
        self.minutes = [one for one in found if one.dimension == "minute"]

    @cached_property
    def pairs(self) -> list[_Pair]:
        """What two operands come to."""
        results: list[_Pair] = []
        for one, other in combinations(self.numbers, 2):
            if one.source != other.source:
                results += _pairs(one, other)
                if len(results) > _MOST_RESULTS:
                    break
        return results

    @cached_property
    def _by_size(self) -> tuple[list[float], list[int]]:
        """The sizes of the pairs in order, and which pair each is of."""
        sizes = [pair[0] for pair in self.pairs]
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        return [sizes[number] for number in order], order

    def pairs_of(self, target: _Target) -> list[int]:
        """Return which pairs may be what is looked for, in their order."""
        slack = target.slack
        found = {*self.pairs_near(target.size, slack), *self.pairs_near(-target.size, slack)}
        if target.scale != 1.0 or target.dimension in _LASTING:
            found.update(self.pairs_near(target.written, target.exact / target.scale))
        return sorted(found)

    def pairs_near(self, size: float, slack: float) -> list[int]:
        """Return which pairs come to `size`, give or take `slack`."""
        sizes, order = self._by_size
        return order[bisect_left(sizes, size - slack) : bisect_right(sizes, size + slack)]


def derive(anchor: Anchor, operands: Operands) -> Derivation | None:
    """Return how the anchor's value follows from the operands, the shortest way first, or None."""
    if anchor.kind == "date":
        return _moved_date(anchor, operands)
    if anchor.kind == "time":
        return _moved_time(anchor, operands)
    target = _target(anchor)
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


class _Target(NamedTuple):
    """What is looked for: its size, `slack` that a quotient may be off by, `exact` anything else.

    `scale`: what its written figure was multiplied with. `is_rate`: it is per period or thing.
    """

    size: float
    dimension: str
    slack: float  # half the last written place
    exact: float
    scale: float
    is_rate: bool

    @property
    def written(self) -> float:
        return self.size / self.scale

    def is_met(self, size: float, dimension: str, *, rounded: bool = True) -> bool:
        off = abs(abs(size) - self.size)
        return off <= (self.slack if rounded else self.exact) and self.fits(dimension)

    def fits(self, dimension: str) -> bool:
        return self.dimension in (dimension, _PURE) or (self.dimension, dimension) == _OFTEN

    def is_written(self, pair: _Pair) -> bool:
        """Say whether figures come to it whose unit stands elsewhere, as in a table's head.

        Or how long money lasts: "$90 at $30 a month".
        """
        size, dimension, one, _, sign = pair
        if dimension or abs(abs(size) - self.written) > self.exact / self.scale:
            return False
        if sign in ("+", "-"):
            return self.dimension not in _OWN or self.scale != 1.0
        return sign == "÷" and one.dimension == _MONEY and self.dimension in _LASTING


def _target(anchor: Anchor) -> _Target | None:
    """Return what a value, of a range its lower end, is meant as, in base units."""
    if anchor.number is None or anchor.value is None:
        return None
    size = abs(float(anchor.value))
    # Nothing is rounded to none, and no figure by more than its last place is worth.
    half = min(float(anchor.precision), _ROUNDED * size)
    exact = size * _EXACT
    is_rate = anchor.period is not None or anchor.each is not None
    scale = float(anchor.scale) * 10.0**anchor.exponent
    return _Target(size, _dimension(anchor), max(half, exact), exact, scale, is_rate)


def _dimension(anchor: Anchor) -> str:
    if anchor.kind == "amount":
        return _MONEY
    if anchor.kind == "percent":
        return "%"
    return anchor.unit or _PURE


def _operands(anchor: Anchor, source: int) -> Iterator[Operand]:
    """Yield the readings of one value as an operand."""
    text = anchor.text
    if anchor.kind == "date":
        day = _ordinal(anchor)
        if day is not None:
            yield Operand(day, "day", text, source)
        return
    if anchor.kind == "time":
        for minute in sorted(_minutes(anchor)):
            yield Operand(minute, "minute", text, source)
        return
    if anchor.value is None or anchor.number is None:
        return
    dimension = _dimension(anchor)
    if dimension == "%":
        share = float(anchor.value) / 100.0
        yield Operand(float(anchor.value), "%", text, source)
        yield Operand(share, _PURE, text, source)
        yield Operand(1.0 - share, _PURE, f"(1 - {text})", source)
        yield Operand(1.0 + share, _PURE, f"(1 + {text})", source)
        return
    is_rate = anchor.period is not None or anchor.each is not None
    yield Operand(float(anchor.value), dimension, text, source, is_rate=is_rate)
    if dimension not in (_PURE, _MONEY) and anchor.number:
        yield Operand(float(anchor.number), _PURE, text, source, is_figure=True)
    if anchor.high is not None:
        yield Operand(float(anchor.high), dimension, text, source, is_rate=is_rate)


def _reckoned(target: _Target, operands: Operands) -> Derivation | None:
    numbers = operands.numbers
    for one in numbers:
        if not (one.is_rate or one.dimension == _MONEY):
            continue
        for factor in _FACTORS:
            if target.is_met(one.size * factor, one.dimension, rounded=False):
                return Derivation(f"{one.text} × {factor:g}", (one.source,))
            if target.is_met(one.size / factor, one.dimension):
                return Derivation(f"{one.text} ÷ {factor:g}", (one.source,))
    for number in operands.pairs_of(target):
        size, dimension, _, _, sign = pair = operands.pairs[number]
        met = target.is_met(size, dimension, rounded=sign in _QUOTIENTS)
        if (met and (sign != _PER or target.is_rate)) or target.is_written(pair):
            return Derivation(_words(pair), _sources(pair))
    return _summed(target, numbers) or _of_three(target, operands)


def _pairs(one: Operand, other: Operand) -> Iterator[_Pair]:
    """Yield what two operands come to."""
    a, b = one.size, other.size
    alike = one.dimension == other.dimension and not (one.is_figure and other.is_figure)
    if alike:
        yield a + b, one.dimension, one, other, "+"
        more, less = (one, other) if a >= b else (other, one)
        yield more.size - less.size, one.dimension, more, less, "-"
    if one.counts(other) or other.counts(one):
        yield a * b, one.dimension or other.dimension, one, other, "×"
    if not (a and b):
        return
    for over, under in ((one, other), (other, one)):
        quotient = over.size / under.size
        if alike:
            yield quotient, _PURE, over, under, "÷"
            yield 100.0 * quotient, "%", over, under, "%"
            yield 100.0 * abs(quotient - 1.0), "%", over, under, "Δ%"
        elif over.dimension and not under.dimension:
            yield quotient, over.dimension, over, under, "÷" if under.counts(over) else _PER


def _words(pair: _Pair) -> str:
    _, _, one, other, sign = pair
    if sign == "%":
        return f"{one.text} ÷ {other.text} in %"
    if sign == "Δ%":
        return f"({one.text} - {other.text}) ÷ {other.text} in %"
    return f"{one.text} {sign} {other.text}"


def _sources(pair: _Pair) -> tuple[int, int]:
    return pair[2].source, pair[3].source


def _of_three(target: _Target, operands: Operands) -> Derivation | None:
    """Look for the first pair that a plain factor or a third operand brings to the target.

    What a pair must come to for each of them is looked up among all pairs by its size.
    """
    found: list[tuple[int, int, Operand | float]] = []  # pair, way, operand or factor
    for factor in _FACTORS if target.dimension == _MONEY else ():
        for number in operands.pairs_near(target.size / factor, _SAME * target.size / factor):
            size, dimension, *_ = operands.pairs[number]
            if size and dimension == _MONEY:
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


def _takes(pair: _Pair, way: int, third: Operand) -> bool:
    """Say whether a third operand may be added to a pair, taken from it, or count it."""
    _, dimension, one, other, sign = pair
    if third.source in (one.source, other.source) or sign == _PER:
        return False
    if third.is_figure and dimension != _MONEY:
        return False
    if way == _TIMES:
        return not third.dimension
    # What was just added or taken away brings back what was there.
    undone = sign in ("+", "-") and third.size in (one.size, other.size)
    return third.dimension == dimension and not undone


def _completed(wanted: float, third: float) -> Iterator[tuple[int, float, float]]:
    """Yield what a pair must come to so that a third operand makes it `wanted`: way, size, slack.

    A sum's size may be off by `_SAME`, a factor by `_SAME` of itself.
    """
    yield 1, wanted - third, _SAME
    yield 2, wanted + third, _SAME
    if third:
        size = wanted / third
        yield _TIMES, size, _SAME * abs(size)


def _summed(target: _Target, numbers: Sequence[Operand]) -> Derivation | None:
    """Look for a sum of values that stand in a row, or of up to `_SUBSET` of them."""
    alike = [one for one in numbers if one.dimension == target.dimension]
    for first in range(len(alike)):
        total = alike[first].size
        for last in range(first + 1, len(alike)):
            total += alike[last].size
            if last > first + 1 and target.is_met(total, target.dimension, rounded=False):
                return _sum_of(alike[first : last + 1])
    few = alike[:_SUMMED]
    for count in (3, _SUBSET):
        for chosen in combinations(few, count):
            if target.is_met(sum([one.size for one in chosen]), target.dimension, rounded=False):
                return _sum_of(chosen)
    return None


def _sum_of(chosen: Sequence[Operand]) -> Derivation:
    words = " + ".join(one.text for one in chosen)
    return Derivation(words, tuple(one.source for one in chosen), len(chosen) - 1)


def _between(target: _Target, operands: Operands) -> Derivation | None:
    """Look for two dates or times whose distance is the target."""
    for one, other in combinations(operands.days, 2):
        spans = _spans(target.dimension, abs(one.size - other.size))
        exact = target.dimension == "month"
        if any(target.is_met(span, target.dimension, rounded=not exact) for span in spans):
            return Derivation(f"{one.text} to {other.text}", (one.source, other.source))
    for one, other in combinations(operands.minutes, 2):
        if one.source == other.source:
            continue
        apart = abs(one.size - other.size)
        for minutes in (apart, _DAY_MINUTES - apart):
            if minutes and target.is_met(minutes * 60.0, "s"):
                return Derivation(f"{one.text} to {other.text}", (one.source, other.source))
    return None


def _spans(dimension: str, days: float) -> tuple[float, ...]:
    """Return so many days in a dimension, with and without the last; only whole months are some."""
    if dimension == _PURE:
        return days, days + 1
    if dimension == "s":
        return days * _DAY_SECONDS, (days + 1) * _DAY_SECONDS
    months = round(days / _MONTH_DAYS)
    if dimension == "month" and months and abs(days - months * _MONTH_DAYS) <= _MONTH_SLACK:
        return (float(months),)
    return ()


def _moved_date(anchor: Anchor, operands: Operands) -> Derivation | None:
    day = _ordinal(anchor)
    if day is None:
        return None
    durations = [
        (one, one.size / _DAY_SECONDS, 1.0) for one in operands.numbers if one.dimension == "s"
    ] + [
        (one, one.size * _MONTH_DAYS, _MONTH_SLACK)
        for one in operands.numbers
        if one.dimension == "month"
    ]
    for one in operands.days:
        apart = abs(one.size - day)
        if apart <= 1:
            return Derivation(one.text, (one.source,))
        for duration, days, slack in durations:
            if abs(apart - days) <= slack:
                return Derivation(f"{one.text} ± {duration.text}", (one.source, duration.source))
    return None


def _moved_time(anchor: Anchor, operands: Operands) -> Derivation | None:
    durations = [one for one in operands.numbers if one.dimension == "s"]
    for minute in sorted(_minutes(anchor)):
        for one in operands.minutes:
            for duration in durations:
                moved = duration.size / 60.0
                if (one.size + moved - minute) % _DAY_MINUTES == 0 or (
                    one.size - moved - minute
                ) % _DAY_MINUTES == 0:
                    words = f"{one.text} ± {duration.text}"
                    return Derivation(words, (one.source, duration.source))
    return None


def _minutes(anchor: Anchor) -> set[float]:
    """Return the minutes after midnight that a time may mean."""
    found = {float(anchor.value)} if anchor.value is not None else set()
    for key in (anchor.key, *anchor.ambiguous):
        clock = _CLOCK.fullmatch(key)
        if clock is not None:
            found.add(int(clock[1]) * 60.0 + int(clock[2]))
    return found


def _ordinal(anchor: Anchor) -> float | None:
    """Return the number of a date's day; None where it names no day."""
    named = _DATE.fullmatch(anchor.key)
    if named is None:
        return None
    try:
        return float(date(int(named[1] or _NO_YEAR), int(named[2]), int(named[3])).toordinal())
    except ValueError:
        return None
