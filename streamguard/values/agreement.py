"""Decides whether a value of the sources supports one of the answer; indexes all of the sources."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from operator import itemgetter
from typing import Literal

from streamguard.text.patterns import lazy_re
from streamguard.text.places import Members, Places
from streamguard.values.dates import containing
from streamguard.values.money import FAMILIES, PERIODS
from streamguard.values.packed import PackedAnchors
from streamguard.values.quarters import QUARTER, contains
from streamguard.values.relative import FOLD
from streamguard.values.value import (
    ONE,
    ZERO,
    Anchor,
    digits_of,
    half_of_last,
    listed,
    minus,
    plain,
    plus,
    quotient,
    readings_of,
    shifted,
    times,
)
from streamguard.values.weekdays import NAMES, WEEKDAY, falls_on

Agreement = Literal["same", "unit", "period", "no"]
Relation = Literal["same", "given", "unit", "period", "none"]

_BEST: tuple[Agreement, ...] = ("same", "period", "unit", "no")
_BY_KEY = listed("date year time")  # kinds whose texts say nothing to a look-up
_LITERAL, _DATED = listed("version identifier"), listed("date year ordinal")
_FIGURES = listed("amount percent quantity number ordinal year")
# Of "5 pounds", "5 points" and "350 degrees" only the written figure can be compared.
_BY_FIGURE, _PERCENTAGES = listed("pound point degree"), listed("% pp point")
# "3 miles" for 5 km and "175 °C" for 350 °F: where no whole number leads from one unit to the
# other, rounding covers at most this share of the source's value, and of temperatures, which are
# rounded by feel, at least that; guesses.
_CONVERSION_MOST = Decimal("0.05")
_TEMPERATURE_LEAST = Decimal("0.025")
_ROUNDED_MOST = Decimal("0.15")  # 18 months are no two years, 115 minutes are two hours; guess
_HALF_DAY, _DAY_HOURS = 12, 24
_SECONDS = Decimal(60)
_HUNDRED = Decimal(100)
_ABOUT_SHARE = Decimal(5)  # percentage points that "about two thirds" may be off; guess
_OF_TIMES: frozenset[str | None] = frozenset((FOLD, "time"))
_SHARES = listed("number percent")
# How long a period lasts, by the base unit of the compared value.
_LASTING: dict[str | None, dict[str, int]] = {
    "s": {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800},
    "month": {"quarter": 3, "year": 12},
}
_TO_MINUTES = len("17:00")  # of a time's key, which may go on with seconds
_LABEL_LETTERS = 3  # "Sec. 4" is section 4
_IN_HOURS = lazy_re(r"(?a)(?<![\d.,])(\d{1,2})(?=[ ]?(?:h|heures|horas)(?!\w)|[ ]?-)")
# "7.30", and each hour of "8-17".
_HOUR = lazy_re(r"(?a)(?<![\d.,])(\d{1,2})(?:\.([0-5]\d))?(?![\d.,%])")


def agree(answer: Anchor, source: Anchor) -> Agreement:
    """Return whether `source` supports `answer`.

    "same": it does. "unit": the same number in another unit or currency. "period": the same amount
    for another period. "no": neither. Not symmetric: a source may be more precise than the answer,
    never less. A unit or period missing on one side is no conflict.
    """
    mine, theirs = answer.kind, source.kind
    if mine in _FIGURES and theirs in _FIGURES:  # most are
        unit, other = answer.unit, source.unit
        if mine != theirs and {mine, theirs} == _SHARES and _is_share(answer, source):
            return "same"
        if (unit in _OF_TIMES or other in _OF_TIMES) and _is_often(answer, source):
            return "same"
        if not (answer.shifts or source.shifts):
            return _numeric(answer, source)
        pairs = product(readings_of(answer), readings_of(source))
        return min((_numeric(one, other) for one, other in pairs), key=_BEST.index)
    if answer.label and source.label and {mine, theirs} == {"identifier", "number"}:
        return "same" if _is_of_article(answer, source) else "no"
    if mine in _LITERAL or theirs in _LITERAL:
        # "Python 3.11" against "3.11" in a table: the digits must be written alike.
        alike = answer.key == source.key or answer.text.casefold() == source.text.casefold()
        alike = alike or (mine == theirs and answer.key in source.ambiguous)  # a link's host
    elif "date" in (mine, theirs):
        if answer.unit or source.unit:  # a weekday, a quarter
            return "same" if _in_calendar(answer, source) else "no"
        are_dated = mine in _DATED and theirs in _DATED
        alike = are_dated and any(_keys(answer) & containing(key) for key in _keys(source))
    elif mine == theirs:  # two times
        alike = not _keys(answer).isdisjoint(_times(source))
        if alike and answer.unit and source.unit and answer.unit != source.unit:
            return "unit"
    else:
        alike = bool(dotted_times(answer) & dotted_times(source)) or _lasts(answer, source)
    return "same" if alike else "no"


def _is_of_article(answer: Anchor, source: Anchor) -> bool:
    """Return whether one is an article and the other a part of it, "6" and "6(1)(f)".

    A passage may part an article without naming it again.
    """
    whole, part = (answer, source) if answer.kind == "number" else (source, answer)
    return f"{whole.label} {whole.key}" in part.ambiguous


def _is_often(answer: Anchor, source: Anchor) -> bool:
    """Return whether both say how many times, or one how often and the other after how long."""
    if FOLD in (answer.unit, source.unit) and _is_multiple(answer, source):
        return True
    return _as_often(answer, source) or _as_often(source, answer)


def _is_multiple(answer: Anchor, source: Anchor) -> bool:
    """Return whether one is a multiple and the other the same number of times."""
    other = source if answer.unit == FOLD else answer
    return answer.number == source.number and (other.noun == "times" or other.unit == "time")


def _is_share(answer: Anchor, source: Anchor) -> bool:
    """Return whether one is a part of all and the other the same in percent: 1 in 5, 20 %."""
    part, share = (answer, source) if answer.kind == "number" else (source, answer)
    if part.value is None or share.value is None or not ZERO < part.value < ONE or "." in part.text:
        return False
    half = _ABOUT_SHARE if answer.approx else share.precision
    off = minus(times(part.value, _HUNDRED), share.value).copy_abs()
    return not off or off < half


def _in_calendar(answer: Anchor, source: Anchor) -> bool:
    """Return whether a weekday or quarter stands in a span of days, or is that of a date."""
    if source.kind != "date":
        return False
    if answer.unit == WEEKDAY and source.unit is None:
        return falls_on(source.key, answer.key)
    if answer.unit == QUARTER and source.unit in (None, QUARTER):
        return answer.key in containing(source.key) or contains(answer.key, source.key)
    return answer.unit == source.unit and answer.key in _keys(source)


def _lasts(answer: Anchor, source: Anchor) -> bool:
    """Return whether one is a time like "2 h 30" and the other a duration of that length."""
    time, other = (answer, source) if answer.kind == "time" else (source, answer)
    if other.unit != "s" or time.value is None or "h" not in time.text.lower():
        return False
    return times(time.value, _SECONDS) == other.value


def _keys(anchor: Anchor) -> set[str]:
    return {anchor.key, *anchor.ambiguous}


def _as_often(rate: Anchor, span: Anchor) -> bool:
    """Return whether a frequency equals an interval: "twice a year", "every six months"."""
    if rate.unit != "time" or span.unit not in _LASTING or not (rate.value and span.value):
        return False
    lasts = _LASTING[span.unit].get(rate.period or "")
    return lasts is not None and times(rate.value, span.value) == lasts


# Words, by their stems, that say a value without a figure: by its unit, period and key.
_IN_WORDS: dict[tuple[str | None, str | None, str], tuple[str, ...]] = {
    **{("time", span, "1"): (span,) for span in ("hour", "night", "week", "month", "quarter")},
    ("time", "day", "1"): ("daili",),
    ("time", "year", "1"): ("year", "annual"),
    ("s", None, "3600"): ("hour",),
    ("s", None, "86400"): ("day", "daili"),
    ("s", None, "604800"): ("week",),
    ("s", None, "1209600"): ("fortnight", "biweek"),
    ("month", None, "1"): ("month",),
    ("month", None, "3"): ("quarter",),
    ("month", None, "12"): ("year", "annual"),
    ("%", None, "50"): ("half", "halv"),
    **{(WEEKDAY, None, day): ("daili", "everyday", "weekday") for day in NAMES[:5]},
    **{(WEEKDAY, None, day): ("daili", "everyday", "weekend") for day in NAMES[5:]},
}


def in_words(answer: Anchor) -> tuple[str, ...]:
    """Return the stems of words that may express the value: "fortnight" for "two weeks"."""
    return _IN_WORDS.get((answer.unit, answer.period, answer.key), ())


def _times(anchor: Anchor) -> set[str]:
    """Return the keys of a time, also without its seconds."""
    keys = _keys(anchor)
    return keys | {key[:_TO_MINUTES] for key in keys if len(key) > _TO_MINUTES}


def dotted_times(anchor: Anchor) -> frozenset[str]:
    """Return the keys of the times that "7.30", "8-17" or "21 h" may mean; of a time its own."""
    if anchor.kind == "time":
        return frozenset((anchor.key, *anchor.ambiguous))
    if anchor.unit == "s" and (hours := _IN_HOURS.findall(anchor.text)):
        return frozenset(f"{int(hour):02d}:00" for hour in hours if int(hour) < _DAY_HOURS)
    if anchor.kind != "number" or anchor.noun or anchor.label or anchor.text.isdigit():
        return frozenset()  # a bare "16" is no hour
    hours = [
        (int(one[1]) + later, one[2] or "00")
        for one in _HOUR.finditer(anchor.text)
        for later in (0, _HALF_DAY)
    ]
    return frozenset(f"{hour:02d}:{rest}" for hour, rest in hours if hour < _DAY_HOURS)


def _numeric(answer: Anchor, source: Anchor) -> Agreement:
    relation = _counts(answer, source)
    if relation == "apart":
        return "no"
    if answer.label is not source.label and _numbers_other(answer, source):
        return "no"
    if relation == "other":
        return "unit" if answer.number == source.number else "no"
    if relation == "value" and _differ_plainly(answer, source):
        return "no"
    if _equal(answer, source, by_figure=relation == "figure"):
        if answer.period and source.period and answer.period not in (source.period, source.each):
            return "period"
        if (answer.once and source.period in PERIODS) or (source.once and answer.period in PERIODS):
            return "period"
        return "same"
    alike = answer.scale != source.scale and answer.number == source.number
    return (
        "unit" if relation == "value" and (alike or _of_other_magnitude(answer, source)) else "no"
    )


def _differ_plainly(answer: Anchor, source: Anchor) -> bool:
    """Return whether two single figures of one scale differ, and the answer's rounds nothing."""
    return not (
        answer.value == source.value
        or _rounds(answer)
        or answer.scale != source.scale
        or answer.exponent != source.exponent
        or answer.high is not None
        or source.high is not None
        or answer.whole is not None
        or source.whole is not None
    )


