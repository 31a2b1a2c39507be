"""Retrieval by words: without download or model, the same on every machine."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import zip_longest

from streamguard.core.model.policy import Levels
from streamguard.rag.asking import parts_of, sought_by
from streamguard.rag.wording import AS_FAMILY, QuestionWord, Vocabulary, initials_of, terms_of
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy_re
from streamguard.text.words import content_words, stem

# Words of a question about asking, not about its subject. Stemmed like everything else.
_ASKING = frozenset(
    stem(word)
    for word in "tell explain describe show give know find please want need help say list".split()
)

# Share of the question's weight that a passage holds, saturated as in BM25 (Robertson and Zaragoza
# 2009): `tf / (tf + K * (1 - B + B * length / USUAL_WORDS))`. K: of 0.1, 0.2 and 0.4 the one that
# lets most answerable and fewest other questions through on the development handbooks of
# `benchmarks/bench_gate.py`; B: of those tried on ragtruth_dev the one under which one threshold
# fits passages of 45 and of 135 content words best.
_K = 0.4
_B = 0.5
_USUAL_WORDS = 45  # content words of a passage, mean of ragtruth_dev
# What a question means and does not say, as the weight of a common word that no passage holds: one
# word in common tells little. Of 0, 0.3, 0.6, 1, 1.5 and 2 the best on the development handbooks.
_UNSAID = 1.0
# Of the weight of words that only ask, what a passage must hold itself; the rest every passage is
# given. Of 0.01, 0.1, 0.2, 0.3 and 1 the best there.
_LIGHT_COUNTS = 0.2
# Weight of a word: of a passage's own ones, and of each factor e of rarity besides. Of 0.3 to 1.5
# and 0.2 to 1 the pair under which strangers', newcomers' and development questions are told apart
# best together.
_PLAIN = 0.6
_RARE = 0.8
# Weight of the kind of thing asked for, a sum or a person, and the factor of a passage's similarity
# without one: the best of 0 to 1.5 and of 0.6 to 1 there.
_KIND = 0.5
_NOT_TOLD = 0.7
_READ = (
    12  # passages in which it is looked for; guess, twice the number that an answer is given from
)

# High, medium and low confidence. On ragtruth_dev (839 questions, 2,517 own passages, 16,879 of
# others): streamguard tune-gate ragtruth_dev.jsonl.gz --embedding words
# the three keep 57.1, 76.8 and 90.9 % of own passages and 0.05, 0.21 and 1.26 % of others'.
SHARE_LEVELS: Levels = (0.52, 0.4, 0.25)
# Thresholds of the strict, moderate and lenient gate (`make bench-gate`, the handbooks in
# `development`). Strict declines nine of ten questions that no document answers, moderate lets
# nineteen of twenty through that one answers: a wrong refusal is worse than an answer that is then
# checked. `policy.GATE_SHARES` has the shares of each.
SHARE_GATES: Levels = (0.4, 0.34, 0.25)

_NO_LETTERS = lazy_re(r"[\W\d_]+")

DIMENSION = 1024  # guess: a passage has some 40 stems, with few collisions
# Cosine distances, measured on the same pairs:
#   streamguard tune-gate ragtruth_dev.jsonl.gz --embedding lexical
# keeps 48.7, 75.2 and 88.9 % of own passages and 0.03, 0.40 and 1.75 % of others'. In passages
# three times as long (padded with others') the nearest own one lies at 0.77 instead of 0.63 in the
# median, by the share at 0.57 instead of 0.62: prefer the share where there is a choice.
VECTOR_LEVELS: Levels = (0.7, 0.8, 0.87)


def terms(text: str) -> Counter[str]:
    """Return the count of each content word's stem in `text`, without words of asking."""
    return Counter(word for word in content_words(fold(text).text) if word not in _ASKING)


