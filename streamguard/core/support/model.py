"""From a sentence's figures to its support, and from its sentences' risks to the answer's.

Support is 1 - sigmoid(risk). Risk is linear in the figures of `features` and in the logarithms
of those that count something, with the weights that `scripts/train_support.py` writes into
`weights`. Groundedness is a sigmoid of the soft maximum of the sentences' risks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import log1p
from operator import sub
from typing import Final

from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Support
from streamguard.core.sentence import Sentence
from streamguard.core.support import weights
from streamguard.core.support.features import FEATURES, Told, read_features
from streamguard.core.support.reasons import reasons_for
from streamguard.core.support.terms import MAX_RISK, SHARPNESS, Term

_TERMS: Final = {term.name: term for term in weights.TERMS}
# A figure without weights, as while they are trained for it, adds nothing.
_ROWS: Final = tuple(
    _TERMS.get(one.name, Term(one.name, math.inf, 0.0, 0.0, 0.0)) for one in FEATURES
)
_LARGEST: Final = tuple(term.largest for term in _ROWS)
_WEIGHTS: Final = tuple(term.weight for term in _ROWS)
_LOG_WEIGHTS: Final = tuple(term.log_weight for term in _ROWS)
_MEANS: Final = tuple(term.mean for term in _ROWS)


class Supports:
    """Scores the sentences of one answer, in their order; holds what the earlier ones said.

    `figures`: those of the last one, in the order of `FEATURES`.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.figures: Sequence[float] = ()
        self._evidence = evidence
        self._told = Told()

    def add(self, sentence: Sentence) -> Support:
        """Return the support of the next sentence; every sentence must come once, in order."""
        figures = self.figures = read_features(sentence, self._evidence, self._told)
        terms = contributions(figures)
        risk = max(-MAX_RISK, min(MAX_RISK, weights.INTERCEPT + sum(terms)))
        if _is_reckoned(sentence):
            risk = min(risk, 0.0)
        departures = [*map(sub, terms, _MEANS)]
        return Support(round(_sigmoid(-risk), 6), reasons_for(figures, departures))


def groundedness(
    supports: Sequence[float], line: tuple[float, float] | None = None
) -> float | None:
    """Return the probability in [0, 1] that claims with these supports hold nothing unsupported.

    Calibrated for a prior of `weights.PRIOR` hallucinated answers, unless `line` is another
    intercept and slope. None without claims.
    """
    if not supports:
        return None
    soft = soft_maximum(supports)
    risk = answer_risk(soft) if line is None else line[0] + line[1] * soft
    return round(_sigmoid(-risk), 6)


def soft_maximum(supports: Sequence[float]) -> float:
    """Return the soft maximum of the risks of one claim or more."""
    total = sum(math.exp(SHARPNESS * _risk_of(support)) for support in supports)
    return math.log(total) / SHARPNESS


def contributions(figures: Sequence[float]) -> list[float]:
    """Return what each figure adds to the risk, in the order of `FEATURES`."""
    return [  # most figures of most sentences are zero
        weight * (inside := min(figure, largest)) + log_weight * log1p(inside) if figure else 0.0
        for figure, largest, weight, log_weight in zip(
            figures, _LARGEST, _WEIGHTS, _LOG_WEIGHTS, strict=True
        )
    ]


def answer_risk(soft_maximum: float) -> float:
    """Return the answer's risk from the soft maximum of its sentences' risks."""
    return weights.ANSWER_INTERCEPT + weights.ANSWER_SLOPE * soft_maximum


def _is_reckoned(sentence: Sentence) -> bool:
    """Say whether all values are the chunks' or follow from them, and one follows.

    Its words need not be the chunks' then ("five seats come to $60"): it is not likelier wrong
    than right. Too few sentences of the training data are such for weights to learn it.
    """
    if not sentence.derived:
        return False
    return all(match.relation == "same" for _, match in sentence.matches)


def _risk_of(support: float) -> float:
    if support <= 0.0 or support >= 1.0:
        return MAX_RISK if support <= 0.0 else -MAX_RISK
    return math.log((1.0 - support) / support)


def _sigmoid(risk: float) -> float:
    return 1.0 / (1.0 + math.exp(-risk))
