"""What the support score looks at: a few dozen figures read from one sentence in one pass.

A figure says how far the sentence's words, neighbours, figures and names are in the chunks, what
the sentence is, and what the sentences before it were like. None needs a later sentence, a word
list from data or anything outside the context at hand.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from streamguard.core.index.evidence import Coverage, Evidence
from streamguard.core.index.postings import Posting
from streamguard.core.sentence import Sentence
from streamguard.core.support.vocabulary import (
    ADVICE,
    CLASS_OF,
    DENYING,
    EASILY_ADDED,
    EFFECT,
    MEANS,
    NEGATION,
    SUMMING_UP,
    TELLING,
    YOU,
)
from streamguard.text.words import words_in

_LONG = 9  # letters from which a word is likely to be rare; guess, half as long again as the mean
_WEAK_SHARE = 0.5  # of coverage; guess, the middle


class Feature(NamedTuple):
    """One figure: its name, its reason's number, and its meaning with its range.

    `is_count`: the score takes its logarithm as well, since the tenth uncovered word says less
    than the first.
    """

    name: str
    group: str
    is_count: bool
    meaning: str


FEATURES: Final = (
    Feature("keys", "words", True, "distinct content keys the sentence states, from 0"),
    Feature("held", "words", False, "IDF-weighted share of the keys that some chunk holds, 0 to 1"),
    Feature("held_alike", "words", False, "the same, a common beginning of 5 letters being enough"),
    Feature("absent_plain", "words", True, "content words in no chunk that state something"),
    Feature("absent_new", "words", True, "content keys neither in a chunk nor in the question"),
    Feature("absent_long", "words", True, f"of the absent content words those of {_LONG} letters"),
    Feature("absent_ing", "words", True, "of them those in -ing"),
    Feature("absent_effect", "words", True, "absent words of cause, purpose and effect"),
    Feature("absent_means", "words", True, "absent words behind by, with, through, using"),
    Feature("absent_words", "words", True, "words, small ones too, that no chunk uses"),
    Feature("absent_again", "words", True, "absent keys that the answer used before"),
    Feature("absent_at", "words", False, "where the longest absent run begins, 0 to 1; 1: none"),
    Feature("elsewhere", "window", True, "IDF of the keys held only outside the best window"),
    Feature("gap", "window", True, "longest run of keys outside the best window"),
    Feature("rarest", "window", False, "largest IDF of a key outside the best window"),
    Feature("common", "window", False, "mean share of the chunks' sentences that hold a key"),
    Feature("side_by_side", "copying", False, "share of neighbouring words that are so in a chunk"),
    Feature("copied", "copying", True, "words of the longest row that runs so in the chunks"),
    Feature("anchors", "figures", True, "figures, amounts, dates and the like"),
    Feature("absent_figures", "figures", True, "of them those that no chunk holds"),
    Feature("absent_values", "figures", True, "values among the content keys in no chunk"),
    Feature("absent_names", "names", True, "absent content words with a capital letter"),
    Feature("elsewhere_cited", "citation", False, "coverage lost in the passages it cites, 0 to 1"),
    Feature("denies", "denial", False, "1: says that the sources do not tell something"),
    Feature("denied_held", "denial", False, "of such a sentence the share of keys held, 0 to 1"),
    Feature("summing_up", "form", False, "1: opens with Overall, Therefore and the like"),
    Feature("advice", "form", True, "words of advice"),
    Feature("effect", "form", True, "words of cause, purpose and effect"),
    Feature("you", "form", True, "words for the reader and the speaker"),
    Feature("negation", "form", True, "words that deny"),
    Feature("brackets", "form", True, "opening brackets"),
    Feature("colon", "form", False, "1: ends with a colon"),
    Feature("characters", "form", True, "characters of the sentence"),
    Feature("is_item", "form", False, "1: a list item"),
    Feature("is_claim", "form", False, "1: its role is claim"),
    Feature("is_heading", "form", False, "1: its role is heading"),
    Feature(
        "said_before", "answer", False, "share of its keys that the answer used before, 0 to 1"
    ),
    Feature("weakest_before", "answer", False, "largest uncovered share of an earlier claim"),
    Feature("weak_before", "answer", True, "earlier claims covered by less than half"),
    Feature("refused_before", "answer", False, "1: an earlier sentence refuses"),
)
COUNTS: Final = tuple(number for number, one in enumerate(FEATURES) if one.is_count)


@dataclass(slots=True)
class Told:
    """What the sentences so far said: the state that the figures of the next one need."""

    keys: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    weakest: float = 0.0
    weak: int = 0
    refused: bool = False

    def add(self, sentence: Sentence, absent: Sequence[str]) -> None:
        """Take note of a sentence, its absent keys given, once its own figures were read."""
        self.keys.update(sentence.keys)
        self.absent.update(absent)
        self.refused = self.refused or bool(sentence.refusals)
        if sentence.role == "claim":
            uncovered = 1.0 - _share(sentence.coverage)
            self.weakest = max(self.weakest, uncovered)
            self.weak += uncovered > _WEAK_SHARE


def read_features(sentence: Sentence, evidence: Evidence, told: Told) -> list[float]:
    """Return the figures of `sentence` in the order of `FEATURES`; note it in `told`."""
    keys, words, postings = sentence.keys, sentence.stated.words, sentence.postings
    absent = [key for key, posting in zip(keys, postings, strict=True) if not posting.df]
    missing = _missing(sentence, evidence, absent) if absent else _NOTHING_MISSING
    figures = [
        len(keys),
        *_shares(postings, len(absent), missing.unlike),
        *missing.figures,
        evidence.tokens.count_unknown(words),
        _count_among(told.absent, absent),
        _absent_at(postings) if absent else 1.0,
        *_window(keys, postings, evidence.keys_in(sentence.coverage), len(evidence.keys)),
        *_copying(evidence.tokens.held_pairs(words)),
        *_values(sentence),
        missing.values,
        missing.capitals,
        _lost_in_cited(sentence, evidence),
        *_denial(sentence, len(absent)),
        *_form(sentence),
        _part(_count_among(told.keys, keys), len(keys)),
        told.weakest,
        told.weak,
        told.refused,
    ]
    told.add(sentence, absent)
    return figures


def _count_among(said: Container[str], keys: Iterable[str]) -> int:
    return sum(map(said.__contains__, keys))


def _shares(postings: Sequence[Posting], absent: int, unlike: int) -> tuple[float, float]:
    """Return the share of the keys' weight that is held, and that held by its beginning at least.

    `absent`: how many keys no chunk holds; `unlike`: of these those without a like beginning.
    """
    if not absent:
        return 1.0, 1.0
    total = sum([posting.weight for posting in postings])
    weight = next(posting.weight for posting in postings if not posting.df)  # that of each
    return 1.0 - weight * absent / total, 1.0 - weight * unlike / total


class _Missing(NamedTuple):
    """Figures of the absent keys' words: `absent_plain` to `absent_means`, and counts of some."""

    figures: tuple[float, ...]
    unlike: int  # no chunk holds a key with a like beginning
    values: int
    capitals: int