def _of_other_magnitude(answer: Anchor, source: Anchor) -> bool:
    """Return whether the same figure is in thousands on one side and in millions on the other."""
    if answer.exponent == source.exponent or answer.number is None or source.number is None:
        return False
    mine, theirs = (shifted(one.number or ZERO, -one.exponent) for one in (answer, source))
    return mine == theirs and bool(answer.exponent and source.exponent)


def _counts(answer: Anchor, source: Anchor) -> Literal["value", "figure", "other", "apart"]:
    """Compare the units of both.

    "value": equal, so canonical values are comparable. "figure": one side has none, so the written
    figures are comparable. "other": another currency, or percent against points. "apart": not
    comparable.
    """
    if answer.unit == source.unit:  # also "5 pounds" of 5 lb, and not of 5 kg
        return "value" if answer.kind == source.kind else "figure"
    if answer.family and source.unit in FAMILIES[answer.family]:
        return "figure" if answer.family in _BY_FIGURE else "value"
    if source.family and answer.unit in FAMILIES[source.family]:
        return "figure" if source.family in _BY_FIGURE else "value"
    if answer.unit is None or source.unit is None:
        if answer.kind == source.kind == "amount":
            return "value"
        bare = source if source.unit is None else answer  # may count or number something else
        is_other = bare.noun or bare.label or bare.named or bare.kind == "ordinal"
        return "apart" if is_other else "figure"
    if answer.kind == source.kind == "amount" or {answer.unit, source.unit} <= _PERCENTAGES:
        return "other"
    return "apart"


