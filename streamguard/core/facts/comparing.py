"""Lays a sentence of the answer beside the nearest places of the passages, slot by slot."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import fsum, log1p
from typing import Final, NamedTuple, TypeVar

from streamguard.core.derive.solver import Derivation, derive_from
from streamguard.core.facts.exchanges import Pairing, pairings
from streamguard.core.facts.figures import FIGURES, Group
from streamguard.core.facts.model import risk_of
from streamguard.core.facts.slots import CONTENT, Clause, Slot, clauses_of, read_slots
from streamguard.core.facts.source import Source, Surroundings
from streamguard.values import Anchor, agree
from streamguard.values.agreement import other_numbers
from streamguard.values.value import ZERO, plain

T = TypeVar("T")

# Surroundings of a slot: the words beside it lose a share of their weight by every slot between,
# and as much as `OTHER_CLAUSE` leaves in another clause. The sentence before and the question are
# what an elliptic sentence leaves unsaid. Chosen among a few on everyday_dev, out of fold.
DECAY: Final = 0.93
OTHER_CLAUSE: Final = 0.55
BEFORE: Final = 0.2
ASKED: Final = 0.35
HEAD: Final = 0.4  # of the columns' heads, for a row of the answer
# Of a clause's marks: words of its sentence's other clauses.
BESIDE_CLAUSE: Final = 0.4
MAX_COMPARED: Final = 60  # values and names of one sentence; guess, many times the mean
_MOST_SLOTS = 4 * MAX_COMPARED
NEAREST: Final = 4  # units that are looked into; two or three give nearly the same
_MOST_PLACES = 40  # of one slot that are compared, on either side and in one unit; guess
# Of all passages: values that an absent value is compared with, after those with its number;
# guess, three times as many as the passages of any everyday or RAGTruth answer hold.
_MOST_VALUES = 200
_MOST_ASKED = MAX_COMPARED  # content slots of the question; guess, four times the most seen
# Work is counted in places that are compared: a microsecond or two each. A sentence may pause when
# it has done so much, and an answer is compared while it takes less than it may: so much at once,
# and so much for every character. The dearest RAGTruth answer takes a third of it; guesses.
PAUSE_WORK: Final = 400
WORK_AT_ONCE: Final = 25_000
WORK_PER_CHAR: Final = 12
_MUCH_AROUND = 100  # words of sentence and question: finding the nearest units is work by itself
_WORDS_A_PLACE = 20  # words of the surroundings that make a place's work twice as much
_SLOT_WORK = 30  # of a slot beside its places: its surroundings
_SOLVING_WORK = 300  # of one reckoning
_MOST_FILLERS = 2_000  # of the groups that one sentence is compared with; guess
_MOST_SOLVED = 12  # values of one sentence that are reckoned; guess
# Log-odds of a slot that a table, list or the like tells of the same owner: of 805 in the everyday
# sets 18 were wrong.
AGREED: Final = -3.8
_UNSURE = 0.3  # likeness of the best same place below which a value is reckoned as well
_STATED = 8  # values of the sentence and the question that may be operands
_FULL = 4  # power of a likeness that tells nearly whole ones from the rest; guess
_LATEST = 12  # sentences before one that are counted
_EARLIER = 8  # values of the answer's sentences before that may be operands


_UNIT_DIFFERS: Final = FIGURES["value"].index("unit_differs")


class Edit(NamedTuple):
    """What stands in a slot of the answer beside what the passages have in its place.

    `start` and `end` count from the start of the sentence's text. `rival`: the slot of the
    passages that has something else in the best place, None where none has. `figures` are in the
    order of `FIGURES[group]`, `risk` is the log-odds that the slot is wrong. `derivation`: how a
    value follows from others, `operands` the slots of the passages among them.
    """

    group: Group
    start: int
    end: int
    slot: Slot | None
    rival: int | None
    figures: tuple[float, ...]
    risk: float
    derivation: Derivation | None = None
    operands: tuple[int, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether no passage holds what stands in the slot of a value or name."""
        return bool(self.figures[0])

    @property
    def unit_differs(self) -> bool:
        """Whether a passage has a value's number with another unit or period, and none has it."""
        return self.group == "value" and bool(self.figures[_UNIT_DIFFERS])

    @property
    def asked(self) -> bool:
        """Whether the question holds it."""
        return bool(self.figures[1])


