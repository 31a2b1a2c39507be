"""The names the sources hold: their words in order, and which words they use in small letters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice, pairwise

from streamguard.core.names.reading import Name, fold_case, token_spans, tokens_of
from streamguard.core.names.words import (
    ABBREVIATIONS,
    INSTRUCTIONS,
    LEGAL_FORMS,
    SMALL,
    TITLES,
)
from streamguard.text.patterns import lazy_re

_LOWER_WORD = lazy_re(r"(?<![^\W_])[^\W\d_]+")
# Places of one pair of tokens that are compared for a longer name; guess.
_MAX_PLACES = 32
_MAX_ALIKE = 1_000  # tokens that are compared with those of one name; no name has a tenth; guess
# Texts read for their words in small letters at once: of a large context slice by slice, so that no
# one question has to wait for all of them; guess, 12,000 characters take 1 ms.
_MAX_UNREAD = 8
_MAX_WAITING = 3_000  # characters whose tokens are read at once; most answers ask for no name
# Acronyms of three to six letters are looked for as initials; two letters fit anything.
_ACRONYM_LENGTHS = range(3, 7)


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Where the sources hold a name: chunk number, span in that chunk's text, and the words there.

    Not `found`: the nearest name of the sources that shares a word, or None everywhere. `found`
    without a place: all its words are ordinary ones there.
    """

    found: bool
    chunk: int | None
    start: int | None
    end: int | None
    text: str | None


