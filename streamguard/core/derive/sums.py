"""Sums, differences, averages and multiples of values that count the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import reduce

from streamguard.core.anchors.value import ONE, ZERO, Anchor, minus, plus, quotient, size_of, times
from streamguard.core.derive.operands import Operand
from streamguard.core.derive.statement import Derivation, Statement, alike, listed

# Values that are added up at most: a table's column; guess.
_LONGEST = 30
_TOTAL = re.compile(
    r"(?<!\w)(?:totals?|totall?ing|totall?ed|combined|together|sum|sums|altogether|in all|overall"
    r"|adds? up|adding|added|both|entire|whole|plus|come to|comes to|aggregate|between them|across"
    r"|all (?:two|three|four|five|six|seven|eight|nine|ten|of|the|\d))(?!\w)|\+"
)
# Words that leave no doubt what is done with the values of the sentence itself.
_SUM = re.compile(r"(?<!\w)(?:in total|totals?|altogether|combined|together|sum of|in all)(?!\w)")
_MINUS = re.compile(r"(?<!\w)(?:minus|less|differ\w*|remain\w*|left|average|each|per)(?!\w)|[-=+×]")
_DIFFERENCE = re.compile(
    r"(?<!\w)(?:more|less|fewer|differ\w*|cheaper|dearer|expensive|higher|lower|greater|larger"
    r"|smaller|bigger|longer|shorter|taller|heavier|lighter|older|younger|faster|slower|warmer|hotter"
    r"|colder|cooler|deeper|wider|narrower|thicker|thinner|gap|margin|increas\w*|decreas\w*|ris(?:e|es|en|ing)|rose|fell|fall\w*"
    r"|drop\w*|grew|grow\w*|gain\w*|lost|los[es]\w*|declin\w*|reduc\w*|cut|sav\w*|discount\w*"
    r"|remain\w*|left|leav\w*|spare|clearance|rest|extra|additional\w*|exceed\w*|above|below|ahead|behind|up|down"
    r"|margin|lead\w*|profit\w*|net|balance|surplus|deficit|short\w*|outnumber\w*|separat\w*"
    r"|swing|range|spread|chang\w*|between"
    r"|away|by|raise\w*|later|earlier|apart|minus|than)(?!\w)"
)
_OLDER = re.compile(r"[ ](?:older|younger|apart)(?!\w)")
_OLDEST = 130
_AVERAGE = re.compile(r"(?<!\w)(?:averag\w*|mean|typically)(?!\w)")


def sums(said: Statement) -> Iterator[Derivation]:
    """Yield sums, differences and averages, each only where the sentence speaks of one."""
    if not said.own.is_plain:
        return
    likes = [one for one in said.likes if one.is_plain]
    if said.says(_TOTAL):
        yield from _totals(said, likes)
    if said.says(_DIFFERENCE):
        yield from _differences(said, likes)
    if said.says(_AVERAGE):
        yield from _averages(said, likes)


def _totals(said: Statement, likes: Sequence[Operand]) -> Iterator[Derivation]:
    own = [one for one in said.peers if alike(one.anchor, said.anchor)]
    named = said.named(likes)
    groups = [own, named, *together(likes)]
    beside = _SUM.search(said.before) or _SUM.search(said.after)
    certain = beside is not None and not said.says(_MINUS)
    exact = said.anchor.kind == "number"
    for group in groups:
        if 2 <= len(group) <= _LONGEST:
            words = listed(group, " + ")
            sure = certain and group is own
            yield Derivation(words, tuple(group), total(group), certain=sure, exact=exact)
    for one, other in said.pairs(likes):
        words = listed((one, other), " + ")
        yield Derivation(words, (one, other), total((one, other)), exact=exact)


def _differences(said: Statement, likes: Sequence[Operand]) -> Iterator[Derivation]:
    anchor = said.anchor
    scale = ONE
    if _OLDER.search(said.after) and anchor.unit == "month":
        # "Anna, 34, and Ben, 22": ages without their unit.
        ages = _ages(said)
        likes, scale = (ages, anchor.scale) if ages else (likes, ONE)
    if anchor.unit == "pp":
        likes = [one for one in said.sources if one.anchor.unit == "%" and one.is_plain]
    for one, other in said.pairs(likes):
        first, second = one.value, other.value
        larger, smaller = (one, other) if first >= second else (other, one)
        gap = plus(times(size_of(minus(first, second)), scale), _zero_point(anchor))
        words, exact = listed((larger, smaller), " - "), anchor.kind == "number"
        yield Derivation(words, (larger, smaller), gap, exact=exact)


def _ages(said: Statement) -> list[Operand]:
    numbers = (one for one in said.sources if one.anchor.kind == "number")
    return [one for one in numbers if one.is_plain and one.value < _OLDEST]


def _zero_point(anchor: Anchor) -> Decimal:
    """Return the value of no degrees: 7 °C between two temperatures are no 44.6 °F."""
    if anchor.unit != "°F" or anchor.number is None or anchor.value is None:
        return ZERO
    return minus(anchor.value, times(anchor.number, anchor.scale))


def _averages(said: Statement, likes: Sequence[Operand]) -> Iterator[Derivation]:
    own = [one for one in said.peers if alike(one.anchor, said.anchor)]
    pairs = [list(pair) for pair in said.pairs(likes)]
    for group in (own, said.named(likes), *together(likes), *pairs):
        if 2 <= len(group) <= _LONGEST:
            words = f"({listed(group, ' + ')}) ÷ {len(group)}"
            mean = quotient(total(group), Decimal(len(group)))
            yield Derivation(words, tuple(group), mean)


def together(operands: Iterable[Operand]) -> Iterator[list[Operand]]:
    """Yield the values that stand together: in a sentence, in a table's column, in a block."""
    places: dict[tuple[object, ...], list[Operand]] = {}
    for one in operands:
        places.setdefault(("sentence", one.block, one.sentence), []).append(one)
        if one.column is not None:
            places.setdefault(("column", one.block, one.column), []).append(one)
        else:
            places.setdefault(("block", one.block), []).append(one)
    yield from places.values()


def total(group: Sequence[Operand]) -> Decimal:
    """Return the sum of the values."""
    return reduce(plus, (one.value for one in group))
