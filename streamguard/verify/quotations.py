"""Finds a judge's quotations in the passages, and checks that they concern a claim.

The comparison ignores white space, punctuation, markup and case, but not figures and their signs. A
quotation may omit words with an ellipsis or add words in brackets. Its place is exact all the same,
in code points of the chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from streamguard.core.index.content import content_of
from streamguard.core.model.types import Quotation
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import Folded, fold
from streamguard.text.patterns import lazy_re
from streamguard.values import read_anchors
from streamguard.verify.injection import is_injection

MAX_QUOTED_WORDS = 80  # four times the number asked for; the longest of judge_dev has 29
MAX_LEFT_OUT = 300  # characters that an ellipsis may stand for; guess, two sentences
NEAR = 200  # characters before and after a quotation that show its subject; guess, a row's head

# Letters and figures, and the signs next to a figure that change it.
_TOKEN = lazy_re(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # written without spaces
    r"|\d+(?:[.,:]\d+)*|[^\W\d_]+|[$€£¥₹%‰°²³]|[<>≤≥=±](?=\s?\d)|(?<!\w)-(?=\d)"
)
_THOUSANDS = lazy_re(r"\d{1,3}(?:,\d{3})+")
_LEFT_OUT = lazy_re(r"[\[(]\s?(?:…|\.\.\.)\s?[\])]|…|\.{3,}|\[[^\[\]\n]{0,60}\]")
_LABELLED = lazy_re(r"\s*P[0-9]{1,6}\s*[:,)\]–-]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A quotation's place: the passage, and the span in the passage's own text."""

    passage: int
    start: int
    end: int


class QuotedPassages:
    """The passages in which quotations are looked up, limited to the parts shown to the judge.

    `shown` lists these parts: passage number, offset of the part, and its text; None for all
    passages in full.
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[str],
        shown: Sequence[tuple[int, int, str]] | None = None,
    ) -> None:
        self.texts = texts
        self.labels = labels
        self._shown = [(n, 0, text) for n, text in enumerate(texts)] if shown is None else shown

    @cached_property
    def _read(self) -> list[_Squeezed]:
        return [_squeezed(text) for _, _, text in self._shown]

    def find(self, quote: str, first: int | None = None) -> list[Place]:
        """Return the places of a quotation, one per part of it; empty if it stands nowhere.

        Passage number `first` is searched before the others.
        """
        labelled = _LABELLED.match(quote)
        for form in (quote, quote[labelled.end() :]) if labelled else (quote,):
            complete = _needle(form)
            parts = [needle for part in _LEFT_OUT.split(form) if (needle := _needle(part))]
            if not complete or sum(count for _, count in parts) > MAX_QUOTED_WORDS:
                continue
            for number, base, text in self._in_order(first):
                found = _found(text, [complete]) or _found(text, parts if len(parts) > 1 else [])
                if found:
                    return [Place(number, base + start, base + end) for start, end in found]
        return []

    def _in_order(self, first: int | None) -> list[tuple[int, int, _Squeezed]]:
        """Return each part with its passage's number and offset, those of `first` first."""
        parts = [
            (number, base, text)
            for (number, base, _), text in zip(self._shown, self._read, strict=True)
        ]
        return sorted(parts, key=lambda part: part[0] != first)

    def quotation(self, place: Place) -> Quotation:
        """Return a place in the form that results have."""
        words = self.texts[place.passage][place.start : place.end]
        return Quotation(words, self.labels[place.passage], place.start, place.end)

    def words(self, place: Place, around: int = 0) -> str:
        """Return the words at a place, with `around` characters before and after."""
        return self.texts[place.passage][max(0, place.start - around) : place.end + around]

    def is_injection(self, place: Place) -> bool:
        """Return whether the quotation, or the text around it, instructs the judge."""
        return is_injection(self.words(place, NEAR))

    def speak_of(self, places: Sequence[Place], sentence: Sentence) -> bool:
        """Return whether the quotations concern the same subject as the sentence.

        They must share more than one word or value, one of them with the sentence itself. Words of
        the sentence count twice as much as those of its question and of the two sentences before
        it, words in a quotation twice as much as those near it. The rule holds for 98 % of 459
        quotations of a capable judge, for all of those that contradict, and for 1 % of as many
        sentences of other documents; one shared word holds for 95 %, 88 % and 4 %
        (benchmarks/judge_quotations.py).
        """
        own = _keys(sentence.text)
        before = [one.text for one in sentence.scope.earlier[-2:]]
        others = _keys("\n".join((sentence.scope.context.query or "", *before))) - own
        quoted = _keys("\n".join(self.words(place) for place in places))
        near = _keys("\n".join(self.words(place, NEAR) for place in places)) - quoted
        if own and own.isdisjoint(quoted | near):
            return False
        weights = ((4, quoted, own), (2, quoted, others), (2, near, own), (1, near, others))
        return sum(weight * len(here & there) for weight, here, there in weights) >= _ENOUGH


_ENOUGH = 8
_BEGINNING = 4  # letters that forms of a word share: "maintaining", "maintenance"


def _keys(text: str) -> set[str]:
    folded = fold(text).text
    keys = content_of(folded, read_anchors(folded)).keys
    return {key if key[0] == "#" else key[:_BEGINNING] for key in keys}


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """A text's tokens without the characters between them, each with its start and end."""

    folded: Folded
    text: str
    begins: Sequence[int]  # of each token in `text`, and its end
    spans: Sequence[tuple[int, int]]  # of each token in the folded text


def _squeezed(text: str) -> _Squeezed:
    folded = fold(text)
    parts: list[str] = []
    begins: list[int] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for token, span in _tokens(folded.text):
        begins.append(length)
        spans.append(span)
        parts.append(token)
        length += len(token)
    begins.append(length)
    return _Squeezed(folded, "".join(parts), begins, spans)


def _tokens(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in _TOKEN.finditer(text):
        word = match.group().casefold()
        if word[0].isdigit():
            if _THOUSANDS.fullmatch(word):
                word = word.replace(",", "")
            word = f"#{word}#"  # so that two figures side by side are not one
        yield word, match.span()


def _needle(text: str) -> tuple[str, int] | None:
    """Return the words in their normalised form, and their number; None without any."""
    found = [token for token, _ in _tokens(fold(text).text)]
    return ("".join(found), len(found)) if found else None


def _found(text: _Squeezed, needles: Sequence[tuple[str, int]]) -> list[tuple[int, int]]:
    """Return the spans of all needles, in order and close together; else none."""
    several, after = len(needles) > 1, 0
    places: list[tuple[int, int]] = []
    for needle, count in needles:
        if several and count < 2:
            return []
        first = _token_of(text, needle, after)
        if first is None:
            return []
        last = bisect_left(text.begins, text.begins[first] + len(needle)) - 1
        start, end = text.folded.span(text.spans[first][0], text.spans[last][1])
        if places and start - places[-1][1] > MAX_LEFT_OUT:
            return []
        places.append((start, end))
        after = text.begins[first] + len(needle)
    return places


def _token_of(text: _Squeezed, needle: str, after: int) -> int | None:
    """Return the first token from which complete tokens form the needle, None without one."""
    at = text.text.find(needle, after)
    while at >= 0:
        first = bisect_left(text.begins, at)
        behind = bisect_left(text.begins, at + len(needle))
        if at in text.begins[first : first + 1] and text.begins[behind] == at + len(needle):
            return first
        at = text.text.find(needle, at + 1)
    return None
