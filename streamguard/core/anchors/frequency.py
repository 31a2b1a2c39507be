"""How often something happens: "twice a day", "3 times", "2x per month", "only once".

"Three times as many" compares sizes and is none: `compares` tells it.
"""

from __future__ import annotations

import re

from streamguard.core.anchors.periods import period_after

ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
_TIMES = re.compile(r"[ -](?:times(?P<fold>-fold)?|time)(?!\w)|[ ]?[x×](?!\w)")
# Behind "3 times" and "twice": the two things that are compared, or what is multiplied.
_COMPARED = re.compile(
    r"[ ](?:as|the|that|those|what|over|than|its|their|his|her|your|our|my|normal|more|less|fewer"
    r"|larger|bigger|greater|higher|lower|smaller|longer|shorter|faster|slower|taller|heavier"
    r"|lighter|stronger|weaker|thicker|thinner|wider|deeper|older|younger|hotter|colder|warmer"
    r"|better|worse|richer|likelier|cheaper|dearer|brighter|farther|further|harder|[^a-z ]{0,2}\d)"
    r"(?!\w)"
)
_GREW = re.compile(
    r"(?<!\w)(?:grew|grow\w*|grown|increas\w*|multipli\w*|ris(?:e|es|en|ing)|rose|expand\w*)(?!\w)"
)
_GREW_REACH = 40
# "Once the oven is hot" is no count, nor are "at once." and "for once."; "may be taken once." is.
_NOT_ONCE = re.compile(r"(?<!\w)(?:at|for)[ ]$")
_ENDS = frozenset(["", ".", ";", ")"])


def compares(low: str, start: int, end: int) -> bool:
    """Say whether "3 times" or "twice" at [start, end) tells how much larger something is."""
    if _COMPARED.match(low, end):
        return True
    return _GREW.search(low, max(0, start - _GREW_REACH), start) is not None


def times_after(low: str, start: int, end: int) -> int | None:
    """Return the end of "times" behind the number at [start, end), None where it counts no times.

    "x" and "time" count only with a period behind them ("2x per month", "1 time a day").
    """
    found = _TIMES.match(low, end)
    if found is None:
        return None
    if found[0] not in (" times", "-times") and period_after(low, found.end()) is None:
        return None
    return None if compares(low, start, found.end()) else found.end()


def counts_once(low: str, start: int, end: int) -> bool:
    """Say whether the "once", "twice" or "thrice" at [start, end) tells how often."""
    if period_after(low, end) is not None:
        return True
    if low[start:end] != "once":
        return not compares(low, start, end)
    following = low[end : end + 1]
    return following in _ENDS and start > 0 and not _NOT_ONCE.search(low, max(0, start - 4), start)
