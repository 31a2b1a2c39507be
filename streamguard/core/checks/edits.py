"""Findings from the comparison with the chunks: wrong or absent values, and likely errors.

The doubt of a sentence decides. From `Policy.doubt_from` on, its likely mismatches are reported, or
the whole sentence if it has none, and a short answer is WARN. Likely wrong values and sentences
from `Policy.wrong_from` on are warnings. Names and marks (negation, modals, quantifiers) alone are
not right often enough on answers by other authors (`docs/accuracy.md`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter

from streamguard.core.checks.claims import citation_mismatch, looked_up_price
from streamguard.core.checks.counterparts import other_mark, whole_name
from streamguard.core.derive.solver import MAX_OPERANDS, Operands, derive
from streamguard.core.facts.model import Edit, Group
from streamguard.core.facts.standing import WARNED, Standing
from streamguard.core.index.evidence import Evidence
from streamguard.core.model import finding_texts
from streamguard.core.model.finding_texts import PassageWords
from streamguard.core.model.types import Finding, Nearest, Severity
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.values import Anchor, agree

# The checks for likely errors; of overlapping ones the first is reported.
_DOUBTS: dict[Group, str] = {
    "exchange": "other_owner",
    "value": "other_owner",
    "name": "other_name",
    "polarity": "opposite",
    "modal": "opposite",
    "quantifier": "opposite",
}
_MARKS = frozenset(group for group, check in _DOUBTS.items() if check == "opposite")
_RANK = {group: rank for rank, group in enumerate(_DOUBTS)}
# Values that are findings by themselves, and those that may be wrong in a doubted sentence.
_FLAGGED: frozenset[Standing] = WARNED | {"alone"}
_DOUBTED: frozenset[Standing] = frozenset(["held", "casual", "asked", "reckoned"])
# In a doubtful sentence a slot is reported if the passages' other place leads by at least this:
# shares of similarity, for a negation times the similarity to the fourth; guesses.
_LEAST_LEAD: dict[Group, float] = {
    "exchange": 0.0,
    "value": 0.25,
    "name": 0.15,
    "polarity": 0.05,
    "modal": 0.1,
    "quantifier": 0.1,
}
_WORDS_AROUND_RESULT = 1  # words besides the value in a first sentence that only states it; guess
_VALUES_AROUND = 8  # values on each side of a wrong one that are searched for its counterpart
_START = attrgetter("start")
_MOST_HOLDERS = 40  # places of a value that are looked at for a message; guess
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


def elsewhere(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Point out values that a passage has in another place than the sentence's.

    That is after another label than the sentence's, or in a unit that fits the sentence far less
    than the unit of a like value. The message names both places and changes no status; in a
    doubtful sentence `doubtful` names them. Precision at even priors on exercises_dev, folds 1 to 4
    and fold 0: labels .74 and .73, units .85 and .86.
    """
    found = [
        edit for edit in sentence.edits if edit.elsewhere is not None and edit.misplaced is None
    ]
    if not found or sentence.language is not None or _is_doubted(sentence):
        return
    assert scope.evidence is not None  # something was compared
    flagged: list[Edit] = []
    for edit in sorted(found, key=lambda edit: _RANK[edit.group]):
        place = edit.rival if edit.group == "exchange" else edit.near
        if place is None or any(_overlap(edit, other) for other in flagged):
            continue
        flagged.append(edit)
        nearest, passage = _counterpart(sentence, scope.evidence, edit._replace(rival=place))
        if passage is not None:
            yield sentence.finding(
                "unsupported_claim",
                (edit.start, edit.end),
                check="elsewhere",
                severity="info",
                nearest=nearest,
                message=_elsewhere_message(sentence, scope.evidence, edit, passage),
            )


