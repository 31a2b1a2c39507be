"""Run streams whose verifier misbehaves, and see that each ends as without it and nothing is left.

    python benchmarks/soak_verifiers.py [--streams 1000] [--at-once 50]

For each way to misbehave: so many streams, some at once, after half as many as warm-up. Every
sentence, finding and score must be those of the answer without a verifier, but for the error that
names it. Threads and tasks are those beyond the verifier's own bounds; memory is the process's
behind the warm-up and at the end. The exit status is 1 where a stream differs or something grew.
"""

import argparse
import asyncio
import gc
import logging
import os
import sys
import threading
import time
from pathlib import Path

from streamguard import Context, Policy, Verdict, Verifier, check_text, guard
from streamguard.verify.verifier_queue import MAX_TASKS

CONTEXT = Context(chunks=["The Basic plan costs $10 per month and includes 5 GB."])
ANSWER = "The Basic plan costs $12 per month. It includes 5 GB of data. Joan Miller set the price."
PIECES = [ANSWER[at : at + 9] for at in range(0, len(ANSWER), 9)]
POLICY = Policy(max_tail_wait_s=60)
TIMEOUT_S = 0.02
THREADS = 2
GROWTH_KB = 3_000  # of memory at most; an allocator's fragments


def blocks(sentences, scope):
    time.sleep(3600)


def slow(sentences, scope):
    time.sleep(60)
    return [Verdict(0.0) for _ in sentences]


def raises(sentences, scope):
    raise RuntimeError("no")


def nonsense(sentences, scope):
    return ["yes"] * 7


async def hangs(sentences, scope):
    await asyncio.Event().wait()


async def slow_task(sentences, scope):
    await asyncio.sleep(60)
    return [Verdict(0.0) for _ in sentences]


async def stubborn(sentences, scope):
    ends = asyncio.get_running_loop().time() + 60
    while (left := ends - asyncio.get_running_loop().time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            continue


async def source():
    for piece in PIECES:
        await asyncio.sleep(0)
        yield piece


def said(result):
    """Return what of a result no verifier that fails may change."""
    findings = [f for f in result.findings if f.flag != "check_error"]
    return result.sentences, findings, result.scores


async def one(verifier, expected, leaves):
    """Run one stream; return whether it ended as it must."""
    async with guard(source(), context=CONTEXT, policy=POLICY, verifiers=[verifier]) as stream:
        async for item in stream:
            if leaves and item == PIECES[-1]:
                break
    result = stream.result
    if leaves:
        return not any(sentence.opinions for sentence in result.sentences)
    return said(result) == expected and len(result.errors) > 0


async def soak(name, ask, streams, at_once):
    """Return whether all streams ended as they must, and nothing grew."""
    leaves = name == "left early"
    verifier = Verifier(ask, timeout_s=60 if leaves else TIMEOUT_S, threads=THREADS)
    expected = said(check_text(ANSWER, context=CONTEXT))
    threads, tasks = threading.active_count(), len(asyncio.all_tasks())
    wrong, began = 0, time.monotonic()

    async def run(count):
        nonlocal wrong
        for at in range(0, count, at_once):
            share = min(at_once, count - at)
            ended = await asyncio.gather(*(one(verifier, expected, leaves) for _ in range(share)))
            wrong += ended.count(False)

    await run(streams // 2)
    before = memory_kb()
    await run(streams)
    grown = memory_kb() - before
    more = threading.active_count() - threads, len(asyncio.all_tasks()) - tasks
    took = time.monotonic() - began
    well = not wrong and more[0] <= THREADS and more[1] <= MAX_TASKS and grown <= GROWTH_KB
    print(
        f"{name:22}{streams:>8}{wrong:>8}{more[0]:>9}{more[1]:>7}{grown:>+11}{took:>8.1f}"
        f"{'' if well else '  NOT WELL'}",
        flush=True,
    )
    return well


def memory_kb() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


async def run(streams, at_once):
    heads = ("streams", "wrong", "threads", "tasks", "memory kB", "s")
    widths = (8, 8, 9, 7, 11, 8)
    print(f"{'':22}" + "".join(f"{h:>{w}}" for h, w in zip(heads, widths, strict=True)))
    ways = {
        "raises": raises,
        "nonsense": nonsense,
        "blocks its threads": blocks,
        "slow by a minute": slow,
        "hangs as a task": hangs,
        "slow task": slow_task,
        "heeds no cancellation": stubborn,
        "left early": hangs,
    }
    return all([await soak(name, ask, streams, at_once) for name, ask in ways.items()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=50)
    args = parser.parse_args()
    logging.disable()
    sys.stdout.flush()
    well = asyncio.run(run(args.streams, args.at_once))
    sys.stdout.flush()
    os._exit(0 if well else 1)  # what heeds no cancellation would be waited for


if __name__ == "__main__":
    main()
