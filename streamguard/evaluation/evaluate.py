"""The whole evaluation: every measure at every level, with intervals, by task and by model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from streamguard.evaluation.bootstrap import RESAMPLES, Interval, interval, percentiles, resamples
from streamguard.evaluation.calibration import Bin, bins, calibration_error
from streamguard.evaluation.labels import Judged
from streamguard.evaluation.measures import (
    RiskMeasure,
    SentenceMeasure,
    answer_measures,
    sentence_measures,
)
from streamguard.evaluation.sample import (
    Sample,
    answer_items,
    character_items,
    sample_of,
    sentence_items,
)
from streamguard.evaluation.scored_items import (
    Confusion,
    Scored,
    auroc,
    by_group,
    curve,
    raised_out_of_fold,
    ranked,
    recall_within,
    summed,
)

ALARM_BUDGETS = (0.05, 0.1)
_CURVE_POINTS = 200  # of a plotted curve; a plot is some 400 pixels wide
_FIGURES = ("precision", "recall", "f1", "false_alarms")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in [0, 1] and its 95 % interval; None if it does not exist."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Row:
    """One measure at one level. A score's decisions use thresholds chosen on other folds.

    `recall_at`: a score's best recall within a budget of false alarms, with the threshold chosen on
    the same data. `calibration_error` and `bins`: of probabilities only. `roc` and `pr`: points of
    a score's curves, as (false alarms, recall) and (recall, precision).
    """

    name: str
    is_score: bool
    figures: dict[str, Figure]
    auroc: Figure
    recall_at: dict[float, float | None]
    calibration_error: float | None
    bins: list[Bin]
    roc: list[tuple[float, float]]
    pr: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Level:
    """The measures of answers, sentences or characters; `bad` and `clean` count items unweighted.

    `level` is "answers", "sentences" or "characters"; `part` is "all" or "model llama" or the like.
    """

    level: str
    part: str
    bad: float
    clean: float
    rows: list[Row]


Step = Callable[[str, int, int], None]  # subject, number, total


def evaluate(
    judged: Sequence[Judged],
    *,
    prior: float | None = None,
    count: int = RESAMPLES,
    seed: int = 0,
    step: Step = lambda name, number, of: None,
) -> list[Level]:
    """Return the levels for which there are labels: all answers first, then tasks and models.

    `prior`: weight clean answers so that this share in (0, 1) is bad. `count` resamples of whole
    groups give the intervals, the same ones for one seed. In parts only answers are measured.
    """
    sample = sample_of(judged, prior)
    results = [one.result for one in judged]
    drawn = resamples(sample.group_count, count, seed)
    answers, sentences = answer_measures(results), sentence_measures(results)
    parts = list(_parts(judged, prior))
    steps = _Steps(step, len(answers) * (1 + len(parts)) + 2 * len(sentences))
    levels = [_answers("all", sample, answers, drawn, steps)]
    for name, items_of in (("sentences", sentence_items), ("characters", character_items)):
        levels.append(_inside(name, sample, sentences, items_of, drawn, steps))
    for part, partly in parts:
        partly_drawn = resamples(partly.group_count, count, seed)
        levels.append(_answers(part, partly, answers, partly_drawn, steps))
    return [level for level in levels if level.bad and level.clean]


class _Steps:
    """Counts finished measures."""

    def __init__(self, step: Step, of: int) -> None:
        self._step, self._of, self._done = step, of, 0

    def next(self, name: str) -> None:
        self._done += 1
        self._step(name.strip(), self._done, self._of)


def _parts(judged: Sequence[Judged], prior: float | None) -> Iterator[tuple[str, Sample]]:
    for kind in ("task", "model"):
        names = sorted({name for one in judged if (name := getattr(one.row, kind)) is not None})
        for name in names if len(names) > 1 else ():
            part = [one for one in judged if getattr(one.row, kind) == name]
            yield f"{kind} {name}", sample_of(part, prior)


def _answers(
    part: str,
    sample: Sample,
    measures: Sequence[RiskMeasure],
    drawn: Sequence[Sequence[int]],
    steps: _Steps,
) -> Level:
    rows = []
    for measure in measures:
        steps.next(measure.name)
        items = answer_items(sample, measure)
        rows.append(row(measure, items, drawn, sample.group_count))
    labels = [one.row.hallucinated for one in sample.judged]
    return Level("answers", part, labels.count(True), labels.count(False), rows)


def _inside(
    level: str,
    sample: Sample,
    measures: Sequence[SentenceMeasure],
    items_of: Callable[[Sample, SentenceMeasure], Scored],
    drawn: Sequence[Sequence[int]],
    steps: _Steps,
) -> Level:
    unweighted = replace(sample, clean_weight=1.0)
    rows: list[Row] = []
    bad = clean = 0.0
    for measure in measures:
        steps.next(f"{measure.name}, {level}")
        if not rows:
            counted = items_of(unweighted, measure)
            bad, clean = sum(counted.bad), sum(counted.clean)
        if not bad or not clean:
            continue
        rows.append(row(measure, items_of(sample, measure), drawn, sample.group_count))
    return Level(level, "all", bad, clean, rows)


def row(
    measure: RiskMeasure | SentenceMeasure,
    items: Scored,
    drawn: Sequence[Sequence[int]],
    groups: int,
) -> Row:
    """Return one measure's figures; `drawn` has the resamples of the `groups`."""
    is_score = measure.is_score
    raised = raised_out_of_fold(items) if is_score else [score > 0 for score in items.scores]
    parts = by_group(items, raised, groups)
    sums = [summed(parts, counts) for counts in drawn]
    figures = {
        name: Figure(_figure(summed(parts), name), percentiles(_figure(s, name) for s in sums))
        for name in _FIGURES
    }
    budgets = ALARM_BUDGETS if is_score else ()
    points = [confusion for _, confusion in curve(items)] if is_score else []
    precise = [(p.recall or 0.0, p.precision) for p in points if p.precision is not None]
    found = bins(items) if measure.is_probability else []
    return Row(
        name=measure.name,
        is_score=is_score,
        figures=figures,
        auroc=_auroc(items, drawn) if is_score else _balanced(summed(parts), sums),
        recall_at={budget: recall_within(items, budget) for budget in budgets},
        calibration_error=calibration_error(found) if measure.is_probability else None,
        bins=found,
        roc=_thinned([(p.false_alarms or 0.0, p.recall or 0.0) for p in points]),
        pr=_thinned(precise),
    )


def _figure(confusion: Confusion, name: str) -> float | None:
    figure: float | None = getattr(confusion, name)
    return figure


def _auroc(items: Scored, drawn: Sequence[Sequence[int]]) -> Figure:
    blocks = ranked(items)
    return Figure(auroc(blocks), interval(lambda counts: auroc(blocks, counts), drawn))


def _balanced(total: Confusion, sums: Sequence[Confusion]) -> Figure:
    """Return the area under the ROC curve of a binary decision, two straight lines."""
    return Figure(_area(total), percentiles(map(_area, sums)))


def _area(confusion: Confusion) -> float | None:
    if confusion.recall is None or confusion.false_alarms is None:
        return None
    return (1.0 + confusion.recall - confusion.false_alarms) / 2


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    step = max(1, len(points) // _CURVE_POINTS)
    return points[::step] + points[-1:] if step > 1 else points
