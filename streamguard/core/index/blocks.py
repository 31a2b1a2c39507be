"""Blocks of passages, each read once however many contexts hold it.

Applications retrieve the same passages again and again, and the reading of a block depends on its
characters alone; the index over all passages is made anew for each context.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from streamguard.core.facts.columns import SlotColumns, columns_of
from streamguard.core.facts.sentence_forms import SentenceForm, form_of
from streamguard.core.index.content import Content, ContentColumns, content_columns, content_of
from streamguard.core.index.heads import Heads
from streamguard.core.owners.siblings import Alone, read_alone
from streamguard.core.reading.slots import Slot, figures_of, marks_of, read_slots
from streamguard.text.layout import Line, read_lines
from streamguard.text.markup import barred, unwrapped
from streamguard.text.normalise import Folded, fold_source
from streamguard.text.segmenter import Segmenter
from streamguard.text.tags import laid_out
from streamguard.values import Anchor, anchors_in

# Characters handled by one step of reading or indexing: under 1 ms, half of what one turn of the
# loop may take (benchmarks/bench_wrapper.py, longest turn).
SLICE_CHARS = 600
ANCHORS_A_STEP = 60  # values that take as long as a slice's characters; guess, 15 us each
SENTENCE_CHARS = 20  # characters that take as long as a sentence's beginning and end; guess
_READ_CHARS = SLICE_CHARS // 2  # of a block that are cut into sentences at once
_PART_CHARS = 1_500  # of sentences whose columns are made at once; guess, those of most blocks
_NO_FIGURES: Final[frozenset[str]] = frozenset()
_ANCHORS_A_SENTENCE = 120  # guess, more than a table's row has
# Characters of the blocks in a generation; the last two generations are kept. The reading of a
# character takes some 50 bytes: at most 13 MB in all.
MOST_CHARS = 128_000


class ReadSentence(NamedTuple):
    """A sentence of a block: [start, end) in the folded text, its form, and what it tells."""

    start: int
    end: int
    form: SentenceForm  # of a hard-wrapped passage with its lines joined
    slots: Sequence[Slot]
    alone: Alone | None  # what it tells side by side; None of a table's row, and without slots
    lines: Sequence[Line]  # that begin in it; none of a table's row
    has_values: bool


class ReadPart(NamedTuple):
    """Sentences of a block in a row, and what they hold by column.

    `figures` and `joined` are the words, and pairs of neighbours, for which their slots stand.
    """

    sentences: Sequence[ReadSentence]
    slots: SlotColumns
    content: ContentColumns
    words: Sequence[str]
    figures: frozenset[str]
    joined: frozenset[tuple[str, str]]


class ReadBlock(NamedTuple):
    """A block of text, folded, with its values and sentences."""

    folded: Folded
    anchors: Sequence[Anchor]
    parts: Sequence[ReadPart]


class Remembered:
    """Blocks by their text: those of this generation, and of the one before."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all: for who measures what reading takes."""
        self._young: dict[str, ReadBlock] = {}
        self._old: dict[str, ReadBlock] = {}
        self._chars = 0

    def find(self, text: str) -> ReadBlock | None:
        """Return the reading of a text or None; one of the generation before joins this one."""
        found = self._young.get(text)
        if found is None and (found := self._old.get(text)) is not None:
            self.keep(text, found)
        return found

    def keep(self, text: str, read: ReadBlock) -> None:
        """Keep a reading; a generation that is full becomes the one before.

        Threads may do so at once: the worst is that a block is read, or counted, twice.
        """
        if self._chars > MOST_CHARS:
            self._old, self._young, self._chars = self._young, {}, 0
        self._young[text] = read
        self._chars += len(text)


REMEMBERED: Final = Remembered()


def read_block(text: str) -> Generator[int, None, ReadBlock]:
    """Read a block of text step by step; yield how many characters each step handled."""
    found = REMEMBERED.find(text)
    if found is None:
        found = yield from _read(text)
        REMEMBERED.keep(text, found)
    return found


def _read(text: str) -> Generator[int, None, ReadBlock]:
    folded = fold_source(laid_out(text))
    yield len(folded.edits)  # each takes as long as a character elsewhere
    rows = barred(folded.text)
    plain = unwrapped(rows)
    found = anchors_in(plain)
    anchors: list[Anchor] = []
    while read := tuple(islice(found, ANCHORS_A_STEP)):
        anchors += filter(None, read)
        yield SLICE_CHARS * len(read) // ANCHORS_A_STEP
    yield len(text) // 2
    part, parts = _PartReader(), list[ReadPart]()
    first, heads = 0, Heads()
    for begin, end in _spans(plain):
        if begin == end:  # none ended in the part that was read
            yield _READ_CHARS
            continue
        last = first
        while last < len(anchors) and anchors[last].start < end:
            last += 1
        anchors[first:last] = heads.read(plain[begin:end], anchors[first:last], begin)
        # A row of very many values is several sentences to the index.
        while last - first > _ANCHORS_A_SENTENCE:
            some = anchors[first : first + _ANCHORS_A_SENTENCE]
            part.read(rows, begin, some[-1].end, some)
            begin, first = some[-1].end, first + _ANCHORS_A_SENTENCE
            yield SLICE_CHARS
        part.read(rows, begin, end, anchors[first:last])
        first = last
        yield end - begin + SENTENCE_CHARS
        if part.chars > _PART_CHARS:
            parts.append(part.ended())
            part = _PartReader()
    return ReadBlock(folded, anchors, [*parts, part.ended()])


class _PartReader:
    """Reads the sentences of a part, one after the other."""

    def __init__(self) -> None:
        self.chars = 0
        self._sentences: list[ReadSentence] = []
        self._contents: list[Content] = []
        self._slots: list[Slot] = []
        self._marks: list[int] = []
        self._figures: list[frozenset[str]] = []
        self._joined: set[tuple[str, str]] = set()

    def read(self, folded: str, start: int, end: int, anchors: Sequence[Anchor]) -> None:
        """Read the sentence at [start, end) of a block's folded text."""
        text = folded[start:end]
        plain = unwrapped(text)
        slots, form = read_slots(plain, anchors, start), form_of(plain)
        alone, figures = None, _NO_FIGURES
        if slots and not form.is_row:
            before = self._sentences[-1] if self._sentences else None
            is_next = before is not None and before.alone is not None
            alone = read_alone(plain, slots, before.slots if before and is_next else None)
        if anchors:
            marks = marks_of(folded, start, slots)
            figures, joined = figures_of(slots, marks)
            self._joined |= joined
        else:
            marks = [0] * len(slots)
        lines = () if form.is_row else read_lines(folded, start, end)
        self._sentences.append(
            ReadSentence(start, end, form, slots, alone, lines, bool(slots and anchors))
        )
        self._contents.append(content_of(text, anchors, start))
        self._slots += slots
        self._marks += marks
        self._figures.append(figures)
        self.chars += end - start

    def ended(self) -> ReadPart:
        """Return the part."""
        return ReadPart(
            self._sentences,
            columns_of(self._slots, self._marks),
            content_columns(self._contents, self._figures),
            [*chain.from_iterable([content.words for content in self._contents])],
            frozenset().union(*self._figures),
            frozenset(self._joined),
        )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text, each found when it is asked for; empty spans between."""
    segmenter = Segmenter()
    for at in range(0, len(text), _READ_CHARS):
        yield from segmenter.feed(text[at : at + _READ_CHARS])
        yield at, at
    yield from segmenter.close()
