"""Proper names: their forms, and the sources that hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from streamguard.core.names import words as lists
from streamguard.text.normalise import lower_in_place, unaccented
from streamguard.text.patterns import lazy_re
from streamguard.text.places import Members, Places
from streamguard.text.words import STOP_WORDS, parts_in

# The published pattern, word for word, but for the look-behind that stands for its leading `\b`:
# the same matches at half the cost. Linear: the repetitions are of disjoint classes.
NAME_PATTERN = lazy_re(r"[A-Z](?<!\w[A-Z])[a-z]+(?:\s+[A-Z][a-z]+)+\b")

# Capitals of the scripts that have case; spelled out because `re` has no class for them.
_UPPER = "".join(
    char for char in map(chr, [*range(0x41, 0x590), *range(0x1E00, 0x2000)]) if char.isupper()
)
# "O'Brien", "Coca-Cola", "AT&T", "U.S"; at most eight parts.
_REST = r"[^\W_]*+(?:['.&-][^\W_]++){0,8}+(?!_)"
_CAPITAL = rf"[{_UPPER}]{_REST}"
_MIXED = r"[a-z]{1,3}[A-Z][^\W_]*+"
_FIGURE = r"\d{1,4}[A-Za-z]?(?![\w%]|[.,:]\d)"
# Between capitals at most one of these.
_PARTICLE = (
    r"(?:of[ ]the|of|van[ ]de[nr]?|van|von[ ]der|von|der|de[ ]l[ao]s?|de|del|della|di|da|do|dos"
    r"|das|du|la|le|bin|ibn|ben|ter|ten|zu|zur|af|av|&)[ ]"
)
# A stop goes on a name only after an initial or a title.
_STOP = (
    r"(?:(?<=\b[A-Z])(?<![°\d].)|(?<=\bSt)|(?<=\bDr)|(?<=\bMr)|(?<=\bMrs)|(?<=\bMt)|(?<=\bJr))\."
)
_NEXT = rf"(?:{_STOP})?[ ](?:(?:{_PARTICLE})?(?:{_CAPITAL}|{_MIXED})|{_FIGURE})"
# One word is a name when a second capital or a digit shows it: "NASA", "iPhone", "McDonald".
_TELLING = rf"(?=[^\W\d_{_UPPER}]*+['.&-]?[{_UPPER}\d])"
# A capital inside a word: the rest of "iPhone", whose beginning `_word_start` looks for.
_INNER = r"(?<=[a-z].)[^\W_]*+(?!_)"
# It begins with one class, so that the engine skips to the next capital.
_NAME = lazy_re(rf"[{_UPPER}](?:{_REST}(?:{_NEXT})++|{_TELLING}{_REST}|{_INNER})")

# Every name has a capital or a digit behind its first sign.
_DIGIT = lazy_re(r"[0-9]")
TOKEN = lazy_re(r"[^\W_]+")
_OWNERS_S = lazy_re(r"'s(?![^\W_])")
_WORD = lazy_re(r"[^ ]+")
_SENTENCE_END = lazy_re(r"(?:^|[.!?:;\n|]|\d[.)])[\s\"'(*_#>\[-]*$")
_HEAD_REACH = 12  # how far back the end of the sentence before is looked for; guess
_POSSESSIVE = lazy_re(r"'s?$")
_TAIL = lazy_re(r"(?:-[a-z]{3,20})+$")  # "DIY-style", "NATO-led"

# --- names of one plain word inside a sentence, which only their capital tells: "in Dallas"

# Behind a word in small letters or a comma, four letters at least ("In", "Dr", "Mrs" are no names),
# and no part of a longer one, which `read_names` reads.
_LONE = lazy_re(
    r"(?P<name>[^\W\d_a-z](?:(?<=[a-z] .)|(?<=[a-z], .))[^\W\d_A-Z]{3,30}(?:-[^\W\d_]{2,20})?)"
    r"(?:'s)?(?![\w&/'-]|\.\w|[ ][^\W\d_a-z]|[ ]\d)"
)
# A capital there; it begins with the space, so that the engine skips to the next one.
_INNER_CAPITAL = lazy_re(r" [^\W\d_a-z](?:(?<=[^\W\d_A-Z] .)|(?<=[^\W\d_A-Z], .))")
_WORDS_REACH = 60  # characters before a name in which the two words before it stand; guess
# "Hall of Science", "Bank of the West": a part of a name, where a capital stands before these.
_INNER_WORDS = frozenset("of the de del la le und and & for".split())
# Capitals that name no one thing a passage would have to hold: languages, peoples, the common.
_COMMON = frozenset(
    """english american british french german spanish italian dutch russian chinese japanese korean
    arabic latin greek indian european asian african western eastern northern southern christian
    christians jewish muslim catholic internet google windows android linux excel word earth god
    settings enter menu support unable""".split()
)
_NAMES_NOTHING = lists.UNTELLING | lists.SMALL
_NEVER_ALONE = lists.STARTERS | lists.REFERENCES | lists.UNTELLING | _COMMON


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


def literal_names(text: str) -> list[tuple[int, int]]:
    """Return the spans of the published name pattern's matches."""
    return [found.span() for found in NAME_PATTERN.finditer(text)]


