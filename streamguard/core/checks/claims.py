"""Claims and citations against the chunks; names, prices and refusals by look-up alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from streamguard.core.checks.code_names import code_names
from streamguard.core.checks.counterparts import name_around, other_name
from streamguard.core.derive.announced import announced
from streamguard.core.derive.reckoning import (
    NEAREST,
    QUESTION,
    SENTENCE,
    KnownValue,
    Reckoning,
    terms_of,
)
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.facts.standing import WARNED
from streamguard.core.index.evidence import Evidence
from streamguard.core.model import finding_texts
from streamguard.core.model.finding_texts import DECLINES
from streamguard.core.model.types import Finding, Nearest, about_answer
from streamguard.core.names.reading import Name, literal_names, lone_names
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.text.words import stem
from streamguard.values import Anchor, Match, literal_amounts
from streamguard.values.addresses import ADDRESSES
from streamguard.values.money import CODES, FAMILIES
from streamguard.values.value import ZERO

_LEAST_COVERAGE = 0.40  # from which words map to a chunk; RAGTruth QA train
# By this share the other chunk must hold more of a claim's words. RAGTruth dev: 52 of 70 reported
# mismatches were in answers with an error, without this margin 57 of 79.
_CLEARLY = 0.2
# In sentences with less doubt, abbreviations and the like ("PE", "iPhone", "HTTP 429") are not
# flagged: paraphrases add them. Of 25 such warnings 7 were right.
_HARDLY_DOUBTED = 0.15
_NAMED = frozenset({"identifier", "version"}) | ADDRESSES  # values that hold words of names
_ABBREVIATED = lazy_re(r"[^\W\d_a-z]{2}|\d|(?<!\w)[a-z]+[A-Z]")
_MOST_TERMS = 32  # values from which an amount may be computed; guess
WEEKDAYS = frozenset("mon tue tues wed thu thur thurs fri sat sun".split())


def no_context(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Warn once when retrieval ran and no chunk passed."""
    if scope.evidence is not None and not scope.evidence.chunks:
        yield about_answer("no_context_warning", "no_context", finding_texts.NO_CONTEXT)


