"""What a text calls a named entity: a person, organisation, place or product, and in which role.

Read from honorifics ("Dr."), legal suffixes ("GmbH"), a noun beside the name ("founder Ida Holm",
"Ida Holm, the mayor of Elsund", "Elsund is a town") and labels of lists and table cells ("Mayor:
Ida Holm", "| Ida Holm | mayor |"). There is no list of names. Every pattern looks at a bounded
stretch of text on one side of a name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["person", "organisation", "place", "product"]

# Offices that one holds at a time; those of a line are the same office.
_OFFICES: Final = """
    ceo, chief executive officer, chief executive
    cfo, chief financial officer
    cto, chief technology officer, chief technical officer
    coo, chief operating officer
    chair, chairman, chairwoman, chairperson
    president
    vice president
    founder
    mayor
    governor
    prime minister, premier
    chancellor
    king
    queen
    principal, headmaster, headmistress, headteacher
    captain, skipper
    treasurer
    head coach
    editor-in-chief, chief editor
"""
# What many are at a time; of one line may be said of the same person, of two lines hardly.
_PROFESSIONS: Final = """
    nurse, midwife
    doctor, physician, surgeon, paediatrician, pediatrician, cardiologist, psychiatrist, dentist
    lawyer, attorney, solicitor, barrister, judge
    teacher, professor, lecturer, tutor, scholar, academic
    scientist, researcher, physicist, chemist, biologist, astronomer, mathematician, geologist
    engineer, inventor, programmer, developer, designer, architect
    writer, author, novelist, poet, playwright, journalist, reporter, columnist
    actor, actress, director, filmmaker, producer, comedian
    singer, musician, composer, songwriter, pianist, violinist, rapper, conductor
    painter, sculptor, photographer, artist, illustrator
    soldier, general, admiral, colonel, sergeant
    farmer, gardener
    baker, chef, cook
    pilot, astronaut
    priest, bishop, pastor, rabbi, imam
    carpenter, plumber, electrician, mechanic, welder
    accountant, auditor, economist, banker
