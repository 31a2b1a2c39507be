"""Bounds that an answer turns round: "at least 200 members" of the passages' "up to 200"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamguard.core.model import finding_texts
from streamguard.core.model.types import Finding
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.values import agree

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
    evidence, text = scope.evidence, sentence.folded.text
    if evidence is None or not _CUE.search(text):
        return
    low = lower_in_place(text)
    for edit in sentence.edits:
        slot = edit.slot
        if edit.group != "value" or edit.absent or slot is None or slot.anchor is None:
            continue
        said = _BOUND.search(low, max(0, edit.start - _REACH), edit.start)
        places = evidence.source.places(slot.key, _MOST_PLACES + 1) if said else ()
        if said is None or not 0 < len(places) <= _MOST_PLACES:
            continue
        anchors = evidence.source.anchors
        held = [one for one in places if agree(slot.anchor, anchors[one]) == "same"]
        bounds = [_BOUND.search(evidence.before(one, _REACH)) for one in held]
        if held and all(one and one.lastgroup != said.lastgroup for one in bounds):
            told = evidence.told(evidence.slot_sentence(held[0]))
            words = sentence.folded.text[said.start() : edit.end]
            yield sentence.finding(
                "contradicted_claim",
                (said.start(), edit.end),
                check="contradicted_value",
                nearest=evidence.slot_place(held[0]),
                message=finding_texts.instead(words, told),
            )
