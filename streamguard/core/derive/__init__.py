"""Values that no source holds but that follow from values the sources hold.

`$588 per year` is supported by `$49/month`, "25 %" by "40" and "50". A reckoning is tried only
where the sentence names it ("total", "more than", "per year", "%"), only with values of its best
window, of its own, or that it names, and never with more than a few hundred combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from streamguard.core.anchors import Anchor
from streamguard.core.derive.calendar import durations, hours, shifted
from streamguard.core.derive.counts import counts
from streamguard.core.derive.expressions import expressions
from streamguard.core.derive.frequencies import frequencies
from streamguard.core.derive.gratis import gratis
from streamguard.core.derive.offsets import offset_times
from streamguard.core.derive.operands import Operand, read_operands, stems
from streamguard.core.derive.products import products
from streamguard.core.derive.rates import rates
from streamguard.core.derive.rounding import converted, rounded
from streamguard.core.derive.shares import percentages, ratios, shares
from streamguard.core.derive.statement import Derivation, Statement
from streamguard.core.derive.sums import sums
from streamguard.core.derive.written import written_out

_Rule = Callable[[Statement], Iterator[Derivation]]
# By the kind of the answer's value, in the order in which they are tried.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "amount": (written_out, rounded, rates, sums, percentages, products, expressions),
    "percent": (rounded, sums, shares, products),
    "quantity": (
        written_out, rounded, converted, frequencies, rates, sums, percentages, products,
        durations, expressions,
    ),
    "number": (
        rounded, rates, sums, percentages, ratios, products, durations, hours, counts, expressions,
    ),
    "date": (shifted,),
    "year": (shifted,),
    "time": (shifted, offset_times),
}  # fmt: skip
# Reckonings of one rule that are tried for one value; guess, 28 pairs two ways and a few sums.
_MAX_TRIED = 120


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What a value of the answer comes to: a derivation that holds, or the only one it could be."""

    anchor: Anchor
    derivation: Derivation
    holds: bool


def reckon(said: Statement) -> Reckoned | None:
    """Return how the value follows from the others, what it should be instead, or None."""
    if said.anchor.value == 0:
        free = gratis(said)  # too much else comes to nothing
        return Reckoned(said.anchor, free, holds=True) if free else None
    certain: list[Derivation] = []
    for rule in _RULES.get(said.anchor.kind, ()):
        for derivation in islice(rule(said), _MAX_TRIED):
            if said.fits(derivation):
                return Reckoned(said.anchor, derivation, holds=True)
            if derivation.certain:
                certain.append(derivation)
    if len({(one.value, one.high, one.key) for one in certain}) == 1:
        return Reckoned(said.anchor, certain[0], holds=False)
    return None


__all__ = [
    "Derivation",
    "Operand",
    "Reckoned",
    "Statement",
    "read_operands",
    "reckon",
    "stems",
]
