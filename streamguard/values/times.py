"""Times of day: "15:00", "3 pm CET", "15 Uhr", "noon", "half past six", "1 to 1:30 pm", "13-18".

Their zones are minutes from UTC.
"""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, any_of, literal, numbered

# Offsets in minutes; "ET", "CT", "MT", "PT" change with the season and have two.
_ZONES: dict[str, tuple[int, ...]] = {
    **{
        zone: (minutes,)
        for zone, minutes in numbered(
            "0: utc gmt z wet; 60: bst west cet mez; 120: cest mesz eet; 180: eest msk; 330: ist;"
            "480: sgt; 540: jst kst; 600: aest; 660: aedt; 720: nzst; 780: nzdt; -240: edt;"
            "-300: est cdt; -360: cst mdt; -420: mst pdt; -480: pst; -540: akst; -600: hst"
        ).items()
    },
    "et": (-240, -300),
    "ct": (-300, -360),
    "mt": (-360, -420),
    "pt": (-420, -480),
}
_ZONE = (
    r"(?:[ ]?(?P<zone>(?:utc|gmt)[ ]?[+-]\d{1,2}(?::?\d{2})?(?!\d)"
    r"|(?:\+|(?<=:[0-5]\d:[0-5]\d)-)\d{2}:\d{2}(?!\d)"  # "15:00-18:00" is a range
    rf"|{any_of(_ZONES)}(?!\w)))?"
)
_SHIFT = lazy_re(r"(?:utc|gmt)?(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?", re.ASCII)
_HALF_DAY = r"[ ]?(?P<half>[ap])(?:\.[ ]?m\b\.?|m)(?!\w)"
_CLOCK = lazy_re(
    r"(?a)(?P<hour>[01]?\d|2[0-4])(?P<sep>[:.h])(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d)(?:\.\d{1,6})?)?(?![\d%]|[:./]\d|-\d(?!\d?[:h][0-5]\d))"
    rf"(?:{_HALF_DAY}|[ ]?(?P<word>hrs|hours|uhr)(?!\w))?{_ZONE}"
)
_ON_THE_HOUR = lazy_re(
    rf"(?a)(?P<hour>1[0-2]|0?\d)(?:{_HALF_DAY}|(?P<clock>[ ]o'clock(?!\w))?"
    rf"(?:[ ](?:in[ ]the|at)[ ](?P<part>morning|afternoon|evening|night)(?!\w))?){_ZONE}"
)
_GERMAN_HOUR = lazy_re(r"(?P<hour>1?\d|2[0-4])[ ]uhr(?!\w)", re.ASCII)
_HOURS = numbered(
    "1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten;"
    "11: eleven; 12: twelve"
)
SPOKEN = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
_SPOKEN = lazy_re(
    rf"(?a)(?P<part>{any_of(SPOKEN)})(?P<more>[ -]five)?[ ](?P<way>past|to|before|after)[ ]"
    rf"(?P<hour>{any_of(_HOURS)}|1[0-2]|[1-9])(?!\w|[:.]\d)"
    rf"(?:{_HALF_DAY}"
    r"|[ ](?:in[ ]the|at|that|this)[ ](?P<day>morning|afternoon|evening|night)(?!\w))?"
)
NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_DAY_MINUTES, _HALF_MINUTES = 1440, 720
_NOON = 12
_DUSK = 5  # hour from which "at night" is before midnight


