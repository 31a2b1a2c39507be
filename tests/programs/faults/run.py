"""Sends injected faults through the proxy in a row and counts what came of them.

    python -m tests.programs.faults.run [--count 10000] [--seed 0] [--at-once 8] [--only KIND]

Every kind comes equally often, in turns, over real sockets, in every form of the annotation; a
fault is made from its kind and seed alone, so `--only KIND --seed SEED --count 1` repeats one. The
exit status is 1 where anything is counted that must not be.
"""

import argparse
import asyncio
import signal
import sys
from collections import Counter
from time import monotonic

from tests.programs.faults.course import course
from tests.programs.faults.kinds import KINDS

# What must not be, in the words of the last line; `course` and `judge` name the categories.
FAILURES = {
    "crash": "crashes (errors logged, tracebacks)",
    "hang": "hangs over 30 s",
    "changed": "changed bytes",
    "dishonest": "unfinished streams with a clean end or verdict",
    "open": "upstream connections left open",
    "unlike": "other surprises",
}
SHOWN = 20  # crashes shown in full


async def run(cases, at_once, told):
    """Send `cases`, pairs of kind and seed, until all are sent or somebody interrupts.

    Returns the cases that were sent, and failures as (kind, seed, category, words).
    """
    sent, failures, waiting, stopped = [], [], iter(cases), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)

    async def worker(way):
        for kind, seed in waiting:
            if stopped.is_set():
                return
            for category, words in await way.run(kind, seed):
                failures.append((kind, seed, category, words))
                show(failures[-1])
            sent.append((kind, seed))
            told(len(sent), len(failures) + len(way.crashes))

    async with course() as way:
        await asyncio.gather(*(worker(way) for _ in range(at_once)))
        failures += [("-", 0, "crash", words) for words in way.crashes]
    return sent, failures


def show(failure):
    kind, seed, category, words = failure
    print(f"{category}: --only {kind} --seed {seed} --count 1: {words[:2_000]}", flush=True)


def cases_of(kinds, count, seed):
    return [(kinds[n % len(kinds)], seed + n // len(kinds)) for n in range(count)]


def report(cases, failures, seconds):
    """Print how many faults of each kind were sent, and what was wrong."""
    sent, wrong = Counter(kind for kind, _ in cases), Counter(kind for kind, *_ in failures)
    for kind, number in sent.items():
        print(f"{kind:36}{number:6,}{f'  {wrong[kind]} wrong' if wrong[kind] else ''}")
    for failure in [each for each in failures if each[2] == "crash"][:SHOWN]:
        show(failure)
    counted = Counter(category for _, _, category, _ in failures)
    print(
        f"{len(cases):,} faults of {len(sent)} kinds, at least {min(sent.values()):,} of each,"
        f" in {seconds:.0f} s: "
        + ", ".join(f"{counted[name]} {words}" for name, words in FAILURES.items())
    )


class Progress:
    """Tells a terminal, or now and then a log, how far the run is."""

    def __init__(self, total, what):
        self._total = total
        self._what = what
        self._next = monotonic() + 1.0

    def __call__(self, done, wrong):
        """Say how many are done, not more than once in some seconds."""
        if monotonic() < self._next:
            return
        terminal = sys.stderr.isatty()
        self._next = monotonic() + (1.0 if terminal else 15.0)
        said = f"{done:,} of {self._total:,} {self._what}, {wrong} wrong"
        print(said, end="\r" if terminal else "\n", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--only", choices=KINDS)
    args = parser.parse_args()
    cases = cases_of([args.only] if args.only else list(KINDS), args.count, args.seed)
    began = monotonic()
    sent, failures = asyncio.run(run(cases, args.at_once, Progress(len(cases), "faults")))
    report(sent, failures, monotonic() - began)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
