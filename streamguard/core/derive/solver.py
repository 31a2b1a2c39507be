"""One small solver: whether a value follows from some others by one operation.

Sums, differences, products, quotients, percentages, conversions, rounding, counts of days, dates
and times moved by a duration, and the sum of all that is given. The answer's own words decide
whether it may derive so (`reckoning`, `announced`). This solver serves where the operands are
named: by a judge's quotations or by the answer's next sentences.

Dimensions have to agree: bought things are counted, months are no kilograms, and only a price per
month makes one per year times 12.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain, combinations, product
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.money import TIMES_IN

MAX_OPERANDS: Final = 14  # values that a reckoning may start from; the nearest come first
_MOST_RESULTS = 1_500  # of two operands
_ALIKE = 2  # operands of one size: "two seats at $9 and one at $9"
_PER: Final = "/"  # a quotient that is one of a rate only: "920 MB / 230 seconds"
_PURE: Final = ""  # the dimension of a bare number
_MONEY: Final = "money"
_OWN: Final = (_MONEY, "%")  # no bare number stands for these
_OFTEN: Final = ("time", _PURE)  # "five times as much"
_POINTS: Final = ("day", "calendar month", "minute")  # in time, of which only distances count
_LASTING: Final = ("s", "month")  # dimensions of durations
_CENTS = -2  # the exponent of an amount that is written to the cent
_ROUNDED = 0.02  # relative: the most that rounding may take off a quotient; guess
_ROUNDED_SHARE = 0.05  # of a share in percent: "about 8 %" of 37 in 448; guess
_SAME = 1e-6  # relative: what binary arithmetic leaves of equality
_CLOCK = lazy_re(r"(\d\d):(\d\d)(?::(\d\d))?")
_DATE = lazy_re(r"(?:(\d{4})-|--)(\d\d)-(\d\d)")
_MONTH = lazy_re(r"(\d{4})-(\d\d)")
_NO_YEAR = 2023  # stands for the year of a date that names none; no leap year
_QUOTIENTS = ("÷", _PER, "%", "Δ%")  # what may be rounded
# From one period to another, for amounts and counts per period.
_FACTORS: Final = {**TIMES_IN, ("day", "year"): 365}
_DAY_MINUTES = 24 * 60
_DAY_SECONDS = 86_400.0
_MONTH_DAYS = 30.44
_MONTH_SLACK = 2.5  # days that a month counted as 30.44 may be off by


class Operand(NamedTuple):
    """A number that a derivation may start from: its size, its dimension, and its wording.

    `dimension`: a unit, "" for a bare number, `day` for a date's number, `minute` for a time's.
    `source`: which of the caller's values it is of. `is_figure`: a quantity without its unit.
    `is_rate`: it is per period or per thing; `period`: which period.
    """

    size: float
    dimension: str
    text: str
    source: int
    is_figure: bool = False
    is_rate: bool = False
    period: str | None = None

    def counts(self, other: Operand) -> bool:
        """Return whether one may count the other: 3 of $4, 4 months of $9."""
        if self.dimension:
            return False
        return not self.is_figure or other.dimension == _MONEY or other.is_rate


# What two operands come to: size and dimension, the operands, and how: "%" is a share in percent,
# "Δ%" a change. Plain tuples, as they are many.
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
        priced = any(anchor.kind == "amount" and anchor.value for _, anchor in kept)
        found = [one for number, anchor in kept for one in _operands(anchor, number, priced)]
        # Nothing follows from a price of zero.
        self.numbers = [one for one in found if one.size and one.dimension not in _POINTS]
        self.days, self.months, self.minutes = (
            [one for one in found if one.dimension == point] for point in _POINTS
        )

    @cached_property
    def pairs(self) -> list[_Pair]:
        """The results of two operands."""
        results: list[_Pair] = []
        for one, other in combinations(self.numbers, 2):
            if one.source != other.source and len(results) <= _MOST_RESULTS:
                _add_pairs(results, one, other)
        return results

    @cached_property
    def _by_size(self) -> tuple[list[float], list[int]]:
        """The sizes of the pairs in order, and which pair each is of."""
        sizes = [pair[0] for pair in self.pairs]
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        return [sizes[number] for number in order], order

    def pairs_near(self, size: float, slack: float) -> list[int]:
        """Return the pairs that come to `size`, give or take `slack`."""
        sizes, order = self._by_size
        return order[bisect_left(sizes, size - slack) : bisect_right(sizes, size + slack)]


class _Target(NamedTuple):
    """The value to derive, in the terms of an operand."""

    size: float
    dimension: str
    slack: float  # half the last written place: what a quotient may be off by
    exact: float  # anything else
    scale: float  # the factor of its written figure
    is_rate: bool
    period: str | None

    def is_met(self, size: float, dimension: str, *, rounded: bool = True) -> bool:
        off = abs(abs(size) - self.size)
        return off <= (self.slack if rounded else self.exact) and self.fits(dimension)

    def fits(self, dimension: str) -> bool:
        return self.dimension in (dimension, _PURE) or (self.dimension, dimension) == _OFTEN

    def is_written(self, pair: _Pair) -> bool:
        """Return whether figures come to it whose unit stands elsewhere, as in a table's head.

        Or how long money lasts, or how much is needed: "$90 at $30 a month", "140 m² at 7 m² a
        litre".
        """
        size, dimension, one, other, sign = pair
        if dimension or abs(abs(size) * self.scale - self.size) > self.exact:
            return False
        if sign in ("+", "-"):
            return self.dimension not in _OWN or self.scale != 1.0
        needed = other.is_rate and other.period == self.dimension
        lasts = one.dimension == _MONEY and self.dimension in _LASTING
        return sign == "÷" and (needed or lasts)


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: in words ("$49 × 12"), and which of the caller's values it took.

    `is_span`: it is the distance of two dates or times.
    """

    words: str
    sources: tuple[int, ...]
    is_span: bool = False


