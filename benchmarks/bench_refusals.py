"""How many right refusals are taken for needless ones, and how many needless ones are seen.

    python benchmarks/bench_refusals.py DATA

DATA is a folder with `everyday_dev.jsonl` and `ragtruth_dev.jsonl.gz`. Right: the standard refusal
to the everyday questions whose right answer is an honest absence, and the whole refusals of
RAGTruth that nobody called wrong. Needless: the same to the other everyday questions, and those of
RAGTruth that were called wrong. The everyday sets of the repository that are learned from count
too. "By words alone": a chunk holds `min_question_keywords` of the question's keywords.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from scores.answers import context_of, read
from scores.measuring import HELD_OUT, SETS

from streamguard import Policy
from streamguard.core.context import Question
from streamguard.core.validate import check_text

REFUSAL = "I cannot answer this based on the provided documents."
_MOST = 300  # characters of a RAGTruth answer that may be a refusal as a whole


def cases(data: Path) -> Iterator[tuple[bool, dict]]:
    """Yield rows with one question each, and whether a refusal of it is needless."""
    names = [path for path in sorted(SETS.glob("*.jsonl")) if path.stem not in HELD_OUT]
    rows = [row for path in (data / "everyday_dev.jsonl", *names) for row in read(path)]
    absent = {row["context"]: row["question"] for row in rows if row["kind"] == "abstain"}
    seen = set()
    for row in rows:
        key = row["context"], row["question"]
        if key not in seen:
            seen.add(key)
            yield absent.get(row["context"]) != row["question"], row
    wrong = {}
    for row in read(data / "ragtruth_dev.jsonl.gz"):
        if len(row["answer"]) < _MOST:
            result = check_text(row["answer"], context=context_of(row))
            if result.refusal.extent == "whole":
                is_wrong = row["quality"] == "incorrect_refusal"
                before = wrong.get(row["source_id"], (False, row))[0]
                wrong[row["source_id"]] = is_wrong or before, row
    yield from wrong.values()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    counts = {is_needless: [0, 0, 0] for is_needless in (False, True)}
    for is_needless, row in cases(Path(sys.argv[1])):
        context, question = context_of(row), Question(row["question"])
        result = check_text(REFUSAL, context=context)
        share = context.evidence.keys_in_one_chunk(question.keywords)
        found = (1, result.status == "WARN", share >= Policy().min_question_keywords)
        counts[is_needless] = [a + b for a, b in zip(counts[is_needless], found, strict=True)]
    for is_needless, (total, warned, by_words) in counts.items():
        name = "needless" if is_needless else "right"
        print(f"{name:8} WARN {warned} of {total}; by words alone {by_words}")


if __name__ == "__main__":
    main()
