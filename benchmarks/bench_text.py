"""The text layer in one table: every figure it is held to, what was measured, beside its peers.

    python benchmarks/bench_text.py --data DIR [--quick]

DIR holds `golden_rules_en.json`, `ud_ewt_dev.jsonl.gz`, `ud_gum_dev.jsonl.gz` and
`ragtruth_dev.jsonl.gz`. CPU time, best of several; progress on standard error. Growth is the slope
of log(time) over log(length). `--quick` takes shorter texts and fewer cuts.
"""

import argparse
import math
import platform
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time

import bench_anchors
import bench_segmentation as segmentation
import segmentation_hostile

from streamguard.core.anchors import read_anchors
from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.ledger import check_name
from streamguard.core.markers import citations_in
from streamguard.core.names import read_names
from streamguard.core.normalise import fold
from streamguard.core.policy import REFUSAL_PHRASES
from streamguard.core.refusals import find_refusals, leading_refusal
from streamguard.core.roles import role_of
from streamguard.core.segmenter import Segmenter

Row = tuple[str, str, str]
CHUNKS = (
    "The Basic plan costs $49 per month since 5 March 2021 and holds 10 GB.",
    "Jane Miller leads Acme Corp. Refunds take 14 days; support answers within 24 hours.",
)


def context() -> Context:
    made = Context(query="What does Basic cost?", chunks=CHUNKS, citations_requested=True)
    made.prepare()
    return made


def guard_failures(texts: Sequence[str], splittings: int) -> int:
    """Return how many random cuts change the result of the whole guard."""
    rng, shared, whole, failures = random.Random(20), context(), {}, 0
    for number in range(splittings):
        at = number % len(texts)
        if at not in whole:
            whole[at] = checked([texts[at]], shared)
        failures += checked(segmentation.random_pieces(texts[at], rng), shared) != whole[at]
        if number % 2_000 == 1_999:
            segmentation.say(f"  guard: {number + 1:,} splittings, {failures} failures")
    return failures


def checked(pieces: Sequence[str], shared: Context) -> object:
    guard = StreamGuard(shared)
    for piece in pieces:
        guard.feed(piece)
    return guard.close()


def layer(text: str) -> None:
    """Read everything the text layer reads of an answer, in token-sized pieces."""
    segmenter, spans = Segmenter(), []
    for token in segmentation.TOKENS.findall(text):
        spans += segmenter.feed(token)
    for number, (start, end) in enumerate([*spans, *segmenter.close()]):
        folded = fold(text[start:end]).text
        found = read_anchors(folded)
        names = read_names(folded)
        refusals = find_refusals(folded, REFUSAL_PHRASES)
        if number == 0:
            leading_refusal(folded)
        list(citations_in(folded))
        role_of(folded, "prose", refusing=bool(refusals), has_value=bool(found or names))


def per_char(function: Callable[[str], object], texts: Sequence[str], repeats: int) -> float:
    return 1e6 * bench_anchors.cpu_s(function, list(texts), repeats) / sum(map(len, texts))


def slopes_of_checks(short: int, long: int, repeats: int) -> Iterator[Row]:
    """Yield the largest growth of the guard with each check alone, and with all of them."""
    shapes = {**segmentation_hostile.SHAPES, **bench_anchors.SHAPES}
    alone = [(check_name(c), Checks((c,), verdicts=False)) for c in DEFAULT_CHECKS.per_sentence]
    for name, checks in (*alone, ("everything", DEFAULT_CHECKS)):
        make = partial(StreamGuard, context(), checks=checks)
        worst, at, cost = 0.0, "", 0.0
        for label, unit in shapes.items():
            slope, us = growth(make, unit, short, long, repeats)
            cost = max(cost, us)
            if slope > worst:
                worst, at = slope, label
        segmentation.say(f"  {name}: {worst:.3f} ({at}), at most {cost:.2f} us/char")
        yield f"growth, guard with {name}, {len(shapes)} shapes", "1.05", f"{worst:.3f} ({at})"


def growth(
    make: Callable[[], StreamGuard], unit: str, short: int, long: int, repeats: int
) -> tuple[float, float]:
    """Return the slope from `short` to `long` characters, and microseconds per character."""
    texts = [(unit * (length // len(unit) + 1))[:length] for length in (short, long)]
    costs = [math.inf, math.inf]
    for _ in range(repeats):
        for which, text in enumerate(texts):
            times = max(1, long // len(text))
            began = process_time()
            for _ in range(times):
                guard = make()
                for at in range(0, len(text), 64):
                    guard.feed(text[at : at + 64])
                guard.close()
            costs[which] = min(costs[which], (process_time() - began) / times)
    return math.log(costs[1] / costs[0]) / math.log(long / short), 1e6 * costs[1] / long


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the four data files")
    parser.add_argument("--quick", action="store_true", help="shorter texts, fewer cuts")
    options = parser.parse_args()
    data = segmentation.load(options.data)
    answers = [row["answer"] for row in data[segmentation.FILES[3]]]
    ewt = [row["text"] for row in data[segmentation.FILES[1]]]
    segmentation.report(data, ewt, answers, quick=options.quick)

    rng = random.Random(11)
    texts = [answer[:400] for answer in answers[:1_600]] + segmentation.soups(600, rng)
    splittings = 2_200 if options.quick else 20_000
    short, long, repeats = (2_000, 20_000, 2) if options.quick else (10_000, 100_000, 3)
    size = 100_000 if options.quick else 1_000_000
    rows: list[Row] = [
        (
            f"guard: failures in {splittings:,} splittings of {len(texts):,} texts",
            "0",
            str(guard_failures(texts, splittings)),
        ),
        (
            "whole text layer, us/char, token-sized pieces",
            "0.6",
            f"{per_char(layer, answers[:600], 2 if options.quick else 5):.3f}",
        ),
        (
            f"growth, readers of values and names to {size:,}, {len(bench_anchors.SHAPES)} shapes",
            "1.05",
            f"{bench_anchors.hostile(size, 1 if options.quick else 3):.3f}",
        ),
        *slopes_of_checks(short, long, repeats),
    ]
    print(f"\n{'figure':<66}{'asked':>8}  measured")
    for name, asked, measured in rows:
        print(f"{name:<66}{asked:>8}  {measured}")
    print(f"Python {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()
