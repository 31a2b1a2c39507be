"""A sentence read for comparing it with another: its words in clauses, values, denials, poles."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from streamguard.core.anchors import Anchor
from streamguard.core.conflicts.bounds import LIMIT, bounds
from streamguard.core.conflicts.opposites import (
    CONDITIONS,
    DENIED,
    HEDGED,
    JOINTS,
    NEGATORS,
    PAIR_ENDS,
    PASSED_OVER,
    POLES,
    REACH,
    REMINDING,
    SOFTENERS,
    WHOLE,
    Pole,
)
from streamguard.core.conflicts.ranges import with_ends
from streamguard.core.conflicts.timewords import CALENDAR, EACH, PERIOD_OF, PERIODS, PERIODS_ALONE
from streamguard.core.content import value_keys
from streamguard.core.words import STOP_WORDS, Memo, stem

# A dash between spaces is a mark: "No - it was closed".
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[,;:()|—]|(?<=\s)-(?=\s)")
_MARKS = frozenset(",;:()|—-")
_NEXT_WORD = re.compile(r"\s([a-z]{1,20})\b")

_TURNS_DOWN = ("less", "least")
_NO_VALUES = ("ordinal", "identifier", "version")
_ALSO_VERBS = ("may", "march")  # at a sentence's start
# A sentence that begins with one of these goes on about what the one before spoke of; with one of
# the others also within its first words: "Bake it at".
_PRONOUNS = frozenset("it they this these that those he she its their both his her".split())
_OBJECTS = frozenset(["it", "them"])
_OBJECT_REACH = 3  # guess
# Tokens behind a negator in which what it denies is looked for; guess.
_DENIAL_REACH = 5
# Behind "only" inside a clause one of these says that it speaks of whom.
_OF_WHOM = frozenset("for to be by the those can may available accessible open".split())
# Nouns whose number is a name, not a count: "type 2", "step 3".
_NAMED_BY_NUMBER = re.compile(
    r"(?i)\b(?:type|step|option|windows|version|phase|stage|level|grade|part|chapter|section|method"
    r"|rule|tip|figure|table|page|no\.?|number|channel|route|highway|form|class|category|tier|room"
    r"|unit|line|vitamin|passages?|sources?|documents?|item|question|answer)\s?$"
)
_NAME_REACH = 12
# A count below it that counts nothing named is a list's mark more often than a fact; guess.
_LEAST_BARE = 13
# Tokens behind a number in which what it counts is looked for; guess.
_COUNTED_REACH = 3


@dataclass(frozen=True, slots=True)
class Value:
    """A value at token `at`: an anchor; or a month, weekday or period ("every day") as `number`.

    Values of one `group` may stand for one another: kind and unit; of a bare number the key of
    what it counts, None where that is not told. `ends`: those of the range of which it is one;
    `counted`: all keys of what a bare number counts, "guest" and "rooms".
    """

    group: tuple[str, str | None]
    at: int
    start: int
    end: int
    anchor: Anchor | None = None
    number: int = 0
    ends: tuple[Value, Value] | None = None
    counted: frozenset[str] = frozenset()

    @property
    def place(self) -> tuple[int | None, int | None, int | None]:
        """Year, month and day, None for what is not said; of all else one figure for the first."""
        if self.group[0] == "month":
            return None, self.number, None
        if self.anchor is None:
            return self.number, None, None
        if self.group[0] not in ("date", "year"):
            return None if self.anchor.value is None else int(self.anchor.value), None, None
        key = self.anchor.key
        year, _, rest = ("", "", key[2:]) if key.startswith("--") else key.partition("-")
        month, _, day = rest.partition("-")
        return _figure(year), _figure(month), _figure(day)


@dataclass(frozen=True, slots=True)
class Negation:
    """What a negator denies: a key at token `at`. `sign` is 1 where it is denied twice."""

    key: str
    at: int
    sign: int


@dataclass(frozen=True, slots=True)
class Run:
    """Capitalised words side by side: tokens [first, end) and the words in small letters."""

    first: int
    end: int
    words: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Reading:
    """The tokens of a folded text, one entry each per token; spans count from its start.

    `words` are in small letters; `keys` are stems, `#` and a value for an anchor (one token,
    however long), None for words that say nothing by themselves. `clauses` numbers the clause of
    each token. `capitals` are tokens with a capital, `initials` those that begin the text or what
    follows a colon. `denied` are the tokens close behind a negator, `negations` what it denies.
    `poles` are words on an axis of opposites (axis, pole, token), turned where denied, and the
    bounds of the values in `bounded`; `limited` are clauses whose denial turns a bound: "you cannot
    stay longer than 10 days". `contexts` is kept for `alignment`, `names` for `entities`.
    """

    text: str
    words: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    clauses: list[int] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)  # key -> its tokens
    values: list[Value] = field(default_factory=list)
    negators: list[int] = field(default_factory=list)
    softeners: list[int] = field(default_factory=list)
    conditional: set[int] = field(default_factory=set)  # clauses
    capitals: list[int] = field(default_factory=list)
    initials: set[int] = field(default_factory=set)
    poles: list[tuple[str, int, int]] = field(default_factory=list)
    negations: list[Negation] = field(default_factory=list)
    denied: set[int] = field(default_factory=set)
    bounded: dict[int, Value] = field(default_factory=dict)  # by token
    limited: set[int] = field(default_factory=set)  # clauses
    contexts: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    names: list[Run] | None = None
    _spans: list[tuple[int, int]] | None = None

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each token stands; looked for on first need where no token is an anchor."""
        if self._spans is None:
            found = (token.span() for token in _TOKEN.finditer(self.text))
            self._spans = [span for span in found if self.text[span[0]] not in _MARKS]
        return self._spans

    def keep_spans(self, spans: list[tuple[int, int]]) -> None:
        """Keep where each token stands, as an anchor is one token."""
        self._spans = spans

    @property
    def denials(self) -> list[int]:
        """Tokens that deny: negators, and adjectives with a prefix that does ("impossible")."""
        return [*self.negators, *(at for at, word in enumerate(self.words) if word in DENIED)]

    @property
    def goes_on(self) -> bool:
        """Whether it begins with a pronoun for what the sentence before spoke of."""
        first = self.words[:_OBJECT_REACH]
        return bool(first) and (first[0] in _PRONOUNS or not _OBJECTS.isdisjoint(first))


