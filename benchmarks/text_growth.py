"""How the cost of every part of the text layer grows with the text, on shapes that break others.

    python benchmarks/text_growth.py [--size 1000000] [--repeats 3] [--only WORD] [--shape WORD]
        [--quick]

One line for the segmenter, for each reader of values and names and for each check by itself: the
largest slope of log(CPU time) over log(length), its shape, and the dearest shape. 1.00 is linear,
2.00 quadratic. Sizes double from an eighth of the largest; each is measured as often as it takes
to handle the same number of characters, the least of the repeats counts, and the repeats go in
turns, since other work on the machine slows all sizes alike. A text is fed as one block again and
again: a ready text of a million characters would measure the cache that it does not fit into.
"""

import argparse
import math
import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

import bench_anchors
import segmentation_hostile

from streamguard.core.anchors.dates import read_digit_date, read_quarter, read_word_date
from streamguard.core.anchors.figures import read_figure
from streamguard.core.anchors.identifiers import (
    read_glued,
    read_literal,
    read_ratio,
    read_series,
    read_version,
)
from streamguard.core.anchors.measures import measure_at
from streamguard.core.anchors.money import currency_after, currency_before, free_at, percent_after
from streamguard.core.anchors.numerals import read_digits
from streamguard.core.anchors.periods import period_after
from streamguard.core.anchors.references import skip_reference
from streamguard.core.anchors.times import read_time
from streamguard.core.anchors.wordnumbers import read_words
from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.ledger import check_name
from streamguard.core.names import literal_names, read_names
from streamguard.core.segmenter import Segmenter
from streamguard.core.units import read_unit

SHAPES = {**segmentation_hostile.SHAPES, **bench_anchors.SHAPES}
SIZES = 4  # the largest, its half, its quarter, its eighth
ASKED = 1.05
STEP = 7  # a reader is asked at every seventh place of a text; no divisor of the shapes' lengths
PIECE_CHARS, WIDE_PIECE_CHARS = 4, 64
BLOCK_CHARS = 4_096
CHUNKS = (
    "The Basic plan costs $49 per month since 5 March 2021 and holds 10 GB.",
    "Jane Miller leads Acme Corp. Refunds take 14 days; support answers within 24 hours.",
)

Run = Callable[[str, int], object]  # a shape and a length
At = Callable[[str, str, int], object]  # a text, its lower case, and the place to read at


