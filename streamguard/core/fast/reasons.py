"""Reasons against a sentence: the groups of figures that raise its risk most, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from streamguard.core.facts.model import Edit
from streamguard.core.fast.figures import FIGURES, absent_keys, share_of
from streamguard.core.sentence import Sentence

MAX_REASONS: Final = 3
# From this support on a sentence has no reasons against it: its risk is that of a mean sentence.
WELL_SUPPORTED: Final = 0.85
_MOST_WORDS: Final = 3  # that one reason quotes
# A reason moves the risk at least so far, and at least so large a part of the strongest one's
# way; guesses.
_LEAST: Final = 0.2
_LEAST_PART: Final = 0.25
CITED_OTHER: Final = "the passage it cites holds less of it than another one"
_GROUP_OF: Final = [one.group for one in FIGURES]
# The figures of each group, which stand side by side.
_GROUPS: Final = {
    group: slice(_GROUP_OF.index(group), _GROUP_OF.index(group) + _GROUP_OF.count(group))
    for group in dict.fromkeys(_GROUP_OF)
}
# Of each group with the words that it is about, and without any.
_WORDED: Final = {
    "words": ("{} stands in no passage", "no single place in the passages says all of it"),
    "length": ("", "it says much at once; compare it part by part"),
    "copying": ("", "few of its words follow one another as in a passage"),
    "citation": ("", CITED_OTHER),
    "values": (
        "{} stands in no passage, or in another place",
        "it states values; compare each of them with the passages",
    ),
    "names": (
        "{} stands in no passage, or in another place",
        "its names stand in other places of the passages",
    ),
    "owners": (
        "the passages tell {} of something else",
        "the passages tell what it says of something else",
    ),
    "marks": (
        "the passages have {} otherwise",
        "the passages say it without a word such as not, must or all",
    ),
    "form": (
        "",
        "such sentences are often added without a source; look where a passage says so",
    ),
    "answer": ("", "the sentences before it have little support either"),
}
_OF_EDITS: Final = {
    "values": ("value",),
    "names": ("name",),
    "owners": ("exchange",),
    "marks": ("polarity", "modal", "quantifier"),
}


def reasons_for(
    sentence: Sentence, edits: Sequence[Edit], departures: Sequence[float]
) -> tuple[str, ...]:
    """Return up to `MAX_REASONS` reasons against a sentence, the strongest first.

    `departures` say how far each figure moves the risk from that of a mean sentence. A reason that
    quotes the sentence has its words in “ ”.
    """
    moved: list[tuple[float, str]] = []
    for group, figures in _GROUPS.items():
        by = sum(departures[figures])
        if by >= _LEAST and _may_say(sentence, group):
            moved.append((by, group))
    moved.sort(reverse=True)
    strong = [group for by, group in moved if by >= _LEAST_PART * moved[0][0]]
    return tuple([_reason(sentence, edits, group) for group in strong[:MAX_REASONS]])


def _may_say(sentence: Sentence, group: str) -> bool:
    """Return whether a group's reason is true of the sentence."""
    if group == "answer":  # nothing stands before the first sentence
        return sentence.index > 0
    return group != "words" or share_of(sentence) < 1.0


def _reason(sentence: Sentence, edits: Sequence[Edit], group: str) -> str:
    about, bare = _WORDED[group]
    words = [*islice(dict.fromkeys(_words_behind(sentence, edits, group)), _MOST_WORDS)]
    return about.format(", ".join(f"“{word}”" for word in words)) if about and words else bare


def _words_behind(sentence: Sentence, edits: Sequence[Edit], group: str) -> Iterator[str]:
    """Yield the words of the sentence that a group's figures are about."""
    if group == "words":
        absent, stated = absent_keys(sentence), sentence.stated
        first = dict(zip(reversed(stated.keys), reversed(stated.places), strict=True))
        yield from [stated.words[first[key]] for key in sentence.keys if key in absent]
    text = sentence.folded.text
    for edit in edits:
        if edit.group in _OF_EDITS.get(group, ()) and (edit.absent or edit.lead > 0):
            yield text[edit.start : edit.end]
