"""The values that a derivation may start from, each with what the words around it say of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from streamguard.core.anchors.identifiers import lengths_of
from streamguard.core.anchors.periods import AREAS, PERIODS, period_after
from streamguard.core.anchors.value import Anchor, plain, times
from streamguard.core.words import content_keys

# How far before and after a value its label is read, in characters: some ten words; guess.
_BEFORE, _AFTER = 80, 48
# Where one thing ends and the next begins: "Basic costs $49 and Pro costs $99".
_BREAK = re.compile(
    r"[;.!?](?=\s|$)|,(?=\s|$)|[()]|\s(?:and|but|while|whereas|or|plus|versus|vs|than|compared)\s"
)
_LOOSE = frozenset(",()")
_WORD = re.compile(r"[^\W_]+")
_EACH = re.compile(r"(?<!\w)(?:each|apiece|per|every)(?!\w)")
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year",
    "annum": "year",
}  # fmt: skip
_ADVERB = re.compile(rf"(?<!\w)(?:{'|'.join(_ADVERBS)})(?!\w)")
_PER_PERIOD = re.compile(
    rf"(?<!\w)(?:per|a|an|each|every|full|whole)[ ]({'|'.join(sorted(PERIODS))})(?!\w)"
)
# The line below a table's head; a row longer than `_LONGEST_ROW` characters is no table's.
_RULE = re.compile(r"\n(?=[ ]{0,3}\|?[ ]{0,3}:?-{2,}:?[ ]{0,20}\|)")
_LONGEST_ROW = 400
_RATED = frozenset(["amount", "number", "quantity"])


@dataclass(frozen=True, slots=True)
class Operand:
    """A value of the sources, or (with `block` None) of the question or the answer itself.

    `label`: stems of its clause, in a table the words of its row's head; `period`: what it counts
    per, also where that is written before it, "each" for "$5 each". `sentence` and `column` tell
    which values stand together; a column is counted from 0, None outside tables.
    """

    anchor: Anchor
    block: int | None
    sentence: int
    column: int | None
    label: frozenset[str]
    period: str | None

    @property
    def value(self) -> Decimal:
        """The figure, for those that have one: amounts, percentages, quantities, numbers."""
        assert self.anchor.value is not None
        return self.anchor.value

    @property
    def is_plain(self) -> bool:
        """Whether the value is one figure and no range."""
        return self.anchor.value is not None and self.anchor.high is None


def read_operands(
    text: str, anchors: Sequence[Anchor], block: int | None, starts: Sequence[int] = (0,)
) -> tuple[Operand, ...]:
    """Return the values of folded `text`; `starts` are where its sentences begin, in order."""
    operands: list[Operand] = []
    anchors = _with_shared_units(text, anchors)
    heads = _heads(text)
    for number, anchor in enumerate(anchors):
        low, high = _bounds(text, anchors, number)
        column, clause = _clause(text, anchor, low, high)
        sentence = bisect_right(starts, anchor.start) - 1
        label, period = stems(clause), _period(clause, anchor)
        if anchor.kind == "number" and period == "each":
            period = _area_after(text, anchor) or period
        if period is None and column is not None and anchor.kind in _RATED:
            period = _period_of_column(heads, anchor.start, column)
        parts = (*ends_of(anchor), *lengths_of(anchor)) if block is not None else ()
        values = (anchor, *parts)
        operands += [Operand(one, block, sentence, column, label, period) for one in values]
    return tuple(operands)


def ends_of(anchor: Anchor) -> tuple[Anchor, ...]:
    """Return both ends of "from 40 to 50" and "1618-1648" as values of their own."""
    if anchor.high is None or anchor.value is None or anchor.high_number is None:
        return ()
    if anchor.kind != "year" and not _ROSE.search(anchor.text):
        return ()
    low = anchor._replace(high=None, high_number=None, key=plain(anchor.value))
    high = low._replace(value=anchor.high, number=anchor.high_number, key=plain(anchor.high))
    sign, unit = _SIGN.match(anchor.text), _UNIT.search(anchor.text)
    head, tail = sign[0] if sign else "", unit[0] if unit else ""
    return tuple(one._replace(text=f"{head}{one.number:f}{tail}") for one in (low, high))


_ROSE = re.compile(r"[ ]to[ ]")
_SIGN = re.compile(r"[^\w\s]{0,3}")
_UNIT = re.compile(r"(?:[^\w\s]{0,3}|[ ][^\W\d]{1,20})$")


# "45, 75 and 270 meters": the unit stands behind the last one.
_SHARING = re.compile(r",?[ ](?:(?:and|or)[ ])?")
_SHARED = frozenset(["quantity", "percent"])


def _with_shared_units(text: str, anchors: Sequence[Anchor]) -> list[Anchor]:
    """Return the anchors, bare numbers with the unit of the one they are listed with."""
    shared = list(anchors)
    for number in range(len(shared) - 2, -1, -1):
        one, after = shared[number], shared[number + 1]
        if one.kind != "number" or one.value is None or one.word or after.kind not in _SHARED:
            continue
        if after.unit is None or "°" in after.unit or after.high is not None:
            continue  # degrees have an offset
        if _SHARING.fullmatch(text, one.end, after.start):
            shared[number] = one._replace(
                kind=after.kind,
                unit=after.unit,
                value=times(one.value, after.scale),
                scale=after.scale,
            )
    return shared


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words outside the stop list, digits among them."""
    return frozenset(filter(None, content_keys(_WORD.findall(text.casefold()))))


