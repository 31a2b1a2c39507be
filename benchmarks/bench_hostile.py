"""What other streams feel of a hostile one, of slow and half requests, and of clients that leave.

    python benchmarks/bench_hostile.py [--streams 100] [--seconds 4] [--repeats 5] [--only WORD]

The proxy runs in a process of its own, the hostile clients in another one; the upstream and the
clients of ordinary streams share this one. Of every stream an event comes ten times a second; its
delay is from the upstream's write to the client's read. In every repeat each attack is measured
between two times without one: the table has the medians of p50 and p99 in milliseconds, and of
p99 beside the mean of those two. Asked for is at most twice. The last column is how often the
attack was made; it is measured for `--seconds`, and on until it was made `FEWEST` times, so that a
machine that has more to do does not measure an attack that has hardly begun.
"""

import argparse
import asyncio
import contextlib
import json
import platform
import statistics
import sys
from time import perf_counter

import text_growth
from bench_turns import SHAPES
from proxy_process import DONE, END, HEAD, REQUEST, ProxyProcess, chunk, event, reset

EVERY_S = 0.1  # between two events of one stream
QUIET = "nothing"
SAID = "The Basic plan costs $10 per month and includes 5 projects. [C1] "
ANSWER_CHARS, ASKED_CHARS = 20_000, 200_000
PAUSE_S = 0.02  # between two attacks of one hostile client
MANY = 1_000
PATIENCE_S = 60.0
FEWEST = 3  # times that an attack is made while it is measured
LEAVING = "leaving"
ASKED = json.loads(REQUEST)
# What is repeated in the choices of one frame.
FRAMES = {
    "zeros": "0", "objects": "{}", "short zeros": "0", "short objects": "{}",
    "texts": '{"delta":{"content":"a"}}', "members": '{"a":1}',
}  # fmt: skip


