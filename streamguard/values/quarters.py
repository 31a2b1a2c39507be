"""Quarters and halves of a year: "Q3 2025", "third quarter of 2025", "H1", "2. Quartal 2025".

Their keys are written like months: "2025-q3", "--h1".
"""

from __future__ import annotations

import re
from typing import Final

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, literal, numbered

QUARTER: Final = "quarter"
_YEAR = r"(?:'\d{2}|(?:fy[ ]?)?20\d{2}|(?:fy[ ]?)\d{2}|(?:fy[ ]?)?19\d{2})(?!\w|[.,]\d)"
_TO_YEAR = r"(?:,?[ ](?:of[ ])?(?:fiscal[ ](?:year[ ])?|financial[ ]year[ ])?|[/-])?"
# As in Q3 2025, 3Q25, H1'26.
_SHORT = lazy_re(
    rf"(?:(?P<kind>[qh])(?P<number>[1-4])(?!\d)|(?P<first>[1-4])(?P<unit>[qh]))"
    rf"(?:{_TO_YEAR}(?P<year>{_YEAR}|(?<=[qh])\d\d(?!\w|[.,]\d)))?(?!\w)"
)
_ORDINALS = numbered("1: first 1st; 2: second 2nd; 3: third 3rd; 4: fourth 4th")
_SPELLED = lazy_re(
    r"(?P<rank>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?P<kind>quarter|half)(?!\w)"
    rf"(?P<rest>(?:{_TO_YEAR}(?P<year>{_YEAR}))|[ ]of[ ](?:the|this|each|every|next|last)[ ]"
    r"(?:fiscal[ ]|financial[ ]|calendar[ ])?year(?!\w))?"
)
_BY_NUMBER = lazy_re(
    rf"(?P<number>[1-4])(?:\.[ ]?|er?[ ]|º[ ])(?P<kind>quartal|halbjahr|trimestre|semestre)(?!\w)"
    rf"(?:[ ](?:de[l]?[ ])?(?P<year>{_YEAR}))?"
)
# Alone "Q1:" may be a question and "(Q2)" a quartile; "a second quarter" is none of a year.
_BEFORE = lazy_re(
    r"(?<!\w)(?:in|of|by|for|since|until|during|through|from|before|after|and|to|vs\.?|late|early"
    r"|mid|end|in[ ]the|during[ ]the|of[ ]the|for[ ]the|by[ ]the|since[ ]the)[ -]$"
)
_BEHIND = lazy_re(
    r"[ ](?:results?|revenues?|earnings|sales|reports?|targets?|figures|profits?|guidance)(?!\w)"
)
_OTHER_WHOLE = lazy_re(r"[ ]of[ ]|[ -](?:final|mile|hour|time)")
_REACH: Final = 12
_LETTER = {"quarter": "q", "quartal": "q", "trimestre": "q", "q": "q"}


def read_quarter(text: str, low: str, start: int) -> Anchor | None:
    """Parse a quarter or half of a year that begins at `start`; None for anything else."""
    if found := _SHORT.match(low, start):
        kind, number = found["kind"] or found["unit"], found["number"] or found["first"]
        is_told = found["year"] or _is_told(low, start, found.end())
        if not is_told or (kind == "h" and int(number) > 2):
            return None
        return _anchor(text, found, kind, number)
    if found := _BY_NUMBER.match(low, start):
        return _anchor(text, found, _LETTER.get(found["kind"], "h"), found["number"])
    if (found := _SPELLED.match(low, start)) is None:
        return None
    kind, number = _LETTER.get(found["kind"], "h"), _ORDINALS[found["rank"]]
    is_half = kind == "h"
    if is_half and (number > 2 or not found["rest"]):
        return None  # of a match, or of anything else
    if not found["rest"] and (
        _OTHER_WHOLE.match(low, found.end()) or not _is_told(low, start, found.end())
    ):
        return None
    return _anchor(text, found, kind, str(number))


def contains(quarter: str, key: str) -> bool:
    """Return whether a date lies in a quarter or half: "2025-08" in "2025-q3" and "--h2"."""
    year, _, part = quarter.rpartition("-")
    found = _DATED.match(key)
    if found is None:
        return False
    if found["part"]:
        month = 3 * int(found["part"])
    else:
        month = int(found["month"])
    of_year = year in ("-", found["year"] or "-")
    kind, number = part[0], int(part[1])
    is_inside = -(-month // (3 if kind == "q" else 6)) == number
    return of_year and is_inside and not (found["part"] and kind == "q")


_DATED = lazy_re(r"(?:(?P<year>\d{4})|-)-(?:q(?P<part>[1-4])|(?P<month>\d\d))")


def _is_told(low: str, start: int, end: int) -> bool:
    before = low[max(0, start - _REACH) : start]
    return _BEFORE.search(before) is not None or _BEHIND.match(low, end) is not None


def _anchor(text: str, found: re.Match[str], kind: str, number: str) -> Anchor:
    written = found["year"]
    year = "-"
    if written:
        digits = "".join(filter(str.isdigit, written))
        year = digits if len(digits) == 4 else f"20{digits}"
    return literal("date", text, *found.span(), f"{year}-{kind}{number}", unit=QUARTER)
