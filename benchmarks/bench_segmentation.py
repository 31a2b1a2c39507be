"""Measure the segmenter: quality, delay, invariance, growth and speed, beside its peers.

    python benchmarks/bench_segmentation.py --data DIR [--quick]

DIR holds `golden_rules_en.json`, `ud_ewt_dev.jsonl.gz`, `ud_gum_dev.jsonl.gz` and
`ragtruth_dev.jsonl.gz`. One table on standard output, progress on standard error; CPU time, best of
several. The peers are measured where they are installed.
"""

import argparse
import json
import platform
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from segmentation_hostile import SHAPES, slope
from segmentation_peers import Engine, engines
from segmentation_scores import boundary_f1, delays, golden_hits, read_lines

from streamguard.text.segmenter import Segmenter

FILES = (
    "golden_rules_en.json",
    "ud_ewt_dev.jsonl.gz",
    "ud_gum_dev.jsonl.gz",
    "ragtruth_dev.jsonl.gz",
)
TOKENS = re.compile(r"\s?\w{1,6}|\s+|[^\w\s]")  # about four characters, as models' tokens are
NASTY_TABLE = (
    "a |Word |. |! |? |... |… | . . .|`|```|[|] |( |) |[1] | [C1] |(Source: x) |** |_|\"|' |” |1. |"
    "2) |• |- |# |\n|\r\n|。|」と|😀 |e.g. |U.S. |Dr. |p.m. |I. |The |http://x.y/z?q=1 |3.14 |<b>|"
    "¹|No. 5 |~~~|【1】|\u200b|etc. |Mr. |At 5 a.m. |Don't "
)
NASTY = NASTY_TABLE.split("|")


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


def by_character(make: Callable[[], Any]) -> Callable[[str], list[tuple[int, int]]]:
    """Return a function that feeds a text one character at a time."""

    def split(text: str) -> list[tuple[int, int]]:
        segmenter = make()
        spans = [span for sign in text for span in segmenter.feed(sign)]
        return spans + segmenter.close()

    return split


def soups(count: int, rng: random.Random) -> list[str]:
    """Return texts made of pieces that decide about one another."""
    return ["".join(rng.choices(NASTY, k=rng.randint(3, 40))) for _ in range(count)]


def random_pieces(text: str, rng: random.Random) -> list[str]:
    """Cut `text` at random places, empty pieces among them."""
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, max(2, len(text) // 4))))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def invariance_failures(texts: Sequence[str], splittings: int, make: Callable[[], Any]) -> int:
    """Return how many of `splittings` random cuts of `texts` change a span."""
    rng = random.Random(20)
    whole = []
    for text in texts:
        segmenter = make()
        whole.append(segmenter.feed(text) + segmenter.close())
    failures = 0
    for number in range(splittings):
        at = number % len(texts)
        segmenter = make()
        spans = []
        for piece in random_pieces(texts[at], rng):
            spans += segmenter.feed(piece)
        failures += spans + segmenter.close() != whole[at]
        if number % 100_000 == 99_999:
            say(f"  {number + 1:,} splittings, {failures} failures")
    return failures


def microseconds_per_char(engine: Engine, texts: Sequence[str], repeats: int) -> float:
    """Return CPU microseconds per character, in token-sized pieces where the engine streams."""
    pieces = [TOKENS.findall(text) for text in texts]
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        if engine.make is None:
            for text in texts:
                engine.split(text)
        else:
            for tokens in pieces:
                segmenter = engine.make()
                for token in tokens:
                    segmenter.feed(token)
                segmenter.close()
        best = min(best, time.process_time() - started)
    return best / sum(map(len, texts)) * 1e6


def quality(engine: Engine, data: dict[str, list[dict]]) -> list[str]:
    """Return the golden rules whole and by character, EWT, GUM."""
    golden, ewt, gum, _ = data.values()
    streamed = "-" if engine.make is None else str(golden_hits(golden, by_character(engine.make)))
    return [
        str(golden_hits(golden, engine.split)),
        streamed,
        f"{boundary_f1(ewt, engine.split):.2f}",
        f"{boundary_f1(gum, engine.split):.2f}",
    ]


def delay(engine: Engine, texts: Sequence[str]) -> str:
    """Return mean, 95th percentile and maximum of the delay in characters."""
    if engine.make is None:
        return "-"
    waits = sorted(wait for text in texts for wait in delays(text, engine.make))
    return f"{sum(waits) / len(waits):.2f} / {waits[int(0.95 * len(waits))]} / {waits[-1]}"


def load(folder: Path) -> dict[str, list[dict]]:
    """Return the four files' records by name, or leave with a word about what is missing."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        sys.exit(f"{folder} lacks {', '.join(missing)}: give the folder of the data with --data")
    rules = json.loads((folder / FILES[0]).read_text(encoding="utf-8"))
    return {FILES[0]: rules, **{name: read_lines(folder / name) for name in FILES[1:]}}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the four data files")
    parser.add_argument("--quick", action="store_true", help="fewer texts, splittings and repeats")
    options = parser.parse_args()
    data = load(options.data)
    answers = [row["answer"] for row in data[FILES[3]]]
    ewt = [row["text"] for row in data[FILES[1]]]
    report(data, ewt, answers, quick=options.quick)


def report(data: dict[str, list[dict]], ewt: list[str], answers: list[str], *, quick: bool) -> None:
    """Print the table of engines, and the lines about invariance and growth."""
    found, missing = engines()
    table = [
        ["engine", "golden", "1 char", "EWT dev", "GUM dev", "delay mean/p95/max", "us/char"],
        *(measured(engine, data, ewt, answers, quick=quick) for engine in found),
        *([name, "not installed"] for name in missing),
    ]
    print(f"Python {platform.python_version()}, {platform.machine()}, {len(answers)} answers")
    for row in table:
        print("  ".join(f"{cell:<26}" if not at else f"{cell:<18}" for at, cell in enumerate(row)))
    print(robustness(ewt, answers, quick=quick))


def measured(
    engine: Engine, data: dict[str, list[dict]], ewt: list[str], answers: list[str], *, quick: bool
) -> list[str]:
    """Return an engine's row; whole-text engines are timed on fewer answers."""
    say(engine.name)
    own = engine.make is Segmenter
    timed = answers[: 600 if own else 60]
    waited = ewt + answers[: 400 if quick or not own else None]
    speed = microseconds_per_char(engine, timed, 3 if quick else 9)
    return [engine.name, *quality(engine, data), delay(engine, waited), f"{speed:.3f}"]


def robustness(ewt: list[str], answers: list[str], *, quick: bool) -> str:
    """Return the lines about invariance and growth."""
    rng = random.Random(7)
    paragraphs = [part for text in ewt for part in text.split("\n\n") if len(part) > 20]
    texts = [text[:300] for text in paragraphs[:800] + answers[:700]] + soups(700, rng)
    splittings = 20_000 if quick else 1_000_000
    failures = invariance_failures(texts, splittings, Segmenter)
    short, long, repeats = (10_000, 100_000, 4) if quick else (100_000, 1_000_000, 3)
    slopes = {}
    for name, shape in SHAPES.items():
        slopes[name] = slope(Segmenter, shape, short, long, repeats)
        say(f"  {name}: {slopes[name]:.3f}")
    worst = max(slopes, key=lambda name: slopes[name])
    return (
        f"invariance: {failures} failures in {splittings:,} splittings of {len(texts)} texts\n"
        f"growth, {short:,} to {long:,} characters on {len(slopes)} shapes: "
        f"largest slope {slopes[worst]:.3f} ({worst})"
    )


if __name__ == "__main__":
    main()
