"""Versions, identifiers and telephone numbers: compared literally, never as numbers.

Also the numbers that are no anchors at all: list marks, citation tags, "passage 2", "step 3".
"""

from __future__ import annotations

import re
from dataclasses import replace

from streamguard.core.anchors.value import Anchor, literal

# A part is at most 64 letters or digits, an identifier at most 12 parts; a longer run is cut.
MAX_PART_CHARS = 64
_PART = rf"[^\W_]{{1,{MAX_PART_CHARS}}}"
_TOKEN = re.compile(rf"{_PART}(?:[-_.:/+]{_PART}){{0,11}}\+{{0,2}}")
# How far left of a digit an identifier may begin ("INV-2024-001" begins at "I"); guess.
_REACH = 40
_TOKEN_BEFORE = re.compile(r"(?:[^\W_]+[-_./]?)+$")
_HEAD = re.compile(r"[^\W\d_]+(?:[-/_.])?$")

_PHONE = re.compile(
    r"\+\d{1,3}(?:[ .()-]{1,2}\d{1,5}){2,6}(?!\d)"
    r"|(?:\+?1[-. ])?\(\d{3}\)[ -]?\d{3}[-. ]\d{4}(?!\d)"
    r"|(?:1[-. ])?\d{3}([-. ])\d{3}\1\d{4}(?!\d)"
    r"|\d{3}-\d{4}(?![\d-])",
    re.ASCII,
)
_DOTTED = re.compile(
    r"v?\d{1,9}(?:\.\d{1,9}){2,7}(?:[-+][A-Za-z0-9.]{1,20})?(?![\w]|\.\d)", re.ASCII
)
_DASHED = re.compile(r"\d{1,15}(?:[-/]\d{1,15}){2,7}(?![\w])", re.ASCII)
_LONG = re.compile(r"\d{16,}", re.ASCII)
# Bodies whose document numbers are identifiers ("RFC 9110"); the number alone says nothing.
_SERIES = re.compile(
    r"(?<!\w)(?:RFC|ISO|IEC|ISO/IEC|IEEE|DIN|EN|ANSI|ASTM|BS|CVE|PEP|JEP|JSR|RCW|USC|CFR|ICD|ECMA|FIPS|NIST"
    r"|SKU|PO|Nr\.|No\.|Regulation|Directive)[ -]$"
)
_SERIES_NUMBER = re.compile(r"\d{1,9}(?:[-./:]\d{1,9}){0,5}(?:[a-z](?!\w))?", re.ASCII)
# "Python 3.11", "version 2.3": a capitalised word or "version" right before one dot.
_VERSION_WORD = re.compile(r"(?<!\w)(?:(?i:version|ver\.?|release|v\.)|[A-Z][A-Za-z+#]{1,20})[ ]$")
_VERSION_NUMBER = re.compile(r"\d{1,4}\.\d{1,5}(?![\w%]|[.,:]\d)", re.ASCII)
_COUNTED = frozenset(
    "The A An In On At By Of To For From With Over Under About Around Between And Or But Is Are Was"
    " Were Has Have Had Only Just Up Some Nearly Almost Approximately Roughly Average Averages Total"
    " Scored Costs Cost Rated Rating Score GPA Ratio Section Chapter Article Table Figure".split()
)

_REFERENCES = (
    "passage|document|source|chunk|context|excerpt|snippet|reference|ref|citation|step|figure|fig"
    "|table|example|option|tip|reason|point|item|method|paragraph|sentence|line|footnote|note|rule"
    "|answer|question|scenario|case|phase|part|stage|section|chapter"
)
_REFERENCE_BEFORE = re.compile(
    rf"(?<!\w)(?:{_REFERENCES})(?:s|\(s\)|\.)?[ ](?:number[ ]|no\.?[ ]|#)?[\[(]?$"
)
_REFERENCE_AFTER = re.compile(
    rf"[ -](?:(?:and|or|of the)[ ]\w{{1,10}}[ ])?(?:given |provided )?(?:{_REFERENCES})s?(?!\w)"
)
_MORE_REFERENCES = re.compile(
    r"(?:(?:,[ ]?(?:and[ ]|or[ ])?|[ ]?(?:&|-|/)[ ]?|[ ](?:and|or|to)[ ])"
    r"(?:(?:passage|document|source|step)[ ])?#?(?:\d{1,3}|one|two|three|four|five)(?![\w%.]\w|[ ]?%)){0,9}\)?",
    re.ASCII,
)
_LIST_MARK = re.compile(r"\d{1,3}(?:[.)](?=[\s*]|$)|(?=\.\*\*)|[.)](?=[A-Z]))", re.ASCII)
_LINE_HEAD = re.compile(r"(?:^|\n)[ \t>*#(_-]{0,8}$")
_TAG = re.compile(r"[\[(【]\^?[A-Za-z]{0,6}[ :#]?$")
_TAG_END = re.compile(r"\d{1,4}(?:[ ]?[,;-][ ]?\^?[A-Z]?\d{1,4}){0,15}[†\w ]{0,8}[\])】]", re.ASCII)


