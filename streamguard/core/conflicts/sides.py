"""Words on an axis of opposites, and denials: what is around them, and what says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from streamguard.core.conflicts.alignment import FOR_POLES, Context, around, beside
from streamguard.core.conflicts.bounds import LIMIT, LOWER, UPPER
from streamguard.core.conflicts.opposites import REACH
from streamguard.core.conflicts.reading import Reading
from streamguard.core.words import stem

BOUNDING = LOWER | UPPER
_BOUND_KEYS = frozenset(map(stem, BOUNDING))
# "Most" is less than "all", but "all" is no less than "most".
WEAKENED = "whole"
# Tokens before and behind a word in which a softener speaks of it; guess.
_SOFTENED_BEFORE, _SOFTENED_BEHIND = 7, 3
# A denial of what is bounded by one of these denies the rest alone; tokens behind it, guess.
LIMITS = frozenset(["order", "level", "amount", LIMIT])
_LIMIT_REACH = 4
_THAN_REACH = 3  # tokens from a comparative to "than"; guess
_DIRECTIONS = frozenset(["north", "east"])
# On these axes "only" makes less and softens nothing; tokens from it to the word, guess.
_QUANTITIES = frozenset(["quantity", WEAKENED, REACH, LIMIT])
_ONLY_REACH = 3
_OF_NOUNS = frozenset("all every each any".split())
_OF_THEM = _OF_NOUNS | frozenset("only solely exclusively reserved restricted limited".split())
_GOVERNED_REACH = 5  # tokens from one of these to its noun, as for other poles that govern
# Between "only" and those who may.
_OF_WHOM = frozenset("for to the by our with".split())
# What says that some may, whoever they are.
_MAY = frozenset(map(stem, "open accessible available restricted reserved limited welcome".split()))
_LEAVE = "leave"  # to accept and to refuse
_LAPSING = frozenset(
    """expire expires expired expiry lapse lapses lapsed void end ends ended invalid ineligible late
    penalty penalised penalized fined dangerous unsafe excluded exceptions""".split()
)


@dataclass(frozen=True, slots=True)
class Side:
    """A word and what is said of it: 1 or -1 on its axis."""

    at: int
    pole: int


def refuses(reading: Reading) -> bool:
    """Say whether something is refused: "fewer than 12 are rejected" for "at least 12"."""
    if not _LAPSING.isdisjoint(reading.words):
        return True
    return any(axis == _LEAVE and pole < 0 for axis, pole, _ in reading.poles)


def surroundings(reading: Reading, at: int, axis: str | None) -> Context:
    """Return the keys around a token: of a bound and of "only", not what they say themselves."""
    context = around(reading, FOR_POLES, at)
    if axis == LIMIT:
        return {key: weight for key, weight in context.items() if key not in _BOUND_KEYS}
    if axis == REACH:
        governed = _governed(reading, at)
        without = {None if governed is None else reading.keys[governed], *_MAY}
        return {key: weight for key, weight in context.items() if key not in without}
    return context


def _governed(reading: Reading, at: int) -> int | None:
    """Return the token of those of whom "all" or "only" is said, None where it is not told."""
    if reading.words[at] not in _OF_THEM:
        return None  # "everyone"
    following = reading.words[at + 1 : at + 2]
    if not following or reading.clauses[at + 1] != reading.clauses[at]:
        return _content(reading, at, -1)  # "members only"
    if reading.words[at] in _OF_NOUNS or reading.keys[at + 1] or following[0] in _OF_WHOM:
        return _content(reading, at, 1)
    return None


def _content(reading: Reading, at: int, step: int) -> int | None:
    reach = range(at + step, at + step * _GOVERNED_REACH, step)
    return next((n for n in reach if 0 <= n < len(reading.keys) and reading.keys[n]), None)


def of_others(reading: Reading, side: Side, source: Reading, other: Side) -> bool:
    """Say whether "all" and "only" are said of others: "only admins" and "all users".

    "Only premium users" is less than "all users" too.
    """
    opened, closed = (reading, side.at), (source, other.at)
    if side.pole < 0:
        opened, closed = closed, opened
    everyone, few = _governed(*opened), _governed(*closed)
    if everyone is None:
        return True
    there = closed[0].places.get(opened[0].keys[everyone] or "", ())
    return all(few is not None and place == few + 1 for place in there)


def compared_the_other_way(
    reading: Reading, at: int, source: Reading, other: int, axis: str | None
) -> bool:
    """Say whether what one is compared with is what the other speaks of.

    "Drums are less loud than horns" and "horns are louder" agree; so do "north of" and "south of".
    """
    for one, place, two, elsewhere in (
        (reading, at, source, other),
        (source, other, reading, at),
    ):
        of = axis in _DIRECTIONS and one.words[place + 1 : place + 2] == ["of"]
        link = "of" if of else "than"
        if link in one.words[place + 1 : place + 1 + _THAN_REACH]:
            than = one.words.index(link, place)
            object_ = beside(one, than, 1)
            if object_ and any(found < elsewhere for found in two.places.get(object_, ())):
                return True
    return False


def _softened(reading: Reading, at: int, axis: str | None = None) -> bool:
    """Say whether a softener stands near; "only" softens no quantity that it makes less."""
    first, last = at - _SOFTENED_BEFORE, at + _SOFTENED_BEHIND
    only = range(at - _ONLY_REACH, at + 1) if axis in _QUANTITIES else range(0)
    return any(first <= other <= last and other not in only for other in reading.softeners)


def _negated_clause(reading: Reading, at: int) -> bool:
    """Say whether the token's clause or the one before denies: "do not cover it or add any"."""
    clauses = (reading.clauses[at], reading.clauses[at] - 1)
    return any(reading.clauses[other] in clauses for other in reading.negators)


