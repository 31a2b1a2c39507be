"""Expressions of two or three values that the answer states, at most one of them from elsewhere.

Their values stand in the sentence, in the ones right before it or in its question; one may stand in
the best window under a word of the sentence. Money times a count stays money: every value but one
is a count, a percentage, or like the answer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from streamguard.core.anchors.value import ONE, minus, plus, quotient, size_of, times
from streamguard.core.derive.operands import Operand, stems
from streamguard.core.derive.products import counts_things
from streamguard.core.derive.statement import Derivation, Statement, alike, figure, listed

_HUNDRED = Decimal(100)
_MOST = 4  # values of one part that an expression takes; guess: 4 x 4 x 4 at the most
_LEAST = Decimal(10)  # a smaller bare number is hit by chance too often; guess
_LESS = re.compile(
    r"(?<!\w)(?:discount\w*|off|less|reduc\w*|after|sav\w*|cheaper|lower|down|minus|net)(?!\w)"
)
_MORE = re.compile(
    r"(?<!\w)(?:tax\w*|vat|tip|includ\w*|plus|with|surcharge|interest|after|gross|add\w*|up)(?!\w)"
)
_REACHES = re.compile(
    r"(?<!\w)(?:hits?|reach\w*|exhaust\w*|used? up|us(?:e|ing) up|cap|limit|maximum|ceiling)(?!\w)"
)
_DIFFERENCE = re.compile(
    r"(?<!\w)(?:more|less|fewer|differ\w*|cheaper|dearer|higher|lower|longer|shorter|larger|smaller"
    r"|exceed\w*|sav\w*|surplus|deficit|profit\w*|margin|gap|left|remain\w*)(?!\w)"
)
_ADDED = re.compile(
    r"(?<!\w)(?:another|extra|additional\w*|on top|plus|bring\w*|then|or|if|with)(?!\w)"
)
_AGAIN = stems("renew renewed renewal renewals extend extended extension prolong prolonged")
_FURTHER = stems("additional extra further more")
_MOST_TIMES = Decimal(20)
_SPANS = frozenset(["s", "month"])


def expressions(said: Statement) -> Iterator[Derivation]:
    """Yield what the values of the sentence and of those before it come to together."""
    anchor = said.anchor
    if not said.own.is_plain or (anchor.kind == "number" and said.own.value < _LEAST):
        return
    yield from _percentages(said)
    if said.says(_DIFFERENCE):
        yield from _differences(said)
    if said.says(_ADDED):
        yield from _added(said)
    yield from _graded(said)
    if anchor.unit in _SPANS and not _AGAIN.isdisjoint(said.keys):
        yield from _renewed(said)
    if anchor.kind != "quantity":
        yield from _months_of(said)


def _like(said: Statement, pool: Sequence[Operand]) -> list[Operand]:
    """Return the first values of a pool that are like the answer's."""
    return [one for one in pool if one.is_plain and alike(one.anchor, said.anchor)][:_MOST]


def _percentages(said: Statement) -> Iterator[Derivation]:
    """Yield "$864 - 15%", "600 ÷ 80%", "$4 + 2% of $200" of stated values."""
    stated = (*said.peers, *said.earlier)
    percents = [one for one in stated if one.anchor.kind == "percent" and one.is_plain][:_MOST]
    bases = _like(said, stated)
    for percent in percents:
        share = quotient(percent.value, _HUNDRED)
        for base in bases:
            part, both = times(base.value, share), (percent, base)
            if said.says(_LESS):
                words = f"{base.anchor.text} - {percent.anchor.text}"
                yield Derivation(words, both, minus(base.value, part))
            if said.says(_MORE):
                words = f"{base.anchor.text} + {percent.anchor.text}"
                yield Derivation(words, both, plus(base.value, part))
            if share and said.says(_REACHES):
                yield Derivation(listed((base, percent), " ÷ "), both, quotient(base.value, share))
            for whole in _like(said, said.asked):
                words = f"{base.anchor.text} + {percent.anchor.text} of {whole.anchor.text}"
                value = plus(base.value, times(whole.value, share))
                yield Derivation(words, (base, percent, whole), value)


def _differences(said: Statement) -> Iterator[Derivation]:
    own = _like(said, said.peers)
    for one in own:
        for other in _like(said, said.earlier):
            if one.period == other.period:
                yield _gap(one, other)
    yield from (_gap(*pair) for pair in _beside(said))
    yield from _saved(said, own)


