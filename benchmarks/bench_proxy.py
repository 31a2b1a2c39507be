"""What the proxy costs per event and adds to its delay, beside a raw asyncio byte pipe.

    python benchmarks/bench_proxy.py [--seconds 5] [--repeats 3] [--streams 1 100]

Each relay runs in a process of its own; upstream and clients share this one. Events are sent one
by one at a fixed rate (200 a second for one stream, else 2,000 for all). CPU is the relay's own
resource usage: per event while events come, per answer what its beginning (connections, request,
evidence index) and its end (verdict, annotation) cost beside. Delay is from the upstream's write
to the client's read. All relays take turns within one run; the tables show medians over repeats.
"""

import argparse
import asyncio
import gc
import json
import platform
import resource
import statistics
import sys
from dataclasses import dataclass, field
from time import perf_counter

from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS
from streamguard.server.proxy import Settings, make_app
from streamguard.server.serve import make_runner, start

RATES = {1: 200}  # events a second with so many streams
RATE = 2_000  # with any other number of streams
WARM_UP = 50  # events per stream that count as its beginning: the index is built meanwhile

PASSAGES = """[C1] Source: plans.md
The Basic plan costs $10 per month and includes 5 projects. The Pro plan costs $49 per month.
[C2] Source: support.md
Support answers within 24 hours on working days. Pro customers also reach Dana Whitfield by phone.
[C3] Source: storage.md
Files are kept for 90 days after deletion. Each project holds up to 20 GB of data."""
SENTENCES = (
    "The Basic plan costs $10 per month and includes 5 projects. [C1] ",
    "Pro customers pay $49 per month for the same projects. [C1] ",
    "Support usually answers within 24 hours, and Dana Whitfield takes calls. [C2] ",
    "Deleted files are kept for 90 days before they are removed. [C3] ",
    "Every project can hold up to 20 GB of data, which is enough for most teams. [C3] ",
)
REQUEST = json.dumps(
    {
        "model": "bench",
        "stream": True,
        "messages": [
            {"role": "system", "content": PASSAGES},
            {"role": "user", "content": "What do the plans cost, and how long are files kept?"},
        ],
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
# Name -> mode header, checks. "direct" has no relay, "pipe" is not ours.
PROXIES = {
    "proxy, off": ("off", PATTERN_CHECKS),
    "proxy, PATTERN_CHECKS": ("chunk", PATTERN_CHECKS),
    "proxy, everything": ("chunk", DEFAULT_CHECKS),
}
RELAYS = ("direct", "pipe", *PROXIES)


def frames(count):
    """Return `count` events of one answer, and the end."""
    text = "".join(SENTENCES[n % len(SENTENCES)] for n in range(count * 4 // 60 + 2))
    pieces = [text[at : at + 4] for at in range(0, count * 4, 4)]
    events = [_event({"content": piece}, None) for piece in pieces]
    return events, _event({}, "stop") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _event(delta, finish):
    chunk = {
        "id": "chatcmpl-9yTqX1B3xvS0bqYw5mYJt0d8",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "bench-model-2026-01-01",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }
    return _chunk(b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n")


def _chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


# --- the relays, each in a child process


class PipeEnd(asyncio.Protocol):
    """One side of the byte pipe."""

    def __init__(self, other=None, upstream=None):
        self.other, self.upstream, self.early = other, upstream, []

    def connection_made(self, transport):
        self.transport = transport
        if self.upstream is not None:
            self.connecting = asyncio.ensure_future(self._connect())

    async def _connect(self):
        loop = asyncio.get_running_loop()
        _, end = await loop.create_connection(lambda: PipeEnd(self.transport), *self.upstream)
        self.other = end.transport
        for data in self.early:
            self.other.write(data)

    def data_received(self, data):
        if self.other is None:
            self.early.append(data)
        else:
            self.other.write(data)

    def connection_lost(self, exc):
        if self.other is not None:
            self.other.close()


async def relay(name, upstream):
    """Serve as `name` says, and answer every line of standard input with the CPU seconds used."""
    loop, runner = asyncio.get_running_loop(), None
    if name == "pipe":
        host, port = upstream.removeprefix("http://").split(":")
        server = await loop.create_server(
            lambda: PipeEnd(upstream=(host, int(port))), "127.0.0.1", 0
        )
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    else:
        runner = make_runner(make_app(Settings(upstream, checks=PROXIES[name][1])))
        base = await start(runner, "127.0.0.1", 0)
    gc.collect()
    gc.freeze()  # as `serve` does
    print(base, flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(used.ru_utime + used.ru_stime, flush=True)
    if runner is not None:
        await runner.cleanup()


def loop_factory(name):
    """Return asyncio's own loop for the pipe, uvloop where it is installed for the proxy."""
    if name == "pipe":
        return asyncio.new_event_loop
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


class Child:
    """A relay in a process of its own."""

    async def start(self, name, upstream):
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, "--relay", name, upstream),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self.base = (await self.process.stdout.readline()).decode().strip()
        return self

    async def cpu_s(self):
        self.process.stdin.write(b"\n")
        return float(await self.process.stdout.readline())

    async def stop(self):
        self.process.stdin.close()
        await self.process.wait()


# --- upstream and clients, in this process


@dataclass
class Stream:
    """One answer on its way: when each event was written, and how long it took."""

    writer: asyncio.StreamWriter | None = None
    sent: list = field(default_factory=list)
    delays: list = field(default_factory=list)
    received: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Upstream:
    """Accepts requests and leaves it to the pacing to answer them."""

    def __init__(self):
        self.accepted = asyncio.Queue()

    async def start(self):
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    async def _accept(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        writer.write(HEAD)
        self.accepted.put_nowait(writer)


class Client(asyncio.Protocol):
    """Sends one request and notes when events arrive."""

    def __init__(self, stream, mode):
        self.stream, self.mode, self.carry = stream, mode, b""

    def connection_made(self, transport):
        lines = (
            "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\n"
            "Content-Type: application/json\r\n"
            f"x-streamguard: {self.mode}\r\nContent-Length: {len(REQUEST)}\r\n\r\n"
        )
        transport.write(lines.encode() + REQUEST)

    def data_received(self, data):
        now, stream = perf_counter(), self.stream
        data = self.carry + data
        for _ in range(data.count(b"\n\n")):
            if stream.received < len(stream.sent):
                stream.delays.append(now - stream.sent[stream.received])
            stream.received += 1
        self.carry = data[-1:] if not data.endswith(b"\n\n") else b""
        if b"[DONE]" in data:
            stream.ended.set()


@dataclass(frozen=True)
class Figures:
    """One measurement: CPU in microseconds per event and per answer, delays in microseconds."""

    event: float
    beginning: float
    end: float
    p50: float
    p99: float


async def measure(base, mode, upstream, child, streams, seconds):
    """Pace `streams` answers through one relay."""
    rate = RATES.get(streams, RATE)
    count = max(1, int(rate * seconds / streams))
    events, end = frames(WARM_UP + count)
    cpu = [await child.cpu_s() if child else 0.0]
    opened, transports = await open_streams(base, mode, upstream, streams)
    await pace(opened, events[:WARM_UP], rate)
    for stream in opened:
        stream.delays.clear()
    cpu.append(await child.cpu_s() if child else 0.0)
    await pace(opened, events[WARM_UP:], rate)
    cpu.append(await child.cpu_s() if child else 0.0)
    for stream in opened:
        stream.writer.write(end)
    await asyncio.wait_for(asyncio.gather(*(stream.ended.wait() for stream in opened)), 60)
    cpu.append(await child.cpu_s() if child else 0.0)
    for transport, stream in zip(transports, opened, strict=True):
        transport.close()
        stream.writer.close()
    delays = sorted(delay for stream in opened for delay in stream.delays)
    event = (cpu[2] - cpu[1]) / (count * streams)
    figures = (event, (cpu[1] - cpu[0]) / streams - event * WARM_UP, (cpu[3] - cpu[2]) / streams)
    quantiles = (delays[len(delays) // 2], delays[int(len(delays) * 0.99)])
    return Figures(*(figure * 1e6 for figure in figures + quantiles))


async def open_streams(base, mode, upstream, streams):
    host, port = base.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    opened, transports = [], []
    for _ in range(streams):
        stream = Stream()
        transport, _ = await loop.create_connection(
            lambda stream=stream: Client(stream, mode), host, int(port)
        )
        stream.writer = await asyncio.wait_for(upstream.accepted.get(), 10)
        opened.append(stream)
        transports.append(transport)
    return opened, transports


async def pace(opened, events, rate):
    """Write every event to every stream, evenly spread, and wait until all have arrived."""
    began = perf_counter()
    for turn in range(len(events)):
        for number, stream in enumerate(opened):
            due = began + (turn * len(opened) + number) / rate
            if (wait := due - perf_counter()) > 0:
                await asyncio.sleep(wait)
            stream.sent.append(perf_counter())
            # Each stream is elsewhere in the text, so that not all sentences end at once.
            stream.writer.write(events[(turn + 13 * number) % len(events)])
    while any(s.received < len(s.sent) for s in opened):  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def bench(args):
    upstream = await Upstream().start()
    children = {"direct": None}
    for name in RELAYS[1:]:
        children[name] = await Child().start(name, upstream.url)
    figures = {(name, n): [] for n in args.streams for name in RELAYS}
    for repeat in range(args.repeats):
        for streams in args.streams:
            for name in RELAYS:
                print(f"repeat {repeat + 1}: {streams} streams, {name}", file=sys.stderr)
                child = children[name]
                base = child.base if child else upstream.url
                mode = PROXIES.get(name, ("off",))[0]
                figures[name, streams].append(
                    await measure(base, mode, upstream, child, streams, args.seconds)
                )
    for child in filter(None, children.values()):
        await child.stop()
    return figures


def median(function, *many):
    """Return the median over the repeats of a function of each repeat's figures."""
    return statistics.median(function(*each) for each in zip(*many, strict=True))


def table(figures, streams):
    """Print one table; what is relative is relative to the same repeat."""
    print(f"\n{streams} streams, {RATES.get(streams, RATE)} events a second")
    print(
        f"{'':24}{'CPU us per':>18}{'':8}{'CPU us per answer':>20}{'delay us: p50':>17}{'p99':>15}"
    )
    print(f"{'relay':24}{'event':>8}{'of pipe':>10}{'added':>8}{'beginning':>12}{'end':>8}", end="")
    print(f"{'':>9}{'added':>8}{'':>7}{'added':>8}")
    direct, pipe = figures["direct", streams], figures["pipe", streams]
    off = figures["proxy, off", streams]
    for name in RELAYS:
        runs = figures[name, streams]
        p50, p99 = median(lambda r: r.p50, runs), median(lambda r: r.p99, runs)
        more50 = median(lambda r, d: r.p50 - d.p50, runs, direct)
        more99 = median(lambda r, d: r.p99 - d.p99, runs, direct)
        cells = f"{'':46}"
        if name != "direct":
            cells = (
                f"{median(lambda r: r.event, runs):8.1f}"
                f"{median(lambda r, p: r.event / p.event, runs, pipe):10.2f}"
                f"{median(lambda r, o: r.event - o.event, runs, off):8.1f}"
                f"{median(lambda r: r.beginning, runs):12.0f}{median(lambda r: r.end, runs):8.0f}"
            )
        print(f"{name:24}{cells}{p50:9.0f}{more50:8.0f}{p99:7.0f}{more99:8.0f}")
    print("(added CPU: over the proxy with x-streamguard: off; added delay: over no relay)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="per measurement")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 100])
    parser.add_argument("--relay", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.relay:
        with asyncio.Runner(loop_factory=loop_factory(args.relay[0])) as runner:
            runner.run(relay(*args.relay))
        return
    figures = asyncio.run(bench(args))
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    print(f"proxy on {loop_factory('proxy').__module__}, pipe on asyncio, {args.repeats} repeats")
    for streams in args.streams:
        table(figures, streams)


if __name__ == "__main__":
    main()
