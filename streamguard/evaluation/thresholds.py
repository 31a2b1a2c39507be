"""The settings that can be calibrated, their scores, and the values a budget allows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streamguard.core.model.policy import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.verdict.claimed import claimed_chars, is_derived
from streamguard.evaluation.budget import FalseAlarmBudget, Observed, lowest_allowed
from streamguard.evaluation.labels import Judged

_STEPS = 10_000  # a threshold is a multiple of 1 / 10,000, rounded so that it raises less
_NEVER = math.inf  # the score of what a rule cannot raise, whatever its threshold


@dataclass(frozen=True, slots=True)
class Threshold:
    """A setting and the scores that its rule compares with it; lower scores raise an alarm.

    `scores_of` returns a score for each item of an answer: one, or one per sentence. For a setting
    that raises higher scores (`is_upper`) they are negated. Settings with the same `outcome` share
    its budget equally.
    """

    setting: str
    outcome: str
    reason: str
    scores_of: Callable[[GuardrailsResult, Policy], Sequence[float]]
    is_upper: bool = False


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A setting's new value, and the shares in [0, 1] that it raises in the given data.

    `false_alarms`: of the clean items; `recall`: of the bad ones, None without any.
    """

    threshold: Threshold
    value: float
    false_alarms: float
    recall: float | None


def _groundedness(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    """Return the groundedness of an answer of many claims; none for a short one."""
    worded = [one for one in result.sentences if one.judged is None]  # without a judge's verdict
    claims = sum(one.is_claim and not is_derived(one) for one in worded)
    is_short = policy.is_short(claims, claimed_chars(worded))
    return [_NEVER] if is_short else _score("groundedness")(result, policy)


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


def _contradictions(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    found = []
    for sentence in result.sentences:
        own = [
            one for one in sentence.opinions if one.word is None and policy.decides(one.verifier)
        ]
        found_by = [one.contradiction for one in own if one.contradiction is not None]
        if found_by:
            found.append(-max(found_by))
    return found


def _risks(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    """Return the negated doubt of each of the answer's first sentences; later ones have none."""
    first = result.sentences[: policy.few_claims + 1]
    return [-sentence.doubt for sentence in first if sentence.doubt is not None]


def _largest_risk(result: GuardrailsResult, policy: Policy) -> Sequence[float]:
    """Return the largest doubt of a short answer's sentences; none for a longer one."""
    is_short = policy.is_short(result.total_claims, claimed_chars(result.sentences))
    return [min(_risks(result, policy), default=_NEVER) if is_short else _NEVER]


THRESHOLDS = (
    Threshold("min_groundedness", "REFUSE", "low groundedness", _groundedness),
    Threshold("max_hallucination", "FAIL", "hallucination", _hallucination, is_upper=True),
    Threshold("min_relevance", "FAIL", "relevance", _score("relevance")),
    Threshold("min_completeness", "score WARN", "completeness", _score("completeness")),
    Threshold("min_support", "unsupported_claim", "sentences", _supports),
    Threshold("doubt_from", "WARN", "doubt", _largest_risk, is_upper=True),
    Threshold("wrong_from", "doubtful", "sentences", _risks, is_upper=True),
)
# Only if a deciding verifier returns scores of contradiction.
CONTRADICTED = Threshold(
    "contradicted_from", "contradicted_claim", "by verifiers", _contradictions, is_upper=True
)
_RULES = Counter(one.outcome for one in THRESHOLDS)
MOST_RULES = max(_RULES.values())  # of one outcome, which share its budget


def calibrate(
    judged: Sequence[Judged], policy: Policy, budget: FalseAlarmBudget
) -> list[Calibrated]:
    """Return the values that keep each outcome's false alarms within the budget.

    Rules with the same outcome (REFUSE; FAIL) share it equally. Raises `ConfigError` if too few
    questions have clean answers.
    """
    found = (_calibrated(one, judged, policy, budget) for one in (*THRESHOLDS, CONTRADICTED))
    return [one for one in found if one is not None]


def _calibrated(
    threshold: Threshold,
    judged: Sequence[Judged],
    policy: Policy,
    budget: FalseAlarmBudget,
) -> Calibrated | None:
    """Return the setting's value; None if these data have no scores for its rule."""
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
    own = budget.split(_RULES[threshold.outcome] or 1)
    lowest = lowest_allowed(observed, own)
    # If few answers have the score, the others would allow the strictest value without evidence.
    if len({one.group for one in observed if one.score != _NEVER}) < own.groups_needed:
        return None
    bound = _bound(-lowest if threshold.is_upper else lowest, is_upper=threshold.is_upper)
    compared = -bound if threshold.is_upper else bound
    return Calibrated(
        threshold,
        bound,
        sum(one.score < compared for one in observed) / len(observed),
        sum(score < compared for score in bad) / len(bad) if bad else None,
    )


def _bound(value: float, *, is_upper: bool) -> float:
    """Return the setting's value in [0, 1], rounded towards fewer alarms."""
    inside = max(0.0, min(1.0, value))
    scaled = round(inside * _STEPS, 6)  # a stored 0.29999... is 0.3
    return (math.ceil(scaled) if is_upper else math.floor(scaled)) / _STEPS
