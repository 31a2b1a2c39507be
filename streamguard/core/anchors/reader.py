"""Find and read every anchor of a text in one left-to-right pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from streamguard.core.anchors.dates import MONTHS, read_digit_date, read_quarter, read_word_date
from streamguard.core.anchors.figures import read_figure, read_often
from streamguard.core.anchors.frequency import ADVERBS
from streamguard.core.anchors.identifiers import (
    read_glued,
    read_literal,
    read_ratio,
    read_series,
    read_version,
)
from streamguard.core.anchors.money import FREE_WORDS, MONEY_WORDS, currency_before, free_at
from streamguard.core.anchors.numerals import VULGAR_FRACTIONS
from streamguard.core.anchors.references import counts_references, skip_reference
from streamguard.core.anchors.times import NAMED, read_named_time, read_time
from streamguard.core.anchors.value import ZERO, Anchor
from streamguard.core.anchors.value import literal as literal_anchor
from streamguard.core.anchors.wordnumbers import STARTS

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fifteenth": 15, "sixteenth": 16, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
# "First, ..." and "the second step" order the answer; they are no facts of the sources.
_DISCOURSE = frozenset(["first", "second"])


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern for these words as a tree of their first letters.

    The engine tries alternatives one after another: a tree tries one per letter of the alphabet,
    a flat list of 140 words one per word.
    """
    tails: dict[str, list[str]] = {}
    for word in sorted(words):
        tails.setdefault(word[:1], []).append(word[1:])
    branches = []
    for head, rest in tails.items():
        if head:
            branches.append(head + ("" if rest == [""] else _any_of(rest)))
    optional = "?" if "" in tails else ""
    return f"(?:{'|'.join(branches)}){optional}"


# A word is found from the character before it, and the pattern
# begins with one class, so that the engine skips through letters; a URL is swallowed whole.
_STARTING = frozenset({*MONTHS, *_ORDINALS, *STARTS, *NAMED, *ADVERBS, *FREE_WORDS})
_WORDS = _any_of(_STARTING)
_FIGURES = rf"[0-9{VULGAR_FRACTIONS}]"
_CANDIDATE = re.compile(rf"[^a-z_](?:(?<={_FIGURES})|(?<![0-9])(?:{_WORDS}(?!\w)|https?://))")
_FIGURE = re.compile(r"[0-9]")  # of ASCII text: no other digit and no fraction is in it
_ASCII_DIGITS = b"0123456789"
# What is no small letter as a space: words are cut off three times as fast as by a pattern.
_TO_WORDS = bytes(sign if sign in b"abcdefghijklmnopqrstuvwxyz" else 32 for sign in range(256))
_STARTING_BYTES = frozenset(word.encode() for word in _STARTING)
_MONEY_BYTES = frozenset(word.encode() for word in MONEY_WORDS)
_TO_SPACE = re.compile(r"[^\s<>\"']*")
_DIGITS = re.compile(r"[0-9]+")
_ORDINAL = re.compile(r"([0-9]{1,6})(?:st|nd|rd|th|º|ª)(?!\w)", re.ASCII)

_Read = tuple[tuple[Anchor, ...], int]


def read_anchors(text: str) -> tuple[Anchor, ...]:
    """Return the anchors of `text` in order; spans do not overlap.

    `text` is folded (see `normalise`); offsets are into it. Linear in the length of the text:
    every reader looks a bounded way back and ahead of the place where it stands.
    """
    low = lowered(text)
    anchors: list[Anchor] = []
    position = 0
    for start, end in _places(low):
        if start >= position:
            read, position = (
                _at_digit(text, low, start, position)
                if end == start
                else _at_word(text, low, start, end, position)
            )
            anchors += read
    return tuple(anchors)


