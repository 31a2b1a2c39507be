"""Who does what to whom: two names whose relation the chunks state the other way round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from streamguard.core.conflicts.alignment import MAX_STANDING
from streamguard.core.conflicts.entities import Swapped, is_ordinary, names_in
from streamguard.core.conflicts.opposites import POLES
from streamguard.core.conflicts.reading import Reading, Run
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.words import has_inner_capital, stem

_CAPITAL = re.compile(r"[^\W\d_a-z]")
# Words that may stand between two names and a relation between them; guess.
_RELATION_REACH = 8
# Relations between two names: those of a line say the same, behind "|" the other way round.
_RELATIONS = """
    acquire acquisition buy bought purchase take took taken absorb swallow | part subsidiary
    sell sold
    teach taught train instruct tutor teacher coach mentor | learn learned learnt student pupil
    hire employ employer boss recruit | employee assistant
    lead led head direct manage chair run ran supervise | report
    found founder establish start create creator set
    design designer develop invent inventor build built architect
    write wrote written author compose composer paint painter draw drew
    produce producer manufacture make made
    own owner possess | belong property
    beat beaten defeat overcome conquer won win | lose lost
    follow succeed successor replace succession | precede predecessor
    lend lent donate send sent supply supplier give gave given grant award | receive borrow
    mother father parent | son daughter child
    uncle aunt | nephew niece
    sue suit | defend
"""
# These have no word for the other way round.
_SINGLE = """
    discover kill murder attack help fund finance support criticise criticize praise inspire
    influence rescue save arrest accuse pay visit invite host chase hunt eat ate feed fed serve rule
    govern invade appoint nominate elect name cover love hate admire fear trust betray protect
    threaten warn tell told ask call saw thank blame punish forgive interview film
    photograph advise consult represent translate edit publish review promote dismiss fire sack
    raise adopt bring brought carry drive drove push pull contain include surround border overlook
    outrank outlive outsell exceed surpass owe cite quote copy challenge
"""


# Past forms that hold both ways, or say where something is.
_MUTUAL = frozenset(
    """married related compared connected allied divorced separated located based situated combined
    merged named called united joined signed agreed interested supposed titled entitled""".split()
)
# Nouns for who stands so to the owner before them: in "Ann's father Tom" Tom is the father, where
# in "Ann's purchase of the house" she acts.
_PERSONS = frozenset(
    """part subsidiary tutor teacher coach mentor student pupil employer boss employee assistant
    head chair founder creator designer developer inventor architect author composer painter
    producer manufacturer owner property successor predecessor supplier mother father parent son
    daughter child uncle aunt nephew niece""".split()
)
_OWNERS = frozenset("his her its their whose has had have".split())
# Pronouns that may be a subject; behind one of those at the sentence's start too ("In 1972 it").
_SUBJECTS = frozenset(["he", "she", "it", "they"])
_WHEN = frozenset("in on at by since after before during later then".split())
_WHEN_REACH = 4
_PASSIVE = frozenset("is are was were be been being get got gets".split())
# Behind one of these stands where, when or with whom, not who or what it was done to.
_BESIDE = frozenset(
    """in at near on during after before since until when where outside inside like as with
    among within across throughout under""".split()
)


def _read_relations() -> dict[str, tuple[str, int]]:
    """Return the relation of each stem and 1, or -1 where it is the other way round."""
    relations = {stem(word): (word, 1) for word in _SINGLE.split()}
    for line in _RELATIONS.strip().splitlines():
        words, _, turned = line.partition("|")
        relation = words.split()[0]
        relations |= {stem(word): (relation, 1) for word in words.split()}
        relations |= {stem(word): (relation, -1) for word in turned.split()}
    return relations


_RELATION_OF = _read_relations()


def swapped_roles(sentence: Sentence, scope: Scope, evidence: Evidence) -> Swapped | None:
    """Return two names whose relation the chunks state the other way round.

    "A acquired B" against "B acquired A"; the passive is read as the active, "younger than" as
    "older than" the other way round. A pronoun that is a clause's subject stands for the first
    name before it in its sentence, else for the first of the sentence before.
    """
    if _RELATION_OF.keys().isdisjoint(sentence.keys) and not _may_compare(sentence.stated.words):
        return None
    # Of two names one has a capital inside the sentence.
    if not has_inner_capital(sentence.prose) or len(_CAPITAL.findall(sentence.prose)) < 2:
        return None
    earlier = scope.earlier[-1].reading if scope.earlier else None
    for one in _relations(sentence.reading, evidence, earlier):
        for number in sentence.closest.sentences:
            at = evidence.sentence_before(number)
            before = None if at is None else evidence.reading(at)
            others = _relations(evidence.reading(number), evidence, before)
            stated = [_same_relation(one, other) for other in others]
            if 1 in stated:
                break
            if -1 in stated:
                other = others[stated.index(-1)]
                return Swapped(one.first, number, other.first, 1.0, 0.0)
    return None


def _may_compare(words: Sequence[str]) -> bool:
    """Say whether one of the words may be a past form, or "than"."""
    spoken = f" {' '.join(words)} "
    return "ed " in spoken or " than " in spoken


@dataclass(frozen=True, slots=True)
class _Relation:
    """Two names, from left to right, and the relations or axes between; 1: the left one acts."""

    first: Run
    second: Run
    said: frozenset[tuple[str, int]]


def _with_pronouns(
    reading: Reading, before: Reading | None, names: list[Run], evidence: Evidence
) -> list[Run]:
    """Return the names and, in their places, the subjects' pronouns as the names they stand for."""
    found = list(names)
    for at, word in enumerate(reading.words):
        if word not in _SUBJECTS:
            continue
        begins = at == 0 or reading.clauses[at - 1] != reading.clauses[at]
        if not begins and not (at <= _WHEN_REACH and reading.words[0] in _WHEN):
            continue
        inside = [name for name in names if name.end <= at]
        meant = inside or ([] if before is None else names_in(before, evidence))
        found += [Run(at, at + 1, name.words) for name in meant[:1]]
    return sorted(found, key=lambda run: run.first)


