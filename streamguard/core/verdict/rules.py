"""The coverage status: the first rule that holds, with its figure and its threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Reason, RefusalReport, Status
from streamguard.core.question import Question
from streamguard.text.words import stem


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What the rules ask of one claim. `share` in [0, 1]: its support, or its coverage.

    `has_evidence`: some chunk holds a content word of it, or a value that one of it follows from.
    `wrong`: a warning about its values or names; `miscited`: one about its citations; `unlikely`:
    one about all of it; `doubtful`: something in it was told, with a warning or without; `derived`:
    it has values that follow from others; `disbelieved`: a verifier that may decide leaves it
    unsupported.
    """

    share: float
    contradicted: bool
    unsupported_money: bool
    has_evidence: bool = True
    wrong: bool = False
    miscited: bool = False
    unlikely: bool = False
    doubtful: bool = False
    derived: bool = False
    disbelieved: bool = False


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
    measure: Literal["support", "coverage"] = "coverage"  # what the claims' shares are
    groundedness: float | None = None
    unread: str | None = None  # what passed and could not be read, in words

    @property
    def density(self) -> float:
        """Citations per claim."""
        return self.citations / max(1, len(self.claims))


def is_supported(claim: ClaimVerdict, policy: Policy) -> bool:
    """Say whether the claim maps to its evidence and nothing in it is wrong.

    Literal matching asks for more than the threshold, value matching for the threshold itself.
    """
    least = policy.min_similarity_for_mapping
    mapped = claim.share > least if policy.matching == "literal" else claim.share >= least
    return mapped and not (claim.contradicted or claim.wrong)


