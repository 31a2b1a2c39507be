"""Applies a judge's verdict to one sentence: its findings, its support, and who is believed.

A judge is a scorer that gives a word (`Score.word`). Its word counts at once, by the shipped
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
from streamguard.core.model.types import Finding, Nearest, Quotation, Score, Severity, Word
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import DOUBTS, JUDGE, VERIFIER
from streamguard.core.verdict.confirmed import EXACT, is_confirmed
from streamguard.core.verdict.rules import in_words
from streamguard.core.verdict.weighing import combined, rescored

# Checks that go by the words' likeness.
_LEARNED: Final = DOUBTS | {"unsupported_claim", "elsewhere"}
# Of several judges the surest counts, then the gravest word, then the first name.
_GRAVEST: Final[tuple[Word, ...]] = ("contradicted", "not_mentioned", "supported")


@dataclass(frozen=True, slots=True)
class Ruling:
    """The outcome of a sentence's deciding scores.

    `raised` are new findings, `dropped` the numbers of findings taken back, and `changed` those
    reduced to information. `calibrations`, by scorer, contributed to the support.
    """

    report: SentenceReport
    raised: Sequence[Finding] = ()
    dropped: Sequence[int] = ()
    changed: Mapping[int, Finding] = field(default_factory=dict)
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)


def is_judge(name: str) -> bool:
    """Return whether the scorer of that name is a judge, whether or not it answered."""
    return name.startswith(JUDGE)


def standing(score: Score, texts: Mapping[str, str]) -> Score:
    """Return the score with the quotations that stand, in the passages' own words.

    `texts` are the passages by their labels.
    """
    quotations = [
        replace(one, value=texts[one.chunk_id][one.start : one.end])
        for one in score.quotations
        if 0 <= one.start < one.end <= len(texts.get(one.chunk_id, ""))
    ]
    return replace(score, quotations=tuple(quotations))


def is_believed(score: Score) -> bool:
    """Return whether a judge's word counts: it quotes a passage, or says that none mentions it."""
    return score.word is not None and (score.word == "not_mentioned" or bool(score.quotations))


def surest(scores: Mapping[str, Score]) -> tuple[str, Score] | None:
    """Return the judge's word that counts with its name; None if no word is believed."""
    believed = [(name, one) for name, one in scores.items() if is_believed(one)]
    return min(believed, key=_rank, default=None)


def _rank(by_judge: tuple[str, Score]) -> tuple[float, int, str]:
    name, score = by_judge
    assert score.word is not None  # it is believed
    return -(score.confidence or 0.0), _GRAVEST.index(score.word), name


def judge_ruling(
    sentence: Sentence,
    report: SentenceReport,
    findings: Sequence[Finding],
    by_judge: tuple[str, Score],
    calibration: Calibration,
    policy: Policy,
) -> Ruling:
    """Return the ruling of the judge that counts on a sentence.

    `findings` are all those of the answer, as the report counts them.
    """
    name, score = by_judge
    own = {number: findings[number] for number in report.findings}
    changed: dict[int, Finding] = {}
    dropped: list[int] = []
    if score.word == "supported":
        changed, dropped = _cleared(sentence, own, by_judge)
    # A warning that the quotations answer does not count against the word.
    left = tuple(number for number in own if number not in changed and number not in dropped)
    weighed = replace(report, findings=left), findings, [(score, calibration)]
    support = round(combined(*weighed), 6)
    report = rescored(report, support, [name], policy)
    report = replace(report, doubt=round(1.0 - support, 6), judged=score.word)
    if score.word == "supported":
        is_borne_out = support >= policy.min_support
        return Ruling(report, (), dropped, changed) if is_borne_out else Ruling(report, (), ())
    raised = tuple(_raised(sentence, report, by_judge, policy))
    learned = [number for number, one in own.items() if one.check == "unsupported_claim"]
    return Ruling(report, raised, learned if raised else ())


def _cleared(
    sentence: Sentence, own: Mapping[int, Finding], by_judge: tuple[str, Score]
) -> tuple[dict[int, Finding], list[int]]:
    """Return the exact findings that the quotations answer, and the numbers of learned doubts."""
    name, quotations = by_judge[0], by_judge[1].quotations
    fresh = sentence.look_up()
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
    sentence: Sentence, report: SentenceReport, by_judge: tuple[str, Score], policy: Policy
) -> Iterator[Finding]:
    name, score = by_judge
    who, is_unlikely = in_words([name]), (report.support or 0.0) < policy.min_support
    check, place = f"{VERIFIER}{name}", (report.start, report.end, sentence.text)
    first = next(iter(score.quotations), None)
    nearest = passage = None
    if first is not None and sentence.scope.evidence is not None:
        nearest = Nearest(first.value, first.chunk_id, first.start, first.end)
        passage = sentence.scope.evidence.passage_words(nearest)
    if score.word == "not_mentioned":
        is_sure = (score.confidence or 0.0) >= policy.not_mentioned_from
        severity: Severity = "warning" if is_sure and is_unlikely else "info"
        flag, message = "unsupported_claim", finding_texts.not_mentioned(who)
        if passage is not None:  # in another passage than the one that is cited
            flag, message = "citation_mismatch", finding_texts.found_elsewhere(who, passage)
        yield Finding(flag, check, severity, *place, nearest, message)
    elif is_unlikely and passage is not None:
        message = finding_texts.contradicted(who, passage)
        yield Finding("contradicted_claim", check, "warning", *place, nearest, message)