def _numbers_other(answer: Anchor, source: Anchor) -> bool:
    """Return whether one numbers a label ("class 6") and the other counts, or numbers another."""
    mine, theirs = answer.label, source.label
    if mine is None or theirs is None:
        counting = source if theirs is None else answer
        return mine is not theirs and counting.noun is not None
    return mine[:_LABEL_LETTERS] != theirs[:_LABEL_LETTERS]


def _equal(answer: Anchor, source: Anchor, *, by_figure: bool) -> bool:
    mine, high = (answer.number, answer.high_number) if by_figure else (answer.value, answer.high)
    theirs, top = (source.number, source.high_number) if by_figure else (source.value, source.high)
    assert mine is not None  # every numeric anchor has a value
    assert theirs is not None
    if by_figure and answer.exponent and mine == shifted(theirs, answer.exponent):
        return True  # "£8.7 million" of a table in millions
    close = _close(mine, theirs, answer, source, by_figure=by_figure)
    if high is not None:
        return close and top is not None and _close(high, top, answer, source, by_figure=by_figure)
    if top is not None:
        close = close or _close(mine, top, answer, source, by_figure=by_figure)
        close = close or (answer.approx and theirs <= mine <= top)
    if close or (answer.whole is None and source.whole is None):  # to compare with None is slow
        return close
    # "Half of £48" stands where £48 does, and is £24.
    return mine == source.whole or theirs == answer.whole


