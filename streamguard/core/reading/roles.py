"""Reads a sentence's Markdown kind, its role in the answer, and whether it refuses.

Only a claim needs evidence: a sentence has another role only if its words plainly show it. Texts
are folded single sentences; spans are half-open code points into them. The word lists are English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.reading import talk
from streamguard.core.reading.english import clear_language
from streamguard.core.reading.refusals import REFUSALS
from streamguard.text.normalise import fold, lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.text.segmenter import Segmenter
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
# What moves no statement behind it further into the answer: "Sure! Happy to help." does not.
ASIDES = OPENING_ROLES | {"question", "boilerplate"}

_FENCES = ("```", "~~~")
_LIST_MARK = r"(?:[-*+•‣◦▪·]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|[a-z]\.)(?=\s|$)"
_KIND = lazy_re(
    rf"(?P<heading>#{{1,6}}(?:\s|$))|(?P<table_row>\|)|(?P<quote>>)|(?P<list_item>{_LIST_MARK})"
)
_BLOCK_MARK = lazy_re(rf"(?:>\s{{0,3}}){{0,5}}(?:#{{1,6}}(?=\s|$)|{_LIST_MARK})?")
_EMPHASIS = "*_~`\"' \t\n(["
# Signs at a sentence's end that belong to its words; closers, emphasis and emoji do not.
_KEPT_AT_END = frozenset(".!?。！？।؟:;,%$€£¥°/+=&#@")
_TAG_CHARS = 60  # a citation tag at a sentence's end; guess, "[Annual report 2023, page 12]" twice

_BOLD_HEADING = lazy_re(
    r"\s*(?:\*\*[^*\n:]{1,80}(?<![.!?。！？।؟]):?\*\*|__[^_\n:]{1,80}(?<![.!?。！？।؟]):?__):?\s*"
)
_STOPS = (".", "!", "?", "。", "！", "？", "।", "؟")
# Scripts that write no spaces: a run of four signs is a phrase, not one word.
_UNSPACED = lazy_re(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{4}")

_CLAIM_WORDS = 3  # content words below which a sentence without verb and value states nothing
_FRAGMENT_CHARS = 80  # longer text has as many content words anyway; guess

# "Here's what the manual says." announces, and "There are three ways to reset it:" counts what
# follows; another line before a colon does where it holds no value.
_ANNOUNCES = lazy_re(
    r"(?:(?:sure|certainly|of course|okay|yes|great)[,!.-]{1,2} )?(?:here(?:'s| is| are)\b"
    r"|(?:let me|let's|allow me to|i(?:'ll| will| can)) (?:help|explain|walk you|summari[sz]e|break"
    r"|check|look|go through|list|outline)\b)[^:\d]{1,120}"
)
_COUNTS = lazy_re(
    r"(?:[^.:;!?\d]{1,80}, )?(?:(?:here|there|these) are|follow)(?: about| at least| the| these)? "
    r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)(?: [^.,:;!?\d\n]{1,100}):"
)


def block_kind(text: str, in_code: bool) -> tuple[Kind, bool]:
    """Return the Markdown kind of a sentence and whether a code fence is open behind it.

    `text` begins at the sentence's first character, its indentation left out; `in_code` says
    whether a fence was open before it. A fence line itself is code.
    """
    fences = sum(map(_is_fence, text.split("\n"))) if talk.holds_any(text, _FENCES) else 0
    open_after = in_code ^ bool(fences % 2)
    if in_code or (fences and _is_fence(text.split("\n", 1)[0])):
        return "code", open_after
    mark = None if text[:2].isalpha() else _KIND.match(text)  # most sentences begin with no mark
    return cast("Kind", mark.lastgroup) if mark else "prose", open_after


def role_of(
    text: str,
    kind: Kind,
    *,
    refusing: bool,
    has_value: bool,
    has_figure: bool | None = None,
    lowered: str | None = None,
) -> Role:
    """Return the role of a sentence of folded `text`.

    `refusing`: its speaker refuses. `has_value`: it holds an amount,
    number, date or name that is not in the question; such a sentence is a claim even where it
    refuses. `has_figure`: one of them is no name; taken to be so unless said. Names alone make
    no claim of a greeting, an introduction or a referral ("Please contact HR for assistance.").
    `lowered`: the text in small letters, for a caller who has it.
    """
    if kind == "code":
        return "code"
    has_figure = has_value if has_figure is None else has_figure
    bare = _bare(text)
    if not bare[:1].isalnum() and not words_in(bare):
        return "fragment"
    if lowered is None or bare is not text:
        lowered = lower_in_place(bare)
    if refusing:
        refers = not has_figure and talk.REFERS.search(lowered) is not None
        return "refusal" if refers or not has_value else "claim"
    if kind == "heading" or (kind == "table_head" and not has_figure):
        return "heading"
    if not text[0].isalnum() and _BOLD_HEADING.fullmatch(text):
        return "heading"
    if not has_figure and talk.is_greeting(lowered):
        return "greeting"
    if lowered.endswith(("?", "？", "؟")):
        return "question"
    ends_open = lowered.endswith(":")
    announces = not has_value and (ends_open or _ANNOUNCES.fullmatch(lowered))
    if announces or (ends_open and _COUNTS.fullmatch(lowered)):
        return "transition"
    is_talk = not has_figure and (talk.COURTESY.match(lowered) or talk.REFERRAL.fullmatch(lowered))
    if is_talk or talk.lists_source(text):
        return "boilerplate"
    valued = has_value or has_figure
    # A remark on what the documents lack.
    if not (valued or talk.ALSO_STATES.search(lowered)) and talk.find_unanswered(lowered):
        return "boilerplate"
    if valued or len(bare) > _FRAGMENT_CHARS or talk.has_verb(lowered):
        return "claim"
    if not bare.isascii() and _UNSPACED.search(bare):
        return "claim"
    stopped = bare.endswith(_STOPS) and kind != "table_row"
    return "claim" if len(content_words(bare)) >= _CLAIM_WORDS - stopped else "fragment"


def _is_fence(line: str) -> bool:
    """Return whether the line opens or closes a code block: "```ls```" is inline code."""
    line = line.strip().lstrip("> ")
    return line.startswith(_FENCES) and "`" not in line.lstrip("`~")


def _bare(text: str) -> str:
    """Return the sentence's own words and stop: no block mark, emphasis, citation tag or emoji."""
    if text[:2].isalpha() and text[-1] in _STOPS:
        return text
    text = text.strip()
    mark = _BLOCK_MARK.match(text)
    bare = text[mark.end() if mark else 0 :].lstrip(_EMPHASIS)
    end = len(bare)
    while end and not bare[end - 1].isalnum() and bare[end - 1] not in _KEPT_AT_END:
        tag = bare.rfind("[", max(0, end - _TAG_CHARS), end) if bare[end - 1] == "]" else -1
        end = tag if tag >= 0 else end - 1
    return bare[:end]


