"""Whose value a value of an answer is, by the places of the chunks that say whose it is.

Tables, "respectively" and clauses of one shape (`parallels`) say it without any likeness of
words; what they say goes before what `binding` reckons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TypeVar

from streamguard.core.anchors import Anchor, read_anchors
from streamguard.core.conflicts.alignment import (
    MAX_ASKED,
    MAX_STANDING,
    carried_into,
    segment,
    with_holding,
)
from streamguard.core.conflicts.binding import Rival, compare, keys_of
from streamguard.core.conflicts.parallels import (
    Clause,
    Keys,
    Pair,
    Places,
    clause_pairs,
    item_pairs,
    row_of,
    row_pairs,
)
from streamguard.core.conflicts.reading import Reading, Value, all_values, read
from streamguard.core.conflicts.respective import paired
from streamguard.core.conflicts.tables import is_row, is_rule
from streamguard.core.evidence import Evidence
from streamguard.core.normalise import fold
from streamguard.core.sentence import Scope, Sentence

T = TypeVar("T")

# Share of the answer's words, by IDF weight, that the pair must be about; guess.
_ABOUT_LEAST = 0.5
# Rows of an answer's table among which its heading is looked for; guess.
_MOST_ROWS = 64
# Places of one chunk sentence that have the answer's value, and places that contradict it, that are
# looked at; guess, more than any but a text of repetitions has.
_MOST_SAME = 4
_MOST_AGAINST = 8
# Before a value one of these says that it is a bound or a difference; guess, tokens.
_BOUNDING = frozenset(
    """than over under above below least most up more less another extra additional additionally
    almost nearly around about between""".split()
)
_BOUND_REACH = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A value of the answer and the keys that belong to it."""

    value: Value
    keys: Keys


@dataclass(frozen=True, slots=True)
class Owners:
    """What the chunks' structures say of an answer's values, by the token of each.

    `own`: those that have the answer's owner there. `rivals`: those that have another one, while
    the answer's owner has another value.
    """

    own: frozenset[int]
    rivals: tuple[Rival, ...]


def owners(sentence: Sentence, scope: Scope, evidence: Evidence) -> Owners:
    """Return whose the values are that the chunks hold, where their places say it."""
    reading = sentence.reading
    if reading.negators:
        return Owners(frozenset(), ())
    own, found = [], []
    places = Places(evidence)
    held = _held(sentence)
    for asked in _asked(sentence, scope, held)[:MAX_ASKED]:
        search = _Search(sentence, evidence, places, asked)
        if search.is_own:
            own.append(asked.value.at)
        elif search.rival is not None and not _bounded(reading, asked.value):
            found.append(search.rival)
    return Owners(frozenset(own), tuple(found))


def _held(sentence: Sentence) -> list[Anchor]:
    return [anchor for anchor, match in sentence.matches if match.relation == "same"]


def _bounded(reading: Reading, value: Value) -> bool:
    before = reading.words[max(0, value.at - _BOUND_REACH) : value.at]
    return not _BOUNDING.isdisjoint(before)


def _asked(sentence: Sentence, scope: Scope, held: Sequence[Anchor]) -> list[Asked]:
    """Return the values that the chunks hold, each with the keys of its owner in the answer."""
    reading = sentence.reading
    wanted = {id(anchor) for anchor in held}
    if is_row(sentence.plain):
        return _in_table(sentence, scope, wanted)
    items = paired(reading, all_values(reading, sentence.anchors))
    if items:
        shared = frozenset.intersection(*(keys for keys, _ in items))
        return [Asked(value, keys - shared) for keys, value in items if id(value.anchor) in wanted]
    return [
        Asked(value, _keys_between(reading, *segment(reading, value)))
        for value in reading.values
        if id(value.anchor) in wanted
    ]


def _keys_between(reading: Reading, low: int, high: int) -> Keys:
    return frozenset(key for key in reading.keys[low:high] if key)


def _in_table(sentence: Sentence, scope: Scope, wanted: set[int]) -> list[Asked]:
    reading = sentence.reading
    row = row_of(reading, all_values(reading, sentence.anchors))
    heading = _heading(sentence, scope)
    if heading is None:
        return []
    head = row_of(heading, ())
    return [
        Asked(value, row.keys_of(0) | head.keys_of(column))
        for column, value in row.values.items()
        if id(value.anchor) in wanted
    ]


def _heading(sentence: Sentence, scope: Scope) -> Reading | None:
    """Return the heading of the answer's table, None where the row has none, or a far one."""
    earlier = scope.earlier[max(0, sentence.index - _MOST_ROWS) : sentence.index]
    rows = list(takewhile(is_row, (before.text for before in reversed(earlier))))
    if not rows or len(rows) == _MOST_ROWS:
        return None
    # The row over the nearest rule, as two tables may follow one another; without one the first.
    rule = next((at for at, row in enumerate(rows) if is_rule(row)), len(rows) - 2)
    if rule + 1 >= len(rows):
        return None
    text = fold(rows[rule + 1]).text
    return read(text, read_anchors(text))


