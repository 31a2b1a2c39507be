"""Sentences of one answer that say the same of the same thing with another value, or deny it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from streamguard.core.anchors import Anchor, agree
from streamguard.core.restated import Saying, sayings, told_in
from streamguard.core.sentence import Answer, Scope
from streamguard.core.types import Finding

_DATE_KINDS = frozenset(["date", "year", "time"])


def self_contradiction(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Flag a sentence that contradicts an earlier one: the same words with another value or a not.

    Both speak of the same in the same words (order, prices' synonyms and openers aside), neither
    hedges, compares, or tells of another time, case or source. RAGTruth QA train: never raised on
    27,790 sentences.
    """
    if scope.policy.matching == "literal":
        return
    told, claims = told_in(answer), {claim.index for claim in answer.claims}
    earlier: dict[frozenset[str], Saying] = {}
    section = 0
    sections: dict[int, int] = {}
    for sentence in answer.sentences:
        if sentence.kind == "heading":
            section += 1
        sections[sentence.index] = section
        for saying in sayings(sentence, told):
            before = earlier.setdefault(saying.topic, saying)
            if before.sentence is sentence or not _comparable(before, saying, claims):
                continue
            apart = sections[before.sentence.index] != section
            if apart and not saying.concludes:
                continue
            found = _contradiction(before, saying)
            if found is not None:
                yield found
                break
        yield None


def _comparable(one: Saying, other: Saying, claims: Collection[int]) -> bool:
    """Say whether two sayings are the answer's own claims: not of two passages, not two items.

    `claims`: numbers of the claims, none where nobody asked which sentences are claims.
    """
    if one.end == other.end and one.sentence.text == other.sentence.text:
        return False  # it repeats itself
    if one.sentence.kind == other.sentence.kind == "list_item":
        return False
    if one.sources and other.sources and one.sources != other.sources:
        return False
    said = (one.sentence, other.sentence)
    return all(each.index in claims if claims else each.is_claim for each in said)


def _contradiction(before: Saying, after: Saying) -> Finding | None:
    mine, theirs = _values(after), _values(before)
    if len(mine) != len(theirs):
        return None
    differing = [
        (one, other)
        for one, other in zip(mine, theirs, strict=True)
        if agree(one, other) != "same" and agree(other, one) != "same"
    ]
    if before.denied != after.denied:
        return _finding(before, after, None) if not differing else None
    if len(differing) != 1:
        return None
    one, other = differing[0]
    # Two amounts at two dates are a course of events.
    if one.kind in _DATE_KINDS and len(mine) > 1:
        return None
    if one.kind != other.kind or one.unit != other.unit or one.period != other.period:
        return None
    return _finding(before, after, (one, other))


def _values(saying: Saying) -> list[Anchor]:
    return [
        anchor
        for anchor in saying.sentence.anchors
        if anchor.kind not in ("ordinal", "identifier", "version") and anchor.end <= saying.end
    ]


def _finding(before: Saying, after: Saying, values: tuple[Anchor, Anchor] | None) -> Finding:
    here, there = after.sentence, before.sentence
    if values is not None:
        one, other = values
        return here.finding(
            "self_contradiction",
            (one.start, one.end),
            check="self_contradiction",
            message=f"“{one.text}” here, “{other.text}” earlier in the answer.",
            against=there.place(other.start, other.end),
        )
    return here.finding(
        "self_contradiction",
        None,
        check="self_contradiction",
        message="The answer said the opposite earlier.",
        against=there.place(0, len(there.folded.text)),
    )
