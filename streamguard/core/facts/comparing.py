"""Lays the sentences of an answer beside the nearest places of the passages, slot by slot.

`Comparing` goes through an answer; `Slots` compares the values and names of one sentence.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain, groupby, islice
from math import fsum
from typing import Final, NamedTuple, TypeVar

from streamguard.core.derive.announced import Operation, is_step
from streamguard.core.derive.bounds import round_bound
from streamguard.core.derive.equations import Written, is_misreckoned
from streamguard.core.derive.reckoning import (
    EARLIER,
    LASTING,
    NEAREST,
    QUESTION,
    SENTENCE,
    KnownValue,
    Reckoning,
    terms_of,
)
from streamguard.core.derive.solver import Derivation, Operands, derive, derive_total
from streamguard.core.derive.unannounced import may_be_bill
from streamguard.core.facts.exchanges import Pairing
from streamguard.core.facts.marked import compare_marks
from streamguard.core.facts.misplaced import find_misplaced
from streamguard.core.facts.model import Edit
from streamguard.core.facts.said import (
    MAX_COMPARED,
    MOST_SLOTS,
    Asked,
    Said,
    Stated,
    Told,
)
from streamguard.core.facts.source import ITEM, Likeness, Source, weight_of
from streamguard.core.facts.standing import (
    LEAST_APART,
    LEAST_BESIDE,
    LEAST_ELSEWHERE,
    LEAST_INSTEAD,
    UNMET,
    Standing,
    are_ranks,
    counts_alike,
    heads_part,
    is_believed,
    is_bound,
    is_casual,
    is_distance,
    is_in_place,
    is_interval,
    is_near,
    is_of_calendar,
    is_otherwise,
    is_out_of,
    is_part,
    is_plain,
    is_rival,
    is_side,
    is_whole,
    numbers_alike,
)
from streamguard.core.reading.slots import WHOLES, Slot, read_slots
from streamguard.text.languages import language_of
from streamguard.text.patterns import lazy
from streamguard.text.words import stem
from streamguard.values import Anchor, agree
from streamguard.values.agreement import in_words
from streamguard.values.identifiers import OWN
from streamguard.values.relative import FOLD
from streamguard.values.value import ZERO, plain
from streamguard.values.weekdays import WEEKDAY

T = TypeVar("T")

# Work is counted in places that are compared. A sentence may pause when it has done so much, and an
# answer is compared while it takes less than it may: so much at once, and so much for every
# character. The dearest RAGTruth answer takes a third of it; guesses.
PAUSE_WORK: Final = 400
WORK_AT_ONCE: Final = 25_000
WORK_PER_CHAR: Final = 12
_MUCH_AROUND = 100  # words of sentence and question: finding the nearest units is work by itself
_LISTED = 12  # results of these sentences that a total may be of; guess
_EARLIER = 8  # values of the answer's sentences before that may be operands
_MOST_PLACES = 40  # of one slot that are compared, on either side and in one unit; guess
# Of all passages: values that an absent value is compared with, after those with its number;
# guess, three times as many as the passages of any everyday or RAGTruth answer hold.
_MOST_VALUES = 200
_SOLVING_WORK = 300  # of one reckoning
_MOST_SOLVED = 12  # values of one sentence that are reckoned; guess
_STATED = 10  # values of the sentence and the question that may be operands
_MOST_TERMS = 28  # of a reckoning; guess
_PRODUCTS = frozenset("×÷")
_POINTS = frozenset(["date", "time"])  # in time: "by 30 April" is no step


class _Places(NamedTuple):
    """Slots of the passages that a value is laid beside.

    `same`: they have it; `rivals`: another one of its kind, of these `differing`: its number with
    another unit or period; `near`: one of nearly its size, which the sentence does not state.
    """

    same: Sequence[int]
    rivals: Sequence[int]
    differing: Sequence[int]
    near: Sequence[int]


_Derived = tuple[Derivation | None, tuple[int, ...]]
_UNDERIVED: Final[_Derived] = (None, ())


class Comparing:
    """Compares the sentences of one answer, in their order, with one set of passages.

    `has_more`: a sentence held more values and names than are compared. `is_spent`: comparing
    took more than the answer's length allows, and a sentence was not compared. `work`: places
    compared so far. `said`: the last sentence, None where there was nothing to compare in it.
    """

    def __init__(
        self, source: Source, question: Sequence[Slot], asks: frozenset[Operation] = frozenset()
    ) -> None:
        self._source, self._asks = source, asks
        self._question = Asked(source, question)
        self._told = Told()
        self._allowed = WORK_AT_ONCE
        self.has_more = self.is_spent = False
        self.work = 0
        self.said: Said | None = None

    def edits(self, text: str, anchors: Sequence[Anchor]) -> list[Edit]:
        """Return the edits of the answer's next sentence; every one must come once, in order."""
        return run_through(self.comparing(text, anchors))

    def comparing(self, text: str, anchors: Sequence[Anchor]) -> Generator[None, None, list[Edit]]:
        """Compare likewise, with a pause after every `PAUSE_WORK` places.

        `text` is folded, without citation tags and talk about the sources. Work is bounded by
        counts of slots, places and reckonings, whatever the text is.
        """
        told = self._told
        self.said = None
        self._allowed += WORK_PER_CHAR * len(text)
        slots = read_slots(text, anchors, most=MOST_SLOTS + 1)
        if len(slots) > MAX_COMPARED and _are_many(slots):
            self.has_more = True
            del slots[MOST_SLOTS:]
        if not slots:
            return []
        if self.work > self._allowed:
            self.is_spent = True
            return []
        said = Said(self._source, slots, self._question, told, text, self._asks)
        self.said = said
        found: list[Edit] = []
        paused = 0  # work at the last pause
        if said.work > _MUCH_AROUND:
            yield
        for edit in chain(compare_marks(said), Slots(said).compare(), _exchanges(said)):
            if edit is not None:
                found.append(edit)
            if said.work - paused > PAUSE_WORK:
                paused = said.work
                yield
        self.work += said.work
        told.before = slots
        if ITEM.match(text) is None:
            told.lead = slots if text.rstrip().endswith(":") else ()
        told.keys.update(said.keys)
        told.values += [
            Stated(one.slot.anchor, not one.absent or one.asked or one.derivation is not None)
            for one in found
            if one.group == "value" and one.slot is not None and one.slot.anchor is not None
        ]
        del told.values[:-_EARLIER]
        told.results += _result([slot.anchor for slot in slots if slot.anchor is not None])
        del told.results[:-_LISTED]
        return found