def _relations(reading: Reading, evidence: Evidence, before: Reading | None) -> list[_Relation]:
    names = names_in(reading, evidence)[:MAX_STANDING]
    if not _SUBJECTS.isdisjoint(reading.words):
        names = _with_pronouns(reading, before, names, evidence)
    found = []
    for first, second in pairwise(names):
        if not 0 < second.first - first.end <= _RELATION_REACH:
            continue
        said = _said_between(reading, first, second)
        if said and not is_ordinary(first, evidence) and not is_ordinary(second, evidence):
            found.append(_Relation(first, second, said))
    return found


def _said_between(reading: Reading, first: Run, second: Run) -> frozenset[tuple[str, int]]:
    """Return the relations that stand between two names; the passive turns them round."""
    words = reading.words[first.end : second.first]
    if not _BESIDE.isdisjoint(words[-2:]):
        return frozenset()
    said: set[tuple[str, int]] = set()
    if words[-1:] == ["than"]:
        said.update(pole for word in words for pole in POLES.get(word, ()))
    owned = reading.words[first.end - 1].endswith("'s")
    for at in range(first.end, second.first):
        way = _way(reading, at, second.first, by="by" in words, owned=owned)
        owned = owned or reading.words[at] in _OWNERS
        word, key = reading.words[at], reading.keys[at]
        if way and key in _RELATION_OF:
            relation, sign = _RELATION_OF[key]
            said.add((relation, sign * way))
        elif way and key and word.endswith("ed") and word not in _MUTUAL:
            said.add((key, way))
    return frozenset(said)


def _way(reading: Reading, at: int, second: int, *, by: bool, owned: bool) -> int:
    """Return 1 where the name before a relation's word acts, -1 the other one, 0 if not told.

    `by`: the word stands between them ("acquired by", "its acquisition by"). `owned`: what
    stands at `at` is the first name's.
    """
    if at in reading.denied:
        return 0
    if reading.words[at] in _PERSONS and owned:
        return -1
    if by:
        return -1
    if reading.clauses[at] != reading.clauses[second]:
        return 0
    said_passive = reading.words[at - 1] in _PASSIVE and reading.words[at] not in _PERSONS
    # "Fitbit was bought when Google": by whom is not told.
    return 0 if said_passive and not reading.words[at].endswith("ing") else 1


def _same_relation(one: _Relation, other: _Relation) -> int:
    """Return 1 where both say the same, -1 the other way round, 0 where nothing is told.

    Both words have to stand there, so that one that begins a sentence, or is a short acronym,
    needs no further proof of being a name.
    """
    if one.said & other.said:
        sign = 1
    elif any((relation, -sign) in other.said for relation, sign in one.said):
        sign = -1
    else:
        return 0
    if _match(one.first, other.first) and _match(one.second, other.second):
        return sign
    if _match(one.first, other.second) and _match(one.second, other.first):
        return -sign
    return 0


def _match(one: Run, other: Run) -> bool:
    return not set(one.words).isdisjoint(other.words)
