"""Edits, their figures, and the probability that one is wrong: a linear score of the figures.

The weights are those that `scripts/train_edits.py` fits on answers whose authors knew none of the
figures. Late parts of a long answer behave otherwise than a short answer: `late` and its products
are figures of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp
from typing import Final, Literal, NamedTuple

from streamguard.core.derive.solver import Derivation
from streamguard.core.facts import weights
from streamguard.core.facts.slots import Slot
from streamguard.core.facts.standing import Standing

Group = Literal["value", "name", "exchange", "polarity", "modal", "quantifier"]

FIGURES: Final[dict[Group, tuple[str, ...]]] = {
    "value": (
        "asked",
        "absent_asked",
        "margin",
        "absent_rival",
        "unit_differs",
        "rival_said",
        "underived_best",
        "quantity",
        "absent_casual",
        "late",
        "underived_late",
    ),
    "name": ("absent", "asked", "margin", "lead", "covered", "values", "late"),
    "exchange": ("owners", "framed", "amount", "covered"),
    "polarity": ("denied", "other", "late", "full_lead"),
    "modal": ("must", "may", "other", "margin", "must_lead", "late"),
    "quantifier": ("whole", "part", "whole_lead", "whole_same", "late"),
}


class Edit(NamedTuple):
    """What stands in a slot of the answer beside what the passages have in its place.

    `start` and `end` count from the start of the sentence's text. `rival`: the slot of the
    passages that has something else in the best place, None where none has. `figures` are in the
    order of `FIGURES[group]`, `risk` is the log-odds that the slot is wrong.

    Of a value or name: `absent`: no passage holds it; `asked`: the question does. Of a value:
    `unit_differs`: a passage has its number with another unit or period, and none has it;
    `derivation`: how it follows from others, `operands` the slots of the passages among them;
    `standing`: what comes of that; `near`: the slot of the like value that stands in its place.
    `elsewhere`: of a value that a passage has in another place, the slot there.
    """

    group: Group
    start: int
    end: int
    slot: Slot | None
    rival: int | None
    figures: tuple[float, ...]
    risk: float
    absent: bool = False
    asked: bool = False
    unit_differs: bool = False
    derivation: Derivation | None = None
    operands: tuple[int, ...] = ()
    standing: Standing = "held"
    near: int | None = None
    elsewhere: int | None = None


def without_english(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits of values alone, for a sentence that is not judged in full.

    The meaning of other differences is learned from English. A day or time that stands in no
    passage is an information: the passages' language may write it in a way of its own.
    """
    for edit in edits:
        if edit.group == "value":
            anchor = edit.slot.anchor if edit.slot else None
            if edit.standing == "plain" and anchor and anchor.kind in ("date", "time"):
                edit = edit._replace(standing="alone")
            yield edit


class Doubt(NamedTuple):
    """The log-odds that something in a sentence is wrong, and the figures that tell it."""

    figures: tuple[float, ...]
    risk: float


class Line(NamedTuple):
    """A linear score of some figures, each cut to its range in training, as `line_of` makes it."""

    none: float  # log-odds where every figure is 0
    least: tuple[float, ...]
    most: tuple[float, ...]
    weights: tuple[float, ...]
    zeros: tuple[float, ...]  # what a figure of 0 is cut to


def line_of(intercept: float, rows: Sequence[tuple[str, float, float, float]]) -> Line:
    """Return the line of an intercept and, per figure, its name, least, most and weight."""
    _, least, most, by = zip(*rows, strict=True)
    zeros = tuple(max(low, min(high, 0.0)) for low, high in zip(least, most, strict=True))
    none = intercept + sum(weight * zero for weight, zero in zip(by, zeros, strict=True))
    return Line(none, least, most, by, zeros)


_LINES: Final = {group: line_of(*found) for group, found in weights.LINES.items()}


def risk_of(group: Group, figures: Sequence[float]) -> float:
    """Return the log-odds that a slot with these figures is wrong."""
    return log_odds(_LINES[group], figures)


def log_odds(line: Line, figures: Sequence[float]) -> float:
    """Return the linear model's output for these figures."""
    none, least, most, weight, zeros = line
    return none + sum(
        [  # most figures are zero
            w * ((low if figure < low else min(figure, high)) - zero)
            for figure, low, high, w, zero in zip(figures, least, most, weight, zeros, strict=True)
            if figure
        ]
    )


def probability(risk: float) -> float:
    """Return the probability in [0, 1] of log-odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, risk))))


def edit_of(
    group: Group,
    span: tuple[int, int],
    slot: Slot | None,
    rival: int | None,
    figures: tuple[float, ...],
) -> Edit:
    """Return an edit with the risk that its figures tell."""
    return Edit(group, span[0], span[1], slot, rival, figures, risk_of(group, figures))
