"""Matches a question's words with a document's: everyday synonyms, families of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from streamguard.rag.kinds import SIGNED_SUM
from streamguard.rag.synonyms import LEAVE, MONEY, PHRASAL_VERBS, SYNONYMS
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy_re
from streamguard.text.words import STOP_WORDS, stem, word_tokens

# Words that ask, or that fit every document of an organisation: they tell passages apart by little.
_LIGHT = """
    get gets got take make go come use happen allow able possible need want tell let give put keep
    find know see look try help work job do show explain describe please list say feel mean count
    thing way people person someone somebody anyone anybody everyone everybody nobody
    company firm business organisation employee staff worker colleague team member here there now
    today time day week month year hour long often much many early late quick quickly fast soon
    old new good place case kind sort type right different available name call called exactly
    usually normally currently one visit turn never always ever whole hi hello okay ok thanks thank
    sure guess wonder perhaps maybe possibly honestly basically bit lot wanna gonna going want like
    love
"""
# Numbers of a question are mostly the asker's own ("a bill for two", "a boat of 50 feet"), and need
# stand in no document.
_NUMBERS = """
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand
"""
_LIGHT_STEMS = frozenset(stem(word) for word in f"{_LIGHT} {_NUMBERS}".split())

# Forms that no ending gives away, behind their verb or noun.
_IRREGULAR = """
    begin began begun, bend bent, bind bound, bite bit bitten, bleed bled, blow blew blown,
    break broke broken, bring brought, build built, buy bought, catch caught, choose chose
    chosen, cost cost, cut cut, deal dealt, dig dug, draw drew drawn, drink drank drunk, drive
    drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find
    found, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze
    frozen, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid
    hidden, hold held, hurt hurt, keep kept, know knew known, lay laid, lead led, leave left,
    lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring rang
    rung, rise rose risen, run ran, see saw seen, seek sought, sell sold, send sent, shake shook
    shaken, show shown, shine shone, shoot shot, shut shut, sit sat, sleep slept, speak spoke
    spoken, spend spent, stand stood, stick stuck, sting stung, strike struck, steal stole
    stolen, swear sworn, sweep swept, swim swam swum, take took taken, teach taught, tear tore
    torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken,
    wear wore worn, win won, withdraw withdrew withdrawn, write wrote written, child children,
    foot feet, half halves, knife knives, life lives, man men, mouse mice, shelf shelves, tooth
    teeth, wife wives, woman women
