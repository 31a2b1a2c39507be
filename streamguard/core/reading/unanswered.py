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
from collections.abc import Iterator
from typing import NamedTuple

from streamguard.text.patterns import lazy_re

# --- sources. A space in a piece stands for white space.

# Of these the most are nothing but sources; the rest are goods, matter and light sources as well.
_PLAIN_NOUN = (
    r"(?:passages?|documents?|documentation|docs|context|texts?|excerpts?|snippets?|"
    r"search results?|sources|knowledge base|information)"
)
_NOUN = (
    rf"(?:{_PLAIN_NOUN}|source|materials?|articles?|content|leaflets?|brochures?|handbooks?|"
    r"manuals?|guides?|pages?|websites?)"
)
_GIVEN = (
    r"(?:given|provided|retrieved|available|supplied|above|following|attached|uploaded|shared|"
    r"referenced|listed|relevant|quoted|cited)"
)
# What makes another thing of the noun before it: "the text messages", "the source code".
_NO_OTHER = (
    r"(?! (?:messages?|fields?|boxes|box|files?|types?|editors?|menus?|managers?|windows?|code|"
    r"scanners?|readers?|feeders?|viewers?|cameras?|creators?|owners?|holders?|bags?|covers?|"
    r"folders?|trays?|voltage|safety|library|libraries|servers?)\b)"
)
_THE = r"(?:the|these|this|those|any|all|our|your|my)"
_WORD = r"(?:[\w'-]{2,20} )?"
_SUCH = rf"(?:{_THE} (?:{_GIVEN} ){{0,2}}|(?:{_GIVEN} ){{1,2}}){_WORD}"
_NUMBERED = r"\b(?:passages?|documents?|sources?|chunks?|excerpts?) \[?c?\d{1,4}\b\]?|\bpassages\b"
# "the context", "the provided documents", "your uploaded product documents", "given passages",
# "source 2"; "the materials" and "the article" too, whatever they are.
_SOURCE = rf"\b(?:{_SUCH}{_NOUN}{_NO_OTHER}\b|{_NUMBERED})"
# The same without what may be a thing: "the materials" are not, "the provided materials" are.
_PLAIN_SOURCE = (
    rf"\b(?:(?:{_SUCH}{_PLAIN_NOUN}|(?:{_THE} )?(?:{_GIVEN} ){{1,2}}{_WORD}{_NOUN}){_NO_OTHER}\b"
    rf"|{_THE} (?:articles?|materials?|content) (?:you|i|we|provided|given|above)\b"
    rf"|{_NUMBERED})"
)

# --- what they and the speaker do not do.

