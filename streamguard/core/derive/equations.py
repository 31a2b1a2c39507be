"""Reckonings that a sentence writes out, and whether they are right.

With signs, "720 × $3.39 = $2,140.80", or in words, "£12 a day, so four days come to £48".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.measures import read_unit
from streamguard.values.money import TIMES_IN, period_of
from streamguard.values.value import ZERO, minus, plain, plus, quotient, times

_SIGN: Final = lazy_re(r"\s?([+×x*÷/−–-])\s?")
_SIGNS: Final = {"x": "×", "*": "×", "/": "÷", "−": "-", "–": "-"}
_OPERATIONS: Final = {"+": plus, "-": minus, "×": times, "÷": quotient}
_FIGURES: Final = frozenset(["amount", "quantity", "number"])
_MOST_OPERANDS: Final = 12  # guess
_COUNT_AND_PRICE: Final = 2  # values before a bill
_PRICE_AND_BILL: Final = 2  # amounts
_FIGURE: Final = lazy_re(r"[0-9][0-9.,]*(?<=[0-9])")
# A term before the first operand that is not read: "2^5 + 4", "5 · 4 + 3".
_GOES_ON: Final = lazy_re(r"[-+×x*÷/−–·^(=]\s?$|[^\s*_|:;,.]$")
_REACH: Final = 2
# Between the price for one unit, the count and the bill; nothing else may stand there.
_EACH: Final = lazy_re(r"[ ](?:each|apiece|a[ ]piece)(?!\w)")
_AT: Final = lazy_re(r"(?:[ ](?P<noun>[^\W\d_]+))?[ ](?:at|for)[ ]")
_SO: Final = lazy_re(
    r"(?:[ ]each)?(?:[,;:.][ ]|[ ](?=so|and))"
    r"(?:(?:so|and|which[ ]means|meaning|therefore|thus)[ ])*(?:that[ ])?(?:for[ ])?(?:an?[ ])?"
)
_BILLED: Final = lazy_re(
    r"(?:[ -]?(?P<noun>[^\W\d_]+))?[ ](?:(?:would|will)[ ])?"
    r"(?:comes?[ ]to|amounts?[ ]to|adds?[ ]up[ ]to|costs?|makes?|totals?|pays?|is|are|be)[ ]"
    r"(?:a[ ]total[ ]of[ ])?"
)
# What may stand behind the bill, so that nothing is added to it or taken off.
_BILL_ENDS: Final = lazy_re(
    r"[*_]{0,2}(?:[ ](?:in[ ](?:all|total)|altogether|overall))?(?:[.;!?)]|$)"
)
# Between the prices of two periods, of which the second is to follow from the first.
_MAKES: Final = lazy_re(
    r",?[ ](?:(?:which|and|that|it|this)[ ])?(?:makes|comes[ ]to|amounts[ ]to|adds[ ]up[ ]to|is"
    r"|so|i\.[ ]?e\.)[ ](?:a[ ]total[ ]of[ ])?"
)
# "16 laptops altogether: twelve in the office, four at home". All of them are told behind a colon.
_ALL_OF: Final = lazy_re(r"(?<!\w)(?:altogether|in[ ](?:all|total)|overall)[ ]?[:–-][ ]$")
_TOTAL_OF: Final = lazy_re(r"(?<!\w)total[ ]of[ ]$")
_LISTING: Final = lazy_re(r"[^:;.]*[:–-][ ]$")
_NEXT: Final = lazy_re(r"(?:[:,;–-]|,?[ ](?:and|plus))[ ]$")
_BEFORE: Final = 12  # characters in which these words stand before a value
_LISTED: Final = 2  # counts at least


class Written(NamedTuple):
    """A value at [start, end) of a sentence."""

    start: int
    end: int
    anchor: Anchor


def misreckoned(low: str, values: Sequence[Written], last: int) -> str | None:
    """Return what the value `last` should be, in words, if the sentence reckons it and wrongly.

    `low`: the lower-cased sentence, `values` all its values in order. "720 × $3.39 is $2,440.80".
    None if no reckoning is written out, or if it is right.
    """
    words = _wrong_equation(low, values[: last + 1]) or _wrong_bill(low, values, last)
    if words is None and (counts := counts_of_total(low, values, last)):
        total, said = reduce(plus, [one.value or ZERO for one in counts]), values[last].anchor
        if total != said.value:
            words = _in_words([one.text for one in counts], "+", total, said)
    return words


def _wrong_equation(low: str, values: Sequence[Written]) -> str | None:
    """Return the right result of a reckoning with signs before the last value, if that is wrong.

    Only reckonings with one sign ("a + b + c = d") whose units fit are read; a result may be
    rounded to its last place.
    """
    operands, sign = _operands(low, values)
    result = values[-1].anchor
    if not operands or not _fit(operands, result, sign):
        return None
    has_units = any(one.unit for one in operands)  # else "720 × 3.39 = $2,440.80"
    sizes = [one.value if has_units else one.number for one in (*operands, result)]
    *terms, goal = [size for size in sizes if size is not None]
    if sign == "÷" and ZERO in terms[1:]:
        return None
    half = result.precision if has_units else quotient(result.precision, result.scale)
    right = reduce(_OPERATIONS[sign], terms)
    if minus(right, goal).copy_abs() <= half:
        return None
    in_unit = quotient(right, result.scale) if has_units else right
    return _in_words([one.text for one in operands], sign, in_unit, result)


def _wrong_bill(low: str, values: Sequence[Written], last: int) -> str | None:
    """Return the right product of a price and a count that stand in words, if the bill is another.

    Read are "£12 a day, so four days come to £48", "three seats at $19 each cost $57" and "€15 a
    month, which makes €180 a year". No further amount stands in the sentence, and nothing is added
    behind the bill.
    """
    bill = values[last]
    if last < 1 or sum(one.anchor.kind == "amount" for one in values) != _PRICE_AND_BILL:
        return None
    if not _BILL_ENDS.match(low, bill.end):
        return None
    if bill.anchor.period is not None:
        price, count = values[last - 1].anchor, None
        often = _times_in_period(low, values[last - 1], bill)
    else:
        price, count = _price_and_count(low, values, last) or (bill.anchor, None)
        often = None if count is None else count.number
    if often is None or price.value is None or bill.anchor.value is None:
        return None
    right = times(price.value, often)
    if minus(right, bill.anchor.value).copy_abs() <= bill.anchor.precision:
        return None
    terms = [price.text, plain(often) if count is None else count.text]
    return _in_words(terms, "×", quotient(right, bill.anchor.scale), bill.anchor)


def _price_and_count(
    low: str, values: Sequence[Written], last: int
) -> tuple[Anchor, Anchor] | None:
    """Return the price and the count before a bill, if words alone join them; else None."""
    if last < _COUNT_AND_PRICE:
        return None
    first, second, bill = values[last - 2 : last + 1]
    is_price_first = first.anchor.kind == "amount"
    price, count = (first, second) if is_price_first else (second, first)
    if not _are_simple(price.anchor, count.anchor, bill.anchor):
        return None
    each = _EACH.match(low, price.end)
    behind = price.end if each is None else each.end()
    if is_price_first:
        joint = _SO.fullmatch(low, behind, count.start)
        billed = _BILLED.fullmatch(low, count.end, bill.start)
    else:
        joint = _AT.fullmatch(low, count.end, price.start)
        billed = _BILLED.fullmatch(low, behind, bill.start)
    if joint is None or billed is None:
        return None
    noun = (billed if is_price_first else joint)["noun"]
    is_of = _is_counted_in(count.anchor, price.anchor.period, noun, each is not None)
    return (price.anchor, count.anchor) if is_of else None


def _in_words(terms: Sequence[str], sign: str, right: Decimal, result: Anchor) -> str:
    """Return a reckoning with its right result, written like the wrong one: "4 × £12 is £48"."""
    figure = _FIGURE.sub(f"{right.normalize():,f}", result.text, count=1)
    return f"{f' {sign} '.join(terms)} is {figure}"


def counts_of_total(low: str, values: Sequence[Written], at: int) -> list[Anchor]:
    """Return the counts that a sentence lists as all of a total, the value `at`; else none.

    `low`: the lower-cased sentence, `values` all its values. "16 laptops altogether: twelve in the
    office, four at home", where every value behind the colon begins an item of the list.
    """
    total, rest = values[at], values[at + 1 :]
    if len(rest) < _LISTED or not all(_is_count(one.anchor) for one in (total, *rest)):
        return []
    lead = low[total.end : rest[0].start]
    is_total = _TOTAL_OF.search(low, max(0, total.start - _BEFORE), total.start)
    if not (_ALL_OF.search(lead) or (is_total and _LISTING.fullmatch(lead))):
        return []
    if not all(_NEXT.search(low, max(0, one.start - _BEFORE), one.start) for one in rest):
        return []
    return [one.anchor for one in rest]


def _is_count(anchor: Anchor) -> bool:
    """Return whether a value is one exact bare number."""
    is_bare = anchor.kind == "number" and not (anchor.label or anchor.period)
    return is_bare and not (anchor.approx or anchor.high)


def _times_in_period(low: str, first: Written, second: Written) -> Decimal | None:
    """Return how often a price's period is in that of a second price that is to follow from it."""
    one, other = first.anchor, second.anchor
    if not _MAKES.fullmatch(low, first.end, second.start):
        return None
    if (one.kind, one.unit, one.each) != (other.kind, other.unit, other.each):
        return None
    if one.approx or other.approx or one.high or other.high:
        return None
    often = TIMES_IN.get((one.period or "", other.period or ""))
    return None if often is None else Decimal(often)


