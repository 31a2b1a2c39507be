"""Whether a value that no passage holds follows by a reckoning that its sentence announces.

A reckoning takes two operands: both of the answer or the question, one of these and one of a near
unit of the passages, or both of the nearest unit. Among so few values one that follows is hardly
ever chance; from more of them nearly every number follows (`benchmarks/results/accuracy.md`). Units
and periods have to fit, and one operand has to stand in a source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import fsum, isclose
from operator import attrgetter
from typing import Final, NamedTuple

from streamguard.core.derive.announced import Operation
from streamguard.core.derive.solver import Derivation, Operands, derive_in_time
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor, read_anchors
from streamguard.values.money import TIMES_IN
from streamguard.values.value import last_place

# Where a term stands: in the sentence, the question, the answer so far; from 0 on the rank of a
# unit of the passages.
SENTENCE: Final = -3
QUESTION: Final = -2
EARLIER: Final = -1
NEAREST: Final = 0

_MONEY: Final = "money"
_YEARS: Final = "month"  # the base unit of years
# A figure of these says how many of something there are, or how often.
_COUNTING: Final = frozenset([None, "s", "month", "business day", "time"])
LASTING: Final = frozenset(["s", "month", "business day"])  # units of durations
_POINTS: Final = frozenset(["date", "time"])  # in time: only distances are reckoned
_UNCOUNTED: Final = _POINTS | {"ordinal", "identifier", "version"}
_PARTS: Final = (
    (1 / 2, "÷ 2"),
    (2.0, "× 2"),
    (1 / 3, "÷ 3"),
    (2 / 3, "× 2/3"),
    (3.0, "× 3"),
    (1 / 4, "÷ 4"),
    (3 / 4, "× 3/4"),
    (1 / 5, "÷ 5"),
    (1 / 10, "÷ 10"),
)
_SAME: Final = 1e-6  # relative: what binary arithmetic leaves of equality
_YEAR: Final = lazy_re(r"1[0-4]\d\d")  # others are read as years
_MOST_ROUNDED: Final = 0.05  # relative: what rounding takes off a share or a quotient; guess
_HEDGED: Final = 0.1  # relative: what "about" takes off a value with more digits; guess
_MOST_ADDED: Final = 12  # amounts of one sentence that may add up; guess


class KnownValue(NamedTuple):
    """A value that a reckoning may start from.

    `place`: where it stands (`SENTENCE` to `NEAREST`, and ranks above), `slot`: its slot of the
    passages, if it is one. `size` is in the base unit, `figure` as written. `is_grounded`: a source
    holds it, or it follows from what one holds. `is_step`: its sentence says that something goes so
    far ("up by £9").
    """

    anchor: Anchor
    place: int
    unit: str | None
    size: float
    figure: float
    is_grounded: bool = True
    slot: int | None = None
    is_step: bool = False


def terms_of(
    anchor: Anchor,
    place: int,
    *,
    is_grounded: bool = True,
    slot: int | None = None,
    is_step: bool = False,
) -> Iterator[KnownValue]:
    """Yield the values that a value may stand for: itself, its range's end, the whole of a share.

    A year counts as a number of years; a date or time has a place without a size.
    """
    if anchor.value is None or anchor.number is None or anchor.kind in _POINTS:
        yield KnownValue(anchor, place, None, 0.0, 0.0, is_grounded, slot, is_step)
        return
    unit = {"amount": _MONEY, "percent": "%", "year": _YEARS}.get(anchor.kind) or anchor.unit
    sizes = [(float(anchor.value), float(anchor.number))]
    if anchor.high is not None and anchor.high_number is not None:
        sizes.append((float(anchor.high), float(anchor.high_number)))
    if anchor.whole is not None:
        whole = float(anchor.whole)
        sizes.append((whole, whole / float(anchor.scale)))
    if anchor.kind == "year":
        sizes = [(figure * 12, figure) for _, figure in sizes]
    for size, figure in sizes:
        yield KnownValue(anchor, place, unit, size, figure, is_grounded, slot, is_step)


class _Aim(NamedTuple):
    """The value that is looked for; `step`: half its last written place, in its base unit."""

    anchor: Anchor
    unit: str | None
    size: float
    figure: float
    step: float

    def is_met(self, size: float, *, by_figure: bool, rounds: bool = False) -> bool:
        """Return whether a result is the value; `rounds`: to its last place."""
        goal = self.figure if by_figure else self.size
        if isclose(size, goal, rel_tol=_SAME):
            return True
        if not rounds and not self.anchor.approx:
            return False
        step = self.step / float(self.anchor.scale) if by_figure else self.step
        return abs(size - goal) <= min(step, _MOST_ROUNDED * abs(goal)) * (1 + _SAME)


class Reckoning:
    """Terms near one sentence, and the operations that it announces."""

    def __init__(self, terms: Sequence[KnownValue], operations: frozenset[Operation]) -> None:
        self._all = terms
        self._operations = operations
        self._counted = [
            (number, one)
            for number, one in enumerate(terms)
            if one.anchor.kind not in _UNCOUNTED and one.figure and one.anchor.label is None
        ]

    def of(self, target: Anchor) -> Derivation | None:
        """Return how a value follows, the first way that is found, or None."""
        in_time = self._in_time(target)
        if in_time is not None or target.kind in _UNCOUNTED:
            return in_time
        aim = _aim_of(target)
        return (
            self._added_up(aim) or self._counted_up(aim) or self._of_two(aim) or self._of_one(aim)
        )

    def agrees(self, target: Anchor) -> bool:
        """Return whether a value follows from values of the answer that no source holds."""
        if target.kind in _UNCOUNTED:
            return False
        aim = _aim_of(target)
        if self._added_up(aim, is_grounded=False) is not None:
            return True
        own = [one for _, one in self._counted if one.place in (EARLIER, SENTENCE)]
        return any(
            one.anchor is not other.anchor
            and EARLIER in (one.place, other.place)
            and self._result(aim, one, other) is not None
            for one, other in combinations(own, 2)
        )

    def _in_time(self, target: Anchor) -> Derivation | None:
        """Return how a date or time is moved by a duration, or how far apart two of them are."""
        numbers = [n for n, one in enumerate(self._all) if one.place <= NEAREST]
        anchors = [self._all[number].anchor for number in numbers]
        found = derive_in_time(target, Operands(anchors))
        if found is None or not any(self._all[numbers[n]].is_grounded for n in found.sources):
            return None
        return Derivation(found.words, tuple(numbers[n] for n in found.sources), found.is_span)

    def _added_up(self, aim: _Aim, *, is_grounded: bool = True) -> Derivation | None:
        """Return how the sentence's own values add up, the aim among them or as their sum."""
        if aim.unit is None:
            return None
        whole = {id(one.anchor): (number, one) for number, one in reversed(self._counted)}
        own = [
            (number, one)
            for number, one in reversed(whole.values())
            if one.place == SENTENCE and one.unit in (None, aim.unit) and one.anchor.kind != "year"
        ][:_MOST_ADDED]
        alike = [each for each in own if each[1].unit == aim.unit]
        # "2,500 on the first ten thousand": what is written in letters may be no part of it.
        figures = [each for each in own if not each[1].anchor.word]
        ways = [alike]
        if len(own) > len(alike):
            ways.append(own)
        if len(alike) < len(figures) < len(own):
            ways.append(figures)
        for some in ways:
            if is_grounded and not any(one.is_grounded for _, one in some):
                continue
            words = _sum_of(aim, [one for _, one in some])
            if words is not None:
                return Derivation(words, tuple(number for number, _ in some))
        return None

    def _counted_up(self, aim: _Aim) -> Derivation | None:
        """Return how the sentence's amounts, each as often as counted before it, add up.

        "Two adults at $54, one child at $42".
        """
        if aim.unit != _MONEY:
            return None
        count: KnownValue | None = None
        sizes, words, numbers, is_grounded = list[float](), list[str](), list[int](), False
        for number, one in self._counted:
            if one.place != SENTENCE:
                continue
            if one.unit == _MONEY:
                sizes.append(one.size if count is None else count.figure * one.size)
                words.append(one.anchor.text if count is None else _words(count, "×", one))
                numbers.append(number)
                is_grounded = is_grounded or one.is_grounded
                count = None
            elif one.unit in _COUNTING:
                count = one
        if len(sizes) < 2 or not is_grounded or not aim.is_met(fsum(sizes), by_figure=False):
            return None
        return Derivation(" + ".join(words), tuple(numbers))

    def _of_two(self, aim: _Aim) -> Derivation | None:
        adds = "sum" in self._operations
        for (number, one), (other_number, other) in combinations(self._counted, 2):
            if one.anchor is other.anchor or not (one.is_grounded or other.is_grounded):
                continue
            # One of them in the answer, or both in the nearest unit; summands may stand in two
            # units: "Basic and Pro together".
            is_one_thing = one.place < NEAREST or other.place < NEAREST
            if is_one_thing or one.place == other.place == NEAREST:
                words = self._result(aim, one, other)
            else:
                words = _added(aim, one, other) if adds else None
            if words is not None:
                return Derivation(words, (number, other_number))
        return None

    def _result(self, aim: _Aim, one: KnownValue, other: KnownValue) -> str | None:
        """Return in words how two terms come to the aim, or None."""
        said = self._operations
        if "span" in said and (words := _years_apart(aim, one, other)):
            return words
        if (one.is_step or other.is_step) and (words := _added(aim, one, other)):
            return words
        is_written = one.place == other.place == SENTENCE and aim.unit is not None
        if ("sum" in said or is_written) and (words := _added(aim, one, other)):
            return words
        if (is_written or self._are_apart(one, other)) and (words := _apart(aim, one, other)):
            return words
        if "mean" in said and (words := _mean(aim, one, other)):
            return words
        if "share" in said and (words := next(_shares(aim, one, other), None)):
            return words
        return self._product(aim, one, other) or self._product(aim, other, one)

    def _are_apart(self, one: KnownValue, other: KnownValue) -> bool:
        """Return whether the sentence tells a difference; of years also how far apart they are."""
        if "difference" in self._operations or one.is_step or other.is_step:
            return True
        return "span" in self._operations and one.anchor.kind == other.anchor.kind == "year"

    def _product(self, aim: _Aim, count: KnownValue, each: KnownValue) -> str | None:
        """Return a product, and a quotient where it is announced; counts alone need a word too."""
        is_said = "product" in self._operations
        is_named = count.place < NEAREST and (aim.unit is not None or each.unit is not None)
        if not (is_said or is_named) or not _counts(count, each):
            return None
        is_written = count.place == each.place == SENTENCE  # "two rents of 460"
        if not (_may_be(aim.unit, each) or (is_written and _fit(aim.unit, each))):
            return None
        by_figure, (size,) = _sizes(aim, each)
        how_often = _how_often(count, each)
        rounds_up = how_often != count.figure  # 50 g at £2.95 a kilo
        if aim.is_met(size * how_often, by_figure=by_figure, rounds=rounds_up):
            return _words(each, "×", count)
        rounds = aim.unit != _MONEY or aim.anchor.rounded
        if is_said and aim.is_met(size / how_often, by_figure=by_figure, rounds=rounds):
            return _words(each, "÷", count)
        return None

    def _of_one(self, aim: _Aim) -> Derivation | None:
        if aim.unit == "time" and aim.anchor.word:
            return None  # "twice a day" names its own count: it is no double of "once a day"
        for number, one in self._counted:
            if one.is_grounded and one.anchor.kind != "year" and _fit(aim.unit, one):
                words = next(self._alone(aim, one), None)
                if words is not None:
                    return Derivation(words, (number,))
        return None

    def _alone(self, aim: _Aim, one: KnownValue) -> Iterator[str]:
        """Yield in words how one term comes to the aim: a part, another period, or rounded."""
        by_figure, (size,) = _sizes(aim, one)
        text = one.anchor.text
        is_amount = aim.unit != _MONEY or one.unit is not None or not _is_count(one.anchor)
        for factor, words in _PARTS if "part" in self._operations and is_amount else ():
            if aim.is_met(size * factor, by_figure=by_figure):
                yield f"{text} {words}"
        is_rest = aim.unit == one.unit == "%" and one.place <= EARLIER
        if is_rest and aim.is_met(100 - size, by_figure=False):
            yield f"100 % - {text}"
        # "$5 per month" announces nothing: $60 a year, told elsewhere, may be for another thing.
        own = aim.anchor.period
        names_period = "period" in self._operations if own is None else one.place <= NEAREST
        if names_period and aim.unit == one.unit == _MONEY:
            yield from _over_periods(aim, one)
        target = aim.anchor
        if target.approx and target.number and one.anchor.number:
            goal = aim.figure if by_figure else aim.size
            is_finer = last_place(one.anchor.number) < last_place(target.number)
            if is_finer and abs(size - goal) <= _HEDGED * abs(goal):
                yield f"about {text}"


