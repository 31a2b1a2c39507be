"""Fit the fast scorer to labelled answers and write its weights as a module of constants.

    python scripts/train_fast.py DATA [--out FILE] [--folds FILE]

DATA is a folder with `exercises_dev.jsonl` (right sentences of answers and wrong versions of them),
`ragtruth_dev.jsonl.gz` (answers with labelled spans) and `everyday_dev.jsonl` (short answers, some
with one error); the everyday sets of the repository are fitted too, but for those held out. Beside
them stand sentences of the passages as they are, and with a value exchanged or a negation put in or
taken out: else what is copied would look right. The same data give the same files. numpy is needed.

A sentence is wrong where a label touches it. Every part of the data has its own weight, and in each
right and wrong sentences weigh the same; `PRIOR` of a product's sentences is assumed to be wrong.
`--folds` takes the same weights fitted without each fold, by which the scoreboard judges the data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.fast.figures import FIGURES, WORDS
from streamguard.core.fast.model import LATEST, MAX_RISK, SHARPNESS
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.validate import check_text
from streamguard.text.normalise import fold
from streamguard.text.segmenter import Segmenter
from streamguard.values import Anchor, agree, read_anchors

ROOT: Final = Path(__file__).parent.parent
OUT: Final = ROOT / "streamguard" / "core" / "fast" / "weights.py"
OUT_OF_FOLD: Final = ROOT / "benchmarks" / "fast_folds.json"
EVERYDAY: Final = ROOT / "benchmarks" / "everyday"
HELD_OUT: Final = frozenset("jprs")
FOLDS: Final = 5
# Weight of each part of the data, in sentences.
PARTS: Final = {"exercises": 20_000, "ragtruth": 25_000, "everyday": 30_000, "copies": 300}
PRIOR: Final = 0.15  # of wrong sentences in a product; guess
ANSWER_PRIOR: Final = 0.3  # of wrong long answers; estimate for all of RAGTruth QA train
RIDGE: Final = 100.0  # on standardised columns; 30 to 300 give the same figures within 0.003
# A wrong warning costs more than a missed one. Of right sentences those weigh most that a first fit
# finds riskier than `RISKY`, log-odds at even priors, up to (1 + `LEAST`) / `LEAST` times as much
# as the others. Against equal weights, out of fold: right everyday answers not PASS .06, wrong ones
# found .226 for .218, RAGTruth's answers .801 for .797, exercises .656 for .660.
RISKY: Final = 0.5
STEEP: Final = 2.0
LEAST: Final = 0.3
_STEPS: Final = 12  # of Newton's method; it stands still after six
_DIGITS: Final = 4
_COPIED: Final = 4  # sentences of one context
_AFFIRMING = re.compile(r"\b(is|are|was|were|can|may|must|will|does|do|has to)\b(?! not|n't)")
_DENYING = re.compile(r" not\b")

# Of each column of the model its figure, and what that is multiplied by.
COLUMNS: Final = [(at, by) for at, one in enumerate(FIGURES) for by in ("", *one.grows.split())]

Row = dict[str, Any]
Span = tuple[int, int]


class Task(NamedTuple):
    """An answer whose sentences from `start` on are read; what its labels are and come from."""

    part: str
    fold: int
    author: str
    question: str
    chunks: tuple[str, ...]
    answer: str
    wrong: tuple[Span, ...]
    start: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sentences as rows: figures, statements before, labels; and the answers they belong to."""

    figures: np.ndarray
    before: np.ndarray
    wrong: np.ndarray
    is_claim: np.ndarray
    answer: np.ndarray  # of each row
    tasks: Sequence[Task]

    def rows(self, answers: np.ndarray) -> np.ndarray:
        """Return the mask of the rows of some answers."""
        return answers[self.answer]

    def of(self, part: str) -> np.ndarray:
        """Return the mask of the answers of a part of the data."""
        return np.array([task.part == part for task in self.tasks])

    @property
    def folds(self) -> np.ndarray:
        """The fold of each answer."""
        return np.array([task.fold for task in self.tasks])

    @property
    def bad(self) -> np.ndarray:
        """Whether each answer is wrong."""
        return np.array([bool(task.wrong) for task in self.tasks])

    @property
    def design(self) -> np.ndarray:
        """The columns of the model, as `COLUMNS` names them."""
        late = np.log1p(np.minimum(self.before, LATEST))
        factors = {"": np.ones(len(late)), "late": late, "words": self.figures[:, WORDS]}
        return np.stack([self.figures[:, at] * factors[by] for at, by in COLUMNS], axis=1)


