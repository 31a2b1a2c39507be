"""Claims and what of the passages is laid beside them, as the product itself reads both.

Training data and the scorer are made by the same functions: the guard cuts the answer, its index
cuts the passages into units and ranks them. Only numpy-free Python is needed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamguard import check_text
from streamguard.core.context import Context
from streamguard.core.facts.columns import NONE
from streamguard.core.facts.said import ASKED
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Verdict
from streamguard.core.reading.slots import CONTENT, read_slots
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.normalise import fold
from streamguard.values import anchors_in
from streamguard.verify.verifier import Verifier

RANKED = 24  # units that are ranked for a claim; guess, three times what 256 pieces hold
MOST_SLOTS = 120  # words and values of a claim, and of a question; guess
BEFORE_SENTENCES = 2  # of the answer that are shown before a claim; guess


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, item or row of a passage; `head` numbers the row of its table's heads, or -1."""

    chunk: int
    text: str
    head: int = NONE


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as a reader is given it.

    `text` is folded, its citation tags are blanked; `start` and `end` are its place in the answer.
    `nearest` numbers the units that hold most of it, the best first. `fast` is the doubt of
    the checks: the probability that something in it is wrong.
    """

    text: str
    question: str
    before: str
    nearest: tuple[int, ...]
    fast: float
    start: int = 0
    end: int = 0


def units_of(evidence: Evidence) -> list[Unit]:
    """Return the units of all passages, in their order."""
    units = evidence.source.units
    return [
        Unit(one.chunk, (evidence.place_in(one.number).value or "").strip(), one.head)
        for one in map(units.__getitem__, range(units.count))
    ]


def claim_of(sentence: Sentence, scope: Scope) -> Claim:
    """Return what is shown of a sentence."""
    before = " ".join(one.prose.strip() for one in sentence.scope.earlier[-BEFORE_SENTENCES:])
    question = scope.context.query or ""
    near = nearest_units(sentence, question, scope.evidence)
    return Claim(
        sentence.prose, question, before, near, sentence.doubted, sentence.start, sentence.end
    )


def nearest_units(sentence: Sentence, question: str, evidence: Evidence | None) -> tuple[int, ...]:
    """Return the units that hold most of a sentence and, by less, of the question."""
    if evidence is None:
        return ()
    source = evidence.source
    folded = fold(question).text
    anchors = [one for one in anchors_in(folded) if one is not None]
    surroundings = {
        slot.key: ASKED * source.held[slot.key].weight
        for slot in read_slots(folded, anchors, most=MOST_SLOTS)
        if slot.kind in CONTENT
    }
    for slot in read_slots(sentence.plain, sentence.anchors, most=MOST_SLOTS):
        if source.holds(slot.key):
            surroundings[slot.key] = source.held[slot.key].weight
    return tuple(source.nearest(surroundings, RANKED))


def within(
    sizes: Sequence[int], heads: Sequence[int], nearest: Sequence[int], room: int
) -> list[int]:
    """Return the units that are shown in `room` pieces, in the order of the passages.

    All of them where they fit. Else the nearest ones, each with the heads of its table, then the
    neighbours of these. `sizes` are in pieces, what separates units included.
    """
    if sum(sizes) <= room:
        return list(range(len(sizes)))
    beside = [near + step for near in nearest for step in (1, -1) if 0 <= near + step < len(sizes)]
    chosen: set[int] = set()
    for unit in (*nearest, *beside):
        wanted = {unit, heads[unit]} - {NONE} - chosen
        size = sum(sizes[one] for one in wanted)
        if size <= room:
            chosen |= wanted
            room -= size
    return sorted(chosen)


def read_answer(
    answer: str, question: str | None, chunks: Sequence[str]
) -> tuple[list[Claim], list[Unit], GuardrailsResult]:
    """Return the claims of an answer in order, the units of its passages, and its result.

    A verifier that is asked about every claim hands over what verifiers are given.
    """
    context = Context(query=question, chunks=list(chunks))
    claims: list[Claim] = []

    def note(sentences: Sequence[Sentence], scope: Scope) -> list[Verdict]:
        claims.extend(claim_of(sentence, scope) for sentence in sentences)
        return [Verdict() for _ in sentences]

    asked = Verifier(note, name="note", threads=1, cache=0, timeout_s=3_600.0)
    result = check_text(answer, context=context, verifiers=[asked])
    units = units_of(context.evidence) if context.evidence is not None else []
    return sorted(claims, key=lambda one: one.start), units, result
