"""Where each key stands, in little memory: lists of rising numbers, and a set.

The newest are kept in a dict or set. At regular counts the numbers are sealed: their keys' hashes,
sorted, and the numbers, in arrays. A key that stands once takes some 6 bytes then, against 250; a
key is looked up in each sealed part by bisection. Two keys count as one where their hashes are
equal: of 64 bits so many are kept that a key is taken for one of a part's by a chance of 1 to 500
million.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import chain
from typing import Final, TypeVar
from weakref import WeakMethod

K = TypeVar("K")
T = TypeVar("T")

# Numbers or members of one part: sealing takes some 4 ms, a look-up 0.5 us for each part.
# Passages of some 40 kB, more than most prompts have, are never sealed.
SEALED_AT = 6_000
_TWO_BYTES = 65_536
_ENTRY_BYTES: Final = 160  # of a key that is not sealed, with its list; measured
# Hashes of small numbers are these numbers: times this, they are spread. 2**64 over the golden
# ratio (Knuth, The Art of Computer Programming 3, 6.4).
_SPREAD: Final = 0x9E37_79B9_7F4A_7C15
_BITS: Final = 64
_MASK: Final = (1 << _BITS) - 1
_LOW_BITS: Final = 32
_LOW: Final = (1 << _LOW_BITS) - 1


def weakly(method: Callable[[K], T]) -> Callable[[K], T]:
    """Return a function that calls a method and does not keep its object alive.

    An index is so freed with its last user, and waits for no collector.
    """
    found = WeakMethod(method)

    def call(argument: K) -> T:
        bound = found()
        assert bound is not None  # who calls it has come by its object
        return bound(argument)

    return call


def _spread(key: Hashable) -> int:
    return hash(key) * _SPREAD & _MASK


class _Hashes:
    """Sorted hashes: the first bits say in which bucket, the next 32 are held there.

    A bucket has some four of them. The bits behind these are dropped.
    """

    __slots__ = ("_begins", "_bits", "_lows")

    def __init__(self, hashes: Sequence[int]) -> None:
        self._bits = max(0, len(hashes).bit_length() - 3)
        first = _BITS - self._bits
        # From a list: an array that grows has an eighth more than it needs.
        self._lows = array("I", [one >> (first - _LOW_BITS) & _LOW for one in hashes])
        begins = [bisect_left(hashes, bucket << first) for bucket in range(1 << self._bits)]
        self._begins = shortest([*begins, len(hashes)])

    def find(self, hashed: int) -> int:
        """Return the index of one among them; -1 if it is not there."""
        first = _BITS - self._bits
        bucket, low = hashed >> first, hashed >> (first - _LOW_BITS) & _LOW
        end = self._begins[bucket + 1]
        at = bisect_left(self._lows, low, self._begins[bucket], end)
        return at if at < end and self._lows[at] == low else -1

    @property
    def held_bytes(self) -> int:
        return 300 + 4 * len(self._lows) + self._begins.itemsize * len(self._begins)


class _Part:
    """Hashes with their numbers, which count from `base`.

    `told` says of each hash twice its only number, or twice where in `ends` its list is, and one.
    """

    __slots__ = ("_base", "_ends", "_entries", "_hashes", "_numbers")

    def __init__(self, by_hash: dict[int, list[int]]) -> None:
        hashes = sorted(by_hash)
        lists = [*map(by_hash.__getitem__, hashes)]
        base = min([numbers[0] for numbers in lists])
        many = [numbers for numbers in lists if len(numbers) > 1]
        ends, entries = [0], []
        for numbers in lists:
            if len(numbers) == 1:
                entries.append(2 * (numbers[0] - base))
            else:
                entries.append(2 * len(ends) - 1)
                ends.append(ends[-1] + len(numbers))
        self._base, self._hashes = base, _Hashes(hashes)
        self._entries, self._ends = shortest(entries), shortest(ends)
        self._numbers = shortest([number - base for number in chain.from_iterable(many)])

    def of(self, hashed: int) -> Sequence[int]:
        at = self._hashes.find(hashed)
        if at < 0:
            return ()
        which, is_list = divmod(self._entries[at], 2)
        if not is_list:
            return (self._base + which,)
        base = self._base
        return [base + one for one in self._numbers[self._ends[which] : self._ends[which + 1]]]

    def __contains__(self, hashed: int) -> bool:
        return self._hashes.find(hashed) >= 0

    @property
    def held_bytes(self) -> int:
        arrays = (self._entries, self._ends, self._numbers)
        return 350 + self._hashes.held_bytes + sum(len(one) * one.itemsize for one in arrays)


class Places:
    """Numbers by key, those of each key in the order they were added, which has to be rising.

    `key_bytes`: of a key that nothing else holds.
    """

    def __init__(self, key_bytes: int = 0) -> None:
        self._open: dict[Hashable, list[int]] = defaultdict(list)
        self._key_bytes = _ENTRY_BYTES + key_bytes
        self._many = 0  # numbers that are not sealed
        self._parts: list[_Part] = []
        self._sealed_bytes = 0

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

    def of(self, key: Hashable, most: int | None = None) -> Sequence[int]:
        """Return the numbers of a key, of more than `most` the first; none where it has none."""
        opened = self._open.get(key, ())
        if not self._parts:
            return opened if most is None else opened[:most]
        found: list[int] = []
        hashed = _spread(key)
        for part in self._parts:
            found += part.of(hashed)
            if most is not None and len(found) >= most:
                return found[:most]
        return [*found, *opened][:most]

    def items(self, keys: Iterable[K]) -> list[tuple[K, Sequence[int]]]:
        """Return those of some keys that have numbers, with these."""
        if self._parts:
            return [(key, numbers) for key in keys if (numbers := self.of(key))]
        opened = self._open
        return [(key, opened[key]) for key in keys if key in opened]

    def __contains__(self, key: Hashable) -> bool:
        if key in self._open or not self._parts:
            return key in self._open
        hashed = _spread(key)
        return any(hashed in part for part in self._parts)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes for the unsealed part."""
        return self._sealed_bytes + self._key_bytes * len(self._open) + 8 * self._many

    def _count(self, many: int) -> None:
        self._many += many
        if self._many >= SEALED_AT:
            self.seal()

    def seal(self) -> None:
        """Seal the rest, once nothing more is added."""
        if not self._open:
            return
        by_hash: dict[int, list[int]] = {}
        for key, numbers in self._open.items():
            known = by_hash.get(hashed := _spread(key))
            by_hash[hashed] = numbers if known is None else sorted([*known, *numbers])
        self._parts.append(_Part(by_hash))
        self._sealed_bytes += self._parts[-1].held_bytes
        self._open, self._many = defaultdict(list), 0


