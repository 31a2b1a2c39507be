"""The gain of a verifier: its calibration with our support, measured out of fold.

All of it works on results that hold the verifier's opinions next to our own, unchanged support.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streamguard.core.fast.model import groundedness, soft_maximum
from streamguard.core.model.policy import Calibration
from streamguard.core.model.result import GuardrailsResult, SentenceReport
from streamguard.core.model.types import Opinion, Verdict
from streamguard.core.verdict.judges import is_believed
from streamguard.core.verdict.weighing import WEIGHTS, combined, figures
from streamguard.errors import ConfigError
from streamguard.evaluation.bootstrap import RESAMPLES, Interval, percentiles, resamples
from streamguard.evaluation.labels import Judged
from streamguard.evaluation.logistic import fitted
from streamguard.evaluation.sample import sample_of
from streamguard.evaluation.scored_items import Scored, auroc, ranked

_DIGITS = 4  # of a weight: the seventh decimal of a support does not matter
MIN_ROWS = 20  # labelled claims of either kind without which nothing is fitted; guess

_Supports = Callable[[Judged], Sequence[float | None]]
_Calibrations = Mapping[int, Calibration]  # by fold


@dataclass(frozen=True, slots=True)
class Area:
    """An area under the ROC curve and its 95 % interval; None without bad or clean items."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One way to score answers and claims, and its gain over our support alone.

    Our support is calibrated on the same answers, so the gain is the verifier's. The differences
    are paired: both are resampled together.
    """

    name: str
    answers: Area
    claims: Area
    answers_gain: Area | None = None
    claims_gain: Area | None = None

    @property
    def helps(self) -> bool:
        """Whether it separates good from bad answers significantly better."""
        gain = self.answers_gain
        return gain is not None and gain.interval is not None and gain.interval[0] > 0.0


def calibration_of(judged: Sequence[Judged], name: str | None) -> Calibration:
    """Return the best calibration of the verifier `name` together with our support.

    For None, of our support alone. Raises `ConfigError` if too few claims have a score and a label.
    """
    rows, truths = [], []
    for one in judged:
        for number, sentence, verdict in _read(one.result, name):
            is_bad = _is_bad(one, number)
            if verdict is not None and is_bad is not None:
                rows.append(figures(sentence, one.result.findings, verdict))
                truths.append(not is_bad)
    good, bad = truths.count(True), truths.count(False)
    if min(good, bad) < MIN_ROWS:
        raise ConfigError(
            f"verifier {name or '(none)'} has a word on {good} clean and {bad} bad labelled claims,"
            f" expected at least {MIN_ROWS} of each"
        )
    intercept, *weights = _rounded(fitted(rows, truths))
    named = {"intercept": intercept, **dict(zip(WEIGHTS, weights, strict=True))}
    half = Calibration(answer_intercept=0.0, answer_slope=1.0, **named)
    soft, wrong = [], []
    for one in judged:
        supports = [s for s in supports_of(one.result, name, half) if s is not None]
        if supports and one.row.hallucinated is not None:
            soft.append((soft_maximum(supports),))
            wrong.append(one.row.hallucinated)
    line = _rounded(fitted(soft, wrong))
    return half.model_copy(update={"answer_intercept": line[0], "answer_slope": line[1]})


def supports_of(
    result: GuardrailsResult, name: str | None, calibration: Calibration
) -> list[float | None]:
    """Return the claims' supports from a calibration of the verifier's scores and ours."""
    return [
        sentence.support
        if verdict is None
        else combined(sentence, result.findings, [(verdict, calibration)])
        for _, sentence, verdict in _read(result, name)
    ]


def out_of_fold(judged: Sequence[Judged], name: str | None) -> dict[int, Calibration]:
    """Return a calibration for each fold, fitted on the other folds."""
    folds = sorted({one.fold for one in judged})
    return {
        fold: calibration_of([one for one in judged if one.fold != fold], name) for fold in folds
    }


def compared(
    judged: Sequence[Judged], name: str, *, count: int = RESAMPLES, seed: int = 0
) -> list[Compared]:
    """Return how well we, the verifier, and both together (last) separate bad from clean.

    Raises `ConfigError` if there are too few labels to fit on.
    """
    ours, both = out_of_fold(judged, None), out_of_fold(judged, name)
    ways: list[tuple[str, _Supports, _Calibrations]] = [
        (
            "ours, calibrated out of fold",
            lambda one: supports_of(one.result, None, ours[one.fold]),
            ours,
        ),
        ("ours as it is", lambda one: [s.support for _, s, _ in _read(one.result, None)], {}),
        (f"{name} alone", lambda one: _alone(one, name), {}),
        (
            f"{name} and ours, out of fold",
            lambda one: supports_of(one.result, name, both[one.fold]),
            both,
        ),
    ]
    sample = sample_of(judged)
    drawn = resamples(sample.group_count, count, seed)
    found: list[Compared] = []
    base: tuple[Scored, Scored] | None = None
    for way, supports, calibrations in ways:
        answers, claims = _scored(judged, sample.groups, supports, calibrations)
        gains: tuple[Area | None, Area | None] = (None, None)
        if base is not None:
            gains = (_gain(base[0], answers, drawn), _gain(base[1], claims, drawn))
        else:
            base = (answers, claims)
        found.append(Compared(way, _area(answers, drawn), _area(claims, drawn), *gains))
    return found


def differences(
    ours: Sequence[Judged], theirs: Sequence[Judged], *, count: int = RESAMPLES, seed: int = 0
) -> Compared:
    """Return how much results with verifiers, under their policy, improve on those without."""
    sample = sample_of(ours)
    drawn = resamples(sample.group_count, count, seed)
    before, after = (_as_scored(judged, sample.groups) for judged in (ours, theirs))
    return Compared(
        "with, by the policy",
        _area(after[0], drawn),
        _area(after[1], drawn),
        _gain(before[0], after[0], drawn),
        _gain(before[1], after[1], drawn),
    )


def compared_table(rows: Sequence[Compared]) -> str:
    """Return the comparison as text."""
    wide = max(len(row.name) for row in rows)
    lines = [
        f"{'AUROC':{wide}}{'answers':>22}{'claims':>22}{'answers gain':>24}{'claims gain':>24}",
    ]
    for row in rows:
        cells = f"{row.name:{wide}}{_shown(row.answers):>22}{_shown(row.claims):>22}"
        for gain in (row.answers_gain, row.claims_gain):
            cells += f"{'' if gain is None else _shown(gain, sign=True):>24}"
        lines.append(cells.rstrip())
    return "\n".join([*lines, "In brackets: 95 % bootstrap intervals; gains are paired."])


def _shown(area: Area, *, sign: bool = False) -> str:
    if area.value is None:
        return "-"
    form = "+.3f" if sign else ".3f"
    value = format(area.value, form)
    if area.interval is None:
        return value
    return f"{value} [{area.interval[0]:{form}} {area.interval[1]:{form}}]"


def _read(
    result: GuardrailsResult, name: str | None
) -> list[tuple[int, SentenceReport, Verdict | None]]:
    """Return the claims with their number and the verifier's verdict; an empty one for None.

    A judge's verdict is left out if its quotations stand nowhere.
    """
    found = []
    for number, sentence in enumerate(result.sentences):
        if sentence.is_claim:
            own = (_verdict_of(one) for one in sentence.opinions if one.verifier == name)
            found.append((number, sentence, Verdict() if name is None else next(own, None)))
    return found


def _verdict_of(opinion: Opinion) -> Verdict | None:
    figures = opinion.support, opinion.contradiction
    verdict = Verdict(
        *figures,
        word=opinion.word,
        confidence=opinion.confidence,
        quotations=opinion.quotations,
    )
    return verdict if verdict.word is None or is_believed(verdict) else None


def _is_bad(one: Judged, number: int) -> bool | None:
    """Return whether a claim is bad; a bad answer's only claim always is."""
    known = one.is_bad(number)
    if known is None and one.row.hallucinated:
        claims = [n for n, sentence in enumerate(one.result.sentences) if sentence.is_claim]
        return True if claims == [number] else None
    return known


