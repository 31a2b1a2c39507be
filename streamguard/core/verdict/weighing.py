"""Combines a scorer's score with ours into one support, by a calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from streamguard.core.facts.model import probability
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Score, Word

# Log-odds beyond count as this (probabilities of 1.8 % and 98.2 %): models are surer than right.
MAX_LOG_ODDS: Final = 4.0
_WORDS: Final[tuple[Word, ...]] = ("supported", "contradicted", "not_mentioned")
# Of a calibration, in the order of `figures`.
WEIGHTS: Final = ("ours", "doubt", "warned", "support", "contradiction", *_WORDS, "confidence")

# A judge's word without a calibration of its own. Fitted on 150 everyday answers (75 pairs) that a
# capable model judged, asked with the prompt's version 1: `python benchmarks/judge_calibration.py`
# fits it and judges it out of fold.
# Of `not_mentioned` there were six, too few for a weight of its own. The line is for a prior of
# 30 % wrong answers, as that of our own groundedness.
JUDGE: Final = Calibration.model_construct(  # builds no schema: most answers have no judge
    intercept=0.21,
    ours=0.0,
    doubt=0.0,
    warned=-1.72,
    support=0.0,
    contradiction=0.0,
    answer_intercept=0.35,
    answer_slope=1.02,
    supported=-0.1,
    contradicted=-0.9,
    not_mentioned=0.0,
    confidence=1.38,
)


def judge_calibration(name: str, policy: Policy) -> Calibration:
    """Return the policy's own calibration of a judge, `JUDGE` where it has none."""
    return policy.verifiers.get(name, JUDGE)


def combined(
    report: SentenceReport,
    findings: Sequence[Finding],
    words: Iterable[tuple[Score, Calibration]],
) -> float:
    """Return the support in (0, 1) that combines our score with those of other scorers.

    `findings` are all those of the answer, as the report counts them.
    """
    odds = []
    for score, calibration in words:
        weights = (getattr(calibration, name) for name in WEIGHTS)
        parts = zip(weights, figures(report, findings, score), strict=True)
        odds.append(calibration.intercept + sum(weight * figure for weight, figure in parts))
    return probability(math.fsum(odds) / len(odds))


def rescored(
    report: SentenceReport, support: float, names: Iterable[str], policy: Policy
) -> SentenceReport:
    """Return the report with the support that these scorers give.

    Our own reasons stay if our support was on the same side of `min_support`; otherwise they would
    contradict the new support.
    """
    least, own = policy.min_support, report.support
    fitting = own is not None and (own >= least) == (support >= least)
    scored_by = (*report.scored_by, *names)
    reasons = report.reasons if fitting else ()
    return replace(report, support=support, scored_by=scored_by, reasons=reasons)


def figures(report: SentenceReport, findings: Sequence[Finding], score: Score) -> tuple[float, ...]:
    """Return the figures to weight: our log-odds of support and doubt, and whether we warn.

    Then the log-odds of the scorer's support and contradiction; of a judge which word it gave,
    and the log-odds of its confidence, negative unless the word is `supported`. A word that a
    judge gives with less than half of its confidence counts as one of a half.
    """
    warned = any(findings[number].severity == "warning" for number in report.findings)
    ours = (log_odds(report.support), log_odds(report.doubt or 0.0), float(warned))
    word = [float(score.word == one) for one in _WORDS]
    sure = max(0.0, log_odds(score.confidence)) if score.word is not None else 0.0
    sure = sure if score.word == "supported" else -sure
    return (*ours, log_odds(score.support), log_odds(score.contradiction), *word, sure)


def log_odds(probability: float | None) -> float:
    """Return the log-odds within `MAX_LOG_ODDS` of 0; those of None are 0: nothing is known."""
    if probability is None:
        return 0.0
    if not 0.0 < probability < 1.0:
        return MAX_LOG_ODDS if probability >= 1.0 else -MAX_LOG_ODDS
    odds = math.log(probability / (1.0 - probability))
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))
