"""Word tokens, content words and stems: the units of coverage and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from string import ascii_letters, digits
from typing import TypeVar

from streamguard.text.normalise import unaccented
from streamguard.text.patterns import lazy_re

T = TypeVar("T")

_WORD = lazy_re(r"[^\W_]+(?:['-][^\W_]+)*")
_PART = lazy_re(r"[^\W_]+")

# Words that carry no claim by themselves. Function words only: a negation or a modal decides what
# a sentence says, but whether a passage holds it says nothing about support.
STOP_WORDS = frozenset(
    """
    a an the this that these those such same i me my mine myself we us our ours ourselves you your
    yours yourself yourselves he him his himself she her hers herself it its itself they them their
    theirs themselves who whom whose which what when where why how and or but nor so yet if then
    else than as because while although though unless until whether of in on at by for with about
    against between into through during before after above below to from up down out off over under
    again further once onto upon within without toward towards via per among along across around am
    is are was were be been being do does did doing done have has had having can could will would
    shall should may might must ought not no don't doesn't didn't isn't aren't wasn't weren't won't
    wouldn't can't cannot couldn't shouldn't hasn't haven't hadn't i'm you're he's she's it's we're
    they're i've you've we've they've i'll you'll we'll they'll i'd you'd we'd they'd that's
    there's here's what's let's there here also too very just only even ever still already almost
    quite rather any all both each few more most some other another every either neither own many
    much several yes please something anything everything somewhere anywhere whereas instead
    however moreover furthermore additionally meanwhile now therefore thus hence whenever wherever
    whatever besides likewise namely regarding concerning despite simply actually really indeed
    altogether together roughly approximately etc eg ie vs
    """.split()
)
# Signs of ASCII text that separate its words, as spaces; then those of "'" and "-" that join none.
_SIGNS = frozenset(map(ord, ascii_letters + digits))
_PARTED = bytes(sign if sign in _SIGNS else 32 for sign in range(256))
_JOINED = bytes(sign if sign in _SIGNS or sign in b"'-" else 32 for sign in range(256))
_LOOSE = lazy_re(r"['-](?:(?![A-Za-z0-9])|(?<![A-Za-z0-9].))")
_NO_WORD = lazy_re(r"[^\w' -]|_")
_WIDE_LOOSE = lazy_re(r"['-](?:(?![^\W_])|(?<![^\W_].))")
_VOWELS = frozenset("aeiouyæ")
_DOUBLED = _VOWELS | frozenset("lsz")
_MOST_WORDS = 16_384  # kept with their stems, some 3 MB; guess, more than most books have
_KEEPS_S = ("ss", "us", "is")


def counted(number: int, noun: str) -> str:
    """Return "1 file" or "2 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def words_in(text: str) -> list[str]:
    """Return the word tokens of folded `text`, in order, with their case.

    A word is letters and digits with single apostrophes and hyphens inside. ASCII text is split at
    spaces, many times faster than by the pattern.
    """
    return words_apart(text).split() if text.isascii() else _WORD.findall(text)


def words_apart(text: str) -> str:
    """Return folded `text` with every character that is in no word as a space: same length."""
    if text.isascii():
        spaced = text.encode().translate(_JOINED).decode()
        loose = _LOOSE
    else:
        spaced = _NO_WORD.sub(" ", text)
        loose = _WIDE_LOOSE
    if "'" in spaced or "-" in spaced:
        spaced = loose.sub(" ", spaced)
    return spaced


def parts_in(text: str) -> list[str]:
    """Return the runs of letters and digits in folded `text`, in order."""
    if not text.isascii():
        return _PART.findall(text)
    return text.encode().translate(_PARTED).decode().split()


def word_tokens(text: str) -> list[str]:
    """Return the word tokens of folded `text`, case-folded, in order."""
    return words_in(text.casefold())


def content_words(text: str) -> list[str]:
    """Return the stems of the word tokens outside the stop list, in order, with repeats."""
    return [stem(word) for word in word_tokens(text) if word not in STOP_WORDS]


_LONGEST_KEPT = 64  # characters: a longer word hardly comes again; guess
_FIGURE_DIGITS = 3  # of figures that are kept: longer ones fill it, and hardly come again; guess


class Memo(dict[str, T]):
    """Caches a function of words; emptied when it exceeds `most` of them.

    It is called for every word of every text: a bounded `lru_cache` costs three times as much.
    """

    def __init__(self, function: Callable[[str], T], *, most: int = _MOST_WORDS) -> None:
        super().__init__()
        self._function = function
        self._most = most

    def __missing__(self, word: str) -> T:
        length = len(word)
        if length > _FIGURE_DIGITS and (length > _LONGEST_KEPT or word.isdecimal()):
            return self._function(word)
        if len(self) >= self._most:
            self.clear()
        found = self[word] = self._function(word)
        return found


# Plurals that no ending tells; "leaves" and "lives" are verbs as often.
_PLURALS = dict(
    pair.split("/")
    for pair in (
        "children/child men/man women/woman people/person feet/foot teeth/tooth mice/mouse"
        " geese/goose halves/half shelves/shelf knives/knife wives/wife"
    ).split()
)


def _stem(word: str) -> str:
    word = unaccented(word.removesuffix("'s"))
    word = _PLURALS.get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    word = singular(word)
    for ending, shortest in (("ing", 3), ("ed", 3), ("ly", 4)):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= shortest and not _VOWELS.isdisjoint(rest):
            # `plann` is `plan`, but `fall`, `pass` and `buzz` stay.
            last = rest[-1]
            doubled = len(rest) > 3 and last == rest[-2] and last not in _DOUBLED
            word = rest[:-1] if doubled else rest
            break
    if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


def singular(word: str) -> str:
    """Return an English lower-case word without its plural ending."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(_KEEPS_S):
        return word[:-1]
    return word


_stems = Memo(_stem)
_content_keys = Memo(lambda word: "" if word in STOP_WORDS else _stems[word])


def stem(word: str) -> str:
    """Return the stem of a case-folded word, without plural, -ed, -ing, -ly, final e and accents.

    A deliberately light stemmer: it joins `release, releases, released, releasing` and keeps
    `universe, university` apart. Own rules in the manner of Porter's step 1 (1980).
    """
    return _stems[word]


def stems_of(words: Iterable[str]) -> Iterator[str]:
    """Yield the stem of each of the case-folded `words`."""
    return map(_stems.__getitem__, words)


def content_keys(words: Iterable[str]) -> Iterator[str]:
    """Yield the stem of each of the case-folded `words`, "" for stop words."""
    return map(_content_keys.__getitem__, words)
