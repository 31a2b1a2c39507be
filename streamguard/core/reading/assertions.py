"""Assertive claims: subject, verb and object where the verb states a fact, not a guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from streamguard.core.index.content import Content
from streamguard.text.words import stem

# Verbs that state a fact of a product or a person, any form by its stem. On RAGTruth dev and
# everyday answers the hallucination score tells answers apart better without those of advice and
# procedure ("use", "provide", "require"), which answers put in words of their own.
FACT_VERBS = frozenset(
    map(
        stem,
        """
        acquire announce build built contain cost costs cover die discover establish found include
        invent launch own release sell sold win won
        """.split(),
    )
)
_GUESSES = frozenset(
    "may might could would should can suggest suggests appear appears seem seems likely probably"
    " possibly perhaps maybe if not never no don't doesn't didn't won't isn't aren't".split()
)
_GUESS_REACH = 4  # words before the verb in which a guess or negation governs it; guess
_ARGUMENT_REACH = 8  # words between the verb and its subject or object; guess
MAX_PER_SENTENCE = 3
NEARNESS = 20  # SPEC 4: subject and object within 20 tokens of each other


class Assertion(NamedTuple):
    """Content keys of subject and object."""

    subject: str
    object: str


def assertions(content: Content) -> Iterator[Assertion]:
    """Yield at most `MAX_PER_SENTENCE` subject-object pairs around fact-stating verbs."""
    return islice(_assertions(content.keys, content.places, content.words), MAX_PER_SENTENCE)


def _assertions(
    keys: Sequence[str], places: Sequence[int], words: Sequence[str]
) -> Iterator[Assertion]:
    if FACT_VERBS.isdisjoint(keys):
        return
    for number in range(1, len(keys) - 1):
        before, place, behind = places[number - 1 : number + 2]
        is_near = max(place - before, behind - place) <= _ARGUMENT_REACH
        # "2. Open Settings": an instruction has no subject.
        stated = keys[number] in FACT_VERBS and is_near and not keys[number - 1].startswith("#")
        if stated and _GUESSES.isdisjoint(words[max(0, place - _GUESS_REACH) : place]):
            yield Assertion(keys[number - 1], keys[number + 1])
