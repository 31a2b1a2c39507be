"""Days of the week: names, short forms and spans of them ("Mon-Fri"), in six languages.

Their key is the English name, and so is that of their slot. The first day of a span also has the
days between its ends as other readings: a passage with "Mon-Fri" supports "Wednesday".
"""

from __future__ import annotations

from datetime import date
from typing import Final

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, any_of, literal, rows

WEEKDAY: Final = "weekday"
NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT: Final = rows(
    "monday: mon; tuesday: tue tues; wednesday: wed weds; thursday: thu thur thurs; friday: fri;"
    "saturday: sat; sunday: sun"
)
_LONG: Final = rows(
    "monday: monday mondays montag montags lundi lundis lunes lunedì segunda-feira maandag;"
    "tuesday: tuesday tuesdays dienstag dienstags mardi mardis martes martedì terça-feira dinsdag;"
    "wednesday: wednesday wednesdays mittwoch mittwochs mercredi mercredis miércoles mercoledì"
    " quarta-feira woensdag; thursday: thursday thursdays donnerstag donnerstags jeudi jeudis"
    " jueves giovedì quinta-feira donderdag;"
    "friday: friday fridays freitag freitags vendredi vendredis viernes venerdì sexta-feira"
    " vrijdag; saturday: saturday saturdays samstag samstags sonnabend sonnabends samedi samedis"
    " sábado sábados sabato zaterdag;"
    "sunday: sunday sundays sonntag sonntags dimanche dimanches domingo domingos domenica zondag"
)
_DAY_OF: Final = _SHORT | _LONG
# The run of small letters of ASCII with which each begins, and the words with other letters.
STARTS: Final = frozenset(word.partition("-")[0] for word in _DAY_OF if word.isascii())
WIDE: Final = frozenset(word.partition("-")[0] for word in _DAY_OF if not word.isascii())
_NAME = lazy_re(rf"{any_of(_DAY_OF)}(?!\w)")
_TO = r"\.?[ ]?(?:-|(?<=[ .])(?:to|until|till|through|thru|bis|à|au|a|al|até|tot)(?=[ ]))[ ]?"
_SPAN = lazy_re(rf"{any_of(_DAY_OF)}{_TO}(?P<last>{any_of(_DAY_OF)})(?!\w)")
# Names of one day of a year: "Good Friday".
_FEASTS = lazy_re(
    r"(?<!\w)(?:black|good|easter|ash|super|cyber|shrove|palm|whit|maundy|holy|bloody|bank)[ ]$"
)
_FEAST_REACH: Final = 8
# "Sunday Times", but not "Friday Morning" and "Sunday May 3".
_NAMES_ON = lazy_re(
    r"[ ](?!Mornings?|Afternoons?|Evenings?|Nights?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov"
    r"|Dec)|Closed|Open|Only|I(?!\w))[A-Z][a-z]"
)
# "Sat navs", "The Sun": a short form is a day beside a figure, another day or a sign of a list.
_AFTER_SHORT = lazy_re(
    rf"\.?(?:[ ]?[-/&+|][ ]?(?:[^\w]|\d|{any_of(_SHORT)}(?!\w))|[ ]?[:|]|[ ]\d"
    r"|[ ](?:from|at|closed|day|tickets?|mornings?|afternoons?|evenings?|nights?|only)(?!\w)"
    r"|[ ]?(?:,|,?[ ](?:to|and|or|until|till|through|thru))[ ]"
    rf"(?:{any_of(_SHORT)}(?!\w)|\d))"
)
_BEFORE_SHORT = lazy_re(
    rf"(?:(?<!\w)(?:{any_of(_SHORT)}[.,]?[ ]?(?:[-/&,+]|to|and|or|until|till|through|thru)"
    r"|on|every|each|until|by|next|last)[ ]?|\|[ ]?)$"
)
_REACH: Final = 16
_BEHIND_SHORT = lazy_re(r"\.?(?![ ]?[a-z])")


def read_weekday(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Parse a weekday at `start`, of a span two anchors; () for a word that is no day."""
    found = _NAME.match(low, start)
    if found is None:
        return ()
    end = found.end()
    if found[0] in _SHORT:
        if not text[start].isupper() or not _is_day(low, start, end):
            return ()
    elif _NAMES_ON.match(text, end) or (
        _FEASTS.search(low, max(0, start - _FEAST_REACH), start) is not None
    ):
        return ()
    day = _DAY_OF[found[0]]
    span = _SPAN.match(low, start)
    if span is None:
        return (_anchor(text, start, end, day),)
    last = _DAY_OF[span["last"]]
    first_end = start + len(found[0])
    between = _between(day, last)
    first = _anchor(text, start, first_end, day)._replace(ambiguous=between)
    return first, _anchor(text, *span.span("last"), last)


def falls_on(key: str, weekday: str) -> bool:
    """Return whether a date's key is a full one of that weekday."""
    try:
        return NAMES[date.fromisoformat(key).weekday()] == weekday
    except ValueError:
        return False


def _is_day(low: str, start: int, end: int) -> bool:
    if _AFTER_SHORT.match(low, end):
        return True
    before = low[max(0, start - _REACH) : start]
    return _BEFORE_SHORT.search(before) is not None and _BEHIND_SHORT.match(low, end) is not None


def _anchor(text: str, start: int, end: int, day: str) -> Anchor:
    return literal("date", text, start, end, day, unit=WEEKDAY)


def _between(first: str, last: str) -> tuple[str, ...]:
    """Return the days between two of a week; "Fri-Mon" goes over its end."""
    at, days = NAMES.index(first), (NAMES.index(last) - NAMES.index(first)) % len(NAMES)
    return tuple(NAMES[(at + step) % len(NAMES)] for step in range(1, days))
