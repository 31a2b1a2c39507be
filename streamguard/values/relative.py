"""Odds, scores and multiples: "one in six", "won 3-1", "tripled", "threefold"."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from streamguard.text.patterns import lazy_re
from streamguard.values.identifiers import noun_of
from streamguard.values.measures import measure_at
from streamguard.values.value import Anchor, any_of, literal, numbered

FOLD: Final = "fold"
_MULTIPLES: Final = numbered(
    "2: doubled twofold; 3: tripled trebled threefold; 4: quadrupled fourfold;"
    "5: quintupled fivefold; 6: sixfold; 7: sevenfold; 8: eightfold; 9: ninefold; 10: tenfold;"
    "20: twentyfold; 100: hundredfold"
)
MULTIPLES: Final = frozenset(_MULTIPLES)
_FOLD = lazy_re(r"(\d{1,4}(?:\.\d{1,2})?)[ -]?fold(?!\w)")

_SMALL: Final = numbered(
    "1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten;"
    "12: twelve; 15: fifteen; 20: twenty; 30: thirty; 50: fifty; 100: hundred; 1000: thousand"
)
_COUNT = any_of(_SMALL)
# "one in six", "1 person in 8", "nine out of ten", but not "4.5 out of 5" and "two in ten rooms".
_ODDS = lazy_re(
    rf"(?:(?P<one>one|1)(?:[ ][a-z]{{3,12}})?[ ](?:in|out[ ]of)(?:[ ]every)?"
    rf"|(?P<top>{_COUNT})[ ](?:out[ ]of(?:[ ]every)?|in[ ]every))[ ](?:an?[ ]|one[ ])?"
    rf"(?P<bottom>{_COUNT}|\d{{1,3}}(?:,\d{{3}}){{0,2}}|\d{{4,7}})(?![\w%:]|[.,]\d|-\d)"
)
_YEARS: Final = range(1500, 2101)
_NO_ODDS_BEFORE = lazy_re(r"(?<!\w)(?:the|only|this|that|each|another|no|version|step|at)[ ]$")
_REACH: Final = 10

_SCORE = lazy_re(r"(?<![\w.,:/-])(\d{1,2})[-:](\d{1,2})(?![\w%]|[-:/]\d|[.,]\d)", 0)
_PLAYED = (
    r"w[oi]n|wins|winning|beat|beats|beaten|beating|lost|lose|loses|losing|drew|draw|drawn|draws"
    r"|defeat|defeats|defeated|victory|score|scores|scored|scoreline|led|lead|leads|leading"
    r"|trailed|trailing|result|final|final score|vote|voted|votes|passed|ruled|ruling|split"
    r"|approved|rejected|upheld|gewann|gewonnen|verlor|siegte|gagné|battu|ganó|perdió|vinto"
)
_BEFORE_SCORE = lazy_re(rf"(?<!\w)(?:{_PLAYED})(?!\w)[^.!?\n]{{0,40}}$")
_BEHIND_SCORE = lazy_re(rf"[^.!?\n,;]{{0,20}}?[ ](?:{_PLAYED})(?!\w)")
_SCORE_REACH: Final = 48
_COUNTED: Final = frozenset([None, "votes", "goals", "points", "penalties", "wins"])


def read_odds(low: str, start: int) -> tuple[Decimal, Decimal, int] | None:
    """Return the parts of odds like "one in six" at `start`, and their end; None without any."""
    found = _ODDS.match(low, start)
    if found is None or _NO_ODDS_BEFORE.search(low, max(0, start - _REACH), start):
        return None
    top = _SMALL[found["top"]] if found["top"] else 1
    written = found["bottom"]
    bottom = _SMALL.get(written) or int(written.replace(",", ""))
    end = found.end("bottom")
    is_counted = measure_at(low, low, end, None).kind != "number"
    if top >= bottom or bottom in _YEARS or is_counted:
        return None
    return Decimal(top), Decimal(bottom), end


def read_multiple(text: str, low: str, start: int, end: int) -> Anchor | None:
    """Parse "tripled" at [start, end), or "3-fold" at its figure."""
    written = low[start:end]
    if written in _MULTIPLES:
        number = Decimal(_MULTIPLES[written])
        is_word = True
    elif found := _FOLD.match(low, start):
        number, end, is_word = Decimal(found[1]), found.end(), False
    else:
        return None
    anchor = literal("quantity", text, start, end, str(number), number, unit=FOLD)
    return anchor._replace(word=is_word)


def read_score(text: str, low: str, start: int) -> Anchor | None:
    """Parse the score "3-1" at `start`, of a match or a vote; None without a word of one.

    It also supports itself from the other side: "lost 1-3".
    """
    found = _SCORE.match(low, start)
    if found is None:
        return None
    if measure_at(low, low, found.end(), None).kind != "number":
        return None
    if noun_of(low, found.end()) not in _COUNTED:  # "won 3-5 games"
        return None
    before = low[max(0, start - _SCORE_REACH) : start]
    if not (_BEFORE_SCORE.search(before) or _BEHIND_SCORE.match(low, found.end())):
        return None
    one, other = str(int(found[1])), str(int(found[2]))
    key, turned = f"{one}:{other}", f"{other}:{one}"
    others = (turned,) if turned != key else ()
    return literal("identifier", text, *found.span(), key, others=others)