# A word starts here: neither inside a word ("Hawaii cannot") nor behind the apostrophe or hyphen
# that joins it to one ("Hawai'i cannot", "Type-I cannot"). Folding keeps em dashes apart.
_WORD_START = r"(?<![^\W_])(?<![^\W_]['-])"

# Markdown's signs, but inside a word ("snake_case").
_MARKED = lazy_re(r"[*`]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal: its span, and the policy's phrase or the name of the leading pattern."""

    start: int
    end: int
    phrase: str
    leading: bool


def find_refusals(text: str, phrases: tuple[str, ...], lowered: str | None = None) -> list[Refusal]:
    """Return every occurrence of a phrase in folded `text`, case-insensitive, left to right.

    A phrase begins at a word's start; a run of white space equals one space, marks of Markdown are
    white space, and an apostrophe may be missing. Where phrases overlap, the one that begins first
    counts, and of those that begin together the longest. `lowered`: the text in small letters, for
    a caller who has it.
    """
    as_written, gates, regex = _listed(phrases)
    lowered = unmarked(lower_in_place(text) if lowered is None else lowered)
    if not talk.holds_any(lowered.replace("'", ""), gates):
        return []
    return [
        Refusal(*match.span(), as_written[(match.lastindex or 0) - 1], leading=False)
        for match in regex.finditer(lowered)
    ]


def unmarked(text: str) -> str:
    """Return folded `text` without marks of Markdown: same length, same offsets."""
    return _MARKED.sub(" ", text) if "*" in text or "_" in text or "`" in text else text


def leading_refusal(text: str) -> Refusal | None:
    """Return the negated-information refusal in `text`, an answer's first sentence, or None."""
    found = talk.find_unanswered(unmarked(lower_in_place(text)))
    if found is None:
        return None
    assert found.lastgroup is not None  # every form is a group
    refusal = Refusal(*found.span(), found.lastgroup.replace("_", " "), leading=True)
    return refusal if refuses(text, (refusal,)) else None


def refuses(text: str, refusals: Sequence[Refusal]) -> bool:
    """Return whether one of the `refusals` in folded `text` is its speaker's own, not quoted."""
    quotes = any(map(str.isalnum, text.partition('"')[0]))
    return any(not (quotes and text.count('"', 0, one.start) % 2) for one in refusals)


def is_refusal(text: str, policy: Policy | str | None = None) -> bool:
    """Return whether `text`, a whole answer as the model wrote it, refuses at least in part.

    True for any phrase of the policy, for one of its own language (`refusals`), and for a leading
    refusal in the first sentence behind greetings, headings and transitions. Under literal
    matching: any phrase as a substring, in small letters both, nothing else.
    """
    policy = as_policy(policy)
    if policy.matching == "literal":
        lowered = text.lower()
        return any(phrase.lower() in lowered for phrase in policy.refusal_phrases)
    folded = fold(text).text
    if find_refusals(folded, policy.refusal_phrases):
        return True
    phrases = REFUSALS.get(clear_language(folded) or "")
    if phrases is not None and find_refusals(folded, phrases):
        return True
    if not policy.leading_refusals:
        return False
    segmenter, in_code = Segmenter(), False
    for start, end in [*segmenter.feed(text), *segmenter.close()]:
        sentence = fold(text[start:end]).text
        kind, in_code = block_kind(sentence, in_code)
        if role_of(sentence, kind, refusing=False, has_value=False) not in OPENING_ROLES:
            return leading_refusal(sentence) is not None
    return False


@lru_cache(maxsize=64)
def _listed(phrases: tuple[str, ...]) -> tuple[Sequence[str], tuple[str, ...], re.Pattern[str]]:
    """Return the phrases, the longest first, a word of each to look for first, and a pattern."""
    written = {phrase: lower_in_place(fold(phrase).text).split() for phrase in phrases}
    as_written = [phrase for phrase in sorted(written, key=len, reverse=True) if written[phrase]]
    gates = dict.fromkeys(max(written[one], key=len).replace("'", "") for one in as_written)
    forms = (r"\s+".join(map(re.escape, written[one])).replace("'", "'?") for one in as_written)
    grouped = "|".join(f"({form})" for form in forms)
    return as_written, tuple(gates), lazy_re(f"{_WORD_START}(?:{grouped})")
