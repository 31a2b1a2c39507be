"""Passages out of a text that an application wrote: which marks set them off, what each holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from streamguard.prompt import marks as m
from streamguard.prompt.boundaries import (
    Form,
    Passage,
    context_block,
    passages_of_block,
    source_line,
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
_DECOR = sliced_re(r"[ \t]*[-=*_~#]{2,40}[ \t]*$")
_WORD = sliced_re(r"\w")
_CHAT_TOKENS = sliced_re(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<</?SYS>>")
_LINES = sliced_re(r"\n")
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")
_NO_SOURCES = sliced_re(r"\b(?:rules?|guidelines|instructions?|steps)\b", re.IGNORECASE)
_SEVERAL = sliced_re(r"(?:results|documents|sources|passages|excerpts|snippets|chunks|facts)\W*$")


_MAX_RULES = 50  # from the beginning and from the end that may open a context; guess
_MAX_EXAMPLES = 5  # worked examples in front of the passages; guess


class Found(NamedTuple):
    """The passages of a text, and how they were set off there."""

    passages: tuple[Passage, ...]
    form: Form


def passages_in(text: str, *, headed: bool = False) -> Found | None:
    """Return the passages of a text that is all the application's own; None without a mark.

    The clearest marks count: boundary lines, tags, two rules behind an announcement, numbered
    lines, a head, an announcing sentence; bare numbers in brackets where the text speaks of sources
    or `headed` says that passages are here. What stands around them is none of the passages; where
    the end is not marked, last paragraphs that tell how to answer are left out.
    """
    if context_block(text) is not None:
        return Found(passages_of_block(text), "boundary")
    text = text[behind_examples(text) :]
    tagged = [each for each in m.elements(text) if each.holds_passages]
    if tagged:
        return Found(_numbered(_of_elements(text, tagged)), "tags")
    ruled = ruled_region(text)
    if ruled is not None:
        return between(text, ruled)
    head = head_end(text)
    found = marked(text, headed=headed or head is not None)
    if found and (head is None or head >= found[0].start or not _text_between(text, head, found)):
        return Found(_of_marks(text, found, _open_end(text, found[-1].after)), "marks")
    if head is not None:
        end = _open_end(text, head)
        return _one(text[head:end], "head", several=_SEVERAL.search(text[:head].lower()))
    lead = _lead_end(text)
    return None if lead is None else _one(text[lead : _open_end(text, lead)], "lead")


def passages_of_context(text: str) -> tuple[Passage, ...]:
    """Return the chunks of a text that is a context throughout: its passages, else all as one."""
    if context_block(text) is not None:
        return passages_of_block(text)
    tagged = [each for each in m.elements(text) if each.holds_passages]
    return _numbered(_of_elements(text, tagged)) if tagged else _of_closed(text)


def behind_examples(text: str) -> int:
    """Return where the text behind a worked example begins, 0 without one.

    An example is announced before any passage or question, and ends with its answer.
    """
    begin = 0
    for _ in range(_MAX_EXAMPLES if m.EXAMPLE.search(text) else 0):
        opening = first_opening(text, begin)
        answer = m.ANSWER_HEAD.search(text, opening) if opening is not None else None
        if opening is None or answer is None:
            break
        announced = m.EXAMPLE_HEAD.search(text, max(begin, opening - 60), opening)
        if announced is None or m.QUESTION_HEAD.search(text, begin, opening):
            break
        begin = _line_end(text, answer.end())
    return begin


def first_opening(text: str, begin: int = 0) -> int | None:
    """Return where the first passages of `text` seem to begin, or None."""
    rest = text[begin:]
    ruled = ruled_region(rest)
    found = marked(rest, headed=True, every=True)
    starts = [each.start for each in m.elements(rest) if each.holds_passages][:1]
    starts += [ruled[0]] if ruled else []
    starts += [found[0].start] if found else []
    starts += [
        head.start()
        for pattern in (m.CONTEXT_HEAD, m.LEAD_LINE, m.LEAD_SENTENCE)
        if (head := pattern.search(rest))
    ]
    return begin + min(starts) if starts else None


def ruled_region(text: str, *, nearest: bool = False) -> tuple[int, int] | None:
    """Return the span between two rules of one kind, of which the first is announced.

    Announced is it by the words before it, or by a question that stands alone above it where an
    answer's head follows the second. Rules of the same kind in between are part of the span, unless
    it is to end at the `nearest`.
    """
    rules = list(m.RULE.finditer(text))
    if len(rules) > 2 * _MAX_RULES:
        rules = rules[:_MAX_RULES] + rules[-_MAX_RULES:]
    last = {rule[1]: rule for rule in rules}
    region = None
    for place, rule in enumerate(rules):
        end = last[rule[1]]
        if end is rule:
            continue
        before = text[max(0, rule.start() - 600) : rule.start()].rstrip()
        *_, paragraph = _PARAGRAPHS.split(before)
        asked = m.QUESTION_HEAD.search(paragraph.rsplit("\n", 1)[-1])
        if asked:
            following = rules[place + 1]
            if m.ANSWER_HEAD.match(text, _next_line(text, following.end())):
                region = rule.end(), following.start()
        elif region is None and m.SPEAKS_OF_SOURCES.search(paragraph):
            if nearest:
                end = next(one for one in rules[place + 1 :] if one[1] == rule[1])
            return rule.end(), end.start()
    return region


def head_end(text: str) -> int | None:
    """Return where the text behind the first head of a context begins; None without one."""
    found = min(
        (
            head
            for pattern in (m.CONTEXT_HEAD, m.LEAD_LINE)
            if (head := pattern.search(text)) and text[head.end() :].strip()
        ),
        key=lambda head: head.start(),
        default=None,
    )
    if found is None:
        return None
    end = found.end()
    while True:  # "Answer from the following:", then "Context:"
        begin = _next_line(text, end) if not text[end : _line_end(text, end)].strip() else end
        again = m.CONTEXT_HEAD.match(text, begin)
        if again is None or not text[again.end() :].strip():
            return end
        end = again.end()


def _lead_end(text: str) -> int | None:
    """Return where the text behind a sentence that announces it begins; None without one.

    Lines below the sentence that tell how to answer belong to it.
    """
    lead = m.LEAD_SENTENCE.search(text)
    if lead is None:
        return None
    end = lead.end()
    while end < len(text):
        line_end = _line_end(text, end + 1)
        line = text[end + 1 : line_end].strip()
        if not m.INSTRUCTION.match(line):
            break
        end = line_end
    return end if holds_words(text[end:]) else None


def marked(text: str, *, headed: bool = False, every: bool = False) -> list[m.Mark]:
    """Return the numbered lines that open passages: those of the first style that may.

    Bare numbers in brackets do so only where the text before them speaks of sources, or `headed`
    says so. Lines that count anew begin anew, unless `every` one is asked for.
    """
    found = list(m.marks(text))
    for style in dict.fromkeys(mark.style for mark in found):
        of_style = [mark for mark in found if mark.style == style]
        of_style = of_style if every else m.last_run(of_style)
        first = of_style[0]
        before = text[max(0, first.start - 2_000) : first.start]
        announced = headed or m.SPEAKS_OF_SOURCES.search(before)
        of_rules = _NO_SOURCES.search(before.rstrip().rsplit("\n", 1)[-1])
        if style == "[n]" and (of_rules or not announced):
            continue
        if "c[n]" in style or min(mark.number for mark in of_style) <= 1:
            return of_style
    return []


def between(text: str, region: tuple[int, int]) -> Found | None:
    """Return the passages between two rules."""
    chunks = _of_closed(text[slice(*region)])
    return Found(chunks, "rules") if chunks else None


def holds_words(text: str) -> bool:
    """Say whether anything but signs and a chat template's own tokens stands in `text`."""
    return _WORD.search(_CHAT_TOKENS.sub("", text)) is not None


