"""Refusals, and the values and names that no retrieved chunk holds."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.anchors import Anchor, Match
from streamguard.core.anchors.value import ZERO, minus, size_of
from streamguard.core.derive.report import should_be
from streamguard.core.evidence import Evidence
from streamguard.core.names import Name, lone_names
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding, Nearest
from streamguard.core.words import stem

# Ordinals count list items and steps far more often than they state a fact ("First, open ...").
_UNCHECKED_KINDS = frozenset({"amount", "ordinal"})


def refusal(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Report every refusal phrase, and a leading refusal in the answer's first sentence."""
    for found in sentence.refusals:
        yield sentence.finding(
            "refusal_detected",
            (found.start, found.end),
            check="refusal",
            severity="info",
            message="The answer declines here.",
        )


def unsupported_price(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag amounts of money that no chunk holds, or holds with another currency or period.

    RAGTruth QA train: 52 findings, 0.69 of them in labelled sentences, which are 0.8 % of these;
    0.3 % of the clean answers.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    for anchor, match in sentence.amount_matches:
        if not match.stands:
            yield _unsupported(sentence, scope.evidence, anchor, match, "unsupported_price")


def unsupported_value(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag numbers, percentages, quantities, dates and times that no chunk holds.

    One that a chunk has with another unit or period is `contradicted_value`'s. Values inside a
    code block are not statements and are left alone; so are bare count words ("two ways",
    "half"): on RAGTruth QA train 19 % of the unsupported ones lie in a labelled span, against 80 %
    of numbers and 77 % of dates. There: 775 findings, 0.68 of them in labelled sentences, which
    are 10 % of these; 3.5 % of the clean answers.
    """
    if scope.evidence is None or scope.policy.matching == "literal" or sentence.kind == "code":
        return
    for anchor, match in sentence.matches:
        if match.relation != "none" or anchor.kind in _UNCHECKED_KINDS:
            continue
        # A count word is checked where the sources list what it counts.
        if not anchor.casual or anchor.start in sentence.reckoned:
            yield _unsupported(sentence, scope.evidence, anchor, match, "unsupported_value")


def unsupported_name(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag proper nouns that neither a chunk nor the question nor the allow-list holds.

    RAGTruth QA train: 521 findings, 0.56 of them in labelled sentences, which are 7 % of these;
    4.4 % of the clean answers. Of one plain word ("in Dallas") in claims only: 68 of these in 1,500
    answers, precision 0.84, in 0.5 % of the clean ones.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    for name, match in sentence.unknown_names:
        nearest = scope.evidence.name_place(match)
        yield sentence.finding(
            "potential_hallucination",
            (name.start, name.end),
            check="unsupported_name",
            nearest=nearest,
            message=f"“{name.text}” is in no retrieved passage{_hint(nearest)}.",
        )
    for name in lone_names(sentence.prose):
        if not _is_known(name, scope.evidence) and sentence.is_claim and not sentence.excuses(name):
            yield sentence.finding(
                "potential_hallucination",
                (name.start, name.end),
                check="unsupported_name",
                message=f"“{name.text}” is in no retrieved passage.",
            )


def _is_known(name: Name, evidence: Evidence) -> bool:
    """Say whether a chunk holds the words of a name, in any form and with small letters too."""
    return all(
        evidence.holds_word(token)
        or evidence.holds_word(token.removesuffix("s"))
        or bool(evidence.sentences_with(stem(token)))
        for token in name.tokens
    )


def _unsupported(
    sentence: Sentence, evidence: Evidence, anchor: Anchor, match: Match, check: str
) -> Finding:
    nearest = _nearest(sentence, evidence, anchor, match)
    return sentence.finding(
        "potential_hallucination",
        (anchor.start, anchor.end),
        check=check,
        nearest=nearest,
        message=value_message(sentence, anchor, match, nearest),
    )


def _nearest(
    sentence: Sentence, evidence: Evidence, anchor: Anchor, match: Match
) -> Nearest | None:
    """Return the chunks' value to name beside an unsupported one.

    That of its kind in the closest sentence that has one, the nearest in value elsewhere.
    """
    if match.relation == "none" and anchor.value is not None:
        for number in sentence.closest.sentences:
            like = [one for one in evidence.anchors_in(number) if _is_like(one, anchor)]
            if like:
                value = anchor.value
                best = min(like, key=lambda one: size_of(minus(one.value or ZERO, value)))
                return evidence.place_of(number, best)
    return evidence.anchor_place(match)


def _is_like(one: Anchor, anchor: Anchor) -> bool:
    """Say whether two values are of one kind, unit and, where both say it, noun."""
    if one.kind != anchor.kind or one.unit != anchor.unit or one.value is None:
        return False
    return None in (one.noun, anchor.noun) or one.noun == anchor.noun


def _correction(sentence: Sentence, anchor: Anchor) -> str:
    """Say what the value should be, where the sentence leaves no other reckoning."""
    reckoned = sentence.reckoned.get(anchor.start)
    return "" if reckoned is None else f" By the passages: {should_be(reckoned)}."


def value_message(sentence: Sentence, anchor: Anchor, match: Match, nearest: Nearest | None) -> str:
    """Say in words what the chunks hold instead of the anchor's value."""
    if match.relation in ("unit", "period") and nearest is not None:
        what = "period" if match.relation == "period" else "unit"
        return (
            f"“{anchor.text}” has another {what} in the retrieved passages:"
            f" “{nearest.value}” in {nearest.chunk_id}."
        )
    missing = f"“{anchor.text}” is in no retrieved passage{_hint(nearest)}."
    return missing + _correction(sentence, anchor)


def _hint(nearest: Nearest | None) -> str:
    return "" if nearest is None else f"; nearest is “{nearest.value}” in {nearest.chunk_id}"
