"""Dates: every common written form to one key, and the coarser dates a key contains.

Keys: "2024-03-05", "2024-03", "2024", "--03-05" (no year), "--03" (a month), "2023-Q3", "--Q3",
"2023-H1", "1990s". A numeric date that two countries read differently gets the American reading
as its key and the other one in `ambiguous`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from streamguard.core.anchors.value import Anchor, literal

_MONTH_WORDS = (
    "january jan januar jänner janvier enero gennaio janeiro",
    "february feb februar février fevrier febrero febbraio fevereiro",
    "march mar märz mars marzo março",
    "april apr avril abril aprile",
    "may mai mayo maggio maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août aout agosto",
    "september sept sep septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre diciembre dicembre dezembro",
)
MONTHS = {
    word: number for number, words in enumerate(_MONTH_WORDS, start=1) for word in words.split()
}
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?![\w])\.?"
# English month names that stand alone are dates; these also are ordinary words and need "in", "of".
_PLAIN_MONTHS = frozenset(
    "january february april june july september october november december januar februar juni juli"
    " oktober dezember".split()
)
_BEFORE_MONTH = re.compile(
    r"(?<!\w)(?:in|of|by|since|until|till|from|last|next|early|late|mid|through|during|this|every"
    r"|each|between|to|and|im|en|em)[ -]$"
)

_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SUFFIX = r"(?:st|nd|rd|th|er|º|°|\.)?"
_YEAR = r"(?:[12]\d{3}(?!\d)(?![.,]\d)|'\d{2}(?!\d))"
_DAY_FIRST = re.compile(
    rf"(?P<day>{_DAY}){_SUFFIX}(?:[ ]?(?:-|to|and|bis)[ ]?(?P<last>{_DAY}){_SUFFIX})?"
    rf"(?:[ -]|[ ](?:day[ ])?of[ ]|[ ]de[ ])[ ]?{_MONTH}"
    rf"(?:(?:,?[ ]|-|,|[ ]of[ ]|[ ]del?[ ])(?P<year>{_YEAR}|(?<=-)\d{{2}}(?!\d)))?",
    re.ASCII,
)
_MONTH_FIRST = re.compile(
    rf"{_MONTH}(?:[ ]the)?[ -]?(?P<day>{_DAY})(?:st|nd|rd|th)?(?![\d%]|[:.]\d|[ ]?[ap]\.?m)"
    rf"(?:[ ]?(?:-|to|and)[ ]?(?P<last>{_DAY})(?:st|nd|rd|th)?(?!\d))?"
    rf"(?:(?:,[ ]?|[ ]|-|[ ]of[ ])(?P<year>{_YEAR}))?",
    re.ASCII,
)
_MONTH_YEAR = re.compile(
    rf"{_MONTH}(?:,?[ ]|-|[ ]of[ ]|[ ]del?[ ])(?P<year>{_YEAR})(?!-\d)", re.ASCII
)
_MONTH_ALONE = re.compile(_MONTH)
_YEAR_FIRST = re.compile(
    r"(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=sep)"
    rf"(?P<day>{_DAY})(?![\d]|[-/.]\d)",
    re.ASCII,
)
_YEAR_MONTH = re.compile(r"(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])(?![\w-])", re.ASCII)
_NUMERIC = re.compile(
    r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>[12]\d{3}|\d{2})"
    r"(?![\w]|[-/.:]\d)",
    re.ASCII,
)
_QUARTER = re.compile(
    r"(?:fy[ ]?)?(?P<part>[qh][1-4])(?:[ ]?(?:of[ ]|fy[ ]?|/|-|,[ ])?(?P<year>[12]\d{3}|'\d{2})(?!\d))?(?!\w)",
    re.ASCII,
)
_YEAR_QUARTER = re.compile(r"(?P<year>[12]\d{3})[ /-]?(?P<part>[qh][1-4])(?!\w)", re.ASCII)
_QUARTER_WORDS = re.compile(
    r"(?P<part>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?P<kind>quarter|half)"
    r"[ ](?:of[ ])?(?:the[ ]year[ ])?(?P<year>[12]\d{3})(?!\d)",
    re.ASCII,
)
_DECADE = re.compile(r"(?P<year>[12]\d{2}0)'?s(?!\w)|'(?P<short>[1-9]0)'?s(?!\w)", re.ASCII)
_RANKS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
# Two-digit years up to this are in this century, as in POSIX `%y`.
_LAST_SHORT_YEAR = 68


def read_digit_date(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a date that begins with the digits at `start`; two anchors for "5-7 March 2024"."""
    if found := _YEAR_FIRST.match(text, start):
        return _one(text, found, _key(_number(found["year"]), found["month"], found["day"]))
    if found := _NUMERIC.match(text, start):
        return _numeric(text, found)
    if found := _DAY_FIRST.match(low, start):
        return _days(text, found)
    if found := _YEAR_MONTH.match(text, start):
        return _one(text, found, f"{found['year']}-{found['month']}")
    if found := _YEAR_QUARTER.match(low, start):
        return _one(text, found, f"{found['year']}-{found['part'].upper()}")
    if found := _QUARTER_WORDS.match(low, start):
        return _one(text, found, _quarter_words(found))
    if found := _DECADE.match(low, start):
        return _one(text, found, f"{found['year']}s")
    return ()


