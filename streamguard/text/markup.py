"""Parses lines: Markdown open at a position, list marks, hard-wrapped sentences."""

from __future__ import annotations

from itertools import pairwise

from streamguard.text.patterns import lazy_re

CODE_CHARS = 200  # an inline code span, or ...
BRACKET_CHARS = 120  # ... a bracket that is longer is taken for an unclosed one; guesses
NOT_OPEN = -1

_WHOLE_LINE = lazy_re(r"[>\s]{0,12}(?:\||#{1,6}[ \t])")  # table rows and headings
_FENCE_CHARS = 24
_FENCE_PREFIX = lazy_re(r"[>\s]{0,12}(?:[-*+][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?")


class Markup:
    """The Markdown open in the current line, inside which no sentence may end.

    Offsets are those of the caller's buffer; `drop` reports that its start was cut off. A run of
    backticks counts once its last sign and the next character are known.
    """

    def __init__(self) -> None:
        self._fence_sign = ""  # of the open code fence, which newlines do not close
        self._fence_width = 0
        self.new_line()

    def new_line(self) -> None:
        """Reset the state that a newline ends."""
        self._on_fence_line = False  # the line that opened the fence
        self._whole_line: bool | None = None  # a heading or table row; None: not known yet
        self._code_width = 0
        # The last offsets at which the open code span and the open bracket are believed.
        self._code_limit = self._bracket_limit = NOT_OPEN

    def drop(self, length: int) -> None:
        """Shift all offsets down by `length`."""
        self._code_limit = max(self._code_limit - length, NOT_OPEN)
        self._bracket_limit = max(self._bracket_limit - length, NOT_OPEN)

    def undivided(self, text: str, start: int, at: int) -> bool:
        """Return whether the line is code, a heading or a table row, which only newlines end.

        `start` is the line's first sentence; the first call in a line has `at` there or before.
        """
        if self._fence_sign:
            return True
        if self._whole_line is None:
            may_be = text[start] in "|#>"
            self._whole_line = may_be and _WHOLE_LINE.match(text, start, at) is not None
        return self._whole_line

    def hides(self, at: int) -> bool:
        """Return whether `at` is in inline code or in a bracket, such as a link's label."""
        return at <= max(self._bracket_limit, self._code_limit)

    def take_bracket(self, at: int, *, opens: bool) -> None:
        """Process the `[` or `]` at `at`."""
        if opens and not self._code_width:
            self._bracket_limit = at + BRACKET_CHARS
        elif not opens and at > self._code_limit:
            self._bracket_limit = NOT_OPEN

    def close_run(self, text: str, start: int, at: int, *, first: bool) -> None:
        """Process the run of backticks or tildes that ends `text[start:at+1]`.

        `text[at + 1]`, if any, ends the run; `first`: the sentence from `start` is the first of its
        line.
        """
        sign = text[at]
        run = text[max(start, at - CODE_CHARS) : at + 1]
        width = len(run) - len(run.rstrip(sign))
        head = at + 1 - width
        leads = first and head - start <= _FENCE_CHARS
        leads = leads and _FENCE_PREFIX.fullmatch(text, start, head) is not None
        if self._take_fence(sign, width, leads=leads, after=text[at + 1 : at + 2]):
            return
        if sign == "~" or self.undivided(text, start, head):
            return
        if at <= self._code_limit:
            if width == self._code_width:
                self._code_width, self._code_limit = 0, NOT_OPEN
        elif width > 1 or not (head > start and text[head - 1].isalnum()):
            self._code_width, self._code_limit = width, at + CODE_CHARS

    def _take_fence(self, sign: str, width: int, *, leads: bool, after: str) -> bool:
        """Open or close a code fence; return whether the run is no inline code."""
        if not self._fence_sign:
            if leads and width >= 3:
                self._fence_sign, self._fence_width, self._on_fence_line = sign, width, True
            return self._on_fence_line
        inline = self._on_fence_line and sign == "`"  # no fence: its line holds a second run
        closes = leads and sign == self._fence_sign and width >= self._fence_width
        if inline or (closes and (not after or after.isspace())):
            self._fence_sign, self._on_fence_line = "", False
        return True


# List marks: `1.`, `2)`, `3.)`, `a.`, `iv.`, `- 1.`, `•`. A mark stays with its item.
BULLETS = "•⁃▪◦‣●"
LIST_MARK_CHARS = 24

# A mark at the start of a sentence, its full stop or bracket included.
LIST_MARK = lazy_re(
    rf"[>#\s\-*+_({BULLETS}–—]{{0,12}}"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxlcIVXLC]{2,5})(?:\.?\)|\.)"
)
_FIRST_ITEM = lazy_re(r"(\d{1,3}|[A-Za-z])(\.\)|[.)])\s")
_BEFORE_CHARS = 24  # the mark and the word before it
# A number behind one of these is its name: "as described in passage 2."
_NAMED_BY_NUMBER = frozenset(
    """
    passage passages step steps section sections chapter figure table part page number no level
    version phase stage point appendix document source day week
    year grade class type group and or to of than at in by is was about
    """.split()
)


