"""Times of day: "15:00", "3 pm CET", "noon", "half past six", "1 to 1:30 pm", "13-18".

Also durations as hours and minutes. Zones are minutes from UTC.
"""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, any_of, literal, numbered

# "ET", "CT", "MT", "PT" change with the season and have two offsets, summer's first.
_ZONES: dict[str, tuple[int, ...]] = {
    **{
        zone: (minutes,)
        for zone, minutes in numbered(
            "0: utc gmt z wet; 60: bst west cet; 120: cest eet; 180: eest msk; 330: ist; 480: sgt;"
            "540: jst kst; 600: aest; 660: aedt; 720: nzst; 780: nzdt; -240: edt; -300: est cdt;"
            "-360: cst mdt; -420: mst pdt; -480: pst; -540: akst; -600: hst"
        ).items()
    },
    "et": (-240, -300), "ct": (-300, -360), "mt": (-360, -420), "pt": (-420, -480),
}  # fmt: skip
_ZONE = (
    r"(?:[ ]?(?P<zone>(?:utc|gmt)[ ]?[+-]\d{1,2}(?::?\d{2})?(?!\d)"
    r"|(?:\+|(?<=:[0-5]\d:[0-5]\d)-)\d{2}:\d{2}(?!\d)"  # "15:00-18:00" is a range
    rf"|{any_of(_ZONES)}(?!\w)))?"
)
_SHIFT = lazy_re(r"(?:utc|gmt)?(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?", re.ASCII)
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
_HOURS = numbered(
    "1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten;"
    "11: eleven; 12: twelve"
)
SPOKEN = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
_SPOKEN = lazy_re(
    rf"(?a)(?P<minutes>{any_of(SPOKEN)})(?P<more>[ -]five)?[ ](?P<way>past|to|before|after)[ ]"
    rf"(?P<hour>{any_of(_HOURS)}|1[0-2]|[1-9])(?!\w|[:.]\d)"
    rf"(?:{_HALF_DAY}|[ ](?:in[ ]the|at|that|this)[ ]{_PARTS_OF_DAY})?"
)
# What makes "at ten to three" a time: the word before it, and that no noun is counted behind it.
_CLOCKED = lazy_re(
    r"(?<!\w)(?:at|from|until|till|by|between|since|before|after|opens?|closes?|(?<!up )to)[ ]$"
)
_CLOCKED_REACH = 9
_ENDS = lazy_re(r"$|[.,;:)!?\n]|[ ](?:and|or|but|on|in|for|at|when|because|if|the|by)(?!\w)")
NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_DAY_MINUTES, _HALF_MINUTES = 1440, 720
_NOON = 12
_DUSK = 5  # hour from which "at night" is before midnight


def read_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a time of day that begins with the digits at `start`; () where none stands there.

    "3:00" without am or pm names both halves of the day: the other one is in `ambiguous`. A dot
    between hour and minute is a time only before am or pm ("3.30 pm"). Of two times that share
    what tells that they are some, both are read, or the first where the other reads alone.
    """
    if pair := _clock_range(text, low, start):
        return pair
    if found := _CLOCK.match(low, start):
        return _clock(text, found)
    found = _ON_THE_HOUR.match(low, start)
    assert found is not None  # it matches any digit
    told = found["half"] or found["part"]
    # "2 in the morning" may be tablets, "until 2 at night" is none.
    if not (found["half"] or found["clock"] or (told and _clocked(low, start))):
        return ()
    hour = int(found["hour"])
    total = hour % _NOON * 60 + _later(found, hour)
    return (
        time_anchor(text, *found.span(), total, None if told else total + _HALF_MINUTES, 0, found),
    )


def read_spoken_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read "half past six", "quarter to eight" or "at ten to three" at the word at `start`.

    "From ten to three" is a range, and "ten to twelve" of something a count.
    """
    found = _SPOKEN.match(low, start)
    if found is None:
        return ()
    written, way = found["minutes"], found["way"]
    if written == "half" and way != "past":
        return ()
    if written not in ("half", "quarter") and way != "past":
        ranges = low.endswith("from ", 0, start)
        if ranges or not (_clocked(low, start) and _ENDS.match(low, found.end())):
            return ()
    minutes = SPOKEN[written] + (5 if found["more"] else 0)
    hour = _HOURS.get(found["hour"]) or int(found["hour"])
    total = hour % _NOON * 60 + (minutes if way in ("past", "after") else -minutes)
    total += _later(found, hour)
    told = found["half"] or found["part"]
    return (time_anchor(text, *found.span(), total, None if told else total + _HALF_MINUTES),)