def _aim_of(target: Anchor) -> _Aim:
    (aimed, *_) = terms_of(target, SENTENCE)
    return _Aim(target, aimed.unit, aimed.size, aimed.figure, float(target.precision))


def _over_periods(aim: _Aim, one: KnownValue) -> Iterator[str]:
    by_figure, (size,) = _sizes(aim, one)
    own, asked = one.anchor.period, aim.anchor.period
    for (short, long), factor in TIMES_IN.items():
        is_longer = own in (None, short) and asked in (None, long)
        if is_longer and aim.is_met(size * factor, by_figure=by_figure):
            yield f"{one.anchor.text} × {factor}"
        is_shorter = own in (None, long) and asked in (None, short)
        if is_shorter and aim.is_met(size / factor, by_figure=by_figure, rounds=True):
            yield f"{one.anchor.text} ÷ {factor}"


def _shares(aim: _Aim, one: KnownValue, other: KnownValue) -> Iterator[str]:
    """Yield how the aim is a share of one term, or the percentage of one term in another."""
    for part, whole in ((one, other), (other, one)):
        name, of = part.anchor.text, whole.anchor.text
        if aim.unit == "%" and one.unit == other.unit != "%":
            a, b = part.size, whole.size
            if aim.is_met(100 * a / b, by_figure=False, rounds=True):
                yield f"{name} ÷ {of} in %"
            if aim.is_met(100 * abs(a / b - 1), by_figure=False, rounds=True):
                yield f"({name} - {of}) ÷ {of} in %"
        elif part.unit == "%" and "%" not in (aim.unit, whole.unit) and _fit(aim.unit, whole):
            by_figure, (size,) = _sizes(aim, whole)
            share = part.figure / 100
            ways = (share, name), (1 - share, f"(1 - {name})"), (1 + share, f"(1 + {name})")
            for factor, words in ways:
                if factor and aim.is_met(size * factor, by_figure=by_figure, rounds=True):
                    yield f"{words} × {of}"


