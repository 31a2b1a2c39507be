"""Figures of RAGTruth's answers, with every weight fitted on other folds."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from scores.answers import Judged, judge, say
from scores.folds import FOLDS, without_fold
from scores.numbers import auroc, of

Rows = list[tuple[str, str]]


def measure(rows: Sequence[dict]) -> Rows:
    """Return the rows of the table."""
    judged: list[Judged] = []
    for fold in range(FOLDS):
        say(f"  RAGTruth, fold {fold + 1} of {FOLDS}")
        with without_fold(fold):
            judged += [judge(row) for row in rows if row["fold"] == fold]
    return [*ranking(judged), *statuses(judged), *precisions(judged)]


def ranking(judged: Sequence[Judged]) -> Rows:
    """Return how well the support ranks sentences, and the groundedness answers."""
    risks, wrong, of_answers, bad = [], [], [], []
    for one in judged:
        labels = one.row["labels"]
        for sentence in one.result.sentences:
            if sentence.support is not None:
                risks.append(1 - sentence.support)
                spans = [(label["start"], label["end"]) for label in labels]
                wrong.append(any(at < sentence.end and end > sentence.start for at, end in spans))
        grounded = one.result.scores.groundedness
        of_answers.append(0.0 if grounded is None else 1 - grounded)
        bad.append(bool(labels))
    return [
        ("sentence AUROC of the support", f"{auroc(risks, wrong):.3f}"),
        ("answer AUROC of the groundedness", f"{auroc(of_answers, bad):.3f}"),
    ]


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
