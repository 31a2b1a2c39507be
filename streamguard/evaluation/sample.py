"""Judged answers as scored items: answers, sentences, characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamguard.core.model.result import GuardrailsResult
from streamguard.evaluation.labels import Judged
from streamguard.evaluation.measures import RiskMeasure, SentenceMeasure
from streamguard.evaluation.scored_items import Scored


@dataclass(frozen=True, slots=True)
class Sample:
    """Judged answers, the group number of each, and the weight of a clean answer."""

    judged: Sequence[Judged]
    groups: Sequence[int]
    clean_weight: float

    @property
    def group_count(self) -> int:
        """The number of groups."""
        return max(self.groups, default=-1) + 1

    def weight(self, judged: Judged) -> float:
        """Return the weight of an answer and of all its parts."""
        return self.clean_weight if judged.row.hallucinated is False else 1.0


def sample_of(judged: Sequence[Judged], prior: float | None = None) -> Sample:
    """Return the sample; with a prior, clean answers are weighted to make it the bad share."""
    numbers: dict[str, int] = {}
    groups = [numbers.setdefault(one.row.group, len(numbers)) for one in judged]
    bad = sum(one.row.hallucinated is True for one in judged)
    clean = sum(one.row.hallucinated is False for one in judged)
    weight = 1.0
    if prior is not None and bad and clean:
        weight = (1 - prior) * bad / (prior * clean)
    return Sample(judged, groups, weight)


def answer_items(sample: Sample, measure: RiskMeasure) -> Scored:
    """Return the labelled answers, scored."""
    items = Scored()
    for one, group in zip(sample.judged, sample.groups, strict=True):
        if one.row.hallucinated is not None:
            bad, clean = (1.0, 0.0) if one.row.hallucinated else (0.0, sample.weight(one))
            items.add(float(measure.of(one.result) or 0.0), bad, clean, group, one.fold)
    return items


def sentence_items(sample: Sample, measure: SentenceMeasure) -> Scored:
    """Return the labelled sentences, scored."""
    items = Scored()
    for one, group in zip(sample.judged, sample.groups, strict=True):
        weight = sample.weight(one)
        for number in range(len(one.result.sentences)):
            is_bad = one.is_bad(number)
            if is_bad is not None:
                bad, clean = (weight, 0.0) if is_bad else (0.0, weight)
                score = float(measure.of(one.result, number) or 0.0)
                items.add(score, bad, clean, group, one.fold)
    return items


def character_items(sample: Sample, measure: SentenceMeasure) -> Scored:
    """Return the characters of answers with marked spans, scored.

    A character has its sentence's score; a flag applies to the characters of its findings.
    Characters outside sentences (white space) have no risk.
    """
    items = Scored()
    for one, group in zip(sample.judged, sample.groups, strict=True):
        if one.row.spans is None:
            continue
        weight, length = sample.weight(one), one.result.text.code_points
        marked = _marks(one.row.spans, length)
        rest_bad, rest = sum(marked), length
        for score, spans in _scored_spans(one.result, measure):
            size = sum(end - start for start, end in spans)
            bad = sum(sum(marked[start:end]) for start, end in spans)
            rest_bad, rest = rest_bad - bad, rest - size
            if size:
                items.add(score, bad * weight, (size - bad) * weight, group, one.fold)
        if rest:
            items.add(0.0, rest_bad * weight, (rest - rest_bad) * weight, group, one.fold)
    return items


def _scored_spans(
    result: GuardrailsResult, measure: SentenceMeasure
) -> Iterable[tuple[float, list[tuple[int, int]]]]:
    if measure.is_score:
        for number, sentence in enumerate(result.sentences):
            yield float(measure.of(result, number) or 0.0), [(sentence.start, sentence.end)]
        return
    # A flag's own spans, not its sentence: "$59" and not all that is said around it.
    name = measure.name.removeprefix("  by ")
    wanted = [f for f in result.findings if name in (f.flag, f.check)]
    spans = [(f.start, f.end) for f in wanted if f.start is not None and f.end is not None]
    yield 1.0, _merged(spans)


def _marks(spans: Iterable[tuple[int, int]], length: int) -> bytearray:
    marks = bytearray(length)
    for start, end in spans:
        marks[start:end] = b"\1" * max(0, min(end, length) - start)
    return marks


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
