"""The language of a text, by its letters and its small words.

Seven languages with Latin letters are told by words that hardly stand in the others; scripts of
their own are told by their letters. A text that is too short or too mixed has no language here:
None is an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from streamguard.text.patterns import lazy_regex

MAX_READ = 4_000  # characters of a text that are looked at
_LEAST_WORDS = 3  # small words of one language; with fewer nothing is told
_LEAD = 1.6  # how many times as many as of the next one; guess, tried on mixed sentences

# By language: articles, pronouns, prepositions and forms of "to be" and "to have". A word that is
# one of several languages counts for each, by its share.
SMALL_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
            the of and to in is are was were be been for with that this these those it its
            on by at from as or not you your we our they their he she his her have has had
            will would can could should may must do does did an if which who when where
            there than then but into about after before up only also more any all no so
            what how per each between during
        """,
        "de": """
            der die das den dem des ein eine einen einem einer eines und ist sind war
            waren wird werden wurde nicht mit von für auf im in zu zum zur bei aus nach
            vor über unter sich auch als wie oder aber wenn dass es er sie wir ihr ihre
            ihren sein seine haben hat hatte kann können muss müssen darf nur noch am an
            um bis durch ohne gegen innerhalb je pro beim
        """,
        "fr": """
            le la les un une des du de et est sont était étaient être été pour avec que
            qui dans sur par pas ne se ce cette ces son sa ses leur leurs vous votre vos
            nous notre il elle ils elles on ou mais si au aux en plus avant après jusqu
            sans sous entre peut peuvent doit doivent avez ont a y dont où comme chaque
            lors
        """,
        "es": """
            el la los las un una unos unas de del y es son era eran ser está están para
            con que en por no se su sus lo al o pero si como más muy este esta estos estas
            ese esa usted ustedes nosotros ellos ellas hay fue han ha he puede pueden debe
            deben sin sobre entre hasta desde cada cuando donde también antes después
            durante
        """,
        "it": """
            il lo la gli le un uno una di del della dei delle degli dello al alla ai alle
            nel nella nei nelle da dal dalla e è sono era erano essere per con che in non
            si su sul sulla o ma se come più questo questa questi queste lei loro noi voi
            ha hanno può possono deve devono senza tra fra fino ogni quando dove anche
            prima dopo entro
        """,
        "nl": """
            de het een en is zijn was waren wordt worden werd niet met van voor op in te
            tot bij uit naar over onder zich ook als of maar dat die dit deze er hij zij
            ze wij we u uw hun hebben heeft had kan kunnen moet moeten mag alleen nog aan
            om door zonder tegen binnen per geen na tijdens elke
        """,
        "pt": """
            o a os as um uma uns umas de do da dos das e é são era eram ser está estão
            para com que em no na nos nas por não se seu sua seus suas lhe ao à aos às ou
            mas mais muito este esta estes estas você vocês nós eles elas há foi têm tem
            pode podem deve devem sem sobre entre até desde cada quando onde também antes
            depois durante pelo pela
        """,
    }.items()
}
# Scripts that one language, or a few, are written in.
_SCRIPTS = {
    "ja": r"[\p{Hiragana}\p{Katakana}]", "zh": r"\p{Han}", "ko": r"\p{Hangul}",
    "ru": r"\p{Cyrillic}", "el": r"\p{Greek}", "ar": r"\p{Arabic}", "he": r"\p{Hebrew}",
    "hi": r"\p{Devanagari}", "th": r"\p{Thai}",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = lazy_regex(r"\p{Latin}")


@cache
def _shares() -> dict[str, list[tuple[str, float]]]:
    """Return of each small word the languages that have it, and its weight for each."""
    found: dict[str, list[tuple[str, float]]] = {}
    for language, words in SMALL_WORDS.items():
        for word in words:
            found.setdefault(word, []).append((language, 1.0))
    return {
        word: [(language, 1.0 / len(languages)) for language, _ in languages]
        for word, languages in found.items()
    }


def language_of(text: str) -> str | None:
    """Return the language of `text` as two letters of ISO 639-1, None where it is not clear.

    "en", "de", "fr", "es", "it", "nl" and "pt" are told by their words, "ja", "zh", "ko", "ru",
    "el", "ar", "he", "hi" and "th" by their script: "ru" stands for every language in Cyrillic
    letters, "ar" for every one in Arabic letters. Only the first `MAX_READ` characters are read.
    """
    text = text[:MAX_READ]
    if not text.isascii() and (script := _script_of(text)) is not None:
        return script
    weights, counts = Counter[str](), Counter[str]()
    shares = _shares()
    for word in _WORD.findall(text.lower()):
        for language, share in shares.get(word, ()):
            weights[language] += share  # type: ignore[assignment]  # a Counter of floats
            counts[language] += 1
    ranked = weights.most_common(2)
    if not ranked or counts[ranked[0][0]] < _LEAST_WORDS:
        return None
    if len(ranked) == 2 and ranked[0][1] < _LEAD * ranked[1][1]:
        return None
    return ranked[0][0]


def _script_of(text: str) -> str | None:
    """Return the language whose script most letters are of; None for Latin letters."""
    most, latin = 0, len(_LATIN.findall(text))
    found = None
    for language, pattern in _SCRIPTS.items():
        count = len(lazy_regex(pattern).findall(text))
        # Japanese is written with Chinese characters as well: its own letters come first.
        if count > most and not (language == "zh" and most > count / 10):
            most, found = count, language
    return found if most > max(2, latin) else None
