"""The class of values, and decimal arithmetic independent of global settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Literal, NamedTuple

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
ONE = Decimal(1)
HALF = Decimal("0.5")

# 40 digits: a 15-digit number times a 16-digit factor stays exact. No traps, so that no value
# raises; the operators of Decimal would use the caller's thread context instead.
ARITHMETIC = Context(
    prec=40, rounding=ROUND_HALF_EVEN, Emin=-999, Emax=999, capitals=1, clamp=0, traps=[]
)

# Each with 40 digits.
times, plus, minus = ARITHMETIC.multiply, ARITHMETIC.add, ARITHMETIC.subtract
quotient = ARITHMETIC.divide


# A tuple: one is made for every figure, and a frozen dataclass takes five times as long to make.
class Anchor(NamedTuple):
    """One checkable value of a text.

    `start` and `end` are half-open code point offsets into the text that was read. `value` is
    canonical: whole currency units with magnitude applied, the base unit of a quantity's
    dimension, percent as written, minutes after midnight for times, None if only `key` counts.
    `number` is the same before the unit was applied, `scale` the unit's factor. `high` and
    `high_number` are the upper end of a range. `precision` is half the last written place (in the
    scale of `value`); behind "about" (`approx`) half the last place that is no zero. `rounded`:
    decimals or a magnitude word show that the writer rounds. `family` names a sign that several
    currencies share ("$", "kr") or a word with two readings ("pound"). `ambiguous` holds other
    readings as keys. `word`: written in letters; `casual`: a bare small count in letters ("two
    ways"), which sums up a text more often than it cites one. `noun`: what a bare number counts
    ("tickets"), `label`: what it numbers ("class" of "class 6"), `named`: the name before it ("iOS"
    of "iOS 16"); None if the text does not say.
    `each`: the thing that a rate counts per besides its period ("per user per month"). `once`: a
    price that is paid one time, and not for every period. `exponent`: of the power of ten that a
    magnitude word stands for, 6 of "£8.7 million". `whole`: of a written share ("half of £48") all
    of it, in the scale of `value`. `shifts`: of a figure with several readings the power of ten
    from this one to each other: -3 of "1,826", which is 1.826 where a comma parts decimals.
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
    ambiguous: tuple[str, ...]
    number: Decimal | None = None
    high_number: Decimal | None = None
    scale: Decimal = ONE
    rounded: bool = False
    family: str | None = None
    word: bool = False
    casual: bool = False
    noun: str | None = None
    each: str | None = None
    once: bool = False
    exponent: int = 0
    label: str | None = None
    whole: Decimal | None = None
    shifts: tuple[int, ...] = ()
    named: str | None = None


def readings_of(anchor: Anchor) -> tuple[Anchor, ...]:
    """Return a value in each of its readings, the English one first; most have one."""
    if not anchor.shifts:
        return (anchor,)
    first = anchor._replace(ambiguous=(), shifts=())
    return (first, *[_read_otherwise(first, shift) for shift in anchor.shifts])


def _read_otherwise(anchor: Anchor, shift: int) -> Anchor:
    sizes = (anchor.value, anchor.high, anchor.number, anchor.high_number)
    value, high, number, high_number = (
        None if size is None else shifted(size, shift) for size in sizes
    )
    assert value is not None  # only figures have several readings
    return anchor._replace(
        value=value,
        high=high,
        number=number,
        high_number=high_number,
        key=key_of(value, high),
        precision=shifted(anchor.precision, shift),
        rounded=shift < 0 or anchor.exponent > 0,
    )


def literal(
    kind: Kind,
    text: str,
    start: int,
    end: int,
    key: str,
    value: Decimal | None = None,
    *,
    unit: str | None = None,
    others: tuple[str, ...] = (),
) -> Anchor:
    """Return an anchor compared by `key` alone, or by its `value`, which is its number."""
    said = text[start:end]
    return Anchor(kind, start, end, said, value, None, unit, None, key, ZERO, False, others, value)


def listed(words: str) -> frozenset[str]:
    """Return the words of a table written as one string."""
    return frozenset(words.split())


def rows(table: str) -> dict[str, str]:
    """Return the head of each word in "head: word word; head: word"; "_" stands for a space."""
    pairs = (row.split(":") for row in table.split(";"))
    return {word.replace("_", " "): head.strip() for head, words in pairs for word in words.split()}


def numbered(table: str) -> dict[str, int]:
    """Return the number of each word in a table whose row heads are numbers."""
    return {word: int(head) for word, head in rows(table).items()}


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for these words, longest first, as a tree of their first letters.

    The regex engine would try every alternative of a flat list.
    """
    tails: dict[str, list[str]] = {}
    for word in sorted(words):
        tails.setdefault(word[:1], []).append(word[1:])
    optional = "?" if tails.pop("", None) else ""
    branches = (re.escape(head) + any_of(rest) * any(rest) for head, rest in tails.items())
    return f"(?:{'|'.join(branches)}){optional}"


def shifted(number: Decimal, exponent: int) -> Decimal:
    """Return a number times ten to the power of `exponent`, between -200 and 200."""
    return number.scaleb(exponent, ARITHMETIC)


def half_of_last(number: Decimal) -> Decimal:
    """Return half the last nonzero decimal place of a number: 5 for 130, 0.05 for 1.3."""
    return shifted(HALF, last_place(number))


def last_place(number: Decimal) -> int:
    """Return the exponent of the last nonzero decimal place: 1 for 130, -1 for 1.3."""
    place = number.normalize(ARITHMETIC).as_tuple().exponent
    assert isinstance(place, int)  # values are read from digits: never infinite, never NaN
    return place


def digits_of(number: Decimal) -> int:
    """Return the number of digits from a number's first to its last nonzero one."""
    return len(number.normalize(ARITHMETIC).as_tuple().digits)


def key_of(value: Decimal, high: Decimal | None = None) -> str:
    """Return the key of a figure, or of a range of figures."""
    return plain(value) if high is None else f"{plain(value)}..{plain(high)}"


def plain(value: Decimal) -> str:
    """Write a number without exponent and without trailing zeros: "1299", "0.5", "-3"."""
    written = str(value)
    if "E" in written:
        written = format(value, "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return "0" if written == "-0" else written
