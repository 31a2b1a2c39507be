"""Date arithmetic: ages, durations, days between, what a date and a duration come to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, pairwise

from streamguard.core.anchors.value import Anchor, quotient
from streamguard.core.derive.offsets import offsets_in
from streamguard.core.derive.operands import Operand, ends_of, stems
from streamguard.core.derive.statement import Derivation, Statement, listed

_DAY_SECONDS = 86_400
_DAY_MINUTES = 1_440
# Dates of one sentence and window that are compared; guess. 6 make 15 pairs.
_MAX_DATES = 6
_KEY = re.compile(r"(\d{4}|-)(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_AGE_BEFORE = re.compile(
    r"(?<!\w)(?:aged?|age of|age was|at|turn(?:ed|s|ing)?|was|is|were)[ ](?:about |just |only )?$"
)
_AGED = re.compile(r"(?<!\w)(?:aged?|old|older|younger|died|dies|death|turn(?:ed|s|ing)?)(?!\w)")
_INCLUSIVE = re.compile(r"(?<!\w)(?:between|after|before|later|earlier|until|apart|elaps\w*)(?!\w)")
_SHIFTED = re.compile(
    r"(?<!\w)(?:after|before|later|earlier|within|expir\w*|deadline|due|until|by|end|ends|ended|ending"
    r"|valid|through|last\w*|starting|prior|finish\w*|clos\w*|arriv\w*|return\w*|complet\w*|renew\w*"
    r"|run\w*|over|no later than|leav\w*|turn\w*|reach\w*|celebrat\w*|anniversary)(?!\w)"
)
_BACK = re.compile(r"(?<!\w)(?:before|earlier|prior|ago|preced\w*|in advance|ahead)(?!\w)")
# A term that begins on a day ends with the day before it, a period later.
_LAST_DAY = re.compile(
    r"(?<!\w)(?:until|till|through|to|ends?|ended|ending|expir\w*|valid|runs?|lasts?|over)(?!\w)"
)
_MONTH_KEY = re.compile(r"(?:(\d{4})|-)-(\d{2})", re.ASCII)
# "Early August": the first and the last day that are meant; every month has the 28th.
_PARTS = {"": (1, 28), "early": (1, 10), "mid": (11, 20), "late": (21, 28)}
_PART = re.compile(r"(?<!\w)(early|mid|late)[ -]$")
_PART_REACH = 6  # characters of "early " and the like
# "9 to 5": full hours without a word for it.
_TO_HOUR = re.compile(r"[ ]?(?:to|till|until|-)[ ]?(1[0-2]|[1-9])(?![\w%:])")
_FROM_HOUR = re.compile(r"(?<![\w:.,])(1[0-2]|[1-9])[ ]?(?:to|till|until|-)[ ]?$")
_JOINTS = {1: " + ", -1: " - "}
_AGE_LABEL = stems("age aged old years")


@dataclass(frozen=True, slots=True)
class _When:
    """A date as far as it is known: `year` 0 and `month`, `day` None where not said."""

    year: int
    month: int | None
    day: int | None


def durations(said: Statement) -> Iterator[Derivation]:
    """Yield the time between two dates or two times of day, and ages."""
    anchor = said.anchor
    if anchor.high is not None:
        return
    if anchor.kind == "number":
        if _AGE_BEFORE.search(said.before):
            for pair, first, second in _date_pairs(said):
                yield from _years(said, pair, first, second, scale=1)
        return
    if anchor.unit not in ("month", "s"):
        return
    for pair, first, second in _date_pairs(said):
        if anchor.unit == "month":
            yield from _years(said, pair, first, second, scale=12)
            yield from _months(pair, first, second)
        else:
            yield from _days(said, pair, first, second)
    if anchor.unit == "s":
        yield from _hours(said)


def hours(said: Statement) -> Iterator[Derivation]:
    """Yield the times that "9 to 5" and "10-18" mean, where the source has both side by side."""
    if said.own.value is None or said.anchor.noun is not None:
        return
    high = said.anchor.high
    mine = start = said.own.value
    end = mine if high is None else high
    if high is None and (found := _TO_HOUR.match(said.after)):
        end = Decimal(found[1])
    elif high is None:
        before = _FROM_HOUR.search(said.before)
        if before is None:
            return
        start = Decimal(before[1])
    times = [one for one in said.nearby if one.anchor.kind == "time"][:_MAX_DATES]
    for one, other in pairwise(times):
        if one.sentence == other.sentence and _is_hour(one, start) and _is_hour(other, end):
            yield Derivation(listed((one, other), " to "), (one, other), mine, high)


def _is_hour(one: Operand, hour: Decimal) -> bool:
    """Say whether a time of day is the full hour, up to 12 on a clock of twelve hours."""
    full = int(hour)
    turn = 720 if full <= 12 else _DAY_MINUTES
    return full == hour and any(
        minutes % turn == full * 60 % turn for minutes in _minutes(one.anchor)
    )


def shifted(said: Statement) -> Iterator[Derivation]:
    """Yield the date or time that a date or time and a duration come to."""
    anchor = said.anchor
    if anchor.kind == "time" and anchor.value is not None:
        yield from _later_times(said)
    if anchor.kind not in ("date", "year") or anchor.high is not None:
        return
    if "born" in said.low or "birth" in said.low:
        yield from _birth_years(said)
    if not said.says(_SHIFTED):
        return
    sign = -1 if said.says(_BACK) else 1
    for base, duration in _shifts(said, ("date", "year")):
        yield from _later_months(said, base, duration, sign)
        when = _moved(_read(base.anchor), duration.anchor.unit, sign * int(duration.value))
        if when is not None:
            written = listed((base, duration), _JOINTS[sign])
            yield Derivation(written, (base, duration), key=_at_grain(when, anchor))
            before = _moved(when, "s", -_DAY_SECONDS) if sign > 0 and said.says(_LAST_DAY) else None
            if before is not None:
                key = _at_grain(before, anchor)
                yield Derivation(f"{written} - 1 day", (base, duration), key=key)


def _read(anchor: Anchor) -> _When | None:
    found = _KEY.fullmatch(anchor.key)
    if found is None:
        return None
    year = 0 if found[1] == "-" else int(found[1])
    return _When(year, int(found[2]) if found[2] else None, int(found[3]) if found[3] else None)


def _dates(said: Statement) -> list[Operand]:
    """Return the dates that the sentence states, names, or has in its best window."""
    sources = [one for one in said.sources if _is_date(one)]
    named = said.named(sources)
    near = said.near(sources) if len(named) < 2 else named
    own = [end for one in (*said.peers, *said.asked) for end in _both_ends(one)]
    unlike = {one.anchor.key: one for one in (*own, *named, *near)}
    return list(unlike.values())[:_MAX_DATES]


def _both_ends(one: Operand) -> list[Operand]:
    """Return a date as it is, and both ends of "from 2003 to 2016"."""
    if one.anchor.kind == "year" and one.anchor.high is not None:
        return [replace(one, anchor=end) for end in ends_of(one.anchor)]
    return [one] if _is_date(one) else []


def _is_date(one: Operand) -> bool:
    return one.anchor.kind in ("date", "year") and one.anchor.high is None


def _date_pairs(
    said: Statement,
) -> Iterator[tuple[tuple[Operand, Operand], _When, _When]]:
    read = [(one, _read(one.anchor)) for one in _dates(said)]
    known = [(one, when) for one, when in read if when is not None]
    known.sort(key=lambda pair: (pair[1].year, pair[1].month or 0, pair[1].day or 0))
    for (one, first), (other, second) in combinations(known, 2):
        if bool(first.year) == bool(second.year):
            yield (one, other), first, second


def _years(
    said: Statement, pair: tuple[Operand, Operand], first: _When, second: _When, *, scale: int
) -> Iterator[Derivation]:
    if not first.year:
        return
    words = listed(pair[::-1], " - ")
    years = second.year - first.year
    exact = first.month is not None and second.month is not None
    if exact:
        years -= (second.month, second.day or 31) < (first.month, first.day or 0)
    certain = exact and said.says(_AGED)
    yield Derivation(words, pair, Decimal(years * scale), certain=certain)
    # Of two bare years the birthday is not known: 1879 to 1955 is an age of 75 or 76.
    if not exact and (scale == 1 or said.says(_AGED)):
        yield Derivation(words, pair, Decimal((years - 1) * scale))


def _months(pair: tuple[Operand, Operand], first: _When, second: _When) -> Iterator[Derivation]:
    if first.month is None or second.month is None:
        return
    months = 12 * (second.year - first.year) + second.month - first.month
    months -= (second.day or 31) < (first.day or 0)
    yield Derivation(listed(pair[::-1], " - "), pair, Decimal(months))


def _days(
    said: Statement, pair: tuple[Operand, Operand], first: _When, second: _When
) -> Iterator[Derivation]:
    one, other = _calendar(first), _calendar(second)
    if one is None or other is None:
        return
    days = (other - one).days
    words = listed(pair[::-1], " - ")
    yield Derivation(words, pair, Decimal(days * _DAY_SECONDS))
    # "A festival from 3 to 7 May" lasts five days; "between" and "after" count the nights.
    if not said.says(_INCLUSIVE):
        yield Derivation(f"{words} + 1 day", pair, Decimal((days + 1) * _DAY_SECONDS))


def _hours(said: Statement) -> Iterator[Derivation]:
    for one, other in combinations(_times(said), 2):
        for start in _minutes(one.anchor):
            for end in _minutes(other.anchor):
                apart = (end - start) % _DAY_MINUTES
                words = listed((other, one), " - ")
                yield Derivation(words, (one, other), Decimal(apart * 60))


def _times(said: Statement) -> list[Operand]:
    pool = [one for one in (*said.peers, *said.nearby) if one.anchor.kind == "time"]
    return list({one.anchor.key: one for one in pool}.values())[:_MAX_DATES]


def _minutes(anchor: Anchor) -> list[int]:
    keys = (anchor.key, *anchor.ambiguous)
    return [int(key[:2]) * 60 + int(key[3:5]) for key in keys]


def _later_times(said: Statement) -> Iterator[Derivation]:
    told = offsets_in(said.around)  # the passage tells which way
    sign = -1 if said.says(_BACK) else 1
    for base, duration in _shifts(said, ("time",)):
        if duration.anchor.unit != "s" or duration.value % 60:
            continue
        if told and duration.block is not None:
            continue
        for start in _minutes(base.anchor):
            clock = (start + sign * int(duration.value) // 60) % _DAY_MINUTES
            key = f"{clock // 60:02d}:{clock % 60:02d}"
            written = listed((base, duration), _JOINTS[sign])
            yield Derivation(written, (base, duration), key=key)


def _later_months(
    said: Statement, base: Operand, duration: Operand, sign: int
) -> Iterator[Derivation]:
    """Yield the months so many days or weeks from the first and the last day of a month's part."""
    month = _MONTH_KEY.fullmatch(base.anchor.key)
    if month is None or duration.anchor.unit != "s" or not _MONTH_KEY.fullmatch(said.anchor.key):
        return
    at = base.anchor.start if base.block is None else 0
    part = _PART.search(said.low, max(0, at - _PART_REACH), at)
    for day in _PARTS[part[1] if part else ""]:
        start = _When(int(month[1] or 0), int(month[2]), day)
        when = _moved(start, "s", sign * int(duration.value))
        if when is not None:
            written = listed((base, duration), _JOINTS[sign])
            yield Derivation(written, (base, duration), key=_at_grain(when, said.anchor))


