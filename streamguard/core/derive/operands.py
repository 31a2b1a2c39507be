"""Values as operands: what they count, and what two of them come to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor

MAX_OPERANDS: Final = 14  # values that a reckoning may start from; the nearest come first
_MOST_RESULTS = 1_500  # of two operands, that a third is tried with
_ALIKE = 2  # operands of one size: "two seats at $9 and one at $9"
PER: Final = "/"  # a quotient that is one of a rate only: "920 MB / 230 seconds"
PURE: Final = ""  # the dimension of a bare number
MONEY: Final = "money"
_OWN: Final = (MONEY, "%")  # no bare number stands for these
_OFTEN: Final = ("time", PURE)  # "five times as much"
_UNSHARED: Final = ("date", "time", "year", "identifier")
_POINTS: Final = ("day", "calendar month", "minute")  # in time, of which only distances count
LASTING: Final = ("s", "month")  # dimensions of durations
_CENTS = -2  # the exponent of an amount that is written to the cent
_ROUNDED = 0.02  # relative: the most that rounding may take off a quotient; guess
_ROUNDED_SHARE = 0.05  # of a share in percent: "about 8 %" of 37 in 448; guess
_EXACT = 1e-6  # relative: what binary arithmetic leaves of equality
_CLOCK = lazy_re(r"(\d\d):(\d\d)")
_DATE = lazy_re(r"(?:(\d{4})-|--)(\d\d)-(\d\d)")
_MONTH = lazy_re(r"(\d{4})-(\d\d)")
_NO_YEAR = 2023  # stands for the year of a date that names none; no leap year


class Operand(NamedTuple):
    """A number that a reckoning may start from: its size, what it counts, and how it is written.

    `dimension`: a unit, "" for a bare number, `day` for a date's number, `calendar month` for that
    of one that names no day, `minute` for a time's.
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
        """Say whether there may be so many of another: 3 of $4, 4 months of $9."""
        if self.dimension:
            return False
        return not self.is_figure or other.dimension == MONEY or other.is_rate


# What two operands come to: its size and dimension, the operands, and a sign that says how: "%" is
# a share in percent, "Δ%" a change. Plain tuples, as they are many.
Pair = tuple[float, str, Operand, Operand, str]


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
        # Nothing follows from what is free.
        self.numbers = [one for one in found if one.size and one.dimension not in _POINTS]
        self.days = [one for one in found if one.dimension == "day"]
        self.months = [one for one in found if one.dimension == "calendar month"]
        self.minutes = [one for one in found if one.dimension == "minute"]

    @cached_property
    def pairs(self) -> list[Pair]:
        """What two operands come to."""
        results: list[Pair] = []
        for one, other in combinations(self.numbers, 2):
            if one.source != other.source:
                _add_pairs(results, one, other)
                if len(results) > _MOST_RESULTS:
                    break
        return results

    @cached_property
    def _by_size(self) -> tuple[list[float], list[int]]:
        """The sizes of the pairs in order, and which pair each is of."""
        sizes = [pair[0] for pair in self.pairs]
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        return [sizes[number] for number in order], order

    def pairs_of(self, target: Target) -> list[int]:
        """Return which pairs may be what is looked for, in their order."""
        slack = target.slack
        found = {*self.pairs_near(target.size, slack), *self.pairs_near(-target.size, slack)}
        if target.scale != 1.0 or target.dimension in LASTING:
            found.update(self.pairs_near(target.written, target.exact / target.scale))
        return sorted(found)

    def pairs_near(self, size: float, slack: float) -> list[int]:
        """Return which pairs come to `size`, give or take `slack`."""
        sizes, order = self._by_size
        return order[bisect_left(sizes, size - slack) : bisect_right(sizes, size + slack)]


class Target(NamedTuple):
    """What is looked for: its size, `slack` that a quotient may be off by, `exact` anything else.

    `scale`: what its written figure was multiplied with. `is_rate`: it is per period or thing;
    `period`: which period.
    """

    size: float
    dimension: str
    slack: float  # half the last written place
    exact: float
    scale: float
    is_rate: bool
    period: str | None = None

    @property
    def written(self) -> float:
        """Its size as its figure was written."""
        return self.size / self.scale

    def is_met(self, size: float, dimension: str, *, rounded: bool = True) -> bool:
        """Say whether a size and dimension come to it."""
        off = abs(abs(size) - self.size)
        return off <= (self.slack if rounded else self.exact) and self.fits(dimension)

    def fits(self, dimension: str) -> bool:
        """Say whether what has a dimension may be meant."""
        return self.dimension in (dimension, PURE) or (self.dimension, dimension) == _OFTEN

    def is_written(self, pair: Pair) -> bool:
        """Say whether figures come to it whose unit stands elsewhere, as in a table's head.

        Or how long money lasts, or what is needed: "$90 at $30 a month", "140 m² at 7 m² a litre".
        """
        size, dimension, one, other, sign = pair
        if dimension or abs(abs(size) - self.written) > self.exact / self.scale:
            return False
        if sign in ("+", "-"):
            return self.dimension not in _OWN or self.scale != 1.0
        if sign == "÷" and other.is_rate and other.period == self.dimension:
            return True  # 140 m² at 7 m² a litre
        return sign == "÷" and one.dimension == MONEY and self.dimension in LASTING


