"""Folds text for matching, and maps matches back to the original text.

Matching runs on a folded copy: NFKC, typographic quotes, apostrophes, dashes and spaces as ASCII,
invisible characters dropped. Findings are reported in the original's offsets. Case is kept, white
space is not collapsed, and ASCII text is its own folded copy.

Three changes of NFKC are left out, because they alter the meaning of a text:

- Superscripts, subscripts and circled signs stay: `growth²` and `growth①` carry a footnote mark,
  not a number, and `Acme™` is not `AcmeTM`.
- A fraction after a digit keeps its distance: `1½` becomes `1 1/2`, never `11/2`.
- An em dash stays an em dash. En dash, minus and the hyphens become `-`, which joins words and
  ranges; an em dash separates them, so neither `-` nor a spaced hyphen would say the same.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from streamguard.text.patterns import lazy_re, lazy_regex

_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50)
# One character for one character, so that offsets do not change.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʹʼˈ′´`＇‹›", "'"),
        **dict.fromkeys("“”„‟«»″〝〞＂", '"'),
        **dict.fromkeys("‐‑‒–−⁃﹣－", "-"),
        "―": "—",
        "﹘": "—",
        "\u1680": " ",
        "\u3000": " ",
        "⁄": "/",
        **dict.fromkeys("\x85\u2028\u2029", "\n"),
        **dict(zip("٫٬٪", ".,%", strict=True)),  # Arabic: decimals, thousands, percent
        # Digits of other scripts, which NFKC leaves: Arabic, Persian, Devanagari, Bengali, Thai.
        **{chr(zero + digit): str(digit) for zero in _ZEROS for digit in range(10)},
    }
)
del _PLAIN[ord("`")]  # Markdown's own sign, and ASCII is unchanged

_SIGNS = "".join(re.escape(chr(sign)) for sign in _PLAIN)
# The least text that NFKC has to see at once. Marks are bounded: reordering a run of them costs
# its length squared (30 is the limit of Unicode's Stream-Safe Text Format, UAX #15 section 13).
_UNITS = (
    r"(?s:.)(?:\p{DI}{0,8}[\p{M}--\p{DI}]){1,30}"
    r"|[\u1100-\u115e\uac00-\ud7a3][\u1161-\u11ff]{1,2}"
    r"|[\uff66-\uff9d][\uff9e\uff9f]"
    rf"|[\p{{NFKC_QC=N}}\p{{M}}\p{{DI}}{_SIGNS}]"
)
_UNIT = lazy_regex(rf"(?V1){_UNITS}")
# JSON in a text ("€49" as "\\u20ac49"): what it looks like, and an escape of it as a unit.
_JSON = lazy_re(r'"\s{0,8}[:,\]}]')
_PAIR_ESCAPE = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'{_PAIR_ESCAPE}|\\u[0-9a-fA-F]{{4}}|\\["/bfnrt\\]'
_ESCAPED_UNIT = lazy_regex(rf"(?V1){_ESCAPE}|{_UNITS}")
_WIDE = lazy_re(r"[^\x00-\x7f]+")
_SPECIAL = lazy_regex(rf"[\p{{DI}}{_SIGNS}]")
# The signs that English prose is full of, taken first: six searches cost less than one unit.
_COMMON = tuple((sign, chr(plain)) for sign, plain in zip("’‘“”–\u00a0", b"''\"\"- ", strict=True))
_INVISIBLE = lazy_regex(r"\p{DI}+")
_KEPT_FORMS = ("<super>", "<sub>", "<circle>")
_ASTRAL = lazy_regex("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded copy of a text, with a map to the original.

    `edits` lists, in order, the units whose length changed, as half-open spans `(folded start,
    folded end, original start, original end)`; between them offsets advance equally.
    """

    text: str
    edits: tuple[tuple[int, int, int, int], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original's half-open span of the folded span `[start, end)`.

        Both ends extend to complete units (`½` for the `1` of `1/2`); characters dropped at either
        end stay outside. An empty span gives an empty one.
        """
        if not self.edits:
            return start, end
        first = self._unit(start)[0]
        return first, self._unit(end - 1)[1] if end > start else first

    def _unit(self, at: int) -> tuple[int, int]:
        """Return the original's span of the unit that became the folded character `at`."""
        index = bisect_right(self.edits, at, key=lambda edit: edit[0]) - 1
        if index < 0:
            return at, at + 1
        _, folded_end, start, end = self.edits[index]
        if at < folded_end:
            return start, end
        original = end + at - folded_end
        return original, original + 1


# Letters that most typefaces draw as Latin ones; Unicode's confusables, the common part.
_LOOK_ALIKES = str.maketrans(
    "АВЕКМНОРСТУХІЈЅаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχ",
    "ABEKMHOPCTYXIJSaeopcyxijshdqwABEZHIKMNOPTYXavopux",
)


def lower_in_place(text: str) -> str:
    """Return `text.lower()` with unchanged offsets, also where `lower` would lengthen it."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def in_latin(text: str) -> str:
    """Return `text` with Cyrillic and Greek letters as their Latin look-alikes; same length."""
    return text if text.isascii() else text.translate(_LOOK_ALIKES)


def fold_source(text: str) -> Folded:
    """Return the folded copy of a passage, with JSON escapes decoded.

    Only if the text looks like JSON: elsewhere a backslash is a backslash.
    """
    if "\\" in text and _JSON.search(text):
        return _fold_units(text, _ESCAPED_UNIT)
    return fold(text)


def fold(text: str) -> Folded:
    """Return the folded copy of `text`; linear, and without work for ASCII."""
    if text.isascii():
        return Folded(text)
    for sign, plain in _COMMON:
        text = text.replace(sign, plain)
    wide = "".join(_WIDE.findall(text))
    if _SPECIAL.search(wide) is None and unicodedata.is_normalized("NFKC", text):
        return Folded(text)
    return _fold_units(text, _UNIT)


def _fold_units(text: str, units: re.Pattern[str]) -> Folded:
    parts: list[str] = []
    edits: list[tuple[int, int, int, int]] = []
    done = length = 0
    before = ""
    for unit in units.finditer(text):
        start, end = unit.span()
        if start > done:
            parts.append(text[done:start])
            length += start - done
            before = text[start - 1]
        folded = _fold_unit(unit.group())
        if "/" in folded and folded[0].isdigit() and before.isdigit():
            folded = " " + folded
        if len(folded) != end - start:
            edits.append((length, length + len(folded), start, end))
        parts.append(folded)
        length += len(folded)
        before = folded[-1:] or before
        done = end
    parts.append(text[done:])
    return Folded("".join(parts), tuple(edits))


@lru_cache(maxsize=4_096)  # a text's signs are few, whatever its length; guess
def _fold_unit(unit: str) -> str:
    if unit[0] == "\\" and len(unit) > 1:
        unit = scalar_text(json.loads(f'"{unit}"'))
    visible = _INVISIBLE.sub("", unit).translate(_PLAIN)
    if visible and unicodedata.decomposition(visible[0]).startswith(_KEPT_FORMS):
        return visible
    return unicodedata.normalize("NFKC", visible).translate(_PLAIN)


# Latin letters that Unicode does not take apart into a plain one and its mark.
_BARRED = str.maketrans("łøđħŧıŁØĐĦŦ", "lodhtiLODHT")


def unaccented(text: str) -> str:
    """Return `text` with Latin letters unaccented, "gdańsk" as "gdansk"; same length.

    Other scripts stay, as a mark makes another letter there.
    """
    return text if text.isascii() else _WIDE.sub(_without_marks, text.translate(_BARRED))


def _without_marks(run: re.Match[str]) -> str:
    firsts = [(char, unicodedata.normalize("NFD", char)[0]) for char in run[0]]
    return "".join([first if first.isascii() else char for char, first in firsts])


def astral_offsets(text: str) -> list[int]:
    """Return the code point offsets of the characters that take two UTF-16 units, in order."""
    return [] if text.isascii() else [sign.start() for sign in _ASTRAL.finditer(text)]


# A JSON escape may cut a surrogate pair in two.
_SURROGATE = lazy_re("[\ud800-\udfff]")


def scalar_text(text: str) -> str:
    """Return `text` with surrogate pairs joined and every lone surrogate as U+FFFD."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def ends_in_high_surrogate(text: str) -> bool:
    """Return whether the next piece may complete the last character of `text`."""
    return text[-1:] >= "\ud800" and text[-1:] <= "\udbff"