class Fit(NamedTuple):
    """Intercept and weights of the design's columns, and the answer's intercept and slope."""

    intercept: float
    weights: np.ndarray
    largest: np.ndarray
    answer: tuple[float, float] = (0.0, 1.0)


# --- reading the data


def read(path: Path) -> list[Row]:
    """Return the rows of JSON lines; ends the program with a message where there are none."""
    if not path.is_file():
        sys.exit(f"{path} is missing: give a folder with labelled answers as JSON lines")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def tasks_in(data: Path) -> list[Task]:
    """Return the answers of all parts of the data."""
    everyday = [("everyday_dev", row) for row in read(data / "everyday_dev.jsonl")]
    for path in sorted(EVERYDAY.glob("*.jsonl")):
        if path.stem not in HELD_OUT:
            everyday += [(path.stem, row) for row in read(path)]
    first = {row["context"]: row for _, row in reversed(everyday)}
    return [
        *(task for row in read(data / "exercises_dev.jsonl") for task in exercises(row)),
        *map(labelled, read(data / "ragtruth_dev.jsonl.gz")),
        *(short_answer(row, name) for name, row in everyday),
        *(task for row in reversed(first.values()) for task in copies_of(row)),
    ]


def exercises(row: Row) -> Iterator[Task]:
    """Yield the right answers of a context, and each wrong sentence behind the right ones."""
    if row["language"] != "en":
        return
    chunks = texts_of(row)
    for question in row["questions"]:
        given = ("exercises", row["fold"], row["author"], question["question"], chunks)
        before = ""
        for one in question["sentences"]:
            for text, is_wrong in [
                *((each["text"], True) for each in one["wrong"]),
                (one["right"], False),
            ]:
                answer, start = joined(before, text)
                spans = ((start, len(answer)),) if is_wrong else ()
                yield Task(*given, answer, spans, start)
            before = answer


def joined(before: str, text: str) -> tuple[str, int]:
    """Return the answer up to a sentence, and where that begins; a bullet has a line of its own."""
    gap = "" if not before else "\n" if text.startswith(("- ", "* ", "|")) else " "
    return before + gap + text, len(before + gap)


def labelled(row: Row) -> Task:
    """Return an answer with labelled spans."""
    spans = tuple((label["start"], label["end"]) for label in row["labels"])
    author = row.get("model", "")
    given = row["question"], texts_of(row), row["answer"]
    return Task("ragtruth", row["fold"], author, *given, spans)


def short_answer(row: Row, author: str) -> Task:
    """Return an everyday answer, which has one error or none."""
    spans = (tuple(row["error_span"]),) if row["label"] == "error" else ()
    given = row["question"], texts_of(row), row["answer"]
    return Task("everyday", row["fold"], author, *given, spans, id=row["id"])


def texts_of(row: Row) -> tuple[str, ...]:
    """Return the texts of a row's passages."""
    return tuple(each["text"] if isinstance(each, dict) else each for each in row["chunks"])


