"""Compares the values and names of one sentence with those of the passages."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from math import fsum

from streamguard.core.derive.announced import is_step
from streamguard.core.facts.model import Edit
from streamguard.core.facts.nearby import MOST_PLACES, Nearby, ValuePlaces
from streamguard.core.facts.reckonable import SOLVING_WORK, UNDERIVED, Reckonable
from streamguard.core.facts.said import MAX_COMPARED, Said
from streamguard.core.facts.source import Likeness, weight_of
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
    is_near,
    is_of_calendar,
    is_otherwise,
    is_out_of,
    is_part,
    is_plain,
    is_rival,
    numbers_alike,
)
from streamguard.core.reading.slots import Slot
from streamguard.text.languages import language_of
from streamguard.text.words import stem
from streamguard.values import Anchor, agree
from streamguard.values.identifiers import OWN
from streamguard.values.relative import FOLD
from streamguard.values.value import plain

_POINTS = frozenset(["date", "time"])  # in time: "by 30 April" is no step


class Slots:
    """The values and names of one sentence while they are compared."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._source = said.source
        self._nearby = Nearby(said)
        self._reckonable = Reckonable(said, self._nearby)

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
        found = self._nearby.places_of(slot.key, anchor)
        same, rivals, differing = found.same, found.rivals, found.differing
        unit_differs = bool(differing) and not same
        around = said.around(number)
        said.count(around, len(same) + len(rivals) + len(found.near))
        likeness = Likeness(self._source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked or self._is_asked_bare(anchor)
        derivation, operands = UNDERIVED
        if absent and self._reckonable.may_derive:
            yield  # a reckoning may take as long as all before it
            derivation, operands = self._reckonable.derived(
                slot, anchor, rivals, sharply=unit_differs
            )
        unit_differs = unit_differs and derivation is None
        standing: Standing = "held"
        near = should_be = None
        if absent:
            standing = "asked" if derivation is None else "reckoned"
        if absent and derivation is None:
            should_be = self._reckonable.misreckoned(anchor)
            stands, place_near = self._stands(slot, anchor, found, likeness, should_be)
            if not asked or is_believed(anchor, stands, said.low, slot.start):
                standing, near = stands, place_near
            is_wrong = standing in ("near", "plain")
            if is_wrong and self._reckonable.may_be_result(slot, anchor, near):
                standing, near = "alone", None
        if standing != "plain":
            should_be = None
        unmet = standing in UNMET
        if standing == "alone":
            said.work += SOLVING_WORK
            yield  # another reckoning
            unmet = not self._reckonable.may_follow(anchor)
        best = max(rival, *map(likeness.share, said.nearest[:2]), 0.0) if unmet else 0.0
        is_said = place is not None and self._source.keys[place] in said.keys
        lead = rival - best_same
        if absent or is_of_calendar(anchor):  # days of the week stand beside one another
            lead = 0.0
        figures = (lead, float(is_said), best)
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
            should_be=should_be,
        )

    def _name(self, number: int) -> Edit:
        said, source = self._said, self._source
        slot = said.slots[number]
        below = source.places_below(slot.key)
        same = [*source.places(slot.key, MOST_PLACES), *below][:MOST_PLACES]
        rivals = self._nearby.names
        around = said.around(number)
        said.count(around, len(same) + len(rivals))
        likeness = Likeness(source, around)
        (_, best_same), (place, rival) = likeness.best(same), likeness.best(rivals)
        absent, asked = not same, slot.key in said.asked
        lead = 0.0 if absent else rival - best_same
        return Edit("name", slot.start, slot.end, slot, place, (lead,), absent, asked)

    def _is_asked_bare(self, anchor: Anchor) -> bool:
        """Say whether the question has a quantity's figure alone: "kids of 9 and 13"."""
        if anchor.kind != "quantity" or anchor.number is None:
            return False
        return f"#{plain(anchor.number)}" in self._said.asked

    def _elsewhere(
        self, slot: Slot, anchor: Anchor, places: ValuePlaces
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
        self,
        slot: Slot,
        anchor: Anchor,
        places: ValuePlaces,
        likeness: Likeness,
        should_be: str | None,
    ) -> tuple[Standing, int | None]:
        """Return the standing of a value that no source has and that follows from nothing.

        `should_be`: the right result where its sentence reckons it wrongly. Second: the slot of the
        passages that has another one in its place, None where none has.
        """
        if places.differing:
            return "otherwise", likeness.best(places.differing)[0]
        if self._reckonable.is_of_others(slot):
            return "plain", None
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
        if (
            anchor.kind not in _POINTS
            and is_distance(said.low, slot.start, slot.end)
            and not self._reckonable.is_side_of(slot, anchor)
        ):
            if self._reckonable.is_misreckoned(anchor):
                return "plain", None
            near = self._apart_beside(slot, anchor, places, likeness)
            return ("alone", None) if near is None else ("near", near)
        if should_be is not None:
            return "plain", None
        standing, near = self._beside(slot, anchor, places, likeness)
        if near is None:
            is_lone, announces = self._reckonable.is_lone(anchor), said.announces
            stands = is_plain(anchor, said.low, slot.start, announces=announces, is_lone=is_lone)
            if stands or (is_lone and self._is_uncounted(anchor)):
                standing = "plain"
        return standing, near

    def _casual(
        self, slot: Slot, anchor: Anchor, places: ValuePlaces, likeness: Likeness
    ) -> tuple[Standing, int | None]:
        """Return the standing of a small count, rank or part in letters, or of a multiple.

        All but a count may stand in another's place, in words that nearly say the same.
        """
        if is_part(anchor) and is_bound(self._said.low, slot.start):
            return "casual", None
        source, least = self._source, LEAST_INSTEAD * likeness.total
        instead = [
            (likeness.at(place), -place)
            for place in (*places.rivals, *self._nearby.values)
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
        self, slot: Slot, anchor: Anchor, places: ValuePlaces, likeness: Likeness
    ) -> int | None:
        """Return the slot of a like distance in nearly the same words, or None: "€10 more".

        None for a step ("by €9"): steps are derived too often.
        """
        standing, near = self._beside(slot, anchor, places, likeness)
        if near is None or standing != "near" or is_step(self._said.low, slot.start):
            return None
        is_like = likeness.at(near) >= LEAST_APART * likeness.total
        return near if is_like and is_near(anchor, self._source.anchors[near]) else None

    def _beside(
        self, slot: Slot, anchor: Anchor, places: ValuePlaces, likeness: Likeness
    ) -> tuple[Standing, int | None]:
        """Return the standing of a value to the likest one that it seems to have replaced.

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
        if not found and unless_reckoned and not self._reckonable.may_be_reckoned(anchor):
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


def _are_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, quantities and dates of one unit."""
    return anchor.kind == other.kind and (
        anchor.kind not in ("quantity", "date") or anchor.unit == other.unit
    )
