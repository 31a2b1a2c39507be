"""What verifiers said of an answer's sentences, and what that makes of its result.

A verifier's word is listed beside ours. A judge's counts at once (`judges`). Another verifier's
does where the policy lets it decide: it changes the support, by its calibration, and a
contradiction that it is sure of becomes a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import NamedTuple

from streamguard.core.machine.ledger import MAX_FINDINGS
from streamguard.core.model import finding_texts
from streamguard.core.model.finding_texts import PassageWords
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Nearest, Opinion, Verdict, about_answer
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import VERIFIER
from streamguard.core.verdict.closing import Closing
from streamguard.core.verdict.judges import Ruling, is_judge, ruling, standing, surest
from streamguard.core.verdict.weighing import combined, judge_calibration

Line = tuple[float, float]  # intercept and slope of groundedness


@dataclass(frozen=True, slots=True)
class Words:
    """Verdicts by the sentence's index, then by the verifier's name; and what went wrong.

    `errors`: verifier and words for each kind of error, in words that hold no secret. `asked`: the
    names of all that were to read the answer's claims.
    """

    verdicts: Mapping[int, Mapping[str, Verdict]] = field(default_factory=dict)
    errors: Sequence[tuple[str, str]] = ()
    asked: Sequence[str] = ()


class _Heard(NamedTuple):
    """What is made of one sentence, and the calibrations that had a part in its support."""

    ruling: Ruling
    calibrations: Mapping[str, Calibration]


def heard(closing: Closing, words: Words) -> Closing:
    """Return the closing as the verifiers' words leave it; their order does not matter."""
    sentences = zip(closing.answer.sentences, closing.reports, strict=True)
    evidence = closing.context.evidence
    texts = dict(zip(evidence.labels, evidence.texts, strict=True)) if evidence else {}
    said = {at: each for at, each in words.verdicts.items() if at >= closing.first}
    found = [
        # No word counts of what turned out to be a thought.
        _heard(closing, sentence, report, said.get(sentence.index, {}), texts)
        for sentence, report in sentences
    ]
    reports, findings = _renumbered(closing, [each.ruling for each in found])
    judged = [each.calibrations for each in found if each.ruling.report.judged is not None]
    others = [each.calibrations for each in found if each.ruling.report.judged is None]
    errors = []
    for verifier, wrong in sorted(words.errors):
        where = f"{VERIFIER}{verifier}"
        errors.append(f"{where}: {wrong}")
        message = f"The {where} failed ({wrong}); what it would have said is unknown."
        error = about_answer("check_error", where, message)
        # Without a judge's word the fast verdict counts, as if none had been asked.
        findings.append(replace(error, severity="info") if is_judge(verifier) else error)
    return replace(
        closing,
        reports=reports,
        findings=findings[:MAX_FINDINGS],
        errors=(*closing.errors, *errors),
        answer_line=_mean_line(others),
        judge_line=_mean_line(judged),
        similarity=_similarity(reports),
        judges=_judges(closing.policy, words),
        judge_errors=sum(is_judge(verifier) for verifier, _ in words.errors),
    )


def _judges(policy: Policy, words: Words) -> tuple[str, ...]:
    """Return the names of the judges whose words count in this answer, or would."""
    said = {
        name
        for each in words.verdicts.values()
        for name, one in each.items()
        if one.word is not None
    }
    asked = said.union(filter(is_judge, words.asked))
    return tuple(sorted(name for name in asked if _decides(policy, name, is_a_judge=True)))


def _decides(policy: Policy, name: str, *, is_a_judge: bool) -> bool:
    return policy.decides(name, is_judge=is_a_judge) and policy.matching != "literal"


def _renumbered(
    closing: Closing, rulings: Sequence[Ruling]
) -> tuple[list[SentenceReport], list[Finding]]:
    """Return reports and findings without those that are dropped, and with those that are new."""
    dropped = {number for each in rulings for number in each.dropped}
    changed = {number: one for each in rulings for number, one in each.changed.items()}
    kept = [number for number in range(len(closing.findings)) if number not in dropped]
    place = {old: new for new, old in enumerate(kept)}
    findings = [changed.get(number, closing.findings[number]) for number in kept]
    reports = []
    for each in rulings:
        raised = each.raised[: max(0, MAX_FINDINGS - len(findings))]
        own = [place[number] for number in each.report.findings if number in place]
        own += range(len(findings), len(findings) + len(raised))
        findings += raised
        reports.append(replace(each.report, findings=tuple(own)))
    return reports, findings


