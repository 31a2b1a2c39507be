"""Whether a judge's quotations hold what an exact check missed in the passages.

The only place where verdicts read values, compare them and reckon with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from streamguard.core.derive.solver import Operands, derive
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Quotation
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import fold
from streamguard.values import Anchor, agree, read_anchors

_NIGHTS: Final = ("night", "nights")
# Findings of these checks say exactly what was compared; no judge clears them by its word alone.
_VALUES: Final = frozenset(["unsupported_price", "unsupported_value", "contradicted_value"])
EXACT: Final = _VALUES | {"unsupported_name", "citation_mismatch", "citation_unknown"}


def is_confirmed(
    finding: Finding, sentence: Sentence, report: SentenceReport, quotations: Iterable[Quotation]
) -> bool:
    """Say whether standing quotations hold what the finding says the passages do not.

    A value: the same figure and unit, or values that it follows from by a short reckoning, with
    those of the question and of the sentence itself that the passages hold. A name: its words. A
    citation: one of the quotations stands in a passage that the sentence cites.
    """
    if finding.check == "citation_mismatch":
        return any(one.chunk_id in report.cited_chunks for one in quotations)
    texts = [fold(one.value or "").text for one in quotations]
    if finding.check == "unsupported_name":
        held = {word for text in texts for word in text.casefold().split()}
        return held.issuperset(fold(finding.value or "").text.casefold().split())
    if finding.check not in _VALUES:
        return False
    quoted = [anchor for text in texts for anchor in _values_in(text)]
    flagged = [one for one in sentence.anchors if _is_in(one, sentence, finding)]
    known = [*quoted, *_known(sentence, flagged)]
    return bool(flagged) and all(_is_held(one, quoted, known) for one in flagged)


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


def _known(sentence: Sentence, flagged: Sequence[Anchor]) -> list[Anchor]:
    """Return the values of the question, and those of the sentence that the passages hold."""
    own = [one for one, match in sentence.held if match.relation == "same" and one not in flagged]
    return [*sentence.scope.question.anchors, *own]


def _is_held(anchor: Anchor, quoted: Sequence[Anchor], known: Sequence[Anchor]) -> bool:
    """Say whether a quotation holds the value, or it follows from some quoted value."""
    if any(agree(anchor, one) == "same" for one in quoted):
        return True
    found = derive(anchor, Operands(known)) if quoted else None
    return found is not None and any(number < len(quoted) for number in found.sources)