def _close(
    mine: Decimal, theirs: Decimal, answer: Anchor, source: Anchor, *, by_figure: bool
) -> bool:
    if mine == theirs:
        return True
    if not _rounds(answer):
        return False
    gap, half, finer = minus(mine, theirs).copy_abs(), answer.precision, source.precision
    if by_figure:  # a precision is one of the value
        half, finer = quotient(half, answer.scale), quotient(finer, source.scale)
    elif not _is_whole(answer.scale, source.scale):
        return gap <= _converted(answer, theirs)
    if answer.approx:
        return gap <= half and digits_of(theirs) > digits_of(mine)
    if answer.scale != source.scale and gap > times(theirs.copy_abs(), _ROUNDED_MOST):
        return False
    return gap <= half and finer < half


def _is_whole(one: Decimal, other: Decimal) -> bool:
    """Return whether one unit is a multiple of the other: minutes and hours are, miles are not."""
    if one == other:
        return True
    more, less = (one, other) if one > other else (other, one)
    ratio = quotient(more, less)
    return ratio == ratio.to_integral_value()


def _converted(answer: Anchor, size: Decimal) -> Decimal:
    """Return the tolerance of a figure converted from another system of units."""
    size = size.copy_abs()
    assert answer.number is not None  # every numeric anchor has one
    half = max(answer.precision, times(half_of_last(answer.number), answer.scale))
    least = times(size, _TEMPERATURE_LEAST) if answer.unit == "°F" else ZERO
    return max(min(half, times(size, _CONVERSION_MOST)), least)


def _rounds(answer: Anchor) -> bool:
    """Return whether a plain figure may be a rounding of a more precise one.

    Whole amounts, counts, years and ranks may not ("$50" is not $49.95); decimals, magnitudes,
    percentages, quantities and figures after "about" may.
    """
    return answer.approx or answer.rounded or answer.kind in ("percent", "quantity")


