"""What a rate counts per ("/mo", "a year", "per user per month") and how often ("twice a day").

"Three times as many" compares sizes and is no frequency.
"""

from __future__ import annotations

from streamguard.text.patterns import lazy_re
from streamguard.values.value import any_of, rows

_TIMES = rows(
    "second: second sec s; minute: minute min; hour: hour hr h stunde heure hora;"
    "day: day tag jour día dia; night: night nacht nuit noche; week: week wk woche semaine semana;"
    "month: month mo mth monat mois mes; quarter: quarter; decade: decade;"
    "year: year yr annum jahr an año ano"
)
_ADVERBS = rows(
    "hour: hourly; day: daily; night: nightly; week: weekly; month: monthly monatlich pcm;"
    "quarter: quarterly; year: yearly annually jährlich p.a."
)
_THINGS = rows(
    "user: user seat member; person: person head guest adult; child: child; student: student;"
    "unit: unit; item: item piece; page: page; bottle: bottle; box: box; mile: mile;"
    "km: km kilometer kilometre; kg: kg kilogram; lb: pound lb; oz: ounce oz; gallon: gallon;"
    "L: liter litre l; dL: dl; mL: ml; share: share; ticket: ticket; license: license;"
    "licence: licence; kWh: kwh; GB: gb; token: token; request: request; call: call;"
    "transaction: transaction; acre: acre; serving: serving; cup: cup; trip: trip; room: room;"
    "ft²: square_foot sq_ft sqft; m²: square_metre square_meter sq_m sqm m² m2; hectare: hectare"
)
PERIODS = frozenset(_TIMES.values())

_NAMES = any_of({**_TIMES, **_THINGS})
_PER = r"(?:[ ]?/[ ]?|[ -](?:per|a|an|each|every|pro|par|por|je|im|al)[ -])"
_PERIOD = lazy_re(
    rf"{_PER}(?P<one>{_NAMES})(?!\w)(?:,?{_PER}(?P<two>{_NAMES})(?!\w))?"
    rf"|[ -](?P<adverb>{any_of(_ADVERBS)})(?!\w)"
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


_ONE_TIME = r"(?:one[ -]time|one[ -]off|lump[ -]sum)"
_ONCE_AFTER = lazy_re(
    rf"(?P<said>[ -](?:{_ONE_TIME}(?!\w)"
    r"|(?:only[ ]|just[ ])?once(?=$|[.,;:)!?\n|]|[ ](?:and|or)[ ])))"
    rf"|(?:,[ ]?|[ ]\(?)(?:as[ ]|in[ ])?(?:an?[ ])?(?:single[ ])?{_ONE_TIME}(?!\w)"
)
_ONCE_BEFORE = lazy_re(
    rf"(?<!\w){_ONE_TIME}(?:[ ][a-z-]{{3,12}}){{0,2}}(?:[ ](?:of|is|at|for|costs))?"
    r":?(?:[ ](?:just|only|about))?[ ]$"
)
_ONCE_STARTS = frozenset(" -,")
_ONCE_REACH = 56


def paid_once(low: str, start: int, end: int) -> int | None:
    """Return the end of an amount at [start, end) that is paid one time, None for any other one.

    "$29 one-time" and "$29 once." are longer by these words, "a one-time fee of $29" is not.
    """
    if low[end : end + 1] in _ONCE_STARTS and (found := _ONCE_AFTER.match(low, end)):
        return found.end("said") if found["said"] else end
    before = low[max(0, start - _ONCE_REACH) : start]
    told = ("one" in before or "lump" in before) and _ONCE_BEFORE.search(before)
    return end if told else None


ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
_OFTEN = lazy_re(r"[ -](?:times(?P<fold>-fold)?|time)(?!\w)|[ ]?[x×](?!\w)")
# Behind "3 times" and "twice": the two things that are compared, or what is multiplied.
_COMPARED = lazy_re(
    r"[ ](?:as|the|that|those|what|over|than|its|their|his|her|your|our|my|normal|more|less|fewer"
    r"|larger|bigger|greater|higher|lower|smaller|longer|shorter|faster|slower|taller|heavier"
    r"|lighter|stronger|weaker|thicker|thinner|wider|deeper|older|younger|hotter|colder|warmer"
    r"|better|worse|richer|likelier|cheaper|dearer|brighter|farther|further|harder|[^a-z ]{0,2}\d)"
    r"(?!\w)"
)
_GREW = lazy_re(
    r"(?<!\w)(?:grew|grow\w*|grown|increas\w*|multipli\w*|ris(?:e|es|en|ing)|rose|expand\w*)(?!\w)"
)
_GREW_REACH = 40
# "Once the oven is hot" is no count, nor are "at once." and "for once."; "may be taken once." is.
_NOT_ONCE = lazy_re(r"(?<!\w)(?:at|for)[ ]$")
_ENDS = frozenset(["", ".", ";", ")"])


def times_after(low: str, start: int, end: int) -> int | None:
    """Return the end of "times" behind the number at [start, end), None where it counts no times.

    "x" and "time" count only with a period behind them ("2x per month", "1 time a day").
    """
    found = _OFTEN.match(low, end)
    if found is None:
        return None
    if found[0] not in (" times", "-times") and period_after(low, found.end()) is None:
        return None
    return None if _compares(low, start, found.end()) else found.end()


def counts_once(low: str, start: int, end: int) -> bool:
    """Say whether the "once", "twice" or "thrice" at [start, end) tells how often."""
    if period_after(low, end) is not None:
        return True
    if low[start:end] != "once":
        return not _compares(low, start, end)
    following = low[end : end + 1]
    return following in _ENDS and start > 0 and not _NOT_ONCE.search(low, max(0, start - 4), start)


def _compares(low: str, start: int, end: int) -> bool:
    """Say whether "3 times" or "twice" at [start, end) tells how much larger something is."""
    if _COMPARED.match(low, end):
        return True
    return _GREW.search(low, max(0, start - _GREW_REACH), start) is not None
