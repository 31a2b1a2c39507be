"""An audit by several processes, ended from outside at any moment."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROWS = 400
PASSAGE = "Basic costs $49 per month. Refunds take 14 days. Support answers within 2 hours."


def begin(folder, *more, session=False):
    argv = ["audit", "log.jsonl", "--out", "out", "--workers", "2", "--part-rows", "20", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "streamguard", *argv],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=session,
    )  # fmt: skip


def finish(process):
    """Return the exit status, and what was said on standard error."""
    _, told = process.communicate(timeout=120)
    return process.returncode, told


def write_log(folder):
    rows = [
        {"id": at, "question": f"What is {at}?", "chunks": [PASSAGE, f"Item {at} costs ${at}."],
         "answer": f"Item {at} costs ${at + at % 2}. Refunds take 14 days. " * 4}
        for at in range(ROWS)
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows) + "{\n"
    (folder / "log.jsonl").write_text(text)
    return folder


@pytest.fixture
def log(tmp_path):
    return write_log(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Give the folder of an audit that nobody ended."""
    folder = write_log(tmp_path_factory.mktemp("whole"))
    assert finish(begin(folder))[0] == 3
    return folder


def verdicts(folder):
    files = sorted(Path(folder, "out/verdicts").glob("*.jsonl"))
    return "".join(path.read_text() for path in files)


def kept(folder):
    path = Path(folder, "out/manifest.jsonl")
    return path.read_bytes().count(b"\n") - 1 if path.exists() else -1


def processes_of(parent):
    """Return the processes that the parent began, as /proc has them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wait_for(condition):
    while not condition():
        time.sleep(0.002)  # a busy wait would take a core from what is waited for


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_audit_ended_from_outside_loses_and_doubles_nothing(log, whole, how):
    running = begin(log)
    wait_for(lambda: kept(log) >= 3)
    children = processes_of(running.pid)
    running.send_signal(how)
    assert finish(running)[0] in (-how, 130)
    assert children
    wait_for(lambda: not any(Path("/proc", str(child), "exe").exists() for child in children))
    done = kept(log)
    assert 3 <= done < 21
    status, told = finish(begin(log))
    assert status == 3, told
    assert kept(log) == 21
    assert verdicts(log) == verdicts(whole)
    counts = json.loads((log / "out/summary.json").read_text())["counts"]
    assert (counts["answers"], counts["errors"]) == (ROWS, 1)


def test_a_terminals_interrupt_while_processes_begin_is_told_by_the_status_alone(log):
    running = begin(log, session=True)
    wait_for(lambda: any(b"spawn_main" in _command(pid) for pid in processes_of(running.pid)))
    os.killpg(running.pid, signal.SIGINT)
    status, told = finish(running)
    assert status == 130
    assert "Traceback" not in told
    assert finish(begin(log))[0] == 3


def test_a_second_interrupt_leaves_what_is_under_way(log):
    """A part of long answers takes minutes."""
    rows = (log / "log.jsonl").read_text() * 20
    (log / "log.jsonl").write_text(rows)
    running = begin(log, "--part-rows", "100000")
    wait_for(lambda: any(b"spawn_main" in _command(pid) for pid in processes_of(running.pid)))
    running.send_signal(signal.SIGINT)
    assert "interrupted: parts that are under way are still done" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    status, told = finish(running)
    assert status == 130
    assert "Traceback" not in told
    assert kept(log) == 0


def test_a_process_that_is_killed_ends_the_audit_in_words(log):
    running = begin(log)
    wait_for(lambda: kept(log) >= 2)
    children = [pid for pid in processes_of(running.pid) if b"spawn_main" in _command(pid)]
    os.kill(children[0], signal.SIGKILL)
    status, told = finish(running)
    assert status == 1
    assert "goes on where it stopped" in told
    assert finish(begin(log))[0] == 3


def _command(pid):
    return Path("/proc", str(pid), "cmdline").read_bytes()
