"""Why a sentence has its support: the groups of figures that move it most, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from streamguard.core.facts.model import Edit
from streamguard.core.fast.figures import FIGURES, absent_words
from streamguard.core.sentence import Sentence

MAX_REASONS: Final = 3
WELL_SUPPORTED: Final = 0.85
_MOST_WORDS: Final = 3  # that one reason quotes
# A reason moves the risk at least so far, and at least so large a part of the strongest one's
# way; guesses.
_LEAST: Final = 0.2
_LEAST_PART: Final = 0.25
CITED_LESS: Final = "the passage it cites holds less of it than another one"
_GROUPS: Final = {
    group: [at for at, one in enumerate(FIGURES) if one.group == group]
    for group in dict.fromkeys(one.group for one in FIGURES)
}
# Of each group against the sentence: with the words that it is about, without any, and for it.
_WORDED: Final = {
    "words": (
        "{} stands in no passage",
        "no single place in the passages says all of it",
        "one place in the passages holds nearly all it says",
    ),
    "copying": (
        "",
        "few of its words follow one another as in a passage",
        "its words follow one another as in a passage",
    ),
    "citation": ("", CITED_LESS, ""),
    "values": (
        "{} stands in no passage, or in another place",
        "it states values; compare each of them with the passages",
        "its values, if any, stand in the passages",
    ),
    "names": (
        "{} stands in no passage, or in another place",
        "its names stand in other places of the passages",
        "it names nobody and nothing that is not in the passages",
    ),
    "owners": (
        "the passages tell {} of something else",
        "the passages tell what it says of something else",
        "the passages tell its values of the same thing",
    ),
    "marks": (
        "the passages have {} otherwise",
        "the passages say it without a word such as not, must or all",
        "the passages say it with the same not, must or all, if any",
    ),
    "denial": (
        "",
        "it says that the passages do not tell something; look whether they do",
        "it says what the passages do not tell",
    ),
    "form": (
        "",
        "such sentences are often added without a source; look where a passage says so",
        "such sentences mostly come from the passages",
    ),
    "answer": (
        "",
        "the sentences before it have little support either",
        "the sentences before it have support",
    ),
}
_OF_EDITS: Final = {
    "values": ("value",),
    "names": ("name",),
    "owners": ("exchange",),
    "marks": ("polarity", "modal", "quantifier"),
}


def reasons_for(
    sentence: Sentence, edits: Sequence[Edit], departures: Sequence[float], support: float
) -> tuple[str, ...]:
    """Return up to `MAX_REASONS` reasons, the strongest first.

    `departures` say how far each figure moves the risk from that of a mean sentence. Below a
    `support` of `WELL_SUPPORTED` they are reasons against the sentence, else for it. One that
    quotes the sentence has its words in “ ”.
    """
    against = support < WELL_SUPPORTED
    moved: list[tuple[float, str]] = []
    for group, figures in _GROUPS.items():
        by = sum([departures[at] for at in figures])
        worded = _WORDED[group][1 if against else 2]
        if worded and (by if against else -by) >= _LEAST:
            moved.append((abs(by), group))
    moved.sort(reverse=True)
    strong = [group for by, group in moved if by >= _LEAST_PART * moved[0][0]]
    # Nothing stands before the first sentence.
    strong = [group for group in strong if group != "answer" or sentence.index]
    return tuple([_reason(sentence, edits, group, against) for group in strong[:MAX_REASONS]])


def _reason(sentence: Sentence, edits: Sequence[Edit], group: str, against: bool) -> str:
    about, bare, worded_for = _WORDED[group]
    if not against:
        return worded_for
    words = [*islice(dict.fromkeys(_words_behind(sentence, edits, group)), _MOST_WORDS)]
    return about.format(", ".join(f"“{word}”" for word in words)) if about and words else bare


def _words_behind(sentence: Sentence, edits: Sequence[Edit], group: str) -> Iterator[str]:
    """Yield the words of the sentence that a group's figures are about."""
    if group == "words":
        yield from absent_words(sentence)
    text = sentence.folded.text
    for edit in edits:
        if edit.group in _OF_EDITS.get(group, ()) and (edit.absent or edit.lead > 0):
            yield text[edit.start : edit.end]
