"""What a text lists: bullets, numbered lines, table rows, and "Basic, Pro and Enterprise"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from streamguard.core.derive.operands import stems
from streamguard.core.words import words_in

LEAST, MOST = 2, 30
_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+(?=\S)")
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t|:+-]*")
# An item of a list in a line has at most so many words; guess.
_ITEM_WORDS = 7
_JOINT = re.compile(r",?[ ](?:and|or|as well as|&)[ ]|,[ ]|;[ ]")
_MARKS = ".!?:() \n"
_END = re.compile(r"[.!?:](?=\s|$)|\n|[()]")
# "3 desks, 10 GB of storage": what has its own count is no item of one class; nor is a price.
_MEASURED = re.compile(r"\d[\d.,]*[ ][^\W\d_]{2}|[$€£¥]|(?<!\w)[A-Z]{3}[ ]\d")
# Characters of the last item, whose end is not looked for; guess.
_LAST_ITEM = 40
# Words of the lead before a list that may name what is listed, in characters; guess.
_LEAD = 120


@dataclass(frozen=True, slots=True)
class Listing:
    """Things that a text lists: how many, and their span.

    `lead` are the stems of what introduces the list, `names` these and those that the items
    share, by one of which they may be called.
    """

    count: int
    start: int
    end: int
    lead: frozenset[str]
    names: frozenset[str]
    text: str

    @property
    def value(self) -> Decimal:
        """The count as a value."""
        return Decimal(self.count)


def listings(text: str) -> tuple[Listing, ...]:
    """Return the lists of folded `text`: bullets, numbered lines, tables, and those in a line."""
    return (*_in_lines(text), *_in_line(text))


def _in_lines(text: str) -> Iterator[Listing]:
    """Yield runs of list items and of table rows; a table's first row and its rule do not count."""
    if "\n" not in text:
        return
    run: list[tuple[int, int]] = []
    place, lead, kind = 0, "", ""
    for line in (*text.split("\n"), ""):
        now = "row" if _ROW.match(line) else "item" if _ITEM.match(line) else ""
        if now != kind and (now or line.strip() or place > len(text)):
            yield from _closed(text, run, kind, lead)
            lead, run, kind = (text[max(0, place - _LEAD) : place], [], now)
        if now:
            run.append((place, place + len(line)))
        place += len(line) + 1
    yield from _closed(text, run, kind, lead)


def _closed(text: str, run: list[tuple[int, int]], kind: str, lead: str) -> Iterator[Listing]:
    if kind == "row":
        run = [span for span in run if not _RULE.fullmatch(text, *span)][1:]
        lead += text[max(0, run[0][0] - _LEAD) : run[0][0]] if run else ""
    if LEAST <= len(run) <= MOST:
        start, end = run[0][0], run[-1][1]
        said = stems(lead)
        names = said | _shared([stems(text[first:last]) for first, last in run])
        yield Listing(len(run), start, end, said, names, text[start:end])


def _in_line(text: str) -> Iterator[Listing]:
    """Yield "Basic, Pro and Enterprise": short items with commas, the last one after "and"."""
    start = 0
    for end in (*(found.start() for found in _END.finditer(text)), len(text)):
        yield from _enumerated(text, start, end)
        start = end


def _enumerated(text: str, start: int, end: int) -> Iterator[Listing]:
    joints = list(_JOINT.finditer(text, start, end))
    if not joints:
        return
    count, first = 1, start
    for number, joint in enumerate(joints):
        before = joints[number - 1].end() if number else start
        if count > 1 and len(words_in(text[before : joint.start()])) > _ITEM_WORDS:
            count = 1
        if count == 1:
            first = before
        count += 1
        if joint[0].strip() not in (",", ";"):
            if LEAST < count <= MOST or (count == LEAST and _short(text, first, joint)):
                yield from _in_one_line(
                    text, start, end, first, joints[number - count + 2 : number + 1]
                )
            count = 1


def _in_one_line(
    text: str, start: int, end: int, first: int, joints: Sequence[re.Match[str]]
) -> Iterator[Listing]:
    """Yield the list of items from `first` on, cut by `joints`, in the part [start, end)."""
    last = min(end, joints[-1].end() + _LAST_ITEM)
    cuts = [first, *(place for joint in joints for place in joint.span()), last]
    items = [text[one:two] for one, two in zip(cuts[::2], cuts[1::2], strict=True)]
    if sum(_MEASURED.search(item) is not None for item in items) > 1:
        return
    lead = stems(_lead(text, start, first, joints[0].start()))
    of_items = [stems(item) for item in items]
    # The words before the first item and behind the last one are not cut from these.
    inner = frozenset().union(*of_items[1:-1]) - _shared(of_items)
    names = stems(text[max(0, start - _LEAD) : end]) - inner
    place = first + len(text[first:last]) - len(text[first:last].lstrip(_MARKS))
    yield Listing(len(items), place, last, lead, names, text[place:last])


def _shared(items: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the words of at least half of the items, and of two: what all of them are."""
    counts = Counter(word for item in items for word in item)
    return frozenset(word for word, count in counts.items() if 2 <= count >= len(items) / 2)


def _lead(text: str, start: int, first: int, end: int) -> str:
    """Return the words before the first item, which ends at `end`: "The shop sells" of "… apples".

    Where the list begins behind a colon they stand before that.
    """
    if first > start:
        return text[max(start, first - _LEAD) : first]
    if text[start : start + 1] == ":":
        return text[max(0, start - _LEAD) : start].rpartition("\n")[2].rpartition(". ")[2]
    return text[max(start, end - _LEAD) : end].rpartition(" ")[0]


def _short(text: str, first: int, joint: re.Match[str]) -> bool:
    """Say whether "A and B" joins two names rather than two clauses."""
    after = text[joint.end() : joint.end() + _LAST_ITEM]
    return len(words_in(text[first : joint.start()])) <= 3 and len(words_in(after)) <= 4
