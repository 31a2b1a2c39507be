"""Names of one plain word inside a sentence, which only their capital tells: "in Dallas"."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.names.reading import Name, tokens_of
from streamguard.core.names.words import INSTRUCTIONS, REFERENCES, STARTERS, UNTELLING
from streamguard.text.patterns import lazy_re
from streamguard.text.words import has_inner_capital, parts_in

# Behind a word in small letters or a comma, four letters at least ("In", "Dr", "Mrs" are no names),
# and no part of a longer one, which `read_names` reads.
_LONE = lazy_re(
    r"(?P<name>[^\W\d_a-z](?:(?<=[a-z] .)|(?<=[a-z], .))[^\W\d_A-Z]{3,30}(?:-[^\W\d_]{2,20})?)"
    r"(?:'s)?(?![\w&/'-]|\.\w|[ ][^\W\d_a-z]|[ ]\d)"
)
_REACH = 60  # characters before a name in which the two words before it stand; guess
# "Hall of Science", "Bank of the West": a part of a name, where a capital stands before these.
_INNER_WORDS = frozenset("of the de del la le und and & for".split())
# Capitals that name no one thing a passage would have to hold: languages, peoples, the common.
_COMMON = frozenset(
    """english american british french german spanish italian dutch russian chinese japanese korean
    arabic latin greek indian european asian african western eastern northern southern christian
    christians jewish muslim catholic internet google windows android linux excel word earth god
    settings enter menu support unable""".split()
)
_NO_NAMES = STARTERS | REFERENCES | UNTELLING | _COMMON


def lone_names(text: str) -> Iterator[Name]:
    """Yield the names of one plain word in folded `text`, in order.

    A word counts that has its capital inside a sentence, behind a word in small letters that is no
    verb of an instruction ("press Enter"). Linear in the length of the text.
    """
    if not has_inner_capital(text):
        return
    for found in _LONE.finditer(text):
        start, end = found.span("name")
        word = text[start:end]
        low = word.lower()
        if not word[0].isupper() or not _NO_NAMES.isdisjoint((low, low.removesuffix("s"))):
            continue
        further, before = ["", "", *parts_in(text[max(0, start - _REACH) : start])][-2:]
        opens = before.lower() in STARTERS  # "In Rome"
        if (before[:1].isupper() and not opens) or before in INSTRUCTIONS:
            continue
        if before in _INNER_WORDS and further[:1].isupper():
            continue
        yield Name(start, end, word, tokens_of(word))
