"""Numbers with what stands around them: sign, currency, unit, percent, range, period, "about"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from streamguard.core.anchors import numerals
from streamguard.core.anchors.identifiers import is_word_reference
from streamguard.core.anchors.money import (
    Currency,
    currency_after,
    currency_before,
    percent_after,
    period_after,
)
from streamguard.core.anchors.numerals import Numeral, read_digits, read_words
from streamguard.core.anchors.value import (
    ARITHMETIC,
    HALF,
    ZERO,
    Anchor,
    Kind,
    approximate,
    plain,
    plus,
    times,
)
from streamguard.core.units import read_unit


@dataclass(frozen=True, slots=True)
class _Measure:
    """What a number counts: kind, canonical unit, and the way from the written number there."""

    kind: Kind
    unit: str | None
    factor: Decimal
    offset: Decimal
    family: str | None
    dimension: str | None
    end: int


_ONE = Decimal(1)
_APPROX = re.compile(
    r"(?:(?<!\w)(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.|c\.|some"
    r"|over|under|above|below|more than|less than|fewer than|up to|close to|estimated|an average of"
    r"|averaging|averages?|typically|usually)|[~≈><])[ ]?(?:an?[ ]|the[ ])?$"
)
_EXACT = re.compile(r"(?<!\w)(?:exactly|precisely|exact)[ ](?:an?[ ]|the[ ])?$")
# The longest of the above with its article and space.
_HEDGE_REACH = 22
_APPROX_AFTER = re.compile(r"[ ]or[ ]so(?!\w)|\+(?![\w+])|-ish(?!\w)")
_RANGE = re.compile(r"[ ]?-[ ]?(?=[^\s-])|[ ](?:to|until|through|bis|à)[ ]")
_BETWEEN = re.compile(r"(?<!\w)between[ ](?:about[ ]|around[ ])?$")
_AND = re.compile(r"[ ]and[ ]")
_SIGN_OF_CURRENCY = re.compile(r"(?:US|C|A)?[$€£¥₹][ ]?|(?:USD|EUR|GBP|CHF|Rs\.?)[ ]")
_YEAR = re.compile(r"[12][0-9]{3}(?![0-9.,%])|[12][0-9]{3}(?=[.,](?![0-9]))", re.ASCII)
_ERA = re.compile(r"[ ]?(?:(?P<before>b\.?c\.?(?:e\.?)?)|a\.?d\.?|c\.?e\.?)(?!\w)")
_SHORT_YEAR = re.compile(r"[-/]([0-9]{2})(?![0-9]|[-/.,]?[0-9])", re.ASCII)
_YEAR_RANGE = re.compile(
    r"(?:[ ]?-[ ]?|[ ](?:to|until|through)[ ])([12][0-9]{3})(?![0-9])", re.ASCII
)
_AFTER_ONE = re.compile(r"[ -](?:and a half|hundred|thousand|million|billion|dozen)(?!\w)")
_VAGUE = re.compile(r"(?<!\w)(?:several|few|many|couple of|every|or)[ ]$")
_ARTICLE = re.compile(r"(?<!\w)an?[ ]$")
_OF = re.compile(r"[ -]of[ ]|[ ](?:an?|the)[ ]")
# Dimensions in which a second, smaller unit may follow ("1 hour 30 minutes", "5 ft 10 in").
_COMPOUND = frozenset(["time", "months", "length", "mass"])
_COMPOUND_JOIN = re.compile(r",?[ ](?:and[ ])?|")
_INCHES = re.compile(r"[ ]?in(?:\.|(?!\w))")


def read_measure(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Read the amount, percentage, quantity, year or number whose numeral begins at `start`.

    Looks back (not before `floor`) for a currency, a sign and a hedge, ahead for the unit, the
    upper end of a range and a period. None where no numeral stands there, or where it is one of
    the number words that count nothing ("one", "half-life").
    """
    before = currency_before(text, start, floor) if low[start] in "0123456789" else None
    numeral = _numeral(text, low, start, money=before is not None)
    if numeral is None or (numeral.word and _counts_nothing(low, numeral, floor)):
        return None
    begin = _article(low, start, floor) if numeral.word else start
    negative, begin = _sign(text, begin, before[1] if before else begin, floor)
    if before is None and not numeral.word:
        year = _year(text, low, numeral, begin)
        if year is not None:
            return year
    measure = _measure(text, low, numeral.end, before[0] if before else None)
    low_end, high, measure = _range(text, low, numeral, measure, before, floor)
    if high is None and measure.dimension in _COMPOUND:
        low_end, measure = _compound(text, low, low_end, measure)
    if numeral.word and measure.kind == "number" and high is None and _lonely_one(low, low_end):
        return None
    end = max(measure.end, high.end if high else low_end.end)
    return _anchor(text, low, (begin, end, floor), low_end, high, measure, negative=negative)


def _numeral(text: str, low: str, start: int, *, money: bool) -> Numeral | None:
    if low[start].isalpha() and low[start] not in numerals.VULGAR_FRACTIONS:
        if low.startswith(("half", "quarter", "third"), start):
            return _bare_fraction(low, start)
        return read_words(low, start)
    return read_digits(text, low, start, money=money)


