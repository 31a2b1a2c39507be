"""Talk about the sources and about the answer itself, which no source can hold.

"According to passage 2," and "It is important to note that" say nothing about the world: they
are blanked before a sentence's content is compared with the chunks.
"""

from __future__ import annotations

import re

from streamguard.core.reading.unanswered import holds_any
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re

_SOURCE = (
    r"(?:passages?|documents?|documentation|contexts?|sources?|texts?|excerpts?|chunks?|articles?"
    r"|information|materials?)"
)
_GIVEN = (
    r"(?:(?:the|these|this|that|your|our|both|all|provided|given|above|available|retrieved"
    r"|supplied|relevant|first|second|third|fourth|fifth)\s{1,3}){0,4}"
)
_NUMBERS = (
    r"\d{1,3}(?:\s{0,2}(?:,|and|&|or|to|-)\s{0,2}(?:and\s{1,2}|passages?\s{1,2})?\d{1,3}){0,6}"
)
_SAYS = (
    r"(?:\s{1,3}(?:also|further|then|only)){0,2}"
    r"\s{1,3}(?:mentions?|states?|says?|notes?|explains?|suggests?|describes?|indicates?|provides?"
    r"|lists?|recommends?|discuss(?:es)?|highlights?|shows?|advis(?:es?)|adds?|tells? us)\b"
)
_NUMBERED = rf"(?:in\s{{1,3}})?{_SOURCE}\s{{1,3}}{_NUMBERS}(?:\s{{0,2}}\))?(?:{_SAYS})?"
# For lower-case text. Every phrase begins a word: asked once, in front of the alternatives.
_TALK = lazy_re(
    rf"""
    \((?=\w){_NUMBERED} | \b(?:
    {_NUMBERED}
    | (?:based\s{{1,3}}(?:solely\s{{1,3}}|only\s{{1,3}})?(?:up)?on|according\s{{1,3}}to|per|from
        |as\s{{1,3}}(?:stated|mentioned|described|noted|explained|indicated|outlined)
         \s{{1,3}}(?:in|by))
      \s{{1,3}}{_GIVEN}{_SOURCE}\b(?:\s{{1,3}}(?:provided|given|above|available))?
      (?:\s{{1,3}}{_NUMBERS})?
    | (?:the|these|this|both)\s{{1,3}}{_GIVEN}{_SOURCE}\b
      (?:\s{{1,3}}(?:provided|given|above))?{_SAYS}
    | it(?:'s|\s{{1,3}}is)\s{{1,3}}(?:also\s{{1,3}})?
      (?:important|worth|useful|essential|helpful|recommended)\s{{1,3}}
      (?:to\s{{1,3}}(?:note|remember|mention|keep\s{{1,3}}in\s{{1,3}}mind)|noting|mentioning)\b
    | (?:please\s{{1,3}})?
      (?:note|keep\s{{1,3}}in\s{{1,3}}mind|remember|be\s{{1,3}}aware)\s{{1,3}}that\b
    | in\s{{1,3}}(?:conclusion|summary|short|general|addition|other\s{{1,3}}words)\b
    | (?:the\s{{1,3}})?answers?\s{{1,3}}to\s{{1,3}}(?:the|your|this)\s{{1,3}}question\b
    )""",
    re.VERBOSE,
)
# An opener at a sentence's start, a list mark and a step's label number the answer, not the world.
_OPENER = lazy_re(
    r"""(?ix)[\s>*_\#"'-]{0,12}
    (?:(?:\d{1,3}|[a-z])[.)]\s{1,3})? [*_]{0,3}
    (?:step\s{1,2}\d{1,3}\s{0,2}[:.)-]{0,2}[*_]{0,3}
      |(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|note|important|tip|also
         |overall|therefore|thus|hence|however|moreover|furthermore|additionally|in\ fact)
       \s{0,2}[*_]{0,3}[,:][*_]{0,3})?"""
)
# One of these is in everything the pattern matches: most sentences are not searched.
_GATES = (
    "passage", "document", "text", "source", "excerpt", "chunk", "article", "information",
    "material", "note", "noting", "mention", "remember", "mind", "aware", "answer", "conclusion",
    "summary", "short", "general", "addition", "words",
)  # fmt: skip


def without_talk(text: str) -> str:
    """Return folded `text` with such phrases blanked: same length, same offsets.

    List marks, step labels and openers ("Next,") at its start are blanked too.
    """
    start = opener_end(text)
    if start:
        text = " " * start + text[start:]
    lowered = text.lower()
    if not holds_any(lowered, _GATES):
        return text
    if len(lowered) != len(text):
        lowered = lower_in_place(text)
    for phrase in _TALK.finditer(lowered):
        at, end = phrase.span()
        text = text[:at] + " " * (end - at) + text[end:]
    return text


def opener_end(text: str) -> int:
    """Return where a sentence's own words begin: behind list mark, step label and opener."""
    opener = _OPENER.match(text)
    return opener.end() if opener and any(map(str.isalnum, opener.group())) else 0