def read(text: str, anchors: Sequence[Anchor], base: int = 0) -> Reading:
    """Read folded `text`, whose `anchors` count from `base` before it. Linear in its length."""
    reading = Reading(text)
    words, keys, clauses = reading.words, reading.keys, reading.clauses
    turns: list[tuple[tuple[Pole, ...], int]] = []
    clause, initial = 0, True
    if anchors:
        tokens, anchored = _with_anchors(reading, anchors, base)
    else:
        tokens, anchored = _TOKEN.findall(text), {}
    for number, token in enumerate(tokens):
        word = token.lower()
        key, is_mark, is_special = _TRAITS[word]
        if number in anchored:
            key = _value(reading, anchored[number])
            if word.startswith("free"):  # "free of charge", an amount
                turns.append((POLES["free"], len(words)))
        elif is_mark:
            clause += 1
            initial = initial or word == ":"
            continue
        else:
            if is_special:
                clause += _note(reading, turns, word, key, clause)
            if token != word and token[0].isupper():
                _capital(reading, word, initial=initial)
        if initial:
            reading.initials.add(len(words))
            initial = False
        words.append(word)
        keys.append(key)
        clauses.append(clause)
    _finish(reading, turns)
    return reading


def all_values(reading: Reading, anchors: Sequence[Anchor], base: int = 0) -> list[Value]:
    """Return the values of a text that was read, also the small bare counts of lists and tables.

    Ranks and marks state none. What a bare count counts is not told.
    """
    at_start = {start: at for at, (start, _) in enumerate(reading.spans)}
    found = []
    for anchor in anchors:
        at = at_start.get(anchor.start - base)
        if at is None or anchor.kind in _NO_VALUES:
            continue
        found.append(Value((anchor.kind, anchor.unit), at, *reading.spans[at], anchor))
    return found


