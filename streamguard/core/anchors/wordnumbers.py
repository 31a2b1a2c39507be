"""English number words: "twenty-five", "two hundred and six", "a dozen", "half an hour"."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.core.anchors.numerals import FRACTION_PLACE, Numeral
from streamguard.core.anchors.value import HALF, ONE, plus, quotient, times

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES = {word: value for value, word in enumerate(_ONES.split())}
TENS = {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
    "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8,
    "tenth": 10, "tenths": 10,
}  # fmt: skip
# Words with which a numeral in letters begins; "third" only after an article.
STARTS = frozenset({*ONES, *TENS, *POWERS, "dozen", "half", "quarter", "third"})
BARE_FRACTIONS = frozenset(["half", "quarter", "third"])

_WORD = re.compile(r"([a-z]{3,9})(?!\w)")
_JOIN = re.compile(r"[ -](and[ ])?")
_AND_A_HALF = re.compile(r"[ -]and[ -](?:an?|one)[ -](half|third|quarter)(?!\w)")
_PARTS = re.compile(r"[ -](" + "|".join(sorted(_FRACTIONS, key=len, reverse=True)) + r")(?!\w)")
_ARTICLE_BEFORE = re.compile(r"(?<!\w)(?:an?|one)[ -]$")
# "half an hour", "a quarter of an inch", "half the users"; the unit follows right after.
_OF = re.compile(r"[ -](?:of[ ])?(?:an?|the)(?=[ ])|[ ]of(?=[ ])")
_SCALE = re.compile(r"[ ]an?[ ](dozen|hundred|thousand|million|billion|trillion)(?!\w)")
# "one hundred and twenty-five thousand three hundred": more words are no number people write.
_MAX_WORDS = 12


def read_words(low: str, start: int) -> Numeral | None:
    """Read the number words at `start`; `low` is the lower-cased text.

    "a hundred" is read from "hundred": the caller widens the span. A fraction after a count is
    one value: "two thirds", "one and a half". None where the words there are no number, also for
    "half-life" and "the third".
    """
    found = _WORD.match(low, start)
    if found is not None and found[1] in BARE_FRACTIONS:
        return _bare_fraction(low, start, found[1])
    numeral = _count(low, start)
    return _with_fraction(low, numeral) if numeral else None


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
    """Return the current group of thousands after `word`, None if `word` cannot follow `last`."""
    open_ended = not last or last in POWERS
    if word in ONES:
        fits = open_ended or (last in TENS and 0 < ONES[word] < 10)
        return max(group, 0) + ONES[word] if fits else None
    if word in TENS:
        return max(group, 0) + TENS[word] if open_ended else None
    if word == "dozen":
        return max(group, 1) * 12 if last not in POWERS and last != "dozen" else None
    if word not in POWERS or last == "dozen" or (word == "hundred" and last in POWERS):
        return None
    return int((group if group > 0 else 1) * 10 ** POWERS[word])


def _with_fraction(low: str, numeral: Numeral) -> Numeral:
    found = _AND_A_HALF.match(low, numeral.end)
    if found is not None:
        part = quotient(ONE, Decimal(_FRACTIONS[found[1]]))
        return numeral._replace(end=found.end(), value=plus(numeral.value, part), place=HALF)
    found = _PARTS.match(low, numeral.end)
    if found is not None and 0 < numeral.value < _FRACTIONS[found[1]]:
        value = quotient(numeral.value, Decimal(_FRACTIONS[found[1]]))
        return numeral._replace(end=found.end(), value=value, place=FRACTION_PLACE)
    return numeral


def _bare_fraction(low: str, start: int, word: str) -> Numeral | None:
    end = start + len(word)
    value = quotient(ONE, Decimal(_FRACTIONS[word]))
    scale = _SCALE.match(low, end) if word == "half" else None
    if scale is not None:
        power = Decimal(12 if scale[1] == "dozen" else 10 ** POWERS[scale[1]])
        return Numeral(start, scale.end(), times(value, power), times(HALF, power), True, True)
    if word != "half" and not _ARTICLE_BEFORE.search(low, max(0, start - 4), start):
        return None
    found = _OF.match(low, end)
    if found is None:
        return None
    return Numeral(start, found.end(), value, FRACTION_PLACE, False, True)
