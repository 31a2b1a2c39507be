"""Figures of the everyday sets: what is raised, found, pinned and ranked, and a learning curve."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from scores.answers import Judged, answer_risk
from scores.folds import script
from scores.numbers import Drawn, auroc, of

FALSE_ALARMS = 0.08  # of right answers, at which the learning curve counts the errors found
Rows = list[tuple[str, str]]


def figures(judged: Sequence[Judged]) -> Rows:
    """Return the rows of a set."""
    risks = [answer_risk(one.result) for one in judged]
    drawn = Drawn.of([one.row["context"] for one in judged])
    wrong = np.array([one.is_wrong for one in judged])
    flags = {
        "right answers not PASS": ([one.raised for one in judged], ~wrong),
        "right answers with a warning": ([one.warned for one in judged], ~wrong),
        "errors found (WARN or REFUSE)": ([one.raised for one in judged], wrong),
        "errors pinned (a warning touches the wrong words)": (
            [one.is_wrong and one.pinned for one in judged],
            wrong,
        ),
        "errors pointed at (any finding touches them)": (
            [one.is_wrong and one.pointed_at for one in judged],
            wrong,
        ),
    }
    rows = [(name, drawn.share(*given)) for name, given in flags.items()]
    rows.append(("answer AUROC", drawn.auroc(risks, wrong)))
    rows.append(("twin ranked", drawn.share(*twins(judged, risks))))
    return rows


def kinds(judged: Iterable[Judged]) -> Rows:
    """Return a row for every kind of error and of right answer."""
    errors, right = defaultdict(list), defaultdict(list)
    for one in judged:
        if one.is_wrong:
            errors[one.row["error_kind"]].append(one)
        else:
            right[one.row["kind"]].append(one)
    rows = [
        (
            f"{kind.replace('_', ' ')}: found, pinned",
            f"{of(sum(one.raised for one in some), len(some))}, {sum(o.pinned for o in some)}",
        )
        for kind, some in sorted(errors.items())
    ]
    return rows + [
        (f"right, {kind.replace('_', ' ')}: not PASS", of(sum(o.raised for o in some), len(some)))
        for kind, some in sorted(right.items())
    ]


def twins(judged: Sequence[Judged], risks: Sequence[float]) -> tuple[list[float], list[bool]]:
    """Return of each error with a twin whether it is riskier, a tie a half; and which those are."""
    by_id = {one.row["id"]: risk for one, risk in zip(judged, risks, strict=True)}
    paired = [one.is_wrong and one.row["twin"] in by_id for one in judged]
    beaten = []
    for one, risk, has_twin in zip(judged, risks, paired, strict=True):
        twin = by_id[one.row["twin"]] if has_twin else risk
        beaten.append((risk > twin) + (risk == twin) / 2)
    return beaten, paired


def learning_curve(train, rows: Sequence[dict]) -> Rows:
    """Return figures of weights fitted on parts of the other authors' contexts.

    Whose answers are judged, nothing of them is learned from; means over the disjoint parts. What
    has no context of an everyday set (RAGTruth's answers) is learned from in full. `train` is
    `folds.training` of them all.
    """
    judged = np.isin(train.ids, [row["id"] for row in rows])
    found = []
    for parts in (4, 2, 1):
        each = [_scores(train, judged, *_risks(train, judged, at, parts)) for at in range(parts)]
        sentence, answer, error = np.mean(each, axis=0)
        share = "all" if parts == 1 else f"1/{parts}"
        found += [
            (f"sentences, AUROC, {share} of the contexts", f"{sentence:.3f}"),
            (f"answers, AUROC, {share}", f"{answer:.3f}"),
            (f"errors found at {FALSE_ALARMS:.0%} false alarms, {share}", f"{error:.3f}"),
        ]
    return found


def _risks(train, judged: np.ndarray, part: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Return log-odds of sentences and answers, those of each author by a fit on others'."""
    edits = script("train_edits")
    names = sorted({name for name in train.contexts.tolist() if name})
    kept = np.isin(train.contexts, ["", *names[part::parts]])
    rows = train.rows[edits.SENTENCE]
    risks, of_answers = np.zeros(len(rows.wrong)), np.zeros(len(train.ids))
    for author in sorted({name.split("-")[0] for name in train.contexts[judged].tolist()}):
        own = np.char.startswith(train.contexts, f"{author}-")
        lines = train.fit(kept & ~own)
        columns = rows.columns.copy()
        train.judge(lines, own & judged, columns)
        inside = (own & judged)[rows.answer]
        risks[inside] = edits.log_odds(lines[edits.SENTENCE], columns[inside])
        answers, known = train.answers(risks, inside)
        of_answers[known] = edits.log_odds(lines[edits.ANSWER], answers.columns[known])
    return risks, of_answers


def _scores(
    train, judged: np.ndarray, risks: np.ndarray, of_answers: np.ndarray
) -> tuple[float, float, float]:
    """Return AUROC of sentences and of answers, and the share of errors above most right ones."""
    rows = train.rows[script("train_edits").SENTENCE]
    inside = judged[rows.answer]
    wrong, told = train.wrong[judged], of_answers[judged]
    cut = np.quantile(told[~wrong], 1 - FALSE_ALARMS, method="higher")
    share = float(np.mean(told[wrong] > cut))
    return auroc(risks[inside], rows.wrong[inside]), auroc(told, wrong), share