def copies_of(row: Row) -> Iterator[Task]:
    """Yield sentences of the passages as answers, each as it stands and with one error."""
    chunks = texts_of(row)
    texts = [fold(chunk).text for chunk in chunks]
    values = [anchor for text in texts for anchor in read_anchors(text)]
    sentences = [
        text[start:end]
        for text in texts
        for start, end in spans_in(text)
        if "|" not in text[start:end] and len(text[start:end].split()) > 5
    ]
    for sentence in sentences[:_COPIED]:
        for answer in (sentence, exchanged(sentence, values), turned(sentence)):
            if answer is not None:
                spans = () if answer == sentence else ((0, len(answer)),)
                yield Task("copies", row["fold"], "", "", chunks, answer, spans)


def spans_in(text: str) -> list[Span]:
    """Return the spans of a text's sentences."""
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.close()]


def exchanged(sentence: str, values: Sequence[Anchor]) -> str | None:
    """Return the sentence with its first value that another one can stand for."""
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
            return sentence[: anchor.start] + text + sentence[anchor.end :]
    return None


def turned(sentence: str) -> str | None:
    """Return the sentence with a negation taken out, or put in behind its first verb."""
    if _DENYING.search(sentence) is not None:
        return _DENYING.sub("", sentence, count=1)
    if _AFFIRMING.search(sentence) is not None:
        return _AFFIRMING.sub(r"\g<0> not", sentence, count=1)
    return None


# --- figures


Rows = list[tuple[Sequence[float], int, bool, bool]]


def figures_of(tasks: Sequence[Task]) -> list[Rows]:
    """Return, of each sentence of some answers, its figures and what `Sample` says beside them.

    The answers are to one question over the same passages, which are indexed once.
    """
    context = Context(query=tasks[0].question, chunks=tasks[0].chunks)
    return [_figures_of(task, context) for task in tasks]


def _figures_of(task: Task, context: Context) -> Rows:
    """Return of each sentence its figures, the statements before, its label, if it is a claim."""
    found: Rows = []

    def collect(sentence: Sentence, scope: Scope) -> Iterable[Any]:
        if sentence.doubt is not None and sentence.end > task.start:
            is_wrong = any(sentence.start < end and sentence.end > at for at, end in task.wrong)
            found.append((sentence.doubt.figures, sentence.rank, is_wrong, sentence.is_claim))
        return ()

    check_text(task.answer, context=context, checks=Checks(per_sentence=(collect,)))
    return found


