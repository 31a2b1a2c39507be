"""Finds text that looks like a value and was not parsed as one.

| kind | an example |
|---|---|
| digits | numerals that no reader knows: "三百元" |
| figure | a figure that no reader takes: "7.2 °dH", "1.2e-3", "PT15M" |
| magnitude | a magnitude without a power of ten here: "$3 quintillion", "5 tbd. €", "€5 kx" |
| unit | a unit that no table has: "30zk", "40 kZ" |
| currency | a sign of money that is no currency here, beside a figure: "₡500" |
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re, lazy_regex
from streamguard.values import money
from streamguard.values.identifiers import skip_reference
from streamguard.values.value import Anchor, listed

ValueKind = Literal["digits", "figure", "magnitude", "unit", "currency"]


class Unread(NamedTuple):
    """A half-open span of a folded text, and the kind of value it seems to be."""

    start: int
    end: int
    kind: ValueKind


# "Q1" and "cm3" are words, ":8080" behind one is part of an address.
_FIGURE = lazy_re(r"(?<![^\W_])(?<![a-z0-9][:/])[0-9]+(?:[.,'][0-9]+)*(?![^\W_])")
# After a number: "quintillion", "zillions", "trilliarden"; those that are read are in its anchor.
NO_POWER = r"[a-z]{1,10}illi(?:on|ard)(?:e?[ns]|es?|i)?|kharab|padma"
_NAMED = lazy_re(rf"[ -]({NO_POWER})(?!\w)")
# A word without a vowel is no word of a sentence. These abbreviate rates, counts and remarks.
NO_VOWEL = r"[b-df-hj-np-tv-xz]{2,4}"
_SHORT = listed(
    "pp ppn pppn pppd ppd pcm pm pw pd ph pn hr hrs yr yrs mth mths wk wks nt nts qtr qty cwt lb"
    " lbs sq ft gb mb tb vs plc ltd thx st nd rd th mr mrs dr tv pc cd dvd sms pdf hp mph kph rpm"
    " kwh mwh pts pt pcs pk pkt btl bbl brl gst hst pst tbc tbd nr str ggf ttc ht std stk bzw jhr"
)
_WITHOUT_VOWEL = lazy_re(rf"[ ]({NO_VOWEL})(?!\w|\.\w)")
_PREFIXED = lazy_re(r"[ ]([kmdcnu][A-Z][a-z]{0,2})(?!\w)")
_NOTATION = lazy_re(
    r"([0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,3}"
    r"|P(?=T?[0-9])(?:[0-9]+[YMWD]){0,4}(?:T(?:[0-9]+[HMS]){1,3})?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{4,15}(?:Z|[+-][0-9:]{2,5})?)"
)
_STUCK = lazy_re(r"[0-9]+(?:[.,][0-9]+)*([a-z][A-Za-z]{0,3})")
_BEFORE_MONEY = lazy_re(
    rf"[ ]?([^\W\d_]{{2,12}}\.?)[ ]?(?=[{money.SIGNS}](?!\d)|(?:EUR|USD|GBP|CHF|INR)(?!\w))"
)
# Behind one of these a figure and a currency are two things: "from 5 to €", "30 or USD".
_JOINTS = listed("to and or at for of in on from by with per plus minus times vs as is bis und et")
_NUMERAL = lazy_regex(
    r"(?V1)[\p{Nd}\p{Nl}፩-፼௰-௲൰-൲--[0-9]]+|[〇零一二三四五六七八九十百千万萬億亿]{2,9}(?=[元円圆块])"
)
_SIGN = lazy_regex(r"\p{Sc}(?=[ ]?[0-9])|(?<=[0-9])[ ]?(\p{Sc})")


def find_unread(
    text: str, anchors: Sequence[Anchor], held: Callable[[str], bool] = lambda written: False
) -> list[Unread]:
    """Return spans of folded `text` that look like values and are none of its `anchors`, in order.

    `anchors` are all of the text's, as `read_anchors` returns them. `held`: whether the passages
    hold a lower-case value in the same spelling; it needs no unit. Citation tags, list marks and
    passage numbers do not count. Linear in the length of the text.
    """
    low = lower_in_place(text)
    found = [
        *_figures(text, low, anchors),
        *_magnitudes(text, low, anchors),
        *_units(text, low, anchors, held),
    ]
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


def _units(
    text: str, low: str, anchors: Sequence[Anchor], held: Callable[[str], bool]
) -> Iterator[Unread]:
    """Yield letters in the place of a unit or a magnitude that no table has."""
    for anchor in anchors:
        if anchor.kind == "identifier":
            found = _NOTATION.fullmatch(text, anchor.start, anchor.end)
            kind: ValueKind = "figure"
            if found is None:
                found = _STUCK.fullmatch(text, anchor.start, anchor.end)
                kind = "magnitude" if _beside_money(text, anchor) else "unit"
        elif anchor.kind == "amount":
            found, kind = _WITHOUT_VOWEL.match(low, anchor.end), "magnitude"
        elif anchor.kind == "number":
            found, kind = _PREFIXED.match(text, anchor.end), "unit"
        else:
            continue
        if found is None or found[1] in _SHORT or held(low[anchor.start : found.end()]):
            continue
        yield Unread(*found.span(1), kind)


def _beside_money(text: str, anchor: Anchor) -> bool:
    before = text[max(0, anchor.start - 2) : anchor.start].strip()[-1:]
    after = text[anchor.end : anchor.end + 2].strip()[:1]
    return (before != "" and before in money.SIGNS) or (after != "" and after in money.SIGNS)


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
