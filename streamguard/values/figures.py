"""A number with all that stands around it: sign, currency, unit, range, period, "about"."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values.dates import read_year
from streamguard.values.identifiers import counts_references, is_reference, noun_of
from streamguard.values.measures import (
    Measure,
    counted_often,
    measure_at,
    with_smaller_units,
    without_mark,
)
from streamguard.values.money import SIGNS, Currency, currency_before
from streamguard.values.numerals import Numeral, read_numeral, said_twice, scaled
from streamguard.values.periods import (
    ADVERBS,
    PERIODS,
    counts_once,
    paid_once,
    period_after,
)
from streamguard.values.times import duration_at
from streamguard.values.value import (
    HALF,
    ONE,
    ZERO,
    Anchor,
    any_of,
    approximate,
    negated,
    plain,
    times,
)


class _Figure(NamedTuple):
    """What has been read so far: where it begins, its ends and what they count."""

    begin: int
    first: Numeral
    high: Numeral | None
    measure: Measure
    negative: bool


# "c." and "ca." are hedges with their full stop alone.
_ABOUT = (
    "about,around,approximately,approx,approx.,roughly,nearly,almost,circa,ca.,c.,some,over,under,"
    "above,below,more than,less than,fewer than,up to,close to,estimated,an average of,averaging,"
    "average,averages,typically,usually"
).split(",")
_EXACTLY = ("exactly", "precisely", "exact")
_HEDGE = r"(?<!\w){}[ ]?(?:an?[ ]|the[ ])?$"
_APPROX, _EXACT = (lazy_re(_HEDGE.format(any_of(words))) for words in (_ABOUT, _EXACTLY))
_APPROX_SIGN = lazy_re(r"[~≈><][ ]?(?:an?[ ]|the[ ])?$")
# The words with which a hedge can end: a cheap look before the patterns.
_HEDGE_ENDS = (
    {words.split()[-1] for words in (*_ABOUT, *_EXACTLY)} | set("~≈><") | {"a", "an", "the"}
)
_HEDGE_SIGNS = frozenset("~≈><")
# The longest hedge with its article and its space ("approximately the ").
_HEDGE_REACH = 22
_APPROX_AFTER = lazy_re(r"[ ]or[ ]so(?!\w)|\+(?![\w+])|-ish(?!\w)")
_RANGE = lazy_re(r"[ ]?-[ ]?(?=[^\s-])|[ ](?:to|until|through|bis|à)[ ]")
_RANGE_STARTS = frozenset("-tubàa")  # with which they go on behind a space, and "and" does
_BY = lazy_re(r"(?<!\w)by[ ](?:about[ ]|around[ ]|another[ ]|a[ ])?[^\w\s]{0,2}$")
_BETWEEN = lazy_re(r"(?<!\w)between[ ](?:about[ ]|around[ ])?$")
_AND = lazy_re(r"[ ]and[ ]")
_CURRENCY_AGAIN = lazy_re(r"(?:US|C|A)?[$€£¥₹][ ]?|(?:USD|EUR|GBP|CHF|Rs\.?)[ ]")
_VAGUE = lazy_re(r"(?<!\w)(?:several|few|many|couple of|couple)[ ]$")
_ARTICLE = lazy_re(r"(?<!\w)an?[ ]$")
_BEFORE_MINUS = frozenset(" (=:,\n" + SIGNS)
# A count in letters up to this that counts nothing of the table is casual. RAGTruth QA train:
# 22 % of those that no passage holds overlap a labelled span, against 83 % of numbers in digits.
_LARGEST_CASUAL = 10
_NOUN_REACH = 40  # characters behind a count in which its noun ends; guess


def read_figure(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Read the amount, percentage, quantity, year or number whose numeral begins at `start`.

    Looks back (not before `floor`) for a currency, a sign and a hedge, ahead for the unit, the
    upper end of a range and a period. None where no numeral stands there, or where it is a number
    word that states no value ("one of them", "half-life", "several hundred", "two passages").
    """
    # "$-5": the sign may stand between the currency and the figure.
    signed = start - floor > 1 and text[start - 1] == "-" and text[start - 2] in SIGNS
    currency = currency_before(text, start - signed, floor)
    first = read_numeral(text, low, start, money=currency is not None)
    if first is None or (first.word and _states_nothing(low, first, floor)):
        return None
    first = said_twice(text, low, first)
    if currency is None and not first.word and (year := read_year(text, low, first)):
        return year
    figure = _figure(text, low, first, currency, floor)
    if first.word and low[start : figure.measure.end] == "one" and figure.high is None:
        return None  # a pronoun or an article
    return _anchor(text, low, figure, floor)


