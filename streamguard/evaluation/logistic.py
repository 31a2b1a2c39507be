"""Logistic regression with few columns, to calibrate a verifier."""

from __future__ import annotations

import math
from collections.abc import Sequence

RIDGE = 1.0  # on every weight but the first, in units of one row's log-likelihood; guess
_STEPS = 50  # of Newton's method; it stands still after ten


def fitted(rows: Sequence[Sequence[float]], truths: Sequence[bool]) -> list[float]:
    """Return the intercept and column weights with the highest likelihood of `truths`.

    All `rows` have the same number of columns, and there is at least one row.
    """
    width = len(rows[0]) + 1
    weights = [0.0] * width
    for _ in range(_STEPS):
        slope = [0.0] + [-RIDGE * weight for weight in weights[1:]]
        bend = [
            [RIDGE * (i == j and i > 0) + 1e-9 * (i == j) for j in range(width)]
            for i in range(width)
        ]
        for row, truth in zip(rows, truths, strict=True):
            full = (1.0, *row)
            odds = sum(weight * x for weight, x in zip(weights, full, strict=True))
            chance = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
            spread = chance * (1.0 - chance)
            for i, x in enumerate(full):
                slope[i] += (truth - chance) * x
                for j, other in enumerate(full):
                    bend[i][j] += spread * x * other
        step = _solved(bend, slope)
        weights = [
            weight + max(-2.0, min(2.0, one)) for weight, one in zip(weights, step, strict=True)
        ]
        if max(map(abs, step)) < 1e-9:
            break
    return weights


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return x of matrix · x = right, by elimination; the matrix is positive definite."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(size):
        lead = rows[at]
        for below in rows[at + 1 :]:
            share = below[at] / lead[at]
            for column in range(at, size + 1):
                below[column] -= share * lead[column]
    found = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][column] * found[column] for column in range(at + 1, size))
        found[at] = (rows[at][size] - known) / rows[at][at]
    return found
