"""The self-written tables of conflicts, derivations and their twins."""

import json
from collections import defaultdict
from pathlib import Path

from scores.answers import alarms, context_of, says_something
from scores.numbers import of
from streamguard import GuardrailsResult
from streamguard.core.validate import check_text

TABLES = Path(__file__).parent.parent / "made_up" / "tables.jsonl"
WRONG = frozenset({"conflict", "not_derived"})


def rows() -> list[dict]:
    return [json.loads(line) for line in TABLES.read_text(encoding="utf-8").splitlines()]


def result_of(row: dict) -> GuardrailsResult:
    return check_text(row["answer"], context=context_of(row))


def measure() -> list[tuple[str, str]]:
    """Return conflicts found and false alarms of each table, and of all."""
    found, alarmed = defaultdict(list), defaultdict(list)
    for row in rows():
        result = result_of(row)
        for name in (row["table"], "all"):
            if row["expected"] in WRONG:
                found[name].append(says_something(result))
            else:
                alarmed[name].append(alarms(result))
    rows_told = []
    for name in ["all", *sorted(found.keys() - {"all"})]:
        hits = of(sum(found[name]), len(found[name]))
        misled = of(sum(alarmed[name]), len(alarmed[name]))
        rows_told.append((f"{name}: found, false alarms", f"{hits}, {misled}"))
    return rows_told
