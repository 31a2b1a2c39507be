"""Lays the sentences of an answer beside the nearest places of the passages, slot by slot."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from streamguard.core.facts.marked import compare_marks
from streamguard.core.facts.model import Edit, edit_of
from streamguard.core.facts.said import MAX_COMPARED, MOST_SLOTS, Said, Stated, Told
from streamguard.core.facts.slots import CONTENT, Slot, read_slots
from streamguard.core.facts.source import Source
from streamguard.core.facts.valued import Slots
from streamguard.values import Anchor

T = TypeVar("T")

_MOST_ASKED = MAX_COMPARED  # content slots of the question; guess, four times the most seen
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

    def __init__(self, source: Source, question: Sequence[Slot]) -> None:
        self._source = source
        asked = [slot for slot in question if slot.kind in CONTENT]
        self._question = asked[:_MOST_ASKED]
        self._asked = frozenset(slot.key for slot in asked)
        self._told = Told()
        self._allowed = WORK_AT_ONCE
        self.has_more = self.is_spent = False
        self.work = 0
        self.said: Said | None = None

    def edits(self, text: str, anchors: Sequence[Anchor], rank: int = 0) -> list[Edit]:
        """Return the edits of the answer's next sentence; every one must come once, in order."""
        return run_through(self.comparing(text, anchors, rank))

    def comparing(
        self, text: str, anchors: Sequence[Anchor], rank: int
    ) -> Generator[None, None, list[Edit]]:
        """Compare likewise, with a pause after every `PAUSE_WORK` places.

        `text` is folded, without citation tags and talk about the sources; `rank` counts the
        answer's statements before it. Work is bounded by counts of slots, places and reckonings,
        whatever the text is.
        """
        told = self._told
        self.said = None
        self._allowed += WORK_PER_CHAR * len(text)
        slots = read_slots(text, anchors, most=MOST_SLOTS + 1)
        compared = sum(slot.kind in ("value", "name") for slot in slots)
        if compared > MAX_COMPARED or len(slots) > MOST_SLOTS:
            self.has_more = True
            del slots[MOST_SLOTS:]
        if not slots:
            return []
        if self.work > self._allowed:
            self.is_spent = True
            return []
        said = Said(self._source, slots, self._question, self._asked, told, rank)
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
        told.keys.update(said.keys)
        told.values += [
            Stated(
                edit.slot.anchor,
                None,
                not edit.absent or edit.asked or edit.derivation is not None,
            )
            for edit in found
            if edit.group == "value" and edit.slot is not None and edit.slot.anchor is not None
        ]
        del told.values[:-_EARLIER]
        told.results += _result([slot.anchor for slot in slots if slot.anchor is not None])
        del told.results[:-_LISTED]
        return found


def _result(values: Sequence[Anchor]) -> list[Anchor]:
    """Return what a line of a bill comes to: its last amount that is not free, or last value."""
    counted = [one for one in values if one.kind in ("amount", "quantity", "number")]
    amounts = [one for one in counted if one.kind == "amount" and one.value]
    return (amounts or counted)[-1:]


def _exchanges(said: Said) -> Iterator[Edit]:
    """Compare what the sentence tells of an owner with what the passages tell of it."""
    for one in said.pairings.values():
        if one.agrees:
            continue
        first, last = said.slots[one.first], said.slots[one.end - 1]
        is_amount = one.kind.startswith("amount")
        figures = (float(one.owners > 1), one.framed, float(is_amount), said.covered)
        span = (first.start, last.end)
        yield edit_of("exchange", span, first, one.place, figures)


def run_through(steps: Generator[None, None, T]) -> T:
    """Go on without a pause; return what comes of it."""
    while True:
        try:
            next(steps)
        except StopIteration as over:
            found: T = over.value
            return found
