"""A number with all that stands around it: sign, currency, unit, range, period, "about"."""

from __future__ import annotations

from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.dates import read_year
from streamguard.values.identifiers import noun_of
from streamguard.values.measures import Measure, measure_at, read_unit, with_smaller_units
from streamguard.values.money import (
    ADVERBS,
    PERIODS,
    SIGNS,
    Currency,
    counts_once,
    currency_before,
    paid_once,
    period_after,
)
from streamguard.values.numerals import Numeral, read_digits, read_numeral, scaled
from streamguard.values.value import HALF, ONE, Anchor, any_of, negated, plain, size_of, times

_ABOUT = (
    "about,around,approximately,approx,approx.,roughly,nearly,almost,circa,ca.,some,over,under,"
    "above,below,more than,less than,fewer than,up to,close to,estimated,an average of,averaging,"
    "average,averages,typically,usually"
).split(",")
_HEDGE = lazy_re(rf"(?:(?<!\w){any_of(_ABOUT)}|[~≈><])[ ]?(?:an?[ ]|the[ ])?$")
_HEDGE_SIGNS = frozenset("~≈><")
# The words with which a hedge can end: a cheap look before the pattern.
_HEDGE_ENDS = {words.split()[-1] for words in (*_ABOUT, "a", "an", "the")} | _HEDGE_SIGNS
# The longest hedge with its article and its space ("approximately the ").
_HEDGE_REACH = 22
_APPROX_AFTER = lazy_re(r"[ ]or[ ]so(?!\w)|\+(?![\w+])")
# Share of the value that "about" covers; guess.
_APPROXIMATE = Decimal("0.1")
_RANGE = lazy_re(r"[ ]?-[ ]?(?=[^\s-])|[ ](?:to|until|through|and)[ ]")
_RANGE_STARTS = frozenset("-tua")  # with which they go on behind a space
_SIZE = r"(\d{1,5}(?:\.\d{1,3})?)"
_TIMES = r"(?:[ ]?[x×][ ]?|-by-)"
_SIDES = lazy_re(rf"(?a){_SIZE}{_TIMES}{_SIZE}(?:{_TIMES}{_SIZE})?(?!\w|[.,]\d|[ ]?=|[\^⁰¹²³⁴-⁹⁻])")
_BY = lazy_re(r"(?<!\w)by[ ](?:about[ ]|around[ ]|another[ ]|a[ ])?[^\w\s]{0,2}$")
_BETWEEN = lazy_re(r"(?<!\w)between[ ](?:about[ ]|around[ ])?[$€£¥]?$")
_CURRENCY_AGAIN = lazy_re(r"(?:US|C|A)?[$€£¥₹][ ]?|(?:USD|EUR|GBP|CHF|Rs\.?)[ ]")
_BEFORE_MINUS = frozenset(" (=:,\n" + SIGNS)
# A count in letters up to this that counts nothing of the table is casual. RAGTruth QA train:
# 22 % of those that no passage holds overlap a labelled span, against 83 % of numbers in digits.
_LARGEST_CASUAL = 10
_NOUN_REACH = 40  # characters behind a count in which its noun ends; guess


