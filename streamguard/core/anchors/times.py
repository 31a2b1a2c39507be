"""Times of day: "15:00", "3 pm CET", "15 Uhr", "noon", and their zones as minutes from UTC."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from streamguard.core.anchors.value import Anchor, literal

# Fixed offsets in minutes. "ET", "CT", "MT", "PT" change with the season: no offset.
_ZONES: dict[str, int | None] = {
    "utc": 0, "gmt": 0, "z": 0, "wet": 0, "bst": 60, "west": 60, "cet": 60, "mez": 60,
    "cest": 120, "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "ist": 330, "sgt": 480,
    "jst": 540, "kst": 540, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
    "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "akst": -540, "hst": -600, "et": None, "ct": None, "mt": None, "pt": None,
}  # fmt: skip
_ZONE = (
    r"(?:[ ]?(?P<zone>(?:utc|gmt)[ ]?[+-]\d{1,2}(?::?\d{2})?(?!\d)|[+-]\d{2}:\d{2}(?!\d)|(?:"
    + "|".join(sorted(_ZONES, key=len, reverse=True))
    + r")(?!\w)))?"
)
_HALF_DAY = r"[ ]?(?P<half>[ap])(?:\.[ ]?m\b\.?|m)(?!\w)"
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-4])[:.h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d{1,6})?)?"
    rf"(?![\d%]|[:./-]\d)(?:{_HALF_DAY}|[ ]?(?P<word>hrs|hours|uhr)(?!\w))?{_ZONE}",
    re.ASCII,
)
_HOUR = re.compile(
    rf"(?P<hour>1[0-2]|0?[1-9])(?:{_HALF_DAY}|[ ]o'clock(?!\w)(?:[ ]in[ ]the[ ](?P<part>morning|afternoon|evening))?){_ZONE}",
    re.ASCII,
)
_GERMAN_HOUR = re.compile(r"(?P<hour>[01]?\d|2[0-4])[ ]uhr(?!\w)", re.ASCII)
# "9-5 pm", "9 to 11 am": the first hour takes the second one's half of the day.
_HOUR_RANGE = re.compile(
    r"(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?[ ]?(?:-|to|until)[ ]?"
    rf"(?:1[0-2]|0?[1-9])(?::[0-5]\d)?{_HALF_DAY}",
    re.ASCII,
)
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}


def read_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a time of day that begins with the digits at `start`.

    "3:00" without am or pm names both halves of the day: the other one is in `ambiguous`. A dot
    between hour and minute is a time only before am, pm or Uhr ("15.30 Uhr").
    """
    if (found := _HOUR_RANGE.match(low, start)) is not None:
        return _first_of_range(text, found)
    if (found := _CLOCK.match(low, start)) is not None:
        return _clock(text, low, found)
    if (found := _HOUR.match(low, start)) is not None:
        return _hour(text, found)
    if (found := _GERMAN_HOUR.match(low, start)) is not None:
        return (_anchor(text, start, found.end(), int(found["hour"]) * 60, None),)
    return ()


def read_named_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read "noon" or "midnight" at `start`; "afternoon" and "at noon" are the caller's concern."""
    for word, minutes in _NAMED.items():
        if low.startswith(word, start):
            return (_anchor(text, start, start + len(word), minutes, None),)
    return ()


def _first_of_range(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    end = found.end("minute") if found["minute"] else found.end("hour")
    morning = (hour % 12) * 60 + minute
    if found["half"] == "a":
        return (_anchor(text, found.start(), end, morning, None),)
    # "9-5 pm" begins in the morning, "1-5 pm" does not: the text does not say, so both are kept.
    anchor = _anchor(text, found.start(), end, morning + 720, None)
    return (replace(anchor, ambiguous=(_key(morning),)),)


def _clock(text: str, low: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    separator = low[found.end("hour")]
    if separator == "." and not (found["half"] or found["word"]):
        return ()
    if separator == "h" and found["word"]:
        return ()
    hour, minute, end = int(found["hour"]), int(found["minute"]), found.end()
    second = int(found["second"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return ()
        hour = hour % 12 + (12 if found["half"] == "p" else 0)
    elif hour > 24:
        return ()
    total = (hour * 60 + minute) % 1440
    anchor = _anchor(text, found.start(), end, total, found["zone"], second)
    open_half = not found["half"] and not found["word"] and separator == ":"
    if open_half and 1 <= hour <= 12 and not found["hour"].startswith("0"):
        return (replace(anchor, ambiguous=(_key((total + 720) % 1440, second),)),)
    return (anchor,)


def _hour(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    hour = int(found["hour"]) % 12
    afternoon = found["half"] == "p" or found["part"] in ("afternoon", "evening")
    total = (hour + (12 if afternoon else 0)) * 60
    anchor = _anchor(text, found.start(), found.end(), total, found["zone"])
    if found["half"] is None and found["part"] is None:
        return (replace(anchor, ambiguous=(_key((total + 720) % 1440),)),)
    return (anchor,)


def _anchor(
    text: str, start: int, end: int, minutes: int, zone: str | None, second: int = 0
) -> Anchor:
    anchor = literal("time", text, start, end, _key(minutes, second))
    unit = zone.upper().replace(" ", "") if zone else None
    return replace(anchor, value=Decimal(minutes), unit=unit)


def _key(minutes: int, second: int = 0) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock


def offset(zone: str) -> int | None:
    """Return a zone's offset from UTC in minutes, None where it changes with the season."""
    name = zone.lower()
    if name in _ZONES:
        return _ZONES[name]
    sign, digits = re.fullmatch(r"(?:utc|gmt)?([+-])([\d:]+)", name).groups()  # type: ignore[union-attr]
    hours, _, minutes = digits.partition(":")
    if not minutes and len(hours) > 2:
        hours, minutes = hours[:-2], hours[-2:]
    total = int(hours) * 60 + int(minutes or 0)
    return total if sign == "+" else -total
