"""Streams beside a judge that fails in every way: what they hand on, when, and what is said of it.

    python benchmarks/soak_judge.py [--streams 1000] [--at-a-time 20] [--timeout-s 2]

For each kind of failure so many streams run beside one judge, whose server is a loopback one, and
as many without. Every stream must hand on the same pieces and come to the same verdict, and say in
`errors` that its judge failed, or that its circuit is open. Printed are those that did not, the
time to the last piece, and how often the server was asked. The exit status is 1 where one did not.
"""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))
from streamguard import Context, Judge, Policy, guard
from streamguard.verify.judge import judge_by
from streamguard.verify.specs import readers_of
from tests.kit.failing_judges import FAILING, failing_judge
from tests.test_judge_faults import said

CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])


def pieces_of(number: int) -> list[str]:
    text = f"The Basic plan costs $12 per month. Order {number} is billed monthly. You pay by card."
    return [f"{word} " for word in text.split(" ")]


async def stream(number, verifiers):
    """Return the pieces that came, the final result, and the seconds to the last piece."""
    pieces, began, last = [], perf_counter(), 0.0

    async def source():
        for piece in pieces_of(number):
            await asyncio.sleep(0)
            yield piece

    policy = Policy(max_tail_wait_s=0.0)
    guarded = guard(source(), context=CONTEXT, policy=policy, verifiers=verifiers)
    async with guarded:
        async for piece in guarded.items():
            pieces.append(piece)
            last = perf_counter()
    return pieces, (await guarded.final()).result, last - began


async def course(args, verifiers):
    """Run all streams, so many at a time."""
    places = asyncio.Semaphore(args.at_a_time)

    async def one(number):
        async with places:
            return await stream(number, verifiers)

    return await asyncio.gather(*(one(number) for number in range(args.streams)))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1_000


async def measured(name, args, verifiers, asked):
    plain = await course(args, ())
    judged = await course(args, verifiers)
    wrong = Counter()
    for number, ((pieces, result, _), (_, alone, _)) in enumerate(zip(judged, plain, strict=True)):
        wrong["pieces"] += pieces != pieces_of(number)
        wrong["verdict"] += said(result) != said(alone)
        wrong["silent"] += not result.errors
    circuit = sum("the circuit is open" in error for _, one, _ in judged for error in one.errors)
    times = [took for _, _, took in judged]
    before = [took for _, _, took in plain]
    print(
        f"{name:27} {wrong['pieces']:7} {wrong['verdict']:8} {wrong['silent']:7} {circuit:8}"
        f" {asked():6}  {percentile(times, 0.5):6.2f} {percentile(times, 0.99):6.2f}"
        f"   {percentile(before, 0.5):6.2f} {percentile(before, 0.99):6.2f}",
        flush=True,
    )
    return sum(wrong.values())


async def soak(args):
    print(f"{args.streams} streams of each kind, {args.at_a_time} at a time; ms to the last piece")
    heads = "pieces  verdict  silent  circuit  asked      p50    p99  without p50  p99"
    print(f"{'a judge that':27} {heads}")
    wrong = 0
    for name, (fails, _) in FAILING.items():
        count = Counter()

        async def counted(sent, writer, ended, fails=fails, count=count):
            count["asked"] += 1
            await fails(sent, writer, ended)

        async with failing_judge(counted) as url:
            judge = Judge(url, name, timeout_s=args.timeout_s, concurrency=args.at_a_time)
            wrong += await measured(name, args, readers_of((), judge), lambda c=count: c["asked"])

    async def post(_body):
        raise RuntimeError("no")

    wrong += await measured("raises", args, (judge_by(post, "m"),), lambda: args.streams)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--at-a-time", type=int, default=20)
    parser.add_argument("--timeout-s", type=float, default=2.0)
    return 1 if asyncio.run(soak(parser.parse_args())) else 0


if __name__ == "__main__":
    sys.exit(main())
