"""What a sentence says apart from its values and its negation, so that two can be compared."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from streamguard.core.anchors import lowered
from streamguard.core.anchors.wordnumbers import ONES, POWERS, TENS
from streamguard.core.sentence import Answer, Sentence
from streamguard.core.unanswered import holds_any
from streamguard.core.words import STOP_WORDS, stem, stems_of

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# The same of lower-case ASCII at half the cost; without an apostrophe it is cut at its spaces.
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_SPACED = bytes(sign if chr(sign) in "abcdefghijklmnopqrstuvwxyz" else 32 for sign in range(256))
_CLAUSE_END = re.compile(r"[;(]|,[ ]|[ ](?:and|but|which|plus|as well as|—)[ ]")
# Each way to begin is a letter with its look-behind after it, so that the engine skips to those.
NEGATION = re.compile(
    r"n(?:(?<!\wn)(?:ot|ever|o|or|either|on(?=-))|['’]t)(?!\w)"
    r"|c(?<!\wc)annot(?!\w)|w(?<!\ww)ithout(?!\w)"
)
_STATES = frozenset(
    """
    is are was were has have had can cannot cost costs weigh weighs measures last lasts contain
    contains include includes offer offers hold holds employ employs take takes require requires
    support supports opened opens closed closes founded born died start starts started end ends
    ended run runs provide provides allow allows cover covers need needs stands amounts isn't aren't
    wasn't weren't doesn't don't didn't can't does do did
    """.split()
)
# Where one of these stands two sentences may differ and both be right.
_ELSEWISE = frozenset(
    """
    or either between up depend depends depending dependent some other others another additional
    additionally extra also second new old older newer previous previously formerly original
    originally initial initially later before after if when unless however whereas while instead
    alternative alternatively than except only until might could should sometimes usually often from
    each every first next last total average
    """.split()
)
# "May" is a month beside a number; "per month" has its own word for the value's period.
_MAY = re.compile(r"(?<!\d[ ])(?<!\w)may(?!\w)(?![ ]\d)")
_NAMED_SOURCE = re.compile(
    r"(?<!\w)(?:passage|document|source|context|article|text)[ ]?(\d{1,3})|\[c?(\d{1,3})\]"
)
_CONCLUDES = re.compile(
    r"[\s*_#>-]*(?:overall|in (?:summary|short|conclusion|total)|to (?:summarize|summarise|sum up)"
    r"|therefore|thus|so|hence|finally)(?!\w)"
)
# One word for one attribute.
_SAME = {
    stem(word): "price"
    for word in "cost costs price prices priced charge charges charged fee fees pay".split()
}
# Words of values, which are compared as values, and words that add nothing to what is spoken of.
_NUMBERS = frozenset((*ONES, *TENS, *POWERS)) - {"one"}
_EMPTY = frozenset(
    """
    overall summary short conclusion therefore thus plan plans tier package subscription
    currently exactly precisely approximately about around roughly nearly almost over under
    month months year years week weeks day days hour hours minute minutes second seconds
    dollar dollars euro euros pound pounds usd eur gbp percent per cent
    kilometer kilometers mile miles meter meters kilogram kilograms gram grams
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    number given provided passage passages document documents context information
    according based text source sources article stated mentioned important note noting worth keep
    mind
    not never no cannot nor neither without non
    """.split()
) | {*ONES, *TENS, *POWERS}
_SILENT = STOP_WORDS | _EMPTY
_NEGATING = frozenset("not never no cannot nor neither without".split())
_DIGIT = re.compile(r"[0-9]")
_MAX_OPENERS = 3  # clauses before the one that states something ("Based on the passages, "); guess
_SHORTEST = 2  # words that two sentences share before they speak of the same


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence, or what it states up to `end` in its folded text.

    `topic` are the stems of what is spoken of, values, units and negations left out; `denied`
    says whether it is negated.
    """

    sentence: Sentence
    end: int
    topic: frozenset[str]
    denied: bool

    @property
    def sources(self) -> frozenset[str]:
        """The numbers of the passages that the sentence names."""
        found = _NAMED_SOURCE.findall(lowered(self.sentence.folded.text))
        return frozenset(one or other for one, other in found)

    @property
    def concludes(self) -> bool:
        """Whether the sentence sums up what was said."""
        return _CONCLUDES.match(lowered(self.sentence.folded.text)) is not None


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer holds: `denied`, the stems of its sentences with a negation; number words."""

    denied: frozenset[str]
    numbers: tuple[str, ...]


def told_in(answer: Answer) -> Told:
    """Read the whole answer once; most deny little and write few numbers in words."""
    low = lowered(answer.text)
    numbers = _NUMBERS.intersection(_words(low))
    return Told(_denied_words(answer, low), tuple(sorted(numbers)))


def _denied_words(answer: Answer, low: str) -> frozenset[str]:
    starts = [sentence.start for sentence in answer.sentences]
    places = (found.start() for found in NEGATION.finditer(low))
    denying = {bisect_right(starts, place) - 1 for place in places} - {-1}
    words: set[str] = set()
    for number in denying:
        words.update(_words(lowered(answer.sentences[number].folded.text)))
    return frozenset(stems_of(words.difference(_SILENT)))


def sayings(sentence: Sentence, told: Told) -> list[Saying]:
    """Return what a sentence states, whole and by its first clause; nothing where it hedges.

    What holds neither a figure nor a number word can only be denied: by the `denied` words of the
    answer's negated sentences.
    """
    if sentence.kind not in ("prose", "list_item"):
        return []
    low = lowered(sentence.folded.text)
    has_digit = _DIGIT.search(low) is not None
    if not (has_digit or told.denied or holds_any(low, told.numbers)) or "?" in low:
        return []
    words = _words(low)
    if _STATES.isdisjoint(words):
        return []
    has_value = has_digit or not _NUMBERS.isdisjoint(words)
    if not has_value and sum(map(told.denied.__contains__, stems_of(words))) < _SHORTEST:
        return []
    found = [_saying(sentence, low, words, len(low))]
    clause = _first_clause(low)
    if clause is not None:
        found.append(_saying(sentence, low[:clause], _words(low[:clause]), clause))
    return [saying for saying in found if saying is not None]


def _words(low: str) -> list[str]:
    if not low.isascii():
        return _WORD.findall(low)
    if "'" in low:
        return _ASCII_WORD.findall(low)
    return low.encode().translate(_SPACED).decode().split()


def _first_clause(low: str) -> int | None:
    """Return where the first clause that states something ends, None where it is the only one."""
    for end in islice(_CLAUSE_END.finditer(low, len(low) - len(low.lstrip())), _MAX_OPENERS):
        if not _STATES.isdisjoint(_words(low[: end.start()])):
            return end.start()
    return None


def _saying(sentence: Sentence, clause: str, words: list[str], end: int) -> Saying | None:
    if not _ELSEWISE.isdisjoint(words) or ("may" in clause and _MAY.search(clause)):
        return None
    spoken = set(words)
    told = [word for word in spoken.difference(_SILENT) if not word.endswith("n't")]
    topic = frozenset([_SAME.get(key, key) for key in stems_of(told)])
    if len(topic) < _SHORTEST:
        return None
    denied = "n't" in clause or "n\u2019t" in clause or "non-" in clause
    if denied or not _NEGATING.isdisjoint(spoken):
        denied = len(NEGATION.findall(clause)) % 2 == 1
    return Saying(sentence, end, topic, denied)
