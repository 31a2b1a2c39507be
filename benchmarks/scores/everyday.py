"""Figures of the everyday sets: what is raised, found, pinned and ranked."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from scores.answers import Judged, answer_risk
from scores.numbers import Drawn, of

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
