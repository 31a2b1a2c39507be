"""Cost of the readers of values and names: per character on prose, and growth on hostile shapes.

    python benchmarks/bench_anchors.py [--prose FILE.jsonl.gz] [--size 1000000] [--repeats 5]

`--prose` is a JSON Lines file (gzip) with the fields "answer" and "chunks", such as the RAGTruth
development file; without it only the hostile shapes are measured. CPU time, best of the repeats.
Growth is the slope of log(time) over log(length) from a tenth of the size to the size: 1.00 is
linear, 2.00 quadratic.
"""

import argparse
import gzip
import json
import math
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from streamguard.core.names.reading import NameIndex, literal_names, read_names
from streamguard.text.normalise import fold
from streamguard.values import AnchorIndex, literal_amounts, read_anchors

SHAPES = {
    "endless digits": "9",
    "digit comma": "1,",
    "digit dot": "1.",
    "digit groups": "123,",
    "digit space": "1 ",
    "digit dash": "1-",
    "digit slash": "1/",
    "digit colon": "12:",
    "dollar signs": "$",
    "dollar digits": "$1",
    "open brackets": "[",
    "tags": "[C1]",
    "minus": "-",
    "spaces": " ",
    "dollar, digit, spaces": "$1        ",
    "dollar and slash": "$1 / ",
    "endless word": "a",
    "endless capital word": "Aa",
    "capitals": "A",
    "initials": "A.",
    "capital words": "Aa ",
    "capital, small word": "Aa of the ",
    "mixed case": "aA",
    "letter digit": "a1",
    "letter digit dash": "a1-",
    "apostrophes": "'",
    "letter apostrophe": "A'",
    "hyphened capitals": "Aa-",
    "number words": "one ",
    "number words joined": "one-",
    "hundreds": "hundred ",
    "months": "March ",
    "dates": "1 March ",
    "halves": "half a ",
    "articles": "a ",
    "between": "between 1 and ",
    "free": "is free ",
    "per": "$1 per user ",
    "times": "9-9:00 ",
    "sizes": "1x",
    "fractions": "1/2 ",
    "vulgar": "½",
    "fraction slashes": "1⁄2",
    "listed numbers": "1001, 1002, ",
    "points": "$.5 ",
    "durations": "1:30 h ",
    "one-time": "one-time $1 once ",
    "shell": "`echo $1 ",
    "powers": "1e9",
    "newlines": "\n",
    "list marks": "1. ",
    "URLs": "http://",
    "underscores": "_1",
    "passages": "passage 1, ",
    "dotless capitals": "İ",
    "units": "5 square ",
    "feet": "5'",
    "percent": "5%",
}


def index_names(text: str) -> None:
    NameIndex(str, lambda word: ()).add(text)


def find_anchors(text: str) -> None:
    index = AnchorIndex()
    anchors = read_anchors(text)
    index.add(0, anchors)
    for anchor in anchors:
        index.find(anchor)


def find_names(text: str) -> None:
    index = NameIndex([text].__getitem__, lambda word: ())
    index.add(text)
    for name in read_names(text):
        index.find(name)


READERS: dict[str, Callable[[str], object]] = {
    "read_anchors": read_anchors,
    "read_names": read_names,
    "literal_amounts": literal_amounts,
    "literal_names": literal_names,
    "anchors found": find_anchors,
    "names found": find_names,
}


def cpu_s(function: Callable[[str], object], texts: list[str], repeats: int) -> float:
    best = math.inf
    for _ in range(repeats):
        start = process_time()
        for text in texts:
            function(text)
        best = min(best, process_time() - start)
    return best


def prose(path: Path, repeats: int) -> None:
    if not path.is_file():
        sys.exit(f"{path} is missing: give a JSON Lines file with answers and chunks")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:600]
    for label, texts in (
        ("answers", [fold(row["answer"]).text for row in rows]),
        ("chunks", [fold(chunk).text for row in rows[::4] for chunk in row["chunks"]]),
    ):
        characters = sum(map(len, texts))
        found = sum(len(read_anchors(text)) for text in texts)
        print(
            f"{label}: {characters:,} characters, {1000 * found / characters:.1f} anchors per 1,000"
        )
        for name, function in {**READERS, "names indexed": index_names}.items():
            print(f"  {name:18} {1e6 * cpu_s(function, texts, repeats) / characters:7.3f} us/char")


def hostile(size: int, repeats: int) -> float:
    print(f"{'shape':24}" + "".join(f"{name:>22}" for name in READERS) + "   us/char, slope")
    worst = 0.0
    for label, unit in SHAPES.items():
        cells = []
        for function in READERS.values():
            texts = [(unit * (length // len(unit) + 1))[:length] for length in (size // 10, size)]
            short, long = (cpu_s(function, [text], repeats) for text in texts)
            slope = math.log(max(long, 1e-9) / max(short, 1e-9)) / math.log(10)
            if long > 0.01:  # below ten milliseconds the clock is all there is to see
                worst = max(worst, slope)
            cells.append(f"{1e6 * long / size:14.3f} {slope:7.2f}")
        print(f"{label:24}" + "".join(cells), flush=True)
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--prose", type=Path)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()} on {platform.machine()}")
    if arguments.prose:
        prose(arguments.prose, arguments.repeats)
    worst = hostile(arguments.size, max(1, arguments.repeats // 2))
    print(f"worst slope {worst:.2f} on {len(SHAPES)} shapes")


if __name__ == "__main__":
    main()
