"""How the cost of every part of the text layer grows with the text, on shapes that break others.

    python benchmarks/text_growth.py [--size 1000000] [--repeats 3] [--only WORD] [--shape WORD]
        [--quick]

One line for the segmenter, for each reader of values and names, for each check and for the rest of
the guard: the largest slope of log(CPU time) over log(length), its shape, and the dearest shape.
1.00 is linear, 2.00 quadratic. Sizes double from an eighth of the largest; a short run is repeated,
the least of the repeats counts, and the repeats go in turns, since other work on the machine slows
all sizes alike. A text is fed as one block again and again: a ready text of a million characters
would measure the cache that it does not fit into. The checks run together, as in use, each under a
clock of its own: what several of them read of a sentence is charged to the first that asks.
"""

import argparse
import math
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

import bench_anchors
import segmentation_hostile

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.machine.ledger import check_name
from streamguard.core.model.types import Finding
from streamguard.core.names.reading import literal_names, read_names
from streamguard.text.segmenter import Segmenter
from streamguard.values.dates import read_digit_date, read_time, read_word_date
from streamguard.values.identifiers import (
    read_glued,
    read_literal,
    skip_reference,
)
from streamguard.values.measures import measure_at, read_unit
from streamguard.values.money import (
    currency_after,
    currency_before,
    free_at,
    percent_after,
    period_after,
)
from streamguard.values.numerals import read_numeral, read_words
from streamguard.values.reader import read_figure

SHAPES = {**segmentation_hostile.SHAPES, **bench_anchors.SHAPES}
SIZES = 4  # the largest, its half, its quarter, its eighth
ASKED = 1.05
STEP = 7  # a reader is asked at every seventh place of a text; no divisor of the shapes' lengths
PIECE_CHARS, WIDE_PIECE_CHARS = 4, 64
BLOCK_CHARS = 4_096
ENOUGH_S = 0.2  # a time over this is repeatable
CHUNKS = (
    "The Basic plan costs $49 per month since 5 March 2021 and holds 10 GB.",
    "Jane Miller leads Acme Corp. Refunds take 14 days; support answers within 24 hours.",
)

Run = Callable[[str, int], dict[str, float]]  # a shape and a length; seconds by part
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


def timed(check: Callable[..., Iterable[Finding]], spent: dict[str, float]) -> Callable[..., Any]:
    """Return the check with a clock: its seconds are added to what was spent under its name."""

    def run(subject: Any, scope: Any) -> list[Finding]:
        began = process_time()
        try:
            return list(check(subject, scope))
        finally:
            spent[name] = spent.get(name, 0.0) + process_time() - began

    name = f"check {check_name(check)}"
    run.__name__ = check_name(check)
    return run


def check(context: Context, shape: str, length: int) -> dict[str, float]:
    """Return the seconds of every check, of the rest of the guard, and of all together."""
    spent: dict[str, float] = {}
    checks = Checks(
        tuple(timed(one, spent) for one in DEFAULT_CHECKS.per_sentence),
        tuple(timed(one, spent) for one in DEFAULT_CHECKS.at_close),
    )
    guard = StreamGuard(context, checks=checks)
    began = process_time()
    for piece in pieces(shape, length, WIDE_PIECE_CHARS):
        guard.feed(piece)
    guard.close()
    whole = process_time() - began
    return {**spent, "guard without checks": whole - sum(spent.values()), "guard": whole}


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
    "read_numeral": (lambda text, low, at: read_numeral(text, low, at), digit),
    "read_digit_date": (
        lambda text, low, at: [read_digit_date(text, low, at, width, "-") for width in (2, 4)],
        digit,
    ),
    "read_time": (read_time, digit),
    "read_literal": (lambda text, low, at: read_literal(text, at, 0), digit),
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
    """Return everything that is measured, by what is asked for on the command line."""
    found: dict[str, Run] = {"segmenter": clocked("segmenter", segment)}
    for name, function in WHOLE.items():
        found[name] = clocked(name, partial(read_whole, function))
    for name, reader in READERS.items():
        found[name] = clocked(name, partial(read_places, *reader))
    return found | {"checks": partial(check, context())}