def _clocked(low: str, start: int) -> bool:
    return _CLOCKED.search(low[max(0, start - _CLOCKED_REACH) : start]) is not None


def _later(found: re.Match[str], hour: int) -> int:
    """Return the minutes from midnight or noon to the half of the day that the words name."""
    part = found["part"]
    later = found["half"] == "p" or part in ("afternoon", "evening")
    later = later or (part == "night" and _DUSK <= hour < _NOON)
    return _HALF_MINUTES if later else 0


def _clock(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    hour, half = int(found["hour"]), found["half"]
    said = half or found["word"]
    if (found["sep"] == "." and not said) or (half and hour > _NOON):
        return ()
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    total, second = hour * 60 + int(found["minute"]), int(found["second"] or 0)
    certain = said or not _has_two_readings(found["hour"])
    other = None if certain else total + _HALF_MINUTES
    return (time_anchor(text, *found.span(), total, other, second, found),)


def _has_two_readings(hour: str) -> bool:
    return 1 <= int(hour) <= _NOON and hour[0] != "0"


def time_anchor(
    text: str, start: int, end: int, minutes: int, other: int | None = None, second: int = 0,
    zoned: re.Match[str] | None = None,
) -> Anchor:  # fmt: skip
    """Return a time of day, `minutes` after midnight; `other` is its other reading."""
    minutes %= _DAY_MINUTES
    zone = zoned["zone"] if zoned else None
    unit = zone.upper().replace(" ", "") if zone else None
    others = () if other is None else (_key(other % _DAY_MINUTES, second),)
    key, value = _key(minutes, second), Decimal(minutes)
    return literal("time", text, start, end, key, value, unit=unit, others=others)


def _key(minutes: int, second: int) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock


def offsets(zone: str) -> tuple[int, ...]:
    """Return the offsets from UTC, in minutes, of a zone as `read_time` writes it.

    Two where it changes with the season, summer's first.
    """
    found = _SHIFT.fullmatch(zone.lower())
    if found is None:
        return _ZONES[zone.lower()]
    total = int(found["hours"]) * 60 + int(found["minutes"] or 0)
    return (total if found["sign"] == "+" else -total,)


_HOUR = r"(?:2[0-4]|1\d|0?\d)"
_PAIR = lazy_re(
    rf"(?a)(?P<hour>{_HOUR})(?:(?P<sep>[:.])(?P<minute>[0-5]\d))?(?:[ ]?h(?!\w))?"
    r"[ ]?(?P<joint>-|(?<= )(?:to|until|till|and|or)(?= ))[ ]?"
    r"(?:(?P<named>noon|midday|midnight)(?!\w)"
    rf"|(?P<last>{_HOUR})(?:(?P<upto>[:.])(?P<past>[0-5]\d))?"
    r"(?![\d%]|[:./-]\d)(?:[ ]?(?P<half>[ap])(?:\.[ ]?m\b|m(?!\w)))?)"
)
# What makes "and" and "or" join two times: "between 1 and 2 pm", "at 9 or 11 am".
_JOINING = lazy_re(r"(?<!\w)(?:between|at|from)[ ]$")
_DAYS = (
    r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun|week|holi)(?:days?)?"
    r"|weekends?|daily|every day)"
)
# What stands before the hours of a place: "Mon-Fri 9-17", "Opening hours: 9-17".
_HOURS_OF = lazy_re(
    rf"(?<!\w)(?:{_DAYS}|open|opens|opening|hours|opening times)"
    r"(?P<colon>[.*_)]{0,3}(?:[:]|[ ]?[|])?[*_]{0,2})[, ]{0,2}(?:(?:from|between)[ ])?"
    r"(?:\d[\d.: -]{2,14}(?:,|[ ]and|[ ]\+|[ ]?/)[ ](?:from[ ])?)?$"  # "Mon-Fri 8-12 and 15-19"
)
_HOURS_REACH = 48
# What may follow the bare hours of a place: anything else is what they count.
_AFTER = lazy_re(
    r"[ ]{0,2}(?:h(?!\w)|hrs(?!\w))?[ ]{0,2}(?:$|[,;)|\n(\[*_/]|[.:](?!\d)|[ap]\.?m\b"
    r"|(?:and|or|but|except|with|by|as|every|each|from|daily|in the)(?!\w))",
)
_ON_DAYS = lazy_re(rf"[ ]{{0,2}}(?:h[ ]|hrs[ ])?(?:on[ ])?{_DAYS}(?!\w)")


