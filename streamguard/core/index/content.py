"""What a sentence is about: its word tokens and its content keys, numbers by value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from typing import NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.text.words import content_keys, word_tokens, words_in
from streamguard.values import Anchor

_WORD = lazy_re(r"[^\W_]+(?:['-][^\W_]+)*")


class Content(NamedTuple):
    """`words`: case-folded word tokens; `keys`: content keys in the order of their words.

    A key is a stem, or `#` and a value for what stands in an anchor. `places` says of each key
    which word it is of, counted from 0.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    places: tuple[int, ...]


def content_of(text: str, anchors: Sequence[Anchor], base: int = 0) -> Content:
    """Return words and keys of folded `text`; its `anchors` count from `base` before it."""
    if not anchors:
        words = tuple(word_tokens(text))
        keys = list(content_keys(words))
        return Content(words, tuple(filter(None, keys)), tuple(compress(count(), keys)))
    said, at = _Said(), 0
    for anchor in anchors:
        start, end = anchor.start - base, anchor.end - base
        # No word holds a space: those before the last one are read without asking where they are.
        plain = text.rfind(" ", at, max(at, start)) + 1
        if plain > at:
            said.add(words_in(text[at:plain]))
            at = plain
        at = _read_near(text, at, anchor, (start, end), said)
    said.add(words_in(text[at:]))
    return Content(tuple(said.words), tuple(said.keys), tuple(said.places))


class _Said:
    """Words and keys so far."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.keys: list[str] = []
        self.places: list[int] = []

    def add(self, words: Iterable[str]) -> None:
        """Add words, as they are written, that belong to no value."""
        first = len(self.words)
        self.words += map(str.casefold, words)
        keys = list(content_keys(self.words[first:]))
        self.keys += filter(None, keys)
        self.places += compress(count(first), keys)

    def add_value(self, word: str, keys: Sequence[str]) -> None:
        """Add a word of a value, with the value's keys at the first one."""
        self.keys += keys
        self.places += [len(self.words)] * len(keys)
        self.words.append(word.casefold())


def _read_near(text: str, at: int, anchor: Anchor, span: tuple[int, int], said: _Said) -> int:
    """Read the words from `at` on up to the anchor's end; return where the last one ends."""
    start, end = span
    keys: Sequence[str] = value_keys(anchor)
    for match in _WORD.finditer(text, at):
        if match.start() >= end:
            break
        at = match.end()
        if at <= start:
            said.add((match.group(),))
        else:
            said.add_value(match.group(), keys)
            keys = ()
    return at


def value_keys(anchor: Anchor) -> list[str]:
    """Return the keys of an anchor's value: a date's parts, or the figure without its unit.

    The parts let a full date share its year and month with a vaguer one.
    """
    if anchor.kind == "date":
        return [f"#{part}" for part in anchor.key.replace("--", "").split("-") if part]
    if anchor.value is None:
        return [f"#{anchor.key}"]
    values = [anchor.value] if anchor.high is None else [anchor.value, anchor.high]
    return [f"#{format(value.normalize(), 'f')}" for value in values]


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
