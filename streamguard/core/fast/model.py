"""From a sentence's figures to its support and why, and from supports to the answer's.

The log-odds that a sentence is not supported are linear in the figures of `figures`. Each weight
grows or falls with the number of statements before the sentence and with its length: late parts of
a long answer go wrong otherwise than short answers. `scripts/train_fast.py` writes the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, log1p
from operator import mul, sub
from typing import Final

from streamguard.core.facts.model import Doubt, Edit, probability
from streamguard.core.facts.said import Said
from streamguard.core.fast import weights
from streamguard.core.fast.figures import (
    CITING,
    FIGURES,
    AnswerSoFar,
    read_citing_figures,
    read_figures,
)
from streamguard.core.fast.reasons import CITED_LESS, WELL_SUPPORTED, reasons_for
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Support
from streamguard.core.sentence import Sentence

LATEST: Final = 12  # statements before a sentence that are counted
WORDS: Final = [one.name for one in FIGURES].index("words")
# The soft maximum of the claims' risks is ln(sum(exp(SHARPNESS * risk))) / SHARPNESS.
SHARPNESS: Final = 2.0
# Risks beyond count as this: probabilities have six digits, and 0.000001 is the lowest.
MAX_RISK: Final = 13.8
# The least risk of a sentence that tells two owners each other's values, or a value of another row
# than the one that it names together with the column: nearly all of these were wrong.
CERTAIN: Final = 1.4
# The same of one whose nearest clause says nearly the same and is negated otherwise, from this
# likeness to the fourth: too few for the weights to learn; of 24 in exercises_dev 19 were wrong.
LIKELY: Final = 0.2
TURNED: Final = 0.5

_TERMS: Final = {term[0]: term[1:] for term in weights.TERMS}
_NONE: Final = (inf, 0.0, 0.0, 0.0, 0.0)  # a figure without weights, as while they are fitted
LARGEST, _BASES, _BY_LATE, BY_WORDS, _MEANS = zip(
    *[_TERMS.get(one.name, _NONE) for one in FIGURES], strict=True
)


def lines_of(
    intercepts: tuple[float, float], bases: Sequence[float], slopes: Sequence[float]
) -> list[tuple[float, list[float]]]:
    """Return intercept and weights by the number of statements before a sentence."""
    late = [log1p(before) for before in range(LATEST + 1)]
    return [
        (
            intercepts[0] + by * intercepts[1],
            [base + by * slope for base, slope in zip(bases, slopes, strict=True)],
        )
        for by in late
    ]


_CITING: Final = [[one.name for one in FIGURES].index(name) for name in CITING]
LINES = lines_of(weights.INTERCEPTS, _BASES, _BY_LATE)

ANSWER = weights.ANSWER  # intercept and slope of an answer's risk


class FastScorer:
    """Scores the sentences of one answer, in their order; holds what the earlier ones said."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._so_far = AnswerSoFar()

    def add(
        self, sentence: Sentence, edits: Sequence[Edit], said: Said | None
    ) -> tuple[Support, Doubt]:
        """Return the support and the doubt of the next sentence; each must come once, in order.

        `edits` are its mismatches with the passages, `said` its slots and nearest units, None
        where nothing was compared.
        """
        figures = read_figures(sentence, self._evidence, edits, said, self._so_far)
        self._so_far.add(sentence)
        intercept, by = LINES[min(sentence.rank, LATEST)]
        pairs = zip(figures, LARGEST, strict=True)
        # A call of `min` takes five times as long.
        bounded = [one if one < most else most for one, most in pairs]  # noqa: FURB136
        words = figures[WORDS]
        risk = intercept + sum(map(mul, bounded, by)) + words * sum(map(mul, bounded, BY_WORDS))
        if any(edit.is_certain for edit in edits):
            risk = max(risk, CERTAIN)
        elif any(edit.group == "polarity" and edit.figures[1] >= TURNED for edit in edits):
            risk = max(risk, LIKELY)
        risk = max(-MAX_RISK, min(MAX_RISK, risk))
        support = round(probability(-risk), 6)
        reasons: tuple[str, ...] = ()
        if support < WELL_SUPPORTED:
            here = (weight + words * more for weight, more in zip(by, BY_WORDS, strict=True))
            reasons = reasons_for(sentence, edits, [*map(sub, map(mul, bounded, here), _MEANS)])
        return Support(support, reasons), Doubt(tuple(figures), risk)


def cited_anew(
    support: Support, doubt: Doubt, was: Sentence, now: Sentence, evidence: Evidence
) -> tuple[Support, Doubt]:
    """Return support and doubt of a sentence that turned out to cite other passages.

    `was` is the sentence as it was scored, `now` with the other citations; both looked up. A risk
    that a certain mismatch has raised moves by as much.
    """
    _, by = LINES[min(was.rank, LATEST)]
    words = log1p(len(was.stated.words))
    risk = doubt.risk
    figures = (read_citing_figures(each, evidence) for each in (was, now))
    for at, before, after in zip(_CITING, *figures, strict=True):
        weight, most = by[at] + words * BY_WORDS[at], LARGEST[at]
        risk += weight * (min(after, most) - min(before, most))
    risk = max(-MAX_RISK, min(MAX_RISK, risk))
    reasons = tuple([one for one in support.reasons if one != CITED_LESS])
    return Support(round(probability(-risk), 6), reasons), Doubt((), risk)


def groundedness(
    supports: Sequence[float], line: tuple[float, float] | None = None
) -> float | None:
    """Return the probability in [0, 1] that claims with these supports hold nothing unsupported.

    `line`: another intercept and slope than those of the weights. None without claims.
    """
    if not supports:
        return None
    intercept, slope = line or ANSWER
    return round(probability(-intercept - slope * soft_maximum(supports)), 6)


def soft_maximum(supports: Sequence[float]) -> float:
    """Return the soft maximum of the risks of one claim or more."""
    total = sum(exp(SHARPNESS * _risk_of(support)) for support in supports)
    return log(total) / SHARPNESS


def _risk_of(support: float) -> float:
    if 0.0 < support < 1.0:
        return log((1.0 - support) / support)
    return MAX_RISK if support <= 0.0 else -MAX_RISK
