"""Retrieval by words: no download, no model, the same on every machine."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest

from streamguard.core.model.policy import Levels
from streamguard.text.normalise import fold
from streamguard.text.words import content_words, stem

# What a question says about asking, not about its subject. Stemmed like everything else.
_ASKING = frozenset(
    stem(word)
    for word in "tell explain describe show give know find please want need help say list".split()
)

# Share of the question's weight that a passage holds, saturated as in BM25 (Robertson and Zaragoza
# 2009): `tf / (tf + K * (1 - B + B * length / USUAL_WORDS))`. K and B: of 8 pairs tried on
# ragtruth_dev, those under which one threshold fits passages of 45 and of 135 content words best.
_K = 0.5
_B = 0.5
_USUAL_WORDS = 45  # content words of a passage, mean of ragtruth_dev

# Measured on ragtruth_dev (839 questions, 2,517 own passages, 16,879 of other questions):
#   streamguard tune-gate ragtruth_dev.jsonl.gz --embedding words
# keeps 55.9, 77.5 and 92.6 % of own passages and 0.02, 0.23 and 1.25 % of others'.
SHARE_LEVELS: Levels = (0.5, 0.35, 0.2)

DIMENSION = 1024  # guess: a passage has some 40 stems, few of which fall together
# Cosine distances, measured on the same pairs:
#   streamguard tune-gate ragtruth_dev.jsonl.gz --embedding lexical
# keeps 48.7, 75.2 and 88.9 % of own passages and 0.03, 0.40 and 1.75 % of others'. In passages
# three times as long (padded with others') the nearest own one lies at 0.77 instead of 0.63 in the
# median, by the share at 0.57 instead of 0.62: prefer the share where there is a choice.
VECTOR_LEVELS: Levels = (0.7, 0.8, 0.87)


def terms(text: str) -> Counter[str]:
    """Return how often each stem of a content word stands in `text`, asking words left out."""
    return Counter(word for word in content_words(fold(text).text) if word not in _ASKING)


def vector(text: str) -> list[float]:
    """Return the unit vector of a text: square roots of its stems' counts, hashed with signs.

    The same text gives the same vector everywhere. Component 0 is that of a text without words.
    """
    values = [0.0] * DIMENSION
    for word, count in terms(text).items():
        code = zlib.crc32(word.encode())
        sign = 1.0 if code & 1 else -1.0
        values[1 + (code >> 1) % (DIMENSION - 1)] += sign * math.sqrt(count)
    length = math.sqrt(sum(value * value for value in values))
    if length == 0.0:
        values[0] = length = 1.0
    return [value / length for value in values]


class LexicalIndex:
    """The passages of a collection by their words; immutable once built."""

    def __init__(self, texts: Iterable[str]) -> None:
        # Stem -> (passage number, saturated count in (0, 1)).
        self._postings: dict[str, list[tuple[int, float]]] = {}
        self._size = 0
        for number, text in enumerate(texts):
            self._size += 1
            counts = terms(text)
            room = _K * (1 - _B + _B * counts.total() / _USUAL_WORDS)
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((number, count / (count + room)))

    def nearest(self, question: str, n: int) -> list[tuple[int, float]]:
        """Return up to `n` (passage number, similarity in (0, 1)), the most similar first.

        Similarity is the share of the question's weight (IDF over the passages) that the passage
        holds; passages that hold nothing of it are left out.
        """
        asked = terms(question)
        weights = {word: self._weight(word) for word in asked}
        total = sum(weights.values())
        held: dict[int, float] = {}
        for word, weight in weights.items():
            for passage, saturated in self._postings.get(word, ()):
                held[passage] = held.get(passage, 0.0) + weight * saturated / total
        return nsmallest(n, held.items(), key=lambda item: (-item[1], item[0]))

    def _weight(self, word: str) -> float:
        known = len(self._postings.get(word, ()))
        return math.log((1 + self._size) / (1 + known)) + 1.0


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """Return the vectors of several texts."""
    return [vector(text) for text in texts]
