"""Sentences that say there is no answer: negated information, in a table of patterns.

"does not mention", "unable to determine", "no specific information", "is not stated": all of it
is about what documents hold or what the speaker can tell. "The plan does not include towels" is
about a plan, and a claim. What decides is the noun: a source (passages, documents, context) or
information itself; verbs that fit both count only beside a source.

Read on folded text. Every repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from streamguard.core.reading.source_nouns import GIVEN, PLAIN_SOURCE, SOURCE
from streamguard.text.patterns import lazy_re

# How far a clause may reach between its subject and its verb; guess, six words.
_GAP = r"[^.,;:!?\n]{0,40}?"
_ADVERB = r"(?:(?:[a-z]{2,14}ly|also|even|yet|currently) )?"
_NOT = r"(?: not|n'?t)"
# Not to find these is no lack of an answer: "unable to find fault", "couldn't find a cheaper plan".
NO_LACK = (
    r" (?:(?:any|a|an|much|anything|the|real|serious|major|single) ){0,3}"
    r"(?:faults?|flaws?|wrong|time|words|room|better|cheaper|faster|slower|larger|bigger|smaller"
    r"|higher|lower|shorter|longer|newer|closer|nearer|earlier|easier|safer|lighter|quicker|nicer)"
    r"\b(?! (?:information|info|details?|mention|answers?)\b)"
)
_FIND = rf"find(?!{NO_LACK})"

_TELLS = (
    r"(?:mention|provide|contain|specify|include|give|state|say|discuss|cover|address|describe|"
    r"indicate|offer|list|answer|explain|tell|refer to|reference|clarify|detail|disclose|reveal|"
    r"talk about|go into|touch on|elaborate|define|name|note|speak|hold|appear to|seem to)"
)
# What texts alone do; things contain, include, provide, offer, hold and cover as well.
_SAYS = (
    r"(?:mention|specify|state|say|discuss|address|describe|indicate|answer|explain|tell|refer to|"
    r"reference|clarify|detail|disclose|reveal|talk about|go into|touch on|elaborate|define|name|"
    r"note|speak)"
)
_SAYING = rf"(?:{_SAYS}(?:s|es)?|specifies|clarifies|goes into)"
_TELLING = rf"(?:{_TELLS}(?:s|es)?|makes?|has|have|specifies|clarifies|covers|goes into)"
# To answer a call or the door is no matter of knowing.
_ANSWER = (
    r"answer(?! (?:(?:an?|the|any|all|new|your|my|their|other|incoming|phone|video|voice) ){0,3}"
    r"(?:calls?|(?:tele|smart)?phones?|door(?:bell)?s?|intercom|e-?mails?|messages?)\b)"
)
_FINDS = (
    rf"(?:{_ANSWER}|determine|{_FIND}|locate|confirm|identify|verify|ascertain|tell|say|give|provide|"
    r"retrieve|see|respond|comment|conclude|offer|infer|establish|help|assist)"
)
_LEARNS = (
    rf"(?:{_ANSWER}|determine|confirm|identify|verify|ascertain|tell|say|comment|conclude|infer)"
)
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


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Where folded text says that there is no answer (half-open), and by which pattern."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    name: str
    needs: tuple[str, ...]  # one of these is in every match; looked for first, as it is cheaper
    regex: re.Pattern[str]
    beside: re.Pattern[str] | None  # counts only in a sentence that holds such a source


def _compiled(
    name: str, needs: tuple[str, ...], *forms: str, beside: str | None = None
) -> _Pattern:
    regex = _spaced("|".join(_groups(forms)))
    return _Pattern(name, needs, regex, _spaced(beside) if beside else None)


def _groups(forms: Sequence[str]) -> Iterator[str]:
    """Put neighbours that begin at a word's border into one group behind one border.

    Inside words, where most places are, a group then costs as much as a single form.
    """
    for bordered, group in groupby(forms, key=lambda form: form.startswith(r"\b")):
        joined = "|".join(f"(?:{form})" for form in group)
        yield rf"\b(?:{joined})" if bordered else joined


def _spaced(form: str) -> re.Pattern[str]:
    return lazy_re(form.replace(" ", r"\s{1,8}"))


_NONE_OF = r"\b(?:none|neither|nothing|no part|nowhere)(?: (?:of|in|from|within))?"
_CANNOT = r"(?:cannot|can not|can'?t|could not|couldn'?t)"
_INFORMATION_GATE = ("info", "detail", "mention", "answer")
_EVIDENCE_GATE = (
    *_INFORMATION_GATE, "context", "data", "eviden", "referen", "indicat", "guid", "instruct",
    "explan", "descri", "statement", "suggest", "recommend", "document", "figure", "example",
    "list", "discuss",
)  # fmt: skip

_PATTERNS = (
    _compiled(
        "unable to answer",
        ("able",),
        rf"{_START}(?:unable|not able) to {_ADVERB}{_FINDS}\b",
        rf"{_I}(?:unable|not able) to {_ADVERB}"
        rf"(?:{_ANSWER}|determine|{_FIND}|locate|confirm|say|tell)\b",
        rf"\b(?:it is|it's|,|-) ?(?:unable|not able) to (?:{_ANSWER}|determine)\b",
        rf"{SOURCE} (?:is|are) (?:unable|not able) to {_FINDS}\b",
    ),
    _compiled(
        "cannot answer",
        ("can", "could", "won't be", "will not be", "sorry", "i was", "i am", "i did", "i do"),
        rf"{_START}{_CANNOT} (?:be )?(?:{_ANSWER}|determine|{_FIND})",
        rf"\bi (?:{_CANNOT}|(?:was|am|did|do){_NOT}) (?:able to )?{_ADVERB}{_FINDS}\b",
        rf"\bwe (?:{_CANNOT}|did{_NOT}) {_ADVERB}(?:{_ANSWER}|determine|{_FIND}|locate)\b",
        rf"\bi (?:will not|won't) be able to {_FINDS}\b",
        rf"(?<!calls)(?<!call)(?<!phone) {_CANNOT} be answered\b",
        rf"\b{_CANNOT} be determined (?:from|based|with)\b",
        rf"\bsorry,? (?:but )?i (?:{_CANNOT}|(?:do|am|was){_NOT})\b",
        rf"\bnot something (?:that )?i can {_FINDS}\b",
    ),
    _compiled(
        "cannot be determined",
        ("be ", "possible", "way to", "difficult", "hard", "clear", "known", "certain"),
        rf"\b{_CANNOT} be (?:determined|inferred|concluded|ascertained|verified|confirmed)\b",
        rf"\b{_CANNOT} be (?:found|located|identified|derived|established)(?: \w+ly)? "
        rf"(?:in|from|within|by|with|using|based on) {SOURCE}",
        rf"{_INFORMATION} {_CANNOT} be (?:found|located)\b",
        rf"\b(?:not |im)possible to {_ADVERB}{_LEARNS}\b",
        r"\bno way to (?:determine|tell|know|say|answer)\b",
        rf"\b(?:difficult|hard) to {_ANSWER}\b",
        r"\b(?:is|are|remains?|it's) (?:unclear|unknown|uncertain)\b",
        r"\b(?:is|are|it's)(?: not|n't) (?:entirely |completely |quite )?(?:clear|known)\b",
        beside=SOURCE,
    ),
    _compiled(
        "cannot be found",
        ("be ", "possible", "difficult", "hard"),
        rf"\b{_CANNOT} be (?:found|located|identified|derived|established)\b",
        rf"\b(?:not |im)possible to {_ADVERB}{_FINDS}\b",
        r"\b(?:difficult|hard) to (?:provide|give)\b",
        beside=PLAIN_SOURCE,
    ),
    _compiled(
        "not possible to answer",
        ("possible",),
        rf"\b(?:not |im)possible to (?:{_ANSWER}|give an answer)\b",
    ),
    _compiled(
        "do not know",
        ("i ", "i've", "we "),
        rf"\bi {_ADVERB}(?:do|did){_NOT} {_ADVERB}(?:know|see|have access|have the answer)\b",
        rf"\bi (?:have|had|found|find|see|saw) no {_ANY}(?:{_INFORMATION}|{_EVIDENCE}|idea|clue|"
        r"knowledge|records?|access|context|sources?|documents?|passages?|way of (?:knowing|"
        r"telling)|way to (?:know|tell|determine|answer|say|verify|confirm))\b",
        r"\bi (?:have|had|found|find|see|saw) nothing(?=[.,;!]|$| (?:about|on|in|for|regarding|"
        r"concerning|that (?:says|mentions|answers))\b)",
        r"\bi(?: have|'ve) not (?:been (?:given|provided)|found|seen)\b",
        r"\bi lack (?:the )?(?:[a-z]{1,20} )?(?:information|context|details)\b",
        rf"\b(?:i|we) (?:do|did|have){_NOT} (?:have |been given |been provided |received )?{_ANY}"
        rf"{_INFORMATION}{_ABOUT}",
    ),
    _compiled(
        "source does not mention",
        ("not", "n't", "nt ", "no", "silent", "lack", "neither"),
        rf"{PLAIN_SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}{_TELLS}\b",
        rf"{SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}(?:{_SAYS}\b|{_TELLS} {_ANY}"
        rf"(?:{_INFORMATION}|{_EVIDENCE}){_ABOUT})",
        rf"{SOURCE}{_GAP} (?:(?:says?|said|tells? us|states?) nothing|(?:is|are|remains?) silent "
        rf"(?:on|about|as to|regarding|concerning|here)|(?:lacks?|lacking) {_ANY}(?:{_INFORMATION}|"
        rf"{_EVIDENCE})|cannot (?:{_ANSWER}|be used to (?:{_LEARNS}|find)))\b",
        rf"{_NONE_OF} {PLAIN_SOURCE}{_GAP}"
        rf" (?:{_TELLING}|about|directly|explicitly|actually|suggests?)\b",
        rf"{_NONE_OF} {SOURCE}{_GAP} (?:{_SAYING}|about|directly|explicitly|suggests?|{_TELLING} "
        rf"{_ANY}(?:{_INFORMATION}|{_EVIDENCE}))\b",
        rf"\bi (?:have |had )?(?:found?|find|saw|see) no\b{_GAP} (?:in|from|within) {SOURCE}",
        beside=SOURCE,
    ),
    _compiled(
        "no source mentions",
        ("no passage", "no doc", "no source", "no article", "no excerpt", "no prov", "no giv"),
        rf"\bno (?:{GIVEN} )?(?:passage|document|excerpt)s?{_GAP} {_TELLING}\b",
        rf"\bno (?:{GIVEN} )?(?:source|article)s?{_GAP} (?:{_SAYING}|{_TELLING} {_ANY}"
        rf"(?:{_INFORMATION}|{_EVIDENCE}))\b",
    ),
    _compiled(
        "does not provide information",
        _EVIDENCE_GATE,
        rf"\b(?:do|does|did){_NOT} {_ADVERB}{_TELLS} {_ANY}{_INFORMATION}{_ABOUT}",
        rf"\b(?:do|does|did|is|are){_NOT} (?:have |provide |contain |give |include )?"
        rf"(?:enough|sufficient|adequate) {_ANY}(?:information|info|context|details|data|evidence)"
        rf"{_ABOUT}",
        rf"\b(?:insufficient|not enough|not sufficient) {_ANY}(?:information|info|context|details|"
        rf"data|evidence|documentation){_ABOUT}",
    ),
    _compiled(
        "no information",
        _INFORMATION_GATE,
        rf"\b(?:is|are|was|were|there's|contains?|provides?|gives?|offers?|includes?|has|have|had|"
        rf"makes?|made|found|find|with|holds?|received|be) no {_ANY}{_INFORMATION}{_ABOUT}",
        rf"{_START}(?:unfortunately, |sorry, |based on {SOURCE}, )?no {_ANY}{_INFORMATION}"
        rf"{_ABOUT}",
        rf"\b(?:is|are|was|were)n't {_ANY}{_INFORMATION}{_ABOUT}",
        r"\bno (?:specific|relevant|such|direct|explicit|further) (?:information|details|mention)"
        rf"{_ABOUT}",
    ),
    _compiled(
        "no evidence in the source",
        _EVIDENCE_GATE,
        rf"\bno {_ANY}{_EVIDENCE}{_ABOUT}",
        rf"\b(?:do|does|did){_NOT} {_ADVERB}{_TELLS} {_ANY}{_EVIDENCE}{_ABOUT}",
        beside=SOURCE,
    ),
    _compiled(
        "is not mentioned",
        ("mentioned", "stated", "specified", "explicitly", "specifically", "directly", "clearly"),
        rf"\b(?:is|are|was|were|been){_NOT} {_ADVERB}(?:been )?(?:mentioned|stated|specified)\b",
        rf"\b(?:has|have){_NOT} been (?:mentioned|stated|specified)\b",
        rf"\b(?:is|are|was|were){_NOT} (?:explicitly|specifically|directly|clearly) (?:provided|"
        r"given|addressed|discussed|listed|described|answered|indicated|explained|defined)\b",
    ),
    _compiled(
        "information is not available",
        _INFORMATION_GATE,
        rf"\b(?:this|that|the|such) {_ANY}(?:information|answer|details?) (?:is|was|are){_NOT} "
        rf"{_ADVERB}(?:available|provided|included|given|there|present|contained|found)\b",
    ),
    _compiled(
        "is not in the source",
        ("not", "n't", "nt "),
        rf"(?:\bnot|n't) {_ADVERB}(?:(?:provided|included|available|covered|addressed|discussed|"
        r"described|contained|found|present|given|listed|answered|explained|part|indicated|"
        r"supported|defined|detailed|referenced|appear|exist|occur) )?"
        rf"(?:anywhere )?(?:in|by|within|of|from) {PLAIN_SOURCE}",
        rf"(?:\bnot|n't) {_ADVERB}(?:addressed|discussed|described|answered|explained|indicated|"
        rf"defined|detailed|referenced) (?:anywhere )?(?:in|by|within) {SOURCE}",
        rf"\b{_INFORMATION}{_GAP}(?: not|n't) {_ADVERB}(?:(?:provided|included|available|contained|"
        rf"found|present|given|listed) )?(?:in|by|within|from) {SOURCE}",
        beside=SOURCE,
    ),
    _compiled(
        "out of scope",
        ("outside", "beyond"),
        r"\b(?:outside|beyond)(?: of)?(?: the)? scope of (?:this assistant|what i|my)\b",
        rf"\b(?:outside|beyond)(?: of)? the scope of {SOURCE}",
        # What is outside the asker's own collection is told of it: "store it outside your ...".
        rf"\b(?:outside|beyond)(?: of)?(?! your (?:[a-z]{{2,20}} )?knowledge base) {PLAIN_SOURCE}",
        r"\b(?:outside|beyond)(?: of)? (?:my|what i) (?:knowledge|expertise|area|scope|training|"
        r"can)\b",
    ),
)

# "If no information is available, ..." states a condition; "Unable to log in?" asks.
_CONDITION = lazy_re(
    r"[\s\"'*_>#-]{0,12}(?:and |or |but )?(?:if|when|whenever|unless|in case|once|where|should)\b"
)
_SPEAKER = lazy_re(r"\b(?:i|we)\b")
_CLAUSE_MARKS = ",;:(."
_CLAUSE_CHARS = 200  # how far back a clause's first word is looked for; guess, a long clause
# Every pattern holds one of these; most sentences hold none and go no further.
_NEGATIONS = (
    "not", "n't", "no ", "unable", "none", "nowhere", "neither", "unclear", "unknown", "uncertain",
    "impossible", "insufficient", "difficult", "hard", "silent", "lack", "outside", "beyond",
    "dont ", "didnt ", "doesnt ", "cant ", "couldnt ", "isnt ", "arent ", "wasnt ", "werent ",
)  # fmt: skip


def find_unanswered(text: str) -> Unanswered | None:
    """Return the first pattern in folded `text` (one sentence) that says there is no answer.

    Where several match, the one that begins first counts. A question without "I" or "we", and a
    clause that begins with "if" or "when", say nothing of the kind.
    """
    return min(_matches(lower_in_place(text)), key=lambda found: found.start, default=None)


def is_unanswered(lowered: str) -> bool:
    """Say whether `find_unanswered` finds anything in this text, already in lower case."""
    return next(_matches(lowered), None) is not None


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Say whether `text` holds one of `words`, a cheap gate in front of a pattern."""
    for word in words:  # noqa: SIM110 - a generator costs as much as the search; asked per sentence
        if word in text:
            return True
    return False


def lower_in_place(text: str) -> str:
    """Return `text.lower()` with every character in its place, also where lower() lengthens."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _matches(lowered: str) -> Iterator[Unanswered]:
    if not holds_any(lowered, _NEGATIONS) or _only_asks(lowered):
        return
    named: dict[re.Pattern[str], bool] = {}
    for pattern in _PATTERNS:
        if not holds_any(lowered, pattern.needs):
            continue
        beside = pattern.beside
        if beside is not None:
            if beside not in named:
                named[beside] = beside.search(lowered) is not None
            if not named[beside]:
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
