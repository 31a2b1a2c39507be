"""The text layer in one table: every figure it is held to, what was measured, beside its peers.

    python benchmarks/bench_text.py --data DIR [--quick]

DIR holds `golden_rules_en.json`, `ud_ewt_dev.jsonl.gz`, `ud_gum_dev.jsonl.gz` and
`ragtruth_dev.jsonl.gz`. CPU time, best of several; progress on standard error. Growth is the slope
of log(time) over log(length), see `text_growth.py`. `--quick` takes shorter texts and fewer cuts.
"""

import argparse
import math
import platform
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

import bench_segmentation as segmentation
import text_growth

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import REFUSAL_PHRASES
from streamguard.core.names.reading import read_names
from streamguard.core.reading.markers import citations_in
from streamguard.core.reading.roles import find_refusals, leading_refusal, role_of
from streamguard.text.normalise import fold
from streamguard.text.segmenter import Segmenter
from streamguard.values import read_anchors

Row = tuple[str, str, str]


def guard_failures(texts: Sequence[str], splittings: int) -> int:
    """Return how many random cuts change the result of the whole guard."""
    rng, shared, whole, failures = random.Random(20), text_growth.context(), {}, 0
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


def layer(tokens: Sequence[str]) -> None:
    """Read everything the text layer reads of an answer that arrives in these pieces."""
    segmenter, spans, text = Segmenter(), [], "".join(tokens)
    for token in tokens:
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


def per_char(texts: Sequence[str], repeats: int) -> float:
    """Return the text layer's CPU microseconds per character: each text at its quickest."""
    total = 0.0
    for tokens in map(segmentation.TOKENS.findall, texts):
        best = math.inf
        for _ in range(repeats):
            began = process_time()
            layer(tokens)
            best = min(best, process_time() - began)
        total += best
    return 1e6 * total / sum(map(len, texts))


def growths(size: int, repeats: int) -> Iterator[Row]:
    """Yield the largest growth of every reader and every check."""
    for run in text_growth.runs().values():
        for name, found in text_growth.worst(run, size, repeats).items():
            segmentation.say(f"  {name}: {found}")
            what = f"growth to {size:,}, {len(text_growth.SHAPES)} shapes: {name}"
            yield what, "1.05", f"{found.slope:.3f} {found.shape}"


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
    size = 20_000 if options.quick else 1_000_000
    rows: list[Row] = [
        (
            f"guard: failures in {splittings:,} splittings of {len(texts):,} texts",
            "0",
            str(guard_failures(texts, splittings)),
        ),
        (
            "whole text layer, us/char, token-sized pieces",
            "0.6",
            f"{per_char(answers[:600], 5 if options.quick else 20):.3f}",
        ),
        *growths(size, 1),
    ]
    print(f"\n{'figure':<66}{'asked':>8}  measured")
    for name, asked, measured in rows:
        print(f"{name:<66}{asked:>8}  {measured}")
    print(f"Python {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()
