"""Names in another's place: an entity where the chunks have another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamguard.core.conflicts.alignment import (
    FOR_NAMES,
    MAX_ASKED,
    MAX_STANDING,
    around,
    likeness,
    weighed,
    with_holding,
)
from streamguard.core.conflicts.reading import Reading, Run
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Sentence
from streamguard.core.words import stem

# Capitals of menus and buttons name nothing in the world.
_LABELS = frozenset(
    """click select menu button tab icon press tap dialog box window windows screen key option
    options settings choose open""".split()
)
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_ACRONYM = 3  # letters up to which a word in capitals is left alone; guess


@dataclass(frozen=True, slots=True)
class Swapped:
    """A name of the answer at tokens `run`, and the chunks' name in its place (None: roles).

    `likeness` and `own` as in `binding`.
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
    if at not in reading.initials:
        return True
    word = reading.words[at]
    held = evidence.holds_word(word) or evidence.holds_word(word.removesuffix("'s"))
    return held and not evidence.uses_lower(word.removesuffix("'s"))


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


def is_ordinary(name: Run, evidence: Evidence) -> bool:
    """Say whether a chunk has a word of the run in small letters."""
    return any(evidence.uses_lower(word) for word in name.words)


def _is_proper(reading: Reading, name: Run, evidence: Evidence) -> bool:
    """Say whether the run names something: no ordinary word, no lone short acronym."""
    if is_ordinary(name, evidence):
        return False
    if name.end - name.first > 1:
        return True
    start, end = reading.spans[name.first]
    written = reading.text[start:end]
    return name.first not in reading.initials and not (
        written.isupper() and len(written) <= _ACRONYM
    )
