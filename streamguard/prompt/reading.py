"""What one message of a prompt holds: passages and question, and whose words they are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from streamguard.prompt import marks as m
from streamguard.prompt.boundaries import (
    Form,
    Passage,
    context_block,
    passages_of_block,
    without_block,
)
from streamguard.prompt.passages import (
    Found,
    behind_examples,
    between,
    first_opening,
    holds_words,
    marked,
    passages_in,
    ruled_region,
    without_instructions,
)
from streamguard.text.patterns import each_in_turns, sliced_re

_WORD = sliced_re(r"\w")
_RULE_LINES = sliced_re(r"^[ \t]*[-=*_~#`\"]{3,80}[ \t]*$", re.MULTILINE)
_QUESTION_CHARS = 400  # of what follows a head, to see whether words do
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")
_CLOSING_TAG = sliced_re(r"</[A-Za-z_]{1,30}>")
# "Cite your sources", "with inline citations", "reference it as [Doc 1]".
_ASKS = sliced_re(
    r"\b(?:cit(?:e|es|ing|ations?)|footnotes?)\b|\breferenc(?:e|es|ing)\b[^.\n\[]{0,60}\[",
    re.IGNORECASE,
)
_DECLINES = sliced_re(
    r"\b(?:do not|don't|must not|never|without|no|not|avoid|nor|instead of)\b[^.;:\n]{0,40}$",
    re.IGNORECASE,
)
_BEFORE_CHARS = 60


@dataclass(frozen=True, slots=True)
class Reading:
    """The passages of a message, None where it holds none that may count, and its question.

    `form` is how the passages were set off, `rules` what the application says beside them.
    """

    passages: tuple[Passage, ...] | None
    form: Form | None
    question: str
    rules: str = ""


def read_application(text: str) -> Reading:
    """Read a message that is all the application's, as a system prompt is.

    A question counts where the text ends with it.
    """
    asked = _ending_question(text)
    part = text if asked is None else text[: asked[0]]
    question = "" if asked is None else _question(text[asked[1] :])
    return _reading(text, passages_in(part), question)


def read_user(text: str, *, trusted: bool = False) -> Reading:
    """Read a message into which an application may have put its context, and a user the question.

    The passages count where marks and question both stand in the message: a marked question, or
    text beside passages whose end is marked. They are those before the first question, or, where
    the question comes first, those behind the last mark that opens some: what the user writes
    into the question is never one of them. `trusted`: the message is the application's throughout;
    passages count without a question, and go up to the last one.
    """
    if (block := context_block(text)) is not None:
        question = _bare(without_block(text, block))
        return _reading(text, Found(passages_of_block(text), "boundary"), question)
    begin = behind_examples(text)
    asked = _questions(text, begin)
    opening = first_opening(text, begin)
    if trusted and asked and opening is not None and opening < asked[-1][0]:
        asked = asked[-1:]
    if asked and opening is not None:
        start, end = asked[0]
        if opening < start:
            part = text[:start] if trusted else text[: _first_run(text, begin, start)]
            if (found := passages_in(part, headed=True)) is not None:
                return _reading(text, found, _question(text[end:]))
        if (last := _last_opening(text, end)) is not None:
            before = [each for each in asked if each[1] <= last]
            question = _question(text[before[-1][1] : last])
            ruled = ruled_region(text)
            found = between(text, ruled) if ruled and last < ruled[0] else None
            found = found or passages_in(_without_answer(text[last:]), headed=True)
            return _reading(text, found, question)
    return _unasked(text, begin, trusted=trusted)


def _unasked(text: str, begin: int, *, trusted: bool) -> Reading:
    """Read a message whose question is not marked as one."""
    tagged = [each for each in m.elements(text[begin:]) if each.holds_passages]
    if tagged:
        end = _first_run(text, begin, len(text))
        before = text[: begin + tagged[0].start]
        question = _question(text[end:], asked=False) or _last_paragraph(before)
        if question or trusted:
            return _reading(text, passages_in(text[:end]), question)
    if trusted and (found := passages_in(text)) is not None:
        return _reading(text, found, "")
    return Reading(None, None, without_planted(text))


def _first_run(text: str, begin: int, end: int) -> int:
    """Return where the first elements end that hold passages and between which no words stand.

    Behind them the user may be speaking; `end` where there is none before it.
    """
    tagged = [each for each in m.elements(text[begin:end]) if each.holds_passages]
    for element, following in zip_longest(tagged, tagged[1:]):
        if following is None or _WORD.search(text, begin + element.end, begin + following.start):
            return begin + element.end
    return end


def _without_answer(text: str) -> str:
    """Return `text` without the head at its end behind which the answer is to stand."""
    *_, last = (None, *m.ANSWER_HEAD.finditer(text))
    return text if last is None or holds_words(text[last.end() :]) else text[: last.start()]


def without_planted(text: str) -> str:
    """Return a user's words without what only looks like a passage; all of them if none remain."""
    asked = _questions(text, 0)
    rest = _question(text[asked[0][1] :]) if asked else text
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
    """Say whether `text`, the application's own words of a prompt, asks to cite passages."""
    return any(
        not _DECLINES.search(text, max(0, found.start() - _BEFORE_CHARS), found.start())
        for found in _ASKS.finditer(text)
    )


