"""The words for who or what holds something: a name, or a noun with its article."""

from __future__ import annotations

from typing import Final

from streamguard.core.conflicts.reading import Reading
from streamguard.core.evidence import Evidence

ARTICLES: Final = {"the": "the", "a": "a", "an": "a"}
# A name that one of these precedes is not the subject, or not alone.
_NOT_ALONE: Final = frozenset("and or of by with for than like to from at in on &".split())
_ADVERBS: Final = frozenset("also now currently still first".split())
# Inside a name these stand in small letters.
PARTICLES: Final = frozenset("van von der den de la del di da bin al".split())
# Capitals at a sentence's start that are no names of who did it.
_CROWD: Final = frozenset(
    """someone somebody everyone everybody people man mankind nature god police anyone
    woman""".split()
)
MOST_TOKENS = 6  # of what is held; guess
_MOST_PLAIN = 3  # words of a holder in small letters; guess


def plain_behind(reading: Reading, at: int) -> tuple[int, int] | None:
    """Return the tokens of "crown" in "is the crown", to the clause's end."""
    words, size = reading.words, len(reading.words)
    if words[at : at + 1] != ["is"]:
        return None
    at += 1 + (at + 1 < size and words[at + 1] in _ADVERBS)
    if at >= size or words[at] not in ARTICLES:
        return None
    end = first = at + 1
    while end < size and reading.clauses[end] == reading.clauses[at]:
        if end - first == _MOST_PLAIN or not (reading.keys[end] or "").isalpha():
            return None
        end += 1
    return (first, end) if end > first else None


def plain_before(reading: Reading, at: int) -> tuple[int, int] | None:
    """Return the tokens of "crown" in "the crown is", from the clause's beginning."""
    words = reading.words
    at -= at > 0 and words[at] in _ADVERBS
    if at < 1 or words[at] != "is":
        return None
    first = at
    while first > 0 and at - first < _MOST_PLAIN and (reading.keys[first - 1] or "").isalpha():
        first -= 1
    article = first - 1
    if first == at or article < 0 or words[article] not in ARTICLES:
        return None
    begins = article == 0 or reading.clauses[article - 1] != reading.clauses[at]
    return (first, at) if begins else None


def name_from(reading: Reading, at: int, capitals: frozenset[int]) -> tuple[int, int] | None:
    """Return the tokens [first, end) of the lone name behind a token, titles passed over."""
    first = next((n for n in range(at, min(at + 3, len(reading.words))) if n in capitals), -1)
    if first < 0 or any(reading.keys[n] is None for n in range(at + 1, first)):
        return None
    end = first
    while end - first < MOST_TOKENS and _in_name(reading, end, first, capitals):
        end += 1
    end -= end - 1 not in capitals
    joined = reading.words[end : end + 1] in (["and"], ["or"]) or reading.words[end - 1].endswith(
        "'s"
    )
    listed = end in capitals and end + 1 < len(reading.words)
    return None if joined or listed or end == first else (first, end)


def name_to(
    reading: Reading, evidence: Evidence, last: int, capitals: frozenset[int]
) -> tuple[int, int] | None:
    """Return the tokens [first, end) of the lone name, a subject, that ends at a token."""
    first = last
    while last - first < MOST_TOKENS and _in_name(reading, first, last, capitals):
        first -= 1
    first += 1
    if first > last or reading.words[last].endswith("'s"):
        return None
    if first == last and first in reading.initials and _is_crowd(reading.words[first], evidence):
        return None
    before = reading.words[first - 1] if first else ""
    same_clause = first > 0 and reading.clauses[first - 1] == reading.clauses[first]
    return None if same_clause and before in _NOT_ALONE else (first, last + 1)


def _is_crowd(word: str, evidence: Evidence) -> bool:
    """Say whether a sentence's first word may be no name: "Engineers founded Acme"."""
    if evidence.holds_word(word):
        return evidence.uses_lower(word)
    return word in _CROWD or word.endswith("s")


def named_behind(
    reading: Reading, at: int, capitals: frozenset[int], *, deed: bool
) -> tuple[int, int] | None:
    """Return the name behind "is" or a comma, or right there, None where there is none."""
    words = reading.words
    if at >= len(words):
        return None
    if words[at] == "is" or (deed and words[at] == "was"):
        at += 1
        at += at < len(words) and words[at] in _ADVERBS
        return name_from(reading, at, capitals)
    if reading.clauses[at] == reading.clauses[at - 1] + 1:
        found = name_from(reading, at, capitals) if at in capitals else None
        whole = found and (
            found[1] == len(words) or reading.clauses[found[1]] != reading.clauses[at]
        )
        return found if whole else None
    return name_from(reading, at, capitals) if deed and at in capitals else None


def named_before(
    reading: Reading, evidence: Evidence, at: int, capitals: frozenset[int], *, deed: bool
) -> tuple[int, int] | None:
    """Return the name before "is the" or ", the", None where there is none."""
    words = reading.words
    at -= at > 0 and words[at] in _ADVERBS
    if at < 1:
        return name_to(reading, evidence, at, capitals) if at == 0 and _apart(reading, at) else None
    if words[at] == "is" or (deed and words[at] == "was"):
        return name_to(reading, evidence, at - 1, capitals)
    return name_to(reading, evidence, at, capitals) if _apart(reading, at) else None


def _in_name(reading: Reading, at: int, other: int, capitals: frozenset[int]) -> bool:
    """Say whether a token may belong to the name at another one: "da" in "Leonardo da Vinci"."""
    if at in capitals:
        return together(reading, at, other)
    inner = 0 < at < len(reading.words) and reading.words[at] in PARTICLES
    if not inner or (at - 1 not in capitals and reading.words[at - 1] not in PARTICLES):
        return False
    return together(reading, at, other)


def together(reading: Reading, one: int, other: int) -> bool:
    """Say whether a token says something and stands in another's clause."""
    return reading.keys[one] is not None and reading.clauses[one] == reading.clauses[other]


def _apart(reading: Reading, at: int) -> bool:
    """Say whether one mark or joint, no more, stands behind a token."""
    return reading.clauses[at + 1] == reading.clauses[at] + 1