def _clock_range(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    found = _PAIR.match(low, start)
    if found is None:
        return ()
    before = low[max(0, start - _HOURS_REACH) : start]
    if found["joint"] in ("and", "or") and not _JOINING.search(before):
        return ()
    if found["named"] or found["half"]:
        return _sharing_half(text, found)
    ends = _AFTER.match(low, found.end()) is not None
    if _shares_colon(found, ends=ends):
        return _end(text, found, "hour", "minute"), _end(text, found, "last", "past")
    hours = _HOURS_OF.search(before)
    if not (_ON_DAYS.match(low, found.end()) or (hours and ends)):
        return ()  # the score of a match
    first, last = int(found["hour"]), int(found["last"])
    if (found["minute"] and found["past"]) or first < last >= _NOON:
        return _end(text, found, "hour", "minute"), _end(text, found, "last", "past")
    # "Mon-Fri: 9-5" is a working day; without the colon the answer's own words are kept.
    if hours is None or ":" not in hours["colon"] or not last < first < _NOON:
        return ()
    opens = time_anchor(text, *found.span("hour"), first * 60)
    return opens, time_anchor(text, *found.span("last"), last * 60 + _HALF_MINUTES)


def _sharing_half(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    """Return the first of "9-5 pm": of the later half where it may be, the other one kept too."""
    hours = int(found["hour"]), int(found["last"] or _NOON)
    if not all(1 <= hour <= _NOON for hour in hours):
        return ()
    minutes = hours[0] % _NOON * 60 + int(found["minute"] or 0)
    last = hours[1] % _NOON * 60 + int(found["past"] or 0)
    # Before pm and midnight, and in "10-2 am", it may lie in the afternoon.
    later = found["half"] == "p" or found["named"] == "midnight"
    later = later or (found["half"] == "a" and last < minutes)
    end = found.end("minute") if found["minute"] else found.end("hour")
    both = (minutes + _HALF_MINUTES, minutes) if later else (minutes, None)
    return (time_anchor(text, found.start(), end, *both),)


def _shares_colon(found: re.Match[str], *, ends: bool) -> bool:
    """Say whether the hour of one end is told by the minutes of the other: "8:30-10", "9-11:30".

    The minutes are of five: "3:16-18" are verses. What both write with minutes reads alone.
    """
    minute, past = found["minute"], found["past"]
    if (minute is None) == (past is None) or "." in (found["sep"], found["upto"]):
        return False
    return int(minute or past) % 5 == 0 and (past is not None or ends)


def _end(text: str, found: re.Match[str], hour: str, minute: str) -> Anchor:
    """Return one end of a range, with the time 12 hours later where it may be that."""
    total = int(found[hour]) * 60 + int(found[minute] or 0)
    other = total + _HALF_MINUTES if _has_two_readings(found[hour]) else None
    end = found.end(minute) if found[minute] else found.end(hour)
    return time_anchor(text, found.start(hour), end, total, other)


_DURATION = lazy_re(
    r"(?a)(\d{1,3}):([0-5]\d)(?::([0-5]\d))?[ ]?"
    r"(?:(?P<hours>h|hrs?|hours?)(?![ ]?(?:-|to|until)[ ]?\d)"
    r"|(?P<minutes>mins?|minutes?|\(?mm?:ss\)?)|\(?hh?:mm(?::ss)?\)?)(?!\w)"
)


def duration_at(low: str, start: int) -> tuple[int, int, int] | None:
    """Return the seconds of "1:30 h" or "3:45 min", of its last place, and its end.

    None for times of day: "08:00 hrs", "15:00 hours", "9:00 h", "at 3:30 h".
    """
    found = _DURATION.match(low, start)
    if found is None or (found["hours"] and _is_clock(low, start, found)):
        return None
    one, two, three = (int(part or 0) for part in found.groups()[:3])
    if found["minutes"] and not found[3]:
        return one * 60 + two, 1, found.end()
    return one * 3600 + two * 60 + three, 1 if found[3] else 60, found.end()


def _is_clock(low: str, start: int, found: re.Match[str]) -> bool:
    hour = found[1]
    if len(hour) == 2 and (hour[0] == "0" or _NOON < int(hour) <= 24):
        return True
    if found[2] == "00" and not found[3]:
        return True
    before = low[max(0, start - _HOURS_REACH) : start]
    return _clocked(low, start) or _HOURS_OF.search(before) is not None
