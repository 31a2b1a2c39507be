"""What one alone is or did: the founder of Acme, the capital of Alderia, the longest river of it.

Read from the words of a sentence around a deed ("John Reed founded Acme", "was founded by"), an
agent's noun ("the founder of Acme is", "Acme's founder") and nouns that are unique by themselves
or by a superlative. Every reading looks at a bounded number of words on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from streamguard.core.conflicts.holder_names import (
    ARTICLES,
    MOST_TOKENS,
    PARTICLES,
    name_from,
    name_to,
    named_before,
    named_behind,
    plain_before,
    plain_behind,
    together,
)
from streamguard.core.conflicts.reading import Reading
from streamguard.core.evidence import Evidence
from streamguard.core.names.reading import fold_case
from streamguard.core.words import stem

# Deeds that hardly two do to the same thing: past forms, and behind "|" nouns for who did it.
_DEEDS: Final = """
    found: founded | founder
    acquire: acquired bought |
    write: wrote written authored | author writer
    invent: invented | inventor
    discover: discovered | discoverer
    design: designed | designer architect
    direct: directed |
    compose: composed | composer
    paint: painted | painter
    sculpt: sculpted | sculptor
    kill: killed murdered assassinated | killer murderer assassin
"""
# What something has one of.
_UNIQUE: Final = frozenset(
    "capital currency symbol anthem headquarters birthplace nickname motto".split()
)
# Behind "national" these too.
_NATIONAL: Final = frozenset(
    "animal bird flower tree dish sport drink fruit flag colour color anthem holiday".split()
)
_NO_SUPERLATIVES: Final = frozenset(
    "forest interest west guest request test harvest contest protest priest chest quest".split()
)
# Before such a noun these make it another one, or one of the past or to come.
_NOT_NOW: Final = frozenset(
    "former ex previous old first second third next future past last original other".split()
)
# Words of a sentence that make it less than a plain statement of who; guess.
_SHARED: Final = frozenset(
    """together jointly partly co again later helped originally supposedly allegedly reportedly
    claimed claims credited perhaps possibly probably might may could would if fictional""".split()
)
# What follows limits the superlative or the time: "by area", "until 1990".
_LIMITS: Final = frozenset("by until till before after outside except excluding from since".split())
_BE: Final = frozenset(["is", "was", "were", "been", "are"])
_LEGAL: Final = frozenset("inc ltd llc plc gmbh corp corporation company limited ag sa".split())
# "The company", "the book": which one is not told.
_GENERIC: Final = frozenset(
    map(
        stem,
        """company firm book novel song film movie team group club business school band system
        method device product game paper article study report test building house bridge work
        project program programme law story play poem piece letter music score picture place land
        body man woman person process""".split(),
    )
)
_BY_REACH = 6  # tokens between a deed and "by"; guess


@dataclass(frozen=True, slots=True)
class Holding:
    """Who holds what: `role` and whose it is (`of`, stems), the holder's words at tokens.

    `deed`: said of something done, not of what is so now. `article` is that of a holder in small
    letters ("the" dollar, "a" rose), empty where it is a name.
    """

    role: tuple[str, ...]
    of: frozenset[str]
    holder: frozenset[str]
    first: int
    end: int
    deed: bool
    article: str = ""


def _tables() -> tuple[dict[str, str], dict[str, str]]:
    deeds: dict[str, str] = {}
    doers: dict[str, str] = {}
    for line in _DEEDS.strip().splitlines():
        role, _, words = line.strip().partition(":")
        verbs, _, nouns = words.partition("|")
        deeds |= dict.fromkeys(verbs.split(), role)
        doers |= dict.fromkeys(nouns.split(), role)
    return deeds, doers


_DEED_OF, _DOER_OF = _tables()
_ROLES_DONE: Final = frozenset(_DEED_OF.values())
_CUES: Final = _DEED_OF.keys() | _DOER_OF.keys() | _UNIQUE | {"national"}


def may_hold(words: Sequence[str]) -> bool:
    """Say whether a text of these words (small letters) may tell who holds something alone."""
    if not _CUES.isdisjoint(words):
        return True
    return "st " in f"{' '.join(words)} " and any(map(_is_superlative, words))


def cues_for(role: tuple[str, ...]) -> frozenset[str]:
    """Return the words that speak of a role; of a deed also who did it with others."""
    told = {word for table in (_DEED_OF, _DOER_OF) for word in table if table[word] == role[0]}
    return frozenset(
        {*role, *told, *(f"co-{word}" for word in told), *(f"co{word}" for word in told)}
    )


def holdings(reading: Reading, evidence: Evidence) -> list[Holding]:
    """Return who holds or did what in a sentence, from left to right; where hedged, nothing."""
    if not may_hold(reading.words) or not _SHARED.isdisjoint(reading.words):
        return []
    capitals = frozenset(reading.capitals)
    found: list[Holding] = []
    for at, word in enumerate(reading.words):
        if at in reading.denied:
            continue
        if word in _DEED_OF:
            found += _done(reading, evidence, at, capitals)
        elif word in ("of", "for", "in"):
            found += _noun_of(reading, evidence, at, capitals)
        elif word.endswith("'s") and at in capitals:
            found += _owned(reading, evidence, at, capitals)
    return found


def _done(
    reading: Reading, evidence: Evidence, verb: int, capitals: frozenset[int]
) -> Iterator[Holding]:
    """Read "X founded Y", "X, who founded Y", "Y was founded in 1999 by X", "Y, founded by X"."""
    words, role = reading.words, (_DEED_OF[reading.words[verb]],)
    last = verb - 1 if words[verb - 1 : verb] != ["who"] else verb - 2
    by = next(
        (at for at in range(verb + 1, _stop(reading, verb, _BY_REACH)) if words[at] == "by"), 0
    )
    if by:
        of = _before(reading, last - 1 if words[last] in _BE else last, capitals)
        holder = name_from(reading, by + 1, capitals)
    else:
        of, _ = _thing(reading, verb + 1, capitals)
        holder = name_to(reading, evidence, last, capitals)
    if of and holder:
        yield _holding(reading, role, of, holder, deed=True)


def _noun_of(
    reading: Reading, evidence: Evidence, link: int, capitals: frozenset[int]
) -> Iterator[Holding]:
    """Read "the X of Y is Z", "the X of Y, Z," and "Z is the X of Y"."""
    the = next(
        (at for at in range(link - 1, max(-1, link - 5), -1) if reading.words[at] == "the"), -1
    )
    role = _role(reading, the + 1, link) if the >= 0 else ()
    of, end = _thing(reading, link + 1, capitals) if role else (frozenset(), 0)
    if not of or not _LIMITS.isdisjoint(reading.words[end : end + 2]):
        return
    yield from _held_by(reading, evidence, role, of, (end, the - 1), capitals)


def _owned(
    reading: Reading, evidence: Evidence, owner: int, capitals: frozenset[int]
) -> Iterator[Holding]:
    """Read "Y's X is Z", "Y's X, Z," "Y's X Z" and "Z is Y's X"."""
    reach = range(owner + 1, _stop(reading, owner, 4))
    noun = next((at for at in reach if _is_role(reading.words, at)), 0)
    role = _role(reading, owner + 1, noun + 1) if noun else ()
    if not role or reading.clauses[noun] != reading.clauses[owner]:
        return
    start = owner
    while (
        start - 1 in capitals
        and owner - start < MOST_TOKENS
        and together(reading, start - 1, owner)
    ):
        start -= 1
    of = frozenset(key for key in reading.keys[start : owner + 1] if key) - _LEGAL
    if of:
        yield from _held_by(reading, evidence, role, of, (noun + 1, start - 1), capitals)


def _held_by(
    reading: Reading,
    evidence: Evidence,
    role: tuple[str, ...],
    of: frozenset[str],
    around: tuple[int, int],
    capitals: frozenset[int],
) -> Iterator[Holding]:
    """Read the holder behind or before a role; `around`: the tokens next to it on either side."""
    behind, before = around
    deed = role[0] in _ROLES_DONE
    plain = None if deed else plain_behind(reading, behind) or plain_before(reading, before)
    if plain and plain[1] - 1 not in capitals:
        article = ARTICLES[reading.words[plain[0] - 1]]
        yield _holding(reading, role, of, plain, deed=deed, article=article)
        return
    holder = named_behind(reading, behind, capitals, deed=deed)
    if holder is None:
        holder = named_before(reading, evidence, before, capitals, deed=deed)
    if holder:
        yield _holding(reading, role, of, holder, deed=deed)


def _holding(
    reading: Reading,
    role: tuple[str, ...],
    of: frozenset[str],
    holder: tuple[int, int],
    *,
    deed: bool,
    article: str = "",
) -> Holding:
    first, end = holder
    words = (word.removesuffix("'s") for word in reading.words[first:end])
    return Holding(role, of, frozenset(words) - _LEGAL - PARTICLES, first, end, deed, article)


def _is_role(words: Sequence[str], at: int) -> bool:
    if words[at] in _DOER_OF or words[at] in _UNIQUE or _is_superlative(words[at - 1]):
        return True
    return words[at - 1] == "national" and words[at] in _NATIONAL


def _role(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Return the role that the words between "the" and "of" name, empty where it is none.

    One who did it; a unique noun with its adjectives; a superlative with its noun.
    """
    words = reading.words[start:end]
    if words[1:] == ["city"] and words[0] == "capital":
        words = words[:1]
    if not words or not _NOT_NOW.isdisjoint(words):
        return ()
    if words[-1] in _DOER_OF:
        return (_DOER_OF[words[-1]],) if len(words) == 1 else ()
    national = words[0] == "national" and words[-1] in _NATIONAL and len(words) > 1
    if words[-1] in _UNIQUE or national or (len(words) > 1 and _is_superlative(words[0])):
        return tuple(map(stem, words))
    return ()