def coverage_status(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    """Return the status and its reasons: the rule that held, then what raised a PASS to WARN.

    Where something could not be read there is no PASS: the status is None, or what the rest gave.
    """
    status, reasons = _ruled(facts, policy)
    raised = _raised(facts)
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
    unconditional = policy.matching == "literal"
    citations_count = facts.citations_requested or unconditional
    if facts.measure == "support":
        return _learned(facts, policy, citations_count)
    status, reason = _first_rule(facts, policy, citations_count)
    return status, (reason,)


def _learned(
    facts: Facts, policy: Policy, citations_count: bool
) -> tuple[Status, tuple[Reason, ...]]:
    """Apply the rules where claims have a support score: all that hold, the gravest first."""
    held = [*_refused(facts, policy), *_warned(facts, policy)]
    if citations_count and policy.refuse_on_no_citations and facts.citations == 0:
        held.insert(0, ("REFUSE", _uncited()))
    elif citations_count and facts.density < policy.min_citation_density:
        held.append(("WARN", _sparse(facts, policy)))
    if not held:
        message = "Nothing was found in the answer that the passages do not support."
        return "PASS", (_reason("supported", "6", message, facts.groundedness),)
    status: Status = "REFUSE" if any(one == "REFUSE" for one, _ in held) else "WARN"
    return status, tuple(reason for _, reason in held)


def _refused(facts: Facts, policy: Policy) -> Iterator[tuple[Status, Reason]]:
    claims, total = facts.claims, len(facts.claims)
    if not any(claim.has_evidence for claim in claims):
        message = "No passage has a word in common with what the answer claims."
        yield "REFUSE", _reason("no_mapping", "2", message, 0, 1)
    wrong = sum(claim.wrong or claim.contradicted for claim in claims)
    if wrong == total:
        every = "The answer's only claim" if total == 1 else f"Each of the answer's {total} claims"
        message = f"{every} is unsupported or contradicted."
        yield "REFUSE", _reason("all_wrong", "2", message, wrong, total)
    grounded = facts.groundedness
    # Of what is reckoned the words say little: right computations look unsupported.
    many = sum(not claim.derived for claim in claims) > policy.few_claims
    if many and grounded is not None and grounded < policy.min_groundedness:
        message = (
            f"The chance that the passages support all of the answer is put at {_cut(grounded)};"
            f" it should be at least {policy.min_groundedness:g}."
        )
        yield (
            "REFUSE",
            _reason("low_groundedness", "3", message, grounded, policy.min_groundedness),
        )


def _warned(facts: Facts, policy: Policy) -> Iterator[tuple[Status, Reason]]:
    claims, total = facts.claims, len(facts.claims)
    contradicted = sum(claim.contradicted for claim in claims)
    money = sum(claim.unsupported_money for claim in claims)
    other = sum(
        claim.miscited or (claim.wrong and not (claim.contradicted or claim.unsupported_money))
        for claim in claims
    )
    if contradicted:
        message = f"{_claims_are(contradicted, total)} contradicted by the passages."
        yield "WARN", _reason("contradicted_claim", "5", message, contradicted, 0)
    if money:
        message = f"In {_part(money, total)} an amount of money is in no passage."
        yield "WARN", _reason("unsupported_money", "5", message, money, 0)
    if other:
        message = f"In {_part(other, total)} a value, name or citation does not fit the passages."
        yield "WARN", _reason("unsupported_detail", "5", message, other, 0)
    disbelieved = sum(claim.disbelieved for claim in claims)
    if disbelieved:
        message = f"{_claims_are(disbelieved, total)} unsupported, as verifiers read the passages."
        yield "WARN", _reason("unsupported_claim", "5", message, disbelieved, 0)
    doubtful = sum(claim.doubtful for claim in claims)
    if doubtful and (total <= policy.few_claims or any(claim.unlikely for claim in claims)):
        message = f"In {_part(doubtful, total)} something is worth a look; see the marks."
        yield "WARN", _reason("doubtful_claim", "5", message, doubtful, 0)


def _uncited() -> Reason:
    return _reason("no_citations", "1", "The answer names no source.", 0, 1)


def _sparse(facts: Facts, policy: Policy) -> Reason:
    least = policy.min_citation_density
    total = len(facts.claims)
    count, claims = _counted(facts.citations, "citation"), _counted(total, "claim")
    message = f"Too few sources: {count} for {claims}; at least {ceil(least * total)} should be."
    return _reason("citation_density", "4", message, facts.density, least)


def _part(number: int, total: int) -> str:
    return f"{number} of {total} claims" if total > 1 else "the only claim"


def _first_rule(facts: Facts, policy: Policy, citations_count: bool) -> tuple[Status, Reason]:
    """Return the first of rules 1 to 6 that holds, as published: for coverage."""
    total = len(facts.claims)
    uncovered = sum(not is_supported(claim, policy) for claim in facts.claims)
    # A short claim may sound likely, but nothing maps where no word of the answer is in a chunk.
    mapped = any(claim.has_evidence for claim in facts.claims)
    best = max((claim.share for claim in facts.claims), default=0.0) if mapped else 0.0
    ratio = uncovered / max(1, total)
    least_any = policy.min_similarity_for_any_mapping
    if citations_count and policy.refuse_on_no_citations and facts.citations == 0:
        return "REFUSE", _uncited()
    if total and best < least_any:
        message = (
            f"The passages hold too little of every claim: of the best a share of {_cut(best)},"
            f" where at least {least_any:g} is needed."
        )
        if not mapped:
            message = "No passage has a word in common with what the answer claims."
        return "REFUSE", _reason("no_mapping", "2", message, best, least_any)
    if uncovered > policy.max_uncovered_claims:
        message = (
            f"{_claims_are(uncovered, total)} not supported by the passages; at most"
            f" {policy.max_uncovered_claims} may be."
        )
        return "REFUSE", _reason(
            "uncovered_claims", "3", message, uncovered, policy.max_uncovered_claims
        )
    if total >= 2 and ratio > policy.max_uncovered_ratio:
        message = (
            f"{_claims_are(uncovered, total)} not supported by the passages; at most"
            f" {policy.max_uncovered_ratio:.0%} of them may be."
        )
        return "REFUSE", _reason("uncovered_ratio", "3", message, ratio, policy.max_uncovered_ratio)
    if citations_count and facts.density < policy.min_citation_density:
        return "WARN", _sparse(facts, policy)
    return _rule_five(facts, policy)


def _rule_five(facts: Facts, policy: Policy) -> tuple[Status, Reason]:
    total = len(facts.claims)
    contradicted = sum(claim.contradicted for claim in facts.claims)
    money = sum(claim.unsupported_money for claim in facts.claims)
    weakest = min((claim.share for claim in facts.claims), default=1.0)
    if contradicted:
        message = f"{_claims_are(contradicted, total)} contradicted by the passages."
        return "WARN", _reason("contradicted_claim", "5", message, contradicted, 0)
    if money:
        message = f"In {_part(money, total)} an amount of money is in no passage."
        return "WARN", _reason("unsupported_money", "5", message, money, 0)
    if weakest < policy.warn_similarity:
        least = policy.warn_similarity
        message = (
            f"The passages hold too little of a claim: a share of {_cut(weakest)}, where at least"
            f" {least:g} is needed."
        )
        return "WARN", _reason("weak_claim", "5", message, weakest, policy.warn_similarity)
    bare = sum(not claim.has_evidence for claim in facts.claims)
    if bare:
        message = f"{_claims_are(bare, total)} about something of which no passage has a word."
        return "WARN", _reason("no_evidence", "5", message, bare, 0)
    message = (
        f"The passages hold enough of every claim: a share of {weakest:.2f} or more, where"
        f" {policy.warn_similarity:g} is needed."
    )
    return "PASS", _reason("supported", "6", message, weakest)


def _claims_are(number: int, total: int) -> str:
    if total == 1:
        return "The answer's only claim is"
    return f"{number} of {total} claims {'is' if number == 1 else 'are'}"


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _cut(value: float) -> str:
    """Return two decimals of a value in [0, 1], never those of a threshold above it."""
    return f"{value:.9f}"[:4]


def _raised(facts: Facts) -> tuple[Reason, ...]:
    raised = []
    if not facts.complete:
        raised.append(_reason("incomplete", "raise", "The answer broke off before its end."))
    if facts.errors:
        message = f"{_counted(facts.errors, 'check')} did not finish."
        raised.append(_reason("check_error", "raise", message, facts.errors, 0))
    if facts.limited:
        message = "A limit was reached, and the rest of the answer was not checked."
        raised.append(_reason("limit_reached", "raise", message))
    return tuple(raised)


def _reason(
    code: str, rule: str, message: str, value: float | None = None, threshold: float | None = None
) -> Reason:
    rounded = round(value, 6) if isinstance(value, float) else value
    return Reason(code, rule, rounded, threshold, message)


def refusal_report(
    phrases: tuple[str, ...],
    *,
    claims: int,
    sufficient: bool | None,
    answered: bool,
) -> RefusalReport:
    """Return extent and kind of an answer's refusal.

    `sufficient`: whether the evidence could have answered the question; None for unknown.
    `answered`: whether the answer holds anything but greetings and the like.
    """
    detected = bool(phrases)
    extent: Literal["whole", "partial", "none"] = "none"
    if detected:
        extent = "partial" if claims else "whole"
    kind: Literal["expected", "over_refusal", "missing_refusal", "none"] = "none"
    if sufficient is not None and extent == "whole":
        kind = "over_refusal" if sufficient else "expected"
    elif sufficient is False and answered:
        kind = "missing_refusal"
    return RefusalReport(detected, extent, kind, phrases)


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

    The gate's word counts. Without it a refusal (no `claims`) is over sufficient evidence where
    one chunk holds `min_question_keywords` of the question's keywords. For an answer all chunks
    together may hold them, and claims that the passages support are proof by themselves.
    """
    retrieval = context.retrieval
    if retrieval is not None and retrieval.is_answerable is not None:
        return retrieval.is_answerable
    evidence = context.evidence
    if question is None or evidence is None:
        return None
    least = policy.min_question_keywords
    if policy.matching == "literal":
        return evidence.keys_in_one_chunk(question.keywords) >= least
    if claims and _are_proof(claims, policy):
        return True
    keywords = [key for key in question.keywords if key not in _ASKING]
    if not claims or not keywords:
        return evidence.keys_in_one_chunk(keywords) >= least
    held = sum(posting.df > 0 for posting in evidence.postings(keywords))
    return held >= least * len(keywords)


def _are_proof(claims: Sequence[ClaimVerdict], policy: Policy) -> bool:
    """Say whether more than half of the claims are supported, or none is weak or contradicted."""
    if sum(is_supported(claim, policy) for claim in claims) * 2 > len(claims):
        return True
    return all(claim.share >= policy.warn_similarity and not claim.contradicted for claim in claims)
