"""The index over the retrieved chunks: built once per context, asked by every check.

Chunks are read in blocks of a bounded size, so that a large context can be built in slices
between pieces of the stream. Every answer of the index says where: chunk and span.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from sys import getsizeof
from threading import Lock
from typing import NamedTuple

from streamguard.core.derive.solver import MAX_OPERANDS
from streamguard.core.facts.columns import NONE
from streamguard.core.facts.source import Source
from streamguard.core.index.blocks import (
    ANCHORS_A_STEP,
    SENTENCE_CHARS,
    SLICE_CHARS,
    ReadPart,
    read_block,
)
from streamguard.core.index.content import Posting, Postings, Tokens, cut_blocks
from streamguard.core.model.finding_texts import PassageWords, place_of, quoted
from streamguard.core.model.result import EvidenceSpan
from streamguard.core.model.types import Nearest, RetrievedChunk
from streamguard.core.names.reading import Name, NameIndex, NameMatch
from streamguard.core.owners.tree import Label
from streamguard.core.reading.english import language_of_passages
from streamguard.core.reading.markers import Brackets, Labels
from streamguard.text.normalise import Folded, astral_offsets, lower_in_place, scalar_text
from streamguard.text.patterns import lazy
from streamguard.text.places import Members, Places, weakly
from streamguard.values import Anchor, AnchorIndex, Match, agree
from streamguard.values.packed import PackedAnchors

# Chunks are read in blocks of this size: a window, a name or a pair of words ends with its block.
BLOCK_CHARS = 1_500  # guess, more than most retrieved passages have
# The lists of so many characters are not sealed: more than most prompts have; guess.
_UNSEALED_CHARS = 40_000
# Of so many characters at most their letters are searched; guess, a tenth of a millisecond.
_MOST_SEARCHED = 200_000
# Bytes that the index of prose takes: of each character, and of none. Then those of an index that
# is not sealed. Measured with benchmarks/bench_memory.py.
_A_CHARACTER, _SEALED_BYTES = 8, 260_000
_UNSEALED, _EMPTY_BYTES = 65, 12_000
_STEP_CHARS = SLICE_CHARS // 4  # of sentences that are added at once
_MOST_PLACES = 100  # of one value or name, for who asks for all of them; guess
_BLOCKS_A_COUNT = 32  # between two counts of the bytes held; a count takes some 0.2 ms for 2 MB


@dataclass(frozen=True, slots=True)
class Block:
    """A part of chunk number `chunk`, [start, end) of its text.

    `folded` is its folded copy; None if that is the part itself, as that of ASCII text is.
    """

    chunk: int
    start: int
    end: int
    folded: Folded | None


class _Blocks(list[Block]):
    """The blocks of the chunks, over their texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts

    def folded(self, number: int) -> str:
        """Return the folded text of a block."""
        at = self[number]
        return self._texts[at.chunk][at.start : at.end] if at.folded is None else at.folded.text


class Coverage(NamedTuple):
    """Best evidence for a set of content keys: IDF-weighted share in [0, 1], and where it is.

    `first` and `last` number the window's sentences among those of all chunks.
    """

    share: float
    chunk: int
    start: int
    end: int
    first: int
    last: int


class Surroundings(NamedTuple):
    """The surroundings of a place in a passage: its heading, and its sentence, item or row.

    `row` and `column` are the row's label and the column's head where the place is in a table.
    """

    heading: Nearest | None
    sentence: Nearest
    row: str | None
    column: str | None


