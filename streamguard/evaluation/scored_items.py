"""Scored items with labels: ranking, decisions, thresholds; everything may be weighted.

An item may be partly bad and partly clean (a sentence, counted in characters), so it has two
weights. Items belong to groups; `counts` gives each group's frequency in a resample.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Scored:
    """Items of one measure, as columns; a higher score means a greater risk."""

    scores: list[float] = field(default_factory=list)
    bad: list[float] = field(default_factory=list)
    clean: list[float] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)

    def add(self, score: float, bad: float, clean: float, group: int, fold: int) -> None:
        """Add an item; `bad` and `clean` are weights of at least 0."""
        self.scores.append(score)
        self.bad.append(bad)
        self.clean.append(clean)
        self.groups.append(group)
        self.folds.append(fold)

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Weights of items by alarm (raised or not) and label (bad or clean)."""

    hit: float
    alarm: float
    missed: float
    quiet: float

    @property
    def precision(self) -> float | None:
        """The bad share of raised items; None if none is raised."""
        return _share(self.hit, self.hit + self.alarm)

    @property
    def recall(self) -> float | None:
        """The raised share of bad items; None if none is bad."""
        return _share(self.hit, self.hit + self.missed)

    @property
    def false_alarms(self) -> float | None:
        """The raised share of clean items; None if none is clean."""
        return _share(self.alarm, self.alarm + self.quiet)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; 0.0 if no bad item is raised."""
        return _share(2 * self.hit, 2 * self.hit + self.alarm + self.missed)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


Block = list[tuple[float, float, int]]  # the (bad, clean, group) of items with one score


def ranked(items: Scored) -> list[Block]:
    """Return the items in blocks of equal score, lowest first."""
    order = sorted(range(len(items)), key=items.scores.__getitem__)
    blocks: list[Block] = []
    last = None
    for at in order:
        if not blocks or items.scores[at] != last:
            blocks.append([])
            last = items.scores[at]
        blocks[-1].append((items.bad[at], items.clean[at], items.groups[at]))
    return blocks


def auroc(blocks: Iterable[Block], counts: Sequence[int] | None = None) -> float | None:
    """Return the probability that a bad item scores above a clean one, ties counted half.

    None if there are no bad or no clean items. Equals the area under the ROC curve (Mann-Whitney's
    U divided by the number of pairs).
    """
    area = below = all_bad = 0.0
    for block in blocks:
        bad = clean = 0.0
        for weight_bad, weight_clean, group in block:
            times = 1 if counts is None else counts[group]
            bad += weight_bad * times
            clean += weight_clean * times
        area += bad * (below + clean / 2)
        below += clean
        all_bad += bad
    return area / (all_bad * below) if all_bad and below else None


def confusion(items: Scored, raised: Sequence[bool]) -> Confusion:
    """Return the weights for a decision on every item."""
    return summed(by_group(items, raised, 1, whole=True))


def by_group(
    items: Scored, raised: Sequence[bool], groups: int, *, whole: bool = False
) -> list[Confusion]:
    """Return the weights per group, for resampling; in one sum if `whole`."""
    sums = [[0.0, 0.0, 0.0, 0.0] for _ in range(groups)]
    for at, is_raised in enumerate(raised):
        four = sums[0 if whole else items.groups[at]]
        shift = 0 if is_raised else 2
        four[shift] += items.bad[at]
        four[shift + 1] += items.clean[at]
    return [Confusion(*four) for four in sums]


def summed(parts: Sequence[Confusion], counts: Sequence[int] | None = None) -> Confusion:
    """Return the sum, each part counted as often as `counts` says."""
    hit = alarm = missed = quiet = 0.0
    for at, part in enumerate(parts):
        times = 1 if counts is None else counts[at]
        if times:
            hit += part.hit * times
            alarm += part.alarm * times
            missed += part.missed * times
            quiet += part.quiet * times
    return Confusion(hit, alarm, missed, quiet)


def curve(items: Scored) -> list[tuple[float, Confusion]]:
    """Return (threshold, weights at that threshold), highest threshold first.

    Items at or above the threshold are raised. The first threshold is infinite and raises none.
    """
    order = sorted(range(len(items)), key=items.scores.__getitem__, reverse=True)
    all_bad, all_clean = sum(items.bad), sum(items.clean)
    points = [(float("inf"), Confusion(0.0, 0.0, all_bad, all_clean))]
    hit = alarm = 0.0
    for place, at in enumerate(order):
        hit += items.bad[at]
        alarm += items.clean[at]
        score = items.scores[at]
        if place + 1 == len(order) or items.scores[order[place + 1]] != score:
            points.append((score, Confusion(hit, alarm, all_bad - hit, all_clean - alarm)))
    return points


def best_threshold(items: Scored) -> float:
    """Return the threshold with the best F1, the highest one of ties."""
    return max(curve(items), key=lambda point: (point[1].f1 or 0.0, point[0]))[0]


def raised_out_of_fold(items: Scored) -> list[bool]:
    """Decide on each item with the best threshold of the other folds."""
    thresholds = {}
    for fold in set(items.folds):
        others = Scored()
        for at, its_fold in enumerate(items.folds):
            if its_fold != fold:
                others.add(
                    items.scores[at], items.bad[at], items.clean[at], items.groups[at], its_fold
                )
        thresholds[fold] = best_threshold(others) if len(others) else float("inf")
    return [
        score >= thresholds[fold] for score, fold in zip(items.scores, items.folds, strict=True)
    ]


def recall_within(items: Scored, false_alarms: float) -> float | None:
    """Return the best recall with at most this share of clean items raised."""
    allowed = [point for _, point in curve(items) if (point.false_alarms or 0.0) <= false_alarms]
    return max((point.recall for point in allowed if point.recall is not None), default=None)
