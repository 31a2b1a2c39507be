"""Rates: another period, so many months or users of them, a share for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from streamguard.core.anchors.periods import PERIODS, thing
from streamguard.core.anchors.value import ONE, plus, quotient, times
from streamguard.core.derive.operands import Operand, period_in
from streamguard.core.derive.products import counts_things
from streamguard.core.derive.statement import Derivation, Statement, alike, figure, listed
from streamguard.core.derive.sums import total
from streamguard.core.words import stem

# How many of the second go into the first. A month has 4 weeks or a twelfth of 52, as people say.
_IN = {
    ("year", "quarter"): ("4",), ("year", "month"): ("12",), ("year", "week"): ("52",),
    ("year", "day"): ("365",), ("year", "night"): ("365",), ("year", "hour"): ("8760",),
    ("quarter", "month"): ("3",), ("quarter", "week"): ("13",), ("month", "week"): ("4", "4.33"),
    ("month", "day"): ("30",), ("month", "night"): ("30",), ("week", "day"): ("7",),
    ("week", "night"): ("7",), ("week", "hour"): ("168",), ("day", "hour"): ("24",),
    ("day", "minute"): ("1440",), ("day", "second"): ("86400",), ("hour", "minute"): ("60",),
    ("hour", "second"): ("3600",), ("minute", "second"): ("60",), ("decade", "year"): ("10",),
    # Things that prices and amounts count per; factors as in `core/units`.
    ("kg", "lb"): ("2.2046226218",), ("lb", "oz"): ("16",), ("mile", "km"): ("1.609344",),
    ("gallon", "L"): ("3.785411784",), ("L", "mL"): ("1000",), ("L", "dL"): ("10",),
}  # fmt: skip
# The same of working time: 8 hours, 5 days, 40 hours a week, 52 weeks.
_AT_WORK = {
    ("day", "hour"): ("8",), ("week", "hour"): ("40",), ("week", "day"): ("5",),
    ("month", "hour"): ("160",), ("month", "day"): ("20", "22"), ("year", "hour"): ("2080",),
    ("year", "day"): ("260", "250"),
}  # fmt: skip
_WORK = re.compile(r"(?<!\w)(?:work|wage|salar|earn|pa(?:y|id)|full-time|labou?r|shift|staff)")
_SIZES = {
    "year": ("month", Decimal(12)), "quarter": ("month", Decimal(3)),
    "month": ("month", Decimal(1)), "week": ("s", Decimal(604800)), "day": ("s", Decimal(86400)),
    "night": ("s", Decimal(86400)), "hour": ("s", Decimal(3600)), "minute": ("s", Decimal(60)),
    "kg": ("kg", Decimal(1)), "lb": ("kg", Decimal("0.45359237")),
    "oz": ("kg", Decimal("0.028349523125")), "km": ("m", Decimal(1000)),
    "mile": ("m", Decimal("1609.344")), "L": ("L", Decimal(1)), "mL": ("L", Decimal("0.001")),
    "gallon": ("L", Decimal("3.785411784")), "m²": ("m²", Decimal(1)),
    "ft²": ("m²", Decimal("0.09290304")), "acre": ("m²", Decimal("4046.8564224")),
    "hectare": ("m²", Decimal(10_000)),
}  # fmt: skip
# "for six months", "over two years", "a 12-month contract": the sentence speaks of the whole term.
_TERM = re.compile(
    r"(?<!\w)(?:for|over|during|after|within|per|total|term|contract|altogether|all|in)(?!\w)"
)
# "the first year": a term of one period, without a figure.
_ONE_TERM = re.compile(
    r"(?<!\w)(?:first|next|second|a|one|the|your|full|whole|each|per)[ ]"
    r"(?:full[ ]|whole[ ])?(year|quarter|month|week|day)(?!\w)"
)
_FOR_ONE = re.compile(
    r"(?<!\w)(?:for|over|in|during|after)[ ](?:a|one|the|that)[ ](?:full[ ]|whole[ ])?"
    r"(year|quarter|month|week|day)(?!\w)"
)
_BOTH = re.compile(r"(?<!\w)(?:both|couple|pair of you|two of you)(?!\w)")
# That something is paid once beside the rate is said, or all of it is meant.
_IN_ALL = re.compile(
    r"(?<!\w)(?:total\w*|altogether|in all|all in|includ\w+|plus|with|together|first|overall|sum"
    r"|comes? to|entire|whole|and)(?!\w)|\+"
)
_LESS = re.compile(r"(?<!\w)(?:less|cheaper|minus|without|excluding|discount\w*|sav\w+)(?!\w)")
_OF_PRICES = frozenset(map(stem, "cost price fee charge pay amount come".split()))
_MAX_ONCE = 3  # amounts that are paid once and named; guess
_MAX_OFTEN = 3  # frequencies that a dose is taken at; guess
_MAX_NEAR = 8  # values of the best window that may say how many; guess
# A count larger than this multiplies no price; guess.
_MOST = Decimal(1_000_000)


def rates(said: Statement) -> Iterator[Derivation]:
    """Yield the rates of the sources in the answer's period, and multiplied out."""
    if said.anchor.unit and "/" in said.anchor.unit:
        return  # a speed is a unit of its own
    mine = said.own.period or period_in(said.low)
    rated = [one for one in _bases(said) if one.period is not None]
    if mine is not None:
        yield from _converted(said, mine, [one for one in rated if one.period != mine])
        yield from _divided(said, mine)
        yield from _by_frequency(said, mine)
    yield from _of_both(said, mine, rated)
    if said.own.period is None or said.own.period in PERIODS:
        yield from _multiplied(said, said.own.period, rated)
    if said.anchor.kind == "amount" and said.says(_IN_ALL) and not said.says(_LESS):
        yield from _with_single(said, rated)


