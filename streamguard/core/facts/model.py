"""Mismatches of a sentence with its passages, slot by slot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import exp
from typing import Final, Literal, NamedTuple

from streamguard.core.derive.solver import Derivation
from streamguard.core.facts.standing import Standing
from streamguard.core.owners.tree import Label
from streamguard.core.reading.slots import Slot

Group = Literal["value", "name", "exchange", "polarity", "modal", "quantifier"]

# The figures of each group, shares of likeness in [0, 1] and their differences; the others are 1
# or 0. `lead`: by how much the place that differs is likelier than the one that agrees, of a name
# also below 0.
FIGURES: Final[dict[Group, tuple[str, ...]]] = {
    "value": ("lead", "rival_said", "underived_best"),
    "name": ("lead",),
    "exchange": (),
    "polarity": ("lead", "other"),
    "modal": ("lead", "must_lead"),
    "quantifier": ("lead",),
}


class Misplaced(NamedTuple):
    """A value at `place` below `owner`, where the passages have `instead` below the `named` one."""

    place: int
    owner: Label
    instead: int
    named: Label


class Edit(NamedTuple):
    """A slot of the answer compared with the passages' slot in its place.

    `start` and `end` count from the start of the sentence's text. `rival`: the slot of the
    passages that has something else in the best place, None where none has. `figures` are in the
    order of `FIGURES[group]`. `is_agreed`: a table, list or the like tells the slot of the same
    owner. `is_certain`: of an exchange that was wrong nearly always. `misplaced`: of an exchange
    between two owners that the passages name, these and their values.

    Of a value or name: `absent`: no passage holds it; `asked`: the question does. Of a value:
    `unit_differs`: a passage has its number with another unit or period, and none has it;
    `derivation`: how it follows from others, `operands` the slots of the passages among them;
    `standing`: what comes of that; `near`: the slot of the like value that stands in its place.
    `elsewhere`: of a value that a passage has in another place, the slot there. `should_be`: of a
    value that its sentence reckons wrongly, the reckoning with its right result.
    """

    group: Group
    start: int
    end: int
    slot: Slot | None
    rival: int | None
    figures: tuple[float, ...]
    absent: bool = False
    asked: bool = False
    unit_differs: bool = False
    derivation: Derivation | None = None
    operands: tuple[int, ...] = ()
    standing: Standing = "held"
    near: int | None = None
    elsewhere: int | None = None
    is_agreed: bool = False
    is_certain: bool = False
    misplaced: Misplaced | None = None
    should_be: str | None = None

    @property
    def lead(self) -> float:
        """By how much the passages' other place is likelier; 1.0 of an exchange."""
        return self.figures[0] if self.figures else float(self.group == "exchange")


def without_english(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits of values, misplaced names too, for a sentence not judged in full.

    The meaning of other differences is learned from English. A day or time that stands in no
    passage is an information: the passages' language may write it in a way of its own.
    """
    for edit in edits:
        if edit.misplaced is not None:
            yield edit
        elif edit.group == "value":
            anchor = edit.slot.anchor if edit.slot else None
            if edit.standing == "plain" and anchor and anchor.kind in ("date", "time"):
                edit = edit._replace(standing="alone")
            yield edit


class Doubt(NamedTuple):
    """The log-odds that something in a sentence is wrong, and the figures that tell it."""

    figures: tuple[float, ...]
    risk: float


def probability(risk: float) -> float:
    """Return the probability in [0, 1] of log-odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, risk))))
