"""Times of day that a passage tells by another one: "last entry 45 minutes before closing"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from streamguard.core.anchors import read_anchors
from streamguard.core.derive.operands import Operand
from streamguard.core.derive.statement import Derivation, Statement, listed

_DAY_MINUTES = 1_440
_MAX_BASES = 6  # times that an offset is taken from, guess: both ends of three days' hours
_MAX_OFFSETS = 3  # of one window; guess
_AN_HOUR = re.compile(
    r"(?<!\w)(?<!half )(?<!of )an[ ]hour(?=[ ](?:before|prior|ahead|earlier|after|later)(?!\w))"
)
_WAY = re.compile(
    r"[ ](?:(?P<back>before|prior to|ahead of|earlier|in advance)|after|later|past)(?!\w)"
)


def offset_times(said: Statement) -> Iterator[Derivation]:
    """Yield the times so long before or after those that the answer speaks of.

    Those of the answer itself go first, then those that the sentence or its question names, then
    those of the best window.
    """
    offsets = offsets_in(said.around)
    if not offsets:
        return
    for base in _bases(said):
        for words, minutes in offsets:
            clock = _key(base, minutes)
            sign = "+" if minutes > 0 else "-"
            yield Derivation(f"{listed((base,), '')} {sign} {words}", (base,), key=clock)


def _key(base: Operand, minutes: int) -> str:
    clock = (int(base.value) + minutes) % _DAY_MINUTES
    return f"{clock // 60:02d}:{clock % 60:02d}"


def _bases(said: Statement) -> Sequence[Operand]:
    """Return the times that the answer states; else those it names, else the nearest ones."""
    times = [one for one in said.sources if one.anchor.kind == "time"]
    own = [one for one in (*said.peers, *said.earlier) if one.anchor.kind == "time"]
    places = {(one.block, one.sentence) for one in said.named(times)}
    named = [one for one in times if (one.block, one.sentence) in places]
    return (own or named or [one for one in times if said.window(one)])[:_MAX_BASES]


def offsets_in(passage: str) -> list[tuple[str, int]]:
    """Return the durations before or after something, in words and in minutes."""
    found = [(passage[m.start() : m.end()], m.end(), 60) for m in _AN_HOUR.finditer(passage)]
    for anchor in read_anchors(passage):
        if anchor.kind == "quantity" and anchor.unit == "s" and anchor.high is None:
            assert anchor.value is not None  # a quantity has one
            found.append((anchor.text, anchor.end, int(anchor.value) // 60))
    offsets = []
    for words, end, minutes in found:
        way = _WAY.match(passage, end)
        if way is not None and 0 < minutes < _DAY_MINUTES:
            offsets.append((words, -minutes if way["back"] else minutes))
    return offsets[:_MAX_OFFSETS]