def without_instructions(text: str, *, lines: bool = False) -> str:
    """Return `text` without the last paragraphs, or `lines`, that tell how to answer."""
    text = text.rstrip()
    breaks = (_LINES if lines else _PARAGRAPHS).finditer(text)
    for begin in reversed([0, *(found.end() for found in breaks)]):
        if not m.INSTRUCTION.match(text[begin : begin + 600].lstrip()):
            break
        text = text[:begin].rstrip()
    return text


def _open_end(text: str, begin: int) -> int:
    """Return where passages end that begin at `begin` and that nothing closes."""
    heading = m.SECTION_END.search(text, begin)
    end = heading.start() if heading else len(text)
    return begin + len(without_instructions(text[begin:end]))


def _text_between(text: str, head: int, found: Sequence[m.Mark]) -> bool:
    """Say whether a context begins with text of its own before its first mark."""
    between = text[head : found[0].start].strip()
    return bool(between) and not m.SPEAKS_OF_SOURCES.search(between)


def _one(text: str, form: Form, *, several: object = None) -> Found | None:
    items = m.listed(text) if several else []
    if items:
        return Found(_of_marks(text, items, len(text)), "marks")
    chunks = _of_closed(text, split=False)
    return Found(chunks, form) if chunks else None


def _of_closed(text: str, *, split: bool = True) -> tuple[Passage, ...]:
    """Return what stands between two marks: its numbered passages, else all as one chunk."""
    found = marked(text, headed=True) if split else []
    if not found:
        inner = _clean(text)
        return (Passage(inner, id="C1"),) if inner else ()
    return _of_marks(text, found, len(text))