def vector(text: str) -> list[float]:
    """Return the unit vector of a text: square roots of its stems' counts, hashed with signs.

    The same text gives the same vector everywhere. A text without words has only component 0.
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
    """The passages of a collection by their words; immutable once built.

    `sources`: the source of each passage, if known; words of a file's name count like its title.
    """

    def __init__(self, texts: Iterable[str], sources: Iterable[str | None] = ()) -> None:
        # Stem -> passage number -> saturated count in (0, 1).
        self._postings: dict[str, dict[int, float]] = {}
        self._initials: list[str] = []
        self._texts: list[str] = []
        for number, (text, source) in enumerate(zip_longest(texts, sources)):
            counts = terms_of(f"{_title_of(source)}\n{text}")
            room = _K * (1 - _B + _B * counts.total() / _USUAL_WORDS)
            for word, count in counts.items():
                self._postings.setdefault(word, {})[number] = count / (count + room)
            self._initials.append(initials_of(text))
            self._texts.append(text)
        self._vocabulary = Vocabulary(self._postings)

    def nearest(self, question: str, n: int) -> list[tuple[int, float]]:
        """Return up to `n` (passage number, similarity in [0, 1)), most similar first.

        Similarity is the passage's share of the question's weight (its rarity among the passages,
        weighted by `wording`, plus `_UNSAID`); passages without any are left out.
        """
        found = self.similarities(question).items()
        return nsmallest(n, found, key=lambda item: (-item[1], item[0]))

    def similarities(self, question: str) -> dict[int, float]:
        """Return the similarity of each passage that has any word of the question.

        A question of several parts is searched part by part: the nearest passage of each part gets
        the mean of the parts' similarities, the others proportionally less. Pairs of questions that
        documents answer: 0.99 pass instead of 0.91, of pairs that none answers 0.17 instead of 0.09
        (`python -m benchmarks.bench_gate --pairs`, development; strangers 0.83 instead of 0.74, and
        0.25 instead of 0.11).
        """
        parts = [part for part in parts_of(question) if terms(part)]
        if len(parts) < 2:
            return self.similarities_as_one(question)
        found = [self.similarities_as_one(part) for part in parts]
        best = [max(each.values(), default=0.0) for each in found]
        mean = sum(best) / len(best)
        joined: dict[int, float] = {}
        for each, most in zip(found, best, strict=True):
            for passage, similarity in each.items():
                joined[passage] = max(joined.get(passage, 0.0), mean * similarity / most)
        return joined

    def similarities_as_one(self, question: str) -> dict[int, float]:
        """Return the similarity of each passage, with the question taken as one.

        Words of asking count as present in every passage, except for a share of their weight; in a
        question of nothing else they count like others. The kind of thing asked for is looked for
        in the `_READ` most similar passages.
        """
        asked = self._vocabulary.asked(question)
        given = 1.0 - _LIGHT_COUNTS if any(not word.is_light for word in asked) else 0.0
        held: dict[int, float] = {}
        weighed = []
        by_all, total = 0.0, _UNSAID
        for word in asked:
            holding = self._holding(word)
            weight = word.weight * self._rarity(len(holding))
            weighed.append((word, weight))
            total += weight
            if word.is_light:
                by_all += given * weight
                weight *= 1.0 - given
            for passage, share in holding.items():
                held[passage] = held.get(passage, 0.0) + weight * share
        sought = sought_by(question, self._vocabulary) if given else None
        if sought is None:
            return {passage: (by_all + value) / total for passage, value in held.items()}
        nearest = nsmallest(_READ, held, key=lambda number: (-held[number], number))
        telling = {it for it in nearest if sought.is_stated(self._texts[it], weighed)}
        return {
            passage: (by_all + value + _KIND) / (total + _KIND)
            if passage in telling
            else _NOT_TOLD * (by_all + value) / (total + _KIND)
            for passage, value in held.items()
        }

    def _holding(self, asked: QuestionWord) -> dict[int, float]:
        """Return the passages that match a word, with the matched share of its weight."""
        found: dict[int, float] = {}
        for word, share in asked.held_by.items():
            for passage, saturated in self._postings[word].items():
                found[passage] = max(found.get(passage, 0.0), share * saturated)
        if asked.initials:
            for passage, initials in enumerate(self._initials):
                if asked.initials in initials:
                    found[passage] = max(found.get(passage, 0.0), AS_FAMILY)
        return found

    def _rarity(self, known: int) -> float:
        size = len(self._initials)
        return _RARE * math.log((1 + size) / (1 + known)) + _PLAIN


def _title_of(source: str | None) -> str:
    """Return the words in a source's name: staff, parental, leave of `staff/parental_leave.md`."""
    stem_of = (source or "").rpartition(".")[0] if "." in (source or "") else (source or "")
    return _NO_LETTERS.sub(" ", stem_of)


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """Return the vectors of several texts."""
    return [vector(text) for text in texts]
