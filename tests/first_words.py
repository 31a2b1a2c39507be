"""Which words a pattern's matches can begin with, read from its parse tree."""

import re
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from string import ascii_lowercase
from typing import Any

ANYTHING = "*"  # behind the letters of a run that a class of signs goes on with
_REPEATS = 4  # more do not begin otherwise


def first_words(pattern: re.Pattern[str]) -> set[str]:
    """Return the runs of small letters that the matches of `pattern` begin with."""
    flags = pattern.flags & ~re.UNICODE
    ended, open_runs = _read(parser.parse(pattern.pattern, flags), {""})
    return ended | open_runs


def _read(tree: Any, runs: set[str]) -> tuple[set[str], set[str]]:
    """Return the runs that have ended in `tree`, and those that go on behind it."""
    ended: set[str] = set()
    for kind, value in tree:
        now, runs = _read_one(kind, value, runs)
        ended |= now
    return ended, runs


def _read_one(kind: Any, value: Any, runs: set[str]) -> tuple[set[str], set[str]]:
    if kind is signs.LITERAL:
        return _signs([chr(value)], runs)
    if kind is signs.IN and all(sort is signs.LITERAL for sort, _ in value):
        return _signs([chr(code) for _, code in value], runs)
    if kind in (signs.IN, signs.NOT_LITERAL, signs.ANY):
        return {run + ANYTHING for run in runs}, set()
    if kind is signs.BRANCH:
        parts = [_read(part, runs) for part in value[1]]
        return set().union(*(part[0] for part in parts)), set().union(*(part[1] for part in parts))
    if kind is signs.SUBPATTERN:
        return _read(value[3], runs)
    if kind in (signs.MAX_REPEAT, signs.MIN_REPEAT):
        return _repeated(value[0], min(int(value[1]), _REPEATS), value[2], runs)
    if kind is signs.AT and value is signs.AT_END:
        return runs, set()
    assert kind in (signs.AT, signs.ASSERT, signs.ASSERT_NOT), kind
    return set(), runs


def _repeated(least: int, most: int, tree: Any, runs: set[str]) -> tuple[set[str], set[str]]:
    ended: set[str] = set()
    after = set(runs) if not least else set()
    for count in range(1, most + 1):
        now, runs = _read(tree, runs)
        ended |= now
        after |= runs if count >= least else set()
    return ended, after


def _signs(choice: list[str], runs: set[str]) -> tuple[set[str], set[str]]:
    letters = [sign for sign in choice if sign in ascii_lowercase]
    ended = set(runs) if len(letters) < len(choice) else set()
    return ended, {run + letter for run in runs for letter in letters}