def _of_marks(text: str, found: Sequence[m.Mark], end: int) -> tuple[Passage, ...]:
    chunks = []
    for mark, following in zip_longest(found, found[1:]):
        chunk = _passage(text, mark, following.start if following else max(end, mark.line_end))
        if chunk.text:
            chunks.append(chunk)
    return tuple(chunks)


def _passage(text: str, mark: m.Mark, end: int) -> Passage:
    """Return the passage behind a mark; what the mark's line calls it becomes its source."""
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
    """Return a passage without the lines that only close it or rule it off."""
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
        else:
            chunks += _of_closed(text[element.body : element.body_end])
    return [chunk for chunk in chunks if chunk.text]


def _of_item(text: str, item: m.Element) -> Passage:
    """Return the passage an element is: its contents, without what its inner tags say of it."""
    said = {
        key.lower(): value or other for key, value, other in _ATTRIBUTE.findall(item.attributes)
    }
    contents = [each for each in item.inner if each.name in m.CONTENTS]
    about = [each for each in item.inner if each.name in m.ABOUT or each.name == "source"]
    for each in about:
        said.setdefault(each.name, text[each.body : each.body_end].strip())
    if contents:
        words = "\n".join(text[each.body : each.body_end].strip() for each in contents)
    else:
        ends = [item.body, *(each.end for each in about)]
        starts = [*(each.start for each in about), item.body_end]
        words = "".join(text[begin:end] for begin, end in zip(ends, starts, strict=True))
    named = next((said[key] for key in _ID_KEYS if said.get(key)), None)
    source = next((said[key] for key in _SOURCE_KEYS if said.get(key)), None)
    return Passage(
        words.strip(), id=f"C{named}" if named and named.isdecimal() else named, source=source
    )


def _numbered(chunks: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return chunks with an id each; pieces of one source that share theirs become one."""
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


def _line_end(text: str, begin: int) -> int:
    end = text.find("\n", begin)
    return len(text) if end < 0 else end


def _next_line(text: str, begin: int) -> int:
    """Return where the next line with something on it begins."""
    while begin < len(text) and text[begin] in " \t\r\n":
        begin += 1
    return begin
