"""Whether a prompt asks for citations."""

from __future__ import annotations

import re
from collections.abc import Iterable

from streamguard.core.model.types import RetrievedChunk
from streamguard.text.patterns import each_in_turns, sliced_re

# "Cite your sources", "with inline citations", "reference it as [Doc 1]".
_ASKS = sliced_re(
    r"\b(?:cit(?:e|es|ing|ations?)|footnotes?)\b|\breferenc(?:e|es|ing)\b[^.\n\[]{0,60}\[",
    re.IGNORECASE,
)
_DECLINES = sliced_re(
    r"\b(?:do not|don't|must not|never|without|no|not|avoid|nor|instead of)\b[^.;:\n]{0,40}$",
    re.IGNORECASE,
)
_BEFORE_CHARS = 60


def asks_for_citations(text: str) -> bool:
    """Say whether `text`, the application's own words of a prompt, asks to cite passages."""
    return any(
        not _DECLINES.search(text, max(0, found.start() - _BEFORE_CHARS), found.start())
        for found in _ASKS.finditer(text)
    )


def without_passages(text: str, passages: Iterable[RetrievedChunk]) -> str:
    """Return `text` without the words of `passages`, which stand in it in this order."""
    kept, at = [], 0
    for passage in each_in_turns(passages):
        place = text.find(passage.text, at)
        if place >= 0:
            kept.append(text[at:place])
            at = place + len(passage.text)
    return " ".join((*kept, text[at:]))
