"""What a verifier of known error rates adds to our support, on labelled answers.

    python benchmarks/bench_verifiers.py DATA [--right 0.9] [--seeds 3] [--resamples 1000]

DATA is a folder with `everyday_dev.jsonl` and `ragtruth_dev.jsonl.gz`, as `make scoreboard` has it.
Both parts are out of fold: each answer is checked with weights that were fitted without its fold,
and so is what puts the verifier's word and ours together. The verifier is scripted: by the labels
it is right on that share of the claims; at 0.5 it answers at random. It says yes or no (a support
of 0.9 or 0.1), or how sure it is: log-odds spread around the truth as widely as makes it right so
often. The judge says how sure it is as well, is asked by the real prompt, and its quotations are
looked up. The last column is what `streamguard calibrate` makes of it: a verifier whose gain may be
chance is left out, so that the answers are judged as they were. numpy is needed; takes minutes.
"""

import argparse
import json
import math
import random
from pathlib import Path
from statistics import NormalDist
from tempfile import NamedTemporaryFile

from everyday_labelled import labelled
from scores.folds import FOLDS, without_fold
from scripted_judge import ScriptedJudge

from streamguard.commands.labelled import judge, read_labelled
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Verdict
from streamguard.evaluation.bootstrap import RESAMPLES
from streamguard.evaluation.verifying import compared
from streamguard.verify.judge import judge_by
from streamguard.verify.verifier import Verifier


def everyday(path: Path):
    """Return an everyday set as labelled answers."""
    with NamedTemporaryFile("w", suffix=".jsonl") as kept:
        kept.writelines(json.dumps(row) + "\n" for row in labelled(path))
        kept.flush()
        return read_labelled(kept.name)


def scripted(rows, right: float, seed: int, graded: bool) -> Verifier:
    """Return a verifier that knows the labels, and is right on that share of the claims."""
    spans = {id(row.context): row.spans or () for row in rows}

    def reads(sentences, scope):
        own = spans[id(scope.context)]
        said = []
        for sentence in sentences:
            bad = any(start < sentence.end and end > sentence.start for start, end in own)
            rng = random.Random(f"{seed}:{sentence.scope.context.query}:{sentence.text}")
            if graded:
                odds = rng.gauss((-1 if bad else 1) * NormalDist().inv_cdf(right), 1)
                said.append(Verdict(1 / (1 + math.exp(-odds))))
            else:
                truly = rng.random() < right
                said.append(Verdict(0.1 if bad is truly else 0.9))
        return said

    how = "says how sure it is" if graded else "says yes or no"
    name = f"right on {right:.0%}, {how}, seed {seed}"
    return Verifier(reads, name=name, batch=64, cache=0)


def out_of_fold(rows, verifiers):
    """Return the answers judged with weights fitted without their fold, all verifiers beside."""
    judged = []
    for fold in range(FOLDS):
        with without_fold(fold):
            own = [row for row in rows if row.fold == fold]
            judged += judge(own, Policy(), verifiers)[0]
    return judged


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--right", type=float, action="append")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    args = parser.parse_args()
    rows = everyday(args.data / "everyday_dev.jsonl")
    verifiers = [
        scripted(rows, right, seed, graded)
        for right in args.right or [0.9, 0.5]
        for graded in (False, True)
        for seed in range(args.seeds)
    ]
    verifiers += [
        judge_by(ScriptedJudge(rows, right, 0).post, "scripted", name=f"right on {right:.0%}")
        for right in args.right or [0.9, 0.5]
    ]
    judged = out_of_fold(rows, verifiers)
    heads = ("answer AUROC: alone", "with ours, out of fold", "gain", "calibrated")
    print(f"{'':46}{heads[0]:>20}{heads[1]:>26}{heads[2]:>26}{heads[3]:>12}")
    for verifier in verifiers:
        ours, _, alone, both = compared(judged, verifier.name, count=args.resamples)
        if verifier is verifiers[0]:
            print(f"{'ours alone, out of fold':46}{'':20}{shown(ours.answers):>26}")
        kept = both.answers.value if both.helps else ours.answers.value
        print(
            f"{verifier.name:46}{alone.answers.value:20.3f}{shown(both.answers):>26}"
            f"{shown(both.answers_gain):>26}{kept:12.3f}{'' if both.helps else ' (left out)'}",
            flush=True,
        )


def shown(area) -> str:
    low, high = area.interval
    return f"{area.value:.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    main()
