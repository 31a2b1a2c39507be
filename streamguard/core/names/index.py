"""The names the sources hold, looked up by their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby, islice
from operator import and_
from typing import NamedTuple

from streamguard.core.names.reading import TOKEN, Name, fold_case, tokens_of
from streamguard.core.names.words import ABBREVIATIONS, INSTRUCTIONS, LEGAL_FORMS, SMALL, TITLES

_MAX_TEXTS = 32  # with all words of a name that are looked at for them in a row; guess
_MAX_UNREAD = 4  # texts whose words are read at once: most answers ask for no name; guess
# Acronyms of three to six letters are looked for as initials; two letters fit anything.
_ACRONYM_LENGTHS = range(3, 7)
_SHORTEST = 3  # letters of a word that makes a name like another one


class NameMatch(NamedTuple):
    """Whether the sources hold a name.

    Where they do not, the nearest word of it that they hold: chunk number and span in that chunk's
    text, or None everywhere.
    """

    found: bool
    chunk: int | None = None
    start: int | None = None
    end: int | None = None


class NameIndex:
    """Holds the words of the sources and in which texts they stand between calls."""

    def __init__(self) -> None:
        self._texts: list[tuple[int, str]] = []  # with the number of their chunk
        self._rows: list[str] = []  # the words of each text, a space on either side
        self._texts_with: dict[str, int] = {}  # of each word, a bit for every text
        self._initials: list[str] = []  # of each text's words, small ones left out

    def add(self, chunk: int, text: str) -> None:
        """Add the folded text of chunk number `chunk`."""
        self._texts.append((chunk, text))
        if len(self._texts) - len(self._rows) > _MAX_UNREAD:
            self._read()

    def _read(self) -> None:
        texts_with = self._texts_with
        for _, text in self._texts[len(self._rows) :]:
            tokens, bit = tokens_of(text), 1 << len(self._rows)
            self._rows.append(f" {' '.join(tokens)} ")
            self._initials.append("".join([token[0] for token in tokens if token not in SMALL]))
            for token in set(tokens):
                texts_with[token] = texts_with.get(token, 0) | bit

    def find(self, name: Name) -> NameMatch:
        """Look for the name's words in a row in one text; case, accents and hyphens do not matter.

        A name that begins a sentence may have an ordinary first word, a person a title, a company
        its legal form, a plural its singular; "A of B" is held by A and B apart, an acronym by the
        words whose initials it is, and they by it.
        """
        self._read()
        tokens = name.tokens
        if any(map(self._has_row, _ways(name))) or self._has_acronym(tokens):
            return NameMatch(True)
        parts = [[*part] for is_small, part in groupby(tokens, SMALL.__contains__) if not is_small]
        if len(parts) > 1 and all(map(self._has_row, parts)):
            return NameMatch(True)
        for token in sorted(set(tokens), key=lambda token: (-len(token), token)):
            if token in self._texts_with and len(token) >= _SHORTEST:
                chunk, text = self._texts[next(_bits(self._texts_with[token]))]
                nearest = next(one for one in TOKEN.finditer(fold_case(text)) if one[0] == token)
                return NameMatch(False, chunk, *nearest.span())
        return NameMatch(False)

    def _has_row(self, tokens: Sequence[str]) -> bool:
        texts = reduce(and_, (self._texts_with.get(token, 0) for token in tokens))
        row = f" {' '.join(tokens)} "
        return any(row in self._rows[number] for number in islice(_bits(texts), _MAX_TEXTS))

    def _has_acronym(self, tokens: Sequence[str]) -> bool:
        """Say whether the sources hold initials of the words, or words with these initials."""
        if len(tokens) > 1:
            initials = "".join(token[0] for token in tokens if token not in SMALL)
            return len(initials) in _ACRONYM_LENGTHS and initials in self._texts_with
        if len(tokens[0]) not in _ACRONYM_LENGTHS:
            return False
        return any(tokens[0] in initials for initials in self._initials)


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _ways(name: Name) -> Iterator[Sequence[str]]:
    tokens = name.tokens
    yield tokens
    if name.initial and (len(tokens) > 2 or (len(tokens) == 2 and tokens[0] in INSTRUCTIONS)):
        yield untitled(tokens[1:])
    yield untitled(tokens)
    if len(tokens) > 1 and tokens[-1] in LEGAL_FORMS:
        yield tokens[:-1]
    last = tokens[-1]
    singular = last.removesuffix("s")
    yield *tokens[:-1], (f"{last}s" if last == singular else singular)
    if len(tokens) == 1:
        yield from ABBREVIATIONS.get(last, ())
        yield from ABBREVIATIONS.get(singular, ())


def untitled(tokens: Sequence[str]) -> Sequence[str]:
    """Return a name's words behind the titles before it; the last is never taken for one."""
    at = 0
    while at < len(tokens) - 1 and tokens[at] in TITLES:
        at += 1
    return tokens[at:]