def sized(shape: str, length: int) -> str:
    return (shape * (length // len(shape) + 1))[:length]


def pieces(shape: str, length: int, size: int) -> Iterator[str]:
    """Yield pieces of `size` characters, `length` in all, cut from one block of whole shapes."""
    block = shape * max(1, BLOCK_CHARS // len(shape)) * size
    ready = [block[at : at + size] for at in range(0, min(len(block), length), size)]
    for number in range(length // size):
        yield ready[number % len(ready)]


def segment(shape: str, length: int) -> None:
    segmenter = Segmenter()
    for piece in pieces(shape, length, PIECE_CHARS):
        segmenter.feed(piece)
    segmenter.close()


def check(checks: Checks, context: Context, shape: str, length: int) -> None:
    guard = StreamGuard(context, checks=checks)
    for piece in pieces(shape, length, WIDE_PIECE_CHARS):
        guard.feed(piece)
    guard.close()


def read_whole(function: Callable[[str], object], shape: str, length: int) -> None:
    function(sized(shape, length))


def read_places(function: At, wanted: Callable[[str], bool], shape: str, length: int) -> None:
    text = sized(shape, length)
    low = text.lower() if len(text.lower()) == len(text) else text
    for at in range(0, length, STEP):
        if wanted(text[at]):
            function(text, low, at)


def digit(sign: str) -> bool:
    return "0" <= sign <= "9"


READERS: dict[str, tuple[At, Callable[[str], bool]]] = {
    "skip_reference": (lambda text, low, at: skip_reference(text, low, at, 0), digit),
    "read_figure": (lambda text, low, at: read_figure(text, low, at, 0), str.isalnum),
    "read_digits": (lambda text, low, at: read_digits(text, low, at), digit),
    "read_digit_date": (
        lambda text, low, at: [read_digit_date(text, low, at, width, "-") for width in (2, 4)],
        digit,
    ),
    "read_quarter": (lambda text, low, at: read_quarter(text, low, at, 0), digit),
    "read_time": (read_time, digit),
    "read_literal": (lambda text, low, at: read_literal(text, at, 0), digit),
    "read_series": (lambda text, low, at: read_series(text, at, 0), digit),
    "read_version": (lambda text, low, at: read_version(text, at, 0), digit),
    "read_ratio": (lambda text, low, at: read_ratio(text, low, at, certain=False), digit),
    "read_glued": (lambda text, low, at: read_glued(text, at, 0), digit),
    "currency_before": (lambda text, low, at: currency_before(text, at, 0), digit),
    "currency_after": (lambda text, low, at: currency_after(text, at), bool),
    "percent_after": (lambda text, low, at: percent_after(low, at), bool),
    "period_after": (lambda text, low, at: period_after(low, at), bool),
    "read_unit": (lambda text, low, at: read_unit(text, at), bool),
    "measure_at": (lambda text, low, at: measure_at(text, low, at, None), bool),
    "read_words": (lambda text, low, at: read_words(low, at), str.isalpha),
    "read_word_date": (lambda text, low, at: read_word_date(text, low, at), str.isalpha),
    "free_at": (lambda text, low, at: free_at(low, at), str.isalpha),
}
WHOLE = {**bench_anchors.READERS, "read_names": read_names, "literal_names": literal_names}


def context() -> Context:
    """Return a context whose index is built."""
    made = Context(query="What does Basic cost?", chunks=CHUNKS, citations_requested=True)
    made.prepare()
    return made


def runs() -> dict[str, Run]:
    """Return everything that is measured, by what the table calls it."""
    shared = context()
    found: dict[str, Run] = {"segmenter": segment}
    found |= {name: partial(read_whole, function) for name, function in WHOLE.items()}
    found |= {name: partial(read_places, *reader) for name, reader in READERS.items()}
    alone = {
        **{check_name(one): Checks((one,), verdicts=False) for one in DEFAULT_CHECKS.per_sentence},
        **{check_name(one): Checks((), (one,), False) for one in DEFAULT_CHECKS.at_close},
        "no check": Checks(verdicts=False),
        "every check": DEFAULT_CHECKS,
    }
    return found | {f"check {name}": partial(check, each, shared) for name, each in alone.items()}


def growth(run: Run, shape: str, size: int, repeats: int) -> tuple[float, float]:
    """Return the slope over the sizes up to `size`, and microseconds per character at `size`."""
    sizes = [size >> (SIZES - 1 - step) for step in range(SIZES)]
    costs = [math.inf] * SIZES
    for _ in range(repeats):
        for number, length in enumerate(sizes):
            times = size // length
            began = process_time()
            for _ in range(times):
                run(shape, length)
            costs[number] = min(costs[number], (process_time() - began) / times)
    return slope(sizes, costs), 1e6 * costs[-1] / size


def slope(sizes: list[int], costs: list[float]) -> float:
    """Return the slope of the least-squares line through the logarithms."""
    points = [(math.log(x), math.log(max(y, 1e-9))) for x, y in zip(sizes, costs, strict=True)]
    mid_x = sum(x for x, _ in points) / len(points)
    mid_y = sum(y for _, y in points) / len(points)
    across = sum((x - mid_x) ** 2 for x, _ in points)
    return sum((x - mid_x) * (y - mid_y) for x, y in points) / across


def worst(run: Run, size: int, repeats: int, only: str = "") -> str:
    """Return the largest slope over the shapes that have `only` in their name.

    One over what is asked is measured again, and the least counts: what comes from other work on
    the machine does not come twice.
    """
    slopes, dearest = {}, (0.0, "")
    for label, shape in SHAPES.items():
        if only not in label:
            continue
        found, us = growth(run, shape, size, repeats)
        for _ in range(2):
            if found > ASKED:
                found = min(found, growth(run, shape, size, repeats)[0])
        # Under ten milliseconds the clock is all there is to see.
        slopes[label] = found if us * size > 10_000 else 0.0
        dearest = max(dearest, (us, label))
        print(f"  {label}: {found:.3f}, {us:.2f} us/char", file=sys.stderr, flush=True)
    label = max(slopes, key=lambda label: slopes[label])
    return f"{slopes[label]:6.3f}  {label:<28}{dearest[0]:8.2f}  {dearest[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000, help="the largest text, characters")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="measure what has this word in its name")
    parser.add_argument("--shape", default="", help="take the shapes with this word in their name")
    parser.add_argument("--quick", action="store_true", help="20,000 characters, one repeat")
    options = parser.parse_args()
    size, repeats = (20_000, 1) if options.quick else (options.size, options.repeats)
    print(f"Python {platform.python_version()}, {platform.machine()}, {len(SHAPES)} shapes")
    print(f"{'':<34} slope  {'shape':<28} us/char  shape, to {size:,} characters")
    for name, run in runs().items():
        if options.only in name:
            print(f"{name:<34}{worst(run, size, repeats, options.shape)}", flush=True)


if __name__ == "__main__":
    main()
