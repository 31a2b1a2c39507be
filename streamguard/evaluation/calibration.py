"""Calibration of probabilities: bins, and the expected calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamguard.evaluation.scored_items import Scored

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Items with neighbouring scores: mean score, share of bad items, weight."""

    mean: float
    bad: float
    weight: float


def bins(items: Scored, count: int = BINS) -> list[Bin]:
    """Return up to `count` bins of about equal weight, lowest scores first.

    Items with equal scores stay together, so their order does not matter.
    """
    order = sorted(range(len(items)), key=items.scores.__getitem__)
    total = sum(items.bad) + sum(items.clean)
    found: list[Bin] = []
    scored = bad = weight = done = 0.0
    for place, at in enumerate(order):
        own = items.bad[at] + items.clean[at]
        scored += items.scores[at] * own
        bad += items.bad[at]
        weight += own
        last = place + 1 == len(order)
        ends = last or items.scores[order[place + 1]] != items.scores[at]
        full = done + weight >= total * (len(found) + 1) / count
        if weight and ends and (full or last):
            found.append(Bin(scored / weight, bad / weight, weight))
            done += weight
            scored = bad = weight = 0.0
    return found


def calibration_error(found: Sequence[Bin]) -> float | None:
    """Return the weighted mean distance between score and bad share; None without a bin.

    The expected calibration error with bins of equal weight (Naeini et al., AAAI 2015; equal-mass
    binning as in Nixon et al., 2019).
    """
    total = sum(one.weight for one in found)
    if not total:
        return None
    return sum(one.weight * abs(one.mean - one.bad) for one in found) / total
