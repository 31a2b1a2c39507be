"""One fact of each owner, written in many ways: are two fillers found that changed places?

    python benchmarks/structure_grid.py [--list]

Every kind of fact (number, price, name, place, word, yes or no) with two to four owners is written
in every way (prose, clauses of one sentence, labels, bullets, rows and columns of a table,
"respectively", brackets). Of each come right answers about one owner and about two, in the
passage's words and lightly reworded, and the same with the fillers of two owners exchanged (yes or
no: turned). Found: a
finding touches the wrong filler, or the status is not PASS. A right answer is flagged where its
status is not PASS or anything warns. `--list` shows every miss and every flag.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scores.answers import ASIDE, alarms
from scores.numbers import of

from streamguard.core.context import Context
from streamguard.core.validate import check_text

_OPENING = "Notes from the spring survey, kept by the district office."
_CLOSING = "Write to the office for older notes."


@dataclass(frozen=True, slots=True)
class Fact:
    """A kind of fact: `said` with {owner} and {filler} as the passage words it, and `reworded`.

    `listed`: the same of several, with {owners} and {fillers}; `label` heads a row or column.
    """

    kind: str
    owners: tuple[str, ...]
    fillers: tuple[str, ...]
    label: str
    said: str
    reworded: str
    listed: str


FACTS = (
    Fact(
        "number", ("Arnby", "Bruck", "Cald", "Dorn"), ("14", "37", "52", "68"),
        "Wells", "{owner} has {filler} wells", "there are {filler} wells in {owner}",
        "{owners} have {fillers} wells",
    ),
    Fact(
        "number", ("the north hall", "the south hall", "the annex", "the loft"),
        ("120", "85", "240", "36"), "Seats", "{owner} holds {filler} guests",
        "up to {filler} guests fit into {owner}", "{owners} hold {fillers} guests",
    ),
    Fact(
        "price", ("Basic", "Plus", "Pro", "Studio"), ("$12", "$29", "$49", "$85"),
        "Price", "{owner} costs {filler} a month", "you pay {filler} a month for {owner}",
        "{owners} cost {fillers} a month",
    ),
    Fact(
        "price", ("an adult ticket", "a child ticket", "a group ticket", "a night ticket"),
        ("€18", "€7", "€60", "€25"), "Price", "{owner} costs {filler}",
        "the price of {owner} is {filler}", "{owners} cost {fillers}",
    ),
    Fact(
        "name", ("the ledger team", "the search team", "the mobile team", "the data team"),
        ("Ida Holm", "Omar Said", "Lea Moran", "Tim Falk"), "Lead",
        "{owner} is led by {filler}", "{filler} leads {owner}", "{owners} are led by {fillers}",
    ),
    Fact(
        "name", ("Chess", "Judo", "Rowing", "Archery"),
        ("Ann Ode", "Paul Reis", "Greta Lind", "Ben Okoro"), "Chair",
        "the chair of {owner} is {filler}", "{filler} chairs {owner}",
        "the chairs of {owners} are {fillers}",
    ),
    Fact(
        "place", ("the pottery course", "the dance course", "the choir", "the book club"),
        ("Alder Hall", "Mill Street", "Kerry House", "North Square"), "Place",
        "{owner} meets at {filler}", "you find {owner} at {filler}", "{owners} meet at {fillers}",
    ),
    Fact(
        "place", ("Veltra", "Norwin", "Castel", "Ombra"),
        ("Porto", "Ghent", "Oslo", "Turin"), "Head office",
        "{owner} has its head office in {filler}",
        "the head office of {owner} is in {filler}",
        "{owners} have their head offices in {fillers}",
    ),
    Fact(
        "word", ("the east door", "the west door", "the cellar door", "the garden door"),
        ("green", "yellow", "brown", "white"), "Colour", "{owner} is painted {filler}",
        "{owner} was given {filler} paint", "{owners} are painted {fillers}",
    ),
    Fact(
        "word", ("the Trail", "the Road", "the City", "the Cargo"),
        ("steel", "carbon", "aluminium", "titanium"), "Material", "{owner} is made of {filler}",
        "they make {owner} from {filler}", "{owners} are made of {fillers}",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """A fact of yes or no: how it is affirmed and denied, as the passage has it and reworded."""

    owners: tuple[str, ...]
    label: str
    said: tuple[str, str]
    reworded: tuple[str, str]
    listed: tuple[str, str]


CHOICES = (
    Choice(
        ("the canyon trip", "the cave trip", "the lake trip", "the forest trip"),
        "Lunch",
        ("{owner} includes lunch", "{owner} does not include lunch"),
        ("lunch is part of {owner}", "lunch is not part of {owner}"),
        ("{owners} include lunch", "{owners} do not include lunch"),
    ),
    Choice(
        ("the pool", "the sauna", "the gym", "the library"),
        "Open on Sundays",
        ("{owner} is open on Sundays", "{owner} is not open on Sundays"),
        ("you can use {owner} on a Sunday", "you cannot use {owner} on a Sunday"),
        ("{owners} are open on Sundays", "{owners} are not open on Sundays"),
    ),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A passage and an answer; `spans` of it are its fillers, wrong where they are exchanged."""

    way: str
    kind: str
    about: str
    passage: str
    answer: str
    spans: tuple[tuple[int, int], ...]
    is_wrong: bool


