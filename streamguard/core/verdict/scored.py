"""An answer as its scores leave it: reports, findings and claims, numbered once for the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from streamguard.core.model.policy import Calibration
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import MAX_FINDINGS, Finding, about_answer
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import VERIFIER, ClaimVerdict, claim_verdicts
from streamguard.core.verdict.judges import Ruling, is_judge
from streamguard.core.verdict.ruling import RulingBasis, ruling_on
from streamguard.core.verdict.score_book import ScoreBook

Line = tuple[float, float]  # intercept and slope of groundedness


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer with all its scores weighed, as the rules and the result use it.

    `claims` is empty without chunks. `judges` names those whose words count, whether or not they
    came; `judge_errors` counts theirs among `errors`.
    """

    reports: Sequence[SentenceReport]
    findings: Sequence[Finding]
    claims: Sequence[ClaimVerdict]
    errors: Sequence[str]
    answer_line: Line | None = None  # of groundedness, where scorers with calibrations decide
    judge_line: Line | None = None  # the same of the claims that a judge read
    similarity: float | None = None  # of the claims to the chunks, where a scorer measured it
    judges: tuple[str, ...] = ()
    judge_errors: int = 0


def weigh_scores(
    answer: ScoredAnswer,
    sentences: Sequence[Sentence],
    book: ScoreBook,
    known: RulingBasis,
    *,
    first: int,
    is_learned: bool,
) -> ScoredAnswer:
    """Return the answer scored by `fast`, updated with the other scores.

    Scores of sentences before `first` are ignored: these turned out to be a thought.
    """
    rulings = [
        ruling_on(sentence, report, book.of(sentence.index), known)
        if sentence.index >= first and book.of(sentence.index)
        else Ruling(report)
        for sentence, report in zip(sentences, answer.reports, strict=True)
    ]
    reports, findings = _listed(answer.findings, rulings)
    claims = answer.claims
    if known.evidence is not None:
        ruled = claim_verdicts(reports, findings, is_learned)
        claims = [claim for some in ruled for claim in some]
    judged = [each.calibrations for each in rulings if each.report.judged is not None]
    others = [each.calibrations for each in rulings if each.report.judged is None]
    wrong = sorted(book.errors)
    findings += [_failure(scorer, words) for scorer, words in wrong]
    return ScoredAnswer(
        reports,
        findings[:MAX_FINDINGS],
        claims,
        (*answer.errors, *(f"{VERIFIER}{scorer}: {words}" for scorer, words in wrong)),
        _mean_line(others),
        _mean_line(judged),
        _similarity(reports),
        _judges(book, known),
        sum(is_judge(scorer) for scorer, _ in wrong),
    )


def _failure(scorer: str, words: str) -> Finding:
    where = f"{VERIFIER}{scorer}"
    message = f"The {where} failed ({words}); what it would have said is unknown."
    error = about_answer("check_error", where, message)
    # Without a judge's word the fast score counts, as if no judge had been asked.
    return replace(error, severity="info") if is_judge(scorer) else error


def _judges(book: ScoreBook, known: RulingBasis) -> tuple[str, ...]:
    """Return the names of the judges whose words count in this answer, or would."""
    policy = known.policy
    if policy.matching == "literal":
        return ()
    judges = book.judges.union(filter(is_judge, book.scorers))
    return tuple(sorted(name for name in judges if policy.decides(name, is_judge=True)))


def _listed(
    found: Sequence[Finding], rulings: Sequence[Ruling]
) -> tuple[list[SentenceReport], list[Finding]]:
    """Return the reports, and the findings that the result lists: the reports count by these."""
    dropped = {number for each in rulings for number in each.dropped}
    changed = {number: one for each in rulings for number, one in each.changed.items()}
    kept = [number for number in range(len(found)) if number not in dropped]
    place = {number: at for at, number in enumerate(kept)}
    findings = [changed.get(number, found[number]) for number in kept]
    reports = []
    for each in rulings:
        raised = each.raised[: max(0, MAX_FINDINGS - len(findings))]
        own = [place[number] for number in each.report.findings if number in place]
        own += range(len(findings), len(findings) + len(raised))
        findings += raised
        reports.append(replace(each.report, findings=tuple(own)))
    return reports, findings


def _mean_line(parts: Iterable[Mapping[str, Calibration]]) -> Line | None:
    """Return the mean of the calibrations' lines, each scorer's once; None without any."""
    used = {name: one for each in parts for name, one in each.items()}
    if not used:
        return None
    lines = [used[name] for name in sorted(used)]
    intercept = fsum(one.answer_intercept for one in lines) / len(lines)
    return intercept, fsum(one.answer_slope for one in lines) / len(lines)


def _similarity(reports: Iterable[SentenceReport]) -> float | None:
    """Return the claims' mean similarity in [0, 1]; None if one of them has none."""
    claims = [report.opinions for report in reports if report.is_claim]
    found = [
        [one.similarity for one in opinions if one.similarity is not None] for opinions in claims
    ]
    if not found or not all(found):
        return None
    return round(max(0.0, min(1.0, fsum(map(max, found)) / len(found))), 6)