class _Search:
    """What the chunks say of one value's owner: its own, or a rival's."""

    def __init__(
        self, sentence: Sentence, evidence: Evidence, places: Places, asked: Asked
    ) -> None:
        self._evidence, self._places, self._asked = evidence, places, asked
        self.is_own = False
        self.rival: Rival | None = None
        closest = sentence.closest.sentences
        keys = keys_of(asked.value.anchor)
        self._numbers = [
            number
            for number in with_holding(evidence, closest, keys)
            if evidence.signs(number).has_values
        ]
        against: list[Pair] = []
        for pair in self._pairs(closest):
            if not self._is_about(pair):
                continue
            if pair.owner and pair.owner <= asked.keys and not self._names(pair.others):
                self.is_own = True
                return
            if self._contradicts(pair):
                against.append(pair)
        for pair in against[:_MOST_AGAINST]:
            if not self._said_of(pair):
                self.rival = Rival(asked.value, pair.sentence, pair.other, 1.0, 0.0, True, True)
                return

    def _names(self, owner: Keys) -> bool:
        return bool(owner) and owner <= self._asked.keys

    def _contradicts(self, pair: Pair) -> bool:
        """Say whether the answer has the other's owner, whose value is another one of the kind."""
        if not self._names(pair.others) or pair.owner <= self._asked.keys:
            return False
        if not pair.only_mine.isdisjoint(self._asked.keys):
            return False
        comparison = compare(self._asked.value, pair.other, self._evidence)
        # "500 and 250 mg": the list says the unit once.
        unit_once = {pair.mine.group[0], pair.other.group[0]} == {"number", "quantity"}
        return comparison == "other" or (unit_once and comparison == "apart")

    def _is_about(self, pair: Pair) -> bool:
        """Say whether the answer speaks of what both values are; a bare count needs a word."""
        total = shared = 0.0
        for key in self._asked.keys - pair.owner - pair.others:
            if not key.startswith("#") and self._evidence.sentences_with(key):
                weight = self._evidence.idf(key)
                total += weight
                shared += weight if key in pair.about else 0.0
        if not shared and self._asked.value.group[0] == "number":
            return False
        return shared >= _ABOUT_LEAST * total

    def _same(self, value: Value) -> bool:
        return compare(self._asked.value, value, self._evidence) == "same"

    def _pairs(self, closest: Sequence[int]) -> Iterator[Pair]:
        evidence, places = self._evidence, self._places
        for number in self._numbers:
            if evidence.heading_of(number) is not None:
                for column, _ in self._first_same(places.row(number).values.items()):
                    yield from row_pairs(places, evidence, number, column, self._numbers)
                continue
            for _, value in self._first_same(places.items(number)):
                yield from item_pairs(places, evidence, number, value)
            clauses = ((each, each.value) for each in places.clauses(number))
            for clause, _ in self._first_same(clauses):
                others = islice(self._clauses_near(number, closest), MAX_STANDING)
                yield from clause_pairs(evidence, clause, others)

    def _first_same(self, places: Iterable[tuple[T, Value]]) -> Iterator[tuple[T, Value]]:
        return islice(((at, value) for at, value in places if self._same(value)), _MOST_SAME)

    def _clauses_near(self, number: int, closest: Sequence[int]) -> Iterator[Clause]:
        evidence = self._evidence
        numbers = dict.fromkeys((number, *closest))
        before = evidence.sentence_before(number)
        if before is not None:
            numbers[before] = None
        if number + 1 < evidence.size and evidence.sentence_before(number + 1) is not None:
            numbers[number + 1] = None
        for other in numbers:
            yield from self._places.clauses(other)

    def _said_of(self, pair: Pair) -> bool:
        """Say whether some place gives the answer's value to the answer's owner, as it does."""
        return any(self._said_in(number, pair) for number in self._numbers)

    def _said_in(self, number: int, pair: Pair) -> bool:
        evidence, places, owner = self._evidence, self._places, pair.others
        heading = evidence.heading_of(number)
        if heading is None:
            carried = carried_into(evidence, number)
            said = [(keys, value) for keys, value in places.items(number)]
            said += [(each.keys.union(carried), each.value) for each in places.clauses(number)]
        else:
            row, head = places.row(number), places.row(heading)
            rest = row.keys_of(0) | head.keys_of(0)
            said = [(rest | head.keys_of(at), value) for at, value in row.values.items()]
            owner |= self._asked.keys & pair.about  # of another row it says nothing
        return any(owner <= keys and self._same(value) for keys, value in said)
