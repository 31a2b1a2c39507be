"""Times of day: "15:00", "3 pm CET", "15 Uhr", "noon", and their zones as minutes from UTC."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.core.anchors.clockranges import Clock, read_clock_range
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
_SHIFT = re.compile(r"(?:utc|gmt)?(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?", re.ASCII)
_HALF_DAY = r"[ ]?(?P<half>[ap])(?:\.[ ]?m\b\.?|m)(?!\w)"
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-4])(?P<sep>[:.h])(?P<minute>[0-5]\d)"
    rf"(?::(?P<second>[0-5]\d)(?:\.\d{{1,6}})?)?(?![\d%]|[:./-]\d)(?:{_HALF_DAY}"
    rf"|[ ]?(?P<word>hrs|hours|uhr)(?!\w))?{_ZONE}",
    re.ASCII,
)
_HOUR = re.compile(
    rf"(?P<hour>1[0-2]|0?\d)(?:{_HALF_DAY}|[ ]o'clock(?!\w)"
    rf"(?:[ ]in[ ]the[ ](?P<part>morning|afternoon|evening))?){_ZONE}",
    re.ASCII,
)
_GERMAN_HOUR = re.compile(r"(?P<hour>1?\d|2[0-4])[ ]uhr(?!\w)", re.ASCII)
NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_DAY_MINUTES = 1440
_HALF_MINUTES = 720


def read_time(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a time of day that begins with the digits at `start`; () where none stands there.

    "3:00" without am or pm names both halves of the day: the other one is in `ambiguous`. A dot
    between hour and minute is a time only before am, pm or Uhr ("15.30 Uhr").
    """
    if pair := read_clock_range(low, start):
        return tuple(_end_of_range(text, end) for end in pair)
    if found := _CLOCK.match(low, start):
        return _clock(text, found)
    if found := _HOUR.match(low, start):
        return _hour(text, found)
    if found := _GERMAN_HOUR.match(low, start):
        return (_anchor(text, start, found.end(), int(found["hour"]) * 60, None),)
    return ()


def read_named_time(text: str, start: int, end: int) -> tuple[Anchor, ...]:
    """Read the "noon", "midday" or "midnight" at [start, end)."""
    return (_anchor(text, start, end, NAMED[text[start:end].lower()], None),)


def _end_of_range(text: str, clock: Clock) -> Anchor:
    anchor = _anchor(text, clock.start, clock.end, clock.minutes, None)
    if clock.other is None:
        return anchor
    return anchor._replace(ambiguous=(_key(clock.other % _DAY_MINUTES),))


def _clock(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    hour, separator, half = int(found["hour"]), found["sep"], found["half"]
    said = half or found["word"]
    if (separator == "." and not said) or (half and not 0 <= hour <= 12):
        return ()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    total = (hour * 60 + int(found["minute"])) % _DAY_MINUTES
    second = int(found["second"] or 0)
    anchor = _anchor(text, found.start(), found.end(), total, found["zone"], second)
    if said or separator == "h" or not 1 <= hour <= 12 or found["hour"].startswith("0"):
        return (anchor,)
    other = (total + _HALF_MINUTES) % _DAY_MINUTES
    return (anchor._replace(ambiguous=(_key(other, second),)),)


def _hour(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    later = found["half"] == "p" or found["part"] in ("afternoon", "evening")
    total = int(found["hour"]) % 12 * 60 + (_HALF_MINUTES if later else 0)
    anchor = _anchor(text, found.start(), found.end(), total, found["zone"])
    if found["half"] or found["part"]:
        return (anchor,)
    return (anchor._replace(ambiguous=(_key(total + _HALF_MINUTES),)),)


def _anchor(
    text: str, start: int, end: int, minutes: int, zone: str | None, second: int = 0
) -> Anchor:
    minutes %= _DAY_MINUTES
    anchor = literal("time", text, start, end, _key(minutes, second))
    unit = zone.upper().replace(" ", "") if zone else None
    return anchor._replace(value=Decimal(minutes), unit=unit)


def _key(minutes: int, second: int = 0) -> str:
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{clock}:{second:02d}" if second else clock


def offset(zone: str) -> int | None:
    """Return the offset from UTC in minutes of a zone as `read_time` writes it.

    None where the zone changes with the season.
    """
    found = _SHIFT.fullmatch(zone.lower())
    if found is None:
        return _ZONES[zone.lower()]
    total = int(found["hours"]) * 60 + int(found["minutes"] or 0)
    return total if found["sign"] == "+" else -total
