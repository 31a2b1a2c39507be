"""Finds citations in a text by the marks of `citation_forms`.

Texts are folded (see `normalise`); spans are half-open. A mark names passages by their position in
the model's list, or by an id, a file or an address. The caller resolves names, as it knows the
passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from streamguard.text.citation_forms import (
    AND,
    CALLED,
    CIRCLED,
    ELEMENT,
    FORMS,
    INSIDE,
    LISTED,
    LOCATOR,
    NO_POWER,
    NUMBER,
    PRIVATE,
    SUPERSCRIPT_DIGITS,
    WIDE,
    WORD,
    Form,
)
from streamguard.text.patterns import lazy_re, lazy_regex

# An element's tags, a reference's rest: no words of the answer, and no citation by themselves.
_END = rf"(?i:</(?:{ELEMENT}|co:[^<>\n]{{1,60}})>)"
_INDEX = r"\{index=\d{1,4}\}"
_ASIDE = rf"(?i:<{ELEMENT}>)|<co>|{_END}|(?<=\]){_INDEX}|\\ue20[346]"
_ASIDE_SIGNS = "<{\\"
_ENDINGS = {"<": (_END,), "{": (_INDEX,)}
_ASIDE_GROUP = "beside"

_CITED = lazy_re(rf"(?i)[ ]?\^?(?:see[ ])?(?P<cited>{NUMBER}(?:{AND}{NUMBER}){{0,20}})")
_RANGE = lazy_re(r"(?i)C?(\d{1,6})(?:\s{0,2}[–-]\s{0,2}C?(\d{1,6}))?")
_NAMED = lazy_re(rf"(?i)(?:{CALLED}|{WORD}[:_-]?(?=C?\d)|{WORD}:)")
_INLINE_CODE = lazy_re(r"`[^`\n]{1,200}`")
_MAX_BARE = 99  # a larger number in brackets is a year or a figure; guess
_MAX_RANGE = 20  # passages one tag may span
_MARKS_KEPT = 512  # by their spelling; an answer repeats few; guess
_LOCATED = lazy_re(rf"{LOCATOR}$")
_TRACKED = lazy_re(r"[?&]utm_source=[\w.-]{1,40}$|/$")  # added to an address by who cites it
_ESCAPED = lazy_re(r"%([2-7][0-9A-Fa-f])")  # of an address, "%20"
_PLAIN_DIGITS = str.maketrans(SUPERSCRIPT_DIGITS, "0123456789")
# Where a mark may begin: its sign, and a little more of common ones.
_SIGN = lazy_re(
    rf"[\[【(<{{{WIDE}{PRIVATE}{SUPERSCRIPT_DIGITS}{CIRCLED}†‡⁽]"
    r"|(?<=[\w ])\^|#(?=#\d)|:(?=contentR)|\\(?=foot|cite|ue20)"
    r"|S(?=ources?[ :]|OURCES?[ :])|c(?=iteturn)|f(?=ileciteturn)|t(?=urn\d{1,3}[a-z])"
)


def _beginning_with(sign: str) -> re.Pattern[str]:
    """Return the pattern of marks that begin with `sign`; its last group identifies the form."""
    forms = [
        f"(?P<f{number}>{form.pattern})" for number, form in enumerate(FORMS) if sign in form.signs
    ]
    aside = [f"(?P<{_ASIDE_GROUP}>{_ASIDE})"] if sign in _ASIDE_SIGNS else []
    return lazy_re("|".join([*forms, *aside]))


def _behind_a_stop(sign: str) -> Any:
    """Return the `regex` pattern of marks with that sign that follow their cited words."""
    forms = [
        form.pattern.replace(NO_POWER, "")
        for form in FORMS
        if sign in form.signs and form.name != "name" and not (form.opens or form.within)
    ]
    return lazy_regex("|".join([*forms, *_ENDINGS.get(sign, ())]))


_SIGNS = dict.fromkeys("".join(form.signs for form in FORMS) + _ASIDE_SIGNS)
_MARKS = {sign: _beginning_with(sign) for sign in _SIGNS}
# They match a part of a mark too: text after a full stop may still arrive.
TRAILING_MARKS = {sign: _behind_a_stop(sign) for sign in _SIGNS}
_FOUND_IN = {
    pattern: lazy_re(pattern)
    for form in FORMS
    for pattern in (form.names, form.places)
    if pattern != LISTED
}


class CitationMark(NamedTuple):
    """A mark in a text: its half-open span, its form, and the passages that it names.

    `names`: ids, files and addresses; the first that resolves counts. `places`: positions in the
    list of passages, from 1, if no name resolves. `form` is None for the end of an element, which
    is neither a mark nor part of the answer.
    """

    start: int
    end: int
    form: Form | None
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()


def find_marks(text: str) -> Iterator[CitationMark]:
    """Yield the marks of `text` from left to right, including brackets that may be marks.

    Inline code has none. Linear in the length of the text.
    """
    if not _may_cite(text) or not any(map(str.isalnum, text)):
        return
    plain = _INLINE_CODE.sub(lambda code: " " * len(code[0]), text) if "`" in text else text
    end = 0
    for sign in _SIGN.finditer(plain):
        found = _MARKS[sign[0]].match(plain, sign.start()) if sign.start() >= end else None
        if found is not None:
            end = found.end()
            kind = found.lastgroup or ""
            if kind == _ASIDE_GROUP:
                yield CitationMark(*found.span(), None)
            else:
                form = int(kind[1:])
                yield CitationMark(*found.span(), FORMS[form], *_named_in(form, found[0]))


_SIGNS_OF_ASCII = ("ource", "OURCE", "cite", "##", "turn", "\\ue20")


def _may_cite(text: str) -> bool:
    """Return whether `text` has a mark's sign: most texts have none."""
    if text.isascii() and "[" not in text and "(" not in text and "<" not in text:
        if "{" in text or "^" in text:
            return True
        return any(map(text.__contains__, _SIGNS_OF_ASCII))
    return True


