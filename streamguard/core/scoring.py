"""The scores of an answer: relevance, completeness, hallucination and drift."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

from streamguard.core.assertions import NEARNESS, assertions
from streamguard.core.evidence import Evidence
from streamguard.core.policy import Policy
from streamguard.core.result import Scores, ScoreVerdict
from streamguard.core.sentence import Question, Sentence
from streamguard.core.words import stems_of

MIN_DRIFT_WORDS = 5  # SPEC 4: no drift under five words
_COUNTED_KINDS = frozenset({"amount", "percent", "quantity", "number", "date", "time", "year"})


class _Numbers(dict[str, int]):
    """Words, numbered as they are asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Tally:
    """What the scores need from the sentences, counted as they settle."""

    def __init__(self, evidence: Evidence | None) -> None:
        self._evidence = evidence
        self._words: Counter[str] = Counter()
        self._keys: set[str] = set()
        self._word_ids = _Numbers()
        self._last: str | None = None
        # Each bigram as one number, held ones odd: distinct ones are told apart at the close.
        self._bigrams = array("q")
        self._anchors = 0
        self._unsupported = 0

    def add(self, sentence: Sentence) -> None:
        """Count one settled sentence."""
        content = sentence.content
        self._words.update(content.words)
        self._keys.update(content.keys)
        # Words inside a value count too: "3 days a week" speaks of days and weeks.
        self._keys.update(stems_of(content.words))
        if self._evidence is None:
            return
        self._add_bigrams(self._evidence, content.words)
        if sentence.kind != "code":
            self._add_anchors(self._evidence, sentence)

    def scores(self, question: Question | None, policy: Policy) -> Scores:
        """Return the scores; those whose input is missing are None."""
        relevant = complete = hallucinated = drifted = None
        if question is not None:
            relevant = self._relevance(question)
            complete = completeness(question.keywords, self._keys)
        if self._evidence is not None:
            drifted = self._drift(policy)
            ratio = self._unsupported / self._anchors if self._anchors else 0.0
            hallucinated = max(ratio, drifted)
        high = hallucinated is not None and hallucinated > policy.high_risk_hallucination
        return Scores(
            relevance=_rounded(relevant),
            completeness=_rounded(complete),
            hallucination=_rounded(hallucinated),
            high_risk=high,
            drift=drifted,
            verdict=score_verdict(relevant, complete, hallucinated, policy),
        )

    def _add_bigrams(self, evidence: Evidence, words: Sequence[str]) -> None:
        """Note each pair of neighbours as one number, the last word of the answer so far first."""
        if self._last is not None:
            words = (self._last, *words)
        numbers = [*map(self._word_ids.__getitem__, words)]
        held = evidence.tokens.held_pairs(words)
        pairs = zip(numbers, numbers[1:], held, strict=False)
        self._bigrams.extend([(one << 31 | two) << 1 | holds for one, two, holds in pairs])
        self._last = words[-1] if words else None

    def _add_anchors(self, evidence: Evidence, sentence: Sentence) -> None:
        for anchor, match in sentence.matches:
            if anchor.kind in _COUNTED_KINDS:
                self._anchors += 1
                self._unsupported += not match.stands
        for claim in assertions(sentence.stated):
            self._anchors += 1
            self._unsupported += not evidence.near(claim.subject, claim.object, NEARNESS)

    def _relevance(self, question: Question) -> float:
        evidence = self._evidence
        chunk_count = len(evidence.chunks) if evidence else 0
        in_chunks: Mapping[str, int] = evidence.tokens.chunks_with if evidence else {}
        return relevance(Counter(question.content.words), self._words, in_chunks, chunk_count)

    def _drift(self, policy: Policy) -> float:
        if self._words.total() < MIN_DRIFT_WORDS:
            return 0.0
        distinct = set(self._bigrams)
        share = sum([bigram & 1 for bigram in distinct]) / len(distinct)
        return policy.drift_penalty if share < policy.min_bigram_overlap else 0.0


def relevance(
    question: Mapping[str, int],
    answer: Mapping[str, int],
    in_chunks: Mapping[str, int],
    chunk_count: int,
) -> float:
    """Return (cosine of TF-IDF + Jaccard) / 2 over word tokens, in [0, 1].

    `question` and `answer` count their tokens; IDF is ln((1 + N) / (1 + df)) + 1 over question,
    answer and chunks (`in_chunks` of which hold a word). 0.0 where either is empty. Source: SPEC 4.
    """
    if not question or not answer:
        return 0.0
    documents, held = chunk_count + 2, in_chunks.get
    by_df = [math.log((1 + documents) / (1 + df)) + 1 for df in range(documents + 1)]
    asked = {
        word: count * by_df[1 + (word in answer) + held(word, 0)]
        for word, count in question.items()
    }
    told = {
        word: count * by_df[1 + (word in question) + held(word, 0)]
        for word, count in answer.items()
    }
    shared = [word for word in question if word in answer]
    dot = sum([asked[word] * told[word] for word in shared], 0.0)
    norms = math.sqrt(
        sum([weight**2 for weight in asked.values()], 0.0)
        * sum([weight**2 for weight in told.values()], 0.0)
    )
    jaccard = len(shared) / (len(question) + len(answer) - len(shared))
    return min(1.0, (dot / norms + jaccard) / 2)


def completeness(keywords: Sequence[str], answer_keys: set[str]) -> float:
    """Return the share of the question's keywords that the answer holds; 1.0 without keywords."""
    if not keywords:
        return 1.0
    return sum(keyword in answer_keys for keyword in keywords) / len(keywords)


def score_verdict(
    relevant: float | None, complete: float | None, hallucinated: float | None, policy: Policy
) -> ScoreVerdict | None:
    """Return the first verdict that holds; None when no score could be computed."""
    if relevant is None and complete is None and hallucinated is None:
        return None
    if hallucinated is not None and hallucinated > policy.max_hallucination:
        return "FAIL"
    if relevant is not None and relevant < policy.min_relevance:
        return "FAIL"
    if complete is not None and complete < policy.min_completeness:
        return "WARN"
    return "PASS"


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 6)
