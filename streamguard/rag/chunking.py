"""Cuts a document into passages of readable size, each with its headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamguard.text.patterns import lazy_re
from streamguard.text.segmenter import Segmenter

MAX_CHARS = 1_000  # of a passage without its headings; guess, a screenful
OVERLAP_CHARS = 150  # of the passage before that are repeated; guess, one or two sentences

_HEADING = lazy_re(r" {0,3}(#{1,6})[ \t]{1,8}(\S.{0,300}?)(?:[ \t]{1,8}#{1,6})?[ \t]{0,8}$")
_FENCE = lazy_re(r" {0,3}(`{3,8}|~{3,8})")
_SETTING = lazy_re(r"#|[\w-]{1,64}[ \t]{0,8}:|---[ \t]{0,8}$")  # else a rule begins the text
_FRONT_MATTER_LINES = 50  # a block of settings at a Markdown file's start is no longer; guess


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document: its headings, outermost first, and its text."""

    headings: tuple[str, ...]
    text: str


def passages_of(text: str, *, markdown: bool) -> list[str]:
    """Return the passages of a document in order; none for a document without text.

    Markdown is first cut at headings; a passage begins with a line of them. A section longer than
    `MAX_CHARS` is cut between sentences, and up to `OVERLAP_CHARS` of whole sentences are repeated
    in the next passage.
    """
    sections = sections_of(text) if markdown else [Section((), text)]
    found: list[str] = []
    for section in sections:
        head = " > ".join(section.headings)
        cut = _cut(section.text)
        found.extend(f"{head}\n{passage}" if head else passage for passage in cut)
    return found


def sections_of(text: str) -> list[Section]:
    """Return the sections of a Markdown text; a `#` inside a fenced block is no heading."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in [*_without_front_matter(text.splitlines()), None]:
        heading = _HEADING.match(line) if line is not None and not fence else None
        if line is None or heading:
            found.append(Section(tuple(name for _, name in path), "\n".join(lines)))
            lines = []
        if heading:
            depth = len(heading[1])
            path = [*(item for item in path if item[0] < depth), (depth, heading[2])]
        elif line is not None:
            fence = _fence_after(line, fence)
            lines.append(line)
    return [section for section in found if section.text.strip()]


def _without_front_matter(lines: Sequence[str]) -> Sequence[str]:
    first = next(filter(str.strip, lines[1:]), "")
    if lines and lines[0].rstrip() == "---" and _SETTING.match(first):
        for number, line in enumerate(lines[1:_FRONT_MATTER_LINES], 1):
            if line.rstrip() == "---":
                return lines[number + 1 :]
    return lines


def _fence_after(line: str, fence: str) -> str:
    """Return the open fence after this line, or an empty text."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    closes = mark[1].startswith(fence) and not line[mark.end() :].strip()
    return "" if closes else fence


def _cut(text: str) -> Iterator[str]:
    """Yield slices of a section of at most `MAX_CHARS`, which share sentences."""
    spans = list(_sentences(text))
    first = 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= MAX_CHARS:
            last += 1
        passage = text[spans[first][0] : spans[last][1]].strip()
        if passage:
            yield passage
        if last + 1 == len(spans):
            return
        first = _next_start(spans, first, last)


def _next_start(spans: Sequence[tuple[int, int]], first: int, last: int) -> int:
    """Return the start of the next slice: a few sentences back, but further than this one's."""
    start = last + 1
    while (
        start - 1 > first
        and spans[last][1] - spans[start - 1][0] <= OVERLAP_CHARS
        and spans[last + 1][1] - spans[start - 1][0] <= MAX_CHARS
    ):
        start -= 1
    return start


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans of the text's sentences; a very long one in parts."""
    segmenter = Segmenter()
    for start, end in [*segmenter.feed(text), *segmenter.close()]:
        while end - start > MAX_CHARS:
            space = text.rfind(" ", start + 1, start + MAX_CHARS)
            middle = space if space > 0 else start + MAX_CHARS
            yield start, middle
            start = middle
        yield start, end
