"""The first items of a list that still grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Beginning(Sequence[T], Generic[T]):
    """The first `length` items of `items`, which may grow but not change; nothing is copied."""

    def __init__(self, items: Sequence[T], length: int) -> None:
        self._items = items
        self._places = range(length)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...

    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self._items[place] for place in self._places[at]]
        return self._items[self._places[at]]
