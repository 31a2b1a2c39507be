"""Fit the support score on labelled answers and write its weights as a module of constants.

    python scripts/train_support.py DATA [--out streamguard/core/support/weights.py] [--risks FILE]

DATA is JSON lines (.gz allowed) with `question`, `chunks`, `answer`, `labels` (spans of what is
unsupported: `start`, `end`) and `fold`. A sentence is bad when a labelled span touches it. The
same data give the same file, byte for byte. Progress on standard error; numpy is needed.

Sentences are weighted so that `PRIOR` of the answers hold a labelled span, since answers made for
labelling are worse than those of a product. Scores out of fold are printed and head the module.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.support.features import COUNTS, FEATURES, Told, read_features
from streamguard.core.support.model import MAX_RISK, SHARPNESS, Term
from streamguard.core.validate import check_text

OUT = Path(__file__).parent.parent / "streamguard" / "core" / "support" / "weights.py"
PRIOR = 0.30  # of hallucinated answers; estimate for all of RAGTruth QA train, a product has fewer
# Ridge on standardised columns, in units of one sentence's log-likelihood. RAGTruth QA train:
# sentence AUROC out of fold 0.877, 0.8808, 0.8813, 0.8814 at 1000, 100, 30, 3.
RIDGE = 30.0
_STEPS = 25  # of Newton's method; it stands still after ten
_DIGITS = 5  # of a weight: what other linear algebra libraries agree on
_DATE = "TRAINED-ON"  # stands for the date until the module is written
_DATED = re.compile(r"^Trained (\d{4}-\d\d-\d\d) on ", re.MULTILINE)
_BINS = 10  # of the expected calibration error


@dataclass(frozen=True, slots=True)
class Sample:
    """Sentences as rows: figures and whether they are bad; and the answers they belong to."""

    figures: np.ndarray
    bad: np.ndarray
    is_claim: np.ndarray
    answer: np.ndarray
    bad_answer: np.ndarray
    fold: np.ndarray  # of each answer
    models: tuple[str, ...]  # of each answer

    @property
    def starts(self) -> np.ndarray:
        """First row of each answer."""
        return np.searchsorted(self.answer, np.arange(len(self.bad_answer)))

    @property
    def claiming(self) -> np.ndarray:
        """Mask of the answers that claim something."""
        return np.logical_or.reduceat(self.is_claim, self.starts)

    def chosen(self, answers: np.ndarray) -> np.ndarray:
        """Rows of the answers that a mask chooses."""
        return answers[self.answer]


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights of the design's columns, and the answer's line."""

    intercept: float
    weights: np.ndarray
    largest: np.ndarray
    answer_intercept: float
    answer_slope: float

    def risks(self, figures: np.ndarray) -> np.ndarray:
        """Risk of each row of figures."""
        return self.intercept + design(figures, self.largest) @ self.weights


def main() -> None:
    """Read the data, fit, print the scores and write the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--risks", type=Path, help="also write each answer's risk out of fold")
    options = parser.parse_args()
    rows = read_rows(options.data)
    sample = read_sample(rows)
    scores = cross_validate(sample)
    for line in scores:
        print(line)
    digest = hashlib.sha256(options.data.read_bytes()).hexdigest()[:16]
    counts = f"{len(rows)} answers, {len(sample.bad)} sentences"
    about = f"{options.data.name} (sha256 {digest}),\n{counts}"
    text = module_text(sample, fit(sample), about, scores)
    write_dated(options.out, text, datetime.now(UTC).date().isoformat())
    print(f"wrote {options.out}")
    if options.risks is not None:
        options.risks.write_text("".join(f"{risk:.6f}\n" for risk in risks_out_of_fold(sample)))


def risks_out_of_fold(sample: Sample) -> list[float]:
    """Return each answer's probability of being bad, by a fit on the answers of other folds."""
    _, answers = _out_of(sample, sample.fold)
    return [float(risk) for risk in 1 / (1 + np.exp(-answers))]


def write_dated(path: Path, text: str, today: str) -> None:
    """Write the module; where nothing but the date would change, its date stays."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    dated = _DATED.search(before)
    if dated and text.replace(_DATE, dated[1]) == before:
        return
    path.write_text(text.replace(_DATE, today), encoding="utf-8")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the labelled answers; ends the program with a message where there are none."""
    if not path.is_file():
        sys.exit(
            f"{path} is missing: give labelled answers as JSON lines (.gz allowed) with question,"
            " chunks, answer, labels and fold (make train-support DATA=FILE)"
        )
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    for number, row in enumerate(rows, 1):
        missing = {"question", "chunks", "answer", "labels", "fold"} - row.keys()
        if missing:
            sys.exit(f"{path}, line {number} lacks {', '.join(sorted(missing))}")
    if not rows:
        sys.exit(f"{path} holds no answer")
    return rows