def _bases(said: Statement) -> tuple[Operand, ...]:
    stated = (*said.peers, *said.earlier)
    return (*(one for one in stated if alike(one.anchor, said.anchor)), *said.likes)


def _converted(said: Statement, mine: str, rated: list[Operand]) -> Iterator[Derivation]:
    """Yield "$49/month × 12" for an answer per year."""
    fit = [one for one in rated if (mine, one.period) in _IN or (one.period, mine) in _IN]
    chosen = said.chosen(fit) or fit[:1] if len({one.anchor.key for one in fit}) == 1 else []
    # A rate that the sentence itself states may be meant as well as those of the sources.
    own = [one for one in fit if one.block is None]
    chosen = [*own, *(chosen or said.chosen(fit))]
    # A period that only the sentence names ("a day pass") may be none of the value's.
    certain = said.anchor.period == mine and len({one.anchor.key for one in chosen}) == 1
    certain = certain and not any(_is_multiplied(said, one) for one in chosen)
    certain = certain and not any(one in said.earlier for one in chosen)
    for one in chosen:
        assert one.period is not None  # `rated` holds rates only
        for up, factor in _factors(said, mine, one.period):
            sign, reckon = ("×", times) if up else ("÷", quotient)
            yield replace(
                _of_both_ends(one, reckon, factor),
                words=f"{_rate(one)} {sign} {figure(factor)}",
                certain=certain,
            )


def _by_frequency(said: Statement, mine: str) -> Iterator[Derivation]:
    """Yield "20 mg × 2" a day for what is taken twice daily."""
    pool = (*said.peers, *said.asked, *said.sources)
    often = [one for one in pool if one.anchor.unit == "time" and one.anchor.period == mine]
    single = [one for one in _bases(said) if one.anchor.period is None and one.is_plain]
    for count in (said.chosen([one for one in often if one.is_plain]) or often)[:_MAX_OFTEN]:
        for one in said.chosen(single) or single[:1]:
            yield replace(
                _of_both_ends(one, times, count.value),
                words=listed((one, count), " × "),
                operands=(one, count),
            )


