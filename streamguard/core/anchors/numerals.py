"""Numerals: digits in the styles people write them, and English number words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from streamguard.core.anchors.value import ARITHMETIC, plus, quotient, times

_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as written at [start, end): its value and the value of its last written place.

    `rounded`: it has decimals or a magnitude word. `word`: it is written in letters. `others`
    are further readings: "1.299" may be 1299.
    """

    start: int
    end: int
    value: Decimal
    place: Decimal
    rounded: bool
    word: bool
    others: tuple[Decimal, ...] = ()
    scaled: bool = False


# Every run is bounded: longer digit runs are identifiers, not numbers.
_DIGITS = re.compile(
    r"(?P<western>\d{1,3}(?:,\d{3}){1,6}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<indian>\d{1,2}(?:,\d{2}){1,5},\d{3}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<german>\d{1,3}(?:\.\d{3}){1,6}(?!\d)(?:,\d{1,12}(?!\d))?)(?!\.\d)"
    r"|(?P<swiss>\d{1,3}(?:'\d{3}){1,6}(?!\d)(?:\.\d{1,12}(?!\d))?)"
    r"|(?P<french>[1-9]\d{0,2}(?: \d{3}){1,6}(?![\d])(?:[.,]\d{1,12}(?!\d))?)(?! ?[-/]?\d)"
    r"|(?P<comma>\d{1,15},(?:\d{1,2}|\d{4,12})(?!\d|,\d|/))"
    r"|(?P<plain>\d{1,15}(?:\.\d{1,12}(?!\d)(?!\.\d))?(?!\d))",
    re.ASCII,
)
_FRACTION = re.compile(
    r"(?:(?P<whole>\d{1,4})[ -])?(?P<top>\d{1,3})[/⁄](?P<bottom>\d{1,4})(?![\d/⁄]|[-.,]\d)",
    re.ASCII,
)
_VULGAR = re.compile(r"[ ]?([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
VULGAR_FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_VULGAR_VALUES = dict(
    zip(
        VULGAR_FRACTIONS,
        (
            quotient(Decimal(top), Decimal(bottom))
            for top, bottom in (
                (1, 4), (1, 2), (3, 4), (1, 7), (1, 9), (1, 10), (1, 3), (2, 3), (1, 5),
                (2, 5), (3, 5), (4, 5), (1, 6), (5, 6), (1, 8), (3, 8), (5, 8), (7, 8),
            )
        ),
        strict=True,
    )
)  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile(
    r"[eE](?P<e>[+-]?\d{1,2})(?!\w)"
    r"|[ ]?[x×*·][ ]?10(?:\^|\*\*)(?P<caret>[+-]?\d{1,2})(?!\w)"
    r"|[ ]?[x×*·][ ]?10(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,2})",
    re.ASCII,
)

_MAGNITUDE_WORDS = {
    "hundred": 2, "thousand": 3, "k": 3, "tausend": 3, "lakh": 5, "lakhs": 5, "million": 6,
    "millions": 6, "millionen": 6, "mio": 6, "mn": 6, "mm": 6, "crore": 7, "crores": 7,
    "billion": 9, "billions": 9, "bn": 9, "mrd": 9, "milliarden": 9, "milliards": 9,
    "trillion": 12, "trillions": 12, "tn": 12, "trn": 12, "quadrillion": 15,
}  # fmt: skip
_MAGNITUDE = re.compile(
    r"[ -]?(?P<word>hundred|thousand|tausend|lakhs?|million(?:s|en)?|crores?|billions?|trillions?"
    r"|quadrillion|milliarden|milliards|bn|mn|tn|trn|mio\.?|mrd\.?)(?!\w)"
    r"|(?P<glued>[kK])(?!\w)"
)
_GLUED_CAPITAL = re.compile(r"(?P<glued>MM|[MBT])(?!\w)")
_MONEY_MAGNITUDE = re.compile(r"[ ]?(?P<glued>MM|mm|[KMBTkmbt])(?!\w)")
_LETTER_EXPONENTS = {"k": 3, "m": 6, "mm": 6, "b": 9, "t": 12}


def read_digits(text: str, low: str, start: int, *, money: bool = False) -> Numeral | None:
    """Read the numeral in digits at `start`, magnitude included; None where none stands there.

    Reads `1,299.00`, `1.299,00`, `1 299,00`, `1'299.00`, `12,34,567`, `2 1/2`, `1.5e6`, `1.2M`.
    With `money` a lower-case "m", "b" or "t" is a magnitude as well. A digit run of more than 15
    digits is no numeral.
    """
    numeral = _fraction(text, start) or _written(text, start)
    if numeral is None:
        return None
    return _with_magnitude(text, low, _with_power(text, numeral), money=money)


def _written(text: str, start: int) -> Numeral | None:
    found = _DIGITS.match(text, start)
    if found is None:
        return None
    style, digits = found.lastgroup, found[0]
    others: tuple[Decimal, ...] = ()
    if style in ("western", "indian"):
        number = Decimal(digits.replace(",", ""))
    elif style == "german":
        number, others = _german(digits)
    elif style == "swiss":
        number = Decimal(digits.replace("'", ""))
    else:  # comma and French style: the comma, if any, is the decimal point
        number = Decimal(digits.replace(" ", "").replace(",", "."))
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # read from digits, so finite
    place = _ONE.scaleb(exponent, ARITHMETIC)
    numeral = Numeral(start, found.end(), number, place, exponent < 0, False, others)
    vulgar = _VULGAR.match(text, found.end()) if exponent == 0 else None
    if vulgar is None:
        return numeral
    return replace(
        numeral, end=vulgar.end(), value=plus(number, _VULGAR_VALUES[vulgar[1]]), rounded=False
    )


def _german(digits: str) -> tuple[Decimal, tuple[Decimal, ...]]:
    grouped = Decimal(digits.replace(".", "").replace(",", "."))
    if "," in digits or digits.count(".") > 1:
        return grouped, ()
    # One group of three after a dot: English reads decimals, German thousands.
    return Decimal(digits), (grouped,)


def _fraction(text: str, start: int) -> Numeral | None:
    if text[start] in _VULGAR_VALUES:
        value = _VULGAR_VALUES[text[start]]
        return Numeral(start, start + 1, value, Decimal("0.01"), False, False)
    found = _FRACTION.match(text, start)
    if found is None:
        return None
    top, bottom = int(found["top"]), int(found["bottom"])
    if not 0 < top < bottom <= 100:
        return None
    value = quotient(Decimal(top), Decimal(bottom))
    if found["whole"]:
        value = plus(Decimal(found["whole"]), value)
    return Numeral(start, found.end(), value, Decimal("0.01"), False, False)


def _with_power(text: str, numeral: Numeral) -> Numeral:
    found = _POWER.match(text, numeral.end)
    if found is None:
        return numeral
    digits = found["e"] or found["caret"] or found["raised"].translate(_SUPERSCRIPTS)
    return _scaled(numeral, int(digits), found.end())


def _with_magnitude(text: str, low: str, numeral: Numeral, *, money: bool) -> Numeral:
    found = _MAGNITUDE.match(low, numeral.end)
    if found is not None:
        word = (found["word"] or found["glued"]).rstrip(".")
        return _scaled(numeral, _MAGNITUDE_WORDS[word], found.end())
    found = (_MONEY_MAGNITUDE if money else _GLUED_CAPITAL).match(text, numeral.end)
    if found is not None:
        return _scaled(numeral, _LETTER_EXPONENTS[found["glued"].lower()], found.end())
    return numeral


def _scaled(numeral: Numeral, exponent: int, end: int) -> Numeral:
    power = _ONE.scaleb(exponent, ARITHMETIC)
    return replace(
        numeral,
        end=end,
        value=times(numeral.value, power),
        place=times(numeral.place, power),
        rounded=True,
        others=tuple(times(other, power) for other in numeral.others),
        scaled=True,
    )


ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
    "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8,
    "tenth": 10, "tenths": 10,
}  # fmt: skip
_WORD = re.compile(r"([a-z]{3,9})(?![\w])")
_JOIN = re.compile(r"[ -](and[ ])?")
_AND_A_HALF = re.compile(r"[ -]and[ -](?:an?|one)[ -](half|third|quarter)(?!\w)")
_PARTS = re.compile(
    r"[ -](thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?|half|halves)(?!\w)"
)
# "one hundred and twenty-five thousand, three hundred": more words are no number people write.
_MAX_WORDS = 12


