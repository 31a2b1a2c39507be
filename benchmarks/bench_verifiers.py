"""What a verifier of known error rates adds to our support, on labelled answers.

    python benchmarks/bench_verifiers.py DATA [--right 0.9] [--seeds 3]

DATA is a set of everyday answers (benchmarks/everyday). The verifier is scripted: by the labels it
is right on that share of the claims. At 0.5 it answers at random. It says yes or no (a support of
0.9 or 0.1), or how sure it is: log-odds spread around the truth as widely as makes it right so
often. All combinations are judged out of fold.
"""

import argparse
import json
import math
import random
from pathlib import Path
from statistics import NormalDist
from tempfile import NamedTemporaryFile

from streamguard.commands.labelled import judge, read_labelled
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Verdict
from streamguard.evaluation.verifying import compared, compared_table
from streamguard.verify.verifier import Verifier


def everyday(path: str):
    """Return the rows of an everyday set as labelled answers, folds by context."""
    with (
        Path(path).open(encoding="utf-8") as lines,
        NamedTemporaryFile("w", suffix=".jsonl") as kept,
    ):
        for line in lines:
            row = json.loads(line)
            span = row["error_span"]
            labels = [{"start": span[0], "end": max(span[0] + 1, span[1])}] if span else []
            fields = {name: row[name] for name in ("question", "chunks", "answer", "fold")}
            kept.write(json.dumps({**fields, "source_id": row["context"], "labels": labels}) + "\n")
        kept.flush()
        return read_labelled(kept.name)


def scripted(rows, right: float, seed: int, graded: bool) -> Verifier:
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

    return Verifier(reads, name="scripted", batch=64, cache=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--right", type=float, action="append")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    rows = everyday(args.data)
    for right in args.right or [0.9, 0.8, 0.5]:
        for seed in range(args.seeds):
            for graded in (False, True):
                verifier = scripted(rows, right, seed, graded)
                judged, _ = judge(rows, Policy(), [verifier])
                how = "says how sure it is" if graded else "says yes or no"
                print(f"right on {right:.0%} of claims, {how}, seed {seed}")
                print(compared_table(compared(judged, "scripted")))


if __name__ == "__main__":
    main()