# How far a clause may reach between its subject and its verb; guess, six words.
_GAP = r"[^.,;:!?\n]{0,40}?"
_ADVERB = r"(?:(?:[a-z]{2,14}ly|also|even|yet|currently) )?"
_NOT = r"(?: not|n'?t)"
_CANNOT = r"(?:cannot|can not|can'?t|could not|couldn'?t)"
# Not to find these is no lack of an answer: "unable to find fault", "couldn't find a cheaper plan".
_NO_LACK = (
    r" (?:(?:any|a|an|much|anything|the|real|serious|major|single) ){0,3}"
    r"(?:faults?|flaws?|wrong|time|words|room|better|cheaper|faster|slower|larger|bigger|smaller"
    r"|higher|lower|shorter|longer|newer|closer|nearer|earlier|easier|safer|lighter|quicker|nicer)"
    r"\b(?! (?:information|info|details?|mention|answers?)\b)"
)
# To answer a call or the door is no matter of knowing.
_ANSWER = (
    r"answer(?! (?:(?:an?|the|any|all|new|your|my|their|other|incoming|phone|video|voice) ){0,3}"
    r"(?:calls?|(?:tele|smart)?phones?|door(?:bell)?s?|intercom|e-?mails?|messages?)\b)"
)
_LOOKS = rf"(?:{_ANSWER}|determine|find(?!{_NO_LACK})|locate)"
_FINDS = (
    rf"(?:{_LOOKS}|confirm|identify|verify|ascertain|tell|say|give|provide|retrieve|see|respond|"
    r"comment|conclude|offer|infer|establish|help|assist)"
)
# What texts alone do; things contain, include, provide, offer, hold and cover as well.
_SAYS = (
    r"(?:mention|specify|state|say|discuss|address|describe|indicate|answer|explain|tell|refer to|"
    r"reference|clarify|detail|disclose|reveal|talk about|go into|touch on|elaborate|define|name|"
    r"note|speak)"
)
_TELLS = rf"(?:{_SAYS}|provide|contain|include|give|cover|offer|list|hold|appear to|seem to)"
_SAYING = rf"(?:{_SAYS}(?:s|es)?|specifies|clarifies|goes into)"
_TELLING = rf"(?:{_TELLS}(?:s|es)?|makes?|has|have|specifies|clarifies|goes into)"
_ANY = (
    r"(?:(?:any|enough|sufficient|specific|direct|explicit|clear|detailed|further|additional|much|"
    r"more|the|such|relevant|exact|complete|necessary|required|needed|comprehensive|concrete|"
    r"definitive|definite|precise|other|useful|reliable|adequate|an|a|this|that|related|"
    r"conclusive|particular|actual|real|kind of|type of|or|and) ){0,4}"
)
_INFORMATION = r"(?:information|info|details?|mention|answers?)"
# These are facts about the world as often as gaps in a source: "no evidence that it helps".
_EVIDENCE = (
    r"(?:evidence|data|references?|indication|guidance|instructions?|explanations?|descriptions?|"
    r"statements?|suggestion|recommendations?|figures?|examples?|list|discussion)"
)
# What may follow "no information": not "is shared with third parties".
_ABOUT = (
    r"(?= ?(?:[.,;:!?)\"*\]\[]|$)| (?:about|on|regarding|concerning|of|in|within|from|for|that|"
    r"which|as to|as for|related|relating|pertaining|specific|available|provided|given|found|to|"
    r"here|directly|and|or|but|so|(?:is|was|are|were) (?:\w+ )?(?:available|provided|given|found|"
    r"mentioned|included|stated|present|contained))\b)"
)
# The start of a clause without a subject of its own: "Unable to answer ...".
_START = r"(?:^[\s\"'*_>(#-]{0,12}|: ?)"
_I = r"\b(?:i|we)(?:'m|'re| am| are| was| were)? (?:currently |still |also |sorry,? |afraid )?"


class Unanswered(NamedTuple):
    """Where folded text says that there is no answer (half-open), and by which pattern."""

    start: int
    end: int
    name: str


class _Pattern(NamedTuple):
    name: str
    needs: tuple[str, ...]  # one of these is in every match; looked for first, as it is cheaper
    regex: re.Pattern[str]
    beside_source: bool  # counts only in a sentence that speaks of a source


def _compiled(
    name: str, needs: tuple[str, ...], *forms: str, beside_source: bool = False
) -> _Pattern:
    return _Pattern(name, needs, _spaced("|".join(forms)), beside_source)


def _spaced(form: str) -> re.Pattern[str]:
    return lazy_re(form.replace(" ", r"\s{1,8}"))


_NONE_OF = r"\b(?:none|neither|nothing|no part|nowhere) (?:of|in|from|within)"
_NO = r"(?:no|insufficient|not enough)"
_INFORMATION_GATE = ("info", "detail", "mention", "answer")