def _with_anchors(
    reading: Reading, anchors: Sequence[Anchor], base: int
) -> tuple[list[str], dict[int, Anchor]]:
    """Return the tokens, each anchor as one, and which of them, marks counted, are anchors.

    The spans of all but the marks are kept.
    """
    text, done = reading.text, 0
    tokens: list[str] = []
    spans: list[tuple[int, int]] = []
    anchored: dict[int, Anchor] = {}
    following = iter(anchors)
    anchor = next(following, None)
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        if start < done:  # inside an anchor
            continue
        while anchor is not None and anchor.end - base <= start:
            anchor = next(following, None)
        if anchor is not None and anchor.start - base < end:
            anchored[len(tokens)] = anchor
            start, end = anchor.start - base, anchor.end - base
            done = end
        tokens.append(text[start:end])
        if start < done or tokens[-1] not in _MARKS:
            spans.append((start, end))
    reading.keep_spans(spans)
    return tokens, anchored


def _value(reading: Reading, anchor: Anchor) -> str | None:
    """Note the anchor that the next token is; return its key."""
    at = len(reading.words)
    group = (anchor.kind, anchor.unit)
    reading.values.append(Value(group, at, *reading.spans[at], anchor))
    return next(iter(value_keys(anchor)), None)


class _Traits(NamedTuple):
    """What a word in small letters is wherever it stands: its key, and whether to look closer."""

    key: str | None
    is_mark: bool
    is_special: bool


def _traits(word: str) -> _Traits:
    is_mark = word in _MARKS
    key = None if is_mark or word in STOP_WORDS or word in NEGATORS else stem(word)
    tables: tuple[Container[str], ...] = (NEGATORS, JOINTS, POLES, SOFTENERS, PERIODS, PAIR_ENDS)
    is_special = any(word in table for table in tables) or word.endswith("n't") or key in POLES
    return _Traits(key, is_mark, is_special)


_TRAITS = Memo(_traits)


def _note(
    reading: Reading,
    turns: list[tuple[tuple[Pole, ...], int]],
    word: str,
    key: str | None,
    clause: int,
) -> int:
    """Note what the next token is beside a word; return 1 where a clause begins with it."""
    at = len(reading.words)
    begins = key is None and word in JOINTS
    if begins and word in CONDITIONS:
        reading.conditional.add(clause + 1)
    if (word in NEGATORS or word[-3:] == "n't") and not _hedged(reading, at, word):
        reading.negators.append(at)
    poles = POLES.get(word) or (POLES.get(key, ()) if key else ())
    if at and word in PAIR_ENDS:
        poles = (*POLES.get(f"{reading.words[-1]} {word}", ()), *poles)
    if poles:
        turns.append((poles, at))
    if word in SOFTENERS:
        reading.softeners.append(at)
    if word in PERIODS and (word in PERIODS_ALONE or (at and reading.words[-1] in EACH)):
        reading.values.append(
            Value(("every", None), at, *reading.spans[at], number=PERIOD_OF[word])
        )
    return int(begins)


def _hedged(reading: Reading, at: int, word: str) -> bool:
    """Say whether a negator denies less than what follows, or nothing.

    "Not all", "or not", "don't forget"; "No. 5".
    """
    text, (start, end) = reading.text, reading.spans[at]
    if word == "no":
        return text[end : end + 1] == "."
    if text[max(0, start - 4) : start] == " or ":
        return True
    following = _NEXT_WORD.match(text, end)
    if following is None:
        return False
    return following[1] in REMINDING or (word == "not" and following[1] in HEDGED)


def _capital(reading: Reading, word: str, *, initial: bool) -> None:
    at = len(reading.words)
    reading.capitals.append(at)
    kind, number = CALENDAR.get(word, ("", 0))
    if kind and not (initial and word in _ALSO_VERBS):
        reading.values.append(Value((kind, None), at, *reading.spans[at], number=number))


