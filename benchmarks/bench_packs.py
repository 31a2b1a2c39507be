"""Precision, recall and time of the packs of further checks.

    python benchmarks/bench_packs.py [--quick] [--rows] [--write PAGE] [--english DATA]

The cases are the tables in `packs/`, see `pack_cases.py`; values in them are drawn from a fixed
seed. Times are CPU milliseconds per 1,000 characters of a pack's check alone: of the tables' near
misses, and of sentences of 2,000 characters in hostile shapes, the beginnings of every form again
and again. "Growth" is the slope of log(time) over log(length) from 1,000 to 4,000 characters, of
the shape where it is largest: 1.00 is linear. `--rows` prints each case where a pack was wrong,
`--quick` measures no times, `--write` puts the tables into PAGE. `--english` counts instead what is
found in the English sentences of `ud_*_dev.jsonl.gz`, `ragtruth_dev.jsonl.gz` and
`everyday_dev.jsonl` in DATA; with `--rows` what.
"""

import argparse
import gzip
import json
import math
import platform
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from bench_peers import write
from pack_cases import PACKS, Score, cases_of, score

from streamguard import Context, Policy
from streamguard.core.context import Question
from streamguard.core.packs.checks import pack_checks
from streamguard.core.packs.secrets import KINDS
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.patterns import compile_all
from streamguard.text.segmenter import Segmenter

SIZES = (500, 1_000, 2_000, 4_000)
PATTERNS = {
    "ticket": r"\bTCK-\d{6}\b",
    "codename": r"(?i)\bproject (?:bluebird|nightjar)\b",
    "any": "[a-z]0",
}
SHAPES = {
    "digits": "4",
    "spaced digits": "4 ",
    "dashed digits": "4-",
    "dotted digits": "1.1.1.",
    "groups": "4111 1111 1111 1112 ",
    "plus signs": "+1",
    "at signs": "a@",
    "dots": "a.a@a.",
    "local parts": "a.b-c_",
    "colons": "1:",
    "hex and colons": "f:",
    "letters": "a",
    "capitals": "AB12",
    "IBAN heads": "DE12 ",
    "schemes": "http://",
    "closing brackets": "https://a.b)))))",
    "brackets": "https://a.b/()(",
    "escapes": "https://a.b/%28",
    "names": "password ",
    "assigned": "token=",
    "is is": "password is ",
    "quoted": '"a',
    "ticks": "`a`",
    "key lines": "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n",
    "body": "A" * 64 + "\n",
    "dashes": "-----",
    "credentials": "a://a:a",
    "commands": "-u a:",
    "signed": "eyJ" + "a" * 12 + ".",
    "words": "the und ",
    "kana": "あ",
    "mixed": "abc漢",
    "national": "756.1234.",
}


def sentence_check(pack: str, region: str = "DE"):
    """Return a function from a sentence's text to the findings of a pack."""
    policy = Policy.preset(
        "moderate",
        packs=(pack,),
        phone_region=region if pack == "pii" else None,
        patterns=PATTERNS if pack == "regex" else {},
    )
    query = "How can I change what I have ordered?"
    context = Context(query=query, chunks=["See https://a.example/x for the price."])
    scope = Scope(context, None, policy, Question(query))
    checks = pack_checks(policy)
    return lambda text: [
        found
        for check in checks
        for found in check(Sentence(0, 0, len(text), text, scope=scope), scope)
    ]


def seconds(check, text: str, repeats: int) -> float:
    """Return the least CPU seconds of a check on a text; a short run is repeated."""
    best = math.inf
    for _ in range(repeats):
        began, runs = process_time(), 0
        while (spent := process_time() - began) < 0.001:
            check(text)
            runs += 1
        best = min(best, spent / runs)
    return best


def prose() -> Iterator[str]:
    """Yield the sentences of the tables in which nothing is to be found."""
    said = [
        case.answer
        for pack in ("secrets", "pii", "links", "language")
        for case in cases_of(pack)
        if not case.spans
    ]
    text = " ".join(said)
    segmenter = Segmenter()
    for start, end in [*segmenter.feed(text), *segmenter.close()]:
        if text[start:end].strip():
            yield text[start:end]


