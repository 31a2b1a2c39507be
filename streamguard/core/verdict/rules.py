"""The coverage status: the rules that hold, each with its figure and its threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Reason, RefusalReport, Status
from streamguard.core.question import Question
from streamguard.core.verdict.claims import WRONG, ClaimVerdict, Mark, is_supported
from streamguard.text.words import counted

# What a rule that holds makes of the answer; the others leave it PASS.
_REFUSING, _WARNING = frozenset("123"), frozenset("45")
# Rule 5: what a claim is marked with, which is the reason's code too, and how the reason reads. The
# first two are the published ones.
_MARKED: tuple[tuple[Mark, str], ...] = (
    ("contradicted_claim", "The passages contradict {}."),
    ("unsupported_money", "In {} an amount of money is in no passage."),
    ("unsupported_detail", "In {} a value, name or citation does not fit the passages."),
    ("unsupported_claim", "As verifiers read the passages, they do not support {}."),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules ask of one answer. `groundedness` in [0, 1]; None where nothing is scored."""

    has_text: bool
    context_given: bool
    claims: tuple[ClaimVerdict, ...]
    citations: int
    citations_requested: bool
    complete: bool
    errors: int
    limited: bool
    groundedness: float | None = None
    unknown_sources: int = 0  # of the caller's own list
    unread: str | None = None  # what passed and could not be read, in words

    def of(self, number: int) -> str:
        """Return "2 of 3 claims"."""
        total = len(self.claims)
        return f"{number} of {total} claims" if total > 1 else "the only claim"

    def marked(self, *marks: Mark) -> int:
        """Return how many claims have one of these marks."""
        return sum(not claim.marks.isdisjoint(marks) for claim in self.claims)


