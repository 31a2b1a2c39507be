"""Derivations in words, and where their operands stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

from streamguard.core.anchors.value import quotient
from streamguard.core.derive import Derivation, Reckoned
from streamguard.core.derive.statement import figure
from streamguard.core.result import EvidenceSpan
from streamguard.core.types import Nearest

if TYPE_CHECKING:
    from streamguard.core.anchors import Anchor
    from streamguard.core.evidence import Evidence


def with_derivations(
    best: EvidenceSpan | None, reckoned: Mapping[int, Reckoned], evidence: Evidence
) -> EvidenceSpan | None:
    """Return the sentence's evidence with the derivations that hold; None where there is none.

    Without a best window the first operand's place stands for it; where the answer states all of
    them, that of the chunks' value which the first one agrees with.
    """
    held = [one for one in reckoned.values() if one.holds and one.derivation.words]
    operands = tuple(
        dict.fromkeys(place for one in held for place in places(one.derivation, evidence))
    )
    if held and best is None and not operands:
        operands = tuple(islice(filter(None, _stated(held, evidence)), 1))
    if not held or (best is None and not operands):
        return best
    if best is None:
        best = EvidenceSpan(operands[0].chunk_id, operands[0].start, operands[0].end)
    words = "; ".join(in_words(one) for one in held)
    return replace(best, derivation=words, operands=operands)


def _stated(held: Sequence[Reckoned], evidence: Evidence) -> Iterator[Nearest | None]:
    """Return where the chunks hold the values that the answer itself states."""
    operands = (operand for one in held for operand in one.derivation.operands)
    matches = (evidence.find_anchor(operand.anchor) for operand in operands)
    return (evidence.anchor_place(match) for match in matches if match.relation == "same")


def places(derivation: Derivation, evidence: Evidence) -> list[Nearest]:
    """Return where the sources' values that a derivation starts from stand."""
    found = [
        evidence.place(one.block, one.anchor.start, one.anchor.end)
        for one in derivation.operands
        if one.block is not None
    ]
    return found if derivation.place is None else [*found, evidence.place(*derivation.place)]


def in_words(reckoned: Reckoned) -> str:
    """Return "$49/month × 12 = $588 per year"."""
    return f"{reckoned.derivation.words} = {reckoned.anchor.text}"


def should_be(reckoned: Reckoned) -> str:
    """Return the reckoning with its own result, for a value that differs from it."""
    derivation, anchor = reckoned.derivation, reckoned.anchor
    return f"{derivation.words} = {_written(derivation, anchor)}"


def _written(derivation: Derivation, anchor: Anchor) -> str:
    """Return the result in the unit the answer uses."""
    assert derivation.value is not None  # no date is certain
    ends = [derivation.value] if derivation.high is None else [derivation.value, derivation.high]
    return "-".join(_figure(end, anchor) for end in ends)


def _figure(value: Decimal, anchor: Anchor) -> str:
    return figure(quotient(value, anchor.scale))
