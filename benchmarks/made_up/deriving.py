"""How derivations are made: slots filled, the derived value worked out, right and wrong. Seeded."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import permutations
from typing import Any

from made_up.cases import capital

# What a wrong value is of the right one; far enough from 1 that no rounding explains it.
_FACTORS = (0.55, 0.7, 0.8, 1.2, 1.3, 1.45, 1.7)
_TIMES = (2, 3, 4, 7, 10, 12, 24, 30, 52, 60, 100, 365)
_NEAR = 0.02  # a wrong value keeps this far from whatever else could be worked out
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Derivation:
    """A sentence with a value that no passage states, and whether it follows from what they do.

    `start` and `end` are half-open code point offsets of the value in `answer`.
    """

    kind: str
    form: str
    chunks: tuple[str, ...]
    answer: str
    start: int
    end: int
    is_right: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to derive a value: `{x}` in a frame stands for what `value` makes of the slots.

    `also` works out further slots from those that were drawn.
    """

    kind: str
    name: str
    slots: Mapping[str, Sequence[Any]]
    passages: tuple[str, ...]
    frames: tuple[str, ...]
    value: Callable[[Mapping[str, Any]], Any]
    shown: Callable[[Any], str] = lambda value: shown(value)
    wrong: Callable[[Any, random.Random], Any] = lambda value, rng: off(value, rng)
    also: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda slots: {}


def shown(value: float | date) -> str:
    """Return a number with thousands separators and at most two places, a date as "3 May 2021"."""
    if isinstance(value, date):
        return f"{value.day} {value:%B %Y}"
    rounded = round(value, 2)
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.2f}"


def told(value: float | date) -> str:
    """Return a slot's value as a passage holds it: a year has no separator."""
    return str(value) if isinstance(value, int) and 1500 < value < 2100 else shown(value)


def off(value: float | date, rng: random.Random) -> float | date:
    """Return a value that is off by a fifth or more, a date by nine days or more."""
    if isinstance(value, date):
        return value + timedelta(days=rng.choice((-40, -23, -9, 9, 16, 35)))
    changed = value * rng.choice(_FACTORS)
    if value == int(value):
        changed = round(changed)
        while abs(changed - value) < 2:
            changed += rng.choice((2, 3))
    return changed


def derivations(
    rules: Sequence[Rule], about_other_things: Sequence[str], *, count: int, seed: int
) -> Iterator[Derivation]:
    """Yield `count` right and `count` wrong derivations, the rules in turn."""
    rng = random.Random(seed)
    for number in range(count):
        rule = rules[number % len(rules)]
        # Every frame has its turn before the first one comes again.
        frame = rule.frames[number // len(rules) % len(rule.frames)]
        for is_right in (True, False):
            yield _made(rule, frame, about_other_things, rng, is_right=is_right)


def _made(
    rule: Rule, frame: str, others: Sequence[str], rng: random.Random, *, is_right: bool
) -> Derivation:
    while True:
        filled = _filled(rule, rng)
        texts = {name: v if isinstance(v, str) else told(v) for name, v in filled.items()}
        passage = capital(rng.choice(rule.passages).format(**texts))
        right = rule.value(filled)
        value = right if is_right else rule.wrong(right, rng)
        written = rule.shown(value)
        stated = set(_NUMBER.findall(passage))
        if written in stated or (not is_right and (value == right or _follows(value, stated))):
            continue
        start = frame.format(**texts, x="\0").index("\0")
        answer = capital(frame.format(**texts, x=written))
        chunks = [passage, *rng.sample(list(others), 2)]
        rng.shuffle(chunks)
        form = f"{rule.name}/{rule.frames.index(frame)}"
        end = start + len(written)
        return Derivation(rule.kind, form, tuple(chunks), answer, start, end, is_right)


def _filled(rule: Rule, rng: random.Random) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for names, pool in rule.slots.items():
        wanted = names.split()
        filled |= dict(zip(wanted, rng.sample(list(pool), len(wanted)), strict=True))
    return filled | rule.also(filled)


def _follows(value: Any, stated: set[str]) -> bool:
    """Say whether plain arithmetic on the passage's numbers gives the value as well."""
    if not isinstance(value, int | float) or not value:
        return False
    numbers = [float(text.replace(",", "")) for text in stated]
    found = [n * t for n in numbers for t in _TIMES] + [n / t for n in numbers for t in _TIMES]
    for a, b in permutations(numbers, 2):
        found += [a + b, a - b, a * b, (a + b) / 2]
        if b:
            found += [a / b, 100 * a / b, 100 * (a - b) / b, a * b / 100, a * (1 - b / 100)]
    return any(abs(f - value) <= _NEAR * abs(value) for f in found)
