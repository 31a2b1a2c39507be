"""A sentence as a row of slots: words, names, values and marks, each in its clause."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from streamguard.core.names.reading import is_variable
from streamguard.text.patterns import lazy_re
from streamguard.text.words import STOP_WORDS, Memo, stem
from streamguard.values import Anchor
from streamguard.values.value import listed, numbered, plain, shifted

# Words that turn or bound a statement, closed and self-written, with what they are.
MUST, SHOULD, MAY = 1, 2, 3
WHOLE, PART = 1, 2
NEGATORS: Final = listed("not no never cannot nor neither none nothing nobody without hardly")
MODALS: Final = numbered(
    "1: must required require requires mandatory compulsory obligatory shall necessary essential"
    " need needs needed obliged requirement;"
    "2: should recommended recommend recommends advisable advised advise suggested suggest suggests"
    " suggestion ought recommendation advice encouraged;"
    "3: may can could might optional optionally voluntary allowed permitted possible possibly able"
    " free"
)
QUANTIFIERS: Final = numbered(
    "1: all every each any everyone everybody everything always entire whole none nobody never only"
    " solely exclusively whichever whatever anyone;"
    "2: some most several many few certain partly usually often sometimes mostly typically"
    " generally half part"
)
# "Has to" is a must, and "has" by itself nothing to compare.
_HAVING: Final = listed("have has had having")
_TO: Final = " to "
_HAS_TO: Final = stem("must")
# Begin a clause of their own.
JOINTS: Final = listed("and but while whereas because although so which who then")
_LONG_AS: Final = " long as "  # behind "as", another joint
NEGATED: Final = "n't"
NEGATION: Final = "not"  # the key of every negator

# What a word is in its sentence: a key with a kind, "" where it is nothing to compare.
Reading = tuple[str, str, int]


def _read(word: str) -> Reading:
    """Return key, kind and sense of a case-folded word: `joint` opens a clause, `stop` is none."""
    if word in NEGATORS or word.endswith(NEGATED):
        return NEGATION, "negator", 0
    if word in MODALS:
        return stem(word), "modal", MODALS[word]
    if word in QUANTIFIERS:
        return stem(word), "quantifier", QUANTIFIERS[word]
    if word in JOINTS:
        return "", "joint", 0
    if word == "yes":
        return "yes", "affirmation", 0
    if word in _HAVING:
        return "", _HAVE, 0
    if word in STOP_WORDS:
        return "", "stop", 0
    return stem(word.removesuffix("'s")), "word", 0


# The keys of marks: the clauses of a unit without any of them have none.
MARKS: Final = frozenset(_read(word)[0] for word in (NEGATED, *MODALS, *QUANTIFIERS))

# The keys of quantifiers that speak of all.
WHOLES: Final = frozenset(stem(word) for word, sense in QUANTIFIERS.items() if sense == WHOLE)

_TOKEN = lazy_re(r"[^\W_]+(?:['.@/-][^\W_]+)*|[|,;:\n]")
_ASCII_TOKEN = lazy_re(r"[A-Za-z0-9]+(?:['.@/-][A-Za-z0-9]+)*|[|,;:\n]")  # twice as fast
_SIGNS = frozenset("|,;:\n")
_PAST: Final = " past "  # "half past" is a time
_BOUNDS = lazy_re(r"[ ](?:more|less|later|fewer|longer|earlier|older|younger)[ ]than[ ]\W?\d")
CONTENT = frozenset(["word", "name", "value"])  # kinds of slots that are no marks
# A capital behind one of these begins a sentence, a cell or an item: it shows no name.
# No sentence begins behind an initial: "G. Abara".
_BEGINNING = lazy_re(r"(?:^|(?<!(?<!\w)[A-Z])\.|[!?:|\n*#>\"-])\W*$")
_BEFORE_NAME = frozenset("${")  # of a variable
_CAPITAL: Final = "capital"
_SIGN: Final = "sign"
_HAVE: Final = "have"
_slot = tuple.__new__  # of all seven fields: half of what it takes to call `Slot`


class Slot(NamedTuple):
    """One place of a sentence that could hold something else.

    `kind`: word, name, value, negator, affirmation, modal or quantifier. `key`: stem, `not`, or `#`
    and the value. `start` and `end` count from the start of the text that was read. `sense`: of a
    modal or quantifier its class (see above). `clause` numbers the clauses of the sentence.
    """

    key: str
    kind: str
    start: int
    end: int
    clause: int
    sense: int = 0
    anchor: Anchor | None = None


class Clause(NamedTuple):
    """A clause's content keys and marks: negated an odd number of times, modal, quantifier.

    `first` and `last` number its slots; `marked` is the slot of the mark by its kind.
    """

    keys: frozenset[str]
    negated: bool
    modal: int
    quantifier: int
    first: int
    last: int
    marked: dict[str, int]


def read_slots(
    text: str, anchors: Sequence[Anchor], base: int = 0, most: int | None = None
) -> list[Slot]:
    """Return the slots of folded `text`, left to right, at most so many.

    Its `anchors` count from `base` before it. Linear in the length of the text.
    """
    slots: list[Slot] = []
    clause, number, many, read, words = 0, 0, len(anchors), -1, _WORDS
    has_bar = "|" in text  # where "6:40" and "1,200" part no cells
    is_row = has_bar and text.count("|") > 1  # where only bars do: "| Double, yard side | $140 |"
    for found in (_ASCII_TOKEN if text.isascii() else _TOKEN).finditer(text):
        word = found[0]
        if number < many and word not in _SIGNS:
            start, end = found.span()
            while number < many and anchors[number].end - base <= start:
                number += 1
            if number < many and anchors[number].start - base < end:
                while number < many and anchors[number].start - base < end:  # two in "10-18"
                    if number != read:
                        slots += _value_slots(anchors[number], base, clause)
                        read = number
                    if anchors[number].end - base > end:
                        break
                    number += 1
                continue
        key, kind, sense = words[word]
        start, end = found.span()
        if kind == "stop":
            clause += word == "as" and not is_row and text.startswith(_LONG_AS, end)
            continue
        if kind == "word":
            slots.append(_slot(Slot, (key, kind, start, end, clause, sense, None)))
        elif kind == _SIGN:
            at = start + base
            inside = has_bar and number < many and anchors[number].start < at < anchors[number].end
            if word == "|" or not (is_row or inside):
                clause += 1
            continue
        elif kind == "joint":
            clause += not is_row
        elif kind == _HAVE:
            if text.startswith(_TO, end):
                end += len(_TO) - 1
                slots.append(_slot(Slot, (_HAS_TO, "modal", start, end, clause, MUST, None)))
        elif kind == "quantifier" and text.startswith(_PAST, end):
            continue
        elif kind != "negator" or _BOUNDS.match(text, end) is None:  # as in "no more than 6"
            if kind == _CAPITAL:
                kind = "word" if _begins(text, start) else "name"
            if kind == "name" and text[start - 1] in _BEFORE_NAME and is_variable(text, start):
                kind = "word"
            slots.append(_slot(Slot, (key, kind, start, end, clause, sense, None)))
        if most is not None and len(slots) >= most:
            break
    return slots if most is None else slots[:most]


def _value_slots(anchor: Anchor, base: int, clause: int) -> list[Slot]:
    """Return the slot of a value, of a range one for each end: each is compared by itself."""
    start, end = anchor.start - base, anchor.end - base
    if anchor.high is None or anchor.value is None:
        return [Slot("#" + anchor.key, "value", start, end, clause, 0, anchor)]
    ends = ((anchor.value, anchor.number), (anchor.high, anchor.high_number))
    none = anchor._replace(high=None, high_number=None)
    single = [
        none._replace(
            value=value,
            number=number,
            key=plain(value),
            ambiguous=tuple(plain(shifted(value, by)) for by in anchor.shifts),
        )
        for value, number in ends
    ]
    return [Slot("#" + one.key, "value", start, end, clause, 0, one) for one in single]


def _as_written(word: str) -> Reading:
    """Return the reading of a word; of one that is a name where it begins nothing, `_CAPITAL`.

    A capital inside a word shows a name anywhere.
    """
    if word in _SIGNS:
        return "", _SIGN, 0
    key, kind, sense = _read(word.casefold())
    if kind != "word" or word.islower():
        return key, kind, sense
    rest = word[1:]
    if rest and not rest.islower() and not rest.isdigit():
        return key, "word" if rest == rest.lower() else "name", sense
    return key, _CAPITAL if word[0].isupper() else "word", sense


_WORDS: Final = Memo(_as_written)


def _begins(text: str, start: int) -> bool:
    """Say whether a sentence, a cell or an item begins at `start`."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False  # of most
    return _BEGINNING.search(text[max(0, start - 6) : start]) is not None


