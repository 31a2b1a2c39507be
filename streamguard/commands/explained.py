"""An explanation as terminal lines: aligned, at most 100 columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from streamguard.core.explain.explanation import ExplainedSentence, Explanation
from streamguard.core.explain.telling import entries_of, figure_in_words, scored_in_words
from streamguard.demo.notes import shortened
from streamguard.text.words import counted

WIDTH: Final = 100  # columns
_INDENT, _LABEL = 4, 8  # of the lines below a sentence; its first word
_MAX_STATEMENT = 26  # columns of a value; guess
_MOST_LINES = 2  # of a sentence's text; guess
_MORE: Final = " …"
# Escaped, so that no terminal acts on them: control characters, and marks that reverse the text.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_STYLES: Final = {
    "PASS": "\x1b[1;32m",
    "WARN": "\x1b[1;33m",
    "REFUSE": "\x1b[1;31m",
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "warns": "\x1b[33m",
    "finds": "\x1b[36m",
}
_STYLE_OF: Final = {"nearest": "dim", "because": "dim", "warns": "warns", "finds": "finds"}
_PLAIN: Final = "\x1b[0m"


def explained_lines(explanation: Explanation, *, colour: bool = False) -> Iterator[str]:
    """Yield an explanation's lines without line ends; `colour`: with terminal colours."""
    for style, line in _lines(explanation):
        yield f"{_STYLES[style]}{line}{_PLAIN}" if colour and style and line else line


Styled = tuple[str | None, str]


def _lines(explanation: Explanation) -> Iterator[Styled]:
    yield from _head(explanation)
    for sentence in explanation.sentences:
        yield None, ""
        yield from _sentence(sentence, explanation)
    yield None, ""
    raised = {one.check for one in explanation.result.findings}
    silent = [name for name in explanation.checks if name not in raised]
    yield from _wrapped("dim", "", f"checks that found nothing: {', '.join(silent) or 'none'}")


def _head(explanation: Explanation) -> Iterator[Styled]:
    result = explanation.result
    status = result.status or "NO STATUS"
    passages = "no passages given"
    if explanation.passages is not None:
        passages = counted(len(explanation.passages), "passage")
    claims = "no claims"
    if result.total_claims:
        of = counted(result.total_claims, "claim")
        claims = f"{result.supported_claims} of {of} supported"
    yield result.status or "bold", f"{status}  policy {result.policy}, {passages}, {claims}"
    for rule in explanation.rules:
        figure = "" if rule.value is None else f", figure {figure_in_words(rule.value)}"
        if rule.value is not None and rule.threshold is not None:
            figure += f", threshold {figure_in_words(rule.threshold)}"
        head = f"rule {rule.rule:<6}"
        yield from _wrapped(None, head, rule.message)
        yield from _wrapped("dim", " " * len(head), f"{rule.about} ({rule.code}{figure})")
    unanchored = [one for one in result.findings if one.start is None]
    for finding in unanchored:
        yield from _wrapped(None, f"{finding.check}: ", finding.message or "")


def _sentence(sentence: ExplainedSentence, explanation: Explanation) -> Iterator[Styled]:
    head = f"{sentence.index + 1:>2}  "
    lines = _fold(_clean(sentence.text), WIDTH - len(head) - len(_MORE))
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1] + _MORE]
    for number, line in enumerate(lines):
        yield "bold", (head if not number else " " * len(head)) + line
    yield from _wrapped("dim", " " * _INDENT, scored_in_words(sentence, explanation))
    entries = [(one, _statement(one.said)) for one in entries_of(sentence, explanation)]
    width = max([_columns(statement) for _, statement in entries], default=0)
    for entry, statement in entries:
        head = f"{' ' * _INDENT}{entry.label:<{_LABEL}}"
        head += f"{statement}{' ' * (width - _columns(statement))}  " if statement else ""
        yield from _wrapped(_STYLE_OF.get(entry.label), head, entry.told)


def _statement(text: str) -> str:
    return shortened(_clean(text), _MAX_STATEMENT)


def _clean(text: str) -> str:
    """Return a text on one line, without terminal control codes."""
    return _CONTROLS.sub(_spelt, " ".join(text.split()))


def _spelt(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode()


def _wrapped(style: str | None, head: str, text: str) -> Iterator[Styled]:
    """Yield a text after its head; further lines align with its first word."""
    at = _columns(head)
    for number, line in enumerate(_fold(_clean(text), WIDTH - at)):
        yield style, (" " * at if number else head) + line


def _fold(text: str, width: int) -> list[str]:
    """Return a text in lines of at most `width` columns; longer words are cut."""
    lines, line, used = [], "", 0
    for word in text.split(" "):
        for part in _cut(word, width):
            columns = _columns(part)
            if line and used + 1 + columns > width:
                lines.append(line)
                line, used = part, columns
            else:
                line, used = (f"{line} {part}", used + 1 + columns) if line else (part, columns)
    return [*lines, line]


def _cut(word: str, width: int) -> Iterator[str]:
    """Yield a word in parts of a bounded width."""
    part, used = "", 0
    for char in word:
        columns = _columns(char)
        if used + columns > width:
            yield part
            part, used = "", 0
        part, used = part + char, used + columns
    yield part


def _columns(text: str) -> int:
    """Return the number of terminal columns of a text."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
