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
from streamguard.text.words import counted, stem

# What a rule that holds makes of the answer; the others leave it PASS.
_REFUSING, _WARNING = frozenset("123"), frozenset("45")
# Rule 5: what a claim is marked with, which is the reason's code too, and how the reason reads. The
# first two are the published ones.
_MARKED: tuple[tuple[Mark, str], ...] = (
    ("contradicted_claim", "{are} contradicted by the passages."),
    ("unsupported_money", "In {of} an amount of money is in no passage."),
    ("unsupported_detail", "In {of} a value, name or citation does not fit the passages."),
    ("unsupported_claim", "{are} unsupported, as verifiers read the passages."),
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

    def are(self, number: int) -> str:
        """Return "2 of 3 claims are"."""
        if len(self.claims) == 1:
            return "The answer's only claim is"
        return f"{self.of(number)} {'is' if number == 1 else 'are'}"

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
    reasons = [*_refused(facts, policy), *_marked(facts, _MARKED), *_unknown(facts)]
    reasons += _doubted(facts, policy)
    if reasons := reasons + ([*_uncited(facts, policy)] or [*_sparse(facts, policy)]):
        return reasons
    message = "Nothing was found in the answer that the passages do not support."
    return [_reason("supported", "6", message, facts.groundedness)]


def _refused(facts: Facts, policy: Policy) -> Iterator[Reason]:
    claims, total = facts.claims, len(facts.claims)
    if not any(claim.has_evidence for claim in claims):
        yield _reason("no_mapping", "2", _unmapped(facts, policy), 0, 1)
    wrong = facts.marked(*WRONG)
    if wrong == total:
        every = "The answer's only claim" if total == 1 else f"Each of the answer's {total} claims"
        message = f"{every} is unsupported or contradicted."
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
            message = message.format(are=facts.are(found), of=facts.of(found))
            yield _reason(mark, "5", message, found, 0)


def _unknown(facts: Facts) -> Iterator[Reason]:
    if unknown := facts.unknown_sources:
        name = "names" if unknown == 1 else "name"
        message = f"{_counted(unknown, 'citation')} {name} no retrieved passage."
        yield _reason("unknown_source", "5", message, unknown, 0)


def _doubted(facts: Facts, policy: Policy) -> Iterator[Reason]:
    doubtful, is_short = facts.marked("doubtful"), len(facts.claims) <= policy.few_claims
    if doubtful and (is_short or facts.marked("unlikely")):
        message = f"In {facts.of(doubtful)} something is worth a look; see the marks."
        yield _reason("doubtful_claim", "5", message, doubtful, 0)


def _published(facts: Facts, policy: Policy) -> Iterator[Reason]:
    """Yield the published rules that hold, in their order: they go by the words' coverage."""
    claims, total = facts.claims, len(facts.claims)
    shares = [claim.share for claim in claims]
    yield from _uncited(facts, policy)
    best, least = max(shares), policy.min_similarity_for_any_mapping
    if best < least:
        message = (
            f"The passages hold too little of every claim: of the best a share of {_cut(best)},"
            f" where at least {least:g} is needed."
        )
        if not best:
            message = _unmapped(facts, policy)
        yield _reason("no_mapping", "2", message, best, least)
    uncovered = sum(not is_supported(claim, policy) for claim in claims)
    bare = f"{facts.are(uncovered)} not supported by the passages; at most"
    most, most_of_all = policy.max_uncovered_claims, policy.max_uncovered_ratio
    if uncovered > most:
        yield _reason("uncovered_claims", "3", f"{bare} {most} may be.", uncovered, most)
    if total >= 2 and uncovered / total > most_of_all:
        message = f"{bare} {most_of_all:.0%} of them may be."
        yield _reason("uncovered_ratio", "3", message, uncovered / total, most_of_all)
    yield from _sparse(facts, policy)
    yield from _marked(facts, _MARKED[:2])
    weakest, enough = min(shares), policy.warn_similarity
    if weakest < enough:
        message = (
            f"The passages hold too little of a claim: a share of {_cut(weakest)}, where at least"
            f" {enough:g} is needed."
        )
        yield _reason("weak_claim", "5", message, weakest, enough)
    message = (
        f"The passages hold enough of every claim: a share of {weakest:.2f} or more, where"
        f" {enough:g} is needed."
    )
    yield _reason("supported", "6", message, weakest)


def _unmapped(facts: Facts, policy: Policy) -> str:
    if policy.matching == "literal" or any(claim.cites for claim in facts.claims):
        return "The answer cites no passage that has a word in common with its claims."
    return "No passage has a word in common with what the answer claims."


def _uncited(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if facts.citations_requested and policy.refuse_on_no_citations and not facts.citations:
        yield _reason("no_citations", "1", "The answer names no source.", 0, 1)


def _sparse(facts: Facts, policy: Policy) -> Iterator[Reason]:
    least, total = policy.min_citation_density, len(facts.claims)
    density = facts.citations / max(1, total)
    if facts.citations_requested and density < least:
        count, claims = _counted(facts.citations, "citation"), _counted(total, "claim")
        needed = ceil(least * total)
        message = f"Too few sources: {count} for {claims}; at least {needed} should be."
        yield _reason("citation_density", "4", message, density, least)


def _counted(number: int, noun: str) -> str:
    return counted(number, noun) if number else f"no {noun}s"


def _cut(value: float) -> str:
    """Return two decimals of a value in [0, 1], never those of a threshold above it."""
    return f"{value:.9f}"[:4]


def _raised(facts: Facts) -> Iterator[Reason]:
    if not facts.complete:
        yield _reason("incomplete", "raise", "The answer broke off before its end.")
    if facts.errors:
        message = f"{_counted(facts.errors, 'check')} did not finish."
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


# What a question is asked with, and not about: "Can I get my money back?" is about the money.
_ASKING = frozenset(
    map(
        stem,
        """
        get got give given need want like know tell say show see find go come take make let mean
        explain describe happen work possible able often far big old fast soon way kind sort type
        thing someone anyone something use good best difference long average
        """.split(),
    )
)


def evidence_sufficient(
    context: Context,
    question: Question | None,
    policy: Policy,
    claims: Sequence[ClaimVerdict] = (),
) -> bool | None:
    """Say whether the evidence could answer the question; None when nobody can tell.

    The gate's word counts. Without it nobody can tell of a question without a word. A refusal (no
    `claims`) is over sufficient evidence where one chunk holds `min_question_keywords` of the
    question's keywords. For an answer all chunks together may hold them, and claims that the
    passages support are proof by themselves.
    """
    retrieval = context.retrieval
    if retrieval is not None and retrieval.is_answerable is not None:
        return retrieval.is_answerable
    evidence = context.evidence
    if question is None or evidence is None or not question.words:
        return None
    least = policy.min_question_keywords
    if policy.matching == "literal":
        return evidence.keys_in_one_chunk(question.keywords) >= least
    if claims and _are_proof(claims, policy):
        return True
    keywords = [key for key in question.keywords if key not in _ASKING]
    if not claims or not keywords:
        return evidence.keys_in_one_chunk(keywords) >= least
    held = sum(posting.df > 0 for posting in evidence.keys.of(keywords))
    return held >= least * len(keywords)


def _are_proof(claims: Sequence[ClaimVerdict], policy: Policy) -> bool:
    """Say whether more than half of the claims are supported, or none is weak or contradicted."""
    if sum(is_supported(claim, policy) for claim in claims) * 2 > len(claims):
        return True
    return all(
        claim.share >= policy.warn_similarity and claim.marks.isdisjoint(WRONG) for claim in claims
    )
