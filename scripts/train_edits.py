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

What the edits of a sentence and of an answer come to is fitted on them as weights judge them that
have not seen the fold they are of. There every error counts, and the answers of the sets alone.
Figures out of fold are printed and head the module.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.facts.model import FIGURES, Doubt, Edit
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.support import model as doubt
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
_SMALL = 1e-9  # change of a weight from which on another step tells nothing
COPIED_WEIGHT = 0.2  # of an edit of the passages' own sentences
_COPIED = 4  # sentences of one context
_AFFIRMING = re.compile(r"\b(is|are|was|were|can|may|must|will|does|do|has to)\b(?! not|n't)")
_DENYING = re.compile(r" not\b")
_SHAPELESS = {
    "condition_or_exception_dropped", "wrong_cause_or_purpose", "invented_detail",
    "wrong_citation",
}  # fmt: skip
_OF_MARK = {"polarity": "negation", "modal": "modality", "quantifier": "over_generalisation"}


# Of each group of edits, of sentences and answers: intercept, and per figure name, least, most,
# weight.
Lines = dict[str, tuple[float, list[tuple[str, float, float, float]]]]
SENTENCE, ANSWER = "sentence", "answer"
NAMES: dict[str, Sequence[str]] = {**FIGURES, SENTENCE: doubt.FIGURES, ANSWER: doubt.ANSWER_FIGURES}


@dataclass(frozen=True, slots=True)
class Rows:
    """Edits or sentences as rows: figures, labels, weights, and what each is a part of.

    `part_of`: the number of an edit's sentence, of a sentence's answer; `answer`: of its answer.
    """

    columns: np.ndarray
    wrong: np.ndarray
    weight: np.ndarray
    part_of: np.ndarray
    answer: np.ndarray


