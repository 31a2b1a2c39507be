"""The content of sentences: their words and content keys, and where the chunks hold each key."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, count, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from streamguard.core.facts.source import Source
from streamguard.text.patterns import lazy
from streamguard.text.places import Members, Places, weakly
from streamguard.text.texts import Texts
from streamguard.text.words import Memo, content_keys, word_tokens, words_apart
from streamguard.values import Anchor
from streamguard.values.value import plain


class Content(NamedTuple):
    """`words`: case-folded word tokens; `keys`: content keys in the order of their words.

    A key is a stem, or `#` and a value for what stands in an anchor. `places` says of each key
    which word it is of, counted from 0.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    places: tuple[int, ...]

    def behind(self, count: int) -> Content:
        """Return the content without its first words, so many."""
        first = bisect_left(self.places, count)
        places = tuple([place - count for place in self.places[first:]])
        return Content(self.words[count:], self.keys[first:], places)


def content_of(text: str, anchors: Sequence[Anchor], base: int = 0) -> Content:
    """Return words and keys of folded `text`; its `anchors` count from `base` before it."""
    if not anchors:
        words = tuple(word_tokens(text))
        return _content(words, list(content_keys(words)))
    spaced = words_apart(text)
    words = tuple(spaced.casefold().split())
    keys = list(content_keys(words))
    more: dict[int, Sequence[str]] = {}
    for place, many, here in _valued(spaced, anchors, base):
        # They stand at the value's first word; its others have none.
        keys[place : place + many] = [here[0] if here else "", *[""] * (many - 1)]
        if len(here) > 1:
            more[place] = here
    return _content_of_many(words, keys, more) if more else _content(words, keys)


class ContentColumns(NamedTuple):
    """The content of sentences in a row.

    Their `keys` and of which word each is; of each sentence where its keys end, how many words it
    has, and the keys it `held`, each once and without those for which `Source.figures` is asked.
    """

    keys: Sequence[str]
    places: array[int]
    ends: Sequence[int]
    words: Sequence[int]
    held: Sequence[Sequence[str]]


def content_columns(
    contents: Sequence[Content], figures: Sequence[frozenset[str]]
) -> ContentColumns:
    """Return the contents of sentences in a row; `figures` are those of each."""
    return ContentColumns(
        tuple(chain.from_iterable([content.keys for content in contents])),
        array("H", chain.from_iterable([content.places for content in contents])),
        tuple(accumulate([len(content.keys) for content in contents])),
        tuple([len(content.words) for content in contents]),
        [
            tuple(_held(content.keys, words))
            for content, words in zip(contents, figures, strict=True)
        ],
    )


def _held(keys: Sequence[str], figures: frozenset[str]) -> Collection[str]:
    held = dict.fromkeys(keys)
    for word in figures:
        held.pop(f"#{word}", None)
    return held


def _content(words: tuple[str, ...], keys: Sequence[str]) -> Content:
    """Return the content of words with a key each, "" for those without one."""
    return Content(words, tuple(filter(None, keys)), tuple(compress(count(), keys)))


def _content_of_many(
    words: tuple[str, ...], keys: Sequence[str], more: Mapping[int, Sequence[str]]
) -> Content:
    """Return the content of words of which some have several keys."""
    told = [
        (place, each)
        for place, key in enumerate(keys)
        for each in more.get(place, (key,) if key else ())
    ]
    return Content(words, tuple([key for _, key in told]), tuple([place for place, _ in told]))


_NO_WORDS = frozenset(["", " "])


