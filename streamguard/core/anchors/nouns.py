"""What a bare number counts or numbers, where the text names it: "7 tickets", "room 12"."""

from __future__ import annotations

import re

from streamguard.core.anchors.value import listed
from streamguard.core.units import is_unit
from streamguard.core.words import STOP_WORDS

# Words that a number behind them tells apart: "room 12", "version 2".
_NUMBERED = listed(
    "page pages room rooms version versions chapter chapters section sections article articles"
    " clause clauses appendix annex volume issue level phase stage floor building apartment flat"
    " suite gate platform track bus tram train route lane exit locker seat row class grade tier"
    " number numbers no. nr. # lot act scene episode season team group terminal flight channel"
    " type category model invoice order form rule unit house street question step ward wards zone"
    " zones bay bays lanes tracks platforms gates counter counters pier piers court courts floors"
    " levels lockers classes grades"
)
_HEAD = re.compile(r"([^\W\d_]{1,20}\.?|#)[ ]?\(?$")
_HEAD_REACH = 24
# "7 early tickets": so many words may stand between a count and its noun; guess.
_WORDS = 3
_WORD = re.compile(r"[ -]([^\W\d_]{2,24})(?![\w'])")
_PLURALS = listed("people children men women persons staff mice feet teeth")
_NO_PLURALS = ("ss", "us", "is")
_VOWELS = frozenset("aeiouy")
_SHORTEST = 4  # "pts" and "tbs" are abbreviations of units; guess


def noun_of(low: str, start: int, end: int, floor: int) -> str | None:
    """Return what the bare number at [start, end) counts or numbers; None where nothing says so.

    `low` is the lower-cased text, nothing before `floor` is looked at. A unit of the table behind
    other words ("7 full days") is no noun.
    """
    head = _HEAD.search(low, max(floor, start - _HEAD_REACH), start)
    if head is not None and head[1] in _NUMBERED:
        return head[1]
    for _ in range(_WORDS):
        found = _WORD.match(low, end)
        if found is None or found[1] in STOP_WORDS or _is_unit(found[1]):
            return None
        if _is_plural(found[1]):
            return found[1]
        end = found.end()
    return None


def is_numbered(noun: str) -> bool:
    """Say whether the noun is one that numbers things, so that a range holds those between."""
    return noun in _NUMBERED


def _is_unit(word: str) -> bool:
    return is_unit(word) or is_unit(word.removesuffix("s"))


def _is_plural(word: str) -> bool:
    if word in _PLURALS:
        return True
    if len(word) < _SHORTEST or not word.endswith("s") or word.endswith(_NO_PLURALS):
        return False
    return not _VOWELS.isdisjoint(word[:-1])
