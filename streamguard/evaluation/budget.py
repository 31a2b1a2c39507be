"""Thresholds that keep false alarms within a budget, with a guarantee for future data.

A rule raises an alarm where a score lies below its threshold. Answers of one group (to one
question) are alike, so a group counts as one observation. The guarantees assume that the next group
is drawn like these; they hold for every distribution of scores, ties included.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from streamguard.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Observed:
    """The score of a clean answer or sentence, and its group."""

    score: float
    group: str


@dataclass(frozen=True, slots=True)
class FalseAlarmBudget:
    """The largest share of clean items that may raise an alarm, in (0, 1).

    With `confidence` None the share holds on average over calibration sets and future data (split
    conformal prediction). With a confidence in (0, 1) it holds for all future data, for that share
    of calibration sets (the binomial tail of Clopper and Pearson).
    """

    share: float
    confidence: float | None = None

    def split(self, rules: int) -> FalseAlarmBudget:
        """Return the budget of each of `rules` rules that share this one."""
        if self.confidence is None:
            return FalseAlarmBudget(self.share / rules)
        return FalseAlarmBudget(self.share / rules, 1 - (1 - self.confidence) / rules)

    @property
    def groups_needed(self) -> int:
        """The least number of groups that allow any threshold above the lowest score."""
        if self.confidence is None:
            # 1 / share rounded: 1 / 0.05 is a little more than 20 in floating point.
            return math.ceil(round(1 / self.share, 9)) - 1
        unsure = max(1 - self.confidence, 5e-324)
        return math.ceil(round(math.log(unsure) / math.log(1 - self.share), 9))


def lowest_allowed(observed: Sequence[Observed], budget: FalseAlarmBudget) -> float:
    """Return the highest threshold whose false alarms the budget allows.

    Infinite if no item can raise an alarm. Raises `ConfigError` with the numbers if there are too
    few groups.
    """
    groups = len({one.group for one in observed})
    if groups < budget.groups_needed:
        raise ConfigError(too_few(groups, budget))
    if budget.confidence is None:
        return _on_average(observed, budget.share)
    return _with_confidence(observed, budget.share, budget.confidence)


def too_few(groups: int, budget: FalseAlarmBudget) -> str:
    """Return a message with the number of groups of clean answers, and the number needed."""
    sure = "" if budget.confidence is None else f" with confidence {budget.confidence:g}"
    return (
        f"clean answers to {groups} questions are too few for a false alarm rate of"
        f" {budget.share:g}{sure}: at least {budget.groups_needed} questions are needed"
    )


def _on_average(observed: Sequence[Observed], share: float) -> float:
    """Return the threshold by split conformal prediction with groups.

    Each group weighs 1 / (groups + 1), like the next one. Lee, Barber and Willett 2023,
    "Distribution-free inference with hierarchical data"; with one item per group this is the order
    statistic floor(share * (n + 1)).
    """
    sizes = Counter(one.group for one in observed)
    ahead = len(sizes) + 1
    below = 1 / ahead  # the next group's share, whatever its score
    allowed = -math.inf
    ordered = sorted(observed, key=lambda one: one.score)
    for at, one in enumerate(ordered):
        if at == 0 or one.score != ordered[at - 1].score:
            if below > share + 1e-12:
                return allowed
            allowed = one.score
        below += 1 / (ahead * sizes[one.group])
    return allowed if below > share + 1e-12 else math.inf


def _with_confidence(observed: Sequence[Observed], share: float, confidence: float) -> float:
    """Return the greatest order statistic with a small enough tail, over one item per group.

    Of n scores the share below the kth is Beta(k, n + 1 - k); it stays within `share` with the
    probability of k or more in n draws. The item is drawn by a digest of the group: the first items
    would all be first sentences, or answers of one model.
    """
    members: dict[str, list[float]] = {}
    for one in observed:
        members.setdefault(one.group, []).append(one.score)
    scores = sorted(found[_drawn(group, len(found))] for group, found in members.items())
    number = len(scores)
    tail, rank = 0.0, 0
    while rank < number:
        tail += math.exp(_log_binomial(number, rank, share))
        if tail > 1 - confidence + 1e-12:
            break
        rank += 1
    return scores[rank - 1]


def _drawn(group: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:8]) % size


def _log_binomial(number: int, hits: int, share: float) -> float:
    ways = math.lgamma(number + 1) - math.lgamma(hits + 1) - math.lgamma(number - hits + 1)
    return ways + hits * math.log(share) + (number - hits) * math.log1p(-share)
