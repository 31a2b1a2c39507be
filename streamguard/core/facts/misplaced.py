"""Values that the passages have below another owner than the one that a sentence names.

Of each place of a value the path of its owners is laid beside the paths that differ from it in one
owner and else lead to a like value: where the sentence names that other owner, and not the place's
own, the place is none that the sentence can mean. A value without another place is misplaced.

Two values or names of a sentence may have changed their places, whatever owns them: "Ann checks the
roof by 3 May, and Bo orders the tiles by 9 May", where the passages have 3 May with the tiles alone
and 9 May with the roof alone.
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
from streamguard.text.words import stem
from streamguard.values import agree

_MOST_PLACES: Final = 40  # of a value; guess
_MOST_CONTRASTS: Final = 200  # of one place; guess
_BARE: Final = frozenset(["number", "identifier", "version"])
_LARGE: Final = 1_000  # a figure from which on it is hardly of something else; guess
_MOST_ALIKE: Final = 2  # values of one kind: those of a range
_MOST_LEAVES: Final = 60  # of one owner; guess
# Of two that have changed their places.
_MOST_CROSSED: Final = 20  # of a value; guess
_MOST_LISTED: Final = 8  # values of a kind, or names, of one sentence: of more it is a list; guess
_PAIR_WORK: Final = 30  # in places; guess
_MOST_APART: Final = 2  # slots between two words of a label; guess
_LEAST_WORDS: Final = 2  # that tell whose a name is, if none of them is a name or value
_NO_MEANING: Final = 2  # characters: initials, and "de", "y" and "il" outside of English
# Part clauses in other languages, as "and" does in English.
_JOINTS: Final = frozenset(["y", "e", "und", "et", "ed"])
# "A and not B", "A instead of B" tell nothing of B.
_TURNED: Final = lazy_re(r"(?<!\w)(?:instead|rather|unlike)(?!\w)")


def find_misplaced(said: Said, slot: Slot) -> Misplaced | None:
    """Return where a value of a sentence belongs; None where a place may be meant."""
    source, anchor = said.source, slot.anchor
    assert anchor is not None  # so values are read
    if anchor.word or not any(map(str.isdigit, anchor.text)):
        return None  # "the second one"
    places = source.places(slot.key, _MOST_PLACES + 1)
    if not 0 < len(places) <= _MOST_PLACES or source.owners.node_of(places[0]) is None:
        return None  # nothing owns it
    if not said.owners or _is_turned(said, slot):
        return None
    found: Misplaced | None = None
    for place in places:
        if agree(anchor, source.anchors[place]) != "same":
            continue
        said.work += len(said.owners)
        contrasts = _Contrasts(said, slot, place)
        other = contrasts.find()
        if other is None:
            return None
        if contrasts.is_certain:
            found = found or other
    return found


def _is_turned(said: Said, slot: Slot) -> bool:
    """Say whether a value is denied, or another one is compared with it."""
    if any(one.kind == "negator" and one.clause == slot.clause for one in said.slots):
        return True
    return said.low.endswith("than ", 0, slot.start)


class _Contrasts:
    """The owners beside those of one place of a value."""

    def __init__(self, said: Said, slot: Slot, place: int) -> None:
        self._said, self._slot, self._place = said, slot, place
        self._source, self._owners = said.source, said.source.owners
        self.is_certain = False
        content = [one for one in said.slots if one.kind in CONTENT]
        self._clause = frozenset([one.key for one in content if one.clause == slot.clause])
        self._before = frozenset([one.key for one in content if one.clause <= slot.clause])

    def find(self) -> Misplaced | None:
        """Return the like value of an owner that the sentence names; None without one."""
        owners = self._owners
        node = owners.node_of(self._place)
        if node is None:
            return None
        path = owners.above(node)
        if not self._counts(path):
            return None
        # An owner of the place in its clause: what the sentence says before is of something else.
        if any(self._is_owner(one) for one in path):
            self._before = self._clause
        levels = {owners.parent(one): level for level, one in enumerate(path)}
        for other in sorted(self._said.owners)[:_MOST_CONTRASTS]:
            level = levels.get(owners.parent(other))
            if level is None or path[level] == other:
                continue
            told = self._told_apart(path[level], other)
            instead = None if told is None else self._like(path[:level], path[level], other)
            if told is not None and instead is not None:
                self.is_certain = level > 0 or self._is_certain(path, told)
                return Misplaced(self._place, told[0], instead, told[1])
        return None

    def _counts(self, path: Sequence[int]) -> bool:
        """Say whether a bare figure may count the same as the place's, by noun or field."""
        anchor, unit = self._slot.anchor, self._source.unit_of[self._place]
        assert anchor is not None
        if anchor.kind != "number" or anchor.noun is None or anchor.number is None:
            return True
        if anchor.number >= _LARGE or stem(anchor.noun) in self._source.units[unit].keys:
            return True
        return any(self._owners.label(one).keys & self._clause for one in path)

    def _is_owner(self, node: int) -> bool:
        """Say whether the value's clause names an owner of its place."""
        keys = self._owners.label(node).keys
        return bool(keys) and keys <= self._clause

    def _told_apart(self, own: int, other: int) -> tuple[Label, Label] | None:
        """Return the labels of two neighbours, if the sentence names the second one alone."""
        mine, theirs = self._owners.label(own), self._owners.label(other)
        if mine.keys != theirs.keys:
            if not mine.keys or not theirs.keys:
                return None
            return (mine, theirs) if self._names(mine, theirs) else None
        found: tuple[Label, Label] | None = None
        others = {name.path: name.label for name in reversed(self._owners.names(other))}
        for path, label in self._owners.names(own):
            theirs = others.get(path, label)
            if theirs.keys == label.keys:
                continue
            if self._holds(label.keys - theirs.keys):
                return None
            if found is None and (self._names(label, theirs) or self._calls(label, theirs)):
                found = (label, theirs)
            if any(not key.startswith("#") for key in label.keys):
                break
        return found

    def _names(self, mine: Label, theirs: Label) -> bool:
        """Say whether the sentence names an owner by all that tells it from the value's own."""
        apart = theirs.keys - mine.keys or theirs.keys
        if self._holds(mine.keys - theirs.keys):
            return False
        return apart <= self._before

    def _calls(self, mine: Label, theirs: Label) -> bool:
        """Say whether the sentence names someone by a part of the name: "Dr. Okafor"."""
        slots = self._source.slots_of(theirs.first, theirs.end)
        names = [slot.key for slot in slots if slot.kind == "name" and slot.key not in mine.keys]
        return not self._before.isdisjoint(names)

    def _holds(self, keys: frozenset[str]) -> bool:
        return not keys.isdisjoint(self._said.keys)

    def _like(self, below: Sequence[int], own: int, other: int) -> int | None:
        """Return the like value below another owner, None where there is none, or several."""
        owners, anchors = self._owners, self._source.anchors
        node = owners.counterpart(below[::-1], own, other)
        if node is None:
            return None
        mine = self._kind(self._place)
        likes = self._alike(node, mine)
        anchor = self._slot.anchor
        assert anchor is not None
        if not likes or any(agree(anchor, anchors[one]) == "same" for one in likes):
            return None
        if any(map(self._is_stated, likes)):
            return None
        leaf = owners.node_of(self._place)
        assert leaf is not None
        rivals = self._alike(leaf, mine)
        words = self._words(self._place, own)
        same = [one for one in likes if self._words(one, other) == words]
        if same:
            likes, rivals = same, [one for one in rivals if self._words(one, own) == words]
        elif not (below and owners.is_field(leaf)):
            fits = self._said.keys & self._words(likes[0], other)
            if len(fits) < len(self._said.keys & words):
                return None
        # A range has two.
        is_one = len(likes) == len(rivals) <= _MOST_ALIKE
        return likes[rivals.index(self._place)] if is_one else None

    def _is_stated(self, place: int) -> bool:
        """Say whether the sentence states a value too, perhaps without its unit."""
        number, key = self._source.anchors[place].number, self._source.keys[place]
        values = (one.anchor for one in self._said.slots if one.anchor is not None)
        return key in self._said.keys or any(one.number == number is not None for one in values)

    def _is_certain(self, path: Sequence[int], told: tuple[Label, Label]) -> bool:
        """Say whether two neighbours are owners, as two plans are, and no fields of one owner.

        Sections do; fields where each of them tells a value of this kind, or where the sentence
        names the owner of both or the words that both share ("LIVE_PORT", "TEST_PORT").
        """
        owners, kind = self._owners, self._kind(self._place)
        shared = told[0].keys & told[1].keys
        if shared and shared <= self._before:
            return True
        if not owners.is_field(path[0]) or any(map(self._is_named, path[1:])):
            return True
        fields = [one for one in owners.beside(path[0]) if owners.leaves(one)]
        is_bare = kind[0] in _BARE  # bare figures of one record count different things
        return not is_bare and all(self._alike(one, kind) for one in fields)

    def _is_named(self, node: int) -> bool:
        """Say whether the sentence names an owner, or a record by its fields."""
        labels = [self._owners.label(node), *(name.label for name in self._owners.names(node))]
        return any(one.keys and one.keys <= self._said.keys for one in labels)

    def _alike(self, node: int, kind: tuple[str, str | None]) -> list[int]:
        """Return the values of a node that are of one kind."""
        leaves = self._owners.leaves(node)[:_MOST_LEAVES]
        return [one for one in leaves if self._kind(one) == kind]

    def _words(self, place: int, owner: int) -> frozenset[str]:
        """Return the words around a value, in its clause, that are no owner's or neighbour's."""
        source = self._source
        unit = source.units[source.unit_of[place]]
        clause = source.slot(place).clause
        keys = frozenset(
            [
                one.key
                for one in source.slots_of(unit.first, unit.end)
                if one.clause == clause and one.kind in CONTENT and one.anchor is None
            ]
        )
        labels = [self._owners.label(one).keys for one in self._owners.above(owner)]
        leaf = self._owners.node_of(place)
        assert leaf is not None
        labels += [self._owners.label(one).keys for one in self._owners.above(leaf)]
        # A wrapped line's clause goes on with the label of the next field.
        labels += [self._owners.label(one).keys for one in self._owners.beside(leaf)]
        return keys.difference(*labels)

    def _kind(self, place: int) -> tuple[str, str | None]:
        """Return the kind of a value with its unit, outside of fields with the noun it counts."""
        anchor, leaf = self._source.anchors[place], self._owners.node_of(place)
        kind = "number" if anchor.kind == "year" else anchor.kind
        is_counted = kind == "number" and leaf is not None and not self._owners.is_field(leaf)
        return kind, anchor.noun if is_counted else anchor.unit


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
    alike = _alike(said)
    if not alike:
        return found
    parts = _parts(said.slots)
    for one, other in _pairs(said.slots, alike, parts):
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


