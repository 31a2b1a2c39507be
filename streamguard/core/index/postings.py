"""Where the chunks hold each content key, which two sentences hold most of some, and the words."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from streamguard.core.index.content import Content
from streamguard.text.words import Memo

# Sentences of one key that are looked at for windows; guess, more than any real passage has.
MAX_SENTENCES = 100
# Letters that two forms of a word share where the stemmer keeps them apart ("decid", "decis");
# guess.
_BEGINNING = 5
# Between the chunks' token positions, so that no two chunks are "near" each other.
_POSITION_GAP = 64


class Posting(NamedTuple):
    """How many sentences hold a content key, its IDF, which they are, and the windows around them.

    A window is told by its first sentence. Where very many sentences hold the key, `windows` are
    all that may hold one of them, in no order.
    """

    df: int
    weight: float
    sentences: Sequence[int]
    windows: Collection[int]


class Postings:
    """The content keys of the chunks' sentences, which are numbered through all chunks."""

    def __init__(self) -> None:
        self._sentences_of: dict[str, list[int]] = {}  # content key -> sentences that hold it
        self._beginnings: set[str] = set()  # of the keys
        self._known = Memo(self._look_up)  # of the keys that were asked for
        self._absent: Posting | None = None  # of every key that no sentence holds
        self._contents: list[tuple[tuple[str, ...], Sequence[int]]] = []  # keys, places
        self._held: dict[int, frozenset[str]] = {}  # by sentence, of those that were asked for
        self._begins = array("l")  # of each sentence its first token's position
        self._positions = Memo(self._read_positions)  # content key -> tokens, once asked for
        self._tokens = 0  # positions given out so far, gaps between the chunks included
        self._chunks = array("l")  # of each sentence
        self._follows = bytearray()  # per sentence: whether the one before is in its chunk

    def __len__(self) -> int:
        """Count the sentences."""
        return len(self._contents)

    def add(self, chunk: int, content: Content) -> None:
        """Add the next sentence; those of a chunk follow one another."""
        number, sentences_of = len(self._contents), self._sentences_of
        follows = number > 0 and self._chunks[-1] == chunk
        if not follows:
            self._tokens += _POSITION_GAP
        for key in content.keys:
            sentences = sentences_of.get(key)
            if sentences is None:
                sentences_of[key] = [number]
                if key[0] != "#":
                    self._beginnings.add(key[:_BEGINNING])
            elif sentences[-1] != number:
                sentences.append(number)
        self._contents.append((content.keys, content.places))
        self._begins.append(self._tokens)
        self._tokens += len(content.words) + 1
        self._chunks.append(chunk)
        self._follows.append(follows)

    def of(self, keys: Iterable[str]) -> list[Posting]:
        """Return where each of the keys is held; to be asked once all sentences are added.

        IDF is ln((1 + N) / (1 + df)) + 1 over the sentences.
        """
        return [*map(self._known.__getitem__, keys)]

    def _look_up(self, key: str) -> Posting:
        sentences = self._sentences_of.get(key)
        if sentences is None:
            return self.absent
        df = len(sentences)
        windows: Collection[int] = self._windows_with(sentences[:MAX_SENTENCES])
        if df > MAX_SENTENCES:
            windows = frozenset(sentences).union(number - 1 for number in sentences)
        return Posting(df, self._idf(df), sentences, windows)

    @property
    def absent(self) -> Posting:
        """The posting of every key that no sentence holds."""
        if self._absent is None:
            self._absent = Posting(0, self._idf(0), (), ())
        return self._absent

    def _idf(self, df: int) -> float:
        return math.log((1 + len(self)) / (1 + df)) + 1

    def sentences_with(self, key: str) -> Sequence[int]:
        """Return the numbers of the sentences that hold the key, in order."""
        return self._sentences_of.get(key, ())

    def holds_beginning(self, key: str) -> bool:
        """Say whether a sentence holds a key with the same first letters."""
        return len(key) >= _BEGINNING and key[:_BEGINNING] in self._beginnings

    def keys_in(self, sentence: int) -> frozenset[str]:
        """Return the keys that a sentence holds."""
        found = self._held.get(sentence)
        if found is None:
            found = self._held[sentence] = frozenset(self._contents[sentence][0])
        return found

    def chunk_of(self, sentence: int) -> int:
        """Return the number of the chunk that holds the sentence."""
        return self._chunks[sentence]

    def best_window(
        self, keys: Collection[str], postings: Sequence[Posting], chunks: Collection[int] | None
    ) -> tuple[float, int, int] | None:
        """Return the window of one chunk (of those given) that holds most of `keys`, by weight.

        `postings` are those of the keys. The window is the share in [0, 1] of their weight, and
        the two sentences, or twice the one. None when it would hold none. Ties go to the first.
        """
        weights = [posting.weight for posting in postings]
        held = sorted([posting for posting in postings if posting.df], key=itemgetter(0))
        totals: dict[int, float] = {}  # by window
        for df, weight, sentences, windows in held:
            if df > MAX_SENTENCES:
                windows = self._among(windows, sentences, totals)
            for window in windows:
                totals[window] = totals.get(window, 0.0) + weight
        if chunks is not None:
            totals = {at: total for at, total in totals.items() if self._chunks[at] in chunks}
        if not totals:
            return None
        most = max(totals.values())
        best = min([window for window, total in totals.items() if total == most])
        first, last = self._narrowed(best, keys)
        return round(min(1.0, most / sum(weights)), 6), first, last

    def _among(
        self, windows: Collection[int], sentences: Sequence[int], seen: Collection[int]
    ) -> Sequence[int]:
        """Return those of very many windows that were seen already.

        Keys come with the rarest first, so that a frequent one only weighs what a rarer one named.
        """
        if not seen:
            return self._windows_with(sentences[:MAX_SENTENCES])
        return [window for window in seen if window in windows]

    def _windows_with(self, sentences: Sequence[int]) -> list[int]:
        """Return the windows (by their first sentence) that hold one of `sentences`, in order."""
        found: list[int] = []
        last = -1
        for sentence in sentences:
            if sentence - 1 > last and self._follows[sentence]:
                found.append(sentence - 1)
            found.append(sentence)
            last = sentence
        return found

    def _narrowed(self, window: int, keys: Collection[str]) -> tuple[int, int]:
        """Return both sentences of the window, or the one that holds all of what both hold."""
        last = window + 1
        if last == len(self) or not self._follows[last]:
            return window, window
        one, two = self.keys_in(window).intersection(keys), self.keys_in(last).intersection(keys)
        if one >= two:
            return window, window
        return (last, last) if one <= two else (window, last)

    def near(self, one: str, other: str, tokens: int) -> bool:
        """Say whether both keys occur within `tokens` word tokens of each other in one chunk."""
        ones, others = self._positions[one], self._positions[other]
        for position in ones if others else ():
            at = bisect_left(others, position - tokens)
            if at < len(others) and others[at] <= position + tokens:
                return True
        return False

    def _read_positions(self, key: str) -> Sequence[int]:
        return [
            self._begins[sentence] + place
            for sentence in self.sentences_with(key)
            for held, place in zip(*self._contents[sentence], strict=True)
            if held == key
        ]


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
