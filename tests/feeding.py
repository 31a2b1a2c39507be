"""Cut a text in every way a stream might, and check that nothing depends on the cut."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

RANDOM_CUTS = 6  # per text; hypothesis adds more where a feature is small enough


def every_split(text: str, seed: int = 0) -> Iterator[list[str]]:
    """Yield lists of pieces that join to `text`: whole, single characters, ragged, empty ones."""
    yield [text]
    for size in (1, 2, 3, 7):
        yield [text[i : i + size] for i in range(0, len(text), size)]
    rng = random.Random(f"{seed}:{text!a}")
    for _ in range(RANDOM_CUTS):
        yield cut(text, rng)


def cut(text: str, rng: random.Random) -> list[str]:
    """Return random pieces of 0 to 9 characters that join to `text`, empty ones among them."""
    pieces, at = [], 0
    while at < len(text):
        size = rng.choice((0, 1, 1, 2, 3, 4, 4, 5, 9))
        pieces.append(text[at : at + size])
        at += size
    return [*pieces, ""]


def feed_every_way(text: str, read: Callable[[Sequence[str]], T]) -> T:
    """Return `read` of the whole text, after asserting that every split gives the same."""
    splits = every_split(text)
    whole = read(next(splits))
    for pieces in splits:
        got = read(pieces)
        assert got == whole, f"split {pieces!r} gives {got!r}, whole gives {whole!r}"
    return whole
