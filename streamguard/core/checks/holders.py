"""Another agent or holder than the chunks name, of what one alone did or is."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.holders import Holding, cues_for, holdings, may_hold, same_holder
from streamguard.core.conflicts.reading import Reading
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding
from streamguard.core.words import stem

Said = tuple[int, Holding]  # a chunk sentence's number, and who holds what there
_YEAR = 4  # digits
_MAX_ASKED = 4  # holdings of a sentence; guess
_MAX_SENTENCES = 40  # of the chunks that hold one word; guess
# Where one of these stands beside both names they may be the same one's.
_ALIASES = frozenset(
    """known born aka called formerly named name alias pseudonym pen nickname nicknamed renamed
    real stage parent subsidiary unit owned division also""".split()
)
# A sentence with one of these may tell of who held it at another time, or of several.
_SEVERAL = frozenset(
    "was were former formerly until before moved both two second later together with".split()
)


def other_holder(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a name, or a thing, for what the chunks say another one alone did or is.

    "John Reed founded Acme" against "Maria Lopez founded Acme", "the capital of Alderia is
    Borne" against "Kesmark is the capital of Alderia", "its currency is the crown" against "the
    florin" (`conflicts/holders`).

    RAGTruth QA train: no finding, three sentences say who holds something; on its 2,517 passages
    against one another none either. The words and cases are self-written, their precision on
    answers of models that speak of such things is not known.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None or not may_hold(sentence.content.words):
        return
    for mine in holdings(sentence.reading, evidence)[:_MAX_ASKED]:
        contrary = _contrary(sentence, mine, evidence)
        if contrary is not None:
            yield _finding(sentence, evidence, mine, contrary)
            return


def _contrary(sentence: Sentence, mine: Holding, evidence: Evidence) -> Said | None:
    """Return who holds it instead, None where the chunks name no other, several or the same."""
    numbers = _speaking(mine, evidence)
    told = [
        (number, one)
        for number in numbers
        for one in holdings(evidence.reading(number), evidence)
        if (one.role, one.of) == (mine.role, mine.of)
    ]
    if not told or any(same_holder(mine.holder, one.holder) for _, one in told):
        return None
    if any(not same_holder(told[0][1].holder, one.holder) for _, one in told):
        return None
    if mine.article != told[0][1].article:
        return None  # "is Kesmark", "is a small town"
    mine_at, theirs_at = _years(sentence.reading), _years(evidence.reading(told[0][0]))
    if mine_at and theirs_at and mine_at.isdisjoint(theirs_at):
        return None  # bought by one in 2010, by the other in 2021
    others = frozenset[str]().union(*(one.holder for _, one in told))
    return None if _mentioned(mine, others, numbers, evidence) else told[0]


def _years(reading: Reading) -> frozenset[str]:
    parts = (part for value in reading.values for part in reading.words[value.at].split())
    return frozenset(part for part in parts if part.isdigit() and len(part) == _YEAR)


def _speaking(mine: Holding, evidence: Evidence) -> list[int]:
    """Return the chunk sentences that hold every word of what is held."""
    rarest = min(sorted(mine.of), key=lambda key: len(evidence.sentences_with(key)))
    near = evidence.sentences_with(rarest)[:_MAX_SENTENCES]
    return [number for number in near if mine.of <= evidence.keys_in_sentence(number)]


def _mentioned(
    mine: Holding, others: frozenset[str], numbers: list[int], evidence: Evidence
) -> bool:
    """Say whether a chunk names the answer's holder beside the role, or as the other's alias."""
    cues = cues_for(mine.role)
    for word in sorted(mine.holder):
        for number in evidence.sentences_with(stem(word))[:_MAX_SENTENCES]:
            words = frozenset(evidence.reading(number).words)
            if not others.isdisjoint(words) and not _ALIASES.isdisjoint(words):
                return True
            beside = number in numbers and not cues.isdisjoint(words)
            if beside and (mine.deed or not _SEVERAL.isdisjoint(words)):
                return True
    return False


def _finding(sentence: Sentence, evidence: Evidence, mine: Holding, said: Said) -> Finding:
    number, one = said
    reading, place = evidence.reading(number), evidence.place_in(number)
    start, end = reading.spans[one.first][0], reading.spans[one.end - 1][1]
    spans = sentence.reading.spans
    return sentence.finding(
        "contradicted_claim",
        (spans[mine.first][0], spans[mine.end - 1][1]),
        check="other_holder",
        nearest=place,
        message=(
            f"Check this: {place.chunk_id} names “{reading.text[start:end]}” here: {quoted(place)}"
        ),
    )