def hostile_answer(name):
    """Return an answer of a hostile shape at once."""
    if name == "blank lines":
        return HEAD + chunk(event("It costs $10. ") + b"\n" * 500_000 + DONE) + END
    if name in FRAMES:
        size, item = 60_000 if name.startswith("short") else 1_000_000, FRAMES[name]
        listed = ",".join([item] * (size // (len(item) + 1)))
        wide = f'data: {{"choices":[{listed}]}}\n\n'.encode()
        return HEAD + chunk(event("It costs $10. ") + wide + event(finish="stop") + DONE) + END
    text = text_growth.sized(SHAPES[name], ANSWER_CHARS)
    frames = b"".join(event(text[at : at + 40]) for at in range(0, len(text), 40))
    return HEAD + chunk(frames + event(finish="stop") + DONE) + END


def asking(model, text=""):
    """Return a request; `text` is question and passage beside the usual ones."""
    messages = ASKED["messages"]
    if text:
        passage = {"role": "system", "content": f"[C1] {text}"}
        messages = [passage, {"role": "user", "content": text[: ASKED_CHARS // 10]}]
    body = json.dumps({**ASKED, "model": model, "messages": messages}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


TEXTS = (
    "prices and slashes", "counting", "counted things", "counting amounts", "many names",
    "acronyms", "cells", "clauses",
)  # fmt: skip


# --- the hostile clients; each makes its attack once, and is called again and again


async def _open(port, sent):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    writer.write(sent)
    return reader, writer


async def _whole(port, sent):
    reader, writer = await _open(port, sent)
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
        await asyncio.wait_for(reader.readuntil(END), PATIENCE_S)
    writer.close()


async def _slow_loris(port):
    """Send heads a byte at a time over many connections."""
    opened = [await _open(port, b"POST /v1/") for _ in range(200)]
    for _ in range(10):
        for _, writer in opened:
            writer.write(b"c")
        await asyncio.sleep(0.1)
    for _, writer in opened:
        writer.close()


async def _half_heads(port):
    """Leave behind a thousand half heads."""
    opened = [await _open(port, b"POST /v1/chat/completions HTTP/1.1\r\nHo") for _ in range(MANY)]
    await asyncio.sleep(0.5)
    for _, writer in opened:
        writer.close()


async def _disconnects(port):
    """Ask a thousand times, fifty at a time, and leave as the first event is there."""

    async def leave():
        reader, writer = await _open(port, asking(LEAVING))
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            await asyncio.wait_for(reader.readuntil(b"data:"), PATIENCE_S)
        reset(writer)

    for _ in range(MANY // 50):
        await asyncio.gather(*(leave() for _ in range(50)))


ATTACKS = {
    **{f"answers: {name}": None for name in (*TEXTS, "blank lines")},
    **{f"frames: {name}": None for name in FRAMES},
    **{f"questions and passages: {name}": None for name in TEXTS[:4]},
    "slow heads": _slow_loris,
    "half heads": _half_heads,
    "clients that leave": _disconnects,
}


async def attack(name, port):
    """Make one attack again and again; a line of output for each time."""
    made = ATTACKS[name]
    kind, _, shape = name.partition(": ")
    text = text_growth.sized(SHAPES[shape], ASKED_CHARS) if kind.startswith("questions") else ""
    sent = asking(shape, text)
    while True:
        await (_whole(port, sent) if made is None else made(port))
        print(name, flush=True)
        await asyncio.sleep(PAUSE_S)


# --- the ordinary streams


class Streams:
    """Ordinary streams through the proxy, and the delays of their events."""

    def __init__(self):
        self.delays = []
        self.answers = {}

    async def answer(self, reader, writer):
        """Answer a request: hostile models at once, all others with an event now and then."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return  # whoever asked has left
        length = int(head.lower().partition(b"content-length:")[2].split()[0])
        asked = json.loads(await reader.readexactly(length))
        if (model := asked["model"]) in SHAPES or model in FRAMES or model == "blank lines":
            if model not in self.answers:
                self.answers[model] = hostile_answer(model)
            writer.write(self.answers[model])
            await writer.drain()
            writer.close()  # else the proxy would ask over this connection again
            return
        writer.write(HEAD)
        if model == LEAVING:
            writer.write(chunk(event("It costs $10. ")))
        while not writer.is_closing():
            await asyncio.sleep(EVERY_S)
            said = f"{SAID[:20]}{perf_counter():.9f} "
            writer.write(chunk(event(said)))

    async def listen(self, port):
        """Read one stream."""
        reader, writer = await _open(port, asking("ordinary"))
        try:
            while True:
                line = await reader.readuntil(b"\n\n")
                now = perf_counter()
                sent = line.partition(SAID[:20].encode())[2].partition(b" ")[0]
                if sent:
                    self.delays.append(now - float(sent))
        finally:
            writer.close()


async def measured(streams, port, name, seconds):
    """Return p50 and p99 while an attack is made, in milliseconds, and how often it was."""
    child = None
    if name != QUIET:
        arguments = (sys.executable, __file__, "--attack", name, str(port))
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(*arguments, stdout=pipe)
        await child.stdout.readline()  # it has begun
    streams.delays.clear()
    made = await waited(child, seconds)
    delays = sorted(streams.delays)
    if child is not None:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
        await child.stdout.read()
        await child.wait()
        await asyncio.sleep(0.5)
    return *(delays[int(len(delays) * share)] * 1e3 for share in (0.5, 0.99)), made


async def waited(child, seconds):
    """Wait for `seconds`, and until the child has made its attack `FEWEST` times; count them."""
    began, made = perf_counter(), 0
    if child is None:
        await asyncio.sleep(seconds)
        return made
    while (left := (seconds if made >= FEWEST else PATIENCE_S) + began - perf_counter()) > 0:
        with contextlib.suppress(TimeoutError):
            if not await asyncio.wait_for(child.stdout.readline(), left):
                break
            made += 1
    return made


async def bench(count, seconds, repeats, only):
    """Print a line for every attack."""
    streams = Streams()
    names = [name for name in ATTACKS if only in name]
    found = {name: [] for name in names}
    server = await asyncio.start_server(
        streams.answer, "127.0.0.1", 0, limit=1 << 24, backlog=4_096
    )
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with ProxyProcess(url) as proxy:
        tasks = []
        for _ in range(count):
            tasks.append(asyncio.create_task(streams.listen(proxy.port)))
            await asyncio.sleep(EVERY_S / count)  # spread, as ordinary streams are
        await asyncio.sleep(2)
        before = await measured(streams, proxy.port, QUIET, seconds)
        for _ in range(repeats):
            for name in names:
                p50, p99, made = await measured(streams, proxy.port, name, seconds)
                after = await measured(streams, proxy.port, QUIET, seconds)
                beside = p99 / ((before[1] + after[1]) / 2)
                found[name].append((p50, p99, after[1], beside, made))
                before = after
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    server.close()
    print(f"{'':44}{'p50':>8}{'p99':>8}{'without':>9}{'times':>8}{'made':>7}")
    for name, runs in found.items():
        p50, p99, without, beside, made = map(statistics.median, zip(*runs, strict=True))
        print(f"{name:44}{p50:8.2f}{p99:8.2f}{without:9.2f}{beside:8.2f}{made:7.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="the attacks with this word in their name")
    parser.add_argument("--attack", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.attack:
        asyncio.run(attack(args.attack[0], int(args.attack[1])))
        return
    print(f"Python {platform.python_version()}, {args.streams} streams, {args.repeats} repeats, ms")
    asyncio.run(bench(args.streams, args.seconds, args.repeats, args.only))


if __name__ == "__main__":
    main()