_PATTERNS = (
    _compiled(
        "unable to answer",
        ("able to",),
        rf"{_START}(?:unable|not able) to {_ADVERB}{_FINDS}\b",
        rf"{_I}(?:unable|not able) to {_ADVERB}{_LOOKS}\b",
        rf"\b(?:it is|it's|,|-) ?(?:unable|not able) to (?:{_ANSWER}|determine)\b",
    ),
    _compiled(
        "cannot answer",
        ("can", "could", "won't be", "will not be", "i was", "i am", "i did", "i do", "possible"),
        rf"{_START}{_CANNOT} (?:be )?{_LOOKS}\b",
        rf"\bi (?:{_CANNOT}|(?:was|am|did|do){_NOT}|will not be|won't be) (?:able to )?"
        rf"{_ADVERB}{_FINDS}\b",
        rf"\bwe (?:{_CANNOT}|did{_NOT}) {_ADVERB}{_LOOKS}\b",
        rf"\bquestion {_CANNOT} be answered\b",
        rf"\b(?:not |im)possible to {_ANSWER}\b",
    ),
    _compiled(
        "cannot be determined",
        ("be ", "possible", "difficult", "hard", "clear", "known", "certain"),
        rf"\b{_CANNOT} be (?:determined|inferred|concluded|ascertained|verified|confirmed)\b",
        rf"\b{_CANNOT} be (?:found|located) (?:in|from|within|by) {_SOURCE}",
        rf"\b(?:not |im)possible to {_ADVERB}{_FINDS}\b",
        rf"\b(?:difficult|hard) to (?:provide|give|{_ANSWER})\b",
        rf"\b(?:is|are|remains?|it's)(?: (?:unclear|unknown|uncertain)|{_NOT} (?:entirely |"
        r"completely |quite )?(?:clear|known))\b",
        beside_source=True,
    ),
    _compiled(
        "do not know",
        ("i ", "we "),
        rf"\bi {_ADVERB}(?:do|did){_NOT} {_ADVERB}(?:know|see|have access)\b",
        r"\bi (?:have|had|found|find|see|saw) nothing(?=[.,;!]|$| (?:about|on|in|for|regarding|"
        r"concerning|that (?:says|mentions|answers))\b)",
        rf"\b(?:i|we) (?:do|did|have){_NOT} (?:have |been given |been provided |received )?{_ANY}"
        rf"{_INFORMATION}{_ABOUT}",
    ),
    _compiled(
        "source does not mention",
        ("not", "n't", "nt ", "no", "silent", "lack", "neither"),
        rf"{_PLAIN_SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}{_TELLS}\b",
        rf"{_SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}{_SAYS}\b",
        rf"{_SOURCE}{_GAP} (?:(?:says?|said|tells? us|states?) nothing|(?:is|are|remains?) silent "
        rf"(?:on|about|as to|regarding|concerning|here)|(?:lacks?|lacking) {_ANY}(?:{_INFORMATION}|"
        rf"{_EVIDENCE}))\b",
        rf"{_NONE_OF} {_PLAIN_SOURCE}{_GAP} (?:{_TELLING}|about|suggests?)\b",
        rf"{_NONE_OF} {_SOURCE}{_GAP} {_SAYING}\b",
        beside_source=True,
    ),
    _compiled(
        "no source mentions",
        ("no ",),
        rf"\bno (?:{_GIVEN} )?(?:passage|document|excerpt|source|article)s?{_GAP} {_SAYING}\b",
    ),
    _compiled(
        "does not provide information",
        _INFORMATION_GATE,
        rf"\b(?:do|does|did){_NOT} {_ADVERB}{_TELLS} {_ANY}{_INFORMATION}{_ABOUT}",
    ),
    _compiled(
        "no information",
        _INFORMATION_GATE,
        rf"\b(?:is|are|was|were|there's|contains?|provides?|gives?|offers?|includes?|has|have|had|"
        rf"makes?|made|found|find|with|holds?|received|be) {_NO} {_ANY}{_INFORMATION}{_ABOUT}",
        rf"{_START}(?:unfortunately, |sorry, )?{_NO} {_ANY}{_INFORMATION}{_ABOUT}",
    ),
    _compiled(
        "no evidence in the source",
        ("no", "n't", "nt ", "insufficient"),
        rf"\b{_NO} {_ANY}{_EVIDENCE}{_ABOUT}",
        rf"\b(?:do|does|did){_NOT} {_ADVERB}{_TELLS} {_ANY}{_EVIDENCE}{_ABOUT}",
        beside_source=True,
    ),
    _compiled(
        "is not mentioned",
        ("mentioned", "stated", "specified"),
        rf"\b(?:is|are|was|were|been|(?:has|have)(?={_NOT} been)){_NOT} {_ADVERB}(?:been )?"
        r"(?:mentioned|stated|specified)\b",
    ),
    _compiled(
        "is not in the source",
        ("not", "n't", "nt "),
        rf"(?:\bnot|n't) {_ADVERB}(?:(?:provided|included|available|covered|addressed|discussed|"
        r"described|contained|found|present|given|listed|answered|explained|part|indicated|"
        r"supported|defined|detailed|referenced|appear|exist|occur) )?"
        rf"(?:anywhere )?(?:in|by|within|of|from) {_PLAIN_SOURCE}",
    ),
)

