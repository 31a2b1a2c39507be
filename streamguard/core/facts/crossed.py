"""Two values or names of one sentence that stand in each other's clauses.

"Ann checks the roof by 3 May, and Bo orders the tiles by 9 May", where the passages have 3 May with
the tiles alone and 9 May with the roof alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import combinations
from typing import Final

from streamguard.core.facts.model import Misplaced
from streamguard.core.facts.said import Said
from streamguard.core.facts.source import Source
from streamguard.core.owners.siblings import kind_of
from streamguard.core.owners.tree import Label
from streamguard.core.reading.slots import CONTENT, NEGATION, Slot
from streamguard.text.patterns import lazy_re

_MOST_PLACES: Final = 20  # of a value; guess
_MOST_ALIKE: Final = 8  # values of a kind, or names, of one sentence: of more it is a list; guess
_PAIR_WORK: Final = 30  # in places; guess
_MOST_APART: Final = 2  # slots between two words of a label; guess
_LEAST_WORDS: Final = 2  # that tell whose a name is, if none of them is a name or value
_NO_MEANING: Final = 2  # characters: initials, and "de", "y" and "il" outside of English
# Part clauses in other languages, as "and" does in English.
_JOINTS: Final = frozenset(["y", "e", "und", "et", "ed"])
# "A and not B", "A instead of B" tell nothing of B.
_TURNED: Final = lazy_re(r"(?<!\w)(?:instead|rather|unlike)(?!\w)")

Keys = frozenset[str]


def has_parts(said: Said) -> bool:
    """Say whether a sentence has several clauses; without them nothing in it is crossed."""
    return said.slots[0].clause != said.slots[-1].clause or not _JOINTS.isdisjoint(said.keys)


def find_crossed(said: Said) -> Generator[None, None, dict[int, Misplaced]]:
    """Return where two values of a kind, or two names, belong that have changed their places.

    By the numbers of their slots, with a pause after every pair. Each has to stand in the passages
    with words that tell the other's clause from its own, and nowhere with its own. A denied,
    rounded or compared one has not changed its place.
    """
    found: dict[int, Misplaced] = {}
    parts = _parts(said.slots)
    for one, other in _pairs(said, parts):
        if one not in found and other not in found:
            found |= _Pair(said, parts, one, other).misplaced()
            yield
    return {} if found and _TURNED.search(said.low) else found


def _parts(slots: Sequence[Slot]) -> list[int]:
    """Return the clause of each slot; joints of other languages begin one as well."""
    parts, joints = list[int](), 0
    for slot in slots:
        joints += slot.key in _JOINTS
        parts.append(slot.clause + joints)
    return parts


def _pairs(said: Said, parts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two slots of a kind in two clauses."""
    slots = said.slots
    kinds: dict[str, list[int]] = {}
    if slots[0].kind == "word" and _is_name(said.source, slots[0].key):
        kinds["name"] = [0]
    for number, slot in enumerate(slots):
        anchor = slot.anchor
        if slot.kind == "name" or (anchor is not None and not anchor.approx):
            kind = kind_of(slot)
            kinds.setdefault("number" if kind.startswith("number") else kind, []).append(number)
    for numbers in kinds.values():
        for one, other in combinations(numbers, 2) if len(numbers) <= _MOST_ALIKE else ():
            if parts[one] != parts[other] and slots[one].key != slots[other].key:
                yield one, other