def _sum_of(aim: _Aim, terms: Sequence[KnownValue]) -> str | None:
    """Return in words how the aim is the sum of all terms, or the rest of the largest."""
    if len(terms) < 2:
        return None
    by_figure = any(one.unit != aim.unit for one in terms)
    sizes = [one.figure if by_figure else one.size for one in terms]
    names = [one.anchor.text for one in terms]
    total, largest = fsum(sizes), max(sizes)
    if aim.is_met(total, by_figure=by_figure):
        return " + ".join(names)
    if aim.is_met(2 * largest - total, by_figure=by_figure):
        first = names.pop(sizes.index(largest))
        return " - ".join([first, *names])
    return None


def _added(aim: _Aim, one: KnownValue, other: KnownValue) -> str | None:
    if not _are_alike(aim, one, other) or _is_one_of(aim.anchor.noun, one, other):
        return None
    by_figure, (a, b) = _sizes(aim, one, other)
    return _words(one, "+", other) if aim.is_met(a + b, by_figure=by_figure) else None


def _is_one_of(noun: str | None, one: KnownValue, other: KnownValue) -> bool:
    """Return whether two counts count different things, and a noun is that of one of them.

    Three shortcuts and seven exporters are no ten exporters.
    """
    nouns = {one.anchor.noun, other.anchor.noun}
    return len(nouns) == 2 and None not in nouns and noun in nouns