def read_words(low: str, start: int) -> Numeral | None:
    """Read the English number words at `start` ("twenty-five", "two hundred and six").

    `low` is the lower-cased text. "a hundred" begins at "hundred": the caller widens the span. A
    fraction after a count is read as one value: "two thirds", "one and a half". None where the
    word there is no number.
    """
    total, group, end, last = 0, -1, start, ""
    position = start
    for _ in range(_MAX_WORDS):
        found = _WORD.match(low, position)
        word = found[1] if found else ""
        group_after = _append(word, group, last)
        if found is None or group_after is None:
            break
        if word in POWERS and POWERS[word] > 2:
            total, group_after = total + group_after, 0
        elif word == "dozen":
            total, group_after = total + group_after, 0
        group, end, last = group_after, found.end(), word
        joined = _JOIN.match(low, end)
        if joined is None or (joined[1] and last not in POWERS):
            break
        position = joined.end()
    if not last:
        return None
    numeral = Numeral(start, end, Decimal(total + max(group, 0)), _ONE, False, True)
    return _with_fraction(low, numeral)


def _append(word: str, group: int, last: str) -> int | None:
    """Return the value of the current group of thousands after `word`, None if it cannot follow."""
    if word in ONES:
        fits = not last or last in POWERS or (last in TENS and 0 < ONES[word] < 10)
        return max(group, 0) + ONES[word] if fits and last != "dozen" else None
    if word in TENS:
        return max(group, 0) + TENS[word] if not last or last in POWERS else None
    if word == "dozen":
        return max(group, 1) * 12 if last not in POWERS and last != "dozen" else None
    if word in POWERS:
        if last == "dozen" or (word == "hundred" and last in POWERS):
            return None
        return (group if group > 0 else 1) * 10 ** POWERS[word]
    return None