def _are_many(slots: Sequence[Slot]) -> bool:
    """Say whether a sentence has more slots, or more values and names, than are compared."""
    compared = sum(slot.kind in ("value", "name") for slot in slots)
    return compared > MAX_COMPARED or len(slots) > MOST_SLOTS


def _result(values: Sequence[Anchor]) -> list[Anchor]:
    """Return what a line of a bill comes to: its last amount that is not free, or last value."""
    counted = [one for one in values if one.kind in ("amount", "quantity", "number")]
    amounts = [one for one in counted if one.kind == "amount" and one.value]
    return (amounts or counted)[-1:]


def _exchanges(said: Said) -> Iterator[Edit]:
    """Compare what the sentence tells of an owner with what the passages tell of it."""
    misplaced = set[int]()
    for number, slot in enumerate(said.slots):
        if slot.anchor is not None and (found := find_misplaced(said, slot)) is not None:
            misplaced.add(number)
            yield Edit(
                "exchange",
                slot.start,
                slot.end,
                slot,
                found.instead,
                (),
                elsewhere=found.place,
                is_certain=True,
                misplaced=found,
            )
    exchanges = [
        one
        for one in said.pairings.values()
        if not one.agrees and misplaced.isdisjoint(range(one.first, one.end))
    ]
    told = {(said.source.keys[one.place], said.slots[one.first].key) for one in exchanges}
    for one in exchanges:
        first, last = said.slots[one.first], said.slots[one.end - 1]
        is_swapped = (first.key, said.source.keys[one.place]) in told
        yield Edit(
            "exchange",
            first.start,
            last.end,
            first,
            one.place,
            (),
            elsewhere=_other_label(said, one),
            is_certain=is_swapped or one.kind == "listed",
        )


