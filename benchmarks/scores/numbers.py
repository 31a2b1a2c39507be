"""Shares, ranks and their intervals, by bootstrap over contexts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 1000
SEED = 20


@dataclass(frozen=True, slots=True)
class Drawn:
    """How often each row counts: once in the first line, and as drawn in `DRAWS` further ones."""

    weights: np.ndarray

    @classmethod
    def of(cls, contexts: Sequence[str]) -> "Drawn":
        """Draw whole contexts; the same ones each time."""
        names, at = np.unique(contexts, return_inverse=True)
        rng = np.random.default_rng(SEED)
        counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), DRAWS)
        return cls(np.vstack([np.ones(len(at)), counts[:, at]]))

    def share(self, flags: Sequence[float], chosen: Sequence[bool]) -> str:
        """Return the mean of the flags of the chosen rows."""
        weights = self.weights * np.asarray(chosen, float)
        return text(weights @ np.asarray(flags, float) / np.maximum(1, weights.sum(axis=1)))

    def auroc(self, risks: Sequence[float], bad: Sequence[bool]) -> str:
        """Return the area under the curve; ties count half."""
        _, at = np.unique(risks, return_inverse=True)
        order = np.argsort(at, kind="stable")
        starts = np.searchsorted(at[order], np.arange(at.max() + 1))
        flags = np.asarray(bad)[order]
        wrong = np.add.reduceat(self.weights[:, order] * flags, starts, axis=1)
        clean = np.add.reduceat(self.weights[:, order] * ~flags, starts, axis=1)
        below = np.cumsum(clean, axis=1) - clean / 2
        pairs = wrong.sum(axis=1) * clean.sum(axis=1)
        return text((wrong * below).sum(axis=1) / np.maximum(1, pairs))


def text(values: np.ndarray) -> str:
    """Return the first value, and the middle 95 % of the others."""
    least, most = np.quantile(values[1:], [0.025, 0.975])
    return f"{values[0]:.3f} [{least:.2f}, {most:.2f}]"


def auroc(risks: Sequence[float], bad: Sequence[bool]) -> float:
    """Return the area under the curve; ties count half."""
    _, at, count = np.unique(risks, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[at]
    wrong = np.asarray(bad)
    wins = ranks[wrong].sum() - wrong.sum() * (wrong.sum() + 1) / 2
    return float(wins / max(1, wrong.sum() * (~wrong).sum()))


def of(hits: int, count: int) -> str:
    return f"{hits} of {count}" + (f" ({hits / count:.2f})" if count else "")