def _with_fraction(low: str, numeral: Numeral) -> Numeral:
    found = _AND_A_HALF.match(low, numeral.end)
    if found is not None:
        part = quotient(_ONE, Decimal(FRACTIONS[found[1]]))
        return replace(numeral, end=found.end(), value=plus(numeral.value, part))
    found = _PARTS.match(low, numeral.end)
    if found is not None and 0 < numeral.value < FRACTIONS[found[1]]:
        value = quotient(numeral.value, Decimal(FRACTIONS[found[1]]))
        return replace(numeral, end=found.end(), value=value, place=Decimal("0.01"))
    return numeral


def part(of: int) -> Decimal:
    """Return one `of`-th."""
    return quotient(_ONE, Decimal(of))


_SCALED_HALF = re.compile(r"[ ]an?[ ](dozen|hundred|thousand|million|billion|trillion)(?!\w)")


def scaled_half(low: str, end: int) -> tuple[Decimal, int] | None:
    """Return the factor and end of "a million" after "half"; None elsewhere."""
    found = _SCALED_HALF.match(low, end)
    if found is None:
        return None
    power = 12 if found[1] == "dozen" else 10 ** POWERS[found[1]]
    return Decimal(power), found.end()


def share_magnitude(first: Numeral, second: Numeral) -> Numeral:
    """Give `first` the magnitude of `second` where the text means both ("5-10 million")."""
    exponent = second.place.adjusted()
    shift = exponent + _decimals(second)
    return (
        _scaled(first, shift, first.end)
        if times(first.value, _ONE.scaleb(shift, ARITHMETIC)) < second.value
        else first
    )


def _decimals(numeral: Numeral) -> int:
    return 0