def derive(anchor: Anchor, operands: Operands) -> Derivation | None:
    """Return how the anchor's value follows from the operands, the shortest way first, or None."""
    if anchor.kind == "date":
        return _moved_date(anchor, operands)
    if anchor.kind == "time":
        return _moved_time(anchor, operands)
    if (target := _target_of(anchor)) is None:
        return None
    return _between(target, operands) or _reckoned(target, operands)


def derive_in_time(anchor: Anchor, operands: Operands) -> Derivation | None:
    """Return how a date or time is another moved by a duration, or a duration from one to another.

    None for a value of another kind, and if it does not follow.
    """
    if anchor.kind in ("date", "time"):
        return derive(anchor, operands)
    target = _target_of(anchor) if anchor.kind in ("quantity", "number") else None
    return None if target is None else _between(target, operands)


def _target_of(anchor: Anchor) -> _Target | None:
    if anchor.number is None or anchor.value is None:
        return None
    size = abs(float(anchor.value))  # of a range its lower end
    # Nothing is rounded to none, and no figure by more than its last place is worth.
    most = _ROUNDED_SHARE if anchor.kind == "percent" else _ROUNDED
    half, exact = min(float(anchor.precision), most * size), size * _SAME
    scale = float(anchor.scale) * 10.0**anchor.exponent
    dimension, rate = _dimension_of(anchor), _is_rate(anchor)
    return _Target(size, dimension, max(half, exact), exact, scale, rate, anchor.period)


def derive_total(anchor: Anchor, rows: Iterable[Sequence[Anchor]]) -> Derivation | None:
    """Return how the values of a row add up to the anchor's value, None if no row does.

    A row is a list of the answer; values of another unit are left out. The derivation takes none
    of the caller's values.
    """
    if (target := _target_of(anchor)) is None:
        return None
    for row in rows:
        alike = [one for one in row if _dimension_of(one) == target.dimension]
        sizes = [float(one.value) for one in alike if one.value is not None]
        if len(sizes) > 1 and abs(sum(sizes) - target.size) <= target.exact:
            return Derivation(" + ".join(one.text for one in alike), ())
    return None


def _dimension_of(anchor: Anchor) -> str:
    return {"amount": _MONEY, "percent": "%"}.get(anchor.kind) or anchor.unit or _PURE


def _is_rate(anchor: Anchor) -> bool:
    return anchor.period is not None or anchor.each is not None