def _saved(said: Statement, own: Sequence[Operand]) -> Iterator[Derivation]:
    """Yield "9.00 × 22 - 154.00" where the sentence has 154.00 as 7.00 × 22."""
    products = {one.value: one for one in own}
    counts = [one for one in (*said.peers, *said.asked) if counts_things(one)][:_MOST]
    others = said.named([one for one in said.likes if one.is_plain])[:_MOST]
    for rate in own:
        for count in counts:
            whole = products.get(times(rate.value, count.value))
            if whole is None or rate.value == count.value:
                continue
            yield from (_saving(other, count, whole) for other in others)


def _saving(other: Operand, count: Operand, whole: Operand) -> Derivation:
    words = f"{listed((other, count), ' × ')} - {whole.anchor.text}"
    value = size_of(minus(times(other.value, count.value), whole.value))
    return Derivation(words, (other, count, whole), value)


def _gap(one: Operand, other: Operand) -> Derivation:
    larger, smaller = (one, other) if one.value >= other.value else (other, one)
    pair = larger, smaller
    return Derivation(listed(pair, " - "), pair, minus(larger.value, smaller.value))


def _like_near(said: Statement) -> list[Operand]:
    return [one for one in said.nearby if one.is_plain and alike(one.anchor, said.anchor)]


def _beside(said: Statement) -> list[tuple[Operand, Operand]]:
    """Return the like values that stand alone together in a sentence that is spoken of."""
    places: dict[tuple[int | None, int], list[Operand]] = {}
    for one in (one for one in said.likes if one.is_plain):
        places.setdefault((one.block, one.sentence), []).append(one)
    held = {one.anchor.key for one in said.peers}
    return [
        (group[0], group[1])
        for group in places.values()
        if len(group) == 2 and any(one.label & said.keys or one.anchor.key in held for one in group)
    ]


def _added(said: Statement) -> Iterator[Derivation]:
    """Yield the sum of an own value and one of another sentence whose words this one repeats."""
    others = _like(said, said.earlier) + _like_near(said)
    named = [one for one in others if len(one.label & said.keys) > 1]
    for one in _like(said, said.peers):
        for other in named[:_MOST]:
            words = listed((one, other), " + ")
            yield Derivation(words, (one, other), plus(one.value, other.value))


def _graded(said: Statement) -> Iterator[Derivation]:
    """Yield "£18 + £4 × 2" where the first ones cost a lump and each further one its rate."""
    counts = [one for one in (*said.peers, *said.asked) if counts_things(one)][:_MOST]
    for pool in (said.peers, said.nearby):
        likes = [one for one in pool if one.is_plain and alike(one.anchor, said.anchor)]
        rates = [one for one in likes if one.period == "each" or one.label & _FURTHER][:_MOST]
        firsts = [one for one in pool if counts_things(one)][:_MOST]
        for rate in rates:
            for base in likes[:_MOST]:
                if base is rate or abs(base.sentence - rate.sentence) > 1:
                    continue
                for count in counts:
                    if pool is said.peers:
                        yield _lump(base, rate, (count,), count.value)
                    for first in firsts:
                        if first.value < count.value and first.sentence == base.sentence:
                            rest = minus(count.value, first.value)
                            yield _lump(base, rate, (count, first), rest)


def _lump(base: Operand, rate: Operand, by: tuple[Operand, ...], count: Decimal) -> Derivation:
    words = f"{base.anchor.text} + {rate.anchor.text} × {figure(count, 0)}"
    return Derivation(words, (base, rate, *by), plus(base.value, times(rate.value, count)))


def _renewed(said: Statement) -> Iterator[Derivation]:
    """Yield "28 days × (1 + three times)" for a term that may be renewed."""
    pool = (*said.peers, *said.earlier, *said.nearby)
    often = [one for one in pool if one.anchor.unit == "time" or counts_things(one)]
    for one in _like(said, (*said.peers, *said.earlier)):
        for count in often[:_MOST]:
            value = times(one.value, plus(ONE, count.value)) if count.is_plain else None
            # "Up to 112 days" is no more than these.
            if value == said.own.value and count.value < _MOST_TIMES:
                words = f"{one.anchor.text} × (1 + {count.anchor.text})"
                yield Derivation(words, (one, count), value)


def _months_of(said: Statement) -> Iterator[Derivation]:
    """Yield "1,380 × three months" for "a deposit of three months' rent"."""
    likes = [*_like(said, (*said.peers, *said.earlier)), *_like_near(said)]
    for count in said.nearby:
        if count.anchor.unit not in _SPANS or count.anchor.number is None:
            continue
        if count.is_plain and count.label & said.own.label:
            for one in likes:
                if one.label & count.label - said.own.label and one.period in (None, "month"):
                    words = listed((one, count), " × ")
                    yield Derivation(words, (one, count), times(one.value, count.anchor.number))
