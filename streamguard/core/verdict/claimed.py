"""The verdict on each claim of an answer: its support, its evidence, and its findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from streamguard.core.facts.model import Edit
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import EvidenceSpan, SentenceReport
from streamguard.core.model.types import Finding, Nearest, Word
from streamguard.core.sentence import Sentence

_MessageMark = Literal[
    "contradicted_claim", "unsupported_money", "unsupported_detail", "unsupported_claim"
]
Mark = _MessageMark | Literal["wrong", "unlikely", "doubtful", "derived"]
WRONG: frozenset[Mark] = frozenset(["contradicted_claim", "wrong"])
VERIFIER = "verifier "  # prefix of the checks of scorers' findings
FAST = "fast"  # the scorer of the core, as `scored_by` names it
JUDGE = "judge "  # prefix of judges' names: "judge gpt-4o v2"
# The marks that a warning of each check gives its claim.
_WARNED: dict[str, tuple[Mark, ...]] = {
    "unsupported_price": ("wrong", "unsupported_money"),
    "unsupported_value": ("wrong", "unsupported_detail"),
    "unsupported_name": ("wrong", "unsupported_detail"),
    "contradicted_value": ("wrong",),
    "citation_mismatch": ("unsupported_detail",),
    "citation_unknown": ("unsupported_detail",),
    "doubtful": ("unlikely",),
}
# The marks that a verifier's finding gives its claim, by flag.
_READ: dict[str, tuple[Mark, ...]] = {
    "unsupported_claim": ("unsupported_claim",),
    "citation_mismatch": ("unsupported_detail",),
}
DOUBTS = frozenset(["opposite", "other_owner", "other_name", "doubtful"])
_RULED = 100  # sentences ruled on between two pauses; guess, half a millisecond
# The fields of a sentence's report besides its place and findings: whether it is a claim, coverage,
# support, evidence, and the labels of the cited chunks.
Judgement = tuple[bool, float | None, float | None, EvidenceSpan | None, tuple[str, ...]]
UNJUDGED: Judgement = (False, None, None, None, ())


def judged(sentence: Sentence) -> Judgement:
    """Return the fields of a sentence's report; only a claim has coverage and evidence."""
    evidence = sentence.scope.evidence
    if evidence is None:
        return (sentence.is_claim, *UNJUDGED[1:])
    support = sentence.support.probability if sentence.support else None
    cited: tuple[str, ...] = ()
    if sentence.cited:
        cited = tuple([evidence.labels[number] for number in sorted(sentence.cited)])
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

    Without a best window the first operand's place stands for it; None if there is neither.
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


def claimed_chars(reports: Iterable[SentenceReport]) -> int:
    """Return how many characters the claims among an answer's sentences have."""
    return sum(one.end - one.start for one in reports if one.is_claim)


def is_derived(report: SentenceReport) -> bool:
    """Return whether a value of the sentence follows from values of the passages."""
    return report.evidence is not None and report.evidence.derivation is not None


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """The facts about one claim that the rules use.

    `share`, in [0, 1]: its support; its coverage if the policy matches literally.
    `marks`: the kinds of its findings, and `derived`:
    - `wrong`: a warning about its values or names
    - `unlikely`: a warning about the whole claim
    - `doubtful`: a finding about a likely difference, with or without a warning
    - `unsupported_detail`: a warning about a value, a name or its citations
    - `unsupported_claim`: a verifier that may decide leaves it unsupported
    - `derived`: it has values that follow from others
    `has_evidence`: some chunk (of the cited ones, if it `cites`) holds a content word of it or a
    value from which one of its own follows, or a judge reads it as supported.
    `judged`: the verdict of the judge that counts.
    `language`: its language, if it was not judged in full for that.
    `is_scored`: some scorer read it; with literal matching its coverage counts as a score.
    `messages`: the message of the first finding by mark, and by check.
    """

    share: float
    marks: frozenset[Mark] = frozenset()
    has_evidence: bool = True
    cites: bool = False
    judged: Word | None = None
    language: str | None = None
    is_scored: bool = True
    messages: Mapping[str, str] = field(default_factory=dict)


def claim_verdicts(
    reports: Sequence[SentenceReport], findings: Sequence[Finding], is_learned: bool
) -> Iterator[list[ClaimVerdict]]:
    """Yield the facts of the claims in parts; other streams may take their turn in between."""
    for at in range(0, len(reports), _RULED):
        some = reports[at : at + _RULED]
        yield [_verdict(each, findings, is_learned) for each in some if each.is_claim]


def _verdict(report: SentenceReport, findings: Sequence[Finding], is_learned: bool) -> ClaimVerdict:
    share = report.coverage or 0.0
    if is_learned:
        # A claim without a score does not count against the answer; the error makes PASS a WARN.
        share = 1.0 if report.support is None else report.support
    marks, messages = set[Mark](), dict[str, str]()
    for finding in map(findings.__getitem__, report.findings):
        of_finding = [*_marks(finding)]
        marks.update(of_finding)
        for name in (finding.check, *of_finding):
            messages.setdefault(name, finding.message or "")
    if is_derived(report):
        marks.add("derived")
    judged, language = report.judged, None if report.scored_by else report.language
    has_evidence = bool(report.coverage) or "derived" in marks or judged == "supported"
    if language is not None:  # its words count neither for it nor against it
        share, has_evidence = 0.0, True
    cites = bool(report.cited_chunks)
    is_scored = bool(report.scored_by) or not is_learned
    return ClaimVerdict(
        share, frozenset(marks), has_evidence, cites, judged, language, is_scored, messages
    )


def _marks(finding: Finding) -> Iterator[Mark]:
    if finding.effect == "none":
        return
    if finding.check in DOUBTS:
        yield "doubtful"
    if finding.severity == "warning":
        if finding.flag == "contradicted_claim":
            yield "contradicted_claim"
        if finding.check.startswith(VERIFIER):
            yield from _READ.get(finding.flag, ())
        yield from _WARNED.get(finding.check, ())


def is_supported(claim: ClaimVerdict, policy: Policy) -> bool:
    """Return whether a scorer finds the claim likely supported, and nothing in it is wrong.

    Literally its words' coverage decides, strictly above the threshold.
    """
    if claim.language is not None or not claim.marks.isdisjoint(WRONG):
        return False
    if policy.matching == "literal":
        return claim.share > policy.min_similarity_for_mapping
    return claim.share >= policy.min_support


def is_read(claim: ClaimVerdict, policy: Policy) -> bool:
    """Return whether a judge reads the claim as supported, and its calibration bears that out."""
    return claim.judged == "supported" and claim.share >= policy.min_support