class _Operand(NamedTuple):
    """A value to reckon with: its slot in the passages, and whether they or the question hold it.

    One that follows from such values is grounded as well.
    """

    anchor: Anchor
    place: int | None
    is_grounded: bool


@dataclass(slots=True)
class Told:
    """What the answer's sentences so far held: what the surroundings of the next one need."""

    before: Sequence[Slot] = ()
    keys: set[str] = field(default_factory=set)
    values: list[_Operand] = field(default_factory=list)
    head: Sequence[Slot] | None = None  # of the table at hand
    sentences: int = 0


class Comparing:
    """Compares the sentences of one answer, in their order, with one set of passages.

    `has_more`: a sentence held more values and names than are compared. `is_spent`: comparing
    took more than the answer's length allows, and a sentence was not compared. `work`: places
    compared so far.
    """

    def __init__(self, source: Source, question: Sequence[Slot]) -> None:
        self._source = source
        asked = [slot for slot in question if _is_content(slot)]
        self._question = asked[:_MOST_ASKED]
        self._asked = frozenset(slot.key for slot in asked)
        self._told = Told()
        self._allowed = WORK_AT_ONCE
        self.has_more = self.is_spent = False
        self.work = 0

    def edits(self, text: str, anchors: Sequence[Anchor], *, is_row: bool = False) -> list[Edit]:
        """Return the edits of the answer's next sentence; every one must come once, in order."""
        return run_through(self.comparing(text, anchors, is_row=is_row))

    def comparing(
        self, text: str, anchors: Sequence[Anchor], *, is_row: bool = False
    ) -> Generator[None, None, list[Edit]]:
        """Compare likewise, with a pause after every `PAUSE_WORK` places.

        `text` is folded, without citation tags and talk about the sources. Work is bounded by
        counts of slots, places and reckonings, whatever the text is.
        """
        told = self._told
        told.sentences += 1
        self._allowed += WORK_PER_CHAR * len(text)
        slots = read_slots(text, anchors, most=_MOST_SLOTS + 1)
        compared = sum(slot.kind in ("value", "name") for slot in slots)
        if compared > MAX_COMPARED or len(slots) > _MOST_SLOTS:
            self.has_more = True
            del slots[_MOST_SLOTS:]
        if not is_row:
            told.head = None
        if not slots:
            return []
        if self.work > self._allowed:
            self.is_spent = True
            return []
        head = told.head or ()
        if is_row and told.head is None:
            told.head = slots
        said = _Said(self._source, slots, self._question, self._asked, told, head, is_row)
        found: list[Edit] = []
        paused = 0  # work at the last pause
        if said.work > _MUCH_AROUND:
            yield
        for edits in (said.marks(), said.slots(), said.exchanges()):
            for edit in edits:
                if edit is not None:
                    found.append(edit)
                if said.work - paused > PAUSE_WORK:
                    paused = said.work
                    yield
        self.work += said.work
        told.before = slots
        told.keys.update(said.keys)
        told.values += [
            _Operand(
                edit.slot.anchor,
                None,
                not edit.absent or edit.asked or edit.derivation is not None,
            )
            for edit in found
            if edit.group == "value" and edit.slot is not None and edit.slot.anchor is not None
        ]
        del told.values[:-_EARLIER]
        return found


