"""Parses numerals in digits and in English words, in all common styles."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values.magnitudes import ENGLISH, FIRST_LETTERS, GAPS, WIDE, read_magnitude
from streamguard.values.value import HALF, ONE, any_of, listed, numbered, plus, quotient, shifted


# A tuple, as one is made and dropped for every figure: a frozen dataclass takes three times as long
# to make.
class Numeral(NamedTuple):
    """A number at [start, end): its value and the value of its last written place.

    `rounded`: it has decimals or a magnitude. `word`: it is written in letters. `shifts` are the
    powers of ten from this reading to others: "1.299" may be 1299, "1,826" may be 1.826. `exponent`
    is the power of ten of a magnitude ("k").
    """

    start: int
    end: int
    value: Decimal
    place: Decimal
    rounded: bool = False
    word: bool = False
    shifts: tuple[int, ...] = ()
    exponent: int = 0


# Every run is bounded: a run of more than 15 digits is an identifier, not a number.
_DECIMALS = r"(?!\d)(?:\.\d{1,12}(?!\d))?"
_DIGITS = lazy_re(
    rf"(?a)(?P<grouped>\d{{1,3}}(?:,\d{{3}}){{1,6}}{_DECIMALS}"
    rf"|\d{{1,2}}(?:,\d{{2}}){{1,5}},\d{{3}}{_DECIMALS})"
    r"|(?P<swiss>\d{1,3}(?:'\d{3}){1,6}(?!\d)(?:[.,]\d{1,12}(?!\d))?)"
    r"|(?P<german>\d{1,3}(?:\.\d{3}){1,6}(?!\d)(?:,\d{1,12}(?!\d))?)(?!\.\d)"
    r"|(?P<french>[1-9]\d{0,2}(?: \d{3}){1,6}(?!\d)(?:[.,]\d{1,12}(?!\d))?)(?![ ]?[-/]?\d)"
    r"|(?P<comma>(?<!\d,)\d{1,15},(?:\d{1,2}|\d{4,12})(?!\d|,\d|/))"
    r"|(?P<plain>\d{1,15}(?:\.\d{1,12}(?!\d)(?!\.\d))?(?!\d)|\.\d{1,12}(?!\d|[.,]\d))"
)
_RUN = lazy_re(r"\d{1,15}(?!\d)", re.ASCII)
_FRACTION = lazy_re(
    r"(?a)(?:(?P<whole>\d{1,4})(?:[ -]|[ ]and[ ]))?(?P<top>\d{1,3})/(?P<bottom>\d{1,3})"
    r"(?![\d/]|[.,]\d|-\d{4})"
)
_LONGEST_SHORT, _PARTS_THOUSANDS = len("123,456"), (",", ".")
_TO_DECIMALS, _TO_GROUPS = (-3,), (3,)
_LARGEST_BOTTOM = 100  # "365/24" is no fraction people read as a value; guess
_GOES_ON = frozenset("0123456789/")
_MAY_GO_ON = frozenset(" .,'-")
# A fraction is meant to about a hundredth: "2/3" is 67 %; guess.
FRACTION_PLACE = Decimal("0.01")

_MOST_PARTS = 4  # behind the first one: "1兆2億3万4千5"

POWERS = {word: ENGLISH[word] for word in "hundred thousand million billion trillion".split()}
ONES = numbered(
    "0: zero; 1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine;"
    "10: ten; 11: eleven; 12: twelve; 13: thirteen; 14: fourteen; 15: fifteen; 16: sixteen;"
    "17: seventeen; 18: eighteen; 19: nineteen"
)
TENS = numbered(
    "20: twenty; 30: thirty; 40: forty; 50: fifty; 60: sixty; 70: seventy; 80: eighty; 90: ninety"
)
_PARTS_OF = numbered(
    "2: half halves; 3: third thirds; 4: quarter quarters fourth fourths; 5: fifth fifths;"
    "6: sixth sixths; 8: eighth eighths; 10: tenth tenths"
)
_BARE_FRACTIONS = listed("half quarter third")  # "third" only after an article
# Words with which a numeral in letters begins.
STARTS = frozenset({*ONES, *TENS, *POWERS, "dozen"}) | _BARE_FRACTIONS

_WORD = lazy_re(r"([a-z]{3,9})(?!\w)")
_JOIN = lazy_re(r"[ -](and[ ])?")
_AND_A_HALF = lazy_re(r"[ -]and[ -](?:an?|one)[ -](half|third|quarter)(?!\w)")
_PARTS = lazy_re(rf"[ -]({any_of(_PARTS_OF)})(?!\w)")
_ARTICLE_BEFORE = lazy_re(r"(?<!\w)(?:an?|one)[ -]$")
_HALF_UNIT = lazy_re(r"[ -](?:hour|day|week|month|year|mile|pint|inch|litre|liter)s?(?!\w)")
# "half an hour", "a quarter of an inch", "half the users"; the unit follows right after.
_OF = lazy_re(r"[ -](?:of[ ])?(?:an?|the)(?=[ ])|[ ]of(?=[ ])")
_OF_ONE = lazy_re(r"[ ]of[ ]an?(?=[ ](?!dozen|hundred|thousand|million|billion|trillion))")
# "one hundred and twenty-five thousand three hundred": more words are no number people write.
_MAX_WORDS = 12


def read_numeral(text: str, low: str, start: int, *, money: bool = False) -> Numeral | None:
    """Parse the numeral in digits or words at `start`, magnitude included; None without one.

    Accepts `1,299.00`, `1.299,00`, `1 299,00`, `1'299.00`, `12,34,567`, `.5`, `2 1/2`, `1.2M`.
    `low` is the lower-cased text. With `money` a lower-case "m", "b" or "t" is a magnitude as well.
    A run of more than 15 digits is no numeral.
    """
    if low[start : start + 1].isalpha():
        return read_words(low, start)
    numeral = _whole(text, start) or _fraction(text, start) or _written(text, start)
    if numeral is None:
        return None
    at = numeral.end + (low[numeral.end : numeral.end + 1] in GAPS)
    if low[at : at + 1] not in FIRST_LETTERS:
        return numeral
    found = read_magnitude(text, low, numeral.end, money=money)
    if found is None:
        return numeral
    whole = scaled(numeral, found.exponent, found.end)
    if found.shifts:
        return whole._replace(shifts=found.shifts)
    is_wide = text[found.end - 1] in WIDE
    return _with_parts(text, low, whole, found.exponent) if is_wide else whole


def _with_parts(text: str, low: str, whole: Numeral, exponent: int) -> Numeral:
    """Add the smaller parts of "1億2000万" and "3万5000"; the last part may have no sign."""
    for _ in range(_MOST_PARTS):
        start = whole.end + (text[whole.end : whole.end + 1] == " ")
        part = _RUN.match(text, start)
        if part is None:
            break
        found = read_magnitude(text, low, part.end())
        is_glued = start == whole.end
        if found is None and not is_glued:
            break
        power, end = (found.exponent, found.end) if found else (0, part.end())
        value = shifted(Decimal(part[0]), power)
        if value >= shifted(ONE, exponent):
            break
        whole = whole._replace(
            end=end,
            value=plus(whole.value, value),
            place=shifted(ONE, power),
            exponent=0,
            rounded=power > 0,
        )
        exponent = power
    return whole


def _whole(text: str, start: int) -> Numeral | None:
    """Parse digits with nothing after them: most numerals, without the patterns of all styles."""
    if (found := _RUN.match(text, start)) is None:
        return None
    end = found.end()
    after, next_one = text[end : end + 1], text[end + 1 : end + 2]
    goes_on = after in _GOES_ON or (after in _MAY_GO_ON and next_one in _GOES_ON)
    return None if goes_on else Numeral(start, end, Decimal(found[0]), ONE)


def _written(text: str, start: int) -> Numeral | None:
    if (found := _DIGITS.match(text, start)) is None:
        return None
    style, digits = found.lastgroup, found[0]
    shifts: tuple[int, ...] = ()
    # One group of three: English reads decimals behind a point, others behind a comma. Nothing
    # that begins with a zero is written in groups.
    is_short = len(digits) <= _LONGEST_SHORT and digits[-4:-3] in _PARTS_THOUSANDS
    if style == "grouped" and not (is_short and digits[0] == "0"):
        number = Decimal(digits.replace(",", ""))
        # Nobody writes 68 as "68,000", to three places.
        shifts = _TO_DECIMALS if is_short and not digits.endswith("000") else ()
    elif style == "german" and not is_short:
        number = Decimal(digits.replace(".", "").replace(",", "."))
    elif style == "german":
        number = Decimal(digits)
        shifts = () if digits[0] == "0" else _TO_GROUPS
    else:  # in the comma, the French and the Swiss style a comma is the decimal point
        number = Decimal(digits.replace(" ", "").replace("'", "").replace(",", "."))
    place = number.as_tuple().exponent  # of the last written digit: -2 for 49.95, 0 for 50
    assert isinstance(place, int)  # values are read from digits: never infinite, never NaN
    return Numeral(start, found.end(), number, shifted(ONE, place), place < 0, False, shifts)


def _fraction(text: str, start: int) -> Numeral | None:
    if (found := _FRACTION.match(text, start)) is None:
        return None
    top, bottom = int(found["top"]), int(found["bottom"])
    if not 0 < top < bottom <= _LARGEST_BOTTOM:
        return None
    value = plus(quotient(Decimal(top), Decimal(bottom)), Decimal(found["whole"] or 0))
    return Numeral(start, found.end(), value, FRACTION_PLACE)


def scaled(numeral: Numeral, exponent: int, end: int) -> Numeral:
    """Return the numeral times ten to the power of `exponent`, ending at `end`."""
    value, place = shifted(numeral.value, exponent), shifted(numeral.place, exponent)
    return numeral._replace(end=end, value=value, place=place, rounded=True, exponent=exponent)


def read_words(low: str, start: int) -> Numeral | None:
    """Parse the number words at `start`; `low` is the lower-cased text.

    "a hundred" is parsed from "hundred": the caller extends the span. A fraction after a count is
    part of the value: "two thirds", "one and a half". None if the words are no number, also for
    "half-life" and "the third".
    """
    found = _WORD.match(low, start)
    if found is not None and found[1] in _BARE_FRACTIONS:
        return _bare_fraction(low, start, found[1])
    if (numeral := _count(low, start)) is None:
        return None
    if half := _AND_A_HALF.match(low, numeral.end):
        value = plus(numeral.value, quotient(ONE, Decimal(_PARTS_OF[half[1]])))
        return numeral._replace(end=half.end(), value=value, place=HALF)
    parts = _PARTS.match(low, numeral.end)
    if parts is None or not 0 < numeral.value < _PARTS_OF[parts[1]]:
        return numeral
    value = quotient(numeral.value, Decimal(_PARTS_OF[parts[1]]))
    end = (_OF_ONE.match(low, parts.end()) or parts).end()
    return numeral._replace(end=end, value=value, place=FRACTION_PLACE)


def _count(low: str, start: int) -> Numeral | None:
    total, group, end, last = 0, -1, start, ""
    position = start
    for _ in range(_MAX_WORDS):
        found = _WORD.match(low, position)
        longer = _append(found[1], group, last) if found else None
        if found is None or longer is None:
            break
        group, end, last = longer, found.end(), found[1]
        if POWERS.get(last, 0) > 2 or last == "dozen":
            total, group = total + group, 0
        joined = _JOIN.match(low, end)
        if joined is None or (joined[1] and last not in POWERS):
            break
        position = joined.end()
    if not last:
        return None
    return Numeral(start, end, Decimal(total + max(group, 0)), ONE, last in POWERS, True)


def _append(word: str, group: int, last: str) -> int | None:
    """Return the current group of thousands after `word`, None if it cannot follow `last`."""
    behind_power = not last or last in POWERS
    if word in ONES:
        fits = behind_power or (last in TENS and 0 < ONES[word] < 10)
        return max(group, 0) + ONES[word] if fits else None
    if word in TENS:
        return max(group, 0) + TENS[word] if behind_power else None
    if last == "dozen" or (word in ("hundred", "dozen") and last in POWERS):
        return None
    if word == "dozen":
        return max(group, 1) * 12
    return max(group, 1) * 10 ** POWERS[word] if word in POWERS else None


def _bare_fraction(low: str, start: int, word: str) -> Numeral | None:
    """Parse "half an hour", "half a million" or "a third of"."""
    end = start + len(word)
    if word == "half" and low.startswith(" a ", end) and (whole := _count(low, end + 3)):
        place = quotient(whole.value, Decimal(2))
        return Numeral(start, whole.end, place, place, True, True)
    if word != "half" and not _ARTICLE_BEFORE.search(low, max(0, start - 6), start):
        return None
    found = _OF.match(low, end)
    if found is None and not (word == "half" and _HALF_UNIT.match(low, end)):
        return None
    value = quotient(ONE, Decimal(_PARTS_OF[word]))
    return Numeral(start, found.end() if found else end, value, FRACTION_PLACE, False, True)
