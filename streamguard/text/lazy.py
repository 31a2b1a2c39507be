"""A property that is read once: `functools.cached_property` without its lock.

Before Python 3.12 that lock costs more than most of what a sentence reads from itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 -- it is written like `property`
    """Compute the attribute on first use and keep it in the instance's `__dict__`."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read
        self._name = read.__name__
        self.__doc__ = read.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | lazy[T]:
        """Return the attribute's value, or the property itself when asked of the class."""
        if instance is None:
            return self
        value = self._read(instance)
        instance.__dict__[self._name] = value
        return value
