"""The messages of findings: each names the words of the answer, the passage's, and the place.

"Place" is a passage as a reader knows it, with the heading above the words: "leave.md, “Notice”".
tests/test_finding_texts.py has them all.
"""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.text.words import counted

DECLINES: Final = "The answer declines here."
NO_CONTEXT: Final = "No passage was retrieved for this answer."
NO_SOURCE: Final = "This claim names no source."
UNHEARD_OF: Final = "No passage has these words."
_MOST_WORDS: Final = 160  # characters of a passage that a message quotes; guess
_MOST_OF_NAME: Final = 60  # characters of a source or heading; guess
_ITEM_MARK = lazy_re(r"(?:[-*•+]|#{1,6}|\d{1,3}[.)]) ")


class PassageWords(NamedTuple):
    """Words of a passage, and its place for people."""

    words: str
    place: str


def place_of(name: str, text: str, start: int) -> str:
    """Return the place for people of a passage's character: its name, and the heading above."""
    heading = _heading(text, start)
    return f"{_short(name)}, “{heading}”" if heading else _short(name)


def quoted(words: str | None) -> str:
    """Return words of a passage as messages quote them: on one line, without a leading mark."""
    line = " ".join((words or "").split()).strip("| ").removesuffix(".")
    mark = _ITEM_MARK.match(line)
    line = line[mark.end() :] if mark else line
    return line if len(line) <= _MOST_WORDS else f"{line[:_MOST_WORDS]} …"


def absent(value: str) -> str:
    """Return the message that no passage holds a value or name."""
    return f"“{value}” is in no passage."


def misreckoned(said: str, reckoning: str) -> str:
    """Return the message that a value is no result of what its sentence reckons."""
    return f"“{said}” is in no passage; {reckoning}."


def name_absent(name: str, part: PassageWords | None, other: PassageWords | None) -> str:
    """Return the message that no passage holds a name, with a passage's name that shares a word.

    `other`: where none does, another name in the nearest passage.
    """
    if part is not None:
        return f"“{name}” is in no passage; “{part.words}” is ({part.place})."
    if other is not None:
        return f"“{name}” is in no passage; the nearest one names “{other.words}” ({other.place})."
    return absent(name)


def instead(value: str, passage: PassageWords) -> str:
    """Return the message with a passage's value or name in the place of the answer's."""
    return f"“{value}”; the passage says “{passage.words}” ({passage.place})."


def absent_near(value: str, passage: PassageWords) -> str:
    """Return the message that no passage holds a value, with the nearest place."""
    near = f"“{passage.words}” ({passage.place})"
    return f"“{value}” is in no passage; the nearest place reads {near}."


def elsewhere(value: str, holder: PassageWords, passage: PassageWords) -> str:
    """Return the message with the passages' place of a value, and the sentence's nearest place."""
    of = f"“{value}” stands elsewhere, in “{holder.words}” ({holder.place})"
    return f"{of}; nearest to this sentence is “{passage.words}” ({passage.place})."


def misplaced(own: PassageWords, named: str, other: PassageWords, owner: str) -> str:
    """Return the message with the value of the owner that is named, and whose the answer's is."""
    of = f"The passages give “{own.words}” for {_short(named)} ({own.place})"
    return f"{of}, and “{other.words}” for {_short(owner)} ({other.place})."


def unfit(value: str, passage: PassageWords) -> str:
    """Return the message with the nearest place's value instead of one held elsewhere."""
    near = f"“{passage.words}” ({passage.place})"
    return f"“{value}” may be wrong: nearest to this sentence is {near}."


def marked(word: str | None, mark: str | None, passage: PassageWords) -> str:
    """Return the message on words ("not", "must", "all") that turn or bound one side only.

    `word`: the answer's word, `mark` the passage's; None without one.
    """
    at = f"“{passage.words}” ({passage.place})."
    if word and mark:
        return f"The answer says “{word}”, the passage “{mark}”: {at}"
    if word:
        return f"The answer says “{word}”; the passage does not: {at}"
    return f"The passage says “{mark}”: {at}" if mark else doubtful(passage)


