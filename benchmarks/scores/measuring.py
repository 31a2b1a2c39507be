"""Everything about one version of the code, as rows of the scoreboard.

python -m scores.measuring DATA     (the code that is imported; JSON on standard output)
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import structure_grid

from scores import everyday, ragtruth, size, tables
from scores.answers import COMPARES, Judged, judge, read, say
from scores.folds import FOLDS, Lines, edit_weights, training

SETS = Path(__file__).parent.parent / "everyday"
HELD_OUT = ("j", "p", "r", "s")

Section = tuple[str, list[tuple[str, str]]]


def measure(data: Path) -> list[Section]:
    """Return the sections of the table, each with its rows."""
    # First, since it counts what is called: what is remembered of words later is not read again.
    sizes = size.measure()
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
    say("  made-up tables and structure grid")
    sections += [("Structure grid", structure_grid.measure()), ("Made-up tables", tables.measure())]
    return [*sections, ("Size", sizes)]


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


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1])), sys.stdout)
