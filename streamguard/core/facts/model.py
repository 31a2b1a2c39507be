"""How likely an edit is wrong: a linear score of its figures.

The weights are those that `scripts/train_edits.py` fits on answers whose authors knew none of the
figures. What stands late in a long answer is another thing than what a short one says: `late` and
its products are figures of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from operator import mul
from typing import Final, NamedTuple

from streamguard.core.facts import weights
from streamguard.core.facts.figures import Group


class Term(NamedTuple):
    """What one figure adds to the log-odds: `weight` times it, cut to its range in training."""

    name: str
    least: float
    most: float
    weight: float


class _Line(NamedTuple):
    intercept: float
    least: tuple[float, ...]
    most: tuple[float, ...]
    weights: tuple[float, ...]


def _line(intercept: float, rows: Sequence[tuple[str, float, float, float]]) -> _Line:
    terms = [Term(*row) for row in rows]
    return _Line(
        intercept,
        tuple(term.least for term in terms),
        tuple(term.most for term in terms),
        tuple(term.weight for term in terms),
    )


_LINES: Final = {group: _line(*found) for group, found in weights.LINES.items()}


def risk_of(group: Group, figures: Sequence[float]) -> float:
    """Return the log-odds that a slot with these figures is wrong."""
    line = _LINES[group]
    inside = map(max, line.least, map(min, line.most, figures))
    total: float = line.intercept + sum(map(mul, line.weights, inside))
    return total


def probability(risk: float) -> float:
    """Return the probability in [0, 1] of log-odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, risk))))
