"""What the comparison with the chunks found: values in the wrong place or in none, and doubts.

The doubt of a sentence decides: from `Policy.doubt_from` on its likely edits are told, or all of it
where none is, and a short answer is WARN. A warning are likely wrong values, and sentences from
`Policy.wrong_from` on; names and marks (negation, modals, quantifiers) by themselves are not right
often enough on answers nobody here wrote (`docs/accuracy.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.checks.claims import citation_mismatch
from streamguard.core.checks.values import looked_up_price, value_message
from streamguard.core.derive.solver import MAX_OPERANDS, Operands, derive
from streamguard.core.facts.model import Edit, probability
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding, Nearest
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.values import Anchor, agree

_SAID = {
    "polarity": "denies what the passages affirm, or the other way round",
    "modal": "says “must”, “should” or “may”, and the passages another of them",
    "quantifier": "says “all”, “only” or “some”, and the passages do not",
}
_DOUBTS = {
    "polarity": "opposite",
    "modal": "opposite",
    "quantifier": "opposite",
    "value": "other_owner",
    "name": "other_name",
    "exchange": "other_owner",
}
_TELLING = {"exchange": 0, "value": 1, "name": 1}
# Probability of a slot from which it is told in a doubted sentence, and its value a warning; far
# into a long answer two of three are right from less on (RAGTruth QA train, out of fold).
_TOLD_FROM = 0.3
_LIKELY = 0.42
_LIKELY_LATE = 0.3
# Of sentences behind an answer's first that are supported better, 2 of 19 doubts are right on
# RAGTruth QA train; in short answers four of five are.
_WELL_SUPPORTED = 0.9
_LOOKS_WRONG = "sentences that fit their passages like this are often wrong"
_MOST_WORDS = 160  # characters of a place that a message quotes; guess
_ITEM_MARKS = ("- ", "* ", "• ", "+ ")
_BESIDE_RESULT = 1  # words beside the value of a first sentence that only says a result; guess
# Sentences that are only looked at, between two places where closing may pause; guess.
_LOOKED_AT = 64


def unsupported_price(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag amounts of money that no chunk holds, that follow from nothing and nobody asked about.

    everyday_dev, out of fold: in 1.8 % of the right answers, right in a third of its findings;
    RAGTruth QA train: right in 0.88 of them.
    """
    if scope.evidence is not None and not scope.evidence.chunks:  # nothing to compare with
        yield from looked_up_price(sentence, scope)
    yield from _values(sentence, scope, "unsupported_price")