class Gathered:
    """The edits and sentences of some answers, and the answers' ids, contexts, folds and labels."""

    def __init__(
        self, rows: Sequence[dict[str, Any]], progress: Callable[[int, int], None]
    ) -> None:
        gathered: dict[str, list[tuple[Any, ...]]] = {name: [] for name in (*FIGURES, SENTENCE)}
        self.claims = np.zeros(len(rows), int)
        for number, row in enumerate(rows):
            self.claims[number] = gather(row, number, gathered)
            progress(number + 1, len(rows))
        self.rows = {
            name: Rows(*(np.array(column) for column in zip(*found, strict=True)))
            for name, found in gathered.items()
            if found
        }
        self.ids = np.array([row.get("id", "") for row in rows])
        self.contexts = np.array([row.get("context", "") for row in rows])
        self.folds = np.array([int(row["fold"]) for row in rows])
        self.wrong = np.array([row.get("label") == "error" for row in rows])

    def fit(self, chosen: np.ndarray) -> Lines:
        """Return the lines fitted on the answers that the mask chooses."""
        lines = self._edit_lines(chosen)
        sentences = self._sentences(chosen)
        lines[SENTENCE] = _terms(SENTENCE, *sentences)
        lines[ANSWER] = _terms(ANSWER, *self._answers(*sentences))
        return lines

    def _edit_lines(self, chosen: np.ndarray) -> Lines:
        return {
            group: _terms(group, rows, chosen[rows.answer])
            for group, rows in self.rows.items()
            if group != SENTENCE
        }

    def _sentences(self, chosen: np.ndarray) -> tuple[Rows, np.ndarray]:
        """Return the sentences, their edits judged without their fold, and which are chosen."""
        rows = self.rows[SENTENCE]
        columns = rows.columns.copy()
        for part in np.unique(self.folds[chosen]):
            inside = chosen & (self.folds == part)
            self.judge(self._edit_lines(chosen & ~inside), inside, columns)
        return replace(rows, columns=columns), chosen[rows.answer]

    def judge(self, lines: Lines, chosen: np.ndarray, columns: np.ndarray) -> None:
        """Put in what these lines say of the edits of the chosen answers' sentences."""
        sentences = chosen[self.rows[SENTENCE].answer]
        columns[sentences, : len(doubt.OF_EDITS)] = doubt.edit_figures(())
        edit, likely = map(doubt.OF_EDITS.index, ("edit", "likely"))
        for group, line in lines.items():
            if group not in FIGURES:
                continue
            rows = self.rows[group]
            inside = chosen[rows.answer]
            risks, parts = log_odds(line, rows.columns[inside]), rows.part_of[inside]
            for at in (edit, doubt.OF_EDITS.index(group)):
                np.maximum.at(columns[:, at], parts, risks)
            np.add.at(columns[:, likely], parts, risks > doubt.FAINT)

    def _answers(self, rows: Rows, inside: np.ndarray) -> tuple[Rows, np.ndarray]:
        """Return the answers, their sentences judged without their fold, and which are inside."""
        risks = np.zeros(len(rows.wrong))
        for part in np.unique(self.folds[rows.answer[inside]]):
            own = self.folds[rows.answer] == part
            line = _terms(SENTENCE, rows, inside & ~own)
            risks[own] = log_odds(line, rows.columns[own])
        return self.answers(risks, inside)

    def answers(self, risks: np.ndarray, inside: np.ndarray) -> tuple[Rows, np.ndarray]:
        """Return the answers of sentences with these log-odds, and which of them are inside."""
        rows = self.rows[SENTENCE]
        inside = inside & (rows.weight > 0)
        parts = np.split(risks[inside], np.cumsum(np.bincount(rows.answer[inside]))[:-1])
        columns = np.zeros((len(self.ids), len(doubt.ANSWER_FIGURES)))
        for number, own in enumerate(parts):
            if len(own):
                columns[number] = doubt.answer_figures(own.tolist(), int(self.claims[number]))
        known = np.isin(np.arange(len(self.ids)), rows.answer[inside])
        every = np.arange(len(self.ids))
        return Rows(columns, self.wrong, known.astype(float), every, every), known

    def out_of_fold(self) -> dict[str, str]:
        """Return counts and AUROC of edits, sentences and answers, judged without their fold."""
        every = np.ones(len(self.ids), bool)
        told = {}
        for name in (*FIGURES, SENTENCE, ANSWER):
            rows, inside = self._rows_of(name, every)
            risks = np.zeros(len(rows.wrong))
            for part in np.unique(self.folds):
                own = self.folds[rows.answer] == part
                risks[own] = log_odds(_terms(name, rows, inside & ~own), rows.columns[own])
            own = rows.weight == 1.0
            told[name] = f"{own.sum()}, {rows.wrong[own].sum()} wrong"
            if _are_mixed(rows.wrong[own]):
                told[name] += f", AUROC {auroc(risks[own], rows.wrong[own]):.3f}"
            if name in FIGURES and _are_mixed(rows.wrong[~own]):
                others = auroc(risks[~own], rows.wrong[~own])
                told[name] += f"; of the others {(~own).sum()}, AUROC {others:.3f}"
        return told

    def _rows_of(self, name: str, chosen: np.ndarray) -> tuple[Rows, np.ndarray]:
        if name == SENTENCE:
            return self._sentences(chosen)
        if name == ANSWER:
            return self._answers(*self._sentences(chosen))
        return self.rows[name], chosen[self.rows[name].answer]


def _are_mixed(wrong: np.ndarray) -> bool:
    return wrong.any() and not wrong.all()


