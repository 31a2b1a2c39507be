"""Does a sentence end at this mark? Pure functions of a bounded window around it.

`left` is the sentence up to and including the mark, at most `LEFT_CHARS` of it; `right` is the
text after it. Where the next character of `right` could change the answer they raise
`MoreTextNeeded`: an answer, once given, holds for every continuation, and so no answer depends on
how the text was cut. The end of a text or window is a newline at the end of `right`.
"""

from __future__ import annotations

import re

from streamguard.text.languages import FINAL, NUMBERED, SOFT, TITLE, Language, word_set
from streamguard.text.patterns import lazy_re, lazy_regex
from streamguard.text.trailing import (
    NEWLINES,
    SUPERSCRIPTS,
    char_at,
    closers_end,
    spaces_end,
    trailing_end,
    word_at,
)

LEFT_CHARS = 40  # longest abbreviation, bare opening or spaced ellipsis looked for, with room
NO_BOUNDARY = -1

MARKS = ".!?…‼⁇⁈⁉"
WIDE_MARKS = "。！？｡।॥؟۔።፧។៕။։᙮"  # end a sentence without a space behind them

_OPENERS = "\"'“‘«‹„‚¿¡([{*_`~#<$€£¥§@+|>"
_DASHES = "-–—•"
_WIDE_CLOSING = "」』）】》〉”’"
# A quotation that goes on in Japanese or Korean: "...", he said.
_QUOTATIVE = "とってのなはがをにもでと라고하는며、，,"
_INITIALS = 5  # capitals in a row that are read as initials; guess, "UNHCR"
_WORD_CHARS = 24  # a longer word is no abbreviation
_LAST_WORD = lazy_regex(rf"(?r)[\w.&°'’]{{0,{_WORD_CHARS}}}")
_NEXT_WORD = lazy_re(r"[^\W\d_]{0,24}(?:['’][^\W\d_]{0,4})?")
_NEXT_WORD_CHARS = 29
_DOTTED = lazy_re(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2}){1,5}")
_SPACED_DOTS = lazy_regex(r"(?r)(?:\.[ \t\u00a0]?){2,20}")
_BEFORE_DOT = ". \t\u00a0"  # in front of the last of them
_BARE_OPENING = lazy_re(r"(?:at|by|around|about|after|before|until|from|on|in) \S{1,9} ?[ap]\.m\.")
_VOWEL = lazy_re(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüœ]", re.IGNORECASE)
_TIMES = ("a.m", "p.m")
_LETTERED = word_set(
    """
    vitamin plan type group hepatitis grade section appendix figure table part option exhibit class
    schedule model phase point letter category step route zone
    """
)


def boundary_after(left: str, right: str, table: Language, *, lower_case: bool) -> int:
    """Return where in `right` the sentence that `left` ends with is over, or NO_BOUNDARY.

    `lower_case` lets `.` and `?` after a plain word end a sentence before a small letter.
    """
    after = char_at(right, 0)
    if after in MARKS or after in WIDE_MARKS:
        return NO_BOUNDARY  # of a run of marks the last one decides
    if left[-1] in WIDE_MARKS:
        return _after_wide_mark(right, table)
    if after.isalnum() and after not in SUPERSCRIPTS:
        return _glued(left, right, table)
    if after == " " and "A" <= right[1:2] <= "Z":  # as most sentences begin
        plain = left[-1] != "." or _after_full_stop(left, right, 1, table)
        return 0 if plain else NO_BOUNDARY
    end = trailing_end(right, table.closing)
    if right[end] in NEWLINES:
        return end
    at = spaces_end(right, end)
    if at == end:
        return NO_BOUNDARY
    return end if _starts_sentence(left, right, at, table, lower_case=lower_case) else NO_BOUNDARY


def _glued(left: str, right: str, table: Language) -> int:
    """Cut `end.The`, where no file, site or identifier is likely, and Chinese after `?`."""
    if "\u3040" <= right[0] <= "\u9fff":
        return 0 if left[-1] in "!?" else NO_BOUNDARY
    if not right[0].isupper():
        return NO_BOUNDARY
    word = left[:-1].rstrip(MARKS).rpartition(" ")[2]
    if len(word) < 3 or not word.isalpha() or not word.islower():
        return NO_BOUNDARY
    return 0 if _next_word(right, 0)[0] in table.starters else NO_BOUNDARY


def _after_wide_mark(right: str, table: Language) -> int:
    closed = closers_end(right, 0, table.closing + _WIDE_CLOSING)
    if closed and char_at(right, closed) in _QUOTATIVE:
        return NO_BOUNDARY
    end = trailing_end(right[closed:], table.closing)
    return closed + end


def _starts_sentence(left: str, right: str, at: int, table: Language, *, lower_case: bool) -> bool:
    """Say whether a new sentence starts at `right[at]`, behind a mark and at least one space."""
    first = right[at]
    if first in ".…":
        return _before_spaced_dots(left, right, at)
    if first in MARKS:
        return False
    start = _openers_end(right, at)
    inner = char_at(right, start)
    if inner.islower():
        return lower_case and _ends_plainly(left, right, start, table)
    if not inner.isalnum() and start == at and not _is_sign(inner):
        return False
    if left[-1] != ".":
        return True
    return _after_full_stop(left, right, start, table)


