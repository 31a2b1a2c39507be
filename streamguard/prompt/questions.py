"""Finds the questions in a prompt: their heads and their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from streamguard.prompt import marks as m
from streamguard.prompt.boundary_lines import BOUNDARY_LINE
from streamguard.prompt.extents import (
    first_opening,
    holds_words,
    ruled_region,
    without_instructions,
)
from streamguard.text.patterns import sliced_re

_WORD = sliced_re(r"\w")
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")
_RULE_LINES = sliced_re(r"^[ \t]*[-=*_~#`\"]{3,80}[ \t]*$", re.MULTILINE)
_QUESTION_CHARS = 400  # after a head, searched for words
_CLOSING_TAG = sliced_re(r"</[A-Za-z_]{1,30}>")
# "Cite your sources", "with inline citations", "reference it as [Doc 1]".
_ASKS_FOR_CITATIONS = sliced_re(
    r"\b(?:cit(?:e|es|ing|ations?)|footnotes?)\b|\breferenc(?:e|es|ing)\b[^.\n\[]{0,60}\[",
    re.IGNORECASE,
)
_DECLINES = sliced_re(
    r"\b(?:do not|don't|must not|never|without|no|not|avoid|nor|instead of)\b[^.;:\n]{0,40}$",
    re.IGNORECASE,
)
_BEFORE_CHARS = 60


def questions(
    text: str, begin: int, closed: Sequence[tuple[int, int]], *, ours: bool = True
) -> list[tuple[int, int]]:
    """Return the heads of questions after `begin`, as (start, end), that text follows.

    Heads within `closed` spans do not count. If the text is not all `ours`, an unclosed tag counts
    too.
    """
    if ours:
        spans = [(each.start, each.body) for each in m.elements(text) if each.name in m.QUESTIONS]
    else:
        spans = [tag.span() for tag in m.asking_tags(text)]
    spans += [head.span() for head in m.QUESTION_HEAD.finditer(text, begin)]
    heads = [
        (start, end)
        for start, end in spans
        if start >= begin and _WORD.search(text, end, end + _QUESTION_CHARS)
    ]
    heads += [
        (head.start(), head.end())
        for head in m.ASKING_LINE.finditer(text, begin)
        if _holds_a_question(text, head.end())
    ]
    return sorted(head for head in heads if not _within(head[0], closed))


def _holds_a_question(text: str, begin: int) -> bool:
    """Return whether text follows `begin` other than the passages announced there."""
    word = _WORD.search(text, begin, begin + _QUESTION_CHARS)
    if word is None:
        return False
    line = text.rfind("\n", begin, word.start()) + 1 or begin
    first = text[line : word.end() + 1]
    return "<" not in first and "[" not in first and m.CONTEXT_HEAD.match(text, line) is None


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether one of the ordered `spans` contains `place` after its first character."""
    at = bisect_left(spans, (place, 0)) - 1
    return at >= 0 and place < spans[at][1]


def asides(text: str) -> list[tuple[int, int]]:
    """Return the spans that an application sets aside, such as a history: they ask nothing."""
    return [(each.start, each.end) for each in m.elements(text) if each.name in m.ASIDE]


def closed_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans with a marked end: a head inside them is not the message's own."""
    spans = [
        (each.start, each.end)
        for each in m.elements(text)
        if each.holds_passages or each.name in m.ASIDE
    ]
    ruled = ruled_region(text, nearest=True)
    if ruled is None:
        return spans
    return sorted([ruled, *(span for span in spans if span[1] <= ruled[0] or ruled[1] <= span[0])])


def ending_question(text: str) -> tuple[int, int] | None:
    """Return the head of the question at the end of an application's text, None without one."""
    found = questions(text, 0, closed_spans(text))
    if not found:
        return None
    start, end = found[-1]
    answer = m.ANSWER_HEAD.search(text, end)
    tail = text[answer.end() :] if answer else ""
    question = text[end : answer.start() if answer else len(text)].strip()
    over = _WORD.search(tail) is None and not _PARAGRAPHS.search(question)
    opening = first_opening(text)
    return (start, end) if over and opening is not None and opening < start else None


def question_in(text: str) -> str:
    """Return the question at the start of `text`, up to an answer's head or planted text.

    If it starts with planted text, its lines that ask count; without any, all of it.
    """
    rest = _RULE_LINES.sub("", text[: min(_endings(text), default=len(text))]).strip()
    for found in _PARAGRAPHS.finditer(rest):
        if m.INSTRUCTION.match(rest[found.end() : found.end() + 600].lstrip()):
            rest = rest[: found.start()]
            break
    if holds_words(rest):
        return without_instructions(rest, lines=True).strip() or rest
    left = _unmarked(text)
    asking = [line.strip() for line in left.split("\n") if line.rstrip().endswith("?")]
    return "\n".join(asking) or left


def _endings(text: str) -> Iterator[int]:
    """Yield the possible ends of a question: the first of each sign that something else begins."""
    for pattern in (m.ANSWER_HEAD, m.CONTEXT_HEAD, m.LEAD_LINE, BOUNDARY_LINE):
        if (head := pattern.search(text)) is not None:
            yield head.start()
    yield from [each.start for each in m.elements(text) if each.holds_passages][:1]
    yield from [mark.start for mark in m.marks(text)][:1]
    if (end := _CLOSING_TAG.search(text)) is not None:
        yield text.rfind("</", 0, end.end())
    if (ruled := ruled_region(text)) is not None:
        yield ruled[0]
    lead = m.LEAD_SENTENCE.search(text)
    if lead is not None and not lead[0].rstrip().endswith("?"):
        yield lead.start()


def without_planted(text: str) -> str:
    """Return a user's question without text that imitates a passage."""
    found = questions(text, 0, closed_spans(text))
    return _unmarked(question_in(text[found[0][1] :]) if found else text)


def _unmarked(text: str) -> str:
    """Return `text` without text that imitates a passage; all of it if no words remain."""
    rest = text
    kept, at = [], 0
    for element in m.elements(rest):
        if element.holds_passages:
            kept.append(rest[at : element.start])
            at = element.end
    rest = "".join((*kept, rest[at:]))
    kept, at = [], 0
    for mark in m.marks(rest):
        if mark.style != "[n]":
            kept.append(rest[at : mark.start])
            at = mark.line_end
    rest = "".join((*kept, rest[at:])).strip()
    return rest if _WORD.search(rest) else text.strip()


def asks_for_citations(text: str) -> bool:
    """Return whether `text`, the application's part of a prompt, asks for citations."""
    return any(
        not _DECLINES.search(text, max(0, found.start() - _BEFORE_CHARS), found.start())
        for found in _ASKS_FOR_CITATIONS.finditer(text)
    )