def of_use(anchor: Anchor, pool: Sequence[Anchor]) -> list[int]:
    """Return which values of a pool another may follow from, by what they count.

    A quantity takes those of its unit, and of a unit of which there is so much for each of its
    own ("7 m² per litre"); a share and an amount take no dates, times or temperatures.
    """
    if anchor.kind in ("percent", "amount"):
        return [n for n, one in enumerate(pool) if one.kind not in _UNSHARED and one.unit != "°F"]
    if anchor.kind != "quantity" or anchor.unit in LASTING:
        return [n for n, one in enumerate(pool) if one.kind != "identifier"]
    units = {anchor.unit, *(one.unit for one in pool if one.period == anchor.unit)}
    return [
        n
        for n, one in enumerate(pool)
        if one.kind in ("number", "percent") or (one.kind == "quantity" and one.unit in units)
    ]


def target_of(anchor: Anchor) -> Target | None:
    """Return what a value, of a range its lower end, is meant as, in base units."""
    if anchor.number is None or anchor.value is None:
        return None
    size = abs(float(anchor.value))
    # Nothing is rounded to none, and no figure by more than its last place is worth.
    most = _ROUNDED_SHARE if anchor.kind == "percent" else _ROUNDED
    half = min(float(anchor.precision), most * size)
    exact = size * _EXACT
    is_rate = anchor.period is not None or anchor.each is not None
    scale = float(anchor.scale) * 10.0**anchor.exponent
    dimension = dimension_of(anchor)
    return Target(size, dimension, max(half, exact), exact, scale, is_rate, anchor.period)


def dimension_of(anchor: Anchor) -> str:
    """Return what a value counts: its unit, "" for a bare number."""
    if anchor.kind == "amount":
        return MONEY
    if anchor.kind == "percent":
        return "%"
    return anchor.unit or PURE


def _operands(anchor: Anchor, source: int, priced: bool) -> Iterator[Operand]:
    """Yield the readings of one value as an operand; `priced`: amounts of money stand beside it."""
    text = anchor.text
    if anchor.kind == "date":
        day, month = ordinal_of(anchor), _MONTH.fullmatch(anchor.key)
        if day is not None:
            yield Operand(day, "day", text, source)
        if month is not None:
            yield Operand(int(month[1]) * 12.0 + int(month[2]), "calendar month", text, source)
        return
    if anchor.kind == "time":
        for minute in sorted(minutes_of(anchor)):
            yield Operand(minute, "minute", text, source)
        return
    if anchor.value is None or anchor.number is None:
        return
    dimension = dimension_of(anchor)
    if dimension == "%":
        share = float(anchor.value) / 100.0
        yield Operand(float(anchor.value), "%", text, source)
        yield Operand(share, PURE, text, source)
        yield Operand(1.0 - share, PURE, f"(1 - {text})", source)
        yield Operand(1.0 + share, PURE, f"(1 + {text})", source)
        return
    is_rate = anchor.period is not None or anchor.each is not None
    period = anchor.period
    yield Operand(float(anchor.value), dimension, text, source, False, is_rate, period)
    if anchor.kind == "number" and (not priced or anchor.number.as_tuple().exponent == _CENTS):
        # Where "prices in euros" stands elsewhere.
        yield Operand(float(anchor.value), MONEY, text, source)
    if dimension not in (PURE, MONEY) and anchor.number:
        yield Operand(float(anchor.number), PURE, text, source, is_figure=True)
    if anchor.high is not None:
        yield Operand(float(anchor.high), dimension, text, source, False, is_rate, period)


def _add_pairs(results: list[Pair], one: Operand, other: Operand) -> None:
    """Add what two operands come to."""
    a, kind, _, _, is_figure, _, _ = one
    b, other_kind, _, _, other_is_figure, _, _ = other
    alike = kind == other_kind and not (is_figure and other_is_figure)
    if alike:
        results.append((a + b, kind, one, other, "+"))
        more, less = (one, other) if a >= b else (other, one)
        results.append((more.size - less.size, kind, more, less, "-"))
    counted, counts = one.counts(other), other.counts(one)
    if counted or counts:
        results.append((a * b, kind or other_kind, one, other, "×"))
    ratio, inverse = a / b, b / a
    if alike:
        results += (
            (ratio, PURE, one, other, "÷"),
            (100.0 * ratio, "%", one, other, "%"),
            (100.0 * abs(ratio - 1.0), "%", one, other, "Δ%"),
            (inverse, PURE, other, one, "÷"),
            (100.0 * inverse, "%", other, one, "%"),
            (100.0 * abs(inverse - 1.0), "%", other, one, "Δ%"),
        )
    elif kind and not other_kind:
        results.append((ratio, kind, one, other, "÷" if counts else PER))
    elif other_kind and not kind:
        results.append((inverse, other_kind, other, one, "÷" if counted else PER))


def minutes_of(anchor: Anchor) -> set[float]:
    """Return the minutes after midnight that a time may mean."""
    found = {float(anchor.value)} if anchor.value is not None else set()
    for key in (anchor.key, *anchor.ambiguous):
        clock = _CLOCK.fullmatch(key)
        if clock is not None:
            found.add(int(clock[1]) * 60.0 + int(clock[2]))
    return found


def ordinal_of(anchor: Anchor) -> float | None:
    """Return the number of a date's day; None where it names no day."""
    named = _DATE.fullmatch(anchor.key)
    if named is None:
        return None
    try:
        return float(date(int(named[1] or _NO_YEAR), int(named[2]), int(named[3])).toordinal())
    except ValueError:
        return None