def _openers_end(right: str, at: int) -> int:
    while char_at(right, at) in _OPENERS:
        at += 1
    return at


def _is_sign(sign: str) -> bool:
    return sign in _DASHES or (sign > "\u2000" and not sign.isalnum())


def _before_spaced_dots(left: str, right: str, at: int) -> bool:
    """`word. . . . Next` ends at its first dot; other dots leave it to the last of their run."""
    if left[-1] != "." or left[-2:-1].isspace() or left[-2:-1] in MARKS:
        return False
    dots = 0
    while char_at(right, at) == "." and dots < 4:
        dots += 1
        at = spaces_end(right, at + 1)
    return dots == 3 and _is_capital(right, at)


def _is_capital(right: str, at: int) -> bool:
    return char_at(right, _openers_end(right, at)).isupper()


def _ends_plainly(left: str, right: str, start: int, table: Language) -> bool:
    """Say whether the mark follows a plain word, so that a small letter may start a sentence.

    Initials ("NZ.") are plain only before a word that opens sentences.
    """
    body = left.rstrip(MARKS + " ")
    marks = left[len(body) :]
    if right[0] in table.closing or marks.count(".") > 1 or "…" in marks:
        return False
    if body.endswith(")"):
        return True
    word = _last_word(body.rstrip(table.closing) + ".")
    if not word.isalpha() or _kind(word, table):
        return False
    if word.isupper() and 1 < len(word) <= _INITIALS and marks[-1] != "!":
        return _next_word(right, start)[0] in table.starters
    if not _VOWEL.search(word):
        return False
    if word.islower():
        return len(word) > 2 or marks[-1] == "?" or word in table.short
    return len(word) > 4 and word[1:].islower() and marks[-1] != "!"


def _last_word(left: str) -> str:
    found = _LAST_WORD.match(left, 0, len(left) - 1)
    return found.group().lstrip("'’.") if found else ""


def _after_full_stop(left: str, right: str, start: int, table: Language) -> bool:
    """Say whether the full stop ends a sentence, given a capital, digit or sign at `start`."""
    if left[-2:-1] in _BEFORE_DOT:
        dots = _SPACED_DOTS.match(left, 0, len(left))
        if dots is not None:
            return _after_dots(left, dots.start())
    word = left[:-1].rpartition(" ")[2]
    if not word.isalpha() or len(word) > _WORD_CHARS:
        word = _last_word(left)
    kind = _kind(word, table)
    if not kind and len(word) > 1 and word.isalpha():
        return True
    if kind == TITLE:
        return False
    if kind & NUMBERED and right[start].isdigit():
        # "Eq. (4)" names a number, "He said no. (2) Then" does not.
        before = right[start - 1]
        if before.isspace() or (before == "(" and word.casefold() not in table.words):
            return False
    if len(word) == 1 and word.isalpha() and not kind:
        return _after_letter(left, word, right, start, table)
    if kind & SOFT or _DOTTED.fullmatch(word) or _is_ordinal(word, table):
        return _before_starter(left, word, right, start, table)
    return kind != FINAL or right[start].isalnum()


def _kind(word: str, table: Language) -> int:
    """Return the kinds of abbreviation `word` is. A capital alone is an initial, no `p.`."""
    kind = table.forms.get(word, 0)
    if kind or len(word) == 1:
        return kind
    kind = table.forms.get(word.casefold(), 0)
    return kind or (table.forms.get(word.capitalize(), 0) if word.isupper() else 0)


def _is_ordinal(word: str, table: Language) -> bool:
    return table.ordinal_dot and word.isdecimal() and len(word) <= 2


def _after_dots(left: str, first: int) -> bool:
    """Three spaced dots are an ellipsis; a fourth, and dots without spaces, end a sentence."""
    dots = left[first:]
    if " " not in dots:
        return True
    return dots.count(".") > 3 and left[first - 1 : first].isspace()


def _after_letter(left: str, word: str, right: str, start: int, table: Language) -> bool:
    before = left[:-2].rstrip().rpartition(" ")[2]
    if word == "I" and not before[:1].isupper():
        return True
    if word.islower() or before.casefold() in _LETTERED:
        return True
    return _before_starter(left, word, right, start, table)


def _before_starter(left: str, word: str, right: str, start: int, table: Language) -> bool:
    """Say whether the abbreviation `word` stands at an end, judged by the word that follows."""
    following, after = _next_word(right, start)
    if after == "." and table.forms.get(following, 0) == TITLE:
        return word.casefold() in _TIMES and _BARE_OPENING.fullmatch(left.casefold()) is None
    return following in table.starters


def _next_word(right: str, start: int) -> tuple[str, str]:
    """Return the word at `start`, case-folded, and the character behind it."""
    word, after = word_at(right, start, _NEXT_WORD, _NEXT_WORD_CHARS)
    return word.casefold().replace("’", "'"), after
