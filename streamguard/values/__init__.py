"""Anchors: the amounts, numbers, dates, times and identifiers of a text, parsed to values."""

from __future__ import annotations

from streamguard.text.patterns import lazy_re
from streamguard.values.agreement import AnchorIndex, Match, agree
from streamguard.values.reader import anchors_in, read_anchors
from streamguard.values.value import Anchor

# The published pattern, word for word; linear: its repetitions are of disjoint classes.
AMOUNT_PATTERN = lazy_re(r"\$\d+(?:\.\d{2})?(?:\s*/\s*(?:month|year|mo|yr))?")


def literal_amounts(text: str) -> list[tuple[int, int]]:
    """Return the spans that match the published pattern of amounts."""
    return [found.span() for found in AMOUNT_PATTERN.finditer(text)]


__all__ = [
    "AMOUNT_PATTERN",
    "Anchor",
    "AnchorIndex",
    "Match",
    "agree",
    "anchors_in",
    "literal_amounts",
    "read_anchors",
]
