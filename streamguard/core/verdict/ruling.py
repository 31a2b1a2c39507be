"""Applies the scores of one sentence to its report and its findings.

A judge's score counts at once (`judges`). Another scorer's counts where the policy lets it decide,
or where the score says that it is calibrated: it changes the support, and a contradiction that it
is sure of becomes a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from streamguard.core.index.evidence import Evidence
from streamguard.core.model import finding_texts
from streamguard.core.model.finding_texts import PassageWords
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Nearest, Opinion, Score
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import VERIFIER
from streamguard.core.verdict.judges import Ruling, judge_ruling, standing, surest
from streamguard.core.verdict.weighing import combined, judge_calibration, rescored

# Of a score that says it is calibrated: its support as it is. The lines are not used.
_AS_IT_IS: Final = Calibration.model_construct(
    intercept=0.0,
    ours=0.0,
    doubt=0.0,
    warned=0.0,
    support=1.0,
    contradiction=0.0,
    answer_intercept=0.0,
    answer_slope=1.0,
)


@dataclass(frozen=True, slots=True)
class RulingBasis:
    """What the rulings on an answer's sentences share.

    `findings` are all those of the answer, as its reports count them; `texts` the passages by
    their labels.
    """

    policy: Policy
    evidence: Evidence | None
    findings: Sequence[Finding]
    texts: Mapping[str, str]


def ruling_basis(
    policy: Policy, evidence: Evidence | None, findings: Sequence[Finding]
) -> RulingBasis:
    """Return what the rulings on the sentences of an answer share."""
    texts = dict(zip(evidence.labels, evidence.texts, strict=True)) if evidence else {}
    return RulingBasis(policy, evidence, findings, texts)


def ruling_on(
    sentence: Sentence, report: SentenceReport, scores: Mapping[str, Score], known: RulingBasis
) -> Ruling:
    """Return the outcome of a sentence's scores; their order does not matter."""
    policy = known.policy
    scores = {name: standing(one, known.texts) for name, one in sorted(scores.items())}
    opinions = tuple(
        Opinion(
            name,
            one.support,
            one.contradiction,
            one.similarity,
            one.message,
            one.word,
            one.confidence,
            one.quotations,
        )
        for name, one in scores.items()
    )
    report = replace(report, opinions=opinions)
    deciding = {name: one for name, one in scores.items() if may_decide(policy, one, name)}
    if (judged := surest(deciding)) is not None:
        calibration = judge_calibration(judged[0], policy)
        ruling = judge_ruling(sentence, report, known.findings, judged, calibration, policy)
        return replace(ruling, calibrations={judged[0]: calibration})
    others = {name: one for name, one in deciding.items() if one.word is None}
    return _weighed(sentence.text, report, others, known)


def may_decide(policy: Policy, score: Score, name: str) -> bool:
    """Return whether the policy lets this score change the result."""
    if policy.matching == "literal":
        return False
    if policy.deciding_verifiers is None and score.calibrated:
        return True
    return policy.decides(name, is_judge=score.word is not None)


def _weighed(
    text: str, report: SentenceReport, deciding: Mapping[str, Score], known: RulingBasis
) -> Ruling:
    """Return the ruling of scores that are probabilities on a sentence."""
    policy, own = known.policy, {number: known.findings[number] for number in report.findings}
    raised = list(_contradictions(text, report, deciding, known))
    calibrated = {
        name: (one, calibration)
        for name, one in deciding.items()
        if (calibration := _calibration(name, one, policy)) is not None
    }
    dropped: list[int] = []
    if calibrated:
        support = round(combined(report, known.findings, calibrated.values()), 6)
        report = rescored(report, support, calibrated, policy)
        if support < policy.min_support:
            who = ", ".join(calibrated)
            message = finding_texts.denied(who, _nearest(report, known.evidence), contradicts=False)
            scores = [one for one, _ in calibrated.values()]
            raised.append(_finding("unsupported_claim", who, message, report, text, scores))
        else:  # not those of the same flag that name what differs from the passages
            dropped = [number for number, one in own.items() if one.check == "unsupported_claim"]
    used = {name: one for name, (_, one) in calibrated.items() if one is not _AS_IT_IS}
    return Ruling(report, raised, dropped, calibrations=used)


def _calibration(name: str, score: Score, policy: Policy) -> Calibration | None:
    """Return the calibration of a score, an identity for a calibrated one, None without any."""
    if name in policy.verifiers:
        return (
            None if (score.support, score.contradiction) == (None, None) else policy.verifiers[name]
        )
    return _AS_IT_IS if score.calibrated and score.support is not None else None


def _contradictions(
    text: str, report: SentenceReport, deciding: Mapping[str, Score], known: RulingBasis
) -> Iterator[Finding]:
    """Yield a finding for each scorer that is sure of a contradiction without a finding yet."""
    if any(known.findings[number].flag == "contradicted_claim" for number in report.findings):
        return
    for name, one in deciding.items():
        if (one.contradiction or 0.0) > known.policy.contradicted_from:
            passage = _nearest(report, known.evidence)
            message = one.message or finding_texts.denied(name, passage, contradicts=True)
            yield _finding("contradicted_claim", name, message, report, text, [one])


def _finding(
    flag: str, by: str, message: str, report: SentenceReport, text: str, scores: Sequence[Score]
) -> Finding:
    place = _doubted(report, text, scores)
    return Finding(flag, f"{VERIFIER}{by}", "warning", *place, None, message)


def _nearest(report: SentenceReport, evidence: Evidence | None) -> PassageWords | None:
    """Return the words of the sentence's best evidence and their place, None if it has none."""
    at = report.evidence
    if evidence is None or at is None:
        return None
    number = evidence.chunk_number(at.chunk_id)
    words = "" if number is None else evidence.texts[number][at.start : at.end]
    return evidence.passage_words(Nearest(words, at.chunk_id, at.start, at.end))


def _doubted(report: SentenceReport, text: str, scores: Sequence[Score]) -> tuple[int, int, str]:
    """Return place and text of the words that the score with the least support calls wrong.

    If no score names words of the sentence, its place and text.
    """
    places = [
        (1.0 if one.support is None else one.support, *one.doubted)
        for one in scores
        if one.doubted is not None and one.doubted[1] <= len(text)
    ]
    if not places:
        return report.start, report.end, text
    _, start, end = min(places)
    return report.start + start, report.start + end, text[start:end]
