"""What an audit costs beside the checks, whether its memory stays flat, and what Ray adds.

python benchmarks/bench_audit.py overhead ragtruth_dev.jsonl.gz
    the checks alone in a loop, and an audit of the same rows in one process, in turns
python benchmarks/bench_audit.py long ragtruth_dev.jsonl.gz --rows 200000
    as many rows, ended by SIGKILL on the way and gone on with; memory of all its processes
python benchmarks/bench_audit.py engines ragtruth_dev.jsonl.gz --rows 6000
    one and two processes, one and two cores of Ray, in turns; their rows bit for bit

Rows are shuffled: neighbours that share their passages would be cheaper, since an audit builds
their index once. "neighbours" in `overhead` says by how much.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from streamguard.audit.part_check import Job
from streamguard.audit.run import Plan, audit
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.validate import check_text

KEPT = ("id", "question", "chunks", "answer", "model")
PAGE = os.sysconf("SC_PAGE_SIZE")


def read(name):
    with gzip.open(name, "rt", encoding="utf-8") as lines:
        return [{key: row[key] for key in KEPT} for row in map(json.loads, lines)]


def write(rows, path, count, *, shuffled=True):
    """Write `count` rows, each with an id of its own: `rows` again and again, in any order."""
    rng = random.Random(0)
    with path.open("w", encoding="utf-8") as out:
        written = 0
        while written < count:
            order = rng.sample(rows, len(rows)) if shuffled else rows
            for row in order[: count - written]:
                out.write(json.dumps({**row, "id": f"{row['id']}-{written}"}) + "\n")
                written += 1


def bare(path):
    began = time.process_time()
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            check_text(row["answer"], context=Context(row["question"], row["chunks"]))
    return time.process_time() - began


def audited(path, folder, part_rows=500):
    shutil.rmtree(folder, ignore_errors=True)
    began = time.process_time()
    audit(Plan([str(path)], Job(str(folder), Policy()), workers=1, part_rows=part_rows))
    return time.process_time() - began


def overhead(rows, count, repeats, folder):
    log, near = folder / "log.jsonl", folder / "near.jsonl"
    write(rows, log, count)
    write(rows, near, count, shuffled=False)
    bare(log)  # patterns are compiled, pages are in memory
    seen = [(bare(log), audited(log, folder / "out"), bare(near), audited(near, folder / "out"))
            for _ in range(repeats)]  # fmt: skip
    for name, first, second in (("shuffled", 0, 1), ("neighbours", 2, 3)):
        alone = statistics.median(each[first] for each in seen)
        whole = statistics.median(each[second] for each in seen)
        ratios = sorted(each[second] / each[first] for each in seen)
        print(
            f"{name}: checks alone {1e3 * alone / count:.2f} ms, audited {1e3 * whole / count:.2f}"
            f" ms an answer ({count / whole:.0f} answers a second of one core); audited / alone"
            f" {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
        )


def command(log, out, workers, *more):
    argv = ["audit", log, "--out", out, "--workers", workers, *more]
    return [sys.executable, "-m", "streamguard", *map(str, argv)]


def tree(pid):
    """Return the process and its children, as /proc has them."""
    found = {pid}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            found.add(int(path.parent.name))
    return found


def resident(pids):
    """Return the memory in MiB that is in use by the largest process, and by all."""
    sizes = [0]
    for pid in pids:
        try:
            sizes.append(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 2**20)
        except OSError:
            continue
    return max(sizes), sum(sizes)


def watched(argv, out, kill_at):
    """Run until the end, or until so many parts are done; return memory by parts that are done."""
    running = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    manifest, seen = out / "manifest.jsonl", []
    while running.poll() is None:
        time.sleep(1.0)
        done = manifest.read_bytes().count(b"\n") - 1 if manifest.exists() else 0
        seen.append((done, *resident(tree(running.pid))))
        if kill_at is not None and done >= kill_at:
            running.send_signal(signal.SIGKILL)
            running.wait()
            break
    return running.returncode, seen


def long(rows, count, workers, folder):
    log, out = folder / "log.jsonl", folder / "out"
    write(rows, log, count)
    parts = -(-count // 500)
    began = time.monotonic()
    first = watched(command(log, out, workers), out, parts * 2 // 5)
    second = watched(command(log, out, workers), out, None)
    took = time.monotonic() - began
    print(
        f"{count:,} rows, {log.stat().st_size / 2**20:.0f} MiB; exit {first[0]}, then {second[0]}"
    )
    for name, (_, seen) in (("until it was killed", first), ("gone on with", second)):
        steady = [each for each in seen if each[1] > 0][3:]
        thirds = [steady[at * len(steady) // 3 : (at + 1) * len(steady) // 3] for at in range(3)]
        for index, what in ((1, "largest process"), (2, "all processes")):
            told = ", ".join(f"{max(each[index] for each in part):.0f}" for part in thirds)
            print(f"  {name}: most MiB of the {what}, by thirds of the time: {told}")
    lines, verdicts = [], {}
    for path in sorted((out / "verdicts").glob("*.jsonl")):
        for row in map(json.loads, path.read_bytes().splitlines()):
            lines.append(row["line"])
            told = json.dumps([row["status"], row["verdict"], row["findings"], row["groundedness"]])
            verdicts.setdefault(row["id"].partition("-")[0], set()).add(told)
    lost, doubled = count - len(set(lines)), len(lines) - len(set(lines))
    differing = sum(len(told) != 1 for told in verdicts.values())
    cpu = json.loads((out / "summary.json").read_text())["counts"]["cpu_s"]
    print(
        f"  {lost} rows lost, {doubled} doubled, {differing} of {len(verdicts):,} answers with"
        f" another verdict in another copy; in order: {lines == sorted(lines)}"
    )
    print(f"  {took:.0f} s, {count / took:.0f} answers a second by {workers} processes;"
          f" {1e3 * cpu / count:.2f} ms of CPU an answer")  # fmt: skip


TIMED = """
import sys, time
from streamguard.audit.part_check import Job
from streamguard.audit import run
from streamguard.core.model.policy import Policy
log, out, engine, workers = sys.argv[1:]
seen = []
plan = run.Plan([log], Job(out, Policy()), engine, int(workers), 100)
run.audit(plan, lambda share, counts: seen.append((time.monotonic(), counts["answers"])))
(began, first), (ended, last) = seen[2], seen[-1]  # not how long processes and Ray take to begin
print((last - first) / (ended - began))
"""


def engines(rows, count, repeats, folder):
    log = folder / "log.jsonl"
    write(rows, log, count)
    rates, written = {}, {}
    for _ in range(repeats):
        for engine in ("local", "ray"):
            for workers in (1, 2):
                out = folder / f"{engine}{workers}"
                shutil.rmtree(out, ignore_errors=True)
                argv = [sys.executable, "-c", TIMED, log, out, engine, workers]
                done = subprocess.run(map(str, argv), capture_output=True, text=True, check=True)
                rates.setdefault((engine, workers), []).append(float(done.stdout.split()[-1]))
                files = sorted((out / "verdicts").iterdir())
                written[engine, workers] = [path.read_bytes() for path in files]
    for engine in ("local", "ray"):
        one, two = rates[engine, 1], rates[engine, 2]
        ratios = sorted(b / a for a, b in zip(one, two, strict=True))
        print(
            f"{engine}: {statistics.median(one):.0f} and {statistics.median(two):.0f} answers a"
            f" second by one and two; two / one {statistics.median(ratios):.2f}"
            f" ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
    same = all(files == written["local", 1] for files in written.values())
    print(f"all four wrote the same bytes: {same}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("overhead", "long", "engines"))
    parser.add_argument("data", help="labelled answers as JSON lines, packed")
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    rows = read(args.data)
    with tempfile.TemporaryDirectory(prefix="audit") as named:
        if args.what == "long":
            long(rows, args.rows, args.workers, Path(named))
        else:
            measure = overhead if args.what == "overhead" else engines
            measure(rows, args.rows, args.repeats, Path(named))


if __name__ == "__main__":
    main()