Told = Sequence[tuple[str, str]]  # owners with their fillers


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bare(owner: str) -> str:
    """Return the owner as a label or a cell has it."""
    first, _, rest = owner.partition(" ")
    return _capital(rest if first in ("the", "a", "an") else owner)


def _and(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _twofold(sayings: Sequence[str]) -> str:
    """Return sentences that each tell one thing more, the last of them something else besides."""
    told = [f"{_capital(saying)} and was last seen on {3 + 8 * number} May"
            for number, saying in enumerate(sayings)]  # fmt: skip
    return ". ".join([*told[:-1], f"{told[-1]}, as the notes of the office say."])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)])


def _structured(label: str, told: Told) -> dict[str, str]:
    """Return the ways that need no sentence."""
    bare = [(_bare(owner), filler) for owner, filler in told]
    owners, fillers = zip(*bare, strict=True)
    return {
        "labels": f"{label}\n" + "\n".join(f"{owner}: {filler}" for owner, filler in bare),
        "bullets": f"{label}:\n" + "\n".join(f"- {owner} – {filler}" for owner, filler in bare),
        "table rows": _table(["Name", label], bare),
        "table columns": _table(["", *owners], [[label, *fillers]]),
        "brackets": f"{label} by name: {_and([f'{owner} ({filler})' for owner, filler in bare])}.",
    }


def passages_of(fact: Fact, told: Told) -> dict[str, str]:
    """Return the fact of every owner in every way."""
    sayings = [fact.said.format(owner=owner, filler=filler) for owner, filler in told]
    owners, fillers = zip(*told, strict=True)
    listed = fact.listed.format(owners=_and(owners), fillers=_and(fillers))
    return {
        "sentences": " ".join(f"{_capital(saying)}." for saying in sayings),
        "sentences of two facts": _twofold(sayings),
        "clauses": f"{_capital(_and(sayings))}.",
        "respectively": f"{_capital(listed)}, respectively.",
        **_structured(fact.label, told),
    }


def choices_of(choice: Choice, told: Sequence[tuple[str, bool]]) -> dict[str, str]:
    """Return yes or no of every owner in every way; all of one kind together for "respectively"."""
    sayings = [choice.said[not yes].format(owner=owner) for owner, yes in told]
    words = [(owner, "yes" if yes else "no") for owner, yes in told]
    return {
        "sentences": " ".join(f"{_capital(saying)}." for saying in sayings),
        "sentences of two facts": _twofold(sayings),
        "clauses": f"{_capital(_and(sayings))}.",
        **_structured(choice.label, words),
    }


