"""What comes first: steps in the order that a sentence or a numbered list gives them.

Read from "A, then B", "A before B-ing", "after A-ing, B", "once A, B" and the other way round, and
from the numbers that lines of a list begin with. A step is the set of its stems.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from streamguard.core.conflicts.reading import Reading

# A sentence with one of these says when to do it at all, or orders nothing.
_CONDITIONS: Final = frozenset("if when whenever unless whether until or while instead".split())
_TURNS: Final = frozenset(["before", "after", "once"])
_BACK: Final = frozenset("that that's this these those which doing".split())  # to what was said
# Say of a step that it is one, not which.
_ORDERING: Final = frozenset(
    "first next final second third last start begin step begun afterward immediat follow".split()
)
_MOST_STEPS = 6  # of a sentence; guess
LEAST_SHARED = 2  # stems that two wordings of a step have in common
# Shares of the shorter and of the longer wording that they have in common at least; guess.
_OF_SHORTER, _OF_LONGER = 0.6, 0.4
_NUMBER = re.compile(r"\s{0,8}(?:[Ss]tep )?(\d{1,2})[.):] ?")


class Pair(NamedTuple):
    """Two steps, the earlier one first."""

    earlier: frozenset[str]
    later: frozenset[str]


def may_order(words: Sequence[str]) -> bool:
    """Say whether a sentence of these words (small letters) may put steps in order."""
    return "then" in words or not _TURNS.isdisjoint(words)


def pairs(reading: Reading) -> list[Pair]:
    """Return every two steps that a sentence orders; none where it denies or sets a condition."""
    words = reading.words
    if reading.negators or not may_order(words) or not _CONDITIONS.isdisjoint(words):
        return []
    turns = [at for at, word in enumerate(words) if word in _TURNS]
    thens = [at for at, word in enumerate(words) if word == "then" and _begins(reading, at)]
    if turns and (len(turns) > 1 or thens):
        return []
    if turns:
        first, second = _turned(reading, turns[0])
        found = [Pair(first, second)]
    else:
        cuts = [-1, *thens[: _MOST_STEPS - 1], len(words)]
        steps = [_step(reading, one + 1, other) for one, other in pairwise(cuts)]
        found = [Pair(*two) for two in combinations(steps, 2)]
    return [pair for pair in found if min(map(len, pair)) >= LEAST_SHARED]


def same_order(one: Pair, other: Pair) -> bool:
    """Say whether both order the same two steps alike."""
    if not (alike(one.earlier, other.earlier) and alike(one.later, other.later)):
        return False
    # What both steps have ("the battery") does not tell them apart.
    earlier = (one.earlier & other.earlier) - one.later - other.later
    later = (one.later & other.later) - one.earlier - other.earlier
    return bool(earlier) and bool(later)


def number_of(text: str) -> int | None:
    """Return the number that a line of a list begins with."""
    found = _NUMBER.match(text)
    return int(found[1]) if found else None


def step_in(reading: Reading) -> frozenset[str]:
    """Return the stems of a line that is one step."""
    return _step(reading, 0, len(reading.words))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sets of stems may be wordings of one step."""
    shared = len(one & other)
    return (
        shared >= LEAST_SHARED
        and shared >= _OF_SHORTER * min(len(one), len(other))
        and shared >= _OF_LONGER * max(len(one), len(other))
    )


def _begins(reading: Reading, at: int) -> bool:
    """Say whether "then" begins a step: not "since then", "by then"."""
    return at > 0 and (
        reading.words[at - 1] == "and" or reading.clauses[at] != reading.clauses[at - 1]
    )


def _turned(reading: Reading, at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the earlier and the later step of "A before B", "After A, B" and the like."""
    size = len(reading.words)
    clauses = reading.clauses
    behind = next((n for n in range(at + 1, size) if clauses[n] != clauses[at]), size)
    if at and (behind < size or not _BACK.isdisjoint(reading.words[at + 1 : at + 2])):
        return frozenset(), frozenset()  # "A; once that's done B"
    governed = _step(reading, at + 1, behind)
    rest = _step(reading, behind, size) if at == 0 else _step(reading, 0, at)
    return (rest, governed) if reading.words[at] == "before" else (governed, rest)


def _step(reading: Reading, start: int, end: int) -> frozenset[str]:
    keys = frozenset(key for key in reading.keys[start:end] if key and key.isalpha())
    return keys - _ORDERING