def unsupported_value(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag numbers, quantities, dates and times that no chunk holds, where the model says so."""
    yield from _values(sentence, scope, "unsupported_value")


def contradicted_value(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag values whose number a chunk has with another unit, currency or period."""
    yield from _values(sentence, scope, "contradicted_value")


def doubtful(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Tell what may be wrong in a sentence, from the lower of `doubt_from` and `wrong_from` on.

    From `wrong_from` on the sentence is warned of, but for well supported ones behind the first;
    below, its likely slots are told, or all of it where there are none. What other checks warn of
    is left to them.
    """
    policy = scope.policy
    # Far into a long answer they are hardly ever right: 0.02 on RAGTruth QA train.
    told_from = min(policy.doubt_from, policy.wrong_from)
    if sentence.doubted < told_from or sentence.rank > policy.few_claims:
        return
    assert scope.evidence is not None  # something was compared
    told: list[Edit] = []
    is_warned = any(citation_mismatch(sentence, scope))
    # Of what overlaps the most telling: exchanges, values and names, then marks of whole clauses.
    for edit in sorted(sentence.edits, key=lambda edit: _TELLING.get(edit.group, len(_TELLING))):
        if edit.group == "value" and _check_of(edit, sentence, scope):
            is_warned = True
            continue
        overlaps = any(edit.start < other.end and other.start < edit.end for other in told)
        if not overlaps and probability(edit.risk) >= _TOLD_FROM and not _waits(sentence, edit):
            told.append(edit)
    found = [_doubt(sentence, scope.evidence, edit) for edit in told]
    support = sentence.support
    is_weak = support is not None and support.probability < _WELL_SUPPORTED
    is_wrong = sentence.doubted >= policy.wrong_from and (is_weak or not sentence.rank)
    if is_warned or (found and not is_wrong):
        yield from found
        return
    nearest, beside = _likest(sentence, scope.evidence)
    yield sentence.finding(
        "unsupported_claim",
        None,
        check="doubtful",
        severity="warning" if is_wrong else "info",
        nearest=found[0].nearest if found else nearest,
        message=(found[0].message if found else None) or f"Worth a look: {_LOOKS_WRONG}{beside}.",
    )


def late_values(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Flag values of sentences that announce what follows, once that is known.

    "That adds up to €46:" is a sum of what the list behind it says. Without waiting ten more right
    answers of the everyday sets were warned of.
    """
    for sentence in answer.sentences:
        absent = [edit for edit in sentence.edits if _may_wait(edit)]
        if absent or sentence.index % _LOOKED_AT == 0:
            yield None
        if absent and not sentence.rank:  # of the others only the words are asked for
            yield from sentence.reading()
        if not absent or not _announces(sentence):
            continue
        later = answer.sentences[sentence.index + 1 : sentence.index + 1 + MAX_OPERANDS]
        for one in later:
            if one.anchors:  # read here, one sentence after the other
                yield None
        operands = Operands(anchor for one in later for anchor in one.anchors)
        for edit in absent:
            check = _check_of(edit, sentence, scope)
            if check and derive(_value_of(edit), operands) is None:
                yield _flagged(sentence, scope, edit, check)
            yield None


def _values(sentence: Sentence, scope: Scope, check: str) -> Iterator[Finding]:
    last = None  # of a range both ends are compared, and one is told
    for edit in sentence.edits:
        if edit.group != "value" or _check_of(edit, sentence, scope) != check:
            continue
        told = (edit.start, edit.end)
        if told != last and not _waits(sentence, edit):
            yield _flagged(sentence, scope, edit, check)
            last = told


def _check_of(edit: Edit, sentence: Sentence, scope: Scope) -> str:
    """Return the name of the check that a value is a finding of, "" where it is none."""
    anchor = _value_of(edit)
    made_up = edit.absent and edit.derivation is None and not edit.asked
    if not (made_up or edit.unit_differs):
        return ""  # what follows or was asked about is never that likely wrong
    is_late = sentence.rank >= scope.policy.few_claims
    wrong = probability(edit.risk) >= (_LIKELY_LATE if is_late else _LIKELY)
    if anchor.kind == "amount" and edit.absent and (wrong or (made_up and anchor.value)):
        return "unsupported_price"
    if not wrong:
        return ""
    if edit.unit_differs:
        return "contradicted_value"
    return "unsupported_value" if edit.absent else ""


def _value_of(edit: Edit) -> Anchor:
    assert edit.slot is not None  # values have one
    assert edit.slot.anchor is not None
    return edit.slot.anchor


def _waits(sentence: Sentence, edit: Edit) -> bool:
    """Say whether a value may be a sum of what follows its sentence."""
    return _may_wait(edit) and _announces(sentence)


def _may_wait(edit: Edit) -> bool:
    return edit.group == "value" and edit.absent and edit.derivation is None


def _announces(sentence: Sentence) -> bool:
    """Say whether a sentence may state what the next ones reckon: "In all:", "About €87.50."."""
    if sentence.rank and ":" not in sentence.text:
        return False
    plain = sentence.plain.rstrip(" *_")
    if sentence.rank or plain.endswith(":"):
        return plain.endswith(":")
    said = sum(len(anchor.text.split()) for anchor in sentence.anchors)
    return len(plain.split()) - said <= _BESIDE_RESULT


def _flagged(sentence: Sentence, scope: Scope, edit: Edit, check: str) -> Finding:
    evidence, said = scope.evidence, _value_of(edit)
    assert evidence is not None  # something was compared
    nearest, around = _told(sentence, evidence, edit)
    message = value_message(said, "no", nearest, around)
    if edit.unit_differs:
        assert edit.rival is not None  # so it contradicts
        other = evidence.source.anchors[edit.rival]
        relation = agree(said, other)
        message = value_message(said, relation, nearest, around)
        if relation == "period" and said.kind == "number":  # its noun stands behind it
            place = evidence.slot_sentence(edit.rival).chunk_id
            message = f"“{said.text}” is per {said.period} here, and per {other.period} in {place}."
    flag = "contradicted_claim" if check == "contradicted_value" else "potential_hallucination"
    span = (edit.start, edit.end)
    return sentence.finding(flag, span, check=check, nearest=nearest, message=message)


def _doubt(sentence: Sentence, evidence: Evidence, edit: Edit) -> Finding:
    said = sentence.folded.text[edit.start : edit.end]
    nearest, told = _told(sentence, evidence, edit)
    message = f"Worth a look: no retrieved passage says “{said}” of this."
    if edit.group in _SAID:
        nearest, beside = _likest(sentence, evidence)
        message = f"Worth a look: this {_SAID[edit.group]}{beside}."
    elif told is not None:
        message = f"Worth a look: “{said}”, where {told}."
    return sentence.finding(
        "unsupported_claim",
        (edit.start, edit.end),
        check=_DOUBTS[edit.group],
        severity="info",
        nearest=nearest,
        message=message,
    )


def _told(sentence: Sentence, evidence: Evidence, edit: Edit) -> tuple[Nearest | None, str | None]:
    """Return what the chunk has in the place, and its quotation with the chunk's words around it.

    Of a value that the sentence says as well, beside the wrong one, the words alone. "Dogs travel
    free" is no other price.
    """
    if edit.rival is None:
        return None, None
    rival, said = evidence.source.anchors.get(edit.rival), edit.slot.anchor if edit.slot else None
    if rival is not None and said is not None and said.value and not rival.value:
        return None, None
    nearest, around = evidence.slot_place(edit.rival), evidence.slot_sentence(edit.rival)
    if not edit.unit_differs and rival is not None and said is not None:
        others = (one for one in sentence.anchors if one.key != said.key)
        if any(agree(one, rival) == "same" for one in others):
            return around, f"{around.chunk_id} says “{_words(around)}”"
    return nearest, f"{nearest.chunk_id} has “{nearest.value}”: “{_words(around)}”"


def _likest(sentence: Sentence, evidence: Evidence) -> tuple[Nearest | None, str]:
    """Return what the chunks have that is likest to a sentence, and its quotation behind others."""
    if sentence.coverage is None:
        return None, ""
    nearest = evidence.quoted(sentence.coverage)
    return nearest, f"; compare {nearest.chunk_id}: “{_words(nearest)}”"


def _words(place: Nearest) -> str:
    words = " ".join((place.value or "").split()).strip("| ").removesuffix(".")
    words = words[2:] if words.startswith(_ITEM_MARKS) else words
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]} …"
