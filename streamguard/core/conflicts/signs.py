"""What the words of a sentence show at a glance: whether it is worth reading for a comparison.

Reading a sentence (`reading`) costs twenty times as much, and most have nothing to compare:
no denial, no opposite, no value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from streamguard.core.conflicts.opposites import DENIED, NEGATORS, SIDES, TURNING
from streamguard.core.conflicts.timewords import DAYS_AND_MONTHS, EACH, PERIODS, PERIODS_ALONE

_DENIED = DENIED.keys()
_TELLING = TURNING | NEGATORS | DAYS_AND_MONTHS | PERIODS | EACH
_TURNED_DOWN = frozenset(["less", "least"])  # "less expensive" is cheap


class Signs(NamedTuple):
    """What a sentence may hold: a False is certain, a True is not.

    `turning`: its words and keys that deny or stand on an axis of opposites. `denies`: by a
    negator. `has_values`: anchors, days, months, periods.
    """

    turning: frozenset[str]
    denies: bool
    has_values: bool

    def may_deny(self) -> bool:
        """Say whether something may be denied, by a negator or a prefix."""
        return self.denies or not self.turning.isdisjoint(_DENIED)

    def on_axis(self, axis: str, pole: int) -> tuple[bool, bool]:
        """Say whether it may have a word on the axis, and one whose pole is the contrary."""
        same = not self.turning.isdisjoint(SIDES[axis, pole])
        other = not self.turning.isdisjoint(SIDES[axis, -pole])
        turned = same and (self.denies or not self.turning.isdisjoint(_TURNED_DOWN))
        return same or other, other or turned


def telling_words(words: Iterable[str]) -> frozenset[str]:
    """Return those of the words that `signs_of` looks at."""
    return _TELLING.intersection(words)


def signs_of(text: str, words: Collection[str], keys: Collection[str], anchors: int) -> Signs:
    """Return the signs of a folded text with these words and content keys, and so many anchors.

    Of the words the `telling_words` are enough.
    """
    denies = not NEGATORS.isdisjoint(words) or "n't" in text.casefold()
    return Signs(turning(words, keys), denies, anchors > 0 or names_time(text, words))


def turning(words: Collection[str], keys: Collection[str]) -> frozenset[str]:
    """Return the words and keys that deny, or stand on an axis of opposites."""
    return TURNING.intersection(words).union(TURNING.intersection(keys))


def names_time(text: str, words: Collection[str]) -> bool:
    """Say whether a text may name a day, a month or a period ("per week") by itself."""
    named = DAYS_AND_MONTHS.intersection(words)
    if any(word[0].upper() in text for word in named):
        return True
    periods = PERIODS.intersection(words)
    if not periods:
        return False
    return not PERIODS_ALONE.isdisjoint(periods) or not EACH.isdisjoint(words)
