"""Figures that say on which side of the true one they are, and months written as days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from streamguard.core.anchors.value import (
    HALF,
    last_place,
    minus,
    power_of_ten,
    quotient,
    size_of,
    times,
)
from streamguard.core.derive.statement import Derivation, Statement

_ABOVE = re.compile(
    r"(?:over|above|more than|upwards of|in excess of|at least|exceeding)[ ]?(?:an? )?$"
)
_BELOW = re.compile(
    r"(?:nearly|almost|under|below|less than|fewer than|just short of|close to|up to|at most)[ ]?"
    r"(?:an? )?$"
)
# "Over 40" is said of 41 to 50, "nearly 2 million" of 1.8 million and more; guess.
_ABOVE_AT_MOST, _BELOW_AT_LEAST = Decimal("1.25"), Decimal("0.9")
# A month and a year in days, as people round them.
_DAYS = Decimal(86_400)
_MONTH_DAYS, _YEAR_DAYS = Decimal(30), Decimal(365)
_COARSEST = Decimal("0.1")  # "about 2 meters" is no 180 cm; guess
_CONVERTED = Decimal("0.02")  # 365 days are 12.17 months of 30 days


def _in_other_units(said: Statement) -> Iterator[Derivation]:
    """Yield "12 km" for "about 7 miles": the nearest whole unit, however coarse it is."""
    anchor = said.anchor
    if not said.own.is_plain or not anchor.approx:
        return
    assert anchor.number is not None  # a quantity is read from a figure
    place = times(power_of_ten(last_place(anchor.number)), anchor.scale)
    likes = [o for o in said.likes if o.anchor.scale != anchor.scale and o.is_plain]
    for one in said.chosen(likes):
        gap = size_of(minus(one.value, said.own.value))
        if gap <= times(place, HALF) and gap <= times(one.value, _COARSEST):
            yield Derivation(f"{one.anchor.text}, converted", (one,), said.own.value)


def rounded(said: Statement) -> Iterator[Derivation]:
    """Yield the source's figure where the answer says "over" or "nearly" a round one."""
    anchor = said.anchor
    if not said.own.is_plain or not anchor.approx:
        return
    above, below = _ABOVE.search(said.before), _BELOW.search(said.before)
    if not above and not below:
        return
    mine = said.own.value
    for one in said.chosen([o for o in said.likes if o.is_plain]):
        if above:
            holds = mine <= one.value <= times(mine, _ABOVE_AT_MOST)
        else:
            holds = times(mine, _BELOW_AT_LEAST) < one.value <= mine
        if holds:
            yield Derivation(f"{one.anchor.text}, rounded", (one,), mine)


def converted(said: Statement) -> Iterator[Derivation]:
    """Yield the sources' quantities in the answer's unit, months as days and weeks too."""
    yield from _in_other_units(said)
    anchor = said.anchor
    if anchor.unit not in ("month", "s"):
        return
    other = "s" if anchor.unit == "month" else "month"
    sources = [
        one
        for one in (*said.peers, *said.sources)
        if one.anchor.kind == "quantity" and one.anchor.unit == other and one.is_plain
    ]
    for one in said.chosen(sources) or sources[:1]:
        for per_month in (_MONTH_DAYS, quotient(_YEAR_DAYS, Decimal(12))):
            seconds = times(per_month, _DAYS)
            reckon = quotient if other == "s" else times
            value = reckon(one.value, seconds)
            gap = size_of(minus(value, said.own.value))
            if gap <= times(said.own.value, _CONVERTED):
                value = said.own.value
            yield Derivation(f"{one.anchor.text}, a month as 30 days", (one,), value)