def skip_reference(text: str, low: str, start: int, floor: int) -> int | None:
    """Return the end of a number that is no anchor: a list mark, "[C2]", "passage 2", "step 3".

    None where the digits at `start` are an anchor. Nothing before `floor` is looked at.
    """
    before = max(floor, start - _REACH)
    head = low[before:start]
    if head.endswith(("[", "(", "【")) or head[-1:].isalpha() or head.endswith((" ", "#", "^")):
        if _tag_before(text, before, start) and (found := _TAG_END.match(text, start)):
            return found.end()
        if found := _REFERENCE_BEFORE.search(head):
            digits = re.compile(r"\d{1,4}(?![\w%]|[.,]\d)", re.ASCII).match(low, start)
            if digits:
                more = _MORE_REFERENCES.match(low, digits.end())
                assert more is not None  # every part of it is optional
                return more.end()
    if start - before <= 8 or "\n" in head[-9:]:
        found = _LIST_MARK.match(text, start)
        if (
            found
            and _LINE_HEAD.search(text, max(before, start - 9), start)
            and (start <= 8 or "\n" in head[-9:])
        ):
            return found.end()
    return None


def _tag_before(text: str, before: int, start: int) -> bool:
    return bool(_TAG_SQUARE.search(text, max(before, start - 9), start))


_TAG_SQUARE = re.compile(r"[\[【]\^?[A-Za-z]{0,7}[ :#]?$")


def is_word_reference(low: str, start: int, end: int) -> bool:
    """Say whether the number word at [start, end) counts passages or steps ("passage one")."""
    return bool(
        _REFERENCE_BEFORE.search(low, max(0, start - 24), start) or _REFERENCE_AFTER.match(low, end)
    )


def read_literal(text: str, start: int, floor: int) -> Anchor | None:
    """Read what must be compared literally at the digits at `start`.

    A telephone number, a version, a series number ("RFC 9110"), a run of dashes or an over-long
    digit run; None where the digits may be a number.
    """
    if found := _SERIES.search(text, max(floor, start - 16), start):
        number = _SERIES_NUMBER.match(text, start)
        assert number is not None  # the caller stands on a digit
        return _identifier(text, found.start(), number.end())
    plus = start - 1 if start > floor and text[start - 1] in "+(" else start
    if (found := _PHONE.match(text, plus)) or (found := _PHONE.match(text, start)):
        key = "".join(char for char in found[0] if char.isdigit())
        return literal("identifier", text, found.start(), found.end(), key)
    if found := _DOTTED.match(text, start):
        return literal("version", text, start, found.end(), found[0].lower())
    if found := _DASHED.match(text, start):
        return literal("identifier", text, start, found.end(), found[0])
    if found := _LONG.match(text, start):
        return literal("identifier", text, start, found.end(), found[0])
    return None


def read_version(text: str, start: int, floor: int) -> Anchor | None:
    """Read "3.11" after "Python" or "version": one dot, no unit; None elsewhere."""
    number = _VERSION_NUMBER.match(text, start)
    if number is None:
        return None
    found = _VERSION_WORD.search(text, max(floor, start - 24), start)
    if found is None or found[0].rstrip(" .") in _COUNTED:
        return None
    return literal("version", text, start, number.end(), number[0])


def read_glued(text: str, start: int, floor: int) -> Anchor | None:
    """Read the identifier around the digits at `start` ("A4", "GPT-4o", "1080p", "INV-2024-001").

    None where the token has no letter, or where lower-case words are merely joined to a number
    ("mid-1990s", "top-10").
    """
    begin = start
    limit = max(floor, start - _REACH)
    while begin > limit and (text[begin - 1].isalnum() or text[begin - 1] in "-_./"):
        begin -= 1
    while begin < start and not text[begin].isalnum():
        begin += 1
    found = _TOKEN.match(text, begin)
    if found is None or found.end() <= start:
        return None
    token = found[0]
    if not any(char.isalpha() for char in token):
        return None
    return _version_or_identifier(text, begin, found.end())


def _version_or_identifier(text: str, start: int, end: int) -> Anchor:
    token = text[start:end]
    if re.fullmatch(r"[vV]\d[\d.]*(?:[-+.][\w.]+)?", token):
        return literal("version", text, start, end, token[1:].lower())
    return _identifier(text, start, end)


def _identifier(text: str, start: int, end: int) -> Anchor:
    return replace(literal("identifier", text, start, end, ""), key=key_of(text[start:end]))


_BETWEEN = re.compile(r"(?<=[^\W\d_])[-_ ](?=\d)|(?<=\d)[-_ ](?=[^\W\d_])")


def key_of(token: str) -> str:
    """Case-fold and drop a separator between a letter and a digit: "GPT-4o" and "gpt 4o" agree."""
    return _BETWEEN.sub("", token.casefold())
