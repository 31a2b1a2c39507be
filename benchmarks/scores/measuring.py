"""Everything about one version of the code, as rows of the scoreboard.

python -m scores.measuring DATA [--only PART,PART] [--folds 0,1]     (the code that is imported)

Writes JSON to standard output.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from scores import everyday, exercises, judged, prices, ragtruth, size, values
from scores.answers import COMPARES, Judged, judge, read, say
from scores.folds import FOLDS, Lines, edit_weights, training

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
    lines: Sequence[Lines] = ()
    if "everyday" in parts:
        lines, sections = of_answers(data)
    if "judge" in parts:
        sections += of_judge(data, lines)
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


def of_judge(data: Path, lines: Sequence[Lines]) -> list[Section]:
    """Return the section about a recorded judge; `lines`: the edits' without each fold, if any."""
    rows, recorded = read(data / "everyday_dev.jsonl"), read(data / "judge_dev.jsonl")
    if not rows or not recorded:
        return []
    say("  judge_dev")
    how = "out of fold" if lines else "weights as shipped"
    return [(f"Recorded judge, judge_dev, {how}", judged.measure(rows, recorded, lines))]


def of_answers(data: Path) -> tuple[Sequence[Lines], list[Section]]:
    """Return the sections about the everyday sets and RAGTruth, and the lines fitted for them."""
    sections: list[Section] = []
    dev, labelled = read(data / "everyday_dev.jsonl"), read(data / "ragtruth_dev.jsonl.gz")
    others = [row for path in sorted(SETS.glob("*.jsonl")) for row in _others(path)]
    edits = training([*dev, *others], labelled) if COMPARES and (dev or labelled) else None
    lines = [] if edits is None else [edits.fit(edits.folds != fold) for fold in range(FOLDS)]
    if dev:
        say("  everyday_dev")
        judged = out_of_fold(dev, lines)
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
        sections.append(("RAGTruth dev, out of fold", ragtruth.measure(labelled, lines)))
    if edits is not None and dev:
        say("  learning curve")
        curve = everyday.learning_curve(edits, dev)
        sections.append(("Learning curve, everyday_dev by other authors", curve))
    return lines, sections


def _others(path: Path) -> list[dict]:
    return [] if path.stem in HELD_OUT else read(path)


def out_of_fold(rows: Sequence[dict], lines: Sequence[Lines]) -> list[Judged]:
    """Judge each row by the lines fitted without its fold; as shipped where there are none."""
    if not lines:
        return [judge(row) for row in rows]
    judged = {}
    for fold, of_others in enumerate(lines):
        with edit_weights(of_others):
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
