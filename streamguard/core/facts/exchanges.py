"""Of which owner a sentence tells a filler, and whether the passages tell it of that owner too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from streamguard.core.facts.entries import Column, Part, is_denied, keys_of, kind_of
from streamguard.core.facts.siblings import Group
from streamguard.core.facts.slots import Slot

_NOTED = 0.5  # share of a line's words that a denial has to be about
_MOST_NAMED = 20  # owners of one group in one sentence; guess


class Pairing(NamedTuple):
    """A filler that a sentence tells of an owner.

    `agrees`: so do the passages; else they tell it of a sibling, and this is an exchange. `first`
    and `end` number its slots in the sentence. `place`: what the passages tell of the owner.
    `owners`: how many owners the sentence names. `framed`: the share in [0, 1] of the line's words
    that sentence or question hold. `kind`: of the filler, "denied" for a denial.
    """

    agrees: bool
    first: int
    end: int
    place: int
    group: Group
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
) -> dict[int, Pairing]:
    """Return the pairing of each slot that has one: one that agrees, else the first exchange.

    `are_together` says whether a unit, other than those given, holds all of some keys: what another
    place tells of both is no exchange.
    """
    keys = keys_of(slots)
    at: dict[str, int] = {}
    for number, slot in enumerate(slots):
        at.setdefault(slot.key, number)
    told: dict[int, Pairing] = {}
    for group in groups:
        for found in _in_group(group, slots, at, keys, keys | asked):
            known = told.get(found.first)
            if known is not None and (known.agrees or not found.agrees):
                continue
            filler = keys_of(slots[found.first : found.end])
            if (
                found.agrees
                or found.kind == "denied"
                or not are_together(found.marks | filler, group.units)
            ):
                told[found.first] = found
    return told


def _in_group(
    group: Group, slots: Sequence[Slot], at: dict[str, int], keys: frozenset[str],
    around: frozenset[str],
) -> Iterator[Pairing]:  # fmt: skip
    owners = _owners(group, keys, at)
    if not owners:
        return
    taken = {at[key] for number in owners for key in group.marks[number]}
    for column, fillers in group.columns.items():
        hits = _hits(column, fillers, slots, at, keys, taken)
        for owner, hit in _paired(group, owners, hits, slots):
            fillers_told = group.entries[owner].fillers
            mine = [part for other, part in fillers_told if other == column]
            elsewhere = any(part.keys == hit.keys for _, part in fillers_told)
            if mine and (owner in hit.holders or not elsewhere):
                yield _pairing(group, owner, hit, mine[0], column, len(owners), around)
    for owner in owners:
        if group.entries[owner].denied:
            yield from _denials(group, owner, slots, at, around, len(owners))


def _owners(group: Group, keys: frozenset[str], at: dict[str, int]) -> list[int]:
    """Return the owners that the sentence names, in its order.

    None where two are named alike, or so many that it is a list itself.
    """
    named = [number for number, marks in enumerate(group.marks) if marks <= keys]
    if len(named) > _MOST_NAMED:
        return []
    named = [
        one for one in named if not any(group.marks[one] < group.marks[other] for other in named)
    ]
    if len({group.marks[number] for number in named}) < len(named):
        return []
    return sorted(named, key=lambda number: min(at[key] for key in group.marks[number]))


def _hits(
    column: Column,
    fillers: Mapping[frozenset[str], Sequence[int]],
    slots: Sequence[Slot],
    at: dict[str, int],
    keys: frozenset[str],
    taken: set[int],
) -> list[_Hit]:
    """Return the fillers of a column that the sentence holds, in its order."""
    hits = []
    for filler, holders in fillers.items():
        if not filler <= keys or any(filler < other <= keys for other in fillers):
            continue
        spots = sorted(at[key] for key in filler)
        is_one = slots[spots[0]].kind != "value" or column.kind in (
            kind_of(slots[spots[0]]),
            kind_of(slots[spots[0]]).partition(" ")[0],
        )
        if is_one and taken.isdisjoint(spots):
            hits.append(_Hit(spots[0], spots[-1] + 1, filler, holders))
    return sorted(hits, key=lambda hit: hit[:2])


def _paired(
    group: Group, owners: Sequence[int], hits: Sequence[_Hit], slots: Sequence[Slot]
) -> list[tuple[int, _Hit]]:
    """Return which filler is told of which owner: of a single one all, of several as they stand.

    Several stand in clauses of their own, or owners and fillers in one order. Where one filler is
    the single owner's own, the others are told of something else.
    """
    if len(owners) > 1:
        clauses = {slots[hit.first].clause for hit in hits}
        told = {clause: _named_in(group, owners, slots, clause) for clause in clauses}
        if not any(told.values()):
            return _in_order(owners, hits)
        pairs = []
        for clause, named in told.items():
            pairs += _in_order(named, [hit for hit in hits if slots[hit.first].clause == clause])
        return pairs
    owner = owners[0]
    own = [hit for hit in hits if owner in hit.holders]
    return [(owner, hit) for hit in own or hits]


def _in_order(owners: Sequence[int], hits: Sequence[_Hit]) -> list[tuple[int, _Hit]]:
    return list(zip(owners, hits, strict=True)) if len(owners) == len(hits) else []


def _named_in(group: Group, owners: Sequence[int], slots: Sequence[Slot], clause: int) -> list[int]:
    """Return which of the owners a clause names, in its order."""
    at = {slot.key: number for number, slot in enumerate(slots) if slot.clause == clause}
    named = [owner for owner in owners if group.marks[owner] <= at.keys()]
    return sorted(named, key=lambda owner: min(at[key] for key in group.marks[owner]))


def _pairing(
    group: Group, owner: int, hit: _Hit, mine: Part, column: Column, owners: int,
    around: frozenset[str],
) -> Pairing:  # fmt: skip
    frame = group.frames.get(column.line, frozenset())
    framed = len(frame & around) / len(frame) if frame else _NOTED
    agrees, marks = owner in hit.holders, group.marks[owner]
    return Pairing(
        agrees, hit.first, hit.end, mine.place, group, marks, owners, framed, column.kind
    )


def _denials(
    group: Group, owner: int, slots: Sequence[Slot], at: dict[str, int],
    around: frozenset[str], owners: int,
) -> Iterator[Pairing]:  # fmt: skip
    """Yield whether a line that affirms of some owners and denies of others is told so.

    Of several owners each is told of in a clause of its own, which says all of it.
    """
    entry, first, end = group.entries[owner], 0, len(slots)
    if owners > 1:
        clause = slots[min(at[key] for key in group.marks[owner])].clause
        inside = [number for number, slot in enumerate(slots) if slot.clause == clause]
        first, end = inside[0], inside[-1] + 1
        around = keys_of(slots[first:end])
    denied = is_denied(slots[first:end])
    for line, is_other in entry.denied.items():
        frame = group.frames.get(line, frozenset())
        framed = len(frame & around) / len(frame) if frame else 0.0
        differ = any(each.denied.get(line, is_other) != is_other for each in group.entries)
        if differ and framed >= _NOTED:
            marks, place = group.marks[owner], entry.owner.place
            agrees = is_other == denied
            yield Pairing(agrees, first, end, place, group, marks, owners, framed, "denied")
