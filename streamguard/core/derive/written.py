"""Reckonings that the answer writes out: "£54 in fees (12 × £4.50)", "2 × €17 plus €9"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from streamguard.core.anchors.value import ZERO, minus, plus, times
from streamguard.core.derive.operands import Operand
from streamguard.core.derive.statement import Derivation, Statement, alike

_SIGN = re.compile(r"[ ]?(×|x|\*|\+|-|plus|minus|times)[ ]?")
_TIMES = frozenset("× x * times".split())
_LESS = frozenset(["-", "minus"])
_MOST = 8  # values of one reckoning; guess
_MULTIPLIED = re.compile(r"[ ]?(?:×|x[ ]|\*|times[ ])")
_MULTIPLIES = re.compile(r"(?:×|\bx|\*|\btimes)[ ]?$")


def multiplies(low: str, start: int, end: int) -> bool:
    """Say whether the number at [start, end) is a factor beside a sign: the 12 of "12 × £4.50"."""
    before = low[max(0, start - 6) : start]
    return bool(_MULTIPLIED.match(low, end) or _MULTIPLIES.search(before))


def written_out(said: Statement) -> Iterator[Derivation]:
    """Yield what the reckonings of the sentence come to, one for each row of values and signs."""
    for operands, signs in _rows(said):
        value = _value(operands, signs, said)
        if value is not None:
            last = operands[-1].anchor.end
            words = said.low[operands[0].anchor.start : last].strip(" .")
            yield Derivation(words, tuple(operands), value, exact=True)


def _rows(said: Statement) -> Iterator[tuple[list[Operand], list[str]]]:
    """Yield rows of the sentence's own values with nothing but a sign between neighbours."""
    row: list[Operand] = []
    signs: list[str] = []
    for one in _stated(said):
        sign = _SIGN.fullmatch(said.low, row[-1].anchor.end, one.anchor.start) if row else None
        if sign is None or len(row) == _MOST:
            if signs:
                yield row, signs
            row, signs = [one], []
        else:
            row.append(one)
            signs.append(sign[1])
    if signs:
        yield row, signs


def _stated(said: Statement) -> list[Operand]:
    """Return the values of the sentence that are supported, and its factors, in their order."""
    own = [one for one in said.peers if one.block is None]
    factors = [one for one in said.asked if _is_factor(one, said.low)]
    return sorted(
        (one for one in (*own, *factors) if one.is_plain), key=lambda one: one.anchor.start
    )


def _is_factor(one: Operand, low: str) -> bool:
    start, end = one.anchor.start, one.anchor.end
    return low[start:end] == one.anchor.text.lower() and multiplies(low, start, end)


def _value(operands: Sequence[Operand], signs: Sequence[str], said: Statement) -> Decimal | None:
    """Return the sum of the row's products; None where a part is not like the answer's value."""
    total, part, is_like, adds = ZERO, operands[0].value, alike(operands[0].anchor, said.anchor), 1
    for sign, one in zip((*signs, "+"), (*operands[1:], operands[0]), strict=True):
        like = alike(one.anchor, said.anchor)
        if sign in _TIMES:
            if is_like and like:
                return None  # money times money
            part, is_like = times(part, one.value), is_like or like
            continue
        if not is_like:
            return None
        total = plus(total, part) if adds > 0 else minus(total, part)
        part, is_like, adds = one.value, like, -1 if sign in _LESS else 1
    return total
