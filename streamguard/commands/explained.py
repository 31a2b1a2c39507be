"""An explanation as lines of a terminal: aligned, at most 100 columns, in plain words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from streamguard.core.explain.explanation import (
    CitationLookup,
    ExplainedSentence,
    Explanation,
    FoundPlace,
    NameLookup,
    ValueLookup,
)
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Opinion, UnreadText
from streamguard.demo.notes import shortened
from streamguard.text.words import counted

WIDTH: Final = 100  # columns
_INDENT, _LABEL = 4, 8  # of what is below a sentence; its first word
_MOST_SAID = 26  # columns of a value as it is written; guess
_MOST_AROUND = 70  # characters of a passage's sentence; guess, one line with its place
_MOST_LINES = 2  # of a sentence's text; guess
# What is written so that no terminal obeys it: controls, and what turns the text around.
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
_PLAIN: Final = "\x1b[0m"
# What is said of a value that no passage has, by its standing (`core/facts/standing`).
_ABSENT: Final[Mapping[str | None, str]] = {
    "asked": "only the question has it",
    "casual": "a small count, which is left alone",
    "plain": "in no passage, and stated outright",
    "alone": "in no passage, and nothing is near",
    "near": "in no passage",
}
_OTHERWISE: Final = {
    "unit": "a passage has the number with another unit",
    "period": "a passage has it for another period",
}
_HELD_BY: Final = {
    None: "in no passage",
    "question": "only the question has it",
    "policy": "allowed by the policy",
}


class Entry(NamedTuple):
    """A line below a sentence: what it is about, the words of the answer, and what is said."""

    label: str
    said: str
    told: str
    style: str | None = None


def explained_lines(explanation: Explanation, *, colour: bool = False) -> Iterator[str]:
    """Yield an explanation's lines, without their ends; `colour`: with a terminal's codes."""
    for style, line in _lines(explanation):
        yield f"{_STYLES[style]}{line}{_PLAIN}" if colour and style and line else line


Styled = tuple[str | None, str]


def _lines(explanation: Explanation) -> Iterator[Styled]:
    yield from _head(explanation)
    for sentence in explanation.sentences:
        yield None, ""
        yield from _sentence(sentence, explanation)
    yield None, ""
    said = {one.check for one in explanation.result.findings}
    silent = [name for name in explanation.checks if name not in said]
    yield from _wrapped("dim", "", f"checks that found nothing: {', '.join(silent) or 'none'}")


def _head(explanation: Explanation) -> Iterator[Styled]:
    result = explanation.result
    status = result.status or "NO STATUS"
    passages = "no passages given"
    if explanation.passages is not None:
        passages = counted(len(explanation.passages), "passage")
    claims = f"{result.supported_claims} of {counted(result.total_claims, 'claim')} supported"
    yield result.status or "bold", f"{status}  policy {result.policy}, {passages}, {claims}"
    for rule in explanation.rules:
        figure = "" if rule.value is None else f", figure {_figure(rule.value)}"
        if rule.value is not None and rule.threshold is not None:
            figure += f", threshold {_figure(rule.threshold)}"
        head = f"rule {rule.rule:<6}"
        yield from _wrapped(None, head, rule.message)
        yield from _wrapped("dim", " " * len(head), f"{rule.about} ({rule.code}{figure})")
    unanchored = [one for one in result.findings if one.start is None]
    for finding in unanchored:
        yield from _wrapped(None, f"{finding.check}: ", finding.message or "")


def _sentence(sentence: ExplainedSentence, explanation: Explanation) -> Iterator[Styled]:
    report = explanation.result.sentences[sentence.index]
    head = f"{sentence.index + 1:>2}  "
    lines = _fold(_clean(sentence.text), WIDTH - len(head))
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], shortened(lines[_MOST_LINES - 1], WIDTH - 10) + " …"]
    for number, line in enumerate(lines):
        yield "bold", (head if not number else " " * len(head)) + line
    yield from _wrapped("dim", " " * _INDENT, _scored(sentence, report, explanation))
    entries = list(_entries(sentence, report, explanation))
    width = max([_columns(entry.said) for entry in entries], default=0)
    for entry in entries:
        said = f"{entry.said}{' ' * (width - _columns(entry.said))}  " if entry.said else ""
        head = f"{' ' * _INDENT}{entry.label:<{_LABEL}}{said}"
        yield from _wrapped(entry.style, head, entry.told)


def _scored(sentence: ExplainedSentence, report: SentenceReport, about: Explanation) -> str:
    """Say what the sentence is taken for, and who scored it."""
    role = "claim" if report.is_claim else f"no claim, {sentence.role.replace('_', ' ')}"
    parts = [role if sentence.kind == "prose" else f"{role}, {sentence.kind.replace('_', ' ')}"]
    if report.language is not None:
        parts.append(f"not English ({report.language}): values, names of codes and tags alone")
    if report.support is not None and report.is_claim:
        needed = _figure(about.thresholds["min_support"])
        parts.append(f"support {_figure(report.support)} (from {needed} on it is supported)")
    if report.doubt is not None:
        parts.append(f"doubt {_figure(report.doubt)}")
    if report.scored_by:
        parts.append(f"scored by {', '.join(report.scored_by)}")
    return ", ".join(parts)


def _entries(
    sentence: ExplainedSentence, report: SentenceReport, about: Explanation
) -> Iterator[Entry]:
    yield from map(_of_value, sentence.values)
    yield from map(_of_name, sentence.names)
    yield from map(_of_citation, sentence.citations)
    if sentence.nearest is not None and sentence.share is not None:
        told = f"{_figure(sentence.share)} of its words: {_place(sentence.nearest)}"
        yield Entry("nearest", "", told, "dim")
    if report.reasons:
        yield Entry("because", "", " · ".join(report.reasons), "dim")
    yield from (_of_opinion(one) for one in report.opinions)
    for each in report.unread_text:
        yield _of_unread(each, about.answer)
    for number in report.findings:
        yield _of_finding(about.result.findings[number])


def _of_value(value: ValueLookup) -> Entry:
    return Entry("value", _said(value.text), "; ".join(_value_parts(value)))


def _value_parts(value: ValueLookup) -> Iterator[str]:
    said = [one.said + " (this one counts)" * one.counts for one in value.readings]
    if len(said) > 1:
        yield f"read as {' or '.join(said)}"
    elif value.readings and value.readings[0].said != value.text.replace(",", ""):
        yield value.readings[0].said
    if value.reckoning is not None:
        operands = ", ".join(map(_place, value.operands))
        yield f"it follows: {value.reckoning}{f', from {operands}' if operands else ''}"
        return
    places = _places(value.places)
    if value.found == "same":
        yield places
    elif value.found in _OTHERWISE:
        yield f"{_OTHERWISE[value.found]}: {places}"
    else:
        yield _ABSENT.get(value.standing, "in no passage")
    if value.instead is not None:
        yield f"“{_clean(value.instead.value or '')}” stands in its place, {_place(value.instead)}"


def _of_name(name: NameLookup) -> Entry:
    told = _HELD_BY.get(name.held_by) or _places(name.places) or "in parts, or by its initials"
    return Entry("name", _said(name.text), told)


def _of_citation(tag: CitationLookup) -> Entry:
    return Entry("cites", _said(tag.text), ", ".join(tag.passages) or "no passage answers to it")


def _of_opinion(one: Opinion) -> Entry:
    figures = {"support": one.support, "contradiction": one.contradiction}
    said = [one.word.replace("_", " ")] if one.word else []
    said += [f"{name} {_figure(value)}" for name, value in figures.items() if value is not None]
    if one.confidence is not None:
        said.append(f"confidence {_figure(one.confidence)}")
    quoted = [f"“{_around(each.value)}” ({each.chunk_id})" for each in one.quotations]
    told = ", ".join(said) + (f", by {' and '.join(quoted)}" if quoted else "")
    return Entry("says", _said(one.verifier), f"{told}. {one.message}" if one.message else told)


def _of_unread(each: UnreadText, answer: str) -> Entry:
    return Entry("unread", _said(answer[each.start : each.end]), f"looks like a {each.kind}")


def _of_finding(finding: Finding) -> Entry:
    is_warning = finding.severity == "warning"
    label = "warns" if is_warning else "finds"
    return Entry(label, "", f"{finding.check}: {_clean(finding.message or finding.flag)}", label)


def _places(places: Sequence[FoundPlace]) -> str:
    """Return the first place, and how many others there are."""
    if not places:
        return ""
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return f"{_place(places[0])}{more}"


def _place(place: FoundPlace) -> str:
    """Return a place as a person finds it: passage, heading, row and column, or the sentence."""
    parts = [_clean(place.source)]
    if place.heading:
        parts.append(f"“{_around(place.heading)}”")
    if place.column:
        parts += [f"row “{_around(place.row)}”" if place.row else "", f"column “{place.column}”"]
        return ", ".join(filter(None, parts))
    return f"{', '.join(parts)}: “{_around(place.around)}”"


def _around(words: str | None) -> str:
    return shortened(_clean(words or ""), _MOST_AROUND)


def _said(text: str) -> str:
    return shortened(_clean(text), _MOST_SAID)


def _clean(text: str) -> str:
    """Return a text on one line, with nothing in it that a terminal obeys."""
    return _CONTROLS.sub(_spelt, " ".join(text.split()))


def _spelt(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode()


def _figure(value: float) -> str:
    """Return a figure with two decimals, a count without any."""
    return f"{value:g}" if float(value).is_integer() else f"{value:.2f}"


def _wrapped(style: str | None, head: str, text: str) -> Iterator[Styled]:
    """Yield a text behind its head; further lines begin below its first word."""
    at = _columns(head)
    for number, line in enumerate(_fold(_clean(text), WIDTH - at)):
        yield style, (" " * at if number else head) + line


def _fold(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many columns; a longer word is cut."""
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
    """Yield a word in parts of at most so many columns."""
    part, used = "", 0
    for char in word:
        columns = _columns(char)
        if used + columns > width:
            yield part
            part, used = "", 0
        part, used = part + char, used + columns
    yield part


def _columns(text: str) -> int:
    """Return how many columns a terminal takes for a text."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
