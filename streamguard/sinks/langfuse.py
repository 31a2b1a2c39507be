"""Langfuse: a sink that sends every verdict as scores of a trace, with Langfuse's own client.

guard(source, context=context, sinks=[langfuse_sink(get_client())])

The client comes with the extra `langfuse`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from streamguard.core.model.result import Annotation
from streamguard.errors import StreamStateError
from streamguard.sinks.evaluations import evaluations

if TYPE_CHECKING:
    from langfuse import Langfuse


def langfuse_sink(
    client: Langfuse,
    *,
    explain: bool = False,
    trace_id: str | None = None,
    observation_id: str | None = None,
) -> Callable[[Annotation], None]:
    """Return a sink that gives `client` a score per evaluation: status, verdict, each score.

    Scores belong to `trace_id` and its `observation_id`, by default to the observation that is
    current when the stream ends. The client sends them in the background; a repeated annotation
    replaces its scores. Comments hold text of answer and passages only with `explain`. The sink
    raises `StreamStateError` without a trace (a stream logs that).
    """

    def sink(annotation: Annotation) -> None:
        trace, observation = trace_id, observation_id
        if trace is None:
            trace, observation = client.get_current_trace_id(), client.get_current_observation_id()
        if trace is None:
            raise StreamStateError(
                "langfuse_sink has no trace: end the stream within an observation of Langfuse, or"
                " give trace_id"
            )
        for each in evaluations(annotation, explain=explain):
            is_figure = each.label is None
            client.create_score(
                name=each.name,
                value=each.value if is_figure else each.label,
                data_type="NUMERIC" if is_figure else "CATEGORICAL",
                trace_id=trace,
                observation_id=observation,
                score_id=each.key,
                comment=each.explanation,
                metadata=each.metadata(annotation.id),
            )

    return sink
