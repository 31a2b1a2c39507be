"""Steps in another order than the chunks give."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.steps import (
    LEAST_SHARED,
    Pair,
    alike,
    may_order,
    number_of,
    pairs,
    same_order,
    step_in,
)
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding

_MAX_HOLDING = 16  # sentences of the chunks that hold one word; guess
_MAX_ASKED = 6  # pairs of a sentence; guess


def other_order(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag two steps that a chunk does in the other order.

    "Open the case, then remove the battery" against "before opening the case, remove the
    battery" or a numbered list (`conflicts/steps`); a chunk that has them so too clears them.

    RAGTruth QA train: no finding among 601 ordered pairs of steps, of which 112 stand in a chunk in
    the same order, nor on its 2,517 passages against one another. On by default because it costs
    no false alarm there; how many reordered steps it finds in real answers is not known.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None or not may_order(sentence.content.words):
        return
    for mine in pairs(sentence.reading)[:_MAX_ASKED]:
        number = _contrary(mine, evidence)
        if number is not None:
            place = evidence.place_in(number)
            yield sentence.finding(
                "contradicted_claim",
                None,
                check="other_order",
                nearest=place,
                message=f"Check this: {place.chunk_id} has another order: {quoted(place)}",
            )
            return


def _contrary(mine: Pair, evidence: Evidence) -> int | None:
    """Return the chunk sentence that has the steps the other way round, if none has them so."""
    near = [_near(step, evidence) for step in mine]
    told: list[int] = []
    for number in sorted({*near[0], *near[1]}):
        for other in pairs(evidence.reading(number)):
            if same_order(mine, other):
                return None
            if same_order(mine, Pair(other.later, other.earlier)):
                told.append(number)
    listed = _listed(mine, near, evidence)
    if listed is None:
        return None
    return next(iter([*told, *listed]), None)


def _listed(mine: Pair, near: list[list[int]], evidence: Evidence) -> list[int] | None:
    """Return lines of numbered lists that hold the earlier step behind the later one.

    None where some list has them in the answer's order.
    """
    steps = [
        [(number, line) for number in numbers if (line := _line(number, step, evidence))]
        for step, numbers in zip(mine, near, strict=True)
    ]
    found = []
    for number, line in steps[0]:
        for other, before in steps[1]:
            if evidence.chunk_of(number) != evidence.chunk_of(other) or number == other:
                continue
            if number < other:
                return None
            if before < line:
                found.append(number)
    return found


def _line(number: int, step: frozenset[str], evidence: Evidence) -> int | None:
    """Return the number of a list's line that is the step."""
    reading = evidence.reading(number)
    line = number_of(reading.text)
    return line if line and alike(step, step_in(reading)) else None


def _near(step: frozenset[str], evidence: Evidence) -> list[int]:
    """Return the chunk sentences that may word the step, found by its two rarest words."""
    held = [key for key in sorted(step) if evidence.sentences_with(key)]
    rarest = sorted(held, key=lambda key: len(evidence.sentences_with(key)))[:2]
    found = {n for key in rarest for n in evidence.sentences_with(key)[:_MAX_HOLDING]}
    return sorted(n for n in found if len(step & evidence.keys_in_sentence(n)) >= LEAST_SHARED)