def read_names(text: str, most: int | None = None) -> tuple[Name, ...]:
    """Return the names of folded `text` in order, a bounded number; no spans overlap.

    A single capitalised word is no name unless it is an acronym, mixed in case or holds a digit
    beside two letters; nor is an abbreviation that the text itself introduces ("body mass index
    (BMI)"), or a word that is only stressed ("MUST"); a sentence all in capitals holds none. Linear
    in the length of the text.
    """
    names: list[Name] = []
    behind = text[1:]
    if behind.islower() and text.isascii() and _DIGIT.search(behind) is None:
        return ()
    if text.isupper() and any(map(_is_stressed, text.split())):
        return ()
    for found in _NAME.finditer(text):
        start = _word_start(text, found.start())
        if start is not None:
            names += _names_of(text, start, found.end())
        if most is not None and len(names) >= most:
            break
    return tuple(names[:most])


def lone_names(text: str) -> Iterator[Name]:
    """Yield the names of one plain word in folded `text`, in order.

    A word counts that has its capital inside a sentence, behind a word in small letters that is no
    verb of an instruction ("press Enter"). Linear in the length of the text.
    """
    if _INNER_CAPITAL.search(text) is None:
        return
    for found in _LONE.finditer(text):
        start, end = found.span("name")
        word = text[start:end]
        low = word.lower()
        if not word[0].isupper() or not _NEVER_ALONE.isdisjoint((low, low.removesuffix("s"))):
            continue
        further, before = ["", "", *parts_in(text[max(0, start - _WORDS_REACH) : start])][-2:]
        opens = before.lower() in lists.STARTERS  # "In Rome"
        if (before[:1].isupper() and not opens) or before in lists.INSTRUCTIONS:
            continue
        if before in _INNER_WORDS and further[:1].isupper():
            continue
        yield Name(start, end, word, tokens_of(word))


def _word_start(text: str, start: int) -> int | None:
    """Return where the word of the capital at `start` begins ("iPhone"), None inside another."""
    if start == 0 or text[start - 1] == " ":
        return start
    begin = start
    while begin > 0 and start - begin < 4 and text[begin - 1].isalnum():
        begin -= 1
    head = text[begin:start]
    if start - begin > 3 or (head and not (head.isascii() and head.islower())):
        return None
    if begin > 0 and (text[begin - 1] in "_@°/" or is_variable(text, begin)):
        return None
    return begin


def is_variable(text: str, start: int) -> bool:
    """Return whether the word at `start` is a variable's: it is in "$HOME", not in "A$AP"."""
    before = text[max(0, start - 2) : start]
    return before == "${" or (before.endswith("$") and not before[0].isalnum())


def _names_of(text: str, start: int, end: int) -> list[Name]:
    """Cut a run of capitalised words where one name ends and another begins."""
    names: list[Name] = []
    words: list[tuple[int, int]] = []
    for found in _WORD.finditer(text, start, end):
        word = found[0].casefold()
        opens = word in lists.STARTERS and found[0] != "WHO"
        opens = opens and (not words or text[found.start() - 2] == ".")
        if opens or word.rstrip(".") in lists.REFERENCES or _is_stressed(found[0]):
            names += _name(text, words)
            words = []
        elif words or text[found.start()].isalpha():
            words.append(found.span())
            if word.endswith("'s"):  # "Apple's Tim Cook" names two
                names += _name(text, words)
                words = []
        # A figure after "Passage" is dropped with it.
    return [*names, *_name(text, words)]


