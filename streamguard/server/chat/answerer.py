"""Answers without a model: the best sentences of the passages, word for word, with citations."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from streamguard.core.content import content_of
from streamguard.core.model.types import Retrieval, RetrievedChunk
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.rag.lexical import terms
from streamguard.text.normalise import fold
from streamguard.text.segmenter import Segmenter
from streamguard.text.words import STOP_WORDS, stem
from streamguard.text.wrapping import unwrapped
from streamguard.values import read_anchors

_MAX_QUOTES = 3  # sentences of an answer; guess, more is no answer but a page
# A further sentence is quoted when it says at least this share of what the best one says; guess.
_SHARE_OF_BEST = 0.75
# Words of the heading count less than words of the sentence itself; guess.
_HEADING_WEIGHT = 0.5
# Two sentences speak of the same thing when they share this much of their words; guess.
_SAME_SUBJECT = 0.6

_LIST_MARK = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s{1,8}")
_CITATION = re.compile(r"\[\s{0,4}C?\d{1,6}\s{0,4}\]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENDS = (".", "!", "…", "。")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a passage: its words, the passage's number from 1, and what it speaks of.

    `words` and `heading` are stems: its own, and those of the heading it stands below.
    """

    text: str
    number: int
    source: str
    words: frozenset[str]
    heading: frozenset[str]


def extract_answer(question: str, retrieval: Retrieval) -> str:
    """Return sentences of the passages that passed the gate, each with its `[Cn]`.

    The standard refusal where the gate or the passages say no. Sources that contradict each other
    are both quoted; below high confidence what no passage mentions is named.
    """
    if retrieval.is_answerable is False:
        return STANDARD_REFUSAL
    quotes = list(_quotes(retrieval.chunks))
    best = best_quotes(question, quotes)
    if not best:
        return STANDARD_REFUSAL
    other = contradicting(best[0], quotes)
    if other is not None:
        return _both(*sorted((best[0], other), key=lambda quote: quote.number))
    said = " ".join(f"{quote.text} [C{quote.number}]" for quote in best)
    if retrieval.confidence_level in ("high", None):
        return said
    missing = unmentioned(question, retrieval.chunks)
    return f"{said} {_about_missing(missing)}" if missing else said


def best_quotes(question: str, quotes: Sequence[Quote]) -> list[Quote]:
    """Return up to three quotes that hold most of the question, in the passages' order."""
    asked = terms(question)
    df = Counter(word for quote in quotes for word in quote.words)
    weights = {word: math.log((1 + len(quotes)) / (1 + df[word])) + 1 for word in asked}
    ranked = sorted(
        ((_score(quote, weights), -place) for place, quote in enumerate(quotes)), reverse=True
    )
    if not ranked or ranked[0][0] == 0.0:
        return []
    enough = ranked[0][0] * _SHARE_OF_BEST
    chosen = [-place for score, place in ranked[:_MAX_QUOTES] if score >= enough]
    return _without_repeats(quotes[place] for place in sorted(chosen))


def contradicting(quote: Quote, quotes: Iterable[Quote]) -> Quote | None:
    """Return a quote of another source that says the same with other values, or None."""
    values = _values(quote.text)
    for other in quotes:
        shared = len(quote.words & other.words)
        alike = shared >= _SAME_SUBJECT * len(quote.words | other.words)
        if alike and other.source != quote.source and values and _values(other.text) - values:
            return other
    return None


def unmentioned(question: str, chunks: Iterable[RetrievedChunk]) -> list[str]:
    """Return what the question names and no passage mentions, neighbouring words together."""
    asked = terms(question)
    held = {word for chunk in chunks for word in terms(chunk.text)}
    words = (
        (match.group(), stem(word))
        for match in _WORD.finditer(question)
        if (word := fold(match.group()).text.casefold()) not in STOP_WORDS
    )
    return [
        " ".join(word for word, _ in group)
        for missing, group in groupby(words, key=lambda w: w[1] in asked and w[1] not in held)
        if missing
    ]


def _score(quote: Quote, weights: dict[str, float]) -> float:
    said = sum(weight for word, weight in weights.items() if word in quote.words)
    above = sum(weights[word] for word in quote.heading - quote.words if word in weights)
    # A heading alone says nothing: the sentence must hold a word of the question itself.
    return said + _HEADING_WEIGHT * above if said else 0.0


def _quotes(chunks: Sequence[RetrievedChunk]) -> Iterator[Quote]:
    for number, chunk in enumerate(chunks, 1):
        sentences = list(_sentences(chunk.text))
        heading = frozenset(
            word for text in sentences[:1] if not text.endswith(_ENDS) for word in terms(text)
        )
        for text in sentences:
            # Headings and stumps are no answer, and a passage's own marks are no citations.
            if text.endswith(_ENDS) and not _CITATION.search(text):
                source = chunk.source or f"C{number}"
                yield Quote(text, number, source, frozenset(terms(text)), heading)


def _sentences(text: str) -> Iterator[str]:
    plain = unwrapped(text)
    segmenter = Segmenter()
    for start, end in [*segmenter.feed(plain), *segmenter.close()]:
        sentence = plain[start:end].strip()
        yield " ".join(_LIST_MARK.sub("", sentence, count=1).split())


def _values(text: str) -> frozenset[str]:
    """Return the values of a sentence as keys: `$10` and `10 USD` are one."""
    folded = fold(text).text
    keys = content_of(folded, read_anchors(folded)).keys
    return frozenset(key for key in keys if key.startswith("#"))


def _without_repeats(quotes: Iterable[Quote]) -> list[Quote]:
    """Leave out what was quoted before: neighbouring passages share sentences."""
    return list({quote.text: quote for quote in reversed(list(quotes))}.values())[::-1]


def _both(one: Quote, other: Quote) -> str:
    return (
        f'{one.source} says: "{one.text}" [C{one.number}]'
        f' In contradiction to this, {other.source} says: "{other.text}" [C{other.number}]'
    )


def _about_missing(missing: Sequence[str]) -> str:
    return f"What is missing: the documents found say nothing about {', '.join(missing)}."
