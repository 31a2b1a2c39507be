"""Figures of planted values (`planted.py`), beside right sentences with computed ones."""

from collections.abc import Sequence

from planted import Stated, stated

from scores.exercises import share
from scores.sentences import Answered, Asked, ask

Rows = list[tuple[str, str]]


def measure(rows: Sequence[dict], processes: int | None = None) -> Rows:
    """Return which values a warning touches: planted and computed, money and others."""
    given, asked = [], []
    for row in rows:
        chunks = tuple(chunk["text"] for chunk in row["chunks"])
        for question, one in stated(row):
            given.append(one)
            span = one.start, one.end
            asked.append(Asked(question, chunks, one.before, one.text, span, row["fold"]))
    said = ask(asked, processes)
    return figures(list(zip(given, said, strict=True)))


def figures(told: Sequence[tuple[Stated, Answered]]) -> Rows:
    """Return the rows: the share of each sort that a warning touches."""
    rows = []
    for sort, name in (("money", "amounts of money"), ("other", "other numbers")):
        for is_planted, how in ((True, "planted"), (False, "computed")):
            some = [
                (one, said.warned_at_value)
                for one, said in told
                if one.sort == sort and one.planted == is_planted
            ]
            rows.append((f"{how} {name}: warned of", share(warned for _, warned in some)))
            plain = [warned for one, warned in some if one.plain]
            rows.append((f"{how} {name} in plain statements: warned of", share(plain)))
    return rows
