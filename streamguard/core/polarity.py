"""Statements turned around: a denial, or the opposite word, where the chunks say the contrary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from streamguard.core.alignment import (
    FOR_POLES,
    MAX_ASKED,
    MAX_STANDING,
    around,
    beside,
    carried_into,
    likeness,
    may_be_alike,
    nearest,
    share_of,
    weighed,
    with_holding,
)
from streamguard.core.evidence import Evidence
from streamguard.core.opposites import DENYING_WORDS, GOVERNING, OPPOSED
from streamguard.core.reading import Reading
from streamguard.core.sentence import Sentence
from streamguard.core.signs import turning

# Tokens before and behind a word in which a softener speaks of it; guess.
_SOFTENED_BEFORE, _SOFTENED_BEHIND = 7, 3
# A denial of what is bounded by one of these denies the rest alone; tokens behind it, guess.
_LIMITS = frozenset(["order", "level", "amount"])
_LIMIT_REACH = 4
_THAN_REACH = 3  # tokens from a comparative to "than"; guess
# Words that set two things against each other: which of them is denied is not told by counting.
_CONTRASTS = frozenset(
    """while whereas but however unlike although though yet than or everyone all mention mentions
    address provide discuss""".split()
)
# Content words that a sentence has to share apart from what it denies; guess.
_LEAST_SHARED = 3
# Share of the answer's keys, what it denies among them, that the best sentence holds; guess.
_LEAST_WHOLE = 0.4


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


@dataclass(frozen=True, slots=True)
class _Side:
    """A word and what is said of it: 1 or -1 on its axis."""

    at: int
    pole: int


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
    if len({one.at for one in found}) > 1:
        found = []
    found += [one for one in search.denials() if _passes(one, least, margin)]
    return max(found, key=lambda one: one.likeness, default=None)


def _may_turn(sentence: Sentence, evidence: Evidence, closest: Sequence[int]) -> bool:
    """Say whether a word on either side could turn the statement; most sentences have none."""
    mine = turning(sentence.stated.words, sentence.stated.keys)
    if not DENYING_WORDS.isdisjoint(mine):
        return True
    opposed = {other for word in mine for other in OPPOSED.get(word, ())}
    for number in closest:
        theirs = evidence.signs(number).turning
        if theirs and not opposed.isdisjoint(theirs):
            return True
        if not DENYING_WORDS.isdisjoint(theirs) and any(
            negation.key in sentence.keys for negation in evidence.reading(number).negations
        ):
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
            both = any(name == axis and other != pole for name, other, _ in reading.poles)
            unclear = _unclear(reading, _Side(at, pole), axis)
            if not both and not unclear:
                yield from self._contrary(_Side(at, pole), axis, reading.keys[at])

    def denials(self) -> Iterator[Turned]:
        """Yield what one side denies and the other states."""
        keys = {negation.key for negation in self._reading.negations}
        for number in self._closest:
            if self._evidence.signs(number).may_deny():
                for negation in self._evidence.reading(number).negations:
                    if negation.key in self._reading.places:
                        keys.add(negation.key)
        for key in sorted(keys)[:MAX_ASKED]:
            for side in _statements(self._reading, key)[:MAX_ASKED]:
                yield from self._contrary(side, None, key)

    def _contrary(self, side: _Side, axis: str | None, key: str | None) -> Iterator[Turned]:
        """Yield the likest place where the chunks say the contrary of `side`, if alike enough.

        `axis` None: a denial of `key`.
        """
        holding = with_holding(self._evidence, self._closest, (key,) if key else ())
        weights = weighed(self._evidence, around(self._reading, FOR_POLES, side.at))
        telling = self._telling([*holding], weights, side, axis, key)
        best = own = 0.0
        found: tuple[int, int] | None = None
        for number in telling:
            source = self._evidence.reading(number)
            carried = carried_into(self._evidence, number)
            for other in islice(_sides(source, axis, key), MAX_STANDING):
                theirs = around(source, FOR_POLES, other.at)
                share, count = likeness(weights, theirs, carried)
                if other.pole == side.pole or _unclear(source, other, axis):
                    own = max(own, share) if axis is None or other.pole == side.pole else own
                elif share > best and self._face_to_face(side, source, other, axis, count, weights):
                    best, found = share, (number, other.at)
        if found:
            yield Turned(side.at, *found, best, own, axis or "denial")

    def _telling(
        self,
        numbers: Sequence[int],
        weights: Mapping[str, float],
        side: _Side,
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
        side: _Side,
        source: Reading,
        other: _Side,
        axis: str | None,
        count: int,
        weights: dict[str, float],
    ) -> bool:
        """Say whether both words stand among the same words, seen from either side."""
        if count < 2 and count < len(weights):
            return False
        if axis in GOVERNING:
            beside_each_other = beside(self._reading, side.at, 1) == beside(source, other.at, 1)
        else:
            theirs = nearest(source, other.at)
            beside_each_other = not nearest(self._reading, side.at).isdisjoint(theirs)
            if _compared_the_other_way(self._reading, side.at, source, other.at):
                beside_each_other = False
        if not beside_each_other:
            return False
        context = weighed(self._evidence, around(source, FOR_POLES, other.at))
        mine = around(self._reading, FOR_POLES, side.at)
        return likeness(context, mine)[0] >= self._back


def _compared_the_other_way(reading: Reading, at: int, source: Reading, other: int) -> bool:
    """Say whether what one is compared with is what the other speaks of.

    "Drums are less loud than horns" and "horns are louder" agree.
    """
    for one, place, two, elsewhere in (
        (reading, at, source, other),
        (source, other, reading, at),
    ):
        if "than" in one.words[place + 1 : place + 1 + _THAN_REACH]:
            than = one.words.index("than", place)
            object_ = beside(one, than, 1)
            if object_ and any(found < elsewhere for found in two.places.get(object_, ())):
                return True
    return False


def _softened(reading: Reading, at: int) -> bool:
    first, last = at - _SOFTENED_BEFORE, at + _SOFTENED_BEHIND
    return any(first <= other <= last for other in reading.softeners)


def _negated_clause(reading: Reading, at: int) -> bool:
    """Say whether the token's clause or the one before denies: "do not cover it or add any"."""
    clauses = (reading.clauses[at], reading.clauses[at] - 1)
    return any(reading.clauses[other] in clauses for other in reading.negators)