def cells() -> Iterator[Cell]:
    """Yield every cell of the grid, right answers and wrong ones."""
    for fact in FACTS:
        for count in (2, 3, 4):
            yield from _facts(fact, [*zip(fact.owners[:count], fact.fillers[:count], strict=True)])
    for choice in CHOICES:
        for count in (2, 3, 4):
            told = [(owner, number % 2 == 0) for number, owner in enumerate(choice.owners[:count])]
            yield from _choices(choice, told)


def _facts(fact: Fact, told: Told) -> Iterator[Cell]:
    pair = told[:2]
    exchanged = [(owner, pair[1 - number][1]) for number, (owner, _) in enumerate(pair)]
    for way, passage in passages_of(fact, told).items():
        for wording in (fact.said, fact.reworded):
            for said, is_wrong in ((pair, False), (exchanged, True)):
                clauses = [
                    (wording.format(owner=owner, filler=filler), filler) for owner, filler in said
                ]
                for one in clauses:
                    yield _cell(way, fact.kind, passage, [one], is_wrong)
                yield _cell(way, fact.kind, passage, clauses, is_wrong)


def _choices(choice: Choice, told: Sequence[tuple[str, bool]]) -> Iterator[Cell]:
    for way, passage in choices_of(choice, told).items():
        for wording in (choice.said, choice.reworded):
            for is_wrong in (False, True):
                # What is turned has no place of its own: any finding in the clause will do.
                clauses = [
                    (text := wording[yes == is_wrong].format(owner=owner), text)
                    for owner, yes in told[:2]
                ]
                for one in clauses:
                    yield _cell(way, "yes or no", passage, [one], is_wrong)
                yield _cell(way, "yes or no", passage, clauses, is_wrong)


def _cell(
    way: str, kind: str, passage: str, clauses: Sequence[tuple[str, str]], is_wrong: bool
) -> Cell:
    """Return the clauses as one answer; of each its text and the part of it that is the filler."""
    answer, spans = "", []
    for clause, filler in clauses:
        start = len(answer) + len(" and " * bool(answer)) + clause.index(filler)
        spans.append((start, start + len(filler)))
        answer += " and " * bool(answer) + clause
    about = "answers about one owner" if len(clauses) == 1 else "answers about two owners"
    return Cell(way, kind, about, passage, _capital(answer) + ".", tuple(spans), is_wrong)


def judge(cell: Cell) -> bool:
    """Say whether a wrong answer is found, or a right one flagged."""
    context = Context(chunks=[f"{_OPENING}\n\n{cell.passage}\n\n{_CLOSING}"])
    result = check_text(cell.answer, context=context)
    if not cell.is_wrong:
        return alarms(result)
    return result.status != "PASS" or any(
        finding.check not in ASIDE
        and finding.start is not None
        and any(finding.start < end and finding.end > start for start, end in cell.spans)
        for finding in result.findings
    )


def measure(told: Callable[[Cell, bool], None] | None = None) -> list[tuple[str, str]]:
    """Return found and flagged of all cells, by what is answered, by way and by kind."""
    found, flagged = defaultdict(list), defaultdict(list)
    grid = list(cells())
    axes = zip(*((cell.about, cell.way, cell.kind) for cell in grid), strict=True)
    for cell in grid:
        hit = judge(cell)
        for name in ("all", cell.about, cell.way, cell.kind):
            (found if cell.is_wrong else flagged)[name].append(hit)
        if told is not None:
            told(cell, hit)
    rows = []
    for name in ["all", *dict.fromkeys(name for axis in axes for name in axis)]:
        hits = of(sum(found[name]), len(found[name]))
        misled = of(sum(flagged[name]), len(flagged[name]))
        rows.append((f"{name}: found, right ones flagged", f"{hits}, {misled}"))
    return rows


def show(cell: Cell, hit: bool) -> None:
    if hit != cell.is_wrong:
        print(f"{'missed' if cell.is_wrong else 'flagged'}, {cell.way}: {cell.answer}")
        print("    " + cell.passage.replace("\n", "\n    "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for name, figures in measure(show if options.list else None):
        print(f"{name:56}{figures}")


if __name__ == "__main__":
    main()
