"""What the chunks are called: by the answer's citations, and in what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from streamguard.core.model.types import RetrievedChunk
from streamguard.text.normalise import fold, scalar_text
from streamguard.text.patterns import lazy_re

_NUMBERED = lazy_re(r"C\d{1,6}")
TOOL_LABEL = "tool:"  # what a tool returned says so by its label; a citation may leave it out
_MOST_OF_SOURCE = 50  # chunks that one tag cites by their source or id; guess
_MOST_SOURCES = 500  # whose names are read: 3 ms; guess, no prompt holds as many
_MACHINES = lazy_re(r"[0-9a-fA-F-]{16,64}")  # UUIDs and digests, which people cannot look up
_DIGITS = lazy_re(r"[0-9]{1,6}")


class Labels:
    """The chunks' labels in their order: the id, or `Cn` where a chunk has none.

    Of an id that several have, the others' labels end in their number. `folded`: which labels a
    tag names by an id, or by the source of chunks.
    """

    def __init__(self, chunks: Sequence[RetrievedChunk]) -> None:
        self._chunks = chunks
        self._numbers: dict[str, int] = {}
        self.folded: dict[str, tuple[str, ...]] = {}
        for number, chunk in enumerate(chunks):
            label = name = scalar_text(chunk.id) if chunk.id else f"C{number + 1}"
            while label in self._numbers:
                label = f"{label}.{number + 1}"
            self._numbers[label] = number
            key = fold(name).text
            self.folded[key] = (*self.folded.get(key, ()), label)[:_MOST_OF_SOURCE]
        self.all = tuple(self._numbers)
        for number, label in enumerate(self.all):
            bare = label.removeprefix(TOOL_LABEL)
            if bare != label and bare not in self._numbers:
                self._numbers[bare] = number
                self.folded.setdefault(fold(bare).text, (bare,))
        for name, labels in self._by_source(chunks).items():
            self.folded.setdefault(name, labels)
        self._hold_numbers = any(
            _NUMBERED.fullmatch(chunk.id.removeprefix(TOOL_LABEL)) for chunk in chunks if chunk.id
        )

    def _by_source(self, chunks: Sequence[RetrievedChunk]) -> dict[str, tuple[str, ...]]:
        """Return the labels of the chunks of each source, by its name and by its file's alone."""
        of_source: dict[str, list[str]] = {}
        for label, chunk in zip(self.all, chunks, strict=True):
            if chunk.source:
                of_source.setdefault(chunk.source, []).append(label)
        found: dict[str, tuple[str, ...]] = {}
        for source, labels in islice(of_source.items(), _MOST_SOURCES):
            for name in dict.fromkeys((source, source.rpartition("/")[2])):
                key = fold(scalar_text(name)).text.strip()
                if any(map(str.isalpha, key)):
                    found[key] = (*found.get(key, ()), *labels)[:_MOST_OF_SOURCE]
        return found

    def for_people(self, label: str) -> str:
        """Return what to call the chunk of `label`; its place and source for a machine's id."""
        if not _MACHINES.fullmatch(label):
            return label
        number = self._numbers[label]
        source = self._chunks[number].source
        return f"C{number + 1} ({source.rpartition('/')[2]})" if source else f"C{number + 1}"

    def numbers_of(self, name: str) -> tuple[int, ...]:
        """Return the indexes of all chunks that answer to `name`, as their source as well."""
        labels = self.folded.get(fold(name.strip("[] ")).text, (name,))
        return tuple(number for each in labels if (number := self.number_of(each)) is not None)

    def number_of(self, label: str) -> int | None:
        """Return the index of the chunk that answers to `label`, or None.

        A chunk answers to its id, to its number as `Cn` and `n`, and to these in brackets.
        """
        bare = label.strip("[] ")
        found = self._numbers.get(label, self._numbers.get(bare))
        digits = bare[1:] if bare.startswith(("C", "c")) else bare
        if found is not None or not _DIGITS.fullmatch(digits):
            return found
        number = int(digits)
        found = self._numbers.get(f"C{number}")
        # The place counts only where no chunk bears such a label itself: in a prompt whose first
        # passage is empty, `C2` is the first chunk.
        if found is None and not self._hold_numbers and 1 <= number <= len(self.all):
            return number - 1
        return found