def _places(low: str) -> Iterable[tuple[int, int]]:
    """Return the digits and the words of `low` where an anchor may begin; a digit's span is empty.

    Few texts hold one of the words, and to look these up in a table is cheaper than the pattern.
    """
    if not low.isascii() or "http" in low:
        return _candidates(low)
    places: list[tuple[int, int]] = []
    written = low.encode()
    if len(written.translate(None, _ASCII_DIGITS)) != len(written):
        places += [(digit.start(), digit.start()) for digit in _FIGURE.finditer(low)]
    words = _STARTING_BYTES.intersection(written.translate(_TO_WORDS).split())
    if words:
        for word in words:
            places += _whole_words(low, word.decode())
        places.sort()
    return places


def may_hold_amount(text: str) -> bool:
    """Say whether `read_anchors` may find an amount of money in `text`: a cheap look before it."""
    if "$" in text or not text.isascii():
        return True
    return not _MONEY_BYTES.isdisjoint(text.lower().encode().translate(_TO_WORDS).split())


def _whole_words(low: str, word: str) -> Iterator[tuple[int, int]]:
    start = low.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = low[start - 1 : start], low[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield start, end
        start = low.find(word, end)


def _candidates(low: str) -> Iterator[tuple[int, int]]:
    # The blank stands for the start of the text, so that a word there has a character before it.
    for found in _CANDIDATE.finditer(" " + low):
        start, end = found.start(), found.end() - 1
        yield (start, end) if end > start else (start - 1, start - 1)


def lowered(text: str) -> str:
    """Lower-case without changing the length ("İ" would become two characters)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def _at_digit(text: str, low: str, start: int, floor: int) -> _Read:
    """Read at the digit `start`; return the anchors and where to go on."""
    skipped = skip_reference(text, low, start, floor)
    if skipped is not None:
        return (), skipped
    inside = start > floor and (text[start - 1].isalpha() or text[start - 1] == "_")
    if inside and currency_before(text, start, floor) is None:  # "CHF5.50" is no identifier
        return _glued(text, low, start, floor)
    digits = _DIGITS.match(text, start)
    end = digits.end() if digits else start + 1
    after = low[end : end + 1]
    date, time, other = _may_go_on(low, end, after)
    read: tuple[Anchor, ...] = ()
    if after == ":" and (ratio := read_ratio(text, low, start, certain=True)):
        read = (ratio,)
    elif date:
        read = read_digit_date(text, low, start, end - start, after)
    if not read and time:
        read = read_time(text, low, start)
    if not read:
        literal = other or end - start > _LONGEST_NUMERAL
        read = _single(text, low, start, floor, literal=literal, ranked=after in _RANKED)
    if not read or _runs_on(text, read[-1]):
        return _glued(text, low, start, floor)
    return read, read[-1].end


# A cheap look at what follows the digits, so that most readers need not be tried: the character
# right after them, and the word or the sign after a space, with which they can go on.
_DATED = frozenset("-/.stnreº°qh'&")
_DATING = frozenset({*MONTHS, *"of de day to and bis q h - &".split()})
_RANKED = frozenset("snrtº\u00aa")
_TIMED = frozenset(":.hap-u")
_TIMING = frozenset("a p am pm o uhr h to until till and or -".split())
_LITERAL = frozenset("-./x×:(")
_LITERALLY = frozenset("0123456789x×(-.")
_LETTERS = re.compile(r"[^\W\d_]*")
_LONGEST_NUMERAL = 15


def _may_go_on(low: str, end: int, after: str) -> tuple[bool, bool, bool]:
    """Say whether a date, a time or a literal may go on behind the digits that end at `end`."""
    if after == ".":
        after = low[end : end + 2]
        if after == ". ":  # "5. März", or the end of a sentence
            return _word_at(low, end + 2) in MONTHS, False, False
        return after != ".", after != ".", after != "."
    if after != " ":
        return after in _DATED, after in _TIMED, after in _LITERAL
    following = _word_at(low, end + 1) or low[end + 1 : end + 2]
    return following in _DATING, following in _TIMING, following in _LITERALLY


def _word_at(low: str, start: int) -> str:
    letters = _LETTERS.match(low, start)
    assert letters is not None  # it also matches nothing
    return letters.group()


def _single(
    text: str, low: str, start: int, floor: int, *, literal: bool, ranked: bool
) -> tuple[Anchor, ...]:
    anchor = read_series(text, start, floor)
    if anchor is None and (literal or text[start - 1 : start] in ("+", "(")):
        anchor = read_literal(text, start, floor)
    anchor = anchor or (_ordinal(text, start) if ranked else None)
    if anchor is None and not _joined_to_name(text, start, floor):
        anchor = read_ratio(text, low, start, certain=False) if literal else None
        anchor = anchor or read_figure(text, low, start, floor)
        if anchor is not None and anchor.kind == "number":
            anchor = read_version(text, start, floor) or anchor
    return (anchor,) if anchor else ()


def _runs_on(text: str, anchor: Anchor) -> bool:
    following = text[anchor.end : anchor.end + 1]
    return following.isalnum() and following not in VULGAR_FRACTIONS


_NAME_HEAD = re.compile(r"[^\W\d_]{0,20}[A-Z][^\W\d_]{0,20}[-/]$")


def _joined_to_name(text: str, start: int, floor: int) -> bool:
    """Say whether a hyphen or slash joins the digits to a capital ("GPT-4", "HTTP/2")."""
    if start - floor < 2 or text[start - 1] not in "-/" or not text[start - 2].isalpha():
        return False
    return bool(_NAME_HEAD.search(text, max(floor, start - 24), start))


def _glued(text: str, low: str, start: int, floor: int) -> _Read:
    quarter = read_quarter(text, low, start, floor)
    if quarter:
        return quarter, quarter[-1].end
    if text[start] in VULGAR_FRACTIONS:
        return (), start + 1
    anchor, end = read_glued(text, start, floor)
    return ((anchor,) if anchor else ()), end


def _ordinal(text: str, start: int) -> Anchor | None:
    found = _ORDINAL.match(text, start)
    return _ranked(text, start, found.end(), int(found[1])) if found else None


def _ranked(text: str, start: int, end: int, rank: int) -> Anchor:
    value = Decimal(rank)
    anchor = literal_anchor("ordinal", text, start, end, str(rank))
    return anchor._replace(value=value, number=value, precision=ZERO)


def _at_word(text: str, low: str, start: int, end: int, floor: int) -> _Read:
    """Read at the word [start, end); return the anchors and where to go on."""
    word = low[start:end]
    if word.startswith("http"):
        tail = _TO_SPACE.match(low, end)
        return (), tail.end() if tail else end
    anchors: tuple[Anchor, ...] = ()
    if word in MONTHS or word in _ORDINALS:
        anchors = read_word_date(text, low, start)
    elif word in NAMED:
        anchors = read_named_time(text, start, end)
    elif word in FREE_WORDS:
        anchors = _free(text, low, start)
        if not anchors:
            return (), floor  # "no. 7": what follows may look back at the word
    elif word in ADVERBS:
        often = read_often(text, low, start, end, floor)
        anchors = (often,) if often else ()
    if not anchors and word in STARTS and low[start - 1 : start] != "-":
        figure = read_figure(text, low, start, floor)
        anchors = (figure,) if figure else ()
    if not anchors and word in _ORDINALS and word not in _DISCOURSE:
        anchors = _ordinal_word(text, low, start, end)
    return anchors, anchors[-1].end if anchors else end


def _free(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    end = free_at(low, start)
    if end is None:
        return ()
    anchor = literal_anchor("amount", text, start, end, "0")
    return (anchor._replace(value=ZERO, number=ZERO),)


def _ordinal_word(text: str, low: str, start: int, end: int) -> tuple[Anchor, ...]:
    if counts_references(low, end):
        return ()
    return (_ranked(text, start, end, _ORDINALS[low[start:end]])._replace(word=True),)
