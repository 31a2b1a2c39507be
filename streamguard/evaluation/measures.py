"""The measures: flags, checks, verdicts and scores, for answers, sentences and characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streamguard.core.model.result import GuardrailsResult, SentenceReport
from streamguard.core.model.types import FLAGS

# These do not show whether an answer's words are supported.
_OTHER_FLAGS = frozenset({"no_context_warning", "refusal_detected", "check_error", "limit_reached"})


@dataclass(frozen=True, slots=True)
class RiskMeasure:
    """A name, and the risk it assigns to an answer; None counts as no risk.

    `is_score`: a threshold must be chosen; otherwise 1.0 is an alarm and 0.0 is none.
    `is_probability`: the risk estimates the probability that the answer is bad.
    """

    name: str
    of: Callable[[GuardrailsResult], float | None]
    is_score: bool = False
    is_probability: bool = False


@dataclass(frozen=True, slots=True)
class SentenceMeasure:
    """A name, and the risk it assigns to the nth sentence of a result."""

    name: str
    of: Callable[[GuardrailsResult, int], float | None]
    is_score: bool = False
    is_probability: bool = False


def answer_measures(results: Sequence[GuardrailsResult]) -> list[RiskMeasure]:
    """Return the measures of these answers, without flags and checks that never occur."""
    measures = [RiskMeasure(flag, _flagged(flag)) for flag in _flags_in(results)]
    measures += [RiskMeasure(f"  by {check}", _checked(check)) for check in _checks_in(results)]
    measures += [
        RiskMeasure("status REFUSE", lambda r: r.status == "REFUSE"),
        RiskMeasure("status WARN or REFUSE", lambda r: r.status in ("WARN", "REFUSE")),
        RiskMeasure("score verdict FAIL", lambda r: r.scores.published == "FAIL"),
        RiskMeasure("score verdict WARN or FAIL", lambda r: r.scores.published in ("WARN", "FAIL")),
        RiskMeasure("1 - groundedness", lambda r: _less(r.scores.groundedness), True, True),
        RiskMeasure("doubt", lambda r: r.scores.doubt, True),
        RiskMeasure("1 - least support", lambda r: _less(_least(r, "support")), True),
        RiskMeasure("1 - mean support", lambda r: _less(_mean(r, "support")), True),
        RiskMeasure("1 - least coverage", lambda r: _less(_least(r, "coverage")), True),
        RiskMeasure("1 - mean coverage", lambda r: _less(_mean(r, "coverage")), True),
        RiskMeasure("hallucination", lambda r: r.scores.hallucination, True),
        RiskMeasure("1 - relevance", lambda r: _less(r.scores.relevance), True),
        RiskMeasure("1 - completeness", lambda r: _less(r.scores.completeness), True),
        RiskMeasure("warnings", lambda r: sum(f.severity == "warning" for f in r.findings), True),
        RiskMeasure("length alone", lambda r: r.text.code_points, True),
    ]
    return [measure for measure in measures if any(measure.of(r) for r in results)]


def sentence_measures(results: Sequence[GuardrailsResult]) -> list[SentenceMeasure]:
    """Return the measures of these answers' sentences, without checks that never occur."""
    flags, checks = _flags_in(results), _checks_in(results)
    measures = [SentenceMeasure(flag, _sentence_flagged(flag)) for flag in flags]
    measures += [SentenceMeasure(f"  by {check}", _sentence_checked(check)) for check in checks]
    measures += [
        SentenceMeasure("1 - support", lambda r, n: _less(r.sentences[n].support), True, True),
        SentenceMeasure("1 - coverage", lambda r, n: _less(r.sentences[n].coverage), True),
        SentenceMeasure("length alone", lambda r, n: _length(r.sentences[n]), True),
    ]
    return [
        measure
        for measure in measures
        if any(measure.of(r, n) for r in results for n in range(len(r.sentences)))
    ]


def _flags_in(results: Sequence[GuardrailsResult]) -> list[str]:
    raised = {finding.flag for result in results for finding in result.findings}
    ours = [flag for flag in FLAGS if flag in raised - _OTHER_FLAGS]
    return ours + sorted(raised - set(FLAGS))


def _checks_in(results: Sequence[GuardrailsResult]) -> list[str]:
    checks = {f.check for result in results for f in result.findings if f.flag not in _OTHER_FLAGS}
    return sorted(checks - set(FLAGS))  # a check named like its flag adds nothing


def _flagged(flag: str) -> Callable[[GuardrailsResult], float]:
    return lambda result: float(flag in result.flags)


def _checked(check: str) -> Callable[[GuardrailsResult], float]:
    return lambda result: float(any(finding.check == check for finding in result.findings))


def _sentence_flagged(flag: str) -> Callable[[GuardrailsResult, int], float]:
    return lambda r, n: float(any(r.findings[at].flag == flag for at in r.sentences[n].findings))


def _sentence_checked(check: str) -> Callable[[GuardrailsResult, int], float]:
    return lambda r, n: float(any(r.findings[at].check == check for at in r.sentences[n].findings))


def _less(share: float | None) -> float | None:
    return None if share is None else 1.0 - share


def _shares(result: GuardrailsResult, name: str) -> list[float]:
    shares = (getattr(sentence, name) for sentence in result.sentences if sentence.is_claim)
    return [share for share in shares if share is not None]


def _least(result: GuardrailsResult, name: str) -> float | None:
    return min(_shares(result, name), default=None)


def _mean(result: GuardrailsResult, name: str) -> float | None:
    shares = _shares(result, name)
    return sum(shares) / len(shares) if shares else None


def _length(sentence: SentenceReport) -> float:
    return float(sentence.end - sentence.start)
