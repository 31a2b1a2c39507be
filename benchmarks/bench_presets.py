"""What `strict`, `moderate` and `lenient` flag and find: three points of one curve.

    python benchmarks/bench_presets.py [DATA] [--every N] [--curve]

Of right answers the share that is not PASS ("flagged"), of wrong ones the share that is WARN or
REFUSE ("found"). Without DATA: the held-out everyday sets of the repository, by the weights as
shipped. With DATA, a folder with `everyday_dev.jsonl`, `exercises_dev.jsonl` and
`ragtruth_dev.jsonl.gz`: everyday_dev too, and the single sentences of every Nth English context of
exercises_dev: folds 1 to 4, on which the thresholds were chosen, and fold 0. All are judged by
weights that are fitted without their fold. `--curve` also measures
moderate at other values of `doubt_from`.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scores.answers import context_of, read, say
from scores.exercises import _sentences, english
from scores.folds import FOLDS, without_fold
from scores.measuring import HELD_OUT, SETS
from scores.sentences import joined

from streamguard import Context, Policy
from streamguard.core.validate import check_text

PRESETS = {name: Policy.preset(name) for name in ("strict", "moderate", "lenient")}
_CURVE = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)
# Of each policy (right answers flagged, of how many; wrong ones found, of how many).
Counts = dict[str, list[int]]


def counted(answers: Iterable[tuple[str, Context, bool]], policies: Mapping[str, Policy]) -> Counts:
    """Count what each policy does of answers, their contexts, and whether they are wrong."""
    counts = {name: [0, 0, 0, 0] for name in policies}
    for text, context, is_wrong in answers:
        for name, policy in policies.items():
            status = check_text(text, context=context, policy=policy).status
            counts[name][2 * is_wrong] += status != "PASS"
            counts[name][2 * is_wrong + 1] += 1
    return counts


def shares(counts: Counts) -> dict[str, tuple[float, float]]:
    """Return of each policy the share of right answers flagged and of wrong ones found."""
    return {
        name: (flagged / max(1, right), found / max(1, wrong))
        for name, (flagged, right, found, wrong) in counts.items()
    }


def held_out(policies: Mapping[str, Policy] = PRESETS) -> Counts:
    """Count on the held-out sets of the repository."""
    rows = [row for name in HELD_OUT for row in read(SETS / f"{name}.jsonl")]
    return counted(_answers(rows), policies)


def out_of_fold(data: Path, policies: Mapping[str, Policy]) -> Counts:
    """Count on everyday_dev, each answer by weights that are fitted without its fold."""
    rows = read(data / "everyday_dev.jsonl")
    total = {name: [0, 0, 0, 0] for name in policies}
    for fold in range(FOLDS):
        say(f"  everyday_dev, fold {fold}")
        with without_fold(fold):
            counts = counted(_answers(row for row in rows if row["fold"] == fold), policies)
        for name, found in counts.items():
            total[name] = [a + b for a, b in zip(total[name], found, strict=True)]
    return total


def sentences(
    data: Path, folds: Sequence[int], every: int, policies: Mapping[str, Policy]
) -> Counts:
    """Count on single sentences of exercises_dev, each behind the right ones before it."""
    rows = english(read(data / "exercises_dev.jsonl"), folds)[::every]
    total = {name: [0, 0, 0, 0] for name in policies}
    for fold in folds:
        with without_fold(fold):
            counts = counted(_exercises(row for row in rows if row["fold"] == fold), policies)
        for name, found in counts.items():
            total[name] = [a + b for a, b in zip(total[name], found, strict=True)]
    return total


def _answers(rows: Iterable[dict]) -> Iterator[tuple[str, Context, bool]]:
    return ((row["answer"], context_of(row), row["label"] == "error") for row in rows)


def _exercises(rows: Iterable[dict]) -> Iterator[tuple[str, Context, bool]]:
    for row in rows:
        chunks = tuple(chunk["text"] for chunk in row["chunks"])
        for question in row["questions"]:
            context = Context(query=question["question"], chunks=chunks)
            for kind, one in _sentences(question, chunks, row["fold"]):
                yield joined(one.before, one.text)[0], context, bool(kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--every", type=int, default=4, metavar="N")
    parser.add_argument("--curve", action="store_true")
    options = parser.parse_args()
    policies = dict(PRESETS)
    if options.curve:
        policies |= {
            f"doubt_from {at:g}": Policy(doubt_from=at, wrong_from=max(at, 0.65)) for at in _CURVE
        }
    _print("held-out everyday answers, weights as shipped", held_out(policies))
    if options.data is not None:
        _print("everyday_dev, out of fold", out_of_fold(options.data, policies))
        for folds in ((1, 2, 3, 4), (0,)):
            found = sentences(options.data, folds, options.every, policies)
            _print(f"exercises_dev, sentences of folds {folds}", found)


def _print(title: str, counts: Counts) -> None:
    print(title)
    for name, (flagged, found) in shares(counts).items():
        _, right, _, wrong = counts[name]
        told = f"right flagged {flagged:.3f} of {right}, wrong found {found:.3f} of {wrong}"
        print(f"  {name:16} {told}")


if __name__ == "__main__":
    main()
