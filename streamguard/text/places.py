"""Where each key stands, in little memory: lists of rising numbers, and a set.

The newest are kept in a dict or set. Every so many numbers these are sealed: their keys' hashes,
sorted, and the numbers, in three arrays. A number takes 2 or 4 bytes then and a key 10, against
some 40 and 150; a key is looked up in each sealed part by bisection. Two keys count as one where
their hashes of 64 bits are equal.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple, TypeVar
from weakref import WeakMethod

K = TypeVar("K")
T = TypeVar("T")

# Numbers or members of one part: sealing takes some 2 ms, a look-up 0.5 us for each part.
# Passages of some 40 kB, more than most prompts have, are never sealed.
SEALED_AT = 6_000
_TWO_BYTES = 65_536


def weakly(method: Callable[[K], T]) -> Callable[[K], T]:
    """Return a function that calls a method and does not keep its object alive.

    What an index holds is so given back with its last user, and waits for no collector.
    """
    found = WeakMethod(method)

    def call(argument: K) -> T:
        bound = found()
        assert bound is not None  # who calls it has come by its object
        return bound(argument)

    return call


class _Part(NamedTuple):
    """Sorted hashes, and of each hash where its numbers end; these count from `base`."""

    hashes: array[int]
    ends: array[int]
    numbers: array[int]
    base: int

    def of(self, hashed: int) -> Sequence[int]:
        at = bisect_left(self.hashes, hashed)
        if at == len(self.hashes) or self.hashes[at] != hashed:
            return ()
        begin, base = self.ends[at - 1] if at else 0, self.base
        return [base + number for number in self.numbers[begin : self.ends[at]]]

    @property
    def held_bytes(self) -> int:
        return 500 + sum(len(one) * one.itemsize for one in self[:3])


class Places:
    """Numbers by key, those of each key in the order they were added, which has to be rising."""

    def __init__(self) -> None:
        self._open: dict[Hashable, list[int]] = defaultdict(list)
        self._many = 0  # numbers that are not sealed
        self._parts: list[_Part] = []

    def add(self, key: Hashable, number: int) -> None:
        """Add one number to a key."""
        self._open[key].append(number)
        self._count(1)

    def add_to_each(self, keys: Collection[Hashable], number: int) -> None:
        """Add one number to each key; a key that is given twice has it twice."""
        opened = self._open
        for key in keys:
            opened[key].append(number)
        self._count(len(keys))

    def add_in_turn(self, keys: Sequence[Hashable], first: int) -> None:
        """Add to the keys, one after the other, the numbers from `first` on."""
        opened = self._open
        for number, key in enumerate(keys, first):
            opened[key].append(number)
        self._count(len(keys))

    def of(self, key: Hashable) -> Sequence[int]:
        """Return the numbers of a key; none where it has none."""
        opened = self._open.get(key, ())
        if not self._parts:
            return opened
        hashed = hash(key)
        found = [*chain.from_iterable([part.of(hashed) for part in self._parts])]
        return found + list(opened)

    def __contains__(self, key: Hashable) -> bool:
        if key in self._open or not self._parts:
            return key in self._open
        hashed = hash(key)
        return any(len(part.of(hashed)) > 0 for part in self._parts)

    @property
    def held_bytes(self) -> int:
        """What it holds, by measured sizes of what is not sealed."""
        sealed = sum([part.held_bytes for part in self._parts])
        return sealed + 230 * len(self._open) + 8 * self._many

    def _count(self, many: int) -> None:
        self._many += many
        if self._many >= SEALED_AT:
            self._seal()

    def _seal(self) -> None:
        by_hash: dict[int, list[int]] = {}
        for key, numbers in self._open.items():
            known = by_hash.get(hash(key))
            by_hash[hash(key)] = numbers if known is None else sorted([*known, *numbers])
        hashes = sorted(by_hash)
        held = [*map(by_hash.__getitem__, hashes)]
        # From lists: an array that grows has an eighth more than it needs.
        ends, flat = [*accumulate(map(len, held))], [*chain.from_iterable(held)]
        base = min(flat)
        numbers_ = _shortest([number - base for number in flat])
        self._parts.append(_Part(array("q", hashes), _shortest(ends), numbers_, base))
        self._open, self._many = defaultdict(list), 0


def _shortest(numbers: Sequence[int]) -> array[int]:
    """Return numbers in two bytes each where they fit, in four else."""
    return array("H" if max(numbers) < _TWO_BYTES else "I", numbers)


class Members:
    """A set that is grown and asked whether it holds something; a sealed member takes 8 bytes."""

    def __init__(self) -> None:
        self._open: set[Hashable] = set()
        self._parts: list[array[int]] = []

    def update(self, members: Iterable[Hashable]) -> None:
        """Add members."""
        self._open.update(members)
        if len(self._open) >= SEALED_AT:
            self._parts.append(array("q", sorted(map(hash, self._open))))
            self._open = set()

    @property
    def held_bytes(self) -> int:
        """What it holds, by measured sizes of what is not sealed."""
        return sum(8 * len(part) + 80 for part in self._parts) + 130 * len(self._open)

    def __contains__(self, member: Hashable) -> bool:
        if member in self._open or not self._parts:
            return member in self._open
        hashed = hash(member)
        for part in self._parts:
            at = bisect_left(part, hashed)
            if at < len(part) and part[at] == hashed:
                return True
        return False
