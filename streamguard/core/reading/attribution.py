"""Talk about the sources and about the answer itself, which no source can hold.

"According to passage 2," and "It is important to note that" say nothing about the world: they
are blanked before a sentence's content is compared with the chunks.
"""

from __future__ import annotations

from streamguard.core.reading.unanswered import holds_any
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re

_SOURCE = (
    r"(?:passages?|documents?|documentation|contexts?|sources?|texts?|excerpts?|articles?"
    r"|information|materials?)"
)
_GIVEN = (
    r"(?:(?:the|these|this|your|all|provided|given|above|available|retrieved|first|second|third) )"
    r"{0,4}"
)
_NUMBERS = r"\d{1,3}(?: ?(?:,|and|or|to|-) ?(?:(?:and|passages?) )?\d{1,3}){0,6}"
_SAYS = (
    r"(?: also| further| only)? (?:mention|state|say|note|explain|suggest|describe|indicate|"
    r"provide|list|recommend|discuss|highlight|show|advise|add)(?:s|es)?\b"
)
# For lower-case text. A space stands for white space.
_TALK = lazy_re(
    (
        rf"\(?\b(?:in )?{_SOURCE} {_NUMBERS}(?: ?\))?(?:{_SAYS})?"
        r"|\b(?:(?:based (?:solely |only )?(?:up)?on|according to|per|from|as \w{3,9}ed (?:in|by))"
        rf" {_GIVEN}{_SOURCE}\b(?: (?:provided|given|above|available))?(?: {_NUMBERS})?"
        rf"|(?:the|these|this) {_GIVEN}{_SOURCE}\b(?: (?:provided|given|above))?{_SAYS}"
        r"|it(?:'s| is) (?:also )?(?:important|worth|useful|essential|helpful|recommended) "
        r"(?:to (?:note|remember|mention|keep in mind)|noting|mentioning)\b"
        r"|(?:please )?(?:note|keep in mind|remember|be aware) that\b"
        r"|in (?:conclusion|summary|short|general|addition|other words)\b"
        r"|(?:the )?answers? to (?:the|your|this) question\b)"
    )
    .replace(" ?", r"\s{0,2}")
    .replace(" ", r"\s{1,3}")
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
