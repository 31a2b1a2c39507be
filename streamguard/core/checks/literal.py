"""The published patterns as they stand, for the `literal` policy: strings, not values.

They run once over the whole answer: their white space may cross a sentence's border.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamguard import values
from streamguard.core import names
from streamguard.core.model.types import Finding, Severity
from streamguard.core.sentence import Answer, Scope


def literal_refusals(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Report each refusal phrase that is a substring of `answer.lower()`, once."""
    if scope.policy.matching != "literal":
        return
    lowered = answer.text.lower()
    # lower() may lengthen a text ("İ"): offsets are only exact where it does not.
    exact = len(lowered) == len(answer.text)
    for phrase in scope.policy.refusal_phrases:
        start = lowered.find(phrase.lower())
        if start >= 0:
            span = (start, start + len(phrase)) if exact else None
            yield _finding("refusal_detected", "refusal", span, phrase, "The answer declines here.")


def literal_prices(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Flag matches of the price pattern that are not among the chunks' matches."""
    if scope.policy.matching != "literal" or scope.evidence is None:
        return
    known = {
        text[start:end]
        for text in scope.evidence.texts
        for start, end in values.literal_amounts(text)
    }
    for start, end in values.literal_amounts(answer.text):
        value = answer.text[start:end]
        if value not in known:
            yield _unsupported("unsupported_price", (start, end), value)


def literal_names(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Flag matches of the name pattern that no chunk holds and nobody allowed."""
    if scope.policy.matching != "literal" or scope.evidence is None:
        return
    for start, end in names.literal_names(answer.text):
        value = answer.text[start:end]
        held = any(value in text for text in scope.evidence.texts)
        if not held and value not in scope.policy.allowed_names:
            yield _unsupported("unsupported_name", (start, end), value)


def _unsupported(check: str, span: tuple[int, int], value: str) -> Finding:
    message = f"“{value}” is in no retrieved passage."
    return _finding("potential_hallucination", check, span, value, message)


def _finding(
    flag: str, check: str, span: tuple[int, int] | None, value: str, message: str
) -> Finding:
    start, end = span or (None, None)
    severity: Severity = "info" if flag == "refusal_detected" else "warning"
    return Finding(flag, check, severity, start, end, value, None, message)