def _bounds(text: str, anchors: Sequence[Anchor], number: int) -> tuple[int, int]:
    """Return how far the words around an anchor reach: its line, up to the next one like it."""
    anchor = anchors[number]
    low = max(text.rfind("\n", 0, anchor.start) + 1, anchor.start - _BEFORE)
    line_end = text.find("\n", anchor.end, anchor.end + _AFTER)
    high = line_end if line_end >= 0 else min(len(text), anchor.end + _AFTER)
    if number and anchors[number - 1].kind == anchor.kind:
        low = max(low, anchors[number - 1].end)
    if number + 1 < len(anchors) and anchors[number + 1].kind == anchor.kind:
        high = min(high, anchors[number + 1].start)
    return low, high


def _clause(text: str, anchor: Anchor, low: int, high: int) -> tuple[int | None, str]:
    row = text.rfind("\n", 0, anchor.start) + 1
    # The bound keeps long lines linear.
    bars = text.count("|", max(row, anchor.start - _LONGEST_ROW), anchor.start)
    if bars:
        first = text[row : row + _BEFORE].strip(" |").split("|", 1)[0]
        return bars, first
    head = text[low : anchor.start]
    breaks = list(_BREAK.finditer(head))
    # "The Pro plan ($49)": nothing between the break and the value, so it belongs to both.
    while breaks and not _WORD.search(head, breaks[-1].end()) and breaks[-1][0] in _LOOSE:
        breaks.pop()
    before = head[breaks[-1].end() :] if breaks else head
    return None, f"{before} {_BREAK.split(text[anchor.end : high])[0]}"


def _heads(text: str) -> list[tuple[int, list[str]]]:
    """Return the cells of the tables' heads in small letters, each with where its rule begins."""
    heads = []
    for rule in _RULE.finditer(text):
        start = text.rfind("\n", 0, rule.start()) + 1
        if rule.start() - start <= _LONGEST_ROW:
            heads.append((rule.start(), text[start : rule.start()].casefold().split("|")))
    return heads


def _period_of_column(
    heads: Sequence[tuple[int, list[str]]], start: int, column: int
) -> str | None:
    """Return what the column's head counts per ("Price per seat"), None where it says nothing."""
    above = bisect_right(heads, start, key=lambda head: head[0]) - 1
    if above < 0 or column >= len(heads[above][1]):
        return None
    return period_in(heads[above][1][column])


def _period(clause: str, anchor: Anchor) -> str | None:
    if anchor.period or anchor.kind not in _RATED:
        return anchor.period
    return period_in(clause.casefold())


def _area_after(text: str, anchor: Anchor) -> str | None:
    """Return the area that a bare number counts per ("2,400 per square metre"), or None."""
    found = period_after(text[anchor.end : anchor.end + _AFTER].lower(), 0)
    return found[0] if found is not None and found[0] in AREAS else None


def period_in(low: str) -> str | None:
    """Return the period that a text in small letters speaks of, "each" for things; or None."""
    if (adverb := _ADVERB.search(low)) is not None:
        return _ADVERBS[adverb[0]]
    found = _PER_PERIOD.search(low)
    if found:
        return found[1]
    return "each" if _EACH.search(low) else None
