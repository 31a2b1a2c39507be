"""Dates and years: each written form to one key, and the coarser dates that contain it.

Keys: "2024-03-05", "2024-03", "2024", "--03-05" (no year), "--03" (a month), "2023-Q3", "--Q3",
"2023-H1", "1990s". A numeric date that two countries read differently gets the American reading
as its key and the other one in `ambiguous`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from streamguard.text.patterns import lazy_re
from streamguard.values.measures import measure_at
from streamguard.values.numerals import Numeral
from streamguard.values.value import ZERO, Anchor, any_of, listed, literal, numbered, plain

MONTHS = numbered(
    "1: january jan; 2: february feb; 3: march mar; 4: april apr; 5: may; 6: june jun; 7: july jul;"
    "8: august aug; 9: september sept sep; 10: october oct; 11: november nov; 12: december dec"
)
_MONTH_NAMES = any_of(MONTHS)
_MONTH = rf"(?P<month>{_MONTH_NAMES})(?!\w)\.?"
# Alone these need "in", "of" or the like before them.
_WORDY_MONTHS = listed("may march august")
# A full stop behind these ends a sentence: they are no abbreviations.
_WHOLE_MONTHS = _WORDY_MONTHS | listed(
    "january february april june july september october november december"
)
_BEFORE_MONTH = lazy_re(
    r"(?<!\w)(?:in|of|by|since|until|till|from|last|next|early|late|mid|through|during|this|every"
    r"|each|between|to|and|before|after|around|throughout)[ -]$"
)
_MONTH_ALONE = lazy_re(rf"{_MONTH_NAMES}(?!\w)")
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SUFFIX = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:[12]\d{3}(?!\d)(?![.,]\d)|'\d{2}(?!\d))"
_TO_YEAR = r"(?:,[ ]?|[ ]|-|[ ]of[ ])"
_DAY_FIRST = lazy_re(
    rf"(?a)(?P<day>{_DAY}){_SUFFIX}(?:[ ]?(?:-|to|and|&)[ ]?(?P<last>{_DAY}){_SUFFIX})?"
    rf"(?:-|[ ](?:(?:day[ ])?of[ ])?){_MONTH}"
    rf"(?:{_TO_YEAR}(?P<year>{_YEAR}|(?<=-)\d{{2}}(?!\d)))?"
)
_MONTH_FIRST = lazy_re(
    rf"(?a){_MONTH}(?:[ ](?:the[ ])?|-)?(?P<day>{_DAY}){_SUFFIX}"
    r"(?![\w%]|[:.]\d|[ ]?[ap]\.?m\b)"
    rf"(?:[ ]?(?:-|to|and|&)[ ]?(?P<last>{_DAY}){_SUFFIX}(?![\w%]|[:.]\d))?"
    rf"(?:{_TO_YEAR}(?P<year>{_YEAR}))?"
)
_MONTH_YEAR = lazy_re(rf"(?a){_MONTH}{_TO_YEAR}(?P<year>{_YEAR})(?!-\d)")
ORDINALS = numbered(
    "1: first; 2: second; 3: third; 4: fourth; 5: fifth; 6: sixth; 7: seventh; 8: eighth; 9: ninth;"
    "10: tenth; 11: eleventh; 12: twelfth; 13: thirteenth; 14: fourteenth; 15: fifteenth;"
    "16: sixteenth; 17: seventeenth; 18: eighteenth; 19: nineteenth; 20: twentieth; 30: thirtieth"
)
_YEAR_FIRST = lazy_re(
    rf"(?a)(?P<year>[12]\d{{3}})(?:(?P<sep>[-/.])(?P<month>1[0-2]|0?[1-9])(?P=sep)(?P<day>{_DAY})"
    r"(?!\d|[-/.]\d)|(?:(?<=19\d\d)|(?<=20\d\d))-(?P<alone>0[1-9]|1[0-2])(?![\w-])"
    r"|[ /-]?(?P<part>[qh][1-4])(?!\w)|(?<=0)'?s(?!\w))"
)
_NUMERIC = lazy_re(
    r"(?a)(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>[12]\d{3}|\d{2})"
    r"(?!\w|[-/.:]\d)"
)
# "19/06", "05/2030": the zero shows that they are no fractions.
_SLASHED = lazy_re(r"(?a)(\d\d)/(\d\d|20\d\d)(?![\w/:%]|[.,]\d)")
_QUARTER = lazy_re(
    r"(?a)(?P<part>[qh][1-4])"
    r"(?:[ ]?(?:of[ ]|fy[ ]?|/|-|,[ ])?(?P<year>[12]\d{3}|'\d{2})(?!\d))?(?!\w)"
)
_BEFORE_QUARTER = lazy_re(r"(?<!\w)(?:in|for|by|since|during|of|last|this|next|from|to)[ ]$")
_LONGEST_BEFORE = 12  # characters: "throughout " and the one before it
# Two-digit years up to this are in this century, as in POSIX `%y`.
_LAST_SHORT_YEAR = 68


def read_digit_date(text: str, low: str, start: int, width: int, after: str) -> tuple[Anchor, ...]:
    """Read a date that begins with the digits at `start`; two anchors for "5-7 March 2024".

    There are `width` digits, and `after` is the character behind them.
    """
    if width == 4:
        found = _YEAR_FIRST.match(low, start)
        return _one(text, found, _year_first(found)) if found else ()
    if width > 2:
        return ()
    if after in "-/." and (date := _in_digits(text, start)):
        return date
    if found := _DAY_FIRST.match(low, start):
        # In small letters "over 16 may run" is no date.
        wordy = found["month"] in _WORDY_MONTHS and text[found.start("month")].islower()
        return () if wordy and not found["year"] else _days(text, found)
    return ()


def _in_digits(text: str, start: int) -> tuple[Anchor, ...]:
    """Read "03/05/24", "19/06" or "05/2030"; () where it may be a fraction."""
    keys: tuple[str, ...] = ()
    if found := _NUMERIC.match(text, start):
        keys = _both_ways(_number(found["year"]), found["first"], found["second"])
        if found["sep"] == ".":  # dots are day first wherever they are used
            keys = keys[-1:]
    elif found := _SLASHED.match(text, start):
        first, second = found.groups()
        if len(second) > 2:
            keys = (f"{second}-{first}",) if 1 <= int(first) <= 12 else ()
        elif "0" in (first[0], second[0]):
            keys = _both_ways(None, second, first)
    if not found or not keys:
        return ()
    return (literal("date", text, start, found.end(), keys[0], others=keys[1:]),)


def _both_ways(year: int | None, first: str, second: str) -> tuple[str, ...]:
    """Return the keys of month and day in either order, where they may be a date."""
    ways = (first, second), (second, first)
    fits = [(m, d) for m, d in ways if 1 <= int(m) <= 12 and 1 <= int(d) <= 31]
    return tuple(dict.fromkeys(_key(year, month, day) for month, day in fits))


def _year_first(found: re.Match[str]) -> str:
    year = found["year"]
    if found["day"]:
        return _key(int(year), found["month"], found["day"])
    rest = found["alone"] or (found["part"] or "").upper()
    return f"{year}-{rest}" if rest else f"{year}s"


def read_word_date(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a date that begins with the month at `start`.

    In small letters it needs a year. Alone those that English has as ordinary words ("may",
    "march") need a preposition before them.
    """
    capital = text[start].isupper()
    found = _MONTH_YEAR.match(low, start) or _MONTH_FIRST.match(low, start)
    if found is not None:
        return _days(text, found) if capital or found["year"] else ()
    found = _MONTH_ALONE.match(low, start)
    if found is None or not capital or found[0] not in _WHOLE_MONTHS:
        return ()
    before = max(0, start - _LONGEST_BEFORE)
    if found[0] in _WORDY_MONTHS and not _BEFORE_MONTH.search(low, before, start):
        return ()
    return (literal("date", text, start, found.end(), f"--{MONTHS[found[0]]:02d}"),)


