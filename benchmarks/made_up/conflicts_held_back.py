"""Conflicts held back from whoever writes a detector; see the package's head before reading on.

`cases(rows)` gives them in a fixed order, as `made_up.conflicts` does, of other passages and in
other surface forms.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from made_up.cases import Case
from made_up.edits import (
    DIGITS,
    NAME,
    NUMBER,
    Edit,
    another_number,
    another_year,
    exchanged,
    from_edits,
    from_passages,
    rewrites,
    supported,
    swaps,
)
from made_up.templates import cases_of, read

WRITTEN = read(Path(__file__).with_suffix(".txt"))
SEED = 5
PER_FRAME = 5
PER_FORM = 8
PER_EXCHANGE = 20

NEGATIONS = {
    r"are (?!not\b|no\b)": "aren't ",
    r"should (?!not\b)": "shouldn't ",
    r"were (?!not\b)": "were not ",
    r"have (?=been\b)": "have not ",
    r"provides ": "doesn't provide ",
    r"contains ": "contains no ",
    r"helps ": "doesn't help ",
    r"(?<!n't )needs? to ": "need not ",
    r"don't ": "",
    r"should not ": "should ",
    r"without ": "with ",
    r"no ": "some ",
}
PAIRS = (
    "reduce/increase", "reduces/increases", "larger/smaller", "often/rarely", "best/worst",
    "positive/negative", "warm/cold", "dry/wet", "top/bottom", "up to/at least", "east/west",
    "older/younger", "open/close", "slowly/quickly", "remove/add",
)  # fmt: skip
UNITS = ("weeks/months", "seconds/minutes", "grams/milligrams", "inches/centimeters",
         "teaspoons/cups", "hours/minutes", "years/days", "percent/degrees")  # fmt: skip
_FULL_YEAR = r"(?:1[89]\d\d|20[012]\d)(?!s)\b"

EDITS = [
    *rewrites("negation", NEGATIONS),
    *swaps("direction_or_antonym", PAIRS),
    *(
        Edit(edit.kind, edit.form, re.compile(rf"(?<=\d ){edit.pattern.pattern}"), edit.change)
        for edit in swaps("unit_or_period", UNITS)
    ),
    *(
        Edit("date_shift", form, re.compile(pattern), another_year)
        for form, pattern in (
            ("since or by a year", rf"(?:(?<=since )|(?<=until )|(?<=by )){_FULL_YEAR}"),
            ("a year behind a month", rf"(?:(?<=[yhletr] )|(?<=\d, )){_FULL_YEAR}"),
        )
    ),
    *(
        Edit("number_change", form, re.compile(pattern), another_number)
        for form, pattern in (
            ("a measure", rf"{NUMBER.pattern}(?= (?:cups|inches|feet|pounds|grams|percent))"),
            ("the upper end", rf"(?<=\d to ){DIGITS}(?!\w|[.,]\d)"),
            ("about a number", rf"(?:(?<=about )|(?<=least )){DIGITS}(?!\w|[.,]\d)"),
        )
    ),
]


def cases(rows: Iterable[Mapping] = ()) -> Iterator[Case]:
    """Yield the cases that are held back; those of `rows` follow the self-written ones."""
    yield from cases_of(WRITTEN, per_frame=PER_FRAME, seed=SEED, held_back=True)
    sentences = list(supported(rows, held_back=True))
    yield from from_edits(sentences, EDITS, per_form=PER_FORM, seed=SEED)
    for kind, pattern in (("value_owner", NUMBER), ("role_swap", NAME)):
        yield from exchanged(sentences, pattern, kind, count=PER_EXCHANGE, seed=SEED)
    yield from from_passages(sentences, NAME, "entity_swap", count=PER_EXCHANGE, seed=SEED)