def shapes() -> dict[str, str]:
    """Return what hostile texts repeat: `SHAPES`, and the beginning of every kind of secret."""
    heads = {
        f"{kind.name} {letters}": letters + "a1B2" for kind in KINDS for letters in kind.letters
    }
    return {**SHAPES, **heads}


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def times(pack: str, repeats: int) -> list[str]:
    check = sentence_check(pack)
    usual = [1e6 * seconds(check, text, 1) / len(text) for text in list(prose())[:300]]
    hostile, growth = [], []
    for name, shape in shapes().items():
        spent = [
            seconds(check, (shape * (size // len(shape) + 1))[:size], repeats) for size in SIZES
        ]
        hostile.append(1e6 * spent[2] / SIZES[2])
        growth.append((math.log(spent[3] / spent[1]) / math.log(SIZES[3] / SIZES[1]), name))
    slope, name = max(growth)
    return [
        *(f"{quantile(usual, share):.3f}" for share in (0.5, 0.99)),
        *(f"{quantile(hostile, share):.3f}" for share in (0.5, 0.99)),
        f"{slope:.2f} ({name.strip()}), dearest {max(zip(hostile, shapes(), strict=True))[1]}",
    ]


def table(heads: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows])


def counted(told: Score) -> list[str]:
    near = f"{told.cases} ({told.near_misses})"
    marked = told.right.total() + told.missed.total()
    return [near, str(marked), f"{told.precision:.3f}", f"{told.recall:.3f}"]


def kinds_of(told: Score) -> list[list[str]]:
    """Return a row for each kind of a pack: how many were found, missed and found wrongly."""
    counted = (told.right, told.missed, told.wrong)
    kinds = sorted(told.right | told.missed | told.wrong)
    return [[f"`pii:{kind}`", *(str(counts[kind]) for counts in counted)] for kind in kinds]


def english(folder: Path) -> list[str]:
    """Return the different sentences of the English texts in a folder, cut at ends of lines too."""
    paths = [*folder.glob("ud_*_dev.jsonl.gz"), folder / "ragtruth_dev.jsonl.gz"]
    lines = [line for path in paths for line in gzip.decompress(path.read_bytes()).splitlines()]
    lines += (folder / "everyday_dev.jsonl").read_bytes().splitlines()
    rows = map(json.loads, lines)
    texts = [row.get("answer") or row.get("response") or row.get("text") or "" for row in rows]
    found = [part.strip() for text in texts for part in re.split(r"(?<=[.!?])\s+|\n", text)]
    return list(dict.fromkeys(filter(None, found)))


def count_in_english(folder: Path, is_shown: bool) -> None:
    texts = english(folder)
    print(f"{len(texts):,} English sentences")
    for pack in ("secrets", "pii", "language"):
        check = sentence_check(pack, "US")
        told = [(text, one.check) for text in texts for one in check(text)]
        print(f"{pack}: {dict(Counter(name for _, name in told))}")
        for text, name in told if is_shown else ():
            print(f"  {name}: {text[:200]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--rows", action="store_true", help="print each case where a pack was wrong"
    )
    parser.add_argument("--quick", action="store_true", help="measure no times")
    parser.add_argument("--write", type=Path, help="the page whose tables are replaced")
    parser.add_argument("--english", type=Path, help="count what is found in English texts")
    options = parser.parse_args()
    compile_all()
    if options.english:
        count_in_english(options.english, options.rows)
        return
    rows, kinds = [], []
    for pack in PACKS:
        told, later = score(pack), score(pack, "_unseen")
        rows.append(
            [
                f"`{pack}`",
                *counted(told),
                *(counted(later)[at] for at in (0, 2, 3)),
                *(["-"] * 5 if options.quick else times(pack, 3)),
            ]
        )
        kinds += kinds_of(told) if pack == "pii" else []
        for row in told.rows + later.rows if options.rows else ():
            print(f"{pack}: {row[:200]}")
    heads = [
        "pack",
        "cases (near misses)",
        "to find",
        "precision",
        "recall",
        "later cases (near misses)",
        "precision",
        "recall",
        "ms per 1,000 characters of prose, p50",
        "p99",
        "of hostile text, p50",
        "p99",
        "growth (shape)",
    ]
    text = f"{table(heads, rows)}\n\n{table(['kind', 'found', 'missed', 'wrongly found'], kinds)}"
    print(f"Python {platform.python_version()}\n{text}")
    if options.write:
        write(options.write, text, "packs")


if __name__ == "__main__":
    main()