def _operands(anchor: Anchor, source: int, priced: bool) -> Iterator[Operand]:
    """Yield the operands that a value may stand for; `priced`: amounts of money stand beside it."""
    text = anchor.text
    if anchor.kind == "date":
        if (day := _day_of(anchor)) is not None:
            yield Operand(day, "day", text, source)
        if month := _MONTH.fullmatch(anchor.key):
            yield Operand(int(month[1]) * 12.0 + int(month[2]), "calendar month", text, source)
    if anchor.kind == "time":
        yield from (Operand(minute, "minute", text, source) for minute in _minutes_of(anchor))
    if anchor.kind in ("date", "time") or anchor.value is None or anchor.number is None:
        return
    dimension, size = _dimension_of(anchor), float(anchor.value)
    if dimension == "%":
        yield Operand(size, "%", text, source)
        share = size / 100.0
        said = (share, text), (1.0 - share, f"(1 - {text})"), (1.0 + share, f"(1 + {text})")
        yield from (Operand(part, _PURE, words, source) for part, words in said)
        return
    rate = _is_rate(anchor), anchor.period
    yield Operand(size, dimension, text, source, False, *rate)
    if anchor.kind == "number" and (not priced or anchor.number.as_tuple().exponent == _CENTS):
        yield Operand(size, _MONEY, text, source)  # where "prices in euros" stands elsewhere
    if dimension not in (_PURE, _MONEY) and anchor.number:
        yield Operand(float(anchor.number), _PURE, text, source, is_figure=True)
    if anchor.high is not None:
        yield Operand(float(anchor.high), dimension, text, source, False, *rate)


def _add_pairs(results: list[_Pair], one: Operand, other: Operand) -> None:
    a, kind, _, _, is_figure, _, _ = one
    b, other_kind, _, _, other_is_figure, _, _ = other
    alike = kind == other_kind and not (is_figure and other_is_figure)
    if alike:
        more, less = (one, other) if a >= b else (other, one)
        results += (a + b, kind, one, other, "+"), (abs(a - b), kind, more, less, "-")
    counted, counts = one.counts(other), other.counts(one)
    if counted or counts:
        results.append((a * b, kind or other_kind, one, other, "×"))
    for upper, lower, is_count in ((one, other, counts), (other, one, counted)):
        ratio = upper.size / lower.size
        if alike:
            results += (
                (ratio, _PURE, upper, lower, "÷"),
                (100.0 * ratio, "%", upper, lower, "%"),
                (100.0 * abs(ratio - 1.0), "%", upper, lower, "Δ%"),
            )
        elif upper.dimension and not lower.dimension:
            results.append((ratio, upper.dimension, upper, lower, "÷" if is_count else _PER))


def _reckoned(target: _Target, operands: Operands) -> Derivation | None:
    recurring = [one for one in operands.numbers if one.is_rate or one.dimension == _MONEY]
    for one, ((short, long), factor) in product(recurring, _FACTORS.items()):
        met = target.is_met(one.size * factor, one.dimension, rounded=False)
        if met and _goes_over(one, short, target, long):
            return Derivation(f"{one.text} × {factor:g}", (one.source,))
        met = target.is_met(one.size / factor, one.dimension)
        if met and _goes_over(one, long, target, short):
            return Derivation(f"{one.text} ÷ {factor:g}", (one.source,))
    near = {*operands.pairs_near(target.size, target.slack)}
    near.update(operands.pairs_near(-target.size, target.slack))
    if target.scale != 1.0 or target.dimension in _LASTING:
        near.update(operands.pairs_near(target.size / target.scale, target.exact / target.scale))
    for pair in map(operands.pairs.__getitem__, sorted(near)):
        size, dimension, one, other, sign = pair
        met = target.is_met(size, dimension, rounded=sign in _QUOTIENTS)
        if (met and (sign != _PER or target.is_rate)) or target.is_written(pair):
            return Derivation(_words(pair), (one.source, other.source))
    return _added_up(target, operands.numbers)


def _goes_over(one: Operand, period: str, target: _Target, other: str) -> bool:
    """Return whether a figure may be per the one period, and the target per the other."""
    return one.period in (None, period) and target.period in (None, other)


def _words(pair: _Pair) -> str:
    *_, one, other, sign = pair
    if sign == "%":
        return f"{one.text} ÷ {other.text} in %"
    if sign == "Δ%":
        return f"({one.text} - {other.text}) ÷ {other.text} in %"
    return f"{one.text} {sign} {other.text}"


