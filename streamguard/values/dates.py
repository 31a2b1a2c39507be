"""Dates, years and times of day: each written form to one key, and the coarser dates around it.

Keys: "2024-03-05", "2024-03", "2024", "--03-05" (no year), "--03" (a month), "1990s". A numeric
date that two countries read differently gets the American reading as its key and the other one in
`ambiguous`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from streamguard.text.patterns import lazy_re
from streamguard.values.measures import measure_at
from streamguard.values.numerals import Numeral
from streamguard.values.value import Anchor, any_of, listed, literal, numbered, plain, rows

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
    r"|(?<=0)'?s(?!\w))"
)
_NUMERIC = lazy_re(
    r"(?a)(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>[12]\d{3}|\d{2})"
    r"(?!\w|[-/.:]\d)"
)
# "19/06", "05/2030": the zero shows that they are no fractions.
_SLASHED = lazy_re(r"(?a)(\d\d)/(\d\d|20\d\d)(?![\w/:%]|[.,]\d)")
_LONGEST_BEFORE = 12  # characters: "throughout " and the one before it
# Two-digit years up to this are in this century, as in POSIX `%y`.
_LAST_SHORT_YEAR = 68


def read_digit_date(text: str, low: str, start: int, width: int, after: str) -> tuple[Anchor, ...]:
    """Read a date that begins with the digits at `start`; two anchors for "5-7 March 2024".

    There are `width` digits, and `after` is the character behind them.
    """
    if width == 4:
        if (found := _YEAR_FIRST.match(low, start)) is None:
            return ()
        year, month, day = found["year"], found["month"] or found["alone"], found["day"]
        key = _key(int(year), month, day) if month else f"{year}s"
        return (literal("date", text, start, found.end(), key),)
    if width > 2:
        return ()
    if after in "-/." and (date := _in_digits(text, start)):
        return date
    if (found := _DAY_FIRST.match(low, start)) is None:
        return ()
    # In small letters "over 16 may run" is no date.
    wordy = found["month"] in _WORDY_MONTHS and text[found.start("month")].islower()
    return () if wordy and not found["year"] else _days(text, found)


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
    ways = (first, second), (second, first)
    fits = [(m, d) for m, d in ways if 1 <= int(m) <= 12 and 1 <= int(d) <= 31]
    return tuple(dict.fromkeys(_key(year, month, day) for month, day in fits))


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


def _days(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    groups, (start, end) = found.groupdict(), found.span()
    if text[end - 1] == "." and found["month"] in _WHOLE_MONTHS:
        end -= 1  # the full stop of "5 Dec." is its own
    year = _number(groups["year"]) if groups["year"] else None
    month, day, last = str(MONTHS[groups["month"]]), groups.get("day"), groups.get("last")
    if last is None:
        return (literal("date", text, start, end, _key(year, month, day)),)
    # "5-7 March": the first day's span ends where its figure does, so that spans do not overlap.
    return (
        literal("date", text, start, found.end("day"), _key(year, month, day)),
        literal("date", text, found.start("last"), end, _key(year, month, last)),
    )


def _number(year: str) -> int:
    digits = int(year.lstrip("'"))
    century = 2000 if digits <= _LAST_SHORT_YEAR else 1900
    return digits if len(year) == 4 else digits + century


def _key(year: int | None, month: str, day: str | None) -> str:
    head = "-" if year is None else f"{year:04d}"
    return f"{head}-{int(month):02d}" + (f"-{int(day):02d}" if day else "")


@lru_cache(maxsize=4096)
def containing(key: str) -> frozenset[str]:
    """Return the keys that a date supports: itself and every coarser date that contains it.

    A day supports its month, year and decade, the same day without its year, and its rank ("on
    the 5th").
    """
    year, _, rest = ("", "", key[2:]) if key.startswith("--") else key.partition("-")
    keys = {key}
    if rest:
        keys |= {f"--{rest}", f"--{rest[:2]}", f"{year or '-'}-{rest[:2]}"}
        if day := rest[3:]:
            keys.add(str(int(day)))
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
    high, key = (Decimal(last), f"{first}..{last}") if last else (None, first)
    anchor = literal("year", text, start, end, key, Decimal(first))
    return anchor._replace(high=high, high_number=high)


# Times of day: "15:00", "3 pm CET", "noon", "half past six", "1 to 1:30 pm".

# Summer and winter are one zone, as people write either.
_ZONES = rows(
    "UTC: utc gmt; BST: bst; CET: cet cest; EET: eet eest; IST: ist; JST: jst; AET: aest aedt;"
    "ET: et est edt; CT: ct cst cdt; MT: mt mst mdt; PT: pt pst pdt"
)
_ZONE = (
    r"(?:[ ]?(?P<zone>(?:utc|gmt)[ ]?[+-]\d{1,2}(?::?\d{2})?(?!\d)"
    rf"|{any_of(_ZONES)}(?!\w)))?"
)
_HALF_DAY = r"[ ]?(?P<half>[ap])(?:\.[ ]?m\b\.?|m)(?!\w)"
_PARTS_OF_DAY = r"(?P<part>morning|afternoon|evening|night)(?!\w)"
_CLOCK = lazy_re(
    r"(?a)(?P<hour>[01]?\d|2[0-4])(?P<sep>[:.])(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d)(?:\.\d{1,6})?)?(?![\d%]|[:./]\d|-\d(?!\d?:[0-5]\d))"
    rf"(?:{_HALF_DAY}|[ ]?(?P<word>hrs|hours)(?!\w))?{_ZONE}"
)
_ON_THE_HOUR = lazy_re(
    rf"(?a)(?P<hour>1[0-2]|0?\d)(?:{_HALF_DAY}|(?P<clock>[ ]o'clock(?!\w))?"
    rf"(?:[ ](?:in[ ]the|at)[ ]{_PARTS_OF_DAY})?){_ZONE}"
)
# The first time of "9-5 pm", "9:30 to noon", "between 1 and 2.30 pm", "9-11:30".
_SHARED = lazy_re(
    r"(?a)(?P<first>(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?)"
    r"[ ]?(?:-|(?<= )(?:to|until|till|(?P<both>and|or))(?= ))[ ]?(?:(?P<named>noon|midnight)(?!\w)"
    rf"|(?:1[0-2]|0?[1-9])(?:(?:[:.][0-5]\d)?{_HALF_DAY}|(?P<colon>:[0-5][05](?![\d:]))))"
)
_HOURS = numbered(
    "1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten;"
    "11: eleven; 12: twelve"
)
SPOKEN = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
_SPOKEN = lazy_re(
    rf"(?a)(?:(?P<past>{any_of(SPOKEN)})[ ]past|quarter[ ]to)[ ]"
    rf"(?P<hour>{any_of(_HOURS)}|1[0-2]|[1-9])(?!\w|[:.]\d)"
    rf"(?:{_HALF_DAY}|[ ](?:in[ ]the|at|that|this)[ ]{_PARTS_OF_DAY})?"
)
_CLOCKED = lazy_re(
    r"(?<!\w)(?:at|from|until|till|by|between|since|before|after|opens?|closes?|(?<!up )to)[ ]$"
)
_CLOCKED_REACH = 9
NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_DAY_MINUTES, _HALF_MINUTES = 1440, 720
_NOON = 12
_DUSK = 5  # hour from which "at night" is before midnight


def read_time(text: str, low: str, start: int) -> Anchor | None:
    """Read a time of day that begins with the digits at `start`; None where none stands there.

    "3:00" without am or pm names both halves of the day: the other one is in `ambiguous`. A dot
    between hour and minute is a time only before am or pm ("3.30 pm"). Of two times that share
    what tells that they are some, the other one reads alone.
    """
    found = _SHARED.match(low, start)
    if found is not None and (not found["both"] or _clocked(low, start)):
        later = found["half"] == "p" or found["named"] == "midnight"
        minutes = _minutes(found, later=later)
        is_sure = not (later or found["colon"])
        return time_anchor(text, *found.span("first"), minutes, is_sure=is_sure)
    found = _CLOCK.match(low, start)
    if found is not None:
        hour, half = found["hour"], found["half"]
        said = half or found["word"]
        if (found["sep"] == "." and not said) or (half and int(hour) > _NOON):
            return None
        minutes = _minutes(found, later=half == "p" if half else None)
        is_sure = bool(said) or hour[0] == "0" or not 1 <= int(hour) <= _NOON
        second, zone = int(found["second"] or 0), found["zone"]
        return time_anchor(text, *found.span(), minutes, second, is_sure=is_sure, zone=zone)
    found = _ON_THE_HOUR.match(low, start)
    assert found is not None  # it matches any digit
    # "2 in the morning" may be tablets, "until 2 at night" is none.
    if not (found["half"] or found["clock"] or (found["part"] and _clocked(low, start))):
        return None
    return _told(text, found, int(found["hour"]) % _NOON * 60)


def read_spoken_time(text: str, low: str, start: int) -> Anchor | None:
    """Read "half past six" or "quarter to eight" at the word at `start`."""
    if (found := _SPOKEN.match(low, start)) is None:
        return None
    hour = _HOURS.get(found["hour"]) or int(found["hour"])
    minutes = SPOKEN[found["past"]] if found["past"] else -SPOKEN["quarter"]
    return _told(text, found, hour % _NOON * 60 + minutes)


def _clocked(low: str, start: int) -> bool:
    return _CLOCKED.search(low[max(0, start - _CLOCKED_REACH) : start]) is not None


def _told(text: str, found: re.Match[str], minutes: int) -> Anchor:
    """Return a time in the half of the day that the words name, if they do."""
    half, part = found["half"], found["part"]
    later = half == "p" or part in ("afternoon", "evening")
    later = later or (part == "night" and minutes >= _DUSK * 60)
    minutes += later * _HALF_MINUTES
    zone = found.groupdict().get("zone")
    return time_anchor(text, *found.span(), minutes, is_sure=bool(half or part), zone=zone)


def _minutes(found: re.Match[str], *, later: bool | None = None) -> int:
    """Return the minutes after midnight; `later`: in which half of the day, where one is told."""
    hour = int(found["hour"])
    if later is not None:
        hour = hour % _NOON + later * _NOON
    return hour * 60 + int(found["minute"] or 0)


def time_anchor(
    text: str, start: int, end: int, minutes: int, second: int = 0, *,
    is_sure: bool = True, zone: str | None = None,
) -> Anchor:  # fmt: skip
    """Return a time, `minutes` after midnight; not `is_sure`: or 12 hours before or after that."""
    minutes %= _DAY_MINUTES
    unit = _ZONES.get(zone) or zone.upper().replace(" ", "") if zone else None
    others = () if is_sure else (_clock_key((minutes + _HALF_MINUTES) % _DAY_MINUTES, second),)
    key, value = _clock_key(minutes, second), Decimal(minutes)
    anchor = literal("time", text, start, end, key, value, unit=unit, others=others)
    return anchor._replace(number=None)


def _clock_key(minutes: int, second: int) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock
