"""Planted values: right sentences in which one number is replaced by a near one.

The generator reads figures by its own few rules, not by the package's, so that every version of the
code is asked the same sentences. For each right sentence it draws one of the figures that stand in
the passages and replaces it by one that is 1, 2, 5 or 10 % more or less, rounded to as many
decimals and at least one step of the last place away. The new figure stands neither in the
passages nor in the question or the answer; the form stays: decimals, thousands separators,
currency, unit. Beside them are the right sentences with a figure that no passage holds: their
authors computed, converted or rounded it, or took it from the question.

Figures in digits alone count. Left out are dates, years, times, ordinals, ranges, numbers in
brackets (citations) and list numbers. SEED and the rules of this file fix the sentences.

An amount of money is "plain" where the sentence states it by a verb of `_STATES` and has no word of
`_RECKONS` that announces a reckoning.
"""

import random
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

SEED = 29
STEPS = tuple(Decimal(sign * percent) / 100 for percent in (1, 2, 5, 10) for sign in (1, -1))

_FIGURE = re.compile(r"(?<![\w.,:/#-])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,:/#-])\d+(?:\.\d+)?")
_BEFORE = re.compile(r"(?:US|A|C)?[$€£]\s?$|\b(?:EUR|USD|GBP|CHF)\s?$")
_AFTER = re.compile(r"\s?(?:[€£$]|(?:euros?|dollars?|pounds?|pence|cents?|EUR|USD|GBP|CHF)\b)")
_MONTHS = (
    "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    "Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTHS})\.? $")
# What follows a figure that is no number of its own: a letter, a range, a time, a date, a bracket.
_NO_NUMBER = re.compile(
    rf"[A-Za-z_]|[.,:/]\d|\s?[-–—]\s?\d|\s?(?:[ap]\.?m\b|o'clock|h\b)|[\])]"
    rf"|\s(?:of )?(?:{_MONTHS})\b"
)
_DASHED = re.compile(r"\d\s?[-–—]\s?(?:[€£$]\s?)?$|\b(?:at|by|until|from|before|after) $")
_LISTED = re.compile(r"\s*\d+[.)]\s")
_YEAR = range(1500, 2101)
_WORDS = dict(
    zip(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen "
            "fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty "
            "seventy eighty ninety hundred thousand"
        ).split(),
        [*range(20), *range(20, 100, 10), 100, 1000],
        strict=True,
    )
)
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_STATES = re.compile(
    r"\b(?:costs?|is|are|was|were|takes?|pays?|charges?|charged|priced|has|have|'s)\b|'s\b",
    re.IGNORECASE,
)
_RECKONS = re.compile(
    r"[+×=÷]|\b(?:total|totals|together|altogether|both|more|less|fewer|extra|difference|differs?|"
    r"sav(?:es?|ed|ings?)|cheaper|dearer|higher|lower|half|halved?|twice|double[ds]?|thirds?|"
    r"quarters?|times|plus|minus|sum|adds?|added|adding|each|apiece|off|discount|reduced|so|thus|"
    r"comes? to|makes?|making|works? out|left|remain(?:s|ing)?|about|around|roughly|nearly|almost|"
    r"over|under|instead|on top|rais(?:es?|ed)|ris(?:es?|en)|rose|falls?|fell|dropp(?:s|ed)|"
    r"per cent|percent|up|down|than|back|refund(?:ed)?)\b|%",
    re.IGNORECASE,
)

