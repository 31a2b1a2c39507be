"""What two workers of one proxy carry beside one: by what they use, and by the clock.

    python benchmarks/bench_workers.py [--streams 100] [--events 400] [--repeats 5]

`streamguard proxy` runs with one worker and with two, in turns; upstream and clients share this
process. All streams get their events as fast as they are taken. By the clock two workers need cores
of their own, and so does the load: where the machine has none to spare, that figure says nothing.
What stands for it is what two workers could do if they had them: twice what one does, divided by
how much more CPU time an event takes with two, each of which has as many streams as the one, and by
how uneven the kernel's choice of a worker for each connection made their shares (the busier one's
beside the mean).
"""

import argparse
import asyncio
import statistics
from pathlib import Path
from time import perf_counter

from bench_proxy import Answers, Upstream, frames
from proxy_process import ProxyProcess

FORM = "chunk"


def processes(pid):
    """Return a process and those below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += processes(int(child))
    return found


def used_s(pid):
    """Return the CPU time of one process so far, in seconds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


async def carried(proxy, upstream, streams, count):
    """Let `streams` answers come at once; return seconds, and CPU seconds by process."""
    events, end = frames(count)
    pids = processes(proxy.process.pid)
    answers = await Answers.opened(proxy.base, FORM, upstream, streams)
    before, began = [used_s(pid) for pid in pids], perf_counter()
    await answers.flood(events)
    await answers.end(end)
    took = perf_counter() - began
    return took, [used_s(pid) - was for pid, was in zip(pids, before, strict=True)]


async def main(streams, count, repeats):
    upstream = await Upstream().start()
    rows = []
    async with (
        ProxyProcess(upstream.url) as one,
        ProxyProcess(upstream.url, "--workers", "2") as two,
    ):
        for repeat in range(repeats + 1):  # the first warms up
            alone, cpu_alone = await carried(one, upstream, streams // 2, count)
            both, cpu_both = await carried(two, upstream, streams, count)
            if repeat:
                busy = sorted(cpu_both)[-2:]
                cost = sum(cpu_both) / sum(cpu_alone) / 2
                uneven = max(busy) / (sum(busy) / 2)
                rows.append((cost, uneven, 2 / cost / uneven, 2 * alone / both))
    cost, uneven, could, clock = map(statistics.median, zip(*rows, strict=True))
    print(f"{streams} streams of {count} events at once, everything checked, {repeats} repeats:")
    print(f"CPU time per event with two workers, of one's: {cost:.2f}")
    print(f"the busier worker's share, of the mean: {uneven:.2f}")
    print(f"with cores of their own two could do {could:.2f} times as much (asked: at least 1.8)")
    print(f"by the clock, here: {clock:.2f} times as much")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--events", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    asyncio.run(main(given.streams, given.events, given.repeats))
