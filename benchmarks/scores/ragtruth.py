"""Figures of RAGTruth's answers, with every weight fitted on other folds."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from scores.answers import Judged, judge, say
from scores.folds import FOLDS, Lines, edit_weights, script, support_weights
from scores.numbers import of

Rows = list[tuple[str, str]]


def measure(rows: Sequence[dict], lines: Sequence[Lines]) -> Rows:
    """Return the rows of the table; `lines`: the edits' without each fold, [] of code without."""
    train = script("train_support")
    say("  support figures of RAGTruth")
    sample = train.read_sample(rows)
    risks, answers = train._out_of(sample, sample.fold)
    judged: list[Judged] = []
    for fold in range(FOLDS):
        say(f"  RAGTruth, fold {fold + 1} of {FOLDS}")
        own = [row for row in rows if row["fold"] == fold]
        with support_weights(sample, train.fit(sample, sample.fold != fold)):
            judged += _judge(own, lines[fold] if lines else {})
    return [
        ("sentence AUROC of the support", f"{train.auroc(risks, sample.bad):.3f}"),
        ("answer AUROC of the groundedness", f"{train.auroc(answers, sample.bad_answer):.3f}"),
        *statuses(judged),
        *precisions(judged),
    ]


def _judge(rows: Sequence[dict], lines: Lines) -> list[Judged]:
    if not lines:
        return [judge(row) for row in rows]
    with edit_weights(lines):
        return [judge(row) for row in rows]


def statuses(judged: Sequence[Judged]) -> Rows:
    """Return how many right and wrong answers are refused, and raised at all."""
    rows = []
    for is_wrong, name in ((False, "clean answers"), (True, "hallucinated answers")):
        some = [one.result.status for one in judged if bool(one.row["labels"]) == is_wrong]
        shares = {"REFUSE": np.mean([status == "REFUSE" for status in some])}
        shares["WARN or REFUSE"] = np.mean([status != "PASS" for status in some])
        rows += [(f"{name}, {status}", f"{share:.3f}") for status, share in shares.items()]
    return rows


def precisions(judged: Sequence[Judged]) -> Rows:
    """Return, of every check's warnings, how many touch a labelled span."""
    touching = defaultdict(list)
    for one in judged:
        for finding in one.result.findings:
            if finding.severity == "warning" and finding.start is not None:
                touching[finding.check].append(
                    any(
                        finding.start < label["end"] and finding.end > label["start"]
                        for label in one.row["labels"]
                    )
                )
    return [
        (f"warnings of {check} that touch a label", of(sum(some), len(some)))
        for check, some in sorted(touching.items())
    ]
