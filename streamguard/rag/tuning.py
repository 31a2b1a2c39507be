"""Gate thresholds for one's own questions, with the passages that each keeps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from streamguard.core.model.policy import MAX_THRESHOLD, GateName, Metric
from streamguard.errors import ConfigError

# Below these the figures say little: 30 relevant pairs leave a recall of 0.9 uncertain by 0.11
# (95 %, normal approximation).
MIN_RELEVANT = 30
MIN_OTHERS = 100
_STEP = 0.01  # between thresholds that are tried; finer than such samples tell apart

# How much more recall counts than precision (van Rijsbergen's beta): a strict gate would rather
# refuse, a lenient one rather answer. Guess.
_BETA: dict[GateName, float] = {"strict": 0.25, "moderate": 0.5, "lenient": 1.0}
_OTHERS_PER_QUESTION = 20  # passages of other questions compared with each question; guess


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a chunk: the store's figure for them, and whether the chunk is relevant."""

    figure: float
    relevant: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A threshold, and its shares in [0, 1].

    `precision`: relevant among kept chunks, 1.0 if none is kept. `recall`: kept among relevant
    ones. `others_kept`: kept among the others.
    """

    threshold: float
    precision: float
    recall: float
    others_kept: float

    def f_measure(self, beta: float) -> float:
        """Return the weighted harmonic mean of precision and recall, in [0, 1]."""
        weighted = beta * beta * self.precision + self.recall
        return (1 + beta * beta) * self.precision * self.recall / weighted if weighted else 0.0


def candidates(pairs: Sequence[Pair], metric: Metric) -> list[Candidate]:
    """Return every threshold in steps of 0.01, strictest first.

    Raises `ConfigError` with the numbers if there are too few pairs.
    """
    similar = metric == "similarity"
    # As a distance: a similarity's sign is turned, so that one order serves both.
    turned = [(-pair.figure if similar else pair.figure, pair.relevant) for pair in pairs]
    relevant = sorted(figure for figure, is_relevant in turned if is_relevant)
    others = sorted(figure for figure, is_relevant in turned if not is_relevant)
    _check_numbers(len(relevant), len(others))
    steps = range(round(MAX_THRESHOLD[metric] / _STEP) + 1)
    bounds = [round(step * _STEP, 2) for step in steps]
    if similar:
        return [_candidate(bound, -bound, relevant, others) for bound in reversed(bounds)]
    return [_candidate(bound, bound, relevant, others) for bound in bounds]


def suggested(found: Sequence[Candidate]) -> dict[GateName, Candidate]:
    """Return the threshold for each gate, the strictest of ties.

    Strict, moderate and lenient have the best F-measure with recall weighted a quarter, half and as
    much as precision; a more lenient gate is never stricter than the one before.
    """
    chosen: dict[GateName, Candidate] = {}
    start = 0
    for gate, beta in _BETA.items():
        best = max(found[start:], key=lambda candidate: candidate.f_measure(beta))
        start = found.index(best)
        chosen[gate] = best
    return chosen


def pairs_of_passages(
    passages: Sequence[Sequence[str]], figure: Callable[[int, int], float]
) -> Iterator[Pair]:
    """Yield pairs from questions with passages of their own, without labels.

    `passages[n]` belong to question n and are relevant to it; 20 of other questions, evenly spread,
    are not. `figure(question, passage)` gets the passage's number among all.
    """
    flat = [(owner, text) for owner, texts in enumerate(passages) for text in texts]
    stride = max(1, len(flat) // _OTHERS_PER_QUESTION)
    for question, own in enumerate(passages):
        texts = frozenset(own)
        for number, (owner, text) in enumerate(flat):
            if owner == question:
                yield Pair(figure(question, number), relevant=True)
            # The same passage may serve two questions: then it is no other.
            elif number % stride == question % stride and text not in texts:
                yield Pair(figure(question, number), relevant=False)


def _check_numbers(relevant: int, others: int) -> None:
    if relevant < MIN_RELEVANT or others < MIN_OTHERS:
        raise ConfigError(
            f"too little to tell: {relevant} relevant and {others} other pairs, expected at least"
            f" {MIN_RELEVANT} and {MIN_OTHERS}"
        )


def _candidate(
    threshold: float, bound: float, relevant: Sequence[float], others: Sequence[float]
) -> Candidate:
    kept, wrong = bisect_right(relevant, bound), bisect_right(others, bound)
    return Candidate(
        threshold,
        precision=kept / (kept + wrong) if kept + wrong else 1.0,
        recall=kept / len(relevant),
        others_kept=wrong / len(others),
    )