"""
_BASE_OF = {
    form: base
    for base, *forms in (entry.split() for entry in _IRREGULAR.split(","))
    for form in forms
}

# Shares of a word's weight, from 0 to 1, fitted with `lexical`'s on the questions named there.
_AS_SYNONYM = 0.8  # held by a word that stands for it
AS_FAMILY = 0.9  # held by a word of its family, or by the words of an acronym
_WEIGHT_LIGHT = 0.45
_WEIGHT_NAME = 0.65  # a name says where or whose, not what: the town may be there, not its weather

_SUFFIXES = frozenset(
    "ation ition tion ion ions er or ment ship al ance ence ee ness able ible ive ist ian an ity"
    " y i ure age e s ing ed ant ent cation ise ize isation ization ful less ary ery est".split()
)
_LONGEST_COMPOUND = 40  # characters of a word that is looked into; guess
_MAX_PHRASE = 5  # words of a phrase that is written as its initials
_MAX_APART = 3  # words from a verb to its particle: "pick my parcel up"
_MIN_ADJECTIVE = 3  # letters in front of "er" and "est"
_MIN_STUMP = 4  # letters that words of one family share at least
_LINKS = frozenset(("of", "and", "for", "the"))  # an acronym leaves them out
_SUM = lazy_re(SIGNED_SUM)
_TIME_OFF = lazy_re(r"\b(?:time|days?) off\b|\bPTO\b", re.IGNORECASE)
_INNER_NAME = lazy_re(r"(?<=[a-z,] )[A-Z][a-z]+")
# "How big", "which evening": a figure or a day, not the word.
_MEASURE = lazy_re(
    r"\bhow ([a-z]+)"
    r"|\b(?:what|which) ((?:time|date|day|night|evening|morning|afternoon|month|season|number"
    r"|name)s?)\b",
    re.IGNORECASE,
)
_FIGURE = lazy_re(r"\d+(?:-[a-z]|$)")  # "a 20-year-old", "a boat of 50 feet"
_CAPITALS = lazy_re(r"\b[A-Z]{2,5}\b")
_WORD_OR_SIGN = lazy_re(r"[^\W\d_]+|[^\w\s'’-]")


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """One word of a question: how much it says in (0, 1], and what of a text answers to it.

    `held_by`: stems of the vocabulary with the share of the weight each is worth. `initials`:
    what an acronym's phrase has in `initials_of`, empty for another word.
    """

    weight: float
    held_by: Mapping[str, float]
    initials: str = ""

    @property
    def is_light(self) -> bool:
        """Return whether the word only asks, or would fit every document."""
        return self.weight <= _WEIGHT_LIGHT

    def held_in(self, words: Collection[str], initials: str = "") -> float:
        """Return the share of the weight that a text is worth, the best of its words counted."""
        best = max((share for word, share in self.held_by.items() if word in words), default=0.0)
        return max(best, AS_FAMILY) if self.initials and self.initials in initials else best

    def is_unmet(self, initials: str) -> bool:
        """Return whether a word that says something is answered to by nothing."""
        in_initials = bool(self.initials) and self.initials in initials
        return self.weight > _WEIGHT_LIGHT and not self.held_by and not in_initials


class Vocabulary:
    """The words of a collection, asked for those that answer to a question's."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._by_start: dict[str, list[str]] = {}
        for word in self._words:
            self._by_start.setdefault(word[:_MIN_STUMP], []).append(word)

    def asked(self, question: str) -> list[QuestionWord]:
        """Return the content words of a question, each once, in order."""
        folded = fold(question).text
        names = {stem(word.lower()) for word in _INNER_NAME.findall(folded)}
        measures = {stem(word.lower()) for words in _MEASURE.findall(folded) for word in words}
        tokens = word_tokens(folded)
        written = dict.fromkeys(
            word
            for word in tokens
            if not STOP_WORDS.intersection((word, word.removesuffix("'s"))) and word not in _LINKS
        )
        capitals = {word.lower(): word for word in _CAPITALS.findall(folded)}
        meant = _meant_by_phrases(tokens)
        found: dict[str, QuestionWord] = {}
        for word, joined in self._known(list(written)):
            key = stem(word)
            held_by = self._held_by(word)
            for other in meant.get(word, frozenset()) & self._words:
                held_by.setdefault(other, _AS_SYNONYM)
            for other in joined:
                held_by[other] = 1.0
            initials = _acronym(word, capitals, unknown=key not in self._words)
            # A name that is nowhere says that the documents are about something else.
            known_names = names if held_by else frozenset()
            weight = _weight(key, known_names, measures)
            if _FIGURE.match(word):
                weight = _WEIGHT_LIGHT
            found[key] = QuestionWord(weight, held_by, initials)
        return list(found.values())

    def _known(self, words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each word with the other spellings of its phrase; an unknown compound in halves.

        "Chief executive officer" may be written CEO in the documents, "web site" website.
        """
        written_as: dict[str, list[str]] = {}
        for size in range(2, _MAX_PHRASE + 1):
            for at in range(len(words) - size + 1):
                phrase = words[at : at + size]
                forms = {_capitals("".join(word[0] for word in phrase))}
                if size == 2:
                    forms.add(stem("".join(phrase)))
                for form, word in product(forms & self._words, phrase):
                    written_as.setdefault(word, []).append(form)
        for word in words:
            parts = () if self._held_by(word) else self._halves(word)
            for part in parts or (word,):
                yield part, tuple(written_as.get(word, ()))

    def _halves(self, word: str) -> tuple[str, ...]:
        """Return two known words that an unknown one is made of, as in `storytime`."""
        for at in range(3, len(word) - 2 if len(word) <= _LONGEST_COMPOUND else 0):
            if stem(word[:at]) in self._words and stem(word[at:]) in self._words:
                return word[:at], word[at:]
        return ()

    def _held_by(self, word: str) -> dict[str, float]:
        """Return the known stems that answer to a word, else to the adjective it compares."""
        ways = (word, *_compared(word))
        return next(filter(None, map(self._held_as_written, ways)), {})

    def _held_as_written(self, word: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for form in _forms(word):
            for other in SYNONYMS.get(form, ()):
                if other in self._words:
                    found.setdefault(other, _AS_SYNONYM)
        for form in _forms(word):
            for other in self._by_start.get(form[:_MIN_STUMP], ()):
                if _is_family(form, other):
                    found[other] = AS_FAMILY
        for form in _forms(word):
            if form in self._words:
                found[form] = 1.0
        return found


def terms_of(text: str) -> Counter[str]:
    """Return how often each stem of a content word stands in a text that is searched.

    A word with a hyphen stands for its parts and for the two in one too; an amount of money and
    a word in capitals for one more, which no word is.
    """
    folded = fold(text).text
    found: Counter[str] = Counter()
    for word in word_tokens(folded):
        if word not in STOP_WORDS:
            found.update(_forms(word))
            if "-" in word:
                found.update(stem(part) for part in word.split("-") if part not in STOP_WORDS)
    found.update(map(_capitals, _CAPITALS.findall(folded)))
    if _SUM.search(folded):
        found[MONEY] += 1
    if _TIME_OFF.search(folded):
        found[LEAVE] += 1
    return found


def initials_of(text: str) -> str:
    """Return the first letters of a text's words, a full stop where a phrase is interrupted.

    "Our chief executive officer, of the United Kingdom" gives ".ceo.uk" and, for acronyms of two
    letters, which much would fit, once more with the capitals alone: "UK".
    """
    found: list[str] = []
    for word in _WORD_OR_SIGN.findall(fold(text).text):
        lowered = word.lower()
        if lowered not in _LINKS:
            found.append(word[0] if word[0].isalpha() and lowered not in STOP_WORDS else ".")
    letters = "".join(found)
    capitals = "".join(letter if letter.isupper() else "." for letter in letters)
    return f"{letters.lower()} {capitals}"


def _capitals(word: str) -> str:
    """Return the key for a word in capitals among a text's words."""
    return f"^{word.upper()}"


def _forms(word: str) -> set[str]:
    """Return the stems of a word as it is written, in one word, and of the word it is a form of."""
    return {stem(word), stem(word.replace("-", "")), stem(_BASE_OF.get(word, word))}


def _compared(word: str) -> Iterator[str]:
    """Yield the adjectives that a word may be a comparative or superlative of: cheaper, biggest."""
    for ending in ("er", "est"):
        base = word.removesuffix(ending)
        if base == word or len(base) < _MIN_ADJECTIVE:
            continue
        yield base
        yield base + "e"
        if base.endswith("i"):
            yield base[:-1] + "y"
        if base[-1] == base[-2]:
            yield base[:-1]


def _meant_by_phrases(words: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the stems that a verb stands for with a particle behind it, by the verb as written."""
    found: dict[str, frozenset[str]] = {}
    for at, word in enumerate(words):
        verb = stem(_BASE_OF.get(word, word))
        for particle in words[at + 1 : at + 1 + _MAX_APART]:
            meant = PHRASAL_VERBS.get((verb, particle))
            if meant:
                found[word] = found.get(word, frozenset()) | meant
    return found


def _weight(word: str, names: Collection[str], measures: Collection[str]) -> float:
    if word in _LIGHT_STEMS or word in measures:
        return _WEIGHT_LIGHT
    return _WEIGHT_NAME if word in names else 1.0


def _acronym(word: str, capitals: Mapping[str, str], *, unknown: bool) -> str:
    """Return the initials that the phrase of an acronym has; two letters only as capitals."""
    if len(word) == 2:
        return capitals.get(word, "") if unknown else ""
    meant = word in capitals or len(word) == 3  # "wine" is no acronym, "ceo" may be one
    return word if meant and unknown and word.isalpha() and word not in SYNONYMS else ""


def _is_family(one: str, other: str) -> bool:
    """Return whether two stems are of one family: reserve, reservation; member, membership."""
    short, long = sorted((one, other), key=len)
    stump = short[:-1] if short[-1:] in "eiy" and len(short) > _MIN_STUMP else short
    rest = long[len(stump) :]
    return len(stump) >= _MIN_STUMP and long.startswith(stump) and rest in _SUFFIXES
