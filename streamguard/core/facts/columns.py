"""Values and units of the passages by column: plain numbers, of which objects are made when asked.

A collector looks at every tuple and set, and at no text or number.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from sys import getsizeof
from typing import Final, NamedTuple

from streamguard.core.reading.slots import APART, Clause, Slot
from streamguard.values import Anchor
from streamguard.values.packed import PackedAnchors
from streamguard.values.value import readings_of

NONE: Final = -1  # in place of a unit's number
KINDS: Final = ("word", "name", "value", "negator", "affirmation", "modal", "quantifier")
_CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
_NAME: Final = _CODES["name"]
_EMPTY: Final[frozenset[str]] = frozenset()
_SHARED_CHARS = 12  # of a key; guess
_MOST_KEPT = 2_000  # units that are kept once they were asked for; guess, 1 MB


class SlotColumns(NamedTuple):
    """The slots of some sentences in a row by column; places count from the first one.

    `senses` are marks where a slot is a value. `values`: places with their anchors. `apart`:
    numbers as written with the places whose keys say another one, or none. `joined`: places of
    names of several joined by hyphens, with these. `long_bytes`: of keys that no other sentence is
    likely to hold.
    """

    keys: Sequence[str]
    kinds: bytes
    starts: array[int]
    ends: array[int]
    clauses: array[int]
    senses: bytes
    values: Sequence[tuple[int, Anchor]]
    apart: Sequence[tuple[Decimal | None, int]]
    joined: Sequence[tuple[int, Sequence[str]]]
    long_bytes: int


_NO_SLOTS: Final = SlotColumns((), b"", array("H"), array("H"), array("H"), b"", (), (), (), 0)


def columns_of(slots: Sequence[Slot], marks: Sequence[int]) -> SlotColumns:
    """Return slots by column; `marks` has one for each of them, 0 for those that are no value."""
    if not slots:
        return _NO_SLOTS
    keys, kinds, starts, ends, clauses, senses, anchors = zip(*slots, strict=True)
    values = [(place, anchor) for place, anchor in enumerate(anchors) if anchor is not None]
    return SlotColumns(
        keys,
        bytes(map(_CODES.__getitem__, kinds)),
        array("H", starts),
        array("H", ends),
        array("H", clauses),
        bytes([mark or sense for mark, sense in zip(marks, senses, strict=True)]),
        values,
        [*_apart(values, marks)],
        _joined(keys, kinds) if "name" in kinds else (),
        # Short ones are words that many sentences, and contexts, share.
        sum([getsizeof(key) for key in keys if len(key) > _SHARED_CHARS]),
    )


def _apart(
    values: Sequence[tuple[int, Anchor]], marks: Sequence[int]
) -> Iterator[tuple[Decimal | None, int]]:
    for place, anchor in values:
        is_apart = marks[place] & APART
        if is_apart or anchor.shifts:
            first, *others = readings_of(anchor)
            for one in [first, *others] if is_apart else others:
                yield one.number, place


def _joined(keys: Sequence[str], kinds: Sequence[str]) -> list[tuple[int, Sequence[str]]]:
    """Return the places of joined names: "the Oslovik-Sandoy ferry" goes to Sandoy."""
    return [
        (place, tuple(dict.fromkeys(key.split("-"))))
        for place, (key, kind) in enumerate(zip(keys, kinds, strict=True))
        if kind == "name" and "-" in key
    ]


class Beside(NamedTuple):
    """The units above another one: its title, the sentence before it, lead-in and table head.

    Each is a number of a unit, `NONE` without one. A lead-in belongs to a list, a head to a row.
    """

    title: int = NONE
    before: int = NONE
    lead: int = NONE
    head: int = NONE


@dataclass(slots=True)
class Unit:
    """A sentence, row or item of a passage.

    `first` and `end` number its slots among those of all passages; `keys` are theirs, of a row
    also those of the heads above its cells; `above` the others of its heading, its list's lead-in
    and the sentence before it. `number` is the sentence's among those of all chunks. `head`: the
    unit of a row's head, else `NONE`. `clauses` are read when they are first asked for.
    """

    chunk: int
    number: int
    first: int
    end: int
    keys: frozenset[str]
    above: frozenset[str]
    is_row: bool
    head: int
    clauses: list[Clause] | None = field(default=None, repr=False)


class Units(dict[int, Unit]):
    """The units of all passages by number, over the `keys` of their slots.

    A dict of those that were asked for last: one that it lacks is made. `count` says how many
    there are.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__()
        self._keys = keys
        self._kept: dict[int, frozenset[str]] = {}  # keys of the slots of those made last
        self.chunks, self.sentences = array("I"), array("I")  # of each unit
        self._firsts = array("I")
        self._above = array("i")  # of each four, as `Beside` has them
        self._rows = bytearray()
        self._end = 0  # of the last one's slots

    def add(
        self, chunk: int, number: int, first: int, end: int, beside: Beside, *, is_row: bool
    ) -> None:
        """Add the next unit, whose slots are those at [first, end)."""
        self.chunks.append(chunk)
        self.sentences.append(number)
        self._firsts.append(first)
        self._above.extend(beside)
        self._rows.append(is_row)
        self._end = end

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self._firsts)

    def __missing__(self, number: int) -> Unit:
        if len(self) >= _MOST_KEPT:
            self.clear()
            self._kept.clear()
        found = self[number] = self._made(number)
        return found

    def end_of(self, number: int) -> int:
        """Return the place behind a unit's last slot."""
        following = number + 1
        return self._firsts[following] if following < len(self._firsts) else self._end

    def of_sentence(self, sentence: int) -> int | None:
        """Return the unit that is this sentence of all chunks; None of one without slots."""
        at = bisect_left(self.sentences, sentence)
        return at if at < len(self.sentences) and self.sentences[at] == sentence else None

    def heading_of(self, number: int) -> int | None:
        """Return the number of the heading above a unit, None without a heading."""
        title = self.above(number).title
        return None if title == NONE else title

    def above(self, number: int) -> Beside:
        """Return a unit's title, previous sentence, lead-in and table head."""
        return Beside(*self._above[4 * number : 4 * number + 4])

    def _made(self, number: int) -> Unit:
        title, before, lead, head = self._above[4 * number : 4 * number + 4]
        keys = self._own(number)
        if head != NONE:
            keys |= self._own(head)
        above = _EMPTY
        for one in {title, before, lead}:
            if one != NONE:
                above |= self._own(one)
        above -= keys
        first, end, is_row = self._firsts[number], self.end_of(number), self._rows[number] == 1
        chunk, sentence = self.chunks[number], self.sentences[number]
        return Unit(chunk, sentence, first, end, keys, above, is_row, head)

    def _own(self, number: int) -> frozenset[str]:
        """Return the keys of a unit's own slots; they are kept as long as units are."""
        found = self._kept.get(number)
        if found is None:
            keys = self._keys[self._firsts[number] : self.end_of(number)]
            found = self._kept[number] = frozenset(keys)
        return found