def statements(reading: Reading, key: str) -> list[Side]:
    """Return where the answer states or denies `key`, none where it does both or is unclear."""
    denials = [Side(n.at, n.sign) for n in reading.negations if n.key == key]
    plain = [at for at in reading.places.get(key, ()) if at not in {side.at for side in denials}]
    if denials and plain:
        return []
    sides = denials or [Side(at, 1) for at in plain if at not in reading.denied]
    return [
        side
        for side in sides
        if reading.clauses[side.at] not in reading.conditional
        and not (side.pole < 0 and reading.clauses[side.at] in reading.limited)
        and not _softened(reading, side.at)
        # A clause with another denial is judged by that one.
        and not (side.pole == 1 and _negated_clause(reading, side.at))
    ]


def sides_of(source: Reading, axis: str | None, key: str | None) -> Iterator[Side]:
    """Yield the places on an axis; without one those that state or deny a key."""
    if axis is not None:
        for name, pole, at in source.poles:
            if name == axis:
                yield Side(at, pole)
        return
    denied = {n.at: n.sign for n in source.negations if n.key == key}
    for at, sign in denied.items():
        yield Side(at, sign)
    for at in source.places.get(key or "", ()):
        if at not in denied:
            yield Side(at, 1)


def unclear(source: Reading, side: Side, axis: str | None) -> bool:
    """Say whether a contrary in the chunks is none to build on."""
    if _softened(source, side.at, axis):
        return True
    if axis is None and source.words[max(0, side.at - 2) : side.at] == ["to", "be"]:
        return True  # "still to be tested"
    limited = source.clauses[side.at] in source.limited
    if limited and axis not in (None, LIMIT) and side.at in source.denied:
        return True  # "not accepted after 14 days"
    if axis is not None:
        # A denial further off: "did not have more than".
        return side.at not in source.denied and _negated_clause(source, side.at)
    if source.clauses[side.at] in source.conditional:
        return True
    if side.pole < 0 and limited:
        return True  # "not longer than 10 days"
    if any(name in LIMITS and 0 < at - side.at <= _LIMIT_REACH for name, _, at in source.poles):
        return True  # "not above the limit"
    return side.pole == 1 and _negated_clause(source, side.at)