class Evidence:
    """Anchors, names, stems, bigrams and sentence windows of the chunks, looked up by value.

    `source` holds the slots to compare, `tokens` the words, `keys` the places of each content key,
    `brackets` the texts in square brackets.
    """

    def __init__(self, chunks: Sequence[RetrievedChunk]) -> None:
        self.chunks = tuple(chunks)
        self._labels = Labels(self.chunks)
        self.labels, self.folded_labels = self._labels.all, self._labels.folded
        self.texts = tuple(scalar_text(chunk.text) for chunk in self.chunks)
        self._cut = _cut_chunks(self.texts)
        self._steps: Iterator[int] = iter(())  # the rest of the block being indexed
        self._unsealed: list[Places | Members] | None = None  # lists, once all blocks are indexed
        self._lock = Lock()  # one context may serve streams of several threads
        self.ready = False
        self._chars = sum(map(len, self.texts))
        self._texts_bytes = sum([getsizeof(chunk.text) + 200 for chunk in self.chunks])
        self._held = 0  # bytes, when they were last counted
        self.failures: list[Exception] = []  # of our own readers; their block is left out
        self._blocks = _Blocks(self.texts)
        anchors = PackedAnchors(self._blocks.folded)
        self.source = Source(anchors)
        self._anchors = AnchorIndex(anchors)
        self._names = NameIndex(self._blocks.folded, weakly(self._blocks_with))
        self.tokens = Tokens(self.source)
        self.keys = Postings(self.source)
        self.brackets = Brackets()
        self._sentences = array("I")  # of each three: block, start and end in its folded text
        self._first_values: list[Anchor] = []
        # Offsets of the characters above U+FFFF in each chunk that has any; whole once ready.
        self.astral: dict[int, list[int]] = {}
        self._quoted: dict[tuple[int, int], Nearest] = {}  # windows, by first and last sentence

    @property
    def held_bytes(self) -> int:
        """The bytes of the chunks' texts and their index: an estimate, made anew as it is built.

        Unbuilt parts count as prose. Within a fourth of the measured bytes (tests/test_room.py).
        """
        if self.ready:
            return self._held
        prose = _UNSEALED * self._chars + _EMPTY_BYTES
        if self._chars > _UNSEALED_CHARS:
            prose = _A_CHARACTER * self._chars + _SEALED_BYTES
        return max(self._held, self._texts_bytes + prose)

    @lazy
    def language(self) -> str | None:
        """The language of most words of the chunks, None if it is not clear."""
        return language_of_passages(self.texts)

    def _measure(self) -> int:
        parts = (self.source, self.tokens, self.keys, self._anchors, self._names)
        folded = sum([2 * len(each.folded.text) for each in self._blocks if each.folded])
        edits = sum([220 * len(each.folded.edits) for each in self._blocks if each.folded])
        blocks = 130 * len(self._blocks) + 12 * len(self.keys) + folded + edits
        return self._texts_bytes + blocks + sum([part.held_bytes for part in parts]) + _EMPTY_BYTES

    def build(self) -> None:
        """Build the rest of the index."""
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
            self._finish()
            return SLICE_CHARS
        self._steps = self._index(*block)
        if len(self._blocks) % _BLOCKS_A_COUNT == 0:
            self._held = self._measure()
        return 0

    def _finish(self) -> None:
        """Do the next step of ending the index: a large one's lists are sealed, one at a time."""
        if self._unsealed is None:
            self.tokens.end_chunk()
            self.source.siblings.end_chunk()
            self._anchors.finish()
            if self._chars > _UNSEALED_CHARS:
                self._names.finish()
                self.tokens.finish()
            passage_words = (self.source, self.source.siblings, self.source.owners)
            parts = (*passage_words, self.tokens, self.keys, self._names, self._anchors)
            lists = [one for part in parts for one in part.lists]
            self._unsealed = lists if self._chars > _UNSEALED_CHARS else []
        if self._unsealed:
            self._unsealed.pop().seal()
        else:
            self._held = self._measure()
            self.ready = True

    def chunk_number(self, label: str) -> int | None:
        """Return the index of the chunk that answers to `label`, or None.

        A chunk answers to its id, to its number as `Cn` and `n`, and to these in brackets.
        """
        return self._labels.number_of(label)

    def chunk_numbers(self, name: str) -> tuple[int, ...]:
        """Return the indexes of all chunks that answer to `name`: an id or source may be shared."""
        return self._labels.numbers_of(name)

    def find_anchor(self, anchor: Anchor, chunks: Collection[int] | None = None) -> Match:
        """Return how the chunks (all, or those given) speak of the anchor's value.

        `Match.chunk` counts the index's blocks: `anchor_place` says where that is.
        """
        if chunks is None:
            return self._anchors.find(anchor, None)
        inside = [number for number, block in enumerate(self._blocks) if block.chunk in chunks]
        return self._anchors.find(anchor, inside)

    def find_name(self, name: Name) -> NameMatch:
        """Return whether a chunk holds the name, and where; else the nearest name it holds."""
        with self._lock:  # the first one reads them
            return self._names.find(name)

    def anchor_places(self, anchor: Anchor) -> list[Nearest]:
        """Return the places that have the anchor's value, in their order; of very many the first.

        `find_anchor` knows one of them. Empty where a passage has the value in another form alone.
        """
        source = self.source
        found = {*source.numbered(anchor.number), *source.places(f"#{anchor.key}")}
        values = ((place, source.anchors.get(place)) for place in sorted(found)[:_MOST_PLACES])
        return [self.slot_place(at) for at, one in values if one and agree(anchor, one) == "same"]

    def name_places(self, name: Name) -> list[Nearest]:
        """Return where the words of a name stand in a row; empty if none of its forms does."""
        with self._lock:
            matches = list(islice(self._names.places(name), _MOST_PLACES))
        places = map(self.name_place, matches)
        return list(dict.fromkeys(place for place in places if place is not None))

    def surroundings(self, place: Nearest) -> Surroundings | None:
        """Return the surroundings of a place; None if it is in no sentence of a passage."""
        sentence = self._sentence_at(place)
        if sentence is None:
            return None
        units, around = self.source.units, self.place_in(sentence)
        unit = units.of_sentence(sentence)
        if unit is None:
            return Surroundings(None, around, None, None)
        above, head = units.heading_of(unit), units[unit].head
        heading = None if above is None else self.place_in(units.sentences[above])
        if head == NONE:
            return Surroundings(heading, around, None, None)
        row, heads = around.value or "", self.place_in(units.sentences[head]).value or ""
        column = row.count("|", 0, max(0, place.start - around.start))
        return Surroundings(heading, around, _cell(row, 1), _cell(heads, column))

    def _sentence_at(self, place: Nearest) -> int | None:
        """Return the number of the chunk sentence that a place begins in."""
        chunk = self._labels.number_of(place.chunk_id)
        if chunk is None:
            return None

        def begin(number: int) -> tuple[int, int]:
            block, start, end = self._sentence(number)
            return self._blocks[block].chunk, self._span(block, start, end)[0]

        at = bisect_right(range(len(self.keys)), (chunk, place.start), key=begin) - 1
        return at if at >= 0 and begin(at)[0] == chunk else None

    def anchor_place(self, match: Match) -> Nearest | None:
        """Return where the matched anchor stands, in the words of the chunk."""
        if match.chunk is None or match.anchor is None:
            return None
        return self.place(match.chunk, match.anchor.start, match.anchor.end)

    def name_place(self, match: NameMatch) -> Nearest | None:
        """Return where the matched name stands, in the words of the chunk."""
        if match.chunk is None or match.start is None or match.end is None:
            return None
        return self.place(match.chunk, match.start, match.end)

    def coverage(
        self,
        keys: Collection[str],
        chunks: Collection[int] | None = None,
        postings: Sequence[Posting] | None = None,
    ) -> Coverage | None:
        """Return the two-sentence window of one chunk that holds most of `keys`, by IDF weight.

        None when `keys` is empty or no window holds any of them. Ties go to the first window.
        IDF is ln((1 + N) / (1 + df)) + 1 over the chunks' sentences. `postings` are those of the
        keys, for a caller who has them.
        """
        postings = self.keys.of(keys) if postings is None else postings
        best = self.keys.best_window(keys, postings, chunks)
        if best is None:
            return None
        share, first, last = best
        start, _ = self._span(*self._sentence(first))
        _, end = self._span(*self._sentence(last))
        return Coverage(share, self.keys.chunk_of(first), start, end, first, last)

    def passage_words(self, place: Nearest) -> PassageWords:
        """Return a place as messages quote it: its source, or its label, and the heading above."""
        number = self._labels.number_of(place.chunk_id)
        source = None if number is None else self.chunks[number].source
        name = source and (source.rstrip("/").rpartition("/")[2] or source)
        text = "" if number is None else self.texts[number]
        name = name or self._labels.for_people(place.chunk_id)
        return PassageWords(quoted(place.value), place_of(name, text, place.start))

    def quoted(self, window: Coverage) -> Nearest:
        """Return the window in the words of its chunk; one value however often it is quoted."""
        found = self._quoted.get((window.first, window.last))
        if found is None:
            words = self.texts[window.chunk][window.start : window.end]
            found = Nearest(words, self.labels[window.chunk], window.start, window.end)
            self._quoted[window.first, window.last] = found
        return found

    def words_at(self, span: EvidenceSpan) -> Nearest:
        """Return a reported span in the words of its chunk."""
        number = self._labels.number_of(span.chunk_id)
        assert number is not None  # one of these chunks
        words = self.texts[number][span.start : span.end]
        return Nearest(words, span.chunk_id, span.start, span.end)

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
            for chunk in {self.keys.chunk_of(s) for s in self.keys.sentences_with(key)}:
                held[chunk] += 1
        return max(held) / len(keys)

    def writes(self, text: str) -> bool:
        """Return whether a chunk holds these letters, which are small ones, anywhere.

        Chunks of more than `_MOST_SEARCHED` characters are not asked, and count as holding them.
        """
        return self._chars > _MOST_SEARCHED or any(text in chunk for chunk in self._lowered)

    @lazy
    def _lowered(self) -> tuple[str, ...]:
        return tuple(text.lower() for text in self.texts)

    def sentence_texts(self) -> list[str]:
        """Return every chunk sentence, folded, in order."""
        spans = map(self._sentence, range(len(self.keys)))
        return [self._blocks.folded(block)[start:end] for block, start, end in spans]

    def first_values(self) -> list[Anchor]:
        """Return the first values of the chunks, as many as a reckoning may start from."""
        return self._first_values

    def slot_place(self, slot: int) -> Nearest:
        """Return where a slot of `source` stands, in the words of its chunk."""
        unit = self.source.units[self.source.unit_of[slot]]
        found = self.source.slot(slot)
        return self.place_in(unit.number, found.start, found.end)

    def slot_sentence(self, slot: int) -> Nearest:
        """Return the sentence that a slot of `source` stands in, in the words of its chunk."""
        return self.place_in(self.source.units[self.source.unit_of[slot]].number)

    def label_words(self, label: Label) -> str:
        """Return the words of an owner's label, as its chunk writes them."""
        first, last = self.slot_place(label.first), self.slot_place(label.end - 1)
        number = self._labels.number_of(first.chunk_id)
        assert number is not None  # one of these chunks
        return self.texts[number][first.start : last.end]

    def before(self, slot: int, chars: int) -> str:
        """Return so many characters of a slot's sentence before it, in small letters."""
        number = self.source.units[self.source.unit_of[slot]].number
        block, start, _ = self._sentence(number)
        end = start + self.source.slot(slot).start
        return lower_in_place(self._blocks.folded(block)[max(start, end - chars) : end])

    def place_in(self, sentence: int, start: int = 0, end: int | None = None) -> Nearest:
        """Return where a chunk sentence, or [start, end) of it, stands in the chunk."""
        block, begin, stop = self._sentence(sentence)
        return self.place(block, begin + start, stop if end is None else begin + end)

    def _index(self, chunk: int, start: int, text: str) -> Iterator[int]:
        """Index one block, step by step; yield how many characters each step handled."""
        read = yield from read_block(text)
        if wide := astral_offsets(text):
            self.astral.setdefault(chunk, []).extend(start + offset for offset in wide)
        number, anchors = len(self._blocks), read.anchors
        folded = None if read.folded == Folded(text) else read.folded
        self._blocks.append(Block(chunk, start, start + len(text), folded))
        self._first_values += anchors[: MAX_OPERANDS - len(self._first_values)]
        for first in range(0, len(anchors), ANCHORS_A_STEP):
            self._anchors.add(number, anchors[first : first + ANCHORS_A_STEP])
            yield SLICE_CHARS // 2
        figures = [part.figures for part in read.parts]
        self._names.add(read.folded.text, frozenset().union(*figures))
        self.brackets.add(read.folded.text)
        yield len(text) // 2
        for part in read.parts:
            yield from self._add_part(chunk, number, part)

    def _add_part(self, chunk: int, block: int, part: ReadPart) -> Iterator[int]:
        first = len(self.keys)
        self.tokens.add(chunk, part.words, part.figures, part.joined)
        self.keys.add(chunk, part.content)
        self.source.add_slots(part.slots)
        for sentence in part.sentences:
            self._sentences.extend((block, sentence.start, sentence.end))
        handled = 0
        for at, (start, end, form, slots, alone, lines, valued) in enumerate(part.sentences, first):
            self.source.add(chunk, at, form, slots, alone, lines, has_values=valued)
            handled += (end - start) // 2 + SENTENCE_CHARS
            if handled > _STEP_CHARS:
                yield handled
                handled = 0
        yield handled

    def _blocks_with(self, figure: str) -> list[int]:
        """Return the blocks that hold a figure of bare digits, once for each place."""
        units, sentences = self.source.unit_of, self.source.units.sentences
        places = self.source.figures(figure)
        return [self._sentences[3 * sentences[units[place]]] for place in places]

    def _sentence(self, number: int) -> Sequence[int]:
        """Return block, start and end of a chunk sentence."""
        return self._sentences[3 * number : 3 * number + 3]

    def _span(self, block: int, start: int, end: int) -> tuple[int, int]:
        """Return where a span of a block's folded text stands in its chunk."""
        at = self._blocks[block]
        begin, stop = (start, end) if at.folded is None else at.folded.span(start, end)
        return at.start + begin, at.start + stop

    def place(self, block: int, start: int, end: int) -> Nearest:
        """Return where a span of a block's folded text stands, in the words of its chunk."""
        at, (begin, stop) = self._blocks[block], self._span(block, start, end)
        return Nearest(self.texts[at.chunk][begin:stop], self.labels[at.chunk], begin, stop)


def _cell(row: str, column: int) -> str | None:
    """Return the text of a row's cell, counted from 1; None without one."""
    cells = row.strip().split("|")
    return cells[column].strip(" *_") or None if column < len(cells) else None


def _cut_chunks(texts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for number, text in enumerate(texts):
        for start, end in cut_blocks(text, BLOCK_CHARS):
            yield number, start, text[start:end]
