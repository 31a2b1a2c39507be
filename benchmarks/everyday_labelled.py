"""Everyday answers as `streamguard eval` and `streamguard calibrate` take them.

    python benchmarks/everyday_labelled.py SET [SET ...] > labelled.jsonl

SET is a file of benchmarks/everyday. An error's words become a label; answers of one context are
resampled together, and folds are kept.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path


def labelled(path: Path) -> Iterator[dict]:
    """Yield the answers of a set as labelled ones."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            span = row["error_span"]
            # Words that are missing are marked by the one behind them.
            labels = [{"start": span[0], "end": max(span[0] + 1, span[1])}] if span else []
            fields = {name: row[name] for name in ("question", "chunks", "answer", "fold")}
            yield {**fields, "source_id": row["context"], "labels": labels}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        for row in labelled(Path(name)):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
