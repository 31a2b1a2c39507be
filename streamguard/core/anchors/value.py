"""What an anchor is, and decimal arithmetic that no global setting can change."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Literal

Kind = Literal[
    "amount",
    "percent",
    "quantity",
    "number",
    "ordinal",
    "date",
    "time",
    "year",
    "version",
    "identifier",
]

ZERO = Decimal(0)
HALF = Decimal("0.5")

# 40 digits: a 15-digit number times a 16-digit factor stays exact. No traps, so that no value
# raises; the operators of Decimal would use the caller's thread context instead.
ARITHMETIC = Context(
    prec=40, rounding=ROUND_HALF_EVEN, Emin=-999, Emax=999, capitals=1, clamp=0, traps=[]
)

# Share of the value that "about" covers at least and at most; guess.
_APPROX_LEAST = Decimal("0.05")
_APPROX_MOST = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Anchor:
    """One checkable value of a text.

    `start` and `end` are half-open code point offsets into the text that was read. `value` is
    canonical: whole currency units with magnitude applied, the base unit of a quantity's
    dimension, percent as written, minutes after midnight for times, None where only `key` counts.
    `number` is the same before the unit was applied, `scale` the unit's factor. `high` and
    `high_number` are the upper end of a range. `precision` is half the last written place (in the
    scale of `value`); "about" widens it. `rounded`: decimals or a magnitude word show that the
    writer rounds. `family` names a sign that several currencies share ("$", "kr") or a word with
    two readings ("pound"). `word`: written in letters. `ambiguous` holds other readings as keys.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: Decimal | None
    high: Decimal | None
    unit: str | None
    period: str | None
    key: str
    precision: Decimal
    approx: bool
    exact: bool
    ambiguous: tuple[str, ...]
    number: Decimal | None = None
    high_number: Decimal | None = None
    scale: Decimal = Decimal(1)
    rounded: bool = False
    family: str | None = None
    word: bool = False


def literal(kind: Kind, text: str, start: int, end: int, key: str) -> Anchor:
    """Return an anchor that is compared by `key` alone."""
    return Anchor(
        kind, start, end, text[start:end], None, None, None, None, key, ZERO, False, False, ()
    )


def times(first: Decimal, second: Decimal) -> Decimal:
    """Multiply with 40 digits."""
    return ARITHMETIC.multiply(first, second)


def plus(first: Decimal, second: Decimal) -> Decimal:
    """Add with 40 digits."""
    return ARITHMETIC.add(first, second)


def distance(first: Decimal, second: Decimal) -> Decimal:
    """Return the absolute difference."""
    return ARITHMETIC.abs(ARITHMETIC.subtract(first, second))


def quotient(first: Decimal, second: Decimal) -> Decimal:
    """Divide with 40 digits; `second` is not zero."""
    return ARITHMETIC.divide(first, second)


def magnitude_of(value: Decimal) -> Decimal:
    """Return the absolute value."""
    return ARITHMETIC.abs(value)


def plain(value: Decimal) -> str:
    """Write a number without exponent and without trailing zeros: "1299", "0.5"."""
    written = format(value, "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return written if written not in ("-0", "") else "0"


def approximate(value: Decimal, precision: Decimal) -> Decimal:
    """Widen `precision` for "about": half the last non-zero place, within 5 to 10 % of the value."""
    size = magnitude_of(value)
    digits = size.as_tuple().digits
    exponent = size.as_tuple().exponent
    assert isinstance(exponent, int)  # never NaN or infinite: read from digits
    zeros = 0
    while zeros < len(digits) and digits[-1 - zeros] == 0:
        zeros += 1
    last_place = HALF.scaleb(exponent + zeros, ARITHMETIC)
    wide = min(max(last_place, times(size, _APPROX_LEAST)), times(size, _APPROX_MOST))
    return max(precision, wide)