def read_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a time of day that begins with the digits at `start`; () where none stands there.

    "3:00" without am or pm names both halves of the day: the other one is in `ambiguous`. A dot
    between hour and minute is a time only before am, pm or Uhr ("15.30 Uhr"). Of two times that
    share what tells that they are some, both are read, or the first where the other reads alone.
    """
    if pair := _clock_range(text, low, start):
        return pair
    if found := _CLOCK.match(low, start):
        return _clock(text, found)
    found = _ON_THE_HOUR.match(low, start)
    if found is not None and _is_hour(low, start, found):
        return _on_the_hour(text, found)
    if found := _GERMAN_HOUR.match(low, start):
        return (_anchor(text, start, found.end(), int(found["hour"]) * 60),)
    return ()


def read_named_time(text: str, start: int, end: int) -> tuple[Anchor, ...]:
    """Read the "noon", "midday" or "midnight" at [start, end)."""
    return (_anchor(text, start, end, NAMED[text[start:end].lower()]),)


def read_spoken_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read "half past six", "quarter to eight" or "at ten to three" at the word at `start`.

    "From ten to three" is a range, and "ten to twelve" of something a count.
    """
    found = _SPOKEN.match(low, start)
    if found is None:
        return ()
    part, way = found["part"], found["way"]
    if part == "half" and way != "past":
        return ()
    if part not in ("half", "quarter") and way != "past":
        before = low[max(0, start - _CLOCKED_REACH) : start]
        if before.endswith("from ") or not (_clocked(low, start) and _ENDS.match(low, found.end())):
            return ()
    minutes = SPOKEN[part] + (5 if found["more"] else 0)
    hour = _HOURS.get(found["hour"]) or int(found["hour"])
    total = hour % _NOON * 60 + (minutes if way in ("past", "after") else -minutes)
    later = found["half"] == "p" or found["day"] in ("afternoon", "evening")
    if found["day"] == "night":
        later = _DUSK <= hour < _NOON
    told = found["half"] or found["day"]
    other = None if told else total + _HALF_MINUTES
    return (_anchor(text, start, found.end(), total + (_HALF_MINUTES if later else 0), other),)