def clauses_of(
    keys: Sequence[str], kinds: Sequence[str], clauses: Sequence[int], senses: Sequence[int]
) -> list[Clause]:
    """Return the clauses that hold content, in order; each argument is a column of the slots.

    The numbers of the clauses rise.
    """
    found: list[Clause] = []
    end, many = 0, len(keys)
    while end < many:
        first, end = end, bisect_right(clauses, clauses[end], end)
        inside = kinds[first:end]
        if CONTENT.issuperset(inside):
            words = frozenset(keys[first:end])
            found.append(Clause(words, False, 0, 0, first, end - 1, {}))
            continue
        marks_by_kind = {"negator": 0, "modal": 0, "quantifier": 0}
        marked, content = dict[str, int](), list[str]()
        for number, kind in enumerate(inside, first):
            if kind in marks_by_kind:
                marks_by_kind[kind] = senses[number] or 1 - marks_by_kind[kind]
                marked[kind] = number
            elif kind in CONTENT:
                content.append(keys[number])
        if content:
            negated, modal, quantifier = marks_by_kind.values()
            marks = bool(negated), modal, quantifier
            found.append(Clause(frozenset(content), *marks, first, end - 1, marked))
    return found


# --- figures of bare digits: the slot of one stands for its word, its key and the pair with the
# next. Tables and lists of numbers are little else: no index of words or keys holds them again.

