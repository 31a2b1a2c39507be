"""Does a value of the sources support a value of the answer?"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from streamguard.core.anchors.dates import containing
from streamguard.core.anchors.money import FAMILIES
from streamguard.core.anchors.times import offset
from streamguard.core.anchors.value import Anchor, distance, magnitude_of, plain, times

Agreement = Literal["same", "unit", "period", "no"]

_LITERAL = frozenset(["version", "identifier"])
# Rounding across written units ("5 km" as "3.1 miles") covers at most this share; guess.
_CONVERSION_SLACK = Decimal("0.05")


def agree(answer: Anchor, source: Anchor) -> Agreement:
    """Say whether `source` supports `answer`.

    "same": it does. "unit": the same number in another unit or currency. "period": the same
    amount for another period. "no": neither. Not symmetric: a source may be more precise than
    the answer, never less. A unit or period that one side leaves out is no conflict.
    """
    kinds = {answer.kind, source.kind}
    if kinds & _LITERAL:
        return "same" if _literally(answer, source) else "no"
    if "date" in kinds:
        return "same" if _dated(answer, source) else "no"
    if "time" in kinds:
        return _timed(answer, source) if kinds == {"time"} else "no"
    return _numeric(answer, source)


def _literally(answer: Anchor, source: Anchor) -> bool:
    if answer.key == source.key:
        return True
    # "Python 3.11" against "3.11" in a table: the digits must be written alike.
    written = {answer.text.casefold(), source.text.casefold()}
    return len(written) == 1


def _dated(answer: Anchor, source: Anchor) -> bool:
    if {answer.kind, source.kind} - {"date", "year"}:
        return _day_ordinal(answer, source)
    keys = {answer.key, *answer.ambiguous}
    return any(keys & containing(key) for key in (source.key, *source.ambiguous))


def _day_ordinal(answer: Anchor, source: Anchor) -> bool:
    """ "on the 5th" is supported by "5 March"."""
    return answer.kind == "ordinal" and source.key[-3:] == f"-{int(answer.key):02d}"


def _timed(answer: Anchor, source: Anchor) -> Agreement:
    zones = _offset(answer.unit), _offset(source.unit)
    sources = {source.key, *source.ambiguous}
    if answer.unit and source.unit and answer.unit != source.unit:
        if None in zones or answer.value is None or source.value is None:
            return "unit" if {answer.key, *answer.ambiguous} & sources else "no"
        gap = int(answer.value) - int(source.value) - (zones[0] or 0) + (zones[1] or 0)
        if gap % 1440 == 0:
            return "same"
        return "unit" if answer.key in sources else "no"
    return "same" if {answer.key, *answer.ambiguous} & sources else "no"


def _offset(zone: str | None) -> int | None:
    return offset(zone) if zone else None


def _numeric(answer: Anchor, source: Anchor) -> Agreement:
    relation = _units(answer, source)
    if relation == "apart":
        return "no"
    by_number = relation == "open" and answer.kind != source.kind
    if relation == "other":
        if _values(answer, source, by_number=False) and answer.unit == source.unit:
            return _with_period(answer, source)
        return "unit" if answer.number == source.number and answer.number else "no"
    if not _values(answer, source, by_number=by_number):
        if relation == "same" and answer.scale != source.scale and answer.number == source.number:
            return "unit"
        return "no"
    return _with_period(answer, source)


def _with_period(answer: Anchor, source: Anchor) -> Agreement:
    if answer.period and source.period and answer.period != source.period:
        return "period"
    return "same"


def _units(answer: Anchor, source: Anchor) -> Literal["same", "open", "other", "apart"]:
    """Compare what the two count: `open` where one side does not say, `apart` where not comparable."""
    for one, two in ((answer, source), (source, answer)):
        if one.family and (two.unit in FAMILIES[one.family] or one.family == two.family):
            return "open" if one.kind != two.kind or one.unit != two.unit else "same"
    if answer.unit == source.unit and answer.kind == source.kind:
        return "same"
    if answer.unit is None or source.unit is None:
        return "open"
    return (
        "other" if answer.kind == source.kind == "amount" or _percents(answer, source) else "apart"
    )


def _percents(answer: Anchor, source: Anchor) -> bool:
    return {answer.unit, source.unit} <= {"%", "pp", "point"}


def _values(answer: Anchor, source: Anchor, *, by_number: bool) -> bool:
    mine = (answer.number, answer.high_number) if by_number else (answer.value, answer.high)
    theirs = (source.number, source.high_number) if by_number else (source.value, source.high)
    if mine[0] is None or theirs[0] is None:
        return False
    if mine[1] is not None:
        return theirs[1] is not None and all(
            first is not None and second is not None and _close(first, second, answer, source)
            for first, second in zip(mine, theirs, strict=True)
        )
    ends = [end for end in theirs if end is not None]
    if any(_close(mine[0], end, answer, source) for end in ends):
        return True
    if not by_number and any(_alternatives(answer, source)):
        return True
    return answer.approx and len(ends) == 2 and ends[0] <= mine[0] <= ends[1]


def _alternatives(answer: Anchor, source: Anchor) -> list[bool]:
    mine, theirs = {plain(answer.value or Decimal(0))}, {plain(source.value or Decimal(0))}
    return [bool({*mine, *answer.ambiguous} & {*theirs, *source.ambiguous})]


def _close(mine: Decimal, theirs: Decimal, answer: Anchor, source: Anchor) -> bool:
    if answer.exact and source.approx:
        return False
    if mine == theirs:
        return True
    if answer.exact or not _rounds(answer):
        return False
    gap = distance(mine, theirs)
    if gap > answer.precision:
        return False
    if answer.scale != source.scale:
        return gap <= times(magnitude_of(theirs), _CONVERSION_SLACK)
    return answer.approx or source.precision < answer.precision


def _rounds(answer: Anchor) -> bool:
    """Say whether a plain figure may stand for a more precise one.

    Whole amounts, counts, years and ranks may not ("$50" is not $49.95); decimals, magnitudes,
    percentages, quantities and anything after "about" may.
    """
    return answer.approx or answer.rounded or answer.kind in ("percent", "quantity")
