"""What a verifier of known error rates adds to our support, on labelled answers.

    python benchmarks/bench_verifiers.py DATA [--right 0.9] [--seeds 3]

DATA is what `streamguard eval` reads. The verifier is scripted: by the labels it is right on that
share of the claims, and says so with a support of 0.9 or 0.1; at 0.5 it answers at random. Both
are calibrated out of fold.
"""

import argparse
import random

from streamguard.commands.labelled import judge, read_labelled
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Verdict
from streamguard.evaluation.verifying import compared, compared_table
from streamguard.verify.verifier import Verifier


def scripted(rows, right: float, seed: int) -> Verifier:
    spans = {id(row.context): row.spans or () for row in rows}

    def reads(sentences, scope):
        own = spans[id(scope.context)]
        said = []
        for sentence in sentences:
            bad = any(start < sentence.end and end > sentence.start for start, end in own)
            rng = random.Random(f"{seed}:{sentence.scope.context.query}:{sentence.text}")
            truly = rng.random() < right
            said.append(Verdict(0.1 if bad is truly else 0.9))
        return said

    return Verifier(reads, name="scripted", batch=64, cache=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--right", type=float, action="append")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    rows = read_labelled(args.data)
    for right in args.right or [0.9, 0.8, 0.5]:
        for seed in range(args.seeds):
            judged, _ = judge(rows, Policy(), [scripted(rows, right, seed)])
            print(f"right on {right:.0%} of claims, seed {seed}")
            print(compared_table(compared(judged, "scripted")))


if __name__ == "__main__":
    main()