_NOTHING_MISSING: Final = _Missing((0,) * 6, 0, 0, 0)


def _missing(sentence: Sentence, evidence: Evidence, absent: Sequence[str]) -> _Missing:
    places, words = _places(sentence, absent), sentence.stated.words
    question = sentence.scope.question.keys if sentence.scope else frozenset[str]()
    plain = long = ing = effect = means = 0
    for place in places:
        word = words[place]
        kind = CLASS_OF.get(word)
        plain += kind not in EASILY_ADDED
        effect += kind == EFFECT
        long += len(word) >= _LONG
        ing += len(word) > 4 and word[-3:] == "ing"
        means += place > 0 and words[place - 1] in MEANS
    new = unlike = values = 0
    for key in absent:
        new += key not in question
        values += key[0] == "#"
        unlike += not evidence.keys.holds_beginning(key)
    figures = (plain, new, long, ing, effect, means)
    return _Missing(figures, unlike, values, _capitals(sentence, places))


def _places(sentence: Sentence, absent: Sequence[str]) -> list[int]:
    """Return the first place of each absent key among the stated words."""
    wanted, places = set(absent), []
    for key, place in zip(sentence.stated.keys, sentence.stated.places, strict=True):
        if key in wanted:
            wanted.discard(key)
            places.append(place)
    return places


