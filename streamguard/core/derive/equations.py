"""Reckonings that a sentence writes out, "720 × $3.39 = $2,140.80", and whether they are right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.value import ZERO, minus, plus, quotient, times

_SIGN: Final = lazy_re(r"\s?([+×x*÷/−–-])\s?")
_SIGNS: Final = {"x": "×", "*": "×", "/": "÷", "−": "-", "–": "-"}
_OPERATIONS: Final = {"+": plus, "-": minus, "×": times, "÷": quotient}
_FIGURES: Final = frozenset(["amount", "quantity", "number"])
_MOST_OPERANDS: Final = 12  # guess
# A term before the first operand that is not read: "2^5 + 4", "5 · 4 + 3".
_GOES_ON: Final = lazy_re(r"[-+×x*÷/−–·^(=]\s?$|[^\s*_|:;,.]$")
_REACH: Final = 2


class Written(NamedTuple):
    """A value at [start, end) of a sentence."""

    start: int
    end: int
    anchor: Anchor


def is_misreckoned(low: str, values: Sequence[Written]) -> bool:
    """Return whether the last value is the result of a reckoning that comes to another one.

    `low`: the lower-cased sentence, `values` its values up to that one. Only reckonings with one
    sign ("a + b + c = d") whose units fit are read; a result may be rounded to its last place.
    """
    operands, sign = _operands(low, values)
    result = values[-1].anchor
    if not operands or not _fit(operands, result, sign):
        return False
    has_units = any(one.unit for one in operands)  # else "720 × 3.39 = $2,440.80"
    sizes = [one.value if has_units else one.number for one in (*operands, result)]
    *terms, goal = [size for size in sizes if size is not None]
    if sign == "÷" and ZERO in terms[1:]:
        return False
    half = result.precision if has_units else quotient(result.precision, result.scale)
    return minus(reduce(_OPERATIONS[sign], terms), goal).copy_abs() > half


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