def other_owner(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag values that the passages have below another owner than the one the sentence names.

    Both owners are named word for word, and both have a like value, in a section, a record, a row
    or behind a label.
    """
    evidence = scope.evidence
    for edit in sentence.edits:
        found = edit.misplaced
        if found is None or evidence is None:
            continue
        own, other = (
            (evidence.slot_place(place), evidence.label_words(label))
            for place, label in ((found.instead, found.named), (found.place, found.owner))
        )
        yield sentence.finding(
            "unsupported_claim",
            (edit.start, edit.end),
            check="other_owner",
            nearest=own[0],
            message=finding_texts.misplaced(
                evidence.passage_words(own[0]), own[1], evidence.passage_words(other[0]), other[1]
            ),
        )


def doubtful(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag sentences with a likely error, from the lower of `doubt_from` and `wrong_from` on.

    From `wrong_from` on the whole sentence gets a warning; below, its likely slots are information,
    or the sentence if it has none. Warnings of other checks are not repeated.
    """
    policy = scope.policy
    if not _is_doubted(sentence) or any(edit.misplaced for edit in sentence.edits):
        return
    assert scope.evidence is not None  # something was compared
    likely: list[Edit] = []
    is_warned = any(citation_mismatch(sentence, scope))
    for edit in sorted(sentence.edits, key=lambda edit: _RANK[edit.group]):
        if edit.group == "value" and edit.standing not in _DOUBTED:
            is_warned = is_warned or _is_warned(sentence, edit)
            continue
        overlaps = any(_overlap(edit, other) for other in likely)
        is_led = edit.lead >= _LEAST_LEAD[edit.group] and not edit.is_agreed
        if is_led and not overlaps and not _waits(sentence, edit):
            likely.append(edit)
    found = [_doubt(sentence, scope.evidence, edit) for edit in likely]
    is_wrong = sentence.doubted >= policy.wrong_from
    if is_warned or (found and not is_wrong):
        yield from found
        return
    nearest, passage = _counterpart(sentence, scope.evidence, None)
    message = finding_texts.doubtful(passage)
    if found:
        nearest, message = found[0].nearest, found[0].message or message
    severity: Severity = "warning" if is_wrong else "info"
    flag, check = "unsupported_claim", "doubtful"
    yield sentence.finding(
        flag, None, check=check, message=message, severity=severity, nearest=nearest
    )


def _overlap(edit: Edit, other: Edit) -> bool:
    return edit.start < other.end and other.start < edit.end


def _is_doubted(sentence: Sentence) -> bool:
    """Return whether to report the likely error of a sentence."""
    policy = sentence.scope.policy
    # Far into a long answer they are hardly ever right.
    least = min(policy.doubt_from, policy.wrong_from)
    is_early = sentence.rank <= policy.few_claims
    # "After that it's up to three": values have checks of their own, and there is nothing else.
    has_words = any(not key.startswith("#") for key in sentence.keys)
    return sentence.doubted >= least and is_early and has_words and not sentence.language


def late_values(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Flag values that only later text may explain ("That adds up to €46:"), once it is known."""
    for place, kept in enumerate(answer.sentences):
        edits = kept.judgement.edits if kept.judgement is not None else ()
        absent = [edit for edit in edits if _may_wait(edit)]
        if absent or place % _LOOKED_AT == 0:
            yield None
        if not absent or (kept.rank and ":" not in kept.text):
            continue
        sentence = kept.read()
        if not _announces(sentence):
            continue
        later: list[Anchor] = []
        for one in answer.sentences[place + 1 : place + 1 + MAX_OPERANDS]:
            later += one.anchors
            yield None
        operands = Operands(later)
        for edit in absent:
            check = _check_of(edit)
            if check and derive(_value_of(edit), operands) is None:
                yield _flagged(sentence, scope, edit, check)
            yield None


def _values(sentence: Sentence, scope: Scope, check: str) -> Iterator[Finding]:
    found = [one for one in sentence.edits if one.group == "value" and _check_of(one) == check]
    if not found:
        return
    # A value may be the sum of values after its sentence.
    may_wait = any(map(_may_wait, found)) and _announces(sentence)
    last = None  # both ends of a range are compared, and one is reported
    for edit in found:
        span = (edit.start, edit.end)
        if span != last and not (may_wait and _may_wait(edit)):
            yield _flagged(sentence, scope, edit, check)
            last = span


def _around(sentence: Sentence, value: Anchor) -> Sequence[Anchor]:
    """Return the values beside one of the sentence, from left to right: a bounded number."""
    at = bisect_left(sentence.anchors, value.start, key=_START)
    return sentence.anchors[max(0, at - _VALUES_AROUND) : at + 1 + _VALUES_AROUND]


def _check_of(edit: Edit) -> str:
    """Return the name of the check that flags a value, "" if none does."""
    if edit.standing not in _FLAGGED:
        return ""
    if _value_of(edit).kind == "amount":
        return "unsupported_price" if _value_of(edit).value else ""
    return "contradicted_value" if edit.standing == "otherwise" else "unsupported_value"


def _value_of(edit: Edit) -> Anchor:
    assert edit.slot is not None  # values have one
    assert edit.slot.anchor is not None
    return edit.slot.anchor


def _waits(sentence: Sentence, edit: Edit) -> bool:
    """Return whether a value may be the sum of values after its sentence."""
    return _may_wait(edit) and _announces(sentence)


def _may_wait(edit: Edit) -> bool:
    return edit.group == "value" and edit.absent and edit.derivation is None


def _announces(sentence: Sentence) -> bool:
    """Return whether the next sentences may compute its value: "In all:", "About €87.50."."""
    if sentence.rank and ":" not in sentence.text:
        return False
    plain = sentence.plain.rstrip(" *_")
    if sentence.rank or plain.endswith(":"):
        return plain.endswith(":")
    value_words = sum(len(anchor.text.split()) for anchor in sentence.anchors)
    return len(plain.split()) - value_words <= _WORDS_AROUND_RESULT


def _flagged(sentence: Sentence, scope: Scope, edit: Edit, check: str) -> Finding:
    assert scope.evidence is not None  # something was compared
    if edit.near is not None:
        edit = edit._replace(rival=edit.near)
    nearest, passage = _counterpart(sentence, scope.evidence, edit)
    message = _value_message(_value_of(edit).text, edit, passage)
    flag = "contradicted_claim" if check == "contradicted_value" else "potential_hallucination"
    severity: Severity = "warning" if _is_warned(sentence, edit) else "info"
    return sentence.finding(
        flag,
        (edit.start, edit.end),
        check=check,
        severity=severity,
        nearest=nearest,
        message=message,
    )


def _value_message(value: str, edit: Edit, passage: PassageWords | None) -> str:
    """Return a message with the passages' value in the place of the answer's, or near it."""
    if edit.should_be is not None:
        return finding_texts.misreckoned(value, edit.should_be)
    if passage is None:
        return finding_texts.absent(value)
    if edit.near is None:
        return finding_texts.absent_near(value, passage)
    return finding_texts.instead(value, passage)


def _is_warned(sentence: Sentence, edit: Edit) -> bool:
    """Return whether a value is a warning: one of another unit, or any in a doubtful sentence."""
    if edit.standing not in WARNED or edit.standing == "otherwise" or sentence.doubt is None:
        return edit.standing in WARNED
    return sentence.doubted >= sentence.scope.policy.value_doubt_from


def _doubt(sentence: Sentence, evidence: Evidence, edit: Edit) -> Finding:
    span, flag = (edit.start, edit.end), "unsupported_claim"
    nearest, passage = _counterpart(sentence, evidence, edit)
    return sentence.finding(
        flag,
        span,
        check=_DOUBTS[edit.group],
        severity="info",
        nearest=nearest,
        message=_doubt_message(sentence, evidence, edit, passage),
    )


def _elsewhere_message(
    sentence: Sentence, evidence: Evidence, edit: Edit, passage: PassageWords
) -> str:
    assert edit.elsewhere is not None
    holder = evidence.passage_words(evidence.slot_sentence(edit.elsewhere))
    words = sentence.folded.text[edit.start : edit.end]
    return finding_texts.elsewhere(words, holder, passage)


def _doubt_message(
    sentence: Sentence, evidence: Evidence, edit: Edit, passage: PassageWords | None
) -> str:
    if passage is None:
        return finding_texts.doubtful(_counterpart(sentence, evidence, None)[1])
    words = sentence.folded.text[edit.start : edit.end]
    if edit.group not in _MARKS:
        edit = _with_holder(evidence, edit)
        if edit.elsewhere is not None:
            return _elsewhere_message(sentence, evidence, edit, passage)
        if edit.group == "value":
            return finding_texts.unfit(words, passage)
        return finding_texts.instead(words, passage)
    own = None if edit.slot is None else words
    if own is not None and own.casefold() in passage.words.casefold():  # no difference
        return finding_texts.doubtful(passage)
    return finding_texts.marked(own, other_mark(edit, passage.words), passage)


def _with_holder(evidence: Evidence, edit: Edit) -> Edit:
    """Return a value's edit with where the chunk of its rival has the value, too."""
    if edit.group != "value" or edit.elsewhere is not None or None in (edit.slot, edit.rival):
        return edit
    assert edit.slot is not None
    assert edit.rival is not None
    chunk = evidence.slot_place(edit.rival).chunk_id
    for place in evidence.source.places(edit.slot.key, _MOST_HOLDERS):
        if evidence.slot_place(place).chunk_id == chunk:
            return edit._replace(elsewhere=place)
    return edit


def _counterpart(
    sentence: Sentence, evidence: Evidence, edit: Edit | None
) -> tuple[Nearest | None, PassageWords | None]:
    """Return the passages' counterpart of a mismatch, and its words and place for people.

    The counterpart is the passage's value or name. It is the passage's sentence for a mark, for the
    whole sentence (`edit` None), for a value that the answer's sentence has too, next to the wrong
    one, and for a value written like the answer's with another unit. "Dogs travel free" is no other
    price, so it is no counterpart.
    """
    if edit is None or edit.group in _MARKS:
        best = sentence.coverage
        nearest = None if best is None else evidence.quoted(best)
    elif edit.rival is None:
        nearest = None
    else:
        nearest, around = evidence.slot_place(edit.rival), evidence.slot_sentence(edit.rival)
        if edit.group == "name":
            nearest = whole_name(nearest, around)
            words = sentence.folded.text[edit.start : edit.end]
            if words.casefold() in (nearest.value or "").casefold():  # another part of it
                return None, None
        rival, value = evidence.source.anchors.get(edit.rival), edit.slot and edit.slot.anchor
        if rival is not None and value is not None:
            if value.value and not rival.value:
                return None, None
            others = (one for one in _around(sentence, value) if one.key != value.key)
            is_repeated = any(agree(one, rival) == "same" for one in others)
            if (is_repeated and not edit.unit_differs) or rival.text in value.text:
                nearest = around
            elif edit.standing in ("plain", "alone"):  # by itself a value far off says little
                return nearest, evidence.passage_words(around)
    return nearest, None if nearest is None else evidence.passage_words(nearest)
