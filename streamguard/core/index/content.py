"""What a sentence is about: its word tokens and its content keys, numbers by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        stems = list(content_keys(words))
        return Content(words, tuple(filter(None, stems)), tuple(compress(count(), stems)))
    said, valued = _words_of(text, anchors, base)
    words = tuple(map(str.casefold, said))
    keys: list[str] = []
    places: list[int] = []
    for place, stem in enumerate(content_keys(words)):
        if place in valued:
            keys += valued[place]
            places += [place] * len(valued[place])
        elif stem:
            keys.append(stem)
            places.append(place)
    return Content(words, tuple(keys), tuple(places))


def _words_of(
    text: str, anchors: Sequence[Anchor], base: int
) -> tuple[list[str], dict[int, Sequence[str]]]:
    """Return the words, and by the place of each word of a value the keys that stand there."""
    words: list[str] = []
    valued: dict[int, Sequence[str]] = {}
    at = 0
    for anchor in anchors:
        start, end = anchor.start - base, anchor.end - base
        # No word holds a space: those before the last one are read without asking where they are.
        plain = text.rfind(" ", at, max(at, start)) + 1
        if plain > at:
            words += words_in(text[at:plain])
            at = plain
        keys: Sequence[str] = value_keys(anchor)
        for match in _WORD.finditer(text, at):
            if match.start() >= end:
                break
            at = match.end()
            if at > start:
                valued[len(words)] = keys  # at its first word, the others have none
                keys = ()
            words.append(match.group())
    words += words_in(text[at:])
    return words, valued


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
