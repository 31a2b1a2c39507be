"""Percentages, shares, changes, ratios and fractions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice

from streamguard.core.anchors.value import minus, plus, quotient, times
from streamguard.core.anchors.wordnumbers import ONES
from streamguard.core.derive.operands import Operand, stems
from streamguard.core.derive.statement import Derivation, Statement, alike, figure, listed
from streamguard.core.derive.sums import together, total

_HUNDRED = Decimal(100)
_ONE = Decimal(1)
_COUNTED = frozenset(["amount", "number", "quantity"])
# A change has its base on the side it starts from: what rose is compared with the smaller value.
_RISE = re.compile(
    r"(?<!\w)(?:increas\w*|ris(?:e|es|en|ing)|rose|grew|grow\w*|gain\w*|more|higher|dearer|expensive"
    r"|greater|larger|bigger|longer|faster|up|jump\w*|surg\w*|climb\w*|raise\w*|expand\w*|above"
    r"|exceed\w*|markup|premium|taller|heavier|older|warmer)(?!\w)"
)
_FALL = re.compile(
    r"(?<!\w)(?:decreas\w*|fell|fall\w*|drop\w*|declin\w*|reduc\w*|cut|sav\w*|discount\w*|off|less"
    r"|fewer|lower|cheaper|smaller|shorter|slower|down|shrank|shrink\w*|lost|los[es]\w*|slipp\w*"
    r"|below|younger|lighter|colder)(?!\w)"
)
# "One in four", "3 out of 10".
_COUNTS = {word: Decimal(value) for word, value in ONES.items() if value}
_SMALL = rf"(\d{{1,6}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_OUT_OF = re.compile(
    rf"(?<![\w.,-]){_SMALL}[ ](?:in|out of)[ ](?:every[ ])?{_SMALL}(?![\w-]|[.,]\d)"
)
_NAMED = 2  # words of the sentence with which a percentage elsewhere is the one it means; guess
_MAX_PAIRS = 10  # of one unit that are compared; guess, five values make as many
_CHANGE = re.compile(r"(?<!\w)(?:chang\w*|differ\w*|gap|moved|var(?:y|ies|ied))(?!\w)")
# "More than 75% of them" is a share all the same.
_HEDGE = re.compile(r"(?:more|less|fewer|higher|lower)[ ]than[ ](?:an?[ ]|the[ ])?$")
_REST = re.compile(
    r"(?<!\w)(?:remain\w*|rest|others?|without|left|not|never|balance|else|non\w*|majority"
    r"|minority|n't)(?!\w)|n't(?!\w)"
)
_LESS = re.compile(
    r"(?<!\w)(?:discount\w*|off|less|reduc\w*|after|sav\w*|sale|cheaper|lower|fell|drop\w*|declin\w*"
    r"|cut|minus|net|down|decreas\w*|remain\w*|left|rest|deduct\w*|now|final\w*)(?!\w)"
)
_MORE = re.compile(
    r"(?<!\w)(?:tax\w*|vat|tip|includ\w*|plus|with|more|increas\w*|rise\w*|rose|raise\w*|grew|grow\w*"
    r"|higher|up|surcharge|markup|interest|after|gross|total\w*|add\w*|now|climb\w*)(?!\w)"
)
# Beside the percentage itself, where it stands apart from what it is taken off.
_CHEAPER = stems("save saves saving savings discount discounted off less reduced cheaper rebate")
# "3 times" without a comparison counts how often, and is no bare number (`anchors/frequency`).
_TIMES = re.compile(r"[ -](?:times|fold|x)(?!\w)")


def shares(said: Statement) -> Iterator[Derivation]:
    """Yield what an answer's percentage may be: a share, a change, the rest, a fraction."""
    if not said.own.is_plain:
        return
    yield from _fractions(said)
    if said.says(_REST):
        pool = (*said.peers, *said.likes)
        percents = [one for one in pool if one.anchor.unit == "%" and one.is_plain]
        for one in said.chosen(percents) or percents[:1]:
            yield Derivation(f"100% - {one.anchor.text}", (one,), minus(_HUNDRED, one.value))
    rise, fall = _direction(said)
    for pair in _unit_pairs(said):
        yield from _changes(pair, rise=rise, fall=fall)
        if said.after.startswith(" of") or not (rise or fall):
            yield from _shares_of(pair)
    if not (rise or fall):
        yield from _of_the_total(said)


def _direction(said: Statement) -> tuple[bool, bool]:
    """Say whether the sentence speaks of a rise and of a fall; of a change it may be either."""
    anchor = said.anchor
    text = _HEDGE.sub("", said.low[: anchor.start]) + said.low[anchor.end :]
    either = bool(_CHANGE.search(text))
    return either or bool(_RISE.search(text)), either or bool(_FALL.search(text))


def percentages(said: Statement) -> Iterator[Derivation]:
    """Yield "20% of 50", and 50 less or plus these 20%."""
    for percent, base in _rated_bases(said):
        part, both = times(base.value, quotient(percent.value, _HUNDRED)), (percent, base)
        base_text = base.anchor.text
        yield Derivation(f"{percent.anchor.text} of {base_text}", both, part)
        if said.speaks(_LESS) or not _CHEAPER.isdisjoint(percent.label):
            words = f"{base_text} - {percent.anchor.text}"
            yield Derivation(words, both, minus(base.value, part))
        if said.speaks(_MORE):
            yield Derivation(f"{base_text} + {percent.anchor.text}", both, plus(base.value, part))


