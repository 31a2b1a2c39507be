"""What a sentence is: its Markdown kind, and its role in the answer.

Only a claim needs evidence. Everything here errs towards `claim`: a sentence is something else
only when it plainly is. Texts are folded single sentences. The word lists are English; text in
other languages comes out as claims, headings, list items, rows and code.
"""

from __future__ import annotations

from typing import Literal

from streamguard.core.reading.boilerplate import (
    ALSO_STATES,
    ends_in_referral,
    has_verb,
    is_courtesy,
    is_referral,
    lists_source,
)
from streamguard.core.reading.unanswered import holds_any, is_unanswered
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.text.words import content_words, words_in

Kind = Literal["prose", "heading", "list_item", "table_head", "table_row", "quote", "code"]
Role = Literal[
    "claim",
    "fragment",
    "heading",
    "greeting",
    "refusal",
    "question",
    "transition",
    "boilerplate",
    "code",
]

# What may stand before an answer's first statement: a refusal behind these still leads.
OPENING_ROLES = frozenset({"greeting", "heading", "transition", "code"})

_FENCES = ("```", "~~~")
_HEADING = lazy_re(r"#{1,6}(?:\s|$)")
_LIST_MARK = r"(?:[-*+•‣◦▪·]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|[a-z]\.)(?=\s|$)"
_ITEM = lazy_re(_LIST_MARK)
_BLOCK_MARK = lazy_re(rf"(?:>\s{{0,3}}){{0,5}}(?:#{{1,6}}(?=\s|$)|{_LIST_MARK})?")
_EMPHASIS = "*_~`\"' \t\n(["
# Signs at a sentence's end that belong to its words; closers, emphasis and emoji do not.
_KEPT_AT_END = frozenset(".!?。！？।؟:;,%$€£¥°/+=&#@")
_TAG_CHARS = 60  # a citation tag at a sentence's end; guess, "[Annual report 2023, page 12]" twice

