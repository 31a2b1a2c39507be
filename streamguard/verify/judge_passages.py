"""Selects the passages for a judge's prompt: all, or the most relevant that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from streamguard.core.index.content import cut_blocks
from streamguard.core.sentence import Scope, Sentence

MAX_PASSAGE_CHARS: Final = 60_000  # of all passages of one request; guess, some 15,000 tokens
PART_CHARS: Final = 6_000  # of the parts of passages that do not fit as a whole; guess


class PassagePart(NamedTuple):
    """A passage or a part of it in the prompt: its number, its start, and its name."""

    passage: int
    start: int
    text: str
    name: str


def parts_for(sentences: Sequence[Sentence], scope: Scope) -> tuple[list[PassagePart], bool]:
    """Return the passage parts to show with these sentences, and whether any are left out.

    If not all fit, parts that share most words with a sentence come first, then those of cited
    passages, then the others in order.
    """
    evidence = scope.evidence
    texts = evidence.texts if evidence is not None else ()
    if evidence is None or sum(map(len, texts)) <= MAX_PASSAGE_CHARS:
        return [PassagePart(n, 0, text, f"P{n + 1}") for n, text in enumerate(texts)], False
    parts = [
        PassagePart(n, start, text[start:end], f"P{n + 1}.{number}")
        for n, text in enumerate(texts)
        for number, (start, end) in enumerate(cut_blocks(text, PART_CHARS), 1)
    ]
    nearest = [evidence.coverage(one.keys) for one in sentences]
    places = [(found.chunk, found.start) for found in nearest if found is not None]
    passages = {number for sentence in sentences for number in cited(sentence, scope)}

    def rank(part: PassagePart) -> int:
        ends = part.start + len(part.text)
        if any(part.passage == n and part.start <= at < ends for n, at in places):
            return 0
        return 1 if part.passage in passages else 2

    shown, room = [], MAX_PASSAGE_CHARS
    for part in sorted(parts, key=rank):
        if len(part.text) > room:
            break
        room -= len(part.text)
        shown.append(part)
    return sorted(shown), True


def cited(sentence: Sentence, scope: Scope) -> list[int]:
    """Return the numbers of the passages that the sentence cites, from 0."""
    evidence = scope.evidence
    if evidence is None:
        return []
    found = {evidence.chunk_number(one.label) for one in sentence.citations}
    if scope.told:  # beside the text
        found |= sentence.cited
    return sorted(number for number in found if number is not None)
