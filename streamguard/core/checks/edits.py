"""What the comparison with the chunks found: values in the wrong place or in none, and doubts.

The doubt of a sentence decides: from `Policy.doubt_from` on its likely edits are told, or all of it
where none is, and a short answer is WARN. A warning are likely wrong values, and sentences from
`Policy.wrong_from` on; names and marks (negation, modals, quantifiers) by themselves are not right
often enough on answers nobody here wrote (`docs/accuracy.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.checks.claims import citation_mismatch, looked_up_price, value_message
from streamguard.core.derive.solver import MAX_OPERANDS, Operands, derive
from streamguard.core.facts.model import Edit, probability
from streamguard.core.facts.standing import WARNED, Standing
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Finding, Nearest, Severity
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.values import Anchor, agree

# The checks that doubts are told by, and what is said of marks; of what overlaps the first is told.
_DOUBTS = {
    "exchange": ("other_owner", ""),
    "value": ("other_owner", ""),
    "name": ("other_name", ""),
    "polarity": ("opposite", "this denies what the passages affirm, or the other way round"),
    "modal": ("opposite", "this says “must”, “should” or “may”, and the passages another of them"),
    "quantifier": ("opposite", "this says “all”, “only” or “some”, and the passages do not"),
}
_MARKS = frozenset(group for group, (_, words) in _DOUBTS.items() if words)
_RANK = {group: rank for rank, group in enumerate(_DOUBTS)}
# Values that are findings by themselves, and those that may be worth a look in a doubted sentence.
_TOLD: frozenset[Standing] = WARNED | {"alone"}
_DOUBTED: frozenset[Standing] = frozenset(["held", "casual", "asked", "reckoned"])
# Probability of a slot from which it is told in a doubted sentence.
_TOLD_FROM = 0.3
_WELL_SUPPORTED = 0.9  # behind an answer's first sentence 2 of 19 doubts are right from here on
_LOOKS_WRONG = "sentences that fit their passages like this are often wrong"
_MOST_WORDS = 160  # characters of a place that a message quotes; guess
_ITEM_MARKS = ("- ", "* ", "• ", "+ ")
_BESIDE_RESULT = 1  # words beside the value of a first sentence that only says a result; guess
_LOOKED_AT = 64  # sentences between two places where closing may pause; guess


def unsupported_price(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag amounts of money that no chunk holds, follow from nothing and nobody asked about."""
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
    # Far into a long answer they are hardly ever right.
    told_from = min(policy.doubt_from, policy.wrong_from)
    if sentence.doubted < told_from or sentence.rank > policy.few_claims or sentence.language:
        return
    assert scope.evidence is not None  # something was compared
    told: list[Edit] = []
    is_warned = any(citation_mismatch(sentence, scope))
    for edit in sorted(sentence.edits, key=lambda edit: _RANK[edit.group]):
        if edit.group == "value" and edit.standing not in _DOUBTED:
            is_warned = is_warned or edit.standing in WARNED
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
    nearest, told_of = _beside(sentence, scope.evidence, None)
    message = f"Worth a look: {_LOOKS_WRONG}{told_of}."
    if found:
        nearest, message = found[0].nearest, found[0].message or message
    severity: Severity = "warning" if is_wrong else "info"
    flag, check = "unsupported_claim", "doubtful"
    yield sentence.finding(
        flag, None, check=check, message=message, severity=severity, nearest=nearest
    )


def late_values(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Flag values of sentences that announce what follows ("That adds up to €46:"), once known."""
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
            check = _check_of(edit)
            if check and derive(_value_of(edit), operands) is None:
                yield _flagged(sentence, scope, edit, check)
            yield None


def _values(sentence: Sentence, scope: Scope, check: str) -> Iterator[Finding]:
    last = None  # of a range both ends are compared, and one is told
    for edit in sentence.edits:
        if edit.group != "value" or _check_of(edit) != check:
            continue
        told = (edit.start, edit.end)
        if told != last and not _waits(sentence, edit):
            yield _flagged(sentence, scope, edit, check)
            last = told


def _check_of(edit: Edit) -> str:
    """Return the name of the check that a value is a finding of, "" where it is none."""
    if edit.standing not in _TOLD:
        return ""
    if _value_of(edit).kind == "amount":
        return "unsupported_price" if _value_of(edit).value else ""
    return "contradicted_value" if edit.standing == "otherwise" else "unsupported_value"


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
    evidence, said, relation = scope.evidence, _value_of(edit), "no"
    assert evidence is not None  # something was compared
    if edit.near is not None:
        edit = edit._replace(rival=edit.near)
    if edit.standing == "otherwise" and edit.rival is not None:
        relation = agree(said, evidence.source.anchors[edit.rival])
        relation = "unit" if relation == "no" else relation
    nearest, told = _beside(sentence, evidence, edit)
    message = value_message(said, relation, told)
    flag = "contradicted_claim" if check == "contradicted_value" else "potential_hallucination"
    severity: Severity = "warning" if edit.standing in WARNED else "info"
    return sentence.finding(
        flag, (edit.start, edit.end), check=check, severity=severity, nearest=nearest,
        message=message,
    )  # fmt: skip


def _doubt(sentence: Sentence, evidence: Evidence, edit: Edit) -> Finding:
    (check, words), span = _DOUBTS[edit.group], (edit.start, edit.end)
    nearest, told = _beside(sentence, evidence, edit)
    words = words or f"no passage says “{sentence.folded.text[slice(*span)]}” of this"
    message, flag = f"Worth a look: {words}{told}.", "unsupported_claim"
    return sentence.finding(
        flag, span, check=check, severity="info", nearest=nearest, message=message
    )


def _beside(
    sentence: Sentence, evidence: Evidence, edit: Edit | None
) -> tuple[Nearest | None, str]:
    """Return what the chunks have in the place of an edit, and its quotation behind other words.

    Of a mark, of all of the sentence (None), and of a value that the sentence says as well, beside
    the wrong one, the sentence of the chunk. "Dogs travel free" is no other price.
    """
    if edit is None or edit.group in _MARKS:
        if sentence.coverage is None:
            return None, ""
        nearest = around = evidence.quoted(sentence.coverage)
    elif edit.rival is None:
        return None, ""
    else:
        nearest, around = evidence.slot_place(edit.rival), evidence.slot_sentence(edit.rival)
        rival, said = evidence.source.anchors.get(edit.rival), edit.slot and edit.slot.anchor
        if rival is not None and said is not None:
            if said.value and not rival.value:
                return None, ""
            others = [one for one in sentence.anchors if one.key != said.key]
            if not edit.unit_differs and any(agree(one, rival) == "same" for one in others):
                nearest = around
    words = " ".join((around.value or "").split()).strip("| ").removesuffix(".")
    words = words[2:] if words.startswith(_ITEM_MARKS) else words
    words = words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]} …"
    if nearest is around:
        return nearest, f"; compare {nearest.chunk_id}: “{words}”"
    return nearest, f"; {nearest.chunk_id} has “{nearest.value}”: “{words}”"