def unsupported_claim(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Point out claims whose support and coverage stay below `min_support` and `warn_similarity`.

    Without a score (no chunks, literal matching) the coverage decides alone. Claims with a warning
    about a value or a citation are left out.
    """
    evidence, best, policy = scope.evidence, sentence.coverage, scope.policy
    if evidence is None or not sentence.is_claim:
        return
    if sentence.judgement is None or policy.matching == "literal":
        if (best.share if best else 0.0) >= policy.warn_similarity:
            return
    elif sentence.support is None or sentence.support.probability >= policy.min_support:
        return
    elif (best.share if best else 0.0) >= policy.warn_similarity or is_warned(sentence, scope):
        return  # `doubtful` and other checks report it
    flag, nearest = "unsupported_claim", None if best is None else evidence.quoted(best)
    passage = None if nearest is None else evidence.passage_words(nearest)
    cites = bool(sentence.cited) or policy.matching == "literal"
    message = finding_texts.nearest(passage, cites=cites)
    yield sentence.finding(flag, severity="info", nearest=nearest, message=message)


def is_warned(sentence: Sentence, scope: Scope) -> bool:
    """Return whether a value or an owner is warned of, or the citation does not fit."""
    warned = any(edit.standing in WARNED or edit.is_certain for edit in sentence.edits)
    return warned or any(citation_mismatch(sentence, scope))


def promoted_claims(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Check the claims that only became claims because a short answer has no other."""
    for one in answer.claims:
        if one.promoted:
            claim = one.look_up().judge()
            yield from unsupported_claim(claim, scope)
            yield from uncited_claim(claim, scope)
            yield None


def citation_unknown(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag tags that name no retrieved chunk (`[C9]` of 5)."""
    evidence = scope.evidence
    if evidence is None or scope.context.citations is not None or sentence.kind == "code":
        return
    for tag in sentence.citations:
        if tag.label and evidence.chunk_number(tag.label) is None:
            message = finding_texts.unknown_citation(tag.label, len(evidence.chunks))
            yield sentence.finding("citation_unknown", (tag.start, tag.end), message=message)


def listed_citation_unknown(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Flag entries of the caller's own citation list that name no retrieved chunk."""
    evidence = scope.evidence
    if evidence is None:
        return
    for label in scope.context.citations or ():
        if not evidence.chunk_numbers(label):
            flag = "citation_unknown"
            message = finding_texts.unknown_citation(label, len(evidence.chunks))
            yield about_answer(flag, flag, message, label)


def citation_mismatch(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag cited claims whose evidence is in another chunk than the cited ones.

    Several tags on one claim: any valid one is enough. A value counts by itself, the words of
    the claim by their coverage.
    """
    evidence = scope.evidence
    if evidence is None or not sentence.cited or scope.context.citations is not None:
        return
    other = _other_chunk(sentence, evidence)
    if other is not None:
        tags = sentence.citations
        span = (tags[0].start, tags[-1].end) if tags else None
        tag = sentence.folded.text[slice(*span)] if span else None
        message = finding_texts.miscited(tag, evidence.passage_words(other))
        yield sentence.finding("citation_mismatch", span, nearest=other, message=message)


def uncited_claim(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Point out claims without a citation, where citations were requested.

    The guard takes it back where a later sentence of the same paragraph names a source.
    """
    context = scope.context
    if not context.citations_requested or context.citations is not None:
        return
    if sentence.is_claim and not (sentence.citations or sentence.told_citations):
        message = finding_texts.NO_SOURCE
        yield sentence.finding("uncited_claim", severity="info", message=message)


def too_few_citations(answer: Answer, scope: Scope) -> Iterator[Finding]:
    """Point out an answer with fewer citations per claim than `min_citation_density`.

    Only if citations were requested. `warn_of_few_citations` makes a WARN of it.
    """
    context, claims = scope.context, len(answer.claims)
    if scope.evidence is None or not context.citations_requested or not claims:
        return
    cited = answer.tags if context.citations is None else len(context.citations)
    if scope.policy.matching != "literal" and cited / claims < scope.policy.min_citation_density:
        least = scope.policy.min_citation_density
        message = finding_texts.too_few_citations(cited, claims, least)
        found = about_answer("too_few_citations", "too_few_citations", message)
        yield replace(found, severity="info")


def _other_chunk(sentence: Sentence, evidence: Evidence) -> Nearest | None:
    """Return the evidence that the claim should have cited, or None if its citation holds."""
    best, cited = evidence.coverage(sentence.keys), sentence.coverage
    if best is None or best.chunk in sentence.cited:
        return None
    values = [
        (anchor, evidence.find_anchor(anchor, sentence.cited))
        for anchor, match in sentence.matches
        if match.relation == "same" and anchor.kind != "ordinal"
    ]
    # A value the cited chunks lack, in the chunk that holds the claim's words best, or words that
    # map to that chunk only: a lone figure elsewhere is no evidence, and where the cited chunks
    # hold all of the claim's values, its words may be the answer's own.
    missing = [anchor for anchor, held in values if held.relation != "same"]
    lacking = any(_holds(evidence, anchor, frozenset({best.chunk})) for anchor in missing)
    share = cited.share if cited is not None else 0.0
    unmapped = sentence.is_claim and share < min(_LEAST_COVERAGE, best.share - _CLEARLY)
    unmapped = unmapped and sentence.language is None  # the passages' words may be of another
    unmapped = unmapped and not (values and all(_is_as_written(*each) for each in values))
    is_said = sum(not key.startswith("#") for key in sentence.keys) > 1
    if best.share < _LEAST_COVERAGE or not (lacking or unmapped) or not is_said:
        return None
    return evidence.quoted(best)


def _is_as_written(anchor: Anchor, match: Match) -> bool:
    """Return whether a passage has a value with its unit: a "flat 19" has no 19 dB."""
    held = match.anchor
    return match.relation == "same" and (held is None or held.unit == anchor.unit)


def _holds(evidence: Evidence, anchor: Anchor, chunks: frozenset[int]) -> bool:
    return evidence.find_anchor(anchor, chunks).relation == "same"


def refusal(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Report every refusal phrase, and a leading refusal in the answer's first sentence."""
    flag, check = "refusal_detected", "refusal"
    for one in sentence.refusals:
        span = (one.start, one.end)
        yield sentence.finding(flag, span, check=check, severity="info", message=DECLINES)


def looked_up_price(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag amounts of money that no chunk holds, or holds with another currency or period.

    For `PATTERN_CHECKS`: by look-up alone, without comparing places. Amounts of the question and
    those that follow from values of the question and the sentence are left alone.
    """
    if scope.evidence is None or scope.policy.matching == "literal":
        return
    for anchor, match in sentence.amount_matches:
        in_question = anchor.key in scope.question.values
        if not (match.stands or in_question or _follows(sentence, anchor, match)):
            nearest = scope.evidence.anchor_place(match)
            message, span = finding_texts.absent(anchor.text), (anchor.start, anchor.end)
            # A value of something else, told alone, is taken for the right one.
            if nearest is not None and match.relation != "none":
                message = finding_texts.instead(anchor.text, scope.evidence.passage_words(nearest))
            flag, check = "potential_hallucination", "unsupported_price"
            yield sentence.finding(flag, span, check=check, nearest=nearest, message=message)


def _follows(sentence: Sentence, anchor: Anchor, match: Match) -> bool:
    """Return whether an amount follows, as the sentence announces, from it, question and chunks."""
    scope = sentence.scope
    assert scope.evidence is not None
    terms: list[KnownValue] = []
    for one, other in sentence.matches:
        terms += terms_of(one, SENTENCE, is_grounded=other.stands)
    for one in scope.question.anchors:
        terms += terms_of(one, QUESTION)
    for one in scope.evidence.first_values():
        terms += terms_of(one, NEAREST + 1)
    if match.relation != "none":
        anchor = anchor._replace(precision=ZERO)  # with another currency or period: exactly
    known = [one for one in terms if one.anchor.key != anchor.key][:_MOST_TERMS]
    operations = announced(lower_in_place(sentence.folded.text)) | scope.question.asks
    return Reckoning(known, operations).of(anchor) is not None


def unsupported_name(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag proper nouns that neither a chunk nor the question nor the allow-list holds.

    Headings, table heads, labels ("Monthly Cost: $9") and places to be filled in ("[Your Name]")
    are capitalised whatever they name. One plain word ("in Dallas") only in claims. Other languages
    have other rules for capitals.
    """
    evidence = scope.evidence
    if evidence is None or scope.policy.matching == "literal" or sentence.language is not None:
        return
    if sentence.role in ("heading", "greeting") or sentence.kind == "table_head":
        return
    found = {
        (name.start, name.end): (name, evidence.name_place(match))
        for name, match in sentence.unknown_names
        if not _is_styled(name, sentence.prose)
    }
    lone = lone_names(sentence.prose) if sentence.is_claim else ()
    for name in islice(lone, MAX_COMPARED):
        if not sentence.excuses(name):
            found.setdefault((name.start, name.end), (name, None))
    if not found:
        return
    hardly = sentence.doubt is not None and sentence.doubted < _HARDLY_DOUBTED
    held = [
        anchor
        for anchor, match in sentence.held
        if match.relation == "same" and (anchor.label or anchor.kind in _NAMED)
    ]
    in_code = [*code_names(sentence.folded.text)] if evidence.chunks else []
    for span, (name, nearest) in found.items():
        if any(start <= name.start < end for start, end, _ in in_code):
            continue  # `unsupported_code_name` looks for it as a whole
        if any(one.start < name.end and name.start < one.end for one in held):
            continue  # "Article 17", where a passage has "Art. 17"
        if not (hardly and _ABBREVIATED.search(name.text)) and not _is_known(name, evidence):
            part = (
                None if nearest is None else evidence.passage_words(name_around(nearest, evidence))
            )
            other = None if part is not None else other_name(sentence, evidence, name)
            message = finding_texts.name_absent(name.text, part, other)
            flag, check = "potential_hallucination", "unsupported_name"
            yield sentence.finding(flag, span, check=check, nearest=nearest, message=message)


def _is_styled(name: Name, text: str) -> bool:
    """Return whether a name is the label of a following text, or a placeholder."""
    is_label = name.initial and text[name.end :].lstrip("*_ ").startswith(":")
    return is_label or text.rfind("[", 0, name.start) > text.rfind("]", 0, name.start)


def _is_known(name: Name, evidence: Evidence) -> bool:
    """Return whether the chunks hold a name's words in any form; numbers are checked as values."""
    holds = evidence.tokens.holds
    if holds(name.text.casefold()):  # "Paris-Lyon"
        return True
    if name.text in CODES:  # "USD" of "$49"
        values = evidence.first_values()
        return any(name.text in FAMILIES.get(one.family or "", {one.unit}) for one in values)
    tokens = name.tokens[name.initial and len(name.tokens) > 1 :]
    known = all(
        not token.isalpha()
        or token in WEEKDAYS
        or holds(token)
        or holds(token.removesuffix("s"))
        or bool(evidence.keys.sentences_with(stem(token)))
        for token in tokens
    )
    return known or evidence.find_name(name).found  # "Sandoy" of "Oslovik-Sandoy"


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
            yield Finding("refusal_detected", "refusal", "info", at, end, phrase, None, DECLINES)
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
        message = finding_texts.absent(value)
        yield Finding("potential_hallucination", check, "warning", at, end, value, None, message)
