"""Derivations in words, and where their operands stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from streamguard.core.facts.model import Edit
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.result import EvidenceSpan, SentenceReport


def with_derivations(
    best: EvidenceSpan | None, derived: Iterable[Edit], evidence: Evidence
) -> EvidenceSpan | None:
    """Return a sentence's evidence with how its values follow: "$49/month × 12 = $588 per year".

    Without a best window the first operand's place stands for it; None where there is neither.
    Values that a passage holds elsewhere by chance are not told.
    """
    told = [edit for edit in derived if edit.absent]
    if not told:
        return best
    places = (evidence.slot_place(slot) for edit in told for slot in edit.operands)
    operands = tuple(dict.fromkeys(places))
    if best is None:
        if not operands:
            return None
        best = EvidenceSpan(operands[0].chunk_id, operands[0].start, operands[0].end)
    words = "; ".join(map(_in_words, told))
    return replace(best, derivation=words, operands=operands)


def is_derived(report: SentenceReport) -> bool:
    """Say whether a value of the sentence follows from values of the passages."""
    return report.evidence is not None and report.evidence.derivation is not None


def _in_words(edit: Edit) -> str:
    assert edit.derivation is not None  # so they were chosen
    assert edit.slot is not None
    assert edit.slot.anchor is not None
    return f"{edit.derivation.words} = {edit.slot.anchor.text}"
