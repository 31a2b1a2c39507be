"""Blocks of passages, each read once however many contexts hold it.

Applications retrieve the same passages again and again, and the reading of a block depends on its
characters alone; the index over all passages is made anew for each context.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from streamguard.core.index.content import Content, content_of
from streamguard.core.index.heads import Heads
from streamguard.core.owners.siblings import Alone, is_row, read_alone
from streamguard.core.reading.slots import Slot, marks_of, read_slots
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
_ANCHORS_A_SENTENCE = 120  # guess, more than a table's row has
# Characters of the blocks in a generation; the last two generations are kept. The reading of a
# character takes some 50 bytes: at most 13 MB in all.
MOST_CHARS = 128_000


class ReadSentence(NamedTuple):
    """A sentence of a block: [start, end) in the folded text, its text, and its contents."""

    start: int
    end: int
    text: str  # of a hard-wrapped passage with its lines joined
    content: Content
    slots: Sequence[Slot]
    alone: Alone | None  # what it tells side by side; None of a table's row, and without slots
    marks: Sequence[int]  # of the slots; empty where none is a value
    lines: Sequence[Line]  # that begin in it; none of a table's row


class ReadBlock(NamedTuple):
    """A block of text, folded, with its values and sentences."""

    folded: Folded
    anchors: Sequence[Anchor]
    sentences: Sequence[ReadSentence]


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
    sentences: list[ReadSentence] = []
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
            sentences.append(_sentence(rows, begin, some[-1].end, some, sentences))
            begin, first = some[-1].end, first + _ANCHORS_A_SENTENCE
            yield SLICE_CHARS
        sentences.append(_sentence(rows, begin, end, anchors[first:last], sentences))
        first = last
        yield end - begin + SENTENCE_CHARS
    return ReadBlock(folded, anchors, sentences)


def _sentence(
    folded: str,
    start: int,
    end: int,
    anchors: Sequence[Anchor],
    others: Sequence[ReadSentence],
) -> ReadSentence:
    """Read the sentence at [start, end) of a block's folded text; the `others` stand before it."""
    text = folded[start:end]
    plain = unwrapped(text)
    slots = read_slots(plain, anchors, start)
    in_table = is_row(plain)
    alone = None
    if slots and not in_table:
        is_next = len(others) > 0 and others[-1].alone is not None
        alone = read_alone(plain, slots, others[-1].slots if is_next else None)
    marks = marks_of(folded, start, slots) if anchors else ()
    content = content_of(text, anchors, start)
    lines = () if in_table else read_lines(folded, start, end)
    return ReadSentence(start, end, plain, content, slots, alone, marks, lines)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text, each found when it is asked for; empty spans between."""
    segmenter = Segmenter()
    for at in range(0, len(text), _READ_CHARS):
        yield from segmenter.feed(text[at : at + _READ_CHARS])
        yield at, at
    yield from segmenter.close()
