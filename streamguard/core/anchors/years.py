"""Years: "2019", "500 BC", "2019-2023", "2023/24"."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.core.anchors.measures import measure_at
from streamguard.core.anchors.numerals import Numeral
from streamguard.core.anchors.value import ZERO, Anchor, plain

_ERA = re.compile(r"[ ]?(?:(?P<before>b\.?c\.?(?:e\.?)?)|a\.?d\.?|c\.?e\.?)(?!\w)")
_ERA_STARTS = frozenset("bac")
_SHORT = re.compile(r"[-/]([0-9]{2})(?![0-9]|[-/.,][0-9])", re.ASCII)
_LONG = re.compile(r"(?:[ ]?-[ ]?|[ ](?:to|until|through)[ ])([12][0-9]{3})(?![0-9])", re.ASCII)
_RANGE_AHEAD = re.compile(r"[ ]?-[ ]?[0-9]", re.ASCII)
# Four digits between these are a year when nothing says that they count something; guess.
_FIRST, _LAST = 1500, 2100


def read_year(text: str, low: str, numeral: Numeral) -> Anchor | None:
    """Read a year or a range of years that begins with `numeral`; None for anything counted."""
    start, end = numeral.start, numeral.end
    following = low[end + 1 : end + 2] if low[end : end + 1] == " " else low[end : end + 1]
    if end - start != 4 and following not in _ERA_STARTS:
        return None
    if numeral.place != 1 or numeral.exponent or not 1 <= numeral.value < 10_000:
        return None
    written = text[start:end]
    if era := _ERA.match(low, end):
        return _year(text, start, era.end(), f"-{written}" if era["before"] else written)
    if len(written) != 4 or not _FIRST <= numeral.value < _LAST:
        return None
    long = _LONG.match(low, end)
    if long is not None and written < long[1] and not _counted(text, low, long.end()):
        return _year(text, start, long.end(), written, long[1])
    short = _SHORT.match(low, end)
    if short is not None and written[2:] < short[1] and not _counted(text, low, short.end()):
        return _year(text, start, short.end(), written, written[:2] + short[1])
    if _counted(text, low, end) or _RANGE_AHEAD.match(low, end):
        return None
    return _year(text, start, end, written)


def _counted(text: str, low: str, end: int) -> bool:
    return measure_at(text, low, end, None).kind != "number"


def _year(text: str, start: int, end: int, first: str, last: str | None = None) -> Anchor:
    value, high = Decimal(first), Decimal(last) if last else None
    return Anchor(
        "year", start, end, text[start:end], value, high, None, None,
        plain(value) if last is None else f"{first}..{last}", ZERO, False, False, (),
        number=value, high_number=high,
    )  # fmt: skip