def _alone(one: Judged, name: str) -> list[float | None]:
    found: list[float | None] = []
    for _, _, verdict in _read(one.result, name):
        if verdict is None:
            found.append(None)
        elif verdict.word is not None and verdict.confidence is not None:
            sure = verdict.confidence
            found.append(sure if verdict.word == "supported" else 1.0 - sure)
        elif verdict.support is not None:
            found.append(verdict.support)
        else:
            found.append(None if verdict.contradiction is None else 1.0 - verdict.contradiction)
    return found


def _scored(
    judged: Sequence[Judged],
    groups: Sequence[int],
    supports_in: Callable[[Judged], Sequence[float | None]],
    calibrations: _Calibrations,
) -> tuple[Scored, Scored]:
    """Return answers by 1 - groundedness, and claims by 1 - support."""
    answers, claims = Scored(), Scored()
    for one, group in zip(judged, groups, strict=True):
        supports = supports_in(one)
        numbers = [n for n, sentence in enumerate(one.result.sentences) if sentence.is_claim]
        for number, support in zip(numbers, supports, strict=True):
            is_bad = _is_bad(one, number)
            if is_bad is not None:
                risk = 0.5 if support is None else 1.0 - support
                claims.add(risk, float(is_bad), float(not is_bad), group, one.fold)
        if one.row.hallucinated is not None:
            known = [support for support in supports if support is not None]
            own = calibrations.get(one.fold)
            line = None if own is None else (own.answer_intercept, own.answer_slope)
            risk = 1.0 - (groundedness(known, line) or 0.0) if known else 0.0
            bad = one.row.hallucinated
            answers.add(risk, float(bad), float(not bad), group, one.fold)
    return answers, claims


def _as_scored(judged: Sequence[Judged], groups: Sequence[int]) -> tuple[Scored, Scored]:
    """Return answers and claims scored by the results' own groundedness and support."""
    answers, claims = Scored(), Scored()
    for one, group in zip(judged, groups, strict=True):
        for number, sentence in enumerate(one.result.sentences):
            is_bad = _is_bad(one, number) if sentence.is_claim else None
            if is_bad is not None:
                risk = 0.5 if sentence.support is None else 1.0 - sentence.support
                claims.add(risk, float(is_bad), float(not is_bad), group, one.fold)
        if one.row.hallucinated is not None:
            grounded = one.result.scores.groundedness
            bad = one.row.hallucinated
            risk = 0.0 if grounded is None else 1.0 - grounded
            answers.add(risk, float(bad), float(not bad), group, one.fold)
    return answers, claims


def _area(items: Scored, drawn: Sequence[Sequence[int]]) -> Area:
    blocks = ranked(items)
    return Area(auroc(blocks), percentiles(auroc(blocks, counts) for counts in drawn))


def _gain(before: Scored, after: Scored, drawn: Sequence[Sequence[int]]) -> Area:
    one, other = ranked(before), ranked(after)

    def gain(counts: Sequence[int] | None) -> float | None:
        areas = auroc(one, counts), auroc(other, counts)
        return None if areas[0] is None or areas[1] is None else areas[1] - areas[0]

    return Area(gain(None), percentiles(gain(counts) for counts in drawn))


def _rounded(weights: Sequence[float]) -> list[float]:
    return [round(max(-100.0, min(100.0, weight)), _DIGITS) for weight in weights]
