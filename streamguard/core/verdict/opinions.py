"""What verifiers said of an answer's sentences, and what that makes of its result.

A verifier's word is listed beside ours. Only one that the policy lets decide changes anything
else: its calibration makes one support of its word and ours, and a contradiction that it is sure
of becomes a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from streamguard.core.machine.ledger import MAX_FINDINGS
from streamguard.core.model.policy import Calibration, Policy
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


def heard(closing: Closing, words: Words) -> Closing:
    """Return the closing as the verifiers' words leave it; their order does not matter."""
    decisive = _Decisive(closing)
    reports = [
        decisive.report(index, report, words.verdicts.get(index, {}))
        for index, report in enumerate(closing.reports)
    ]
    findings, reports = decisive.settled(reports)
    errors = []
    for verifier, wrong in sorted(words.errors):
        where = check_of(verifier)
        errors.append(f"{where}: {wrong}")
        message = f"The {where} failed ({wrong}); what it would have said is unknown."
        findings.append(about_answer("check_error", where, message))
    return replace(
        closing,
        reports=reports,
        findings=findings[:MAX_FINDINGS],
        errors=(*closing.errors, *errors),
        answer_line=_mean_line(list(decisive.lines.values())),
        similarity=_similarity(reports),
    )


def check_of(verifier: str) -> str:
    """Return what findings and errors call the verifier."""
    return f"{VERIFIER}{verifier}"


def combined(
    report: SentenceReport,
    findings: Sequence[Finding],
    verdict: Verdict,
    calibration: Calibration,
) -> float:
    """Return the support in (0, 1) that what we say and a verdict make together.

    `findings` are all those of the answer, as the report counts them.
    """
    return _probability(_log_odds_of(report, findings, verdict, calibration))


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


class _Decisive:
    """Gathers what the deciding verifiers change: supports, findings, the answer's line."""

    def __init__(self, closing: Closing) -> None:
        self._policy: Policy = closing.policy
        self._findings = closing.findings
        self._sentences = closing.answer.sentences
        self._raised: dict[int, list[Finding]] = {}  # by the sentence's index
        self._overruled: set[int] = set()  # findings that the new support takes back
        self.lines: dict[str, tuple[float, float]] = {}  # by verifier

    def report(
        self, index: int, report: SentenceReport, said: Mapping[str, Verdict]
    ) -> SentenceReport:
        """Return the sentence's report with the verifiers' words in it."""
        if not said:
            return report
        opinions = []
        odds: dict[str, float] = {}
        for name, verdict in sorted(said.items()):
            support, contradiction = verdict.support, verdict.contradiction
            opinions.append(
                Opinion(name, support, contradiction, verdict.similarity, verdict.message)
            )
            if not self._policy.decides(name) or self._policy.matching == "literal":
                continue
            if contradiction is not None and contradiction > self._policy.contradicted_from:
                self._contradict(index, report, name, verdict)
            calibration = self._policy.verifiers.get(name)
            if calibration is not None and (support, contradiction) != (None, None):
                odds[name] = _log_odds_of(report, self._findings, verdict, calibration)
                self.lines[name] = (calibration.answer_intercept, calibration.answer_slope)
        if odds:
            support = round(_probability(sum(odds.values()) / len(odds)), 6)
            self._note_support(index, report, support, ", ".join(odds))
            report = replace(report, support=support)
        return replace(report, opinions=tuple(opinions))

    def settled(
        self, reports: Sequence[SentenceReport]
    ) -> tuple[list[Finding], list[SentenceReport]]:
        """Return the findings that stand now, and the reports with their new positions."""
        kept = [n for n in range(len(self._findings)) if n not in self._overruled]
        place = {old: new for new, old in enumerate(kept)}
        findings = [self._findings[n] for n in kept]
        moved = []
        for index, report in enumerate(reports):
            own = [place[n] for n in report.findings if n in place]
            raised = self._raised.get(index, ())[: max(0, MAX_FINDINGS - len(findings))]
            own += range(len(findings), len(findings) + len(raised))
            findings += raised
            moved.append(replace(report, findings=tuple(own)))
        return findings, moved

    def _contradict(self, index: int, report: SentenceReport, name: str, verdict: Verdict) -> None:
        if all(self._findings[n].flag != "contradicted_claim" for n in report.findings):
            chance = f"{verdict.contradiction:.0%}"
            message = f"The passages contradict this with a probability of {chance}."
            self._raise("contradicted_claim", index, report, name, verdict.message or message)

    def _note_support(self, index: int, report: SentenceReport, support: float, by: str) -> None:
        """Say that the sentence is unsupported if it is now; take that back if it is not."""
        if support < self._policy.min_support:
            message = f"The passages support this with a probability of {support:.0%}."
            self._raise("unsupported_claim", index, report, by, message)
            return
        # Not those of the same flag that name what differs from the passages.
        self._overruled.update(
            n for n in report.findings if self._findings[n].check == "unsupported_claim"
        )

    def _raise(self, flag: str, index: int, report: SentenceReport, by: str, message: str) -> None:
        start, end, text = report.start, report.end, self._sentences[index].text
        finding = Finding(flag, check_of(by), "warning", start, end, text, None, message)
        self._raised.setdefault(index, []).append(finding)


def _mean_line(lines: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return how groundedness follows from the supports; None where no calibration had a part."""
    if not lines:
        return None
    return sum(a for a, _ in lines) / len(lines), sum(b for _, b in lines) / len(lines)


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


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))
