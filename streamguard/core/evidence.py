"""The index over the retrieved chunks: built once per context, asked by every check.

Chunks are read in blocks of a bounded size, so that a large context can be built in slices
between pieces of the stream. Every answer of the index says where: chunk and span.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from streamguard.core.anchors import Anchor, AnchorIndex, Match, read_anchors
from streamguard.core.content import content_of
from streamguard.core.names import Name, NameIndex, NameMatch
from streamguard.core.normalise import Folded, fold
from streamguard.core.scalars import scalar_text
from streamguard.core.segmenter import Segmenter
from streamguard.core.types import Nearest, RetrievedChunk

# Chunks are read in blocks of this size: a window, a name or a pair of words ends with its block.
BLOCK_CHARS = 1_500  # guess, more than most retrieved passages have
# Characters handled by one slice of index building: under 1 ms, half of what one turn of the loop
# may take (benchmarks/bench_wrapper.py, longest turn).
SLICE_CHARS = 600
# Between the blocks' token positions, so that no two chunks are "near" each other.
_POSITION_GAP = 64


@dataclass(frozen=True, slots=True)
class Coverage:
    """Best evidence for a set of content keys: IDF-weighted share in [0, 1], and where it is."""

    share: float
    chunk: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Block:
    chunk: int
    start: int  # into the chunk's text
    folded: Folded
    first_sentence: int


class Evidence:
    """Anchors, names, stems, bigrams and sentence windows of the chunks, looked up by value."""

    def __init__(self, chunks: Sequence[RetrievedChunk]) -> None:
        self.chunks = tuple(chunks)
        self.labels = tuple(
            scalar_text(chunk.id) if chunk.id else f"C{number}"
            for number, chunk in enumerate(self.chunks, 1)
        )
        self._by_label = {label: number for number, label in reversed([*enumerate(self.labels)])}
        self.texts = tuple(scalar_text(chunk.text) for chunk in self.chunks)
        self._cut = self._cut_chunks()
        self._steps: Iterator[int] = iter(())  # what is left of the block being indexed
        self._lock = Lock()  # one context may serve streams of several threads
        self.ready = False
        self.failures: list[Exception] = []  # of our own readers; their block is left out
        self._blocks: list[_Block] = []
        self._anchors = AnchorIndex()
        self._names = NameIndex()
        self._bigrams: set[tuple[str, str]] = set()
        self._words_in: dict[str, int] = {}  # word token -> number of chunks that hold it
        self._seen_in: dict[str, int] = {}  # word token -> last chunk that held it
        self._tokens = 0  # token positions given out so far, gaps between the blocks included
        self._positions: dict[str, array[int]] = {}  # content key -> its token positions
        self._sentences_of: dict[str, array[int]] = {}  # content key -> sentences that hold it
        self._sentences: list[tuple[int, int, int]] = []  # block, start, end in its folded text
        self._follows = bytearray()  # per sentence: whether the one before is in its block
        self._idf: dict[str, float] = {}

    def build(self) -> None:
        """Build what is left of the index."""
        while not self.build_slice():
            pass

    def build_slice(self) -> bool:
        """Index some `SLICE_CHARS` characters more; True once all is done. Never raises."""
        with self._lock:
            handled = 0
            while not self.ready and handled < SLICE_CHARS:
                try:
                    handled += self._step()
                except Exception as exc:
                    self.failures.append(exc)
        return self.ready

    def _step(self) -> int:
        """Do the next step of the block at hand, or begin the next; return characters handled."""
        for handled in self._steps:
            return handled
        block = next(self._cut, None)
        if block is None:
            self.ready = True
        else:
            self._steps = self._index(*block)
        return 0

    def chunk_number(self, label: str) -> int | None:
        """Return the index of the chunk that answers to `label` (its id, or `Cn`), or None."""
        if label in self._by_label:
            return self._by_label[label]
        number = label[1:] if label[:1] in "Cc" else ""
        if number.isdecimal() and 1 <= int(number) <= len(self.chunks):
            return int(number) - 1
        return None

    def find_anchor(self, anchor: Anchor, chunks: Collection[int] | None = None) -> Match:
        """Return how the chunks (all, or those given) speak of the anchor's value.

        `Match.chunk` counts the index's blocks: `anchor_place` says where that is.
        """
        return self._anchors.find(anchor, self._blocks_of(chunks))

    def find_name(self, name: Name) -> NameMatch:
        """Return whether a chunk holds the name, and where; else the nearest name it holds."""
        return self._names.find(name)

    def anchor_place(self, match: Match) -> Nearest | None:
        """Return where the matched anchor stands, in the words of the chunk."""
        if match.chunk is None or match.anchor is None:
            return None
        return self._place(match.chunk, match.anchor.start, match.anchor.end)

    def name_place(self, match: NameMatch) -> Nearest | None:
        """Return where the matched name stands, in the words of the chunk."""
        if match.chunk is None or match.start is None or match.end is None:
            return None
        return self._place(match.chunk, match.start, match.end)

    def coverage(
        self, keys: Collection[str], chunks: Collection[int] | None = None
    ) -> Coverage | None:
        """Return the two-sentence window of one chunk that holds most of `keys`, by IDF weight.

        None when `keys` is empty or no window holds any of them. Ties go to the first window.
        IDF is ln((1 + N) / (1 + df)) + 1 over the chunks' sentences.
        """
        total = 0.0
        windows: dict[int, float] = {}  # by their first sentence
        for key in keys:
            weight = self.idf(key)
            total += weight
            for window in self._windows_with(key):
                windows[window] = windows.get(window, 0.0) + weight
        if chunks is not None:
            inside = {w for w in windows if self._chunk_of_sentence(w) in chunks}
            windows = {window: windows[window] for window in inside}
        if not windows:
            return None
        most = max(windows.values())
        best = min(window for window, weight in windows.items() if weight == most)
        return self._coverage_of(best, most / total, keys)

    def idf(self, key: str) -> float:
        """Return the key's inverse document frequency over the chunks' sentences."""
        found = self._idf.get(key)
        if found is None:
            df = len(self._sentences_of.get(key, ()))
            found = math.log((1 + len(self._sentences)) / (1 + df)) + 1
            self._idf[key] = found
        return found

    def holds_bigram(self, bigram: tuple[str, str]) -> bool:
        """Say whether a chunk holds the two word tokens side by side."""
        return bigram in self._bigrams

    def chunks_with(self, word: str) -> int:
        """Return the number of chunks that hold the word token."""
        return self._words_in.get(word, 0)

    def near(self, one: str, other: str, tokens: int) -> bool:
        """Say whether both keys occur within `tokens` word tokens of each other in one chunk."""
        ones, others = self._positions.get(one), self._positions.get(other)
        if not ones or not others:
            return False
        for position in ones:
            at = bisect_left(others, position - tokens)
            if at < len(others) and others[at] <= position + tokens:
                return True
        return False

    def keys_in_one_chunk(self, keys: Collection[str]) -> float:
        """Return the largest share of `keys` that a single chunk holds, in [0, 1].

        Without keys any chunk holds them all; without chunks nothing is held.
        """
        if not self.chunks:
            return 0.0
        if not keys:
            return 1.0
        held = [0] * len(self.chunks)
        for key in keys:
            for chunk in {self._chunk_of_sentence(s) for s in self._sentences_of.get(key, ())}:
                held[chunk] += 1
        return max(held) / len(keys)

    def sentence_texts(self) -> list[str]:
        """Return every chunk sentence, folded, in order."""
        return [self._blocks[b].folded.text[start:end] for b, start, end in self._sentences]

    def _cut_chunks(self) -> Iterator[tuple[int, int, str]]:
        for number, text in enumerate(self.texts):
            for start, end in _blocks(text):
                yield number, start, text[start:end]

    def _index(self, chunk: int, start: int, text: str) -> Iterator[int]:
        """Index one block, step by step; yield how many characters each step handled."""
        folded = fold(text)
        number = len(self._blocks)
        self._blocks.append(_Block(chunk, start, folded, len(self._sentences)))
        self._tokens += _POSITION_GAP
        anchors = read_anchors(folded.text)
        self._anchors.add(number, anchors)
        yield len(text) // 2
        self._names.add(number, folded.text)
        yield len(text) // 2
        last: str | None = None
        for begin, end in _sentences(folded.text):
            inside = [anchor for anchor in anchors if begin <= anchor.start < end]
            last = self._index_sentence(number, begin, end, inside, last)
            yield end - begin

    def _index_sentence(
        self, block: int, start: int, end: int, anchors: list[Anchor], last: str | None
    ) -> str | None:
        """Index one sentence; `last` is the word before it. Return its own last word."""
        text = self._blocks[block].folded.text[start:end]
        content = content_of(text, anchors, start)
        chunk = self._blocks[block].chunk
        for word in content.words:
            if last is not None:
                self._bigrams.add((last, word))
            last = word
            if self._seen_in.get(word) != chunk:
                self._seen_in[word] = chunk
                self._words_in[word] = self._words_in.get(word, 0) + 1
        sentence = len(self._sentences)
        for key, offset in content.keys:
            positions = self._positions.get(key)
            if positions is None:
                self._positions[key] = array("l", (self._tokens + offset,))
                self._sentences_of[key] = array("l", (sentence,))
                continue
            positions.append(self._tokens + offset)
            if self._sentences_of[key][-1] != sentence:
                self._sentences_of[key].append(sentence)
        self._tokens += len(content.words) + 1
        self._follows.append(sentence > self._blocks[block].first_sentence)
        self._sentences.append((block, start, end))
        return last

    def _windows_with(self, key: str) -> list[int]:
        """Return the windows (by their first sentence) that hold the key, in order."""
        found: list[int] = []
        last = -1
        for sentence in self._sentences_of.get(key, ()):
            if sentence - 1 > last and self._follows[sentence]:
                found.append(sentence - 1)
            found.append(sentence)
            last = sentence
        return found

    def _chunk_of_sentence(self, sentence: int) -> int:
        return self._blocks[self._sentences[sentence][0]].chunk

    def _coverage_of(self, window: int, share: float, keys: Collection[str]) -> Coverage:
        """Say where the window is: both sentences, or the one that holds all of what both hold."""
        in_first = in_second = in_both = 0
        for key in keys:
            sentences = self._sentences_of.get(key)
            if sentences is not None:
                at = bisect_left(sentences, window)
                near = sentences[at : at + 2]
                in_first += window in near
                in_second += window + 1 in near
                in_both += window in near or window + 1 in near
        first = window + 1 if in_second == in_both and in_first < in_both else window
        last = window if in_first == in_both else window + 1
        block, start, _ = self._sentences[first]
        place = self._place(block, start, self._sentences[last][2])
        return Coverage(
            round(min(1.0, share), 6), self._blocks[block].chunk, place.start, place.end
        )

    def _blocks_of(self, chunks: Collection[int] | None) -> list[int] | None:
        if chunks is None:
            return None
        return [number for number, block in enumerate(self._blocks) if block.chunk in chunks]

    def _place(self, block: int, start: int, end: int) -> Nearest:
        at = self._blocks[block]
        begin, stop = at.folded.span(start, end)
        begin, stop = at.start + begin, at.start + stop
        return Nearest(self.texts[at.chunk][begin:stop], self.labels[at.chunk], begin, stop)


def _sentences(text: str) -> list[tuple[int, int]]:
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.close()]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a chunk into blocks of at most `BLOCK_CHARS`, at a line or sentence end if any."""
    start = 0
    while len(text) - start > BLOCK_CHARS:
        end = start + BLOCK_CHARS
        for mark in ("\n", ". ", " "):
            cut = text.rfind(mark, start + BLOCK_CHARS // 2, end)
            if cut >= 0:
                end = cut + len(mark)
                break
        yield start, end
        start = end
    if text[start:].strip():
        yield start, len(text)
