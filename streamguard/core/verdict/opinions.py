"""What verifiers said of an answer's sentences, and what that makes of its result.

A verifier's word is listed beside ours. One that the policy lets decide changes the support, by
its calibration, and a contradiction that it is sure of becomes a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import NamedTuple

from streamguard.core.facts.model import probability
from streamguard.core.machine.ledger import MAX_FINDINGS
from streamguard.core.model.policy import Calibration
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Opinion, Verdict, about_answer
from streamguard.core.verdict.closing import Closing
from streamguard.core.verdict.rules import VERIFIER

# Log-odds beyond count as this (probabilities of 1.8 % and 98.2 %): models are surer than right.
MAX_LOG_ODDS = 4.0
# Of a calibration, in the order of `figures`.
_WEIGHTS = ("ours", "doubt", "warned", "support", "contradiction")


@dataclass(frozen=True, slots=True)
class Words:
    """Verdicts by the sentence's index, then by the verifier's name; and what went wrong.

    `errors`: verifier and words for each kind of error, in words that hold no secret.
    """

    verdicts: Mapping[int, Mapping[str, Verdict]] = field(default_factory=dict)
    errors: Sequence[tuple[str, str]] = ()


class _Heard(NamedTuple):
    """A sentence's report with the verifiers' words in it, and what they change beside it."""

    report: SentenceReport
    raised: Sequence[Finding]
    overruled: Sequence[int]  # findings that the new support takes back
    calibrations: Mapping[str, Calibration]  # that had a part in it


def heard(closing: Closing, words: Words) -> Closing:
    """Return the closing as the verifiers' words leave it; their order does not matter."""
    sentences = zip(closing.answer.sentences, closing.reports, strict=True)
    found = [
        _heard(closing, sentence.text, report, words.verdicts.get(sentence.index, {}))
        for sentence, report in sentences
    ]
    overruled = {number for each in found for number in each.overruled}
    kept = [number for number in range(len(closing.findings)) if number not in overruled]
    place = {old: new for new, old in enumerate(kept)}
    findings, reports = [closing.findings[number] for number in kept], []
    for each in found:
        raised = each.raised[: max(0, MAX_FINDINGS - len(findings))]
        own = [place[number] for number in each.report.findings if number in place]
        own += range(len(findings), len(findings) + len(raised))
        findings += raised
        reports.append(replace(each.report, findings=tuple(own)))
    errors = []
    for verifier, wrong in sorted(words.errors):
        where = f"{VERIFIER}{verifier}"
        errors.append(f"{where}: {wrong}")
        message = f"The {where} failed ({wrong}); what it would have said is unknown."
        findings.append(about_answer("check_error", where, message))
    lines = {name: one for each in found for name, one in each.calibrations.items()}.values()
    line = None
    if lines:
        slope = fmean(one.answer_slope for one in lines)
        line = fmean(one.answer_intercept for one in lines), slope
    return replace(
        closing,
        reports=reports,
        findings=findings[:MAX_FINDINGS],
        errors=(*closing.errors, *errors),
        answer_line=line,
        similarity=_similarity(reports),
    )


def combined(
    report: SentenceReport,
    findings: Sequence[Finding],
    words: Iterable[tuple[Verdict, Calibration]],
) -> float:
    """Return the support in (0, 1) that what we say and verdicts make together.

    `findings` are all those of the answer, as the report counts them.
    """
    odds = []
    for verdict, calibration in words:
        weights = (getattr(calibration, name) for name in _WEIGHTS)
        parts = zip(weights, figures(report, findings, verdict), strict=True)
        odds.append(calibration.intercept + sum(weight * figure for weight, figure in parts))
    return probability(fmean(odds))


def figures(
    report: SentenceReport, findings: Sequence[Finding], verdict: Verdict
) -> tuple[float, ...]:
    """Return what is weighted: of ours the log-odds of support and doubt, and whether we warn.

    Then the log-odds of the verifier's support and contradiction.
    """
    warned = any(findings[number].severity == "warning" for number in report.findings)
    ours = (log_odds(report.support), log_odds(report.doubt or 0.0), float(warned))
    return (*ours, log_odds(verdict.support), log_odds(verdict.contradiction))


def log_odds(probability: float | None) -> float:
    """Return the log-odds within `MAX_LOG_ODDS` of 0; those of None are 0: nothing is known."""
    if probability is None:
        return 0.0
    if not 0.0 < probability < 1.0:
        return MAX_LOG_ODDS if probability >= 1.0 else -MAX_LOG_ODDS
    odds = math.log(probability / (1.0 - probability))
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))


def _heard(
    closing: Closing, text: str, report: SentenceReport, said: Mapping[str, Verdict]
) -> _Heard:
    policy, findings = closing.policy, closing.findings
    own = {number: findings[number] for number in report.findings}
    verdicts = dict(sorted(said.items()))
    deciding = {
        name: one
        for name, one in verdicts.items()
        if policy.decides(name) and policy.matching != "literal"
    }
    found: list[tuple[str, str, str]] = []  # flag, verifiers, message
    if all(one.flag != "contradicted_claim" for one in own.values()):
        for name, one in deciding.items():
            chance = one.contradiction or 0.0
            if chance > policy.contradicted_from:
                message = f"The passages contradict this with a probability of {chance:.0%}."
                found.append(("contradicted_claim", name, one.message or message))
    calibrations = {
        name: policy.verifiers[name]
        for name, one in deciding.items()
        if name in policy.verifiers and (one.support, one.contradiction) != (None, None)
    }
    overruled: list[int] = []
    if calibrations:
        weighed = [(deciding[name], one) for name, one in calibrations.items()]
        support = round(combined(report, findings, weighed), 6)
        report = replace(report, support=support)
        if support < policy.min_support:
            message = f"The passages support this with a probability of {support:.0%}."
            found.append(("unsupported_claim", ", ".join(calibrations), message))
        else:  # not those of the same flag that name what differs from the passages
            overruled = [number for number, one in own.items() if one.check == "unsupported_claim"]
    opinions = tuple(
        Opinion(name, one.support, one.contradiction, one.similarity, one.message)
        for name, one in verdicts.items()
    )
    span = (report.start, report.end)
    raised = [
        Finding(flag, f"{VERIFIER}{by}", "warning", *span, text, None, message)
        for flag, by, message in found
    ]
    return _Heard(replace(report, opinions=opinions), raised, overruled, calibrations)


def _similarity(reports: Iterable[SentenceReport]) -> float | None:
    """Return the claims' mean similarity in [0, 1]; None where one of them has none."""
    claims = [report.opinions for report in reports if report.is_claim]
    found = [[one.similarity for one in said if one.similarity is not None] for said in claims]
    if not found or not all(found):
        return None
    return round(max(0.0, min(1.0, fmean(map(max, found)))), 6)
