"""What a claim says of a table's row and column, beside what the cell there says.

Cells that hold values are compared by `owners`; here are names and other words ("The mayor
of Elsund is Ida Holm" beside another row's mayor), and yes and no ("All plans include backups").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from streamguard.core.conflicts.alignment import MAX_HOLDING
from streamguard.core.conflicts.cells import Cell, Grid, Keys, common_keys, named
from streamguard.core.conflicts.opposites import NEGATORS
from streamguard.core.conflicts.reading import Reading
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence

_MOST_TABLES = 3  # of the closest sentences that are read; guess
_MOST_WORDS = 5  # of a cell that is compared by its words; guess
_REACH = 8  # tokens between a cell's words and what names its row or column; guess

_HAVING = frozenset(
    """include includes included including has have had having offer offers offered provide provides
    provided get gets come comes feature features contain contains support supports supported
    allow allows allowed cover covers covered available with without is are lack lacks
    lacking""".split()
)
_LACKING = frozenset(["lack", "lacks", "lacking"])
# Verbs between a thing and what it has, beside the words that say nothing.
_LINKING = frozenset(
    """made called named headed led run held based located given taught come comes chaired managed
    owned played written built found currently now""".split()
)
_ALL = frozenset(["all", "both", "every", "each"])
_NONE = frozenset(["no", "none", "neither"])
_TWO = frozenset(["both", "neither"])
# What owners of any kind are called.
_GENERIC = frozenset(
    """plan option model version account tier packag product servic type kind variant edition them
    one""".split()
)
# Near one of these who has what is told by more than a cell.
_UNCLEAR = frozenset(
    """except apart unless only extra additional additionally optional optionally fee separately
    than unlike most some many few several if instead rather former formerly previous previously
    until before after nearly almost""".split()
)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Tokens [first, last] of the claim, and the cell that says otherwise."""

    first: int
    last: int
    cell: Cell


def said_otherwise(sentence: Sentence, scope: Scope, evidence: Evidence) -> Otherwise | None:
    """Return the first thing the claim says of a row and a column whose cell says otherwise."""
    headings = [evidence.heading_of(number) for number in sentence.closest.sentences]
    tables = dict.fromkeys(heading for heading in headings if heading is not None)
    if not tables or "|" in sentence.plain:
        return None
    reading = sentence.reading
    if reading.conditional or not _UNCLEAR.isdisjoint(reading.words):
        return None
    asked = frozenset(scope.question.content.keys)
    for heading in list(tables)[:_MOST_TABLES]:
        claim = _Claim(reading, evidence, heading, asked)
        found = claim.words_of_another() or claim.contrary_sign()
        if found is not None:
            return found
    return None


