"""Values and units of the passages by column: plain numbers, of which objects are made when asked.

A collector looks at every tuple and set, and at no text or number.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from streamguard.core.reading.slots import Clause
from streamguard.values import Anchor
from streamguard.values.packed import PackedAnchors

NONE: Final = -1  # in place of a unit's number
KINDS: Final = ("word", "name", "value", "negator", "affirmation", "modal", "quantifier")
_CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
_NAME: Final = _CODES["name"]
_EMPTY: Final[frozenset[str]] = frozenset()
_MOST_KEPT = 2_000  # units that are kept once they were asked for; guess, 1 MB


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

    def add(self, chunk: int, number: int, first: int, beside: Beside, *, is_row: bool) -> None:
        """Add the next unit, whose slots, from `first` on, are added as well."""
        self.chunks.append(chunk)
        self.sentences.append(number)
        self._firsts.append(first)
        self._above.extend(beside)
        self._rows.append(is_row)

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
        return self._firsts[following] if following < len(self._firsts) else len(self._keys)

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

    def add(self, kinds: Sequence[str]) -> None:
        """Add the kinds of further slots."""
        self._codes.extend(map(_CODES.__getitem__, kinds))

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
