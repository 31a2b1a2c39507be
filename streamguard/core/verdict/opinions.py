"""What verifiers said of an answer's sentences, and what that makes of its result.

A verifier's word is listed beside ours. Only one that the policy lets decide changes anything
else: its calibration makes one support of its word and ours, and a contradiction that it is sure
of becomes a finding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from streamguard.core.facts.model import probability
from streamguard.core.machine.ledger import MAX_FINDINGS
from streamguard.core.model.policy import Calibration
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Opinion, Verdict, about_answer
from streamguard.core.verdict.claims import VERIFIER
from streamguard.core.verdict.closing import Closing

# Log-odds beyond count as this (probabilities of 1.8 % and 98.2 %): models are surer than right.
MAX_LOG_ODDS = 4.0


@dataclass(frozen=True, slots=True)
class Words:
    """Verdicts by the sentence's index, then by the verifier's name; and what went wrong.

    `errors`: verifier and words for each kind of error, in words that hold no secret.
    """

    verdicts: Mapping[int, Mapping[str, Verdict]] = field(default_factory=dict)
    errors: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class _Heard:
    """A sentence's report with the verifiers' words in it, and what they change beside it."""

    report: SentenceReport
    raised: Sequence[Finding] = ()
    overruled: frozenset[int] = frozenset()  # findings that the new support takes back
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)  # that had a part in it


def heard(closing: Closing, words: Words) -> Closing:
    """Return the closing as the verifiers' words leave it; their order does not matter."""
    sentences = zip(closing.answer.sentences, closing.reports, strict=True)
    found = [
        _heard(closing, sentence.text, report, words.verdicts.get(sentence.index, {}))
        for sentence, report in sentences
    ]
    findings, reports = _settled(closing.findings, found)
    errors = []
    for verifier, wrong in sorted(words.errors):
        where = f"{VERIFIER}{verifier}"
        errors.append(f"{where}: {wrong}")
        message = f"The {where} failed ({wrong}); what it would have said is unknown."
        findings.append(about_answer("check_error", where, message))
    calibrations = {name: one for each in found for name, one in each.calibrations.items()}
    return replace(
        closing,
        reports=reports,
        findings=findings[:MAX_FINDINGS],
        errors=(*closing.errors, *errors),
        answer_line=_mean_line(calibrations.values()),
        similarity=_similarity(reports),
    )


def combined(
    report: SentenceReport,
    findings: Sequence[Finding],
    verdict: Verdict,
    calibration: Calibration,
) -> float:
    """Return the support in (0, 1) that what we say and a verdict make together.

    `findings` are all those of the answer, as the report counts them.
    """
    return probability(_log_odds_of(report, findings, verdict, calibration))


def figures(
    report: SentenceReport, findings: Sequence[Finding], verdict: Verdict
) -> tuple[float, ...]:
    """Return what is weighted: of ours the log-odds of support and doubt, and whether we warn.

    Then the log-odds of the verifier's support and contradiction.
    """
    warned = any(findings[number].severity == "warning" for number in report.findings)
    return (
        log_odds(report.support),
        log_odds(report.doubt or 0.0),
        float(warned),
        log_odds(verdict.support),
        log_odds(verdict.contradiction),
    )


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
    deciding = {name: verdicts[name] for name in verdicts if policy.decides(name)}
    if policy.matching == "literal":
        deciding = {}
    found: list[tuple[str, str, str]] = []  # flag, verifiers, message
    if all(one.flag != "contradicted_claim" for one in own.values()):
        for name, verdict in deciding.items():
            chance = verdict.contradiction or 0.0
            if chance > policy.contradicted_from:
                message = f"The passages contradict this with a probability of {chance:.0%}."
                found.append(("contradicted_claim", name, verdict.message or message))
    calibrations = {
        name: policy.verifiers[name]
        for name, verdict in deciding.items()
        if name in policy.verifiers and (verdict.support, verdict.contradiction) != (None, None)
    }
    overruled: frozenset[int] = frozenset()
    if calibrations:
        odds = [_log_odds_of(report, findings, deciding[n], c) for n, c in calibrations.items()]
        support = round(probability(fmean(odds)), 6)
        report = replace(report, support=support)
        if support < policy.min_support:
            message = f"The passages support this with a probability of {support:.0%}."
            found.append(("unsupported_claim", ", ".join(calibrations), message))
        else:  # not those of the same flag that name what differs from the passages
            overruled = frozenset(n for n, one in own.items() if one.check == "unsupported_claim")
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


def _settled(
    findings: Sequence[Finding], found: Sequence[_Heard]
) -> tuple[list[Finding], list[SentenceReport]]:
    """Return the findings that stand now, and the reports with their new positions."""
    overruled = frozenset[int]().union(*(each.overruled for each in found))
    kept = [number for number in range(len(findings)) if number not in overruled]
    place = {old: new for new, old in enumerate(kept)}
    standing, reports = [findings[number] for number in kept], []
    for each in found:
        raised = each.raised[: max(0, MAX_FINDINGS - len(standing))]
        own = [place[number] for number in each.report.findings if number in place]
        own += range(len(standing), len(standing) + len(raised))
        standing += raised
        reports.append(replace(each.report, findings=tuple(own)))
    return standing, reports


def _mean_line(calibrations: Collection[Calibration]) -> tuple[float, float] | None:
    """Return how groundedness follows from the supports; None where no calibration had a part."""
    if not calibrations:
        return None
    return (
        fmean(each.answer_intercept for each in calibrations),
        fmean(each.answer_slope for each in calibrations),
    )


def _log_odds_of(
    report: SentenceReport,
    findings: Sequence[Finding],
    verdict: Verdict,
    calibration: Calibration,
) -> float:
    weights = (
        calibration.ours,
        calibration.doubt,
        calibration.warned,
        calibration.support,
        calibration.contradiction,
    )
    parts = zip(weights, figures(report, findings, verdict), strict=True)
    return calibration.intercept + sum(weight * figure for weight, figure in parts)


def _similarity(reports: Iterable[SentenceReport]) -> float | None:
    """Return the claims' mean similarity in [0, 1]; None where one of them has none."""
    found: list[float] = []
    for report in reports:
        if report.is_claim:
            own = [one.similarity for one in report.opinions if one.similarity is not None]
            if not own:
                return None
            found.append(max(own))
    return round(max(0.0, min(1.0, sum(found) / len(found))), 6) if found else None