# Marks of a value's slot: its number is not the one that its key says; its text is bare digits,
# a word by themselves; and the next word is such digits as well, those of the next slot.
APART: Final = 1
ALONE: Final = 2
JOINED: Final = 4
# Signs beside which digits are a word by themselves; there are more.
_BEFORE: Final = frozenset(' \n\t|([{:,"')
_BEHIND: Final = frozenset(' \n\t|)]},.:;!?"')
_NONE: Final[frozenset[str]] = frozenset()
_NO_PAIRS: Final[frozenset[tuple[str, str]]] = frozenset()


def marks_of(text: str, base: int, slots: Sequence[Slot]) -> list[int]:
    """Return the marks of a sentence's slots, which count from `base` of a folded text."""
    marks = [0 if slot.anchor is None else _mark_of(text, base, slot) for slot in slots]
    for number, (one, other) in enumerate(pairwise(marks)):
        if one & ALONE and other & ALONE:
            between = text[base + slots[number].end : base + slots[number + 1].start]
            if not any(map(str.isalnum, between)):
                marks[number] |= JOINED
    return marks


def _mark_of(text: str, base: int, slot: Slot) -> int:
    anchor = slot.anchor
    assert anchor is not None
    number, value, written, key = anchor.number, anchor.value, anchor.text, slot.key[1:]
    if number is None or plain(number) != key:
        return APART
    is_single = anchor.high is None and anchor.kind != "date"
    if not is_figure(written) or not written == key == plain(value or number) or not is_single:
        return 0
    start, end = base + slot.start, base + slot.end
    begins = start == 0 or text[start - 1] in _BEFORE
    ends = end == len(text) or text[end] in _BEHIND
    return ALONE if begins and ends else 0


def is_figure(word: str) -> bool:
    """Say whether a word is bare digits."""
    return word.isdecimal() and word.isascii()


def figures_of(
    slots: Sequence[Slot], marks: Sequence[int]
) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Return the words for which their slots stand, and the pairs of neighbours among them."""
    if not any(marks):
        return _NONE, _NO_PAIRS
    alone = [number for number, mark in enumerate(marks) if mark & ALONE]
    joined = [number for number in alone if marks[number] & JOINED]
    words = {number: slots[number].key[1:] for number in alone}
    pairs = frozenset([(words[number], words[number + 1]) for number in joined])
    return frozenset(words.values()), pairs