def _birth_years(said: Statement) -> Iterator[Derivation]:
    """Yield the year of birth from a year and an age."""
    pool = (*said.peers, *said.sources)
    ages = [one for one in pool if _is_age(one) and (one.block is None or said.window(one))]
    for one in ages[:4]:
        for base in _dates(said):
            when = _read(base.anchor)
            if when is not None and when.year:
                words = f"{base.anchor.text} - {one.anchor.text}"
                year = when.year - int(quotient(one.value, one.anchor.scale))
                yield Derivation(words, (base, one), key=str(year))
                yield Derivation(words, (base, one), key=str(year - 1))


def _is_age(one: Operand) -> bool:
    anchor = one.anchor
    if not one.is_plain or anchor.kind not in ("quantity", "number"):
        return False
    return anchor.scale == 12 or bool(one.label & _AGE_LABEL)


def _shifts(said: Statement, kinds: tuple[str, ...]) -> Iterator[tuple[Operand, Operand]]:
    """Yield a base and a duration that the sentence may add up."""
    pool = (*said.peers, *said.asked, *(said.nearby or said.sources[:4]))
    lengths = [
        one
        for one in pool
        if one.anchor.kind == "quantity" and one.anchor.unit in ("month", "s") and one.is_plain
    ]
    fit = [one for one in said.sources if one.anchor.kind in kinds and one.anchor.high is None]
    bases = [one for one in pool if one.anchor.kind in kinds and one.anchor.high is None] or fit[:2]
    for base in bases[:_MAX_DATES]:
        for length in lengths[:4]:
            yield base, length