def read_sample(rows: Sequence[dict[str, Any]]) -> Sample:
    """Read the figures of every sentence, as the guard sees them."""
    figures: list[list[float]] = []
    bad: list[bool] = []
    claims: list[bool] = []
    answer: list[int] = []
    for number, row in enumerate(rows):
        for sentence, values in figures_of(row):
            labels = row["labels"]
            figures.append(values)
            bad.append(any(x["start"] < sentence.end and x["end"] > sentence.start for x in labels))
            claims.append(sentence.is_claim)
            answer.append(number)
        _show_progress(number + 1, len(rows))
    return Sample(
        np.array(figures, dtype=float),
        np.array(bad),
        np.array(claims),
        np.array(answer),
        np.array([bool(row["labels"]) for row in rows]),
        np.array([row["fold"] for row in rows]),
        tuple(row.get("model", "") for row in rows),
    )


def figures_of(row: dict[str, Any]) -> list[tuple[Sentence, list[float]]]:
    """Return the sentences of one labelled answer with their figures."""
    found: list[tuple[Sentence, list[float]]] = []
    told = Told()

    def collect(sentence: Sentence, scope: Scope) -> Iterable[Any]:
        assert scope.evidence is not None  # the context has chunks
        found.append((sentence, read_features(sentence, scope.evidence, told)))
        return ()

    context = Context(query=row["question"], chunks=row["chunks"])
    check_text(row["answer"], context=context, checks=Checks(per_sentence=(collect,)))
    return found


