"""What holding text back costs: the time to the first token, and the delay of every token.

    python benchmarks/bench_hold.py [--answers 5] [--only PROTOCOL] [--write PAGE]

The proxy runs in a process of its own and nothing is blocked, so that what leaves are the
upstream's bytes, later. Tokens of four characters come at 50 a second, where a sentence of
65 characters takes a third of a second to be written, and in one burst. `off` is the same proxy
without a hold, `sentence` and `answer` are asked for by the header x-streamguard-hold.
"""

import argparse
import asyncio
import os
import platform
import statistics
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from time import perf_counter

import aiohttp
import bench_dialects as dialects

MODES = ("off", "sentence", "answer")
PACES = {"50 a second": 0.02, "one burst": 0.0}
BEGIN, END = "<!-- hold: begin -->", "<!-- hold: end -->"


async def delays(base, protocol, mode, answers, written):
    """Return the times to the first token and the delays of all tokens, in ms."""
    first, tokens = [], []
    sizes = list(accumulate(len(frame) for frame in dialects.answer(protocol)[0]))
    headers = {"x-streamguard": "header", "x-streamguard-hold": mode}
    async with aiohttp.ClientSession() as session:
        for _ in range(answers):
            written.clear()
            address = base + dialects.PROTOCOLS[protocol][0]
            began = perf_counter()
            async with session.post(address, json=dialects.ASKED, headers=headers) as response:
                read, size = [], 0
                async for piece in response.content.iter_any():
                    size += len(piece)
                    now = perf_counter()
                    read += [now] * (bisect_right(sizes, size) - len(read))
            first.append((read[0] - began) * 1_000)
            pairs = zip(written[:-1], read, strict=True)
            tokens += [(got - sent) * 1_000 for sent, got in pairs]
    return first, tokens


def figures(first, tokens):
    """Return p50 of the first tokens, p50 and p99 of all."""
    return (
        statistics.median(first),
        statistics.median(tokens),
        statistics.quantiles(tokens, n=100)[98],
    )


async def measured(protocols, answers):
    """Return a row for each protocol, pace and mode."""
    rows, written = [], []
    async with dialects.upstream(written) as url, dialects.proxy(url) as base:
        for protocol in protocols:
            for pace, pause_s in PACES.items():
                dialects.PAUSE_S = pause_s
                for mode in MODES:
                    runs = await delays(base, protocol, mode, answers, written)
                    rows.append((protocol, pace, mode, *figures(*runs)))
                    print(" | ".join(map(shown, rows[-1])), flush=True)
    return rows


def shown(value):
    """Return a cell of the table."""
    return value if isinstance(value, str) else f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def table(rows):
    """Return the rows as Markdown."""
    head = ["protocol", "tokens", "hold", "first token, ms", "a token, p50", "p99"]
    lines = [head, ["---"] * len(head), *(list(map(shown, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main():
    """Print the table, and put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=5, help="per row")
    parser.add_argument("--only", choices=dialects.PROTOCOLS, help="one protocol")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    args = parser.parse_args()
    protocols = (args.only,) if args.only else tuple(dialects.PROTOCOLS)
    rows = asyncio.run(measured(protocols, args.answers))
    if args.write:
        page = args.write.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        after = rest.partition(END)[2]
        machine = (
            f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        text = f"{BEGIN}\n`python benchmarks/bench_hold.py`, {machine}:\n\n{table(rows)}\n{END}"
        args.write.write_text(before + text + after, encoding="utf-8")


if __name__ == "__main__":
    main()