def _are_simple(price: Anchor, count: Anchor, bill: Anchor) -> bool:
    """Return whether these are single exact figures: two amounts of one currency, and a count."""
    all_of = (price, count, bill)
    if any(one.label or one.approx or one.high for one in all_of) or bill.period or count.period:
        return False
    are_amounts = price.kind == bill.kind == "amount" and price.unit == bill.unit
    return are_amounts and price.each is None and count.kind in ("number", "quantity")


def _is_counted_in(count: Anchor, period: str | None, noun: str | None, is_each: bool) -> bool:
    """Return whether a count is of the unit that a price is for: "four days" of "£12 a day"."""
    if period is None:
        return is_each and count.kind == "number"
    if count.kind == "number":
        return noun is not None and period_of(noun) == period
    lasting = read_unit(period, 0)
    return lasting is not None and (count.unit, count.scale) == (lasting[0].base, lasting[0].factor)


def _operands(low: str, values: Sequence[Written]) -> tuple[list[Anchor], str]:
    """Return the values before the "=" of the last one, and the one sign between them.

    No values where there is another sign, or where something unread stands before the first.
    """
    found: list[Anchor] = []
    signs: set[str] = set()
    begin = values[-1].start
    for one in reversed(values[-_MOST_OPERANDS - 1 : -1]):
        if one.end > begin:  # two ends of one range
            return [], ""
        between = low[one.end : begin]
        sign = _SIGN.fullmatch(between) if found else None
        if sign is not None:
            signs.add(_SIGNS.get(sign[1], sign[1]))
        elif found or between.strip() != "=":
            break
        found.append(one.anchor)
        begin = one.start
    goes_on = _GOES_ON.search(low, max(0, begin - _REACH), begin)
    if len(signs) != 1 or goes_on or len(found) == _MOST_OPERANDS:
        return [], ""
    return found[::-1], signs.pop()


def _fit(operands: Sequence[Anchor], result: Anchor, sign: str) -> bool:
    """Return whether all are single figures, and the units of a reckoning those of its result."""
    all_of = (*operands, result)
    if any(one.kind not in _FIGURES or one.label or one.approx or one.high for one in all_of):
        return False
    units = [one.unit for one in operands]
    if not any(units):
        return True
    if sign in ("+", "-"):
        return {*units} == {result.unit}
    if sign == "×":
        return [unit for unit in units if unit] == [unit for unit in (result.unit,) if unit]
    return sign == "÷" and units == [result.unit, *[None] * (len(units) - 1)]
