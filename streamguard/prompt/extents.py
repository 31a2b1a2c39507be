"""Finds where a prompt's passages begin and end: heads, announcements, rules, numbered lines."""

from __future__ import annotations

import re

from streamguard.prompt import marks as m
from streamguard.text.patterns import sliced_re

_WORD = sliced_re(r"\w")
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")
_CHAT_TOKENS = sliced_re(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<</?SYS>>")
_LINES = sliced_re(r"\n")
_NO_SOURCES = sliced_re(r"\b(?:rules?|guidelines|instructions?|steps)\b", re.IGNORECASE)
_ANNOUNCING_CHARS = 200  # of a line that says that sources follow, not of a passage; guess
_MAX_RULES = 50  # from the beginning and from the end that may open a context; guess
_MAX_EXAMPLES = 5  # worked examples in front of the passages; guess


def behind_examples(text: str) -> int:
    """Return the start of the text after a worked example, 0 without one.

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
        begin = line_end(text, answer.end())
    return begin


def first_opening(text: str, begin: int = 0) -> int | None:
    """Return the apparent start of the first passages in `text`, or None."""
    rest = text[begin:]
    ruled = ruled_region(rest)
    found = marked(rest, headed=True)
    starts = [each.start for each in holding_passages(rest)[:1]]
    starts += [ruled[0]] if ruled else []
    starts += [found[0].start] if found else []
    starts += [
        head.start()
        for pattern in (m.CONTEXT_HEAD, m.LEAD_LINE, m.LEAD_SENTENCE)
        if (head := pattern.search(rest))
    ]
    return begin + min(starts) if starts else None


def holding_passages(text: str) -> list[m.Element]:
    """Return the elements of `text` that are passages or contain some.

    Those inside a line count only if no other does.
    """
    found = [each for each in m.elements(text) if each.holds_passages]
    return found or [each for each in m.elements(text, inline=True) if each.holds_passages]


def ruled_region(text: str, *, nearest: bool = False) -> tuple[int, int] | None:
    """Return the span between two rules of one kind, the first of them announced.

    Words before it announce it, or a question that stands alone above it, if an answer's head
    follows the second rule. Further rules of that kind are part of the span, unless it ends at the
    `nearest`.
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
        question_head = m.QUESTION_HEAD.search(paragraph.rsplit("\n", 1)[-1])
        if question_head:
            following = rules[place + 1]
            if m.ANSWER_HEAD.match(text, _next_line(text, following.end())):
                region = rule.end(), following.start()
        elif region is None and m.SPEAKS_OF_SOURCES.search(paragraph):
            if nearest:
                end = next(one for one in rules[place + 1 :] if one[1] == rule[1])
            return rule.end(), end.start()
    return region


def head_end(text: str) -> int | None:
    """Return the start of the text after the first context head; None without one."""
    heads = [pattern.search(text) for pattern in (m.CONTEXT_HEAD, m.LEAD_LINE)]
    followed = [head for head in heads if head and text[head.end() :].strip()]
    if not followed:
        return None
    end = min(followed, key=lambda head: head.start()).end()
    while True:  # "Answer from the following:", then "Context:"
        begin = _next_line(text, end) if not text[end : line_end(text, end)].strip() else end
        again = m.CONTEXT_HEAD.match(text, begin)
        if again is None or not text[again.end() :].strip():
            return end
        end = again.end()


def lead_end(text: str) -> int | None:
    """Return the start of the text after an announcing sentence; None without one.

    Lines below it that instruct how to answer belong to it.
    """
    lead = m.LEAD_SENTENCE.search(text)
    if lead is None:
        return None
    end = lead.end()
    while end < len(text):
        stop = line_end(text, end + 1)
        line = text[end + 1 : stop].strip()
        if not m.INSTRUCTION.match(line):
            break
        end = stop
    return end if holds_words(text[end:]) else None


def marked(text: str, *, headed: bool = False) -> list[m.PassageMark]:
    """Return the numbered lines that open passages, all of the first style that may.

    Bare numbers in brackets count only if the text before them mentions sources, or with `headed`.
    A repeated number belongs to the passage around it.
    """
    found = list(m.marks(text))
    for style in dict.fromkeys(mark.style for mark in found):
        of_style = m.first_of_each([mark for mark in found if mark.style == style])
        first = of_style[0]
        before = text[max(0, first.start - 2_000) : first.start]
        announced = headed or m.SPEAKS_OF_SOURCES.search(before)
        of_rules = _NO_SOURCES.search(before.rstrip().rsplit("\n", 1)[-1])
        if style == "[n]" and (of_rules or not announced):
            continue
        if "c[n]" in style or min(mark.number for mark in of_style) <= 1:
            return of_style
    return []


def open_end(text: str, begin: int) -> int:
    """Return the end of passages that begin at `begin` and have no end mark."""
    heading = m.SECTION_END.search(text, begin)
    end = heading.start() if heading else len(text)
    return begin + len(without_instructions(text[begin:end]))


def left_over(text: str) -> str:
    """Return `text` without paragraphs that instruct how to answer and a final announcement."""
    kept = [
        each
        for each in _PARAGRAPHS.split(text.strip())
        if holds_words(each) and not m.INSTRUCTION.match(each.lstrip())
    ]
    if kept and _announces(kept[-1]):
        lines = kept[-1].rstrip().split("\n")[:-1]
        kept[-1] = "\n".join(lines)
    left = "\n\n".join(kept).strip()
    return left if holds_words(left) else ""


def _announces(paragraph: str) -> bool:
    """Return whether a paragraph's last line announces sources."""
    last = paragraph.rstrip().rsplit("\n", 1)[-1].strip()
    is_heading = last.endswith(":") or m.CONTEXT_HEAD.match(last) is not None
    return is_heading or (
        len(last) <= _ANNOUNCING_CHARS and m.SPEAKS_OF_SOURCES.search(last) is not None
    )


def holds_words(text: str) -> bool:
    """Return whether `text` has more than punctuation and a chat template's own tokens."""
    return _WORD.search(_CHAT_TOKENS.sub("", text)) is not None


def without_instructions(text: str, *, lines: bool = False) -> str:
    """Return `text` without final paragraphs (or `lines`) that instruct how to answer."""
    text = text.rstrip()
    breaks = (_LINES if lines else _PARAGRAPHS).finditer(text)
    for begin in reversed([0, *(found.end() for found in breaks)]):
        if not m.INSTRUCTION.match(text[begin : begin + 600].lstrip()):
            break
        text = text[:begin].rstrip()
    return text


def line_end(text: str, begin: int) -> int:
    """Return the end of the line with the character at `begin`."""
    end = text.find("\n", begin)
    return len(text) if end < 0 else end


def _next_line(text: str, begin: int) -> int:
    """Return the start of the next line that is not blank."""
    while begin < len(text) and text[begin] in " \t\r\n":
        begin += 1
    return begin
