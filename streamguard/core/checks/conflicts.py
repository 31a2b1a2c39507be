"""Claims that the chunks contradict: another value, owner, sign, name or role.

Each compares the claim with the chunk sentences that share most with it and asks what stands among
the same words there; what a chunk says just so is never flagged. Figures are from RAGTruth QA
train (27,790 sentences, 402 labelled conflicts; precision: share of findings in a sentence with a
labelled span) and from conflicts made on purpose (benchmarks/bench_conflicts.py, the part for
developing), where false alarms are raised on the clean twins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streamguard.core.anchors import Anchor
from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.binding import Rival, rivals
from streamguard.core.conflicts.counts import of_others
from streamguard.core.conflicts.denials import denied_as_a_whole
from streamguard.core.conflicts.entities import Swapped, swapped_name
from streamguard.core.conflicts.opposites import REACH
from streamguard.core.conflicts.owners import owners
from streamguard.core.conflicts.polarity import turned
from streamguard.core.conflicts.reading import Value
from streamguard.core.conflicts.relations import swapped_roles
from streamguard.core.conflicts.signs import names_time
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding
from streamguard.core.verbs import has_verb
from streamguard.core.words import has_inner_capital

# Likenesses in [0, 1], and by how much the contrary's passes that of what supports the claim:
# chosen so that precision on RAGTruth QA train no longer rises, see each check.
_VALUE_LEAST, _VALUE_MARGIN = 0.5, 0.3
_OWNER_LEAST, _OWNER_MARGIN, _NAMED_MARGIN = 0.5, 0.35, 0.3
_POLE_LEAST, _POLE_MARGIN, _POLE_BACK = 0.5, 0.25, 0.4
_DENIAL_LEAST, _DENIAL_MARGIN = 0.75, 0.35
_NAME_LEAST, _NAME_MARGIN = 0.5, 0.35
# Coverage below which a sentence's words say too little about what it should say; guess.
_COVERED = 0.25
# The same where "all" and "only" are set against each other: who is meant is in other words then,
# "open to everyone" where it is "for members only"; guess.
_REACH_COVERED = 0.2
# Kinds of value whose owner need not be a name.
_OWNED_KINDS = frozenset(["amount", "percent", "date", "time", "weekday", "month"])
_COUNTS = {"number", "quantity"}  # "27" and "41 years"


def other_value(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a value that no chunk holds where a chunk says another of the same thing.

    Also a month, weekday or period ("every day") by itself, and a count that the chunks have of
    other things alone: "3 rooms" against "120 rooms and 3 restaurants" (`conflicts/counts`).

    RAGTruth QA train: 179 findings, precision 0.61, 28 labelled conflicts; 1.5 % of the clean
    answers. Made up: 0.96 of the shifted dates, 0.78 of the changed numbers.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None:
        return
    wanted = _values(sentence, "none") if _may_differ(sentence) else ()
    found = [
        *rivals(sentence, evidence, wanted, least=_VALUE_LEAST, margin=_VALUE_MARGIN),
        *rivals(
            sentence,
            evidence,
            list(of_others(sentence, evidence)),
            least=_VALUE_LEAST,
            margin=_VALUE_MARGIN,
            of_others=True,
        ),
    ]
    for rival in sorted(found, key=lambda rival: rival.value.at):
        yield _value_finding(sentence, evidence, rival, "other_value")


def other_owner(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a value that the chunks give to another owner, where the claim's owner has its own.

    "Pro costs $49" against "Basic costs $49, Pro $99". The owner is a name; of an amount, share
    or date any word that tells the two apart. Where tables, "respectively" or
    clauses of one shape say whose a value is (`conflicts/owners`), that decides.

    RAGTruth QA train: 20 findings, precision 0.55, 7 labelled conflicts; 0.2 % of the clean
    answers. Made up: 0.41 of the exchanged owners, no false alarm.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None or not _has_neighbours(sentence, evidence):
        return
    placed = owners(sentence, scope, evidence)
    for rival in placed.rivals:
        yield _value_finding(sentence, evidence, rival, "other_owner")
    if not _may_be_anothers(sentence):
        return
    told = placed.own.union(rival.value.at for rival in placed.rivals)
    wanted = [value for value in _values(sentence, "same") if value.at not in told]
    least, margin = _OWNER_LEAST, _OWNER_MARGIN
    for rival in rivals(
        sentence, evidence, wanted, least=least, margin=margin, owned_margin=_NAMED_MARGIN
    ):
        if rival.owned or (rival.told_apart and rival.value.group[0] in _OWNED_KINDS):
            yield _value_finding(sentence, evidence, rival, "other_owner")


def opposite(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a denial or an opposite where a chunk says the contrary among the same words.

    "Refunds are not possible" against "refunds are possible", "before meals" against "after
    meals", by the table of `conflicts/opposites`; "at least 10 hours" against "up to 10 hours";
    "all users" against "only admins".

    RAGTruth QA train: 78 findings, precision 0.28, 7 labelled conflicts; 1.7 % of the clean
    answers, 0.2 % of their sentences; of 45 unlabelled ones read by eye 12 do say the contrary.
    Made up: 0.60 of the opposites, 0.59 of the denials, false alarms on 0.2 %. On by default all
    the same: polarity and direction are part of what the flag means.
    """
    evidence = evidence_for(sentence, scope)
    covered = sentence.coverage
    if evidence is None or covered is None or covered.share < _REACH_COVERED:
        return
    found = turned(sentence, evidence, least=_POLE_LEAST, margin=_POLE_MARGIN, back=_POLE_BACK)
    if covered.share < _COVERED and found is not None and found.axis != REACH:
        return
    if found is None:
        found = denied_as_a_whole(sentence, evidence, least=_DENIAL_LEAST, margin=_DENIAL_MARGIN)
    if found is not None:
        place = evidence.place_in(found.sentence)
        yield sentence.finding(
            "contradicted_claim",
            sentence.reading.spans[found.at],
            check="opposite",
            nearest=place,
            message=f"Check this: {place.chunk_id} says the contrary: {quoted(place)}",
        )


