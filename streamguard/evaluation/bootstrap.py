"""Bootstrap intervals from resampled groups: answers to one question stay together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

LEVEL = 0.95
# A bound then is off by 0.2 standard errors of its figure: sqrt(0.025 * 0.975 / 200) / 0.058, of
# a normal distribution's quantile.
RESAMPLES = 200

Interval = tuple[float, float]


def resamples(groups: int, count: int, seed: int) -> list[list[int]]:
    """Return, for each resample, how often each group is drawn; the same for one seed."""
    rng = random.Random(seed)  # noqa: S311 -- a repeatable draw, no secret
    drawn = []
    for _ in range(count):
        times = [0] * groups
        for at in rng.choices(range(groups), k=groups):
            times[at] += 1
        drawn.append(times)
    return drawn


def interval(
    statistic: Callable[[Sequence[int]], float | None], drawn: Iterable[Sequence[int]]
) -> Interval | None:
    """Return the 95 % percentile interval of a statistic over the resamples.

    None if no resample has a value (without a bad item there is no recall).
    """
    return percentiles(statistic(counts) for counts in drawn)


def percentiles(figures: Iterable[float | None]) -> Interval | None:
    """Return the 2.5th and 97.5th percentile, linearly interpolated."""
    found = sorted(figure for figure in figures if figure is not None)
    if not found:
        return None
    return _at(found, (1 - LEVEL) / 2), _at(found, (1 + LEVEL) / 2)


def _at(found: Sequence[float], share: float) -> float:
    place = share * (len(found) - 1)
    below = int(place)
    above = min(below + 1, len(found) - 1)
    return found[below] + (place - below) * (found[above] - found[below])
