"""Extracts the passages from an application's text by the marks that set them off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from streamguard.prompt import marks as m
from streamguard.prompt.boundary_lines import (
    Form,
    Passage,
    context_block,
    passages_of_block,
    source_line,
)
from streamguard.prompt.extents import (
    behind_examples,
    head_end,
    holding_passages,
    holds_words,
    lead_end,
    left_over,
    line_end,
    marked,
    open_end,
    ruled_region,
    without_instructions,
)
from streamguard.text.patterns import each_in_turns, lazy_re, sliced_re

_ATTRIBUTE = lazy_re(r"([A-Za-z_-]{1,30})\s{0,4}=\s{0,4}(?:\"([^\"\n]{0,300})\"|'([^'\n]{0,300})')")
_ID_KEYS = ("id", "index", "number", "n")
_SOURCE_KEYS = ("title", "name", "source", "file", "filename", "src", "url", "link")
_SEPARATORS = " \t:.|-–—"
_IN_BRACKETS = sliced_re(r"\(([^()\n]{1,300})\):?[ \t]*")
_NAMES = sliced_re(r"(?:title|source|from|file|name)\b:?\s*", re.IGNORECASE)
_SCORES = sliced_re(r"(?:relevance|score|similarity|distance|rank)\b", re.IGNORECASE)
_FILE = sliced_re(r"[^\n]{1,200}\.[A-Za-z]{2,5}")
_DECOR = sliced_re(r"(?<![ \t])[ \t]*[-=*_~#]{2,40}[ \t]*$")
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")
_SEVERAL = sliced_re(r"(?:results|documents|sources|passages|excerpts|snippets|chunks|facts)\W*$")


class FoundPassages(NamedTuple):
    """The passages of a text, and the form of their marks."""

    passages: tuple[Passage, ...]
    form: Form


def passages_in(text: str, *, headed: bool = False) -> FoundPassages | None:
    """Return the passages of a text written by the application alone; None without a mark.

    Of boundary lines, tags and two rules after an announcement, the form that begins first counts;
    else numbered lines, a head, or an announcing sentence; bare numbers in brackets count if the
    text mentions sources or with `headed` (passages are known to be here). Text inside a passage
    removes no other one: marks before a tag keep their passages, and so does text between an
    announcement and its apparent marks. Text around them is no passage; without an end mark, final
    paragraphs that instruct how to answer are left out.
    """
    text = text[behind_examples(text) :]
    head, lead = head_end(text), lead_end(text)
    announced = min((end for end in (head, lead) if end is not None), default=None)
    if head is not None and lead is not None and lead < head and left_over(text[lead:head]):
        head = None  # it stands in a passage
    marks = marked(text, headed=headed or head is not None)
    closed = _closed_block(text)
    if closed is not None and marks and holds_words(text[marks[0].after : closed.start]):
        closed = None  # it stands in a passage
    if closed is not None:
        return _with_left_over(text, announced, closed.start, closed.end, closed.found)
    if marks and (
        head is None or head >= marks[0].start or not left_over(text[head : marks[0].start])
    ):
        found = FoundPassages(_of_marks(text, marks, open_end(text, marks[-1].after)), "marks")
        return _with_left_over(text, announced, marks[0].start, len(text), found)
    if head is not None:
        end = open_end(text, head)
        return _one(text[head:end], "head", several=_SEVERAL.search(text[:head].lower()))
    return None if lead is None else _one(text[lead : open_end(text, lead)], "lead")


def passages_of_context(text: str) -> tuple[Passage, ...]:
    """Return the chunks of a text that is all context: its passages, else one for all."""
    return found_in_context(text).passages


def found_in_context(text: str) -> FoundPassages:
    """Return the passages of a text that is all context, and the form of their marks.

    The first mark decides; text outside its passages is one more passage.
    """
    closed = _closed_block(text)
    marks = marked(text, headed=True)
    if closed is not None and marks and holds_words(text[marks[0].after : closed.start]):
        closed = None  # it stands in a passage
    if closed is not None and closed.found.form != "rules":
        return _with_left_over(text, 0, closed.start, closed.end, closed.found)
    if marks:
        found = FoundPassages(_of_marks(text, marks, len(text)), "marks")
        return _with_left_over(text, 0, marks[0].start, len(text), found)
    return FoundPassages(_of_closed(text, split=False), "template")


class ClosedBlock(NamedTuple):
    """A context with a marked end: its span, marks included, and its passages.

    `is_closed`: its end as a whole is marked, not only that of each passage.
    """

    start: int
    end: int
    found: FoundPassages
    is_closed: bool = True


def _closed_block(text: str) -> ClosedBlock | None:
    """Return the first block in `text` whose end is marked."""
    marked_off = filter(None, (boundary_block(text), _tagged_block(text)))
    block = min(marked_off, key=lambda each: each.start, default=None)
    ruled = _ruled_block(text)
    if ruled is None or block is None:
        return block or ruled
    is_inside = ruled.start < block.start < ruled.end
    return ruled if is_inside and holds_words(text[ruled.start : block.start]) else block


def boundary_block(text: str, *, last_end: bool = True) -> ClosedBlock | None:
    """Return the block between boundary lines; `last_end` as in `context_block`."""
    block = context_block(text, last_end=last_end)
    if block is None:
        return None
    start, end = text.rfind("\n", 0, block[0]) + 1, line_end(text, block[1])
    found = FoundPassages(passages_of_block(text[start:end], last_end=last_end), "boundary")
    return ClosedBlock(start, end, found, is_closed=block[1] < len(text))


def tags_block(text: str, tagged: Sequence[m.Element]) -> ClosedBlock:
    """Return the block that consists of these elements, at least one."""
    found = FoundPassages(_numbered(_of_elements(text, tagged)), "tags")
    is_closed = tagged[0].name in m.CONTAINERS
    return ClosedBlock(tagged[0].start, tagged[-1].end, found, is_closed)


def _tagged_block(text: str) -> ClosedBlock | None:
    tagged = holding_passages(text)
    return tags_block(text, tagged) if tagged else None


def _ruled_block(text: str) -> ClosedBlock | None:
    ruled = ruled_region(text)
    found = between(text, ruled) if ruled is not None else None
    return None if ruled is None or found is None else ClosedBlock(*ruled, found)


def with_words_before(text: str, found: FoundPassages) -> FoundPassages:
    """Return `found` with one more passage: the announced words in `text`, which precedes it."""
    announced = _announced_end(text)
    return (
        found
        if announced is None
        else _with_left_over(text, announced, len(text), len(text), found)
    )


def _with_left_over(
    text: str, announced: int | None, start: int, end: int, found: FoundPassages
) -> FoundPassages:
    """Return `found` with one more passage: the announced words before it.

    The announcement ends at `announced`. If words follow it, the found passages are in the middle
    of a context, and the words after them, up to the context's end, are a passage too.
    """
    if announced is None or announced >= start:
        return found
    before = left_over(text[announced:start])
    if not before:
        return found
    behind = without_instructions(text[end : open_end(text, end)])
    left = [Passage(one.strip()) for one in (before, behind) if holds_words(one)]
    return FoundPassages(_numbered((*found.passages, *left)), found.form)


def _announced_end(text: str) -> int | None:
    """Return the start of the text after the first head or announcing sentence, or None."""
    return min((end for end in (head_end(text), lead_end(text)) if end is not None), default=None)


def between(text: str, region: tuple[int, int]) -> FoundPassages | None:
    """Return the passages between two rules."""
    chunks = _of_closed(text[slice(*region)])
    return FoundPassages(chunks, "rules") if chunks else None


def _one(text: str, form: Form, *, several: object = None) -> FoundPassages | None:
    items = m.listed(text) if several else []
    if items:
        return FoundPassages(_of_marks(text, items, len(text)), "marks")
    chunks = _of_closed(text, split=False)
    return FoundPassages(chunks, form) if chunks else None


def _of_closed(text: str, *, split: bool = True) -> tuple[Passage, ...]:
    """Return the passages between two marks: numbered ones, else one for all."""
    found = marked(text, headed=True) if split else []
    if not found:
        inner = _clean(text)
        return (Passage(inner, id="C1"),) if inner else ()
    before = left_over(text[: found[0].start])
    chunks = _of_marks(text, found, len(text))
    return _numbered((*chunks, Passage(before))) if before else chunks


def _of_marks(text: str, found: Sequence[m.PassageMark], end: int) -> tuple[Passage, ...]:
    chunks = []
    for mark, following in zip_longest(found, found[1:]):
        chunk = _passage(text, mark, following.start if following else max(end, mark.line_end))
        if chunk.text:
            chunks.append(chunk)
    return tuple(chunks)


def _passage(text: str, mark: m.PassageMark, end: int) -> Passage:
    """Return the passage after a mark; a name in the mark's line becomes its source."""
    line = text[mark.after : mark.line_end].lstrip(_SEPARATORS)
    source = None
    named = _IN_BRACKETS.match(line)
    if named and (key := _NAMES.match(named[1])):
        source, line = named[1][key.end() :].strip(), line[named.end() :]
    elif named and _SCORES.match(named[1]):
        line = line[named.end() :]
    if mark.heading:
        line = _DECOR.sub("", line)
    if source is None and _FILE.fullmatch(line.strip(" *_:")):
        source, line = line.strip(" *_:"), ""
    body = f"{line.lstrip(_SEPARATORS)}{text[mark.line_end : end]}"
    named_below = source_line(body) if source is None else None
    if named_below is not None:
        source, body = named_below
    return Passage(_clean(body), id=f"C{mark.number}", source=source or None)


