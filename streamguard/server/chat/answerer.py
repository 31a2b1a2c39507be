"""Answers without a model: quotes the most relevant parts of the passages, with citations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from streamguard.core.index.content import content_of
from streamguard.core.model.types import Retrieval, RetrievedChunk
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.rag.lexical import terms
from streamguard.rag.wording import QuestionWord, Vocabulary, initials_of, terms_of
from streamguard.server.chat.quotes import Quote, quotes_of
from streamguard.text.normalise import fold
from streamguard.values import read_anchors

_MAX_QUOTES = 3  # parts of an answer; guess: more would be a page
# A further part is quoted if its score is at least this share of the best one's; guess.
_SHARE_OF_BEST = 0.75
# Words of the heading count less than words of the sentence itself; guess.
_HEADING_WEIGHT = 0.5
# Two sentences speak of the same thing when they share this much of their words; guess.
_SAME_SUBJECT = 0.6
# A question for a figure is answered by a part that has one; guess.
_FIGURE_WEIGHT = 1.25

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ASKS_A_FIGURE = re.compile(
    r"\b(?:how (?:much|many|long|often|old|fast|tall|late|early|far|big|quickly)|what time|when"
    r"|cost|costs|price|fee)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


def extract_answer(question: str, retrieval: Retrieval) -> str:
    """Return sentences of the passages that passed the gate, each with its `[Cn]`.

    The standard refusal if the gate or the passages decline. Sources that contradict each other are
    both quoted; below high confidence the answer lists the question's words that no passage
    mentions.
    """
    if retrieval.is_answerable is False:
        return STANDARD_REFUSAL
    quotes = list(quotes_of(retrieval.chunks))
    best = best_quotes(question, quotes)
    if not best:
        return STANDARD_REFUSAL
    other = contradicting(best[0], quotes)
    if other is not None:
        return _both(*sorted((best[0], other), key=lambda quote: quote.number))
    quoted = " ".join(f"{quote.text} [C{quote.number}]" for quote in best)
    if retrieval.confidence_level in ("high", None):
        return quoted
    missing = unmentioned(question, retrieval.chunks)
    return f"{quoted} {_about_missing(missing)}" if missing else quoted


def best_quotes(question: str, quotes: Sequence[Quote]) -> list[Quote]:
    """Return up to three quotes with most of the question, in the passages' order.

    If no quote has any of its words, quotes under a matching heading count.
    """
    vocabulary = Vocabulary(word for quote in quotes for word in quote.words | quote.heading)
    wanted = [(word, _rarity(word, quotes)) for word in vocabulary.asked(question)]
    figure = _ASKS_A_FIGURE.search(question) is not None
    own = [_share_of(wanted, quote.words, quote.initials) for quote in quotes]
    if not any(own):
        own = [_HEADING_WEIGHT * _share_of(wanted, quote.heading) for quote in quotes]
    else:
        # A heading alone says nothing: the quote must hold a word of the question itself.
        own = [
            share and share + _HEADING_WEIGHT * _share_of(wanted, quote.heading - quote.words)
            for share, quote in zip(own, quotes, strict=True)
        ]
    scores = [
        score * (_FIGURE_WEIGHT if figure and _DIGIT.search(quote.text) else 1.0)
        for score, quote in zip(own, quotes, strict=True)
    ]
    # Where a list and one of its items score the same, the item comes first.
    ranked = sorted(range(len(quotes)), key=lambda at: (-scores[at], len(quotes[at].items), at))
    if not ranked or scores[ranked[0]] == 0.0:
        return []
    enough = scores[ranked[0]] * _SHARE_OF_BEST
    chosen = sorted(at for at in ranked[:_MAX_QUOTES] if scores[at] >= enough)
    return _without_repeats([quotes[at] for at in chosen], quotes[ranked[0]])


def contradicting(quote: Quote, quotes: Iterable[Quote]) -> Quote | None:
    """Return a quote of another source that differs only in values, or None."""
    values = _values(quote.text)
    for other in quotes:
        one, two = terms(quote.text).keys(), terms(other.text).keys()
        alike = len(one & two) >= _SAME_SUBJECT * len(one | two)
        if alike and other.source != quote.source and values and _values(other.text) - values:
            return other
    return None


def unmentioned(question: str, chunks: Iterable[RetrievedChunk]) -> list[str]:
    """Return the question's words that no passage mentions; adjacent ones are joined."""
    texts = [chunk.text for chunk in chunks]
    held = Vocabulary(word for text in texts for word in terms_of(text))
    initials = " ".join(map(initials_of, texts))
    words = []
    for match in _WORD.finditer(question):
        wanted = held.asked(match.group())
        if wanted:
            words.append((match.group(), wanted[0].is_unmet(initials)))
    runs = groupby(words, key=lambda pair: pair[1])
    return [" ".join(word for word, _ in run) for is_missing, run in runs if is_missing]


def _rarity(word: QuestionWord, quotes: Sequence[Quote]) -> float:
    """Return how well a word distinguishes the quotes: its weight times its IDF over them."""
    known = sum(word.held_in(quote.words, quote.initials) > 0 for quote in quotes)
    return word.weight * (math.log((1 + len(quotes)) / (1 + known)) + 1)


def _share_of(
    wanted: Sequence[tuple[QuestionWord, float]], words: frozenset[str], initials: str = ""
) -> float:
    return sum(weight * word.held_in(words, initials) for word, weight in wanted)


def _values(text: str) -> frozenset[str]:
    """Return the values of a sentence as keys: `$10` and `10 USD` are one."""
    folded = fold(text).text
    keys = content_of(folded, read_anchors(folded)).keys
    return frozenset(key for key in keys if key.startswith("#"))


def _without_repeats(quotes: Iterable[Quote], best: Quote) -> list[Quote]:
    """Return the quotes without repeats, and without the worse of a list and its items.

    Adjacent passages share sentences.
    """
    kept = {quote.text: quote for quote in reversed(list(quotes))}
    return [
        quote
        for quote in reversed(kept.values())
        if quote.text not in best.items and not (quote.items and quote is not best)
    ]


def _both(one: Quote, other: Quote) -> str:
    return (
        f'{one.source} says: "{one.text}" [C{one.number}]'
        f' In contradiction to this, {other.source} says: "{other.text}" [C{other.number}]'
    )


def _about_missing(missing: Sequence[str]) -> str:
    return f"What is missing: the documents found say nothing about {', '.join(missing)}."