Sort = Literal["money", "other"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in digits at its place in a text."""

    start: int
    end: int
    number: Decimal
    sort: Sort

    def replaced(self, text: str, number: Decimal) -> str:
        """Return the text with another number written in this figure's form."""
        return text[: self.start] + written(text[self.start : self.end], number) + text[self.end :]


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence that states one number, after the right sentences before it."""

    before: tuple[str, ...]
    text: str
    start: int
    end: int
    sort: Sort
    planted: bool  # else computed by the author of a right sentence
    plain: bool


def figures_in(text: str) -> list[Figure]:
    """Return the numbers of a sentence, without dates, times, ranges and references."""
    listed = _LISTED.match(text)
    return [
        figure
        for found in _FIGURE.finditer(text, listed.end() if listed else 0)
        if (figure := _figure(text, found)) is not None
    ]


def _figure(text: str, found: re.Match[str]) -> Figure | None:
    start, end = found.span()
    before, number = text[:start], Decimal(found[0].replace(",", ""))
    is_money = _BEFORE.search(before) is not None or _AFTER.match(text, end) is not None
    if _DASHED.search(before) and not is_money:
        return None
    if _NO_NUMBER.match(text, end) or _MONTH_BEFORE.search(before) or before.endswith(("[", "(")):
        return None
    if not is_money and number in _YEAR and "," not in found[0] and "." not in found[0]:
        return None
    return Figure(start, end, number, "money" if is_money else "other")


def numbers_of(text: str) -> set[Decimal]:
    """Return every number that a text holds, in digits or in one word, whatever it counts."""
    digits = {Decimal(found[0].replace(",", "")) for found in _DIGITS.finditer(text)}
    return digits | {Decimal(_WORDS[found[0].lower()]) for found in _WORD.finditer(text)}


def written(form: str, number: Decimal) -> str:
    """Return a number with the decimals and the thousands separators of a written one."""
    decimals = len(form.partition(".")[2])
    grouped = "," in form or (number >= 1000 and len(form.partition(".")[0]) < 4)
    return f"{number:,.{decimals}f}" if grouped else f"{number:.{decimals}f}"


def near_numbers(form: str, taken: Set[Decimal]) -> list[Decimal]:
    """Return the numbers near a written one, a step of `STEPS` away, that are not taken."""
    number = Decimal(form.replace(",", ""))
    last = Decimal(1).scaleb(-len(form.partition(".")[2]))
    changes = [(number * share).quantize(last) or last.copy_sign(share) for share in STEPS]
    others = dict.fromkeys(number + change for change in changes)
    return [other for other in others if other > 0 and other not in taken]


def stated(row: dict) -> Iterator[tuple[str, Stated]]:
    """Return (question, sentence) of every planted and every computed value of a context."""
    held = set().union(*(numbers_of(chunk["text"]) for chunk in row["chunks"]))
    for asked, question in enumerate(row["questions"]):
        answer = [one["right"] for one in question["sentences"]]
        taken = held | numbers_of(" ".join([question["question"], *answer]))
        for at, text in enumerate(answer):
            rng = random.Random(f"{SEED}:{row['id']}:{asked}:{at}")
            for one in _of_sentence(tuple(answer[:at]), text, held, taken, rng):
                yield question["question"], one


def _of_sentence(
    before: tuple[str, ...], text: str, held: Set[Decimal], taken: Set[Decimal], rng: random.Random
) -> Iterator[Stated]:
    figures = figures_in(text)
    known = [one for one in figures if one.number in held]
    if known:
        one = rng.choice(known)
        form = text[one.start : one.end]
        numbers = near_numbers(form, taken)
        if numbers:
            number = rng.choice(numbers)
            end = one.start + len(written(form, number))
            yield _stated(before, one.replaced(text, number), one, end, planted=True)
    computed = [one for one in figures if one.number not in held]
    if computed:
        one = rng.choice(computed)
        yield _stated(before, text, one, one.end, planted=False)


def _stated(before: tuple[str, ...], text: str, one: Figure, end: int, planted: bool) -> Stated:
    return Stated(before, text, one.start, end, one.sort, planted, is_plain(text))


def is_plain(text: str) -> bool:
    """Say whether a sentence states its figures without announcing a reckoning."""
    return _STATES.search(text) is not None and _RECKONS.search(text) is None


def has_money(text: str) -> bool:
    return any(figure.sort == "money" for figure in figures_in(text))