def _finish(reading: Reading, turns: list[tuple[tuple[Pole, ...], int]]) -> None:
    """Note each key's places and what is denied; turn poles that are; group the values."""
    for at, key in enumerate(reading.keys):
        if key:
            reading.places.setdefault(key, []).append(at)
    said = _bound(reading)
    for negator in reading.negators:
        _deny(reading, negator)
    if not DENIED.keys().isdisjoint(reading.words):
        for at, word in enumerate(reading.words):
            if word in DENIED:
                sign = 1 if at in reading.denied else -1
                reading.negations.append(Negation(DENIED[word], at, sign))
    for poles, at in turns:
        if at in said:
            continue
        turned = -1 if at in reading.denied else 1
        if turned < 0 or not _says_who(reading, at):
            poles = tuple(pole for pole in poles if pole[0] != REACH)
        if at and _turns(reading.words[at - 1], reading.words[at]):
            turned = -turned
        reading.poles.extend((axis, pole * turned, at) for axis, pole in poles)
    if reading.values:
        grouped = (_grouped(reading, value) for value in reading.values)
        reading.values = [value for value in grouped if value is not None]
    if len(reading.values) > 1:
        reading.values = with_ends(reading.text, reading.values)


def _figure(written: str) -> int | None:
    return int(written) if written.isdecimal() else None


def _turns(before: str, word: str) -> bool:
    """Say whether a word turns the next one's pole: "less expensive", "not all"."""
    return before in _TURNS_DOWN or (before == "not" and word in WHOLE)


def _says_who(reading: Reading, at: int) -> bool:
    """Say whether "all" or "only" may be said of somebody: not "only 5", "it only needs"."""
    before, following = reading.words[at - 1 : at], reading.words[at + 1 : at + 2]
    if before == ["not"] or following == ["other"]:
        return False
    if reading.words[at] != "only" or not following:
        return True
    if reading.clauses[at + 1] != reading.clauses[at] or following[0] in _OF_WHOM:
        return True
    begins = not before or reading.clauses[at - 1] != reading.clauses[at]
    return begins and (reading.keys[at + 1] or "#")[0] != "#"


def _bound(reading: Reading) -> set[int]:
    """Note which values are bounded; return the tokens that say so, which say nothing else."""
    values = {
        value.at: value
        for value in reading.values
        if value.group[0] != "every" and not (value.anchor and value.anchor.high is not None)
    }
    kinds = [(at, value.group[0]) for at, value in values.items()]
    said: set[int] = set()
    for bound in bounds(reading.words, reading.clauses, kinds, reading.negators):
        said.update(bound.words)
        reading.bounded[bound.at] = values[bound.at]
        reading.poles.append((LIMIT, bound.pole, bound.at))
        if bound.negator is not None:
            reading.limited.add(reading.clauses[bound.negator])
            reading.denied.add(bound.at)
    reading.negators = [at for at in reading.negators if at not in said]
    return said


def _deny(reading: Reading, negator: int) -> None:
    """Note the next content word of the negator's clause as denied, and what lies between."""
    clause = reading.clauses[negator]
    last = min(negator + 1 + _DENIAL_REACH, len(reading.words))
    for at in range(negator + 1, last):
        if reading.clauses[at] != clause:
            return
        reading.denied.add(at)
        key = reading.keys[at]
        if key and reading.words[at] not in PASSED_OVER:
            reading.negations.append(Negation(key, at, -1))
            return


def _grouped(reading: Reading, value: Value) -> Value | None:
    """Return the value in its group, None where it states nothing: ranks, marks, bare counts."""
    anchor = value.anchor
    if anchor is None:
        return value
    if anchor.kind in _NO_VALUES or anchor.casual:
        return None
    if anchor.kind != "number":
        return value
    before = reading.text[max(0, value.start - _NAME_REACH) : value.start]
    if value.at == 0 or before[-1:] in (".", ":") or _NAMED_BY_NUMBER.search(before):
        return None
    counted = _counted(reading, value.at)
    small = anchor.value is not None and anchor.value < _LEAST_BARE
    if small and (not counted or anchor.word):
        return None
    first = counted[0] if counted else None
    return replace(value, group=("number", first), counted=frozenset(counted))


def _counted(reading: Reading, at: int) -> list[str]:
    """Return the keys side by side that begin within reach behind a number, in its clause."""
    counted: list[str] = []
    for other in range(at + 1, min(at + 1 + 2 * _COUNTED_REACH, len(reading.keys))):
        key = reading.keys[other]
        if reading.clauses[other] != reading.clauses[at] or len(counted) == _COUNTED_REACH:
            break
        if key and not key.startswith("#"):
            counted.append(key)
        elif counted or other - at >= _COUNTED_REACH:
            break
    return counted
