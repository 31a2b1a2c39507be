"""Figures of the everyday sets: what is raised, found, pinned and ranked, and a learning curve."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from scores.answers import Judged, answer_risk
from scores.folds import Gathered, script
from scores.numbers import Drawn, auroc, of

FALSE_ALARMS = 0.08  # of right answers, at which the learning curve counts the errors found
_STEPS = 30
_RIDGE = 1.0

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


def learning_curve(train: Gathered, rows: Sequence[dict]) -> Rows:
    """Return figures of edit weights fitted on parts of the other authors' contexts.

    Whose answers are judged, nothing of them is learned from; means over the disjoint parts. What
    has no context of an everyday set (RAGTruth's answers) is learned from in full.
    """
    # Errors that no slot shows are not learned from, but missing them counts.
    judged = Gathered([{**row, "error_kind": None} for row in rows])
    shaped = {
        row["id"] for row in rows if row["error_kind"] not in script("train_edits")._SHAPELESS
    }
    found = []
    for parts in (4, 2, 1):
        each = [
            _scores(_risks(train, judged, at, parts), judged, rows, shaped) for at in range(parts)
        ]
        value, error = np.mean(each, axis=0)
        share = "all" if parts == 1 else f"1/{parts}"
        found.append((f"value edits, AUROC, {share} of the contexts", f"{value:.3f}"))
        found.append((f"errors found at {FALSE_ALARMS:.0%} false alarms, {share}", f"{error:.3f}"))
    return found


def _risks(train: Gathered, judged: Gathered, part: int, parts: int) -> dict[str, np.ndarray]:
    """Return the log-odds of the edits, those of each author by a fit on others' contexts."""
    names = sorted({name for some in train.contexts.values() for name in some if name})
    kept = ["", *names[part::parts]]
    risks = {group: np.zeros(len(ids)) for group, ids in judged.ids.items()}
    for author in sorted(
        {name.split("-")[0] for some in judged.contexts.values() for name in some}
    ):
        lines = train.fit(
            {
                group: np.isin(some, kept) & ~np.char.startswith(some, f"{author}-")
                for group, some in train.contexts.items()
            }
        )
        for group, some in judged.contexts.items():
            own = np.char.startswith(some, f"{author}-")
            risks[group][own] = judged.risks(group, lines, own)
    return risks


def _scores(
    risks: dict[str, np.ndarray], judged: Gathered, rows: Sequence[dict], shaped: set[str]
) -> tuple[float, float]:
    """Return AUROC of value edits, and the share of errors above most of the right answers."""
    largest = dict.fromkeys((row["id"] for row in rows), -math.inf)
    for group, some in risks.items():
        for name, risk in zip(judged.ids[group].tolist(), some.tolist(), strict=True):
            largest[name] = max(largest[name], risk)
    clean = [largest[row["id"]] for row in rows if row["label"] == "faithful"]
    wrong = [largest[row["id"]] for row in rows if row["label"] == "error"]
    cut = np.quantile(clean, 1 - FALSE_ALARMS, method="higher")
    own = np.isin(judged.ids["value"], list(shaped))
    score = auroc(risks["value"][own], judged.rows["value"].wrong[own])
    return score, float(np.mean(np.array(wrong) > cut))
