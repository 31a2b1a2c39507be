"""The passages' counterpart of a mark or a name, for messages: no verdict rests on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from streamguard.core.facts.model import Edit, Group
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.finding_texts import PassageWords
from streamguard.core.model.types import Nearest
from streamguard.core.names.reading import Name, read_names
from streamguard.core.reading.slots import read_slots
from streamguard.core.sentence import Sentence

_NAME_REACH: Final = 80  # characters on either side of a name's part; guess
_KINDS: Final[dict[Group, str]] = {
    "polarity": "negator",
    "modal": "modal",
    "quantifier": "quantifier",
}


def other_mark(edit: Edit, words: str) -> str | None:
    """Return the first mark among a passage's words that is of the edit's kind, in another sense.

    Two negators have one sense. None if the words have no such mark.
    """
    sense = None if edit.slot is None else edit.slot.sense
    for slot in read_slots(words, ()):
        if slot.kind == _KINDS.get(edit.group) and slot.sense != sense:
            return words[slot.start : slot.end]
    return None


def other_name(sentence: Sentence, evidence: Evidence, name: Name) -> PassageWords | None:
    """Return the name of the same kind that the nearest passage has in a name's place."""
    for edit in sentence.edits:
        is_part = name.start <= edit.start < name.end
        if edit.group != "name" or edit.rival is None or not is_part:
            continue
        around = evidence.slot_sentence(edit.rival)
        found = whole_name(evidence.slot_place(edit.rival), around)
        if _shape(found.value or "") == _shape(name.text):
            return evidence.passage_words(found)
    return None


def whole_name(part: Nearest, around: Nearest) -> Nearest:
    """Return the name that a word of a chunk's sentence is a part of, or the word."""
    words, at = around.value or "", part.start - around.start
    for name in read_names(words):
        if name.start <= at < name.end:
            start = around.start + name.start
            return replace(part, value=name.text, start=start, end=start + len(name.text))
    return part


def name_around(part: Nearest, evidence: Evidence) -> Nearest:
    """Return the name in a chunk that its words at `part` belong to, or the words."""
    number = evidence.chunk_number(part.chunk_id)
    assert number is not None  # one of these chunks
    text = evidence.texts[number]
    start = max(text.rfind("\n", 0, part.start) + 1, part.start - _NAME_REACH)
    line = text[start : part.end + _NAME_REACH].partition("\n")[0]
    return whole_name(part, Nearest(line, part.chunk_id, start, start + len(line)))


def _shape(name: str) -> tuple[bool, bool, bool]:
    """Return the shape of a name: more than one word, all capitals, a digit."""
    return " " in name, name.isupper(), any(map(str.isdigit, name))