def ratios(said: Statement) -> Iterator[Derivation]:
    """Yield the ratio of two values for "3 times as many", the percentage as a fraction."""
    if _TIMES.match(said.after):
        pairs = [_by_size(pair) for pair in _unit_pairs(said)]
        for below, above in pairs:
            words, value = listed((above, below), " ÷ "), quotient(above.value, below.value)
            yield Derivation(words, (above, below), value, certain=len(pairs) == 1 and value > _ONE)
    if said.own.value < _ONE:
        for one in said.nearby:
            if one.anchor.kind == "percent":
                value = quotient(one.value, _HUNDRED)
                yield Derivation(f"{one.anchor.text} = {figure(value)}", (one,), value)


def _fractions(said: Statement) -> Iterator[Derivation]:
    """Yield fractions of the sources as percentages ("half", "three quarters", "one in four")."""
    for one in said.nearby:
        if one.anchor.kind == "number" and one.value < _ONE:
            yield Derivation(one.anchor.text, (one,), times(one.value, _HUNDRED))
    for found in islice(_OUT_OF.finditer(said.passage), _MAX_PAIRS):
        part, whole = (_COUNTS.get(word) or Decimal(word) for word in found.groups())
        if 0 < part < whole:
            yield Derivation(found[0], (), times(quotient(part, whole), _HUNDRED))


def _changes(pair: tuple[Operand, Operand], *, rise: bool, fall: bool) -> Iterator[Derivation]:
    smaller, larger = _by_size(pair)
    gap = minus(larger.value, smaller.value)
    first, last = _year_of(smaller), _year_of(larger)
    if first and last and first != last:  # what fell later did not rise
        rise, fall = rise and first < last, fall and first > last
    written = f"({larger.anchor.text} - {smaller.anchor.text}) ÷"
    for base, speaks in ((smaller, rise), (larger, fall)):
        if speaks:
            value = times(quotient(gap, base.value), _HUNDRED)
            yield Derivation(f"{written} {base.anchor.text}", (smaller, larger), value)


def _year_of(one: Operand) -> int:
    """Return the year the value is of, by its clause; 0 where none or several are said."""
    years = [int(word) for word in one.label if len(word) == 4 and word.isdecimal()]
    return years[0] if len(years) == 1 else 0


def _shares_of(pair: tuple[Operand, Operand]) -> Iterator[Derivation]:
    smaller, larger = _by_size(pair)
    for part, whole in ((smaller, larger), (larger, smaller)):
        value = times(quotient(part.value, whole.value), _HUNDRED)
        yield Derivation(listed((part, whole), " ÷ "), (part, whole), value)


def _by_size(pair: tuple[Operand, Operand]) -> tuple[Operand, Operand]:
    one, other = pair
    return (one, other) if one.value <= other.value else (other, one)


def _of_the_total(said: Statement) -> Iterator[Derivation]:
    """Yield the share of a named value in the sum of those it stands with."""
    operands = [one for one in said.sources if _plain(one)]
    for one in said.named(operands):
        for group in together([other for other in operands if alike(other.anchor, one.anchor)]):
            whole = total(group)
            if one in group and len(group) > 1 and whole:
                words = f"{one.anchor.text} ÷ ({listed(group, ' + ')})"
                value = times(quotient(one.value, whole), _HUNDRED)
                yield Derivation(words, (one, *group), value)


def _unit_pairs(said: Statement) -> Iterator[tuple[Operand, Operand]]:
    """Yield the pairs of one unit that the sentence may compare, of every unit in turn."""
    groups: dict[tuple[str, str | None], list[Operand]] = {}
    for one in said.sources:
        if _plain(one):
            groups.setdefault((one.anchor.kind, one.anchor.unit), []).append(one)
    for operands in groups.values():
        yield from islice(said.pairs(operands), _MAX_PAIRS)
    yield from combinations([one for one in said.peers if _plain(one)], 2)


def _rated_bases(said: Statement) -> Iterator[tuple[Operand, Operand]]:
    percents = [
        one
        for one in (*said.peers, *said.asked, *_near(said))
        if one.anchor.kind == "percent" and one.is_plain
    ]
    if not percents:
        return
    bases = [
        one
        for one in (*said.peers, *said.asked, *said.likes)
        if alike(one.anchor, said.anchor) and one.is_plain
    ]
    # What sentence and question state themselves is meant, whatever else the window holds.
    stated = [one for one in bases if one.block is None][:2]
    meant = {id(one): one for one in (*stated, *(said.chosen(bases) or bases[:2]))}
    for percent in percents[:4]:
        for base in meant.values():
            own = percent.block is None or base.block is None
            named = len(percent.label & said.keys) >= _NAMED
            if own or named or (percent.block == base.block and _beside(percent, base)):
                yield percent, base


def _beside(one: Operand, other: Operand) -> bool:
    return abs(one.sentence - other.sentence) <= 1


def _near(said: Statement) -> Sequence[Operand]:
    percents = [one for one in said.sources if one.anchor.kind == "percent"]
    return said.chosen(percents) or percents[:1]


def _plain(one: Operand) -> bool:
    """Say whether a value can be compared: one figure, and not nothing."""
    return one.anchor.kind in _COUNTED and one.is_plain and bool(one.value)
