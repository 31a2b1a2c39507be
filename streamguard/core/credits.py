"""Passages credited in words: "(Passage 2)", "passages 1 and 3", "according to the second source".

A citation tag names a chunk by its label (`core/markers`); words count the chunks from 1 in the
order in which the prompt gave them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from streamguard.core.unanswered import holds_any, lower_in_place

# "Document 7" and "source 9" may be titles of the world; only these words count passages alone.
_OWN_NOUNS = frozenset(["passage", "excerpt", "chunk"])
_NOUN = r"(?P<noun>passage|excerpt|chunk|document|source)s?"
# A further number of a list; in "passage 1, 10 minutes" the comma joins none.
_AGAIN = r"(?:(?:passage|excerpt)s?\s{1,2})?\d{1,2}"
_NEXT = (
    rf"\s{{0,2}}(?:(?:,\s{{0,2}})?(?:and|&|or|-)\s{{0,2}}{_AGAIN}"
    rf"|,\s{{0,2}}{_AGAIN}(?!\s(?!and|or)[a-z]))"
)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
# For lower-case text, like those below: far cheaper than patterns that ignore case.
_CREDIT = re.compile(
    rf"""\b{_NOUN}\s{{0,2}}(?:\#|no\.\s?|number\s)?(?P<numbers>\d{{1,2}}(?:{_NEXT}){{0,6}})
    (?![\w%]|[.,:]\d)
    |\b(?P<ordinal>{"|".join(_ORDINALS)})\s(?:(?:retrieved|given|provided)\s)?
    (?P<ranked>passage|excerpt|chunk|document|source)\b""",
    re.VERBOSE,
)
_NOUNS = ("passage", "excerpt", "chunk", "document", "source")
_FIGURE = re.compile(r"\d+")
# What follows tells about the passage instead of repeating what it says: "Passage 2 provides a
# recipe", "the third passage does not mention it".
_ABOUT = re.compile(
    r"\s{1,2}(?:(?:also|only|further|then|specifically|both)\s){0,2}"
    r"(?:provide|discuss|describe|list|offer|give|cover|focus|contain|talk|deal|include|present"
    r"|introduce|is\b|are\b|do(?:es)?\s(?:not|n't)|doesn't|don't)"
)
# So does what leads to it ("similar to passage 1", "the recipe provided in passage 2").
_LEADING = re.compile(
    r"\b(?:similar to|same (?:\w{1,20} )?as|unlike|like|than|besides|follow(?:ing)?|from"
    r"|(?:provided|outlined|described|found|steps?|recipe|instructions) (?:in|of|by|from)) $"
)
_LEADING_REACH = 40


@dataclass(frozen=True, slots=True)
class Credit:
    """A credit at [start, end) of the text: the passages it names, counted from 1.

    `certain`: its noun counts passages and nothing else. `about`: the words behind it describe
    the passage, so that they need not stand in it.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    certain: bool
    about: bool


def credits_in(text: str) -> tuple[Credit, ...]:
    """Return the credits of folded `text`, in order. Linear in its length."""
    lowered = lower_in_place(text)
    if not holds_any(lowered, _NOUNS):
        return ()
    return tuple([_credit(found, lowered) for found in _CREDIT.finditer(lowered)])


def _credit(found: re.Match[str], lowered: str) -> Credit:
    noun = found["noun"] or found["ranked"]
    if found["ordinal"]:
        numbers: tuple[int, ...] = (_ORDINALS[found["ordinal"]],)
    else:
        numbers = _numbers(found["numbers"])
    start = max(0, found.start() - _LEADING_REACH)
    about = _ABOUT.match(lowered, found.end()) or _LEADING.search(lowered, start, found.start())
    return Credit(found.start(), found.end(), numbers, noun in _OWN_NOUNS, about is not None)


def _numbers(written: str) -> tuple[int, ...]:
    """Return the numbers of "1, 2 and 4"; a hyphen between two stands for those between."""
    figures = [int(found[0]) for found in _FIGURE.finditer(written)]
    if len(figures) == 2 and "-" in written and figures[0] < figures[1]:
        return tuple(range(figures[0], figures[1] + 1))
    return tuple(figures)