def clocked(name: str, function: Callable[[str, int], None]) -> Run:
    def run(shape: str, length: int) -> dict[str, float]:
        began = process_time()
        function(shape, length)
        return {name: process_time() - began}

    return run


def costs(run: Run, shape: str, size: int, repeats: int) -> dict[str, list[float]]:
    """Return the least CPU seconds at each of the sizes up to `size`, by what was measured."""
    least: dict[str, list[float]] = {}
    for _ in range(repeats):
        for number in range(SIZES):
            length = size >> (SIZES - 1 - number)
            for name, seconds in mean_of(run, shape, length, size // length).items():
                known = least.setdefault(name, [math.inf] * SIZES)
                known[number] = min(known[number], seconds)
    return least


def mean_of(run: Run, shape: str, length: int, most: int) -> dict[str, float]:
    """Return the mean seconds of as many runs as the clock needs, at most so many."""
    total: dict[str, float] = {}
    times = 0
    while times < most and max(total.values(), default=0.0) < ENOUGH_S:
        times += 1
        for name, seconds in run(shape, length).items():
            total[name] = total.get(name, 0.0) + seconds
    return {name: seconds / times for name, seconds in total.items()}


def slope(seconds: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the logarithms; sizes double."""
    mid = (len(seconds) - 1) / 2
    logs = [math.log2(max(one, 1e-9)) for one in seconds]
    across = sum((at - mid) ** 2 for at in range(len(logs)))
    return sum((at - mid) * log for at, log in enumerate(logs)) / across


@dataclass
class Worst:
    """The largest slope of one part and its shape; the most microseconds per character."""

    slope: float = 0.0
    shape: str = ""
    dearest_us: float = 0.0
    dearest: str = ""

    def __str__(self) -> str:
        return f"{self.slope:6.3f}  {self.shape:<28}{self.dearest_us:8.2f}  {self.dearest}"


def worst(run: Run, size: int, repeats: int, only: str = "") -> dict[str, Worst]:
    """Return the worst of each part that `run` measures, over shapes with `only` in their name.

    A slope over what is asked is measured again, twice at most, and the least counts: what comes
    from other work on the machine does not come twice.
    """
    found: dict[str, Worst] = {}
    for label, shape in SHAPES.items():
        if only not in label:
            continue
        slopes: dict[str, float] = {}
        for _ in range(3):
            measured = costs(run, shape, size, repeats)
            for name, seconds in measured.items():
                # Under ten milliseconds the clock is all there is to see.
                seen = slope(seconds) if seconds[-1] > 0.01 else 0.0
                slopes[name] = min(slopes.get(name, math.inf), seen)
            if max(slopes.values()) <= ASKED:
                break
        for name, seconds in measured.items():
            so_far = found.setdefault(name, Worst())
            if slopes[name] > so_far.slope:
                so_far.slope, so_far.shape = slopes[name], label
            if (us := 1e6 * seconds[-1] / size) > so_far.dearest_us:
                so_far.dearest_us, so_far.dearest = us, label
        steepest = max(slopes, key=lambda name: slopes[name])
        seconds = sum(max(measured.values(), key=lambda one: one[-1]))
        print(
            f"  {label}: {slopes[steepest]:.3f} {steepest}, {seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000, help="the largest text, characters")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", default="", help="measure what has this word in its name")
    parser.add_argument("--shape", default="", help="take the shapes with this word in their name")
    parser.add_argument("--quick", action="store_true", help="20,000 characters, one repeat")
    options = parser.parse_args()
    size, repeats = (20_000, 1) if options.quick else (options.size, options.repeats)
    print(f"Python {platform.python_version()}, {platform.machine()}, {len(SHAPES)} shapes")
    print(f"{'':<34} slope  {'shape':<28} us/char  shape, to {size:,} characters")
    for asked, run in runs().items():
        if options.only in asked:
            for name, found in worst(run, size, repeats, options.shape).items():
                print(f"{name:<34}{found}", flush=True)


if __name__ == "__main__":
    main()
