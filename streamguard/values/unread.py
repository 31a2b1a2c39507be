"""Finds text that looks like a value and was not read as one.

| kind | an example |
|---|---|
| digits | numerals that no reader knows: "三百元" |
| figure | a figure that every reader left: "7.2 °dH" |
| magnitude | a magnitude without a power of ten here: "$3 quintillion", "5 tbd. €" |
| currency | a sign of money that is no currency here, beside a figure: "₡500" |
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re, lazy_regex
from streamguard.values import money
from streamguard.values.identifiers import skip_reference
from streamguard.values.value import Anchor, any_of, listed

ValueKind = Literal["digits", "figure", "magnitude", "currency"]


class Unread(NamedTuple):
    """A place of a folded text, half-open, and what seems to stand there."""

    start: int
    end: int
    kind: ValueKind


# "Q1" and "cm3" are words, ":8080" behind one is part of an address.
_FIGURE = lazy_re(r"(?<![^\W_])(?<![a-z0-9][:/])[0-9]+(?:[.,'][0-9]+)*(?![^\W_])")
NO_POWER = listed(
    "quadrillion quadrillions quintillion quintillions sextillion sextillions zillion zillions"
    " gazillion bazillion billiarde billiarden trilliarde trilliarden kharab padma"
)
_NAMED = lazy_re(rf"[ -]({any_of(NO_POWER)})(?!\w)")
_BEFORE_MONEY = lazy_re(
    rf"[ ]?([^\W\d_]{{2,12}}\.?)[ ]?(?=[{money.SIGNS}](?!\d)|(?:EUR|USD|GBP|CHF|INR)(?!\w))"
)
# Behind one of these a figure and a currency are two things: "from 5 to €", "30 or USD".
_JOINTS = listed("to and or at for of in on from by with per plus minus times vs as is bis und et")
_NUMERAL = lazy_regex(
    r"(?V1)[\p{Nd}\p{Nl}፩-፼௰-௲൰-൲--[0-9]]+|[〇零一二三四五六七八九十百千万萬億亿]{2,9}(?=[元円圆块])"
)
_SIGN = lazy_regex(r"\p{Sc}(?=[ ]?[0-9])|(?<=[0-9])[ ]?(\p{Sc})")


def find_unread(text: str, anchors: Sequence[Anchor]) -> list[Unread]:
    """Return spans of folded `text` that look like values and are none of its `anchors`, in order.

    `anchors` are all of the text, as `read_anchors` returns them. Citation tags, marks of lists
    and numbers of passages are nobody's values. Linear in the length of the text.
    """
    low = lower_in_place(text)
    found = [*_figures(text, low, anchors), *_magnitudes(text, low, anchors)]
    if not text.isascii():
        found += _foreign(text, anchors)
    return sorted(found)


def _figures(text: str, low: str, anchors: Sequence[Anchor]) -> Iterator[Unread]:
    number = done = 0
    for figure in _FIGURE.finditer(text):
        start, end = figure.span()
        while number < len(anchors) and anchors[number].end <= start:
            number += 1
        if start < done or (number < len(anchors) and anchors[number].start < end):
            continue
        skipped = skip_reference(text, low, start, 0)
        if skipped is None:
            yield Unread(start, end, "figure")
        else:
            done = skipped


def _magnitudes(text: str, low: str, anchors: Sequence[Anchor]) -> Iterator[Unread]:
    for anchor in anchors:
        if anchor.kind not in ("amount", "number"):
            continue
        found = _NAMED.match(low, anchor.end)
        if found is None and anchor.kind == "number":
            found = _BEFORE_MONEY.match(text, anchor.end)
        if found is not None and found[1].lower() not in _JOINTS:
            yield Unread(*found.span(1), "magnitude")


def _foreign(text: str, anchors: Sequence[Anchor]) -> Iterator[Unread]:
    for found in _NUMERAL.finditer(text):
        if not _is_read(anchors, *found.span()):
            yield Unread(*found.span(), "digits")
    for found in _SIGN.finditer(text):
        start, end = found.span(1) if found[1] else found.span()
        if not _is_read(anchors, start, end) and text[start:end] not in money.SIGNS:
            yield Unread(start, end, "currency")


def _is_read(anchors: Sequence[Anchor], start: int, end: int) -> bool:
    behind = bisect_right(anchors, start, key=lambda one: one.end)  # they are in order
    return behind < len(anchors) and anchors[behind].start < end
