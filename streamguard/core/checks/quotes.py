"""Quotations: words between quotation marks that no chunk holds in this form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from streamguard.core.evidence import Evidence
from streamguard.core.quotes import Likeness, Phrases, Quote, Region, quotes_in
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding, Nearest
from streamguard.core.words import STOP_WORDS, stem

# Who quotes says so: "Passage 2 states that ...", "according to ...", "the report reads: ...".
_QUOTES = re.compile(
    r"(?<!\w)(?:says?|said|stat(?:e|es|ed|ing)|not(?:e|es|ed|ing)|mention\w*|writes|wrote|written"
    r"|explain\w*|reads?|describe[sd]?|claim\w*|report\w*|adds?|added|warn\w*|advis\w*|recommend\w*"
    r"|suggest\w*|defin\w*|quot\w*|according|passages?|documents?|sources?|articles?|text|authors?"
    r"|policy|manual|contract|terms)(?!\w)"
)
# Such words stand before the question, the answer's own reply, an example, a label on a screen.
_OWN = re.compile(
    r"question|answer|repl(?:y|ies)|respon|sentence|example|such as|e\.g\.|translat|select|click"
)
_REACH = 60  # characters before a quotation that say whose words it is; guess
# Chunks of so many characters are searched whole; of more only around so many sentences with most
# of the words, so far around them. Of a frequent word so many sentences are looked at. Guesses.
_SEARCHED = 8_000
_MAX_REGIONS, _AROUND, _MAX_SENTENCES = 4, 1_000, 100
# Without such a word only what is nearly a passage's own sentence is held against it.
_LIKE, _LIKE_WORDS = 0.6, 5
# Of words that the question holds, the quotation is the question's.
_ASKED = 0.5


def quote_altered(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag quoted words that no chunk holds in this form: altered, stitched together, made up.

    Case, punctuation and white space do not matter, "…" and "[…]" stand for anything. Titles,
    terms under three words, the question's own words and what is quoted from nobody are left
    alone. RAGTruth QA train: raised on 15 of 27,790 sentences, precision 0.60, recall 0.003.
    """
    evidence = scope.evidence
    if evidence is None or not evidence.chunks or scope.policy.matching == "literal":
        return
    if sentence.kind == "code":
        return
    for quote in quotes_in(sentence.folded.text):
        if (
            _is_own(sentence, quote)
            or _is_asked(quote, scope)
            or STOP_WORDS.issuperset(quote.words)
        ):
            continue
        phrases = Phrases(_regions(evidence, quote))
        if phrases.holds(quote):
            continue
        like = phrases.most_like(quote)
        if _quotes_a_source(sentence, quote) or _is_like(quote, like):
            yield sentence.finding(
                "quote_altered",
                (quote.start, quote.end),
                check="quote_altered",
                nearest=_nearest(evidence, like),
                message=_message(like),
            )


def _regions(evidence: Evidence, quote: Quote) -> list[Region]:
    """Return the parts of the chunks that may hold the quotation: of few chunks all.

    Of many those around the sentences with most of its words.
    """
    if sum(map(len, evidence.texts)) <= _SEARCHED:
        return [Region(chunk, 0, text) for chunk, text in enumerate(evidence.texts)]
    votes: Counter[int] = Counter()
    for key in set(map(stem, quote.words)):
        votes.update(evidence.sentences_with(key)[:_MAX_SENTENCES])
    best = sorted(votes, key=lambda sentence: (-votes[sentence], sentence))[:_MAX_REGIONS]
    return [_around(evidence, sentence) for sentence in best]


def _around(evidence: Evidence, sentence: int) -> Region:
    chunk, place = evidence.chunk_of(sentence), evidence.place_in(sentence)
    start = max(0, place.start - _AROUND)
    return Region(chunk, start, evidence.texts[chunk][start : place.end + _AROUND])


def _is_asked(quote: Quote, scope: Scope) -> bool:
    asked = set(scope.question.content.words)
    return sum(word in asked for word in quote.words) >= _ASKED * len(quote.words)


def _quotes_a_source(sentence: Sentence, quote: Quote) -> bool:
    return bool(sentence.cited) or _QUOTES.search(_before(sentence, quote)) is not None


def _is_own(sentence: Sentence, quote: Quote) -> bool:
    return bool(_OWN.search(_before(sentence, quote))) or quote.text.rstrip().endswith("?")


def _before(sentence: Sentence, quote: Quote) -> str:
    return sentence.folded.text[max(0, quote.start - _REACH) : quote.start].lower()


def _is_like(quote: Quote, like: Likeness | None) -> bool:
    return like is not None and like.share >= _LIKE and len(quote.words) >= _LIKE_WORDS


def _nearest(evidence: Evidence, like: Likeness | None) -> Nearest | None:
    if like is None:
        return None
    words = evidence.texts[like.chunk][like.start : like.end]
    return Nearest(words, evidence.labels[like.chunk], like.start, like.end)


def _message(like: Likeness | None) -> str:
    if like is not None and like.stitched:
        return "No passage holds these words in one piece; they are put together from two places."
    return "No passage holds these quoted words in this form."
