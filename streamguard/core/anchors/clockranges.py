"""Two times of day that share what tells that they are some: "1 to 1:30 pm", "Monday: 13-18"."""

from __future__ import annotations

import re
from typing import NamedTuple

_HOUR = r"(?:2[0-4]|1\d|0?\d)"
_MARK = r"(?:[ ]?h(?!\w))?"
_JOINT = r"[ ]?(?P<joint>-|(?<= )(?:to|until|till|and|or)(?= ))[ ]?"
_PAIR = re.compile(
    rf"(?P<hour>{_HOUR})(?:[:.](?P<minute>[0-5]\d))?{_MARK}{_JOINT}"
    rf"(?:(?P<named>noon|midday|midnight)(?!\w)|(?P<last>{_HOUR})(?:[:.](?P<past>[0-5]\d))?"
    r"(?![\d%]|[:./-]\d)(?:[ ]?(?P<half>[ap])(?:\.[ ]?m\b|m(?!\w))|[ ]?(?P<clock>uhr)(?!\w))?)",
    re.ASCII,
)
# What makes "and" and "or" join two times: "between 1 and 2 pm", "at 9 or 11 am".
_JOINING = re.compile(r"(?<!\w)(?:between|at|from)[ ]$")
_DAYS = (
    r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun|week|holi)(?:days?)?"
    r"|weekends?|daily|every day)"
)
# What stands before the hours of a place: "Mon-Fri 9-17", "Opening hours: 9-17".
_HOURS_OF = re.compile(
    rf"(?<!\w)(?:{_DAYS}|open|opens|opening|hours|opening times)"
    r"(?P<colon>[.*_)]{0,3}(?:[:]|[ ]?[|])?[*_]{0,2})[, ]{0,2}(?:(?:from|between)[ ])?"
    r"(?:\d[\d.: -]{2,14}(?:,|[ ]and|[ ]\+|[ ]?/)[ ](?:from[ ])?)?$"  # "Mon-Fri 8-12 and 15-19"
)
_HOURS_REACH = 48
# What may follow the bare hours of a place: anything else is what they count.
_AFTER = re.compile(
    r"[ ]{0,2}(?:h(?!\w)|hrs(?!\w))?[ ]{0,2}(?:$|[,;)|\n(\[*_/]|[.:](?!\d)|[ap]\.?m\b"
    r"|(?:and|or|but|except|with|by|as|every|each|from|daily|in the)(?!\w))",
)
_ON_DAYS = re.compile(rf"[ ]{{0,2}}(?:h[ ]|hrs[ ])?(?:on[ ])?{_DAYS}(?!\w)")
_NOON = 12


class Clock(NamedTuple):
    """One end: its span, its minutes after midnight and whether it may be 12 hours later."""

    start: int
    end: int
    minutes: int
    other: int | None


def read_clock_range(low: str, start: int) -> tuple[Clock, ...]:
    """Return the times that share a mark with the one at `start`; () where there are none.

    Only the first one where am, pm, Uhr or a name tells: the second one reads by itself then.
    """
    found = _PAIR.match(low, start)
    if found is None:
        return ()
    before = low[max(0, start - _HOURS_REACH) : start]
    if found["joint"] in ("and", "or") and not _JOINING.search(before):
        return ()
    if found["named"] or found["half"]:
        return _sharing_half(found)
    if found["clock"]:
        return (_first(found),)
    return _hours_of_place(low, before, found)


def _sharing_half(found: re.Match[str]) -> tuple[Clock, ...]:
    """Return the first of "9-5 pm": of the later half where it may be, the other one kept too."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if not 1 <= hour <= _NOON or (found["last"] and not 1 <= int(found["last"]) <= _NOON):
        return ()
    morning = hour % _NOON * 60 + minute
    later = _is_later(found, morning)
    if not later:
        return (Clock(found.start(), _first_end(found), morning, None),)
    return (Clock(found.start(), _first_end(found), morning + _NOON * 60, morning),)


def _is_later(found: re.Match[str], morning: int) -> bool:
    """Say whether the first time may lie in the afternoon: before pm, midnight, and "10-2 am"."""
    if found["named"]:
        return found["named"] == "midnight"
    last = int(found["last"]) % _NOON * 60 + int(found["past"] or 0)
    return found["half"] == "p" or last < morning


def _hours_of_place(low: str, before: str, found: re.Match[str]) -> tuple[Clock, ...]:
    """Return both of "Monday: 13-18" and "open 8.30 to 17.00"; a score of a match is none."""
    hours = _HOURS_OF.search(before)
    end = found.end()
    on_days = _ON_DAYS.match(low, end)
    if (hours is None and on_days is None) or not (on_days or _AFTER.match(low, end)):
        return ()
    first, last = int(found["hour"]), int(found["last"])
    written = found["minute"] is not None and found["past"] is not None
    if not written and not first < last >= _NOON:
        # "Mon-Fri: 9-5" is a working day; without the colon the answer's own words are kept.
        if hours is None or ":" not in hours["colon"] or not last < first < _NOON:
            return ()
        morning = Clock(found.start(), _first_end(found), first * 60, None)
        return morning, Clock(found.start("last"), found.end("last"), (last + _NOON) * 60, None)
    minutes = last * 60 + int(found["past"] or 0)
    end = found.end("past") if found["past"] else found.end("last")
    return _first(found), Clock(found.start("last"), end, minutes, _other(found["last"], minutes))


def _first(found: re.Match[str]) -> Clock:
    minutes = int(found["hour"]) * 60 + int(found["minute"] or 0)
    return Clock(found.start(), _first_end(found), minutes, _other(found["hour"], minutes))


def _other(hour: str, minutes: int) -> int | None:
    return minutes + _NOON * 60 if 1 <= int(hour) <= _NOON and hour[0] != "0" else None


def _first_end(found: re.Match[str]) -> int:
    return found.end("minute") if found["minute"] else found.end("hour")
