"""What the checks find in labelled answers: precision, recall, F1 and false alarms per answer.

    python benchmarks/bench_grounding.py DATA [--answers N]

DATA is JSON lines (.gz allowed) with `question`, `chunks`, `answer` and `hallucinated`. An answer
counts as found when the flag, check or status was raised at all. Progress on standard error.
"""

import argparse
import gzip
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from streamguard.core.context import Context
from streamguard.core.result import GuardrailsResult
from streamguard.core.validate import check_text

Raised = Callable[[GuardrailsResult], bool]


def by_flag(flag: str) -> Raised:
    return lambda result: flag in result.flags


def by_check(check: str) -> Raised:
    return lambda result: any(finding.check == check for finding in result.findings)


ROWS: dict[str, Raised] = {
    "potential_hallucination": by_flag("potential_hallucination"),
    "  by a price": by_check("unsupported_price"),
    "  by a name": by_check("unsupported_name"),
    "  by another value": by_check("unsupported_value"),
    "unsupported_claim": by_flag("unsupported_claim"),
    "contradicted_claim": by_flag("contradicted_claim"),
    "status REFUSE": lambda result: result.status == "REFUSE",
    "status WARN or REFUSE": lambda result: result.status in ("WARN", "REFUSE"),
    "score verdict FAIL": lambda result: result.scores.verdict == "FAIL",
}


def read(path: Path, count: int | None) -> list[dict]:
    if not path.is_file():
        sys.exit(f"{path} is missing: give JSON lines with question, chunks, answer, hallucinated")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--answers", type=int, help="only the first N")
    options = parser.parse_args()
    rows = read(options.data, options.answers)
    results, began, sentences = [], process_time(), 0
    for number, row in enumerate(rows, 1):
        context = Context(query=row["question"], chunks=row["chunks"])
        results.append(check_text(row["answer"], context=context))
        sentences += results[-1].work.sentences
        if number % 100 == 0 or number == len(rows):
            print(f"\r{number} of {len(rows)} answers", end="", file=sys.stderr, flush=True)
    spent = process_time() - began
    print(file=sys.stderr)
    bad = [row["hallucinated"] for row in rows]
    print(f"{len(rows)} answers, {sum(bad)} hallucinated, Python {platform.python_version()}")
    print(f"{'':26}{'precision':>10}{'recall':>8}{'F1':>8}{'false alarms':>14}")
    for name, raised in ROWS.items():
        found = [raised(result) for result in results]
        hits = sum(f and b for f, b in zip(found, bad, strict=True))
        precision, recall = hits / max(1, sum(found)), hits / max(1, sum(bad))
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        alarms = (sum(found) - hits) / max(1, len(rows) - sum(bad))
        print(f"{name:26}{precision:>10.3f}{recall:>8.3f}{f1:>8.3f}{alarms:>14.3f}")
    print(f"{1e3 * spent / max(1, sentences):.3f} ms CPU per sentence, index included")


if __name__ == "__main__":
    main()
