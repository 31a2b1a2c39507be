"""What a number counts: percent, money, a unit of the table, or nothing said."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from streamguard.core.anchors.frequency import times_after
from streamguard.core.anchors.money import (
    CURRENCY_LETTERS,
    Currency,
    currency_after,
    percent_after,
)
from streamguard.core.anchors.numerals import Numeral, read_digits
from streamguard.core.anchors.value import ONE, ZERO, Kind, plus, times
from streamguard.core.units import UNIT_LETTERS, Unit, read_unit


class Measure(NamedTuple):
    """Kind and canonical unit of a number, the way from the written number there, and the end."""

    kind: Kind
    unit: str | None
    factor: Decimal
    offset: Decimal
    family: str | None
    dimension: str | None
    end: int

    def convert(self, number: Decimal) -> Decimal:
        """Return the written number in the canonical unit."""
        if self.factor is ONE:
            return number
        return plus(times(number, self.factor), self.offset)


# Dimensions in which a second, smaller unit may follow ("1 hour 30 minutes", "5 ft 10 in").
_COMPOUND = frozenset(["time", "months", "length", "mass"])
_JOIN = re.compile(r",?[ ](?:and[ ])?|")
# A bare "in" is an inch only after feet.
_INCHES = re.compile(r"[ ]?in(?:\.|(?!\w))")
_INCH = Decimal("0.0254")
_DECADE = re.compile(r"(?<!\w)(?:the|mid|early|late|low|high)[ -]$")


_PERCENT_STARTS = frozenset("%‰pb")
# A cheap look at the word that follows: behind most numbers stands what is no unit of the table.
_FOLLOWING = re.compile(r"[ -]?([^\W\d_]{1,21})")
_AN_HOUR = re.compile(r"[ ]an[ ](?:hour|hr)(?!\w)")  # no French years
_OFTEN = frozenset("tx×")
_COUNTABLE = CURRENCY_LETTERS | UNIT_LETTERS


def measure_at(
    text: str, low: str, end: int, before: Currency | None, start: int | None = None
) -> Measure:
    """Read what a number that ends at `end` counts; a currency before it wins.

    Only with its `start` may it count how often something happens.
    """
    if before is not None:
        found = currency_after(text, end)
        if found and found[0].code and (before.family or found[0].code == before.code):
            return _money(*found)  # "$50 CAD"
        return _money(before, end)
    following = low[end : end + 1]
    if not following or following in ",.;:)!?\n":
        # Only ".-" and ",-" of prices can follow here ("12.- CHF").
        currency = currency_after(text, end) if low[end + 1 : end + 2] == "-" else None
        return _money(*currency) if currency else _number(end)
    if following in (" ", "-"):
        following = low[end + 1 : end + 2]
    if following in _PERCENT_STARTS and (percent := percent_after(low, end)):
        unit, factor, end = percent
        return Measure("percent", unit, factor, ZERO, "point" if unit == "pp" else None, None, end)
    if start is not None and following in _OFTEN:
        often = times_after(low, start, end)
        if often is not None:
            return counted_often(often)
    word = _FOLLOWING.match(low, end)
    if word is not None and (word[1] not in _COUNTABLE or _AN_HOUR.match(low, end)):
        return _number(end)
    if currency := currency_after(text, end):
        return _money(*currency)
    if read := read_unit(text, end):
        return _quantity(low, *read)
    return _number(end)


def counted_often(end: int) -> Measure:
    """Return the measure of "3 times", which ends at `end`."""
    return Measure("quantity", "time", ONE, ZERO, None, "often", end)


def _number(end: int) -> Measure:
    return Measure("number", None, ONE, ZERO, None, None, end)


def _money(currency: Currency, end: int) -> Measure:
    return Measure("amount", currency.code, currency.factor, ZERO, currency.family, None, end)


def _quantity(low: str, unit: Unit, end: int) -> Measure:
    family = None
    if low.endswith(("pound", "pounds"), 0, end):
        family = "pound"
    elif unit.base == "°":
        family = "degree"
    elif unit.base == "point":
        family = "point"
    return Measure("quantity", unit.base, unit.factor, unit.offset, family, unit.dimension, end)


def counts_nothing(text: str, low: str, start: int, measure: Measure) -> bool:
    """Say whether the unit that was read is none: "the mid-50s", a quotation mark after "5"."""
    last = low[measure.end - 1]
    if measure.kind != "quantity" or last not in "s'\"":
        return False
    if last == "s":
        attached = low[measure.end - 2] == "0"
        return attached and bool(_DECADE.search(low, max(0, start - 6), start))
    return text[max(0, start - 1) : start] == last


def unmeasured(measure: Measure, end: int) -> Measure:
    """Return the measure of a bare number that ends at `end`."""
    return measure._replace(
        kind="number", unit=None, factor=ONE, family=None, dimension=None, end=end
    )


def with_smaller_units(
    text: str, low: str, first: Numeral, measure: Measure
) -> tuple[Numeral, Measure]:
    """Add smaller units of the same dimension: "1 hour 30 minutes", "5 ft 10 in", "6 lb 4 oz".

    The sum is in the base unit, so that no share of a larger unit has to be rounded.
    """
    if measure.dimension not in _COMPOUND:
        return first, measure
    total, place, smallest = times(first.value, measure.factor), first.place, measure.factor
    end = measure.end
    for _ in range(2):
        part = _smaller(text, low, end, measure.dimension)
        if part is None or times(part[0].value, part[1]) >= smallest:
            break
        numeral, smallest, end = part
        total, place = plus(total, times(numeral.value, smallest)), times(numeral.place, smallest)
    if end == measure.end:
        return first, measure
    whole = Numeral(first.start, end, total, place, False, first.word)
    return whole, measure._replace(factor=ONE, end=end)


def _smaller(
    text: str, low: str, end: int, dimension: str | None
) -> tuple[Numeral, Decimal, int] | None:
    join = _JOIN.match(low, end)
    start = join.end() if join else end
    if not "0" <= low[start : start + 1] <= "9":
        return None
    numeral = read_digits(text, low, start)
    if numeral is None:
        return None
    if dimension == "length" and (inches := _INCHES.match(low, numeral.end)):
        return numeral, _INCH, inches.end()
    read = read_unit(text, numeral.end)
    if read is None or read[0].dimension != dimension:
        return None
    return numeral, read[0].factor, read[1]
