"""A match of a pack, and the arithmetic that several kinds share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Found(NamedTuple):
    """A match in a text: its half-open span there, its kind, and how it may be shown.

    `shown` never holds the match itself. `digits` matches are compared without their separators.
    """

    start: int
    end: int
    kind: str
    shown: str
    digits: bool = False


Search = Callable[[str], Iterator[Found]]


def entropy(text: str) -> float:
    """Return the Shannon entropy of the characters in bits per character; 0.0 for no text."""
    total = len(text)
    counts = Counter(text).values()
    return sum(count / total * math.log2(total / count) for count in counts)


def passes_luhn(digits: str) -> bool:
    """Check the last digit by ISO/IEC 7812-1, annex B; `digits` holds only 0 to 9."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def weighted(digits: str, weights: str) -> int:
    """Return the sum of each digit times the weight in its place; both hold only 0 to 9."""
    return sum(int(digit) * int(weight) for digit, weight in zip(digits, weights, strict=True))