def _heard(
    closing: Closing,
    sentence: Sentence,
    report: SentenceReport,
    said: Mapping[str, Verdict],
    texts: Mapping[str, str],
) -> _Heard:
    """Return what the verdicts on one sentence make of it; `texts` are the passages by label."""
    policy = closing.policy
    verdicts = {name: standing(one, texts) for name, one in sorted(said.items())}
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
        for name, one in verdicts.items()
    )
    report = replace(report, opinions=opinions)
    deciding = {
        name: one
        for name, one in verdicts.items()
        if _decides(policy, name, is_a_judge=one.word is not None)
    }
    if (judged := surest(deciding)) is not None:
        calibration = judge_calibration(judged[0], policy)
        found = ruling(sentence, report, closing.findings, judged, calibration, policy)
        return _Heard(found, {judged[0]: calibration})
    others = {name: one for name, one in deciding.items() if one.word is None}
    return _weighed(closing, sentence.text, report, others)


def _weighed(
    closing: Closing, text: str, report: SentenceReport, deciding: Mapping[str, Verdict]
) -> _Heard:
    """Return what verifiers that give probabilities make of a sentence."""
    policy, findings = closing.policy, closing.findings
    own = {number: findings[number] for number in report.findings}
    found: list[tuple[str, str, str, list[Verdict]]] = []  # flag, verifiers, message, verdicts
    if all(one.flag != "contradicted_claim" for one in own.values()):
        for name, one in deciding.items():
            chance = one.contradiction or 0.0
            if chance > policy.contradicted_from:
                message = finding_texts.denied(name, _nearest(closing, report), contradicts=True)
                found.append(("contradicted_claim", name, one.message or message, [one]))
    calibrated = {
        name: (one, policy.verifiers[name])
        for name, one in deciding.items()
        if name in policy.verifiers and (one.support, one.contradiction) != (None, None)
    }
    dropped: list[int] = []
    if calibrated:
        support = round(combined(report, findings, calibrated.values()), 6)
        scored_by = (*report.scored_by, *calibrated)
        report = replace(report, support=support, scored_by=scored_by)
        if support < policy.min_support:
            told = _nearest(closing, report)
            message = finding_texts.denied(", ".join(calibrated), told, contradicts=False)
            verdicts = [one for one, _ in calibrated.values()]
            found.append(("unsupported_claim", ", ".join(calibrated), message, verdicts))
        else:  # not those of the same flag that name what differs from the passages
            dropped = [number for number, one in own.items() if one.check == "unsupported_claim"]
    raised = [
        Finding(
            flag, f"{VERIFIER}{by}", "warning", *_doubted(report, text, verdicts), None, message
        )
        for flag, by, message, verdicts in found
    ]
    used = {name: calibration for name, (_, calibration) in calibrated.items()}
    return _Heard(Ruling(report, raised, dropped), used)


def _nearest(closing: Closing, report: SentenceReport) -> PassageWords | None:
    """Return the words of the sentence's best evidence and their place, None where it has none."""
    evidence, at = closing.context.evidence, report.evidence
    if evidence is None or at is None:
        return None
    number = evidence.chunk_number(at.chunk_id)
    words = "" if number is None else evidence.texts[number][at.start : at.end]
    return evidence.told(Nearest(words, at.chunk_id, at.start, at.end))


def _doubted(
    report: SentenceReport, text: str, verdicts: Sequence[Verdict]
) -> tuple[int, int, str]:
    """Return where the words stand that the verdict with the least support holds for wrong.

    The whole sentence, where none names words that are in it.
    """
    places = [
        (1.0 if one.support is None else one.support, *one.doubted)
        for one in verdicts
        if one.doubted is not None and one.doubted[1] <= len(text)
    ]
    if not places:
        return report.start, report.end, text
    _, start, end = min(places)
    return report.start + start, report.start + end, text[start:end]


def _mean_line(parts: Iterable[Mapping[str, Calibration]]) -> Line | None:
    """Return the mean of the calibrations' lines, each verifier's once; None without any."""
    used = {name: one for each in parts for name, one in each.items()}
    if not used:
        return None
    lines = [used[name] for name in sorted(used)]
    intercept = fsum(one.answer_intercept for one in lines) / len(lines)
    return intercept, fsum(one.answer_slope for one in lines) / len(lines)


def _similarity(reports: Iterable[SentenceReport]) -> float | None:
    """Return the claims' mean similarity in [0, 1]; None where one of them has none."""
    claims = [report.opinions for report in reports if report.is_claim]
    found = [[one.similarity for one in said if one.similarity is not None] for said in claims]
    if not found or not all(found):
        return None
    return round(max(0.0, min(1.0, fsum(map(max, found)) / len(found))), 6)
