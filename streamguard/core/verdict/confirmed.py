"""Whether a judge's quotations hold what an exact check missed in the passages.

The only place where verdicts read, compare and compute values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from streamguard.core.derive.announced import announced
from streamguard.core.derive.reckoning import (
    NEAREST,
    QUESTION,
    SENTENCE,
    KnownValue,
    Reckoning,
    terms_of,
)
from streamguard.core.model.types import Finding, Quotation
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import fold, lower_in_place
from streamguard.values import Anchor, agree, read_anchors

MAX_QUOTED: Final = 8  # quotations that are read of a word; guess, a sum of that many figures
MAX_QUOTED_CHARS: Final = 1_000  # of each; guess, five times the length a judge is asked for
_NIGHTS: Final = ("night", "nights")
# Findings of these checks are exact comparisons; no judge clears them by its word alone.
_VALUES: Final = frozenset(["unsupported_price", "unsupported_value", "contradicted_value"])
EXACT: Final = _VALUES | {"unsupported_name", "citation_mismatch", "citation_unknown"}


def is_confirmed(finding: Finding, sentence: Sentence, quotations: Sequence[Quotation]) -> bool:
    """Return whether the judge's quotations hold what a finding denies of the passages.

    A value needs the same figure and unit in a quotation, or values from which it follows by an
    announced derivation; a figure that a passage has with another unit follows from nothing. A name
    needs its words. No quotation answers a finding about a citation: it may be from any passage.
    """
    texts = [fold((one.value or "")[:MAX_QUOTED_CHARS]).text for one in quotations[:MAX_QUOTED]]
    if finding.check == "unsupported_name":
        held = {word for text in texts for word in text.casefold().split()}
        return held.issuperset(fold(finding.value or "").text.casefold().split())
    if finding.check not in _VALUES:
        return False
    quoted = [anchor for text in texts for anchor in _values_in(text)]
    flagged = [one for one in sentence.anchors if _is_in(one, sentence, finding)]
    others = [one for one, match in sentence.held if match.relation in ("unit", "period")]
    return bool(flagged) and all(
        any(agree(one, other) == "same" for other in quoted)
        or (one not in others and _follows(one, sentence, flagged, quoted))
        for one in flagged
    )


def _values_in(text: str) -> Iterator[Anchor]:
    """Yield the values of a quotation; nights are days as well: "14 nights" are two weeks."""
    for anchor in read_anchors(text):
        yield anchor
        if anchor.noun in _NIGHTS:
            yield from read_anchors(f"{anchor.text} days")


def _is_in(anchor: Anchor, sentence: Sentence, finding: Finding) -> bool:
    place = sentence.place(anchor.start, anchor.end)
    start, end = finding.start or 0, finding.end or 0
    return place.start < end and start < place.end


def _follows(
    anchor: Anchor, sentence: Sentence, flagged: Sequence[Anchor], quoted: Sequence[Anchor]
) -> bool:
    """Return whether the value follows by an operation that the sentence or its question announces.

    One of the operands must be quoted; the others may be values of the question or the sentence. A
    range never follows, since only one of its ends would be computed.
    """
    if anchor.high is not None:
        return False
    question, terms = sentence.scope.question, list[KnownValue]()
    for one in quoted:
        if not _is_of_another_currency(one, anchor):
            terms += terms_of(one, NEAREST)
    for one in question.anchors:
        terms += terms_of(one, QUESTION)
    for one, match in sentence.matches:
        if one not in flagged:
            terms += terms_of(one, SENTENCE, is_grounded=match.stands)
    operations = announced(lower_in_place(sentence.folded.text)) | question.asks
    found = Reckoning(terms, operations).of(anchor)
    return found is not None and any(terms[number].place == NEAREST for number in found.sources)


def _is_of_another_currency(one: Anchor, other: Anchor) -> bool:
    are_known = one.unit is not None and other.unit is not None
    return one.kind == other.kind == "amount" and are_known and one.unit != other.unit