class _Pair:
    """Two values or names, each with the words that tell its clause from the other's."""

    def __init__(self, said: Said, parts: Sequence[int], one: int, other: int) -> None:
        self._said, self._source = said, said.source
        said.work += _PAIR_WORK
        self._numbers = (one, other)
        self._slots = [said.slots[number] for number in self._numbers]
        own = {slot.start for slot in self._slots}  # both ends of a range
        keys = {slot.key for number in self._numbers for slot in _name_at(said.slots, number)}
        clauses = [
            [slot for slot, part in zip(said.slots, parts, strict=True) if part == parts[number]]
            for number in self._numbers
        ]
        self._is_turned = any(slot.key == NEGATION for clause in clauses for slot in clause)
        told = [
            frozenset([slot.key for slot in clause if slot.start not in own and _tells(slot)])
            - keys
            for clause in clauses
        ]
        self._told = (told[0] - told[1], told[1] - told[0])

    def misplaced(self) -> dict[int, Misplaced]:
        """Return where both belong, by their numbers; nothing if they stand where they belong."""
        if self._is_turned or not all(self._told):
            return {}
        places = [self._place(at) for at in (0, 1)]
        if None in places:
            return {}
        first, second = places
        assert first is not None
        assert second is not None
        mine, theirs = self._told
        labels = self._label(second, mine), self._label(first, theirs)
        if None in labels:
            return {}
        named, owner = labels
        assert named is not None
        assert owner is not None
        return {
            self._numbers[0]: Misplaced(first, owner, second, named),
            self._numbers[1]: Misplaced(second, named, first, owner),
        }

    def _place(self, at: int) -> int | None:
        """Return where one stands with the other's words; None if it stands with its own too."""
        source, slot = self._source, self._slots[at]
        mine, theirs = self._told[at], self._told[1 - at]
        places = source.places(slot.key, _MOST_PLACES + 1)
        if len(places) > _MOST_PLACES:
            return None
        self._said.work += len(places)
        found = None
        for place in places:
            beside = _beside(source, place)
            if not mine.isdisjoint(beside):
                return None
            if found is None and self._is_told(slot, theirs & beside):
                found = place
        return found

    def _is_told(self, slot: Slot, keys: Keys) -> bool:
        """Say whether some words are enough to tell whose a value or name is."""
        if slot.kind == "value" or len(keys) >= _LEAST_WORDS:
            return bool(keys)
        return any(one.key in keys and one.kind != "word" for one in self._said.slots)

    def _label(self, place: int, keys: Keys) -> Label | None:
        """Return the label of a place: the first of some words that stand side by side there."""
        source = self._source
        unit = source.units[source.unit_of[place]]
        for first, end in ((unit.first, unit.end), self._head(unit.head)):
            at = [number for number in range(first, end) if source.keys[number] in keys]
            while len(at) > 1 and at[-1] - at[0] > _MOST_APART * len(at):
                at.pop()
            if at:
                return Label(keys, at[0], at[-1] + 1)
        return None

    def _head(self, unit: int) -> tuple[int, int]:
        if unit < 0:
            return 0, 0
        return self._source.units[unit].first, self._source.units.end_of(unit)


def _is_name(source: Source, key: str) -> bool:
    """Say whether the passages have a word as a name; the first of a sentence has a capital."""
    return any(source.slot(place).kind == "name" for place in source.places(key, 1))


def _name_at(slots: Sequence[Slot], number: int) -> Sequence[Slot]:
    """Return a slot, of a name with the names beside it and the word that begins the sentence."""
    first = last = number
    while first and _are_one_name(slots[first - 1], slots[first], opens=first == 1):
        first -= 1
    while last + 1 < len(slots) and _are_one_name(slots[last], slots[last + 1], opens=not last):
        last += 1
    return slots[first : last + 1]


def _are_one_name(one: Slot, other: Slot, *, opens: bool) -> bool:
    is_name = other.kind == "name" and (opens or one.kind == "name")
    return is_name and other.start - one.end == 1


def _tells(slot: Slot) -> bool:
    """Say whether a slot may tell one clause from another."""
    if slot.kind not in CONTENT:
        return False
    return slot.kind == "value" or len(slot.key) > _NO_MEANING


def _beside(source: Source, place: int) -> Keys:
    """Return the keys near a slot; near the label of a row are all of its cells."""
    unit = source.units[source.unit_of[place]]
    if unit.is_row and unit.head >= 0:
        (first,) = source.slots_of(unit.first, unit.first + 1)
        if source.slot(place).clause == first.clause:
            return unit.keys
    return source.near(place)
