"""Thresholds that keep false alarms within a budget, with a guarantee for data that come next.

A rule raises where a score lies below its threshold. Answers of one group (to one question) are
alike, so a group counts as one observation. The guarantees ask that the next group be drawn as
these were; they hold for every distribution of scores, ties included.
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
    """The score of one clean answer or sentence, and its group."""

    score: float
    group: str


@dataclass(frozen=True, slots=True)
class FalseAlarmBudget:
    """At most this share of clean items raised, in (0, 1).

    `confidence` None: on average over calibration sets and what comes next (split conformal).
    A confidence in (0, 1): with this probability over calibration sets, for all that comes next
    (the binomial tail of Clopper and Pearson).
    """

    share: float
    confidence: float | None = None

    def split(self, rules: int) -> FalseAlarmBudget:
        """Return the budget of each of some rules that together shall keep this one."""
        if self.confidence is None:
            return FalseAlarmBudget(self.share / rules)
        return FalseAlarmBudget(self.share / rules, 1 - (1 - self.confidence) / rules)

    @property
    def groups_needed(self) -> int:
        """The fewest groups with which any threshold above the lowest score can be allowed."""
        if self.confidence is None:
            # 1 / share rounded: 1 / 0.05 is a little more than 20 in floating point.
            return math.ceil(round(1 / self.share, 9)) - 1
        unsure = max(1 - self.confidence, 5e-324)
        return math.ceil(round(math.log(unsure) / math.log(1 - self.share), 9))


def lowest_allowed(observed: Sequence[Observed], budget: FalseAlarmBudget) -> float:
    """Return the highest threshold below which the budget lets clean items lie.

    Infinite where no item can be raised at all. Raises `ConfigError` with the numbers where there
    are too few groups to allow any.
    """
    groups = len({one.group for one in observed})
    if groups < budget.groups_needed:
        raise ConfigError(too_few(groups, budget))
    if budget.confidence is None:
        return _on_average(observed, budget.share)
    return _with_confidence(observed, budget.share, budget.confidence)


def too_few(groups: int, budget: FalseAlarmBudget) -> str:
    """Say how many groups of clean answers there are and how many the budget asks for."""
    sure = "" if budget.confidence is None else f" with confidence {budget.confidence:g}"
    return (
        f"clean answers to {groups} questions are too few for a false alarm rate of"
        f" {budget.share:g}{sure}: at least {budget.groups_needed} questions are needed"
    )


def _on_average(observed: Sequence[Observed], share: float) -> float:
    """Split conformal with groups: each weighs 1 / (groups + 1), as does the one to come.

    Lee, Barber and Willett 2023, "Distribution-free inference with hierarchical data"; with one
    item a group this is the order statistic floor(share * (n + 1)).
    """
    sizes = Counter(one.group for one in observed)
    ahead = len(sizes) + 1
    below = 1 / ahead  # the one to come, wherever it may lie
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
    """Take one item of each group, and the greatest order statistic whose tail is small enough.

    Of n scores the share below the kth is Beta(k, n + 1 - k); it stays within `share` with the
    probability of k or more in n draws. The item is drawn by the group's digest: the first ones
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
