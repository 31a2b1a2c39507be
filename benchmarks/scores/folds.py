"""Weights fitted without the rows that are judged, and put in for as long as they are judged.

`make train-fast` fits them with the shipped ones. Code without such weights is judged as it is.
"""

import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import streamguard

FOLDS = 5
ROOT = Path(streamguard.__file__).parent.parent
_FILE = ROOT / "benchmarks" / "fast_folds.json"


@cache
def fits() -> Sequence[dict]:
    """Return the fits without each fold, in their order; none of code that has no such file."""
    return json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.is_file() else ()


@contextmanager
def without_fold(fold: int | None) -> Iterator[None]:
    """Score by the weights that are fitted without a fold; None: by those shipped."""
    if fold is None or not fits():
        yield
        return
    model = importlib.import_module("streamguard.core.fast.model")
    shipped = {name: getattr(model, name) for name in ("LARGEST", "LINES", "BY_WORDS", "ANSWER")}
    fit = fits()[fold]
    terms = zip(*(fit["terms"][one.name] for one in model.FIGURES), strict=True)
    model.LARGEST, bases, by_late, model.BY_WORDS = terms
    model.LINES = model.lines_of(fit["intercepts"], bases, by_late)
    model.ANSWER = tuple(fit["answer"])
    try:
        yield
    finally:
        for name, value in shipped.items():
            setattr(model, name, value)
