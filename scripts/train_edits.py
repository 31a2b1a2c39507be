"""Fit the weights that say which edits are errors, and write them as a module of constants.

    python scripts/train_edits.py SET [SET ...] [--ragtruth FILE] [--out FILE]

SET is JSON lines of everyday answers (`question`, `chunks`, `answer`, `label`, `error_kind`,
`error_span`, `context`, `fold`), FILE labelled answers as `make train-support` takes them. The
same data give the same file. Progress on standard error; numpy is needed.

Beside them, sentences of the passages are learned from as they stand, and with one value exchanged
for another one of the same kind from the same passages, or one negation put in or taken out: what
an answer in the passages' own words looks like when it is right, and when it is wrong.

A value or name is wrong where the error's words touch it; a mark only where the error is one of
its kind. Edits of errors that no slot shows (a dropped condition, an invented cause) are left out.
Figures out of fold are printed and head the module.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.facts.model import FIGURES, Edit, Group
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.validate import check_text
from streamguard.text.normalise import fold
from streamguard.text.segmenter import Segmenter
from streamguard.values import Anchor, agree, read_anchors

OUT = Path(__file__).parent.parent / "streamguard" / "core" / "facts" / "weights.py"
FOLDS = 5
# Of an edit of RAGTruth beside one of the everyday sets, which are fewer and nearer to a product's
# answers. Its labels cover whole clauses, which says little of a mark: none counts as wrong there.
RAGTRUTH_WEIGHTS = {"value": 0.05, "name": 0.05}
MARK_WEIGHT = 0.02
RIDGE = 33.0  # on standardised columns; 3 to 300 give the same figures within 0.01
_STEPS = 30
COPIED_WEIGHT = 0.2  # of an edit of the passages' own sentences
_COPIED = 4  # sentences of one context
_AFFIRMING = re.compile(r"\b(is|are|was|were|can|may|must|will|does|do|has to)\b(?! not|n't)")
_DENYING = re.compile(r" not\b")
_SHAPELESS = {
    "condition_or_exception_dropped", "wrong_cause_or_purpose", "invented_detail",
    "wrong_citation",
}  # fmt: skip
_OF_MARK = {"polarity": "negation", "modal": "modality", "quantifier": "over_generalisation"}


@dataclass(frozen=True, slots=True)
class Rows:
    """Edits of one group as rows: figures, labels, weights and folds."""

    columns: np.ndarray
    wrong: np.ndarray
    weight: np.ndarray
    fold: np.ndarray


def main() -> None:
    """Read the sets, fit, print the figures and write the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--ragtruth", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    gathered: dict[Group, list[tuple[Sequence[float], bool, float, int]]] = {g: [] for g in FIGURES}
    rows = [row for path in options.sets for row in read_rows(path)]
    rows += [copy for row in first_of_each_context(rows) for copy in copies_of(row)]
    if options.ragtruth is not None:
        rows += read_rows(options.ragtruth)
    for number, row in enumerate(rows):
        gather(row, gathered)
        show_progress(number + 1, len(rows))
    lines, scores = {}, []
    for group, found in gathered.items():
        table = Rows(*(np.array(column) for column in zip(*found, strict=True)))
        scores.append(f"* {group}: {out_of_fold(table)}")
        print(scores[-1])
        lines[group] = fit(table, np.ones(len(table.wrong), bool))
    about = f"{len(rows)} answers of {len(options.sets) + bool(options.ragtruth)} sets"
    options.out.write_text(module_text(lines, gathered, about, scores), encoding="utf-8")
    print(f"wrote {options.out}")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the labelled answers; ends the program with a message where there are none."""
    if not path.is_file():
        sys.exit(f"{path} is missing: give labelled answers as JSON lines (.gz allowed)")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def first_of_each_context(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one answer of every context."""
    return list({row["context"]: row for row in reversed(rows)}.values())[::-1]


def copies_of(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield sentences of the passages as answers, each as it stands and with one error."""
    texts = [fold(chunk["text"]).text for chunk in row["chunks"]]
    values = [anchor for text in texts for anchor in read_anchors(text)]
    sentences = [
        text[start:end]
        for text in texts
        for start, end in spans_in(text)
        if "|" not in text[start:end] and len(text[start:end].split()) > 5
    ]
    given = {"question": "", "chunks": row["chunks"], "fold": row["fold"], "copied": True}
    for sentence in sentences[:_COPIED]:
        yield {**given, "answer": sentence, "label": "faithful"}
        yield from exchanged(sentence, values, given)
        yield from turned(sentence, given)


def spans_in(text: str) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences."""
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.close()]