def _clock(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    hour, separator, half = int(found["hour"]), found["sep"], found["half"]
    said = half or found["word"]
    if (separator == "." and not said) or (half and hour > _NOON):
        return ()
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    total, second = hour * 60 + int(found["minute"]), int(found["second"] or 0)
    certain = said or separator == "h" or not _has_two_readings(found["hour"])
    other = None if certain else total + _HALF_MINUTES
    return (_anchor(text, *found.span(), total, other, second, found["zone"]),)


def _is_hour(low: str, start: int, found: re.Match[str]) -> bool:
    """Say whether an hour is one: "2 in the morning" may be tablets, "until 2 at night" is none."""
    if found["half"] or found["clock"]:
        return True
    return found["part"] is not None and _clocked(low, start)


def _clocked(low: str, start: int) -> bool:
    return _CLOCKED.search(low[max(0, start - _CLOCKED_REACH) : start]) is not None


def _on_the_hour(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    later = found["half"] == "p" or found["part"] in ("afternoon", "evening")
    if found["part"] == "night":
        later = _DUSK <= int(found["hour"]) < _NOON
    total = int(found["hour"]) % _NOON * 60 + (_HALF_MINUTES if later else 0)
    other = None if found["half"] or found["part"] else total + _HALF_MINUTES
    return (_anchor(text, *found.span(), total, other, 0, found["zone"]),)


def _has_two_readings(hour: str) -> bool:
    return 1 <= int(hour) <= _NOON and hour[0] != "0"


def _anchor(
    text: str, start: int, end: int, minutes: int, other: int | None = None, second: int = 0,
    zone: str | None = None,
) -> Anchor:  # fmt: skip
    minutes %= _DAY_MINUTES
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
    r"(?![\d%]|[:./-]\d)(?:[ ]?(?P<half>[ap])(?:\.[ ]?m\b|m(?!\w))|[ ]?(?P<clock>uhr)(?!\w))?)"
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
    if found["clock"]:
        return (_end(text, found, "hour", "minute"),)
    if _shares_colon(low, found):
        return _end(text, found, "hour", "minute"), _end(text, found, "last", "past")
    return _hours_of_place(text, low, before, found)


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
    return (_anchor(text, found.start(), end, *both),)


def _shares_colon(low: str, found: re.Match[str]) -> bool:
    """Say whether the hour of one end is told by the minutes of the other: "8:30-10", "9-11:30".

    The minutes are of five: "3:16-18" are verses. What both write with minutes reads alone.
    """
    minute, past = found["minute"], found["past"]
    if (
        bool(minute) == bool(past)
        or int(minute or past) % 5
        or "." in (found["sep"], found["upto"])
    ):
        return False
    return past is not None or _AFTER.match(low, found.end()) is not None


def _hours_of_place(text: str, low: str, before: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    """Return both of "Monday: 13-18" and "open 8.30 to 17.00"; a score of a match is none."""
    hours = _HOURS_OF.search(before)
    on_days = _ON_DAYS.match(low, found.end())
    if (hours is None and on_days is None) or not (on_days or _AFTER.match(low, found.end())):
        return ()
    first, last = int(found["hour"]), int(found["last"])
    written = found["minute"] is not None and found["past"] is not None
    if written or first < last >= _NOON:
        return _end(text, found, "hour", "minute"), _end(text, found, "last", "past")
    # "Mon-Fri: 9-5" is a working day; without the colon the answer's own words are kept.
    if hours is None or ":" not in hours["colon"] or not last < first < _NOON:
        return ()
    opens = _anchor(text, *found.span("hour"), first * 60)
    return opens, _anchor(text, *found.span("last"), last * 60 + _HALF_MINUTES)


def _end(text: str, found: re.Match[str], hour: str, minute: str) -> Anchor:
    """Return one end of a range, with the time 12 hours later where it may be that."""
    total = int(found[hour]) * 60 + int(found[minute] or 0)
    other = total + _HALF_MINUTES if _has_two_readings(found[hour]) else None
    end = found.end(minute) if found[minute] else found.end(hour)
    return _anchor(text, found.start(hour), end, total, other)


# Durations in hours and minutes, or in minutes and seconds.
_SPAN = r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?"
_DURATION = lazy_re(
    rf"(?a){_SPAN}(?:(?:[ ]?-[ ]?|[ ]to[ ]){_SPAN})?[ ]?"
    r"(?:(?P<hours>h|hrs?|hours?|std|stunden)(?![ ]?(?:-|to|until|bis)[ ]?\d)"
    r"|(?P<minutes>mins?|minutes?|minuten|\(?mm?:ss\)?)|\(?hh?:mm(?::ss)?\)?)(?!\w)"
)
# "at 3:30 h" is a time of day; "up to 3:30 h" is none.
_CLOCKED = lazy_re(
    r"(?<!\w)(?:at|from|until|till|by|between|since|before|after|opens?|closes?|(?<!up )to"
    r"|um|ab|von|bis|gegen|vor|nach)[ ]$"
)
_CLOCKED_REACH = 9
# What may stand behind "at ten to three": no noun, which would be counted.
_ENDS = lazy_re(r"$|[.,;:)!?\n]|[ ](?:and|or|but|on|in|for|at|when|because|if|the|by)(?!\w)")


def duration_at(low: str, start: int) -> tuple[int, int | None, int, int] | None:
    """Return the seconds of "1:30 h" or "3:45 min", its upper end, its last place and its end.

    None for times of day: "08:00 hrs", "15:00 hours", "9:00 h", "at 3:30 h".
    """
    found = _DURATION.match(low, start)
    if found is None or (found["hours"] and _is_clock(low, start, found)):
        return None
    first, last = found.groups()[:3], found.groups()[3:6]
    seconds, high = _seconds(first, found), _seconds(last, found) if last[0] else None
    if high is not None and high <= seconds:
        return None
    place = 1 if found["minutes"] or first[2] else 60
    return seconds, high, place, found.end()


def _is_clock(low: str, start: int, found: re.Match[str]) -> bool:
    if len(found[1]) == 2 and (found[1][0] == "0" or _NOON < int(found[4] or found[1]) <= 24):
        return True
    if found[2] == "00" and found[5] in (None, "00") and not found[3]:
        return True
    before = low[max(0, start - _HOURS_REACH) : start]
    return _clocked(low, start) or _HOURS_OF.search(before) is not None


def _seconds(parts: tuple[str, ...], found: re.Match[str]) -> int:
    one, two, three = (int(part or 0) for part in parts)
    if found["minutes"] and not parts[2]:
        return one * 60 + two
    return one * 3600 + two * 60 + three