def _added_up(target: _Target, numbers: Sequence[Operand]) -> Derivation | None:
    """Return whether all values of the target's kind add up to it: the lines of a bill."""
    alike = [one for one in numbers if one.dimension == target.dimension]
    total = sum([one.size for one in alike])
    if len(alike) < 3 or not target.is_met(total, target.dimension, rounded=False):
        return None
    return Derivation(" + ".join(one.text for one in alike), tuple(one.source for one in alike))


def _between(target: _Target, operands: Operands) -> Derivation | None:
    for one in operands.minutes:  # "1:30 h" is written like a time, and "9:00" is one
        if one.size % 60 and target.is_met(one.size * 60.0, "s", rounded=False):
            return Derivation(one.text, (one.source,), is_span=True)
    points = operands.days, operands.months, operands.minutes
    for one, other in chain.from_iterable(combinations(some, 2) for some in points):
        if one.dimension == "minute" and one.source == other.source:
            continue
        rounded, apart = target.dimension != "month", abs(one.size - other.size)
        sizes = _spans(one.dimension, target.dimension, apart)
        if any(size and target.is_met(size, target.dimension, rounded=rounded) for size in sizes):
            words = f"{one.text} to {other.text}"
            return Derivation(words, (one.source, other.source), is_span=True)
    return None


def _spans(point: str, dimension: str, apart: float) -> tuple[float, ...]:
    """Return how far apart two points in time are, in a dimension.

    Days are counted with and without the last, times also over midnight; only whole months are
    some.
    """
    if point == "minute":
        fits = dimension in ("s", _PURE)
        return (apart * 60.0, (_DAY_MINUTES - apart) * 60.0) if fits else ()
    if dimension == "month":
        months = apart if point == "calendar month" else round(apart / _MONTH_DAYS)
        is_whole = point != "day" or abs(apart - months * _MONTH_DAYS) <= _MONTH_SLACK
        return (float(months),) if is_whole else ()
    long = {_PURE: 1.0, "s": _DAY_SECONDS}.get(dimension)
    return (apart * long, (apart + 1) * long) if long and point == "day" else ()


def _moved_date(anchor: Anchor, operands: Operands) -> Derivation | None:
    if (day := _day_of(anchor)) is None:
        return None
    days_in = {"s": (1 / _DAY_SECONDS, 0.0), "month": (_MONTH_DAYS, _MONTH_SLACK)}
    for one in operands.days:
        apart = abs(one.size - day)
        for duration in operands.numbers:
            days, slack = days_in.get(duration.dimension, (0.0, 0.0))
            if abs(apart - duration.size * days) <= slack:
                return _moved(one, duration)
    return None


def _moved_time(anchor: Anchor, operands: Operands) -> Derivation | None:
    durations = [one for one in operands.numbers if one.dimension == "s"]
    for minute in _minutes_of(anchor):
        for one, duration in product(operands.minutes, durations):
            moved, apart = duration.size / 60.0, int(minute) - int(one.size)
            if 0 in ((apart - moved) % _DAY_MINUTES, (apart + moved) % _DAY_MINUTES):
                return _moved(one, duration)
    return None


def _moved(one: Operand, duration: Operand) -> Derivation:
    return Derivation(f"{one.text} ± {duration.text}", (one.source, duration.source))


def seconds_of(anchor: Anchor) -> list[float]:
    """Return the seconds of the day that a time may be, of "3:00" two; none of another value."""
    return [60.0 * one for one in _minutes_of(anchor)] if anchor.kind == "time" else []


def _minutes_of(anchor: Anchor) -> list[float]:
    clocks = map(_CLOCK.fullmatch, (anchor.key, *anchor.ambiguous))
    found = {
        int(clock[1]) * 60.0 + int(clock[2]) + int(clock[3] or 0) / 60.0
        for clock in clocks
        if clock
    }
    return sorted(
        {*found, float(anchor.value)} if anchor.value is not None and not found else found
    )


def _day_of(anchor: Anchor) -> float | None:
    """Return the number of a date's day; None if it names no day."""
    if (named := _DATE.fullmatch(anchor.key)) is None:
        return None
    try:
        return float(date(int(named[1] or _NO_YEAR), int(named[2]), int(named[3])).toordinal())
    except ValueError:
        return None