class Kinds:
    """The kinds of all slots, a byte each."""

    def __init__(self) -> None:
        self._codes = bytearray()

    def extend(self, codes: bytes) -> None:
        """Add the kinds of further slots, as `SlotColumns` has them."""
        self._codes += codes

    def names(self, first: int, end: int) -> list[int]:
        """Return which of the slots at [first, end) are names."""
        return [place for place, code in enumerate(self._codes[first:end], first) if code == _NAME]

    def between(self, first: int, end: int) -> list[str]:
        """Return the kinds of the slots at [first, end)."""
        return [KINDS[code] for code in self._codes[first:end]]


class Values(Mapping[int, Anchor]):
    """The anchors of the slots that are values, by the slot's place and in their order.

    Those asked for last are kept by their place: most are asked for by every sentence.
    """

    def __init__(self, anchors: PackedAnchors) -> None:
        self._anchors = anchors
        self._places, self._numbers = array("I"), array("I")  # and each anchor's number
        self._kept: dict[int, Anchor] = {}

    @property
    def held_bytes(self) -> int:
        """What it holds besides the anchors, by measured sizes."""
        return 8 * len(self._places) * 17 // 16

    def add(self, place: int, anchor: Anchor) -> None:
        """Add the anchor of a slot behind all those so far."""
        self._places.append(place)
        self._numbers.append(self._anchors.number_of(anchor))

    def between(self, first: int, end: int) -> Sequence[int]:
        """Return the places at [first, end) that hold a value, in order."""
        places = self._places
        begin = bisect_left(places, first)
        return places[begin : bisect_left(places, end, begin)]

    def first(self, most: int) -> Sequence[int]:
        """Return the first places that hold a value, in order."""
        return self._places[:most]

    def of(self, places: Iterable[int]) -> list[tuple[int, Anchor]]:
        """Return some places with their anchors."""
        kept = self._kept
        return [(place, kept.get(place) or self[place]) for place in places]

    def __getitem__(self, place: int) -> Anchor:
        found = self._kept.get(place)
        if found is None:
            at = bisect_left(self._places, place)
            if at == len(self._places) or self._places[at] != place:
                raise KeyError(place)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[place] = self._anchors[self._numbers[at]]
        return found

    def around(self, place: int, chars: int) -> tuple[str, str]:
        """Return so many characters before and behind the anchor at a place that holds one."""
        return self._anchors.around(self._numbers[bisect_left(self._places, place)], chars)

    def __contains__(self, place: object) -> bool:
        assert isinstance(place, int)
        at = bisect_left(self._places, place)
        return at < len(self._places) and self._places[at] == place

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
