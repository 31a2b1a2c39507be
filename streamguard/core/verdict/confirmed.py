"""Whether a judge's quotations hold what an exact check missed in the passages.

The only place where verdicts read values, compare them and reckon with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from streamguard.core.derive.solver import Operands, derive
from streamguard.core.model.types import Finding, Quotation
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import fold
from streamguard.values import Anchor, agree, read_anchors

MAX_QUOTED: Final = 8  # quotations that are read of a word; guess, a sum of that many figures
MAX_QUOTED_CHARS: Final = 1_000  # of each; guess, five times what a judge is asked for
_NIGHTS: Final = ("night", "nights")
# Findings of these checks say exactly what was compared; no judge clears them by its word alone.
_VALUES: Final = frozenset(["unsupported_price", "unsupported_value", "contradicted_value"])
EXACT: Final = _VALUES | {"unsupported_name", "citation_mismatch", "citation_unknown"}


def is_confirmed(finding: Finding, sentence: Sentence, quotations: Sequence[Quotation]) -> bool:
    """Say whether standing quotations hold what the finding says the passages do not.

    A value: the same figure and unit, or values that it follows from by a short reckoning, with
    those of the question and of the sentence itself that stand; the figure that a
    passage has with another unit follows from nothing. A name: its words. What is wrong about a
    citation no quotation answers: it holds in whatever passage it stands.
    """
    texts = [fold((one.value or "")[:MAX_QUOTED_CHARS]).text for one in quotations[:MAX_QUOTED]]
    if finding.check == "unsupported_name":
        held = {word for text in texts for word in text.casefold().split()}
        return held.issuperset(fold(finding.value or "").text.casefold().split())
    if finding.check not in _VALUES:
        return False
    quoted = [anchor for text in texts for anchor in _values_in(text)]
    flagged = [one for one in sentence.anchors if _is_in(one, sentence, finding)]
    known = [*quoted, *_known(sentence, flagged)]
    others = [one for one, match in sentence.held if match.relation in ("unit", "period")]
    return bool(flagged) and all(
        _is_held(one, quoted, [] if one in others else known) for one in flagged
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


def _known(sentence: Sentence, flagged: Sequence[Anchor]) -> list[Anchor]:
    """Return the values of the question, and those of the sentence that stand."""
    own = [one for one, match in sentence.matches if match.stands and one not in flagged]
    return [*sentence.scope.question.anchors, *own]


def _is_held(anchor: Anchor, quoted: Sequence[Anchor], operands: Sequence[Anchor]) -> bool:
    """Say whether a quotation holds the value, or it follows from operands, one of them quoted."""
    if any(agree(anchor, one) == "same" for one in quoted):
        return True
    if not quoted or anchor.high is not None:  # of a range only one end would be reckoned
        return False
    kept = [one for one in operands if not _is_of_another_currency(one, anchor)]
    found = derive(anchor, Operands(kept))
    return found is not None and any(kept[number] in quoted for number in found.sources)


def _is_of_another_currency(one: Anchor, other: Anchor) -> bool:
    are_known = one.unit is not None and other.unit is not None
    return one.kind == other.kind == "amount" and are_known and one.unit != other.unit
