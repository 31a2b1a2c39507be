"""A result as evaluations for observability services: names with a label or value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from streamguard.core.model.result import Annotation, GuardrailsResult

SCORES = (  # the result's, in the order of their columns and evaluations
    "groundedness",
    "doubt",
    "relevance",
    "completeness",
    "hallucination",
    "drift",
    "similarity",
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of one choice: a `label`, or a `value` in [0, 1].

    `key` is globally unique, so that an evaluation sent twice is stored once. `choice` is the index
    in the response; `error` gives the reason of an incomplete answer.
    """

    key: str
    name: str
    choice: int
    label: str | None = None
    value: float | None = None
    explanation: str | None = None
    error: str | None = None

    def metadata(self, id: str) -> dict[str, str | int]:
        """Return the metadata to store with it: answer, choice, and how the answer ended."""
        return {"streamguard.id": id, "choice": self.choice, "ended": self.error or "complete"}


def evaluations(annotation: Annotation, *, explain: bool = False) -> Iterator[Evaluation]:
    """Yield status, score verdict and scores of every choice; nothing for an unchecked answer.

    No evaluation holds text of the answer or its passages, except with `explain`: then the status
    has the reasons and findings, which quote both.
    """
    if annotation.result is None:
        return
    for result in annotation.choices or (annotation.result,):
        error = None if result.complete else result.ended
        for name, label, value in _labels_and_values(result):
            explanation = _explanation(result) if explain and name == "status" else None
            yield Evaluation(
                f"{annotation.id}-{result.choice}-{name}",
                f"streamguard.{name}",
                result.choice,
                label,
                value,
                explanation,
                error,
            )


def _labels_and_values(result: GuardrailsResult) -> Iterator[tuple[str, str | None, float | None]]:
    if result.status is not None:
        yield "status", result.status, None
    if result.scores.verdict is not None:
        yield "verdict", result.scores.verdict, None
    for name in SCORES:
        value = getattr(result.scores, name)
        if value is not None:
            yield name, None, value


def _explanation(result: GuardrailsResult) -> str:
    messages = [reason.message for reason in result.reasons]
    messages += [finding.message for finding in result.findings if finding.message]
    return "\n".join(dict.fromkeys(messages))
