"""A result for people: the sentences that need attention, with reason and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from streamguard.core.model.result import GuardrailsResult, SentenceReport
from streamguard.core.model.types import Finding

_WITHOUT_EVIDENCE = frozenset({"check_error", "limit_reached", "refusal_detected"})
_EVIDENCE_CHARS = 160  # of a passage window; guess, two lines of a terminal


@dataclass(frozen=True, slots=True)
class Note:
    """One line about a sentence: its flag, the reason, the nearest evidence."""

    flag: str
    message: str
    evidence: str | None


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence that needs attention: its half-open span in the answer, and its notes."""

    start: int
    end: int
    notes: tuple[Note, ...]


def marked_sentences(
    result: GuardrailsResult, chunks: Mapping[str, str]
) -> tuple[MarkedSentence, ...]:
    """Return the sentences with a warning or an unsupported claim, in order (SPEC 8).

    `chunks`: the passages' texts by the ids that findings name.
    """
    marked = []
    for sentence in result.sentences:
        findings = [result.findings[number] for number in sentence.findings]
        if any(_underlines(finding) for finding in findings):
            notes = tuple(_note(finding, sentence, chunks) for finding in findings)
            marked.append(MarkedSentence(sentence.start, sentence.end, notes))
    return tuple(marked)


def notes_on_the_answer(result: GuardrailsResult) -> tuple[Note, ...]:
    """Return the findings about the answer as a whole."""
    found = (finding for finding in result.findings if finding.start is None)
    return tuple(Note(finding.flag, finding.message or "", None) for finding in found)


def claims_in_words(result: GuardrailsResult) -> str:
    """Return how many of the answer's claims are supported."""
    if not result.total_claims:
        return "none"
    return f"{result.supported_claims} of {result.total_claims} supported"


def shortened(text: str, most: int) -> str:
    """Return `text` on one line, cut with an ellipsis at `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _underlines(finding: Finding) -> bool:
    return finding.severity == "warning" or finding.flag == "unsupported_claim"


def _note(finding: Finding, sentence: SentenceReport, chunks: Mapping[str, str]) -> Note:
    return Note(finding.flag, finding.message or "", _evidence(finding, sentence, chunks))


def _evidence(finding: Finding, sentence: SentenceReport, chunks: Mapping[str, str]) -> str | None:
    """Return the words around the nearest value, else the sentence's best passage window."""
    if finding.nearest is not None:
        place = finding.nearest.chunk_id, finding.nearest.start, finding.nearest.end
        return _quoted(*_widened(*place, chunks), chunks)
    if sentence.evidence is not None and finding.flag not in _WITHOUT_EVIDENCE:
        found = sentence.evidence
        return _quoted(found.chunk_id, found.start, found.end, chunks)
    return None


def _widened(
    chunk_id: str, start: int, end: int, chunks: Mapping[str, str]
) -> tuple[str, int, int]:
    """Return the span extended to its sentence or line, if that is short enough to read."""
    text = chunks.get(chunk_id, "")
    room = max(0, _EVIDENCE_CHARS - (end - start)) // 2
    first = max(0, start - room)
    for mark in (". ", "\n"):
        at = text.rfind(mark, first, start)
        first = first if at < 0 else at + len(mark)
    last = min(len(text), end + room)
    for mark in (". ", "\n"):
        at = text.find(mark, end, last)
        last = last if at < 0 else at + 1
    return chunk_id, first, last


def _quoted(chunk_id: str, start: int, end: int, chunks: Mapping[str, str]) -> str | None:
    words = shortened(chunks.get(chunk_id, "")[start:end], _EVIDENCE_CHARS)
    return f"{chunk_id}: “{words}”" if words else None
