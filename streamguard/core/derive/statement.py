"""What an answer says with one value, and the operands that its derivation may use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from streamguard.core.anchors.money import FAMILIES
from streamguard.core.anchors.value import (
    ARITHMETIC,
    Anchor,
    minus,
    plain,
    power_of_ten,
    quotient,
    size_of,
)
from streamguard.core.derive.lists import Listing
from streamguard.core.derive.operands import Operand
from streamguard.core.lazy import lazy

# Values of the sources that are looked at for one value of the answer; guess, more than a
# passage of 250 words holds in figures.
MAX_OPERANDS = 48
# Of them those that are combined in pairs; guess. 8 make 28 pairs.
_MAX_PAIRED = 8
# In the best window this many like values are combined although the sentence names none of them.
_FEW = 3


@dataclass(frozen=True, slots=True)
class Derivation:
    """A value computed from others: the reckoning in words, without its result, and its operands.

    `high` is the upper end of a range, `key` a date's instead of a figure; `place`
    is a list that was counted: block, start, end. `certain` says that
    the sentence leaves no other reading, so that a differing value in it is wrong, `exact` that
    nothing is rounded without a word for it.
    """

    words: str
    operands: tuple[Operand, ...]
    value: Decimal | None = None
    high: Decimal | None = None
    key: str | None = None
    place: tuple[int, int, int] | None = None
    certain: bool = False
    exact: bool = False


@dataclass(frozen=True)
class Statement:
    """One value of the answer in its sentence, and the values it may come from.

    `low` is the sentence in small letters, `keys` the stems of sentence and question. `peers` are
    the sentence's other values that are supported, `asked` the question's and those the sentence
    supposes, `sources` the chunks', the nearest first. the first `inside` of them stand in the
    sentence's best window or beside it, `passage` is that window in small letters, `listings`
    reads what the blocks around it list. `earlier` are the values of the answer's sentences right
    before this one that are the chunks' or follow from them, `around` is the window with what
    stands right before and behind it, in small letters.
    """

    own: Operand
    low: str
    keys: frozenset[str]
    peers: tuple[Operand, ...]
    asked: tuple[Operand, ...]
    sources: tuple[Operand, ...]
    inside: int
    passage: str = ""
    listings: Callable[[], Sequence[tuple[int, Listing]]] = tuple
    earlier: tuple[Operand, ...] = ()
    around: str = ""

    @property
    def anchor(self) -> Anchor:
        """The value itself."""
        return self.own.anchor

    @lazy
    def nearby(self) -> tuple[Operand, ...]:
        """The sources' values in the sentence's best window and beside it."""
        return self.sources[: self.inside]

    def window(self, one: Operand) -> bool:
        """Say whether an operand of the sources stands there."""
        return id(one) in self._nearby_ids

    @lazy
    def _nearby_ids(self) -> frozenset[int]:
        return frozenset(map(id, self.nearby))

    def says(self, cue: re.Pattern[str]) -> bool:
        """Say whether the sentence holds the cue."""
        return cue.search(self.low) is not None

    def speaks(self, cue: re.Pattern[str]) -> bool:
        """Say whether the sentence or its best window holds the cue."""
        return self.says(cue) or cue.search(self.passage) is not None

    @lazy
    def before(self) -> str:
        """The words right before the value, 24 characters of them."""
        return self.low[max(0, self.anchor.start - 24) : self.anchor.start]

    @lazy
    def after(self) -> str:
        """The words right after the value, 24 characters of them."""
        return self.low[self.anchor.end : self.anchor.end + 24]

    @lazy
    def likes(self) -> tuple[Operand, ...]:
        """The sources' values that count the same thing in the same unit."""
        anchor = self.own.anchor
        return tuple(one for one in self.sources if alike(one.anchor, anchor))

    def chosen(self, operands: Sequence[Operand]) -> list[Operand]:
        """Return the operands that the sentence speaks of.

        Those whose labels share a word with it that the others' labels do not; where there is
        none, the few of the best window. A single operand needs no word of its own.
        """
        if len(operands) == 1:
            return list(operands)
        if named := self.named(operands):
            return named
        return self.near(operands)

    def near(self, operands: Sequence[Operand]) -> list[Operand]:
        """Return the operands of the best window, or the only ones there are, if they are few."""
        near = [one for one in operands if self.window(one)]
        if not near and len({one.block for one in operands}) == 1:
            near = list(operands)
        return near if len(near) <= _FEW else []

    def named(self, operands: Sequence[Operand]) -> list[Operand]:
        """Return the operands with a word of the sentence that tells them from the others."""
        if len(operands) < 2:
            return []
        counts: dict[str, int] = {}
        for one in operands:
            for word in one.label & self.keys:
                counts[word] = counts.get(word, 0) + 1
        telling = {word for word, count in counts.items() if 2 * count <= len(operands)}
        return [one for one in operands if one.label & telling][:_MAX_PAIRED]

    def pairs(self, operands: Sequence[Operand]) -> Iterator[tuple[Operand, Operand]]:
        """Yield the pairs that the sentence may combine: of its own values first."""
        own = [one for one in self.peers if any(alike(one.anchor, o.anchor) for o in operands)]
        yield from combinations(own[:_MAX_PAIRED], 2)
        chosen = self.named(operands)
        if len(chosen) < 2:
            chosen = self.near(operands)
        if not chosen:
            yield from self._beside(own, operands)
        yield from combinations(chosen, 2)
        for one in own[:_FEW]:
            for other in chosen:
                if other.anchor.value != one.anchor.value:
                    yield one, other

    def _beside(
        self, own: Sequence[Operand], operands: Sequence[Operand]
    ) -> Iterator[tuple[Operand, Operand]]:
        """Yield the pairs within the source's sentences that have one of the answer's own values.

        "To $412 million" of "$412 million, up from $371 million".
        """
        held = {one.anchor.key for one in own}
        places = {(one.block, one.sentence): None for one in operands if one.anchor.key in held}
        for place in list(places)[:_FEW]:
            beside = [one for one in operands if (one.block, one.sentence) == place]
            if len(beside) <= _FEW:
                yield from combinations(beside, 2)

    def fits(self, derivation: Derivation) -> bool:
        """Say whether the answer's value is what was derived."""
        anchor = self.anchor
        if derivation.exact and not (anchor.approx or anchor.rounded):
            return derivation.value == anchor.value
        if derivation.key is not None:
            return derivation.key in (anchor.key, *anchor.ambiguous)
        assert derivation.value is not None  # without a key there is a figure
        assert anchor.value is not None  # and it is derived for figures only
        if anchor.high is None or derivation.high is None:
            return anchor.high is derivation.high and _close(anchor, anchor.value, derivation.value)
        return _close(anchor, anchor.value, derivation.value) and _close(
            anchor, anchor.high, derivation.high
        )