def _valued(
    spaced: str, anchors: Sequence[Anchor], base: int
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yield the first word of each value, how many words it has, and the keys that stand there."""
    at, word, size = 0, 0, len(spaced)
    for anchor in anchors:
        start, end = anchor.start - base, anchor.end - base
        start, end = max(at, start), min(size, end)
        if start >= end:
            continue
        begin = start if spaced[start] == " " else spaced.rfind(" ", at, start) + 1 or at
        stop = end if spaced[end - 1] == " " else spaced.find(" ", end)
        stop = size if stop < 0 else stop
        between, inside = spaced[at:begin], spaced[begin:stop]
        if between not in _NO_WORDS:
            word += len(between.split())
        many = len(inside.split()) if " " in inside else 1
        if many:
            yield word, many, value_keys(anchor)
        word += many
        at = stop


def value_keys(anchor: Anchor) -> list[str]:
    """Return the keys of an anchor's value: a date's parts, or the figure without its unit.

    The parts let a full date share its year and month with a vaguer one.
    """
    if anchor.kind == "date":
        return [f"#{part}" for part in anchor.key.replace("--", "").split("-") if part]
    if anchor.value is None:
        return [f"#{anchor.key}"]
    return [f"#{plain(value)}" for value in (anchor.value, anchor.high) if value is not None]


def cut_blocks(text: str, chars: int) -> Iterator[tuple[int, int]]:
    """Cut a text into blocks of at most `chars`, at a line or sentence end if any."""
    start = 0
    while len(text) - start > chars:
        end = start + chars
        for mark in ("\n", ". ", " "):
            cut = text.rfind(mark, start + chars // 2, end)
            if cut >= 0:
                end = cut + len(mark)
                break
        yield start, end
        start = end
    if text[start:].strip():
        yield start, len(text)


_NONE: Final[frozenset[str]] = frozenset()
_NO_PAIRS: Final[frozenset[tuple[str, str]]] = frozenset()
# Sentences of one key that are looked at for windows; guess, more than any real passage has.
MAX_SENTENCES = 100
# Keys of more sentences than that whose marks are kept, a byte for each sentence: of 2 MB of prose
# 2 MB at most. Guess, more than several sentences of an answer ask for.
_MOST_MARKED = 64
_MOST_KNOWN = 16_384  # keys whose postings are kept; guess, more than most answers ask for
_MOST_WORDS = 1_000  # of one chunk that are noted at once; guess, more than most chunks have
_MOST_LATEST = 10  # chunks whose words are looked through one by one; guess, as most prompts have
_MOST_LATEST_WORDS = 2_000  # of these, that are put into the places at once; some 0.3 ms
# Between the chunks' token positions, so that no two chunks are "near" each other.
_POSITION_GAP = 64


class Posting(NamedTuple):
    """How many sentences hold a content key, its IDF, and the windows around the first of them.

    A window is told by its first sentence. Where more than `MAX_SENTENCES` hold the key, all of
    their windows are known by its marks (`Postings`).
    """

    df: int
    weight: float
    key: str
    windows: Sequence[int]


_DF, _WEIGHT = itemgetter(0), itemgetter(1)


class Postings:
    """The content keys of the chunks' sentences, which are numbered through all chunks."""

    def __init__(self, source: Source) -> None:
        self._source = source  # says of figures which sentences hold them
        self._sentences_of = Places()  # content key -> sentences that hold it, of others
        self._known: dict[str, Posting] = {}  # of the keys that were asked for
        self._marks = Memo(weakly(self._mark), most=_MOST_MARKED)  # of those of very many sentences
        # The keys of all sentences, of which word each is, and where those of a sentence end.
        self._keys = Texts()
        self._places, self._ends = array("H"), array("I")
        self._held: dict[int, frozenset[str]] = {}  # by sentence, of those that were asked for
        self._begins = array("I")  # of each sentence its first token's position
        self._positions = Memo(
            weakly(self._read_positions)
        )  # content key -> tokens, once asked for
        self._tokens = 0  # positions given out so far, gaps between the chunks included
        self._chunks = array("I")  # of each sentence
        self._follows = bytearray()  # per sentence: whether the one before is in its chunk

    def __len__(self) -> int:
        """Count the sentences."""
        return len(self._ends)

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return (self._sentences_of,)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        held = self._sentences_of.held_bytes
        return held + self._keys.held_bytes + 2 * len(self._keys) + 14 * len(self)

    def add(self, chunk: int, content: ContentColumns) -> None:
        """Add the next sentences of a chunk; those of a chunk follow one another."""
        number, many = len(self._ends), len(content.ends)
        if not many:
            return
        follows = number > 0 and self._chunks[-1] == chunk
        if not follows:
            self._tokens += _POSITION_GAP
        begin, at = len(self._keys), self._tokens
        self._keys.extend(content.keys)
        self._places += content.places
        self._ends.extend([begin + end for end in content.ends])
        for words in content.words:
            self._begins.append(at)
            at += words + 1
        self._tokens = at
        self._chunks.extend([chunk] * many)
        self._follows += bytes([follows]) + b"\1" * (many - 1)
        for each, held in enumerate(content.held, number):
            self._sentences_of.add_to_each(held, each)

    def of(self, keys: Iterable[str]) -> list[Posting]:
        """Return where each of the keys is held; to be asked once all sentences are added.

        IDF is ln((1 + N) / (1 + df)) + 1 over the sentences.
        """
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        found: list[Posting] = []
        for key in keys:
            posting = known.get(key)
            if posting is None:
                posting = known[key] = self._look_up(key)
            found.append(posting)
        return found

    def _look_up(self, key: str) -> Posting:
        is_value = key[:1] == "#"
        sentences = self.sentences_with(key) if is_value else self._sentences_of.of(key)
        if not sentences:
            return self.absent
        df, follows, windows, last = len(sentences), self._follows, list[int](), -1
        for sentence in sentences[:MAX_SENTENCES]:
            if sentence - 1 > last and follows[sentence]:
                windows.append(sentence - 1)
            windows.append(sentence)
            last = sentence
        return Posting(df, math.log((1 + len(self._ends)) / (1 + df)) + 1, key, windows)

    def _mark(self, key: str) -> bytearray:
        """Return a byte for each sentence: 1 where a window from it on may hold the key."""
        marks = bytearray(len(self) + 1)  # the last one is of the window before the first sentence
        for number in self.sentences_with(key):
            marks[number] = marks[number - 1] = 1
        return marks

    @lazy
    def absent(self) -> Posting:
        """The posting of every key that no sentence holds."""
        return Posting(0, math.log(1 + len(self._ends)) + 1, "", ())

    def sentences_with(self, key: str) -> Sequence[int]:
        """Return the numbers of the sentences that hold the key, in order."""
        found = self._sentences_of.of(key)
        if not key.startswith("#") or not (places := self._source.figures(key[1:])):
            return found
        units, sentences = self._source.unit_of, self._source.units.sentences
        return sorted({*found, *[sentences[units[place]] for place in places]})

    def keys_in(self, sentence: int) -> frozenset[str]:
        """Return the keys that a sentence holds."""
        found = self._held.get(sentence)
        if found is None:
            found = self._held[sentence] = frozenset(self._keys[slice(*self._span(sentence))])
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
        weights = [*map(_WEIGHT, postings)]
        held = sorted(filter(_DF, postings), key=_DF)
        totals: dict[int, float] = {}  # by window
        for df, weight, key, windows in held:
            # Keys come with the rarest first: a frequent one only weighs what a rarer one named.
            if df > MAX_SENTENCES and totals:
                marks = self._marks[key]
                windows = [window for window in totals if marks[window]]
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

    def _narrowed(self, window: int, keys: Collection[str]) -> tuple[int, int]:
        """Return both sentences of the window, or one of them if it has all their shared words."""
        last = window + 1
        if last == len(self) or not self._follows[last]:
            return window, window
        one, two = self.keys_in(window).intersection(keys), self.keys_in(last).intersection(keys)
        if one >= two:
            return window, window
        return (last, last) if one <= two else (window, last)

    def near(self, one: str, other: str, tokens: int) -> bool:
        """Return whether both keys occur within `tokens` word tokens of each other in one chunk."""
        ones, others = self._positions[one], self._positions[other]
        for position in ones if others else ():
            at = bisect_left(others, position - tokens)
            if at < len(others) and others[at] <= position + tokens:
                return True
        return False

    def _read_positions(self, key: str) -> Sequence[int]:
        found = array("I")
        for sentence in self.sentences_with(key):
            begin, (first, end) = self._begins[sentence], self._span(sentence)
            held = zip(self._keys[first:end], self._places[first:end], strict=True)
            found.extend([begin + place for one, place in held if one == key])
        return found

    def _span(self, sentence: int) -> tuple[int, int]:
        """Return where the keys of a sentence begin and end among those of all."""
        return self._ends[sentence - 1] if sentence else 0, self._ends[sentence]


class Tokens:
    """Words and pairs of neighbours of the chunks, added sentence by sentence."""

    def __init__(self, source: Source) -> None:
        self._source = source  # says of figures which chunks hold them, and pairs of them
        self._chunks_with = Places()  # word -> chunks that hold it, of others
        # The last chunks with their words, which are not in the places yet: most prompts have no
        # more, and few of their words are asked for.
        self._latest: list[tuple[int, set[str]]] = []
        self._latest_words = 0
        self._pairs = Members()
        self._chunk = -1  # that is being read
        self._words: set[str] = set()  # its words that are not noted yet
        self._last: str | None = None  # its last word: a pair may cross a sentence's end

    def add(
        self,
        chunk: int,
        words: Sequence[str],
        figures: frozenset[str] = _NONE,
        joined: frozenset[tuple[str, str]] = _NO_PAIRS,
    ) -> None:
        """Add the words of the next sentence; those of a chunk follow one another.

        `figures` are those, and `joined` those pairs, for which `Source.figures` is asked.
        """
        if chunk != self._chunk:
            self.end_chunk()
            self._chunk = chunk
        self._words.update([word for word in words if word not in figures] if figures else words)
        if len(self._words) > _MOST_WORDS:
            self._note()
        if words:
            if self._last is not None:
                self._pairs.update(((self._last, words[0]),))
            pairs = pairwise(words)
            self._pairs.update([pair for pair in pairs if pair not in joined] if joined else pairs)
            self._last = words[-1]

    def end_chunk(self) -> None:
        """Note the words of the chunk that was read, whose last sentence was added."""
        self._note()
        self._last = None

    def _note(self) -> None:
        if self._words:
            self._latest.append((self._chunk, self._words))
            self._latest_words += len(self._words)
            self._words = set()
            if len(self._latest) > _MOST_LATEST or self._latest_words > _MOST_LATEST_WORDS:
                self.finish()

    def finish(self) -> None:
        """Put all words into the places, before these are sealed."""
        for chunk, words in self._latest:
            self._chunks_with.add_to_each(words, chunk)
        self._latest, self._latest_words = [], 0

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return self._chunks_with, self._pairs

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        words = len(self._words) + self._latest_words
        return self._chunks_with.held_bytes + self._pairs.held_bytes + 110 * words

    def counts_of_chunks(self, words: Collection[str]) -> dict[str, int]:
        """Return how many chunks hold each word, once they have ended; without those of none."""
        found = {word: set(some) for word, some in self._chunks_with.items(words)}
        for chunk, held in self._latest:
            for word in held.intersection(words):
                found.setdefault(word, set()).add(chunk)
        for word in filter(str.isdecimal, words):
            if others := self._source.chunks_with_figure(word):
                found.setdefault(word, set()).update(others)
        return {word: len(chunks) for word, chunks in found.items()}

    def holds(self, word: str) -> bool:
        """Return whether a chunk that has ended holds a word."""
        if word in self._chunks_with or any(word in held for _, held in self._latest):
            return True
        return bool(self._source.figures(word))

    def held_pairs(self, words: Sequence[str]) -> list[bool]:
        """Return for each two neighbours in `words` whether a chunk holds them side by side."""
        pairs = [*pairwise(words)]
        held = self._pairs.among(pairs)
        if any(map(str.isdecimal, words)):
            figures = {pair for pair in set(pairs) - held if pair[0].isdecimal()}
            held.update([pair for pair in figures if self._source.are_joined(*pair)])
        return [*map(held.__contains__, pairs)]
