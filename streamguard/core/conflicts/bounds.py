"""Bounds of values: "at least 10 hours" and "10 hours or more" against "up to 10 hours".

Read from closed, self-written words on either side of a value. Each value looks at a bounded
number of words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

LIMIT: Final = "limit"  # the axis of bounds: 1 from below, -1 from above

# Before a value by themselves, or with "than".
_FROM_BELOW: Final = frozenset(
    """over above beyond exceed exceeds exceeded exceeding minimum min after since from excess
    upwards upward past""".split()
)
_FROM_ABOVE: Final = frozenset(
    "under below within beneath maximum max until till before by cap deadline".split()
)
_MORE: Final = frozenset(
    """more greater longer older higher larger bigger later taller heavier warmer hotter further
    farther faster""".split()
)
_LESS: Final = frozenset(
    """less fewer lower smaller shorter younger lighter earlier sooner cooler colder nearer
    slower""".split()
)
# Two words before a value.
_PAIRS: Final = {
    ("at", "least"): 1,
    ("at", "most"): -1,
    ("up", "to"): -1,
    ("limited", "to"): -1,
    ("capped", "at"): -1,
    ("starting", "at"): 1,
    ("start", "at"): 1,
    ("starts", "at"): 1,
    ("at", "earliest"): 1,
    ("at", "latest"): -1,
}
# Nouns that bound the value they are said to be: "the maximum stay is 3 nights".
_SAID_OF: Final = {"minimum": 1, "maximum": -1, "limit": -1, "cap": -1, "deadline": -1}
_BEHIND: Final = {
    **dict.fromkeys(("more", "over", "above", "up", "upwards", "later", *_MORE), 1),
    **dict.fromkeys(("less", "under", "below", "down", "before", *_LESS), -1),
}
_LISTED: Final = _MORE | {"less", "earlier", "later"}  # "3 rooms and more": and other things
_JOINED: Final = frozenset(["or", "and"])
_TIMES: Final = frozenset(["date", "year", "month", "weekday", "time"])
# These bound a time alone; "by 10%" is by how much.
_OF_TIMES: Final = frozenset(["by", "since", "past"])
# Turned by no negator further off: "no dogs are allowed from May".
_UNTURNED: Final = frozenset(["from", "since", "by"])
_IS: Final = frozenset(["is", "are", "was", "were", "be", "of"])
_BETWEEN: Final = frozenset("the a an age aged of total just only about around roughly".split())
_MOST_BETWEEN = 3  # such words between a bound and its value; guess
_RELATIVE: Final = frozenset(["that", "which", "who"])
_NEGATOR_REACH = 6  # tokens from a negator to the bound it turns; guess
_SAID_REACH = 8  # tokens from "the maximum" to its value; guess
_NOUN_REACH = 2  # tokens from a value to "or more": "3 nights or more"; guess

# Of each pole the words without which no value has such a bound, but for a negator.
LOWER: Final = _FROM_BELOW | _MORE | {"least", "earliest", "starting", "start", "starts", "up"}
UPPER: Final = _FROM_ABOVE | _LESS | {"most", "latest", "limit", "limited", "capped", "up", "down"}


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of the value at token `at`: 1 from below, -1 from above.

    `words`: the tokens that say so and nothing else. `negator`: one further off that turns
    it: "you cannot stay longer than 10 days".
    """

    at: int
    pole: int
    words: range
    negator: int | None = None


def bounds(
    words: Sequence[str],
    clauses: Sequence[int],
    values: Sequence[tuple[int, str]],
    negators: Collection[int],
) -> list[Bound]:
    """Return the bounds of the values (token and kind), each one's nearest."""
    if LOWER.isdisjoint(words) and UPPER.isdisjoint(words):
        return []
    found, last = [], -1
    for at, kind in values:
        bound = (
            _before(words, clauses, at, kind, last, negators)
            or _behind(words, clauses, at)
            or _said_of(words, clauses, at, last)
        )
        if bound:
            found.append(bound)
        last = at
    return found


def _before(
    words: Sequence[str],
    clauses: Sequence[int],
    at: int,
    kind: str,
    last: int,
    negators: Collection[int],
) -> Bound | None:
    """Read "at least V", "no more than V", "does not exceed V"; not beyond the token `last`."""
    end = at - 1
    while end > last and at - end <= _MOST_BETWEEN and words[end] in _BETWEEN:
        end -= 1
    if end <= last:
        return None
    first, pole = _phrase(words, end, kind, last)
    if not pole:
        return None
    if first - 1 > last and first - 1 in negators:
        return Bound(at, -pole, range(first - 1, at))
    negator = None if words[end] in _UNTURNED else _negator(words, clauses, first, last, negators)
    return Bound(at, pole if negator is None else -pole, range(first, at), negator)


def _negator(
    words: Sequence[str],
    clauses: Sequence[int],
    first: int,
    last: int,
    negators: Collection[int],
) -> int | None:
    """Return the negator of the clause that turns the bound at a token, if any."""
    for at in range(first - 1, max(last, first - 1 - _NEGATOR_REACH), -1):
        if clauses[at] != clauses[first] or words[at] in _RELATIVE:
            return None
        if at in negators:
            return at
    return None


def _phrase(words: Sequence[str], end: int, kind: str, last: int) -> tuple[int, int]:
    """Return where the phrase that ends at a token begins, and its pole, 0 for none."""
    word = words[end]
    before = words[end - 1] if end - 1 > last else ""
    if word == "than":
        return end - 1, (before in _MORE) - (before in _LESS)
    if (before, word) in _PAIRS:
        return end - 1, _PAIRS[before, word]
    if word in _OF_TIMES and kind not in _TIMES:
        return end, 0
    return end, (word in _FROM_BELOW) - (word in _FROM_ABOVE)


def _behind(words: Sequence[str], clauses: Sequence[int], at: int) -> Bound | None:
    """Read "V or more", "V and over", "V nights minimum", "V at most"."""
    for start in range(at + 1, min(at + 2 + _NOUN_REACH, len(words))):
        pair = tuple(words[start : start + 2])
        if words[start] in _JOINED:
            pole = _BEHIND.get(pair[-1], 0)
            if words[start] == "and" and pair[-1] in _LISTED:
                pole = 0
            return Bound(at, pole, range(start, start + 2)) if pole else None
        if clauses[start] != clauses[at]:
            return None
        if pair in _PAIRS and pair[0] == "at":
            return Bound(at, _PAIRS[pair], range(start, start + 2))
        if words[start] in ("minimum", "maximum", "min", "max"):
            return Bound(at, 1 if words[start][:3] == "min" else -1, range(start, start + 1))
    return None


def _said_of(words: Sequence[str], clauses: Sequence[int], at: int, last: int) -> Bound | None:
    """Read "the minimum stay is V", with no value between."""
    seen_is = False
    for before in range(at - 1, max(last, at - 1 - _SAID_REACH), -1):
        if clauses[before] != clauses[at]:
            return None
        seen_is = seen_is or words[before] in _IS
        if seen_is and words[before] in _SAID_OF:
            return Bound(at, _SAID_OF[words[before]], range(0))
    return None