def _clean(text: str) -> str:
    """Return a passage without lines that only close it or separate it."""
    closing = m.CLOSING.search(text)
    lines = (text[: closing.start()] if closing else text).strip().split("\n")
    while lines and (not lines[-1].strip() or m.RULE.fullmatch(lines[-1])):
        lines.pop()
    first = 0
    while first < len(lines) and m.RULE.fullmatch(lines[first]):
        first += 1
    return "\n".join(lines[first:]).strip()


# --- elements


def _of_elements(text: str, found: Sequence[m.Element]) -> list[Passage]:
    chunks: list[Passage] = []
    for element in each_in_turns(found):
        inner = [each for each in element.inner if each.name in m.ITEMS]
        if element.name in m.ITEMS:
            chunks.append(_of_item(text, element))
        elif inner:
            chunks += [_of_item(text, each) for each in each_in_turns(inner)]
            chunks += _around_items(text, element, inner)
        else:
            chunks += _of_closed(text[element.body : element.body_end])
    return [chunk for chunk in chunks if chunk.text]


def _around_items(text: str, container: m.Element, inner: Sequence[m.Element]) -> list[Passage]:
    """Return a container's text outside its inner passages, without an announcement."""
    ends = [container.body, *(each.end for each in inner)]
    starts = [*(each.start for each in inner), container.body_end]
    gaps = (text[end:start] for end, start in zip(ends, starts, strict=True))
    return [Passage(left) for gap in each_in_turns(gaps) if (left := left_over(gap))]