class _Said:
    """One sentence of the answer while it is compared."""

    def __init__(
        self,
        source: Source,
        slots: Sequence[Slot],
        question: Sequence[Slot],
        asked: frozenset[str],
        told: Told,
        head: Sequence[Slot],
        is_row: bool,
    ) -> None:
        self._source = source
        self._slots = slots
        self._question = question
        self._asked = asked
        self._told = told
        self._head = head
        self._is_row = is_row
        self._late = log1p(min(told.sentences - 1, _LATEST))
        self.keys = frozenset(slot.key for slot in slots)
        self._values = frozenset(slot.key for slot in slots if slot.anchor is not None)
        whole = self._whole()
        self.work = len(whole)
        self._units = source.nearest(whole, NEAREST)
        self._covered = self._share()
        self._pool: list[_Operand] | None = None
        self._solved = 0

    def _whole(self) -> dict[str, float]:
        """Return the surroundings of the sentence as a whole."""
        weights = self._source.weights
        found = {slot.key: ASKED * weights[slot.key] for slot in self._question}
        keys = (slot.key for slot in self._slots)  # in the order of the text, not of a set
        found.update((key, weights[key]) for key in keys if self._source.holds(key))
        return found

    def _share(self) -> float:
        """Return the share of the sentence's weight that its best unit holds or stands below."""
        weights = self._source.weights
        total = fsum(map(weights.__getitem__, self.keys))  # more than 0, as every weight is
        best = 0.0
        for unit in self._units:
            held = fsum(map(weights.__getitem__, self.keys & self._source.reach(unit)))
            best = max(best, held)
        return best / total

    def marks(self) -> Iterator[Edit | None]:
        """Compare negation, modal and quantifier of each clause with those of the passages'.

        What neither the clause nor a near one has is nothing to compare. None comes behind each
        clause.
        """
        source = self._source
        others = [
            (unit, other) for unit in self._units for other in source.clauses(unit)[:_MOST_PLACES]
        ]
        marked = any(other.marked for _, other in others)
        for clause in clauses_of(self._slots[:MAX_COMPARED]):
            if not (marked or clause.marked):
                continue
            around = self._of_clause(clause)
            self.work += _work_of(around, len(others))
            total = sum(around.values())
            likenesses = [
                (self._clause_likeness(around, other, unit) / total, other)
                for unit, other in others
            ]
            if clause.negated or any(other.negated for _, other in others):
                yield self._polarity(clause, likenesses)
            if clause.modal or any(other.modal for _, other in others):
                yield self._modal(clause, likenesses)
            if clause.quantifier or any(other.quantifier for _, other in others):
                yield self._quantifier(clause, likenesses)
            yield None

    def _of_clause(self, clause: Clause) -> dict[str, float]:
        weights = self._source.weights
        found = self._beside.copy()
        found.update((key, weights[key]) for key in clause.keys)
        return found

    @cached_property
    def _beside(self) -> dict[str, float]:
        """The weights of what stands beside any clause: the question, the sentence's slots."""
        weights = self._source.weights
        found = {slot.key: ASKED * weights[slot.key] for slot in self._question}
        for slot in self._slots:
            if _is_content(slot):
                found[slot.key] = BESIDE_CLAUSE * weights[slot.key]
        return found

    def _clause_likeness(self, around: Surroundings, other: Clause, unit: int) -> float:
        """Return the weight that stands in a clause, half of it beside, a quarter above it."""
        at = self._source.units[unit]
        inside = around.keys() & other.keys
        beside = (around.keys() & at.keys) - inside
        above = (around.keys() & at.around) - inside - beside
        get = around.__getitem__
        return fsum(map(get, inside)) + 0.5 * fsum(map(get, beside)) + 0.25 * fsum(map(get, above))

    def _polarity(self, clause: Clause, likenesses: Sequence[tuple[float, Clause]]) -> Edit:
        same = _best(share for share, other in likenesses if other.negated == clause.negated)
        contrary = _best(share for share, other in likenesses if other.negated != clause.negated)
        lead, denied = max(contrary - same, 0.0), float(clause.negated)
        figures = (
            denied, same, contrary, contrary - same, lead, float(lead > 0.2), denied * lead,
            self._covered, len(self._slots), self._late, lead * contrary**_FULL,
        )  # fmt: skip
        return self._unless_agreed(clause.first, self._mark("polarity", "negator", clause, figures))

    def _modal(self, clause: Clause, likenesses: Sequence[tuple[float, Clause]]) -> Edit:
        mine = clause.modal
        same = _best(share for share, other in likenesses if other.modal == mine)
        contrary = _best(s for s, other in likenesses if other.modal not in (0, mine))
        lead = max(contrary - same, 0.0)
        must, should, may = (float(mine == sense) for sense in (1, 2, 3))
        figures = (
            must, should, may, same, contrary, contrary - same, lead, must * lead, may * lead,
            self._covered, len(self._slots), self._late, lead * contrary**_FULL,
        )  # fmt: skip
        return self._mark("modal", "modal", clause, figures)

    def _quantifier(self, clause: Clause, likenesses: Sequence[tuple[float, Clause]]) -> Edit:
        mine = clause.quantifier
        same = _best(share for share, other in likenesses if other.quantifier == mine)
        contrary = _best(s for s, other in likenesses if other.quantifier not in (0, mine))
        lead, best = max(contrary - same, 0.0), _best(share for share, _ in likenesses)
        whole, part = float(mine == 1), float(mine == 2)
        figures = (
            whole, part, same, contrary, contrary - same, lead, whole * lead, part * lead,
            whole * max(best - same, 0.0), self._covered, len(self._slots), self._late,
            lead * contrary**_FULL,
        )  # fmt: skip
        return self._mark("quantifier", "quantifier", clause, figures)

    def _mark(self, group: Group, kind: str, clause: Clause, figures: Iterable[float]) -> Edit:
        at = clause.marked.get(kind)
        first, last = (clause.first, clause.last) if at is None else (at, at)
        start, end = self._slots[first].start, self._slots[last].end
        slot = None if at is None else self._slots[at]
        return _edit(group, (start, end), slot, None, figures)

    def slots(self) -> Iterator[Edit]:
        """Compare the values and names of the sentence with those of the passages."""
        compared = 0
        for number, slot in enumerate(self._slots):
            if slot.kind in ("value", "name"):
                compared += 1
                if compared > MAX_COMPARED:
                    return
                found = self._value(number) if slot.kind == "value" else self._name(number)
                yield found if found.absent else self._unless_agreed(number, found)

    @cached_property
    def _pairings(self) -> dict[int, Pairing]:
        """The owners of the sentence's fillers, by their first slots."""
        source = self._source
        groups, fillers = [], 0
        for group in source.siblings.about(self.keys):
            fillers += sum(map(len, group.columns.values()))
            if fillers > _MOST_FILLERS:
                break
            groups.append(group)
        self.work += fillers
        return pairings(groups, self._slots, self._asked, source.are_together)

    def _unless_agreed(self, number: int, edit: Edit) -> Edit:
        """Return the edit of a slot, hardly a risk where the passages tell it of its owner too."""
        told = (one.agrees and one.first <= number < one.end for one in self._pairings.values())
        return edit._replace(risk=min(edit.risk, AGREED)) if any(told) else edit

    def exchanges(self) -> Iterator[Edit]:
        """Compare what the sentence tells of an owner with what the passages tell of it."""
        for one in self._pairings.values():
            if one.agrees:
                continue
            first, last, kind = self._slots[one.first], self._slots[one.end - 1], one.kind
            rest = len(self.keys) - len(one.marks) - (one.end - one.first)
            figures = (
                float(one.group.way == "clause"), float(one.owners > 1), one.framed,
                float(kind.startswith("amount")), float(kind == "denied"),
                float(kind.startswith("number")), len(self._slots), self._late,
                log1p(max(rest, 0)), self._covered,
            )  # fmt: skip
            span = (first.start, last.end)
            yield _edit("exchange", span, first, one.place, figures)

    def _around(self, number: int) -> dict[str, float]:
        """Return the surroundings of a slot: key to weight."""
        weights = self._source.weights
        mine = self._slots[number]
        found = self._unsaid.copy()
        beside: dict[str, float] = {}
        first, last = self._run_of(number)
        for other, slot in enumerate(self._slots):
            if _is_content(slot) and not first <= other <= last:
                share = 1.0 if slot.clause == mine.clause else OTHER_CLAUSE
                share *= DECAY ** abs(other - number) * weights[slot.key]
                if share > beside.get(slot.key, 0.0):
                    beside[slot.key] = share
        found.update(beside)
        for slot in self._slots[first : last + 1]:
            found.pop(slot.key, None)
        return found

    @cached_property
    def _unsaid(self) -> dict[str, float]:
        """The weights of what an elliptic sentence leaves out: heads, sentence before, question."""
        weights, holds = self._source.weights, self._source.holds
        found = {slot.key: HEAD * weights[slot.key] for slot in self._head if _is_content(slot)}
        for slot in self._told.before:
            if _is_content(slot) and holds(slot.key):
                found.setdefault(slot.key, BEFORE * weights[slot.key])
        for slot in self._question:
            if holds(slot.key):
                found[slot.key] = ASKED * weights[slot.key]
        return found

    def _run_of(self, number: int) -> tuple[int, int]:
        """Return the first and last slot of the name that a slot is a part of."""
        slots = self._slots
        first = last = number
        if slots[number].kind == "name":
            while first and _joins(slots[first - 1], slots[first]):
                first -= 1
            while last + 1 < len(slots) and _joins(slots[last], slots[last + 1]):
                last += 1
        return first, last

    def _value(self, number: int) -> Edit:
        slot, source = self._slots[number], self._source
        anchor = slot.anchor
        assert anchor is not None  # so values are read
        same, rivals, differing = self._value_places(slot.key, anchor)
        unit_differs = bool(differing) and not same
        around = self._around(number)
        self.work += _work_of(around, len(same) + len(rivals))
        seen = _Seen(source, around, same, rivals, self._units)
        best_same, rival = seen.same, seen.rival
        absent = float(not same)
        derivation: Derivation | None = None
        operands: tuple[int, ...] = ()
        if best_same < _UNSURE and self._solved < _MOST_SOLVED:
            derivation, operands = self._derived(anchor, sharply=unit_differs)
        derived = 0.0 if derivation is None else 1.0
        unmet = absent * (1.0 - derived)
        asked = float(slot.key in self._asked)
        margin, present = rival - best_same, 1.0 - absent
        lead = max(margin, 0.0) * present
        casual, kind = float(anchor.casual), anchor.kind
        day, quantity = float(kind in ("date", "year")), float(kind == "quantity")
        said = seen.rival_key in self.keys
        figures = (
            absent, asked, absent * asked, best_same, rival, margin * present, lead,
            float(lead > 0.15), rival * absent, seen.best * absent, seen.best - best_same,
            seen.own, seen.others, seen.others * float(seen.own < 0.03) * present,
            seen.others_rarest * present, seen.own_rarest * present,
            float(unit_differs), float(said), derived,
            float(derivation is not None and derivation.steps > 1), unmet, unmet * seen.best,
            float(slot.key in self._told.keys), self._covered, self._covered * absent,
            self._covered * margin * present, len(self._slots), len(self._values),
            float(len(same) == 1), min(len(rivals), 20), float(self._is_row),
            float(kind == "amount"), float(kind == "percent"), quantity, float(kind == "time"),
            day, casual, casual * absent, day * absent, quantity * absent, self._late,
            unmet * self._late, lead * rival**_FULL,
        )  # fmt: skip
        span = (slot.start, slot.end)
        place = seen.rival_place
        if unit_differs:
            place, _ = _most_like(source, around, differing, 1.0)
        found = _edit("value", span, slot, place, figures)
        return found._replace(derivation=derivation, operands=operands)

    def _value_places(self, key: str, anchor: Anchor) -> tuple[list[int], list[int], list[int]]:
        """Return where the passages hold the value, where another of its kind, near ones first.

        Third: those of the others that have its number with another unit or period.
        """
        source = self._source
        same: list[int] = []
        rivals: list[int] = []
        differing: list[int] = []
        near = self._near_values
        alike: Sequence[int] = source.places(key)[:_MOST_PLACES]
        if not alike:
            figures = [anchor.number, *other_numbers(anchor)]
            with_number = [n for each in figures for n in source.numbered(each)[:_MOST_PLACES]]
            alike = [*islice(source.anchors, _MOST_VALUES), *with_number]
        places = dict.fromkeys((*near, *alike))
        self.work += len(places)
        for place in places:
            other = source.anchors.get(place)
            assert other is not None  # no word is written like a value's key
            relation = agree(anchor, other)
            if relation == "same" or _same_day(anchor, other):
                same.append(place)
            elif relation in ("unit", "period"):
                rivals.append(place)
                differing.append(place)
            elif _is_like(anchor, other):
                rivals.append(place)
        known = set(near)
        rivals.sort(key=lambda place: place not in known)
        return same[:_MOST_PLACES], rivals[:_MOST_PLACES], differing[:_MOST_PLACES]

    @cached_property
    def _near_values(self) -> list[int]:
        """The values of the nearest units, of each the first ones."""
        units = (_values_in(self._source, unit) for unit in self._units)
        return [place for values in units for place in islice(values, _MOST_PLACES)]

    @cached_property
    def _near_names(self) -> list[int]:
        """The names of the nearest units that the sentence does not hold."""
        source = self._source
        return [
            place
            for unit in self._units
            for place in range(source.units[unit].first, source.units[unit].end)
            if source.kinds[place] == "name" and source.keys[place] not in self.keys
        ][:_MOST_PLACES]

    def _derived(
        self, anchor: Anchor, *, sharply: bool
    ) -> tuple[Derivation | None, tuple[int, ...]]:
        """Return how the value follows from others, and which slots of the passages it took.

        A figure that a passage has with another unit or period must follow sharply: exactly, and
        not from that figure ("14 days ÷ 24" is no reason for "14 hours").
        """
        self._solved += 1
        self.work += _SOLVING_WORK
        if self._pool is None:
            self._pool = self._operands()
        pool = [one for one in self._pool if one.anchor.key != anchor.key]
        if sharply:
            pool = [one for one in pool if one.anchor.number != anchor.number]
            anchor = anchor._replace(precision=ZERO)
        found = derive_from(anchor, [one.anchor for one in pool], [one.is_grounded for one in pool])
        if found is None:
            return None, ()
        places = (pool[number].place for number in found.sources)
        return found, tuple(place for place in places if place is not None)

    def _operands(self) -> list[_Operand]:
        """Return the values that a reckoning may start from.

        The sentence's own come first, then the question's, those of the nearest units, and those
        that the answer stated before.
        """
        source, stated = self._source, [*self._slots, *self._question]
        own = [
            _Operand(slot.anchor, None, self._is_grounded(slot.anchor))
            for slot in stated
            if slot.anchor is not None
        ][:_STATED]
        near = [
            _Operand(anchor, place, is_grounded=True)
            for place in self._near_values
            if (anchor := source.anchors.get(place)) is not None
        ]
        return [*own, *near, *reversed(self._told.values)]

    def _is_grounded(self, anchor: Anchor) -> bool:
        """Say whether question or passages hold a value, or its bare figure ("68.0" of £68.0m)."""
        keys = {f"#{anchor.key}"}
        if anchor.number is not None:
            keys.add(f"#{plain(anchor.number)}")
        return not keys.isdisjoint(self._asked) or any(map(self._source.holds, keys))

    def _name(self, number: int) -> Edit:
        slot, source = self._slots[number], self._source
        same = [*source.places(slot.key), *source.places_below(slot.key)][:_MOST_PLACES]
        rivals = self._near_names
        around = self._around(number)
        self.work += _work_of(around, len(same) + len(rivals))
        seen = _Seen(source, around, same, rivals, self._units)
        absent = float(not same)
        asked = float(slot.key in self._asked)
        margin, present = seen.rival - seen.same, 1.0 - absent
        figures = (
            absent, asked, absent * asked, seen.same, seen.rival, margin * present,
            max(margin, 0.0) * present, seen.best * absent, seen.best - seen.same, seen.own,
            seen.others, seen.others * float(seen.own < 0.03) * present,
            seen.others_rarest * present, seen.own_rarest * present,
            float(slot.key in self._told.keys), self._covered, len(self._slots),
            len(self._values), float(len(same) == 1), min(len(rivals), 20), self._late,
        )  # fmt: skip
        span = (slot.start, slot.end)
        return _edit("name", span, slot, seen.rival_place, figures)


