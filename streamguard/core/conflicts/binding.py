"""Whose value a value is: compared with the values that the chunks state of the same thing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from streamguard.core.anchors import Anchor
from streamguard.core.anchors.agreement import agree
from streamguard.core.conflicts.alignment import (
    FOR_VALUES,
    MAX_ASKED,
    MAX_STANDING,
    Context,
    around,
    carried_into,
    likeness,
    may_be_alike,
    segment,
    weighed,
    with_holding,
)
from streamguard.core.conflicts.ranges import are_opposite_ends, in_range
from streamguard.core.conflicts.reading import Reading, Value
from streamguard.core.content import value_keys
from streamguard.core.evidence import Evidence

if TYPE_CHECKING:
    from streamguard.core.sentence import Sentence
from streamguard.core.verbs import begins_predicate

_DAYS = frozenset(["date", "month"])
_CALENDAR = frozenset(["date", "year", "month"])
_NEAR = 0.5  # weight in a context from which a key is close to its place; guess
_IN_SEGMENT = 0.25  # and from which it belongs to the place's segment at all; guess

# Kinds of which a text states few, so that one key tells whose they are, if few sentences hold it.
_RARE_KINDS = frozenset(["date", "year", "month", "weekday", "time", "amount", "percent"])
_RARE = 2

# What follows the verb of an instruction: "Preheat the oven".
_OBJECTS = frozenset(
    "the a an your it them this that these those in on to for with until all each".split()
)

# Behind one of these a clause goes on, and with one of those it takes its subject over.
_LINKS = frozenset("and or but then later also".split())
_SUBJECTS = frozenset("he she it they".split())

Comparison = Literal["same", "other", "apart"]


@dataclass(frozen=True, slots=True)
class Rival:
    """The chunks' value for what the answer says of another value.

    `likeness`: the share of the answer's context that stands around the rival, in [0, 1];
    `own`: the largest share around the answer's own value, 0 where the chunks lack it.
    `owned`: the answer's value has another owner everywhere in the chunks, and the rival has the
    answer's owner, a name. `told_apart`: so without asking for a name.
    """

    value: Value
    sentence: int
    rival: Value
    likeness: float
    own: float
    owned: bool
    told_apart: bool


def rivals(
    sentence: Sentence,
    evidence: Evidence,
    wanted: Sequence[Value],
    *,
    least: float,
    margin: float,
    owned_margin: float = 0.0,
    of_others: bool = False,
) -> Iterator[Rival]:
    """Yield the rivals of the `wanted` values whose likeness passes both bounds.

    `least`: smallest likeness; `margin`: by how much it passes the likeness of the own value,
    `owned_margin`: the same where a name tells the owners apart. `of_others`: where the chunks
    have the values, they are of other things (`counts`).
    """
    closest = sentence.closest.sentences
    for value in wanted[:MAX_ASKED]:
        weights = weighed(evidence, _context(sentence.reading, value), known=True)
        tells = of_others and len(weights) > 1  # what it counts is the same thing's too
        if value.group[0] == "number" and len(weights) > 1:
            weights.pop(value.group[1] or "", None)  # the group has compared it already
        for end in value.ends or ():
            weights.pop(sentence.reading.keys[end.at] or "", None)  # compared by itself
        if tells or _tells(sentence.reading, evidence, value, weights):
            search = _Search(sentence, evidence, value, weights, of_others=of_others)
            found = search.over(closest, least)
            if found is None or found.likeness < least:
                continue
            if found.likeness - found.own >= (owned_margin if found.owned else margin):
                yield found


class _Search:
    """The likest values of the chunks for one value, found sentence by sentence."""

    def __init__(
        self,
        sentence: Sentence,
        evidence: Evidence,
        value: Value,
        weights: dict[str, float],
        *,
        of_others: bool,
    ) -> None:
        self._reading, self._evidence, self._value = sentence.reading, evidence, value
        self._weights, self._of_others = weights, of_others
        self._own = self._best = 0.0
        self._held: set[str] = set()  # keys of the answer's context around its own value
        self._rivalled: bool | None = None  # whether each place of it has an owner of its own
        self._found: tuple[int, Value, Context] | None = None

    def over(self, closest: Sequence[int], least: float) -> Rival | None:
        """Return the best rival in the closest sentences and in those that hold the value.

        None where no sentence may reach the `least` likeness: then none of them is read.
        """
        evidence, keys = self._evidence, keys_of(self._value.anchor)
        holding = with_holding(evidence, closest, keys)
        numbers = [number for number in holding if evidence.signs(number).has_values]
        if not any(may_be_alike(evidence, number, self._weights, least) for number in numbers):
            return None
        for number in numbers:
            self._look_at(number)
        if self._found is None:
            return None
        number, rival, context = self._found
        mine = _context(self._reading, self._value)
        told = {
            key
            for key in self._weights.keys() - self._held
            if min(context.get(key, 0.0), mine.get(key, 0.0)) > _IN_SEGMENT
        }
        apart = self._rivalled is True and bool(told) and not self._says_both(rival)
        owner = apart and not told.isdisjoint(named_keys(self._reading, self._evidence))
        return Rival(self._value, number, rival, self._best, self._own, owner, apart)

    def _look_at(self, number: int) -> None:
        source = self._evidence.reading(number)
        carried = carried_into(self._evidence, number)
        for other in source.values[:MAX_STANDING]:
            comparison = compare(self._value, other, self._evidence)
            if comparison == "apart" or (comparison == "same" and self._of_others):
                continue
            context = _context(source, other)
            share, _ = likeness(self._weights, context, carried)
            if comparison == "same":
                taken = {*carried, *taken_over(source, other)}
                self._note_own(share, context, taken, _figures(source))
            elif share > self._best:
                self._best, self._found = share, (number, other, context)

    def _note_own(
        self, share: float, context: Context, carried: Collection[str], figures: Collection[str]
    ) -> None:
        self._own = max(self._own, share)
        self._held.update(
            key for key in self._weights if context.get(key, 0.0) > _IN_SEGMENT or key in carried
        )
        self._rivalled = self._rivalled is not False and any(
            weight > _NEAR and key not in self._reading.places and key not in figures
            for key, weight in context.items()
        )

    def _says_both(self, rival: Value) -> bool:
        values = self._reading.values[:MAX_STANDING]
        return any(compare(other, rival, self._evidence) == "same" for other in values)


def keys_of(anchor: Anchor | None) -> Sequence[str]:
    """Return the content keys under which sentences may hold the value, also without its unit."""
    if anchor is None:
        return ()
    keys = value_keys(anchor)
    return keys if anchor.number is None else [*keys, f"#{format(anchor.number.normalize(), 'f')}"]


def compare(answer: Value, source: Value, evidence: Evidence) -> Comparison:
    """Say whether two values are the same, or other ones of a kind, or not to be compared.

    A value in a chunk's range counts as the same.
    """
    if answer.ends and source.ends and are_opposite_ends(answer, source):
        return "apart"
    found = _compare_alone(answer, source, evidence)
    if found == "other" and bool(answer.ends) != bool(source.ends):
        return in_range(answer, source) or found
    return found


def _compare_alone(answer: Value, source: Value, evidence: Evidence) -> Comparison:
    one, two = answer.anchor, source.anchor
    kinds = {answer.group[0], source.group[0]}
    if kinds & _CALENDAR:
        return _compare_dates(answer, source) if kinds <= _CALENDAR else "apart"
    if one is None or two is None:  # a weekday or a period
        if len(kinds) > 1:
            return "apart"
        return "same" if answer.number == source.number else "other"
    if "time" in kinds and len(kinds) > 1:
        return "apart"
    agreement = agree(one, two)
    if agreement != "no":
        return "same" if agreement == "same" else "other"
    return "other" if _of_a_kind(answer, source, one, two, evidence) else "apart"


def _of_a_kind(answer: Value, source: Value, one: Anchor, two: Anchor, evidence: Evidence) -> bool:
    if answer.group[0] == source.group[0] == "number":
        counted = answer.group[1], source.group[1]
        # "12 people" may be the sources' "12 inhabitants": a word they lack tells nothing.
        if None in counted or not answer.counted.isdisjoint(source.counted):
            return True
        return not known(evidence, counted[0])
    if one.kind == "quantity" and one.unit == two.unit:
        return bool(one.period) == bool(two.period) and one.period == two.period
    if answer.group == source.group:
        return not (one.period and two.period and one.period != two.period)
    if one.kind == two.kind == "quantity":
        return one.number is not None and one.number == two.number  # another unit
    # "27 years" against "Ann, 27": a bare number may be an age.
    return one.kind == "quantity" and one.unit == "month" and source.group == ("number", None)


def known(evidence: Evidence, key: str | None) -> bool:
    """Say whether some chunk holds a key."""
    return key is not None and len(evidence.sentences_with(key)) > 0


def _compare_dates(answer: Value, source: Value) -> Comparison:
    if answer.anchor and source.anchor and agree(answer.anchor, source.anchor) == "same":
        return "same"
    pairs = [
        (one, two)
        for one, two in zip(answer.place, source.place, strict=True)
        if one is not None and two is not None
    ]
    if not pairs:
        return "apart"
    return "same" if all(one == two for one, two in pairs) else "other"


def named_keys(reading: Reading, evidence: Evidence) -> list[str]:
    """Return the keys of words that are written like names, in order.

    A word that begins a sentence counts where the chunks never write it in small letters, and
    where no object follows, as it does on the verb of an instruction.
    """
    return [
        key
        for at in reading.capitals
        if (key := reading.keys[at])
        and (at not in reading.initials or _begins_with_name(reading, at, evidence))
    ]


def _begins_with_name(reading: Reading, at: int, evidence: Evidence) -> bool:
    word = reading.words[at]
    if not evidence.holds_word(word) or evidence.uses_lower(word):
        return False
    return reading.words[at + 1 : at + 2] != [] and reading.words[at + 1] not in _OBJECTS


def _tells(reading: Reading, evidence: Evidence, value: Value, weights: dict[str, float]) -> bool:
    """Say whether a value's context is enough to find it by: two keys, a name, or a rare key."""
    if len(weights) != 1:
        return len(weights) > 1
    (key,) = weights
    if value.group[0] in _RARE_KINDS and len(evidence.sentences_with(key)) <= _RARE:
        return True
    return key in named_keys(reading, evidence)


