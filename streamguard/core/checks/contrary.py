"""What the checks for contrary statements share: when they look, and how they quote a chunk."""

from __future__ import annotations

from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Nearest

_QUOTED_CHARS = 200  # of a chunk sentence in a message


def evidence_for(sentence: Sentence, scope: Scope) -> Evidence | None:
    """Return the chunks to compare a claim with; None for code, other roles and `literal`."""
    if scope.policy.matching == "literal" or sentence.kind == "code" or not sentence.is_claim:
        return None
    return scope.evidence


def quoted(place: Nearest) -> str:
    """Return the words of a place in quotation marks, cut where they are many."""
    text = place.value or ""
    if len(text) > _QUOTED_CHARS:
        text = f"{text[: _QUOTED_CHARS - 1]}…"
    return f"“{text}”"
