"""Names in another's place: an entity where the chunks have another, roles the wrong way round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from streamguard.core.alignment import (
    FOR_NAMES,
    MAX_ASKED,
    MAX_STANDING,
    around,
    likeness,
    weighed,
    with_holding,
)
from streamguard.core.evidence import Evidence
from streamguard.core.opposites import POLES
from streamguard.core.reading import Reading, Run
from streamguard.core.sentence import Sentence
from streamguard.core.words import stem

# Capitals of menus and buttons name nothing in the world.
_LABELS = frozenset(
    """click select menu button tab icon press tap dialog box window windows screen key option
    options settings choose open""".split()
)
# A capital inside a sentence: of two names one has it.
_INNER = re.compile(r"[^\W\d_A-Z],? [^\W\d_a-z]")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_ACRONYM = 3  # letters up to which a word in capitals is left alone; guess
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
    beat defeat overcome conquer won win | lose lost
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


@dataclass(frozen=True, slots=True)
class Swapped:
    """A name of the answer at tokens `run`, and the chunks' name in its place (None: roles).

    `likeness` and `own` as in `core/binding`.
    """

    run: Run
    sentence: int
    other: Run
    likeness: float
    own: float


def names_in(reading: Reading, evidence: Evidence) -> list[Run]:
    """Return the runs of words written like names.

    The first word of a sentence counts where the chunks hold it and never in small letters.
    """
    if reading.names is None:
        reading.names = list(_runs(reading, evidence))
    return reading.names


def _runs(reading: Reading, evidence: Evidence) -> Iterator[Run]:
    calendar = {value.at for value in reading.values}
    first = last = -2
    for at in reading.capitals:
        if reading.keys[at] is None or at in calendar or not _is_name(reading, at, evidence):
            continue
        if at == last + 1 and _touch(reading, last):
            last = at
            continue
        if first >= 0:
            yield _run(reading, first, last)
        first = last = at
    if first >= 0:
        yield _run(reading, first, last)


def _is_name(reading: Reading, at: int, evidence: Evidence) -> bool:
    word = reading.words[at]
    if at not in reading.initials:
        return True
    return evidence.holds_word(word) and not evidence.uses_lower(word)


def _touch(reading: Reading, at: int) -> bool:
    return (
        reading.clauses[at] == reading.clauses[at + 1]
        and reading.spans[at + 1][0] - reading.spans[at][1] <= 2
    )


def _run(reading: Reading, first: int, last: int) -> Run:
    words = tuple(word.removesuffix("'s") for word in reading.words[first : last + 1])
    return Run(first, last + 1, words)


def swapped_name(
    sentence: Sentence, evidence: Evidence, *, least: float, margin: float
) -> Swapped | None:
    """Return the first name in whose place the chunks have another, where its own place differs.

    `least` and `margin` bound the likeness of the other's surroundings and by how much it passes
    that of the name's own.
    """
    if _CAPITAL.search(sentence.prose, 1) is None or not _LABELS.isdisjoint(sentence.stated.words):
        return None
    reading = sentence.reading
    names = names_in(reading, evidence)
    closest = sentence.closest.sentences
    said = {word for name in names for word in name.words}
    capitals = {reading.keys[at] for name in names for at in range(name.first, name.end)}
    for name in names[:MAX_ASKED]:
        if not _is_proper(reading, name, evidence) or not any(map(evidence.holds_word, name.words)):
            continue
        context = around(reading, FOR_NAMES, name.first, name.end - 1)
        weights = weighed(evidence, context, known=True)
        if len(weights) < 2 or weights.keys() <= capitals:
            continue
        found = _other_name(evidence, closest, name, weights, said)
        if found and found.likeness >= least and found.likeness - found.own >= margin:
            return found
    return None


def _other_name(
    evidence: Evidence,
    closest: Sequence[int],
    name: Run,
    weights: dict[str, float],
    said: set[str],
) -> Swapped | None:
    own = best = 0.0
    found: tuple[int, Run] | None = None
    for number in with_holding(evidence, closest, [stem(word) for word in name.words]):
        source = evidence.reading(number)
        held = False
        for other in names_in(source, evidence)[:MAX_STANDING]:
            context = around(source, FOR_NAMES, other.first, other.end - 1)
            share, count = likeness(weights, context)
            if not set(name.words).isdisjoint(other.words):
                own, held = max(own, share), True
            elif (
                share > best
                and count >= 2
                and said.isdisjoint(other.words)
                and _is_proper(source, other, evidence)
            ):
                best, found = share, (number, other)
        if not held:
            own = max(own, _in_small_letters(source, name, weights))
    return Swapped(name, *found, best, own) if found else None


def _in_small_letters(source: Reading, name: Run, weights: dict[str, float]) -> float:
    """Return the likeness around a word of the name that stands there without its capital."""
    shares = [
        likeness(weights, around(source, FOR_NAMES, at))[0]
        for word in name.words
        for at in source.places.get(stem(word), ())[:1]
    ]
    return max(shares, default=0.0)


def _is_proper(reading: Reading, name: Run, evidence: Evidence) -> bool:
    """Say whether the run names something: no ordinary word, no lone short acronym."""
    if any(evidence.uses_lower(word) for word in name.words):
        return False
    if name.end - name.first > 1:
        return True
    start, end = reading.spans[name.first]
    written = reading.text[start:end]
    return name.first not in reading.initials and not (
        written.isupper() and len(written) <= _ACRONYM
    )


def swapped_roles(sentence: Sentence, evidence: Evidence) -> Swapped | None:
    """Return two names whose relation the chunks state the other way round.

    "A acquired B" against "B acquired A"; the passive is read as the active, "younger than" as
    "older than" the other way round.
    """
    words = sentence.stated.words
    if _RELATION_OF.keys().isdisjoint(sentence.keys) and not any(
        word == "than" or word.endswith("ed") for word in words
    ):
        return None
    if _INNER.search(sentence.prose) is None or len(_CAPITAL.findall(sentence.prose)) < 2:
        return None
    for one in _relations(sentence.reading, evidence):
        for number in sentence.closest.sentences:
            source = evidence.reading(number)
            stated = [_same_relation(one, other) for other in _relations(source, evidence)]
            if 1 in stated:
                break
            if -1 in stated:
                other = _relations(source, evidence)[stated.index(-1)]
                return Swapped(one.first, number, other.first, 1.0, 0.0)
    return None


@dataclass(frozen=True, slots=True)
class _Relation:
    """Two names, from left to right, and the relations or axes between; 1: the left one acts."""

    first: Run
    second: Run
    said: frozenset[tuple[str, int]]


def _relations(reading: Reading, evidence: Evidence) -> list[_Relation]:
    names = names_in(reading, evidence)[:MAX_STANDING]
    found = []
    for first, second in pairwise(names):
        if not 0 < second.first - first.end <= _RELATION_REACH:
            continue
        said = _said_between(reading, first.end, second.first)
        if said and _is_proper(reading, first, evidence) and _is_proper(reading, second, evidence):
            found.append(_Relation(first, second, said))
    return found


def _said_between(reading: Reading, start: int, end: int) -> frozenset[tuple[str, int]]:
    """Return the relations that tokens [start, end) state; the passive turns them round."""
    words = reading.words[start:end]
    passive = -1 if "by" in words else 1  # "acquired by", "its acquisition by"
    said: set[tuple[str, int]] = set()
    for word, key in zip(words, reading.keys[start:end], strict=True):
        if key in _RELATION_OF:
            relation, sign = _RELATION_OF[key]
            said.add((relation, sign * passive))
        elif key and word.endswith("ed") and word not in _MUTUAL:
            said.add((key, passive))
    if words[-1:] == ["than"]:
        said.update(pole for word in words for pole in POLES.get(word, ()))
    return frozenset(said)


def _same_relation(one: _Relation, other: _Relation) -> int:
    """Return 1 where both say the same, -1 the other way round, 0 where nothing is told."""
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
