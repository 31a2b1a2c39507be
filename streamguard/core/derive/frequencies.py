"""How often something happens, said another way: "once a day" and "daily"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from streamguard.core.anchors.value import quotient, times
from streamguard.core.anchors.wordnumbers import ONES
from streamguard.core.derive.statement import Derivation, Statement

_UNITS = {
    "second": ("s", 1), "minute": ("s", 60), "hour": ("s", 3_600), "day": ("s", 86_400),
    "night": ("s", 86_400), "week": ("s", 604_800), "fortnight": ("s", 1_209_600),
    "month": ("month", 1), "quarter": ("month", 3), "year": ("month", 12),
}  # fmt: skip
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_TURNS = _UNITS | dict.fromkeys(_WEEKDAYS, ("s", 604_800))  # "every second Monday"
# What tells an interval in one word: how many of which unit lie between two times.
_WORDS = {
    "hourly": (1, "hour"), "daily": (1, "day"), "nightly": (1, "night"), "weekly": (1, "week"),
    "fortnightly": (2, "week"), "monthly": (1, "month"), "quarterly": (3, "month"),
    "half-yearly": (6, "month"), "six-monthly": (6, "month"), "semiannual": (6, "month"),
    "semi-annual": (6, "month"), "semiannually": (6, "month"), "semi-annually": (6, "month"),
    "biannual": (6, "month"), "biannually": (6, "month"), "yearly": (1, "year"),
    "annual": (1, "year"), "annually": (1, "year"), "per annum": (1, "year"),
}  # fmt: skip
_ALL_UNITS = "|".join(_UNITS)
_COUNTS = {"once": 1, "twice": 2, "thrice": 3, "other": 2, "second": 2, "third": 3}
_NUMBER = rf"(?:{'|'.join(ONES)}|\d{{1,3}})"
_SAID = re.compile(
    rf"(?<![\w-])(?:(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
    rf"|(?:(?P<times>once|twice|thrice|{_NUMBER}[ ]times)[ ])?(?:every|each)[ ]"
    rf"(?:(?P<many>other|second|third|{_NUMBER})[ ])?(?P<unit>{'|'.join(_TURNS)})s?"
    rf"|(?P<often>once|twice|thrice|{_NUMBER}[ ]times)[ ](?:an?|per)[ ](?P<per>{_ALL_UNITS}))"
    r"(?!\w)",
    re.ASCII,
)
# "Daily instead of weekly" does not say that it is weekly.
_NOT_ANY_MORE = re.compile(
    r"(?<!\w)(?:instead of|rather than|not|no longer|never|formerly|previously|was|were|than)[ ]$"
)
_BEFORE = 14  # characters that are looked at before it: "instead of an "
_EVERY = re.compile(r"(?<!\w)(?:every|each)[ ]$")
_MAX_SAID = 12  # intervals of one window; guess

_Interval = tuple[str, Decimal]


def frequencies(said: Statement) -> Iterator[Derivation]:
    """Yield the value of a frequency where the best window tells the same interval."""
    mine = _own_interval(said)
    if mine is None:
        return
    for written, interval in _intervals(said.passage):
        if interval == mine:
            yield Derivation(written, (), said.own.value)


def _own_interval(said: Statement) -> _Interval | None:
    """Return the time between two times of "twice a day" or of the "2 weeks" behind "every"."""
    anchor = said.anchor
    if anchor.value is None or not anchor.value or anchor.high is not None:
        return None
    if anchor.unit == "time" and anchor.period in _UNITS:
        unit, size = _UNITS[anchor.period]
        return unit, quotient(Decimal(size), anchor.value)
    if anchor.unit in ("s", "month") and _EVERY.search(said.before):
        return anchor.unit, anchor.value
    return None


def _intervals(passage: str) -> Iterator[tuple[str, _Interval]]:
    """Yield what a passage in small letters says of how often, in words and as an interval."""
    for number, found in enumerate(_SAID.finditer(passage)):
        before = passage[max(0, found.start() - _BEFORE) : found.start()]
        if number < _MAX_SAID and not _NOT_ANY_MORE.search(before):
            yield found[0], _interval(found)


def _interval(found: re.Match[str]) -> _Interval:
    if found["word"]:
        many, unit = _WORDS[found["word"]]
    else:
        many, unit = _count(found["many"]), found["unit"] or found["per"]
    base, size = _TURNS[unit]
    often = _count(found["times"] or found["often"])
    return base, quotient(times(Decimal(many), Decimal(size)), Decimal(often or 1))


def _count(written: str | None) -> int:
    """Return the number that is written; 1 where none is."""
    word = (written or "one").split(" ")[0]
    if word.isdigit():
        return int(word)
    return _COUNTS.get(word) or ONES[word]