def design(figures: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """Return the columns of the linear model: the figures, and the logarithms of the counts."""
    inside = np.minimum(figures, largest)
    return np.hstack([inside, np.log1p(inside[:, COUNTS])])


def fit(sample: Sample, answers: np.ndarray | None = None) -> Fit:
    """Fit both lines on the answers of a mask, all of them without one."""
    chosen = np.ones(len(sample.bad_answer), bool) if answers is None else answers
    rows = sample.chosen(chosen)
    figures, weight = sample.figures[rows], prior_weights(sample.bad_answer, chosen)
    largest = figures.max(axis=0)
    columns = design(figures, largest)
    middle, spread = columns.mean(axis=0), columns.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = (columns - middle) / spread
    bare = newton(scaled, sample.bad[rows], weight[sample.answer[rows]], RIDGE)
    weights = bare[1:] / spread
    line = Fit(bare[0] - middle @ weights, weights, largest, 0.0, 1.0)
    soft = soft_maxima(sample, line)
    claiming = chosen & sample.claiming
    upper = newton(soft[claiming, None], sample.bad_answer[claiming], weight[claiming], 1e-6)
    return Fit(line.intercept, weights, largest, upper[0], upper[1])


def newton(columns: np.ndarray, bad: np.ndarray, weight: np.ndarray, ridge: float) -> np.ndarray:
    """Return intercept and weights of a logistic regression by Newton's method.

    The intercept is not held back; steps are whole, the ridge keeps them so.
    """
    full = np.hstack([np.ones((len(columns), 1)), columns])
    held = np.full(full.shape[1], ridge)
    held[0] = 0.0
    found = np.zeros(full.shape[1])
    for _ in range(_STEPS):
        likely = 1.0 / (1.0 + np.exp(-(full @ found)))
        slope = full.T @ (weight * (bad - likely)) - held * found
        bend = (full * (weight * likely * (1 - likely))[:, None]).T @ full + np.diag(held)
        found = found + np.linalg.solve(bend, slope)
    return found


def prior_weights(bad_answer: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return a weight per answer that makes `PRIOR` of those chosen bad."""
    bad, clean = (chosen & bad_answer).sum(), (chosen & ~bad_answer).sum()
    return np.where(bad_answer, 1.0, (1 - PRIOR) * bad / (PRIOR * clean))


def soft_maxima(sample: Sample, line: Fit) -> np.ndarray:
    """Return the soft maximum of the risks of each answer's claims; the lowest without any."""
    powers = np.exp(SHARPNESS * np.clip(line.risks(sample.figures), -MAX_RISK, MAX_RISK))
    sums = np.add.reduceat(powers * sample.is_claim, sample.starts)
    return np.log(np.maximum(sums, np.exp(-SHARPNESS * MAX_RISK))) / SHARPNESS


def cross_validate(sample: Sample) -> list[str]:
    """Return the scores out of fold, and for each model those of a fit without its answers."""
    risks, answers = _out_of(sample, sample.fold)
    weight = prior_weights(sample.bad_answer, np.ones(len(answers), bool))
    likely = 1 / (1 + np.exp(-answers))
    each, each_likely = weight[sample.answer], 1 / (1 + np.exp(-risks))
    clean_rows = ~sample.bad_answer[sample.answer]
    lines = [
        f"sentence AUROC {auroc(risks, sample.bad):.4f}",
        f"answer AUROC {auroc(answers, sample.bad_answer):.4f}",
        f"answer F1 at the prior {f1_out_of_fold(answers, sample, weight):.4f}",
        f"answer calibration error {calibration_error(likely, sample.bad_answer, weight):.4f}",
        f"sentence calibration error {calibration_error(each_likely, sample.bad, each):.4f}",
    ]
    rows = clean_rows & sample.is_claim
    cut = np.quantile(risks[rows], 1 - min(1.0, 0.05 * clean_rows.sum() / rows.sum()))
    found = (risks[sample.is_claim & sample.bad] > cut).sum() / sample.bad.sum()
    lines.append(
        f"claims with support below {1 / (1 + np.exp(cut)):.3f}: 5 % of the sentences of clean"
        f" answers, {found:.3f} of the bad ones"
    )
    if len(set(sample.models)) > 1:
        names = np.array(sample.models)
        apart, whole = _out_of(sample, names)
        for name in sorted(set(sample.models)):
            on = names == name
            lines.append(
                f"trained without {name}: sentence AUROC"
                f" {auroc(apart[sample.chosen(on)], sample.bad[sample.chosen(on)]):.4f}, answer"
                f" {auroc(whole[on], sample.bad_answer[on]):.4f}"
            )
    return lines


def _out_of(sample: Sample, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return sentence and answer risks, each by a fit on the answers of the other parts."""
    risks, answers = np.zeros(len(sample.bad)), np.zeros(len(sample.bad_answer))
    for one in sorted(set(part.tolist())):
        line = fit(sample, part != one)
        rows = sample.chosen(part == one)
        risks[rows] = line.risks(sample.figures[rows])
        soft = soft_maxima(sample, line)[part == one]
        answers[part == one] = line.answer_intercept + line.answer_slope * soft
    return risks, answers


def auroc(scores: np.ndarray, bad: np.ndarray) -> float:
    """Return the probability that a bad item scores above a clean one, ties counting a half."""
    _, at, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[at]
    wins = ranks[bad].sum() - bad.sum() * (bad.sum() + 1) / 2
    return float(wins / (bad.sum() * (~bad).sum()))


def f1_out_of_fold(scores: np.ndarray, sample: Sample, weight: np.ndarray) -> float:
    """Return the weighted F1 at thresholds that are best for the answers of the other folds."""
    hit = alarm = missed = 0.0
    for fold in sorted(set(sample.fold.tolist())):
        others = sample.fold != fold
        cut = _best_threshold(scores[others], sample.bad_answer[others], weight[others])
        raised = ~others & (scores >= cut)
        hit += weight[raised & sample.bad_answer].sum()
        alarm += weight[raised & ~sample.bad_answer].sum()
        missed += weight[~others & ~raised & sample.bad_answer].sum()
    return float(2 * hit / (2 * hit + alarm + missed))


def _best_threshold(scores: np.ndarray, bad: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    hits, alarms = np.cumsum((weight * bad)[order]), np.cumsum((weight * ~bad)[order])
    return float(scores[order][np.argmax(2 * hits / (hits + alarms + hits[-1]))])


def calibration_error(likely: np.ndarray, bad: np.ndarray, weight: np.ndarray) -> float:
    """Return the expected calibration error over `_BINS` bins of equal width."""
    bins = np.minimum((likely * _BINS).astype(int), _BINS - 1)
    error = sum(abs((weight * (likely - bad))[bins == one].sum()) for one in range(_BINS))
    return float(error / weight.sum())


def terms_of(sample: Sample, line: Fit) -> list[Term]:
    """Return the weights by figure, each with what it adds on the mean of the sentences."""
    logs = dict(zip(COUNTS, line.weights[len(FEATURES) :].tolist(), strict=True))
    inside = np.minimum(sample.figures, line.largest)
    terms = []
    for number, one in enumerate(FEATURES):
        weight, log_weight = line.weights[number], logs.get(number, 0.0)
        mean = (weight * inside[:, number] + log_weight * np.log1p(inside[:, number])).mean()
        terms.append(
            Term(one.name, *map(_rounded, (line.largest[number], weight, log_weight, mean)))
        )
    return terms


def module_text(sample: Sample, line: Fit, about: str, scores: Sequence[str]) -> str:
    """Return the module of constants, headed by where it comes from."""
    head = "\n".join(f"* {score}" for score in scores)
    rows = _wrapped([_row(term) for term in terms_of(sample, line)])
    return f'''"""Weights of the support score, generated by `make train-support DATA=FILE`.

Trained {_DATE} on {about}.
They hold no text, word or count of words from the data. Scores out of fold:

{head}
"""

from typing import Final

PRIOR: Final = {PRIOR}
INTERCEPT: Final = {_rounded(line.intercept)}
ANSWER_INTERCEPT: Final = {_rounded(line.answer_intercept)}
ANSWER_SLOPE: Final = {_rounded(line.answer_slope)}
# name, largest, weight, log_weight, mean
TERMS: Final = (
{rows}
)  # fmt: skip
'''


def _row(term: Term) -> str:
    name, *figures = term
    return f'("{name}", {", ".join(map(repr, figures))}),'


def _wrapped(rows: Sequence[str]) -> str:
    """Return rows side by side, as many as a line holds."""
    text = " ".join(row.replace(" ", "\0") for row in rows)
    margin = " " * 4
    return textwrap.fill(
        text, 100, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    ).replace("\0", " ")


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)


def _show_progress(done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        end = "\n" if done == total else ""
        print(f"\r{done} of {total} answers read", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
