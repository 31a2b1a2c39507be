"""What a sentence comes to by itself: its part of the result, and what the rules ask of a claim."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from streamguard.core.facts.model import Edit
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import EvidenceSpan, SentenceReport
from streamguard.core.model.types import Finding, Nearest
from streamguard.core.sentence import Sentence

Mark = Literal[
    "contradicted_claim",
    "unsupported_money",
    "unsupported_detail",
    "unsupported_claim",
    "wrong",
    "unlikely",
    "doubtful",
    "derived",
]
WRONG: frozenset[Mark] = frozenset(["contradicted_claim", "wrong"])
VERIFIER = "verifier "  # how the checks of verifiers' findings begin
# What warnings say of their claim, by check, and the checks that only doubt it (`checks/edits`).
_WARNED: dict[str, tuple[Mark, ...]] = {
    "unsupported_price": ("wrong", "unsupported_money"),
    "unsupported_value": ("wrong", "unsupported_detail"),
    "unsupported_name": ("wrong", "unsupported_detail"),
    "contradicted_value": ("wrong",),
    "citation_mismatch": ("unsupported_detail",),
    "citation_unknown": ("unsupported_detail",),
    "doubtful": ("unlikely",),
}
_DOUBTS = frozenset(["opposite", "other_owner", "other_name", "doubtful"])
_RULED = 100  # sentences that are ruled on between two pauses; guess, half a millisecond


# Beside its place and its findings: whether it is a claim, coverage, support, evidence, and the
# chunks that it cites.
Judgement = tuple[bool, float | None, float | None, EvidenceSpan | None, tuple[str, ...]]
UNJUDGED: Judgement = (False, None, None, None, ())


def judged(sentence: Sentence) -> Judgement:
    """Return what the result says of a sentence; coverage and evidence are a claim's alone."""
    evidence = sentence.scope.evidence if sentence.scope else None
    if evidence is None:
        return (sentence.is_claim, *UNJUDGED[1:])
    support = sentence.support.probability if sentence.support else None
    cited = tuple(evidence.labels[number] for number in sorted(sentence.cited))
    if not sentence.is_claim:
        return False, None, support, None, cited
    best = sentence.coverage
    span = EvidenceSpan(evidence.labels[best.chunk], best.start, best.end) if best else None
    if sentence.derived:
        span = with_derivations(span, sentence.derived.values(), evidence)
    return True, best.share if best else 0.0, support, span, cited


def with_derivations(
    best: EvidenceSpan | None, derived: Iterable[Edit], evidence: Evidence
) -> EvidenceSpan | None:
    """Return a sentence's evidence with how its values follow: "$49/month × 12 = $588 per year".

    Without a best window the first operand's place stands for it; None where there is neither.
    Values that a passage holds elsewhere by chance are not told.
    """
    words: list[str] = []
    operands: dict[Nearest, None] = {}
    for edit in derived:
        if edit.absent and edit.derivation and edit.slot and edit.slot.anchor:
            words.append(f"{edit.derivation.words} = {edit.slot.anchor.text}")
            operands |= dict.fromkeys(map(evidence.slot_place, edit.operands))
    if best is None and operands:
        first = next(iter(operands))
        best = EvidenceSpan(first.chunk_id, first.start, first.end)
    if best is None or not words:
        return best
    return replace(best, derivation="; ".join(words), operands=tuple(operands))


def is_derived(report: SentenceReport) -> bool:
    """Say whether a value of the sentence follows from values of the passages."""
    return report.evidence is not None and report.evidence.derivation is not None


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What the rules ask of one claim. `share` in [0, 1]: its support, or its coverage.

    `marks` say what was found of it. `unsupported_detail`: a warning about a value, a name or its
    citations; `unsupported_claim`: a verifier that may decide leaves it unsupported; `wrong`: a
    warning about its values or names; `unlikely`: one about all of it; `doubtful`: something in it
    was told, with a warning or without; `derived`: it has values that follow from others.
    `has_evidence`: some chunk holds a content word of it, or a value that one of it follows from;
    where it cites (`cites`), some chunk that it cites.
    """

    share: float
    marks: frozenset[Mark] = frozenset()
    has_evidence: bool = True
    cites: bool = False


def claim_verdicts(
    reports: Sequence[SentenceReport],
    findings: Sequence[Finding],
    *,
    is_learned: bool,
) -> Generator[list[ClaimVerdict], None, None]:
    """Yield what the rules ask of the claims, by parts: where others may take their turn."""
    for at in range(0, len(reports), _RULED):
        some = reports[at : at + _RULED]
        yield [_verdict(each, findings, is_learned) for each in some if each.is_claim]


def _verdict(report: SentenceReport, findings: Sequence[Finding], is_learned: bool) -> ClaimVerdict:
    share = report.coverage or 0.0
    if is_learned:
        # What could not be scored is not held against the answer; its error raises a PASS to WARN.
        share = 1.0 if report.support is None else report.support
    marks = {mark for number in report.findings for mark in _marks(findings[number])}
    if is_derived(report):
        marks.add("derived")
    has_evidence = bool(report.coverage) or "derived" in marks
    return ClaimVerdict(share, frozenset(marks), has_evidence, bool(report.cited_chunks))


def _marks(finding: Finding) -> Iterator[Mark]:
    if finding.flag == "contradicted_claim":
        yield "contradicted_claim"
    if finding.flag == "unsupported_claim" and finding.check.startswith(VERIFIER):
        yield "unsupported_claim"
    if finding.check in _DOUBTS:
        yield "doubtful"
    if finding.severity == "warning":
        yield from _WARNED.get(finding.check, ())


def is_supported(claim: ClaimVerdict, policy: Policy) -> bool:
    """Say whether the claim maps to its evidence and nothing in it is wrong.

    Literal matching asks for more than the threshold, value matching for the threshold itself.
    """
    least = policy.min_similarity_for_mapping
    mapped = claim.share > least if policy.matching == "literal" else claim.share >= least
    return mapped and claim.marks.isdisjoint(WRONG)