def shortest(numbers: Sequence[int]) -> array[int]:
    """Return numbers in two bytes each where they fit, in four else."""
    return array("H" if max(numbers, default=0) < _TWO_BYTES else "I", numbers)


class Members:
    """A set that is grown and asked whether it holds something; a sealed member takes 5 bytes."""

    def __init__(self) -> None:
        self._open: set[Hashable] = set()
        self._parts: list[_Hashes] = []
        self._sealed_bytes = 0

    def update(self, members: Iterable[Hashable]) -> None:
        """Add members."""
        self._open.update(members)
        if len(self._open) >= SEALED_AT:
            self.seal()

    def seal(self) -> None:
        """Seal the rest, once nothing more is added."""
        if self._open:
            self._parts.append(_Hashes(sorted(set(map(_spread, self._open)))))
            self._sealed_bytes += self._parts[-1].held_bytes
            self._open = set()

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes for the unsealed part."""
        return self._sealed_bytes + 130 * len(self._open)

    def among(self, members: Iterable[T]) -> set[T]:
        """Return those of some that are members."""
        if self._parts:
            return {one for one in set(members) if one in self}
        return set(members).intersection(self._open)

    def __contains__(self, member: Hashable) -> bool:
        if member in self._open or not self._parts:
            return member in self._open
        hashed = _spread(member)
        return any(part.find(hashed) >= 0 for part in self._parts)
