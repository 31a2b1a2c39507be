"""Whether quotations are taken to speak of a sentence: a judge's own, and sentences of others.

    python benchmarks/judge_quotations.py DATA [--seed 0]

DATA is a folder with `everyday_dev.jsonl` and `judge_dev.jsonl`, which are not part of the
repository. Printed is which share of the recorded quotations stands and speaks of its sentence, of
all and of those that contradict; and of as many sentences drawn from other documents. Beside it the
same by one shared content word.
"""

import argparse
import json
import random
import re
from pathlib import Path

from streamguard import Context, StreamGuard
from streamguard.core.index.content import content_of
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import fold
from streamguard.values import read_anchors
from streamguard.verify.quotations import QuotedPassages


def keys(text: str) -> set[str]:
    folded = fold(text).text
    return set(content_of(folded, read_anchors(folded)).keys)


def lines(path: Path):
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def sentences_of(recorded, row):
    """Yield each recorded sentence with its entry, in the scope of its answer."""
    guard = StreamGuard(Context(query=row["question"], chunks=row["chunks"]))
    guard.feed(row["answer"])
    guard.close()
    scope = guard.claims()[0].scope
    entries = {one["id"]: one for one in json.loads(recorded["content"])["verdicts"]}
    earlier: list[Sentence] = []
    for number, one in enumerate(recorded["sentences"]):
        scope = type(scope)(scope.context, scope.evidence, scope.policy, scope.question, [*earlier])
        sentence = Sentence(number, one["start"], one["end"], one["text"], scope=scope)
        earlier.append(sentence)
        yield sentence, entries[one["id"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rows = {row["id"]: row for row in lines(args.data / "everyday_dev.jsonl")}
    rng = random.Random(args.seed)
    every = sorted({chunk["text"] for row in rows.values() for chunk in row["chunks"]})
    counts = {name: [0, 0, 0] for name in ("all", "contradicting", "of other documents")}
    for recorded in lines(args.data / "judge_dev.jsonl"):
        row = rows[recorded["answer_id"]]
        texts = [chunk["text"] for chunk in row["chunks"]]
        for sentence, entry in sentences_of(recorded, row):
            if entry["quote"] is None:
                continue
            foreign = rng.choice(every)
            units = [u for u in re.split(r"(?<=[.!?])\s+|\n", foreign) if len(u) > 15]
            asked = [("all", texts, entry["quote"])]
            asked += [("contradicting", *asked[0][1:])] * (entry["verdict"] == "contradicted")
            asked += [("of other documents", [foreign], rng.choice(units))]
            for name, passages, quote in asked:
                shown = QuotedPassages(passages, [str(n) for n in range(len(passages))])
                places = shown.find(quote)
                found = counts[name]
                found[0] += 1
                found[1] += bool(places) and shown.speak_of(places, sentence)
                found[2] += not keys(quote).isdisjoint(keys(sentence.text))
    print(f"{'quotations':20} {'number':>6} {'speak of it':>12} {'share a word':>13}")
    for name, (number, speaking, sharing) in counts.items():
        print(f"{name:20} {number:6} {speaking / number:12.3f} {sharing / number:13.3f}")


if __name__ == "__main__":
    main()
