"""Figures of risks beside labels: rank, share found, and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from streamguard.evaluation.bootstrap import RESAMPLES, interval, resamples
from streamguard.evaluation.scored_items import Scored, auroc, curve, ranked

FLAGGED = 0.06  # of the right ones, at which what is found is counted
SEED = 7


def auroc_of(risks: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return the area under the curve, None where one sort is missing."""
    return auroc(ranked(scored(risks, wrong, [0] * len(risks))))


def scored(risks: Sequence[float], wrong: Sequence[bool], groups: Sequence[int]) -> Scored:
    """Return risks and labels as items of the product's own evaluation."""
    items = Scored()
    for risk, is_wrong, group in zip(risks, wrong, groups, strict=True):
        items.add(risk, float(is_wrong), float(not is_wrong), group, 0)
    return items


def with_interval(
    risks: Sequence[float], wrong: Sequence[bool], contexts: Sequence[str]
) -> tuple[str, str]:
    """Return AUROC and share found at `FLAGGED`, each with the middle 95 % of resampled contexts.

    The threshold of what is found stays that of all.
    """
    names = {name: at for at, name in enumerate(dict.fromkeys(contexts))}
    items = scored(risks, wrong, [names[name] for name in contexts])
    blocks = ranked(items)
    allowed = [t for t, one in curve(items) if (one.false_alarms or 0.0) <= FLAGGED]
    least = min(allowed)
    drawn = resamples(len(names), RESAMPLES, SEED)

    def found(counts: Sequence[int] | None) -> float | None:
        hit = all_wrong = 0
        for risk, is_wrong, name in zip(risks, wrong, contexts, strict=True):
            if is_wrong:
                times = 1 if counts is None else counts[names[name]]
                all_wrong += times
                hit += times * (risk >= least)
        return hit / all_wrong if all_wrong else None

    return (
        _told(lambda counts: auroc(blocks, counts), drawn),
        _told(found, drawn),
    )


Figure = Callable[[Sequence[int] | None], float | None]


def _told(figure: Figure, drawn: Sequence[Sequence[int]]) -> str:
    whole = figure(None)
    if whole is None:
        return "–"
    bounds = interval(figure, drawn)
    low, high = bounds if bounds is not None else (whole, whole)
    return f"{whole:.3f} [{low:.2f}, {high:.2f}]".replace("0.", ".")
