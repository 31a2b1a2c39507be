"""Patterns that are compiled when they are first used.

All patterns of the package take some 0.1 s of CPU to compile: who imports it to read a version,
print a help page or pass a stream on unchecked does not pay for that, and who checks pays for
those that his text meets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, cast


class _Later:
    """Stands for a compiled pattern; its methods become the pattern's own on first use."""

    def __init__(self, source: str, compile_: Callable[[], Any]) -> None:
        self.pattern = source  # of which others are made: for that it need not be compiled
        self._compile = cache(compile_)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copies and pickles ask of an instance is not the pattern's
            raise AttributeError(name)
        value = getattr(self._compile(), name)
        # In the instance's own `__dict__` it is found as fast as a pattern's method.
        self.__dict__[name] = value
        return value


_waiting: list[_Later] = []


@cache
def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns, but compile it when it is first used.

    The same `source` gives the same pattern, as it does there. A wrong one raises `re.error`
    then: tests use every pattern.
    """
    return _later(source, lambda: re.compile(source, flags))


@cache
def lazy_regex(source: str) -> re.Pattern[str]:
    r"""Return the same for `regex`, which knows `\p{…}` and reads backwards with `(?r)`."""

    def compile_() -> Any:
        import regex  # 15 ms, which only who checks pays

        return regex.compile(source)

    return _later(source, compile_)


def compile_all() -> None:
    """Compile every pattern of the modules loaded so far: a server's first answer need not."""
    while _waiting:
        _ = _waiting.pop().search


def _later(source: str, compile_: Callable[[], Any]) -> re.Pattern[str]:
    later = _Later(source, compile_)
    _waiting.append(later)
    return cast("re.Pattern[str]", later)