def doubtful(passage: PassageWords | None) -> str:
    """Return the message with the place to compare a sentence with."""
    if passage is None:
        return UNHEARD_OF
    return f"The answer may differ from the passage: “{passage.words}” ({passage.place})."


def nearest(passage: PassageWords | None, *, cites: bool) -> str:
    """Return the message that nothing was found for a sentence, with the nearest place.

    `cites`: only the passages that it cites were asked.
    """
    if passage is None:
        return "It cites no passage that speaks of this." if cites else UNHEARD_OF
    where = "The cited passage does not say" if cites else "No passage was found that says"
    return f"{where} this; the nearest words are “{passage.words}” ({passage.place})."


def least_supported(words: str, passage: PassageWords | None) -> str:
    """Return the message on the answer's least supported sentence, with its nearest passage."""
    least = f"Least supported: “{quoted(words)}”"
    if passage is None:
        return f"{least}."
    return f"{least}; the nearest words are “{passage.words}” ({passage.place})."


def needless(passage: PassageWords) -> str:
    """Return the message with words of a passage that answer a declined question."""
    return f"The answer declines, though a passage says “{passage.words}” ({passage.place})."


def unknown_citation(label: str, passages: int) -> str:
    """Return the message that a citation names no passage."""
    there = "there is 1" if passages == 1 else f"there are {passages or 'none'}"
    return f"[{label}] names no retrieved passage; {there}."


def miscited(tag: str | None, passage: PassageWords) -> str:
    """Return the message on the passage that holds it; `tag` is None for one outside the text."""
    cited = tag or "The cited passage"
    return f"{cited} does not say this; it is in {passage.place}: “{passage.words}”."


def too_few_citations(citations: int, claims: int, least: float) -> str:
    """Return the message on an answer's number of citations, and the number required."""
    seen = f"{counted(citations, 'citation')} for {counted(claims, 'claim')}"
    return f"Too few sources: {seen}; at least {ceil(least * claims)} should be."


def contradicted(who: str, passage: PassageWords) -> str:
    """Return the message with words of a passage that a judge reads as a contradiction."""
    return f"{who} reads a contradiction; the passage says “{passage.words}” ({passage.place})."


def not_mentioned(who: str) -> str:
    """Return the message that a judge finds a claim in no passage."""
    return f"{who} finds nothing in the passages that says this."


def found_elsewhere(who: str, passage: PassageWords) -> str:
    """Return the message with a judge's place of a claim that cites another passage."""
    return f"{who} finds this in another passage: “{passage.words}” ({passage.place})."


def denied(by: str, passage: PassageWords | None, *, contradicts: bool) -> str:
    """Return the message on a sentence that probabilistic verifiers of these names deny."""
    what = "contradict this" if contradicts else "do not support this"
    near = f"; the nearest words are “{passage.words}” ({passage.place})" if passage else ""
    return f"By {by} the passages {what}{near}."


def answered(before: str | None, who: str, words: list[str]) -> str:
    """Return the message with a judge's quotation against its finding."""
    quotations = " and ".join(f"“{one}”" for one in words)
    return f"{before or ''} {who} reads it as supported by {quotations}.".lstrip()


def _heading(text: str, start: int) -> str:
    """Return the Markdown heading above a character of a passage, "" if there is none."""
    at = text.rfind("\n#", 0, start) + 1
    line = text[at : at + _MOST_WORDS].partition("\n")[0] if at < start else ""
    marks = len(line) - len(line.lstrip("#"))
    if not 1 <= marks <= 6 or line[marks : marks + 1] != " " or start < at + len(line):
        return ""
    return _short(line.strip("# \t\r"))


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _MOST_OF_NAME else f"{line[:_MOST_OF_NAME]} …"
