"""The table of failure modes: whole, and true of the tree as it is."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.failure_modes import FAULTS, SITUATIONS, table

ROOT = Path(__file__).parent.parent


def test_every_mode_has_a_test_and_a_fault():
    assert list(SITUATIONS) == list(range(1, len(SITUATIONS) + 1))
    assert sorted({fault.mode for fault in FAULTS}) == list(SITUATIONS)
    assert [fault.mode for fault in FAULTS] == sorted(fault.mode for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.mode}: {fault.what}")
def test_a_fault_can_be_planted_in_one_place_and_its_test_is_there(fault):
    source = (ROOT / fault.file).read_text()
    assert source.count(fault.old) == 1, f"{fault.old!r} is not once in {fault.file}"
    if fault.file.endswith(".py"):
        ast.parse(source.replace(fault.old, fault.new))
    file, _, name = fault.test.partition("::")
    tests = {
        node.name
        for node in ast.walk(ast.parse((ROOT / file).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert name.partition("[")[0] in tests


def test_no_two_faults_are_the_same():
    planted = Counter((fault.file, fault.old, fault.new, fault.test) for fault in FAULTS)
    assert [each for each, count in planted.items() if count > 1] == []


def test_the_page_shows_the_table():
    page = (ROOT / "docs" / "failure_modes.md").read_text()
    shown = page.partition("<!-- table -->\n")[2].partition("<!-- end -->")[0]
    assert shown == table(), "write it anew: python scripts/mutate_modes.py --table"
