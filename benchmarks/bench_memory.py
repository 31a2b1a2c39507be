"""What contexts, their indexes and the reports of long answers hold.

    python benchmarks/bench_memory.py [--mb 2] [--sentences 50000]

Every line is measured in a process of its own, by tracemalloc, with texts written for this file.
`words` is what the process remembers of words and dates, of all contexts together, and gives back
when they are forgotten; the index is what is left. `estimate` is what a server counts of it.
The last line is of ten requests to `streamguard proxy`, by the kernel's figures.
"""

import argparse
import asyncio
import gc
import json
import random
import subprocess
import sys
import time
import tracemalloc
from itertools import accumulate

from proxy_process import DONE, END, HEAD, ProxyProcess, ask, chunk, event, serving

from streamguard.core.context import Context
from streamguard.core.index.blocks import REMEMBERED
from streamguard.core.machine.guard import StreamGuard
from streamguard.text.words import Memo
from streamguard.values.dates import containing

CHUNK_CHARS = 4_000
MANY = 10  # requests to the proxy at once
EVERY_S, TALKS = 0.05, 400  # between two frames of its upstream, and how many there are
PIECE = 50  # sentences that are fed at once
_rng = random.Random(1)
_SYLLABLES = [a + b for a in "bcdfgklmnprstv" for b in "aeiou"]
VOCABULARY = ["".join(_rng.choices(_SYLLABLES, k=_rng.randint(1, 4))) for _ in range(20_000)]
# Of each word how often it or one before it comes: by its rank, as in any language.
SUMS = [*accumulate(1 / rank for rank in range(1, 1 + len(VOCABULARY)))]
SMALL = "the of and to in a is that for it was on are as with".split()


def prose():
    """Return a sentence of 8 to 25 words, now and then with a figure and a name."""
    words = [
        _rng.choice(SMALL) if _rng.random() < 0.4 else _rng.choices(VOCABULARY, cum_weights=SUMS)[0]
        for _ in range(_rng.randint(8, 25))
    ]
    if _rng.random() < 0.3:
        words[_rng.randrange(len(words))] = f"{_rng.choice(('$', ''))}{_rng.randint(1, 9_999)}"
    if _rng.random() < 0.4:
        at = _rng.randrange(1, len(words) - 1)
        words[at] = words[at].title()
    return " ".join(words).capitalize() + ". "


def table():
    """Return the row of a table."""
    price, kilos, words = _rng.random() * 999, _rng.randint(1, 99), _rng.choices(VOCABULARY, k=3)
    return f"| {words[0]} {words[1]} | ${price:.2f} | {kilos} kg | {words[2]} |\n"


def numbers():
    """Return a line of twelve numbers."""
    return " ".join(str(_rng.randrange(10 ** _rng.randint(1, 7))) for _ in range(12)) + "\n"


def json_rows():
    """Return an object of four members."""
    name, tags = " ".join(_rng.choices(VOCABULARY, k=2)), _rng.choices(VOCABULARY, k=2)
    row = {"id": _rng.randrange(10**6), "name": name, "price": round(_rng.random() * 999, 2)}
    return json.dumps({**row, "tags": tags}) + ",\n"


def tiny_words():
    """Return twelve letters and digits."""
    return " ".join(_rng.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=12)) + " "


def chinese():
    """Return a clause of 8 to 30 characters."""
    return "".join(chr(_rng.randrange(0x4E00, 0x9FA5)) for _ in range(_rng.randint(8, 30))) + "。"


def csv_rows():
    """Return a line of comma-separated values: two words, a day, a figure, an amount."""
    day = f"{_rng.randint(2015, 2025)}-{_rng.randint(1, 12):02}-{_rng.randint(1, 28):02}"
    words, price = _rng.choices(VOCABULARY, k=2), _rng.random() * 999
    return f"{words[0].title()} {words[1]},{day},{_rng.randint(1, 9_999)},{price:.2f}\n"


def log_lines():
    """Return a line of a web server's log."""
    at = f"2025-03-{_rng.randint(1, 28):02} {_rng.randrange(24):02}:{_rng.randrange(60):02}:07"
    path, address = "/".join(_rng.choices(VOCABULARY, k=2)), f"10.0.{_rng.randrange(256)}.7"
    took, code = _rng.randint(1, 5_000), _rng.choice((200, 200, 404, 500))
    return f'{at} INFO {address} "GET /{path}?id={_rng.randrange(10**6)}" {code} {took} ms\n'


KINDS = {"prose": prose, "table": table, "numbers": numbers, "JSON": json_rows, "CSV": csv_rows,
         "log": log_lines, "tiny words": tiny_words, "CJK": chinese}  # fmt: skip


def text_of(kind, size):
    """Return a text of one kind of `size` bytes in UTF-8."""
    parts, length = [], 0
    while length < size:
        parts.append(KINDS[kind]())
        length += len(parts[-1].encode())
    return "".join(parts)