def _factors(said: Statement, mine: str, theirs: str) -> Iterator[tuple[bool, Decimal]]:
    tables = (_IN, _AT_WORK) if said.says(_WORK) else (_IN,)
    for table in tables:
        for factor in table.get((mine, theirs), ()):
            exact = quotient(Decimal(52), Decimal(12)) if factor == "4.33" else Decimal(factor)
            yield True, exact
        for factor in table.get((theirs, mine), ()):
            exact = quotient(Decimal(52), Decimal(12)) if factor == "4.33" else Decimal(factor)
            yield False, exact


def _multiplied(said: Statement, mine: str | None, rated: list[Operand]) -> Iterator[Derivation]:
    """Yield "$49/month × 6" for six months, "$10 each × 5" for five of them."""
    for one in said.chosen(rated) or rated[:1]:
        assert one.period is not None  # `rated` holds rates only
        if mine is None and one.is_plain:
            yield from _for_one_term(said, one)
        for other in _counts_for(said, one):
            count = _count_of(other, one.period)
            if count is None or count == 1 or count > _MOST:
                continue
            if mine is not None and one.period in PERIODS:
                continue  # "$588 a year" is no sum of so many months
            yield replace(
                _of_both_ends(one, times, count),
                words=f"{_rate(one)} × {figure(count)}",
                operands=(one, other),
            )


def _for_one_term(said: Statement, rate: Operand) -> Iterator[Derivation]:
    """Yield "three a day × 7" for what is taken "for a week"."""
    found = _FOR_ONE.search(said.low)
    for factor in _IN.get((found[1], rate.period or ""), ())[:1] if found else ():
        count = Decimal(factor)
        yield Derivation(f"{_rate(rate)} × {factor}", (rate,), times(rate.value, count))


def _of_both(said: Statement, mine: str | None, rated: list[Operand]) -> Iterator[Derivation]:
    """Yield "$12 per user per month × 5" for five users, × 12 for a year, × 60 for both."""
    both = [one for one in rated if one.anchor.each is not None and one.is_plain]
    for one in said.chosen(both):
        things: list[tuple[Decimal, tuple[Operand, ...]]] = [(ONE, ())]
        if mine != one.anchor.each:
            counts = (other for other in _counts_for(said, one) if _counts(other, one))
            things += [(other.value, (other,)) for other in counts]
            things += [(Decimal(2), ())] if said.says(_BOTH) else []
        for count, by in things:
            for periods, over in ((ONE, ()), *_terms(said, one)):
                factor = times(count, periods)
                if ONE < factor <= _MOST:
                    value, operands = times(one.value, factor), (one, *by, *over)
                    yield Derivation(f"{_rate(one)} × {figure(factor)}", operands, value)


def _is_multiplied(said: Statement, rate: Operand) -> bool:
    """Say whether the sentence or the question counts the things that the rate is per."""
    each = rate.anchor.each is not None
    return each and any(_counts(other, rate) for other in _counts_for(said, rate))


def _counts(other: Operand, rate: Operand) -> bool:
    """Say whether the value says how many of the things there are that the rate is per."""
    if not counts_things(other) or other.value > _MOST:
        return False
    noun = other.anchor.noun
    return other.block is None and (noun is None or thing(noun) == rate.anchor.each)


def _with_single(said: Statement, rated: list[Operand]) -> Iterator[Derivation]:
    """Yield "$100 + $20/month × 12" for what the first year costs in all."""
    single = [one for one in _bases(said) if one.period is None and one.is_plain]
    named = [one for one in said.named(single) if one.label & said.keys - _OF_PRICES][:_MAX_ONCE]
    # Without a word for one of them all are meant.
    groups = [(one,) for one in named] + [tuple(named or said.near(single))]
    for rate in said.chosen([one for one in rated if one.is_plain and one.period in PERIODS]):
        for count, by in _terms(said, rate):
            whole = times(rate.value, count)
            words = _rate(rate) if count == 1 else f"{_rate(rate)} × {figure(count)}"
            for group in filter(None, groups):
                said_so = f"{listed(group, ' + ')} + {words}"
                yield Derivation(said_so, (*group, rate, *by), plus(total(group), whole))


