"""Weights fitted without the rows that are judged, and put in for as long as they are judged."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamguard
from scores.answers import say

FOLDS = 5
# Of edits by group, sentences, answers: intercept, and per figure its name, least, most, weight.
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


def gathered(rows: Sequence[dict]):
    """Return the edits and sentences of some answers: a `Gathered` of `scripts/train_edits.py`."""

    def show(done: int, total: int) -> None:
        if done % 1000 == 0 or done == total:
            say(f"  edits of {done} of {total} answers")

    return script("train_edits").Gathered(rows, show)


def training(everyday: Sequence[dict], ragtruth: Sequence[dict]):
    """Gather what the shipped weights are fitted to."""
    train = script("train_edits")
    copies = [
        {**copy, "context": row["context"]}
        for row in train.first_of_each_context(everyday)
        for copy in train.copies_of(row)
    ]
    return gathered([*everyday, *copies, *ragtruth])


@contextmanager
def edit_weights(lines: Lines) -> Iterator[None]:
    """Judge edits, sentences and answers by these lines."""
    model = importlib.import_module("streamguard.core.facts.model")
    doubt = importlib.import_module("streamguard.core.support.model")
    made = {name: model.line_of(*found) for name, found in lines.items()}
    shipped = dict(model._LINES), doubt._SENTENCE, doubt._ANSWER
    model._LINES.update({group: made[group] for group in model._LINES})
    doubt._SENTENCE, doubt._ANSWER = made["sentence"], made["answer"]
    try:
        yield
    finally:
        lines_before, doubt._SENTENCE, doubt._ANSWER = shipped
        model._LINES.update(lines_before)


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