def main() -> None:
    """Read the sets, fit, print the figures and write the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--ragtruth", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    rows = [row for path in options.sets for row in read_rows(path)]
    rows += [copy for row in first_of_each_context(rows) for copy in copies_of(row)]
    if options.ragtruth is not None:
        rows += read_rows(options.ragtruth)
    gathered = Gathered(rows, show_progress)
    every = np.ones(len(rows), bool)
    scores = [f"* {name}: {text}" for name, text in gathered.out_of_fold().items()]
    print("\n".join(scores))
    about = f"{len(rows)} answers of {len(options.sets) + bool(options.ragtruth)} sets"
    options.out.write_text(module_text(gathered.fit(every), about, scores), encoding="utf-8")
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


def sentences_of(row: dict[str, Any]) -> tuple[list[tuple[Sentence, Sequence[Edit], Doubt]], int]:
    """Return the sentences of an answer that were compared, and how many claims it makes."""
    found: list[tuple[Sentence, Sequence[Edit], Doubt]] = []

    def collect(sentence: Sentence, scope: Scope) -> Sequence[Any]:
        if sentence.doubt is not None:
            found.append((sentence, sentence.edits, sentence.doubt))
        return ()

    chunks = [each["text"] if isinstance(each, dict) else each for each in row["chunks"]]
    context = Context(query=row["question"], chunks=chunks)
    result = check_text(row["answer"], context=context, checks=Checks(per_sentence=(collect,)))
    return found, result.total_claims


def gather(row: dict[str, Any], number: int, gathered: dict[str, list[tuple[Any, ...]]]) -> int:
    """Add the edits and sentences of an answer to their rows; return how many claims it makes."""
    kind, wrong = row.get("error_kind"), spans_of(row)
    is_shaped, is_own = kind not in _SHAPELESS, not ("copied" in row or "labels" in row)
    sentences, claims = sentences_of(row)
    for sentence, edits, doubted in sentences:
        place = len(gathered[SENTENCE])
        is_wrong = any(sentence.start < end and sentence.end > start for start, end in wrong)
        gathered[SENTENCE].append((doubted.figures, is_wrong, float(is_own), number, number))
        for edit in edits:
            weight = float(is_shaped)
            if "copied" in row:
                weight *= COPIED_WEIGHT
            if "labels" in row:
                weight *= RAGTRUTH_WEIGHTS.get(edit.group, MARK_WEIGHT)
            start, end = sentence.folded.span(edit.start, edit.end)
            start, end = sentence.start + start, sentence.start + end
            is_wrong = any(start < stop and end > begin for begin, stop in wrong)
            if edit.group in _OF_MARK:
                is_wrong = is_wrong and kind == _OF_MARK[edit.group]
            gathered[edit.group].append((edit.figures, is_wrong, weight, place, number))
    return claims


def _terms(name: str, rows: Rows, chosen: np.ndarray) -> tuple[float, list[Any]]:
    """Return the line of the chosen rows that have a weight."""
    chosen = chosen & (rows.weight > 0)
    intercept, weights = fit(rows, chosen)
    columns = rows.columns[chosen]
    bounds = zip(columns.min(axis=0), columns.max(axis=0), weights, strict=True)
    return intercept, [(n, *map(float, each)) for n, each in zip(NAMES[name], bounds, strict=True)]


def log_odds(line: tuple[float, list[Any]], columns: np.ndarray) -> np.ndarray:
    """Return what a line makes of rows of figures."""
    intercept, terms = line
    least, most, weights = np.array([term[1:] for term in terms]).T
    return intercept + np.clip(columns, least, most) @ weights


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
        step = np.linalg.solve(curve, gradient)
        beta += step
        if np.abs(step).max() < _SMALL:
            break
    weights = beta[1:] / spread
    return float(beta[0] - weights @ middle), weights


def auroc(risk: np.ndarray, wrong: np.ndarray) -> float:
    """Return the area under the curve; ties count half."""
    order = np.argsort(risk, kind="stable")
    ranks = np.empty(len(risk))
    values = risk[order]
    first = np.searchsorted(values, values, side="left")
    last = np.searchsorted(values, values, side="right")
    ranks[order] = (first + last + 1) / 2
    bad = int(wrong.sum())
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(risk) - bad)))


def module_text(lines: Lines, about: str, scores: Sequence[str]) -> str:
    """Return the module's source."""
    text = [
        '"""Weights of edits, sentences and answers, generated by `make train-edits`.',
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
    for name in FIGURES:
        text += [f'    "{name}": ({lines[name][0]:.5f}, (', *_term_lines(lines[name], 8), "    )),"]
    text.append("}  # fmt: skip")
    for name in (SENTENCE, ANSWER):
        intercept = lines[name][0]
        text += [f"{name.upper()}: Final = ({intercept:.5f}, (", *_term_lines(lines[name], 4)]
        text.append("))  # fmt: skip")
    return "\n".join([*text, ""])


def _term_lines(line: tuple[float, list[Any]], indent: int) -> list[str]:
    """Return the terms side by side, as many as a line holds."""
    terms = [f'("{n}", {low:.5g}, {high:.5g}, {w:.5f}),' for n, low, high, w in line[1]]
    text = " ".join(term.replace(" ", "\0") for term in terms)
    lines = textwrap.wrap(text, 100 - indent, break_on_hyphens=False)
    return [" " * indent + each.replace("\0", " ") for each in lines]


def show_progress(done: int, total: int) -> None:
    """Show how many answers are read."""
    if done % 500 == 0 or done == total:
        print(f"{done} of {total} answers read", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