def coverage_status(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    """Return the status and its reasons: the rule that held, then what raised a PASS to WARN.

    Where something could not be read there is no PASS: the status is None, or what the rest gave.
    """
    status, reasons = _ruled(facts, policy)
    raised = tuple(_raised(facts))
    if facts.unread is not None:
        message = f"Not all of the answer could be read, so it was not judged: {facts.unread}."
        unread = _reason("unread", "a", message)
        if status in ("WARN", "REFUSE"):
            return status, (*reasons, unread, *raised)
        return None, (unread, *raised)
    if status == "PASS" and raised:
        return "WARN", (*raised, *reasons)
    return status, (*reasons, *raised)


def _ruled(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    if not facts.has_text:
        return "PASS", (_reason("nothing_to_check", "a", "The answer holds no text."),)
    if not facts.context_given:
        message = "No passages were given, so the answer was not judged against any."
        return None, (_reason("no_context_given", "b", message),)
    if not facts.claims:
        return "PASS", (_reason("no_claims", "c", "The answer makes no claim to check."),)
    if policy.matching == "literal":  # as published: the first that holds
        reasons = [next(_published(facts, policy))]
    else:
        reasons = _learned(facts, policy)
    held = {reason.rule for reason in reasons}
    status: Status = "PASS" if held.isdisjoint(_WARNING) else "WARN"
    return status if held.isdisjoint(_REFUSING) else "REFUSE", tuple(reasons)


def _learned(facts: Facts, policy: Policy) -> list[Reason]:
    """Return the rules that hold, the gravest first.

    What is wrong in the answer comes before what its citations lack.
    """
    reasons = [*_refused(facts, policy), *_marked(facts, _MARKED), *_warned(facts, policy)]
    if reasons := reasons + ([*_uncited(facts, policy)] or [*_sparse(facts, policy)]):
        return reasons
    message = "Nothing was found in the answer that the passages do not support."
    return [_reason("supported", "6", message, facts.groundedness)]


def _refused(facts: Facts, policy: Policy) -> Iterator[Reason]:
    claims, total = facts.claims, len(facts.claims)
    if not any(claim.has_evidence for claim in claims):
        message = "No passage has a word in common with what the answer claims."
        if any(claim.cites for claim in claims):
            message = "The answer cites no passage that has a word in common with its claims."
        yield _reason("no_mapping", "2", message, 0, 1)
    if (wrong := facts.marked(*WRONG)) == total:
        message = "Every claim of the answer is unsupported or contradicted."
        yield _reason("all_wrong", "2", message, wrong, total)
    grounded, least = facts.groundedness, policy.min_groundedness
    # Of what is reckoned the words say little: right computations look unsupported.
    many = total - facts.marked("derived") > policy.few_claims
    if many and grounded is not None and grounded < least:
        message = (
            f"The chance that the passages support all of the answer is put at {_cut(grounded)};"
            f" it should be at least {least:g}."
        )
        yield _reason("low_groundedness", "3", message, grounded, least)


def _marked(facts: Facts, marks: Sequence[tuple[Mark, str]]) -> Iterator[Reason]:
    for mark, message in marks:
        if found := facts.marked(mark):
            yield _reason(mark, "5", message.format(facts.of(found)), found, 0)


def _warned(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if unknown := facts.unknown_sources:
        message = f"Citations that name no retrieved passage: {unknown}."
        yield _reason("unknown_source", "5", message, unknown, 0)
    doubtful, is_short = facts.marked("doubtful"), len(facts.claims) <= policy.few_claims
    if doubtful and (is_short or facts.marked("unlikely")):
        message = f"In {facts.of(doubtful)} something is worth a look; see the marks."
        yield _reason("doubtful_claim", "5", message, doubtful, 0)


def _published(facts: Facts, policy: Policy) -> Iterator[Reason]:
    """Yield the published rules that hold, in their order: they go by the words' coverage."""
    yield from _uncited(facts, policy)
    claims, total = facts.claims, len(facts.claims)
    shares = [claim.share for claim in claims]
    held = "The cited passages hold a share of"
    best, least = max(shares), policy.min_similarity_for_any_mapping
    if best < least:
        message = f"{held} {_cut(best)} of the best claim; at least {least:g} is needed."
        yield _reason("no_mapping", "2", message, best, least)
    uncovered = sum(not is_supported(claim, policy) for claim in claims)
    bare = f"The passages do not support {facts.of(uncovered)}; at most"
    most, most_of_all = policy.max_uncovered_claims, policy.max_uncovered_ratio
    if uncovered > most:
        yield _reason("uncovered_claims", "3", f"{bare} {most} may be so.", uncovered, most)
    if total >= 2 and uncovered / total > most_of_all:
        message = f"{bare} {most_of_all:.0%} of them may be so."
        yield _reason("uncovered_ratio", "3", message, uncovered / total, most_of_all)
    yield from _sparse(facts, policy)
    yield from _marked(facts, _MARKED[:2])
    weakest, enough = min(shares), policy.warn_similarity
    message = f"{held} {_cut(weakest)} of the weakest claim; at least {enough:g} is needed."
    if weakest < enough:
        yield _reason("weak_claim", "5", message, weakest, enough)
    yield _reason("supported", "6", message, weakest)


def _uncited(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if facts.citations_requested and policy.refuse_on_no_citations and not facts.citations:
        yield _reason("no_citations", "1", "The answer names no source.", 0, 1)


def _sparse(facts: Facts, policy: Policy) -> Iterator[Reason]:
    least, total = policy.min_citation_density, len(facts.claims)
    density = facts.citations / max(1, total)
    if facts.citations_requested and density < least:
        count, claims = counted(facts.citations, "citation"), counted(total, "claim")
        message = (
            f"Too few sources: {count} for {claims}; at least {ceil(least * total)} should be."
        )
        yield _reason("citation_density", "4", message, density, least)


def _cut(value: float) -> str:
    """Return two decimals of a value in [0, 1], never those of a threshold above it."""
    return f"{value:.9f}"[:4]


def _raised(facts: Facts) -> Iterator[Reason]:
    if not facts.complete:
        yield _reason("incomplete", "raise", "The answer broke off before its end.")
    if facts.errors:
        message = f"{counted(facts.errors, 'check')} did not finish."
        yield _reason("check_error", "raise", message, facts.errors, 0)
    if facts.limited:
        message = "A limit was reached, and the rest of the answer was not checked."
        yield _reason("limit_reached", "raise", message)


def _reason(
    code: str, rule: str, message: str, value: float | None = None, threshold: float | None = None
) -> Reason:
    rounded = round(value, 6) if isinstance(value, float) else value
    return Reason(code, rule, rounded, threshold, message)


def refusal_report(
    phrases: tuple[str, ...], *, claims: int, sufficient: bool | None
) -> RefusalReport:
    """Return extent and kind of the refusal of an answer with so many claims.

    `sufficient`: whether the evidence could have answered the question; None for unknown.
    """
    extent: Literal["whole", "partial", "none"] = "none"
    if phrases:
        extent = "partial" if claims else "whole"
    kind: Literal["expected", "over_refusal", "missing_refusal", "none"] = "none"
    if sufficient is not None and extent == "whole":
        kind = "over_refusal" if sufficient else "expected"
    elif sufficient is False and claims:
        kind = "missing_refusal"
    return RefusalReport(bool(phrases), extent, kind, phrases)


def evidence_sufficient(
    context: Context,
    question: Question | None,
    policy: Policy,
    claims: Sequence[ClaimVerdict] = (),
) -> bool | None:
    """Say whether the evidence could answer the question; None when nobody can tell.

    The gate's word counts. Without it nobody can tell of a question without a word. A refusal (no
    `claims`) is over sufficient evidence where one chunk holds `min_question_keywords` of the
    question's keywords. For an answer all chunks together may hold them, or half of its claims be
    supported from `warn_similarity` on, without anything wrong in them.
    """
    retrieval, evidence = context.retrieval, context.evidence
    if retrieval is not None and retrieval.is_answerable is not None:
        return retrieval.is_answerable
    if question is None or evidence is None or not question.words:
        return None
    keywords, least = question.keywords, policy.min_question_keywords
    if not claims or not keywords or policy.matching == "literal":
        return evidence.keys_in_one_chunk(keywords) >= least
    proof = sum(
        claim.share >= policy.warn_similarity and claim.marks.isdisjoint(WRONG) for claim in claims
    )
    held = sum(posting.df > 0 for posting in evidence.postings(keywords))
    return proof * 2 >= len(claims) or held >= least * len(keywords)