def read_word_date(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a date that begins with the month name, quarter or ordinal word at `start`."""
    if found := _QUARTER_WORDS.match(low, start):
        return _one(text, found, _quarter_words(found))
    if not text[start].isupper() and not low.startswith(("mars", "mai", "en", "ab", "di"), start):
        # English and German month names are capitalised: "may 10" is no date.
        return _lower_month(text, low, start)
    if (found := _MONTH_YEAR.match(low, start)) or (
        found := _lower_match(_MONTH_FIRST, low, start)
    ):
        return _days(text, found)
    found = _MONTH_ALONE.match(low, start)
    if found is None:
        return ()
    before = _BEFORE_MONTH.search(low[max(0, start - 10) : start])
    if found["month"] in _PLAIN_MONTHS or (before and found["month"] in ("may", "march", "august")):
        end = found.end("month")
        return (literal("date", text, start, end, f"--{MONTHS[found['month']]:02d}"),)
    return ()


def _lower_match(pattern: re.Pattern[str], low: str, start: int) -> re.Match[str] | None:
    return pattern.match(low, start)


def _lower_month(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Lower-case month names count only with a year beside them ("marzo de 2024", "march 2024")."""
    found = _MONTH_YEAR.match(low, start)
    if found is None:
        found = _MONTH_FIRST.match(low, start)
        if found is None or found["year"] is None:
            return ()
    return _days(text, found)


def read_quarter(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read "Q3 2023", "H1 2023", "FY 2023" or a bare "Q3" at `start`."""
    found = _QUARTER.match(low, start)
    if found is None or (found["part"][0] == "h" and not found["year"]):
        return ()
    year = str(_number(found["year"])) if found["year"] else "-"
    return _one(text, found, f"{year}-{found['part'].upper()}")


def _one(text: str, found: re.Match[str], key: str) -> tuple[Anchor, ...]:
    return (literal("date", text, found.start(), found.end(), key),)


def _days(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    groups = found.groupdict()
    year = _number(groups["year"]) if groups["year"] else None
    month = str(MONTHS[groups["month"]])
    if groups.get("day") is None:
        return _one(text, found, _key(year, month, None))
    if groups["last"] is None:
        return _one(text, found, _key(year, month, groups["day"]))
    # "5-7 March": the first day ends where the second begins, so that spans do not overlap.
    cut = found.start("last")
    first = min(found.start("day"), found.start("month"))
    return (
        literal(
            "date",
            text,
            first,
            found.start("day") + len(groups["day"]),
            _key(year, month, groups["day"]),
        ),
        literal("date", text, cut, found.end(), _key(year, month, groups["last"])),
    )


def _numeric(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    first, second, year = int(found["first"]), int(found["second"]), _number(found["year"])
    american = _key(year, str(first), str(second)) if first <= 12 and 1 <= second <= 31 else None
    other = _key(year, str(second), str(first)) if second <= 12 and 1 <= first <= 31 else None
    if not first or not second or (american is None and other is None):
        return ()
    if found["sep"] == "." and other:
        american = None  # dots are day first wherever they are used
    key = american or other
    assert key is not None
    anchor = literal("date", text, found.start(), found.end(), key)
    if american and other and american != other:
        return (replace(anchor, ambiguous=(other,)),)
    return (anchor,)


def _quarter_words(found: re.Match[str]) -> str:
    word = found["part"]
    rank = _RANKS.get(word) or int(word[0])
    return f"{found['year']}-{'Q' if found['kind'] == 'quarter' else 'H'}{rank}"


def _number(year: str) -> int:
    digits = year.lstrip("'")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (2000 if int(digits) <= _LAST_SHORT_YEAR else 1900)


def _key(year: int | None, month: str, day: str | None) -> str:
    head = "-" if year is None else f"{year:04d}"
    return f"{head}-{int(month):02d}" + (f"-{int(day):02d}" if day else "")


@lru_cache(maxsize=4096)
def containing(key: str) -> frozenset[str]:
    """Return the keys that a date supports: itself and every coarser date that contains it.

    A day supports its month, year, quarter, half, decade, and the same day without its year.
    """
    keys = {key}
    year, _, rest = ("", "", key[2:]) if key.startswith("--") else key.partition("-")
    if rest.startswith(("Q", "H")):
        keys |= {f"--{rest}"}
        if rest.startswith("Q"):
            half = f"H{(int(rest[1]) + 1) // 2}"
            keys |= {f"{year}-{half}"} if year else set()
    elif rest:
        month, _, day = rest.partition("-")
        quarter, half = f"Q{(int(month) + 2) // 3}", f"H{(int(month) + 5) // 6}"
        keys |= {f"--{rest}", f"--{month}"}
        if year:
            keys |= {f"{year}-{month}", f"{year}-{quarter}", f"{year}-{half}"}
    if year[:4].isdigit() and not year.endswith("s"):
        keys |= {year, f"{year[:3]}0s"}
    return frozenset(keys)


def day_number(key: str) -> Decimal | None:
    """Return a number that orders full dates and year-months; None for keys without a year."""
    year, _, rest = key.partition("-")
    month, _, day = rest.partition("-")
    if not year.isdigit() or not month.isdigit():
        return Decimal(int(year) * 372) if year.isdigit() else None
    return Decimal(int(year) * 372 + int(month) * 31 + int(day or 1))
