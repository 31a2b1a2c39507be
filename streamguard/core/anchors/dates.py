"""Dates: every common written form to one key, and the coarser dates that contain it.

Keys: "2024-03-05", "2024-03", "2024", "--03-05" (no year), "--03" (a month), "2023-Q3", "--Q3",
"2023-H1", "1990s". A numeric date that two countries read differently gets the American reading
as its key and the other one in `ambiguous`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from streamguard.core.anchors.value import Anchor, listed, literal

_MONTH_WORDS = (
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro",
    "february feb februar février fevrier févr febrero febbraio fevereiro fev",
    "march mar märz mars marzo março",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto",
    "september sept sep septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dicembre dic dezembro",
)
MONTHS = {
    word: number for number, words in enumerate(_MONTH_WORDS, start=1) for word in words.split()
}
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?!\w)\.?"
# English and German month names that are dates on their own; "may" and "march" need "in", "of".
_PLAIN_MONTHS = listed(
    "january february april june july september october november december januar februar juni juli"
    " oktober dezember"
)
_WORDY_MONTHS = listed("may march august")
# English and German capitalise months, so that "may 10" is no date; these languages do not.
_SMALL_MONTHS = listed(
    "janvier enero gennaio janeiro février fevrier febrero febbraio fevereiro mars marzo março"
    " avril abril aprile mai mayo maggio maio juin junio giugno junho juillet julio luglio julho"
    " août aout agosto septembre septiembre settembre setembro octobre octubre ottobre outubro"
    " novembre noviembre novembro décembre diciembre dicembre dezembro"
)
# A full stop behind these ends a sentence: they are no abbreviations.
_WHOLE_MONTHS = _PLAIN_MONTHS | _WORDY_MONTHS | _SMALL_MONTHS | {"märz", "mai"}
_BEFORE_MONTH = re.compile(
    r"(?<!\w)(?:in|of|by|since|until|till|from|last|next|early|late|mid|through|during|this|every"
    r"|each|between|to|and|before|after|around|throughout|im)[ -]$"
)
# In small letters, as people type: "due in august", "from may to june"; "in may be" is no month.
_BEFORE_SMALL = re.compile(
    r"(?<!\w)(?:in|of|since|until|till|early|late|mid|next|last|from|to)[ -]$"
)
_AFTER_SMALL = re.compile(r"[ ]*(?:$|[.,;:?!)\n-]|(?:to|until|till|and|or|\d{4})(?!\w))")
# "May to September", "March, June": the other month tells that the wordy one is no word.
_ANOTHER_MONTH = re.compile(
    r"[ ]?(?:-|/|,|(?<=[ ])(?:to|until|till|through|and|or)(?=[ ]))[ ]?(?:"
    + "|".join(sorted(MONTHS, key=len, reverse=True))
    + r")(?!\w)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SUFFIX = r"(?:st|nd|rd|th|er|º|°|\.)?"
_YEAR = r"(?:[12]\d{3}(?!\d)(?![.,]\d)|'\d{2}(?!\d))"
_DAY_FIRST = re.compile(
    rf"(?P<day>{_DAY}){_SUFFIX}(?:[ ]?(?:-|to|and|bis|&)[ ]?(?P<last>{_DAY}){_SUFFIX})?"
    rf"(?:-|[ ](?:(?:day[ ])?of[ ]|de[ ])?|(?<=\.)){_MONTH}"
    rf"(?:(?:,?[ ]|-|,|[ ]of[ ]|[ ]del?[ ])(?P<year>{_YEAR}|(?<=-)\d{{2}}(?!\d)))?",
    re.ASCII,
)
_MONTH_FIRST = re.compile(
    rf"{_MONTH}(?:[ ](?:the[ ])?|-)?(?P<day>{_DAY})(?:st|nd|rd|th)?(?![\w%]|[:.]\d|[ ]?[ap]\.?m\b)"
    rf"(?:[ ]?(?:-|to|and|&)[ ]?(?P<last>{_DAY})(?:st|nd|rd|th)?(?![\w%]|[:.]\d))?"
    rf"(?:(?:,[ ]?|[ ]|-|[ ]of[ ])(?P<year>{_YEAR}))?",
    re.ASCII,
)
_MONTH_YEAR = re.compile(
    rf"{_MONTH}(?:,?[ ]|-|[ ]of[ ]|[ ]del?[ ])(?P<year>{_YEAR})(?!-\d)", re.ASCII
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>1[0-2]|0?[1-9])(?P=sep)"
    rf"(?P<day>{_DAY})(?!\d|[-/.]\d)",
    re.ASCII,
)
_YEAR_MONTH = re.compile(r"(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])(?![\w-])", re.ASCII)
_NUMERIC = re.compile(
    r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>[12]\d{3}|\d{2})"
    r"(?!\w|[-/.:]\d)",
    re.ASCII,
)
_QUARTER = re.compile(
    r"(?P<part>[qh][1-4])(?:[ ]?(?:of[ ]|fy[ ]?|/|-|,[ ])?(?P<year>[12]\d{3}|'\d{2})(?!\d))?(?!\w)",
    re.ASCII,
)
_YEAR_QUARTER = re.compile(r"(?P<year>[12]\d{3})[ /-]?(?P<part>[qh][1-4])(?!\w)", re.ASCII)
_QUARTER_WORDS = re.compile(
    r"(?P<part>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?P<kind>quarter|half)"
    r"[ ](?:of[ ])?(?:the[ ]year[ ])?(?P<year>[12]\d{3})(?!\d)",
    re.ASCII,
)
_BEFORE_QUARTER = re.compile(r"(?<!\w)(?:in|for|by|since|during|of|last|this|next|from|to)[ ]$")
_FISCAL = re.compile(r"(?P<year>[12]\d{3})(?!\w)", re.ASCII)
_DECADE = re.compile(r"(?P<year>[12]\d{2}0)'?s(?!\w)", re.ASCII)
_LONGEST_BEFORE = 12  # characters: "throughout " and the one before it
_RANKS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
# Two-digit years up to this are in this century, as in POSIX `%y`.
_LAST_SHORT_YEAR = 68
_YEAR_WIDTH, _DAY_WIDTH = 4, 2  # digits of a year, and the most of a day


def read_digit_date(text: str, low: str, start: int, width: int, after: str) -> tuple[Anchor, ...]:
    """Read a date that begins with the digits at `start`; two anchors for "5-7 March 2024".

    There are `width` digits, and `after` is the character behind them.
    """
    if width == _YEAR_WIDTH:
        return _year_first(text, low, start, after)
    if width > _DAY_WIDTH:
        return ()
    if after in "-/." and (found := _NUMERIC.match(text, start)):
        numeric = _numeric(text, found)
        if numeric:
            return numeric
    if found := _DAY_FIRST.match(low, start):
        return _days(text, found)
    return _quarter_in_words(text, low, start)


def _year_first(text: str, low: str, start: int, after: str) -> tuple[Anchor, ...]:
    if after in "-/.":
        if found := _YEAR_FIRST.match(text, start):
            return _one(text, found, _key(_number(found["year"]), found["month"], found["day"]))
        if found := _YEAR_MONTH.match(text, start):
            return _one(text, found, f"{found['year']}-{found['month']}")
    if found := _YEAR_QUARTER.match(low, start):
        return _one(text, found, f"{found['year']}-{found['part'].upper()}")
    if found := _DECADE.match(low, start):
        return _one(text, found, f"{found['year']}s")
    return ()


def is_full_date(low: str, start: int) -> bool:
    """Say whether a date with day, month and year begins at `start` ("5. März 2024")."""
    found = _DAY_FIRST.match(low, start)
    return found is not None and found["year"] is not None


def read_word_date(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    """Read a date that begins with the month or the ordinal word at `start`.

    Months that English writes like ordinary words ("may", "march") need a capital; alone they
    also need a preposition before them.
    """
    if low[start] in "fst" and (quarter := _quarter_in_words(text, low, start)):
        return quarter
    found = _MONTH_YEAR.match(low, start) or _MONTH_FIRST.match(low, start)
    if found is not None:
        groups = found.groupdict()
        capital = text[start].isupper() or groups["month"] in _SMALL_MONTHS
        return _days(text, found) if capital or groups["year"] else ()
    return _month_alone(text, low, start)


_MONTH_ALONE = re.compile(_MONTH)


def _month_alone(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    found = _MONTH_ALONE.match(low, start)
    if found is None or not _is_month(text, low, start, found):
        return ()
    month = found["month"]
    return (literal("date", text, start, found.end("month"), f"--{MONTHS[month]:02d}"),)


def _is_month(text: str, low: str, start: int, found: re.Match[str]) -> bool:
    """Say whether the month word that was found alone is a month there."""
    month, before = found["month"], max(0, start - _LONGEST_BEFORE)
    if not text[start].isupper():
        named = month in _PLAIN_MONTHS or _AFTER_SMALL.match(low, found.end("month")) is not None
        english = month in _PLAIN_MONTHS or month in _WORDY_MONTHS
        return english and named and _BEFORE_SMALL.search(low, before, start) is not None
    if month in _PLAIN_MONTHS:
        return True
    told = _BEFORE_MONTH.search(low, before, start) or _ANOTHER_MONTH.match(low, found.end("month"))
    return month in _WORDY_MONTHS and told is not None


def read_quarter(text: str, low: str, start: int, floor: int) -> tuple[Anchor, ...]:
    """Read "Q3 2023", "H1 2023", "FY2023" or "in Q3" around the digits at `start`.

    A bare "Q3" needs a preposition: "Q1:" is a question, "(Q2)" a quartile.
    """
    letter = start - 1
    if letter < floor or low[letter] not in "qhy" or low[letter - 1 : letter].isalpha():
        fiscal = _FISCAL.match(text, start) if low[max(floor, start - 2) : start] == "fy" else None
        return (literal("date", text, start - 2, fiscal.end(), fiscal[0]),) if fiscal else ()
    found = _QUARTER.match(low, letter)
    if found is None:
        return ()
    if not found["year"]:
        before = _BEFORE_QUARTER.search(low, max(floor, letter - 8), letter)
        if low[letter] == "h" or before is None:
            return ()
        return _one(text, found, f"--{found['part'].upper()}")
    return _one(text, found, f"{_number(found['year'])}-{found['part'].upper()}")


def _quarter_in_words(text: str, low: str, start: int) -> tuple[Anchor, ...]:
    found = _QUARTER_WORDS.match(low, start)
    if found is None:
        return ()
    rank = _RANKS.get(found["part"]) or int(found["part"][0])
    letter = "Q" if found["kind"] == "quarter" else "H"
    return _one(text, found, f"{found['year']}-{letter}{rank}")


def _one(text: str, found: re.Match[str], key: str) -> tuple[Anchor, ...]:
    return (literal("date", text, found.start(), _end(text, found), key),)


def _end(text: str, found: re.Match[str]) -> int:
    """Return the end of a date without the full stop behind it; "5 Dec." keeps its own."""
    end = found.end()
    whole = text[end - 1] == "." and found["month"] in _WHOLE_MONTHS
    return end - 1 if whole else end


def _days(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    groups = found.groupdict()
    year = _number(groups["year"]) if groups["year"] else None
    month, day, last = str(MONTHS[groups["month"]]), groups.get("day"), groups.get("last")
    if last is None:
        return _one(text, found, _key(year, month, day))
    # "5-7 March": the first day's span ends where its figure does, so that spans do not overlap.
    return (
        literal("date", text, found.start(), found.end("day"), _key(year, month, day)),
        literal("date", text, found.start("last"), _end(text, found), _key(year, month, last)),
    )


def _numeric(text: str, found: re.Match[str]) -> tuple[Anchor, ...]:
    first, second, year = int(found["first"]), int(found["second"]), _number(found["year"])
    if not 1 <= first <= 31 or not 1 <= second <= 31 or min(first, second) > 12:
        return ()
    american = _key(year, str(first), str(second)) if first <= 12 else None
    other = _key(year, str(second), str(first)) if second <= 12 else None
    if found["sep"] == "." and other:
        american = None  # dots are day first wherever they are used
    anchors = _one(text, found, american or other or "")
    if american and other and american != other:
        return (anchors[0]._replace(ambiguous=(other,)),)
    return anchors


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

    A day supports its month, quarter, half, year and decade, and the same day without its year.
    """
    year, _, rest = ("", "", key[2:]) if key.startswith("--") else key.partition("-")
    keys = {key}
    if not year and not key.startswith("--"):
        return frozenset(keys)  # "-500": before Christ
    if rest.startswith(("Q", "H")):
        keys |= {f"--{rest}", f"{year}-H{(int(rest[1]) + 1) // 2}"} if rest[0] == "Q" else {key}
    elif rest:
        month = rest[:2]
        keys |= {f"--{rest}", f"--{month}"}
        if year:
            quarter, half = (int(month) + 2) // 3, (int(month) + 5) // 6
            keys |= {f"{year}-{month}", f"{year}-Q{quarter}", f"{year}-H{half}"}
    if year.isdecimal():
        keys |= {year, f"{year[:-1]}0s"}
    return frozenset(keys)


def day_number(key: str) -> Decimal | None:
    """Return a number that orders dates with a year; None for those without one."""
    year, _, rest = key.partition("-")
    if not year[:4].isdecimal():
        return None
    month, _, day = rest.partition("-") if rest[:2].isdecimal() else ("0", "", "")
    return Decimal(int(year[:4]) * 372 + int(month) * 31 + int(day or 0))


_DAY_KEY = re.compile(r"-\d{2}-(\d{2})$", re.ASCII)


def day_ranks(key: str) -> frozenset[str]:
    """Return the rank of the day that a date names ("on the 5th"), as an ordinal's key; or none."""
    found = _DAY_KEY.search(key)
    return frozenset([str(int(found[1]))]) if found else frozenset()
