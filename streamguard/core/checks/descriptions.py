"""Named entities that the chunks call something else: another kind, office or profession."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.descriptions import (
    Description,
    describes,
    kinds_apart,
    may_describe,
    offices_differ,
    same_name,
    same_office,
    trades_apart,
    words_for,
)
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding
from streamguard.core.words import stem

Said = tuple[int, Description]  # a chunk sentence's number, and what it calls a name
_MAX_ASKED = 4  # names of a sentence; guess
_MAX_SENTENCES = 40  # of the chunks that hold one word; guess


def other_description(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a name that a chunk calls something else.

    A person where the chunk has a town, the mayor where it has the treasurer or another mayor, a
    nurse where it has an engineer; what some chunk calls it too is never flagged.

    RAGTruth QA train: no finding in 27,790 sentences; these texts hardly say who holds an office.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None or not may_describe(sentence.content.words):
        return
    for mine in describes(sentence.folded.text)[:_MAX_ASKED]:
        contrary = _contrary(mine, _told(mine, evidence), evidence)
        if contrary is not None:
            yield _finding(sentence, evidence, mine, contrary)
            return


def _told(mine: Description, evidence: Evidence) -> list[Said]:
    """Return what the chunks call the same name, and whom they call the same."""
    words = mine.tokens | words_for(mine.noun)
    numbers = {n for word in words for n in evidence.sentences_with(stem(word))[:_MAX_SENTENCES]}
    return [(number, one) for number in sorted(numbers) for one in evidence.described(number)]


def _contrary(mine: Description, told: Sequence[Said], evidence: Evidence) -> Said | None:
    """Return what the chunks say instead, None where they say the same or nothing of it."""
    same = [said for said in told if same_name(mine.tokens, said[1].tokens)]
    # A town may bear a person's surname, so that only the whole name tells.
    whole = [said for said in same if said[1].tokens == mine.tokens]
    if whole and all(kinds_apart(mine, one) for _, one in whole):
        return whole[0]
    if not mine.noun or any(one.noun == mine.noun for _, one in same):
        return None
    holders = [said for said in told if said[1].only and same_office(mine, said[1])]
    if mine.only:
        names = {one.tokens for _, one in holders}
        if len(names) == 1 and mine.tokens.isdisjoint(next(iter(names))):
            return holders[0]
    if holders or any(evidence.holds_word(word) for word in mine.noun.split()):
        return None
    for number, one in same:
        if (one.only and mine.only and offices_differ(mine, one)) or trades_apart(mine, one):
            return number, one
    return None


def _finding(sentence: Sentence, evidence: Evidence, mine: Description, said: Said) -> Finding:
    number, _ = said
    place = evidence.place_in(number)
    name = sentence.folded.text[mine.start : mine.end]
    return sentence.finding(
        "contradicted_claim",
        (mine.start, mine.end),
        check="other_description",
        nearest=place,
        message=f"Check this: of “{name}” {place.chunk_id} says otherwise: {quoted(place)}",
    )
