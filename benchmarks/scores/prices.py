"""Wrong prices near the right one, stated plainly of every price of some handbooks.

Prices come from the tables and the sentences ("A meal costs €4.20.") of the repository's handbooks:
those of the gate's benchmark, of the demo and the tutorial, the passage of the examples, and the
plans below. A wrong one is 1 to 10 whole units off, at most half of the price, and stands nowhere
in the handbook. The passages are the file and the two beside it, as a store returns them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from planted import Figure, figures_in, numbers_of

from scores.exercises import share
from scores.sentences import Asked, ask

ROOT = Path(__file__).parent.parent.parent
OFFSETS = tuple(sign * step for step in range(1, 11) for sign in (1, -1))

# A wrong price of Business is soon the sum of others here: 149 + 6 + 4.
PLANS = """\
# Plans

| Plan | Per month | Seats | Further seat |
|---|---|---|---|
| Starter | €39 | 3 | €4 a month |
| Business | €149 | 10 | €6 a month |
| Enterprise | €420 | 50 | €5 a month |

Plans are billed monthly. Whoever pays for a year gets two months free.
"""
_OF_PLANS = tuple(
    f"The {name} plan costs {price} per month."
    for name, price in (("Starter", "€39"), ("Business", "€149"), ("Enterprise", "€420"))
)
_ENDS = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_STATED = re.compile(r"\b(?:costs?|is|are|was) [$€£]\s?\d")
_BLOCK = re.compile(r'```markdown title="[^"]*handbook[^"]*"\n(.*?)```', re.DOTALL)
_PASSAGE = re.compile(r'^PASSAGE = "(.*)"$', re.MULTILINE)

Rows = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Priced:
    """A right sentence about one price, and what stands behind it."""

    text: str
    price: Figure
    chunks: tuple[str, ...]
    held: frozenset[Decimal]  # every number of the handbook


def measure(processes: int | None = None) -> Rows:
    """Return how many wrong prices are warned of, by where the right ones stand."""
    rows = []
    for name, prices in {"plans": plans(), "handbooks": list(_of_handbooks())}.items():
        said = ask([one for price in prices for one in wrong(price)], processes)
        rows.append((f"{name}: wrong prices warned of", share(one.warned_at_value for one in said)))
        rows.append((f"{name}: wrong prices not PASS", share(not one.passed for one in said)))
        right = ask([_asked(one, one.text, one.price.end) for one in prices], processes)
        rows.append((f"{name}: right prices warned of", share(o.warned_at_value for o in right)))
    return rows


def plans() -> list[Priced]:
    """Return the prices of the plans of this file, the tutorial and the examples."""
    tutorial = _BLOCK.findall((ROOT / "docs/tutorial.md").read_text(encoding="utf-8"))
    passages = {
        passage
        for path in sorted((ROOT / "examples").glob("*.py"))
        for passage in _PASSAGE.findall(path.read_text(encoding="utf-8"))
    }
    held = frozenset(numbers_of(PLANS))
    own = [Priced(text, figures_in(text)[0], (PLANS,), held) for text in _OF_PLANS]
    shown = [price for passage in sorted(passages) for price in prices_of([passage])]
    return [*own, *prices_of(tutorial), *shown]


def _of_handbooks() -> Iterator[Priced]:
    demo = (ROOT / "streamguard/demo/documents").iterdir()
    folders = (ROOT / "benchmarks/handbooks").glob("*/*/documents")
    for folder in [*sorted(folders), *sorted(path for path in demo if path.is_dir())]:
        yield from prices_of(_files(folder))


def _files(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]


def prices_of(files: Sequence[str]) -> Iterator[Priced]:
    """Return a sentence for every price of a handbook's tables and plain sentences."""
    held = frozenset().union(*map(numbers_of, files))
    for at, file in enumerate(files):
        chunks = (file, *files[max(0, at - 1) : at], *files[at + 1 : at + 2])
        for text in dict.fromkeys([*_of_tables(file), *_of_sentences(file)]):
            money = [one for one in figures_in(text) if one.sort == "money"]
            if len(money) == 1:
                yield Priced(text, money[0], chunks, held)


def _of_tables(file: str) -> Iterator[str]:
    """Return "Label costs price." for the cells with money, with the head where a row has two."""
    head: list[str] = []
    for line in file.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        inside = line.strip().removeprefix("|").removesuffix("|")  # the first cell may be empty
        cells = [cell.strip() for cell in inside.split("|")]
        if not head:
            head = cells
        priced = [
            (name, cell)
            for name, cell in zip(head[1:], cells[1:], strict=False)
            if any(one.sort == "money" for one in figures_in(cell))
        ]
        for name, cell in priced:
            told = f" ({name.lower()})" if len(priced) > 1 else ""
            yield f"{cells[0]} costs {cell}{told}."


def _of_sentences(file: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\n+", file):
        if not paragraph.startswith(("|", "#")):
            for sentence in _ENDS.split(" ".join(paragraph.split())):
                if _STATED.search(sentence):
                    yield sentence


def wrong(priced: Priced) -> Iterator[Asked]:
    """Return the sentence with each near price that the handbook does not hold."""
    price = priced.price
    for offset in OFFSETS:
        other = price.number + offset
        if abs(offset) <= max(1, price.number / 2) and other > 0 and other not in priced.held:
            text = price.replaced(priced.text, other)
            yield _asked(priced, text, price.end + len(text) - len(priced.text))


def _asked(priced: Priced, text: str, end: int) -> Asked:
    return Asked("What does it cost?", priced.chunks, (), text, (priced.price.start, end))