class _Claim:
    """A claim beside one table."""

    def __init__(self, reading: Reading, evidence: Evidence, heading: int, asked: Keys) -> None:
        self._reading, self._evidence, self._heading = reading, evidence, heading
        self._grid: Grid = evidence.grid(heading)
        said = reading.places.keys()
        self._rows = named(self._grid.row_heads, said)
        self._columns = _no_corner(named(self._grid.head, said))
        self._asked = _no_corner(named(self._grid.head, asked))

    def words_of_another(self) -> Otherwise | None:
        """Return the words of another row's or column's cell in the place of its own."""
        if self._reading.negators or self._reading.softeners:
            return None
        for column in self._columns or self._asked:
            found = self._exchanged(column)
            for row in self._rows if found is None else ():
                found = found or self._another_in(row, column)
            if found is not None:
                return found
        return None

    def _another_in(self, row: int, column: int) -> Otherwise | None:
        rows = self._grid.rows
        own = rows[row][column]
        naming = self._rows[row] | self._columns.get(column, frozenset())
        if not _in_words(own) or self._says_any(_telling(own, naming)):
            return None
        for other in self._rivals(row, column):
            telling = _telling(other, naming.union(own.keys))
            if telling and self._says(other.keys) and _telling(own, frozenset(other.keys)):
                place = self._beside(other, telling, naming)
                if place is not None and not self._said_elsewhere(self._rows[row], other.keys):
                    return Otherwise(*place, own)
        return None

    def _rivals(self, row: int, column: int) -> Iterator[Cell]:
        """Yield the cells of the column in other rows, and of the row in columns not named."""
        rows = self._grid.rows
        in_row = [cell.keys for cell in rows[row]] if column not in self._columns else []
        for at, other in enumerate(rows):
            cell = other[column]
            if at not in self._rows and _in_words(cell) and cell.keys not in in_row:
                yield cell
        # "Made in" is named by "is made of" too.
        if not self._columns.get(column, frozenset()) <= _LINKING:
            for at, cell in enumerate(rows[row]):
                if at and at not in self._columns and _in_words(cell):
                    yield cell

    def _exchanged(self, column: int) -> Otherwise | None:
        """Return a cell's words behind the name of another row, each named in turn."""
        cells = {row: self._grid.rows[row][column] for row in self._rows}
        if len(cells) < 2 or not all(_in_words(c) and self._says(c.keys) for c in cells.values()):
            return None
        places = self._reading.places
        steps = [
            (min(places[key][0] for key in keys), row, True) for row, keys in self._rows.items()
        ]
        steps += [(min(places[key][0] for key in c.keys), row, False) for row, c in cells.items()]
        steps.sort()
        pairs = list(zip(steps[::2], steps[1::2], strict=True))
        for one, other in pairs:
            if one[2] == other[2] or one[2] != pairs[0][0][2]:
                return None
        for one, other in pairs:
            if one[1] != other[1]:
                name, said = (one, other) if one[2] else (other, one)
                at = [places[key][0] for key in cells[said[1]].keys]
                return Otherwise(min(at), max(at), cells[name[1]])
        return None

    def _says(self, keys: Iterable[str]) -> bool:
        return all(key in self._reading.places for key in keys)

    def _says_any(self, keys: Iterable[str]) -> bool:
        return any(key in self._reading.places for key in keys)

    def _beside(self, cell: Cell, telling: Keys, naming: Keys) -> tuple[int, int] | None:
        """Return the tokens of a cell's words where no more than a link is before what names it."""
        places = self._reading.places
        at = [place for key in cell.keys for place in places[key][:1] if key in telling]
        first, last = min(at), max(at)
        if last - first >= _REACH:
            return None
        for place in (place for key in naming for place in places.get(key, ())):
            between = range(last + 1, place) if place > last else range(place + 1, first)
            linked = all(self._links(each, cell.keys) for each in between[: _REACH + 1])
            if linked and len(between) <= _REACH:
                return first, last
        return None

    def _links(self, at: int, inside: Collection[str]) -> bool:
        key = self._reading.keys[at]
        if key is None or key in inside or self._reading.words[at] in _LINKING:
            return True
        return key in self._called(self._grid.row_heads)

    def _called(self, heads: Sequence[Cell]) -> Keys:
        """Return what all that these heads name may be called."""
        return self._grid.head[0].words | common_keys(heads) | _GENERIC

    def _said_elsewhere(self, one: Keys, other: Collection[str]) -> bool:
        """Say whether a sentence outside the table holds all of both."""
        evidence = self._evidence
        return any(
            evidence.heading_of(number) != self._heading
            and evidence.keys_in_sentence(number).issuperset((*one, *other))
            for number in evidence.sentences_with(next(iter(one)))[:MAX_HOLDING]
        )

    def contrary_sign(self) -> Otherwise | None:
        """Return what is said to be had, or not, where the cell says the contrary."""
        reading = self._reading
        lacking = {at for at, word in enumerate(reading.words) if word in _LACKING}
        denials = lacking.union(reading.negators)
        hedged = any(
            word in NEGATORS and at not in denials for at, word in enumerate(reading.words)
        )
        if hedged or _HAVING.isdisjoint(reading.words) or not lacking.issuperset(reading.softeners):
            return None
        for rows, columns, said in self._spoken_of():
            for row, column in product(rows, columns):
                sign = self._grid.sign(row, column)
                named_by = self._tokens(row, column)
                if sign and sign == -(said or self._said_sign(named_by, denials)):
                    first, last = max(named_by)
                    return Otherwise(first, last, self._grid.rows[row][column])
        return None

    def _tokens(self, row: int, column: int) -> list[tuple[int, int]]:
        """Return the first and last token of what names the row, and of what names the column."""
        sides = (self._rows.get(row), self._columns.get(column))
        at = [[self._reading.places[key][0] for key in keys] for keys in sides if keys]
        return [(min(each), max(each)) for each in at]

    def _said_sign(self, named_by: Sequence[tuple[int, int]], denials: Collection[int]) -> int:
        """Return 1 where a pair is said to go together, -1 if not, 0 where it is unclear."""
        if not denials:
            return 1
        tokens = {at for first, last in named_by for at in range(first, last + 1)}
        single = len(self._rows) == len(self._columns) == 1
        return -1 if single or not tokens.isdisjoint(self._reading.denied) else 0

    def _spoken_of(self) -> Iterator[tuple[Iterable[int], Iterable[int], int]]:
        """Yield rows, columns and 1 or -1 for "all" and "none" of them, 0 where they are named."""
        rows, columns = self._rows, self._columns
        if rows and columns:
            yield rows, columns, 0
        elif columns and (sign := self._sign_of_all(self._grid.row_heads)):
            yield range(len(self._grid.rows)), columns, sign
        elif rows and (sign := self._sign_of_all(self._grid.head[1:])):
            yield rows, range(1, len(self._grid.head)), sign

    def _sign_of_all(self, heads: Sequence[Cell]) -> int:
        """Return 1 where all of what the heads name is spoken of, -1 for none of it, else 0."""
        reading = self._reading
        called = self._called(heads)
        for at, word in enumerate(reading.words[:-1]):
            if word not in _ALL | _NONE or (word in _TWO and len(heads) != 2):
                continue
            following = [key for key in reading.keys[at + 1 : at + 4] if key and key[0] != "#"]
            stands = reading.clauses[at] == reading.clauses[at + 1]
            if stands and (
                not called.isdisjoint(following[:1]) or reading.words[at + 1] in _HAVING
            ):
                if word in _NONE:
                    return -1 if len(reading.negators) == 1 else 0
                return 0 if reading.negators else 1
        return 0


def _no_corner(found: dict[int, Keys]) -> dict[int, Keys]:
    return {at: keys for at, keys in found.items() if at > 0}


def _telling(cell: Cell, others: Collection[str]) -> Keys:
    return cell.words.difference(others)


def _in_words(cell: Cell) -> bool:
    """Say whether a cell holds a few words and no value, nor yes or no."""
    keys = set(cell.keys)
    return 0 < len(keys) <= _MOST_WORDS and keys == cell.words and not cell.sign