def run_through(steps: Generator[None, None, T]) -> T:
    """Go on without a pause; return what comes of it."""
    while True:
        try:
            next(steps)
        except StopIteration as over:
            found: T = over.value
            return found


def _edit(
    group: Group,
    span: tuple[int, int],
    slot: Slot | None,
    rival: int | None,
    figures: Iterable[float],
) -> Edit:
    described = tuple(map(float, figures))
    return Edit(group, *span, slot, rival, described, risk_of(group, described))


class _Seen:
    """The best places of a slot: one that has the same, one that has something else.

    Likenesses are shares of the surroundings' weight, in [0, 1]. `own` and `others`: the share
    that stands near the one and not near the other; `own_rarest`, `others_rarest`: the largest
    weight of one word that belongs to the one's unit and not to the other's.
    """

    def __init__(
        self,
        source: Source,
        around: Surroundings,
        same: Sequence[int],
        rivals: Sequence[int],
        units: Sequence[int],
    ) -> None:
        total = sum(around.values()) or 1.0
        at, self.same = _most_like(source, around, same, total)
        self.rival_place, self.rival = _most_like(source, around, rivals, total)
        inside = [source.unit_likeness(around, unit) / total for unit in units[:2]]
        self.best = max([self.same, self.rival, *inside])
        self.own = self.others = self.own_rarest = self.others_rarest = 0.0
        self.rival_key = ""
        if self.rival_place is None:
            return
        self.rival_key = source.keys[self.rival_place]
        near, here = source.near(self.rival_place), source.reach(source.unit_of[self.rival_place])
        mine = source.near(at) if at is not None else frozenset()
        reach = source.reach(source.unit_of[at]) if at is not None else frozenset()
        keys, get = around.keys(), around.__getitem__
        self.others = fsum(map(get, (keys & near) - mine)) / total
        self.own = fsum(map(get, (keys & mine) - near)) / total
        self.others_rarest = max(map(get, (keys & here) - reach), default=0.0)
        self.own_rarest = max(map(get, (keys & reach) - here), default=0.0)


