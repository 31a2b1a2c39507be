"""What a judge's word makes of one sentence: its findings, its support, and who is believed.

A judge is a verifier that gives a word (`Verdict.word`). Its word counts at once, by the shipped
calibration or the policy's own, and is believed only where its quotations stand in a passage.

    word           from                          makes
    contradicted   its support under min_support contradicted_claim, a warning
    not_mentioned  not_mentioned_from of its own confidence, and the same
                                                 unsupported_claim, a warning
    not_mentioned  below                         unsupported_claim, information
    supported      its support at min_support    supported: learned doubts are dropped, exact
                                                 findings that its quotations answer are information
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from streamguard.core.model import finding_texts
from streamguard.core.model.finding_texts import quoted
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Nearest, Quotation, Severity, Verdict, Word
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import DOUBTS, JUDGE, VERIFIER
from streamguard.core.verdict.confirmed import EXACT, is_confirmed
from streamguard.core.verdict.rules import in_words
from streamguard.core.verdict.weighing import combined

# Checks that go by the words' likeness.
_LEARNED: Final = DOUBTS | {"unsupported_claim", "elsewhere"}
# Of several judges the surest counts, then the gravest word, then the first name.
_GRAVEST: Final[tuple[Word, ...]] = ("contradicted", "not_mentioned", "supported")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge's word makes of a sentence.

    `raised` are new findings, `dropped` are the numbers of those it takes back, and `changed` has
    those that stay as information.
    """

    report: SentenceReport
    raised: Sequence[Finding]
    dropped: Sequence[int]
    changed: Mapping[int, Finding] = field(default_factory=dict)


def is_judge(name: str) -> bool:
    """Say whether the verifier of that name is a judge, whether or not it answered."""
    return name.startswith(JUDGE)


def standing(verdict: Verdict, texts: Mapping[str, str]) -> Verdict:
    """Return the verdict with the quotations that stand, in the passages' own words.

    `texts` are the passages by their labels.
    """
    quotations = [
        replace(one, value=texts[one.chunk_id][one.start : one.end])
        for one in verdict.quotations
        if 0 <= one.start < one.end <= len(texts.get(one.chunk_id, ""))
    ]
    return replace(verdict, quotations=tuple(quotations))


def is_believed(verdict: Verdict) -> bool:
    """Say whether a judge's word counts: it quotes a passage, or says that none mentions this."""
    return verdict.word is not None and (
        verdict.word == "not_mentioned" or bool(verdict.quotations)
    )


def surest(verdicts: Mapping[str, Verdict]) -> tuple[str, Verdict] | None:
    """Return the judge's word that counts with its name; None where no word is believed."""
    believed = [(name, one) for name, one in verdicts.items() if is_believed(one)]
    return min(believed, key=_rank, default=None)


def _rank(said: tuple[str, Verdict]) -> tuple[float, int, str]:
    name, verdict = said
    assert verdict.word is not None  # it is believed
    return -(verdict.confidence or 0.0), _GRAVEST.index(verdict.word), name


def ruling(
    sentence: Sentence,
    report: SentenceReport,
    findings: Sequence[Finding],
    said: tuple[str, Verdict],
    calibration: Calibration,
    policy: Policy,
) -> Ruling:
    """Return what the word of the judge that counts makes of a sentence.

    `findings` are all those of the answer, as the report counts them.
    """
    name, verdict = said
    own = {number: findings[number] for number in report.findings}
    changed: dict[int, Finding] = {}
    dropped: list[int] = []
    if verdict.word == "supported":
        changed, dropped = _cleared(sentence, own, said)
    # What the quotations answer is no warning that would count against the word.
    left = tuple(number for number in own if number not in changed and number not in dropped)
    weighed = replace(report, findings=left), findings, [(verdict, calibration)]
    support = round(combined(*weighed), 6)
    report = replace(
        report,
        support=support,
        doubt=round(1.0 - support, 6),
        scored_by=(*report.scored_by, name),
        judged=verdict.word,
    )
    if verdict.word == "supported":
        is_borne_out = support >= policy.min_support
        return Ruling(report, (), dropped, changed) if is_borne_out else Ruling(report, (), ())
    raised = tuple(_raised(sentence, report, said, policy))
    learned = [number for number, one in own.items() if one.check == "unsupported_claim"]
    return Ruling(report, raised, learned if raised else ())


def _cleared(
    sentence: Sentence, own: Mapping[int, Finding], said: tuple[str, Verdict]
) -> tuple[dict[int, Finding], list[int]]:
    """Return the exact findings that the quotations answer, and the numbers of learned doubts."""
    name, quotations = said[0], said[1].quotations
    fresh = replace(sentence)  # so that what is read here is not kept
    changed = {
        number: _answered(one, name, quotations)
        for number, one in own.items()
        if one.check in EXACT and one.severity == "warning" and is_confirmed(one, fresh, quotations)
    }
    return changed, [number for number, one in own.items() if one.check in _LEARNED]


def _answered(finding: Finding, name: str, quotations: Sequence[Quotation]) -> Finding:
    words = [quoted(one.value) for one in quotations]
    message = finding_texts.answered(finding.message, in_words([name]), words)
    return replace(finding, severity="info", message=message)


def _raised(
    sentence: Sentence, report: SentenceReport, said: tuple[str, Verdict], policy: Policy
) -> Iterator[Finding]:
    name, verdict = said
    who, is_unlikely = in_words([name]), (report.support or 0.0) < policy.min_support
    check, place = f"{VERIFIER}{name}", (report.start, report.end, sentence.text)
    first = next(iter(verdict.quotations), None)
    nearest = told = None
    if first is not None and sentence.scope.evidence is not None:
        nearest = Nearest(first.value, first.chunk_id, first.start, first.end)
        told = sentence.scope.evidence.told(nearest)
    if verdict.word == "not_mentioned":
        is_sure = (verdict.confidence or 0.0) >= policy.not_mentioned_from
        severity: Severity = "warning" if is_sure and is_unlikely else "info"
        flag, message = "unsupported_claim", finding_texts.not_mentioned(who)
        if told is not None:  # in another passage than the one that is cited
            flag, message = "citation_mismatch", finding_texts.found_elsewhere(who, told)
        yield Finding(flag, check, severity, *place, nearest, message)
    elif is_unlikely and told is not None:
        message = finding_texts.contradicted(who, told)
        yield Finding("contradicted_claim", check, "warning", *place, nearest, message)
