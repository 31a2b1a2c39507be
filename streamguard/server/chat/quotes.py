"""Quotable parts of a passage: sentences, list items and table rows, each with its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamguard.core.model.types import RetrievedChunk
from streamguard.rag.wording import initials_of, terms_of
from streamguard.text.markup import unwrapped
from streamguard.text.segmenter import Segmenter

_MAX_LIST_CHARS = 500  # of a list that is quoted as a whole; guess, longer is no answer

_ITEM = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s{1,8}(?=\S)")
_OPENS = re.compile(r"\s{0,8}(?:[-*+•]|1[.)])\s{1,8}(?=\S)")
_CELL = r"\s{0,8}+:?-{2,}+:?\s{0,8}+"  # a cell keeps its lines: each line is read one way
_RULE = re.compile(rf"\s{{0,8}}+\|?{_CELL}(?:\|{_CELL}){{0,63}}+\|?\s{{0,8}}+$")
_CITATION = re.compile(r"\[\s{0,4}C?\d{1,6}\s{0,4}\]", re.IGNORECASE)
_LABELLED = re.compile(r"\s{0,8}[*_]{0,2}[^\W\d_][^:|\n]{0,40}:[*_]{0,2}[ \t]{1,8}\S")
_ENDS = (".", "!", "…", "。")


@dataclass(frozen=True, slots=True)
class Quote:
    """A part of a passage: its text, the passage's number from 1, and its subject.

    `words` and `heading` are stems: its own, and those of the heading above. Acronyms are looked up
    in `initials`. A list quoted as a whole has `items`.
    """

    text: str
    number: int
    source: str
    words: frozenset[str]
    heading: frozenset[str]
    initials: str = ""
    items: frozenset[str] = frozenset()


def quotes_of(chunks: Sequence[RetrievedChunk]) -> Iterator[Quote]:
    """Yield the quotable parts of the passages, without their own citation marks.

    A table row comes with its column heads, a list item with the line before its list or, if that
    is no sentence, with its heading; a short list is also quoted as a whole. A line "label: value"
    is quotable by itself.
    """
    for number, chunk in enumerate(chunks, 1):
        source = chunk.source or f"C{number}"
        heading, text = _heading_of(unwrapped(chunk.text))
        above = frozenset(terms_of(heading))
        for quotable, items in _quotable_parts(text, heading):
            if not _CITATION.search(quotable):
                words = frozenset(terms_of(quotable))
                yield Quote(quotable, number, source, words, above, initials_of(quotable), items)


def _heading_of(text: str) -> tuple[str, str]:
    """Return a passage's initial heading line, if it has one, and the rest."""
    first, _, rest = text.partition("\n")
    stripped = first.strip()
    is_heading = not stripped.endswith((*_ENDS, ":", "|")) and not _ITEM.match(first)
    if _is_labelled(first) and _is_labelled(rest.partition("\n")[0]):
        is_heading = False  # one of several such lines
    return (stripped, rest) if is_heading and "|" not in first else ("", text)


def _quotable_parts(text: str, heading: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the self-contained parts of a section, a list with its items."""
    prose: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        block = _rows(lines, at) or _items(lines, at) or _labelled(lines, at)
        if not block:
            if prose and prose[-1].strip() and _ITEM.match(lines[at]):
                prose[-1] += f" {lines[at].strip()}"  # "75." at a line's start: see `_items`
            else:
                prose.append(lines[at])
            at += 1
            continue
        at += len(block)
        lead = next((line.strip() for line in reversed(prose) if line.strip()), "")
        yield from _sentences("\n".join(prose))
        prose = []
        if _is_row(block[0]):
            yield from ((row, frozenset()) for row in _of_table(block))
        elif not _ITEM.match(block[0]):
            yield f"{block[0].strip()}.", frozenset()
        else:
            yield from _of_list(block, lead if lead.endswith(":") else "", heading)
    yield from _sentences("\n".join(prose))


def _sentences(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    segmenter = Segmenter()
    for start, end in [*segmenter.feed(text), *segmenter.close()]:
        sentence = " ".join(text[start:end].split())
        if sentence.endswith(_ENDS):  # headings and stumps are no answer
            yield sentence, frozenset()


def _is_labelled(line: str) -> bool:
    ended = line.rstrip().endswith((*_ENDS, "?", ":"))
    return not ended and _LABELLED.match(line) is not None


def _labelled(lines: Sequence[str], at: int) -> list[str]:
    """Return this line if it is "label: value" and no part of a wrapped sentence."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    ends = not below.strip() or _LABELLED.match(below) or _ITEM.match(below)
    return [lines[at]] if ends and _is_labelled(lines[at]) else []


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") or " | " in line


def _rows(lines: Sequence[str], at: int) -> list[str]:
    """Return the lines of a table that begins here: heads, a rule, rows; none without a rule."""
    if at + 1 >= len(lines) or not _is_row(lines[at]) or not _RULE.match(lines[at + 1]):
        return []
    end = at + 2
    while end < len(lines) and _is_row(lines[end]):
        end += 1
    return list(lines[at:end])


def _of_table(block: Sequence[str]) -> Iterator[str]:
    heads = _cells(block[0])
    for line in block[2:]:
        cells = zip(heads, _cells(line), strict=False)
        row = "; ".join(f"{head}: {cell}" if head else cell for head, cell in cells if cell)
        if row:
            yield f"{row}."


def _cells(line: str) -> list[str]:
    return [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]


def _items(lines: Sequence[str], at: int) -> list[str]:
    """Return the lines of a list that begins here; an indented line continues its item.

    As in Markdown, a list that interrupts a paragraph cannot begin with "75.": that is a figure at
    a line's start.
    """
    in_paragraph = at > 0 and bool(lines[at - 1].strip())
    if not (_OPENS if in_paragraph else _ITEM).match(lines[at]):
        return []
    end = at + 1
    while end < len(lines) and (_ITEM.match(lines[end]) or lines[end].startswith("  ")):
        end += 1
    return list(lines[at:end])


def _of_list(block: Sequence[str], lead: str, heading: str) -> Iterator[tuple[str, frozenset[str]]]:
    items: list[str] = []
    for line in block:
        mark = _ITEM.match(line)
        if mark:
            items.append(line[mark.end() :])
        else:
            items[-1] += f" {line}"
    items = [" ".join(item.split()) for item in items]
    head = lead.rstrip(":").rstrip() or heading.rpartition(" > ")[2]
    single = [_item(item, head, led=bool(lead)) for item in items]
    for sentences in single:
        yield from ((text, frozenset()) for text in sentences)
    parts = "; ".join(item.rstrip(".;,") for item in items)
    in_full = f"{head}: {parts}."
    if head and len(items) > 1 and len(in_full) <= _MAX_LIST_CHARS:
        yield in_full, frozenset(text for sentences in single for text in sentences)


def _item(item: str, head: str, *, led: bool) -> list[str]:
    """Return an item's own sentences, or its text after the list's subject."""
    if item.endswith(_ENDS) and not led:
        return [sentence for sentence, _ in _sentences(item)]
    return [f"{head}: {item.rstrip('.;,')}."] if head else []