def read_often(text: str, low: str, start: int, end: int, floor: int) -> Anchor | None:
    """Read the "once", "twice" or "thrice" at [start, end); None where it tells no frequency."""
    if not counts_once(low, start, end):
        return None
    count = Numeral(start, end, Decimal(ADVERBS[low[start:end]]), ONE, word=True)
    return _anchor(text, low, _Figure(start, count, None, counted_often(end), False), floor)


def read_duration(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Read "1:30 h", "1:30-2:00 hours" or "3:45 min" at the digits at `start`, else None."""
    found = duration_at(low, start)
    if found is None:
        return None
    seconds, high, place, end = found
    first = Numeral(start, end, Decimal(seconds), Decimal(place))
    last = None if high is None else first._replace(value=Decimal(high))
    measure = Measure("quantity", "s", ONE, ZERO, None, "time", end)
    return _anchor(text, low, _Figure(start, first, last, measure, False), floor)


def _states_nothing(low: str, numeral: Numeral, floor: int) -> bool:
    start = numeral.start
    if numeral.value >= 100 and _VAGUE.search(low, max(floor, start - 12), start):
        return True
    return is_reference(low, start, floor) or counts_references(low, numeral.end)


def _figure(
    text: str, low: str, first: Numeral, currency: tuple[Currency, int] | None, floor: int
) -> _Figure:
    begin = currency[1] if currency else first.start
    if first.word and (article := _ARTICLE.search(low, max(floor, begin - 3), begin)):
        begin = article.start()
    before = currency[0] if currency else None
    measure = measure_at(text, low, first.end, before, first.start)
    measure = without_mark(text, low, first, measure)
    first, high, measure = _range(text, low, first, measure, before, max(floor, begin - 20))
    if high is None:
        first, measure = with_smaller_units(text, low, first, measure)
    begin, negative = _minus(text, first.start, begin, floor, measure)
    # Of money and shares the size counts: "-$1,200" is a loss of $1,200, and so is "($1,200)".
    signed = negative and measure.kind not in ("amount", "percent")
    return _Figure(begin, first, high, measure, signed)


def _minus(text: str, start: int, begin: int, floor: int, measure: Measure) -> tuple[int, bool]:
    """Return where the figure begins with its minus, and whether there is one.

    "minus 5" alone may subtract; before degrees and percentages it is a sign.
    """
    for place in (begin, start) if begin != start else (start,):
        dash = place > floor and text[place - 1] == "-"
        if dash and (place == 1 or text[place - 2] in _BEFORE_MINUS):
            return min(begin, place - 1), True
    signed = measure.kind == "percent" or measure.dimension in ("temperature", "angle")
    if signed and start - 6 >= floor and text.startswith("minus ", start - 6):
        return start - 6, True
    return begin, False


def _range(
    text: str, low: str, first: Numeral, measure: Measure, before: Currency | None, reach: int
) -> tuple[Numeral, Numeral | None, Measure]:
    """Read the upper end after `first`, with the unit and the magnitude that both ends share."""
    end = measure.end
    following = low[end + 1 : end + 2] if low[end : end + 1] == " " else low[end : end + 1]
    if following not in _RANGE_STARTS:
        return first, None, measure
    joined = _RANGE.match(low, measure.end)
    if joined is None and low.startswith(" and ", measure.end):
        between = _BETWEEN.search(low[reach : first.start].rstrip("$€£¥"))
        joined = _AND.match(low, measure.end) if between else None
    # "rose by $5 to $20": the first value is how far it went.
    if joined is None or (joined[0] == " to " and _BY.search(low, reach, first.start)):
        return first, None, measure
    start = joined.end()
    again = _CURRENCY_AGAIN.match(text, start)
    second = read_numeral(text, low, again.end() if again else start, money=before is not None)
    if second is None or (second.word and joined[0].strip() == "-"):  # "5 - two of" is no range
        return first, None, measure
    shared = measure_at(text, low, second.end, before, second.start)
    return _joined(first, second, measure, shared)


def _joined(
    first: Numeral, second: Numeral, measure: Measure, shared: Measure
) -> tuple[Numeral, Numeral | None, Measure]:
    """Return both ends as one range where they rise and count the same thing."""
    common = shared if measure.kind == "number" else measure
    if shared.kind != "number" and (shared.unit, shared.factor) != (common.unit, common.factor):
        return first, None, measure
    lower = first
    if second.exponent and not first.exponent:  # "5-10 million" has one magnitude
        lifted = scaled(first, second.exponent, first.end)
        lower = lifted if lifted.value < second.value else first
    if lower.value >= second.value:
        return first, None, measure
    return lower, second, common._replace(end=shared.end)


def _anchor(text: str, low: str, figure: _Figure, floor: int) -> Anchor:
    first, high, measure = figure.first, figure.high, figure.measure
    number = negated(first.value) if figure.negative else first.value
    value = measure.convert(number)
    top = measure.convert(high.value) if high else None
    precision = HALF if first.place is ONE else times(first.place, HALF)
    if measure.factor is not ONE:
        precision = times(precision, measure.factor)
    period, end, each = _period(low, measure)
    once = None
    if measure.kind == "amount" and period is None:
        once = paid_once(low, figure.begin, end)
        end = once or end
    approx, exact = _hedge(low, figure.begin, end, floor)
    if approx:
        precision = approximate(value, precision)
    bare = measure.kind == "number"
    noun = noun_of(low, figure.begin, end, floor) if bare else None
    if noun is not None and period is None:
        period = _period_of(low, noun, measure)
    return Anchor(
        measure.kind, figure.begin, end, text[figure.begin : end], value, top, measure.unit,
        period, plain(value) if top is None else f"{plain(value)}..{plain(top)}",
        precision, approx, exact,
        tuple(
            plain(measure.convert(negated(other) if figure.negative else other))
            for other in first.others
        ),
        number=number, high_number=high.value if high else None, scale=measure.factor,
        rounded=first.rounded, family=measure.family, word=first.word,
        casual=first.word and bare and first.value <= _LARGEST_CASUAL,
        noun=noun,
        each=each, once=once is not None, exponent=first.exponent,
    )  # fmt: skip


def _period(low: str, measure: Measure) -> tuple[str | None, int, str | None]:
    found = period_after(low, measure.end)
    if found is None or measure.kind == "percent":
        return None, measure.end, None
    if measure.kind == "number" and found[0] not in PERIODS:
        return None, measure.end, None  # "5 a head" is a rate of nothing named
    return found


def _period_of(low: str, noun: str, measure: Measure) -> str | None:
    """Return what a count is per behind its noun: "5 requests per hour"."""
    at = low.find(noun, measure.end, measure.end + _NOUN_REACH)
    return None if at < 0 else _period(low, measure._replace(end=at + len(noun)))[0]


def _hedge(low: str, begin: int, end: int, floor: int) -> tuple[bool, bool]:
    """Return whether the text says "about" and whether it says "exactly"."""
    if low.startswith((" or", "+", "-i"), end) and _APPROX_AFTER.match(low, end):
        return True, False
    if begin == floor:
        return False, False
    if low[begin - 1] in _HEDGE_SIGNS:
        return True, False
    hedge = low[max(floor, begin - _HEDGE_REACH) : begin]
    if hedge[hedge.rfind(" ", 0, -1) + 1 : -1] not in _HEDGE_ENDS:
        return False, False
    about = _APPROX.search(hedge) or _APPROX_SIGN.search(hedge)
    return about is not None, _EXACT.search(hedge) is not None
