"""The form of a passage's sentence: row, rule or item, heading, and how it ends."""

from __future__ import annotations

from typing import Final, NamedTuple

from streamguard.core.owners.siblings import is_frame, is_row, is_rule
from streamguard.text.patterns import lazy_re

ITEM = lazy_re(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_HEADING = lazy_re(r"\s*(?:#{1,6}|\*\*)")
_STOPS = (".", "!", "?")
_LEADS = (":", "?")


class SentenceForm(NamedTuple):
    """The marks of a sentence.

    `is_row`, `is_rule` and `is_frame` are those of a table, `has_bar` of one without bars at its
    ends; `is_item`: of a list; `is_marked`: as a heading. `stops` and `leads`: whether it ends as a
    sentence, and as what stands above a list.
    """

    is_row: bool
    has_bar: bool
    is_frame: bool
    is_rule: bool
    is_item: bool
    is_marked: bool
    stops: bool
    leads: bool


_FORMS: Final[dict[SentenceForm, SentenceForm]] = {}  # each is kept once: there are some dozens


def form_of(text: str) -> SentenceForm:
    """Return the form of a sentence."""
    has_bar, ending = "|" in text, text.rstrip()
    is_word = text[:1].isalpha()  # as most begin
    form = SentenceForm(
        has_bar and is_row(text),
        has_bar,
        not is_word and is_frame(text),
        not is_word and is_rule(text),
        not is_word and ITEM.match(text) is not None,
        not is_word and _HEADING.match(text) is not None,
        ending.endswith(_STOPS),
        ending.endswith(_LEADS),
    )
    return _FORMS.setdefault(form, form)
