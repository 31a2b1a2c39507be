"""Dates of a text as days of the calendar, and what they are the dates of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from streamguard.core.anchors import Anchor

_KEY = re.compile(r"(-?\d{1,4}|-)(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_BEFORE_DATE = re.compile(rf"(?<!\w){_WEEKDAY}(?:,?[ ](?:the[ ])?|[ ]?\(|,?[ ]on[ ])$")
_AFTER_DATE = re.compile(rf"(?:,[ ](?:an?[ ]|which[ ](?:is|was)[ ]an?[ ])?|[ ]?\(|[ ]is[ ]an?[ ]"
                         rf"|[ ]was[ ]an?[ ]|[ ]falls[ ]on[ ]an?[ ]|[ ]fell[ ]on[ ]an?[ ])"
                         rf"{_WEEKDAY}(?!\w|s)")  # fmt: skip
# What happens at the two ends of something; the words name the event of the date after them.
_EVENTS = {
    "birth": "born birth",
    "death": "died dies death deceased passed killed",
    "start": """
        founded established opened opens began begins started starts launched commenced commences
        created incorporated introduced formed
        """,
    "end": """
        closed closes dissolved ended ends ceased discontinued finished finishes concluded concludes
        abolished expired expires demolished disbanded
        """,
}
_EVENT_OF = {word: event for event, words in _EVENTS.items() for word in words.split()}
EVENT_WORDS = re.compile(rf"(?<!\w)(?:{'|'.join(_EVENT_OF)})(?!\w)")
OPPOSITE = {"birth": "death", "death": "birth", "start": "end", "end": "start"}
FIRST = frozenset(["birth", "start"])
FIRST_WORDS = frozenset(word for word, event in _EVENT_OF.items() if event in FIRST)
LAST_WORDS = frozenset(_EVENT_OF) - FIRST_WORDS
# Words between an event and its date: "was born in the town of Ulm, Germany, on"; guess.
_REACH = 60


@dataclass(frozen=True, slots=True, order=True)
class Day:
    """A date as far as it is said; 0 where month or day is not, year 0 where the year is not."""

    year: int
    month: int
    day: int

    def before(self, other: Day) -> bool:
        """Say whether it certainly lies before `other`; without a year nothing is certain."""
        if not self.year or not other.year:
            return False
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        known = 1 + (1 if self.month and other.month else 0)
        known += 1 if known == 2 and self.day and other.day else 0
        return mine[:known] < theirs[:known]

    def sooner(self, other: Day) -> bool:
        """Say whether it lies before `other`, or earlier in the same month of no year said.

        "Opens on 10 March and closes on 5 March" is of one year; "6 April to 5 April" is of two.
        """
        if self.year or other.year:
            return self.before(other)
        return self.month == other.month and self.day < other.day


@dataclass(frozen=True, slots=True)
class Dated:
    """An event and its date: `anchor` in the text that was read, `word` from where the event is."""

    event: str
    day: Day
    anchor: Anchor
    word: int


def day_of(anchor: Anchor) -> Day | None:
    """Return the date of an anchor; None for ranges, decades, quarters and what is no date."""
    if anchor.kind not in ("date", "year") or anchor.high is not None or anchor.ambiguous:
        return None
    found = _KEY.fullmatch(anchor.key)
    if found is None:
        return None
    year = 0 if found[1] == "-" else int(found[1])
    return Day(year, int(found[2] or 0), int(found[3] or 0))


def wrong_weekday(low: str, anchor: Anchor) -> tuple[int, int, str] | None:
    """Return where a weekday stands beside a full date that has another one, and the right one.

    `low` is the folded text in small letters. A date with two readings may have either's weekday.
    """
    if anchor.kind != "date" or len(anchor.key) != 10:
        return None
    found = _BEFORE_DATE.search(low, max(0, anchor.start - 24), anchor.start)
    found = found or _AFTER_DATE.match(low, anchor.end)
    if found is None:
        return None
    right = [weekday for key in (anchor.key, *anchor.ambiguous) if (weekday := _weekday(key))]
    if not right or found["weekday"] in right:
        return None
    return *found.span("weekday"), right[0].capitalize()


def _weekday(key: str) -> str | None:
    year, month, day = map(int, key.split("-"))
    try:
        return _WEEKDAYS[date(year, month, day).weekday()]
    except ValueError:  # 30 February
        return None


def events_in(low: str, anchors: Sequence[Anchor]) -> Iterator[Dated]:
    """Yield the births, deaths, starts and ends of a text with their dates.

    An event belongs to the next date behind it within `_REACH` characters, with no other event,
    date or end of a clause between them.
    """
    last = 0
    for anchor in anchors:
        day = day_of(anchor)
        if day is None:
            continue
        gap = low[max(last, anchor.start - _REACH) : anchor.start]
        words = list(EVENT_WORDS.finditer(gap))
        if words and not _CUT.search(gap, words[-1].end()):
            at = anchor.start - len(gap) + words[-1].start()
            yield Dated(_EVENT_OF[words[-1][0]], day, anchor, at)
        last = anchor.end


_CUT = re.compile(
    r"[.;:!?](?=\s)|(?<!\w)(?:who|which|that|when|while|after|before|until|since)(?!\w)"
)