def _mean(aim: _Aim, one: KnownValue, other: KnownValue) -> str | None:
    if not _are_alike(aim, one, other):
        return None
    by_figure, (a, b) = _sizes(aim, one, other)
    is_met = aim.is_met((a + b) / 2, by_figure=by_figure)
    return f"({_words(one, '+', other)}) ÷ 2" if is_met else None


def _apart(aim: _Aim, one: KnownValue, other: KnownValue) -> str | None:
    if not _are_alike(aim, one, other):
        return None
    by_figure, (a, b) = _sizes(aim, one, other)
    if not aim.is_met(abs(a - b), by_figure=by_figure):
        return None
    return _words(one, "-", other) if a >= b else _words(other, "-", one)


def _are_alike(aim: _Aim, one: KnownValue, other: KnownValue) -> bool:
    """Return whether two terms are of one unit, and of the aim's where it has one.

    Only beside an aim with a unit may one of them lack it, as below a table's head.
    """
    if aim.anchor.unit == "pp" and one.anchor.unit != other.anchor.unit:
        return False  # percentage points are how far apart two percentages are
    mine, theirs = one.anchor.period, other.anchor.period
    if not (mine is None or theirs is None or mine == theirs):
        return False
    if one.unit == other.unit:
        is_scaled = aim.unit is None and one.anchor.scale != other.anchor.scale
        return _fit(aim.unit, one) and not is_scaled and (aim.unit is None or one.unit is not None)
    if aim.unit is None or aim.unit not in (one.unit, other.unit):
        return False
    bare = one if one.unit is None else other
    return _fit(aim.unit, one, other) and not (aim.unit == _MONEY and _is_count(bare.anchor))


