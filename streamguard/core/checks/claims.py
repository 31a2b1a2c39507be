"""Claims against the chunks as a whole, and citations: unknown, of the wrong passage, or none."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding, Nearest, about_answer
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.values import Anchor

# Words map to a chunk from this coverage on: calibrated on RAGTruth QA train as the share from
# which a claim is supported, where nothing but coverage is known.
_LEAST_COVERAGE = 0.40
# How much more of a claim's words the other chunk holds. Everyday answers, RAGTruth dev: of the
# mismatches told without it 37 of 39 and 57 of 79 were in answers with an error, 35 of 35 and 52 of
# 70 with it; RAGTruth labels no citations.
_CLEARLY = 0.2
NO_CONTEXT_MESSAGE = "No retrieved passage stands behind this answer."


def no_context(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Warn once when retrieval ran and no chunk passed."""
    if scope.evidence is not None and not scope.evidence.chunks:
        yield about_answer("no_context_warning", "no_context", NO_CONTEXT_MESSAGE)


def unsupported_claim(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Point out claims whose support stays below `min_support`.

    Where nothing is scored (no chunks, literal matching): whose coverage stays below
    `warn_similarity`. RAGTruth QA train, out of fold, at the default 0.75: 5 % of the sentences
    of clean answers, 59 % of the labelled ones.
    """
    evidence, best, policy = scope.evidence, sentence.coverage, scope.policy
    if evidence is None or not sentence.is_claim:
        return
    if not scope.supports or policy.matching == "literal":
        share = best.share if best else 0.0
        if share >= policy.warn_similarity:
            return
        which = "passages it cites" if policy.matching == "literal" else "passages"
        message = f"The {which} hold {share:.0%} of what this sentence says."
    else:
        support = sentence.support
        if support is None or support.probability >= policy.min_support:
            return
        chance, why = f"{support.probability:.0%}", "; ".join(support.reasons)
        message = f"The passages support this with a probability of {chance}: {why}."
    nearest, flag = None if best is None else evidence.quoted(best), "unsupported_claim"
    yield sentence.finding(
        flag, None, check=flag, severity="info", nearest=nearest, message=message
    )


def promoted_claims(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Check the claims that only became claims because a short answer has no other."""
    for claim in answer.claims:
        if claim.promoted:
            yield from unsupported_claim(claim, scope)
            yield from uncited_claim(claim, scope)
            yield None


def citation_unknown(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag tags that name no retrieved chunk (`[C9]` of 5)."""
    evidence = scope.evidence
    if evidence is None or scope.context.citations is not None or sentence.kind == "code":
        return
    for tag in sentence.citations:
        if evidence.chunk_number(tag.label) is None:
            flag, message = "citation_unknown", _unknown(tag.label, evidence)
            yield sentence.finding(flag, (tag.start, tag.end), check=flag, message=message)


def listed_citation_unknown(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Flag entries of the caller's own citation list that name no retrieved chunk."""
    evidence = scope.evidence
    if evidence is None:
        return
    for label in scope.context.citations or ():
        if not evidence.chunk_numbers(label):
            message = _unknown(label, evidence)
            yield about_answer("citation_unknown", "citation_unknown", message, label)


def citation_mismatch(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag cited claims whose evidence is in another chunk than the cited ones.

    Several tags on one claim: any valid one is enough. A value counts by itself, the words of
    the claim by their coverage.
    """
    evidence = scope.evidence
    if evidence is None or not sentence.cited or scope.context.citations is not None:
        return
    other = _other_chunk(sentence, evidence)
    if other is not None:
        flag, span = "citation_mismatch", (sentence.citations[0].start, sentence.citations[-1].end)
        message = f"The cited passage does not hold this; {other.chunk_id} does."
        yield sentence.finding(flag, span, check=flag, nearest=other, message=message)


def uncited_claim(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Point out claims without a citation, where citations were requested.

    The guard takes it back where a later sentence of the same paragraph names a source.
    """
    context = scope.context
    if not context.citations_requested or context.citations is not None:
        return
    if sentence.is_claim and not sentence.citations:
        flag, message = "uncited_claim", "This claim names no source."
        yield sentence.finding(flag, None, check=flag, severity="info", message=message)


def _other_chunk(sentence: Sentence, evidence: Evidence) -> Nearest | None:
    """Return the evidence that the claim should have cited, or None where its citation holds."""
    best, cited = evidence.coverage(sentence.keys), sentence.coverage
    if best is None or best.chunk in sentence.cited:
        return None
    # A value the cited chunks lack, in the chunk that holds the claim's words best, or words that
    # map to that chunk only: a lone figure elsewhere is no evidence. Of the mismatches on everyday
    # answers and RAGTruth six, all right, are told by a value alone.
    lacking = any(
        match.relation == "same"
        and not _holds(evidence, anchor, sentence.cited)
        and _holds(evidence, anchor, frozenset({best.chunk}))
        for anchor, match in sentence.matches
        if anchor.kind != "ordinal"
    )
    held = cited.share if cited is not None else 0.0
    unmapped = sentence.is_claim and held < min(_LEAST_COVERAGE, best.share - _CLEARLY)
    if best.share < _LEAST_COVERAGE or not (lacking or unmapped):
        return None
    return evidence.quoted(best)


def _holds(evidence: Evidence, anchor: Anchor, chunks: frozenset[int]) -> bool:
    return evidence.find_anchor(anchor, chunks).relation == "same"


def _unknown(label: str, evidence: Evidence) -> str:
    count = len(evidence.chunks)
    there = "there is 1" if count == 1 else f"there are {count or 'none'}"
    return f"[{label}] names no retrieved passage; {there}."
