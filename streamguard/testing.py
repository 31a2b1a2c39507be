"""For tests of checks and adapters: cuts a text in every way and compares the outcomes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

RANDOM_CUTS = 6  # per text; guess: hypothesis adds more where a feature is small enough
SIZES = (1, 2, 3, 7)  # characters of the even pieces; the sizes share hardly any borders


def feed_every_way(text: str, read: Callable[[Sequence[str]], T], *, seed: int = 0) -> T:
    """Return `read` of the complete text, after checking that every split gives an equal value.

    `read` gets the pieces of one split and must start over each time, with a fresh guard. The
    splits are those of `every_split`. Raises `AssertionError` with the first one that differs.

        def result(pieces):
            guard = StreamGuard(context, checks=Checks(per_sentence=(my_check,)))
            for piece in pieces:
                guard.feed(piece)
            return guard.close()

        assert feed_every_way("It costs $12.", result).flags == ("my_flag",)
    """
    splits = every_split(text, seed)
    whole = read(next(splits))
    for pieces in splits:
        got = read(pieces)
        if got != whole:
            raise AssertionError(f"split {pieces!r} gives {got!r}, whole gives {whole!r}")
    return whole


def every_split(text: str, seed: int = 0) -> Iterator[list[str]]:
    """Yield lists of pieces that join to `text`: whole, by character, of even sizes, random.

    Random splits include empty pieces, and are the same for the same `text` and `seed`.
    """
    yield [text]
    for size in SIZES:
        yield [text[i : i + size] for i in range(0, len(text), size)]
    rng = random.Random(f"{seed}:{text!a}")  # noqa: S311  (tests repeat themselves)
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
