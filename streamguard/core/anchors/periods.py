"""What a rate counts per: "/mo", "a year", "monthly", "per user per month"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TIMES = {
    "second": "second", "sec": "second", "s": "second", "minute": "minute", "min": "minute",
    "hour": "hour", "hr": "hour", "h": "hour", "stunde": "hour", "heure": "hour", "hora": "hour",
    "day": "day", "tag": "day", "jour": "day", "día": "day", "dia": "day", "night": "night",
    "nacht": "night", "nuit": "night", "noche": "night", "week": "week", "wk": "week",
    "woche": "week", "semaine": "week", "semana": "week", "month": "month", "mo": "month",
    "mth": "month", "monat": "month", "mois": "month", "mes": "month", "quarter": "quarter",
    "year": "year", "yr": "year", "annum": "year", "jahr": "year", "an": "year", "año": "year",
    "ano": "year", "decade": "decade",
}  # fmt: skip
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "monatlich": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
    "jährlich": "year", "p.a.": "year", "pcm": "month",
}  # fmt: skip
_THINGS = {
    "user": "user", "seat": "user", "member": "user", "person": "person", "head": "person",
    "guest": "person", "adult": "person", "child": "child", "student": "student", "unit": "unit",
    "item": "item", "piece": "item", "page": "page", "bottle": "bottle", "box": "box",
    "mile": "mile", "km": "km", "kilometer": "km", "kilometre": "km", "kg": "kg",
    "kilogram": "kg", "pound": "lb", "lb": "lb", "ounce": "oz", "oz": "oz", "gallon": "gallon",
    "liter": "L", "litre": "L", "l": "L", "dl": "dL", "ml": "mL", "share": "share",
    "ticket": "ticket", "license": "license", "licence": "license", "kwh": "kWh", "gb": "GB",
    "token": "token", "request": "request", "call": "call", "transaction": "transaction",
    "acre": "acre", "serving": "serving", "cup": "cup", "trip": "trip", "room": "room",
    "square foot": "ft²", "sq ft": "ft²", "sqft": "ft²", "square metre": "m²",
    "square meter": "m²", "sq m": "m²", "sqm": "m²", "m²": "m²", "m2": "m²", "hectare": "hectare",
}  # fmt: skip
PERIODS = frozenset(_TIMES.values())
AREAS = frozenset(["m²", "ft²", "acre", "hectare"])


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_NAMES = _either({**_TIMES, **_THINGS})
_PER = r"(?:[ ]?/[ ]?|[ -](?:per|a|an|each|every|pro|par|por|je|im|al)[ -])"
_PERIOD = re.compile(
    rf"{_PER}(?P<one>{_NAMES})(?!\w)(?:,?{_PER}(?P<two>{_NAMES})(?!\w))?"
    rf"|[ -](?P<adverb>{_either(_ADVERBS)})(?!\w)"
)
_STARTS = frozenset(" -/")
# With which letter or sign a period goes on behind a space or a hyphen: most words do with none.
_GOES_ON = frozenset("/paejih" + "".join(word[0] for word in _ADVERBS))


def period_after(low: str, start: int) -> tuple[str, int, str | None] | None:
    """Return the period of a rate that is written at `start`, its end, and what else it is per.

    Of two ("per user per month") the one that is a time counts, and the thing comes third; things
    alone ("per gallon") are periods too. None where no rate stands there. `low` is the lower-cased
    text.
    """
    first = low[start : start + 1]
    if first not in _STARTS or (first != "/" and low[start + 1 : start + 2] not in _GOES_ON):
        return None
    found = _PERIOD.match(low, start)
    if found is None:
        return None
    if found["adverb"]:
        return _ADVERBS[found["adverb"]], found.end(), None
    words = found["one"], found["two"]
    times = [_TIMES[word] for word in words if word in _TIMES]
    things = [_THINGS[word] for word in words if word in _THINGS]
    if not times:
        return things[0], found.end(), None
    return times[0], found.end(), things[0] if things else None


def thing(word: str) -> str:
    """Return what a rate counts per for a noun: "user" for "seats"."""
    return _THINGS.get(word) or _THINGS.get(word.removesuffix("s")) or word
