"""Counts that the chunks have of other things alone: "3 rooms", where 3 are the restaurants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamguard.core.anchors import Anchor
from streamguard.core.anchors.agreement import agree
from streamguard.core.conflicts.alignment import MAX_HOLDING, MAX_STANDING
from streamguard.core.conflicts.binding import keys_of, known
from streamguard.core.conflicts.reading import Reading, Value
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Sentence

_IRREGULAR: Final = frozenset("people men women children feet teeth mice staff fish sheep".split())
_RATES: Final = frozenset(["in", "of"])  # "1 in 8"
_NOUN_REACH = 6  # tokens from a number to the end of what it counts


def of_others(sentence: Sentence, evidence: Evidence) -> Iterator[Value]:
    """Yield the bare counts of an answer whose number the chunks have of other things alone."""
    held = {id(anchor) for anchor, match in sentence.matches if match.relation == "same"}
    if not held:
        return
    reading = sentence.reading
    for value in reading.values:
        anchor = value.anchor if id(value.anchor) in held else None
        if anchor is None or not _counts_noun(reading, value) or _is_rate(reading, value):
            continue
        if known(evidence, value.group[1]) and _never_of(value, anchor, evidence):
            yield value


def _counts_noun(reading: Reading, value: Value) -> bool:
    """Say whether a plural stands behind a bare number: what it counts, not a word of its own."""
    if not value.counted or value.ends or (value.anchor and value.anchor.high is not None):
        return False
    behind = range(value.at + 1, min(value.at + 1 + _NOUN_REACH, len(reading.words)))
    plurals = (at for at in behind if reading.keys[at] in value.counted)
    return any(reading.words[at].endswith("s") or reading.words[at] in _IRREGULAR for at in plurals)


def _is_rate(reading: Reading, value: Value) -> bool:
    before = [other.at for other in reading.values if other.at < value.at]
    return bool(before) and before[-1] == value.at - 2 and reading.words[value.at - 1] in _RATES


def _never_of(value: Value, anchor: Anchor, evidence: Evidence) -> bool:
    """Say whether every chunk sentence with the number counts something else by it."""
    numbers = dict.fromkeys(n for key in keys_of(anchor) for n in evidence.sentences_with(key))
    if not numbers or len(numbers) > MAX_HOLDING:
        return False
    return all(_counts_others(value, anchor, evidence, number) for number in numbers)


def _counts_others(value: Value, anchor: Anchor, evidence: Evidence, number: int) -> bool:
    same = [other for other in evidence.anchors_in(number) if agree(anchor, other) == "same"]
    reading = evidence.reading(number)
    counts = [other for other in reading.values[:MAX_STANDING] if _counts_noun(reading, other)]
    alike = [other for other in counts if other.anchor in same]
    if not alike or len(alike) < len(same):
        return False  # what some of them count is not told
    return all(value.counted.isdisjoint(_said_with(reading, other, counts)) for other in alike)


def _said_with(reading: Reading, count: Value, counts: list[Value]) -> set[str]:
    """Return the keys of a count's sentence but for what other numbers count there."""
    others = {key for other in counts if other is not count for key in other.counted}
    return {*count.counted, *(reading.places.keys() - others)}