def _of_item(text: str, item: m.Element) -> Passage:
    """Return an element as a passage: its contents without tags about it."""
    fields = {
        key.lower(): value or other for key, value, other in _ATTRIBUTE.findall(item.attributes)
    }
    contents = [each for each in item.inner if each.name in m.CONTENTS]
    about = [each for each in item.inner if each.name in m.ABOUT or each.name == "source"]
    for each in about:
        fields.setdefault(each.name, text[each.body : each.body_end].strip())
    if contents:
        words = "\n".join(text[each.body : each.body_end].strip() for each in contents)
    else:
        ends = [item.body, *(each.end for each in about)]
        starts = [*(each.start for each in about), item.body_end]
        words = "".join(text[begin:end] for begin, end in zip(ends, starts, strict=True))
    named = next((fields[key] for key in _ID_KEYS if fields.get(key)), None)
    source = next((fields[key] for key in _SOURCE_KEYS if fields.get(key)), None)
    return Passage(
        words.strip(), id=f"C{named}" if named and named.isdecimal() else named, source=source
    )


def _numbered(chunks: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return chunks with unique ids; pieces with one id and source become one chunk."""
    joined: dict[str, Passage] = {}
    for number, chunk in enumerate(each_in_turns(chunks), 1):
        label = chunk.id or f"C{number}"
        before = joined.get(label)
        if before is not None and before.source == chunk.source and chunk.id:
            joined[label] = replace(before, text=f"{before.text}\n\n{chunk.text}")
        else:
            free = label if before is None else f"{label}.{number}"
            joined[free] = replace(chunk, id=free)
    return tuple(joined.values())
