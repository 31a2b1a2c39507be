"""Find and read every anchor of a text in one left-to-right pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.values.dates import (
    MONTHS,
    NAMED,
    ORDINALS,
    SPOKEN,
    read_digit_date,
    read_spoken_time,
    read_time,
    read_word_date,
    time_anchor,
)
from streamguard.values.figures import read_figure, read_often
from streamguard.values.identifiers import read_glued, read_literal, skip_reference
from streamguard.values.money import (
    ADVERBS,
    FREE_WORDS,
    SIGNS,
    currency_before,
    free_at,
    is_shell_parameter,
)
from streamguard.values.numerals import STARTS
from streamguard.values.value import ZERO, Anchor, literal

# "First, ..." and "the second step" order the answer; they are no facts of the sources.
_DISCOURSE = frozenset(["first", "second"])
_STARTING = frozenset({*MONTHS, *ORDINALS, *STARTS, *NAMED, *ADVERBS, *FREE_WORDS})
_STARTING_BYTES = frozenset(word.lower().encode() for word in _STARTING)
_FIGURE = lazy_re(r"[0-9]+")
_URL = lazy_re(r"(?<![a-z0-9_])https?://")
_DIGITS = b"0123456789"
# What is no small letter as a space: words are cut off three times as fast as by a pattern.
_TO_WORDS = bytes(sign if sign in b"abcdefghijklmnopqrstuvwxyz" else 32 for sign in range(256))
_TO_SPACE = lazy_re(r"[^\s<>\"']*")
_ORDINAL = lazy_re(r"([0-9]{1,6})(?:st|nd|rd|th|º|ª)(?!\w)", re.ASCII)

_Read = tuple[tuple[Anchor, ...], int]


def read_anchors(text: str, most: int | None = None) -> tuple[Anchor, ...]:
    """Return the anchors of `text` in order, at most so many; spans do not overlap.

    `text` is folded (see `normalise`); offsets are into it. Linear in the length of the text:
    every reader looks a bounded way back and ahead of the place where it stands.
    """
    return tuple(islice(filter(None, anchors_in(text)), most))


def anchors_in(text: str) -> Iterator[Anchor | None]:
    """Yield the anchors of `text` as `read_anchors` returns them, None where one was looked for.

    Each place is read when it is asked for: a long text may be read with pauses.
    """
    low = lower_in_place(text)
    position = 0
    for start, end, word in _places(low):
        if start < position:  # read already: no anchor ends inside a figure
            continue
        if word:
            read, position = _at_word(text, low, start, end, position)
            yield from read or (None,)
        while not word and start < end:
            read, start = _at_digit(text, low, start, position)
            yield from read or (None,)
            position = start


def _places(low: str) -> list[tuple[int, int, bool]]:
    """Return the figures and the words of `low` where an anchor may begin, the words marked.

    Most texts hold none of either: one look-up of their words in a table tells.
    """
    written = low.encode(errors="replace")
    words = _STARTING_BYTES.intersection(written.translate(_TO_WORDS).split())
    places: list[tuple[int, int, bool]] = []
    if len(written.translate(None, _DIGITS)) != len(written):
        places = [(*figure.span(), False) for figure in _FIGURE.finditer(low)]
    for word in words:
        places += [(*span, True) for span in _whole_words(low, word.decode())]
    if places and "http" in low:
        places += [(*url.span(), True) for url in _URL.finditer(low)]
    return sorted(places) if words or "http" in low else places


def _whole_words(low: str, word: str) -> Iterator[tuple[int, int]]:
    start = low.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = low[start - 1 : start], low[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield start, end
        start = low.find(word, end)


def _at_digit(text: str, low: str, start: int, floor: int) -> _Read:
    """Read at the digit `start`; return the anchors and where to go on."""
    skipped = skip_reference(text, low, start, floor)
    if skipped is not None:
        return (), skipped
    before = text[start - 1] if start > floor else " "
    if before not in " (":  # most figures stand behind one of these
        if before == "$" and is_shell_parameter(text, start):
            return (), start + 1
        if before == "." and text[max(0, start - 2) : start - 1] in _BEFORE_POINT:  # ".05"
            anchor = read_figure(text, low, start - 1, floor)
            if anchor is not None and not _runs_on(text, anchor):
                return (anchor,), anchor.end
        inside = before.isalpha() or before == "_"
        if inside and currency_before(text, start, floor) is None:  # "CHF5.50" is no identifier
            return _one(*read_glued(text, start, floor))
    digits = _FIGURE.match(text, start)
    assert digits is not None
    end = digits.end()
    after = low[end : end + 1]
    date, time, other = _may_go_on(low, end, after)
    read = read_digit_date(text, low, start, end - start, after) if date else ()
    if not read:
        single = read_time(text, low, start) if time else None
        if single is None and (other or end - start > _LONGEST_NUMERAL or before in "+("):
            single = read_literal(text, start, floor)
        if single is None and after in _RANKED and (found := _ORDINAL.match(text, start)):
            single = _ranked(text, start, found.end(), int(found[1]))
        if single is None and not _joined_to_name(text, start, floor):
            single = read_figure(text, low, start, floor)
        read = (single,) if single else ()
    if not read or _runs_on(text, read[-1]):
        return _one(*read_glued(text, start, floor))
    return read, read[-1].end


# What stands before the point of a figure without a whole number.
_BEFORE_POINT = frozenset(["", *" \n([-~|", *SIGNS])


# A cheap look at what follows the digits, so that most readers need not be tried: the character
# right after them, and the word or the sign after a space, with which they can go on.
_DATED = frozenset("-/.stnrqh'&")
_DATING = frozenset({*MONTHS, *"of day to and q h - &".split()})
_RANKED = frozenset("snrtº\u00aa")
_TIMED = frozenset(":.hap-")
_TIMING = frozenset("a p am pm o h in at to until till and or -".split())
_LITERAL = frozenset("-./x×:(")
_LITERALLY = frozenset("0123456789x×(-.")
_LETTERS = lazy_re(r"[^\W\d_]{1,20}")
_LONGEST_NUMERAL = 15


def _may_go_on(low: str, end: int, after: str) -> tuple[bool, bool, bool]:
    """Say whether a date, a time or a literal may go on behind the digits that end at `end`."""
    if after == ".":
        goes_on = low[end + 1 : end + 2] not in ("", " ")  # else a sentence ends
        return goes_on, goes_on, goes_on
    if after != " ":
        return after in _DATED, after in _TIMED, after in _LITERAL
    word = _LETTERS.match(low, end + 1)
    following = word[0] if word else low[end + 1 : end + 2]
    return following in _DATING, following in _TIMING, following in _LITERALLY


def _runs_on(text: str, anchor: Anchor) -> bool:
    following = text[anchor.end : anchor.end + 1]
    if following.isdigit():
        return True
    return following.isalpha() and following.lower() != following.upper()  # "12,000円" ends


_NAME_HEAD = lazy_re(r"[^\W\d_]{0,20}[A-Z][^\W\d_]{0,20}[-/]$")


def _joined_to_name(text: str, start: int, floor: int) -> bool:
    """Say whether a hyphen or slash joins the digits to a capital ("GPT-4", "HTTP/2")."""
    if start - floor < 2 or text[start - 1] not in "-/" or not text[start - 2].isalpha():
        return False
    return bool(_NAME_HEAD.search(text, max(floor, start - 24), start))


def _ranked(text: str, start: int, end: int, rank: int) -> Anchor:
    value = Decimal(rank)
    anchor = literal("ordinal", text, start, end, str(rank))
    return anchor._replace(value=value, number=value, precision=ZERO)


def _at_word(text: str, low: str, start: int, end: int, floor: int) -> _Read:
    """Read at the word [start, end); return the anchors and where to go on."""
    word = low[start:end]
    if word.startswith("http"):
        tail = _TO_SPACE.match(low, end)
        return (), tail.end() if tail else end
    if word in FREE_WORDS:
        price = free_at(low, start)
        if price is None:
            return (), floor  # "no. 7": what follows may look back at the word
        anchor = literal("amount", text, start, price, "0")
        return (anchor._replace(value=ZERO, number=ZERO),), price
    if word in MONTHS and (dates := read_word_date(text, low, start)):
        return dates, dates[-1].end
    if word in NAMED:
        return _one(time_anchor(text, start, end, NAMED[word]), end)
    if word in ADVERBS:
        return _one(read_often(text, low, start, end, floor), end)
    found = read_spoken_time(text, low, start) if word in SPOKEN else None
    if found is None and word in STARTS and low[start - 1 : start] != "-":
        found = read_figure(text, low, start, floor)
    if found is None and word in ORDINALS and word not in _DISCOURSE:
        found = _ranked(text, start, end, ORDINALS[word])._replace(word=True)
    return _one(found, end)


def _one(anchor: Anchor | None, end: int) -> _Read:
    return ((anchor,), anchor.end) if anchor else ((), end)
