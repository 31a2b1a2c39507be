"""From a sentence of the answer to what is asked about each of its unsupported values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from streamguard.core.anchors import Anchor, Match, agree, lowered
from streamguard.core.derive import (
    Derivation,
    Operand,
    Reckoned,
    Statement,
    read_operands,
    reckon,
    stems,
)
from streamguard.core.derive.written import multiplies
from streamguard.core.words import stems_of

if TYPE_CHECKING:
    from streamguard.core.evidence import Coverage, Evidence
    from streamguard.core.sentence import Sentence

# Such a sentence speaks of what the one before it names ("That is $588 per year.").
_REFERS_BACK = re.compile(
    r"[\s>*_#-]*(?:that|this|it|its|which|they|their|these|those|so|together|combined|both|in total"
    r"|altogether|overall|the (?:total|difference|sum|average|combined)|thus|therefore|hence)(?!\w)"
)
# Such words put a case instead of stating a fact of the sources.
_GIVEN = re.compile(
    r"(?:(?<!\w)(?:for|over|in|after|of|with|on|from|if|say|take|buy)[ ]|^\W*)"
    r"(?:(?:early|mid|late)[ -])?$"
)
_GIVEN_REACH = 12
# Sentences before this one whose values a reckoning may go on with, and values of each; guess.
_MAX_EARLIER, _MAX_OF_EACH = 3, 6
_BESIDE = 160  # characters beside a window in which a time is told by another one; guess
# Values of one sentence that are reckoned; guess, a table row has fewer.
_MAX_VALUES = 12
# An amount is supposed only where the sentence says so.
_EXAMPLE = re.compile(
    r"(?<!\w)(?:for (?:example|instance)|e\.g\.|say|suppos\w+|assum\w+|imagine|example)(?!\w)"
)
_SUPPOSED = frozenset(["number", "quantity", "date", "year", "time"])
_DERIVABLE = frozenset(["amount", "percent", "quantity", "number", "date", "time", "year"])


def reckon_sentence(
    sentence: Sentence, evidence: Evidence, held: Sequence[tuple[Anchor, Match]]
) -> dict[int, Reckoned]:
    """Return the reckonings of the sentence's values that no chunk holds, by their start.

    `held` is what the chunks say of each value. A value that was derived may serve the next one.
    """
    lacking = [
        number
        for number, (anchor, match) in enumerate(held)
        if match.relation != "same" and anchor.kind in _DERIVABLE
    ]
    if not lacking:
        return {}
    text, scope = sentence.prose, sentence.scope
    assert scope is not None  # without a scope there is no evidence
    own = read_operands(text, sentence.anchors, None)
    found = sentence.coverage
    window = (found.chunk, found.start, found.end) if found else None
    sources, inside = evidence.values.operands(window)
    passage = evidence.texts[found.chunk][found.start : found.end].lower() if found else ""
    around = _around(evidence, found)
    supported = {number for number, (_, match) in enumerate(held) if match.relation == "same"}
    brought = {number for number in lacking if _is_asked(held[number][0], scope.question.anchors)}
    low, keys, asked = lowered(text), _keys(sentence, lowered(text)), scope.question.operands
    example = _EXAMPLE.search(low) is not None
    stated = {own[n].anchor.key for n in brought}
    asked = tuple(one for one in asked if one.anchor.key not in stated)
    earlier = _stated_before(sentence, scope.earlier)
    known: dict[int, Reckoned] = {}
    for number in lacking[:_MAX_VALUES]:
        said = Statement(
            own=own[number],
            low=low,
            keys=keys,
            peers=tuple(own[n] for n in sorted((supported | brought) - {number})),
            asked=(*asked, *_supposed(own, number, supported | brought, example=example)),
            sources=sources,
            inside=inside,
            passage=passage,
            around=around,
            listings=lambda: evidence.values.listings(window),
            earlier=earlier,
        )
        reckoned = reckon(said)
        if reckoned is not None:
            known[own[number].anchor.start] = reckoned
            if reckoned.holds:
                supported.add(number)
                known.update(_granted(reckoned, own, low, example=example))
    return known


def _around(evidence: Evidence, found: Coverage | None) -> str:
    """Return the text of a window and of what stands beside it in its chunk, in small letters."""
    if found is None:
        return ""
    text = evidence.texts[found.chunk]
    return lowered(text[max(0, found.start - _BESIDE) : found.end + _BESIDE])


def _stated_before(sentence: Sentence, earlier: Sequence[Sentence]) -> tuple[Operand, ...]:
    """Return the accepted values of the sentences right before this one, the last one's first."""
    stated: list[Operand] = []
    first = max(0, sentence.index - _MAX_EARLIER)
    for one in reversed(earlier[first : sentence.index]):
        operands = read_operands(one.prose, one.anchors, None)
        accepted = [
            operand
            for operand, (_, match) in zip(operands, one.matches, strict=True)
            if match.relation in ("same", "given")
        ]
        stated += accepted[:_MAX_OF_EACH]
    return tuple(stated)


def _granted(
    reckoned: Reckoned, own: Sequence[Operand], low: str, *, example: bool
) -> Iterator[tuple[int, Reckoned]]:
    """Yield what the sentence takes as given for a reckoning that holds ("for 6 months")."""
    for one in reckoned.derivation.operands:
        anchor = one.anchor
        is_own = any(one is other for other in own)
        if is_own and _supposes(anchor, example=example) and _given(anchor, low):
            yield anchor.start, Reckoned(anchor, Derivation("", ()), holds=True)


def _is_asked(anchor: Anchor, asked: Sequence[Anchor]) -> bool:
    """Say whether the question holds the value."""
    return any(agree(anchor, one) == "same" for one in asked)


def _given(anchor: Anchor, low: str) -> bool:
    if anchor.kind == "amount":
        return True  # the sentence says that it is an example
    if multiplies(low, anchor.start, anchor.end):
        return True
    before = low[max(0, anchor.start - _GIVEN_REACH) : anchor.start]
    return bool(_GIVEN.search(before)) or low.startswith(" of", anchor.end)


def _keys(sentence: Sentence, low: str) -> frozenset[str]:
    """Return the stems of the sentence, of the question, and of what it refers back to."""
    scope = sentence.scope
    assert scope is not None  # without a scope there is no evidence
    keys = frozenset(stems_of((*sentence.content.words, *scope.question.content.words)))
    if scope.earlier and _REFERS_BACK.match(low):
        keys |= stems(scope.earlier[-1].text)
    return keys


def _supposes(anchor: Anchor, *, example: bool) -> bool:
    """Say whether a sentence, or one that gives an `example`, may suppose the value."""
    if anchor.kind == "amount":
        return example
    return anchor.kind in _SUPPOSED


def _supposed(
    own: Sequence[Operand], number: int, supported: set[int], *, example: bool
) -> list[Operand]:
    """Return what the sentence itself supposes: "for 6 months", "bought on 3 May"."""
    return [
        one
        for n, one in enumerate(own)
        if n != number and n not in supported and _supposes(one.anchor, example=example)
    ]
