"""Everything about one version of the code, as rows of the scoreboard.

python -m scores.measuring DATA [--only PART,PART] [--folds 0,1]     (the code that is imported)

Writes JSON to standard output.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from scores import everyday, exercises, judged, prices, ragtruth, size, values
from scores.answers import Judged, judge, read, say
from scores.folds import FOLDS, without_fold
from streamguard.errors import ConfigError

SETS = Path(__file__).parent.parent / "everyday"
HELD_OUT = ("j", "p", "r", "s")
# In the order of the page; "cost" is measured by `scores.costs`.
PARTS = ("everyday", "judge", "exercises", "planted", "prices", "size", "cost")

Section = tuple[str, list[tuple[str, str]]]


def measure(
    data: Path, parts: Sequence[str] = PARTS, folds: Sequence[int] | None = None
) -> list[Section]:
    """Return the sections of the table, each with its rows; `folds`: of exercises_dev alone."""
    # First, since it counts what is called: what is remembered of words later is not read again.
    sizes = size.measure() if "size" in parts else []
    sections: list[Section] = []
    if "everyday" in parts:
        sections = of_answers(data)
    if "judge" in parts:
        sections += of_judge(data)
    if "exercises" in parts or "planted" in parts:
        sections += of_sentences(data, parts, folds)
    if "prices" in parts:
        say("  near-by prices")
        sections.append(("Near-by prices, stated plainly", prices.measure()))
    return [*sections, *([("Size", sizes)] if sizes else [])]


def of_sentences(data: Path, parts: Sequence[str], folds: Sequence[int] | None) -> list[Section]:
    """Return the sections about single sentences of exercises_dev."""
    rows = exercises.english(read(data / "exercises_dev.jsonl"), folds)
    sections: list[Section] = []
    if rows and "exercises" in parts:
        say("  exercises_dev")
        sections += exercises.measure(rows)
    if rows and "planted" in parts:
        say("  planted values")
        sections.append(("Planted values, in exercises_dev", values.measure(rows)))
    return sections


def of_judge(data: Path) -> list[Section]:
    """Return the section about a recorded judge."""
    rows, recorded = read(data / "everyday_dev.jsonl"), read(data / "judge_dev.jsonl")
    if not rows or not recorded:
        return []
    say("  judge_dev")
    try:
        return [("Recorded judge, judge_dev, out of fold", judged.measure(rows, recorded))]
    except ConfigError as exc:  # an earlier version's judge may need a library that is not here
        say(f"  left out: {exc}")
        return []


def of_answers(data: Path) -> list[Section]:
    """Return the sections about the everyday sets and RAGTruth."""
    sections: list[Section] = []
    dev, labelled = read(data / "everyday_dev.jsonl"), read(data / "ragtruth_dev.jsonl.gz")
    if dev:
        say("  everyday_dev")
        judged = out_of_fold(dev)
        sections += [
            ("everyday_dev, out of fold", everyday.figures(judged)),
            ("everyday_dev by kind", everyday.kinds(judged)),
        ]
    held = {}
    for name in HELD_OUT:
        say(f"  {name}, held out")
        held[name] = [judge(row) for row in read(SETS / f"{name}.jsonl")]
    together = [each for judged in held.values() for each in judged]
    for name, judged in {", ".join(HELD_OUT): together, **held}.items():
        sections.append((f"{name}, held out, weights as shipped", everyday.figures(judged)))
    if labelled:
        sections.append(("RAGTruth dev, out of fold", ragtruth.measure(labelled)))
    return sections


def out_of_fold(rows: Sequence[dict]) -> list[Judged]:
    """Judge each row by the weights fitted without its fold."""
    judged = {}
    for fold in range(FOLDS):
        with without_fold(fold):
            judged |= {row["id"]: judge(row) for row in rows if row["fold"] == fold}
    return [judged[row["id"]] for row in rows]


def named(text: str) -> list[str]:
    """Return the parts of the scoreboard named in "exercises,planted"."""
    names = text.split(",")
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no part {unknown[0]!r}, expected some of {', '.join(PARTS)}"
        )
    return names


def numbered(text: str) -> list[int]:
    """Return the folds numbered in "0,1"."""
    numbers = text.split(",")
    unknown = [number for number in numbers if number not in map(str, range(FOLDS))]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no fold {unknown[0]!r}, expected 0 to 4")
    return [int(number) for number in numbers]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", type=named, default=list(PARTS))
    parser.add_argument("--folds", type=numbered)
    options = parser.parse_args()
    print(json.dumps(measure(options.data, options.only, options.folds)))


if __name__ == "__main__":
    main()
