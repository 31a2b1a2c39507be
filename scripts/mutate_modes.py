"""Plant a fault for every failure mode, and see its test fail.

    python scripts/mutate_modes.py [--mode N ...]
    python scripts/mutate_modes.py --table

Works in a copy of the tree. The tests must pass as the tree is; then one fault at a time is
planted, its test run, and the fault taken out again. `--table` writes the faults into the page
instead. Exit status 1 where a test fails without a fault, where one passes with it, where two
faults are the same, or where the text a fault replaces is not to be found once.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "benchmarks" / "results" / "failure_modes.md"
sys.path.insert(0, str(ROOT))

from tests.cases.failure_modes import FAULTS, Fault, table  # noqa: E402  (by the line above)

TIMEOUT_S = 180.0  # a test that a fault leaves hanging has its own limits, of 30 s at most
LEFT_OUT = (".git", ".venv*", ".clients", "__pycache__", ".*_cache", ".hypothesis", "*.png")
REASON_CHARS = 110
PASSED, FAILED = 0, 1  # pytest's exit statuses; all others mean that no test was run to its end


def main(argv: Sequence[str] | None = None) -> int:
    """Plant the faults asked for; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mode", type=int, action="append", help="only faults of this mode")
    parser.add_argument("--table", action="store_true", help=f"write the table of {PAGE.name}")
    args = parser.parse_args(argv)
    if args.table:
        _write_table()
        return 0
    chosen = args.mode
    faults = [fault for fault in FAULTS if chosen is None or fault.mode in chosen]
    if len({(fault.file, fault.old, fault.new, fault.test) for fault in FAULTS}) < len(FAULTS):
        print("two faults are the same")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        tests = sorted({fault.test for fault in faults})
        print(f"{len(tests)} tests without a fault: ", end="", flush=True)
        status, output = _run(tree, tests)
        print("passed" if status == PASSED else f"exit status {status}\n{output[-2_000:]}")
        if status != PASSED:
            return 1
        survived = sum(not _seen(tree, fault) for fault in faults)
    print(f"{len(faults) - survived} of {len(faults)} faults seen")
    return 1 if survived else 0


def _write_table() -> None:
    page = PAGE.read_text()
    before, mark, rest = page.partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end -->")
    PAGE.write_text(f"{before}{mark}{table()}{end}{after}")


def _seen(tree: Path, fault: Fault) -> bool:
    """Plant one fault, run its test, take it out; return whether the test failed."""
    print(f"{fault.mode:3}  {fault.test.removeprefix('tests/')}\n     {fault.what}: ", end="")
    sys.stdout.flush()
    file = tree / fault.file
    before = file.read_text()
    if before.count(fault.old) != 1:
        print(f"NOT PLANTED, its text is {before.count(fault.old)} times in {fault.file}")
        return False
    file.write_text(before.replace(fault.old, fault.new))
    try:
        status, output = _run(tree, [fault.test])
    finally:
        file.write_text(before)
    if status == FAILED:
        print(f"seen\n     {_reason(output)}")
        return True
    print(
        "SURVIVED" if status == PASSED else f"NO VERDICT, exit status {status}\n{output[-2_000:]}"
    )
    return False


def _reason(output: str) -> str:
    """Return why a test failed: the first line of its error."""
    reasons = [line[1:].strip() for line in output.splitlines() if line.startswith("E  ")]
    return reasons[0][:REASON_CHARS] if reasons else "no end in time"


def _run(tree: Path, tests: Sequence[str]) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
    environment = {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603  (our own interpreter and tests)
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return FAILED, f"no end within {TIMEOUT_S} s"
    return done.returncode, done.stdout[-20_000:] + done.stderr[-500:]


if __name__ == "__main__":
    sys.exit(main())