"""
_OTHER_PERSONS: Final = """senator minister secretary spokesman spokeswoman spokesperson manager
    director politician philosopher historian entrepreneur businessman businesswoman activist
    cofounder co-founder widow son daughter brother sister husband wife mother father man woman boy
    girl employee assistant consultant analyst"""
_ORGANISATIONS: Final = """company firm startup charity agency corporation organisation
    organization foundation association manufacturer retailer airline nonprofit subsidiary
    cooperative consultancy ministry bank insurer broadcaster supplier conglomerate"""
_PLACES: Final = """city town village country island river lake mountain county district region
    province municipality suburb valley peninsula bay desert volcano continent strait fjord"""
_PRODUCTS: Final = """app phone smartphone laptop tablet printer browser drug vaccine novel book
    film movie song album poem painting software toolkit headset smartwatch game"""
_HONORIFICS: Final = frozenset("mr mrs ms miss dr prof professor sir dame lord lady rev".split())
_LEGAL: Final = frozenset(
    "inc ltd llc plc gmbh corp corporation limited ag sa bv nv kg oy ab aps srl spa llp pty".split()
)
# Two kinds that one name may well stand for are left alone: a bank and its building, an app and
# its maker.
_APART: Final = frozenset(
    {
        frozenset({"person", "organisation"}),
        frozenset({"person", "place"}),
        frozenset({"person", "product"}),
        frozenset({"place", "product"}),
    }
)
# A noun behind one of these is another office ("deputy mayor"), or no longer held.
_DEPUTIES: Final = frozenset("deputy vice assistant associate acting interim honorary".split())
_NO_LONGER: Final = frozenset(
    "former ex previous retired late outgoing first second third next future not no never".split()
)
# Where the noun phrase ends.
_STOPS: Final = frozenset(
    """of at in for from who that which and or with on to since until by where when but as near
    between is was has had will may can whose under over""".split()
)
_PARTICLES = r"(?:van|von|der|den|de|la|del|di|da|bin|al)"
_CAPITAL = r"[A-Z][\w&'-]{0,30}"
_MENTION = re.compile(
    rf"(?<![\w@/.]){_CAPITAL}\.?(?:[ ](?:{_PARTICLES}[ ]){{0,2}}{_CAPITAL}){{0,5}}"
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+){0,3}")
_REACH = 70  # characters on one side of a name; guess, a dozen words
_DET = r"(?:(?P<det>the|a|an|its|their|our|his|her)[ ])?"
_PHRASE = r"(?P<phrase>[^,.;:()|\n]{1,60})"
_AFTER = re.compile(
    rf"(?:,[ ]who[ ](?:is|was)|[ ](?P<verb>is|was|became|serves[ ]as|works[ ]as)|,)[ ]"
    rf"(?:(?:now|currently|also|then)[ ])?{_DET}{_PHRASE}"
)
_CELL = re.compile(r"(?::|[ ]\(|[ ][-–][ ]|[ ]?\|[ ]?)(?P<phrase>[\w -]{2,40}?)[ ]?(?:[)|;,.\n]|$)")
_BEFORE = re.compile(
    rf"(?<![\w-]){_DET}(?P<phrase>[^,.;:()|\n]{{2,60}}?)(?P<link>[ ]is|[ ]was|,|[ ]named|)[ ]$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:^|\n|[|(*-][ ]?)\**(?P<phrase>[\w -]{2,40}):[ ]?\**[ ]?$")
_BORN = re.compile(r",? (?:who\b|was born\b|died\b|married\b)")


def _tables() -> tuple[dict[str, str], dict[str, int], dict[str, Kind]]:
    """Return the office of each phrase, the line of each profession, and the kind of each noun."""
    offices: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    for line in _OFFICES.strip().splitlines():
        names = [name.strip() for name in line.split(",")]
        offices |= dict.fromkeys(names, names[0])
    lines: dict[str, int] = {}
    for number, line in enumerate(_PROFESSIONS.strip().splitlines()):
        lines |= {word.strip(): number for word in line.split(",")}
    of_kind: list[tuple[Kind, list[str]]] = [
        ("organisation", _ORGANISATIONS.split()),
        ("place", _PLACES.split()),
        ("product", _PRODUCTS.split()),
        ("person", [*offices, *lines, *_OTHER_PERSONS.split()]),
    ]
    for kind, nouns in of_kind:
        kinds |= dict.fromkeys(nouns, kind)
    return offices, lines, kinds


_OFFICE_OF, _LINE_OF, _KIND_OF = _tables()
_CUES: Final = frozenset(word for noun in _KIND_OF for word in noun.split()) | _HONORIFICS | _LEGAL
_TITLES: Final = _HONORIFICS.union(_KIND_OF, ("vice", "chief"))
_BORN_CUES: Final = frozenset(["who", "born", "died", "married"])
# Words with a capital that begin a sentence and name nothing.
_OPENERS: Final = frozenset(
    """this that these those it he she they we you i there here the a an one who what which our its
    his her their my your each every some any no another both all""".split()
)


@dataclass(frozen=True, slots=True)
class Description:
    """What a name at [start, end) of a text is called.

    `tokens` are the name's words in small letters without titles. `noun` is the office or the
    profession (empty where only the kind is told), `of` whose office it is, in small letters.
    `only`: said of one at a time and now ("the mayor", "CEO"), not "a manager", "was president".
    """

    start: int
    end: int
    tokens: frozenset[str]
    kind: Kind
    noun: str = ""
    of: frozenset[str] = frozenset()
    only: bool = False


def words_for(noun: str) -> frozenset[str]:
    """Return the words of an office's names, of a profession itself."""
    names = [name for name, office in _OFFICE_OF.items() if office == noun] or [noun]
    return frozenset(word for name in names for word in name.split())


def may_describe(words: Collection[str]) -> bool:
    """Say whether a text of these words (small letters) may describe a name."""
    return not (_CUES.isdisjoint(words) and _BORN_CUES.isdisjoint(words))


def describes(text: str) -> list[Description]:
    """Return what the text (one folded sentence) calls its names, from left to right."""
    found: list[Description] = []
    for mention in _MENTION.finditer(text):
        found += _described(text, mention.start(), mention.end())
    return found


def _described(text: str, start: int, end: int) -> Iterator[Description]:
    words = [(one[0], one.start(), one.end()) for one in _WORD.finditer(text, start, end)]
    titles = []
    while words and _bare(words[0][0]) in _TITLES:
        titles.append(_bare(words.pop(0)[0]))
    if not titles and words and _bare(words[0][0]) in _OPENERS:
        words.pop(0)
    names = [word for word in words if _bare(word[0]) not in _LEGAL]
    if not names:
        return  # "The President", "This"
    tokens = frozenset(_bare(word) for word, _, _ in names)
    first, last = words[0][1], words[-1][2]
    if len(names) < len(words):
        yield Description(first, last, tokens, "organisation")
    if titles and titles[0] in _HONORIFICS:
        yield Description(first, last, tokens, "person")
    elif titles:
        yield from _called(" ".join(titles), (first, last), tokens)
    yield from _behind(text, (first, last), tokens)
    if not titles:
        yield from _in_front(text, (first, last), tokens)


def _behind(text: str, span: tuple[int, int], tokens: frozenset[str]) -> Iterator[Description]:
    """Yield what stands behind the name: "is a town", ", the mayor of Elsund", "| mayor |"."""
    rest = text[span[1] : span[1] + _REACH]
    rest = rest.removeprefix(".") if rest.startswith(".,") else rest
    if text[max(0, span[0] - 2) : span[0]] == ", " and rest.startswith(", "):
        rest = rest[1:]  # "The founder, Ida Holm, is the mayor"
    if _BORN.match(rest):
        yield Description(*span, tokens, "person")
    said = _AFTER.match(rest)
    if said:
        held = said["verb"] not in ("was", "became") and "was" not in said[0][:9]
        yield from _phrase(said["phrase"], said["det"], span, tokens, held)
    elif (cell := _CELL.match(rest)) and _noun(cell["phrase"].lower().split()):
        yield from _phrase(cell["phrase"], None, span, tokens, True)


def _in_front(text: str, span: tuple[int, int], tokens: frozenset[str]) -> Iterator[Description]:
    """Yield what stands before the name: "founder ", "The mayor of Elsund is ", "Mayor: "."""
    head = text[max(0, span[0] - _REACH) : span[0]]
    label = _LABEL.search(head)
    if label:
        yield from _phrase(label["phrase"], None, span, tokens, True)
        return
    if not head.endswith(" "):
        return
    before = _WORD.findall(head.lower())
    if len(before) > 1 and before[-1] == "of" and _KIND_OF.get(before[-2]) == "place":
        yield Description(*span, tokens, "place")
    elif head[-2:-1].isalpha() and _noun(before[-3:]):
        yield from _phrase(" ".join(_last_phrase(before)), None, span, tokens, True)
    elif (
        (said := _BEFORE.search(head))
        and said["link"]
        and said["det"]
        and said["det"].lower() not in ("a", "an")
    ):
        held = said["link"] != " was"
        yield from _phrase(said["phrase"], said["det"].lower(), span, tokens, held)


def _last_phrase(words: list[str]) -> list[str]:
    """Return the words behind the last one that ends a noun phrase."""
    ends = (at for at in range(len(words), 0, -1) if words[at - 1] in _STOPS)
    return words[next(ends, 0) :]


def _phrase(
    phrase: str, det: str | None, span: tuple[int, int], tokens: frozenset[str], held: bool
) -> Iterator[Description]:
    """Read "Norwegian mayor of Elsund": the noun that ends the phrase, and whose it is."""
    words = _WORD.findall(phrase)
    low = [word.lower() for word in words]
    stop = next((at for at, word in enumerate(low) if word in _STOPS), len(low))
    noun = _noun(low[:stop][-3:])
    before = low[: stop - len(noun.split())]
    if not noun or not _NO_LONGER.isdisjoint(before):
        return
    if noun in _OFFICE_OF and not _DEPUTIES.isdisjoint(before):
        yield Description(*span, tokens, "person")  # "deputy mayor": an office, not this one
        return
    of = frozenset[str]()
    if low[stop : stop + 1] in (["of"], ["at"], ["for"]):
        of = frozenset(word.lower() for word in words[stop + 1 : stop + 5] if word[:1].isupper())
    yield from _called(noun, span, tokens, of, only=held and det not in ("a", "an"))


def _called(
    noun: str,
    span: tuple[int, int],
    tokens: frozenset[str],
    of: frozenset[str] = frozenset(),
    only: bool = True,
) -> Iterator[Description]:
    if kind := _KIND_OF.get(noun):
        office = _OFFICE_OF.get(noun, "")
        told = office or (noun if noun in _LINE_OF else "")
        yield Description(*span, tokens, kind, told, of, only and bool(office))


def _noun(words: list[str]) -> str:
    """Return the noun that ends these words, of several words where they are one office."""
    for length in (3, 2, 1):
        noun = " ".join(words[-length:])
        if len(words) >= length and noun in _KIND_OF:
            return noun
    return ""


def _bare(word: str) -> str:
    return word.lower().removesuffix("'s")


def same_name(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether one name is the other, or a part of it: "Holm" and "Ida Holm"."""
    return one <= other or other <= one


def kinds_apart(one: Description, other: Description) -> bool:
    """Say whether nothing is both: a person and a town."""
    return frozenset({one.kind, other.kind}) in _APART


def trades_apart(one: Description, other: Description) -> bool:
    """Say whether both are professions that are hardly said of the same person."""
    lines = _LINE_OF.get(one.noun), _LINE_OF.get(other.noun)
    return None not in lines and lines[0] != lines[1]


def offices_differ(one: Description, other: Description) -> bool:
    """Say whether both are offices, not the same, and not of two different bodies."""
    return (
        one.noun in _OFFICE_OF
        and other.noun in _OFFICE_OF
        and one.noun != other.noun
        and of_one_body(one, other)
    )


def same_office(one: Description, other: Description) -> bool:
    """Say whether both hold the one office of a body."""
    return bool(one.noun) and one.noun == other.noun and of_one_body(one, other)


def of_one_body(one: Description, other: Description) -> bool:
    """Say whether the bodies may be the same; where one is not named, they may."""
    return not one.of or not other.of or not one.of.isdisjoint(other.of)