def next_item(text: str, start: int, end: int) -> int | None:
    """Return where the list mark that ends at `end` begins, if it continues the sentence's list.

    The sentence starts at `start`. `1. one 2. two` in one line has two items if the second mark has
    the same style and the next number. If the mark continues after `end` (`2.` of `2.)`), `end`
    itself is returned; None for no mark.
    """
    if text[end - 1] in BULLETS:
        at = end - 1
        repeats = at > start and text[start] == text[at] and text[at - 1].isspace()
        return at if repeats else None
    if text[end - 2].isalpha() and not text[end - 3 : end - 2].isspace():
        return None
    first = _FIRST_ITEM.match(text, start, end)
    if first is None:
        return None
    number, style = first.groups()
    words = text[max(start + 1, end - _BEFORE_CHARS) : end].rsplit(None, 2)
    if len(words) < 2 or words[-2].casefold() in _NAMED_BY_NUMBER or words[-2][-1] in ",-–&":
        return None
    if words[-1] == _after(number) + style:
        return end - len(words[-1])
    return end if style == ".)" and words[-1] == _after(number) + "." else None


def _after(number: str) -> str:
    return str(int(number) + 1) if number.isdecimal() else chr(ord(number) + 1)


# Hard-wrapped passages: line breaks inside a sentence, as PDF readers and e-mails leave them.
_ENDS = frozenset(".!?:;|…。！？")
# The beginning of a separate line: a list item, heading, table row, quotation or code fence.
_OWN_LINE = lazy_re(r"[ \t]*(?:[-*+•–>#|]|\d{1,3}[.)]|[a-zA-Z][.)]|```|~~~)")
# A line this long was broken by its width, not by its writer; guess, wraps are at 60 to 80.
_WRAPPED_CHARS = 60


def unwrapped(text: str) -> str:
    """Return `text` with line breaks inside sentences as spaces: same length, same offsets.

    A break is replaced if the line before it does not end a sentence and the next one continues:
    with a lower-case letter, or after a line of at least `_WRAPPED_CHARS` characters.
    """
    if "\n" not in text:
        return text
    lines = text.split("\n")
    joined = [lines[0]]
    for before, line in pairwise(lines):
        end, start = before.rstrip(), line.lstrip()
        over = not end or not start or end[-1] in _ENDS or _OWN_LINE.match(line)
        # Rows of a table without bars at its ends; headings and rows with them.
        is_row = " | " in before or " | " in line or ("|" in before and "|" in line)
        is_own = _OWN_LINE.match(before) and before.lstrip()[0] in "#|"
        goes_on = not (over or is_row or is_own)
        goes_on = goes_on and (start[0].islower() or len(end) >= _WRAPPED_CHARS)
        joined += [" " if goes_on else "\n", line]
    return "".join(joined)


# Comma-separated values and their like: lines of as many cells, below heads that are no figures.
_SEPARATORS = (",", ";", "\t")
_LEAST_CELLS = 3
# A cell in quotation marks, as CSV writes those with a separator or a doubled mark in them.
_QUOTED = lazy_re(r'(?<![^,;\t])"(?:[^"\n]|""){0,500}"(?![^,;\t\r])')
_FIGURE_CELL = lazy_re(r"[^\W\d_]{0,3}[\s$€£+-]{0,3}\d[\d.\s]*%?")


def barred(text: str) -> str:
    """Return `text` with the separators in its tables as bars: same length.

    A table begins with a header line, or with the text if it continues another one. Separators in
    quoted cells stay. Lines with other quotation marks, or a separator before a space, are prose.
    """
    counts = [text.count(separator) for separator in _SEPARATORS]
    best = max(range(len(_SEPARATORS)), key=counts.__getitem__)
    if counts[best] < 2 * (_LEAST_CELLS - 1) or "\n" not in text:
        return text
    separator, lines = _SEPARATORS[best], text.split("\n")
    cells = [_cells_of(line, separator) for line in lines]
    first = 0
    while first < len(lines):
        end = first + 1
        while end < len(lines) and cells[end] == cells[first]:
            end += 1
        is_table = cells[first] and end - first > 1
        if is_table and (first == 0 or _are_heads(lines[first], separator)):
            lines[first:end] = [_unquoted(line, separator, "|") for line in lines[first:end]]
        first = end
    return "\n".join(lines)


def _cells_of(line: str, separator: str) -> int:
    """Return the number of separated values in a line, 0 for prose."""
    if '"' in line:  # quoted cells count as one each
        line = _QUOTED.sub("", line) if line.count(separator) >= _LEAST_CELLS - 1 else line
    many = line.count(separator) + 1
    is_prose = many < _LEAST_CELLS or separator + " " in line or '"' in line or "|" in line
    return 0 if is_prose else many


def _unquoted(line: str, separator: str, sign: str) -> str:
    """Return a line with another sign for the separators outside of quoted cells."""
    if '"' not in line:
        return line.replace(separator, sign)
    parts, at = [], 0
    for cell in _QUOTED.finditer(line):
        parts += [line[at : cell.start()].replace(separator, sign), cell[0]]
        at = cell.end()
    return "".join([*parts, line[at:].replace(separator, sign)])


def _are_heads(line: str, separator: str) -> bool:
    """Return whether no cell of a line is a number or empty."""
    return all(cell and not _FIGURE_CELL.fullmatch(cell) for cell in line.split(separator))