@lru_cache(maxsize=_MARKS_KEPT)
def _named_in(number: int, written: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names and positions in a mark of form `number`."""
    form = FORMS[number]
    names = tuple(_all(form.names, written))
    if form.by == "link":
        address = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), names[0])
        names = (names[0], address, address.rpartition("/")[2], _TRACKED.sub("", address))
    if form.names == INSIDE and names:  # also behind what it calls them: "[Source: plans.md]"
        called = _NAMED.match(names[0])
        names = (names[0], names[0][called.end() :].strip()) if called else names[:1]
        if (place := _LOCATED.search(names[-1])) is not None:
            names = (*names, names[-1][: place.start()])
    if form.places == LISTED:
        return names, tuple(_listed(written))
    numbers = (int(number.translate(_PLAIN_DIGITS)) for number in _all(form.places, written))
    return names, tuple(number + (form.by in ("index", "result", "file")) for number in numbers)


def _all(pattern: str, text: str) -> list[str]:
    """Return the matches of a pattern in `text`: its group, or the complete match."""
    return [found[found.re.groups].strip() for found in _FOUND_IN[pattern].finditer(text)]


def _listed(written: str) -> list[int]:
    """Return the positions in a tag, none if it holds something else ("[0, 100]")."""
    found = _CITED.match(written.lstrip("[【("))
    assert found is not None  # the form's own pattern
    cited = found["cited"]
    places: list[int] = []
    for first, last in _RANGE.findall(cited):
        end = min(int(last or first), int(first) + _MAX_RANGE)
        places.extend(range(int(first), end + 1))
    bare = "C" not in _NAMED.sub("", cited).upper()
    return [] if bare and not all(1 <= place <= _MAX_BARE for place in places) else places
