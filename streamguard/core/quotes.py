"""Quotations of an answer, and where the chunks hold their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from streamguard.core.normalise import Folded, fold

# Hyphens and apostrophes cut: passages often lack them ("a few hours worth").
_WORD = re.compile(r"[^\W_]+")
# Folded text knows the plain quotes only: one opens behind a space, so that no apostrophe, inch or
# closing mark does. A quotation that goes on in the next sentence ends with this one. Bounded, and
# no quote inside: linear.
_OPENS = r"(?<![^\s(\[—*_-])"
_QUOTED = re.compile(
    rf"{_OPENS}\"(?=[^\s\"])([^\"\n]{{1,1000}})(?:\"|\s*\Z)"
    rf"|{_OPENS}'(?=\w)([^'\"\n]{{8,400}})'(?!\w)"
)
# What a writer leaves out or puts in: "the plan … costs", "the [Basic] plan".
_LEFT_OUT = re.compile(r"\[[^\]]{0,60}\]|\.{3,}|…|(?:\. ){2,3}\.")
MIN_WORDS = 3  # fewer are a term or an ironic word
# Places of one word that are looked at for the words most like a quotation; guess.
_MAX_PLACES = 64
_SMALL = frozenset("a an and as at by for from in of on or the to with".split())


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted words: their half-open span in the folded sentence, marks excluded, and their parts.

    A part is a run of case-folded words with nothing left out.
    """

    start: int
    end: int
    text: str
    parts: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All its words, in order."""
        return tuple(word for part in self.parts for word in part)


@dataclass(frozen=True, slots=True)
class Likeness:
    """The place most like a quotation: the share of its words that stand there in its order.

    `chunk` and the half-open span say where; `stitched` says that two runs of words, each held by
    some chunk, make up the quotation.
    """

    share: float
    chunk: int
    start: int
    end: int
    stitched: bool


def quotes_in(text: str) -> Iterator[Quote]:
    """Yield the quotations of folded `text` that are long enough to be checked, titles left out."""
    if '"' not in text and "'" not in text:
        return
    for found in _QUOTED.finditer(text):
        group = 1 if found[1] is not None else 2
        if not _is_title(found[group]):
            parts = tuple(
                tuple(words)
                for part in _LEFT_OUT.split(found[group])
                if (words := _WORD.findall(part.casefold()))
            )
            quote = Quote(found.start(group), found.end(group), found[group], parts)
            if len(quote.words) >= MIN_WORDS:
                yield quote


def _is_title(text: str) -> bool:
    """Say whether all but the small words are capitalised: a title, a label, a name."""
    words: list[str] = [word for word in _WORD.findall(text) if word.casefold() not in _SMALL]
    capitals = sum(word[0].isupper() or word[0].isdigit() for word in words)
    return 5 * capitals >= 4 * len(words)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of chunk number `chunk`, from `start` on."""

    chunk: int
    start: int
    text: str


class Phrases:
    """The words of some parts of the chunks by their places."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self._regions = regions
        self._folded: list[Folded] = []
        self._words: list[list[str]] = []  # by region
        self._spans: list[list[tuple[int, int]]] = []  # by region, into the folded text
        self._places: dict[str, list[tuple[int, int]]] = {}  # word -> region, number of the word
        for region, part in enumerate(regions):
            folded = fold(part.text)
            found = list(_WORD.finditer(folded.text))
            self._folded.append(folded)
            self._words.append([word[0].casefold() for word in found])
            self._spans.append([word.span() for word in found])
            for number, word in enumerate(self._words[-1]):
                self._places.setdefault(word, []).append((region, number))

    def holds(self, quote: Quote) -> bool:
        """Say whether one region holds the parts of a quotation, one after the other."""
        rarest = min(quote.parts[0], key=lambda word: len(self._places.get(word, ())))
        offset = quote.parts[0].index(rarest)
        places = self._places.get(rarest, ())[:_MAX_PLACES]
        return any(self._follow(quote, region, number - offset) for region, number in places)

    def _follow(self, quote: Quote, region: int, start: int) -> bool:
        words, first = self._words[region], len(quote.parts[0])
        if start < 0 or tuple(words[start : start + first]) != quote.parts[0]:
            return False
        at = start + first
        for part in quote.parts[1:]:
            found = self._next(part, region, at)
            if found is None:
                return False
            at = found + len(part)
        return True

    def _next(self, part: tuple[str, ...], region: int, at: int) -> int | None:
        """Return where `part` begins in the region from word number `at` on."""
        words = self._words[region]
        for place, number in self._places.get(part[0], ())[:_MAX_PLACES]:
            fits = place == region and number >= at
            if fits and tuple(words[number : number + len(part)]) == part:
                return number
        return None

    def most_like(self, quote: Quote) -> Likeness | None:
        """Return the place whose words stand most like the quotation's, None where none does."""
        words = quote.words
        votes: Counter[tuple[int, int]] = Counter()
        for offset, word in enumerate(words):
            for region, number in self._places.get(word, ())[:_MAX_PLACES]:
                votes[region, number - offset] += 1
        if not votes:
            return None
        best = max(votes, key=lambda place: (_near(votes, place), -place[0], -place[1]))
        at, start = best
        held = _near(votes, best)
        spans = self._spans[at]
        first = max(0, min(start, len(spans) - 1))
        last = max(first, min(start + len(words), len(spans)) - 1)
        begin, end = self._folded[at].span(spans[first][0], spans[last][1])
        part, share = self._regions[at], min(1.0, held / len(words))
        begin, end = part.start + begin, part.start + end
        return Likeness(share, part.chunk, begin, end, self._stitched(words))

    def _stitched(self, words: tuple[str, ...]) -> bool:
        """Say whether the quotation is two runs of words that regions hold, at least three each."""
        longest = self._run(words)
        return 3 <= longest <= len(words) - 3 and self._run(words[longest:]) == len(words) - longest

    def _run(self, words: tuple[str, ...]) -> int:
        """Return how many of the first words some region holds side by side."""
        best = 0
        for region, number in self._places.get(words[0], ())[:_MAX_PLACES]:
            there = self._words[region][number : number + len(words)]
            same = takewhile(lambda pair: pair[0] == pair[1], zip(there, words, strict=False))
            best = max(best, sum(1 for _ in same))
        return best


def _near(votes: Counter[tuple[int, int]], place: tuple[int, int]) -> int:
    """Return the votes of a place and of those a word or two before and behind it."""
    region, start = place
    return sum(votes.get((region, start + shift), 0) for shift in (-2, -1, 0, 1, 2))
