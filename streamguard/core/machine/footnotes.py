"""Footnotes and lists of sources at an answer's end, which explain its citation numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding
from streamguard.core.reading.markers import titled
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.claimed import DOUBTS
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy_re

# "[^1]: plans.md", "[2] https://x.org/plans": a number, and words or an address behind it.
_NOTE = lazy_re(r"\[\^?(\d{1,3})\^?\]:?\s{1,3}(\S.{0,300})")
_NAMES = lazy_re(r"[^\s,;()<>\[\]]{3,200}")
_DOUBTING = DOUBTS | {"unsupported_claim"}
_CITING = frozenset(["citation_mismatch", "citation_unknown"])
# Of one answer, and of one note; guesses.
_MOST_NOTES, _MOST_NAMES = 100, 20

Notes = Mapping[str, Sequence[int]]


def read_notes(sentences: Sequence[Sentence], evidence: Evidence) -> tuple[Notes, set[int]]:
    """Return the passages that the answer's own list of sources names, by the label `Cn`.

    Only notes that name passages by an id, a file or an address count; other numbers keep meaning
    a passage's position. The second value holds the indexes of the list's sentences, which claim
    nothing.
    """
    notes: dict[str, Sequence[int]] = {}
    indexes = set[int]()
    for sentence in sentences[:_MOST_NOTES]:
        note = _NOTE.fullmatch(fold(sentence.text).text)
        if note is not None and (named := _named(note[2], evidence)):
            notes[f"C{int(note[1])}"] = named
            indexes.add(sentence.index)
    return notes, indexes


def _named(text: str, evidence: Evidence) -> Sequence[int]:
    """Return the passages of the first name in a note that one has."""
    for name in (titled(text), text, *_NAMES.findall(text)[:_MOST_NAMES]):
        bare = name.strip(".:")
        for each in (bare, bare.rpartition("/")[2]):
            labels = evidence.folded_labels.get(each, ())
            if found := [n for label in labels for n in evidence.chunk_numbers(label)]:
                return found
    return ()


def cite_by_notes(
    notes: Notes, sentence: Sentence, findings: Sequence[Finding], evidence: Evidence
) -> tuple[frozenset[int], list[Finding]] | None:
    """Return the chunks that a sentence's numbers mean by `notes`, and its findings.

    None if it has no such number. A warning about a citation becomes information if the number
    means a passage that holds the claim.
    """
    labels = [tag.label for tag in sentence.citations]
    if notes.keys().isdisjoint(labels):
        return None
    cited = frozenset(
        chunk for label in labels for chunk in notes.get(label, ()) or evidence.chunk_numbers(label)
    )
    names = tuple(evidence.labels[chunk] for chunk in sorted(cited))
    message = f"By the list at the answer's end it names {', '.join(names)}."
    return cited, [
        replace(one, severity="info", effect="none", message=message)
        if one.check in _CITING and (one.nearest is None or one.nearest.chunk_id in names)
        else one
        for one in findings
    ]


def without_doubts(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a sentence that is no longer doubted; doubts are information."""
    return [
        replace(one, severity="info", effect="none") if one.check in _DOUBTING else one
        for one in findings
    ]
