"""Decides whether a mark ends a sentence: pure functions of a bounded window around it.

`left` is the sentence up to and including the mark, at most `LEFT_CHARS` of it; `right` is the text
after it. If the next character of `right` could change the answer they raise `MoreTextNeeded`: an
answer, once given, holds for every continuation, so no answer depends on how the text was cut. A
newline at the end of `right` marks the end of the text or window.
"""

from __future__ import annotations

import re

from streamguard.text.abbreviations import (
    ALSO_WORDS,
    BEGINNINGS,
    ELSEWHERE,
    FINAL,
    NUMBERED,
    ORDINAL_BEFORE,
    ORDINAL_BEHIND,
    ORDINAL_YEARS,
    SMALL_ELSEWHERE,
    SOFT,
    STARTERS,
    TITLE,
    kinds_of,
)
from streamguard.text.citation_forms import SUPERSCRIPT_DIGITS
from streamguard.text.citations import TRAILING_MARKS
from streamguard.text.patterns import lazy_re, lazy_regex

# --- signs after a full stop on the same line that still belong to the sentence on its left:
# closing quotes and brackets, emphasis signs, superscripts, emoji and citations

RIGHT_CHARS = 160  # the longest window: a citation and the signs before it
CITATION_CHARS = 120  # longest citation that is waited for; guess, 2x the longest in RAG answers

NEWLINES = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

# Words with which a citation in brackets begins, in prose of models and of people.
_CITING = frozenset(
    """
    source sources ref refs reference references cite cited citation citations passage passages
    document documents doc docs chunk chunks context excerpt page pages p pp section note footnote
    quelle quellen fuente fuentes fonte fonti fontes bron bronnen kilde kilder kaynak źródło źródła
    источник источники المصدر مصدر
    """.split()
)
CLOSING = "\"'”’»›)]}"
SPACES = lazy_re(rf"[^\S{NEWLINES}]*")
_AFTER_SPACES = lazy_re(rf"[\S{NEWLINES}]")
SUPERSCRIPTS = f"{SUPERSCRIPT_DIGITS}⁺⁻⁽⁾†‡"
_CLOSERS = CLOSING + "」』）】》〉*_~`" + SUPERSCRIPTS
_LATE_CLOSERS = "\"'”’»)"  # between spaces they close, before a word they may open
_EMOJI = lazy_regex(
    r"(?V1)[[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f\u20e3]"
    r"--[©®™‼⁉↔-↪]]{1,40}",
)
_FIRST_EMOJI = "\u2300"  # below it are only signs that also stand in prose
_CITING_CHARS = 16
_WORD = lazy_re(rf"[^\W\d_]{{0,{_CITING_CHARS}}}")
_IN_BRACKETS = lazy_re(rf"[^\[\]{NEWLINES}]{{0,{CITATION_CHARS}}}")
_PARENTHESES = lazy_re(rf"[(){NEWLINES}]")
_TO_CLOSER = {
    closer: lazy_re(rf"[^{closer}{NEWLINES}]{{0,{CITATION_CHARS}}}") for closer in ("】", ")")
}
_CITES_BY_NUMBER = lazy_re(r"\^?(?:[A-Za-z]{0,3}[-#.]?)\d")

_MARK_SIGNS = "[(【<{\ue200\ue202#:\\cft"
_TELLING_CHARS = 12  # with which most forms of a mark can be told; guess
_AFTER_MARK = lazy_re(r"[<>\]}})$\ue201\s]")
_AFTER_INNER = lazy_re(rf"[\[\]()】{NEWLINES}]")
_AFTER_WORD = lazy_re(r"[\W\d_]")


class MoreTextNeeded(Exception):  # noqa: N818 - no error: the answer is not in the text yet
    """The text so far does not decide.

    It will not until further text contains a match of `until`, or the window has `enough`
    characters.
    """

    def __init__(self, until: re.Pattern[str] | None = None, enough: int = RIGHT_CHARS) -> None:
        super().__init__("the next characters decide")
        self.until = until
        self.enough = enough


def char_at(right: str, at: int) -> str:
    """Return the character at `at`; raises `MoreTextNeeded` at the end."""
    if at >= len(right):
        raise MoreTextNeeded
    return right[at]


def spaces_end(right: str, at: int) -> int:
    """Return the offset of the first character from `at` that is no space; a newline is none."""
    spaces = SPACES.match(right, at)
    assert spaces is not None
    if spaces.end() == len(right):
        raise MoreTextNeeded(_AFTER_SPACES)
    return spaces.end()


def _closers_end(right: str, at: int) -> int:
    while char_at(right, at) in _CLOSERS:
        at += 1
    return at