def _absent_at(postings: Sequence[Posting]) -> float:
    """Return where the longest run of absent keys begins."""
    longest = length = at = 0
    for number, posting in enumerate(postings, 1):
        length = 0 if posting.df else length + 1
        if length > longest:
            longest, at = length, number - length
    return at / len(postings)


def _window(
    keys: Sequence[str], postings: Sequence[Posting], inside: Container[str], size: int
) -> tuple[float, ...]:
    """Return the figures of the keys held elsewhere than `inside` the best window.

    `size`: number of the chunks' sentences.
    """
    elsewhere = rarest = 0.0
    gap = longest = held = seen = 0
    for key, (df, weight, _, _) in zip(keys, postings, strict=True):
        if df:
            held += df
            seen += 1
        if key in inside:
            gap = 0
            continue
        gap += 1
        if gap > longest:
            longest = gap
        if weight > rarest:
            rarest = weight
        if df:
            elsewhere += weight
    return elsewhere, longest, rarest, held / max(1, seen) / max(1, size)


def _copying(held: Sequence[bool]) -> tuple[float, float]:
    """Return the share of neighbours held side by side, and the words of the longest such row."""
    if True not in held:
        return (0.0 if held else 1.0), 0
    rows = bytes(held).split(b"\0")
    return sum(held) / len(held), max(map(len, rows)) + 1


def _values(sentence: Sentence) -> tuple[int, int]:
    held = sentence.held
    missing = [anchor for anchor, match in held if match.relation == "none"]
    return len(held), sum(not anchor.casual for anchor in missing)


def _capitals(sentence: Sentence, places: Sequence[int]) -> int:
    """Count the words at some places that are written with a capital letter."""
    written = words_in(sentence.plain)
    # Case folding may change what is a letter ("İ"): then no word is told to be a name.
    if len(written) != len(sentence.stated.words):
        return 0
    return sum([place > 0 and written[place][0].isupper() for place in places])


def _lost_in_cited(sentence: Sentence, evidence: Evidence) -> float:
    """Return how much of the coverage is lost within the passages cited by tag."""
    if not sentence.keys or not sentence.cited:
        return 0.0
    # What is about the question is not covered by its own keys.
    return max(0.0, _share(evidence.coverage(sentence.keys)) - _share(sentence.coverage))


def _denial(sentence: Sentence, absent: int) -> tuple[float, float]:
    words = sentence.content.words
    if DENYING.isdisjoint(words) or TELLING.isdisjoint(words):
        return 0, 0.0
    return 1, 1.0 - _part(absent, len(sentence.keys))


def _form(sentence: Sentence) -> tuple[float, ...]:
    text, words = sentence.folded.text, sentence.content.words
    classes = list(filter(None, map(CLASS_OF.get, words)))
    return (
        bool(words) and words[0] in SUMMING_UP,
        classes.count(ADVICE),
        classes.count(EFFECT),
        classes.count(YOU),
        classes.count(NEGATION),
        text.count("("),
        text.rstrip().endswith(":"),
        len(sentence.text),
        sentence.kind == "list_item",
        sentence.role == "claim",
        sentence.role == "heading",
    )


def _share(coverage: Coverage | None) -> float:
    return coverage.share if coverage else 0.0


def _part(some: float, whole: float) -> float:
    return some / whole if whole else 0.0