def _most_like(
    source: Source, around: Surroundings, places: Sequence[int], total: float
) -> tuple[int | None, float]:
    """Return the place with the largest likeness, the first of equal ones, and its share."""
    best, found = 0.0, None
    for place in places:
        likeness = source.likeness(around, place)
        if found is None or likeness > best:
            best, found = likeness, place
    return found, best / total


def _is_content(slot: Slot) -> bool:
    return slot.kind in CONTENT


def _joins(one: Slot, other: Slot) -> bool:
    """Say whether two names stand side by side and so are one."""
    return one.kind == other.kind == "name" and other.start - one.end == 1


def _values_in(source: Source, unit: int) -> Iterator[int]:
    at = source.units[unit]
    return (n for n in range(at.first, at.end) if n in source.anchors)


def _same_day(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two dates are the same day of a year that only one of them names."""
    if anchor.kind != "date" or other.kind != "date":
        return False
    keys = {key[-6:] for key in (other.key, *other.ambiguous) if len(key) > 6}
    bare = anchor.key.startswith("--") or other.key.startswith("--")
    return bare and any(key[-6:] in keys for key in (anchor.key, *anchor.ambiguous))


def _is_like(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of one kind, and of quantities of one unit or number."""
    if anchor.kind == "quantity":
        if other.kind != "quantity":
            return False
        return anchor.unit == other.unit or anchor.number == other.number
    if anchor.kind == "year":
        return other.kind in ("year", "date")
    return anchor.kind == other.kind


def _work_of(around: Surroundings, places: int) -> int:
    """Return what it takes to compare so many places with such surroundings."""
    return _SLOT_WORK + places * (1 + len(around) // _WORDS_A_PLACE)


def _best(shares: Iterable[float]) -> float:
    return max(shares, default=0.0)