def _terms(said: Statement, rate: Operand) -> Iterator[tuple[Decimal, tuple[Operand, ...]]]:
    """Yield how many of the rate's periods the sentence speaks of, and the value that says so."""
    assert rate.period is not None  # a rate
    for found in _ONE_TERM.finditer(said.low):
        if found[1] == rate.period:
            yield ONE, ()
        for factor in _IN.get((found[1], rate.period), ()):
            yield Decimal(factor), ()
    for other in _counts_for(said, rate):
        count = _count_of(other, rate.period)
        if count is not None and 1 < count <= _MOST:
            yield count, (other,)


def _counts_for(said: Statement, rate: Operand) -> Iterator[Operand]:
    """Yield what may say how many: of the sentence and the question, and of a term nearby."""
    yield from (one for one in said.peers + said.asked if one.anchor is not said.anchor)
    if said.says(_TERM):
        yield from _near(said, rate)


def _near(said: Statement, rate: Operand) -> list[Operand]:
    return [one for one in said.nearby[:_MAX_NEAR] if one is not rate]


def _count_of(other: Operand, period: str) -> Decimal | None:
    """Return how many of the rate's period or thing the other value says, None where none."""
    anchor = other.anchor
    if not other.is_plain or anchor.period:
        return None
    if period in _SIZES and anchor.kind == "quantity":
        return _periods_in(other, period)
    if not counts_things(other):
        return None
    if period in PERIODS:  # "two nights", which no table of units has
        return (
            other.value if anchor.noun is not None and stem(anchor.noun) == stem(period) else None
        )
    if other.block is not None and period != "each" and stem(period) not in other.label:
        return None
    return other.value


def _periods_in(one: Operand, period: str) -> Decimal | None:
    """Return how many periods a duration has, how many kilograms a weight."""
    anchor = one.anchor
    unit, length = _SIZES[period]
    if anchor.unit == unit:
        return quotient(one.value, length)
    if anchor.unit == "month" and period in ("week", "day", "night"):
        per_year = Decimal(52 if period == "week" else 365)
        return times(quotient(one.value, Decimal(12)), per_year)
    return None


def _divided(said: Statement, mine: str) -> Iterator[Derivation]:
    """Yield "$120 ÷ 12" for an answer that says "each", "per user" or "a month"."""
    whole = [one for one in _bases(said) if one.period is None]
    for one in said.chosen(whole) or whole[:1]:
        for other in (*_counts_for(said, one), *_near(said, one)):
            count = _parts_of(other, mine)
            if not count or count == 1:
                continue
            yield replace(
                _of_both_ends(one, quotient, count),
                words=f"{one.anchor.text} ÷ {figure(count)}",
                operands=(one, other),
            )


def _parts_of(other: Operand, mine: str) -> Decimal | None:
    """Return by how many a whole is divided for "each" or "a month"; None where none is said."""
    if mine in _SIZES and other.is_plain and other.anchor.kind == "quantity":
        return _periods_in(other, mine)
    if not counts_things(other) or (other.block is not None and mine != "each"):
        return None
    return other.value


def _of_both_ends(
    one: Operand, reckon: Callable[[Decimal, Decimal], Decimal], by: Decimal
) -> Derivation:
    high = one.anchor.high
    return Derivation("", (one,), reckon(one.value, by), None if high is None else reckon(high, by))


def _rate(one: Operand) -> str:
    if one.anchor.period is not None:
        return one.anchor.text
    return f"{one.anchor.text} each" if one.period == "each" else f"{one.anchor.text}/{one.period}"
