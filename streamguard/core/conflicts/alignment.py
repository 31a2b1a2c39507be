"""Which sentences of the chunks speak of the same, and how alike two places in them are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from streamguard.core.conflicts.ranges import of_one_range
from streamguard.core.conflicts.reading import Reading, Value
from streamguard.core.evidence import Evidence
from streamguard.core.postings import MAX_SENTENCES, Posting

# Sentences of the chunks that are compared, and their least share of the best one's weight; guess.
_MOST_ALIKE = 6
_LEAST_ALIKE = 0.3
# Sentences looked at for one key; guess, as many as hold any but the commonest word.
MAX_HOLDING = 16
# Places of an answer's sentence that are compared, and places of a chunk's they are compared with;
# guess, more than any but a list has.
MAX_ASKED = 12
MAX_STANDING = 24
# A key that stands there with less than this weight counts for a part of its own; guess.
_NEAR = 0.2
_UNKNOWN = 0.7  # weight of a key that no chunk holds; guess

_ROUNDING = 1 - 1e-9  # sums of the same weights in another order differ by less


@dataclass(frozen=True, slots=True)
class Nearness:
    """How the weight of a key falls with its distance from a place, in content words.

    Halved after `half` words; times `other_clause` outside the place's clause, times `beyond`
    outside the segment that belongs to the place. `name` tells the kinds apart in caches.
    """

    name: str
    half: float
    other_clause: float
    reach: int  # tokens on either side
    beyond: float = 1.0


# Found by trying on RAGTruth QA train and on conflicts made on purpose.
FOR_VALUES = Nearness("values", half=6.0, other_clause=0.8, beyond=0.05, reach=40)
FOR_POLES = Nearness("poles", half=2.0, other_clause=0.5, reach=10)
FOR_NAMES = Nearness("names", half=3.0, other_clause=0.25, reach=40)

Context = Mapping[str, float]


def around(
    reading: Reading,
    nearness: Nearness,
    first: int,
    last: int | None = None,
    segment: tuple[int, int] | None = None,
) -> Context:
    """Return the keys around tokens [first, last], each with its weight in (0, 1]."""
    known = reading.contexts.get((nearness.name, first))
    if known is not None:
        return known
    last = first if last is None else last
    low, high = segment or (0, len(reading.keys))
    weights: dict[str, float] = {}
    for step, start in ((-1, first - 1), (1, last + 1)):
        stop = max(-1, first - 1 - nearness.reach) if step < 0 else last + 1 + nearness.reach
        stop = stop if step < 0 else min(len(reading.keys), stop)
        distance = 0
        for at in range(start, stop, step):
            key = reading.keys[at]
            if key is None:
                continue
            weight = 1.0 / (1.0 + distance / nearness.half)
            if not low <= at < high:
                weight *= nearness.beyond
            elif reading.clauses[at] != reading.clauses[first]:
                weight *= nearness.other_clause
            distance += 1
            if weight > weights.get(key, 0.0):
                weights[key] = weight
    for at in range(first, last + 1):
        weights.pop(reading.keys[at] or "", None)
    reading.contexts[nearness.name, first] = weights
    return weights


def weighed(evidence: Evidence, context: Context, *, known: bool = False) -> dict[str, float]:
    """Return the context's weights times IDF; with `known` only keys that a chunk holds."""
    weights = {}
    for key, weight in context.items():
        if evidence.sentences_with(key):
            weights[key] = weight * evidence.idf(key)
        elif not known:
            weights[key] = weight * evidence.idf(key) * _UNKNOWN
    return weights


def likeness(
    weights: Mapping[str, float], other: Context, carried: Collection[str] = ()
) -> tuple[float, int]:
    """Return the share of the weights whose keys `other` has, in [0, 1], and their number.

    `carried`: keys of the sentence before, which a pronoun stands for.
    """
    total = found = 0.0
    count = 0
    for key, weight in weights.items():
        total += weight
        near = other.get(key, 0.0)
        if near or key in carried:
            found += weight if key in carried else weight * min(1.0, near / _NEAR)
            count += 1
    return (found / total if total else 0.0), count