def _moved(when: _When | None, unit: str | None, amount: int) -> _When | None:
    """Return the date so much later; None where it is too vague, or out of the calendar."""
    if when is None:
        return None
    if unit == "month":
        if when.month is None:
            return None if amount % 12 else _When(when.year + amount // 12, None, None)
        months = when.year * 12 + when.month - 1 + amount
        return _When(months // 12, months % 12 + 1, when.day)
    start = _calendar(when)
    if start is None or amount % _DAY_SECONDS:
        return None
    try:
        end = start + timedelta(days=amount // _DAY_SECONDS)
    except OverflowError:
        return None
    return _When(end.year if when.year else 0, end.month, end.day)


# A leap year and a common one share all days but one: dates without a year are read in this one.
_ANY_YEAR = 2023


def _calendar(when: _When) -> date | None:
    if when.month is None or when.day is None:
        return None
    try:
        return date(when.year or _ANY_YEAR, when.month, when.day)
    except ValueError:
        return None


def _at_grain(when: _When, anchor: Anchor) -> str:
    """Return the date's key as vague as the answer's is."""
    shape = _KEY.fullmatch(anchor.key)
    head = "-" if shape is None or shape[1] == "-" or not when.year else f"{when.year:04d}"
    if shape is None or shape[2] is None or when.month is None:
        return head
    month = f"{head}-{when.month:02d}"
    return f"{month}-{when.day:02d}" if shape[3] and when.day else month
