"""Times of day: "15:00", "3 pm CET", "noon", "half past six", "1 to 1:30 pm"."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, any_of, literal, numbered, rows

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
        return _clock(text, found)
    found = _ON_THE_HOUR.match(low, start)
    assert found is not None  # it matches any digit
    # "2 in the morning" may be tablets, "until 2 at night" is none.
    if not (found["half"] or found["clock"] or (found["part"] and _clocked(low, start))):
        return None
    return _told(text, found, int(found["hour"]) % _NOON * 60)


def read_spoken_time(text: str, low: str, start: int) -> Anchor | None:
    """Read "half past six" or "quarter to eight" at the word at `start`."""
    found = _SPOKEN.match(low, start)
    if found is None:
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


def _clock(text: str, found: re.Match[str]) -> Anchor | None:
    hour, half = found["hour"], found["half"]
    said = half or found["word"]
    if (found["sep"] == "." and not said) or (half and int(hour) > _NOON):
        return None
    minutes = _minutes(found, later=half == "p") if half else _minutes(found)
    is_sure = bool(said) or hour[0] == "0" or not 1 <= int(hour) <= _NOON
    second = int(found["second"] or 0)
    return time_anchor(text, *found.span(), minutes, second, is_sure=is_sure, zone=found["zone"])


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
    others = () if is_sure else (_key((minutes + _HALF_MINUTES) % _DAY_MINUTES, second),)
    key, value = _key(minutes, second), Decimal(minutes)
    return literal("time", text, start, end, key, value, unit=unit, others=others)


def _key(minutes: int, second: int) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock
