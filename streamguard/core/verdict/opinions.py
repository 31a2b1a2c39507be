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
from streamguard.core.model.types import Finding, Opinion, Verdict
from streamguard.core.verdict.closing import VERIFIER, Closing

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
        findings.append(Finding("check_error", where, "warning", None, None, None, None, message))
    return replace(
        closing,
        reports=reports,
        findings=findings[:MAX_FINDINGS],
        errors=(*closing.errors, *errors),
        answer_line=decisive.answer_line,
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
        self._closing = closing
        self._raised: dict[int, list[Finding]] = {}  # by the sentence's index
        self._overruled: set[int] = set()  # findings that the new support takes back
        self._lines: dict[str, tuple[float, float]] = {}

    def report(
        self, index: int, report: SentenceReport, said: Mapping[str, Verdict]
    ) -> SentenceReport:
        """Return the sentence's report with the verifiers' words in it."""
        if not said:
            return report
        opinions = []
        supports: dict[str, float] = {}
        for name in sorted(said):
            verdict = said[name]
            opinions.append(
                Opinion(
                    name,
                    verdict.support,
                    verdict.contradiction,
                    verdict.similarity,
                    verdict.message,
                )
            )
            if self._policy.decides(name) and self._policy.matching != "literal":
                self._note_contradiction(index, report, name, verdict)
                calibration = self._policy.verifiers.get(name)
                if calibration is not None and _speaks(verdict):
                    supports[name] = _log_odds_of(
                        report, self._closing.findings, verdict, calibration
                    )
                    self._lines[name] = (calibration.answer_intercept, calibration.answer_slope)
        support = report.support
        if supports:
            support = round(_probability(sum(supports.values()) / len(supports)), 6)
            self._note_support(index, report, support, ", ".join(supports))
        return replace(report, support=support, opinions=tuple(opinions))

    def settled(
        self, reports: Sequence[SentenceReport]
    ) -> tuple[list[Finding], list[SentenceReport]]:
        """Return the findings that stand now, and the reports with their new positions."""
        kept = [n for n in range(len(self._closing.findings)) if n not in self._overruled]
        place = {old: new for new, old in enumerate(kept)}
        findings = [self._closing.findings[n] for n in kept]
        moved = []
        for index, report in enumerate(reports):
            own = [place[n] for n in report.findings if n in place]
            for finding in self._raised.get(index, ()):
                if len(findings) < MAX_FINDINGS:
                    own.append(len(findings))
                    findings.append(finding)
            moved.append(replace(report, findings=tuple(own)))
        return findings, moved

    @property
    def answer_line(self) -> tuple[float, float] | None:
        """How groundedness follows from the supports; None where no calibration had a part."""
        if not self._lines:
            return None
        lines = list(self._lines.values())
        return sum(a for a, _ in lines) / len(lines), sum(b for _, b in lines) / len(lines)

    def _note_contradiction(
        self, index: int, report: SentenceReport, name: str, verdict: Verdict
    ) -> None:
        if (verdict.contradiction or 0.0) <= self._policy.contradicted_from:
            return
        known = (self._closing.findings[n] for n in report.findings)
        if any(finding.flag == "contradicted_claim" for finding in known):
            return
        chance = f"{verdict.contradiction:.0%}"
        message = verdict.message or f"The passages contradict this with a probability of {chance}."
        self._raise("contradicted_claim", index, report, name, message)

    def _note_support(self, index: int, report: SentenceReport, support: float, by: str) -> None:
        """Say that the sentence is unsupported if it is now; take that back if it is not."""
        # Not those of the same flag that name what differs from the passages.
        numbers = [
            n for n in report.findings if self._closing.findings[n].check == "unsupported_claim"
        ]
        if support >= self._policy.min_support:
            self._overruled.update(numbers)
        else:
            message = f"The passages support this with a probability of {support:.0%}."
            self._raise("unsupported_claim", index, report, by, message)

    def _raise(self, flag: str, index: int, report: SentenceReport, by: str, message: str) -> None:
        text = self._closing.answer.sentences[index].text
        finding = Finding(
            flag, check_of(by), "warning", report.start, report.end, text, None, message
        )
        self._raised.setdefault(index, []).append(finding)


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


def _speaks(verdict: Verdict) -> bool:
    """Say whether the verdict holds anything that a support can be made of."""
    return verdict.support is not None or verdict.contradiction is not None


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
