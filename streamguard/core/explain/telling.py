"""An explanation in plain words, for a terminal and a page alike."""

from __future__ import annotations

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

_MOST_AROUND = 70  # characters of a passage's sentence; guess, one line with its place
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
_FIGURES: Final = ("confidence", "support", "contradiction", "similarity")  # of an opinion


class Statement(NamedTuple):
    """One statement about a sentence: its topic, the answer's words, and its own words.

    `label`: "value", "name", "cites", "nearest", "because", "says" (a verifier), "unread", "warns"
    and "finds" (checks). `said` is empty if it is about the sentence as a whole.
    """

    label: str
    said: str
    told: str


def scored_in_words(sentence: ExplainedSentence, about: Explanation) -> str:
    """Write the sentence's role and its scorers."""
    report = about.result.sentences[sentence.index]
    role = "claim" if report.is_claim else f"no claim, {sentence.role.replace('_', ' ')}"
    if report.is_claim and about.answer[report.start : report.end] in about.result.uncovered_claims:
        role = "claim, not supported"  # also where a finding outweighs its figure
    parts = [role if sentence.kind == "prose" else f"{role}, {sentence.kind.replace('_', ' ')}"]
    if report.language is not None:
        parts.append(f"not English ({report.language}): values and citations alone are compared")
    if report.is_claim:
        parts += _weighed(report, about.thresholds)
    if report.doubt is not None:
        parts.append(f"doubt {figure_in_words(report.doubt)}")
    if report.scored_by:
        parts.append(f"scored by {', '.join(report.scored_by)}")
    return ", ".join(parts)


def _weighed(report: SentenceReport, thresholds: Mapping[str, float]) -> Iterator[str]:
    """Write the figure that decides whether a claim is supported, and its threshold."""
    if (least := thresholds.get("min_support")) is not None:
        if report.support is not None and report.scored_by:
            support, enough = figure_in_words(report.support), figure_in_words(least)
            yield f"support {support}, {enough} is enough"
    elif report.coverage is not None:
        coverage = figure_in_words(report.coverage)
        enough = figure_in_words(thresholds["min_similarity_for_mapping"])
        yield f"coverage {coverage}, more than {enough} is enough"


def entries_of(sentence: ExplainedSentence, about: Explanation) -> Iterator[Statement]:
    """Yield the statements about a sentence: its values and look-ups, then all verdicts on it."""
    report = about.result.sentences[sentence.index]
    yield from map(_of_value, sentence.values)
    yield from map(_of_name, sentence.names)
    yield from map(_of_citation, sentence.citations)
    if sentence.nearest is not None and sentence.share is not None:
        place = _place(sentence.nearest)
        yield Statement("nearest", "", f"{sentence.share:.0%} of its words: {place}")
    if report.reasons and report.is_claim:
        yield Statement("because", "", " · ".join(report.reasons))
    yield from (_of_opinion(one) for one in report.opinions)
    for each in report.unread_text:
        yield _of_unread(each, about.answer)
    for number in report.findings:
        yield _of_finding(about.result.findings[number])


def _of_value(value: ValueLookup) -> Statement:
    return Statement("value", value.text, "; ".join(_value_parts(value)))


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
        yield f"“{value.instead.value}” stands in its place, {_place(value.instead)}"


def _of_name(name: NameLookup) -> Statement:
    told = _HELD_BY.get(name.held_by) or _places(name.places) or "in parts, or by its initials"
    return Statement("name", name.text, told)


def _of_citation(tag: CitationLookup) -> Statement:
    return Statement("cites", tag.text, ", ".join(tag.passages) or "no passage answers to it")


def _of_opinion(one: Opinion) -> Statement:
    said = [one.word.replace("_", " ")] if one.word else []
    figures = {name: getattr(one, name) for name in _FIGURES}
    said += [f"{name} {figure_in_words(at)}" for name, at in figures.items() if at is not None]
    said += [f"quotes “{_around(each.value)}” ({each.chunk_id})" for each in one.quotations]
    return Statement("says", one.verifier, "; ".join(filter(None, [", ".join(said), one.message])))


def _of_unread(each: UnreadText, answer: str) -> Statement:
    return Statement("unread", answer[each.start : each.end], f"looks like a {each.kind}")


def _of_finding(finding: Finding) -> Statement:
    label = "warns" if finding.severity == "warning" else "finds"
    return Statement(label, "", f"{finding.check}: {finding.message or finding.flag}")


def _places(places: Sequence[FoundPlace]) -> str:
    """Return the first place, and how many others there are."""
    if not places:
        return ""
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return f"{_place(places[0])}{more}"


def _place(place: FoundPlace) -> str:
    """Return a place as a person finds it: passage, heading, row and column, or the sentence."""
    parts = [place.source]
    if place.heading:
        parts.append(f"“{_around(place.heading)}”")
    if place.column:
        parts += [f"row “{_around(place.row)}”" if place.row else "", f"column “{place.column}”"]
        return ", ".join(filter(None, parts))
    return f"{', '.join(parts)}: “{_around(place.around)}”"


def _around(words: str | None) -> str:
    """Return words of a passage on one line, cut where they are many."""
    line = " ".join((words or "").split())
    return line if len(line) <= _MOST_AROUND else f"{line[:_MOST_AROUND].rstrip()}…"


def figure_in_words(value: float) -> str:
    """Return a figure with two decimals, a count without any."""
    return f"{value:g}" if float(value).is_integer() else f"{value:.2f}"
