"""The table of failure modes: every mode is in it, with tests that are there."""

import ast
from pathlib import Path

from tests.cases.failure_modes import FAULTS, SITUATIONS, table

ROOT = Path(__file__).parent.parent


def names_of(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {
        each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_mode_has_a_test_that_is_there():
    assert list(SITUATIONS) == list(range(1, len(SITUATIONS) + 1))
    assert sorted({fault.mode for fault in FAULTS}) == list(SITUATIONS)
    asked = {fault.test.partition("[")[0] for fault in FAULTS}
    there = {file: names_of(file) for file in {test.partition("::")[0] for test in asked}}
    assert [
        test
        for test in sorted(asked)
        if test.partition("::")[2] not in there[test.partition("::")[0]]
    ] == []


def test_the_page_shows_the_table():
    page = (ROOT / "benchmarks" / "results" / "failure_modes.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- table -->\n")[2].partition("<!-- end -->")[0]
    assert shown == table(), "write it anew: python scripts/mutate_modes.py --table"