def _bare_fraction(low: str, start: int) -> Numeral | None:
    """Read "half an hour", "a third of", "half a million"; None for "half-life", "the third"."""
    word = next(word for word in ("half", "quarter", "third") if low.startswith(word, start))
    end = start + len(word)
    article = _ARTICLE.search(low, max(0, start - 3), start)
    fits = _OF.match(low, end) if word == "half" or article else None
    if fits is None:
        return None
    value = numerals.part(numerals.FRACTIONS[word])
    if word == "half" and (scaled := numerals.scaled_half(low, end)):
        return Numeral(
            start, scaled[1], times(value, scaled[0]), times(HALF, scaled[0]), False, True
        )
    return Numeral(start, end, value, Decimal("0.01"), False, True)


def _counts_nothing(low: str, numeral: Numeral, floor: int) -> bool:
    before = max(floor, numeral.start - 12)
    if numeral.value >= 100 and _VAGUE.search(low, before, numeral.start):
        return True  # "several hundred"
    return is_word_reference(low, numeral.start, numeral.end)


def _lonely_one(low: str, numeral: Numeral) -> bool:
    """ "one" alone is a pronoun or an article; "zero" and larger words are numbers."""
    return low[numeral.start : numeral.end] == "one"


def _article(low: str, start: int, floor: int) -> int:
    found = _ARTICLE.search(low, max(floor, start - 3), start)
    return found.start() if found else start


def _sign(text: str, start: int, begin: int, floor: int) -> tuple[bool, int]:
    """Return whether a minus stands before the number or before its currency, and where it begins."""
    for place in (start, begin):
        if (
            place > floor
            and text[place - 1] == "-"
            and not text[place - 2 : place - 1].strip(" ($")
        ):
            return True, min(begin, place - 1)
        if text.startswith("minus ", max(floor, place - 6)) and place - 6 >= floor:
            return True, place - 6
    return False, begin


def _measure(text: str, low: str, end: int, before: Currency | None) -> _Measure:
    """Read the unit after a number that ends at `end`; a currency before it wins."""
    if before is not None:
        found = currency_after(text, end)
        if found and found[0].code and (found[0].code == before.code or before.family == "$"):
            return _money(found[0], found[1])  # "$50 CAD"
        return _money(before, end)
    if percent := percent_after(low, end):
        unit, factor, end = percent
        return _Measure("percent", unit, factor, ZERO, "point" if unit == "pp" else None, None, end)
    if currency := currency_after(text, end):
        return _money(*currency)
    if read := read_unit(text, end):
        unit_read, end = read
        word = low[end - 5 : end]
        return _Measure(
            "quantity",
            unit_read.base,
            unit_read.factor,
            unit_read.offset,
            _family(unit_read.base, word),
            unit_read.dimension,
            end,
        )
    return _Measure("number", None, _ONE, ZERO, None, None, end)


def _family(base: str, word: str) -> str | None:
    if word in ("ounds", "pound"):
        return "pound"
    if base == "point":
        return "point"
    return "degree" if base == "°" else None


def _money(currency: Currency, end: int) -> _Measure:
    return _Measure("amount", currency.code, currency.factor, ZERO, currency.family, None, end)


def _range(
    text: str,
    low: str,
    first: Numeral,
    measure: _Measure,
    before: tuple[Currency, int] | None,
    floor: int,
) -> tuple[Numeral, Numeral | None, _Measure]:
    """Read the upper end after `first`, with the unit and magnitude that both ends share."""
    position = max(measure.end, first.end)
    joined = _RANGE.match(low, position)
    if joined is None and _BETWEEN.search(low, max(floor, first.start - 20), _begin(first, before)):
        joined = _AND.match(low, position)
    if joined is None:
        return first, None, measure
    start = joined.end()
    sign = _SIGN_OF_CURRENCY.match(text, start)
    start = sign.end() if sign else start
    second = _numeral(text, low, start, money=before is not None) if start < len(low) else None
    if second is None or (first.word and not second.word and joined[0].strip() == "-"):
        return first, None, measure
    shared = _measure(text, low, second.end, before[0] if before else None)
    return _joined(first, second, measure, shared)


def _begin(first: Numeral, before: tuple[Currency, int] | None) -> int:
    return before[1] if before else first.start


def _joined(
    first: Numeral, second: Numeral, measure: _Measure, shared: _Measure
) -> tuple[Numeral, Numeral | None, _Measure]:
    """Return both ends as one range where they rise and count the same thing."""
    if measure.kind == "number":
        measure = shared
    elif shared.kind != "number" and shared.unit != measure.unit:
        return first, None, measure
    if shared.kind != "number" and shared.factor != measure.factor:
        return first, None, measure
    if second.scaled and not first.scaled:
        first = numerals.share_magnitude(first, second)
    if first.value >= second.value:
        return first, None, measure
    end = max(second.end, shared.end if shared.kind != "number" else second.end)
    return first, second, _ending(measure, end)


