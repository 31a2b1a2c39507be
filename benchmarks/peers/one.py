"""Measure one wrapper in the environment at hand; print one JSON line.

python -m peers.one NAME [--sizes 100 1000 10000] [--repeats N]   (in benchmarks/)
"""

import argparse
import asyncio
import json
import logging
import statistics
import sys
from collections.abc import AsyncIterator
from time import process_time_ns
from typing import Any

from peers.adapters import ADAPTERS, Wrapper
from peers.task import tokens


class Source:
    """Yields dressed tokens, gives the loop a turn before each, and counts what was taken."""

    def __init__(self, items: list[str], wrapper: Wrapper) -> None:
        self.lengths = [*map(len, items)]
        self.items = [*map(wrapper.dress, items)]
        self.taken = self.characters = 0

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item, length in zip(self.items, self.lengths, strict=True):
            await asyncio.sleep(0)
            self.taken += 1
            self.characters += length
            yield item


async def cpu_us(wrapper: Wrapper, items: list[str]) -> float:
    """Return CPU microseconds from the first request to the end of the stream."""
    source = Source(items, wrapper)
    began = process_time_ns()
    async for _ in wrapper.wrap(aiter(source)):
        pass
    return (process_time_ns() - began) / 1e3


async def look(wrapper: Wrapper, items: list[str]) -> dict[str, Any]:
    """Return what happens to the text: held, changed, delayed; and the longest turn of the loop."""
    source = Source(items, wrapper)
    stop, longest = False, 0

    async def tick() -> None:
        nonlocal longest
        while not stop:
            began = process_time_ns()
            await asyncio.sleep(0)
            longest = max(longest, process_time_ns() - began)

    ticker = asyncio.create_task(tick())
    began, first_us, held_tokens, held, passed = process_time_ns(), 0.0, 0, 0, []
    emitted = 0
    async for item in wrapper.wrap(aiter(source)):
        if not passed:
            first_us = (process_time_ns() - began) / 1e3
            held_tokens = source.taken - 1
        emitted += len(item)
        passed.append(item)
        held = max(held, source.characters - emitted)
    stop = True
    await ticker
    return {
        "tokens_before_first": held_tokens,
        "first_us": round(first_us, 1),
        "held_characters": held,
        "verbatim": "".join(passed) == "".join(items),
        "same_pieces": passed == items,
        "longest_turn_ms": round(longest / 1e6, 2),
    }


async def measure(name: str, sizes: list[int], repeats: int) -> dict[str, Any]:
    told: list[str] = []
    wrapper, bare = ADAPTERS[name](told), ADAPTERS["bare"](told)
    await cpu_us(wrapper, tokens(min(sizes)))  # imports, caches
    added, whole = {}, {}
    for size in sizes:
        items, pairs = tokens(size), []
        budget = process_time_ns() + 20_000_000_000
        for _ in range(repeats):
            pairs.append((await cpu_us(bare, items), await cpu_us(wrapper, items)))
            if process_time_ns() > budget:
                break
        added[size] = statistics.median(us - least for least, us in pairs) / size
        whole[size] = statistics.median(us for _, us in pairs)
    told.clear()
    seen = await look(wrapper, tokens(sizes[-2] if len(sizes) > 1 else sizes[0]))
    return {
        "name": name,
        "added_us": {str(size): round(us, 3) for size, us in added.items()},
        "growth": round(whole[sizes[-1]] / whole[sizes[-2]], 1) if len(sizes) > 1 else None,
        **seen,
        "told": bool(told),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=[*ADAPTERS])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(json.dumps(asyncio.run(measure(options.name, options.sizes, options.repeats))))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