def _figures(reading: Reading) -> set[str]:
    """Return the keys of the values that are no owners: all but days and months ("in May")."""
    days = {reading.keys[value.at] for value in reading.values if value.group[0] in _DAYS}
    return {key for key in reading.places if key.startswith("#") and key not in days}


def taken_over(reading: Reading, value: Value) -> set[str]:
    """Return the keys before the part that belongs to a value, where it leaves out its subject.

    "In 1998 Ida took over; she left in 2011", "Ida Berg came in 1998 and was thanked in 2011".
    """
    low, _ = segment(reading, value)
    starts = [
        at
        for at in range(max(low, 1), value.at + 1)
        if at == low or reading.clauses[at] != reading.clauses[at - 1]
    ]
    for start in reversed(starts):
        first = start + (reading.words[start] in _LINKS)
        word = reading.words[first]
        # "At 8:00, 12:40 and 18:05": the last of a list has what the first has.
        if first == value.at or word in _SUBJECTS or begins_predicate(word):
            return {key for key in reading.keys[max(0, start - FOR_VALUES.reach) : start] if key}
    return set()


def _context(reading: Reading, value: Value) -> Context:
    known = reading.contexts.get((FOR_VALUES.name, value.at))
    if known is not None:
        return known
    return around(reading, FOR_VALUES, value.at, segment=segment(reading, value))
