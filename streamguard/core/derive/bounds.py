"""Round figures that a sentence gives as the bound of a finer one: "over 31,000" of 31,420."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from streamguard.core.derive.announced import Operation
from streamguard.core.derive.reckoning import KnownValue, Reckoning
from streamguard.core.derive.solver import Derivation
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.value import ONE, digits_of, last_place, minus, shifted, times

_BOUND: Final = lazy_re(
    r"(?<!\w)(?:(?P<lower>over|above|more[ ]than)|under|below|less[ ]than|fewer[ ]than)[ ]$"
)
_REACH: Final = 12
_RECKONED: Final = frozenset(["number", "quantity"])
_LEAST_OPERANDS: Final = 2
_LEAST_DIGITS: Final = 2  # of the round figure: "over 10" says too little of 14


def round_bound(
    target: Anchor,
    low: str,
    start: int,
    terms: Sequence[KnownValue],
    operations: frozenset[Operation],
) -> Derivation | None:
    """Return how the value at `start` rounds a finer value near it, None if it rounds none.

    `low` is the lower-cased sentence. Behind "over" it is the figure rounded down to its last
    place that is no zero, behind "under" the one rounded up. The finer value may be the result of
    one of the `operations`.
    """
    if target.number is None or target.high is not None:
        return None
    if digits_of(target.number) < _LEAST_DIGITS:
        return None
    found = _BOUND.search(low, max(0, start - _REACH), start)
    if found is None:
        return None
    step, word = shifted(ONE, last_place(target.number)), found[0].strip()
    for number, term in enumerate(terms):
        one = term.anchor
        if not term.is_grounded or one.number is None or not _are_of_one_thing(target, one):
            continue
        apart = minus(one.number, target.number)
        if 0 < (apart if found["lower"] else -apart) < step:
            return Derivation(f"{word} {one.text}", (number,))
    exact = target._replace(approx=True, precision=times(step, target.scale))
    reckoned = Reckoning(terms, operations).of(exact) if target.kind in _RECKONED else None
    if reckoned is None or len(reckoned.sources) < _LEAST_OPERANDS:
        return None
    return replace(reckoned, words=f"{word} {reckoned.words}")


def _are_of_one_thing(target: Anchor, one: Anchor) -> bool:
    """Return whether two values are of a unit and scale; a bare figure has that of its column."""
    if target.period != one.period or target.label != one.label:
        return False
    if target.kind != one.kind:
        return one.kind == "number" and target.kind in ("amount", "quantity")
    return (target.unit, target.scale) == (one.unit, one.scale)
