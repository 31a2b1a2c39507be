"""Of which owner a sentence tells a filler, and whether the passages tell it of that owner too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from streamguard.core.owners.grouped import LEAD_LINE, Column, Group
from streamguard.core.owners.siblings import is_denied, keys_of, kind_of
from streamguard.core.reading.slots import Slot
from streamguard.text.words import stem

_NOTED = 0.5  # share of a line's words that a denial has to be about
_MOST_NAMED = 20  # owners of one group in one sentence; guess
# Words of a line that an amount of money says by itself.
_PRICED = frozenset(
    map(stem, ("price", "prices", "cost", "costs", "fee", "fees", "rate", "charge"))
)


class Pairing(NamedTuple):
    """A filler that a sentence tells of an owner.

    `agrees`: so do the passages; else they tell it of a sibling, and this is an exchange. `first`
    and `end` number its slots in the sentence. `place`: the passages' filler of the owner, whose
    keys are `marks`. `owners`: how many owners the sentence names. `framed`: the share in [0, 1] of
    the line's words that sentence or question hold. `kind`: of the filler, "denied" for a denial,
    "listed" for one of a list's items.
    """

    agrees: bool
    first: int
    end: int
    place: int
    marks: frozenset[str]
    owners: int
    framed: float
    kind: str


class _Hit(NamedTuple):
    """A filler that the sentence holds: its slots, and the entries that hold it."""

    first: int
    end: int
    keys: frozenset[str]
    holders: Sequence[int]


def pairings(
    groups: Sequence[Group],
    slots: Sequence[Slot],
    asked: frozenset[str],
    are_together: Callable[[frozenset[str], frozenset[int]], bool],
    keys_at: Callable[[int], frozenset[str]],
    lead: Sequence[Slot] = (),
) -> dict[int, Pairing]:
    """Return the pairing of each slot that has one: one that agrees, else the first exchange.

    `are_together` says whether a unit, other than those given, holds all of some keys: if another
    place tells it of both, it is no exchange. `keys_at` returns the keys of a place's unit. Where
    the sentence names the line of an exchange, one that agrees tells less if its line is not named,
    or if it is the same line of another owner ("Seats: 5" below "Business", "Seats: 3" below
    "Basic"). `lead`: slots of a list item's lead-in.
    """
    keys = keys_of(slots)
    at = {slot.key: number for number, slot in reversed([*enumerate(slots)])}
    told: dict[int, Pairing] = {}
    for group in groups:
        for found in _Paired(group, slots, at, keys, keys | asked, lead).all():
            known = told.get(found.first)
            if known is not None and not _outweighs(found, known, keys_at):
                continue
            both = found.marks | keys_of(slots[found.first : found.end])
            if found.agrees or found.kind == "denied" or not are_together(both, group.units):
                told[found.first] = found
    return told


def _outweighs(one: Pairing, known: Pairing, keys_at: Callable[[int], frozenset[str]]) -> bool:
    """Return whether a pairing tells more of a slot than the one that is known."""
    if one.agrees == known.agrees:
        return False
    agreeing, other = (one, known) if one.agrees else (known, one)
    is_label = agreeing.marks <= keys_at(other.place)
    is_other_line = other.framed == 1 and (is_label or agreeing.framed == 0)
    return one is (other if is_other_line else agreeing)


class _Paired:
    """What a sentence tells of the owners of one group that it names, in its order.

    None counts as named where two are named alike, or so many that it is a list itself.
    """

    def __init__(
        self,
        group: Group,
        slots: Sequence[Slot],
        at: dict[str, int],
        keys: frozenset[str],
        around: frozenset[str],
        lead: Sequence[Slot],
    ) -> None:
        self._lead = lead
        self._group, self._slots, self._marks = group, slots, group.marks
        self._at, self._keys, self._around = at, keys, around
        named = [number for number, marks in enumerate(group.marks) if marks <= keys]
        if len(named) > _MOST_NAMED:
            named = []
        marks = [group.marks[number] for number in named]
        named = [one for one in named if not any(group.marks[one] < other for other in marks)]
        if len({group.marks[number] for number in named}) < len(named):
            named = []
        self._owners = sorted(named, key=lambda one: min(at[key] for key in group.marks[one]))

    def all(self) -> Iterator[Pairing]:
        """Yield the pairings, column by column, then affirmed and denied ones."""
        if not self._owners:
            return
        for column in self._group.columns:
            for owner, hit in self._in_pairs(self._hits(column)):
                fillers = self._group.told.entries[owner].fillers
                mine = [part for other, part in fillers if other == column]
                elsewhere = any(part.keys == hit.keys for _, part in fillers)
                is_own = owner in hit.holders
                other = self._named_instead(owner, column, hit) if is_own else None
                if other is not None:
                    yield self._pairing(False, hit.first, hit.end, owner, other, 1.0, column.kind)
                elif mine and (is_own or not elsewhere):
                    framed = self._framed(column.line, self._around, _NOTED, column.kind)
                    place, kind = mine[0].place, column.kind
                    yield self._pairing(is_own, hit.first, hit.end, owner, place, framed, kind)
        for owner in self._owners:
            if self._group.told.entries[owner].denied:
                yield from self._denials(owner)

    def _named_instead(self, owner: int, column: Column, hit: _Hit) -> int | None:
        """Return what stands in the line that the sentence names, where it tells another line's.

        Of "South | £9.80 | £4.90" below "Adult" and "Child": £9.80, where the sentence says that an
        adult pays £4.90 on the South line. None where the filler's own line may be meant.
        """
        frames, fillers = self._group.told.frames, self._group.told.entries[owner].fillers
        own = frames.get(column.line)
        if not own or own & self._around or column.kind in ("word", "name"):
            return None
        if _last(one.line for one, _ in fillers) != _last(frames):
            return None  # a comma in a cell or head has moved what is behind it
        for other, part in fillers:
            frame = frames.get(other.line)
            is_other = other.kind == column.kind and part.keys != hit.keys
            if is_other and frame and frame <= self._keys:
                return part.place
        return None

    def _pairing(
        self, agrees: bool, first: int, end: int, owner: int, place: int, framed: float, kind: str
    ) -> Pairing:
        at, marks = self._group.told.entries[owner].begin + place, self._marks[owner]
        return Pairing(agrees, first, end, at, marks, len(self._owners), framed, kind)

    def _framed(self, line: str, around: frozenset[str], without: float, kind: str = "") -> float:
        frame = self._group.told.frames.get(line)
        if not frame:
            return without
        rest = frame - _PRICED if kind.startswith("amount") else frame
        return len(rest & around) / len(rest) if rest else 1.0

    def _hits(self, column: Column) -> list[_Hit]:
        """Return the fillers of a column that the sentence holds, in its order."""
        hits, fillers = [], self._group.columns[column]
        taken = {self._at[key] for owner in self._owners for key in self._marks[owner]}
        for filler, holders in fillers.items():
            if not filler <= self._keys or any(filler < other <= self._keys for other in fillers):
                continue
            spots = sorted(self._at[key] for key in filler)
            slot = self._slots[spots[0]]
            kinds = (kind_of(slot), kind_of(slot).partition(" ")[0])
            if (slot.kind != "value" or column.kind in kinds) and taken.isdisjoint(spots):
                hits.append(_Hit(spots[0], spots[-1] + 1, filler, holders))
        return sorted(hits, key=lambda hit: hit[:2])

    def _in_pairs(self, hits: Sequence[_Hit]) -> list[tuple[int, _Hit]]:
        """Return which filler is told of which owner: of a single one all.

        Several stand in clauses of their own, or owners and fillers in one order. Where one filler
        is the single owner's own, the others are told of something else.
        """
        owners, slots = self._owners, self._slots
        if len(owners) == 1:
            own = [hit for hit in hits if owners[0] in hit.holders]
            return [(owners[0], hit) for hit in own or hits]
        if self._are_apart(hits):
            return _in_order(owners, hits)
        told: dict[int, list[_Hit]] = {}
        for hit in hits:
            told.setdefault(slots[hit.first].clause, []).append(hit)
        keys = {at: keys_of([slot for slot in slots if slot.clause == at]) for at in told}
        named = {at: [one for one in owners if self._marks[one] <= keys[at]] for at in told}
        if not any(named.values()):
            return _in_order(owners, hits)
        return [pair for clause in told for pair in _in_order(named[clause], told[clause])]

    def _are_apart(self, hits: Sequence[_Hit]) -> bool:
        """Say whether all owners stand before all fillers, or behind: "A and B cost x and y".

        A range is no two fillers.
        """
        if len({self._slots[hit.first].start for hit in hits}) < len(hits):
            return False
        places = [self._at[key] for owner in self._owners for key in self._marks[owner]]
        spots = [spot for hit in hits for spot in (hit.first, hit.end - 1)]
        return len(hits) > 1 and (max(places) < min(spots) or max(spots) < min(places))

    def _denials(self, owner: int) -> Iterator[Pairing]:
        """Yield whether a line that affirms of some owners and denies of others is told so.

        Of several owners each is told of in a clause of its own, which says all of it.
        """
        entries, entry = self._group.told.entries, self._group.told.entries[owner]
        around, first, end = self._around, 0, len(self._slots)
        if len(self._owners) > 1:
            clause = self._slots[min(self._at[key] for key in self._marks[owner])].clause
            inside = [number for number, slot in enumerate(self._slots) if slot.clause == clause]
            first, end = inside[0], inside[-1] + 1
            around = keys_of(self._slots[first:end])
        denied = is_denied(self._slots[first:end])
        if LEAD_LINE in entry.denied:
            # In other words than its lead-in's anything may be said of an item.
            around = self._keys | keys_of(self._lead)
            denied = denied != is_denied(self._lead)
        for line, is_other in entry.denied.items():
            framed = self._framed(line, around, 0.0)
            differ = any(each.denied.get(line, is_other) != is_other for each in entries)
            if differ and framed >= _NOTED:
                agrees, place = is_other == denied, entry.owner.place
                kind = "listed" if line == LEAD_LINE else "denied"
                yield self._pairing(agrees, first, end, owner, place, framed, kind)


def _last(lines: Iterable[str]) -> int:
    """Return the largest number of some lines of a table."""
    return max([int(line) for line in lines if line], default=-1)


def _in_order(owners: Sequence[int], hits: Sequence[_Hit]) -> list[tuple[int, _Hit]]:
    return list(zip(owners, hits, strict=True)) if len(owners) == len(hits) else []