def alike(one: Anchor, other: Anchor) -> bool:
    """Say whether two values count the same: kind and unit, for amounts a shared sign."""
    if one.kind != other.kind or one.value is None:
        return False
    if one.unit == other.unit:
        return True
    return one.kind == "amount" and any(
        first.family is not None and second.unit in FAMILIES[first.family]
        for first, second in ((one, other), (other, one))
    )


def _close(anchor: Anchor, mine: Decimal, derived: Decimal) -> bool:
    """Say whether `mine` is `derived`, rounded to the places the answer shows."""
    gap = size_of(minus(mine, derived))
    if not gap:
        return True
    if anchor.approx or anchor.rounded:
        return gap <= anchor.precision
    # A whole figure is exact unless the reckoning leaves a fraction ("33%" of 1 in 3).
    unit = quotient(derived, anchor.scale)
    return gap <= anchor.precision and unit != unit.to_integral_value(context=ARITHMETIC)


def listed(operands: Sequence[Operand], joint: str) -> str:
    """Return the operands as they are written, with `joint` between them."""
    return joint.join(one.anchor.text.rstrip(".") for one in operands)


def figure(value: Decimal, places: int = 2) -> str:
    """Return a number as people write it: "1,188", "16.67"."""
    return f"{Decimal(plain(ARITHMETIC.quantize(value, power_of_ten(-places)))):,f}"
