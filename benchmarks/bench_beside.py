"""What verifiers beside a stream cost it: items' delay, turns of the loop, wait for the annotation.

    python benchmarks/bench_beside.py [--runs 6] [--streams 100]

An answer of 40 sentences comes at 50 tokens a second; the verifier takes 15 ms a sentence, in two
threads. In the same run: the same streams without one, and many at once. A turn is one step of the
event loop, by the CPU time of its thread; what Python's garbage collector took in it stands apart,
since it visits whatever the program holds. What was imported and warmed up is frozen, as servers
do at their start.
"""

import argparse
import asyncio
import gc
import math
import platform
from asyncio.events import Handle
from itertools import pairwise
from statistics import quantiles
from time import perf_counter, sleep, thread_time

from streamguard import Context, Policy, Verdict, Verifier, guard

SENTENCES = 40
RATE = 50.0
READ_S = 0.015
EDGES_MS = (0.5, 1.0, 1.5, 2.0)  # of the histogram of turns
SUBJECTS = ("archive", "harbour", "library", "museum", "station")
PASSAGE = " ".join(
    f"The {name} opens at {at} and closes at {at + 8}." for at, name in enumerate(SUBJECTS, 7)
)


def answer() -> list[str]:
    tokens = []
    for number in range(SENTENCES):
        subject = SUBJECTS[number % len(SUBJECTS)]
        text = (
            f"As of room {number} the {subject} opens at {7 + number % 5} in the morning for all. "
        )
        tokens += [word + " " for word in text.split()]
    return tokens


def reads(sentences, scope):
    sleep(READ_S * len(sentences))
    return [Verdict(0.9) for _ in sentences]


async def one(tokens, verifiers, late, waits, states) -> None:
    async def source():
        began = perf_counter()
        for number, token in enumerate(tokens):
            due = began + number / RATE
            await asyncio.sleep(max(0.0, due - perf_counter()))
            sent[0] = perf_counter()
            yield token

    sent = [0.0]
    policy = Policy(max_tail_wait_s=30)
    async with guard(
        source(), context=Context(chunks=[PASSAGE]), policy=policy, verifiers=verifiers
    ) as stream:
        async for item in stream:
            now = perf_counter()
            if isinstance(item, str):
                late.append(now - sent[0])
            else:
                waits.append(now - sent[0])
                states.append((item.state, item.verifiers[0].answered if item.verifiers else 0))


async def several(count, runs, with_verifier):
    tokens = answer()
    late, waits, states = [], [], []
    for _ in range(runs):
        verifier = [Verifier(reads, cache=0, threads=2)] if with_verifier else []
        await asyncio.gather(*(one(tokens, verifier, late, waits, states) for _ in range(count)))
    return late, waits, states


class Turns:
    """The turns of an event loop while it is entered: CPU seconds without the collector's."""

    def __init__(self) -> None:
        self.seconds = []
        self.collecting = 0.0  # of the longest pause of the collector
        self._collected = 0.0
        self._began = 0.0
        self._plain = Handle._run

    def __enter__(self):
        turns = self

        def timed(handle):
            before, began = turns._collected, thread_time()
            turns._plain(handle)
            turns.seconds.append(thread_time() - began - (turns._collected - before))

        gc.callbacks.append(self._collector)
        Handle._run = timed
        return self

    def __exit__(self, *_):
        Handle._run = self._plain
        gc.callbacks.remove(self._collector)

    def _collector(self, phase, _info):
        if phase == "start":
            self._began = thread_time()
        else:
            took = thread_time() - self._began
            self._collected += took
            self.collecting = max(self.collecting, took)


def measured(name, count, runs, with_verifier) -> None:
    gc.collect()
    with Turns() as turns:
        late, waits, states = asyncio.run(several(count, runs, with_verifier))
    read = sum(answered for _, answered in states)
    print(
        f"{name:34}{_ms(late, 50):>10}{_ms(late, 99):>8}{_ms(waits, 50):>10}{_ms(waits, 95):>10}"
        f"{read:>8}"
    )
    edges = [0.0, *EDGES_MS, math.inf]
    shares = "".join(
        f"{sum(low < turn * 1e3 <= high for turn in turns.seconds):>10}"
        for low, high in pairwise(edges)
    )
    print(f"{'  turns':34}{shares}{max(turns.seconds) * 1e3:>10.2f}{turns.collecting * 1e3:>11.2f}")


def _ms(values, percent) -> str:
    if len(values) < 2:
        return f"{values[0] * 1e3:.2f}"
    place = min(998, max(0, round(percent * 10) - 1))
    return f"{quantiles(values, n=1000, method='inclusive')[place] * 1e3:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--streams", type=int, default=100)
    args = parser.parse_args()
    print(f"Python {platform.python_version()}; milliseconds")
    heads = ("item p50", "p99", "wait p50", "p95", "read")
    print(f"{'':34}" + "".join(f"{h:>{w}}" for h, w in zip(heads, (10, 8, 10, 10, 8), strict=True)))
    ranges = [f"to {edge:g}" for edge in EDGES_MS] + ["above", "longest", "collector"]
    print(f"{'  turns':34}" + "".join(f"{one:>{10 + (one == 'collector')}}" for one in ranges))
    asyncio.run(several(1, 1, True))  # what is imported and compiled on first use
    gc.collect()
    gc.freeze()
    for name, count, runs in (
        ("one at a time", 1, args.runs),
        (f"{args.streams} at once", args.streams, 1),
    ):
        for with_verifier in (False, True):
            kind = "with a verifier" if with_verifier else "without"
            measured(f"{name}, {kind}", count, runs, with_verifier)


if __name__ == "__main__":
    main()
