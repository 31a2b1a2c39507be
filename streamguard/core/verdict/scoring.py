"""The scores of an answer beside its status: relevance, completeness, hallucination, drift."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise

from streamguard.core.context import Question
from streamguard.core.index.content import Content
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Scores, ScoreVerdict
from streamguard.core.sentence import Sentence
from streamguard.text.words import stem, stems_of

MIN_DRIFT_WORDS = 5  # SPEC 4: no drift under five words
_COUNTED_KINDS = frozenset({"amount", "percent", "quantity", "number", "date", "time", "year"})

# Verbs that state a fact about a product or a person, in any form (by their stem). Verbs of advice
# and procedure ("use", "provide") are left out: answers paraphrase them.
_FACT_VERBS = frozenset(
    stem(verb)
    for verb in "acquire announce build built contain cost costs cover die discover establish found"
    " include invent launch own release sell sold win won".split()
)
_GUESSES = frozenset(
    "may might could would should can suggest suggests appear appears seem seems likely probably"
    " possibly perhaps maybe if not never no don't doesn't didn't won't isn't aren't".split()
)
_GUESS_REACH = 4  # words before the verb in which a guess or negation governs it; guess
_ARGUMENT_REACH = 8  # words between the verb and its subject or object; guess
_MAX_PER_SENTENCE = 3
NEARNESS = 20  # SPEC 4: subject and object within 20 tokens of each other
_LOOKED_UP = 50  # words between two pauses; guess, a tenth of a millisecond


class Tally:
    """Counts words and values of the sentences as they settle, for the scores at the close."""

    def __init__(self, evidence: Evidence | None, question: Question | None) -> None:
        self._evidence, self._question = evidence, question
        self._numbers = defaultdict[str, int](count().__next__)  # of words, by their first use
        self._words = array("l")  # the answer's words, by number
        self._in_order = bytearray()  # per word but the first: whether a chunk has the pair
        self._last: tuple[str, ...] = ()  # the last word so far
        self._keys: set[str] = set()  # the question's keywords among the answer's
        self._in_chunks: dict[str, int] = {}  # number of chunks per word that any chunk holds
        self._anchors = 0
        self._unsupported = 0

    def add(self, sentence: Sentence) -> None:
        """Count one settled sentence."""
        content = sentence.content
        if self._question is not None:
            self._keys.update(self._question.keys.intersection(content.keys))
        self._words.extend(map(self._numbers.__getitem__, content.words))
        if self._evidence is None:
            return
        words = self._last + content.words
        self._in_order.extend(self._evidence.tokens.held_pairs(words))
        self._last = words[-1:]
        if sentence.kind != "code":
            self._add_anchors(self._evidence, sentence)

    def looking_up(self) -> Iterator[None]:
        """Look up the words of question and answer in the chunks, with pauses; before `scores`.

        A question may be pages of figures, and a figure may stand in passages ten thousand times.
        """
        evidence, question = self._evidence, self._question
        if evidence is None or question is None:
            return
        words = list(dict.fromkeys((*self._numbers, *question.words)))
        for first in range(0, len(words), _LOOKED_UP):
            some = words[first : first + _LOOKED_UP]
            self._in_chunks |= evidence.tokens.counts_of_chunks(some)
            yield
        keywords = question.keywords
        for first in range(0, len(keywords), _LOOKED_UP):
            evidence.keys.of(keywords[first : first + _LOOKED_UP])  # which keeps what it finds
            yield

    def scores(self, policy: Policy) -> Scores:
        """Return the scores; those whose input is missing are None."""
        question = self._question
        relevant = complete = hallucinated = drifted = None
        if question is not None and question.words:
            relevant = self._relevance(question)
            # Words inside a value count too: "3 days a week" speaks of days and weeks.
            complete = completeness(question.keywords, self._keys.union(stems_of(self._numbers)))
        if self._evidence is not None:
            drifted = self._drift(policy)
            ratio = self._unsupported / self._anchors if self._anchors else 0.0
            hallucinated = max(ratio, drifted)
        high = hallucinated is not None and hallucinated > policy.high_risk_hallucination
        published = score_verdict(relevant, complete, hallucinated, policy)
        return Scores(
            relevance=_rounded(relevant),
            completeness=_rounded(complete),
            hallucination=_rounded(hallucinated),
            high_risk=high,
            drift=drifted,
            verdict=published if policy.matching == "literal" else None,
            published=published,
        )

    def _add_anchors(self, evidence: Evidence, sentence: Sentence) -> None:
        for anchor, match in sentence.matches:
            if anchor.kind in _COUNTED_KINDS:
                self._anchors += 1
                self._unsupported += not match.stands
        for subject, object_ in assertions(sentence.stated):
            self._anchors += 1
            self._unsupported += not evidence.keys.near(subject, object_, NEARNESS)

    def _relevance(self, question: Question) -> float:
        chunk_count = len(self._evidence.chunks) if self._evidence else 0
        # Numbers are given in the order of first use, as a counter lists what it counts.
        counts = dict(zip(self._numbers, Counter(self._words).values(), strict=True))
        return relevance(Counter(question.words), counts, self._in_chunks, chunk_count)

    def _drift(self, policy: Policy) -> float:
        if len(self._words) < MIN_DRIFT_WORDS:
            return 0.0
        distinct = dict(zip(pairwise(self._words), self._in_order, strict=True))
        share = sum(distinct.values()) / len(distinct)
        return policy.drift_penalty if share < policy.min_bigram_overlap else 0.0


def assertions(content: Content) -> list[tuple[str, str]]:
    """Return at most `_MAX_PER_SENTENCE` subjects and objects of fact-stating verbs, by key."""
    words, keys, places = content
    found: list[tuple[str, str]] = []
    for number in range(1, 0 if _FACT_VERBS.isdisjoint(keys) else len(keys) - 1):
        subject, verb, object_ = keys[number - 1 : number + 2]
        before, place, behind = places[number - 1 : number + 2]
        is_near = max(place - before, behind - place) <= _ARGUMENT_REACH
        # "2. Open Settings": an instruction has no subject.
        stated = verb in _FACT_VERBS and is_near and not subject.startswith("#")
        if stated and _GUESSES.isdisjoint(words[max(0, place - _GUESS_REACH) : place]):
            found.append((subject, object_))
    return found[:_MAX_PER_SENTENCE]


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
    of_question, of_answer = (
        {word: times * by_df[1 + (word in other) + held(word, 0)] for word, times in one.items()}
        for one, other in ((question, answer), (answer, question))
    )
    shared = [word for word in question if word in answer]
    dot = sum([of_question[word] * of_answer[word] for word in shared], 0.0)
    norms = math.sqrt(
        sum([weight**2 for weight in of_question.values()], 0.0)
        * sum([weight**2 for weight in of_answer.values()], 0.0)
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
    made_up = hallucinated is not None and hallucinated > policy.max_hallucination
    if made_up or (relevant is not None and relevant < policy.min_relevance):
        return "FAIL"
    if complete is not None and complete < policy.min_completeness:
        return "WARN"
    return "PASS"


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 6)