def read_sample(tasks: Sequence[Task]) -> Sample:
    """Read the figures of every sentence, as the guard sees them, by several processes."""
    figures, before, wrong, claims, answer = [], [], [], [], []
    together = [
        [*some] for _, some in groupby(tasks, lambda task: (task.part, task.question, task.chunks))
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        answers = chain.from_iterable(pool.map(figures_of, together, chunksize=8))
        for number, rows in enumerate(answers):
            for row in rows:
                figures.append(row[0])
                before.append(row[1])
                wrong.append(row[2])
                claims.append(row[3])
                answer.append(number)
            if number % 5_000 == 0:
                print(f"{number} of {len(tasks)} answers read", file=sys.stderr, flush=True)
    columns = (np.array(column) for column in (figures, before, wrong, claims, answer))
    return Sample(*columns, tasks)


# --- the fit


def fit(sample: Sample, answers: np.ndarray, design: np.ndarray | None = None) -> Fit:
    """Fit the sentences' line, then the answers', on the answers of a mask.

    The line is fitted twice: the second time right sentences that the first one finds risky weigh
    more than the others. Its scale is then set so that it is the log-odds of a wrong sentence.
    """
    columns = sample.design if design is None else design
    weight = even_weights(sample, answers)
    inside = weight > 0
    some, wrong = columns[inside], sample.wrong[inside]
    first = newton(some, wrong, weight[inside])
    weight *= np.where(sample.wrong, 1.0, LEAST + odds(STEEP * (risks(columns, first) - RISKY)))
    weight = even_weights(sample, answers, weight)
    found = newton(some, wrong, weight[inside])
    even = even_weights(sample, answers)[inside]
    scale = newton(risks(some, found)[:, None], wrong, even, 1e-6)
    intercept = scale[0] + scale[1] * found[0] + np.log(PRIOR / (1 - PRIOR))
    line = Fit(float(intercept), scale[1] * found[1:], sample.figures[inside].max(axis=0))
    long = answers & sample.of("ragtruth")
    if not long.any():  # as where the only author of long answers is left out
        return line
    soft, bad = soft_maxima(sample, line.intercept + columns @ line.weights), sample.bad
    counts = max(1, bad[long].sum()), max(1, (~bad)[long].sum())
    shares = np.where(bad, ANSWER_PRIOR / counts[0], (1 - ANSWER_PRIOR) / counts[1])
    upper = newton(soft[long, None], bad[long], shares[long] * long.sum(), 1e-6)
    return line._replace(answer=(float(upper[0]), float(upper[1])))


def even_weights(
    sample: Sample, answers: np.ndarray, within: np.ndarray | None = None
) -> np.ndarray:
    """Return a weight of each row: of a part of the data right and wrong ones weigh the same.

    Rows of answers outside the mask have none; `within` says how the rows of a label share theirs.
    """
    shares = np.ones(len(sample.wrong)) if within is None else within
    weight = np.zeros(len(sample.wrong))
    for part, total in PARTS.items():
        rows = sample.rows(answers & sample.of(part))
        for is_wrong in (False, True):
            some = rows & (sample.wrong == is_wrong)
            if some.any():
                weight[some] = total / 2 * shares[some] / shares[some].sum()
    return weight


def odds(risk: np.ndarray) -> np.ndarray:
    """Return the probabilities of log-odds."""
    return 1 / (1 + np.exp(-np.clip(risk, -30, 30)))


def newton(
    columns: np.ndarray, wrong: np.ndarray, weight: np.ndarray, ridge: float = RIDGE
) -> np.ndarray:
    """Return intercept and weights of a ridge logistic regression by Newton's method.

    The ridge holds the weights of standardised columns back, and not the intercept.
    """
    middle = np.average(columns, axis=0, weights=weight)
    spread = np.sqrt(np.average((columns - middle) ** 2, axis=0, weights=weight))
    spread[spread < 1e-9] = 1.0
    full = np.hstack([np.ones((len(columns), 1)), (columns - middle) / spread])
    held = np.full(full.shape[1], ridge)
    held[0] = 1e-6
    found = np.zeros(full.shape[1])
    for _ in range(_STEPS):
        likely = odds(full @ found)
        slope = full.T @ (weight * (wrong - likely)) - held * found
        bend = (full * (weight * likely * (1 - likely))[:, None]).T @ full + np.diag(held)
        found = found + np.linalg.solve(bend, slope)
    weights = found[1:] / spread
    return np.concatenate([[found[0] - weights @ middle], weights])


def risks(columns: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return the risk of each row by an intercept and the weights of its columns."""
    return found[0] + columns @ found[1:]


def soft_maxima(sample: Sample, risk: np.ndarray) -> np.ndarray:
    """Return the soft maximum of the risks of each answer's claims; the lowest without any."""
    powers = np.exp(SHARPNESS * np.clip(risk, -MAX_RISK, MAX_RISK)) * sample.is_claim
    sums = np.zeros(len(sample.tasks))
    np.add.at(sums, sample.answer, powers)
    return np.log(np.maximum(sums, np.exp(-SHARPNESS * MAX_RISK))) / SHARPNESS


# --- judging


def out_of(sample: Sample, parts: np.ndarray) -> np.ndarray:
    """Return each row's risk by a fit without the answers of its own part."""
    found, design = np.zeros(len(sample.wrong)), sample.design
    for part in sorted(set(parts.tolist())):
        own = parts == part
        rows = sample.rows(own)
        line = fit(sample, ~own, design)
        found[rows] = line.intercept + design[rows] @ line.weights
    return found


def scores_of(sample: Sample, risk: np.ndarray) -> dict[str, str]:
    """Return what these risks are worth, by parts of the data."""
    soft = soft_maxima(sample, risk)
    authors = np.array([task.author for task in sample.tasks])
    found = {}
    for part in PARTS:
        own = sample.of(part)
        answers, sentences = auroc(soft[own], sample.bad[own]), sample.rows(own)
        told = auroc(risk[sentences], sample.wrong[sentences])
        found[part] = f"sentence {told:.3f}, answer {answers:.3f}"
    invented = np.isin(authors, list("abcdg")) & sample.of("exercises")
    for name, own in ("invented documents", invented), ("everyday_dev", authors == "everyday_dev"):
        found[name] = f"answer {auroc(soft[own], sample.bad[own]):.3f}"
    return found


def auroc(scores: np.ndarray, bad: np.ndarray) -> float:
    """Return the probability that a bad item scores above a clean one, ties counting a half."""
    _, at, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[at]
    wins = ranks[bad].sum() - bad.sum() * (bad.sum() + 1) / 2
    return float(wins / max(1, bad.sum() * (~bad).sum()))


# --- writing


def main() -> None:
    """Read the data, fit, print what the fit is worth and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--folds", type=Path, default=OUT_OF_FOLD)
    options = parser.parse_args()
    sample = read_sample(tasks_in(options.data))
    told = scores_of(sample, out_of(sample, sample.folds))
    authors = np.array([f"{task.part} {task.author}" for task in sample.tasks])
    apart = scores_of(sample, out_of(sample, authors))
    scores = [f"{name}: {score}; {apart[name]}" for name, score in told.items()]
    print("AUROC out of fold; with authors left out", *scores, sep="\n")
    every, design = np.ones(len(sample.tasks), bool), sample.design
    about = f"{len(sample.tasks)} answers, {len(sample.wrong)} sentences"
    text = module_text(sample, fit(sample, every, design), about, scores)
    options.out.write_text(text, encoding="utf-8")
    folds = [as_json(fit(sample, sample.folds != fold, design)) for fold in range(FOLDS)]
    options.folds.write_text(json.dumps(folds, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {options.out} and {options.folds}")


def as_json(line: Fit, means: np.ndarray | None = None) -> dict[str, Any]:
    """Return intercept, the answers' line, and the figures' terms in the order of `FastLine.of`.

    `means`: what each column adds to a mean sentence's risk.
    """
    terms = {one.name: [0.0] * 5 for one in FIGURES}
    for column, (at, by) in enumerate(COLUMNS):
        term = terms[FIGURES[at].name]
        term[0] = line.largest[at]
        term[("", "late", "words").index(by) + 1] = line.weights[column]
        term[4] += 0.0 if means is None else means[column]
    return {
        "intercept": round(line.intercept, _DIGITS),
        "answer": rounded(line.answer),
        "terms": {name: rounded(term) for name, term in terms.items()},
    }


def rounded(figures: Iterable[float]) -> list[float]:
    """Return figures with as many digits as other linear algebra libraries agree on."""
    return [round(float(figure), _DIGITS) for figure in figures]


def module_text(sample: Sample, line: Fit, about: str, scores: Sequence[str]) -> str:
    """Return the module of constants, headed by what the fit is worth."""
    made = as_json(line, (sample.design * line.weights).mean(axis=0))
    rows = [f'    ("{name}", {", ".join(map(str, row))}),' for name, row in made["terms"].items()]
    head = "\n".join(f"* {score}" for score in scores)
    return f'''"""Weights of the fast scorer, generated by `make train-fast DATA=DIR`.

Fitted to {about}.
They hold no text, word or count of words from the data. AUROC out of fold, and with authors left
out:

{head}
"""

from typing import Final

INTERCEPT: Final = {made["intercept"]}
ANSWER: Final = {tuple(made["answer"])}
# Of each figure its name, the largest, its weight, what is added to the weight times
# ln(1 + statements before) and times ln(1 + words), and what it adds to a mean sentence's risk.
TERMS: Final = (
{chr(10).join(rows)}
)
'''


if __name__ == "__main__":
    main()
