"""Patterns over long texts: no single call of the engine reads more than a slice.

The engine keeps the interpreter to itself until it has found something: a prompt of megabytes,
read beside an event loop, would stop the loop for a good part of a second. Whoever reads one beside
a loop is told after each turn of work (`reading_in_turns`), and may let others go first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from sys import maxsize
from typing import Any, TypeVar, cast

from streamguard.text.patterns import lazy_re

SLICE_CHARS = 8_192  # read by one call; two milliseconds of the slowest pattern of `prompt`
REACH_CHARS = 2_048  # that a match with its lookahead may span; the longest spans some 1,200
TURN_CHARS = SLICE_CHARS  # read in a turn, at most a slice and a reach more
CALL_CHARS = 256  # what a call costs beside what it reads; guess, some microseconds
ITEM_CHARS = 256  # what an item costs that is looked at; guess

T = TypeVar("T")


class _Turns:
    """How much was read since the last pause."""

    def __init__(self, pause: Callable[[], None]) -> None:
        self._pause = pause
        self._chars = 0

    def read(self, chars: int) -> None:
        self._chars += chars
        if self._chars >= TURN_CHARS:
            self._chars = 0
            self._pause()


_TURNS: ContextVar[_Turns | None] = ContextVar("streamguard_turns", default=None)


@contextmanager
def reading_in_turns(pause: Callable[[], None]) -> Iterator[None]:
    """Call `pause` after every turn of what patterns read in this context."""
    token = _TURNS.set(_Turns(pause))
    try:
        yield
    finally:
        _TURNS.reset(token)


def each_in_turns(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; looking at many is work for turns as well."""
    turns = _TURNS.get()
    for item in items:
        if turns is not None:
            turns.read(ITEM_CHARS)
        yield item


class _Sliced:
    """Stands for a pattern whose matches begin in one slice, and are read a reach beyond it.

    Only what runs to the end of its line may be longer, and nothing may match an empty text.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._whole = pattern

    def match(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        if (turns := _TURNS.get()) is not None:
            turns.read(CALL_CHARS)
        return self._whole.match(text, begin, end)

    def fullmatch(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        if (turns := _TURNS.get()) is not None:
            turns.read(CALL_CHARS)
        return self._whole.fullmatch(text, begin, end)

    def finditer(self, text: str, begin: int = 0, end: int = maxsize) -> Iterator[Any]:
        last = min(end, len(text))
        turns = _TURNS.get()
        while True:
            border = min(begin + SLICE_CHARS, last)
            stop = min(border + REACH_CHARS, last)
            found = self._whole.search(text, begin, stop)
            if turns is not None:
                turns.read((stop if found is None else found.end()) - begin + CALL_CHARS)
            if found is None and border == last:
                return
            if found is None or found.start() >= border:
                begin = border  # what begins beyond it is to be read whole
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
    """Return a pattern, compiled when it is first used, that reads long texts in slices.

    It has `match`, `fullmatch`, `search`, `finditer`, `split` and, with a plain replacement, `sub`,
    which find what they find without slices.
    """
    return cast("re.Pattern[str]", _Sliced(lazy_re(source, flags)))