# Different units, periods and kinds of one number that are kept and compared; guess.
_MAX_SAME_NUMBER = 64
_MAX_NEIGHBOURS = 32  # in value, that are compared when the answer rounds; guess
_RANK = {"same": 0, "period": 1, "unit": 2, "none": 3}


@dataclass(frozen=True, slots=True)
class Match:
    """The relation of the sources to an answer's anchor.

    `anchor` in chunk number `chunk` supports or contradicts it; None with relation "none", and with
    "given", where the answer does not state the value as the sources'.
    """

    relation: Relation
    chunk: int | None = None
    anchor: Anchor | None = None

    @property
    def stands(self) -> bool:
        """Whether the answer may have the value."""
        return self.relation in ("same", "given")


class AnchorIndex:
    """Indexes every anchor of the sources by value; look-ups do not depend on their number."""

    def __init__(self, anchors: PackedAnchors | None = None) -> None:
        self._anchors = PackedAnchors() if anchors is None else anchors
        self._seen = Places(250)  # the first of each value in every chunk, by all `agree` looks at
        self._by = Places(100)  # the first of each value by key and by written number
        self._near: dict[tuple[str, str | None], _Group] = {}  # by kind and unit

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets, to be sealed once it is complete."""
        return self._seen, self._by

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        groups = sum(13 * len(group) + 500 for group in self._near.values())
        return self._anchors.held_bytes + self._seen.held_bytes + self._by.held_bytes + groups

    def finish(self) -> None:
        """Release the data needed only to add anchors."""
        self._anchors.finish()

    def add(self, chunk: int, anchors: Sequence[Anchor]) -> None:
        """Add the anchors of chunk number `chunk`, in the order of the chunks."""
        chunk_of = self._anchors.block_of
        for number, one in enumerate(anchors, self._anchors.extend(chunk, anchors)):
            mark = _mark_of(one)
            seen = self._seen.of(mark)
            if seen and chunk_of(seen[-1]) == chunk:
                continue
            self._seen.add(mark, number)
            if seen:
                continue
            self._by.add_to_each(dict.fromkeys((*_written(one), *_numbers(one))), number)
            group = self._near.get((one.kind, one.unit))
            for at, value in enumerate(_sizes(one) if one.shifts else (one.value, one.high)):
                if value is not None:
                    if group is None:
                        group = self._near[one.kind, one.unit] = _Group()
                    group.add(value, _SIZES * number + at)

    def find(self, anchor: Anchor, chunks: Collection[int] | None = None) -> Match:
        """Return how the sources (only `chunks`, if given) relate to `anchor`.

        The best relation wins: same, then period, then unit.
        """
        best = Match("none")
        for sample in self._candidates(anchor):
            relation = agree(anchor, sample)
            if relation == "no" or _RANK[relation] >= _RANK[best.relation]:
                continue
            chunk_of = self._anchors.block_of
            places = {chunk_of(one): one for one in self._seen.of(_mark_of(sample))}
            held = places if chunks is None else filter(places.__contains__, chunks)
            if (chunk := next(iter(held), None)) is not None:
                best = Match(relation, chunk, self._anchors[places[chunk]])
                if relation == "same":
                    break
        return best

    def _candidates(self, anchor: Anchor) -> Iterator[Anchor]:
        others = sorted(dotted_times(anchor) - {anchor.key})
        keys: list[str | Decimal] = [anchor.key, *anchor.ambiguous, *others, *_numbers(anchor)]
        for key in keys:
            yield from map(self._anchors.__getitem__, self._under(key)[:_MAX_SAME_NUMBER])
        value, number, own = anchor.value, anchor.number, (anchor.kind, anchor.unit)
        if value is None or number is None or not _rounds(anchor):
            return
        for group in dict.fromkeys((own, (anchor.kind, None), ("number", None))):
            if (found := self._near.get(group)) is None:
                continue
            centre = value if group == own else number
            reach = max(anchor.precision, _converted(anchor, centre))
            yield from found.between(minus(centre, reach), plus(centre, reach), self._anchors)

    def _under(self, key: str | Decimal) -> Sequence[int]:
        """Return the first anchor of each value under a key; bare figures have a number only."""
        found = self._by.of(key)
        if isinstance(key, Decimal) or not key.isdecimal():
            return found
        alike = set()
        for at in self._by.of(Decimal(key)):
            anchor = self._anchors[at]
            if _is_bare(anchor) and anchor.text == key:
                alike.add(at)
        return sorted(alike.union(found)) if alike else found


class _Group:
    """The values of one kind and unit, sorted on first use after an addition.

    An entry is `_SIZES` times the anchor's number, plus the index of the value in its `_sizes`.
    """

    def __init__(self) -> None:
        self._values = array("d")  # near the exact ones, and in their order
        self._places = array("I")
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._values)

    def add(self, value: Decimal, place: int) -> None:
        self._values.append(float(value))
        self._places.append(place)
        self._is_sorted = False

    def between(self, least: Decimal, most: Decimal, anchors: PackedAnchors) -> Iterator[Anchor]:
        """Yield the first anchor of each value in [least, most], in order, up to a limit."""
        if not self._is_sorted:
            order = sorted(range(len(self._values)), key=self._values.__getitem__)
            self._values = array("d", map(self._values.__getitem__, order))
            self._places = array("I", map(self._places.__getitem__, order))
            self._is_sorted = True
        seen: set[Decimal] = set()
        for at in range(bisect_left(self._values, float(least)), len(self._values)):
            number, size = divmod(self._places[at], _SIZES)
            anchor = anchors[number]
            value = _sizes(anchor)[size]
            assert value is not None  # or it would not have been added
            if value > most or len(seen) == _MAX_NEIGHBOURS:
                break
            if value >= least and value not in seen:
                seen.add(value)
                yield anchor


_SIZES = 4  # no figure has more than three readings, and no range more than two


def _sizes(one: Anchor) -> tuple[Decimal | None, ...]:
    """Return the value, the upper end of its range, and the value's other readings."""
    if not one.shifts or one.value is None:
        return one.value, one.high
    return one.value, one.high, *(shifted(one.value, by) for by in one.shifts)