def _alike(said: Said) -> list[list[int]]:
    """Return the numbers of the values of each kind, and of the names; of several that are few."""
    slots = said.slots
    kinds: dict[str, list[int]] = {}
    for number, slot in enumerate(slots):
        anchor = slot.anchor
        if slot.kind == "name" or (anchor is not None and not anchor.approx):
            kind = kind_of(slot)
            kinds.setdefault("number" if kind.startswith("number") else kind, []).append(number)
    if "name" in kinds and slots[0].kind == "word" and _is_named(said.source, slots[0].key):
        kinds["name"].insert(0, 0)
    return [numbers for numbers in kinds.values() if 1 < len(numbers) <= _MOST_LISTED]


def _pairs(
    slots: Sequence[Slot], alike: Sequence[Sequence[int]], parts: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two slots of a kind in two clauses."""
    for numbers in alike:
        for one, other in combinations(numbers, 2):
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
        places = source.places(slot.key, _MOST_CROSSED + 1)
        if len(places) > _MOST_CROSSED:
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

    def _is_told(self, slot: Slot, keys: frozenset[str]) -> bool:
        """Say whether some words are enough to tell whose a value or name is."""
        if slot.kind == "value" or len(keys) >= _LEAST_WORDS:
            return bool(keys)
        return any(one.key in keys and one.kind != "word" for one in self._said.slots)

    def _label(self, place: int, keys: frozenset[str]) -> Label | None:
        """Return the label of a place: the first of some words that stand side by side there."""
        source = self._source
        unit = source.units[source.unit_of[place]]
        for first, end in ((unit.first, unit.end), self._head(unit.head)):
            at = [number for number in range(first, end) if source.keys[number] in keys]
            while len(at) > 1 and at[-1] - at[0] > _MOST_APART * len(at):
                at.pop()
            if at:
                return Label(keys, at[0], at[-1] + 1)
        return next((one for one in _owner_labels(source, place) if one.keys & keys), None)

    def _head(self, unit: int) -> tuple[int, int]:
        if unit < 0:
            return 0, 0
        return self._source.units[unit].first, self._source.units.end_of(unit)


def _is_named(source: Source, key: str) -> bool:
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


def _beside(source: Source, place: int) -> frozenset[str]:
    """Return the keys near a slot and of its owners; near the label of a row are all cells."""
    unit = source.units[source.unit_of[place]]
    if unit.is_row and unit.head >= 0:
        (first,) = source.slots_of(unit.first, unit.first + 1)
        if source.slot(place).clause == first.clause:
            return unit.keys
    return source.near(place).union(*[label.keys for label in _owner_labels(source, place)])


def _owner_labels(source: Source, place: int) -> list[Label]:
    """Return the labels of a value's owners, the nearest first, and the names of records."""
    owners, found = source.owners, list[Label]()
    node = owners.node_of(place)
    for one in [] if node is None else owners.above(node):
        found += [owners.label(one), *(name.label for name in owners.names(one))]
    return found
