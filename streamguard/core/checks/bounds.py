"""Finds bounds that an answer reverses, or states about another subject.

"At least 200 members" of the passages' "up to 200"; "hail is covered up to $500" where they have
$2,000 for hail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamguard.core.facts.columns import NONE
from streamguard.core.index.evidence import Evidence
from streamguard.core.model import finding_texts
from streamguard.core.model.types import Finding
from streamguard.core.reading.slots import CONTENT, read_slots
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor, agree

# Said of what is not allowed, "more than" and "under" stand for the other bound.
_BOUND: Final = lazy_re(
    r"(?<!\w)(?:(?P<least>at[ ]least|not?[ ]less[ ]than|no[ ]fewer[ ]than|(?:a[ ])?minimum[ ]of"
    r"|not[ ]below)|(?P<most>up[ ]to|at[ ]most|not?[ ]more[ ]than|(?:a[ ])?maximum[ ]of"
    r"|not[ ]exceed(?:ing)?|cannot[ ]exceed|not[ ]above))[ ](?:[a-z]{1,12}[ ])?$"
)
# A cheap look: most sentences bound nothing.
_CUE: Final = lazy_re(r"[mM]ost|[lL]east|than|[uU]p to|imum of|below|above|exceed")
_REACH: Final = 36
_MOST_PLACES: Final = 12  # guess


def turned_bound(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a value given as the least where every place of the passages has it as the most.

    Or the other way round. Of exercises_dev 30 wrong sentences do so and no right one.
    """
    evidence = scope.evidence
    for start, end, anchor, bound in _bounded(sentence):
        assert evidence is not None  # something was compared
        held = _places(evidence, anchor)
        bounds = [_BOUND.search(evidence.before(one, _REACH)) for one in held]
        if held and all(one and one.lastgroup != bound for one in bounds):
            yield _found(sentence, evidence, (start, end), held[0])


def other_bound(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a bound where the passages give another one to all that its clause speaks of.

    No place of the value has all words of the clause, in its unit or above it; one unit has them,
    with the same bound of a like value.
    """
    evidence, text = scope.evidence, sentence.folded.text
    slots = None
    misplaced = {edit.end for edit in sentence.edits if edit.misplaced is not None}
    for start, end, anchor, bound in _bounded(sentence):
        if end in misplaced:
            continue  # told already
        assert evidence is not None  # something was compared
        slots = read_slots(text, sentence.anchors) if slots is None else slots
        clause = next((one.clause for one in slots if one.anchor == anchor), -1)
        own = [one for one in slots if one.clause == clause]
        words = frozenset([one.key for one in own if one.kind in CONTENT and one.anchor is None])
        held, unit_of = _places(evidence, anchor), evidence.source.unit_of
        is_denied = any(one.kind == "negator" for one in own)
        if (
            not words
            or not held
            or is_denied
            or any(words <= _around(evidence, unit_of[one]) for one in held)
        ):
            continue
        values = {one.key for one in slots if one.anchor is not None}
        others = _bounds_of(evidence, words, anchor, bound)
        if others and values.isdisjoint([evidence.source.keys[one] for one in others]):
            yield _found(sentence, evidence, (start, end), others[0])


def _bounded(sentence: Sentence) -> Iterator[tuple[int, int, Anchor, str | None]]:
    """Yield the sentence's bounds by values that passages hold: span, value, least or most."""
    held = [one for one in sentence.edits if one.group == "value" and not one.absent]
    if not held or not _CUE.search(text := sentence.folded.text):
        return
    low = lower_in_place(text)
    for edit in held:
        anchor = edit.slot.anchor if edit.slot is not None else None
        assert anchor is not None  # values have one
        found = _BOUND.search(low, max(0, edit.start - _REACH), edit.start)
        if found is not None:
            yield found.start(), edit.end, anchor, found.lastgroup


def _places(evidence: Evidence, anchor: Anchor) -> list[int]:
    """Return the places of a value; none of one that stands very often."""
    source = evidence.source
    places = source.places(f"#{anchor.key}", _MOST_PLACES + 1)
    if len(places) > _MOST_PLACES:
        return []
    return [one for one in places if agree(anchor, source.anchors[one]) == "same"]


def _around(evidence: Evidence, unit: int) -> frozenset[str]:
    """Return the keys of a unit, its heading and its lead-in: not those of the sentence before."""
    units = evidence.source.units
    above = units.above(unit)
    keys = [units[one].keys for one in (above.title, above.lead) if one != NONE]
    return units[unit].keys.union(*keys)


def _bounds_of(
    evidence: Evidence, words: frozenset[str], anchor: Anchor, bound: str | None
) -> list[int]:
    """Return like values with a bound, in units that have all of some words in or above them."""
    source, found = evidence.source, []
    places = [place for word in sorted(words) for place in source.places(word, _MOST_PLACES)]
    for number in dict.fromkeys([source.unit_of[place] for place in places]):
        unit = source.units[number]
        if not words <= _around(evidence, number):
            continue
        for place in source.anchors.between(unit.first, unit.end)[:_MOST_PLACES]:
            other = source.anchors[place]
            is_like = (other.kind, other.unit) == (anchor.kind, anchor.unit)
            cue = _BOUND.search(evidence.before(place, _REACH)) if is_like else None
            if cue is not None and cue.lastgroup == bound:
                found.append(place)
    return found


def _found(sentence: Sentence, evidence: Evidence, span: tuple[int, int], place: int) -> Finding:
    passage = evidence.passage_words(evidence.slot_sentence(place))
    return sentence.finding(
        "contradicted_claim",
        span,
        check="contradicted_value",
        nearest=evidence.slot_place(place),
        message=finding_texts.instead(sentence.folded.text[slice(*span)], passage),
    )