def read_quarter(text: str, low: str, start: int, floor: int) -> tuple[Anchor, ...]:
    """Read "Q3 2023", "H1 2023" or "in Q3" around the digits at `start`.

    A bare "Q3" needs a preposition: "Q1:" is a question, "(Q2)" a quartile.
    """
    letter = start - 1
    if letter < floor or low[letter] not in "qh" or low[letter - 1 : letter].isalpha():
        return ()
    found = _QUARTER.match(low, letter)
    if found is None:
        return ()
    part = found["part"].upper()
    if found["year"]:
        return _one(text, found, f"{_number(found['year'])}-{part}")
    told = _BEFORE_QUARTER.search(low, max(floor, letter - 8), letter)
    return _one(text, found, f"--{part}") if told and part[0] == "Q" else ()


def _one(text: str, found: re.Match[str], key: str) -> tuple[Anchor, ...]:
    return (literal("date", text, found.start(), _end(text, found), key),)


def _end(text: str, found: re.Match[str]) -> int:
    """Return the end of a date without the full stop behind it; "5 Dec." keeps its own."""
    end = found.end()
    whole = text[end - 1] == "." and found["month"] in _WHOLE_MONTHS
    return end - 1 if whole else end


def _days(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    groups = found.groupdict()
    year = _number(groups["year"]) if groups["year"] else None
    month, day, last = str(MONTHS[groups["month"]]), groups.get("day"), groups.get("last")
    if last is None:
        return _one(text, found, _key(year, month, day))
    # "5-7 March": the first day's span ends where its figure does, so that spans do not overlap.
    return (
        literal("date", text, found.start(), found.end("day"), _key(year, month, day)),
        literal("date", text, found.start("last"), _end(text, found), _key(year, month, last)),
    )


def _number(year: str) -> int:
    digits = year.lstrip("'")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (2000 if int(digits) <= _LAST_SHORT_YEAR else 1900)


def _key(year: int | None, month: str, day: str | None) -> str:
    head = "-" if year is None else f"{year:04d}"
    return f"{head}-{int(month):02d}" + (f"-{int(day):02d}" if day else "")


@lru_cache(maxsize=4096)
def containing(key: str) -> frozenset[str]:
    """Return the keys that a date supports: itself and every coarser date that contains it.

    A day supports its month, quarter, half, year and decade, the same day without its year, and
    its rank ("on the 5th").
    """
    year, _, rest = ("", "", key[2:]) if key.startswith("--") else key.partition("-")
    keys = {key, f"--{rest}"} if rest else {key}
    if rest[:1] == "Q":
        keys.add(f"{year}-H{(int(rest[1]) + 1) // 2}")
    elif rest[:2].isdecimal():
        month = int(rest[:2])
        keys.add(f"--{month:02d}")
        if day := rest[3:]:
            keys.add(str(int(day)))
        if year:
            keys |= {f"{year}-{part}" for part in (rest[:2], f"Q{(month + 2) // 3}")}
            keys.add(f"{year}-H{(month + 5) // 6}")
    if year.isdecimal():
        keys |= {year, f"{year[:-1]}0s"}
    return frozenset(keys)


_SHORT_RANGE = lazy_re(r"[-/]([0-9]{2})(?![0-9]|[-/.,][0-9])")
_LONG_RANGE = lazy_re(r"(?:[ ]?-[ ]?|[ ](?:to|until|through)[ ])([12][0-9]{3})(?![0-9])")
_RANGE_AHEAD = lazy_re(r"[ ]?-[ ]?[0-9]")
# Four digits between these are a year when nothing says that they count something; guess.
_FIRST_YEAR, _LAST_YEAR = 1500, 2100


def read_year(text: str, low: str, numeral: Numeral) -> Anchor | None:
    """Read a year or a range of years that begins with `numeral`; None for anything counted."""
    start, end = numeral.start, numeral.end
    if end - start != 4 or numeral.place != 1 or numeral.exponent:
        return None
    if not _FIRST_YEAR <= numeral.value < _LAST_YEAR:
        return None
    written = plain(numeral.value)
    for joined in (_LONG_RANGE.match(low, end), _SHORT_RANGE.match(low, end)):
        last = joined and written[: -len(joined[1])] + joined[1]
        if joined and last and written < last and not _counted(text, low, joined.end()):
            return _year(text, start, joined.end(), written, last)
    if _counted(text, low, end) or _RANGE_AHEAD.match(low, end):
        return None
    return _year(text, start, end, written)


def _counted(text: str, low: str, end: int) -> bool:
    return measure_at(text, low, end, None).kind != "number"


def _year(text: str, start: int, end: int, first: str, last: str | None = None) -> Anchor:
    value, high = Decimal(first), Decimal(last) if last else None
    return Anchor(
        "year", start, end, text[start:end], value, high, None, None,
        plain(value) if last is None else f"{first}..{last}", ZERO, False, (),
        number=value, high_number=high,
    )  # fmt: skip
