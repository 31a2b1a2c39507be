"""Finds the kind of thing a question asks for, and whether a passage has one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from streamguard.rag.kinds import KINDS
from streamguard.rag.wording import QuestionWord, Vocabulary, initials_of, terms_of
from streamguard.text.patterns import lazy_re
from streamguard.text.words import STOP_WORDS, word_tokens, words_in

# "How many parking spaces": the counted thing stands behind the number, near it.
_COUNTS = lazy_re(r"\bhow many ((?:[\w'-]+ ?){1,3})", re.IGNORECASE)
_COUNT = lazy_re(
    r"\b(?:\d[\d,.]{0,20}|no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fifteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million|half|third|dozen)\b",
    re.IGNORECASE,
)
_COUNTED_CHARS = 60  # behind a number, and
_COUNTED_WORDS = 4  # of them, in which the counted thing is looked for

# "What does it cost, and when is it open?": behind "and", "or", a semicolon or another question a
# question of its own begins with its word, or with a verb and its subject ("is it open", but not
# "if I'm ill and can't work").
_NEXT_PART = lazy_re(
    r"(?:\?\s{1,4}|;\s{1,4}|,?\s{1,4}(?:and|or)\s{1,4}(?:also\s{1,4}|if so,?\s{1,4}|then\s{1,4})?)"
    r"(?=(?:what|when|who|whom|whose|how|where|why|which"
    r"|(?:do|does|did|is|are|was|were|can|could|may|must|should|will|would|has|have)"
    r"\s{1,4}(?:i|we|you|it|they|he|she|there|this|that|these|those|the|an?|my|our|your|its|their))\b)",
    re.IGNORECASE,
)

# A sentence, a list item, a table row, a paragraph, a heading.
_UNITS = lazy_re(r"(?<=[.!?])\s+(?![a-z])|\n\s*\n|\n(?=[ \t]*(?:[-*+•|#]|\d{1,3}[.)]))")
_OF_HEADING = 0.5  # the weight of a heading's word in a sentence below it; guess

Weighed = Sequence[tuple[QuestionWord, float]]


@dataclass(frozen=True, slots=True)
class Sought:
    """A kind of thing that is asked for: words that state one, and its units."""

    told: re.Pattern[str]
    counted: tuple[QuestionWord, ...] = ()

    def is_stated(self, text: str, weighed: Weighed) -> bool:
        """Return whether a passage states one, in the part nearest to the question.

        That part is the sentence with most of the question's weight, its heading counted by half,
        or another with as much; a counted thing may stand after a number anywhere.
        """
        heading, units = _units_of(text)
        if self.counted:
            counted = any(map(self._is_counted, units))
            # People and days are counted in other words, too: "The hall seats 60."
            if counted or not self.counted[0].is_light:
                return counted
        above = terms_of(heading)
        best, found = 0.0, False
        for unit in units:
            words, initials = terms_of(unit), initials_of(unit)
            said = sum(
                weight * max(word.held_in(words, initials), _OF_HEADING * word.held_in(above))
                for word, weight in weighed
            )
            if said > best:
                best, found = said, False
            if said and said == best:
                found = found or self.told.search(unit) is not None
        return found

    def _is_counted(self, unit: str) -> bool:
        for number in _COUNT.finditer(unit):
            behind = words_in(unit[number.end() : number.end() + _COUNTED_CHARS])[:_COUNTED_WORDS]
            words = terms_of(" ".join(behind))
            if any(word.held_in(words) for word in self.counted):
                return True
        return False


def sought_by(question: str, vocabulary: Vocabulary) -> Sought | None:
    """Return the kind of thing that a question asks for, None without one.

    `kinds` lists them.
    """
    told = next((told for asks, told in KINDS if asks.search(question)), None)
    if told is None:
        return None
    counts = _COUNTS.search(question)
    named = takewhile(lambda word: word not in STOP_WORDS, word_tokens(counts[1] if counts else ""))
    return Sought(told, tuple(vocabulary.asked(" ".join(named))))


def parts_of(question: str) -> list[str]:
    """Return the single questions in a question, in order; mostly one."""
    return _NEXT_PART.split(question)


def _units_of(text: str) -> tuple[str, list[str]]:
    """Return the heading of a passage, "" without one, and its sentences, items and rows."""
    heading, *units = [unit for unit in _UNITS.split(text) if unit.strip()] or [""]
    is_heading = units and not heading.rstrip().endswith((".", "!", "?", ":", "|"))
    return (heading, units) if is_heading else ("", [heading, *units])
