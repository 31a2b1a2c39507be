"""Words that turn or bound a statement: negators, modals, quantifiers. Closed and self-written."""

from __future__ import annotations

from typing import Final

from streamguard.text.words import STOP_WORDS, Memo, stem

MUST, SHOULD, MAY = 1, 2, 3
WHOLE, PART = 1, 2

NEGATORS: Final = frozenset(
    "not no never cannot nor neither none nothing nobody without hardly".split()
)
MODALS: Final = {
    **dict.fromkeys(
        """must required require requires mandatory compulsory obligatory shall necessary essential
        need needs needed obliged requirement""".split(),
        MUST,
    ),
    **dict.fromkeys(
        """should recommended recommend recommends advisable advised advise suggested suggest
        suggests suggestion ought recommendation advice encouraged""".split(),
        SHOULD,
    ),
    **dict.fromkeys(
        """may can could might optional optionally voluntary allowed permitted possible possibly
        able free""".split(),
        MAY,
    ),
}
QUANTIFIERS: Final = {
    **dict.fromkeys(
        """all every each any everyone everybody everything always entire whole none nobody never
        only solely exclusively whichever whatever anyone""".split(),
        WHOLE,
    ),
    **dict.fromkeys(
        """some most several many few certain partly usually often sometimes mostly typically
        generally half part""".split(),
        PART,
    ),
}
# Begin a clause of their own.
JOINTS: Final = frozenset("and but while whereas because although so which who then".split())
NEGATED: Final = "n't"

# What a word is in its sentence: a key with a kind, "" where it is nothing to compare.
Reading = tuple[str, str, int]
_NOTHING: Final[Reading] = ("", "stop", 0)
_NOT: Final[Reading] = ("not", "negator", 0)
_YES: Final[Reading] = ("yes", "affirmation", 0)


def _read(word: str) -> Reading:
    """Return key, kind and sense of a case-folded word: `joint` opens a clause, `stop` is none."""
    if word in NEGATORS or word.endswith(NEGATED):
        return _NOT
    if word in MODALS:
        return stem(word), "modal", MODALS[word]
    if word in QUANTIFIERS:
        return stem(word), "quantifier", QUANTIFIERS[word]
    if word in JOINTS:
        return "", "joint", 0
    if word == "yes":
        return _YES
    if word in STOP_WORDS:
        return _NOTHING
    return stem(word.removesuffix("'s")), "word", 0


READINGS: Final = Memo(_read)
