"""OpenTelemetry: a sink that emits every verdict as `gen_ai.evaluation.result` events.

    guard(source, context=context, sinks=[opentelemetry_sink()])

Names follow OpenTelemetry's semantic conventions for generative AI (status: Development), written
out here since their package changes. Needs the extra `otel`, and an SDK that exports logs.
"""

from __future__ import annotations

from opentelemetry._logs import LoggerProvider, get_logger
from opentelemetry.trace import (
    Span,
    StatusCode,
    TracerProvider,
    get_current_span,
    get_tracer,
)

from streamguard.core.model.result import Annotation
from streamguard.sinks.evaluations import Evaluation, evaluations
from streamguard.tap import Sink

EVENT = "gen_ai.evaluation.result"
NAME = "gen_ai.evaluation.name"
VALUE = "gen_ai.evaluation.score.value"
LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"
CHOICE = "streamguard.choice"
SPAN = "streamguard evaluate"


def opentelemetry_sink(
    logger_provider: LoggerProvider | None = None,
    *,
    explain: bool = False,
    response_id: str | None = None,
    spans: bool = False,
    tracer_provider: TracerProvider | None = None,
) -> Sink:
    """Return a sink that logs an event per evaluation: the status, the verdict, each score.

    Events belong to the span that is current when the stream ends. Labels are PASS, WARN, REFUSE
    and FAIL; `streamguard.id` is the annotation's id, `streamguard.choice` the index of a choice,
    `error.type` is the reason of an incomplete stream. No event holds text of the answer or its
    passages, except with `explain`: then the status has the reasons and findings, which quote both.
    `response_id` is the model's own id of the response, if known. With `spans` the current span
    gets the id, status, verdict and flags as attributes; without a current span, a new one from
    `tracer_provider` does.
    """
    logger = get_logger("streamguard", logger_provider=logger_provider)
    tracer = get_tracer("streamguard", tracer_provider=tracer_provider)

    def emit(annotation: Annotation) -> None:
        common = {"streamguard.id": annotation.id}
        if response_id is not None:
            common[RESPONSE_ID] = response_id
        for evaluation in evaluations(annotation, explain=explain):
            logger.emit(event_name=EVENT, attributes={**common, **_attributes(evaluation)})

    def sink(annotation: Annotation) -> None:
        if not spans or annotation.result is None:
            emit(annotation)
        elif (current := get_current_span()).is_recording():
            tell(current, annotation)
            emit(annotation)
        else:
            with tracer.start_as_current_span(SPAN) as span:
                if (error := tell(span, annotation)) is not None:
                    span.set_attribute(ERROR_TYPE, error)
                    span.set_status(StatusCode.ERROR)
                emit(annotation)

    return sink


def tell(span: Span, annotation: Annotation) -> str | None:
    """Set the result's attributes on the span; return the error that ended the answer, if any."""
    span.set_attribute("streamguard.id", annotation.id)
    span.set_attribute("streamguard.state", annotation.state)
    result = annotation.result
    if result is None:
        return None
    span.set_attribute("streamguard.flags", result.flags)
    if result.status is not None:
        span.set_attribute("streamguard.status", result.status)
    if result.scores.verdict is not None:
        span.set_attribute("streamguard.verdict", result.scores.verdict)
    return None if result.complete else result.ended


def _attributes(evaluation: Evaluation) -> dict[str, str | float]:
    told: dict[str, str | float] = {NAME: evaluation.name, CHOICE: evaluation.choice}
    if evaluation.error is not None:
        told[ERROR_TYPE] = evaluation.error
    if evaluation.label is not None:
        told[LABEL] = evaluation.label
    if evaluation.value is not None:
        told[VALUE] = evaluation.value
    if evaluation.explanation is not None:
        told[EXPLANATION] = evaluation.explanation
    return told