def _without(text: str, passages: Iterable[Passage]) -> str:
    """Return `text` without the words of `passages`, which stand in it in this order."""
    kept, at = [], 0
    for passage in each_in_turns(passages):
        place = text.find(passage.text, at)
        if place >= 0:
            kept.append(text[at:place])
            at = place + len(passage.text)
    return " ".join((*kept, text[at:]))


def _reading(text: str, found: Found | None, question: str) -> Reading:
    rules = text.replace(question, " ", 1) if question else text
    if found is None:
        return Reading(None, None, question, rules)
    rules = _without(rules, found.passages)
    return Reading(found.passages, found.form, question, rules)


def _closed(text: str) -> list[tuple[int, int]]:
    """Return the spans whose end is marked: no head in them is the message's own."""
    spans = [
        (each.start, each.end)
        for each in m.elements(text)
        if each.holds_passages or each.name in m.ASIDE
    ]
    ruled = ruled_region(text, nearest=True)
    if ruled is None:
        return spans
    return sorted([ruled, *(span for span in spans if span[1] <= ruled[0] or ruled[1] <= span[0])])


def _questions(text: str, begin: int) -> list[tuple[int, int]]:
    """Return the heads of questions behind `begin`, as (start, end), where words follow."""
    closed = _closed(text)
    heads = [(head.start(), head.end()) for head in m.QUESTION_HEAD.finditer(text, begin)]
    heads += [
        (each.start, each.body)
        for each in m.elements(text)
        if each.name in m.ASKED and each.start >= begin
    ]
    return sorted(
        (start, end)
        for start, end in heads
        if not _within(start, closed) and _asks_something(text, end)
    )


def _asks_something(text: str, begin: int) -> bool:
    """Say whether words follow a question's head, rather than the passages it announces."""
    said = _WORD.search(text, begin, begin + _QUESTION_CHARS)
    if said is None:
        return False
    line = text.rfind("\n", begin, said.start()) + 1 or begin
    first = text[line : said.end() + 1]
    return "<" not in first and "[" not in first and m.CONTEXT_HEAD.match(text, line) is None


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Say whether one of `spans`, in order and apart, holds `place` behind its first character."""
    at = bisect_left(spans, (place, 0)) - 1
    return at >= 0 and place < spans[at][1]


def _ending_question(text: str) -> tuple[int, int] | None:
    """Return the head of the question that an application's text ends with, if it does."""
    asked = _questions(text, 0)
    if not asked:
        return None
    start, end = asked[-1]
    answer = m.ANSWER_HEAD.search(text, end)
    tail = text[answer.end() :] if answer else ""
    question = text[end : answer.start() if answer else len(text)].strip()
    over = _WORD.search(tail) is None and not _PARAGRAPHS.search(question)
    opening = first_opening(text)
    return (start, end) if over and opening is not None and opening < start else None


def _last_opening(text: str, begin: int) -> int | None:
    """Return where the last passages behind `begin` open, or None without any."""
    rest = text[begin:]
    starts = [head.start() for head in m.CONTEXT_HEAD.finditer(rest)][-1:]
    tagged = [each for each in m.elements(rest) if each.holds_passages]
    for number, element in enumerate(tagged):
        if not number or _WORD.search(rest, tagged[number - 1].end, element.start):
            starts.append(element.start)
    # Marks that count anew open anew: `marked` gives the last of them.
    starts += [each.start for each in marked(rest, headed=True)[:1]]
    ruled = ruled_region(text)
    if ruled is not None and ruled[0] >= begin:
        starts.append(text.rfind("\n", 0, max(ruled[0] - 1, 0)) + 1 - begin)
    return begin + max(starts) if starts else None


def _question(text: str, *, asked: bool = True) -> str:
    """Return the question `text` begins with: up to an answer's head or anything planted."""
    ends = [head.start() for head in (m.ANSWER_HEAD.search(text),) if head]
    ends += [each.start for each in m.elements(text) if each.holds_passages][:1]
    ends += [text.rfind("</", 0, end.end()) for end in (_CLOSING_TAG.search(text),) if end]
    ends += [head.start() for head in (m.CONTEXT_HEAD.search(text),) if head]
    ends += [mark.start for mark in m.marks(text)][:1]
    rest = _RULE_LINES.sub("", text[: min(ends, default=len(text))]).strip()
    for found in _PARAGRAPHS.finditer(rest):
        if m.INSTRUCTION.match(rest[found.end() : found.end() + 600].lstrip()):
            rest = rest[: found.start()]
            break
    shorter = without_instructions(rest, lines=True).strip()
    return shorter if shorter or not asked else rest


def _last_paragraph(text: str) -> str:
    """Return the last paragraph before the passages, unless it only announces them."""
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    announces = m.INSTRUCTION.match(paragraph) or m.SPEAKS_OF_SOURCES.search(paragraph)
    return "" if announces else _question(paragraph)


def _bare(text: str) -> str:
    """Return what follows the last head of a question, or all of `text`, stripped."""
    heads: Sequence[re.Match[str]] = list(m.QUESTION_HEAD.finditer(text))
    return text[heads[-1].end() :].strip() if heads else text.strip()
