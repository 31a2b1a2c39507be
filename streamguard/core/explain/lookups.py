"""Where values, names and citations of one sentence were looked up and found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from streamguard.core.explain.explanation import (
    CitationLookup,
    FoundPlace,
    HeldBy,
    NameLookup,
    Relation,
    ValueLookup,
    ValueReading,
)
from streamguard.core.facts.model import Edit
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Nearest
from streamguard.core.names.reading import Name
from streamguard.core.sentence import Sentence
from streamguard.values import Anchor, read_anchors
from streamguard.values.value import readings_of

_MOST_PLACES = 5  # of one value or name that are listed; guess, a reader looks at one
_PLAIN_KINDS = frozenset(["date", "time", "identifier", "version"])
_RELATIONS: Mapping[str, Relation] = {"same": "same", "unit": "unit", "period": "period"}
_GROUPED_FROM = 5  # digits from which a number is written with commas


def found_place(place: Nearest, evidence: Evidence) -> FoundPlace:
    """Return a place in the passages with the text around it."""
    number = evidence.chunk_number(place.chunk_id)
    source = None if number is None else evidence.chunks[number].source
    about = evidence.surroundings(place)
    named = (place.chunk_id, place.start, place.end, place.value, source or place.chunk_id)
    if about is None:
        return FoundPlace(*named)
    above = None if about.heading is None else about.heading.value
    heading = (above or "").strip(" #*\n") or None
    return FoundPlace(*named, heading, about.row, about.column, about.sentence.value)


def values_of(sentence: Sentence, edits: Sequence[Edit]) -> tuple[ValueLookup, ...]:
    """Return the values of a sentence; `edits` are its mismatches with the passages."""
    compared = {
        edit.slot.anchor.start: edit
        for edit in edits
        if edit.group == "value" and edit.slot is not None and edit.slot.anchor is not None
    }
    # The sentence keeps of several readings the one that a passage has: all are read anew.
    all_readings = {one.start: one for one in read_anchors(sentence.prose, len(sentence.anchors))}
    return tuple(
        _value(sentence, all_readings.get(anchor.start, anchor), anchor, compared.get(anchor.start))
        for anchor in sentence.anchors
    )


def _value(sentence: Sentence, read: Anchor, anchor: Anchor, edit: Edit | None) -> ValueLookup:
    place, evidence = sentence.place(anchor.start, anchor.end), sentence.scope.evidence
    readings = tuple(_readings(read, anchor, evidence))
    known = (place.start, place.end, place.value or anchor.text, anchor.kind, readings)
    if evidence is None:
        return ValueLookup(*known, "none", None, (), None, None, ())
    match = evidence.find_anchor(anchor)
    held = [one for one in [evidence.anchor_place(match)] if one is not None]
    if match.relation == "same":
        held = evidence.anchor_places(anchor) or held
    found = (_RELATIONS.get(match.relation, "none"), _places(held, sentence, evidence))
    if edit is None:
        return ValueLookup(*known, found[0], None, found[1], None, None, ())
    near = None if edit.near is None else found_place(evidence.slot_place(edit.near), evidence)
    follows = edit.derivation
    reckoning = None if follows is None else f"{follows.words} = {anchor.text}"
    operands = tuple(found_place(evidence.slot_place(slot), evidence) for slot in edit.operands)
    return ValueLookup(*known, found[0], edit.standing, found[1], near, reckoning, operands)


def _readings(read: Anchor, counted: Anchor, evidence: Evidence | None) -> list[ValueReading]:
    """Return every reading of a value, with the passages' value for each."""
    ways = readings_of(read)
    if len(ways) == 1:  # a day that may be the month's has others by their keys alone
        others = [read._replace(key=key, ambiguous=()) for key in read.ambiguous]
        ways = (read._replace(ambiguous=()), *others)
    found = []
    for way in ways:
        relation = "none" if evidence is None else evidence.find_anchor(way).relation
        counts = len(ways) == 1 or way.key == counted.key
        found.append(ValueReading(value_in_words(way), _RELATIONS.get(relation, "none"), counts))
    return found


def value_in_words(anchor: Anchor) -> str:
    """Return a value in its canonical form: "29 EUR per month", "1,826 tickets", "2024-05-03"."""
    if anchor.kind in _PLAIN_KINDS or anchor.value is None:
        return " ".join(filter(None, [anchor.key, anchor.unit]))
    size = _number(anchor.value)
    if anchor.high is not None:
        size = f"{size} to {_number(anchor.high)}"
    before = anchor.label or anchor.named
    rate = f"per {anchor.each}" if anchor.each else None
    period = f"per {anchor.period}" if anchor.period else None
    return " ".join(filter(None, [before, size, anchor.unit, anchor.noun, rate, period]))


def _number(value: Decimal) -> str:
    written = f"{value:f}"
    whole, point, decimals = written.partition(".")
    whole = f"{int(whole):,}" if len(whole.lstrip("-")) >= _GROUPED_FROM else whole
    decimals = decimals.rstrip("0")
    return f"{whole}{point}{decimals}" if decimals else whole


def names_of(sentence: Sentence) -> tuple[NameLookup, ...]:
    """Return the names of a sentence, and who has each."""
    return tuple(_name(sentence, name) for name in sentence.names)


def _name(sentence: Sentence, name: Name) -> NameLookup:
    at, evidence = sentence.place(name.start, name.end), sentence.scope.evidence
    held_by: HeldBy | None = None
    places: tuple[FoundPlace, ...] = ()
    if evidence is not None and evidence.find_name(name).found:
        held_by, places = "passage", _places(evidence.name_places(name), sentence, evidence)
    elif sentence.scope.question.holds_name(name):
        held_by = "question"
    elif sentence.excuses(name):
        held_by = "policy"
    return NameLookup(at.start, at.end, at.value or name.text, held_by, places)


def citations_of(sentence: Sentence) -> tuple[CitationLookup, ...]:
    """Return the citation tags of a sentence, and the passages that answer to each."""
    evidence, found = sentence.scope.evidence, []
    for tag in sentence.citations:
        at = sentence.place(tag.start, tag.end)
        numbers = evidence.chunk_numbers(tag.label) if evidence is not None and tag.label else ()
        named = tuple(evidence.labels[number] for number in numbers) if evidence else ()
        found.append(CitationLookup(at.start, at.end, at.value or "", tag.label, named))
    return tuple(found)


def nearest_of(sentence: Sentence) -> FoundPlace | None:
    """Return the passages' best evidence for the sentence's words, None without any."""
    evidence, best = sentence.scope.evidence, sentence.coverage
    return (
        None if evidence is None or best is None else found_place(evidence.quoted(best), evidence)
    )


def _places(
    held: Sequence[Nearest], sentence: Sentence, evidence: Evidence
) -> tuple[FoundPlace, ...]:
    """Return the first few places, those in the sentence's best evidence before the others."""
    best = sentence.coverage
    if best is not None:
        label = evidence.labels[best.chunk]
        held = sorted(held, key=lambda one: not _is_inside(one, label, best.start, best.end))
    return tuple(found_place(one, evidence) for one in held[:_MOST_PLACES])


def _is_inside(place: Nearest, label: str, start: int, end: int) -> bool:
    return place.chunk_id == label and start <= place.start < end
