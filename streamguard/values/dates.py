"""Dates, years and times of day: parses each form to a key, and derives coarser dates.

Keys: "2024-03-05", "2024-03", "2024", "--03-05" (no year), "--03" (a month), "1990s". An ambiguous
numeric date has its American reading as key and the other one in `ambiguous`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from streamguard.text.patterns import lazy_re
from streamguard.values.measures import measure_at
from streamguard.values.months import ANYWHERE, MONTHS, NAMES, WHOLE, WORDY
from streamguard.values.numerals import Numeral
from streamguard.values.value import Anchor, any_of, literal, numbered, plain, rows

_MONTH = rf"(?P<month>{any_of(ANYWHERE)})(?!\w)\.?"
_ENGLISH_MONTH = rf"(?P<month>{any_of(MONTHS)})(?!\w)\.?"
_BEFORE_MONTH = lazy_re(
    r"(?<!\w)(?:in|of|by|since|until|till|from|last|next|early|late|mid|through|during|this|every"
    r"|each|between|to|and|before|after|around|throughout)[ -]$"
)
# "im Mai", "en mayo", "em maio"
_BEFORE_MONTH_ELSEWHERE = lazy_re(
    r"(?<!\w)(?:im|en|em|seit|ab|bis|seit|depuis|dès|desde|début|fin|anfang|ende|mitte|w)[ ]$"
)
_MONTH_ALONE = lazy_re(rf"{any_of(ANYWHERE)}(?!\w)")
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SUFFIX = r"(?:st|nd|rd|th|er|[º.])?"
_YEAR = r"(?:[12]\d{3}(?!\d)(?![.,]\d)|'\d{2}(?!\d))"
_TO_YEAR = r"(?:,[ ]?|[ ]|-|[ ]of[ ]|[ ]del?[ ])"
_TO_LAST = r"[ ]?(?:-|to|and|&|or|bis|und|oder|au|al|et|ou|y|e|o|a)(?:[ ](?:el|le|il|den|zum))?[ ]?"
_DAY_FIRST = lazy_re(
    rf"(?P<day>{_DAY}){_SUFFIX}(?:{_TO_LAST}(?P<last>{_DAY}){_SUFFIX})?"
    rf"(?:-|[ ](?:(?:day[ ])?of[ ]|d[ei][ ])?){_MONTH}"
    rf"(?:{_TO_YEAR}(?P<year>{_YEAR}|(?<=-)\d{{2}}(?!\d)))?"
)
# "2026年5月3日", "5月3日", "2026년 5월"
_BY_SIGNS = lazy_re(
    rf"(?:(?P<year>[12]\d{{3}})[年년][ ]?)?(?P<month>1[0-2]|0?[1-9])[月월]"
    rf"(?:[ ]?(?P<day>{_DAY})[日号號일])?"
)
_MONTH_FIRST = lazy_re(
    rf"(?a){_ENGLISH_MONTH}(?:[ ](?:the[ ])?|-)?(?P<day>{_DAY}){_SUFFIX}"
    r"(?![\w%]|[:.]\d|[ ]?[ap]\.?m\b)"
    rf"(?:[ ]?(?:-|to|and|&)[ ]?(?P<last>{_DAY}){_SUFFIX}(?![\w%]|[:.]\d))?"
    rf"(?:{_TO_YEAR}(?P<year>{_YEAR}))?"
)
_MONTH_YEAR = lazy_re(rf"{_MONTH}{_TO_YEAR}(?P<year>{_YEAR})(?!-\d)")
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
# Behind the day of a timestamp (ISO 8601): "2024-03-11T02:31:55.018Z".
_STAMP = lazy_re(
    r"(?a)t(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
    r"(?P<zone>z|[+-]\d\d(?::?\d\d)?)?(?![\w:])"
)
# "am 14.11.": of a number the second point would end a sentence.
_SHORT = lazy_re(r"(?a)(?P<day>3[01]|[12]\d|0?[1-9])\.(?P<month>1[0-2]|0?[1-9])\.(?!\d)")
_BEFORE_SHORT = lazy_re(r"(?<!\w)(?:am|vom|zum|bis|ab|seit|den|dem|der|gegen)[ ]$")
# "19/06", "05/2030": the zero shows that they are no fractions.
_SLASHED = lazy_re(r"(?a)(\d\d)/(\d\d|20\d\d)(?![\w/:%]|[.,]\d)")
_SIGNS = frozenset("年년月월")
_LONGEST_BEFORE = 12  # characters: "throughout " and the one before it
# Two-digit years up to this are in this century, as in POSIX `%y`.
_LAST_SHORT_YEAR = 68


def read_digit_date(text: str, low: str, start: int, width: int, after: str) -> tuple[Anchor, ...]:
    """Parse a date that begins with the digits at `start`; two anchors for "5-7 March 2024".

    `width`: number of digits; `after`: the character after them.
    """
    if after in _SIGNS:
        found = _BY_SIGNS.match(text, start)
        if found is None or (width == 4) is not bool(found["year"]):
            return ()
        key = _key(int(found["year"]) if found["year"] else None, found["month"], found["day"])
        return (literal("date", text, start, found.end(), key),)
    if width == 4:
        if (found := _YEAR_FIRST.match(low, start)) is None:
            return ()
        year, month, day = found["year"], found["month"] or found["alone"], found["day"]
        key = _key(int(year), month, day) if month else f"{year}s"
        read = literal("date", text, start, found.end(), key)
        stamp = (
            _STAMP.match(low, found.end()) if low[found.end() : found.end() + 1] == "t" else None
        )
        return (read,) if stamp is None or not found["day"] else (read, _stamped(text, stamp))
    if width > 2:
        return ()
    if after in "-/." and (date := _in_digits(text, start)):
        return date
    if (found := _DAY_FIRST.match(low, start)) is None:
        return ()
    # In small letters "over 16 may run" is no date, with a capital "15 Mars bars".
    is_small = text[found.start("month")].islower()
    wordy = found["month"] in WORDY if is_small else found["month"] in NAMES
    return () if wordy and not found["year"] else _days(text, found)


def _stamped(text: str, found: re.Match[str]) -> Anchor:
    """Return the time of day of a timestamp."""
    second, zone = int(found["second"] or 0), found["zone"]
    zone = zone and ("utc" if zone == "z" else f"utc{zone}")
    return time_anchor(text, found.start() + 1, found.end(), _minutes(found), second, zone=zone)


def _in_digits(text: str, start: int) -> tuple[Anchor, ...]:
    """Parse "03/05/24", "19/06" or "05/2030"; () if it may be a fraction."""
    keys: tuple[str, ...] = ()
    if found := _NUMERIC.match(text, start):
        keys = _both_ways(_number(found["year"]), found["first"], found["second"])
        if found["sep"] == ".":  # dots are day first wherever they are used
            keys = keys[-1:]
    elif found := _SHORT.match(text, start):
        before = text[max(0, start - _LONGEST_BEFORE) : start].lower()
        if _BEFORE_SHORT.search(before):
            keys = (_key(None, found["month"], found["day"]),)
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
    """Parse a date that begins with the month at `start`.

    A lower-case month needs a year. By itself, a month that is also an English word ("may",
    "march") needs a preceding preposition.
    """
    capital = text[start].isupper()
    found = _MONTH_YEAR.match(low, start) or _MONTH_FIRST.match(low, start)
    if found is not None:
        is_name = capital and found["month"] in NAMES
        return _days(text, found) if (capital or found["year"]) and not is_name else ()
    found = _MONTH_ALONE.match(low, start)
    if found is None or found[0] not in WHOLE:
        return ()
    before = max(0, start - _LONGEST_BEFORE)
    if found[0] not in MONTHS:
        is_told = _BEFORE_MONTH_ELSEWHERE.search(low, before, start) is not None
    else:
        is_told = capital and (
            found[0] not in WORDY or _BEFORE_MONTH.search(low, before, start) is not None
        )
    if not is_told:
        return ()
    return (literal("date", text, start, found.end(), f"--{ANYWHERE[found[0]]:02d}"),)


def _days(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    groups, (start, end) = found.groupdict(), found.span()
    if text[end - 1] == "." and found["month"] in WHOLE:
        end -= 1  # the full stop of "5 Dec." is its own
    year = _number(groups["year"]) if groups["year"] else None
    month, day, last = str(ANYWHERE[groups["month"]]), groups.get("day"), groups.get("last")
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


@lru_cache(maxsize=1024)  # 1 MB; guess
def containing(key: str) -> frozenset[str]:
    """Return the keys that a date supports: itself and every coarser date that contains it.

    A day supports its month, year and decade, the same day without its year, and its ordinal ("on
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
    """Parse a year or a range of years that begins with `numeral`; None for a counted number."""
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
    rf"(?:{_HALF_DAY}|[ ]?(?P<word>hrs|hours)(?!\w)|[ ](?P<named>noon|midday|midnight)(?!\w))?"
    rf"{_ZONE}"
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
# "9h30", "à 9 h 30", "9.30 Uhr", "21 Uhr 15", "9時30分", "15点30分". "2h30" may be two hours and a
# half: whoever compares it with a duration reads it as one.
_ELSEWHERE = lazy_re(
    r"(?a)(?P<hour>2[0-4]|[01]?\d)(?:"
    r"(?:h|(?P<spaced>[ ](?:h|heures|horas)[ ]?))(?P<minute>[0-5]\d)(?!\w|[.,:]\d|[ ]?min|[ ]of )"
    r"|(?:[:.](?P<dotted>[0-5]\d))?[ ]?(?P<uhr>uhr)(?:[ ](?P<after>[0-5]\d))?(?!\w)"
    r"|(?P<sign>[時时點点시])[ ]?(?![間间])(?:(?P<signed>[0-5]?\d)[分분]|(?P<half>[半반]))?"
    r"|(?P<bare>[ ]?h|[ ]heures|[ ]horas)(?!\w))"
)
_CLOCKED_ELSEWHERE = lazy_re(
    r"(?<!\w)(?:à|às|las|das|de|et|dès|vers|jusqu'à|avant|après|at|from|until|before|after)[ ]$"
)
# The first time of "9-18 Uhr", "8.30 bis 12 Uhr", "de 9h à 18h30".
_SHARED_ELSEWHERE = lazy_re(
    r"(?a)(?P<first>(?P<hour>2[0-4]|[01]?\d)(?:[.:](?P<minute>[0-5]\d))?)"
    r"[ ]?(?:-|bis)[ ]?(?:2[0-4]|[01]?\d)(?:[.:][0-5]\d)?[ ]?uhr(?!\w)"
)
_SHARED_H = lazy_re(
    r"(?a)(?P<first>(?P<hour>2[0-4]|[01]?\d)[ ]?h(?:[ ]?(?P<minute>[0-5]\d))?)"
    r"[ ](?:à|às)[ ](?:2[0-4]|[01]?\d)[ ]?h(?![^\W\d_])"
)
_LATER, _SOONER = ("午後", "下午", "晚上", "오후"), ("午前", "上午", "早上", "오전")
_POINTS = frozenset("点點")  # "3点" may be three points
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
    """Parse a time of day that begins with the digits at `start`; None without one.

    "3:00" without am or pm means both halves of the day; the other is in `ambiguous`. With a dot
    between hour and minute it is a time only before am or pm ("3.30 pm"). If two times share one am
    or pm ("3 to 5 pm"), this returns the first.
    """
    if found := _SHARED_ELSEWHERE.match(low, start) or _SHARED_H.match(low, start):
        return time_anchor(text, *found.span("first"), _minutes(found))
    if (found := _ELSEWHERE.match(low, start)) and (told := _told_elsewhere(text, low, found)):
        return told
    found = _SHARED.match(low, start)
    if found is not None and (not found["both"] or _clocked(low, start)):
        later = found["half"] == "p" or found["named"] == "midnight"
        minutes = _minutes(found, later=later)
        is_sure = not (later or found["colon"])
        return time_anchor(text, *found.span("first"), minutes, is_sure=is_sure)
    found = _CLOCK.match(low, start)
    if found is not None:
        hour, half = found["hour"], found["half"]
        said = half or found["word"] or found["named"]
        if (found["sep"] == "." and not said) or (half and int(hour) > _NOON):
            return None
        later = half == "p" if half else None
        if found["named"]:
            later = found["named"] != "midnight"
        minutes = _minutes(found, later=later)
        is_sure = bool(said) or hour[0] == "0" or not 1 <= int(hour) <= _NOON
        second, zone = int(found["second"] or 0), found["zone"]
        return time_anchor(text, *found.span(), minutes, second, is_sure=is_sure, zone=zone)
    found = _ON_THE_HOUR.match(low, start)
    assert found is not None  # it matches any digit
    # "2 in the morning" may be tablets, "until 2 at night" is none.
    if not (found["half"] or found["clock"] or (found["part"] and _clocked(low, start))):
        return None
    return _time_in_half(text, found, int(found["hour"]) % _NOON * 60)


def _told_elsewhere(text: str, low: str, found: re.Match[str]) -> Anchor | None:
    """Parse a time as other languages write it; None if the hours may be a duration."""
    start, end = found.span()
    if found["bare"] or found["spaced"]:
        before = low[max(0, start - _CLOCKED_REACH) : start]
        if _CLOCKED_ELSEWHERE.search(before) is None:
            return None
    minutes = 30 if found["half"] else int(found["after"] or found["signed"] or 0)
    minutes += _minutes(found)
    if not found["sign"]:
        return time_anchor(text, start, end, minutes)
    before = low[max(0, start - 3) : start].rstrip()
    is_told = before.endswith((*_LATER, *_SOONER))
    is_exact = found["signed"] or found["half"]
    if found["sign"] in _POINTS and not (is_told or is_exact):
        return None
    minutes += before.endswith(_LATER) * _HALF_MINUTES * (minutes < _HALF_MINUTES)
    return time_anchor(text, start, end, minutes, is_sure=is_told or minutes >= _HALF_MINUTES)


def read_spoken_time(text: str, low: str, start: int) -> Anchor | None:
    """Parse "half past six" or "quarter to eight" at the word at `start`."""
    if (found := _SPOKEN.match(low, start)) is None:
        return None
    hour = _HOURS.get(found["hour"]) or int(found["hour"])
    minutes = SPOKEN[found["past"]] if found["past"] else -SPOKEN["quarter"]
    return _time_in_half(text, found, hour % _NOON * 60 + minutes)


def _clocked(low: str, start: int) -> bool:
    return _CLOCKED.search(low[max(0, start - _CLOCKED_REACH) : start]) is not None


def _time_in_half(text: str, found: re.Match[str], minutes: int) -> Anchor:
    """Return a time, in the half of the day that the words name, if any."""
    half, part = found["half"], found["part"]
    later = half == "p" or part in ("afternoon", "evening")
    later = later or (part == "night" and minutes >= _DUSK * 60)
    minutes += later * _HALF_MINUTES
    zone = found.groupdict().get("zone")
    return time_anchor(text, *found.span(), minutes, is_sure=bool(half or part), zone=zone)


def _minutes(found: re.Match[str], *, later: bool | None = None) -> int:
    """Return minutes after midnight; `later`: the half of the day, if known."""
    hour = int(found["hour"])
    if later is not None:
        hour = hour % _NOON + later * _NOON
    groups = found.groupdict()
    return hour * 60 + int(groups.get("minute") or groups.get("dotted") or 0)


def time_anchor(
    text: str,
    start: int,
    end: int,
    minutes: int,
    second: int = 0,
    *,
    is_sure: bool = True,
    zone: str | None = None,
) -> Anchor:
    """Return the time `minutes` after midnight; unless `is_sure`, 12 hours away is possible too."""
    minutes %= _DAY_MINUTES
    unit = _ZONES.get(zone) or zone.upper().replace(" ", "") if zone else None
    others = () if is_sure else (_clock_key((minutes + _HALF_MINUTES) % _DAY_MINUTES, second),)
    key, value = _clock_key(minutes, second), Decimal(minutes)
    anchor = literal("time", text, start, end, key, value, unit=unit, others=others)
    return anchor._replace(number=None)


def _clock_key(minutes: int, second: int) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock
