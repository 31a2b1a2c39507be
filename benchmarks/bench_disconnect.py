"""How soon the upstream is left once the client has left, and what odd streams take of memory.

    python benchmarks/bench_disconnect.py [--repeats 20] [--at-once 500]

The proxy runs as `streamguard proxy` in a process of its own, upstream and clients on raw sockets
in this one. A delay is from the client's FIN or RST until the upstream sees its own connection
end. Memory is the growth of the proxy's peak (VmHWM) over what it used after twenty ordinary
answers; each odd stream has a proxy of its own.
"""

import argparse
import asyncio
import functools
import gzip
import platform
import statistics
import sys
import zlib
from time import perf_counter

from proxy_process import DONE, END, HEAD, ProxyProcess, ask, chunk, event, reset, serving

PATIENCE_S = 60.0
PACE_S = 0.01  # between two events of one running stream
SHARED_PACE_S = 0.5  # where hundreds run: 1,000 events a second of 500 streams
BLOCKED_S = 0.5  # a write that takes longer is taken for blocked
PIECE = 65_536


async def until_gone(reader):
    """Wait until the other side has hung up."""
    try:
        while await reader.read(PIECE):
            pass
    except ConnectionError:
        pass


# --- how soon


async def silent(_writer, ready):
    """Answer nothing."""
    ready.set()


async def head_alone(writer, ready):
    """Send the head and nothing more."""
    writer.write(HEAD)
    await writer.drain()
    ready.set()


async def paced(writer, ready, pace_s=PACE_S):
    """Send an event now and then, for as long as somebody reads."""
    writer.write(HEAD)
    for number in range(1_000_000):
        writer.write(chunk(event("It costs $10. ")))
        await writer.drain()
        if number == 5:
            ready.set()
        await asyncio.sleep(pace_s)


async def stalled(writer, ready):
    """Send some events, then nothing more."""
    writer.write(HEAD + chunk(event("It costs $10. ")) * 5)
    await writer.drain()
    ready.set()


async def flood(writer, ready):
    """Send until nobody takes any more."""
    writer.write(HEAD)
    piece = chunk(event("and so on " * 1_000))
    while True:
        writer.write(piece)
        try:
            async with asyncio.timeout(BLOCKED_S):
                await writer.drain()
        except TimeoutError:
            ready.set()
            return


async def finished(writer, ready):
    """Send a whole answer, but not its end."""
    writer.write(HEAD + chunk(event("It costs $10.") + event(finish="stop")))
    await writer.drain()
    ready.set()


# Phase: what the upstream does, and whether the client reads meanwhile.
PHASES = {
    "before the head": (silent, True),
    "before the first event": (head_alone, True),
    "while events come": (paced, True),
    "while the upstream is silent": (stalled, True),
    "while a write is blocked": (flood, False),
    "behind the finish reason": (finished, True),
}


class Leaving:
    """An upstream in one phase, and when each of its connections was seen to end."""

    def __init__(self, phase):
        self.act, self.reads = PHASES[phase]
        self.ready, self.ended = asyncio.Queue(), asyncio.Queue()

    async def answer(self, reader, writer):
        """Answer one request, and note the end of its connection."""
        ready = asyncio.Event()
        acting = asyncio.create_task(self.act(writer, ready))
        acting.add_done_callback(lambda task: task.cancelled() or task.exception())
        waiting = asyncio.create_task(self._tell(ready))
        await until_gone(reader)
        self.ended.put_nowait(perf_counter())
        acting.cancel()
        waiting.cancel()

    async def _tell(self, ready):
        await ready.wait()
        self.ready.put_nowait(True)

    async def measure(self, port, how):
        """Let one client leave; return the seconds until the upstream is left."""
        reader, writer = await ask(port)
        reading = asyncio.create_task(until_gone(reader)) if self.reads else None
        await asyncio.wait_for(self.ready.get(), PATIENCE_S)
        began = perf_counter()
        leave(writer, how)
        ended = await asyncio.wait_for(self.ended.get(), PATIENCE_S)
        if reading is not None:
            await reading
        return ended - began


def leave(writer, how):
    """End a client's connection."""
    if how == "rst":
        reset(writer)
    else:
        writer.close()


async def delays(phase, how, repeats):
    """Return the delays of one phase."""
    leaving = Leaving(phase)
    async with serving(leaving.answer) as upstream, ProxyProcess(upstream) as proxy:
        found = []
        for _ in range(repeats + 1):
            found.append(await leaving.measure(proxy.port, how))
            # What came of the answer is still being checked, seconds of work behind a flood.
            while (await proxy.health())["open_streams"]:
                pass
        return found[1:]  # what is made on first use is no delay


async def all_at_once(count):
    """Let `count` clients leave at once; return the seconds until every upstream is left."""
    leaving = Leaving("while events come")
    leaving.act = functools.partial(paced, pace_s=SHARED_PACE_S)
    async with serving(leaving.answer) as upstream, ProxyProcess(upstream) as proxy:
        opened = await asyncio.gather(*(ask(proxy.port) for _ in range(count)))
        reading = [asyncio.create_task(until_gone(reader)) for reader, _ in opened]
        for _ in opened:
            await asyncio.wait_for(leaving.ready.get(), PATIENCE_S)
        began = perf_counter()
        for number, (_, writer) in enumerate(opened):
            leave(writer, ("fin", "rst")[number % 2])
        ended = [await asyncio.wait_for(leaving.ended.get(), PATIENCE_S) for _ in opened]
        await asyncio.gather(*reading)
        return [at - began for at in ended]


# --- how much memory


async def usual(_reader, writer):
    """Answer as a model does."""
    writer.write(HEAD)
    for _ in range(200):
        writer.write(chunk(event("It costs $10 per month. ")))
        await asyncio.sleep(0)
    writer.write(chunk(event(finish="stop") + DONE) + END)
    await writer.drain()


def bomb(size, encoding):
    """Return an upstream that sends `size` bytes of one comment, compressed."""
    body = event("It costs $10. ") + b": " + b"0" * size + b"\n\n" + event(finish="stop") + DONE
    packed = gzip.compress(body, 9) if encoding == "gzip" else zlib.compress(body, 9)
    head = HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: %b\r\n\r\n" % encoding.encode())

    async def answer(_reader, writer):
        for at in range(0, len(packed), 1_000):
            writer.write((b"" if at else head) + chunk(packed[at : at + 1_000]))
            await writer.drain()
        writer.write(END)
        await writer.drain()

    return answer


def endless_line(size):
    """Return an upstream that sends a line of `size` bytes without an end."""

    async def answer(_reader, writer):
        writer.write(HEAD + chunk(event("It costs $10. ") + b"data: "))
        for _ in range(size // PIECE):
            writer.write(chunk(b"x" * PIECE))
            await writer.drain()
        writer.write(END)
        await writer.drain()

    return answer


async def read_all(port):
    """Read one answer to its end; return its length."""
    reader, writer = await ask(port)
    length = 0
    while piece := await reader.read(PIECE):
        length += len(piece)
    writer.close()
    return length


async def read_nothing(port):
    """Ask, and read nothing until the upstream is blocked."""
    reader, writer = await ask(port)
    writer.transport.pause_reading()  # asyncio would read ahead, up to twice the reader's limit
    await asyncio.wait_for(_blocked.wait(), PATIENCE_S)
    writer.close()
    await until_gone(reader)
    return 0


_blocked = asyncio.Event()


async def flooding(_reader, writer):
    """Send until nobody takes any more."""
    await flood(writer, _blocked)


# Stream: upstream, client, MB of growth at most.
ODD = {
    "a reader that reads nothing": (flooding, read_nothing, 2),
    "64 MB in gzip": (bomb(64_000_000, "gzip"), read_all, 20),
    "64 MB in deflate": (bomb(64_000_000, "deflate"), read_all, 20),
    "a line of 32 MB without end": (endless_line(32_000_000), read_all, 20),
}


async def growth_mb(odd):
    """Return the growth of the proxy's peak over one odd stream, and the bytes its client got."""
    answer, client, _ = ODD[odd]
    answering = usual

    async def switch(reader, writer):
        await answering(reader, writer)

    async with serving(switch) as upstream, ProxyProcess(upstream) as proxy:
        for _ in range(20):
            await read_all(proxy.port)
        answering = answer
        proxy.forget_peak()
        before = proxy.memory_kb()
        length = await asyncio.wait_for(client(proxy.port), PATIENCE_S)
        return (proxy.memory_kb("VmHWM") - before) / 1_024, length


def shown(name, seconds, aim):
    """Print one line of delays."""
    in_ms = sorted(each * 1_000 for each in seconds)
    median = statistics.median(in_ms)
    print(f"{name:44}{len(in_ms):5}{median:10.1f}{in_ms[-1]:10.1f}   {aim}", flush=True)


async def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=500)
    args = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {sys.platform}")
    print(f"{'the client leaves':44}{'n':>5}{'median ms':>10}{'max ms':>10}   aim")
    for phase in PHASES:
        for how in ("fin", "rst"):
            found = await delays(phase, how, args.repeats)
            shown(f"{phase}, {how.upper()}", found, "median 50, max 1,000")
    at_once = await all_at_once(args.at_once)
    shown(f"{args.at_once} at once while events come", at_once, "max 2,000")
    print(f"\n{'memory':44}{'MB more':>10}{'MB read':>10}   aim")
    for odd, (_, _, aim) in ODD.items():
        more, length = await growth_mb(odd)
        print(f"{odd:44}{more:10.1f}{length / 1e6:10.1f}   {aim}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
