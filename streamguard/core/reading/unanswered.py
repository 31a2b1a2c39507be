"""Sentences that say there is no answer: negated information, in a table of patterns.

"does not mention", "unable to determine", "no specific information", "is not stated": all of it
is about what documents hold or what the speaker can tell. "The plan does not include towels" is
about a plan, and a claim. What decides is the noun: a source (passages, documents, context) or
information itself; verbs that fit both count only beside a source.

Read on folded text. Every repetition is bounded, so the patterns are linear. Each form stands in
answers to RAGTruth's questions or to those of independent authors, or in a rule of the refusals.
"""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re


def _pattern(**forms: str) -> re.Pattern[str]:
    """Return the pattern of all `forms`, a group for each; a space stands for white space."""
    named = "|".join(f"(?P<{name}>{form})" for name, form in forms.items())
    return lazy_re(named.replace(" ", r"\s{1,8}"))


_TEXT = (
    r"(?:passages?|documents?|documentation|docs|context|texts?|excerpts?|search results?|sources?|"
    r"knowledge base|information)"
)
_THING = (
    r"(?:materials?|articles?|content|leaflets?|brochures?|handbooks?|manuals?|guides?|pages?|"
    r"websites?)"
)
# "The text messages" and "the source code" are no sources.
_ITSELF = r"\b(?! (?:messages?|menus?|code|files?|fields?|scanners?|readers?)\b)"
_GIVEN = (
    r"(?:given|provided|retrieved|available|supplied|attached|uploaded|relevant|additional|further)"
)
_SUCH = (
    rf"(?:(?:the|these|this|those|any|all|our|your|my|{_GIVEN}) (?:{_GIVEN} )?(?:[\w'-]{{2,20}} )?)"
)
_NUMBERED = r"(?:passages?|documents?|sources?|chunks?|excerpts?) \[?c?\d{1,4}\b\]?|passages\b"
# "your uploaded product documents", "given passages", "source 2"; a source that may be a thing as
# well, "the materials", does with fewer verbs.
_PLAIN_SOURCE = rf"\b(?:{_SUCH}{_TEXT}{_ITSELF}|{_NUMBERED})"
_SOURCE = rf"\b(?:{_SUCH}(?:{_TEXT}|{_THING}){_ITSELF}|{_NUMBERED})"

_GAP = r"[^.,;:!?\n]{0,40}?"  # between a clause's subject and its verb; guess, six words
_ADVERB = r"(?:(?:[a-z]{2,14}ly|also|even|yet) )?"
_NOT = r"(?: not|n'?t)"
_UNABLE = (
    rf"(?:cannot|(?:can|could|did|do){_NOT}|(?:will not|won't) be able to|"
    r"(?:(?:am|are|was|were) )?(?:unable|not able) to)"
)
# What texts alone do; things contain, include, provide, offer, hold and cover as well.
_SAYS = (
    r"(?:mention|specify|specifies|state|say|discuss|address|describe|indicate|answer|explain|tell|"
    r"refer to|clarify|detail|define|note)(?:s|es)?"
)
_TELLS = rf"(?:{_SAYS}|(?:provide|contain|include|give|cover|offer|list|hold|appear to)s?)"
_ANY = (
    r"(?:(?:any|enough|sufficient|specific|direct|explicit|clear|detailed|further|additional|much|"
    r"more|the|such|relevant|exact|complete|other|an|a|this|that|or|and) ){0,4}"
)
_INFORMATION = r"(?:information|info|details?|mention|answers?)"
# These are facts about the world as often as gaps in a source: "no evidence that it helps".
_EVIDENCE = (
    r"(?:evidence|data|references?|indication|guidance|instructions?|explanations?|descriptions?|"
    r"suggestions?|recommendations?|figures?|examples?)"
)
# What may follow "no information": not "is shared with third parties".
_ABOUT = (
    r"(?= ?(?:[.,;:!?)\"*\]\[]|$)| (?:about|on|regarding|concerning|of|in|within|from|for|that|"
    r"as to|related|available|provided|given|found|to|here|(?:is|are) (?:available|provided|given))"
    r"\b)"
)
# To answer a call is no matter of knowing, and to find no cheaper plan is no lack of an answer.
_LOOKS = (
    r"(?:answer(?! (?:the |a |any )?(?:phone|door|calls?)\b)|determine|"
    rf"find (?=any|this\b|that\b|it\b|the answer)|(?:provide|give|find) {_ANY}{_INFORMATION})"
)
_TRIES = rf"(?:{_LOOKS}|locate|confirm|tell|say)"
# The start of a clause without a subject of its own: "Unable to answer ...".
_START = r"(?:^[\s\"'*_>(#-]{0,12}|[:,] ?)"

