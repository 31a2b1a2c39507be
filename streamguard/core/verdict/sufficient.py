"""Whether the passages could have answered the question, which makes a refusal needless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from streamguard.core.context import Context, Question
from streamguard.core.index.evidence import Coverage, Evidence
from streamguard.core.model.policy import Policy
from streamguard.core.verdict.claimed import WRONG, ClaimVerdict, is_read
from streamguard.text.patterns import lazy_re
from streamguard.values import read_anchors

# Patterns of a question, and the kinds of values that answer it; the first matching row counts.
_KINDS_OF_QUESTION: Final = (
    (lazy_re(r"(?<!\w)(?:how much|costs?|prices?|fees?|charged?)(?!\w)"), ("amount", "percent")),
    (
        lazy_re(r"(?<!\w)how (?:many|long|often|far|big|old|late|early|soon|heavy|large)(?!\w)"),
        ("number", "quantity", "percent", "date", "time"),
    ),
    (lazy_re(r"(?<!\w)(?:when|(?:what|which) (?:time|day|date))(?!\w)"), ("date", "time", "year")),
)


def evidence_sufficient(
    context: Context, question: Question | None, policy: Policy, claims: Sequence[ClaimVerdict] = ()
) -> bool | None:
    """Return whether the evidence could answer the question; None if that cannot be decided.

    For a refusal (no `claims`): False if the gate declined. Otherwise one chunk must hold
    `min_question_keywords` of the question's keywords, and the place with most of them must hold a
    value of the requested kind. So 4 of 108 right refusals count as needless; by the words alone
    38 did (everyday sets and RAGTruth dev, benchmarks/bench_refusals.py).

    For an answer: the gate's decision. Without a gate, all chunks together must hold the keywords,
    or half of its claims must be supported from `warn_similarity` on, with nothing wrong in them.
    """
    retrieval, evidence = context.retrieval, context.evidence
    gate = None if retrieval is None else retrieval.is_answerable
    is_literal = policy.matching == "literal"
    if gate is False or (gate is not None and (claims or is_literal)):
        return gate
    if question is None or evidence is None or not question.words:
        return None
    keywords, least = question.keywords, policy.min_question_keywords
    if is_literal:
        return evidence.keys_in_one_chunk(keywords) >= least
    if not claims:
        return _is_answered(evidence, question, least, gate)
    if not keywords:
        return bool(evidence.chunks)
    proof = sum(
        (claim.share >= policy.warn_similarity or is_read(claim, policy))
        and claim.has_evidence
        and claim.marks.isdisjoint(WRONG)
        for claim in claims
    )
    if proof * 2 >= len(claims):
        return True
    held = sum(posting.df > 0 for posting in evidence.keys.of(keywords))
    return held >= least * len(keywords)


def _is_answered(
    evidence: Evidence, question: Question, least: float, gate: bool | None
) -> bool | None:
    """Return whether a chunk answers the question; None if it only speaks of it."""
    if evidence.keys_in_one_chunk(question.keywords) < least:
        return None if gate else False
    best = evidence.coverage(question.keywords)
    return True if best is not None and _has_value(evidence, best, question) else None


def _has_value(evidence: Evidence, place: Coverage, question: Question) -> bool:
    question_text = question.text.lower()
    kinds = next((kinds for words, kinds in _KINDS_OF_QUESTION if words.search(question_text)), ())
    words = evidence.quoted(place).value or ""
    return bool(kinds) and any(anchor.kind in kinds for anchor in read_anchors(words))