def other_role(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag two names whose relation a chunk states the other way round.

    "Orrin acquired Halden" against "Orrin was acquired by Halden", by a closed list of relations
    (`conflicts/relations`).

    RAGTruth QA train: no finding, these texts have few names. Made up: 0.65 of the exchanged
    roles, 0.93 of those in self-written sentences; false alarms on 0.2 %.
    """
    evidence = evidence_for(sentence, scope)
    found = swapped_roles(sentence, scope, evidence) if evidence else None
    if evidence is not None and found is not None:
        yield _name_finding(sentence, evidence, found, "other_role", "has it the other way round")


def other_name(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a name in whose place a chunk has another one.

    Not among the default checks.

    RAGTruth QA train: 61 findings, precision 0.15, 1.7 % of the clean answers: instructions are
    full of capitals that name nothing. Made up: 0.54 of the exchanged names, no false alarm.
    """
    evidence = evidence_for(sentence, scope)
    covered = sentence.coverage
    if evidence is None or covered is None or covered.share < _COVERED:
        return
    found = swapped_name(sentence, evidence, least=_NAME_LEAST, margin=_NAME_MARGIN)
    if found is not None:
        reading = evidence.reading(found.sentence)
        start, end = reading.spans[found.other.first][0], reading.spans[found.other.end - 1][1]
        said = f"has “{reading.text[start:end]}” in this place"
        yield _name_finding(sentence, evidence, found, "other_name", said)


def _may_differ(sentence: Sentence) -> bool:
    """Say whether a value stands in no chunk, or a month, weekday or period may."""
    if any(match.relation == "none" for _, match in sentence.matches):
        return True
    return names_time(sentence.plain, sentence.stated.words)


def _has_neighbours(sentence: Sentence, evidence: Evidence) -> bool:
    """Say whether the closest sentences have another value of the kind of one that is held."""
    held = _held(sentence)
    if not held:
        return False
    near = [anchor for n in sentence.closest.sentences for anchor in evidence.anchors_in(n)]
    return any(
        other.key != anchor.key
        and (other.kind == anchor.kind or {other.kind, anchor.kind} == _COUNTS)
        for anchor in held
        for other in near
    )


def _may_be_anothers(sentence: Sentence) -> bool:
    """Say whether a value that is held is of a kind that needs no name, or a name stands by."""
    return any(anchor.kind in _OWNED_KINDS for anchor in _held(sentence)) or _has_name(sentence)


def _held(sentence: Sentence) -> list[Anchor]:
    return [anchor for anchor, match in sentence.matches if match.relation == "same"]


def _has_name(sentence: Sentence) -> bool:
    """Say whether a word might be an owner's name: a capital inside, or on what a verb follows."""
    if has_inner_capital(sentence.prose):
        return True
    return has_verb(" ".join(sentence.stated.words[1:3]))


def _values(sentence: Sentence, relation: str) -> Sequence[Value]:
    """Return the values that stand so to the chunks; what is no anchor counts as unknown.

    A range that is held is left out: whose it is, its place has to tell (`conflicts/owners`).
    """
    relations = {id(anchor): match.relation for anchor, match in sentence.matches}
    return [
        value
        for value in sentence.reading.values
        if (relations.get(id(value.anchor)) if value.anchor else "none") == relation
        and not (relation == "same" and value.anchor and value.anchor.high is not None)
    ]


def _value_finding(sentence: Sentence, evidence: Evidence, rival: Rival, check: str) -> Finding:
    value = sentence.folded.text[rival.value.start : rival.value.end]
    place = evidence.place_in(rival.sentence, rival.rival.start, rival.rival.end)
    words = quoted(evidence.place_in(rival.sentence))
    return sentence.finding(
        "contradicted_claim",
        (rival.value.start, rival.value.end),
        check=check,
        nearest=place,
        message=f"Check this: “{value}”, but {place.chunk_id} has “{place.value}”: {words}",
    )


def _name_finding(
    sentence: Sentence, evidence: Evidence, found: Swapped, check: str, said: str
) -> Finding:
    spans = sentence.reading.spans
    place = evidence.place_in(found.sentence)
    return sentence.finding(
        "contradicted_claim",
        (spans[found.run.first][0], spans[found.run.end - 1][1]),
        check=check,
        nearest=place,
        message=f"Check this: {place.chunk_id} {said}: {quoted(place)}",
    )
