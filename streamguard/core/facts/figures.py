"""The figures that describe an edit: what the model decides by."""

from __future__ import annotations

from typing import Final, Literal

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
