"""Versions, identifiers, telephone numbers and dimensions: compared literally, not as numbers."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.core.anchors.money import SIGNS
from streamguard.core.anchors.value import (
    HALF,
    Anchor,
    last_place,
    listed,
    literal,
    plain,
    power_of_ten,
    times,
)
from streamguard.core.units import is_unit, read_unit

# A part of an identifier has at most 64 letters or digits, an identifier at most 12 parts; guess.
_PART = r"[^\W_]{1,64}"
_TOKEN = re.compile(rf"{_PART}(?:[-_.:/+]{_PART}){{0,11}}")
_RUN = re.compile(r"[^\W_]*")
# How far left of its first digit an identifier may begin ("INVOICE-2024-001"); guess.
_REACH = 40
_JOINTS = frozenset("-_./")
# Words that a hyphen hangs on an identifier without being part of it ("9x13-inch").
_TAILS = listed(
    "inch type based style free compliant like only related certified compatible enabled powered"
    " ready specific style grade rated series era day year month week hour minute"
)

_PHONE = re.compile(
    r"\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){2,6}(?!\d)"
    r"|(?:\+?1[-. ])?\(\d{3}\)[ -]?\d{3}[-. ]\d{4}(?!\d)"
    r"|(?:1[-. ])?\d{3}([-. ])\d{3}\1\d{4}(?!\d)"
    r"|0\d{2,4}[ /-]\d{3,8}(?:[ -]\d{2,8}){0,3}(?!\d)|0\d(?:[ .]\d{2}){4}(?!\d)",
    re.ASCII,
)
_DOTTED = re.compile(r"\d{1,9}(?:\.\d{1,9}){2,7}(?:[-+][A-Za-z0-9.]{1,20})?(?!\w|\.\d)", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}\.\d{3}", re.ASCII)  # "1.234.567" is a number
_DASHED = re.compile(r"\d{1,15}(?:(?:-\d{1,15}){2,7}|(?:/\d{1,15}){2,7})(?!\w|[-/.]\d)", re.ASCII)
_LONG = re.compile(r"\d{16,}", re.ASCII)
_SLASHED = re.compile(r"\d{1,4}/\d{1,4}(?![\w/]|[.,]\d)", re.ASCII)
_SIZE = r"(\d{1,5}(?:\.\d{1,3})?)"
_BY = r"(?:[ ]?[x×][ ]?|-by-)"
_DIMENSIONS = re.compile(
    rf"{_SIZE}{_BY}{_SIZE}(?:{_BY}{_SIZE})?(?!\w|[.,]\d|[ ]?=|[\^⁰¹²³⁴-⁹⁻])", re.ASCII
)
_NUMBER = re.compile(r"[\d.]+", re.ASCII)
_RATIO = re.compile(
    r"\d{1,5}:\d{1,5}(?!\d|[:.]\d)(?:[ ](?:ratio|solution|dilution|mixture|mix|scale|split|odds))?",
    re.ASCII,
)
# Bodies whose document numbers are identifiers ("RFC 9110"); the number alone says nothing.
_SERIES = re.compile(
    r"(?<!\w)(?:RFC|ISO|IEC|ISO/IEC|IEEE|DIN|EN|ANSI|ASTM|BS|CVE|PEP|JEP|JSR|USC|CFR|ICD|ECMA|FIPS"
    r"|NIST|SKU|Regulation|Directive)[ -]$"
)
_SERIES_LAST = frozenset(
    "ACDEIMNOPRSTUVen"
)  # with which those end: a cheap look before the pattern
_SERIES_NUMBER = re.compile(r"\d{1,9}(?:[-./:]\d{1,9}){0,5}(?:[a-z](?!\w))?", re.ASCII)
# "Python 3.11", "version 2.3": a capitalised word or "version" right before one dot.
_VERSION_WORD = re.compile(r"(?<!\w)(?:(?i:version|ver\.?|release|v\.)|[A-Z][A-Za-z+#]{1,20})[ ]$")
_VERSION_NUMBER = re.compile(r"\d{1,4}\.\d{1,5}(?![\w%]|[.,:]\d)", re.ASCII)
# "Q1:" is a question, "(Q2)" a quartile; a quarter has its year or a preposition and is a date.
_BARE_QUARTER = re.compile(r"[Qq][1-4]")
_VERSION_TOKEN = re.compile(r"[vV]\d[\d.]*(?:[-+.]\w{1,20}){0,3}", re.ASCII)
# Capitalised words after which a number is a measurement all the same.
_MEASURED = listed(
    "The A An In On At By Of To For From With Over Under About Around Between And Or But Is Are Was"
    " Were Has Have Had Only Just Up Some Nearly Almost Approximately Roughly Average Averages"
    " Total Scored Costs Cost Rated Rating Score GPA Ratio Section Chapter Article Table Figure"
)


def read_series(text: str, start: int, floor: int) -> Anchor | None:
    """Read "RFC 9110" or "ISO-9001" at its digits: the number alone would say nothing."""
    if text[start - 1 : start] not in (" ", "-") or text[start - 2 : start - 1] not in _SERIES_LAST:
        return None
    found = _SERIES.search(text, max(floor, start - 16), start)
    number = _SERIES_NUMBER.match(text, start) if found else None
    return _identifier(text, found.start(), number.end()) if found and number else None


def read_literal(text: str, start: int, floor: int) -> Anchor | None:
    """Read what must be compared literally at the digits at `start`.

    A telephone number, a version of three parts, a run of dashes, "24/7", dimensions ("9 x 13") or
    a run of more than 15 digits; None where the digits may be a number. Nothing before `floor` is
    looked at.
    """
    if phone := _phone(text, start, floor):
        return phone
    found = _DOTTED.match(text, start)
    if found is not None and not _THOUSANDS.fullmatch(found[0]):
        return literal("version", text, start, found.end(), found[0].lower())
    if (found := _DASHED.match(text, start)) or (found := _LONG.match(text, start)):
        return literal("identifier", text, start, found.end(), found[0])
    found = _DIMENSIONS.match(text, start)
    if found is not None and (start == 0 or text[start - 1] not in SIGNS):
        key = "x".join(size for size in found.groups() if size)
        return _with_length(text, literal("identifier", text, start, found.end(), key))
    found = _SLASHED.match(text, start)
    if found is not None and not _is_fraction_or_years(found[0]):
        return literal("identifier", text, start, found.end(), found[0])
    return None


def _with_length(text: str, sizes: Anchor) -> Anchor:
    """Return "24 x 36 x 42" with the unit of length behind it, where one is."""
    read = read_unit(text, sizes.end)
    if read is None or read[0].dimension != "length":
        return sizes
    return sizes._replace(unit=read[0].base, scale=read[0].factor)


def lengths_of(anchor: Anchor) -> tuple[Anchor, ...]:
    """Return each length of "24 x 36 x 42 cm" as a value of its own; () for any other anchor."""
    if anchor.kind != "identifier" or anchor.unit is None:
        return ()
    return tuple(_length(anchor, found) for found in _NUMBER.finditer(anchor.text))


def _length(sizes: Anchor, found: re.Match[str]) -> Anchor:
    number = Decimal(found[0])
    value = times(number, sizes.scale)
    precision = times(times(power_of_ten(last_place(number)), HALF), sizes.scale)
    return sizes._replace(
        kind="quantity",
        start=sizes.start + found.start(),
        end=sizes.start + found.end(),
        text=found[0],
        value=value,
        key=plain(value),
        number=number,
        precision=precision,
    )


def _phone(text: str, start: int, floor: int) -> Anchor | None:
    begin = start - 1 if start > floor and text[start - 1] in "+(" else start
    found = _PHONE.match(text, begin) or _PHONE.match(text, start)
    if found is None:
        return None
    key = "".join(char for char in found[0] if char.isdigit())
    return literal("identifier", text, found.start(), found.end(), key)


def _is_fraction_or_years(written: str) -> bool:
    top, _, bottom = written.partition("/")
    return int(top) < int(bottom) <= 100 or (len(top) == 4 and len(bottom) == 2)


def read_ratio(text: str, low: str, start: int, *, certain: bool) -> Anchor | None:
    """Read "4:1" or "a 1:10 solution"; with `certain` only where a word says that it is a ratio."""
    found = _RATIO.match(low, start)
    if found is None or (certain and " " not in found[0]):
        return None
    key = found[0].partition(" ")[0]
    return literal("identifier", text, start, start + len(key), key)


def read_version(text: str, start: int, floor: int) -> Anchor | None:
    """Read "3.11" after "Python" or "version": one dot, no unit; None elsewhere."""
    number = _VERSION_NUMBER.match(text, start)
    if number is None:
        return None
    found = _VERSION_WORD.search(text, max(floor, start - 24), start)
    if found is None or found[0].rstrip(" .") in _MEASURED:
        return None
    return literal("version", text, start, number.end(), number[0])


def read_glued(text: str, start: int, floor: int) -> tuple[Anchor | None, int]:
    """Read the identifier around the digits at `start` ("A4", "GPT-4o", "1080p"), and its end.

    None instead of an anchor where the token has no letter or is a unit ("g/cm3").
    """
    begin, limit = start, max(floor, start - _REACH)
    while begin > limit and (text[begin - 1].isalnum() or text[begin - 1] in _JOINTS):
        begin -= 1
    while not text[begin].isalnum():
        begin += 1
    found = _TOKEN.match(text, begin)
    assert found is not None  # it stands on a letter or digit
    if found.end() <= start:  # more parts than an identifier has: begin at the digits
        found = _TOKEN.match(text, start)
        assert found is not None
    end = _without_tail(text, found.start(), found.end(), start)
    rest = _RUN.match(text, end)
    go_on = rest.end() if rest else end
    token = text[found.start() : end]
    if not any(char.isalpha() for char in token) or is_unit(token.rpartition("/")[2]):
        return None, go_on
    if _BARE_QUARTER.fullmatch(token):
        return None, go_on
    if _VERSION_TOKEN.fullmatch(token):
        return literal("version", text, found.start(), end, token[1:].lower()), go_on
    return _identifier(text, found.start(), end), go_on


def _without_tail(text: str, start: int, end: int, digits: int) -> int:
    while True:
        cut = text.rfind("-", digits, end)
        if cut < 0 or text[cut + 1 : end] not in _TAILS:
            return end
        end = cut


def _identifier(text: str, start: int, end: int) -> Anchor:
    return literal("identifier", text, start, end, key_of(text[start:end]))


_BETWEEN = re.compile(r"(?<=[^\W\d_])[-_ ](?=\d)|(?<=\d)[-_ ](?=[^\W\d_])")
_PLURAL = re.compile(r"(?<=[A-Z]\d|\d\d)s$")


def key_of(token: str) -> str:
    """Case-fold, drop a plural "s" and a separator between a letter and a digit.

    "GPT-4o" and "gpt 4o" agree, "P60s" and "P60" too; "A-1-11" and "A-11-1" do not.
    """
    return _BETWEEN.sub("", _PLURAL.sub("", token).casefold())