def _years_apart(aim: _Aim, one: KnownValue, other: KnownValue) -> str | None:
    """Return how many years lie between two bare figures that may be years before 1500."""
    anchors = one.anchor, other.anchor
    are_years = all(each.kind == "number" and _YEAR.fullmatch(each.text) for each in anchors)
    if aim.unit != _YEARS or not are_years or abs(one.figure - other.figure) != aim.figure:
        return None
    first, last = sorted((one, other), key=attrgetter("figure"))
    return _words(last, "-", first)


def _is_count(anchor: Anchor) -> bool:
    """Return whether a bare number counts something, and is no amount below a table's head."""
    return anchor.word or anchor.noun is not None or anchor.high is not None


def _counts(count: KnownValue, each: KnownValue) -> bool:
    """Return whether one may count the other: 3 of $4, 4 months at $9 a month, 2 m at $5 a m."""
    if _measure_of(count, each) is not None:
        return True
    if count.unit not in _COUNTING or count.anchor.kind == "year" or count.figure == 1:
        return False
    return count.unit is None or each.unit not in _COUNTING or each.anchor.period is not None


def _measure_of(count: KnownValue, each: KnownValue) -> Anchor | None:
    """Return the measure that an amount is for, a kilometre, if the other term is so measured."""
    thing = each.anchor.period
    if each.unit != _MONEY or thing is None or count.unit is None or count.unit in _COUNTING:
        return None
    measure = _one_of(thing)
    return measure if measure is not None and measure.unit == count.unit else None


@cache
def _one_of(thing: str) -> Anchor | None:
    return next(iter(read_anchors(f"1 {thing}")), None)


def _how_often(count: KnownValue, each: KnownValue) -> float:
    """Return how often an amount counts: 2.5 for 2,500 g at an amount per kilogram."""
    measure = _measure_of(count, each)
    if measure is None or measure.value is None:
        return count.figure
    return count.size / float(measure.value)


def _may_be(unit: str | None, each: KnownValue) -> bool:
    """Return whether a count of a term has a unit: an amount may stand below a head, in cents."""
    if each.unit == "%" or (each.unit is None and unit is not None and not each.anchor.rounded):
        return False
    return _fit(unit, each)


def _fit(unit: str | None, *terms: KnownValue) -> bool:
    """Return whether terms are of a unit; a figure without one fits any."""
    for one in terms:
        if unit is None:
            unit = one.unit
        elif one.unit is not None and one.unit != unit:
            return False
    return True


def _sizes(aim: _Aim, *terms: KnownValue) -> tuple[bool, tuple[float, ...]]:
    """Return the terms' sizes, or, where a unit is missing among them or the aim, their figures."""
    by_figure = any(one.unit != aim.unit for one in terms)
    return by_figure, tuple(one.figure if by_figure else one.size for one in terms)


def _words(one: KnownValue, sign: str, other: KnownValue) -> str:
    return f"{one.anchor.text} {sign} {other.anchor.text}"
