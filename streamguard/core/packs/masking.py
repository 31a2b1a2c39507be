"""The text of an answer as it may be kept: with a placeholder for each sensitive match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from streamguard.core.model.policy import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.packs.hiding import ALL_HIDDEN, SENSITIVE
from streamguard.text.normalise import scalar_text

MASK = "[SECRET]"
_PACKS = ("secrets", "pii")
Span = tuple[int, int, str]  # of a text, and what stands for it


def looks_for_sensitive(policy: Policy) -> bool:
    """Return whether the policy names a pack whose matches must not be kept."""
    return any(named.partition(":")[0] in _PACKS for named in policy.packs)


def masked(
    pieces: Sequence[str], result: GuardrailsResult | None, policy: Policy | None = None
) -> list[str]:
    """Return as many pieces, with a placeholder in the piece where a sensitive match begins.

    `pieces` are an answer's text from its first character, `result` the judgement of it. Unexamined
    text is hidden as a whole if the `policy` looks for something in it: all of it without a result,
    and the text behind the last sentence or the last finding that was kept.
    """
    text = scalar_text("".join(pieces))
    spans = list(_disjoint(_spans(result, text, policy)))
    if not spans:
        return list(pieces)
    if len(text) != sum(map(len, pieces)):  # two halves of a character came in two pieces
        pieces = [text, *[""] * (len(pieces) - 1)]
    return list(_replaced(pieces, spans))


def _spans(result: GuardrailsResult | None, text: str, policy: Policy | None) -> list[Span]:
    is_looked = policy is not None and looks_for_sensitive(policy)
    if result is None:
        return [(0, len(text), ALL_HIDDEN)] if is_looked and text else []
    found = [one for one in result.findings if one.flag in SENSITIVE and one.start is not None]
    spans = [
        (one.start or 0, one.end or 0, MASK if one.flag == "secret" else one.value or ALL_HIDDEN)
        for one in found
    ]
    looked = result.sentences[-1].end if result.sentences else 0
    if any(one.flag == "limit_reached" for one in result.findings):
        # Findings beyond the cap are not listed: behind the last one anything may stand.
        looked = min(looked, max((end for _, end, _ in spans), default=looked))
    if (spans or is_looked) and text[looked:].strip():
        spans.append((looked, len(text), ALL_HIDDEN))
    return spans


def _disjoint(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in their order, without the part of one that an earlier one covers."""
    at = 0
    for start, end, shown in sorted(spans):
        if end > at:
            yield max(start, at), end, shown
            at = end


def _replaced(pieces: Sequence[str], spans: Sequence[Span]) -> Iterator[str]:
    """Yield each piece without the characters of the spans; one that holds a start shows it."""
    number, begins = 0, 0
    for piece in pieces:
        ends, at, kept = begins + len(piece), begins, ""
        while number < len(spans) and spans[number][0] < ends:
            start, end, shown = spans[number]
            kept += piece[at - begins : max(start, begins) - begins]
            kept += shown if start >= begins else ""
            at = min(end, ends)
            if end > ends:
                break
            number += 1
        yield kept + piece[max(at, begins) - begins :]
        begins = ends