def _thing(reading: Reading, at: int, capitals: frozenset[int]) -> tuple[frozenset[str], int]:
    """Return the stems of the definite thing that begins at a token, and where it ends."""
    words, size = reading.words, len(reading.words)
    at += words[at : at + 1] == ["the"]
    first = at
    named = at in capitals
    while at < min(size, first + MOST_TOKENS) and reading.clauses[at] == reading.clauses[first]:
        inner = words[at] == "of" and (not named or at + 1 in capitals)
        if not inner and not (reading.keys[at] or "").isalpha():
            break
        if named and not inner and at not in capitals and words[at] not in _LEGAL:
            return frozenset(), at  # "Acme Norway branch": of that, not of Acme
        at += 1
    keys = frozenset(key for key in reading.keys[first:at] if key)
    plain = not named and (
        at == first or words[at - 1].endswith("s") or not keys.isdisjoint(_GENERIC)
    )
    return (frozenset() if plain else keys - _LEGAL), at


def _before(reading: Reading, last: int, capitals: frozenset[int]) -> frozenset[str]:
    """Return the stems of the thing that ends at a token and begins its clause."""
    first = last
    clause = reading.clauses[last]
    while first > 0 and last - first <= MOST_TOKENS and reading.clauses[first - 1] == clause:
        first -= 1
    of, end = _thing(reading, max(0, first), capitals)
    return of if end == last + 1 else frozenset()


def _stop(reading: Reading, at: int, reach: int) -> int:
    return min(len(reading.words), at + 1 + reach)


def same_holder(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two names may be of the same: a word in common, spelt alike, or initials."""
    if any(_alike(a, b) for a in one for b in other):
        return True
    return _initials(one, other) or _initials(other, one)


def _alike(one: str, other: str) -> bool:
    one, other = fold_case(one), fold_case(other)
    return one == other or (len(one) > 3 and one[:4] == other[:4])


def _initials(short: frozenset[str], long: frozenset[str]) -> bool:
    letters = sorted(word[0] for word in long)
    return len(long) > 1 and any(sorted(word) == letters for word in short)


def _is_superlative(word: str) -> bool:
    return word == "most" or (
        len(word) > 4 and word.endswith("est") and word not in _NO_SUPERLATIVES
    )
