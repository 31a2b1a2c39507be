"""What one training is: a frozen value, read from a TOML file and checked once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from streamguard.errors import ConfigError

PACKS = ("claim", "answer")
ORDERS = ("mixed", "hard_first")


@dataclass(frozen=True, slots=True)
class Training:
    """The settings of a training; raises `ConfigError` for a value that is none.

    Model: `base` is a name of `bases.BASES`, of whose layers `layers` are kept, evenly spaced;
    `frozen_words` leaves its table of pieces as it is. A `teacher` is a checkpoint of the same
    base, whose word counts `teacher_share` of the loss.

    Input: one claim at a time, or with `pack` "answer" all claims of an answer in one pass, beside
    at most `pieces` of the passages. `word_dropout` hides that share of the pieces.

    Data: `sources` says how often an example of each source comes in one pass over the data;
    `share` is the part of the contexts that is used at all, for learning curves. Of the authors in
    `watch` and `judge` nothing is learned; after every `every` steps some `watched` claims of those
    in `watch` are scored, and training ends when they got no better `patience` times. `order`
    "hard_first" begins with the pairs that the fast score ranks worst.
    """

    base: str = "minilm-l6"
    layers: int = 6
    frozen_words: bool = False
    teacher: str = ""
    teacher_share: float = 0.5
    pack: str = "claim"
    pieces: int = 256
    dropout: float = 0.1
    word_dropout: float = 0.0
    sources: Mapping[str, float] = field(default_factory=lambda: {"exercises": 1.0})
    share: float = 1.0
    watch: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    order: str = "mixed"
    every: int = 200
    watched: int = 600
    patience: int = 5
    steps: int = 100_000
    batch_pieces: int = 8_192
    learning_rate: float = 1e-4
    warmup_steps: int = 100
    rank_weight: float = 0.3
    span_weight: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if not least <= value <= most:
                raise ConfigError(f"{name} is {value}, expected a number from {least} to {most}")
        for name, known in (("pack", PACKS), ("order", ORDERS)):
            if getattr(self, name) not in known:
                raise ConfigError(f"{name} is {getattr(self, name)!r}, expected one of {known}")
        if not self.sources or min(self.sources.values()) < 0:
            raise ConfigError("sources is empty or below 0, expected how often each source comes")
        if set(self.watch) & set(self.judge):
            raise ConfigError("an author is in watch and in judge, expected one of them")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return {**asdict(self), "watch": list(self.watch), "judge": list(self.judge)}


_RANGES = (
    ("layers", 1, 48), ("pieces", 16, 480), ("dropout", 0.0, 0.9), ("word_dropout", 0.0, 0.9),
    ("share", 0.001, 1.0), ("every", 1, 10**6), ("watched", 1, 10**6), ("patience", 1, 10**6),
    ("steps", 1, 10**9), ("batch_pieces", 64, 10**7), ("learning_rate", 1e-9, 1.0),
    ("warmup_steps", 1, 10**6), ("rank_weight", 0.0, 100.0), ("span_weight", 0.0, 100.0),
    ("teacher_share", 0.0, 1.0),
)  # fmt: skip


def training_of(given: Mapping[str, Any]) -> Training:
    """Return the settings that a mapping holds; `ConfigError` for a name that is none."""
    known = {one.name for one in fields(Training)}
    if unknown := sorted(set(given) - known):
        raise ConfigError(f"unknown settings {unknown}, expected some of {sorted(known)}")
    lists = {name: tuple(given[name]) for name in ("watch", "judge") if name in given}
    return Training(**{**given, **lists})


def read_training(file: Path) -> Training:
    """Return the settings of a TOML file."""
    with file.open("rb") as opened:
        return training_of(tomllib.load(opened))
