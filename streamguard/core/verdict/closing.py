"""Closes an answer: its scores, and the one result from its sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from streamguard.core.context import Context, Question
from streamguard.core.fast.model import groundedness
from streamguard.core.model.finding_texts import least_supported, needless
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import (
    Banner,
    GuardrailsResult,
    Reason,
    RefusalReport,
    RetrievalReport,
    Scores,
    SentenceReport,
    TextReport,
    ThoughtSpan,
    Work,
)
from streamguard.core.model.types import ContextOrigin, Ended, Finding, UnreadKind, in_flag_order
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.core.reading.unread_text import MARK_KINDS, VALUE_KINDS
from streamguard.core.sentence import Answer
from streamguard.core.verdict.claimed import claimed_chars, is_supported
from streamguard.core.verdict.rules import Facts, coverage_status, refusal_report
from streamguard.core.verdict.ruling import ruling_basis
from streamguard.core.verdict.score_book import ScoreBook
from streamguard.core.verdict.scored import ScoredAnswer, weigh_scores
from streamguard.core.verdict.scoring import Tally
from streamguard.core.verdict.sufficient import evidence_sufficient
from streamguard.text.fields import UNSEEN
from streamguard.text.thoughts import Thought

_BARE = "This response was generated without supporting documentation."
_UNSURE = "Some details in this response could not be verified against our documentation."
BANNERS = {
    banner.flag: banner
    for banner in (
        Banner("no_context_warning", "yellow", _BARE),
        Banner("potential_hallucination", "orange", _UNSURE),
    )
}


@dataclass(frozen=True, slots=True)
class Closing:
    """An answer whose sentences are all settled, as the checks and `fast` judged it."""

    context: Context
    policy: Policy
    question: Question | None
    choice: int
    ended: Ended
    answer: Answer
    fast: ScoredAnswer
    is_learned: bool  # whether the rules compare support scores
    limits: Collection[str]
    unread: str | None  # what passed and could not be read
    tally: Tally | None
    text: TextReport
    astral: Sequence[int]  # offsets of the answer's characters above U+FFFF
    checks_run: int
    tags: int  # citation tags in the sentences
    thoughts: Sequence[Thought] = ()
    first: int = 0  # the first sentence behind the last thought without an opening tag


def conclude(closing: Closing, book: ScoreBook) -> GuardrailsResult:
    """Return the result by the rules, with the scores that are there."""
    scored = _weighed(closing, book)
    answer, claims, findings = closing.answer, scored.claims, scored.findings
    by_words = _grounded(scored, is_judged=False)
    scores = _scores(closing, scored, by_words)
    refusal = _refusal(closing, scored)
    facts = _facts(closing, scored, scores, by_words)
    if refusal.kind == "over_refusal" and closing.policy.matching != "literal":
        facts = replace(facts, is_needless=True, declined=_declined(closing))
    status, reasons = coverage_status(facts, closing.policy)
    if any(reason.code == "low_groundedness" for reason in reasons):  # which quotes the claim
        facts = replace(facts, weakest=_weakest(closing, scored))
        status, reasons = coverage_status(facts, closing.policy)
    if closing.tally is None:
        message = "Claims and scores were not asked for."
        status, reasons = None, (Reason("verdicts_off", "-", None, None, message),)
    flags = in_flag_order({finding.flag for finding in findings})
    uncovered = tuple(
        claim.text.replace(UNSEEN, "")
        for claim, verdict in zip(answer.claims, claims, strict=False)
        if verdict.language is None and not is_supported(verdict, closing.policy)
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
        supported_claims=sum(
            claim.is_scored and is_supported(claim, closing.policy) for claim in claims
        ),
        total_claims=len(answer.claims),
        scores=scores,
        refusal=refusal,
        retrieval=_retrieval(closing.context),
        context_source=_context_source(closing.context),
        banners=_banners(findings),
        sentences=tuple(scored.reports),
        thoughts=tuple(ThoughtSpan(*each) for each in closing.thoughts),
        unread_text=Counter(one.kind for report in scored.reports for one in report.unread_text),
        replacement=STANDARD_REFUSAL if status == "REFUSE" else None,
        complete=facts.complete,
        ended=closing.ended,
        errors=tuple(scored.errors),
        text=closing.text,
        work=Work(closing.text.code_points, len(scored.reports), closing.checks_run),
    )
    result.keep_astral(_astral(closing))
    return result


def _weighed(closing: Closing, book: ScoreBook) -> ScoredAnswer:
    if not book:
        return closing.fast
    known = ruling_basis(closing.policy, closing.context.evidence, closing.fast.findings)
    return weigh_scores(
        closing.fast,
        closing.answer.sentences,
        book,
        known,
        first=closing.first,
        is_learned=closing.is_learned,
    )


def _banners(findings: Sequence[Finding]) -> tuple[Banner, ...]:
    """Return the banners of warnings; findings that a judge made information have none."""
    warned = in_flag_order({one.flag for one in findings if one.severity == "warning"})
    return tuple(BANNERS[flag] for flag in warned if flag in BANNERS)


def _has_text(closing: Closing) -> bool:
    """Return whether there is text to judge, or unjudged beyond a limit; code does not count."""
    sentences = closing.answer.sentences[closing.first :]
    return any(each.kind != "code" for each in sentences) or bool(
        closing.limits and closing.text.code_points
    )


def _facts(closing: Closing, scored: ScoredAnswer, scores: Scores, by_words: float | None) -> Facts:
    context, listed = closing.context, closing.context.citations
    unknown = [
        finding.message or ""
        for finding in scored.findings
        if finding.check == "citation_unknown" and finding.start is None
    ]
    return Facts(
        has_text=_has_text(closing),
        has_code=any(each.kind == "code" for each in closing.answer.sentences[closing.first :]),
        context_given=context.evidence is not None,
        claims=tuple(scored.claims),
        citations=len(listed) if listed is not None else closing.tags,
        # Literally their rules hold in any case.
        citations_requested=context.citations_requested or closing.policy.matching == "literal",
        complete=closing.ended == "complete",
        errors=len(scored.errors) - scored.judge_errors,
        limited=bool(closing.limits),
        unread=closing.unread,
        uncertain=context.uncertain,
        groundedness=by_words,
        chars=claimed_chars(scored.reports),
        judges=scored.judges,
        judged_chars=claimed_chars(one for one in scored.reports if one.judged),
        judged_groundedness=scores.groundedness if scored.judge_line else None,
        unheeded=_unheeded(scored, closing.policy),
        effects=Counter(one.effect for one in scored.findings if one.effect is not None),
        stopped=closing.ended == "blocked",
        unread_values=_unread(scored.reports, VALUE_KINDS),
        unread_marks=_unread(scored.reports, MARK_KINDS),
        unknown_sources=len(unknown),
        unknown_source=unknown[0] if unknown else "",
        own_check=next((one.message for one in scored.findings if one.effect and one.message), ""),
    )


def _declined(closing: Closing) -> str:
    """Return the message with the passage's words that answer the question."""
    evidence, question = closing.context.evidence, closing.question
    assert evidence is not None  # the passages suffice
    assert question is not None
    best = evidence.coverage(question.keywords)
    assert best is not None
    return needless(evidence.passage_words(evidence.quoted(best)))