def _name(text: str, words: list[tuple[int, int]]) -> list[Name]:
    while words and text[words[-1][0] : words[-1][1]].islower():
        words = words[:-1]  # a particle that led to nothing
    if len(words) > 1 and _is_initial(text, words[0]) and not _is_initial(text, words[1]):
        words = words[1:]  # "B. Engage ..." and "145 degrees F. Remember ..." name nothing
    told_to = _is_told_to(text, words)
    words = words[told_to:]
    if not words:
        return []
    start, end = words[0][0], words[-1][1]
    written = text[start:end].rstrip(".")
    if "'" in written or "-" in written:
        written = _TAIL.sub("", _POSSESSIVE.sub("", written))
    tokens = tokens_of(written)
    if len(words) == 1 and not _tells(text, start, written):
        low = written.lower()
        is_lone = low.isalpha() and _NEVER_ALONE.isdisjoint((low, low.removesuffix("s")))
        if not (told_to and is_lone):  # "Call Olga"
            return []
    if all(token in _NAMES_NOTHING or token.isdecimal() for token in tokens):
        return []
    return [Name(start, start + len(written), written, tokens, _begins_sentence(text, start))]


def _is_told_to(text: str, words: list[tuple[int, int]]) -> bool:
    """Return whether the first word opens an instruction, which is no part of a name: "Ask Mrs"."""
    if len(words) < 2 or not _begins_sentence(text, words[0][0]):
        return False
    verb = text[slice(*words[0])]
    return verb[1:].islower() and verb.lower() in lists.INSTRUCTIONS


def _begins_sentence(text: str, start: int) -> bool:
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False
    return bool(_SENTENCE_END.search(text, max(0, start - _HEAD_REACH), start))


def _is_initial(text: str, word: tuple[int, int]) -> bool:
    return word[1] - word[0] == 2 and text[word[1] - 1] == "."


