"""Figures of exercises_dev: single right sentences and wrong versions of them, by many authors.

A sentence's verdict is the status of the answer up to it: the right sentences before it, then the
sentence. Each is judged by weights that were fitted without its fold.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import planted

from scores.numbers import auroc
from scores.sentences import Answered, Asked, ask

Rows = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence's label and what the code says of it; a wrong one's `kind`, "" of a right one.

    `twin`: the right sentence of which a wrong one is a version.
    """

    kind: str
    text: str
    said: Answered
    twin: Answered


def english(rows: Iterable[dict], folds: Sequence[int] | None) -> list[dict]:
    """Return the English contexts of some folds, None for all."""
    return [
        row for row in rows
        if row["language"] == "en" and (folds is None or row["fold"] in folds)
    ]  # fmt: skip


def judge(rows: Sequence[dict], processes: int | None = None) -> list[Labelled]:
    """Ask the code about every sentence of some contexts."""
    asked, kinds = [], []
    for row in rows:
        for question in row["questions"]:
            chunks = tuple(c["text"] for c in row["chunks"])
            for kind, one in _sentences(question, chunks, row["fold"]):
                kinds.append(kind)
                asked.append(one)
    labelled: list[Labelled] = []
    for kind, one, said in zip(kinds, asked, ask(asked, processes), strict=True):
        right = said if not kind else labelled[-1].twin
        labelled.append(Labelled(kind, one.text, said, right))
    return labelled


def _sentences(question: dict, chunks: tuple[str, ...], fold: int) -> Iterable[tuple[str, Asked]]:
    """Give each right sentence, then the wrong versions of it."""
    before: tuple[str, ...] = ()
    for one in question["sentences"]:
        yield "", Asked(question["question"], chunks, before, one["right"], fold=fold)
        for wrong in one["wrong"]:
            yield (
                wrong["kind"],
                Asked(question["question"], chunks, before, wrong["text"], fold=fold),
            )
        before += (one["right"],)


def figures(labelled: Sequence[Labelled]) -> Rows:
    """Return the rows about all sentences."""
    right = [one.said for one in labelled if not one.kind]
    wrong = [one for one in labelled if one.kind]
    bad = [bool(one.kind) for one in labelled]
    rows = [
        ("right sentences not PASS", share(not one.passed for one in right)),
        ("right sentences with a warning", share(one.warned for one in right)),
        ("right sentences with a value warning", share(one.value_warned for one in right)),
        ("wrong sentences found (WARN, REFUSE or none)", share(not o.said.passed for o in wrong)),
        ("wrong sentences warned of", share(one.said.warned for one in wrong)),
    ]
    for name, risk in _RISKS.items():
        risks = [risk(one.said) for one in labelled]
        ranked = [
            (risk(one.said) > risk(one.twin)) + (risk(one.said) == risk(one.twin)) / 2
            for one in wrong
        ]
        told = f"{auroc(risks, bad):.3f}; {sum(ranked) / max(1, len(ranked)):.3f}"
        rows.append((f"{name}: AUROC; pairs ranked", told))
    return rows


_RISKS: dict[str, Callable[[Answered], float]] = {
    "doubt of the sentence": lambda one: one.doubt,
    "`scores.doubt` of the answer up to it": lambda one: one.answer_doubt,
    "1 - support of the sentence": lambda one: one.unsupported,
}


def money(labelled: Sequence[Labelled]) -> Rows:
    """Return the rows about sentences that state an amount of money."""
    some = [one for one in labelled if planted.has_money(one.text)]
    right = [one.said for one in some if not one.kind]
    wrong = [one.said for one in some if one.kind]
    return [
        ("right not PASS", share(not one.passed for one in right)),
        ("right with a warning", share(one.warned for one in right)),
        ("right with a derivation", share(one.derived for one in right)),
        ("wrong found", share(not one.passed for one in wrong)),
        ("wrong warned of", share(one.warned for one in wrong)),
        ("wrong excused by a derivation", share(one.derived for one in wrong)),
    ]


def kinds(labelled: Sequence[Labelled]) -> Rows:
    """Return what is found, warned of, and warned of by a check of values, for each kind."""
    some = defaultdict(list)
    for one in labelled:
        if one.kind:
            some[one.kind].append(one.said)
    return [
        (
            f"{kind}: found; warned of; by a check of values",
            "; ".join(
                [
                    share(not one.passed for one in said),
                    f"{_rate(one.warned for one in said):.3f}",
                    f"{_rate(one.value_warned for one in said):.3f}",
                ]
            ),
        )
        for kind, said in sorted(some.items())
    ]


def precisions(labelled: Sequence[Labelled]) -> Rows:
    """Return each check's precision where right and wrong sentences are equally frequent."""
    hits: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    counts = [0, 0]
    for one in labelled:
        counts[bool(one.kind)] += 1
        for check in one.said.checks:
            hits[check][bool(one.kind)] += 1
    rows = []
    for (check, severity), (right, wrong) in sorted(hits.items()):
        rates = [hit / max(1, count) for hit, count in zip((right, wrong), counts, strict=True)]
        told = f"{rates[1] / sum(rates):.2f} ({wrong} wrong, {right} right)"
        rows.append((f"{check}, {severity}", told))
    return rows


def share(flags: Iterable[bool]) -> str:
    """Return a share with its number: "0.103 of 3,222"."""
    given = list(flags)
    return f"{_rate(given):.3f} of {len(given):,}"


def _rate(flags: Iterable[bool]) -> float:
    given = list(flags)
    return sum(given) / max(1, len(given))


def measure(rows: Sequence[dict], processes: int | None = None) -> list[tuple[str, Rows]]:
    """Return the sections about the English contexts given."""
    labelled = judge(rows, processes)
    return [
        ("exercises_dev", figures(labelled)),
        ("exercises_dev: sentences with money", money(labelled)),
        ("exercises_dev by kind of error", kinds(labelled)),
        ("exercises_dev: precision at even priors", precisions(labelled)),
    ]
