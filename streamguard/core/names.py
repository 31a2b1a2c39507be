"""Proper names: how they are written, and which of them the sources hold."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# The published pattern, word for word (`\b` before a capital written as a look-behind: the same
# matches at half the cost).
NAME_PATTERN = re.compile(r"[A-Z](?<!\w[A-Z])[a-z]+(?:\s+[A-Z][a-z]+)+\b")

# Upper-case letters of the scripts that have case, up to Cherokee and Latin Extended Additional.
_UPPER = "".join(
    char for char in map(chr, [*range(0x41, 0x590), *range(0x1E00, 0x2000)]) if char.isupper()
)
_WORD = r"[^\W_]+(?:['.&-][^\W_]+)*"
# One name: words that begin with a capital, or mixed ones ("iPhone"), joined by single spaces;
# at most three particles between two of them; a figure may follow ("iPhone 15 Pro").
_PARTICLES = (
    "of|the|van|von|der|den|de|del|della|di|da|do|dos|das|du|la|le|les|el|al|bin|ibn|ben|ter|ten"
    "|zu|zur|y|e|af|av|für|and|&"
)
_CAPITAL = rf"(?:[{_UPPER}][^\W_]*(?:['.&-][^\W_]+)*|[a-z]{{1,3}}[A-Z][^\W_]*)"
_NAME = re.compile(
    rf"(?<![^\W_])(?<![\w]['.@/-]){_CAPITAL}"
    rf"(?:\.?[ ](?:(?:{_PARTICLES})[ ]){{0,3}}(?:{_CAPITAL}|\d{{1,4}}[A-Za-z]?(?![\w.,:%])))*"
)
_TOKEN = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?:^|[.!?:;\n]|\d[.)])[\s\"'(*_#>\[-]*$")

# Words that begin sentences and are never part of a name there.
_STARTERS = frozenset(
    """a an the this that these those here there it its he she they we you i his her their our your my
    and but or nor so yet for if when while where why what which who whom whose how whether because
    since although though unless until after before once as at by in on of to from with without
    within into onto over under about above below between among during through throughout across
    against along around behind beyond despite except inside outside per than toward towards upon via
    however therefore moreover furthermore additionally also finally first firstly second secondly
    third thirdly lastly next then thus hence instead meanwhile nevertheless nonetheless otherwise
    overall similarly likewise consequently accordingly indeed still further generally typically
    usually often sometimes rarely specifically particularly especially notably importantly
    interestingly unfortunately fortunately basically essentially ultimately currently recently
    originally initially previously today yes no not all any both each either every few many more most
    much neither none one other others another same several some such two three four five six seven
    eight nine ten only just even please note according based given depending due compared regarding
    additional is are was were be been being am do does did has have had can could may might must shall
    should will would let answer question passage passages source sources context document documents
    step mr mrs ms""".split()
)
_POSSESSIVE = re.compile(r"'s?$")


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name at [start, end) of the text that was read.

    `tokens` are case-folded without accents, split at hyphens, apostrophes and dots, possessive
    "'s" removed. `initial`: it begins a sentence, so its first word may be an ordinary one.
    """

    start: int
    end: int
    text: str
    tokens: tuple[str, ...]
    initial: bool = False


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Where the sources hold a name: chunk number, span in that chunk's text, and the words there.

    Not `found`: the nearest name of the sources that shares a word, or None everywhere.
    """

    found: bool
    chunk: int | None
    start: int | None
    end: int | None
    text: str | None


def literal_names(text: str) -> list[tuple[int, int]]:
    """Return the spans of the published name pattern's matches."""
    return [found.span() for found in NAME_PATTERN.finditer(text)]


def read_names(text: str) -> tuple[Name, ...]:
    """Return the names of `text` in order: names of several words, acronyms, mixed-case products.

    A single capitalised word is no name unless it is an acronym, mixed in case or holds a digit.
    Linear in the length of the text.
    """
    names = []
    for found in _NAME.finditer(text):
        name = _trimmed(text, found.start(), found.end())
        if name is not None:
            names.append(name)
    return tuple(names)


def _trimmed(text: str, start: int, end: int) -> Name | None:
    """Drop leading sentence words and a possessive; None where no name is left."""
    initial = bool(_SENTENCE_END.search(text, max(0, start - 12), start))
    words = _words(text, start, end)
    while words and words[0][2].casefold() in _STARTERS:
        del words[0]
        initial = False
    while words and not _may_end(words[-1][2]):
        del words[-1]
    if not words or (len(words) == 1 and not _single(words[0][2])):
        return None
    start, end = words[0][0], words[-1][1]
    written = text[start:end]
    bare = _POSSESSIVE.sub("", written)
    return Name(start, start + len(bare), bare, tokens_of(bare), initial)