# "If no information is available, ..." states a condition; "Unable to log in?" asks.
_CONDITION = lazy_re(
    r"[\s\"'*_>#-]{0,12}(?:and |or |but )?(?:if|when|whenever|unless|in case|once|where|should)\b"
)
_SPEAKS_OF_SOURCE = _spaced(_SOURCE)
_SPEAKER = lazy_re(r"\b(?:i|we)\b")
_CLAUSE_MARKS = ",;:(."
_CLAUSE_CHARS = 200  # how far back a clause's first word is looked for; guess, a long clause
# Every pattern holds one of these; most sentences hold none and go no further.
_NEGATIONS = (
    "not", "n't", "no ", "unable", "none", "nowhere", "neither", "unclear", "unknown", "uncertain",
    "impossible", "insufficient", "difficult", "hard", "silent", "lack",
    "dont ", "didnt ", "doesnt ", "cant ", "couldnt ", "isnt ", "arent ", "wasnt ", "werent ",
)  # fmt: skip


def find_unanswered(lowered: str) -> Unanswered | None:
    """Return the first pattern that says there is no answer in one sentence, in lower case.

    Where several match, the one that begins first counts. A question without "I" or "we", and a
    clause that begins with "if" or "when", say nothing of the kind.
    """
    return min(_matches(lowered), key=lambda found: found.start, default=None)


def is_unanswered(lowered: str) -> bool:
    """Say whether `find_unanswered` finds anything in this text."""
    return next(_matches(lowered), None) is not None


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Say whether `text` holds one of `words`, a cheap gate in front of a pattern."""
    for word in words:  # noqa: SIM110 - a generator costs as much as the search; asked per sentence
        if word in text:
            return True
    return False


def _matches(lowered: str) -> Iterator[Unanswered]:
    if not holds_any(lowered, _NEGATIONS) or _only_asks(lowered):
        return
    sourced: bool | None = None
    for pattern in _PATTERNS:
        if not holds_any(lowered, pattern.needs):
            continue
        if pattern.beside_source:
            if sourced is None:
                sourced = _SPEAKS_OF_SOURCE.search(lowered) is not None
            if not sourced:
                continue
        for match in pattern.regex.finditer(lowered):
            if not _is_condition(lowered, match.start()):
                yield Unanswered(match.start(), match.end(), pattern.name)
                break


def _only_asks(lowered: str) -> bool:
    return lowered.rstrip("\"')*_ ").endswith("?") and _SPEAKER.search(lowered) is None


def _is_condition(lowered: str, at: int) -> bool:
    before = lowered[max(0, at - _CLAUSE_CHARS) : at]
    clause = max(before.rfind(mark) for mark in _CLAUSE_MARKS) + 1
    return _CONDITION.match(before, clause) is not None