_BOLD_LINE = lazy_re(r"(?:\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__):?")
_STOPS = (".", "!", "?", "。", "！", "？", "।", "؟")
# Scripts that write no spaces: a run of four signs is a phrase, not one word.
_UNSPACED = lazy_re(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{4}")

# A heading without a mark, such as "Next steps:"; guess, the longest in common answers.
_HEADING_WORDS = 6
_BOLD_HEADING_WORDS = 12
# Under this many content words a sentence without verb and value states nothing; measured on
# RAGTruth QA train, see notes on claims ("at least 3 content words").
_CLAIM_WORDS = 3
_FRAGMENT_CHARS = 80  # longer text has as many content words anyway; guess

_FORM_OF_ADDRESS = r"(?:,? [^\W\d_]{2,14}){0,2}"
# The words of a house's name: "Welcome to the Acme Support desk!", without a clause of its own.
_WHERE = r"(?: (?!(?:where|which|who|that|because|is|are|was|has|have|can)\b)[\w'&-]{1,20})"
_FOR_WHAT = (
    r"(?: (?:about|for) (?:that|this|(?:the|any|my) (?:confusion|inconvenience|delay|wait|trouble"
    r"|mistake|error|misunderstanding)))?"
)
_GREETINGS = lazy_re(
    rf"(?:(?:hello|hi|hey|hiya|greetings|dear){_FORM_OF_ADDRESS}"
    rf"|good (?:morning|afternoon|evening|day){_FORM_OF_ADDRESS}"
    rf"|welcome(?: back)?(?: to{_WHERE}{{1,6}})?{_FORM_OF_ADDRESS}"
    r"|you(?:'re| are) (?:very |most )?welcome|my pleasure|no problem"
    r"|(?:thank you|thanks)(?: (?:so|very) much| a lot)?(?: for [^,.!?\n]{1,40})?"
    r"(?:, [^\W\d_]{2,14})?"
    rf"|(?:i(?:'m| am) )?(?:so |very |really )?sorry{_FOR_WHAT}"
    rf"|my (?:sincere )?apologies{_FOR_WHAT}|i (?:sincerely )?apologi[sz]e{_FOR_WHAT}"
    r"|you(?:'re| are) (?:absolutely |quite )?right"
    r"|here you (?:go|are)|(?:one|just a) moment(?:,? please)?"
    r"|(?:sure|of course|certainly|gladly|happy to help|okay|ok|alright|got it|understood)"
    r"(?: thing)?"
    r"|(?:that's |what )?an? (?:great|good|excellent|interesting|fantastic) question"
    r"|(?:great|good|excellent|interesting) question"
    r"|(?:i am|i'm|i'd be|i would be|i'll be) (?:very |more than )?"
    r"(?:happy|glad|delighted|pleased) to (?:help|assist|explain|answer)[^,.!?\n]{0,60}"
    r"|(?:have a|enjoy your) (?:great|nice|good|wonderful|lovely)? ?(?:day|evening|weekend|one)"
    r"|(?:good)?bye|take care|best regards|kind regards|cheers|sincerely)"
)
# "Thanks for the 2 replies!": a figure in so short a line is no claim; guess.
_GREETING_CHARS = 30
_JOINT = lazy_re(r"[\s,.!;:-]{1,6}")

_ACKNOWLEDGED = (
    r"(?:(?:sure|certainly|of course|okay|ok|yes|great|absolutely)[,!.-]{1,2} )?"
    r"(?:(?:so|now|first|in summary|to summarize|overall|in short),? )?"
)
_ACCORDING = (
    r"(?:based on|according to|from|using|as per|per|given|looking at|in|after reviewing|to answer|"
    r"in response to|as (?:stated|described|mentioned|outlined|noted) in) "
    r"(?:the |these |this |your |our |my )?"
    r"(?:[\w'-]{2,20} ){0,3}?(?:passages?|documents?|documentation|context|sources?|texts?|"
    r"materials?|information|excerpts?|articles?|search results?|knowledge base|question|request)"
    r"(?: (?:provided|given|above|below|available|you (?:provided|shared|gave me)))?"
)
_ANNOUNCES = (
    r"(?:here(?:'s| is| are)\b|below (?:is|are)\b"
    r"|i(?:'ve| have)? found (?:the following|this|these|some|several|a few)\b|"
    r"(?:let me|let's|let us|allow me to|i(?:'ll| will| can)) (?:explain|"
    r"walk you|summari[sz]e|break|help|check|look|see|clarify|show|go through|go over|list|outline|"
    r"take a look|do that)\b)"
)
# One of these is in every announcement, and cheaper to look for.
_ANNOUNCING = ("here", "below", "found", "let ", "let'", "i'll ", "i will ", "i can ")
_TRANSITION = lazy_re(rf"{_ACKNOWLEDGED}(?:{_ACCORDING},? )?{_ANNOUNCES}")
# "Here are 5 tips": the count of what follows is no statement about the world.
_COUNT = lazy_re(r"\b(?:here are|the following|found) (?:the |some |about )?\d{1,2}\b")
# "There are three ways to reset it:" counts what follows, too.
_COUNTS = lazy_re(
    rf"{_ACKNOWLEDGED}(?:{_ACCORDING},? )?(?:there are|you have|these are|follow|use|try|consider)"
    r"(?: about| several| at least| up to)?(?: these| the| the following)? "
    r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?: [a-z'-]{2,20}){0,2}? "
    r"(?:ways|steps|options|methods|approaches|things|points|reasons|tips|factors|types|kinds|"
    r"categories|stages|phases|possibilities|strategies|examples|differences)"
    r"(?: [^.,:;!?\d\n]{1,100})?:"
)
_INTRODUCES = lazy_re(
    r"\b(?:as follows|following|below|like this|such as|includ(?:e|es|ing)|are|is|steps|namely|by|"
    r"for example|this|these|to)$"
)
_INTRODUCING_WORDS = 9  # from so many content words a line before a colon says something; guess

_ASKS = lazy_re(
    r"\b(?:you(?! know)|your|we|i|me)\b"
    r"|^(?:what|which|who|where|when|why|how|would|could|can|do|does|is|are)\b"
)
_ABOUT_SOURCES = ("passage", "document", "context", "source", "information", "text", "article")
_SPEAKS = ("i ", "i'", "we ", "unfortunately", "sorry", "however, i ", "unable")


def block_kind(text: str, in_code: bool) -> tuple[Kind, bool]:
    """Return the Markdown kind of a sentence and whether a code fence is open behind it.

    `text` begins at the sentence's first character, its indentation left out; `in_code` says
    whether a fence was open before it. A fence line itself is code.
    """
    fences = sum(map(_is_fence, text.split("\n"))) if holds_any(text, _FENCES) else 0
    open_after = in_code ^ bool(fences % 2)
    if in_code or (fences and _is_fence(text.split("\n", 1)[0])):
        return "code", open_after
    return _line_kind(text), open_after


def role_of(
    text: str, kind: Kind, *, refusing: bool, has_value: bool, has_figure: bool | None = None
) -> Role:
    """Return what a sentence of folded `text` is.

    `refusing`: its speaker refuses (`core.refusals.refuses`). `has_value`: it holds an amount,
    number, date or name that is not in the question; such a sentence is a claim even where it
    refuses. `has_figure`: one of them is no name; taken to be so unless said. Names alone make
    no claim of a greeting, an introduction or a referral ("Please contact HR for assistance.").
    """
    if kind == "code":
        return "code"
    has_figure = has_value if has_figure is None else has_figure
    bare = _bare(text)
    if not bare[:1].isalnum() and not words_in(bare):
        return "fragment"
    lowered = lower_in_place(bare)
    if refusing:
        refers = not has_figure and ends_in_referral(bare, lowered)
        return "refusal" if refers or not has_value else "claim"
    if _is_heading(text, bare, kind, has_value, has_figure):
        return "heading"
    return _role_by_wording(text, lowered, has_value, has_figure) or _role_by_substance(
        bare, lowered, kind, has_value or has_figure
    )


def _role_by_wording(text: str, lowered: str, has_value: bool, has_figure: bool) -> Role | None:
    if _is_greeting(lowered, has_figure):
        return "greeting"
    if lowered.endswith(("?", "？", "؟")) and (not has_value or _ASKS.search(lowered)):
        return "question"
    colon = lowered.endswith(":")
    if _announces(lowered, has_value) or (colon and _COUNTS.fullmatch(lowered)):
        return "transition"
    if colon and not has_value:
        return _role_before_colon(lowered)
    if lists_source(text) or _is_boilerplate(lowered, has_value, has_figure):
        return "boilerplate"
    return None


def _is_boilerplate(lowered: str, has_value: bool, has_figure: bool) -> bool:
    if has_figure:
        return False
    if is_courtesy(lowered, has_name=has_value) or is_referral(lowered):
        return True
    return not has_value and _says_nothing(lowered)


def _role_before_colon(lowered: str) -> Role | None:
    """Return what a line is that introduces what follows; None where it says much itself."""
    body = lowered.rstrip(": ")
    if len(words_in(body)) <= _HEADING_WORDS:
        return "heading"
    little = len(content_words(body)) < _INTRODUCING_WORDS
    return "transition" if little or _INTRODUCES.search(body) else None


def _role_by_substance(bare: str, lowered: str, kind: Kind, has_value: bool) -> Role:
    """Return `claim`, or `fragment` for a few words without verb, value and full stop."""
    if has_value or len(bare) > _FRAGMENT_CHARS:
        return "claim"
    if not bare.isascii() and _UNSPACED.search(bare):
        return "claim"
    if has_verb(lowered):
        return "claim"
    stopped = bare.endswith(_STOPS) and kind != "table_row"
    needed = _CLAIM_WORDS - 1 if stopped else _CLAIM_WORDS
    return "claim" if len(content_words(bare)) >= needed else "fragment"


def _is_fence(line: str) -> bool:
    """Say whether the line opens or closes a code block: "```ls```" is inline code."""
    line = line.strip().lstrip("> ")
    return line.startswith(_FENCES) and "`" not in line.lstrip("`~")


def _line_kind(text: str) -> Kind:
    if text[:2].isalpha():  # as most sentences begin; no mark does
        return "prose"
    if _HEADING.match(text):
        return "heading"
    if text.startswith("|"):
        return "table_row"
    if text.startswith(">"):
        return "quote"
    return "list_item" if _ITEM.match(text) else "prose"


def _bare(text: str) -> str:
    """Return the sentence's own words and stop: no block mark, emphasis, citation tag or emoji."""
    if text[:2].isalpha() and text[-1] in _STOPS:
        return text
    text = text.strip()
    mark = _BLOCK_MARK.match(text)
    bare = text[mark.end() if mark else 0 :].lstrip(_EMPHASIS)
    return bare[: _end_of_words(bare)]


def _end_of_words(text: str) -> int:
    end = len(text)
    while end and not text[end - 1].isalnum() and text[end - 1] not in _KEPT_AT_END:
        tag = text.rfind("[", max(0, end - _TAG_CHARS), end) if text[end - 1] == "]" else -1
        end = tag if tag >= 0 else end - 1
    return end


def _is_heading(text: str, bare: str, kind: Kind, has_value: bool, has_figure: bool) -> bool:
    if kind == "heading" or (kind == "table_head" and not has_figure):
        return True
    if text[:1].isalnum():
        return False
    return _is_bold_heading(text.strip(), bare, has_value)


def _is_bold_heading(line: str, bare: str, has_value: bool) -> bool:
    if not line.startswith(("**", "__")) or not _BOLD_LINE.fullmatch(line):
        return False
    if bare.endswith(_STOPS) or (has_value and ":" in bare.rstrip(":")):
        return False
    return len(words_in(bare)) <= _BOLD_HEADING_WORDS


def _is_greeting(lowered: str, has_figure: bool) -> bool:
    """Say whether greetings, thanks and acknowledgements are all there is."""
    if has_figure and len(lowered) > _GREETING_CHARS:
        return False
    at = 0
    while match := _GREETINGS.match(lowered, at):
        at = match.end()
        joint = _JOINT.match(lowered, at)
        if joint is None:
            break
        at = joint.end()
    return 0 < at == len(lowered)


def _announces(lowered: str, has_value: bool) -> bool:
    if not holds_any(lowered, _ANNOUNCING) or _TRANSITION.match(lowered) is None:
        return False
    if ":" in lowered.rstrip(":"):
        return False
    return not has_value or _COUNT.search(lowered) is not None


def _says_nothing(lowered: str) -> bool:
    """Say whether the sentence is a remark on what the documents lack."""
    about = lowered.startswith(_SPEAKS) or holds_any(lowered, _ABOUT_SOURCES)
    return about and ALSO_STATES.search(lowered) is None and is_unanswered(lowered)
