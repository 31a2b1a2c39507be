"""Renders a result as plain text, for terminals and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from streamguard.core.model.result import GuardrailsResult
from streamguard.demo.notes import (
    Note,
    claims_in_words,
    marked_sentences,
    notes_on_the_answer,
    shortened,
)

# Control characters (C0 and C1 without the line feed), and marks that reverse the text.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SENTENCE_CHARS = 200  # of a sentence that is quoted; guess


def report(result: GuardrailsResult, answer: str, chunks: Mapping[str, str]) -> str:
    """Return the result in words; `chunks`: the passages' texts by id.

    Control characters in answer and passages are escaped.
    """
    lines = (_CONTROLS.sub(_spelt, line) for line in _lines(result, answer, chunks))
    return "\n".join(lines) + "\n"


def _spelt(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode()


def _lines(result: GuardrailsResult, answer: str, chunks: Mapping[str, str]) -> Iterator[str]:
    yield f"{result.status or 'not evaluated'}  (policy {result.policy})"
    for message in dict.fromkeys(reason.message for reason in result.reasons):
        yield f"  {message}"
    for banner in result.banners:
        yield f"  for the reader of the answer: “{banner.text}”"
    yield f"claims: {claims_in_words(result)}"
    yield f"flags: {', '.join(result.flags) or 'none'}"
    if result.refusal.detected:
        phrases = ", ".join(f"“{phrase}”" for phrase in result.refusal.phrases)
        yield f"refusal: {result.refusal.extent}, kind {result.refusal.kind} ({phrases})"
    for note in notes_on_the_answer(result):
        yield f"  {note.flag}: {note.message}"
    for number, marked in enumerate(marked_sentences(result, chunks), 1):
        sentence = shortened(answer[marked.start : marked.end], _SENTENCE_CHARS)
        yield f"\n{number:3}  {marked.start}-{marked.end}  {sentence}"
        for note in marked.notes:
            yield from _note(note)


def _note(note: Note) -> Iterator[str]:
    yield f"     {note.flag}: {note.message}"
    if note.evidence:
        yield f"       nearest evidence: {note.evidence}"
