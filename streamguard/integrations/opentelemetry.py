"""OpenTelemetry: a sink that tells every verdict as `gen_ai.evaluation.result` events.

    guard(source, context=context, sinks=[opentelemetry_sink()])

Names as in OpenTelemetry's semantic conventions for generative AI (status: Development), written
out here since their package moves. Needs the extra `otel`, and an SDK where logs shall go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opentelemetry._logs import LoggerProvider, get_logger

from streamguard.core.model.result import Annotation, GuardrailsResult, Scores
from streamguard.tap import Sink

EVENT = "gen_ai.evaluation.result"
NAME = "gen_ai.evaluation.name"
VALUE = "gen_ai.evaluation.score.value"
LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"

_SCORES = (
    "groundedness", "doubt", "relevance", "completeness", "hallucination", "drift", "similarity",
)  # fmt: skip
Attributes = Mapping[str, str | float]


def opentelemetry_sink(
    logger_provider: LoggerProvider | None = None,
    *,
    explain: bool = False,
    response_id: str | None = None,
) -> Sink:
    """Return a sink that logs an event per evaluation: the status, the verdict, each score.

    Events belong to the span that is current where the stream ends. Labels are PASS, WARN,
    REFUSE and FAIL; `streamguard.id` is the annotation's id, `error.type` says how a stream
    ended that is not complete. No event holds text of the answer or its passages; with `explain`
    the reasons come with the status, and the findings, which quote both. `response_id` is the
    model's own id of the response, where the application knows it.
    """
    logger = get_logger("streamguard", logger_provider=logger_provider)

    def sink(annotation: Annotation) -> None:
        common = {"streamguard.id": annotation.id}
        if response_id is not None:
            common[RESPONSE_ID] = response_id
        if annotation.result is None:
            return
        for result in annotation.choices or (annotation.result,):
            if not result.complete:
                common[ERROR_TYPE] = result.ended
            for evaluation in _evaluations(result, explain):
                logger.emit(event_name=EVENT, attributes={**common, **evaluation})

    return sink


def _evaluations(result: GuardrailsResult, explain: bool) -> Iterator[Attributes]:
    if result.status is not None:
        evaluation = {NAME: "streamguard.status", LABEL: result.status}
        if explain:
            said = [reason.message for reason in result.reasons]
            said += [finding.message for finding in result.findings if finding.message]
            evaluation[EXPLANATION] = "\n".join(said)
        yield evaluation
    if result.scores is not None:
        yield from _score_evaluations(result.scores)


def _score_evaluations(scores: Scores) -> Iterator[Attributes]:
    if scores.verdict is not None:
        yield {NAME: "streamguard.verdict", LABEL: scores.verdict}
    for name in _SCORES:
        value = getattr(scores, name)
        if value is not None:
            yield {NAME: f"streamguard.{name}", VALUE: value}