def _weakest(closing: Closing, scored: ScoredAnswer) -> str:
    """Return the message on the least supported claim without a judge's verdict, "" if none."""
    evidence = closing.context.evidence
    supports = [
        (one.support, at)
        for at, one in enumerate(scored.reports)
        if one.is_claim and one.support is not None and one.judged is None
    ]
    if evidence is None or not supports:
        return ""
    at = min(supports)[1]
    report, passage = scored.reports[at], None
    if report.coverage and report.evidence is not None:  # else it is that of an operand
        passage = evidence.passage_words(evidence.words_at(report.evidence))
    return least_supported(closing.answer.sentences[at].text.replace(UNSEEN, ""), passage)


def _unread(reports: Sequence[SentenceReport], kinds: Collection[UnreadKind]) -> Mapping[str, int]:
    """Return how many sentences hold unread text of each of these kinds."""
    unread = [report.unread_text for report in reports if report.unread_text]
    found = Counter[str]()
    for some in unread:
        found.update({one.kind for one in some if one.kind in kinds})
    return found


def _unheeded(scored: ScoredAnswer, policy: Policy) -> tuple[str, ...]:
    """Return the scorers that report a contradiction of a claim without such a finding."""
    names = set[str]()
    for report in scored.reports:
        if not (report.is_claim and report.opinions):
            continue
        own = (scored.findings[number] for number in report.findings)
        if all(one.flag != "contradicted_claim" for one in own):
            names.update(
                one.verifier
                for one in report.opinions
                if (one.contradiction or 0.0) > policy.contradicted_from
                or (one.word == "contradicted" and one.quotations)
            )
    return tuple(sorted(names))