_ANYWHERE = _pattern(
    unable_to_answer=(
        rf"(?:{_START}|\bi(?:'m)? ){_UNABLE} {_ADVERB}{_TRIES}\b"
        rf"|\b(?:we(?:'re)? {_UNABLE}|it(?:'s| is) (?:unable|not able) to) {_ADVERB}{_LOOKS}\b"
    ),
    do_not_know=(
        rf"\bi (?:(?:do|did){_NOT} know|(?:have|had|found|find|see|saw) nothing (?:about|on|in))\b"
    ),
    no_source_mentions=(
        rf"\b(?:no|none of|neither of|nothing in) (?:[\w'-]{{2,20}} ){{0,2}}?"
        rf"(?:{_TEXT}{_GAP} {_TELLS}|{_THING}{_GAP} {_SAYS})\b"
    ),
    no_information=(
        rf"\b(?:no|insufficient|not enough|(?:do|does|did){_NOT} {_ADVERB}(?:{_TELLS}|have)) "
        rf"{_ANY}{_INFORMATION}{_ABOUT}"
    ),
    is_not_mentioned=rf"\b(?:is|are|was|were){_NOT} {_ADVERB}(?:mentioned|stated|specified)\b",
)
# These count only in a sentence that speaks of a source.
_BESIDE_SOURCE = _pattern(
    source_does_not_mention=(
        rf"{_PLAIN_SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}{_TELLS}\b"
        rf"|{_SOURCE}{_GAP} (?:(?:do|does|did){_NOT} {_ADVERB}{_SAYS}|says? nothing|"
        r"(?:is|are) silent)\b"
    ),
    cannot_be_determined=(
        r"\b(?:cannot|can't|could not|couldn't) be (?:answered|determined|concluded|confirmed)\b"
        rf"|\b(?:not |im)possible to {_ADVERB}{_TRIES}\b"
        r"|\b(?:difficult|hard) to (?:provide|give|answer)\b|\b(?:is|are) not clear\b"
    ),
    no_evidence_in_the_source=(
        rf"\b(?:no|insufficient|(?:do|does|did){_NOT} {_ADVERB}{_TELLS}) {_ANY}{_EVIDENCE}{_ABOUT}"
    ),
    is_not_in_the_source=(
        rf"(?:\bnot|n't) {_ADVERB}(?:be )?(?:(?:provided|included|available|covered|addressed|"
        r"discussed|described|contained|found|present|given|listed|answered|explained) )?"
        rf"(?:anywhere )?(?:in|by|within|of|from) {_PLAIN_SOURCE}"
    ),
)
_SPEAKS_OF_SOURCE = _pattern(source=rf"{_SOURCE}|\bquestion\b")

# "If no information is available, ..." states a condition; "Unable to log in?" asks.
_CONDITION = lazy_re(
    r"[\s\"'*_>#-]{0,12}(?:and |or |but )?(?:if|when|whenever|unless|in case|once|where|should)\b"
)
_SPEAKER = lazy_re(r"\b(?:i|we)\b")
_CLAUSE_MARKS = ",;:(."
_CLAUSE_CHARS = 200  # how far back a clause's first word is looked for; guess, a long clause
# Every pattern holds one of these; most sentences hold none and go no further.
_NEGATIONS = (
    "not", "n't", "no ", "unable", "none", "neither", "nothing", "impossible", "insufficient",
    "difficult", "hard", "silent", "dont ", "didnt ", "doesnt ", "cant ", "couldnt ", "isnt ",
    "arent ", "wasnt ", "werent ",
)  # fmt: skip


def find_unanswered(lowered: str) -> re.Match[str] | None:
    """Return the first place that says there is no answer in one sentence, in lower case.

    Its `lastgroup` names the form. A question without "I" or "we", and a clause that begins with
    "if" or "when", say nothing of the kind.
    """
    if not holds_any(lowered, _NEGATIONS) or _only_asks(lowered):
        return None
    patterns = [_ANYWHERE]
    if _SPEAKS_OF_SOURCE.search(lowered):
        patterns.append(_BESIDE_SOURCE)
    found = (match for pattern in patterns for match in pattern.finditer(lowered))
    stated = (match for match in found if not _is_condition(lowered, match.start()))
    return min(stated, key=re.Match.start, default=None)


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Say whether `text` holds one of `words`, a cheap gate in front of a pattern."""
    for word in words:  # noqa: SIM110 - a generator costs as much as the search; asked per sentence
        if word in text:
            return True
    return False


def _only_asks(lowered: str) -> bool:
    return lowered.rstrip("\"')*_ ").endswith("?") and _SPEAKER.search(lowered) is None


def _is_condition(lowered: str, at: int) -> bool:
    before = lowered[max(0, at - _CLAUSE_CHARS) : at]
    clause = max(before.rfind(mark) for mark in _CLAUSE_MARKS) + 1
    return _CONDITION.match(before, clause) is not None