def trailing_end(right: str) -> int:
    """Return the offset in `right` at which the left sentence ends, citations included."""
    end = _closers_end(right, 0)
    while True:
        at = spaces_end(right, end)
        if right[at] in _LATE_CLOSERS and char_at(right, at + 1).isspace():
            end = at + 1
            continue
        if right[at] in _MARK_SIGNS:
            after = _citation_end(right, at)
        elif right[at] in SUPERSCRIPT_DIGITS:
            after = _closers_end(right, at)
            after = after if right[after].isspace() else at
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
    if right[at] not in "[(":
        return _mark_end(right, at)
    word, after = word_at(right, at + 1, _WORD, _CITING_CHARS)
    cites = word.casefold() in _CITING
    if right[at] == "(":
        is_long = cites or word + after == "["
        return _parenthesis_end(right, at) if is_long else _mark_end(right, at)
    return at if after.isspace() and not cites else _bracket_end(right, at, cites)


def _mark_end(right: str, at: int) -> int:
    """Return the offset after the mark of any other form at `at`: `<sup>1</sup>`, `[[1]](url)`."""
    found = TRAILING_MARKS[right[at]].match(right, at, partial=True)
    if found is None:
        return at
    if found.partial or found.end() == len(right):
        is_short = len(right) - at < _TELLING_CHARS
        raise MoreTextNeeded(None if is_short or not found.partial else _AFTER_MARK)
    return int(found.end())


def word_at(right: str, at: int, pattern: re.Pattern[str], longest: int) -> tuple[str, str]:
    """Return the word at `at`, at most `longest` characters, and the character after it."""
    found = pattern.match(right, at)
    assert found is not None
    if found.end() >= len(right):
        raise MoreTextNeeded(_AFTER_WORD, at + longest + 1)
    return found.group(), right[found.end()]


def _closed(right: str, at: int, closer: str) -> int:
    """Return the offset after `closer`; 0 if the line ends or the citation gets too long before."""
    inner = _TO_CLOSER[closer].match(right, at)
    assert inner is not None
    if inner.end() < len(right):
        return inner.end() + 1 if right[inner.end()] == closer else 0
    raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS + 1)


def _bracket_end(right: str, at: int, cites: bool) -> int:
    """Return the end of `[1]`, `[C1, C2]`, `[^3]`, `[Source: x]`, `[pricing-faq]`, `[1](url)`.

    `[[1]](url)` and `[ID: 1]` are other forms.
    """
    inner = _IN_BRACKETS.match(right, at + 1)
    assert inner is not None
    if inner.end() >= len(right):
        raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS + 2)
    text = inner.group()
    by_number = _CITES_BY_NUMBER.match(text)
    # A number or a passage's name: no words of prose.
    names = bool(text) and not any(map(str.isspace, text)) and not text.istitle()
    if right[inner.end()] != "]" or not (cites or by_number or names):
        return _mark_end(right, at)
    end = inner.end() + 1
    if char_at(right, end) != "(":
        return end
    after = _parenthesis_end(right, end) if by_number else end
    return after if after > end else at


def _parenthesis_end(right: str, at: int) -> int:
    """Return the end of `(Source: x)`, `([1](url))`: the closing bracket of the same depth."""
    depth = 0
    for sign in _PARENTHESES.finditer(right, at, at + CITATION_CHARS):
        if sign[0] not in "()":
            return at
        depth += 1 if sign[0] == "(" else -1
        if depth == 0:
            return sign.end()
    if len(right) < at + CITATION_CHARS:
        raise MoreTextNeeded(_AFTER_INNER, at + CITATION_CHARS)
    return at


# --- the mark itself

LEFT_CHARS = 40  # longest abbreviation, bare opening or spaced ellipsis looked for, with room
NO_BOUNDARY = -1

MARKS = ".!?…‼⁇⁈⁉"
WIDE_MARKS = "。！？｡।॥؟۔።፧។៕။։᙮"  # end a sentence without a space behind them

