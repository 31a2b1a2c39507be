"""Assertive claims: subject, verb and object where the verb states a fact, not a guess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from streamguard.core.index.content import Content
from streamguard.text.words import stem

# Verbs that state a checkable fact in product, policy and encyclopedic prose. Self-written; a
# guess at coverage, any form counts by its stem.
_VERBS = """
    acquire add allow announce apply appoint approve award ban begin build buy carry cause change
    charge close combine connect consist contain convert cost cover create cut decrease define
    deliver deploy describe design develop die discover earn eliminate employ enable end establish
    exceed exclude expand expire export fall feature finish found fund gain generate grow guarantee
    handle host import improve include increase integrate introduce invent invest join kill launch
    lead limit locate lose maintain manufacture marry measure merge move name offer open operate
    order own pass pay permit prevent process produce prohibit protect prove provide publish reach
    receive record reduce refund release remain remove rename replace report require restrict
    retain return rise sell send ship sign specify spend start stop store supply support terminate
    total transfer treat use weigh win write
""".split()
FACT_VERBS = frozenset(stem(verb) for verb in _VERBS) | frozenset(
    "began built bought dealt fell grew held kept led left lost made met paid rose ran sold sent"
    " spent took won wrote written begun grown risen taken".split()
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
    if FACT_VERBS.isdisjoint(content.keys):
        return
    found, keys, places = 0, content.keys, content.places
    for number in range(1, len(keys) - 1):
        place = places[number]
        if keys[number] not in FACT_VERBS or _guessed(content.words, place):
            continue
        if keys[number - 1].startswith("#"):
            continue  # "2. Open Settings": an instruction has no subject
        near_subject = place - places[number - 1] <= _ARGUMENT_REACH
        if near_subject and places[number + 1] - place <= _ARGUMENT_REACH:
            yield Assertion(keys[number - 1], keys[number + 1])
            found += 1
            if found == MAX_PER_SENTENCE:
                return


def _guessed(words: tuple[str, ...], place: int) -> bool:
    return not _GUESSES.isdisjoint(words[max(0, place - _GUESS_REACH) : place])
