"""The word tokens of the chunks: which are used, in how many chunks, and which stand together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise


class Tokens:
    """Words and pairs of neighbours of the chunks, added sentence by sentence."""

    def __init__(self) -> None:
        self.chunks_with: Counter[str] = Counter()  # word -> chunks that hold it, once they end
        self._pairs: set[tuple[str, str]] = set()
        self._chunk = -1  # that is being read
        self._words: set[str] = set()  # its words so far
        self._last: str | None = None  # its last word: a pair may cross a sentence's end

    def add(self, chunk: int, words: Sequence[str]) -> None:
        """Add the words of the next sentence; those of a chunk follow one another."""
        if chunk != self._chunk:
            self.end_chunk()
            self._chunk = chunk
        self._words.update(words)
        if words:
            if self._last is not None:
                self._pairs.add((self._last, words[0]))
            self._pairs.update(pairwise(words))
            self._last = words[-1]

    def end_chunk(self) -> None:
        """Count the words of the chunk that was read, whose last sentence was added."""
        self.chunks_with.update(self._words)
        self._words, self._last = set(), None

    def count_unknown(self, words: Sequence[str]) -> int:
        """Return how many of the words no chunk holds."""
        return len(words) - sum(map(self.chunks_with.__contains__, words))

    def held_pairs(self, words: Sequence[str]) -> list[bool]:
        """Say of each two neighbours among `words` whether a chunk holds them side by side."""
        return [*map(self._pairs.__contains__, pairwise(words))]