def held(make):
    """Return what `make` returns, the bytes that it and words hold, and how many objects it is."""
    REMEMBERED.clear()
    gc.collect()
    objects = len(gc.get_objects())
    tracemalloc.start()
    made = make()
    REMEMBERED.clear()
    gc.collect()
    both, _ = tracemalloc.get_traced_memory()
    for one in gc.get_objects():
        if isinstance(one, Memo):
            one.clear()
    containing.cache_clear()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, size, both - size, len(gc.get_objects()) - objects


def index(kind, size):
    """Print what the index of a context holds."""
    text = text_of(kind, size)
    chunks = [text[at : at + CHUNK_CHARS] for at in range(0, len(text), CHUNK_CHARS)]
    Context(query="What?", chunks=chunks[:5]).prepare()  # what all contexts share
    began = time.process_time()
    Context(query="What?", chunks=chunks[: len(chunks) // 10]).prepare()
    seconds = 10 * (time.process_time() - began)

    def make():
        context = Context(query="What?", chunks=chunks)
        context.prepare()
        return context

    context, found, words, objects = held(make)
    counted = context.evidence.held_bytes - sum(map(sys.getsizeof, chunks))
    times, share = found / len(text.encode()), counted / found
    print(
        f"| {kind} | {found / 1e6:.1f} | {times:.1f} | {words / 1e6:.1f} | {share:.2f}"
        f" | {objects:,} | {seconds:.1f} |",
        flush=True,
    )


def reports(sentences):
    """Print what the reports of an answer of very many tiny sentences hold."""
    context = Context(query="What?", chunks=["The plan costs $5 a month."])
    context.prepare()

    def make():
        guard = StreamGuard(context, live=False)
        for first in range(0, sentences, PIECE):
            guard.feed("".join(f"It is ok now {n % 10}. " for n in range(first, first + PIECE)))
            while guard.step() is not None:
                pass
        return guard, guard.close()

    (_, result), found, _, objects = held(make)
    print(
        f"{sentences:,} sentences: {found / 1e6:.1f} MB, {objects:,} objects,"
        f" {len(result.sentences):,} reports"
    )


async def requests(size, many, flags):
    """Print what a proxy holds while `many` requests of `size` are open, and how others fare."""

    async def talk(reader, writer):
        writer.write(HEAD)
        for _ in range(TALKS):
            writer.write(chunk(event("It costs $5. ")))
            await asyncio.sleep(EVERY_S)
        writer.write(chunk(event(finish="stop") + DONE) + END)
        await writer.drain()

    async def large(port, text):
        shown = {"query": "What?", "chunks": [{"text": text}]}
        messages = [{"role": "user", "content": "What?"}]
        body = json.dumps({"stream": True, "messages": messages, "streamguard": shown}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.read(-1)
        writer.close()
        return b'"state":"complete"' in answer or b'"state":"pending"' in answer

    async def ordinary(port, gaps):
        reader, writer = await ask(port)
        last = time.perf_counter()
        while await reader.read(65_536):
            now = time.perf_counter()
            gaps.append(now - last - EVERY_S)
            last = now
        writer.close()

    texts = [text_of("prose", size - size // 100) for _ in range(many)]
    async with serving(talk) as upstream, ProxyProcess(upstream, *flags) as proxy:
        gaps = []
        await ordinary(proxy.port, [])
        before = proxy.memory_kb()
        others = asyncio.gather(*[ordinary(proxy.port, gaps) for _ in range(20)])
        checked = await asyncio.gather(*[large(proxy.port, text) for text in texts])
        await others
        peak, after = proxy.memory_kb("VmHWM"), proxy.memory_kb()
    late = sorted(gaps)[int(len(gaps) * 0.99)]
    print(
        f"{many} requests of {size / 1e6:g} MB ({sum(checked)} checked): {before / 1024:.0f} MB"
        f" before, {peak / 1024:.0f} at most, {after / 1024:.0f} after; frames of 20 other"
        f" streams late by {1_000 * late:.0f} ms (p99)"
    )


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mb", type=float, default=2.0)
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--only", choices=(*KINDS, "reports", "proxy"), help="in this process")
    args = parser.parse_args()
    size = int(args.mb * 1_000_000)
    if args.only == "proxy":
        asyncio.run(requests(size, MANY, ()))
    elif args.only == "reports":
        reports(args.sentences)
    elif args.only:
        index(args.only, size)
    else:
        print(
            "| text | MB | times the text | words, MB | estimate | objects | s to build |",
            flush=True,
        )
        print("|---|---|---|---|---|---|---|", flush=True)
        for kind in (*KINDS, "reports", "proxy"):
            flags = ("--mb", str(args.mb), "--sentences", str(args.sentences), "--only", kind)
            subprocess.run([sys.executable, __file__, *flags], check=True)


if __name__ == "__main__":
    main()