def _tells(text: str, start: int, word: str) -> bool:
    """Return whether one word alone is a name: acronym, mixed case, or letters with digits."""
    letters = [char for char in word if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    if len(letters) < 2 or (capitals < 2 and word.isalpha() and word[0].isupper()):
        return False
    low = word.casefold().rstrip(".")
    if low in lists.UNTELLING or _is_stressed(word):
        return False
    return not (text[start - 1 : start] == "(" and _introduced(text, start, word))


def _is_stressed(word: str) -> bool:
    """Return whether a word is an ordinary one in capitals: "you MUST"; WHO and IT are some."""
    return word.isupper() and word.lower() in STOP_WORDS and word not in ("WHO", "IT", "A", "I")


def _introduced(text: str, start: int, acronym: str) -> bool:
    """Return whether the words before "(" spell the acronym out: "Interquartile range (IQR)"."""
    letters = [char.lower() for char in acronym if char.isupper()]
    # Fifteen characters a word are more than enough for the words before the bracket; guess.
    words = TOKEN.findall(text.lower(), max(0, start - 15 * (len(letters) + 2)), start)
    words = words[-len(letters) - 2 :]
    rests = (iter("".join(words[at:])) for at, word in enumerate(words) if word[0] == letters[0])
    return any(all(letter in rest for letter in letters) for rest in rests)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the case-folded words of `text` without accents, possessive "'s" removed."""
    return tuple(parts_in(_OWNERS_S.sub(" ", fold_case(text))))


def fold_case(text: str) -> str:
    """Lower-case a text and drop its accents without changing its length: "Škoda" is "skoda"."""
    return unaccented(lower_in_place(text))


# --- the names the sources hold, looked up by their words

_MAX_TEXTS = 32  # with all words of a name that are looked at for them in a row; guess
_MAX_UNREAD = 4  # texts whose words are read at once: most answers ask for no name; guess
_KEPT_ROWS = 64  # of the first texts; more are read again when they are asked for; guess
_ACRONYM_LENGTHS = range(3, 7)  # letters looked for as initials; two fit anything
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

    def __init__(
        self, text_of: Callable[[int], str], with_figure: Callable[[str], Sequence[int]]
    ) -> None:
        self._text_of = text_of
        self._with_figure = with_figure
        self._unread: list[tuple[str, frozenset[str]]] = []  # the newest of them
        self._rows: list[str] = []  # the words of each of the first, a space on either side
        self._texts_with = Places()  # of each word, some figures left out
        self._initials: list[str] = []  # of each text's words, small ones left out

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return (self._texts_with,)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        texts = sum(map(len, self._rows)) + sum(map(len, self._initials))
        return texts + 60 * len(self._initials) + self._texts_with.held_bytes

    def add(self, text: str, figures: frozenset[str] = frozenset()) -> None:
        """Add the next text, folded; `text_of` is to give it again by its number.

        `with_figure` is to say of each of the words `figures` that this text has it.
        """
        self._unread.append((text, figures))
        if len(self._unread) > _MAX_UNREAD:
            self._read()

    def finish(self) -> None:
        """Read the texts that are left."""
        self._read()

    def _read(self) -> None:
        unread, self._unread = self._unread, []
        for text, figures in unread:
            tokens = tokens_of(text)
            words = frozenset(tokens) - figures
            self._texts_with.add_to_each(words, len(self._initials))
            if len(self._rows) < _KEPT_ROWS:
                self._rows.append(_row(tokens))
            self._initials.append(_initials(tokens))

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
        runs = groupby(tokens, lists.SMALL.__contains__)
        parts = [[*run] for is_small, run in runs if not is_small]
        if len(parts) > 1 and all(map(self._has_row, parts)):
            return NameMatch(True)
        for token in sorted(set(tokens), key=lambda token: (-len(token), token)):
            if len(token) >= _SHORTEST and (texts := self._texts_of(token)):
                number = texts[0]
                text = fold_case(self._text_of(number))
                nearest = next(one for one in TOKEN.finditer(text) if one[0] == token)
                return NameMatch(False, number, *nearest.span())
        return NameMatch(False)

    def places(self, name: Name) -> Iterator[NameMatch]:
        """Yield where the words of a name stand in a row.

        Nothing of a name that no source holds, and of one that is held by its initials or in parts.
        """
        self._read()
        for tokens in _ways(name):
            for number in self._texts_with_row(tokens):
                for found in _in_a_row(tokens, fold_case(self._text_of(number))):
                    yield NameMatch(True, number, *found.span())

    def _has_row(self, tokens: Sequence[str]) -> bool:
        return next(self._texts_with_row(tokens), None) is not None

    def _texts_with_row(self, tokens: Sequence[str]) -> Iterator[int]:
        """Yield the texts that have these words in a row, of many the first."""
        texts, *others = sorted(map(self._texts_of, dict.fromkeys(tokens)), key=len)
        row = _row(tokens)
        for other in map(frozenset, others if texts else ()):
            texts = [*filter(other.__contains__, texts)]
        return (number for number in texts[:_MAX_TEXTS] if row in self._row_of(number))

    def _texts_of(self, token: str) -> Sequence[int]:
        """Return the texts that have a word, in order."""
        found = self._texts_with.of(token)
        others = self._with_figure(token) if token.isdecimal() else ()
        return sorted({*found, *others}) if others else found

    def _row_of(self, number: int) -> str:
        if number < len(self._rows):
            return self._rows[number]
        return _row(tokens_of(self._text_of(number)))

    def _has_acronym(self, tokens: Sequence[str]) -> bool:
        """Return whether the sources hold initials of the words, or words with these initials."""
        if len(tokens) > 1:
            initials = _initials(tokens)
            return len(initials) in _ACRONYM_LENGTHS and bool(self._texts_of(initials))
        if len(tokens[0]) not in _ACRONYM_LENGTHS:
            return False
        return any(tokens[0] in initials for initials in self._initials)


def _row(tokens: Sequence[str]) -> str:
    """Return words in a row, a space on either side."""
    return f" {' '.join(tokens)} "


def _in_a_row(tokens: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    """Return the places of words in a row in a text that `fold_case` gave."""
    between = r"[\W_]+(?:s[\W_]+)?"  # "Apple's Tim Cook"
    words = between.join(map(re.escape, tokens))
    return re.finditer(rf"(?<![^\W_]){words}(?![^\W_])", text)


def _initials(tokens: Sequence[str]) -> str:
    return "".join([token[0] for token in tokens if token not in lists.SMALL])


def _ways(name: Name) -> Iterator[Sequence[str]]:
    tokens = name.tokens
    yield tokens
    if name.initial and (len(tokens) > 2 or (len(tokens) == 2 and tokens[0] in lists.INSTRUCTIONS)):
        yield untitled(tokens[1:])
    yield untitled(tokens)
    if len(tokens) > 1 and tokens[-1] in lists.LEGAL_FORMS:
        yield tokens[:-1]
    last = tokens[-1]
    singular = last.removesuffix("s")
    yield *tokens[:-1], (f"{last}s" if last == singular else singular)
    if len(tokens) == 1:
        yield from lists.ABBREVIATIONS.get(last, ())
        yield from lists.ABBREVIATIONS.get(singular, ())


def untitled(tokens: Sequence[str]) -> Sequence[str]:
    """Return a name's words behind the titles before it; the last is never taken for one."""
    at = 0
    while at < len(tokens) - 1 and tokens[at] in lists.TITLES:
        at += 1
    return tokens[at:]
