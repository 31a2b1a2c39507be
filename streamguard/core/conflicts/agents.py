"""Who a text says did something or has a role: "was deployed by the platform team", "Owner: Ida".

Read from passives with "by", from labels with a name behind the colon, and in answers from "the
owner is Ida" and "Ida is the owner". An act is the stems of its words without the ending of who
does it, so that "owned by" and "Owner:" are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from streamguard.core.conflicts.holders import same_holder
from streamguard.core.conflicts.reading import Reading

_MOST_LABEL = 5  # words of a label; guess
_MOST_AGENT = 6  # content words of who did it; guess
_AUX = frozenset("is are was were been be being get got gets".split())
_COPULA = frozenset("is are was were".split())
_AUX_REACH = 3
_PARTICLES = frozenset("out over up off down back in on away through together".split())
_TITLES = frozenset("mr mrs ms dr prof professor doctor sir dame judge chef coach captain".split())
_BODIES = frozenset(
    """team group offic depart committe board unit divis ministri univers compani crew""".split()
)
_DETERMINERS = frozenset("the a an its their our his her your my this that".split())
_JOINED = frozenset(["and", "or"])
# "By the end", "by hand": no one who does something.
_NOT_WHO = frozenset(
    """end time wai us hand date mean default law mail email post phone night dai week month year
    midnight noon cash card bank credit choic mistak""".split()
)
_BEHIND_NAME = frozenset(".;,()\n|")

Keys = frozenset[str]
_NONE: Keys = frozenset()


@dataclass(frozen=True, slots=True)
class Agent:
    """Who does an act, at tokens [first, end).

    `subject`: the keys it is done to, `proper` those with a capital. `named`: written like a
    name; `label`: told by a label, whose subject is what stands before.
    """

    act: tuple[str, ...]
    who: Keys
    subject: Keys
    proper: Keys
    first: int
    end: int
    named: bool
    label: bool = False

    def forms(self) -> Iterator[tuple[str, str, str]]:
        """Yield of each word of the act the stems under which texts may hold it."""
        for key in self.act:
            yield key, f"{key}er", f"{key}or"

    def same_act(self, other: Agent) -> bool:
        """Say whether both are of one act; the last words of a label may be left out."""
        return self.act == (other.act[: len(self.act)] if other.label else other.act)

    def may_be(self, other: Agent) -> bool:
        """Say whether both may be the same: a word in common that is no title or kind of body."""
        mine, theirs = self.who - _BODIES, other.who - _BODIES
        if not mine or not theirs:
            return True
        return same_holder(mine, theirs)


def agents_in(reading: Reading, *, labels: bool) -> list[Agent]:
    """Return who does what in a text; `labels`: read labels, else roles with "is". Linear in it."""
    found = list(_passives(reading)) if "by" in reading.words else []
    found += _labels(reading) if labels else _roles(reading)
    return found


def _passives(reading: Reading) -> Iterator[Agent]:
    words, keys = reading.words, reading.keys
    for by, word in enumerate(words):
        if word != "by" or by == 0 or by + 1 == len(words):
            continue
        verb = by - 1 - (by > 1 and words[by - 1] in _PARTICLES)
        key, who = keys[verb], _who(reading, by + 1)
        if key is None or who is None:
            continue
        if _AUX.isdisjoint(words[max(0, verb - _AUX_REACH) : verb]) and words[verb][-2:] != "ed":
            continue
        first, end, named = who
        act, agent = (_act(key),), _keys(reading, first, end)
        subject, proper = _subject(reading, verb)
        yield Agent(act, agent, subject, proper, first, end, named)


def _who(reading: Reading, at: int) -> tuple[int, int, bool] | None:
    """Return the tokens of who stands at a token, and whether they are written like a name."""
    words, keys, capitals = reading.words, reading.keys, frozenset(reading.capitals)
    definite = words[at] in _DETERMINERS
    start = at + definite
    end = start
    while end < len(words) and end - start < _MOST_AGENT:
        if end > start and _cut(reading, end - 1, ".;:()\n"):
            break
        inside = keys[end] and not (keys[end] or "").startswith("#")
        if not inside and not (end > start and words[end] in _JOINED and end + 1 < len(words)):
            break
        if end > start and not definite and end not in capitals and words[end] not in _JOINED:
            break
        end += 1
    if end == start or keys[end - 1] in _NOT_WHO or not (definite or start in capitals):
        return None
    while end < len(words) and words[end] == "of" and end - start < _MOST_AGENT:
        end = min(end + 3, len(words))  # "the head of the ministry", "two of the sisters"
    return start, end, start in capitals


def _cut(reading: Reading, at: int, marks: str) -> bool:
    """Say whether one of these marks stands between a token and the next."""
    spans = reading.spans
    gap = reading.text[spans[at][1] : spans[at + 1][0]]
    abbreviated = gap == ". " and len(reading.words[at]) <= 4 and at in reading.capitals
    return not abbreviated and any(mark in gap for mark in marks)


def _keys(reading: Reading, first: int, end: int) -> Keys:
    words = zip(reading.words[first:end], reading.keys[first:end], strict=True)
    return frozenset(key for word, key in words if key and word not in _TITLES)


def _subject(reading: Reading, verb: int) -> tuple[Keys, Keys]:
    """Return the keys of the verb's clause before it, and those of them with a capital inside.

    Where the clause has none, as behind "(lowered to 50)", those of all before it.
    """
    low = verb
    while low > 0 and reading.clauses[low - 1] == reading.clauses[verb]:
        low -= 1
    low = low if any(reading.keys[low:verb]) else 0
    subject = frozenset(key for key in reading.keys[low:verb] if key and key[0] != "#")
    inner = (at for at in reading.capitals if low <= at < verb and at not in reading.initials)
    return subject, subject.intersection(reading.keys[at] for at in inner)


def _act(key: str) -> str:
    for ending in ("er", "or"):
        if key.endswith(ending) and len(key) > len(ending) + 2:
            return key[: -len(ending)]
    return key


def _acts(reading: Reading, first: int, end: int) -> tuple[str, ...]:
    return tuple(_act(key) for key in reading.keys[first:end] if key and key[0] != "#")


def _name_at(reading: Reading, at: int) -> int:
    """Return the end of the run of capitals at a token."""
    capitals, end = frozenset(reading.capitals), at
    while (
        end in capitals
        and reading.keys[end]
        and (end == at or not _cut(reading, end - 1, ",.;:(\n"))
    ):
        end += 1
    return end


def _labels(reading: Reading) -> Iterator[Agent]:
    """Yield the names behind a label and its colon, where nothing else follows the name."""
    text, spans = reading.text, reading.spans
    for at in range(1, len(spans)):
        if ":" not in text[spans[at - 1][1] : spans[at][0]]:
            continue
        end = _name_at(reading, at)
        behind = text[spans[end - 1][1] :].lstrip(" *")[:1] if end > at else "-"
        if end == at or (behind and behind not in _BEHIND_NAME):
            continue
        first = at - 1
        while first > 0 and at - first < _MOST_LABEL and not _cut(reading, first - 1, ".;,:\n|(-"):
            first -= 1
        act = _acts(reading, first, at)
        if act:
            yield Agent(act, _keys(reading, at, end), _NONE, _NONE, at, end, True, True)


def _roles(reading: Reading) -> Iterator[Agent]:
    """Yield names beside "is" and a role: "the owner of it is Ida", "Ida is the owner"."""
    words, capitals = reading.words, frozenset(reading.capitals)
    for at, word in enumerate(words):
        if word not in _COPULA or at == 0 or at + 1 == len(words):
            continue
        if at + 1 in capitals and reading.keys[at + 1]:
            end = _name_at(reading, at + 1)
            role, subject = _role_before(reading, at)
            if role and (
                end == len(words) or not reading.keys[end] or _cut(reading, end - 1, ",;(")
            ):
                yield Agent(role, _keys(reading, at + 1, end), subject, _NONE, at + 1, end, True)
        elif at - 1 in capitals and words[at + 1] == "the":
            first = at - 1
            while first - 1 in capitals and not _cut(reading, first - 1, ",;:("):
                first -= 1
            end = at + 2
            while end < len(words) and reading.keys[end] and end - at <= _MOST_LABEL:
                end += 1
            role = _acts(reading, at + 2, end)
            behind = frozenset(key for key in reading.keys[end : end + _MOST_LABEL] if key)
            if role and reading.keys[first]:
                yield Agent(role, _keys(reading, first, at), behind, _NONE, first, at, True)


def _role_before(reading: Reading, copula: int) -> tuple[tuple[str, ...], Keys]:
    """Return the role before "is", and whose it is: "the owner of the mill", "the mill's owner"."""
    low = copula
    while low > 0 and reading.clauses[low - 1] == reading.clauses[copula] and copula - low < 10:
        low -= 1
    words = reading.words[low:copula]
    cut = next((low + at for at, word in enumerate(words) if word in ("of", "for", "at")), copula)
    owned = [at + 1 for at in range(low, cut) if reading.words[at].endswith("'s")]
    first = owned[-1] if owned else low
    subject = [*reading.keys[low:first], *reading.keys[cut:copula]]
    return _acts(reading, first, cut), frozenset(key for key in subject if key)
