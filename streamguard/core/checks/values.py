"""Refusals, names that no chunk holds, and prices where nothing is compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from streamguard.core.derive.solver import derive_from
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding, Nearest
from streamguard.core.names import Name, NameMatch, lone_names
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.words import stem
from streamguard.values import Anchor, Match
from streamguard.values.dates import MONTHS
from streamguard.values.value import ZERO

WEEKDAYS = frozenset("mon tue tues wed thu thur thurs fri sat sun".split())


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


def looked_up_price(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag amounts of money that no chunk holds, or holds with another currency or period.

    For `PATTERN_CHECKS`: by look-up alone, without comparing places. Amounts of the question and
    those that follow from values of the question and the sentence are left alone.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    for anchor, match in sentence.amount_matches:
        asked = anchor.key in scope.question.values
        if not (match.stands or asked or _follows(sentence, anchor, match)):
            nearest = scope.evidence.anchor_place(match)
            yield sentence.finding(
                "potential_hallucination",
                (anchor.start, anchor.end),
                check="unsupported_price",
                nearest=nearest,
                message=value_message(anchor, match.relation, nearest),
            )


def _follows(sentence: Sentence, anchor: Anchor, match: Match) -> bool:
    """Say whether an amount follows from the chunks' first values and those around it.

    One that a chunk has with another currency or period must follow exactly.
    """
    scope = sentence.scope
    assert scope is not None  # it has evidence
    assert scope.evidence is not None
    stated = [(one, other.stands) for one, other in sentence.matches]
    known = [*scope.question.anchors, *scope.evidence.first_values()]
    pool = [
        pair for pair in (*stated, *((one, True) for one in known)) if pair[0].key != anchor.key
    ]
    if match.relation != "none":
        anchor = anchor._replace(precision=ZERO)
    return derive_from(anchor, *zip(*pool, strict=True)) is not None if pool else False


def unsupported_name(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag proper nouns that neither a chunk nor the question nor the allow-list holds.

    Headings, table heads, labels ("Monthly Cost: $9") and places to be filled in ("[Your Name]")
    are capitalised whatever they name: of 16 such labels in RAGTruth dev 3 were in labelled text.

    RAGTruth QA train: 521 findings, 0.56 of them in labelled sentences, which are 7 % of these;
    4.4 % of the clean answers. Of one plain word ("in Dallas") in claims only: 68 of these in 1,500
    answers, precision 0.84, in 0.5 % of the clean ones.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    if sentence.role == "heading" or sentence.kind == "table_head":
        return
    for name, match in sentence.unknown_names:
        if _is_styled(name, sentence.prose) or _is_known(name, scope.evidence, match):
            continue  # its words stand apart: "extension 31" where a table has the number
        if " " not in name.text and _stands(name, scope.evidence):
            continue
        yield sentence.finding(
            "potential_hallucination",
            (name.start, name.end),
            check="unsupported_name",
            nearest=scope.evidence.name_place(match),
            message=f"“{name.text}” is in no retrieved passage.",
        )
    for name in islice(lone_names(sentence.prose), MAX_COMPARED):
        if _is_known(name, scope.evidence) or _stands(name, scope.evidence):
            continue
        if sentence.is_claim and not sentence.excuses(name):
            yield sentence.finding(
                "potential_hallucination",
                (name.start, name.end),
                check="unsupported_name",
                message=f"“{name.text}” is in no retrieved passage.",
            )


def _is_styled(name: Name, text: str) -> bool:
    """Say whether a name is the label of what follows, or a place to be filled in."""
    if name.initial and text[name.end :].lstrip("*_ ").startswith(":"):
        return True
    return text.rfind("[", 0, name.start) > text.rfind("]", 0, name.start)


def _is_known(name: Name, evidence: Evidence, match: NameMatch | None = None) -> bool:
    """Say whether the chunks hold the words of a name, in any form and with small letters too.

    Its numbers are values, and checked as such; a first word that begins a sentence may be any,
    unless the chunks have another name in its place: "John Miller" where they have "Sarah Miller".
    """
    tokens = name.tokens
    if name.initial and len(tokens) > 1:
        other = evidence.name_before(match) if match is not None and len(tokens) == 2 else ""
        tokens = tokens if other else tokens[1:]
    return all(
        not token.isalpha()
        or token in WEEKDAYS
        or evidence.holds_word(token)
        or evidence.holds_word(token.removesuffix("s"))
        or bool(evidence.sentences_with(stem(token)))
        for token in tokens
    )


def _stands(name: Name, evidence: Evidence) -> bool:
    """Say whether the chunks hold each part of "Paris-Lyon", of "Oct-Nov" the months."""
    return all(
        any(
            evidence.find_name(replace(name, tokens=(word,))).found
            for word in (token, *(month for month in MONTHS if MONTHS[month] == MONTHS.get(token)))
        )
        for token in name.tokens
    )


def value_message(
    anchor: Anchor, relation: str, nearest: Nearest | None, around: str | None = None
) -> str:
    """Say in words what the chunks hold instead of the anchor's value.

    A value of something else is told only with the words `around` it: who reads it alone takes it
    for the right one.
    """
    if nearest is not None and relation in ("unit", "period"):
        return (
            f"“{anchor.text}” has another {relation} in the retrieved passages:"
            f" “{nearest.value}” in {nearest.chunk_id}."
        )
    absent = f"“{anchor.text}” is in no retrieved passage"
    return f"{absent}." if around is None else f"{absent}; {around}."