_COMPARED = itemgetter(
    *map(
        Anchor._fields.index,
        "kind key unit family period scale approx label named whole ambiguous precision each"
        " once".split(),
    )
)


def _mark_of(one: Anchor) -> tuple[object, ...]:
    """Return all facts that `agree` compares."""
    return _COMPARED(one), one.noun is not None


def _written(anchor: Anchor) -> Iterable[str]:
    if anchor.kind in ("date", "year"):
        return {key for one in _keys(anchor) for key in containing(one)}
    if anchor.kind == "time":
        return (*_times(anchor), anchor.text.casefold())
    if anchor.value is None:
        return (anchor.key, *anchor.ambiguous, anchor.text.casefold())
    return (*dotted_times(anchor), *anchor.ambiguous, *(() if _is_bare(anchor) else (anchor.text,)))


def _is_bare(anchor: Anchor) -> bool:
    """Return whether a value is written in digits alone, so that its number finds it too."""
    text, number = anchor.text, anchor.number
    if not text.isdecimal() or text != anchor.key or anchor.value is None or number is None:
        return False
    return anchor.kind not in _BY_KEY and plain(number) == text


def _numbers(anchor: Anchor) -> list[Decimal]:
    value, number = anchor.value, anchor.number
    if value is None or number is None:
        return [] if value is None else [value]
    is_plain = not (anchor.high or anchor.ambiguous or anchor.exponent or anchor.whole)
    if value is number and is_plain:
        return [value]  # of most anchors
    ends = anchor.high_number, anchor.high, anchor.whole
    shifted_ = (shifted(one, by) for one in (number, value) for by in anchor.shifts)
    written = number, value, *ends, *shifted_
    numbers = [each for each in written if each is not None]
    if anchor.exponent:  # of a table in millions
        numbers.append(shifted(number, -anchor.exponent))
    return [*dict.fromkeys(numbers)]
