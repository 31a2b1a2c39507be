"""Find and read every anchor of a text in one left-to-right pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from streamguard.text.patterns import lazy_re
from streamguard.values.dates import (
    DAY_STARTS,
    MONTHS,
    ORDINALS,
    TENS,
    read_digit_date,
    read_named_day,
    read_quarter,
    read_word_date,
)
from streamguard.values.figures import read_duration, read_figure, read_often
from streamguard.values.identifiers import (
    counts_references,
    read_glued,
    read_literal,
    read_ratio,
    read_series,
    read_version,
    skip_reference,
)
from streamguard.values.money import (
    CODES,
    FREE_WORDS,
    MONEY_WORDS,
    SIGNS,
    currency_before,
    free_at,
    is_shell_parameter,
)
from streamguard.values.numerals import STARTS, VULGAR_FRACTIONS
from streamguard.values.periods import ADVERBS
from streamguard.values.times import (
    NAMED,
    SPOKEN,
    read_named_time,
    read_spoken_time,
    read_time,
)
from streamguard.values.value import ZERO, Anchor, literal

# "First, ..." and "the second step" order the answer; they are no facts of the sources.
_DISCOURSE = frozenset(["first", "second"])
_STARTING = frozenset({*MONTHS, *ORDINALS, *STARTS, *NAMED, *ADVERBS, *FREE_WORDS, *DAY_STARTS})
_OTHER_STARTING = [word for word in _STARTING if not word.isascii()]
_STARTING_BYTES, _NUMBER_BYTES, _FREE_BYTES, _MONEY_BYTES, _CODE_BYTES = (
    frozenset(word.lower().encode() for word in words if word.isascii())
    for words in (_STARTING, STARTS, FREE_WORDS, MONEY_WORDS, CODES)
)
_TELLING_BYTES = _FREE_BYTES | _MONEY_BYTES | _CODE_BYTES | {b"p"}
_PENCE = lazy_re(r"[0-9]p(?!\w)")
_MONEY_SIGN = lazy_re(rf"[{SIGNS}]|zł|kč")
# It begins with one class, so that the engine skips to the next figure.
_FIGURE = lazy_re(rf"[0-9{VULGAR_FRACTIONS}](?:(?<=[0-9])[0-9]+)?")
_URL = lazy_re(r"(?<![a-z0-9_])https?://")
_DIGITS = b"0123456789"
# What is no small letter as a space: words are cut off three times as fast as by a pattern.
_TO_WORDS = bytes(sign if sign in b"abcdefghijklmnopqrstuvwxyz" else 32 for sign in range(256))
_TO_SPACE = lazy_re(r"[^\s<>\"']*")
_RUN = lazy_re(r"[0-9]+")
_ORDINAL = lazy_re(r"([0-9]{1,6})(?:st|nd|rd|th|º|ª)(?!\w)", re.ASCII)

_Read = tuple[tuple[Anchor, ...], int]
_NONE = (None,)


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
    low = lowered(text)
    position = 0
    for start, end, word in _places(low):
        if start < position:  # read already: no anchor ends inside a figure
            continue
        if word:
            read, position = _at_word(text, low, start, end, position)
            yield from read or _NONE
        while not word and start < end:
            read, start = _at_digit(text, low, start, position)
            yield from read or _NONE
            position = start


def _places(low: str) -> list[tuple[int, int, bool]]:
    """Return the figures and the words of `low` where an anchor may begin, the words marked.

    Most texts hold none of either: one look-up of their words in a table tells.
    """
    written = low.encode(errors="replace")
    words = _STARTING_BYTES.intersection(written.translate(_TO_WORDS).split())
    figures = len(written.translate(None, _DIGITS)) != len(written)
    if len(written) == len(low) and not figures and not words:
        return []
    found = [word.decode() for word in words]
    if b"\xc3" in written:  # with which the letters of "märz" and "février" begin
        found += [word for word in _OTHER_STARTING if word in low]
    places: list[tuple[int, int, bool]] = []
    if figures or b"\xc2" in written or b"\xe2\x85" in written:  # "½" and "⅓"
        places = [(*figure.span(), False) for figure in _FIGURE.finditer(low)]
    for word in found:
        places += [(*span, True) for span in _whole_words(low, word)]
    if places and "http" in low:
        places += [(*url.span(), True) for url in _URL.finditer(low)]
    return sorted(places) if found or "http" in low else places


def _whole_words(low: str, word: str) -> Iterator[tuple[int, int]]:
    start = low.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = low[start - 1 : start], low[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield start, end
        start = low.find(word, end)


def may_hold_amount(text: str) -> bool:
    """Say whether `read_anchors` may find an amount of money in `text`: a cheap look before it.

    An amount is "free", "no fee" or the like, or has a figure or a number word as well as a sign,
    a code in capitals or another word of a currency.
    """
    low = text.lower()
    written = low.encode(errors="replace")
    wide = len(written) != len(low)
    words = written.translate(_TO_WORDS).split()
    telling = _TELLING_BYTES.intersection(words)
    if not telling and "$" not in text and not wide:
        return False
    free = [word.decode() for word in telling & _FREE_BYTES]
    if any(free_at(low, start) for word in free for start, _ in _whole_words(low, word)):
        return True
    if not (
        "$" in text
        or telling & _MONEY_BYTES
        or any(word.decode().upper() in text for word in telling & _CODE_BYTES)
        or (b"p" in telling and _PENCE.search(low))
        or (wide and _MONEY_SIGN.search(low))
    ):
        return False
    return _FIGURE.search(low) is not None or not _NUMBER_BYTES.isdisjoint(words)


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
    before = text[start - 1] if start > floor else " "
    if before not in " (":  # most figures stand behind one of these
        if before == "$" and is_shell_parameter(text, start):
            return (), start + 1
        if before == "." and _begins(text, start - 1):  # ".05"
            anchor = read_figure(text, low, start - 1, floor)
            if anchor is not None and not _runs_on(text, anchor):
                return (anchor,), anchor.end
        inside = before.isalpha() or before == "_"
        if inside and currency_before(text, start, floor) is None:  # "CHF5.50" is no identifier
            return _glued(text, low, start, floor)
    digits = _RUN.match(text, start)
    end = digits.end() if digits else start + 1
    after = low[end : end + 1]
    date, time, other = _may_go_on(low, end, after)
    if after == ":" and (
        spanned := read_ratio(text, low, start, certain=True)
        or read_duration(text, low, start, floor)
    ):
        return (spanned,), spanned.end
    read = read_digit_date(text, low, start, end - start, after) if date else ()
    if not read and time:
        read = read_time(text, low, start)
    if not read:
        other = other or end - start > _LONGEST_NUMERAL
        single = _single(text, low, start, floor, other=other, ranked=after in _RANKED)
        read = (single,) if single else ()
    if not read or _runs_on(text, read[-1]):
        return _glued(text, low, start, floor)
    return read, read[-1].end


# What stands before the point of a figure without a whole number, and what may stand between.
_BEFORE_POINT = frozenset(" \n\t([-+~<>≈=|,;:/" + SIGNS)
_QUOTING = "\"'`*_"
_QUOTED = 4  # of these at most, and what stands before them


def _begins(text: str, point: int) -> bool:
    """Say whether a figure may begin with the point at `point`: "**.05**", "`.55`"."""
    start = max(0, point - _QUOTED)
    before = text[start:point].rstrip(_QUOTING)
    return before[-1] in _BEFORE_POINT if before else start == 0


# A cheap look at what follows the digits, so that most readers need not be tried: the character
# right after them, and the word or the sign after a space, with which they can go on.
_DATED = frozenset("-/.stnreº°qh'&")
_DATING = frozenset({*MONTHS, *"of de day to and bis q h - &".split()})
_RANKED = frozenset("snrtº\u00aa")
_TIMED = frozenset(":.hap-u")
_TIMING = frozenset("a p am pm o uhr h in at to until till and or -".split())
_LITERAL = frozenset("-./x×:(")
_LITERALLY = frozenset("0123456789x×(-.")
_LETTERS = lazy_re(r"[^\W\d_]{0,20}")
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
    text: str, low: str, start: int, floor: int, *, other: bool, ranked: bool
) -> Anchor | None:
    anchor = read_series(text, start, floor)
    if anchor is None and (other or text[start - 1 : start] in ("+", "(")):
        anchor = read_literal(text, start, floor)
    if anchor is None and ranked and (found := _ORDINAL.match(text, start)):
        anchor = _ranked(text, start, found.end(), int(found[1]))
    if anchor is not None or _joined_to_name(text, start, floor):
        return anchor
    anchor = read_ratio(text, low, start, certain=False) if other else None
    anchor = anchor or read_figure(text, low, start, floor)
    if anchor is not None and anchor.kind == "number":
        return read_version(text, start, floor) or anchor
    return anchor


def _runs_on(text: str, anchor: Anchor) -> bool:
    following = text[anchor.end : anchor.end + 1]
    if following.isdigit():
        return following not in VULGAR_FRACTIONS
    return following.isalpha() and following.lower() != following.upper()  # "12,000円" ends


_NAME_HEAD = lazy_re(r"[^\W\d_]{0,20}[A-Z][^\W\d_]{0,20}[-/]$")


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
    read: tuple[Anchor | None, ...] = ()
    if word in MONTHS or word in ORDINALS or word in TENS:
        read = read_word_date(text, low, start)
    elif word in DAY_STARTS:
        read = read_named_day(text, low, start)
    elif word in NAMED:
        read = read_named_time(text, start, end)
    elif word in ADVERBS:
        read = (read_often(text, low, start, end, floor),)
    if word in SPOKEN and (spoken := read_spoken_time(text, low, start)):
        return spoken, spoken[-1].end
    if not read and word in STARTS and low[start - 1 : start] != "-":
        read = (read_figure(text, low, start, floor),)
    anchors = tuple(filter(None, read))
    ranks = word in ORDINALS and word not in _DISCOURSE
    if not anchors and ranks and not counts_references(low, end):
        anchors = (_ranked(text, start, end, ORDINALS[word])._replace(word=True),)
    return anchors, anchors[-1].end if anchors else end
