"""What lines are made of: list marks, lines that nothing divides, hard-wrapped sentences."""

from __future__ import annotations

from itertools import pairwise

from streamguard.text.patterns import lazy_re

# List marks: `1.`, `2)`, `3.)`, `a.`, `iv.`, `- 1.`. A mark stays with its item.
LIST_MARK_CHARS = 24
# A mark at the start of a sentence, its full stop or bracket included.
LIST_MARK = lazy_re(
    r"[>#\s\-*+_(•⁃▪◦‣●–—]{0,12}"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxlcIVXLC]{2,5})(?:\.?\)|\.)"
)
# Table rows and headings, which only newlines end.
WHOLE_LINE = lazy_re(r"[>\s]{0,12}(?:\||#{1,6}[ \t])")

# Hard-wrapped passages: line breaks inside a sentence, as PDF readers and e-mails leave them.
_ENDS = frozenset(".!?:;|…。！？")
# What begins a line of its own: a list item, heading, table row, quotation or code fence.
_OWN_LINE = lazy_re(r"[ \t]*(?:[-*+•–>#|]|\d{1,3}[.)]|[a-zA-Z][.)]|```|~~~)")
# A line this long was broken by its width, not by its writer; guess, wraps are at 60 to 80.
_WRAPPED_CHARS = 60


def unwrapped(text: str) -> str:
    """Return `text` with the line breaks inside a sentence as spaces: same length, same offsets.

    A break goes when the line before it has not come to an end and the next one goes on: in small
    letters, or behind a line of at least `_WRAPPED_CHARS` characters.
    """
    if "\n" not in text:
        return text
    lines = text.split("\n")
    joined = [lines[0]]
    for before, line in pairwise(lines):
        joined.append(" " if _goes_on(before, line) else "\n")
        joined.append(line)
    return "".join(joined)


def _goes_on(before: str, line: str) -> bool:
    end, start = before.rstrip(), line.lstrip()
    if not end or not start or end[-1] in _ENDS or _OWN_LINE.match(line):
        return False
    if " | " in before or " | " in line:  # rows of a table without bars at its ends
        return False
    if _OWN_LINE.match(before) and before.lstrip()[0] in "#|":
        return False
    return start[0].islower() or len(end) >= _WRAPPED_CHARS