def read_figure(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Read the amount, percentage, quantity, year or number whose numeral begins at `start`.

    Looks back (not before `floor`) for a currency, a sign and a hedge, ahead for the unit, the
    upper end of a range and a period. None where no numeral stands there, or where it is a number
    word that states no value ("one of them", "half-life").
    """
    # "$-5": the sign may stand between the currency and the figure.
    signed = start - floor > 1 and text[start - 1] == "-" and text[start - 2] in SIGNS
    currency, begin = currency_before(text, start - signed, floor) or (None, start)
    first = read_numeral(text, low, start, money=currency is not None)
    if first is None:
        return None
    if not first.word and currency is None and (year := read_year(text, low, first)):
        return year
    measure = measure_at(text, low, first.end, currency, first.start)
    first, high, measure = _range(text, low, first, measure, currency, max(floor, begin - 20))
    if high is None:
        if first.word and low[start : measure.end] == "one":
            return None  # a pronoun or an article
        first, measure = with_smaller_units(text, low, first, measure)
    dash = begin - 1
    if dash >= floor and text[dash] == "-" and (dash == 0 or text[dash - 1] in _BEFORE_MINUS):
        begin = dash
        # Of money and shares the size counts: "-$1,200" is a loss of $1,200, as is "($1,200)".
        if measure.kind not in ("amount", "percent"):
            others = tuple(map(negated, first.others))
            first = first._replace(value=negated(first.value), others=others)
    return _anchor(text, low, begin, first, high, measure, floor)


def read_often(text: str, low: str, start: int, end: int, floor: int) -> Anchor | None:
    """Read the "once" or "twice" at [start, end); None where it tells no frequency."""
    if not counts_once(low, start, end):
        return None
    count = Numeral(start, end, Decimal(ADVERBS[low[start:end]]), ONE, word=True)
    return _anchor(text, low, start, count, None, Measure("quantity", end, "time"), floor)


def read_sides(text: str, low: str, start: int, floor: int) -> tuple[Anchor, ...]:
    """Read sizes ("60 x 40 x 20 cm", "9x13"), each a figure of the last one's unit of length."""
    found = _SIDES.match(text, start)
    if found is None or (start > floor and text[start - 1] in SIGNS):
        return ()
    read = read_unit(text, found.end())
    unit, last = read if read and read[0].base == "m" else (None, found.end())
    sides: list[Anchor] = []
    for side in filter(found.group, (1, 2, 3)):
        begin, end = found.span(side)
        figure = read_digits(found[side], found[side], 0)
        assert figure is not None  # the pattern asks for digits
        end = last if end == found.end() else end
        measure = Measure("quantity", end, *unit) if unit else Measure("number", end)
        sides.append(_anchor(text, low, begin, figure, None, measure, floor))
        floor = end
    return tuple(sides)


def _range(
    text: str, low: str, first: Numeral, measure: Measure, before: Currency | None, reach: int
) -> tuple[Numeral, Numeral | None, Measure]:
    """Read the upper end after `first`, with the unit and the magnitude that both ends share.

    Both ends are a range where they rise and count the same thing; a unit behind the first alone
    is its own ("24 months – $99", "3 days – 10 users").
    """
    none, end = (first, None, measure), measure.end
    following = low[end + 1 : end + 2] if low[end : end + 1] == " " else low[end : end + 1]
    joined = _RANGE.match(low, end) if following in _RANGE_STARTS else None
    if joined is None:
        return none
    joint, start = joined[0].strip(), joined.end()
    if joint == "and" and not _BETWEEN.search(low, reach, first.start):
        return none
    # "rose by $5 to $20": the first value is how far it went.
    if joint == "to" and _BY.search(low, reach, first.start):
        return none
    again = _CURRENCY_AGAIN.match(text, start)
    last = read_numeral(text, low, again.end() if again else start, money=before is not None)
    if last is None or (last.word and joint == "-"):  # "5 - two of" is no range
        return none
    if again and before is None:
        return none
    shared = measure_at(text, low, last.end, before, last.start)
    common = shared if measure.kind == "number" else measure
    if (shared.unit, shared.factor) != (common.unit, common.factor):
        return none
    if last.exponent and not first.exponent:  # "5-10 million" has one magnitude
        lifted = scaled(first, last.exponent, first.end)
        first = lifted if lifted.value < last.value else first
    return (first, last, common._replace(end=shared.end)) if first.value < last.value else none


def _anchor(
    text: str, low: str, begin: int, first: Numeral, high: Numeral | None, measure: Measure,
    floor: int,
) -> Anchor:  # fmt: skip
    value = measure.convert(first.value)
    top = measure.convert(high.value) if high else None
    precision = HALF if first.place is ONE else times(first.place, HALF)
    if measure.factor is not ONE:
        precision = times(precision, measure.factor)
    bare, end = measure.kind == "number", measure.end
    period, each, once = None, None, None
    rate = None if measure.kind == "percent" else period_after(low, end)
    if rate and (not bare or rate[0] in PERIODS):  # "5 a head" is a rate of nothing named
        period, end, each = rate
    elif measure.kind == "amount":
        once = paid_once(low, begin, end)
        end = once or end
    approx = _is_hedged(low, begin, end, floor)
    if approx:
        precision = max(precision, times(size_of(value), _APPROXIMATE))
    noun = noun_of(low, end) if bare else None
    at = low.find(noun, end, end + _NOUN_REACH) if noun and period is None else -1
    if noun and at >= 0:  # "5 requests per hour"
        rate = period_after(low, at + len(noun))
        period = rate[0] if rate and rate[0] in PERIODS else None
    return Anchor(
        measure.kind, begin, end, text[begin : end], value, top, measure.unit,
        period, plain(value) if top is None else f"{plain(value)}..{plain(top)}",
        precision, approx,
        tuple(plain(measure.convert(other)) for other in first.others),
        number=first.value, high_number=high.value if high else None, scale=measure.factor,
        rounded=first.rounded, family=measure.family, word=first.word,
        casual=first.word and bare and first.value <= _LARGEST_CASUAL,
        noun=noun, each=each, once=once is not None, exponent=first.exponent,
    )  # fmt: skip


def _is_hedged(low: str, begin: int, end: int, floor: int) -> bool:
    """Say whether the text says "about" the value at [begin, end)."""
    if low.startswith((" or", "+"), end) and _APPROX_AFTER.match(low, end):
        return True
    if begin == floor:
        return False
    hedge = low[max(floor, begin - _HEDGE_REACH) : begin]
    if hedge[-1] in _HEDGE_SIGNS:
        return True
    if hedge[hedge.rfind(" ", 0, -1) + 1 : -1] not in _HEDGE_ENDS:
        return False
    return _HEDGE.search(hedge) is not None
