"""Lays the sentences of an answer beside the nearest places of the passages, slot by slot.

`Comparing` goes through an answer; of each sentence `Slots` (`compared`) compares the values and
names, `compare_marks` (`marked`) its negators, modals and quantifiers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from streamguard.core.derive.announced import Operation
from streamguard.core.facts.compared import Slots
from streamguard.core.facts.marked import compare_marks
from streamguard.core.facts.misplaced import find_crossed, find_misplaced, has_parts
from streamguard.core.facts.model import Edit
from streamguard.core.facts.said import (
    MAX_COMPARED,
    MOST_SLOTS,
    Asked,
    Said,
    Stated,
    Told,
)
from streamguard.core.facts.sentence_forms import ITEM
from streamguard.core.facts.source import Source
from streamguard.core.owners.exchanges import Pairing
from streamguard.core.reading.slots import Slot, read_slots
from streamguard.values import Anchor

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


def _exchanges(said: Said) -> Iterator[Edit | None]:
    """Compare the values of the sentence's owners with those of the same owners in the passages.

    Yields None between two steps.
    """
    misplaced = set[int]()
    crossed = (yield from find_crossed(said)) if has_parts(said) else {}
    for number, slot in enumerate(said.slots):
        found = crossed.get(number)
        if found is None and slot.anchor is not None:
            found = find_misplaced(said, slot)
        if found is not None:
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
