"""What an edit is, what describes it, and how likely it is wrong: a linear score of its figures.

The weights are those that `scripts/train_edits.py` fits on answers whose authors knew none of the
figures. What stands late in a long answer is another thing than what a short one says: `late` and
its products are figures of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, Literal, NamedTuple

from streamguard.core.derive.solver import Derivation
from streamguard.core.facts import weights
from streamguard.core.facts.slots import Slot

Group = Literal["value", "name", "exchange", "polarity", "modal", "quantifier"]

FIGURES: Final[dict[Group, tuple[str, ...]]] = {
    "value": (
        "absent", "asked", "absent_asked", "same", "rival", "margin", "lead", "far_lead",
        "absent_rival", "absent_best", "gain", "own_words", "rival_words", "rival_alone",
        "rival_rarest", "own_rarest", "unit_differs", "rival_said", "derived", "derived_long",
        "underived", "underived_best", "said", "covered", "covered_absent", "covered_margin",
        "slots", "values", "sole", "rivals", "is_row", "amount", "percent", "quantity", "time",
        "date", "casual", "absent_casual", "absent_date", "absent_quantity", "late",
        "underived_late", "full_lead",
    ),
    "name": (
        "absent", "asked", "absent_asked", "same", "rival", "margin", "lead", "absent_best",
        "gain", "own_words", "rival_words", "rival_alone", "rival_rarest", "own_rarest", "said",
        "covered", "slots", "values", "sole", "rivals", "late",
    ),
    "exchange": (
        "clause", "owners", "framed", "amount", "denied", "bare", "slots", "late", "rest",
        "covered",
    ),
    "polarity": (
        "denied", "same", "other", "margin", "lead", "far_lead", "denied_lead", "covered", "slots",
        "late", "full_lead",
    ),
    "modal": (
        "must", "should", "may", "same", "other", "margin", "lead", "must_lead", "may_lead",
        "covered", "slots", "late", "full_lead",
    ),
    "quantifier": (
        "whole", "part", "same", "other", "margin", "lead", "whole_lead", "part_lead",
        "whole_same", "covered", "slots", "late", "full_lead",
    ),
}  # fmt: skip
_UNIT_DIFFERS: Final = FIGURES["value"].index("unit_differs")


class Edit(NamedTuple):
    """What stands in a slot of the answer beside what the passages have in its place.

    `start` and `end` count from the start of the sentence's text. `rival`: the slot of the
    passages that has something else in the best place, None where none has. `figures` are in the
    order of `FIGURES[group]`, `risk` is the log-odds that the slot is wrong. `derivation`: how a
    value follows from others, `operands` the slots of the passages among them.
    """

    group: Group
    start: int
    end: int
    slot: Slot | None
    rival: int | None
    figures: tuple[float, ...]
    risk: float
    derivation: Derivation | None = None
    operands: tuple[int, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether no passage holds what stands in the slot of a value or name."""
        return bool(self.figures[0])

    @property
    def unit_differs(self) -> bool:
        """Whether a passage has a value's number with another unit or period, and none has it."""
        return self.group == "value" and bool(self.figures[_UNIT_DIFFERS])

    @property
    def asked(self) -> bool:
        """Whether the question holds it."""
        return bool(self.figures[1])


class Doubt(NamedTuple):
    """The log-odds that something in a sentence is wrong, and the figures that tell it."""

    figures: tuple[float, ...]
    risk: float


class Term(NamedTuple):
    """What one figure adds to the log-odds: `weight` times it, cut to its range in training."""

    name: str
    least: float
    most: float
    weight: float


class Line(NamedTuple):
    """A linear score of some figures, as `line_of` makes it from a table of its terms."""

    none: float  # log-odds where every figure is 0
    least: tuple[float, ...]
    most: tuple[float, ...]
    weights: tuple[float, ...]
    zeros: tuple[float, ...]  # what a figure of 0 is cut to


def line_of(intercept: float, rows: Sequence[tuple[str, float, float, float]]) -> Line:
    """Return the line of an intercept and, per figure, its name, least, most and weight."""
    terms = [Term(*row) for row in rows]
    zeros = [max(term.least, min(term.most, 0.0)) for term in terms]
    none = intercept + sum(term.weight * zero for term, zero in zip(terms, zeros, strict=True))
    return Line(
        none,
        tuple(term.least for term in terms),
        tuple(term.most for term in terms),
        tuple(term.weight for term in terms),
        tuple(zeros),
    )


_LINES: Final = {group: line_of(*found) for group, found in weights.LINES.items()}


def risk_of(group: Group, figures: Sequence[float]) -> float:
    """Return the log-odds that a slot with these figures is wrong."""
    return log_odds(_LINES[group], figures)


def log_odds(line: Line, figures: Sequence[float]) -> float:
    """Return what a line makes of its figures."""
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
