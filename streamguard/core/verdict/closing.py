"""The close of an answer: from what the sentences gave to the one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streamguard.core.context import Context
from streamguard.core.facts.model import probability
from streamguard.core.machine.transcript import Transcript
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import (
    Banner,
    GuardrailsResult,
    Reason,
    RefusalReport,
    RetrievalReport,
    Scores,
    SentenceReport,
    Work,
)
from streamguard.core.model.types import ContextOrigin, Ended, Finding, in_flag_order
from streamguard.core.question import Question
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.core.sentence import Answer
from streamguard.core.support import answer_doubt, groundedness
from streamguard.core.verdict.rules import (
    ClaimVerdict,
    Facts,
    coverage_status,
    evidence_sufficient,
    is_supported,
    refusal_report,
)
from streamguard.core.verdict.scoring import Tally

BANNERS = {
    "no_context_warning": Banner(
        "no_context_warning",
        "yellow",
        "This response was generated without supporting documentation.",
    ),
    "potential_hallucination": Banner(
        "potential_hallucination",
        "orange",
        "Some details in this response could not be verified against our documentation.",
    ),
}


@dataclass(frozen=True, slots=True)
class Closing:
    """Everything the result is made of."""

    context: Context
    policy: Policy
    question: Question | None
    choice: int
    ended: Ended
    answer: Answer
    reports: Sequence[SentenceReport]
    claims: Sequence[ClaimVerdict]  # empty without chunks
    findings: Sequence[Finding]
    errors: Sequence[str]
    limits: Sequence[str]
    unread: str | None  # what passed and could not be read
    tally: Tally | None
    risks: Sequence[float]  # log-odds that something in a sentence is wrong, of those compared
    transcript: Transcript
    checks_run: int
    tags: int  # citation tags in the sentences
    answer_line: tuple[float, float] | None = None  # of groundedness, where verifiers decide
    similarity: float | None = None  # of the claims to the chunks, where a verifier measured it


def conclude(closing: Closing) -> GuardrailsResult:
    """Return the result of an answer whose sentences are all settled."""
    answer, claims, findings = closing.answer, closing.claims, closing.findings
    scores = _scores(closing)
    facts = _facts(closing, scores.groundedness)
    status, reasons = coverage_status(facts, closing.policy)
    if closing.tally is None:
        message = "Claims and scores were not asked for."
        status, reasons = None, (Reason("verdicts_off", "-", None, None, message),)
    flags = in_flag_order({finding.flag for finding in findings})
    uncovered = tuple(
        claim.text
        for claim, verdict in zip(answer.claims, claims, strict=False)
        if not is_supported(verdict, closing.policy)
    )
    result = GuardrailsResult(
        policy=closing.policy.name,
        choice=closing.choice,
        status=status,
        reasons=reasons,
        flags=tuple(flags),
        findings=tuple(findings),
        uncovered_claims=uncovered,
        citation_density=round(facts.citations / max(1, len(answer.claims)), 6),
        supported_claims=len(claims) - len(uncovered),
        total_claims=len(answer.claims),
        scores=scores,
        refusal=_refusal(closing),
        retrieval=_retrieval(closing.context),
        context_source=_context_source(closing.context),
        banners=tuple(BANNERS[flag] for flag in flags if flag in BANNERS),
        sentences=tuple(closing.reports),
        replacement=STANDARD_REFUSAL if status == "REFUSE" else None,
        complete=facts.complete,
        ended=closing.ended,
        errors=tuple(closing.errors),
        text=closing.transcript.report(),
        work=Work(closing.transcript.chars, len(closing.reports), closing.checks_run),
    )
    result.keep_astral(_astral(closing))
    return result


def _facts(closing: Closing, groundedness: float | None) -> Facts:
    context, listed = closing.context, closing.context.citations
    return Facts(
        has_text=bool(closing.reports),
        context_given=context.evidence is not None,
        claims=tuple(closing.claims),
        citations=len(listed) if listed is not None else closing.tags,
        # Literally their rules hold in any case.
        citations_requested=context.citations_requested or closing.policy.matching == "literal",
        complete=closing.ended == "complete",
        errors=len(closing.errors),
        limited=bool(closing.limits),
        unread=closing.unread,
        groundedness=groundedness,
        unknown_sources=sum(
            finding.check == "citation_unknown" and finding.start is None
            for finding in closing.findings
        ),
    )


def _refusal(closing: Closing) -> RefusalReport:
    phrases = tuple(closing.answer.refusal)
    if not phrases:  # literal matching looks for them in the whole answer
        known = set(closing.policy.refusal_phrases)
        found = (f.value for f in closing.findings if f.check == "refusal")
        phrases = tuple(dict.fromkeys(value for value in found if value in known))
    if closing.tally is None:
        return RefusalReport(bool(phrases), "none", "none", phrases)
    claims = sum(not claim.refuses_literally for claim in closing.answer.claims)
    sufficient = evidence_sufficient(
        closing.context, closing.question, closing.policy, closing.claims
    )
    return refusal_report(phrases, claims=claims, sufficient=sufficient)


def _scores(closing: Closing) -> Scores:
    """Return the scores; an answer that claims nothing (a refusal, a greeting) has none."""
    claims, literal = closing.answer.claims, closing.policy.matching == "literal"
    if closing.tally is None or not closing.reports or not (claims or literal):
        return Scores()
    supports = [
        report.support
        for report in closing.reports
        if report.is_claim and report.support is not None
    ]
    risk = answer_doubt(closing.risks, len(claims))
    return replace(
        closing.tally.scores(closing.question, closing.policy),
        groundedness=groundedness(supports, closing.answer_line),
        doubt=None if risk is None else round(probability(risk), 6),
        similarity=closing.similarity,
    )


def _context_source(context: Context) -> tuple[ContextOrigin, ...]:
    """Return where the passages were read; those that nobody read were given."""
    if context.origins or not context.chunks:
        return context.origins
    return (ContextOrigin("given", None, len(context.chunks)),)


def _retrieval(context: Context) -> RetrievalReport | None:
    gate = context.retrieval
    if gate is not None:
        return RetrievalReport(
            gate.confidence_level, gate.is_answerable, gate.raw_count, gate.filtered_count
        )
    if context.evidence is None:
        return None
    count = len(context.evidence.chunks)
    return RetrievalReport(None, None, count, count)


def _astral(closing: Closing) -> dict[str | None, Sequence[int]]:
    places: dict[str | None, Sequence[int]] = {None: closing.transcript.astral}
    evidence = closing.context.evidence
    if evidence is not None:
        places |= {evidence.labels[chunk]: at for chunk, at in evidence.astral.items()}
    return places
