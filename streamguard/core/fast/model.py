"""From a sentence's figures to its support and why, and from supports to the answer's.

The log-odds that a sentence is not supported are linear in the figures of `figures`. Some weights
grow or fall with the number of statements before the sentence and with its length: late parts of a
long answer go wrong otherwise than short answers. `scripts/train_fast.py` writes the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, log1p
from operator import mul
from typing import Final, NamedTuple

from streamguard.core.facts.model import Doubt, Edit, probability
from streamguard.core.facts.said import Said
from streamguard.core.fast import weights
from streamguard.core.fast.figures import (
    CITED_LESS,
    FIGURES,
    WORDS,
    AnswerSoFar,
    lost_in_cited,
    read_figures,
)
from streamguard.core.fast.reasons import CITED_OTHER, WELL_SUPPORTED, reasons_for
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Support
from streamguard.core.sentence import Sentence

LATEST: Final = 12  # statements before a sentence that are counted
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


class FastLine(NamedTuple):
    """The weights of the figures, in their order.

    The weight of a figure is that of `bases`, plus that of `by_late` times ln(1 + statements
    before), plus that of `by_words` times ln(1 + words). Figures count up to their `largest`;
    `means` are what they add to the risk of a mean sentence. `answer`: intercept and slope of the
    log-odds that an answer is wrong, by the soft maximum of its claims' risks.
    """

    intercept: float
    answer: tuple[float, float]
    largest: tuple[float, ...]
    bases: tuple[float, ...]
    by_late: tuple[float, ...]
    by_words: tuple[float, ...]
    means: tuple[float, ...]

    @classmethod
    def of(
        cls, intercept: float, answer: Sequence[float], terms: Mapping[str, Sequence[float]]
    ) -> FastLine:
        """Return the line with the terms of the figures' names; those without any weigh nothing."""
        columns = zip(*[terms.get(one.name, (0.0,) * 5) for one in FIGURES], strict=True)
        return cls(intercept, (answer[0], answer[1]), *columns)

    def weight(self, at: int, late: float, words: float) -> float:
        """Return the weight of a figure beside these other two."""
        return self.bases[at] + late * self.by_late[at] + words * self.by_words[at]


LINE = FastLine.of(weights.INTERCEPT, weights.ANSWER, {name: term for name, *term in weights.TERMS})


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
        line, late, words = LINE, _late(sentence), figures[WORDS]
        pairs = zip(figures, line.largest, strict=True)
        # A call of `min` takes five times as long.
        bounded = [one if one < most else most for one, most in pairs]  # noqa: FURB136
        risk = line.intercept + sum(map(mul, bounded, line.bases))
        risk += late * sum(map(mul, bounded, line.by_late))
        risk += words * sum(map(mul, bounded, line.by_words))
        if edits:
            risk = max(risk, _least_risk(edits))
        risk = max(-MAX_RISK, min(MAX_RISK, risk))
        support = round(probability(-risk), 6)
        reasons: tuple[str, ...] = ()
        if support < WELL_SUPPORTED:
            moved = [
                one * line.weight(at, late, words) - mean
                for at, (one, mean) in enumerate(zip(bounded, line.means, strict=True))
            ]
            reasons = reasons_for(sentence, edits, moved)
        return Support(support, reasons), Doubt(tuple(figures), risk)


def _late(sentence: Sentence) -> float:
    return log1p(min(sentence.rank, LATEST))


def _least_risk(edits: Sequence[Edit]) -> float:
    """Return the risk below which a sentence with these mismatches does not fall."""
    if any(edit.is_certain for edit in edits):
        return CERTAIN
    turned = any(edit.group == "polarity" and edit.figures[1] >= TURNED for edit in edits)
    return LIKELY if turned else -MAX_RISK


def cited_anew(
    support: Support, doubt: Doubt, was: Sentence, now: Sentence, evidence: Evidence
) -> tuple[Support, Doubt]:
    """Return support and doubt of a sentence that turned out to cite other passages.

    `was` is the sentence as it was scored, `now` with the other citations; both looked up. A risk
    that a certain mismatch has raised moves by as much.
    """
    most = LINE.largest[CITED_LESS]
    before, after = (min(most, lost_in_cited(each, evidence)) for each in (was, now))
    weight = LINE.weight(CITED_LESS, _late(was), log1p(len(was.stated.words)))
    risk = max(-MAX_RISK, min(MAX_RISK, doubt.risk + weight * (after - before)))
    reasons = tuple([one for one in support.reasons if one != CITED_OTHER])
    return Support(round(probability(-risk), 6), reasons), Doubt((), risk)


def groundedness(
    supports: Sequence[float], line: tuple[float, float] | None = None
) -> float | None:
    """Return the probability in [0, 1] that claims with these supports hold nothing unsupported.

    `line`: another intercept and slope than those of the weights. None without claims.
    """
    if not supports:
        return None
    intercept, slope = line or LINE.answer
    return round(probability(-intercept - slope * soft_maximum(supports)), 6)


def soft_maximum(supports: Sequence[float]) -> float:
    """Return the soft maximum of the risks of one claim or more."""
    total = sum(exp(SHARPNESS * _risk_of(support)) for support in supports)
    return log(total) / SHARPNESS


def _risk_of(support: float) -> float:
    if 0.0 < support < 1.0:
        return log((1.0 - support) / support)
    return MAX_RISK if support <= 0.0 else -MAX_RISK
