"""Find and read every anchor of a text in one left-to-right pass."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from streamguard.core.anchors import numerals
from streamguard.core.anchors.dates import MONTHS, read_digit_date, read_quarter, read_word_date
from streamguard.core.anchors.identifiers import (
    is_word_reference,
    read_glued,
    read_literal,
    read_version,
    skip_reference,
)
from streamguard.core.anchors.measures import read_measure
from streamguard.core.anchors.money import free_at
from streamguard.core.anchors.times import read_named_time, read_time
from streamguard.core.anchors.value import HALF, ZERO, Anchor, literal

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fifteenth": 15, "sixteenth": 16, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
_NUMBER_WORDS = (
    *(word for word in numerals.ONES if word != "zero"),
    *numerals.TENS,
    *numerals.POWERS,
    "dozen",
    "half",
    "quarter",
)
_WORDS = sorted(
    {*MONTHS, *_ORDINALS, *_NUMBER_WORDS, "noon", "midday", "midnight", "free"}, key=len
)
# The gate and the scanner in one: text without a digit and without one of these words costs a
# single search. A URL is swallowed whole, so that its digits are not read.
_CANDIDATE = re.compile(
    r"[0-9"
    + numerals.VULGAR_FRACTIONS
    + r"]|(?<![\w-])(?:"
    + "|".join(reversed(_WORDS))
    + r")(?!\w)"
    r"|\bhttps?://"
)
_TO_SPACE = re.compile(r"[^\s<>\"']*")
_DIGITS = re.compile(r"[0-9]+")
_ORDINAL = re.compile(r"([0-9]{1,6})(?:st|nd|rd|th|º|ª)(?!\w)", re.ASCII)
_FRACTION_HEADS = frozenset(["half", "quarter", "third"])


def read_anchors(text: str) -> tuple[Anchor, ...]:
    """Return the anchors of `text` in order; spans do not overlap.

    `text` is folded (see `normalise`); offsets are into it. Linear in the length of the text:
    every reader looks a bounded way back and ahead of the place where it stands.
    """
    low = _lowered(text)
    found = _CANDIDATE.search(low)
    if found is None:
        return ()
    anchors: list[Anchor] = []
    floor = 0
    while found is not None:
        start = found.start()
        if start < floor:
            end = start + 1
        elif low[start].isalpha() and not numerals.VULGAR_FRACTIONS.count(low[start]):
            read, end = _at_word(text, low, start, found.end(), floor)
            anchors += read
            floor = max(floor, read[-1].end) if read else floor
        else:
            read, end = _at_digit(text, low, start, floor)
            anchors += read
            floor = max(floor, end)
        found = _CANDIDATE.search(low, max(end, floor))
    return tuple(anchors)


def _lowered(text: str) -> str:
    """Lower-case without changing the length ("İ" would become two characters)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


_Read = tuple[tuple[Anchor, ...], int]


def _at_digit(text: str, low: str, start: int, floor: int) -> _Read:
    """Read at the digit `start`; return the anchors and where to go on."""
    skipped = skip_reference(text, low, start, floor)
    if skipped is not None:
        return (), skipped
    if start > floor and (text[start - 1].isalpha() or text[start - 1] == "_"):
        return _glued(text, low, start, floor)
    dated = read_digit_date(text, low, start) or read_time(text, low, start)
    if dated:
        return dated, dated[-1].end
    single = read_literal(text, start, floor) or _ordinal(text, start)
    if single is None and not _joined_to_name(text, start, floor):
        single = read_measure(text, low, start, floor)
        if single is not None and single.kind == "number":
            single = read_version(text, start, floor) or single
    if single is None or _glued_after(text, single):
        return _glued(text, low, start, floor)
    return (single,), single.end


def _glued_after(text: str, anchor: Anchor) -> bool:
    following = text[anchor.end : anchor.end + 1]
    return following.isalnum() and following not in numerals.VULGAR_FRACTIONS


_NAME_HEAD = re.compile(r"[^\W\d_]*[A-Z][^\W\d_]*[-/]$")


def _joined_to_name(text: str, start: int, floor: int) -> bool:
    """Say whether a hyphen or slash joins the digits to a capital ("GPT-4", "HTTP/2")."""
    if start - floor < 2 or text[start - 1] not in "-/":
        return False
    return bool(_NAME_HEAD.search(text, max(floor, start - 24), start))


def _glued(text: str, low: str, start: int, floor: int) -> _Read:
    quarter = _quarter(text, low, start, floor)
    if quarter:
        return quarter, quarter[-1].end
    anchor = read_glued(text, start, floor)
    if anchor is not None:
        return (anchor,), anchor.end
    digits = _DIGITS.match(text, start)
    return (), digits.end() if digits else start + 1


def _quarter(text: str, low: str, start: int, floor: int) -> tuple[Anchor, ...]:
    begin = start - 1
    if (
        begin < floor
        or low[begin] not in "qhy"
        or low[begin - 1 : begin].isalnum()
        and low[begin] != "y"
    ):
        return ()
    if low[begin] == "y":  # "FY2023"
        year = re.compile(r"[12]\d{3}(?!\w)", re.ASCII).match(text, start)
        if low[begin - 1 : start] != "fy" or year is None:
            return ()
        return (literal("date", text, begin - 1, year.end(), year[0]),)
    return read_quarter(text, low, begin)


def _ordinal(text: str, start: int) -> Anchor | None:
    found = _ORDINAL.match(text, start)
    if found is None:
        return None
    return _numbered_ordinal(text, start, found.end(), int(found[1]))


def _numbered_ordinal(text: str, start: int, end: int, rank: int) -> Anchor:
    anchor = literal("ordinal", text, start, end, str(rank))
    return replace(anchor, value=Decimal(rank), number=Decimal(rank), precision=ZERO)


def _at_word(text: str, low: str, start: int, end: int, floor: int) -> _Read:
    """Read at the word [start, end); return the anchors and where to go on."""
    word = low[start:end]
    if word.startswith("http"):
        tail = _TO_SPACE.match(low, end)
        return (), tail.end() if tail else end
    if word == "free":
        return _free(text, low, start, end)
    if word in MONTHS or word in _ORDINALS:
        dated = read_word_date(text, low, start)
        if dated:
            return dated, dated[-1].end
    if word in ("noon", "midday", "midnight"):
        return read_named_time(text, low, start), end
    if word in MONTHS:
        return (), end
    if word in _ORDINALS and word not in _FRACTION_HEADS:
        return _ordinal_word(text, low, start, end), end
    anchor = read_measure(text, low, start, floor)
    if anchor is not None:
        return (anchor,), anchor.end
    if word == "third":
        return _ordinal_word(text, low, start, end), end
    return (), end


def _free(text: str, low: str, start: int, end: int) -> _Read:
    free_end = free_at(low, start)
    if free_end is None:
        return (), end
    anchor = literal("amount", text, start, free_end, "0")
    return (replace(anchor, value=ZERO, number=ZERO),), free_end


def _ordinal_word(text: str, low: str, start: int, end: int) -> tuple[Anchor, ...]:
    # "First, ..." and "the second step" order the answer; they are no facts of the sources.
    if low[start:end] in ("first", "second") or is_word_reference(low, start, end):
        return ()
    anchor = _numbered_ordinal(text, start, end, _ORDINALS[low[start:end]])
    return (replace(anchor, word=True),)


__all__ = ["HALF", "read_anchors"]
