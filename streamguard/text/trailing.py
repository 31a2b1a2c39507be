"""What follows a full stop on the same line and still belongs to the sentence on its left.

Closing quotes and brackets, emphasis signs, superscripts, emoji and citations.
All functions read `right`, the text after the full stop, from left to right, and raise
`MoreTextNeeded` where the next character could change the answer; a newline ends everything.
"""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re, lazy_regex

RIGHT_CHARS = 160  # the longest window: a citation and what may stand before it
CITATION_CHARS = 120  # longest citation that is waited for; guess, 2x the longest in RAG answers

NEWLINES = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

# Words with which a citation in brackets begins, in prose of models and of people.
_CITING = frozenset(
    """
    source sources ref refs reference references cite cited citation citations passage passages
    document documents doc docs chunk chunks context excerpt page pages p pp section note footnote
    quelle quellen fuente fuentes fonte fonti fontes
    """.split()
)
CLOSING = "\"'”’»›)]}"
SPACES = lazy_re(rf"[^\S{NEWLINES}]*")
_AFTER_SPACES = lazy_re(rf"[\S{NEWLINES}]")
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾†‡"
_CLOSERS = CLOSING + "」』）】》〉*_~`" + SUPERSCRIPTS
_LATE_CLOSERS = "\"'”’»)"  # between spaces they close, before a word they may open
_EMOJI = lazy_regex(
    r"(?V1)[[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f\u20e3]"
    r"--[©®™‼⁉↔-↪]]{1,40}",
)
_FIRST_EMOJI = "\u2300"  # below it are only signs that also stand in prose
_WORD_CHARS = 16
_WORD = lazy_re(rf"[^\W\d_]{{0,{_WORD_CHARS}}}")
_IN_BRACKETS = lazy_re(rf"[^\[\]{NEWLINES}]{{0,{CITATION_CHARS}}}")
_PARENTHESES = lazy_re(rf"[(){NEWLINES}]")
_TO_CLOSER = {
    closer: lazy_re(rf"[^{closer}{NEWLINES}]{{0,{CITATION_CHARS}}}") for closer in ("】", ")")
}
_CITES_BY_NUMBER = lazy_re(r"\^?(?:[A-Za-z]{0,3}[-#.]?)\d")

_AFTER_INNER = lazy_re(rf"[\[\]()】{NEWLINES}]")
_AFTER_WORD = lazy_re(r"[\W\d_]")


class MoreTextNeeded(Exception):  # noqa: N818 - no error: the answer is not in the text yet
    """Raised where the text seen so far does not decide.

    Nothing will, until further text holds a match of `until` or the window has `enough` characters.
    """

    def __init__(self, until: re.Pattern[str] | None = None, enough: int = RIGHT_CHARS) -> None:
        super().__init__("the next characters decide")
        self.until = until
        self.enough = enough


def char_at(right: str, at: int) -> str:
    """Return the character at `at`, or raise MoreTextNeeded."""
    if at >= len(right):
        raise MoreTextNeeded
    return right[at]


def spaces_end(right: str, at: int) -> int:
    """Return the offset of the first character from `at` that is no space; newlines are none."""
    spaces = SPACES.match(right, at)
    assert spaces is not None
    if spaces.end() == len(right):
        raise MoreTextNeeded(_AFTER_SPACES)
    return spaces.end()


def _closers_end(right: str, at: int) -> int:
    """Return the offset after the closing signs that stand at `at` without a space."""
    while True:
        sign = char_at(right, at)
        if sign not in _CLOSERS:
            return at
        at += 1


def trailing_end(right: str) -> int:
    """Return the offset in `right` at which the left sentence ends, citations included."""
    end = _closers_end(right, 0)
    while True:
        at = spaces_end(right, end)
        if right[at] in _LATE_CLOSERS and char_at(right, at + 1).isspace():
            end = at + 1
            continue
        if right[at] in "[(【":
            after = _citation_end(right, at)
        else:
            run = _EMOJI.match(right, at) if right[at] >= _FIRST_EMOJI else None
            after = run.end() if run else at
        if after == at:
            return end
        end = _closers_end(right, after)


def _citation_end(right: str, at: int) -> int:
    """Return the offset after the citation at `at`, or `at` if there is none."""
    if right[at] == "【":
        return _closed(right, at + 1, "】") or at
    word, after = word_at(right, at + 1, _WORD, _WORD_CHARS)
    cites = word.casefold() in _CITING
    if right[at] == "(":
        if cites or word + after == "[":
            return _parenthesis_end(right, at)
        return at
    if after.isspace() and not cites:
        return at
    return _bracket_end(right, at, cites)


def word_at(right: str, at: int, pattern: re.Pattern[str], longest: int) -> tuple[str, str]:
    """Return the word at `at`, at most `longest` characters, and the character behind it."""
    found = pattern.match(right, at)
    assert found is not None
    if found.end() >= len(right):
        raise MoreTextNeeded(_AFTER_WORD, at + longest + 1)
    return found.group(), right[found.end()]


def _closed(right: str, at: int, closer: str) -> int:
    """Return the offset after `closer`; 0 if the line or the longest citation ends before it."""
    inner = _TO_CLOSER[closer].match(right, at)
    assert inner is not None
    if inner.end() < len(right):
        return inner.end() + 1 if right[inner.end()] == closer else 0
    raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS + 1)


def _bracket_end(right: str, at: int, cites: bool) -> int:
    """`[1]`, `[C1, C2]`, `[^3]`, `[Source: x]`, `[pricing-faq]`; `[1](url)` with its target."""
    inner = _IN_BRACKETS.match(right, at + 1)
    assert inner is not None
    if inner.end() >= len(right):
        raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS + 2)
    text = inner.group()
    by_number = _CITES_BY_NUMBER.match(text)
    # A number or a passage's name: no words of prose.
    names = bool(text) and not any(map(str.isspace, text)) and not text.istitle()
    if right[inner.end()] != "]" or not (cites or by_number or names):
        return at
    end = inner.end() + 1
    if char_at(right, end) != "(":
        return end
    if not by_number:
        return at
    return _closed(right, end + 1, ")") or at


def _parenthesis_end(right: str, at: int) -> int:
    """`(Source: x)`, `([1](url))`: up to the closing bracket of the same depth."""
    depth = 0
    for sign in _PARENTHESES.finditer(right, at, at + CITATION_CHARS):
        if sign.group() == "(":
            depth += 1
        elif sign.group() == ")":
            depth -= 1
            if depth == 0:
                return sign.end()
        else:
            return at
    if len(right) < at + CITATION_CHARS:
        raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS)
    return at
