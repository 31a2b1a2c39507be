"""Denials in other words than the chunks': one that an otherwise equal chunk sentence lacks."""

from __future__ import annotations

from streamguard.core.conflicts.alignment import share_of
from streamguard.core.conflicts.opposites import DENYING_WORDS
from streamguard.core.conflicts.polarity import Turned
from streamguard.core.conflicts.reading import Reading
from streamguard.core.conflicts.sides import LIMITS
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Sentence

# Words that set two things against each other: which of them is denied is not told by counting.
_CONTRASTS = frozenset(
    """while whereas but however unlike although though yet than or everyone all mention mentions
    address provide discuss""".split()
)
# Content words that a sentence has to share apart from what it denies; guess.
_LEAST_SHARED = 3
# Share of the answer's keys, what it denies among them, that the best sentence holds; guess.
_LEAST_WHOLE = 0.4


def denied_as_a_whole(
    sentence: Sentence, evidence: Evidence, *, least: float, margin: float
) -> Turned | None:
    """Return the answer's one denial where an otherwise equal chunk sentence denies nothing.

    For denials whose word the chunks do not use: "does not include support" against "support is
    part of". `least`: share of the sentence's other words that the chunk sentence holds; `margin`:
    by how much it passes that of any sentence that may agree.
    """
    if sentence.closest.share < _LEAST_WHOLE or DENYING_WORDS.isdisjoint(sentence.stated.words):
        return None
    reading = sentence.reading
    denials = reading.denials
    if len(denials) != 1 or reading.conditional or _hard_to_tell(reading):
        return None
    denied = {negation.key for negation in reading.negations} | {reading.keys[denials[0]]}
    keys = [key for key in reading.places if key not in denied]
    if len(keys) < _LEAST_SHARED or not _mostly_in_one_clause(reading):
        return None
    best = own = 0.0
    found: int | None = None
    for number in sentence.closest.sentences:
        source = evidence.reading(number)
        share = share_of(evidence, keys, source.places)
        if not _denies_nothing(source) or _say_it_with_opposites(reading, source):
            own = max(own, share)
        elif share > best:
            best, found = share, number
    if found is None or best < least or best - own < margin:
        return None
    return Turned(denials[0], found, None, best, own, "denial")


def _mostly_in_one_clause(reading: Reading) -> bool:
    """Say whether the denial stands in one clause with most of the sentence's words."""
    clause = reading.clauses[reading.denials[0]]
    inside = sum(
        key is not None and own == clause
        for key, own in zip(reading.keys, reading.clauses, strict=True)
    )
    return 3 * inside >= 2 * len(reading.places)


def _hard_to_tell(reading: Reading) -> bool:
    """Say whether more than the denial turns the sentence, or it denies only a part."""
    if reading.softeners or not _CONTRASTS.isdisjoint(reading.words):
        return True
    if any(name in LIMITS for name, _, _ in reading.poles):
        return True  # "not above the limit"
    # Said and denied: of one thing this, of another that.
    return any(len(reading.places.get(n.key, ())) > 1 for n in reading.negations)


def _denies_nothing(source: Reading) -> bool:
    return not (source.denials or source.softeners or source.conditional)


def _say_it_with_opposites(reading: Reading, source: Reading) -> bool:
    """Say whether a denied word meets its opposite: "does not open" and "closes"."""
    theirs = {(axis, pole) for axis, pole, _ in source.poles}
    return any((axis, pole) in theirs for axis, pole, at in reading.poles if at in reading.denied)
