"""Whether a value of the sources supports a value of the answer."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from streamguard.text.patterns import lazy_re
from streamguard.values.dates import containing
from streamguard.values.money import FAMILIES, PERIODS
from streamguard.values.value import Anchor, minus, power_of_ten, size_of, times

Agreement = Literal["same", "unit", "period", "no"]

_LITERAL = frozenset(["version", "identifier"])
# Of "5 pounds", "5 points" and "350 degrees" only the written figure can be compared.
_BY_FIGURE = frozenset(["pound", "point", "degree"])
_PERCENTAGES = frozenset(["%", "pp", "point"])
# "3 miles" for 5 km and "175 °C" for 350 °F: rounding across units covers at least and at most
# this share of the source's value; guess.
CONVERSION_LEAST = Decimal("0.025")
_CONVERSION_MOST = Decimal("0.05")
_HALF_DAY, _DAY_HOURS = 12, 24
# How long a period lasts, by the base unit of what is compared with it.
_LASTING: dict[str | None, dict[str, int]] = {
    "s": {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800},
    "month": {"quarter": 3, "year": 12},
}
# "7.30", and each hour of "8-17".
_HOUR = lazy_re(r"(?a)(?<![\d.,])(\d{1,2})(?:\.([0-5]\d))?(?![\d.,%])")


def agree(answer: Anchor, source: Anchor) -> Agreement:
    """Say whether `source` supports `answer`.

    "same": it does. "unit": the same figure in another unit or currency. "period": the same
    amount for another period. "no": neither. Not symmetric: a source may be more precise than
    the answer, never less. A unit or period that one side leaves out is no conflict.
    """
    kinds = {answer.kind, source.kind}
    if kinds & _LITERAL:
        return "same" if _literally(answer, source) else "no"
    if "date" in kinds:
        return "same" if _dated(answer, source) else "no"
    if kinds == {"time"}:
        return _timed(answer, source)
    if "time" in kinds:
        return "same" if dotted_times(answer) & dotted_times(source) else "no"
    if _as_often(answer, source) or _as_often(source, answer):
        return "same"
    return _numeric(answer, source)


def _as_often(rate: Anchor, span: Anchor) -> bool:
    """Say whether "twice a year" is told as "every six months"."""
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
}


def in_words(answer: Anchor) -> tuple[str, ...]:
    """Return the stems of the words that may say the value: "fortnight" of "two weeks"."""
    return _IN_WORDS.get((answer.unit, answer.period, answer.key), ())


def _literally(answer: Anchor, source: Anchor) -> bool:
    # "Python 3.11" against "3.11" in a table: the digits must be written alike.
    return answer.key == source.key or answer.text.casefold() == source.text.casefold()


def _dated(answer: Anchor, source: Anchor) -> bool:
    if not {answer.kind, source.kind} <= {"date", "year", "ordinal"}:
        return False
    keys = {answer.key, *answer.ambiguous}
    return any(keys & containing(key) for key in (source.key, *source.ambiguous))


def _timed(answer: Anchor, source: Anchor) -> Agreement:
    clock = bool({answer.key, *answer.ambiguous} & {source.key, *source.ambiguous})
    if answer.unit is None or source.unit is None or answer.unit == source.unit:
        return "same" if clock else "no"
    return "unit" if clock else "no"


def dotted_times(anchor: Anchor) -> frozenset[str]:
    """Return the keys of the times that "7.30" or "8-17" may be, of a time its own; else none."""
    if anchor.kind == "time":
        return frozenset((anchor.key, *anchor.ambiguous))
    if anchor.kind != "number" or anchor.noun is not None:
        return frozenset()
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
    if relation == "other":
        return "unit" if answer.number == source.number else "no"
    if _equal(answer, source, by_figure=relation == "figure"):
        if answer.period and source.period and answer.period not in (source.period, source.each):
            return "period"
        if (answer.once and source.period in PERIODS) or (source.once and answer.period in PERIODS):
            return "period"
        return "same"
    if answer.scale != source.scale and answer.number == source.number and relation == "value":
        return "unit"
    return "no"


def _counts(answer: Anchor, source: Anchor) -> Literal["value", "figure", "other", "apart"]:
    """Compare what the two count.

    "value": the same, so canonical values are comparable; "figure": one side does not say, so
    the written figures are; "other": another currency or percentages against points; "apart".
    """
    if answer.unit == source.unit and answer.family not in _BY_FIGURE:
        return "value" if answer.kind == source.kind else "figure"
    for one, two in ((answer, source), (source, answer)):
        if one.family and two.unit in FAMILIES[one.family]:
            return "figure" if one.family in _BY_FIGURE else "value"
    if answer.unit is None or source.unit is None:
        if answer.kind == source.kind == "amount":
            return "value"
        bare = source if source.unit is None else answer  # may count something else
        return "apart" if bare.noun is not None or bare.kind == "ordinal" else "figure"
    if answer.kind == source.kind == "amount" or {answer.unit, source.unit} <= _PERCENTAGES:
        return "other"
    return "apart"


def _equal(answer: Anchor, source: Anchor, *, by_figure: bool) -> bool:
    mine, high = (answer.number, answer.high_number) if by_figure else (answer.value, answer.high)
    theirs, top = (source.number, source.high_number) if by_figure else (source.value, source.high)
    assert mine is not None  # every numeric anchor has a value
    assert theirs is not None
    if by_figure and answer.exponent and mine == times(theirs, power_of_ten(answer.exponent)):
        return True  # "£8.7 million" of a table in millions
    close = _close(mine, theirs, answer, source)
    if high is not None:
        return close and top is not None and _close(high, top, answer, source)
    if close:
        return True
    if top is not None and (
        _close(mine, top, answer, source) or (answer.approx and theirs <= mine <= top)
    ):
        return True
    readings = {answer.key, *answer.ambiguous} & {source.key, *source.ambiguous}
    return bool(readings and (answer.ambiguous or source.ambiguous))


def _close(mine: Decimal, theirs: Decimal, answer: Anchor, source: Anchor) -> bool:
    if mine == theirs:
        return True
    if not rounds(answer):
        return False
    gap, size = size_of(minus(mine, theirs)), size_of(theirs)
    if answer.scale != source.scale:
        most = min(answer.precision, times(size, _CONVERSION_MOST))
        return gap <= max(most, times(size, CONVERSION_LEAST))
    return gap <= answer.precision and (answer.approx or source.precision < answer.precision)


def rounds(answer: Anchor) -> bool:
    """Say whether a plain figure may stand for a more precise one.

    Whole amounts, counts, years and ranks may not ("$50" is not $49.95); decimals, magnitudes,
    percentages, quantities and anything after "about" may.
    """
    return answer.approx or answer.rounded or answer.kind in ("percent", "quantity")