_OPENERS = "\"'“‘«‹„‚¿¡([{*_`~#<$€£¥§@+|>"
_DASHES = "-–—•"
_INITIALS = 5  # capitals in a row that are read as initials; guess, "UNHCR"
_WORD_CHARS = 24  # a longer word is no abbreviation
_LAST_WORD = lazy_regex(rf"(?r)[\w.&°'’]{{0,{_WORD_CHARS}}}")
_NEXT_WORD = lazy_re(r"[^\W\d_]{0,24}(?:['’][^\W\d_]{0,4})?")
_NEXT_WORD_CHARS = 29
_DOTTED = lazy_re(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2}){1,5}")
# "z. B", "i. d. R", up to the last stop.
_SPACED_FORM = lazy_regex(r"(?r)(?<![\w.])(?:[^\W\d_]{1,2}\.[ \u00a0\u202f]?){0,3}[^\W\d_]{1,3}")
_SPACES_IN_FORM = lazy_re(r"[ \u00a0\u202f]")
_BEFORE_ORDINAL = " (\u00a0–-"  # no "$59.", which need not wait for the next word
_PART = 3  # letters of a part of such a form
_SPACED_DOTS = lazy_regex(r"(?r)(?:\.[ \t\u00a0]?){2,20}")
_BEFORE_DOT = ". \t\u00a0"  # in front of the last of them
_BARE_OPENING = lazy_re(r"(?:at|by|around|about|after|before|until|from|on|in) \S{1,9} ?[ap]\.m\.")
_VOWEL = lazy_re(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüœ]", re.IGNORECASE)
_TIMES = ("a.m", "p.m")
_LETTERED = frozenset(
    """
    vitamin plan type group hepatitis grade section appendix figure table part option exhibit class
    schedule model phase point letter category step route zone
    """.split()
)

# Words of two letters that may end a sentence before a small letter; others are abbreviations.
_SHORT = frozenset("oh ok ah uh um eh aw ha hi me us it so up go do he we my to is be".split())


def boundary_after(left: str, right: str) -> int:
    """Return the offset in `right` at which the sentence in `left` is over, or NO_BOUNDARY."""
    after = char_at(right, 0)
    if after in MARKS or after in WIDE_MARKS:
        return NO_BOUNDARY  # of a run of marks the last one decides
    if left[-1] in WIDE_MARKS:
        return trailing_end(right)
    if after.isalnum() and after not in SUPERSCRIPTS:
        return _glued(left, right)
    if after == " " and "A" <= right[1:2] <= "Z":  # as most sentences begin
        plain = left[-1] != "." or _after_full_stop(left, right, 1)
        return 0 if plain else NO_BOUNDARY
    end = trailing_end(right)
    if right[end] in NEWLINES:
        return end
    at = spaces_end(right, end)
    return end if at > end and _starts_sentence(left, right, at) else NO_BOUNDARY


def _glued(left: str, right: str) -> int:
    """Return the boundary in `end.The` unless it may be a file, site or identifier.

    Also after a Chinese `?`.
    """
    if "\u3040" <= right[0] <= "\u9fff" and left[-1] in "!?":
        return 0
    word = left[:-1].rstrip(MARKS).rpartition(" ")[2]
    if not right[0].isupper() or len(word) < 3 or not (word.isalpha() and word.islower()):
        return NO_BOUNDARY
    return 0 if _next_word(right, 0)[0] in STARTERS else NO_BOUNDARY


def _starts_sentence(left: str, right: str, at: int) -> bool:
    """Return whether a sentence starts at `right[at]`, after a mark and at least one space."""
    first = right[at]
    if first in ".…":
        return _before_spaced_dots(left, right, at)
    if first in MARKS:
        return False
    start = _openers_end(right, at)
    inner = char_at(right, start)
    if inner.islower():
        return _ends_plainly(left, right, start)
    if not inner.isalnum() and start == at and inner not in _DASHES and inner <= "\u2000":
        return False
    return left[-1] != "." or _after_full_stop(left, right, start)


def _openers_end(right: str, at: int) -> int:
    while char_at(right, at) in _OPENERS:
        at += 1
    return at


def _before_spaced_dots(left: str, right: str, at: int) -> bool:
    """Return whether the mark is the first dot of `word. . . . Next`, which ends the sentence."""
    if left[-1] != "." or left[-2:-1].isspace() or left[-2:-1] in MARKS:
        return False
    dots = 0
    while char_at(right, at) == "." and dots < 4:
        dots += 1
        at = spaces_end(right, at + 1)
    return dots == 3 and char_at(right, _openers_end(right, at)).isupper()


def _ends_plainly(left: str, right: str, start: int) -> bool:
    """Return whether the mark follows a plain word, so that a lower-case word may start a sentence.

    Initials ("NZ.") are plain only before a word that opens sentences.
    """
    body = left.rstrip(MARKS + " ")
    marks = left[len(body) :]
    if right[0] in CLOSING or marks.count(".") > 1 or "…" in marks:
        return False
    if body.endswith(")"):
        return True
    word = _last_word(body.rstrip(CLOSING) + ".")
    if not word.isalpha() or kinds_of(word):
        return False
    if word.isupper() and 1 < len(word) <= _INITIALS and marks[-1] != "!":
        return _next_word(right, start)[0] in STARTERS
    if not _VOWEL.search(word):
        return False
    if word.islower():
        return len(word) > 2 or marks[-1] == "?" or word in _SHORT
    return len(word) > 4 and word[1:].islower() and marks[-1] != "!"