def _other_label(said: Said, pairing: Pairing) -> int | None:
    """Return where a passage has a value of the sentence with another label than the one beside it.

    None where the label is not written word for word in the value's clause, or there is no value.
    """
    slot = said.slots[pairing.first]
    at = [number for number, one in enumerate(said.slots) if one.key in pairing.marks]
    if slot.kind != "value" or at[-1] - at[0] >= len(at) or said.slots[at[0]].clause != slot.clause:
        return None
    return next(iter(said.source.places(slot.key, 1)), None)


def run_through(steps: Generator[None, None, T]) -> T:
    """Go on without a pause; return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as over:
            found: T = over.value
            return found


class Slots:
    """The values and names of one sentence while they are compared."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._source = said.source
        self._solved = 0

    def compare(self) -> Iterator[Edit | None]:
        """Yield the edit of each value and name, at most `MAX_COMPARED`; None between two steps."""
        said = self._said
        numbers = (n for n, slot in enumerate(said.slots) if slot.kind in ("value", "name"))
        for number in islice(numbers, MAX_COMPARED):
            if said.slots[number].kind == "value":
                found = yield from self._value(number)
            else:
                found = self._name(number)
            yield found if found.absent else said.unless_agreed(number, found)

    def _value(self, number: int) -> Generator[None, None, Edit]:
        said = self._said
        slot = said.slots[number]
        anchor = slot.anchor
        assert anchor is not None  # so values are read
        found = self._value_places(slot.key, anchor)
        same, rivals, differing = found.same, found.rivals, found.differing
        unit_differs = bool(differing) and not same
        around = said.around(number)
        said.count(around, len(same) + len(rivals) + len(found.near))
        likeness = Likeness(self._source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked or self._is_asked_bare(anchor)
        derivation, operands = _UNDERIVED
        if absent and self._solved < _MOST_SOLVED:
            yield  # a reckoning may take as long as all before it
            derivation, operands = self._derived(slot, anchor, sharply=unit_differs)
        unit_differs = unit_differs and derivation is None
        standing: Standing = "held"
        near = None
        if absent:
            standing = "asked" if derivation is None else "reckoned"
        if absent and derivation is None:
            stands, place_near = self._stands(slot, anchor, found, likeness)
            if not asked or is_believed(anchor, stands, said.low, slot.start):
                standing, near = stands, place_near
            may_follow = standing in ("near", "plain") and not self._is_side(slot, anchor)
            if may_follow and self._may_be_result(slot, anchor, near):
                standing, near = "alone", None
        unmet = standing in UNMET
        if standing == "alone":
            said.work += _SOLVING_WORK
            yield  # another reckoning
            unmet = not self._may_follow(anchor)
        best = max(rival, *map(likeness.share, said.nearest[:2]), 0.0) if unmet else 0.0
        is_said = place is not None and self._source.keys[place] in said.keys
        lead, of_absent = (0.0, rival) if absent else (rival - best_same, 0.0)
        if is_of_calendar(anchor):
            lead = 0.0  # days of the week stand beside one another
        figures = (lead, float(is_said), of_absent, best)
        if unit_differs:
            place, _ = likeness.best(differing)
        elsewhere = None
        if not absent and anchor.kind in LEAST_ELSEWHERE:
            elsewhere, near = self._elsewhere(slot, anchor, found)
        return Edit(
            "value",
            slot.start,
            slot.end,
            slot,
            place,
            figures,
            absent,
            asked,
            unit_differs,
            derivation,
            operands,
            standing,
            near,
            elsewhere,
        )

    def _is_asked_bare(self, anchor: Anchor) -> bool:
        """Say whether the question has a quantity's figure alone: "kids of 9 and 13"."""
        if anchor.kind != "quantity" or anchor.number is None:
            return False
        return f"#{plain(anchor.number)}" in self._said.asked

    def _elsewhere(
        self, slot: Slot, anchor: Anchor, places: _Places
    ) -> tuple[int, int] | tuple[None, None]:
        """Return a held value's place and that of a like value where the sentence fits far better.

        A unit fits as much as it holds of the sentence's words, in it or above it.
        """
        said, source = self._said, self._source
        like = [
            place
            for place in places.rivals
            if source.unit_of[place] in said.nearest
            and source.keys[place] not in said.keys
            and _are_like(anchor, source.anchors[place])
        ]
        same = [place for place in places.same if place in source.anchors]
        if not like or not same:
            return None, None
        rest = {key: source.held[key].weight for key in said.keys if key != slot.key}
        keys = frozenset(rest)
        said.count(rest, len(like) + len(same))

        def held(place: int) -> float:
            unit = source.units[source.unit_of[place]]
            inside, above = keys & unit.keys, (keys & unit.above) - unit.keys
            return weight_of(rest, inside) + weight_of(rest, above)

        best, own = max(like, key=held), max(same, key=held)
        least = LEAST_ELSEWHERE[anchor.kind] * fsum(rest.values())
        return (own, best) if held(best) - held(own) >= least > 0 else (None, None)

    def _stands(
        self, slot: Slot, anchor: Anchor, places: _Places, likeness: Likeness
    ) -> tuple[Standing, int | None]:
        """Return the standing of a value that no source has and that follows from nothing.

        Second: the slot of the passages that has another one in its place, None where none has.
        """
        if places.differing:
            return "otherwise", likeness.best(places.differing)[0]
        said, anchors = self._said, self._source.anchors
        if is_casual(anchor) or anchor.unit == FOLD or is_part(anchor):
            return self._casual(slot, anchor, places, likeness)
        if anchor.label in OWN and (
            heads_part(said.low, slot.start, slot.end)
            or not any(
                numbers_alike(anchor, anchors[place]) for place in (*places.near, *places.rivals)
            )
        ):
            return "casual", None  # an option of the answer's own
        if anchor.kind not in _POINTS and is_distance(said.low, slot.start, slot.end):
            if self._is_misreckoned(anchor):
                return "plain", None
            near = self._apart_beside(slot, anchor, places, likeness)
            return ("alone", None) if near is None else ("near", near)
        until = said.slots[: said.slots.index(slot) + 1]
        values = [Written(one.start, one.end, one.anchor) for one in until if one.anchor]
        if is_misreckoned(said.low, values):
            return "plain", None
        standing, near = self._beside(slot, anchor, places, likeness)
        if near is None:
            is_lone, announces = self._is_lone(anchor), said.announces
            stands = is_plain(anchor, said.low, slot.start, announces=announces, is_lone=is_lone)
            if stands or (is_lone and self._is_uncounted(anchor)):
                standing = "plain"
        return standing, near

    def _casual(
        self, slot: Slot, anchor: Anchor, places: _Places, likeness: Likeness
    ) -> tuple[Standing, int | None]:
        """Return the standing of a small count, rank or part in letters, or of a multiple.

        All but a count may stand in another's place, in words that nearly say the same.
        """
        if is_part(anchor) and is_bound(self._said.low, slot.start):
            return "casual", None
        source, least = self._source, LEAST_INSTEAD * likeness.total
        instead = [
            (likeness.at(place), -place)
            for place in (*places.rivals, *self._near_values)
            if are_ranks(anchor, source.anchors[place])
            and source.keys[place] not in self._said.keys
            and likeness.at(place) >= least
        ]
        if instead:
            return "near", -max(instead)[1]
        return "casual" if is_casual(anchor) or anchor.unit == FOLD else "alone", None

    def _is_uncounted(self, anchor: Anchor) -> bool:
        """Say whether neither passages nor question speak of what a number counts.

        They may do so in the words of another language.
        """
        if anchor.noun is None or anchor.word or self._said.announces:
            return False
        counted = stem(anchor.noun)
        is_known = self._source.holds(counted) or counted in self._said.asked
        return not is_known and language_of(self._said.low) in (None, "en")

    def _apart_beside(
        self, slot: Slot, anchor: Anchor, places: _Places, likeness: Likeness
    ) -> int | None:
        """Return a like distance in a place that says nearly the same: "€9 more", "€10 more".

        A value that only a step tells ("by €9") is derived too often.
        """
        standing, near = self._beside(slot, anchor, places, likeness)
        if near is None or standing != "near" or is_step(self._said.low, slot.start):
            return None
        is_like = likeness.at(near) >= LEAST_APART * likeness.total
        return near if is_like and is_near(anchor, self._source.anchors[near]) else None

    def _may_follow(self, anchor: Anchor) -> bool:
        """Say whether one operation on two near values comes to it, whatever is announced.

        That excuses nothing; it is a figure of the sentence's doubt.
        """
        terms = (one.anchor for one in self._terms if one.anchor.key != anchor.key)
        return derive(anchor, Operands(terms)) is not None

    def _may_be_reckoned(self, anchor: Anchor) -> bool:
        """Say likewise of values that count the same, or do not say what they count.

        A product or quotient has a whole number among its terms.
        """
        nouns = (None, anchor.noun)
        near = [one.anchor for one in self._terms if one.anchor.key != anchor.key]
        terms = [one for one in near if one.label is None and one.noun in nouns]
        found = derive(anchor, Operands(terms))
        if found is None or not _PRODUCTS.intersection(found.words):
            return found is not None
        return any(is_whole(terms[number]) for number in found.sources)

    def _is_lone(self, anchor: Anchor) -> bool:
        """Say whether sentence and question hold nothing that a value could be reckoned from.

        That is a figure that a source holds, for a day or a time a duration.
        """
        in_time = anchor.kind in ("date", "time")
        others = (one for one in self._terms if one.place <= QUESTION)
        return not any(
            one.unit in LASTING if in_time else one.is_grounded and one.figure
            for one in others
            if one.anchor.key != anchor.key
        )

    def _is_misreckoned(self, anchor: Anchor) -> bool:
        """Say whether a sentence states how far two values are apart, both of them, and wrongly.

        "Climbed by £46 million, from 329 to 365" is checked as it is written: it does not follow.
        """
        own = [
            one
            for one in self._terms
            if one.place == SENTENCE and one.figure and one.anchor.key != anchor.key
        ]
        kinds = {one.anchor.kind for one in own}
        is_pair = len(own) == 2 and kinds in ({anchor.kind}, {"number"}) and anchor.unit is not None
        return is_pair and all(one.is_grounded for one in own)

    def _beside(
        self, slot: Slot, anchor: Anchor, places: _Places, likeness: Likeness
    ) -> tuple[Standing, int | None]:
        """Return how a value stands to the likest one whose place it seems to have taken, if any.

        "alone" where there is none. The work is bounded by that of `Likeness.best` before it.
        """
        source, said = self._source, self._said
        announces, own = said.announces, f"#{anchor.key}"
        counts = anchor.noun is not None and not is_out_of(said.low, slot.start)
        found: list[tuple[float, int, Standing]] = []
        unless_reckoned: list[tuple[float, int, Standing]] = []
        far = 0.0  # share of the likest place of another value of its unit
        for place in dict.fromkeys((*places.near, *places.rivals)):
            if source.keys[place] in said.keys and source.keys[place] != own:
                continue  # the sentence says it as well: it stands for itself
            other, share = source.anchors[place], likeness.at(place) / likeness.total
            if is_otherwise(anchor, other, share):
                found.append((share, -place, "otherwise"))
            elif is_rival(anchor, other, share, announces=announces):
                found.append((share, -place, "near"))
            elif self._is_instead(anchor, place, share) or (
                counts
                and counts_alike(anchor, other, share, announces=announces)
                and self._is_counted_there(anchor, place)
            ):
                unless_reckoned.append((share, -place, "near"))
            elif other.value and (other.kind, other.unit) == (anchor.kind, anchor.unit):
                far = max(far, share)
        if not found and unless_reckoned and not self._may_be_reckoned(anchor):
            found = unless_reckoned
        found = [one for one in found if one[2] != "near" or not self._is_stated(slot, -one[1])]
        if not found:
            return "alone", None
        share, place, standing = max(found)
        if standing == "near" and anchor.kind == "amount" and share < LEAST_BESIDE * far:
            return "alone", None  # the sentence speaks of that one
        return standing, -place

    def _is_stated(self, slot: Slot, place: int) -> bool:
        """Say whether the sentence states a near value as well, perhaps with its unit."""
        other = self._source.anchors[place]
        return any(
            one.anchor is not None
            and one is not slot
            and one.anchor.number == other.number
            and agree(one.anchor, other) == "same"
            for one in self._said.slots
        )

    def _is_instead(self, anchor: Anchor, place: int, share: float) -> bool:
        """Return whether a value stands in another's place, though its sentence derives it.

        Money, days of a year, and values in letters or rounded are derived too often.
        """
        other = self._source.anchors[place]
        is_day = anchor.kind == "date" and anchor.unit is None
        is_exact = not (is_day or anchor.kind == "amount" or anchor.approx or anchor.word)
        return is_exact and is_in_place(anchor, other, share)

    def _is_counted_there(self, anchor: Anchor, place: int) -> bool:
        """Say whether a slot stands in the nearest unit, which holds the noun of a count."""
        source, nearest = self._source, self._said.nearest
        unit = source.unit_of[place]
        is_nearest = bool(anchor.noun and nearest) and unit == nearest[0]
        return is_nearest and stem(anchor.noun or "") in source.units[unit].keys

    def _value_places(self, key: str, anchor: Anchor) -> _Places:
        """Return where the passages hold the value, and others like it, those nearby first."""
        source, keys = self._source, self._said.keys
        same, rivals, differing = list[int](), list[int](), list[int]()
        near = self._near_values
        alike: Sequence[int] = source.places(key, _MOST_PLACES)
        if not alike:
            with_number = source.numbered(anchor.number)[:_MOST_PLACES]
            alike = [*source.anchors.first(_MOST_VALUES), *with_number]
        places = dict.fromkeys((*near, *alike))
        self._said.work += len(places)
        for place, other in source.anchors.of(places):  # no word is written like a value's key
            relation = agree(anchor, other)
            if relation == "same" or _same_day(anchor, other):
                same.append(place)
            elif relation != "no" or _is_like(anchor, other):
                rivals.append(place)
                if relation != "no":
                    differing.append(place)
        if not same:
            in_letters = in_words(anchor)
            same = [place for word in in_letters for place in source.places(word, _MOST_PLACES)]
            if anchor.unit == WEEKDAY:
                same += self._every_day()
        known = set(near)
        rivals.sort(key=lambda place: place not in known)
        first = slice(_MOST_PLACES)
        if same:
            return _Places(same[first], rivals[first], differing[first], ())
        similar = [
            place
            for place in places
            if source.keys[place] not in keys
            and is_near(anchor, source.anchors[place])
            and (anchor.kind != "amount" or self._may_be_money(place))
        ]
        return _Places(same, rivals[first], differing[first], similar[first])

    def _every_day(self) -> Iterator[int]:
        """Yield where a passage speaks of every day, any day, all seven days."""
        keys = self._source.keys
        for place in self._source.places("day", _MOST_PLACES):
            if place and keys[place - 1] in WHOLES:
                yield place

    def _may_be_money(self, place: int) -> bool:
        """Say whether a value is an amount, or a bare figure where no amount has its sign.

        Beside amounts a figure without cents counts something else, as lessons or miles.
        """
        source = self._source
        one, unit = source.anchors[place], source.units[source.unit_of[place]]
        if one.kind == "amount" or one.rounded:
            return True
        beside = source.anchors.between(unit.first, unit.end)
        return not any(source.anchors[other].kind == "amount" for other in beside)

    @lazy
    def _near_values(self) -> list[int]:
        """The values of the nearest units, of each the first ones."""
        return [place for unit in self._said.nearest for place in self._values_of(unit)]

    def _values_of(self, number: int) -> Sequence[int]:
        """Return the first values of a unit."""
        unit = self._source.units[number]
        return self._source.anchors.between(unit.first, unit.end)[:_MOST_PLACES]

    @lazy
    def _near_names(self) -> list[int]:
        """The names of the nearest units that the sentence does not hold."""
        source, said = self._source, self._said
        return [
            place
            for unit in said.units
            for place in source.kinds.names(unit.first, unit.end)
            if source.keys[place] not in said.keys
        ][:_MOST_PLACES]

    def _derived(self, slot: Slot, anchor: Anchor, *, sharply: bool) -> _Derived:
        """Return how the value follows from others, and which slots of the passages it took.

        A figure that a passage has with another unit or period must follow sharply: exactly, and
        not from that figure ("14 days ÷ 24" is no reason for "14 hours").
        """
        is_often = anchor.unit in LASTING and is_interval(self._said.low, slot.start)
        # "Every 6 hours" is as often as it says, and a third no two thirds of a half.
        if is_often or anchor.unit == FOLD or is_part(anchor):
            return _UNDERIVED
        self._solved += 1
        self._said.work += _SOLVING_WORK
        terms, operations = self._reckonable(slot, anchor)
        if sharply:
            terms = [one for one in terms if one.anchor.number != anchor.number]
            anchor = anchor._replace(precision=ZERO, approx=False)
        found = Reckoning(terms, operations).of(anchor)
        if found is not None and self._is_side(slot, anchor):
            # In "10 x 15 x 25 cm" the last is no sum of the others, unless a total stands beside.
            used = [terms[number] for number in found.sources]
            own = [one.anchor for one in used if one.place == SENTENCE]
            if len(own) == len(used) and all(
                is_side(self._said.low, one.start, one.end) for one in own
            ):
                return _UNDERIVED
        if found is None and not sharply:
            found = round_bound(anchor, self._said.low, slot.start, terms, operations)
        if found is None:
            listed = "sum" in operations and not sharply
            return (derive_total(anchor, self._listed) if listed else None), ()
        places = (terms[number].slot for number in found.sources)
        return found, tuple(place for place in places if place is not None)

    def _is_side(self, slot: Slot, anchor: Anchor) -> bool:
        """Say whether a length is one side of a size, which is reckoned from nothing."""
        return anchor.unit == "m" and is_side(self._said.low, slot.start, slot.end)

    def _may_be_result(self, slot: Slot, anchor: Anchor, near: int | None) -> bool:
        """Say whether a value may be no misreading: a bill, or what values of the answer come to.

        No source holds these.
        """
        source = self._source
        terms, operations = self._reckonable(slot, anchor)
        if Reckoning(terms, operations).agrees(anchor):
            return True
        self._said.work += min(_MOST_VALUES, len(source.anchors))
        prices = (source.anchors[place] for place in source.anchors.first(_MOST_VALUES))
        units = [
            [source.anchors[place] for place in some]
            for unit, some in groupby(self._near_values, key=source.unit_of.__getitem__)
            if not source.units[unit].is_row  # its cells are no bill
        ]
        words = frozenset[str]().union(*(source.units[one].keys for one in self._said.nearest))
        if near is not None and source.unit_of[near] not in self._said.nearest:
            values = [source.anchors[place] for place in self._values_of(source.unit_of[near])]
            units.append(values)
            own = [one for one in terms if one.place < NEAREST]
            there = [one for value in values for one in terms_of(value, NEAREST)]
            if Reckoning([*own, *there][:_MOST_TERMS], operations).of(anchor) is not None:
                return True
        return may_be_bill(anchor, terms, prices, units, words)

    def _reckonable(
        self, slot: Slot, anchor: Anchor
    ) -> tuple[list[KnownValue], frozenset[Operation]]:
        """Return the values from which a value may be derived, without itself, and how."""
        said, key = self._said, (anchor.kind, anchor.key)
        terms = [one for one in self._terms if (one.anchor.kind, one.anchor.key) != key]
        is_apart = is_step(said.low, slot.start)
        return terms, said.reckonings | {"difference"} if is_apart else said.reckonings

    @lazy
    def _terms(self) -> list[KnownValue]:
        """What a reckoning may start from: of sentence, question, answer so far, nearest units."""
        source, said = self._source, self._said
        found: list[KnownValue] = []
        for slot in said.slots:
            if (anchor := slot.anchor) is not None and not is_of_calendar(anchor):
                is_held, steps = self._is_grounded(anchor), is_step(said.low, slot.start)
                found += terms_of(anchor, SENTENCE, is_grounded=is_held, is_step=steps)
        for slot in said.question:
            if slot.anchor is not None and not is_of_calendar(slot.anchor):
                found += terms_of(slot.anchor, QUESTION)
        del found[_STATED:]
        for one in reversed(said.told.values):
            found += terms_of(one.anchor, EARLIER, is_grounded=one.is_grounded)
        ranks = {unit: rank for rank, unit in enumerate(said.nearest)}
        for place in self._near_values:
            if not is_of_calendar(source.anchors[place]):
                found += terms_of(source.anchors[place], ranks[source.unit_of[place]], slot=place)
        return found[:_MOST_TERMS]

    @lazy
    def _listed(self) -> list[list[Anchor]]:
        """What a total may be of: what the answer has listed, all of it or the last lines."""
        results = self._said.told.results
        return [results[first:] for first in range(len(results) - 1)]

    def _is_grounded(self, anchor: Anchor) -> bool:
        """Say whether question or passages hold a value, or its bare figure ("68.0" of £68.0m)."""
        if anchor.kind == "number" and self._source.numbered(anchor.number):
            return True
        keys = {f"#{anchor.key}"}
        if anchor.number is not None:
            keys.add(f"#{plain(anchor.number)}")
        return not keys.isdisjoint(self._said.asked) or any(map(self._source.holds, keys))

    def _name(self, number: int) -> Edit:
        said, source = self._said, self._source
        slot = said.slots[number]
        below = source.places_below(slot.key)
        same = [*source.places(slot.key, _MOST_PLACES), *below][:_MOST_PLACES]
        rivals = self._near_names
        around = said.around(number)
        said.count(around, len(same) + len(rivals))
        likeness = Likeness(source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked
        lead = 0.0 if absent else rival - best_same
        return Edit("name", slot.start, slot.end, slot, place, (lead,), absent, asked)


def _same_day(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two dates are the same day of a year that only one of them names."""
    if anchor.kind != "date" or other.kind != "date":
        return False
    keys = {key[-6:] for key in (other.key, *other.ambiguous) if len(key) > 6}
    bare = anchor.key.startswith("--") or other.key.startswith("--")
    return bare and any(key[-6:] in keys for key in (anchor.key, *anchor.ambiguous))


def _are_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, quantities and dates of one unit."""
    return anchor.kind == other.kind and (
        anchor.kind not in ("quantity", "date") or anchor.unit == other.unit
    )


def _is_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, and of quantities of one unit or number."""
    if anchor.kind == other.kind == "date":
        return anchor.unit == other.unit
    if anchor.kind == other.kind == "quantity":
        return anchor.unit == other.unit or anchor.number == other.number
    if anchor.noun or other.noun:  # "35 people" beside "35 %"
        return anchor.kind == other.kind or anchor.number == other.number
    return anchor.kind == other.kind or (anchor.kind, other.kind) == ("year", "date")
