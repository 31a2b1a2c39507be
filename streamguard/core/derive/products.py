"""Products: so many of each, twice as much, length by width, speed by time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from streamguard.core.anchors.value import quotient, times
from streamguard.core.derive.operands import Operand
from streamguard.core.derive.statement import Derivation, Statement, alike, listed

# Values of the best window that are multiplied with each other; guess.
_MAX_FACTORS = 6
_PRODUCT = re.compile(
    r"(?<!\w)(?:total\w*|altogether|in all|times|multipl\w*|makes|gives|amounts? to|comes? to"
    r"|overall|combined)(?!\w)|×"
)
# The source says that it counts something in each of several.
_OF_EACH = re.compile(
    r"(?<!\w)(?:each|every|apiece|per|a piece|times)(?!\w)"
    r"|\d[ ][^\W\d]{2,20}(?:[ ]of|[ ]with|,? each with)[ ][^\W_]{1,20}[ ][^\W\d]"
)
_MULTIPLES = {
    "twice": Decimal(2), "double": Decimal(2), "doubled": Decimal(2), "doubles": Decimal(2),
    "triple": Decimal(3), "tripled": Decimal(3), "thrice": Decimal(3), "quadruple": Decimal(4),
    "quadrupled": Decimal(4), "half": Decimal("0.5"), "halved": Decimal("0.5"),
}  # fmt: skip
_MULTIPLE = re.compile(rf"(?<!\w)(?:{'|'.join(_MULTIPLES)})(?!\w)")
_FROM_TWO = frozenset(["m²", "m", "s", "m/h"])
_HOUR = Decimal(3600)  # speeds are in m/h, times in s


def products(said: Statement) -> Iterator[Derivation]:
    """Yield multiples and products that the sentence or the source speaks of."""
    if not said.own.is_plain:
        return
    yield from _multiples(said)
    if said.anchor.kind == "amount" and said.says(_PRODUCT):
        yield from _of_supposed(said)
    near = said.nearby[:_MAX_FACTORS]
    # Without a word for it only where the window holds nothing else.
    if len(said.nearby) == 2 or said.says(_PRODUCT) or _OF_EACH.search(said.passage):
        for pool in (said.peers[:_MAX_FACTORS], near):
            yield from _of_counts(said, pool)
    if said.anchor.kind == "quantity" and said.anchor.unit in _FROM_TWO:
        yield from _of_quantities(said, [*said.peers, *said.asked, *near][:_MAX_FACTORS])


def _multiples(said: Statement) -> Iterator[Derivation]:
    found = _MULTIPLE.search(said.low) or _MULTIPLE.search(said.passage)
    if found is None:
        return
    factor = _MULTIPLES[found[0]]
    pool = (*said.peers, *said.likes)
    bases = [one for one in pool if alike(one.anchor, said.anchor) and one.is_plain]
    for one in said.chosen(bases) or bases[:1]:
        yield Derivation(f"{one.anchor.text} × {factor}", (one,), times(one.value, factor))


def _of_supposed(said: Statement) -> Iterator[Derivation]:
    """Yield "12 euros × two" where the sentence itself says how many it speaks of."""
    counts = [one for one in (*said.peers, *said.asked) if counts_things(one)]
    prices = [one for one in said.likes if one.is_plain and one.period in (None, "each")]
    for price in said.chosen(prices):
        for count in counts[:_MAX_FACTORS]:
            words = listed((price, count), " × ")
            yield Derivation(words, (price, count), times(price.value, count.value))


def _of_counts(said: Statement, pool: tuple[Operand, ...]) -> Iterator[Derivation]:
    """Yield products of a bare count and a value like the answer's, of neighbouring sentences."""
    for one, other in permutations(pool, 2):
        fit = counts_things(one) and alike(other.anchor, said.anchor) and other.is_plain
        if fit and abs(one.sentence - other.sentence) <= 1:
            value = times(one.value, other.value)
            yield Derivation(listed((one, other), " × "), (one, other), value)


def counts_things(one: Operand) -> bool:
    """Say whether the value is a number of things: whole, more than one, no price ("44.00")."""
    if one.anchor.kind != "number" or not one.is_plain or "." in str(one.anchor.number):
        return False
    return one.value > 1 and one.value == int(one.value)


def _of_quantities(said: Statement, pool: list[Operand]) -> Iterator[Derivation]:
    """Yield areas, and distances, times and speeds from the two others."""
    wanted = said.anchor.unit
    for one, other in permutations(pool, 2):
        if not (one.is_plain and other.is_plain and other.value):
            continue
        first, second = one.value, other.value
        pair, units = (one, other), (one.anchor.unit, other.anchor.unit)
        by, over = listed(pair, " × "), listed(pair, " ÷ ")
        if (wanted, units) == ("m²", ("m", "m")):
            yield Derivation(by, pair, times(first, second))
        elif (wanted, units) == ("m", ("m/h", "s")):
            yield Derivation(by, pair, quotient(times(first, second), _HOUR))
        elif (wanted, units) == ("s", ("m", "m/h")) or (wanted, units) == ("m/h", ("m", "s")):
            yield Derivation(over, pair, quotient(times(first, _HOUR), second))
