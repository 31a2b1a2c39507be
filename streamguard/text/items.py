"""List marks: `1.`, `2)`, `3.)`, `a.`, `iv.`, `- 1.`, `•`. A mark stays with its item."""

from __future__ import annotations

from streamguard.text.languages import word_set
from streamguard.text.patterns import lazy_re

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
_NAMED_BY_NUMBER = word_set(
    """
    passage passages step steps section sections chapter figure table part page number no level
    version phase stage point appendix document source day week
    year grade class type group and or to of than at in by is was about
    """
)


def next_item(text: str, start: int, end: int) -> int | None:
    """Return where the list mark that ends at `end` begins, if the sentence's own comes before it.

    The sentence starts at `start`. `1. one 2. two` written in a line holds two items, but only a
    mark of the same style with the next number says so. Where the mark goes on behind `end`
    (`2.` of `2.)`), `end` itself is returned; None stands for no mark.
    """
    if text[end - 1] in BULLETS:
        return end - 1 if _repeats_bullet(text, start, end - 1) else None
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


def _repeats_bullet(text: str, start: int, at: int) -> bool:
    return at > start and text[start] == text[at] and text[at - 1].isspace()


def _after(number: str) -> str:
    return str(int(number) + 1) if number.isdecimal() else chr(ord(number) + 1)
