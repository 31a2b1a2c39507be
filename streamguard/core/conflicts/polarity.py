"""Statements turned around: a denial, or the opposite word, where the chunks say the contrary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from streamguard.core.conflicts.alignment import (
    MAX_ASKED,
    MAX_STANDING,
    beside,
    carried_into,
    likeness,
    may_be_alike,
    nearest,
    weighed,
    with_holding,
)
from streamguard.core.conflicts.binding import compare
from streamguard.core.conflicts.bounds import LIMIT
from streamguard.core.conflicts.opposites import (
    DENYING_WORDS,
    GOVERNING,
    OPPOSED,
    REACH,
    WHOLE,
    Pole,
)
from streamguard.core.conflicts.reading import Reading
from streamguard.core.conflicts.sides import (
    BOUNDING,
    WEAKENED,
    Side,
    compared_the_other_way,
    of_others,
    refuses,
    sides_of,
    statements,
    surroundings,
    unclear,
)
from streamguard.core.conflicts.signs import turning
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Sentence

_EXTREME = "bound"  # minimum and maximum, which bound a value besides
# Two of these are parts of one thing: a chunk that speaks of the one says nothing of the other.
_PARTS = "side"
_PART_REACH = 3  # tokens from "left" to the part; guess


@dataclass(frozen=True, slots=True)
class Turned:
    """A word at token `at` of the answer, and its contrary in a sentence of the chunks.

    `likeness` in [0, 1]: how alike the surroundings are; `own`: the same for the likest place
    where the chunks say what the answer says. `other` is the contrary's token, None for a denial
    that was found by the words around it.
    """

    at: int
    sentence: int
    other: int | None
    likeness: float
    own: float
    axis: str


def turned(
    sentence: Sentence, evidence: Evidence, *, least: float, margin: float, back: float
) -> Turned | None:
    """Return the likest word of the answer that the chunks turn around, if any.

    `least`: smallest likeness of the surroundings, `margin`: by how much it passes that of the
    likest agreeing place, `back`: smallest likeness seen from the chunk's side.
    """
    closest = sentence.closest.sentences
    if not _may_turn(sentence, evidence, closest):
        return None
    search = _Search(sentence.reading, evidence, closest, least=least, back=back)
    found = [one for one in search.opposites() if _passes(one, least, margin)]
    # Two words turned at once say the same again: "a warm front moves cold air".
    if len({one.at for one in found if one.axis != _EXTREME}) > 1:
        found = []
    found += [one for one in search.denials() if _passes(one, least, margin)]
    return max(found, key=lambda one: one.likeness, default=None)


def _may_turn(sentence: Sentence, evidence: Evidence, closest: Sequence[int]) -> bool:
    """Say whether a word on either side could turn the statement; most sentences have none."""
    mine = turning(sentence.stated.words, sentence.stated.keys)
    if not DENYING_WORDS.isdisjoint(mine):
        return True
    opposed = {other for word in mine for other in OPPOSED.get(word, ())}
    bounds = not BOUNDING.isdisjoint(mine) and bool(sentence.reading.bounded)
    for number in closest:
        signs = evidence.signs(number)
        theirs = signs.turning
        if theirs and not opposed.isdisjoint(theirs):
            return True
        if bounds and signs.has_values and not BOUNDING.isdisjoint(theirs):
            return True
        if DENYING_WORDS.isdisjoint(theirs):
            continue
        if not WHOLE.isdisjoint(mine & theirs):  # "not all"
            return True
        if any(n.key in sentence.keys for n in evidence.reading(number).negations):
            return True
    return False


def _passes(one: Turned, least: float, margin: float) -> bool:
    return one.likeness >= least and one.likeness - one.own >= margin


class _Search:
    """Looks for the contrary of an answer's words in the sentences closest to it."""

    def __init__(
        self,
        reading: Reading,
        evidence: Evidence,
        closest: Sequence[int],
        *,
        least: float,
        back: float,
    ) -> None:
        self._reading, self._evidence, self._closest = reading, evidence, closest
        self._least, self._back = least, back

    def opposites(self) -> Iterator[Turned]:
        """Yield the words on an axis whose other pole the chunks have in the same place."""
        reading = self._reading
        for axis, pole, at in reading.poles[:MAX_ASKED]:
            side = Side(at, pole)
            if axis == WEAKENED and pole < 0 and reading.words[at] not in WHOLE:
                continue  # "most rooms" where it is all
            both = any(
                name == axis and other != pole and self._of_same(reading, there, axis, at)
                for name, other, there in reading.poles
            )
            if not both and not unclear(reading, side, axis) and not self._has_both(axis, at):
                yield from self._contrary(side, axis, reading.keys[at])

    def _has_both(self, axis: str, at: int) -> bool:
        """Say whether the chunks speak of the answer's part too: a left atrium and a right one."""
        key, part = self._reading.keys[at], beside(self._reading, at, 1)
        return bool(axis == _PARTS and key and part and self._evidence.near(key, part, _PART_REACH))

    def denials(self) -> Iterator[Turned]:
        """Yield what one side denies and the other states."""
        keys = {negation.key for negation in self._reading.negations}
        for number in self._closest:
            if self._evidence.signs(number).may_deny():
                for negation in self._evidence.reading(number).negations:
                    if negation.key in self._reading.places:
                        keys.add(negation.key)
        for key in sorted(keys)[:MAX_ASKED]:
            for side in statements(self._reading, key)[:MAX_ASKED]:
                yield from self._contrary(side, None, key)

    def _contrary(self, side: Side, axis: str | None, key: str | None) -> Iterator[Turned]:
        """Yield the likest place where the chunks say the contrary of `side`, if alike enough.

        `axis` None: a denial of `key`.
        """
        holding = with_holding(self._evidence, self._closest, (key,) if key else ())
        weights = weighed(self._evidence, surroundings(self._reading, side.at, axis))
        telling = self._telling([*holding], weights, side, axis, key)
        best = own = 0.0
        found: tuple[int, int] | None = None
        for number in telling:
            source = self._evidence.reading(number)
            carried = carried_into(self._evidence, number)
            for other in islice(sides_of(source, axis, key), MAX_STANDING):
                if not self._of_same(source, other.at, axis, side.at):
                    continue
                theirs = surroundings(source, other.at, axis)
                share, count = likeness(weights, theirs, carried)
                if other.pole == side.pole or unclear(source, other, axis):
                    own = max(own, share) if axis is None or other.pole == side.pole else own
                elif self._turned_twice(side, source, other.at, axis):
                    own = max(own, share)
                elif share > best and self._face_to_face(side, source, other, axis, count, weights):
                    best, found = share, (number, other.at)
        if found:
            yield Turned(side.at, *found, best, own, axis or "denial")

    def _turned_twice(self, side: Side, source: Reading, other: int, axis: str | None) -> bool:
        """Say whether an opposite beside takes it back: "not on weekends", "on weekdays".

        So does the answer's own bound of the same value.
        """
        mine: dict[Pole, list[int]] = {}
        for name, pole, there in self._reading.poles[:MAX_STANDING]:
            if there != side.at:
                mine.setdefault((name, pole), []).append(there)
        if axis == LIMIT:
            mine[LIMIT, -side.pole] = [side.at]
            if refuses(self._reading) != refuses(source):
                return True
        return any(
            self._of_same(source, there, name, place)
            for name, pole, there in source.poles[:MAX_STANDING]
            if there != other and (axis is None or LIMIT in (axis, name))
            if _EXTREME not in (axis, name)
            for place in mine.get((name, -pole), ())
        )

    def _of_same(self, reading: Reading, at: int, axis: str | None, mine: int) -> bool:
        """Say whether a place bounds the value that the answer's does; other axes bound none."""
        if axis != LIMIT:
            return True
        one, other = self._reading.bounded[mine], reading.bounded[at]
        return compare(one, other, self._evidence) == "same"

    def _telling(
        self,
        numbers: Sequence[int],
        weights: Mapping[str, float],
        side: Side,
        axis: str | None,
        key: str | None,
    ) -> list[int]:
        """Return the sentences that may say it either way.

        None where none may say the contrary among enough of the words around: those are not read.
        """
        evidence, contrary, telling = self._evidence, False, []
        for number in numbers:
            signs = evidence.signs(number)
            if axis is not None:
                says, turns = signs.on_axis(axis, side.pole)
            else:
                denies = signs.may_deny()
                says = denies or key in evidence.keys_in_sentence(number)
                turns = denies if side.pole == 1 else says
            if says:
                telling.append(number)
                contrary = contrary or (
                    turns and may_be_alike(evidence, number, weights, self._least)
                )
        return telling if contrary else []

    def _face_to_face(
        self,
        side: Side,
        source: Reading,
        other: Side,
        axis: str | None,
        count: int,
        weights: dict[str, float],
    ) -> bool:
        """Say whether both words stand among the same words, seen from either side."""
        if count < 2 and count < len(weights):
            return False
        if axis == REACH and not of_others(self._reading, side, source, other):
            return False
        if axis == LIMIT:
            beside_each_other = True  # of the same value
        elif axis in GOVERNING:
            beside_each_other = beside(self._reading, side.at, 1) == beside(source, other.at, 1)
        else:
            theirs = nearest(source, other.at)
            beside_each_other = not nearest(self._reading, side.at).isdisjoint(theirs)
            if compared_the_other_way(self._reading, side.at, source, other.at, axis):
                beside_each_other = False
        if not beside_each_other:
            return False
        context = weighed(self._evidence, surroundings(source, other.at, axis))
        mine = surroundings(self._reading, side.at, axis)
        return likeness(context, mine)[0] >= self._back