def exchanged(
    sentence: str, values: Sequence[Anchor], given: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the sentence with its first value that another one can stand for."""
    own = read_anchors(sentence)
    for anchor in own:
        kinds = (anchor.kind, anchor.unit, anchor.period)
        others = [
            one
            for one in values
            if (one.kind, one.unit, one.period) == kinds
            and all(agree(one, mine) == "no" for mine in own)
        ]
        if others and not anchor.casual:
            text = others[len(sentence) % len(others)].text
            yield wrong_at(sentence, anchor.start, anchor.end, text, "wrong_number", given)
            return


def turned(sentence: str, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sentence with a negation taken out, or put in behind its first verb."""
    denying, affirming = _DENYING.search(sentence), _AFFIRMING.search(sentence)
    if denying is not None:
        yield wrong_at(sentence, denying.start(), denying.end(), "", "negation", given)
    elif affirming is not None:
        end = affirming.end()
        yield wrong_at(sentence, affirming.start(), end, f"{affirming[0]} not", "negation", given)


def wrong_at(
    sentence: str, start: int, end: int, text: str, kind: str, given: dict[str, Any]
) -> dict[str, Any]:
    """Return the sentence as a wrong answer: [start, end) says `text` now."""
    answer = sentence[:start] + text + sentence[end:]
    span = [max(0, start - 1), start + len(text) + 1]
    wrong = {"label": "error", "error_kind": kind, "error_span": span}
    return {**given, "answer": answer, **wrong}


def spans_of(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the half-open spans of what is wrong in an answer."""
    if "labels" in row:
        return [(label["start"], label["end"]) for label in row["labels"]]
    return [tuple(row["error_span"])] if row["label"] == "error" else []


def edits_of(row: dict[str, Any]) -> Iterator[tuple[Sentence, Edit]]:
    """Yield the edits of an answer, each with its sentence."""
    found: list[tuple[Sentence, Edit]] = []

    def collect(sentence: Sentence, scope: Scope) -> Sequence[Any]:
        found.extend((sentence, edit) for edit in sentence.edits)
        return ()

    chunks = [each["text"] if isinstance(each, dict) else each for each in row["chunks"]]
    context = Context(query=row["question"], chunks=chunks)
    check_text(row["answer"], context=context, checks=Checks(per_sentence=(collect,)))
    yield from found


def gather(
    row: dict[str, Any],
    gathered: dict[Group, list[tuple[Sequence[float], bool, float, int]]],
) -> None:
    """Add the edits of one answer to the rows of their groups."""
    kind, wrong = row.get("error_kind"), spans_of(row)
    if kind in _SHAPELESS:
        return
    for sentence, edit in edits_of(row):
        weight = 1.0
        if "copied" in row:
            weight = COPIED_WEIGHT
        if "labels" in row:
            weight = RAGTRUTH_WEIGHTS.get(edit.group, MARK_WEIGHT)
        start, end = sentence.folded.span(edit.start, edit.end)
        start, end = sentence.start + start, sentence.start + end
        is_wrong = any(start < stop and end > begin for begin, stop in wrong)
        if edit.group in _OF_MARK:
            is_wrong = is_wrong and kind == _OF_MARK[edit.group]
        gathered[edit.group].append((edit.figures, is_wrong, weight, int(row["fold"])))


def fit(rows: Rows, chosen: np.ndarray) -> tuple[float, np.ndarray]:
    """Return intercept and weights of the columns: ridge logistic regression by Newton's method."""
    columns, wrong, weight = rows.columns[chosen], rows.wrong[chosen], rows.weight[chosen]
    middle, spread = columns.mean(axis=0), columns.std(axis=0)
    spread[spread == 0] = 1.0
    design = np.hstack([np.ones((len(columns), 1)), (columns - middle) / spread])
    ridge = np.full(design.shape[1], RIDGE)
    ridge[0] = 1e-6
    beta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        risk = 1.0 / (1.0 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weight * (wrong - risk)) - ridge * beta
        curve = (design * (weight * risk * (1 - risk))[:, None]).T @ design + np.diag(ridge)
        beta += np.linalg.solve(curve, gradient)
    weights = beta[1:] / spread
    return float(beta[0] - weights @ middle), weights


def out_of_fold(rows: Rows) -> str:
    """Return counts and AUROC of the rows of weight 1, each judged by a fit on other folds."""
    risks = np.zeros(len(rows.wrong))
    for number in range(FOLDS):
        inside = rows.fold == number
        intercept, weights = fit(rows, ~inside)
        risks[inside] = intercept + rows.columns[inside] @ weights
    own = rows.weight == 1.0
    text = f"{own.sum()} edits, {rows.wrong[own].sum()} wrong"
    if _are_mixed(rows.wrong[own]):
        text += f", AUROC {auroc(rows, risks, own):.3f}"
    if _are_mixed(rows.wrong[~own]):
        text += f"; of the others {(~own).sum()}, AUROC {auroc(rows, risks, ~own):.3f}"
    return text


def _are_mixed(wrong: np.ndarray) -> bool:
    return wrong.any() and not wrong.all()


def auroc(rows: Rows, risks: np.ndarray, chosen: np.ndarray) -> float:
    """Return the area under the curve of the chosen rows; ties count half."""
    risk, wrong = risks[chosen], rows.wrong[chosen]
    order = np.argsort(risk, kind="stable")
    ranks = np.empty(len(risk))
    values = risk[order]
    first = np.searchsorted(values, values, side="left")
    last = np.searchsorted(values, values, side="right")
    ranks[order] = (first + last + 1) / 2
    bad = int(wrong.sum())
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(risk) - bad)))


def module_text(
    lines: dict[Group, tuple[float, np.ndarray]],
    gathered: dict[Group, list[tuple[Sequence[float], bool, float, int]]],
    about: str,
    scores: Sequence[str],
) -> str:
    """Return the module's source."""
    text = [
        '"""Weights of the edits\' figures, generated by `make train-edits`.',
        "",
        f"Fitted on {about}. They hold no text or word of the data. Out of fold:",
        "",
        *scores,
        '"""',
        "",
        "from typing import Final",
        "",
        "# Of each group: intercept, and per figure its name, least, most and weight.",
        "LINES: Final = {",
    ]
    for group, (intercept, weights) in lines.items():
        names = FIGURES[group]
        figures = np.array([row[0] for row in gathered[group]])
        text.append(f'    "{group}": ({intercept:.5f}, (')
        for at, name in enumerate(names):
            least, most = figures[:, at].min(), figures[:, at].max()
            text.append(f'        ("{name}", {least:.5g}, {most:.5g}, {weights[at]:.5f}),')
        text.append("    )),")
    return "\n".join([*text, "}  # fmt: skip", ""])


def show_progress(done: int, total: int) -> None:
    """Show how many answers are read."""
    if done % 500 == 0 or done == total:
        print(f"{done} of {total} answers read", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
