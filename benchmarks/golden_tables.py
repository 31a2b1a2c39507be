"""Keep what the guard says of every row of the self-written tables, and show what changed.

    python benchmarks/golden_tables.py --write
    python benchmarks/golden_tables.py --check

`made_up/tables.jsonl` holds conflicts and values that do not follow, and their right twins;
`made_up/tables_verdicts.json` status and checks of each, a line a row. A change is no mistake by
itself: it is there to be read. `--check` ends with 1 where something changed.
"""

import argparse
import json
import sys

from scores import tables

VERDICTS = tables.TABLES.with_name("tables_verdicts.json")

Verdict = list  # of a status, and the checks with a "!" behind those that warn


def verdict(row: dict) -> Verdict:
    result = tables.result_of(row)
    checks = {f"{f.check}{'!' if f.severity == 'warning' else ''}" for f in result.findings}
    return [result.status, sorted(checks)]


def write(verdicts: list[Verdict]) -> None:
    lines = ",\n".join(json.dumps(one) for one in verdicts)
    VERDICTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def check(rows: list[dict], verdicts: list[Verdict]) -> int:
    """Print every row whose verdict is another one now; return their number."""
    kept = json.loads(VERDICTS.read_text(encoding="utf-8"))
    if len(kept) != len(rows):
        sys.exit(f"{VERDICTS.name} has {len(kept)} verdicts of {len(rows)} rows: --write it anew")
    changed = 0
    for number, (row, before, now) in enumerate(zip(rows, kept, verdicts, strict=True), 1):
        if before != now:
            changed += 1
            print(f"{number}: {row['table']}, {row['expected']}: {row['answer']}")
            print(f"    {told(before)} -> {told(now)}")
    print(f"{changed} of {len(rows)} rows changed")
    return changed


def told(one: Verdict) -> str:
    status, checks = one
    return f"{status} ({', '.join(checks) or 'nothing'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    doing = parser.add_mutually_exclusive_group(required=True)
    doing.add_argument("--write", action="store_true")
    doing.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows = tables.rows()
    verdicts = [verdict(row) for row in rows]
    if options.write:
        write(verdicts)
    elif check(rows, verdicts):
        sys.exit(1)


if __name__ == "__main__":
    main()