def _ending(measure: _Measure, end: int) -> _Measure:
    return _Measure(
        measure.kind,
        measure.unit,
        measure.factor,
        measure.offset,
        measure.family,
        measure.dimension,
        end,
    )


def _compound(text: str, low: str, first: Numeral, measure: _Measure) -> tuple[Numeral, _Measure]:
    """Add smaller units of the same dimension ("1 hour 30 minutes"), in the first one's unit."""
    value, place = first.value, first.place
    last = measure.factor
    for _ in range(2):
        join = _COMPOUND_JOIN.match(low, measure.end)
        start = join.end() if join else measure.end
        if start >= len(low) or not low[start].isdigit():
            break
        part = read_digits(text, low, start)
        read = _smaller_unit(text, low, part.end) if part else None
        if part is None or read is None or read[2] != measure.dimension or read[0] >= last:
            break
        factor, end, _ = read
        last = factor
        share = ARITHMETIC.divide(factor, measure.factor)
        value, place = plus(value, times(part.value, share)), times(part.place, share)
        measure = _ending(measure, end)
    if value == first.value:
        return first, measure
    return (
        Numeral(first.start, measure.end, value, place, False, first.word),
        measure,
    )


def _smaller_unit(text: str, low: str, end: int) -> tuple[Decimal, int, str] | None:
    if inches := _INCHES.match(low, end):
        return Decimal("0.0254"), inches.end(), "length"
    read = read_unit(text, end)
    return (read[0].factor, read[1], read[0].dimension) if read else None


def _year(text: str, low: str, numeral: Numeral, begin: int) -> Anchor | None:
    """Read "2019", "500 BC", "2019-2023", "2023/24" as years; None for anything counted."""
    era = _ERA.match(low, numeral.end)
    if era is not None and numeral.value < 10_000 and not numeral.rounded and numeral.value >= 1:
        key = plain(numeral.value)
        return _plain_year(text, begin, era.end(), f"-{key}" if era["before"] else key)
    found = _YEAR.match(text, numeral.start)
    if found is None or numeral.end != found.end() or numeral.end - numeral.start != 4:
        return None
    if not 1500 <= numeral.value < 2100:
        return None
    if following := _YEAR_RANGE.match(low, numeral.end):
        if found[0] < following[1] and not _counted(text, low, following.end()):
            return _plain_year(text, numeral.start, following.end(), found[0], following[1])
    if short := _SHORT_YEAR.match(low, numeral.end):
        if found[0][2:] < short[1]:
            high = found[0][:2] + short[1]
            return _plain_year(text, numeral.start, short.end(), found[0], high)
    if _counted(text, low, numeral.end) or _RANGE_AHEAD.match(low, numeral.end):
        return None
    return _plain_year(text, numeral.start, numeral.end, found[0])


_RANGE_AHEAD = re.compile(r"[ ]?-[ ]?[0-9]", re.ASCII)


def _counted(text: str, low: str, end: int) -> bool:
    return bool(percent_after(low, end) or currency_after(text, end) or read_unit(text, end))


def _plain_year(text: str, start: int, end: int, key: str, high: str | None = None) -> Anchor:
    value = Decimal(key)
    top = Decimal(high) if high else None
    return Anchor(
        "year", start, end, text[start:end], value, top, None, None,
        key if high is None else f"{key}..{high}", ZERO, False, False, (),
        number=value, high_number=top,
    )  # fmt: skip


def _anchor(
    text: str,
    low: str,
    span: tuple[int, int, int],
    first: Numeral,
    high: Numeral | None,
    measure: _Measure,
    *,
    negative: bool,
) -> Anchor:
    begin, end, floor = span
    number = ARITHMETIC.minus(first.value) if negative else first.value
    value = _convert(number, measure)
    top = _convert(high.value, measure) if high else None
    precision = times(times(first.place, HALF), measure.factor)
    period = period_after(low, end) if measure.kind != "percent" or True else None
    if measure.kind == "number" and period and not low[end : end + 2].strip().startswith("/"):
        period = period if period[0] in _TIMES else None
    end = period[1] if period else end
    hedge = low[max(floor, begin - _HEDGE_REACH) : begin]
    after = _APPROX_AFTER.match(low, end)
    approx = bool(after or _APPROX.search(hedge))
    exact = not approx and bool(_EXACT.search(hedge))
    if approx:
        precision = approximate(value, precision)
    key = plain(value) if top is None else f"{plain(value)}..{plain(top)}"
    return Anchor(
        measure.kind, begin, end, text[begin:end], value, top, measure.unit,
        period[0] if period else None, key, precision, approx, exact,
        tuple(plain(_convert(other, measure)) for other in first.others),
        number=number, high_number=high.value if high else None, scale=measure.factor,
        rounded=first.rounded, family=measure.family, word=first.word,
    )  # fmt: skip


_TIMES = frozenset(["second", "minute", "hour", "day", "night", "week", "month", "quarter", "year"])


def _convert(number: Decimal, measure: _Measure) -> Decimal:
    return plus(times(number, measure.factor), measure.offset)
