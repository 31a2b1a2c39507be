"""Measure the checks on labelled answers, beside an earlier version of the code, in one table.

    python benchmarks/scoreboard.py DATA [--against REF] [--write benchmarks/results/scoreboard.md]
    python benchmarks/scoreboard.py DATA --only exercises,planted --folds 0 --against none

DATA is a folder with `everyday_dev.jsonl`, `exercises_dev.jsonl`, `judge_dev.jsonl` and
`ragtruth_dev.jsonl.gz`; rows of a file that is missing are left out. REF (default the tag
`landed-core`) is checked out in a temporary work tree and measured by the same scripts; "none"
leaves its column out. Weights that are fitted to what is judged are fitted anew without the fold;
nothing is ever fitted to the held-out sets. Intervals hold 95 % of a bootstrap over contexts. Takes
some minutes, progress on standard error; numpy is needed. `--only` measures some parts, `--folds`
some folds of exercises_dev: the second line takes a quarter of a minute. Such a part is
written into the page, whose other sections stay as they were.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from scores.measuring import PARTS, named, numbered

HERE = Path(__file__).parent
ROOT = HERE.parent
BEFORE = "5d58a5cb"
_RUNS = 3  # of the cost, alternating

_ABOUT = """\
* Found: the status is WARN or REFUSE.
* Pinned: a warning touches the wrong words; pointed at: a finding of any severity does.
* The answer's risk is of a short one (`Policy.is_short`) `scores.doubt`, else 1 -
  `scores.groundedness`; of code without doubt a status, a warning and 1 - groundedness added up.
* Out of fold: by the weights that `make train-fast` fits without the fold. The held-out sets are
  judged by the weights as shipped.
* Recorded judge: the verdicts of a capable language model on 150 answers of everyday_dev, replayed
  through the adapter (`benchmarks/recorded_judge.py`). Its own word: the least support of a claim.
  What its word weighs is fitted without the fold.
* exercises_dev: single sentences in English by eleven authors. A sentence's verdict is the status
  of the answer up to it: the right sentences before it, then the sentence. A warning is counted
  where it touches the sentence; one of values comes of a check named after a value or a price.
  Pairs ranked: the wrong version is riskier than the right one, ties half. Precision at even
  priors: as if right and wrong sentences were equally frequent. All of it is out of fold.
* Planted values: in a right sentence one number that the passages hold is replaced by a near one
  that they do not (`benchmarks/planted.py`). Computed: right sentences with a number that no
  passage holds. Warned of: a warning touches the number. Plain statements say "costs" or "is" and
  announce no reckoning.
* Near-by prices: every price of the handbooks in a plain sentence, 1 to 10 off
  (`benchmarks/scores/prices.py`).
* Intervals hold 95 % of a bootstrap over contexts, 1,000 draws.""".splitlines()

Column = dict[str, dict[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--against", default=BEFORE, metavar="REF")
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--only", type=named, default=list(PARTS), metavar="PARTS")
    parser.add_argument("--folds", type=numbered, metavar="FOLDS")
    options = parser.parse_args()
    data = options.data.resolve()
    if not data.is_dir():
        sys.exit(f"{options.data} is no folder: give one with everyday_dev.jsonl")
    with checked_out(options.against) as before:
        roots = [root for root in (before, ROOT) if root is not None]
        asked = ["--only", ",".join(options.only)]
        asked += ["--folds", ",".join(map(str, options.folds))] if options.folds else []
        columns = [measured(root, data, asked) for root in roots]
        if "cost" in options.only:
            add_costs(columns, roots, data)
    names = ["this code"]
    if before is not None:
        found = commit(options.against)
        names.insert(0, f"before ({', '.join(dict.fromkeys([options.against, found]))})")
    text = page(names, columns)
    print(text)
    if options.write:
        is_part = options.only != list(PARTS) and options.write.is_file()
        kept = options.write.read_text(encoding="utf-8") if is_part else ""
        options.write.write_text(renewed(kept, text), encoding="utf-8")


@contextmanager
def checked_out(ref: str) -> Iterator[Path | None]:
    """Give a work tree of the ref, None for "none", and with a message where there is no such."""
    if ref == "none":
        yield None
        return
    git = ["git", "-C", str(ROOT)]
    known = subprocess.run(
        [*git, "rev-parse", "-q", "--verify", f"{ref}^{{commit}}"], stdout=subprocess.DEVNULL
    )
    if known.returncode:
        print(f"there is no {ref} here: its column is left out", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        subprocess.run([*git, "worktree", "add", "-q", "--detach", str(tree), ref], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)


def commit(ref: str) -> str:
    """Return the short name of a ref's commit: tags move, and the page keeps what was measured."""
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", f"{ref}^{{commit}}"]
    return subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def run(module: str, root: Path, data: Path, more: Sequence[str] = ()):
    """Return what a measuring module says of the code under a root."""
    # Threads of the linear algebra wait for one another: the fits are twenty times slower on two.
    paths = {"PYTHONPATH": f"{root}{os.pathsep}{HERE}", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **paths}
    command = [sys.executable, "-m", module, str(data), *more]
    done = subprocess.run(command, env=environment, cwd=HERE, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def measured(root: Path, data: Path, asked: Sequence[str]) -> Column:
    """Return the rows of every section."""
    print("this code" if root == ROOT else "the code before", file=sys.stderr, flush=True)
    return {title: dict(rows) for title, rows in run("scores.measuring", root, data, asked)}


def add_costs(columns: list[Column], roots: list[Path], data: Path) -> None:
    """Add the medians of alternating runs; this code's as a ratio too."""
    runs = [[] for _ in roots]
    for number in range(_RUNS):
        print(f"cost, run {number + 1} of {_RUNS}", file=sys.stderr, flush=True)
        for found, root in zip(runs, roots, strict=True):
            found.append(run("scores.costs", root, data))
    costs = [{name: median(one[name] for one in found) for name in found[0]} for found in runs]
    for column, cost in zip(columns, costs, strict=True):
        column["CPU time"] = {name: f"{value:.0f}" for name, value in cost.items()}
    if len(costs) == 2:
        for name, value in costs[1].items():
            columns[1]["CPU time"][name] += f" ({value / costs[0][name]:.2f} of before)"


def page(names: list[str], columns: list[Column]) -> str:
    """Return the table as a page."""
    lines = [
        "# Scoreboard",
        "",
        f"Written by `make scoreboard DATA=DIR`, on Python {platform.python_version()}.",
        "",
        *_ABOUT,
    ]
    titles = list(dict.fromkeys(title for column in reversed(columns) for title in column))
    for title in titles:
        sections = [column.get(title, {}) for column in columns]
        rows = list(dict.fromkeys(name for section in reversed(sections) for name in section))
        lines += ["", f"## {title}", "", _row(["", *names]), _row(["---"] * (len(names) + 1))]
        lines += [_row([name, *(section.get(name, "–") for section in sections)]) for name in rows]
    return "\n".join([*lines, ""])


def renewed(kept: str, text: str) -> str:
    """Return the new page, with the sections of a kept one that it does not have."""
    head, *new = _sections(text)
    by_title = {section.partition("\n")[0]: section for section in _sections(kept)[1:]}
    by_title |= {section.partition("\n")[0]: section for section in new}
    return "\n\n## ".join(part.strip() for part in (head, *by_title.values())) + "\n"


def _sections(text: str) -> list[str]:
    """Return what stands before the first heading of a section, and each section."""
    return text.split("\n## ")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
