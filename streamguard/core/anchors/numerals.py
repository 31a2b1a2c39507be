"""Numerals in digits, in the styles people write them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from streamguard.core.anchors.value import ONE, last_place, plus, power_of_ten, quotient, times


# A tuple, as what is read on the way to an anchor is made for every figure and dropped: a frozen
# dataclass takes three times as long to make.
class Numeral(NamedTuple):
    """A number as written at [start, end): its value and the value of its last written place.

    `rounded`: it has decimals or a magnitude. `word`: it is written in letters. `others` are
    further readings: "1.299" may be 1299. `exponent` is the power of ten of a magnitude ("k").
    """

    start: int
    end: int
    value: Decimal
    place: Decimal
    rounded: bool = False
    word: bool = False
    others: tuple[Decimal, ...] = ()
    exponent: int = 0


# Every run is bounded: a run of more than 15 digits is an identifier, not a number.
_DIGITS = re.compile(
    r"(?P<western>\d{1,3}(?:,\d{3}){1,6}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<indian>\d{1,2}(?:,\d{2}){1,5},\d{3}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<german>\d{1,3}(?:\.\d{3}){1,6}(?!\d)(?:,\d{1,12}(?!\d))?)(?!\.\d)"
    r"|(?P<swiss>\d{1,3}(?:'\d{3}){1,6}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<french>[1-9]\d{0,2}(?: \d{3}){1,6}(?!\d)(?:[.,]\d{1,12}(?!\d))?)(?![ ]?[-/]?\d)"
    r"|(?P<comma>(?<!\d,)\d{1,15},(?:\d{1,2}|\d{4,12})(?!\d|,\d|/))"
    r"|(?P<plain>\d{1,15}(?:\.\d{1,12}(?!\d)(?!\.\d))?(?!\d))",
    re.ASCII,
)
_FRACTION = re.compile(
    r"(?:(?P<whole>\d{1,4})(?:[ -]|[ ]and[ ]))?(?P<top>\d{1,3})[/⁄](?P<bottom>\d{1,3})"
    r"(?![\d/⁄]|[.,]\d|-\d{4})",
    re.ASCII,
)
_LARGEST_BOTTOM = 100  # "365/24" is no fraction people read as a value; guess
_VULGAR_TABLE = (
    "¼ 1 4 ½ 1 2 ¾ 3 4 ⅐ 1 7 ⅑ 1 9 ⅒ 1 10 ⅓ 1 3 ⅔ 2 3 ⅕ 1 5 ⅖ 2 5 ⅗ 3 5 ⅘ 4 5 ⅙ 1 6 ⅚ 5 6 ⅛ 1 8"
    " ⅜ 3 8 ⅝ 5 8 ⅞ 7 8"
)
_VULGAR_VALUES = {
    sign: quotient(Decimal(top), Decimal(bottom))
    for sign, top, bottom in zip(*[iter(_VULGAR_TABLE.split())] * 3, strict=True)
}
VULGAR_FRACTIONS = "".join(_VULGAR_VALUES)
_GOES_ON = frozenset("0123456789/⁄" + VULGAR_FRACTIONS)
_MAY_GO_ON = frozenset(" .,'-")
_VULGAR = re.compile(rf"[ ]?([{VULGAR_FRACTIONS}])")
# A fraction is meant to about a hundredth: "2/3" is 67 %; guess.
FRACTION_PLACE = Decimal("0.01")

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile(
    r"e(?P<e>[+-]?\d{1,2})(?!\w)"
    r"|[ ]?[x×*·][ ]?10(?:\^|\*\*)(?P<caret>[+-]?\d{1,2})(?!\w)"
    r"|[ ]?[x×*·][ ]?10(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,2})",
    re.ASCII,
)
_MAGNITUDES = {
    "hundred": 2, "thousand": 3, "k": 3, "tausend": 3, "lakh": 5, "lakhs": 5, "million": 6,
    "millions": 6, "millionen": 6, "mio": 6, "mn": 6, "m": 6, "mm": 6, "crore": 7, "crores": 7,
    "billion": 9, "billions": 9, "bn": 9, "b": 9, "mrd": 9, "milliarden": 9, "milliards": 9,
    "trillion": 12, "trillions": 12, "tn": 12, "trn": 12, "t": 12, "quadrillion": 15,
}  # fmt: skip
_MAGNITUDE = re.compile(
    r"[ -]?(?P<word>hundred|thousand|tausend|lakhs?|million(?:s|en)?|crores?|billions?|trillions?"
    r"|quadrillion|milliarden|milliards|bn|mn|tn|trn|mio\.?|mrd\.?)(?!\w)|(?P<glued>k)(?!\w)"
)
# "5M users", "7B parameters"; lower-case "5m" is five metres, unless it is money.
_CAPITAL_MAGNITUDE = re.compile(r"(MM|[MBT])(?!\w)")
_MONEY_MAGNITUDE = re.compile(r"[ ]?(MM|mm|[KMBTkmbt])(?!\w)")


def read_digits(text: str, low: str, start: int, *, money: bool = False) -> Numeral | None:
    """Read the numeral in digits at `start`, magnitude included; None where none stands there.

    Reads `1,299.00`, `1.299,00`, `1 299,00`, `1'299.00`, `12,34,567`, `2 1/2`, `½`, `1.5e6`,
    `1.2M`. `low` is the lower-cased text. With `money` a lower-case "m", "b" or "t" is a
    magnitude as well. A run of more than 15 digits is no numeral.
    """
    numeral = _whole(text, start) or _fraction(text, start) or _written(text, start)
    if numeral is None:
        return None
    after = low[numeral.end : numeral.end + 1]
    if after in (" ", "-"):
        after = low[numeral.end + 1 : numeral.end + 2]
    if after in _POWER_STARTS:
        numeral = _with_power(low, numeral)
    if after in _MAGNITUDE_STARTS:
        numeral = _with_magnitude(text, low, numeral, money=money)
    return numeral


# The letters with which a power of ten or a magnitude can begin, after a space or a hyphen too.
_POWER_STARTS = frozenset("ex×*·")
_MAGNITUDE_STARTS = frozenset("kmbtlhcq")
_RUN = re.compile(r"\d{1,15}(?!\d)", re.ASCII)


def _whole(text: str, start: int) -> Numeral | None:
    """Read digits that nothing goes on: most numerals are, and need no pattern of a style."""
    found = _RUN.match(text, start)
    if found is None:
        return None
    after, next_one = text[found.end() : found.end() + 1], text[found.end() + 1 : found.end() + 2]
    if after in _GOES_ON or (after in _MAY_GO_ON and next_one in _GOES_ON):
        return None
    return Numeral(start, found.end(), Decimal(found[0]), ONE)


def _written(text: str, start: int) -> Numeral | None:
    found = _DIGITS.match(text, start)
    if found is None:
        return None
    style, digits = found.lastgroup, found[0]
    others: tuple[Decimal, ...] = ()
    if style == "plain":
        number = Decimal(digits)
    elif style in ("western", "indian"):
        number = Decimal(digits.replace(",", ""))
    elif style == "german":
        number, others = _german(digits)
    elif style == "swiss":
        number = Decimal(digits.replace("'", ""))
    else:  # in the comma and the French style a comma is the decimal point
        number = Decimal(digits.replace(" ", "").replace(",", "."))
    place = last_place(number)
    numeral = Numeral(start, found.end(), number, power_of_ten(place), place < 0, False, others)
    vulgar = None if place else _VULGAR.match(text, found.end())
    if vulgar is None:
        return numeral
    value = plus(number, _VULGAR_VALUES[vulgar[1]])
    return Numeral(start, vulgar.end(), value, FRACTION_PLACE)


def _german(digits: str) -> tuple[Decimal, tuple[Decimal, ...]]:
    grouped = Decimal(digits.replace(".", "").replace(",", "."))
    if "," in digits or digits.count(".") > 1:
        return grouped, ()
    # One group of three after a dot: English reads decimals, German thousands.
    return Decimal(digits), (grouped,)


def _fraction(text: str, start: int) -> Numeral | None:
    if text[start] in _VULGAR_VALUES:
        return Numeral(start, start + 1, _VULGAR_VALUES[text[start]], FRACTION_PLACE)
    found = _FRACTION.match(text, start)
    if found is None:
        return None
    top, bottom = int(found["top"]), int(found["bottom"])
    if not 0 < top < bottom <= _LARGEST_BOTTOM:
        return None
    value = quotient(Decimal(top), Decimal(bottom))
    if found["whole"]:
        value = plus(Decimal(found["whole"]), value)
    return Numeral(start, found.end(), value, FRACTION_PLACE)


def _with_power(low: str, numeral: Numeral) -> Numeral:
    found = _POWER.match(low, numeral.end)
    if found is None:
        return numeral
    digits = found["e"] or found["caret"] or found["raised"].translate(_SUPERSCRIPTS)
    return scaled(numeral, int(digits), found.end())


def _with_magnitude(text: str, low: str, numeral: Numeral, *, money: bool) -> Numeral:
    found = _MAGNITUDE.match(low, numeral.end)
    if found is not None:
        word = (found["word"] or found["glued"]).rstrip(".")
        return scaled(numeral, _MAGNITUDES[word], found.end())
    found = (_MONEY_MAGNITUDE if money else _CAPITAL_MAGNITUDE).match(text, numeral.end)
    if found is not None:
        return scaled(numeral, _MAGNITUDES[found[1].lower()], found.end())
    return numeral


def scaled(numeral: Numeral, exponent: int, end: int) -> Numeral:
    """Return the numeral times ten to the power of `exponent`, ending at `end`."""
    power = power_of_ten(exponent)
    return numeral._replace(
        end=end,
        value=times(numeral.value, power),
        place=times(numeral.place, power),
        rounded=True,
        others=tuple(times(other, power) for other in numeral.others),
        exponent=exponent,
    )
