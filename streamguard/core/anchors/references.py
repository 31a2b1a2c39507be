"""Numbers that are no anchors: list marks, citation tags, "passage 2", "step three"."""

from __future__ import annotations

import re

from streamguard.core.anchors.dates import is_full_date
from streamguard.core.anchors.value import listed

# What a text numbers when it talks about itself or about what it was given.
_REFERENCES = listed(
    "passage document source chunk context excerpt snippet reference ref citation step figure fig"
    " table example option tip reason point item method paragraph sentence line footnote note"
    " answer question scenario fact bullet text quote"
)
_MARK = re.compile(r"(?:\d{1,3}\.|\d{1,2}\))(?:(?=[\s*_]|$)|(?<=\.)(?=[A-Z]))", re.ASCII)
_LINE_HEAD = re.compile(r"(?:^|\n)[ \t>*#(_-]{0,8}$")
_LONGEST_HEAD = 9
_BEFORE_MARK = frozenset(["", *"\n *_#>(-\t"])
_TAG_HEAD = re.compile(r"[\[【]\^?[A-Za-z]{0,8}[ :#]?$")
_LONGEST_TAG_HEAD = 11
_TAG_TAIL = re.compile(
    r"\d{1,4}(?:[ ]?[,;-][ ]?\^?[A-Za-z]?\d{1,4}){0,15}[†\w ]{0,8}[\]】]", re.ASCII
)
_ENUMERATOR = re.compile(r"\d{1,2}\)(?=[ ])", re.ASCII)
_NUMBER = re.compile(r"\d{1,4}(?![\w%]|[.,]\d)", re.ASCII)
_MORE = re.compile(
    r"(?:(?:,[ ]?(?:and[ ]|or[ ])?|[ ]?[&/-][ ]?|[ ](?:and|or|to)[ ])"
    r"(?:(?:passage|document|source|step)s?[ ])?#?"
    r"(?:\d{1,3}(?![\w%]|[.,]\d|[ ]?%)|(?:one|two|three|four|five)(?!\w))){0,9}",
    re.ASCII,
)
_COUNTED = re.compile(
    r"[ -](?:(?:and|or)[ ]\w{1,9}[ ])?(?:given[ ]|provided[ ]|retrieved[ ]|of[ ]the[ ])?"
    r"([a-z]{2,10})(?!\w)"
)
# How far back the word before a number is looked for: "passage number #"; guess.
_REACH = 24


def skip_reference(text: str, low: str, start: int, floor: int) -> int | None:
    """Return the end of a number at `start` that is no anchor, or None where it may be one.

    No anchors: the mark of a list item, a citation tag ("[1]", "[C2, C3]"), "(1)" before a word,
    and what "passage", "step" and the like number. Nothing before `floor` is looked at.
    """
    before = text[start - 1 : start] if start > floor else "\n"
    two = text[max(0, start - 2) : start - 1]
    if before == "\n" or (before in _BEFORE_MARK and two in _BEFORE_MARK):
        mark = _list_mark(text, low, start, floor)
        if mark is not None:
            return mark
    if before == "(" and (found := _ENUMERATOR.match(text, start)):
        return found.end() - 1
    head = text[max(floor, start - _LONGEST_TAG_HEAD) : start]
    if ("[" in head or "【" in head) and _TAG_HEAD.search(head):
        found = _TAG_TAIL.match(text, start)
        if found is not None:
            return found.end()
    if (
        before in " (#["
        and is_reference(low, start, floor)
        and (found := _NUMBER.match(low, start))
    ):
        return reference_end(low, found.end())
    return None


def _list_mark(text: str, low: str, start: int, floor: int) -> int | None:
    found = _MARK.match(text, start)
    if found is None or not _LINE_HEAD.search(text, max(floor, start - _LONGEST_HEAD), start):
        return None
    return None if is_full_date(low, start) else found.end()


def is_reference(low: str, start: int, floor: int) -> bool:
    """Say whether the word before `start` is one that numbers parts of a text."""
    before = low[max(floor, start - _REACH) : start]
    word = before[:-1].rpartition(" ")[2]
    if before[-1:] == " " and word.isalpha() and word not in ("number", "no"):
        return word in _REFERENCES or (word[-1] == "s" and word[:-1] in _REFERENCES)
    words = before.rstrip(" #([").split(" ")
    if words[-1] in ("number", "no.", "no", "nr."):
        del words[-1]
    word = words[-1].lstrip("(*_\"'[\n").rstrip(".") if words else ""
    word = word.rpartition("\n")[2]
    return word in _REFERENCES or (word[-1:] == "s" and word[:-1] in _REFERENCES)


def reference_end(low: str, end: int) -> int:
    """Return the end of the numbers that go on a reference: "passages 1, 2 and 3"."""
    more = _MORE.match(low, end)
    assert more is not None  # it also matches nothing
    return more.end()


def counts_references(low: str, end: int) -> bool:
    """Say whether the number word that ends at `end` counts passages, steps and the like."""
    found = _COUNTED.match(low, end)
    word = found[1] if found else ""
    return word in _REFERENCES or (word[-1:] == "s" and word[:-1] in _REFERENCES)
