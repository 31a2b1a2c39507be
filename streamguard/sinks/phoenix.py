"""Phoenix: a sink that sends every verdict as annotations of a span, with Phoenix's own client.

    guard(source, context=context, sinks=[phoenix_sink(AsyncClient())])

The client comes with the extra `phoenix`, and OpenTelemetry with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError, StreamStateError, lacking
from streamguard.sinks.evaluations import Evaluation, evaluations

if TYPE_CHECKING:
    from phoenix.client import AsyncClient, Client


def phoenix_sink(
    client: AsyncClient | Client, *, explain: bool = False, span_id: str | None = None
) -> Callable[[Annotation], Awaitable[None] | None]:
    """Return a sink that posts an annotation per evaluation: status, verdict, each score.

    They belong to the span `span_id` (16 hexadecimal digits), by default to OpenTelemetry's current
    span when the stream ends; a repeated answer replaces its annotations. All go in one request,
    which an `AsyncClient` awaits and a `Client` blocks for: the latter is for synchronous code.
    Explanations hold text of answer and passages only with `explain`. Raises `ConfigError` without
    OpenTelemetry; the sink raises `StreamStateError` without a span, and the client's errors (a
    stream logs both).
    """
    try:
        from opentelemetry.trace import format_span_id, get_current_span
    except ImportError as exc:
        raise ConfigError(lacking("OpenTelemetry", "phoenix")) from exc

    def sink(annotation: Annotation) -> Awaitable[None] | None:
        span = span_id
        if span is None and (current := get_current_span().get_span_context()).is_valid:
            span = format_span_id(current.span_id)
        if span is None:
            raise StreamStateError(
                "phoenix_sink has no span: end the stream within a span, or give span_id"
            )
        annotations = [
            _annotation(each, annotation.id, span)
            for each in evaluations(annotation, explain=explain)
        ]
        if not annotations:
            return None
        posted: Awaitable[None] | None = client.spans.log_span_annotations(
            span_annotations=annotations
        )
        return posted

    return sink


def _annotation(evaluation: Evaluation, id: str, span: str) -> dict[str, Any]:
    result = {
        "label": evaluation.label,
        "score": evaluation.value,
        "explanation": evaluation.explanation,
    }
    return {
        "name": evaluation.name,
        "annotator_kind": "CODE",
        "span_id": span,
        "identifier": evaluation.key,
        "result": {key: value for key, value in result.items() if value is not None},
        "metadata": evaluation.metadata(id),
    }
