"""Weights fitted without the rows that are judged, and put in for as long as they are judged."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import streamguard
from scores.answers import say

FOLDS = 5
# Of each group of edits: intercept, and per figure its name, least, most and weight.
Lines = dict[str, tuple[float, list[tuple[str, float, float, float]]]]
ROOT = Path(streamguard.__file__).parent.parent


def script(name: str):
    """Return a module of `scripts/` beside the code that is measured, None where it has none."""
    if name in sys.modules:
        return sys.modules[name]
    path = ROOT / "scripts" / f"{name}.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Gathered:
    """The edits of some answers by group: rows of `scripts/train_edits.py`, contexts and ids."""

    def __init__(self, rows: Sequence[dict]) -> None:
        train = script("train_edits")
        gathered = {group: [] for group in train.FIGURES}
        names = {group: [] for group in gathered}
        for number, row in enumerate(rows):
            train.gather(row, gathered)
            for group, found in gathered.items():
                new = len(found) - len(names[group])
                names[group] += [(row.get("context", ""), row.get("id", ""))] * new
            if number % 1000 == 999 or number == len(rows) - 1:
                say(f"  edits of {number + 1} of {len(rows)} answers")
        self.rows = {
            group: train.Rows(*(np.array(column) for column in zip(*found, strict=True)))
            for group, found in gathered.items()
            if found
        }
        self.contexts = {g: np.array([one for one, _ in names[g]]) for g in self.rows}
        self.ids = {g: np.array([one for _, one in names[g]]) for g in self.rows}

    def without_fold(self, fold: int) -> Lines:
        """Return the lines fitted without the rows of a fold."""
        return self.fit({group: rows.fold != fold for group, rows in self.rows.items()})

    def fit(self, chosen: dict[str, np.ndarray]) -> Lines:
        """Return the lines fitted on the rows that the masks choose."""
        train = script("train_edits")
        lines = {}
        for group, rows in self.rows.items():
            intercept, weights = train.fit(rows, chosen[group])
            columns = rows.columns[chosen[group]]
            bounds = zip(columns.min(axis=0), columns.max(axis=0), weights, strict=True)
            names = train.FIGURES[group]
            terms = [(n, *map(float, bound)) for n, bound in zip(names, bounds, strict=True)]
            lines[group] = (intercept, terms)
        return lines

    def risks(self, group: str, lines: Lines, chosen: np.ndarray) -> np.ndarray:
        """Return the log-odds of the chosen rows of a group."""
        intercept, terms = lines[group]
        least, most, weights = np.array([term[1:] for term in terms]).T
        return intercept + np.clip(self.rows[group].columns[chosen], least, most) @ weights


def training(everyday: Sequence[dict], ragtruth: Sequence[dict]) -> Gathered:
    """Gather what the shipped weights are fitted to."""
    train = script("train_edits")
    copies = [
        {**copy, "context": row["context"]}
        for row in train.first_of_each_context(everyday)
        for copy in train.copies_of(row)
    ]
    return Gathered([*everyday, *copies, *ragtruth])


@contextmanager
def edit_weights(lines: Lines) -> Iterator[None]:
    """Judge edits by these lines."""
    model = importlib.import_module("streamguard.core.facts.model")
    shipped = dict(model._LINES)
    model._LINES.update({group: model._line(*found) for group, found in lines.items()})
    try:
        yield
    finally:
        model._LINES.update(shipped)


@contextmanager
def support_weights(sample, line) -> Iterator[None]:
    """Score the support of sentences and answers by this fit of `scripts/train_support.py`."""
    model = importlib.import_module("streamguard.core.support.model")
    terms = {term.name: term for term in script("train_support").terms_of(sample, line)}
    rows = [terms[one.name] for one in model.FEATURES]
    put = {
        (model, "_LARGEST"): tuple(row.largest for row in rows),
        (model, "_WEIGHTS"): tuple(row.weight for row in rows),
        (model, "_LOG_WEIGHTS"): tuple(row.log_weight for row in rows),
        (model, "_MEANS"): tuple(row.mean for row in rows),
        (model.weights, "INTERCEPT"): line.intercept,
        (model.weights, "ANSWER_INTERCEPT"): line.answer_intercept,
        (model.weights, "ANSWER_SLOPE"): line.answer_slope,
    }
    shipped = {where: getattr(*where) for where in put}
    for (module, name), value in put.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name), value in shipped.items():
            setattr(module, name, value)
