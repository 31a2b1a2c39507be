"""Lays out the HTML of a passage as lines, lists and tables of plain text, of the same length."""

from __future__ import annotations

import re
from html import unescape

from streamguard.text.patterns import lazy_re

# What folding drops: a word or a rate goes on across it, "<b>$12</b>/month".
_NOTHING = "\u200b"
# A text of these is HTML; of tags in code it only speaks.
_BLOCK_END = lazy_re(
    r"(?i)</(?:p|div|li|[uod]l|d[dt]|h[1-6]|table|thead|tbody|t[rdh]|section|article)\s{0,9}>"
)
_IN_CODE = lazy_re(r"(?i)`</?[a-z]|^\s{0,3}```", re.MULTILINE)
_LEAST_ENDS = 2
_TAG = lazy_re(
    r"(?i)<!--(?:[^-]|-(?!->)){0,500}-->"
    r"|<(?:script|style)\b[^<>]{0,500}>[^<]{0,20000}+</(?:script|style)\s{0,9}>"
    r"|<(?P<end>/)?(?P<name>[a-z][a-z0-9]{0,15})(?:\s[^<>]{0,500})?/?>"
    r"|&(?:\#[0-9]{1,7}|\#x[0-9a-f]{1,6}|[a-z]{2,8});"
)
_CELLS = frozenset(["td", "th"])
_BREAKS = frozenset(
    """
    p div ul ol dl dd dt br hr table thead tbody tfoot caption section article header footer main
    aside nav blockquote pre figure figcaption form fieldset h1 h2 h3 h4 h5 h6
    """.split()
)


def laid_out(text: str) -> str:
    """Return a text of HTML without its tags; any other text unchanged.

    Headings, items and cells have their marks in Markdown. Every character keeps its place.
    """
    if "</" not in text or len(_BLOCK_END.findall(text)) < _LEAST_ENDS or _IN_CODE.search(text):
        return text
    parts: list[str] = []
    at, in_row = 0, False
    for tag in _TAG.finditer(text):
        gap = text[at : tag.start()]
        parts.append(gap.replace("\n", " ") if in_row else gap)
        name, at = (tag["name"] or "").lower(), tag.end()
        if name == "tr":
            in_row = not tag["end"]
        parts.append(_in_place(tag, name, in_row))
    return "".join([*parts, text[at:]])


def _in_place(tag: re.Match[str], name: str, in_row: bool) -> str:
    """Return as many characters as a tag or an entity has."""
    written, ends = tag[0], tag["end"] is not None
    size = len(written)
    if written.startswith("&"):
        return unescape(written)[:1].ljust(size, _NOTHING)
    if name in _CELLS:
        return ("" if ends else "|").ljust(size)
    if name == "tr":
        return ("|" if ends else "\n").ljust(size)
    if in_row or not name:
        return " " * size if name in _BREAKS or not name else _NOTHING * size
    if name == "li":
        return ("" if ends else "\n- ").ljust(size)
    if name in _BREAKS:
        level = name[1:] if name[0] == "h" and not ends else ""
        mark = "#" * min(2, int(level)) if level.isdigit() else ""
        if ends and name == "dt":
            return ":\n".ljust(size)  # what is below it is told of it
        return ("\n\n" if ends else f"\n{mark}").ljust(size)
    return _NOTHING * size
