"""Refusals, names that no chunk holds, prices by look-up alone, and the published patterns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from streamguard.core.derive.solver import derive_from
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding
from streamguard.core.names import Name, literal_names, lone_names
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.text.patterns import lazy_re
from streamguard.text.words import stem
from streamguard.values import Anchor, Match, literal_amounts
from streamguard.values.value import ZERO

_DECLINES = "The answer declines here."
# Doubt of a sentence below which abbreviations and the like are left alone ("PE", "iPhone", "HTTP
# 429"): paraphrases add them. Of 25 warnings there 7 were right on RAGTruth QA train and everyday
# answers, of 20 above it 11; of other names below it 35 of 71.
_HARDLY_DOUBTED = 0.2
_ABBREVIATED = lazy_re(r"[^\W\d_a-z]{2}|\d|(?<!\w)[a-z]+[A-Z]")
WEEKDAYS = frozenset("mon tue tues wed thu thur thurs fri sat sun".split())


def refusal(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Report every refusal phrase, and a leading refusal in the answer's first sentence."""
    flag, check = "refusal_detected", "refusal"
    for one in sentence.refusals:
        span = (one.start, one.end)
        yield sentence.finding(flag, span, check=check, severity="info", message=_DECLINES)


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
            told = ""  # a value of something else, told alone, is taken for the right one
            if nearest is not None and match.relation != "none":
                told = f"; {nearest.chunk_id} has “{nearest.value}”"
            message, span = value_message(anchor, match.relation, told), (anchor.start, anchor.end)
            flag, check = "potential_hallucination", "unsupported_price"
            yield sentence.finding(flag, span, check=check, nearest=nearest, message=message)


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

    One plain word ("in Dallas") only in claims.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    if sentence.role == "heading" or sentence.kind == "table_head":
        return
    evidence = scope.evidence
    found = {
        (name.start, name.end): (name, evidence.name_place(match))
        for name, match in sentence.unknown_names
        if not _is_styled(name, sentence.prose)
    }
    for name in islice(lone_names(sentence.prose), MAX_COMPARED):
        if sentence.is_claim and not sentence.excuses(name):
            found.setdefault((name.start, name.end), (name, None))
    hardly = sentence.doubt is not None and sentence.doubted < _HARDLY_DOUBTED
    for span, (name, nearest) in found.items():
        if hardly and _ABBREVIATED.search(name.text):
            continue
        if not _is_known(name, evidence):
            flag, message = "potential_hallucination", f"“{name.text}” is in no retrieved passage."
            yield sentence.finding(
                flag, span, check="unsupported_name", nearest=nearest, message=message
            )


def _is_styled(name: Name, text: str) -> bool:
    """Say whether a name is the label of what follows, or a place to be filled in."""
    if name.initial and text[name.end :].lstrip("*_ ").startswith(":"):
        return True
    return text.rfind("[", 0, name.start) > text.rfind("]", 0, name.start)


def _is_known(name: Name, evidence: Evidence) -> bool:
    """Say whether the chunks hold the words of a name, in any form and with small letters too.

    Its numbers are values, and checked as such ("extension 31" where a table has the number); a
    first word that begins a sentence may be any.
    """
    words = evidence.tokens.chunks_with
    if name.text.casefold() in words:  # "Paris-Lyon"
        return True
    tokens = name.tokens[name.initial and len(name.tokens) > 1 :]
    return all(
        not token.isalpha()
        or token in WEEKDAYS
        or token in words
        or token.removesuffix("s") in words
        or bool(evidence.keys.sentences_with(stem(token)))
        for token in tokens
    )


def value_message(anchor: Anchor, relation: str, told: str) -> str:
    """Say in words what the chunks hold instead of the anchor's value; `told` quotes them."""
    if relation in ("unit", "period"):
        return f"“{anchor.text}” has another {relation} in the retrieved passages{told}."
    return f"“{anchor.text}” is in no retrieved passage{told}."


def literal_patterns(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Report what the published patterns find, for the `literal` policy: strings, not values.

    Each refusal phrase that is a substring of `answer.lower()`, once; prices that are not among the
    chunks' prices; names that no chunk holds and nobody allowed. They run over the whole answer:
    their white space may cross a sentence's border.
    """
    policy, evidence, text = scope.policy, scope.evidence, answer.text
    if policy.matching != "literal":
        return
    lowered = text.lower()
    # lower() may lengthen a text ("İ"): offsets are only exact where it does not.
    exact = len(lowered) == len(text)
    for phrase in policy.refusal_phrases:
        start = lowered.find(phrase.lower())
        if start >= 0:
            at, end = (start, start + len(phrase)) if exact else (None, None)
            yield Finding("refusal_detected", "refusal", "info", at, end, phrase, None, _DECLINES)
    if evidence is None:
        return
    prices = {chunk[start:end] for chunk in evidence.texts for start, end in literal_amounts(chunk)}
    found = [
        ("unsupported_price", text[at:end], at, end)
        for at, end in literal_amounts(text)
        if text[at:end] not in prices
    ]
    for at, end in literal_names(text):
        name = text[at:end]
        if name not in policy.allowed_names and not any(name in each for each in evidence.texts):
            found.append(("unsupported_name", name, at, end))
    for check, value, at, end in found:
        message = f"“{value}” is in no retrieved passage."
        yield Finding("potential_hallucination", check, "warning", at, end, value, None, message)