def _last_word(left: str) -> str:
    found = _LAST_WORD.match(left, 0, len(left) - 1)
    return found.group().lstrip("'’.") if found else ""


def _after_full_stop(left: str, right: str, start: int) -> bool:
    """Return whether the full stop ends a sentence, given a capital, digit or sign at `start`."""
    if left[-2:-1] in _BEFORE_DOT:
        spaced = _SPACED_DOTS.match(left, 0, len(left))
        if spaced is not None:
            # Three spaced dots are an ellipsis; a fourth, and dots without spaces, end a sentence.
            dots, first = spaced[0], spaced.start()
            return " " not in dots or (dots.count(".") > 3 and left[first - 1 : first].isspace())
    word = left[:-1].rpartition(" ")[2]
    if not word.isalpha() or len(word) > _WORD_CHARS:
        word = _last_word(left)
    kind = kinds_of(word)
    if not kind and "'" in word.replace("’", "'"):  # "l'art. 12"
        kind = kinds_of(word.replace("’", "'").rpartition("'")[2])
    if not kind and len(word) > 1 and word.isalpha():
        # Spanish doubles the letters of plurals: "EE. UU.".
        return not (len(word) == 2 and word[0] == word[1] and _is_doubled(right, start))
    if not kind and word.isdecimal():
        return not _is_ordinal(left, word, right, start)
    if len(word) <= _PART:
        spaced = _SPACED_FORM.match(left, 0, len(left) - 1)
        form = spaced and _SPACES_IN_FORM.sub("", spaced[0]).casefold()
        if form in BEGINNINGS and _goes_on(form, right, start):
            return False
        if form and spaced and form != spaced[0].casefold() and (known := kinds_of(form)):
            word, kind = form, known | ELSEWHERE * (known != TITLE)
    if kind == TITLE or (kind & NUMBERED and _names_a_number(right, start)):
        return False
    if kind & NUMBERED and right[start].isdigit():
        # "Eq. (4)" names a number, "He said no. (2) Then" does not.
        before = right[start - 1]
        if before.isspace() or (before == "(" and word.casefold() not in ALSO_WORDS):
            return False
    if kind & ELSEWHERE:
        following = _next_word(right, start)[0]
        return following in STARTERS or following in SMALL_ELSEWHERE
    if len(word) == 1 and word.isalpha() and not kind:
        before = left[:-2].rstrip().rpartition(" ")[2]
        is_i = word == "I" and not before[:1].isupper()
        if is_i or word.islower() or before.casefold() in _LETTERED:
            return True
        return _before_starter(left, word, right, start)
    if kind & SOFT or _DOTTED.fullmatch(word):
        return _before_starter(left, word, right, start)
    return kind != FINAL or right[start].isalnum()


def _is_doubled(right: str, start: int) -> bool:
    word, after = _next_word(right, start)
    return after == "." and len(word) == 2 and word[0] == word[1]


def _is_ordinal(left: str, number: str, right: str, start: int) -> bool:
    """Return whether a number of one or two digits is an ordinal: "3. Mai", "im 2. Stock"."""
    head = left[: -1 - len(number)]
    if len(number) > 2 or head[-1:] not in _BEFORE_ORDINAL or not right[start].isupper():
        return False
    following = _next_word(right, start)[0]
    if following in ORDINAL_BEHIND or following.endswith(ORDINAL_YEARS):
        return True
    before = head.rstrip().rpartition(" ")[2]
    is_counted = before.casefold() in ORDINAL_BEFORE
    return is_counted and following not in STARTERS and following not in SMALL_ELSEWHERE


def _goes_on(beginning: str, right: str, start: int) -> bool:
    """Return whether a spaced abbreviation continues: "z. B." after its first stop."""
    following, after = _next_word(right, start)
    form = f"{beginning}.{following}"
    return after == "." and (form in BEGINNINGS or kinds_of(form) > 0)


def _names_a_number(right: str, start: int) -> bool:
    """Return whether "No." follows, as in "Ref. No. 5"."""
    if not right[start].isupper():
        return False
    following, after = _next_word(right, start)
    return after == "." and kinds_of(following) & NUMBERED > 0


def _before_starter(left: str, word: str, right: str, start: int) -> bool:
    """Return whether the abbreviation `word` ends the sentence, judged by the following word."""
    following, after = _next_word(right, start)
    if after == "." and kinds_of(following) == TITLE:
        return word.casefold() in _TIMES and _BARE_OPENING.fullmatch(left.casefold()) is None
    return following in STARTERS


def _next_word(right: str, start: int) -> tuple[str, str]:
    word, after = word_at(right, start, _NEXT_WORD, _NEXT_WORD_CHARS)
    return word.casefold().replace("’", "'"), after