def _statements(reading: Reading, key: str) -> list[_Side]:
    """Return where the answer states or denies `key`, none where it does both or is unclear."""
    denials = [_Side(n.at, n.sign) for n in reading.negations if n.key == key]
    plain = [at for at in reading.places.get(key, ()) if at not in {side.at for side in denials}]
    if denials and plain:
        return []
    sides = denials or [_Side(at, 1) for at in plain if at not in reading.denied]
    return [
        side
        for side in sides
        if reading.clauses[side.at] not in reading.conditional
        and not _softened(reading, side.at)
        # A clause with another denial is judged by that one.
        and not (side.pole == 1 and _negated_clause(reading, side.at))
    ]


def _sides(source: Reading, axis: str | None, key: str | None) -> Iterator[_Side]:
    if axis is not None:
        for name, pole, at in source.poles:
            if name == axis:
                yield _Side(at, pole)
        return
    denied = {n.at: n.sign for n in source.negations if n.key == key}
    for at, sign in denied.items():
        yield _Side(at, sign)
    for at in source.places.get(key or "", ()):
        if at not in denied:
            yield _Side(at, 1)


def _unclear(source: Reading, side: _Side, axis: str | None) -> bool:
    """Say whether a contrary in the chunks is none to build on."""
    if _softened(source, side.at):
        return True
    if axis is not None:
        # A denial further off: "did not have more than".
        return side.at not in source.denied and _negated_clause(source, side.at)
    if source.clauses[side.at] in source.conditional:
        return True
    if any(name in _LIMITS and 0 < at - side.at <= _LIMIT_REACH for name, _, at in source.poles):
        return True  # "not above the limit"
    return side.pole == 1 and _negated_clause(source, side.at)


def denied_as_a_whole(
    sentence: Sentence, evidence: Evidence, *, least: float, margin: float
) -> Turned | None:
    """Return the answer's one denial where an otherwise equal chunk sentence denies nothing.

    For denials whose word the chunks do not use: "does not include support" against "support is
    part of". `least`: share of the sentence's other words that the chunk sentence holds; `margin`:
    by how much it passes that of any sentence that may agree.
    """
    if sentence.closest.share < _LEAST_WHOLE or DENYING_WORDS.isdisjoint(sentence.stated.words):
        return None
    reading = sentence.reading
    denials = reading.denials
    if len(denials) != 1 or reading.conditional or _hard_to_tell(reading):
        return None
    denied = {negation.key for negation in reading.negations} | {reading.keys[denials[0]]}
    keys = [key for key in reading.places if key not in denied]
    if len(keys) < _LEAST_SHARED or not _mostly_in_one_clause(reading):
        return None
    best = own = 0.0
    found: int | None = None
    for number in sentence.closest.sentences:
        source = evidence.reading(number)
        share = share_of(evidence, keys, source.places)
        if not _denies_nothing(source) or _say_it_with_opposites(reading, source):
            own = max(own, share)
        elif share > best:
            best, found = share, number
    if found is None or best < least or best - own < margin:
        return None
    return Turned(denials[0], found, None, best, own, "denial")


def _mostly_in_one_clause(reading: Reading) -> bool:
    """Say whether the denial stands in one clause with most of the sentence's words."""
    clause = reading.clauses[reading.denials[0]]
    inside = sum(
        key is not None and own == clause
        for key, own in zip(reading.keys, reading.clauses, strict=True)
    )
    return 3 * inside >= 2 * len(reading.places)


def _hard_to_tell(reading: Reading) -> bool:
    """Say whether more than the denial turns the sentence, or it denies only a part."""
    if reading.softeners or not _CONTRASTS.isdisjoint(reading.words):
        return True
    if any(name in _LIMITS for name, _, _ in reading.poles):
        return True  # "not above the limit"
    # Said and denied: of one thing this, of another that.
    return any(len(reading.places.get(n.key, ())) > 1 for n in reading.negations)


def _denies_nothing(source: Reading) -> bool:
    return not (source.denials or source.softeners or source.conditional)


def _say_it_with_opposites(reading: Reading, source: Reading) -> bool:
    """Say whether a denied word meets its opposite: "does not open" and "closes"."""
    theirs = {(axis, pole) for axis, pole, _ in source.poles}
    return any((axis, pole) in theirs for axis, pole, at in reading.poles if at in reading.denied)
