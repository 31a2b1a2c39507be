"""Creates patterns and properties on first use.

All patterns of the package take some 0.1 s of CPU to compile: importing it for a version, a help
page or an unchecked stream does not cost that, and a check pays for the patterns that its text
needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from sys import maxsize
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


_waiting: list[_Later] = []


class _Later:
    """Stands in for a compiled pattern; its methods become the pattern's own on first use."""

    def __init__(self, source: str, compile_: Callable[[], Any]) -> None:
        self.pattern = source  # part of other patterns: for that it need not be compiled
        self._compile = cache(compile_)
        _waiting.append(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copies and pickles ask the instance, not the pattern
            raise AttributeError(name)
        value = getattr(self._compile(), name)
        # In the instance's own `__dict__` it is found as fast as a pattern's method.
        self.__dict__[name] = value
        return value


@cache
def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern like `re.compile`, compiled on first use.

    Equal `source` gives the same pattern, as there. An invalid one raises `re.error` on first use:
    tests use every pattern.
    """
    return cast("re.Pattern[str]", _Later(source, lambda: re.compile(source, flags)))


@cache
def lazy_regex(source: str) -> re.Pattern[str]:
    r"""Like `lazy_re` for `regex`, which knows `\p{…}` and searches backwards with `(?r)`."""
    later = _Later(source, lambda: import_module("regex").compile(source))  # 15 ms to import
    return cast("re.Pattern[str]", later)


def compile_all() -> None:
    """Compile every pattern of the loaded modules, so that a server's first answer need not."""
    while _waiting:
        _ = _waiting.pop().search


# Patterns over long texts: no single call of the engine reads more than a slice. The engine keeps
# the interpreter to itself until it has found something: a prompt of megabytes, read beside an
# event loop, would stop the loop for a good part of a second. Whoever reads one beside a loop is
# told after each turn of work (`reading_in_turns`), and may let others go first.
SLICE_CHARS = 8_192  # read by one call; two milliseconds of the slowest pattern of `core/prompt`
REACH_CHARS = 2_048  # that a match with its lookahead may span; the longest spans some 1,200
TURN_CHARS = SLICE_CHARS  # read in a turn, at most a slice and a reach more
CALL_CHARS = 256  # a call's fixed cost; guess, some microseconds
ITEM_CHARS = 256  # the cost of an item that is looked at; guess


_TURNS: ContextVar[Callable[[int], None] | None] = ContextVar("streamguard_turns", default=None)


def _read(chars: int) -> None:
    turns = _TURNS.get()
    if turns is not None:
        turns(chars)


@contextmanager
def reading_in_turns(pause: Callable[[], None]) -> Iterator[None]:
    """Call `pause` after every turn of pattern matching in this context."""
    read = 0  # since the last pause

    def turns(chars: int) -> None:
        nonlocal read
        read += chars
        if read >= TURN_CHARS:
            read = 0
            pause()

    token = _TURNS.set(turns)
    try:
        yield
    finally:
        _TURNS.reset(token)


def each_in_turns(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, with pauses: visiting many takes turns too."""
    for item in items:
        _read(ITEM_CHARS)
        yield item


class _Sliced:
    """Stands in for a pattern that starts matches in one slice and may read beyond it by a limit.

    Only a match to the end of its line may be longer, and none may be empty.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._whole = pattern

    def match(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        _read(CALL_CHARS)
        return self._whole.match(text, begin, end)

    def fullmatch(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        _read(CALL_CHARS)
        return self._whole.fullmatch(text, begin, end)

    def finditer(self, text: str, begin: int = 0, end: int = maxsize) -> Iterator[Any]:
        last = min(end, len(text))
        while True:
            border = min(begin + SLICE_CHARS, last)
            stop = min(border + REACH_CHARS, last)
            found = self._whole.search(text, begin, stop)
            _read((stop if found is None else found.end()) - begin + CALL_CHARS)
            if found is None and border == last:
                return
            if found is None or found.start() >= border:
                begin = border  # matches that begin beyond it are to be read whole
                continue
            begin = found.start() + 1
            if found.end() == stop < last:  # which may be no end but where reading stopped
                found = self.match(text, found.start(), last)
            if found is not None:
                yield found
                begin = found.end()

    def search(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        return next(self.finditer(text, begin, end), None)

    def split(self, text: str) -> list[str]:
        parts, at = [], 0
        for found in self.finditer(text):
            parts.append(text[at : found.start()])
            at = found.end()
        return [*parts, text[at:]]

    def sub(self, replacement: str, text: str) -> str:
        return replacement.join(self.split(text))


@cache
def sliced_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern, compiled on first use, that searches long texts in slices.

    It has `match`, `fullmatch`, `search`, `finditer`, `split` and, with a plain replacement, `sub`,
    with the same results as without slices.
    """
    return cast("re.Pattern[str]", _Sliced(lazy_re(source, flags)))


class lazy(Generic[T]):  # noqa: N801 -- it is written like `property`
    """Compute the attribute on first use and keep it in the instance's `__dict__`.

    `functools.cached_property` has a lock before Python 3.12, which costs more than most attributes
    of a sentence.
    """

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read
        self._name = read.__name__
        self.__doc__ = read.__doc__

    def __get__(self, instance: Any, owner: type) -> T:
        """Return the attribute's value, or the property itself when asked of the class."""
        if instance is None:
            return self  # type: ignore[return-value]
        value = self._read(instance)
        instance.__dict__[self._name] = value
        return value
