"""Which settings can be calibrated, what each rule compares, and the values a budget allows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streamguard.core.policy import Policy
from streamguard.core.result import GuardrailsResult, SentenceReport
from streamguard.core.support import sole_support
from streamguard.evaluation.budget import Budget, Observed, lowest_allowed
from streamguard.evaluation.labelled import Judged

_STEPS = 10_000  # a threshold is a multiple of 1 / 10,000, rounded to the side that raises less
_NEVER = math.inf  # the score of what a rule cannot raise, whatever its threshold


@dataclass(frozen=True, slots=True)
class Threshold:
    """A setting and the scores that its rule compares with it: it raises those below.

    `scores_of` gives a score for each item of an answer: one, or one a sentence. A setting that
    raises what lies above it (`is_upper`) has its scores negated. Settings that make one `outcome`
    get equal parts of its budget. One with `at_most`, its highest value given those before it,
    raises other answers than these do and has a part of the same size.
    """

    setting: str
    outcome: str
    reason: str
    scores_of: Callable[[GuardrailsResult, Policy], Sequence[float]]
    is_upper: bool = False
    at_most: Callable[[Mapping[str, float]], float] | None = None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A setting's new value, and the shares in [0, 1] that it raises in the data at hand.

    `false_alarms`: of the clean items; `recall`: of the bad ones, None where there are none.
    """

    threshold: Threshold
    value: float
    false_alarms: float
    recall: float | None


def _shares(result: GuardrailsResult) -> list[tuple[SentenceReport, float]]:
    """Return the claims and what the rules compare of each: its support, else its coverage."""
    claims = [sentence for sentence in result.sentences if sentence.is_claim]
    if all(claim.support is None for claim in claims):
        return [(claim, claim.coverage or 0.0) for claim in claims]
    # What could not be scored is not held against the answer.
    return [(claim, 1.0 if claim.support is None else claim.support) for claim in claims]


def _weakest(result: GuardrailsResult, _policy: Policy) -> Sequence[float]:
    return [min((share for _, share in _shares(result)), default=_NEVER)]


def _best(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    """Return the best claim's share; of answers with many claims the groundedness says more."""
    if _has_many(result, policy):
        return [_NEVER]
    return [max((share for _, share in _shares(result)), default=_NEVER)]


def _groundedness(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    return _score("groundedness")(result, policy) if _has_many(result, policy) else [_NEVER]


def _has_many(result: GuardrailsResult, policy: Policy) -> bool:
    return len(_shares(result)) > policy.max_uncovered_claims


def _last_allowed(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    """Return the share of the claim that makes one uncovered claim too many."""
    shares = sorted(
        # A contradicted claim is uncovered whatever the threshold.
        -_NEVER if _is_contradicted(result, claim) else share
        for claim, share in _shares(result)
    )
    allowed = policy.max_uncovered_claims
    return [shares[allowed] if allowed < len(shares) else _NEVER]


def _is_contradicted(result: GuardrailsResult, sentence: SentenceReport) -> bool:
    return any(result.findings[at].flag == "contradicted_claim" for at in sentence.findings)


def _score(name: str) -> Callable[[GuardrailsResult, Policy], Sequence[float]]:
    def scores_of(result: GuardrailsResult, _policy: Policy) -> Sequence[float]:
        score = getattr(result.scores, name)
        return [_NEVER if score is None else score]

    return scores_of


def _hallucination(result: GuardrailsResult, _policy: Policy) -> Sequence[float]:
    score = result.scores.hallucination
    return [_NEVER if score is None else -score]


def _supports(result: GuardrailsResult, _policy: Policy) -> Sequence[float]:
    return [s.support for s in result.sentences if s.is_claim and s.support is not None]


def _least_mapping(values: Mapping[str, float]) -> float:
    """Return the support below which a best claim makes the groundedness too low anyway."""
    return sole_support(values["min_groundedness"])


THRESHOLDS = (
    Threshold("warn_similarity", "WARN", "a weak claim", _weakest),
    Threshold("min_similarity_for_mapping", "REFUSE", "uncovered claims", _last_allowed),
    Threshold("min_groundedness", "REFUSE", "low groundedness", _groundedness),
    Threshold(
        "min_similarity_for_any_mapping", "REFUSE", "no mapping", _best, at_most=_least_mapping
    ),
    Threshold("max_hallucination", "FAIL", "hallucination", _hallucination, is_upper=True),
    Threshold("min_relevance", "FAIL", "relevance", _score("relevance")),
    Threshold("min_completeness", "score WARN", "completeness", _score("completeness")),
    Threshold("min_support", "unsupported_claim", "sentences", _supports),
)
_RULES = Counter(one.outcome for one in THRESHOLDS if one.at_most is None)
MOST_RULES = max(_RULES.values())  # of one outcome, which share its budget


def calibrate(judged: Sequence[Judged], policy: Policy, budget: Budget) -> list[Calibrated]:
    """Return the values that keep each outcome's false alarms within the budget.

    Rules that make one outcome (REFUSE; FAIL) have equal parts of it. Raises `ConfigError` where
    there are too few questions with clean answers.
    """
    found: dict[str, Calibrated] = {}
    for one in THRESHOLDS:
        values = {setting: earlier.value for setting, earlier in found.items()}
        calibrated = _calibrated(one, judged, policy, budget, values)
        if calibrated is not None:
            found[one.setting] = calibrated
    return list(found.values())


def _calibrated(
    threshold: Threshold,
    judged: Sequence[Judged],
    policy: Policy,
    budget: Budget,
    values: Mapping[str, float],
) -> Calibrated | None:
    """Return the setting's value; None where its rule has nothing to compare in these data.

    `values`: those of the settings before it.
    """
    observed: list[Observed] = []
    bad: list[float] = []
    for one in judged:
        scores = threshold.scores_of(one.result, policy)
        if one.row.hallucinated is False:
            observed += [Observed(score, one.row.group) for score in scores]
        elif one.row.hallucinated:
            bad += scores
    if not observed:
        return None
    lowest = lowest_allowed(observed, budget.split(_RULES[threshold.outcome]))
    if threshold.at_most is not None:
        lowest = min(lowest, threshold.at_most(values))
    bound = _bound(-lowest if threshold.is_upper else lowest, is_upper=threshold.is_upper)
    compared = -bound if threshold.is_upper else bound
    return Calibrated(
        threshold,
        bound,
        sum(one.score < compared for one in observed) / len(observed),
        sum(score < compared for score in bad) / len(bad) if bad else None,
    )


def _bound(value: float, *, is_upper: bool) -> float:
    """Return the setting's value in [0, 1], rounded to the side that raises less."""
    inside = max(0.0, min(1.0, value))
    scaled = round(inside * _STEPS, 6)  # what is stored as 0.29999... is 0.3
    return (math.ceil(scaled) if is_upper else math.floor(scaled)) / _STEPS
