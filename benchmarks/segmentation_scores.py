"""Scores of a segmenter against gold sentence ends, and how long it makes a sentence wait."""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

Spans = list[tuple[int, int]]
Split = Callable[[str], Spans]


def read_lines(path: Path) -> list[dict]:
    """Return the records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _by_ink(text: str, ends: Iterable[int]) -> set[int]:
    """Return `ends` as counts of non-white-space characters before them, the last one left out."""
    ink, counts = 0, [0]
    for sign in text:
        ink += not sign.isspace()
        counts.append(ink)
    return {counts[end] for end in ends} - {0, ink}


def boundary_f1(documents: Sequence[dict], split: Split) -> float:
    """Return F1 in percent over the boundaries inside the documents."""
    hits = found = gold = 0
    for document in documents:
        text = document["text"]
        predicted = _by_ink(text, [end for _, end in split(text)])
        wanted = _by_ink(text, document["ends"])
        hits += len(predicted & wanted)
        found += len(predicted)
        gold += len(wanted)
    return 200 * hits / (found + gold)


def golden_hits(rules: Sequence[dict], split: Split) -> int:
    """Return how many golden rules come out exactly, white space at the ends aside."""
    return sum(
        [rule["text"][start:end].strip() for start, end in split(rule["text"])] == rule["sentences"]
        for rule in rules
    )


def delays(text: str, make: Callable[[], object]) -> list[int]:
    """Return, per sentence, the characters between its end and its coming out."""
    segmenter = make()
    waits = []
    for at, sign in enumerate(text, 1):
        waits += [at - end for _, end in segmenter.feed(sign)]
    return waits + [len(text) - end for _, end in segmenter.close()]
