"""The question an answer is given to, read once for all its sentences, a block at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import TypeVar

from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.facts.slots import CONTENT, Slot, read_slots
from streamguard.core.index.content import content_of, cut_blocks
from streamguard.core.names.index import untitled
from streamguard.core.names.reading import Name
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy
from streamguard.text.words import parts_in
from streamguard.values import Anchor, read_anchors

# A long question is read in blocks of so many characters, with a pause between them: a value,
# a name or a clause ends with its block. More than all but pasted texts; guess.
_BLOCK_CHARS = 250
_ALIKE = 2  # places of one word or value that are kept: more say nothing further

T = TypeVar("T")


class Question:
    """The question, read once: its words, content keys, values, slots and names.

    `reading` reads it with pauses; what is asked for earlier is read at once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: list[str] = []
        self._keys: list[str] = []
        self._parts: list[str] = []
        self._anchors: list[Anchor] = []
        self._slots: list[Slot] = []
        self._steps = self._read()

    def reading(self) -> Generator[None, None, None]:
        """Read what is left of it, with a pause between its blocks."""
        return self._steps

    def _read(self) -> Generator[None, None, None]:
        seen = Counter[str]()
        for start, end in cut_blocks(self.text, _BLOCK_CHARS):
            if start:
                yield
            folded = fold(self.text[start:end]).text
            anchors = read_anchors(folded, MAX_COMPARED)
            content = content_of(folded, anchors)
            self._anchors += anchors
            self._words += content.words
            self._keys += content.keys
            for slot in read_slots(folded, anchors):
                seen[slot.key] += 1
                if slot.kind in CONTENT and seen[slot.key] <= _ALIKE:
                    self._slots.append(slot)
            self._parts += parts_in(folded.casefold())

    def _all(self, read: list[T]) -> list[T]:
        for _ in self._steps:
            pass
        return read

    @lazy
    def anchors(self) -> list[Anchor]:
        """Values the question holds; their spans count from the start of a block."""
        return self._all(self._anchors)

    @lazy
    def words(self) -> list[str]:
        """Case-folded word tokens, in order."""
        return self._all(self._words)

    @lazy
    def keywords(self) -> tuple[str, ...]:
        """Distinct content keys, in order of appearance."""
        return tuple(dict.fromkeys(self._all(self._keys)))

    @lazy
    def keys(self) -> frozenset[str]:
        """The content keys."""
        return frozenset(self.keywords)

    @lazy
    def values(self) -> frozenset[str]:
        """Keys of the question's values, for telling an echo from a statement."""
        return frozenset(anchor.key for anchor in self.anchors)

    @lazy
    def slots(self) -> list[Slot]:
        """What it asks about: words, names and values, of each the first places.

        Their spans count from the start of a block.
        """
        return self._all(self._slots)

    def holds_name(self, name: Name) -> bool:
        """Say whether the question speaks of `name`, case, hyphens and a title aside."""
        ways = name.tokens, untitled(name.tokens)
        return any(f" {' '.join(tokens)} " in self._phrases for tokens in ways)

    @lazy
    def _phrases(self) -> str:
        return f" {' '.join(self._all(self._parts))} "
