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
    shipped, fit = model.LINE, fits()[fold]
    model.LINE = model.FastLine.of(fit["intercept"], fit["answer"], fit["terms"])
    try:
        yield
    finally:
        model.LINE = shipped
