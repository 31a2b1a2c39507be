"""The failure modes of streaming middleware: their tests, and a fault that each of them sees.

`scripts/mutate_modes.py` plants the faults, `benchmarks/results/failure_modes.md` shows the table.
"""

from tests.cases.failure_modes import endings, framing, leaving, load, security, shapes, text
from tests.cases.failure_modes.fault import Fault

__all__ = ["FAULTS", "SITUATIONS", "Fault", "table"]

_CHAPTERS = (framing, shapes, endings, leaving, load, text, security)
SITUATIONS = {mode: said for chapter in _CHAPTERS for mode, said in chapter.SITUATIONS.items()}
FAULTS = tuple(fault for chapter in _CHAPTERS for fault in chapter.FAULTS)


def table():
    """Return the page's table: every mode, its tests, the faults they see."""
    lines = ["| mode | situation | test | what was taken out |", "|---|---|---|---|"]
    for fault in FAULTS:
        test = fault.test.removeprefix("tests/").replace("::", "`<br>`")
        lines.append(f"| {fault.mode} | {SITUATIONS[fault.mode]} | `{test}` | {fault.what} |")
    return "\n".join(lines) + "\n"
