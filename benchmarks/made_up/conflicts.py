"""Conflicts for developing: sentences that contradict their passages, each with its clean twin.

`cases(rows)` gives them in a fixed order, from self-written passages (`conflicts.txt`) and, where
`rows` are given, from sentences of answers that are labelled clean. The held-back part has other
passages and other surface forms.
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
    another_of,
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
SEED = 4
PER_FRAME = 5
PER_FORM = 8
PER_EXCHANGE = 40

NEGATIONS = {
    r"is (?!not\b|no\b|an?\b)": "is not ",
    r"are (?!not\b|no\b)": "are not ",
    r"is (?!not\b|no\b|n't)(?=\w+ed\b)": "isn't ",
    r"can (?!not\b|be\b)": "cannot ",
    r"can (?=be\b)": "can't ",
    r"will (?!not\b)": "will not ",
    r"was (?!not\b)": "was not ",
    r"may (?!not\b)": "may not ",
    r"must (?!not\b)": "must not ",
    r"has been ": "has never been ",
    r"includes ": "does not include ",
    r"requires ": "does not require ",
    r"does not (\w+)": r"does \1",
    r"is not ": "is ",
    r"cannot ": "can ",
    r"do not ": "do ",
    r"are not ": "are ",
    r"with (?=an?\b|the\b)": "without ",
}
PAIRS = (
    "increase/decrease", "increases/decreases", "increased/decreased", "more/less", "before/after",
    "higher/lower", "all/some", "most/few", "allowed/forbidden", "include/exclude",
    "above/below", "minimum/maximum", "large/small", "hot/cold", "early/late", "always/never",
    "high/low", "inside/outside", "north/south", "at least/at most", "easy/difficult", "short/long",
)  # fmt: skip
UNITS = (
    "minutes/hours", "hours/days", "days/weeks", "months/years", "miles/kilometers", "feet/meters",
    "inches/feet", "pounds/ounces", "per month/per year", "per day/per week", "per hour/per day",
    "million/billion", "cups/tablespoons",
)  # fmt: skip
_YEAR = re.compile(r"\b(?:1[89]\d\d|20[012]\d)\b(?!s)")
_MONTH = re.compile(rf"\b(?:{'|'.join(WRITTEN.pools['MONTHS'])})\b(?<!May)")
_DAY = re.compile(rf"\b(?:{'|'.join(WRITTEN.pools['DAYS'])})\b")
# A unit that a number stands before: "2 days".
_AFTER_NUMBER = r"(?<=\d )"

EDITS = [
    *rewrites("negation", NEGATIONS),
    *swaps("direction_or_antonym", PAIRS),
    *(
        Edit(
            e.kind, e.form, re.compile(f"(?:{_AFTER_NUMBER}|(?=per )){e.pattern.pattern}"), e.change
        )
        for e in swaps("unit_or_period", UNITS)
    ),
    *(
        Edit("date_shift", form, pattern, change)
        for form, pattern, change in (
            ("another year", _YEAR, another_year),
            ("in another year", re.compile(rf"(?<=\bin )(?:{_YEAR.pattern})"), another_year),
            ("another month", _MONTH, another_of(WRITTEN.pools["MONTHS"])),
            ("another weekday", _DAY, another_of(WRITTEN.pools["DAYS"])),
        )
    ),
    *(
        Edit("number_change", form, re.compile(pattern), another_number)
        for form, pattern in (
            ("another number", NUMBER.pattern),
            ("another price", rf"(?<=\$){DIGITS}(?!\w|[.,]\d)"),
            ("another percentage", rf"(?<![\w.,$-]){DIGITS}(?=%| percent)"),
            ("before a unit", rf"{NUMBER.pattern}(?= (?:minutes|hours|days|years|miles))"),
        )
    ),
]


def cases(rows: Iterable[Mapping] = ()) -> Iterator[Case]:
    """Yield the cases for developing; those of `rows` follow the self-written ones."""
    yield from cases_of(WRITTEN, per_frame=PER_FRAME, seed=SEED, held_back=False)
    sentences = list(supported(rows, held_back=False))
    yield from from_edits(sentences, EDITS, per_form=PER_FORM, seed=SEED)
    for kind, pattern in (("value_owner", NUMBER), ("role_swap", NAME)):
        yield from exchanged(sentences, pattern, kind, count=PER_EXCHANGE, seed=SEED)
    for kind, pattern in (("entity_swap", NAME), ("value_owner", NUMBER)):
        yield from from_passages(sentences, pattern, kind, count=PER_EXCHANGE, seed=SEED)