def _refusal(closing: Closing, scored: ScoredAnswer) -> RefusalReport:
    phrases = tuple(closing.answer.refusal)
    if not phrases:  # literal matching looks for them in the whole answer
        known = set(closing.policy.refusal_phrases)
        found = (f.value for f in scored.findings if f.check == "refusal")
        phrases = tuple(dict.fromkeys(value for value in found if value in known))
    if closing.tally is None:
        return RefusalReport(bool(phrases), "none", "none", phrases)
    claims = sum(not claim.refuses_literally for claim in closing.answer.claims)
    basis = (closing.context, closing.question, closing.policy, scored.claims)
    return refusal_report(phrases, claims=claims, sufficient=evidence_sufficient(*basis))


def _scores(closing: Closing, scored: ScoredAnswer, by_words: float | None) -> Scores:
    """Return the scores; an answer that claims nothing (a refusal, a greeting) has none.

    `by_words`: the groundedness of the claims that no judge read.
    """
    claims, literal = closing.answer.claims, closing.policy.matching == "literal"
    if closing.tally is None or not scored.reports or not (claims or literal):
        return Scores()
    by_judge = _grounded(scored, is_judged=True)
    parts = [part for part in (by_judge, by_words) if part is not None]
    grounded = round(math.prod(parts), 6) if parts else None
    return replace(
        closing.tally.scores(closing.policy),
        groundedness=grounded,
        doubt=None if grounded is None or not closing.is_learned else round(1.0 - grounded, 6),
        similarity=scored.similarity,
    )


def _grounded(scored: ScoredAnswer, *, is_judged: bool) -> float | None:
    """Return the groundedness of the claims that a judge read, or of the others; None for none."""
    supports = [
        one.support
        for one in scored.reports
        if one.is_claim and one.support is not None and (one.judged is not None) is is_judged
    ]
    return groundedness(supports, scored.judge_line if is_judged else scored.answer_line)


def _context_source(context: Context) -> tuple[ContextOrigin, ...]:
    """Return the origins of the passages; those read from no message were given as chunks."""
    origins = (ContextOrigin("given", None, len(context.chunks)),) if context.chunks else ()
    return context.origins or origins


def _retrieval(context: Context) -> RetrievalReport | None:
    gate = context.retrieval
    if gate is not None:
        counts = (gate.raw_count, gate.filtered_count)
        return RetrievalReport(gate.confidence_level, gate.is_answerable, *counts)
    count = len(context.chunks or ())
    return None if context.evidence is None else RetrievalReport(None, None, count, count)


def _astral(closing: Closing) -> dict[str | None, Sequence[int]]:
    places: dict[str | None, Sequence[int]] = {None: closing.astral}
    evidence = closing.context.evidence
    if evidence is not None:
        places |= {evidence.labels[chunk]: at for chunk, at in evidence.astral.items()}
    return places
