"""The close of an answer: from what the sentences gave to the one result."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from streamguard.core.context import Context
from streamguard.core.facts.model import probability
from streamguard.core.machine.transcript import Transcript
from streamguard.core.model.origin import ContextOrigin
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import (
    Banner,
    GuardrailsResult,
    Reason,
    RefusalReport,
    RetrievalReport,
    Scores,
    SentenceReport,
    Status,
    Work,
)
from streamguard.core.model.types import Ended, Finding, in_flag_order
from streamguard.core.question import Question
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.core.sentence import Answer
from streamguard.core.support import answer_doubt, groundedness
from streamguard.core.verdict.derived import is_derived
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


# Warnings that say that a claim is wrong, and findings that only doubt it (`checks/edits`).
_WRONG = frozenset(
    ["unsupported_price", "unsupported_value", "unsupported_name", "contradicted_value"]
)
VERIFIER = "verifier "  # how the checks of verifiers' findings begin
_MISCITED = frozenset(["citation_mismatch", "citation_unknown"])
_DOUBTFUL = frozenset(["opposite", "other_owner", "other_name", "doubtful"])
_RULED = 100  # sentences that are ruled on between two pauses; guess, half a millisecond


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
    is_learned: bool  # whether the rules compare support scores
    risks: Sequence[float]  # log-odds that something in a sentence is wrong, of those compared
    transcript: Transcript
    checks_run: int
    tags: int  # citation tags in the sentences
    answer_line: tuple[float, float] | None = None  # of groundedness, where verifiers decide
    similarity: float | None = None  # of the claims to the chunks, where a verifier measured it


def conclude(closing: Closing) -> GuardrailsResult:
    """Return the result of an answer whose sentences are all settled."""
    policy, answer = closing.policy, closing.answer
    claims = closing.claims
    scores = _scores(closing)
    facts = _facts(closing, claims, scores.groundedness)
    status, reasons = _status(closing, facts)
    refusal = _refusal(closing, claims)
    flags = in_flag_order({finding.flag for finding in closing.findings})
    unsupported = [not is_supported(claim, policy) for claim in claims]
    uncovered = tuple(
        claim.text for claim, bare in zip(answer.claims, unsupported, strict=False) if bare
    )
    result = GuardrailsResult(
        policy=policy.name,
        choice=closing.choice,
        status=status,
        reasons=reasons,
        flags=tuple(flags),
        findings=tuple(closing.findings),
        uncovered_claims=uncovered,
        citation_density=round(facts.citations / max(1, len(answer.claims)), 6),
        supported_claims=len(claims) - len(uncovered),
        total_claims=len(answer.claims),
        scores=scores,
        refusal=refusal,
        retrieval=_retrieval(closing.context),
        context_source=_context_source(closing.context),
        banners=tuple(BANNERS[flag] for flag in flags if flag in BANNERS),
        sentences=tuple(closing.reports),
        replacement=STANDARD_REFUSAL if status == "REFUSE" else None,
        complete=closing.ended == "complete",
        ended=closing.ended,
        errors=tuple(closing.errors),
        text=closing.transcript.report(),
        work=Work(closing.transcript.chars, len(closing.reports), closing.checks_run),
    )
    result.keep_astral(_astral(closing))
    return result


def claim_verdicts(
    reports: Sequence[SentenceReport],
    findings: Sequence[Finding],
    *,
    is_learned: bool,
) -> Generator[None, None, list[ClaimVerdict]]:
    """Return what the rules ask of every claim, with pauses."""
    verdicts = []
    for index, report in enumerate(reports):
        if index % _RULED == _RULED - 1:
            yield
        if report.is_claim:
            found = [findings[number] for number in report.findings]
            flags = {(f.flag, f.check.startswith(VERIFIER)) for f in found}
            checks = {f.check for f in found}
            warned = {f.check for f in found if f.severity == "warning"}
            verdicts.append(
                ClaimVerdict(
                    share=_share(report, is_learned=is_learned),
                    contradicted=any(flag == "contradicted_claim" for flag, _ in flags),
                    unsupported_money="unsupported_price" in checks,
                    has_evidence=bool(report.coverage) or is_derived(report),
                    wrong=not warned.isdisjoint(_WRONG),
                    miscited=not warned.isdisjoint(_MISCITED),
                    unlikely="doubtful" in warned,
                    doubtful=not checks.isdisjoint(_DOUBTFUL),
                    disbelieved=("unsupported_claim", True) in flags,
                    derived=is_derived(report),
                )
            )
    return verdicts


def _share(report: SentenceReport, *, is_learned: bool) -> float:
    """Return what the rules compare: the support, the coverage where nothing is scored."""
    if not is_learned:
        return report.coverage or 0.0
    # What could not be scored is not held against the answer; its error raises a PASS to WARN.
    return 1.0 if report.support is None else report.support


def _facts(closing: Closing, claims: Sequence[ClaimVerdict], groundedness: float | None) -> Facts:
    context = closing.context
    listed = context.citations
    return Facts(
        has_text=bool(closing.reports),
        context_given=context.evidence is not None,
        claims=tuple(claims),
        citations=len(listed) if listed is not None else closing.tags,
        citations_requested=context.citations_requested,
        complete=closing.ended == "complete",
        errors=len(closing.errors),
        limited=bool(closing.limits),
        unread=closing.unread,
        measure="support" if closing.is_learned else "coverage",
        groundedness=groundedness,
    )


def _status(closing: Closing, facts: Facts) -> tuple[Status | None, tuple[Reason, ...]]:
    if closing.tally is None:
        return None, (
            Reason("verdicts_off", "-", None, None, "Claims and scores were not asked for."),
        )
    return coverage_status(facts, closing.policy)


def _refusal(closing: Closing, verdicts: Sequence[ClaimVerdict]) -> RefusalReport:
    phrases = tuple(closing.answer.refusal) or _reported_phrases(closing)
    if closing.tally is None:
        return RefusalReport(bool(phrases), "none", "none", phrases)
    claims = sum(not claim.refuses_literally for claim in closing.answer.claims)
    sufficient = evidence_sufficient(closing.context, closing.question, closing.policy, verdicts)
    return refusal_report(phrases, claims=claims, sufficient=sufficient, answered=claims > 0)


def _reported_phrases(closing: Closing) -> tuple[str, ...]:
    """Return the phrases a check found in the whole answer (literal matching)."""
    known = set(closing.policy.refusal_phrases)
    found = (f.value for f in closing.findings if f.check == "refusal")
    return tuple(dict.fromkeys(value for value in found if value in known))


def _scores(closing: Closing) -> Scores:
    """Return the scores; an answer that claims nothing (a refusal, a greeting) has none."""
    literal = closing.policy.matching == "literal"
    if closing.tally is None or not closing.reports:
        return Scores()
    if not closing.answer.claims and not literal:
        return Scores()
    scores = closing.tally.scores(closing.question, closing.policy)
    claims = (report for report in closing.reports if report.is_claim)
    supports = [report.support for report in claims if report.support is not None]
    risk = answer_doubt(closing.risks, len(closing.answer.claims))
    doubt = None if risk is None else round(probability(risk), 6)
    grounded = groundedness(supports, closing.answer_line)
    return replace(scores, groundedness=grounded, doubt=doubt, similarity=closing.similarity)


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
        for chunk, offsets in evidence.astral.items():
            places[evidence.labels[chunk]] = offsets
    return places
