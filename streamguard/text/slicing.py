"""Patterns over long texts: no single call of the engine reads more than a slice.

The engine keeps the interpreter to itself until it has found something: a prompt of megabytes,
read beside an event loop, would stop the loop for a good part of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from sys import maxsize
from typing import Any, cast

from streamguard.text.patterns import lazy_re

SLICE_CHARS = 16_384  # read by one call; a millisecond of the slowest pattern of `core/prompt`
REACH_CHARS = 2_048  # that a match with its lookahead may span; the longest spans some 1,200


class _Sliced:
    """Stands for a pattern whose matches begin in one slice, and are read a reach beyond it.

    Only what runs to the end of its line may be longer, and nothing may match an empty text.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._whole = pattern

    def match(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        return self._whole.match(text, begin, end)

    def fullmatch(self, text: str, begin: int = 0, end: int = maxsize) -> Any:
        return self._whole.fullmatch(text, begin, end)

    def finditer(self, text: str, begin: int = 0, end: int = maxsize) -> Iterator[Any]:
        last = min(end, len(text))
        while True:
            border = min(begin + SLICE_CHARS, last)
            stop = min(border + REACH_CHARS, last)
            found = self._whole.search(text, begin, stop)
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