def may_be_alike(
    evidence: Evidence, sentence: int, weights: Mapping[str, float], least: float
) -> bool:
    """Say whether some place of a chunk sentence may reach a likeness, without reading it."""
    held, before = evidence.keys_in_sentence(sentence), frozenset[str]()
    previous = evidence.sentence_before(sentence)
    if previous is not None:
        before = evidence.keys_in_sentence(previous)  # a pronoun may stand for them
    shared = sum([weights[key] for key in weights if key in held or key in before])
    return shared >= least * sum(weights.values()) * _ROUNDING


@dataclass(frozen=True, slots=True)
class Closest:
    """Chunk sentences that share most with a sentence, best first.

    `share`: how much of its content keys the best one holds, by IDF weight, in [0, 1].
    """

    sentences: tuple[int, ...]
    share: float


def closest_to(postings: Sequence[Posting]) -> Closest:
    """Return the sentences of the chunks that hold most of some keys by IDF weight."""
    held = [posting for posting in postings if 0 < posting.df <= MAX_SENTENCES]
    if not held:
        return Closest((), 0.0)
    size = 1 + max([posting.sentences[-1] for posting in held])
    # A list is faster than a dict while most of it is filled.
    weights: list[float] | dict[int, float] = [0.0] * size if size <= MAX_SENTENCES else {}
    if isinstance(weights, dict):
        weights.update((sentence, 0.0) for posting in held for sentence in posting.sentences)
    for _, weight, sentences, _ in held:
        for sentence in sentences:
            weights[sentence] += weight
    # The sort keeps the order of equal ones: the first sentence comes first.
    numbers = sorted(weights) if isinstance(weights, dict) else range(size)
    best = sorted(numbers, key=weights.__getitem__, reverse=True)[:_MOST_ALIKE]
    most = weights[best[0]]
    near = tuple([number for number in best if weights[number] >= _LEAST_ALIKE * most])
    return Closest(near, most / sum([posting.weight for posting in postings]))


def with_holding(
    evidence: Evidence, sentences: Collection[int], keys: Collection[str]
) -> Iterator[int]:
    """Yield `sentences`, then those that hold one of `keys`, each once."""
    yield from sentences
    seen = set(sentences)
    for key in keys:
        for sentence in evidence.sentences_with(key)[:MAX_HOLDING]:
            if sentence not in seen:
                seen.add(sentence)
                yield sentence


def share_of(evidence: Evidence, keys: Collection[str], held: Collection[str]) -> float:
    """Return the IDF-weighted share of `keys` that is in `held`, in [0, 1]."""
    total = found = 0.0
    for key in keys:
        idf = evidence.idf(key) * (1.0 if evidence.sentences_with(key) else 0.5)
        total += idf
        found += idf if key in held else 0.0
    return found / total if total else 0.0


def carried_into(evidence: Evidence, sentence: int) -> Collection[str]:
    """Return the keys of the sentence before, where a pronoun stands for them; else none."""
    before = evidence.sentence_before(sentence)
    if before is None or not evidence.reading(sentence).goes_on:
        return ()
    return evidence.reading(before).places


def beside(reading: Reading, at: int, step: int) -> str | None:
    """Return the nearest content key before (`step` -1) or behind (1) a token, within 4 tokens."""
    for other in range(at + step, at + 5 * step, step):
        if not 0 <= other < len(reading.keys):
            return None
        if reading.keys[other]:
            return reading.keys[other]
    return None


def nearest(reading: Reading, at: int) -> frozenset[str]:
    """Return the two nearest content keys on either side of a token, within 5 tokens each."""
    found: list[str] = []
    for step in (-1, 1):
        side: list[str] = []
        for other in range(at + step, at + 6 * step, step):
            key = reading.keys[other] if 0 <= other < len(reading.keys) else None
            if key and len(side) < 2:
                side.append(key)
        found += side
    return frozenset(found)


def segment(reading: Reading, value: Value) -> tuple[int, int]:
    """Return the tokens [low, high) that belong to a value: up to its neighbours of its group.

    Between two values the cut is where the first clause after the left one ends, else halfway.
    """
    low, high = 0, len(reading.keys)
    for other in reading.values:
        if other.group == value.group and other.at != value.at and not of_one_range(value, other):
            cut = _cut(reading, min(other.at, value.at), max(other.at, value.at))
            if other.at < value.at:
                low = max(low, cut)
            else:
                high = min(high, cut)
    return low, high


def _cut(reading: Reading, left: int, right: int) -> int:
    for at in range(left + 1, right + 1):
        if reading.clauses[at] != reading.clauses[left]:
            return at
    return (left + right + 1) // 2