class NameIndex:
    """Holds the words of the sources and where they stand between calls."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._waiting: list[tuple[int, str]] = []  # texts whose tokens are not read yet
        self._waiting_chars = 0
        # Every token of every text in order; where each text's tokens begin.
        self._tokens: list[str] = []
        self._spans: dict[int, list[tuple[int, int]]] = {}  # of texts in which a name was found
        self._begins: list[int] = []
        self._chunks: list[int] = []
        # The first place of a token, and the first and further places of two side by side.
        self._first: dict[str, int] = {}
        self._pairs: dict[tuple[str, str], int] = {}
        self._more: dict[tuple[str, str], list[int]] = {}
        # Built on first need: most answers never ask.
        self._lower: set[str] = set()
        self._unread: list[str] = []  # texts whose small letters are not among these yet
        self._initials: tuple[Sequence[int], str, str] | None = None

    def add(self, chunk: int, text: str) -> None:
        """Add the folded text of chunk number `chunk`."""
        self._texts[chunk] = text
        self._unread.append(text)
        if len(self._unread) == _MAX_UNREAD:
            self._read_lower()
        self._waiting.append((chunk, text))
        self._waiting_chars += len(text)
        if self._waiting_chars > _MAX_WAITING:
            self._read_waiting()

    def _read_waiting(self) -> None:
        for chunk, text in self._waiting:
            self._read(chunk, text)
        self._waiting.clear()
        self._waiting_chars = 0
        self._initials = None

    def _read(self, chunk: int, text: str) -> None:
        self._begins.append(len(self._tokens))
        self._chunks.append(chunk)
        tokens = tokens_of(text)
        begin = len(self._tokens)
        self._tokens += tokens
        first, pairs = self._first, self._pairs
        for at, token in enumerate(tokens, begin):
            if token not in first:
                first[token] = at
        # No row of tokens runs on from the text before.
        known = map(pairs.setdefault, pairwise(tokens), count(begin))
        for at in [at for at, first in enumerate(known, begin) if first != at]:
            self._add_place((self._tokens[at], self._tokens[at + 1]), at)

    def _add_place(self, pair: tuple[str, str], at: int) -> None:
        places = self._more.setdefault(pair, [])
        if len(places) < _MAX_PLACES:
            places.append(at)

    def uses_lower(self, word: str) -> bool:
        """Say whether the sources use `word` as an ordinary lower-case word."""
        if self._unread:
            self._read_lower()
        return word.lower() in self._lower

    def _read_lower(self) -> None:
        for text in self._unread:
            self._lower.update(word for word in _LOWER_WORD.findall(text) if word.islower())
        self._unread.clear()

    def find(self, name: Name) -> NameMatch:
        """Look for the name's words in a row; case, accents, hyphens and a plural do not matter.

        A name that begins a sentence may have an ordinary first word; "A of B" is also held by A
        and B apart; an acronym by the words whose initials it is; a company with its legal form by
        its name alone, a person with a title likewise; words that the sources all use in small
        letters name nothing.
        """
        if self._waiting:
            self._read_waiting()
        tokens = name.tokens
        place = self._row(tokens) or self._parts(tokens)
        if place is None and name.initial and self._opens(tokens):
            rest = tokens[1:]
            place = self._row(rest) or self._parts(rest) or self._entitled(rest)
        if place is None and len(tokens) > 1 and tokens[-1] in LEGAL_FORMS:
            place = self._row(tokens[:-1])
        if place is None and len(tokens) > 1 and tokens[0] in TITLES:
            place = self._entitled(tokens)
        if place is None:
            place = self._spelled_out(tokens[0]) if len(tokens) == 1 else self._abbreviated(tokens)
        if place is not None:
            return self._match(*place, found=True)
        if len(tokens) > 1 and all(self._ordinary(token) for token in tokens):
            return NameMatch(True, None, None, None, None)
        for token in sorted(set(tokens), key=lambda token: (-len(token), token)):
            at = self._at(token)
            if at is not None and len(token) > 2:
                return self._match(at, at, found=False)
        return NameMatch(False, None, None, None, None)

    def _opens(self, tokens: Sequence[str]) -> bool:
        """Say whether the first word may belong to the sentence and not to the name.

        Before a single word it must be an ordinary one: "Smith" is no evidence of "John Smith".
        """
        return len(tokens) > 2 or (
            len(tokens) == 2 and (tokens[0] in INSTRUCTIONS or self._ordinary(tokens[0]))
        )

    def _ordinary(self, token: str) -> bool:
        return token in SMALL or self.uses_lower(token)

    def _match(self, first: int, last: int, *, found: bool) -> NameMatch:
        number = bisect_right(self._begins, first) - 1
        chunk, begin = self._chunks[number], self._begins[number]
        spans = self._spans.get(number)
        if spans is None:
            spans = self._spans[number] = token_spans(fold_case(self._texts[chunk]))
        start, end = spans[first - begin][0], spans[last - begin][1]
        return NameMatch(found, chunk, start, end, self._texts[chunk][start:end])

    def _at(self, token: str) -> int | None:
        at = self._first.get(token)
        return self._first.get(_other_number(token)) if at is None else at

    def _row(self, tokens: Sequence[str]) -> tuple[int, int] | None:
        """Return the first and last token of a row of `tokens`, which is not empty."""
        if len(tokens) == 1:
            at = self._at(tokens[0])
            return None if at is None else (at, at)
        for at in islice(self._pair(tokens[0], tokens[1]), 1 + _MAX_ALIKE // len(tokens)):
            last = at + len(tokens) - 1
            row = self._tokens[at : last + 1]
            if (
                len(row) == len(tokens)
                and all(map(_alike, row, tokens))
                and self._in_one_text(at, last)
            ):
                return at, last
        return None

    def _in_one_text(self, first: int, last: int) -> bool:
        """Say whether two tokens stand in one text: no name runs on into the next one."""
        return bisect_right(self._begins, first) == bisect_right(self._begins, last)

    def _pair(self, first: str, second: str) -> Iterator[int]:
        for one in (first, _other_number(first)):
            for two in (second, _other_number(second)):
                at = self._pairs.get((one, two))
                if at is not None:
                    yield at
                    yield from self._more.get((one, two), ())

    def _parts(self, tokens: tuple[str, ...]) -> tuple[int, int] | None:
        """Return the place of the first of the parts that small words join, if all are held."""
        parts: list[list[str]] = [[]]
        for token in tokens:
            if token in SMALL:
                parts.append([])
            else:
                parts[-1].append(token)
        rows = [self._row(part) for part in parts if part]
        if len(rows) < 2 or None in rows:
            return None
        return rows[0]

    def _entitled(self, tokens: Sequence[str]) -> tuple[int, int] | None:
        """Return the place of a name behind its titles ("Professor Weber": "Dr. Weber").

        "General Assembly" is not held by a name that the sources use in small letters too.
        """
        bare = untitled(tokens)
        return None if all(map(self._ordinary, bare)) else self._row(bare)

    def _spelled_out(self, acronym: str) -> tuple[int, int] | None:
        """Return the words whose initials are `acronym` ("World Health Organization": WHO).

        Small words may count ("single sign-on": SSO) or not; everyday abbreviations are listed.
        """
        for short in (acronym, acronym.removesuffix("s")):
            for words in ABBREVIATIONS.get(short, ()):
                place = self._row(words)
                if place is not None:
                    return place
        if len(acronym) not in _ACRONYM_LENGTHS:
            return None
        if self._initials is None:
            self._initials = self._read_initials()
        for initials in (acronym, _other_number(acronym)):
            if len(initials) in _ACRONYM_LENGTHS:
                place = self._initials_at(initials, *self._initials)
                if place is not None:
                    return place
        return None

    def _initials_at(
        self, initials: str, places: Sequence[int], few: str, every: str
    ) -> tuple[int, int] | None:
        """Return the words with these initials: content words, or one small word among them."""
        behind = len(initials) - 1
        at = few.find(initials)
        if at >= 0:
            return places[at], places[at + behind]
        at = every.find(initials)
        while at >= 0:
            small = [token in SMALL for token in self._tokens[at : at + behind + 1]]
            if not small[0] and sum(small) == 1:
                return at, at + behind
            at = every.find(initials, at + 1)
        return None

    def _abbreviated(self, tokens: Sequence[str]) -> tuple[int, int] | None:
        """Return the acronym that stands for the words ("WHO")."""
        initials = "".join(token[0] for token in tokens if token not in SMALL)
        at = self._first.get(initials) if len(initials) in _ACRONYM_LENGTHS else None
        return None if at is None else (at, at)

    def _read_initials(self) -> tuple[Sequence[int], str, str]:
        """Return the places of the tokens that are no small words, their first letters, and all."""
        places = [at for at, token in enumerate(self._tokens) if token not in SMALL]
        letters = "".join([token[0] for token in self._tokens])
        return places, "".join([letters[at] for at in places]), letters


def untitled(tokens: Sequence[str]) -> Sequence[str]:
    """Return a name's words behind the titles before it; the last is never taken for one."""
    at = 0
    while at < len(tokens) - 1 and tokens[at] in TITLES:
        at += 1
    return tokens[at:]


def _alike(first: str, second: str) -> bool:
    return first == second or first == _other_number(second)


def _other_number(token: str) -> str:
    """Return the plural of a singular and the singular of a plural, in "s" alone."""
    return token[:-1] if len(token) > 2 and token.endswith("s") else f"{token}s"