def _words(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    return [
        (found.start(), found.end(), found[0])
        for found in re.compile(r"[^ ]+").finditer(text, start, end)
    ]


def _may_end(word: str) -> bool:
    return not word.islower() or word[0].isdigit()


def _single(word: str) -> bool:
    """Say whether one word alone is a name: acronym, mixed case, or letters with digits."""
    bare = _POSSESSIVE.sub("", word)
    letters = [char for char in bare if char.isalpha()]
    if len(bare) < 2 or len(letters) < 1:
        return False
    upper = sum(char.isupper() for char in letters)
    return upper >= 2 or any(char.isdigit() for char in bare)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the case-folded words of `text` without accents, possessive "'s" removed."""
    return tuple(token for token, _, _ in _tokens(text))


def _tokens(text: str) -> list[tuple[str, int, int]]:
    tokens = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in ("s", "S") and text[found.start() - 1 : found.start()] == "'" and tokens:
            continue
        tokens.append((fold(token), found.start(), found.end()))
    return tokens


def fold(token: str) -> str:
    """Case-fold a word and drop its accents: "Škoda" and "skoda" are one name."""
    if token.isascii():
        return token.lower()
    decomposed = unicodedata.normalize("NFKD", token.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


# Places of one word that are compared for a name; guess.
_MAX_PLACES = 2_000


class NameIndex:
    """Holds the words of the sources and where they stand between calls."""

    def __init__(self) -> None:
        self._tokens: list[str] = []
        self._places: list[tuple[int, int, int]] = []
        self._texts: dict[int, str] = {}
        self._at: dict[str, list[int]] = {}
        self._lower: set[str] = set()
        self._initials: dict[str, tuple[int, int, int]] = {}

    def add(self, chunk: int, text: str) -> None:
        """Add the folded text of chunk number `chunk`."""
        self._texts[chunk] = text
        for token, start, end in _tokens(text):
            self._at.setdefault(token, []).append(len(self._tokens))
            self._tokens.append(token)
            self._places.append((chunk, start, end))
            if text[start].islower():
                self._lower.add(token)
        self._tokens.append("")  # no name runs on into the next chunk
        self._places.append((chunk, len(text), len(text)))
        for name in read_names(text):
            if len(name.tokens) > 1:
                letters = "".join(token[0] for token in name.tokens if token not in _SMALL)
                self._initials.setdefault(letters, (chunk, name.start, name.end))

    def uses_lower(self, word: str) -> bool:
        """Say whether the sources use `word` as an ordinary lower-case word."""
        return fold(word) in self._lower

    def find(self, name: Name) -> NameMatch:
        """Look for the name's words in a row; case, accents and hyphens do not matter."""
        place = self._place(name.tokens)
        if place is None and name.initial and len(name.tokens) > 1:
            place = self._place(name.tokens[1:])
        if place is None and len(name.tokens) == 1 and len(name.tokens[0]) > 2:
            place = self._initials.get(name.tokens[0])
        if place is not None:
            return self._match(place, found=True)
        for token in sorted(set(name.tokens), key=len, reverse=True):
            if token in self._at and len(token) > 2:
                chunk, start, end = self._places[self._at[token][0]]
                return self._match((chunk, start, end), found=False)
        return NameMatch(False, None, None, None, None)

    def _match(self, place: tuple[int, int, int], *, found: bool) -> NameMatch:
        chunk, start, end = place
        return NameMatch(found, chunk, start, end, self._texts[chunk][start:end])

    def _place(self, tokens: tuple[str, ...]) -> tuple[int, int, int] | None:
        if any(token not in self._at for token in tokens):
            return None
        rarest = min(range(len(tokens)), key=lambda index: len(self._at[tokens[index]]))
        for at in self._at[tokens[rarest]][:_MAX_PLACES]:
            first = at - rarest
            if first >= 0 and tuple(self._tokens[first : first + len(tokens)]) == tokens:
                chunk, start, _ = self._places[first]
                return chunk, start, self._places[first + len(tokens) - 1][2]
        return None


_SMALL = frozenset("of the and for de la le du von van der".split())
