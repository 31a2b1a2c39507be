"""What the proxy costs per event and adds to its delay, beside its peers.

    python benchmarks/bench_proxy.py [--seconds 2] [--repeats 3] [--streams 100] [--only WORD]
        [--envs DIR] [--write PAGE]

Each relay runs in a process of its own (`relays.py`); upstream and clients share this one. All take
turns within one run, so that only a repeat's own figures are compared; the table shows medians.

Paced: events one by one at a fixed rate (200 a second for one stream, else 2,000 for all; a fifth
of it, and only once, for the LiteLLM proxy, which cannot keep up). CPU is what the kernel counts
for the relay's processes: per event while events come, per answer what its beginning (connections,
request, evidence index) and its end (verdict, annotation) cost beside. A delay is from the
upstream's write to the client's read. Saturated: events as fast as they are taken; they come
together in the sockets there.
"""

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

from bench_peers import write
from relays import DIRECT, PIPE, RELAYS, Running, SkippedError

RATES = {1: 200}  # events a second with so many streams
RATE = 2_000  # with any other number of streams
WARM_UP = 30  # events per stream that count as its beginning: the index is built meanwhile
FLOOD = 200  # events per stream as fast as they are taken
PATIENCE_S = 30.0
LATE_US = 2_000  # p99 of no relay at all; guess, ten times that of a quiet machine
BUSY = 0.8  # share of a core beyond which delays are the queue's; guess

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
# Closed behind each answer: a pool must not try it for a next request while it is being closed.
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


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


# --- upstream and clients, in this process


@dataclass
class Stream:
    """One answer on its way: when each event was written, and how long it took."""

    writer: asyncio.StreamWriter | None = None
    sent: list = field(default_factory=list)
    delays: list = field(default_factory=list)
    received: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def send(self, event):
        self.sent.append(perf_counter())
        self.writer.write(event)


class Upstream:
    """Accepts requests and leaves it to the pacing to answer them."""

    def __init__(self):
        self.accepted = asyncio.Queue()

    async def start(self):
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    async def _accept(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:  # a look whether a byte pipe listens
            writer.close()
            return
        if not head.startswith(b"POST "):  # a relay that asks which models there are
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
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
    """One measurement: microseconds of CPU per event and answer, of delay; events per CPU second.

    `busy`: the larger of the relay's and the load's shares of a core while events were paced.
    """

    event: float
    beginning: float
    end: float
    p50: float
    p99: float
    saturated: float
    busy: float


async def measure(relay, base, upstream, cpu_s, streams, seconds):
    """Pace `streams` answers through one relay, then let as many more come at once."""
    rate = RATES.get(streams, RATE) * relay.share
    count = max(1, int(rate * seconds / streams))
    warm = max(1, int(WARM_UP * relay.share))
    events, end = frames(warm + count)
    cpu = [cpu_s()]
    answers = await Answers.opened(base, relay.form, upstream, streams)
    await answers.pace(events[:warm], rate)
    for stream in answers.streams:
        stream.delays.clear()
    cpu.append(cpu_s())
    began, own = perf_counter(), process_time()
    await answers.pace(events[warm:], rate)
    wall, own = perf_counter() - began, process_time() - own
    cpu.append(cpu_s())
    await answers.end(end)
    cpu.append(cpu_s())
    delays = sorted(delay for stream in answers.streams for delay in stream.delays)
    event = (cpu[2] - cpu[1]) / (count * streams)
    beginning = (cpu[1] - cpu[0]) / streams - event * warm
    in_us = (event, beginning, (cpu[3] - cpu[2]) / streams, *quantiles(delays))
    return Figures(
        *(figure * 1e6 for figure in in_us),
        await flood(relay, base, upstream, cpu_s, streams),
        max(own, cpu[2] - cpu[1]) / wall,
    )


def quantiles(delays):
    """Return the middle one of sorted delays and that of the 99th hundredth."""
    return delays[len(delays) // 2], delays[int(len(delays) * 0.99)]


async def flood(relay, base, upstream, cpu_s, streams):
    """Return the events that go through per CPU second of the relay, as fast as it takes them."""
    count = max(1, int(FLOOD * relay.share**2))
    events, end = frames(count)
    answers = await Answers.opened(base, relay.form, upstream, streams)
    before = cpu_s()
    await answers.flood(events)
    used = cpu_s() - before
    await answers.end(end)
    return count * streams / used if used else 0.0


class Answers:
    """Some answers that are on their way at once."""

    def __init__(self):
        self.streams, self._transports = [], []

    @classmethod
    async def opened(cls, base, form, upstream, count):
        """Ask for `count` answers; return when the upstream has every request."""
        self, loop = cls(), asyncio.get_running_loop()
        host, port = base.removeprefix("http://").split(":")
        for _ in range(count):
            stream = Stream()
            transport, _ = await loop.create_connection(
                lambda stream=stream: Client(stream, form), host, int(port)
            )
            stream.writer = await asyncio.wait_for(upstream.accepted.get(), PATIENCE_S)
            self.streams.append(stream)
            self._transports.append(transport)
        return self

    async def pace(self, events, rate):
        """Write every event to every stream, evenly spread, and wait until all have arrived."""
        began = perf_counter()
        for turn in range(len(events)):
            for number, stream in enumerate(self.streams):
                due = began + (turn * len(self.streams) + number) / rate
                if (wait := due - perf_counter()) > 0:
                    await asyncio.sleep(wait)
                # Each stream is elsewhere in the text, so that not all sentences end at once.
                stream.send(events[(turn + 13 * number) % len(events)])
        await self._arrived()

    async def flood(self, events):
        """Write every event to every stream as soon as it is taken; wait until all arrived."""
        for turn in range(len(events)):
            for number, stream in enumerate(self.streams):
                stream.send(events[(turn + 13 * number) % len(events)])
                await stream.writer.drain()
            await asyncio.sleep(0)
        await self._arrived()

    async def _arrived(self):
        async with asyncio.timeout(PATIENCE_S):
            while any(s.received < len(s.sent) for s in self.streams):  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    async def end(self, last):
        """End every answer, and hang up once all have."""
        for stream in self.streams:
            stream.writer.write(last)
        ended = asyncio.gather(*(stream.ended.wait() for stream in self.streams))
        await asyncio.wait_for(ended, PATIENCE_S)
        for transport, stream in zip(self._transports, self.streams, strict=True):
            transport.close()
            stream.writer.close()


async def bench(args):
    """Return the figures by relay and number of streams, and what kept a relay from running."""
    upstream = await Upstream().start()
    relays = [each for each in RELAYS if args.only in each.name or each.name in (DIRECT, PIPE)]
    running, skipped = {"": None}, {}
    figures = {(each.name, n): [] for n in args.streams for each in relays}
    try:
        for each in relays:
            try:
                if each.server not in running:
                    started = asyncio.to_thread(Running, each.server, upstream.url, args.envs)
                    running[each.server] = await started
            except SkippedError as exc:
                skipped[each.name] = str(exc)
                say(f"{each.name}: {exc}")
        for repeat in range(args.repeats):
            for streams in args.streams:
                for each in relays:
                    if each.name in skipped or (each.share < 1 and repeat):
                        continue
                    say(f"repeat {repeat + 1} of {args.repeats}: {streams} streams, {each.name}")
                    server = running[each.server]
                    base, cpu_s = (server.base, server.cpu_s) if server else (upstream.url, float)
                    try:
                        measured = measure(each, base, upstream, cpu_s, streams, args.seconds)
                        figures[each.name, streams].append(await measured)
                    except (TimeoutError, OSError) as exc:
                        skipped[each.name] = f"did not answer: {type(exc).__name__}"
                        upstream.accepted = asyncio.Queue()  # without what it asked for late
    finally:
        for server in filter(None, running.values()):
            server.stop()
    return figures, skipped


def say(text):
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def median(function, *many):
    """Return the median over the repeats, as far as all ran, of a function of their figures."""
    return statistics.median(function(*each) for each in zip(*many, strict=False))


HEADS = (
    "relay", "CPU us per event", "of the pipe's", "CPU us per answer: beginning", "end",
    "delay us p50", "added", "p99", "added", "saturated: events per CPU ms", "of the pipe's",
)  # fmt: skip


def table(figures, skipped, streams):
    """Return one table; what is relative is relative to the same repeat."""
    rows = [HEADS, ["---"] * len(HEADS)]
    direct, pipe = figures[DIRECT, streams], figures[PIPE, streams]
    for (name, count), runs in figures.items():
        if count != streams:
            continue
        if name in skipped:
            rows.append([name, skipped[name], *[""] * (len(HEADS) - 2)])
            continue
        cells = [
            f"{median(lambda r: r.event, runs):.1f}",
            f"{median(lambda r, p: r.event / p.event, runs, pipe):.2f}",
            f"{median(lambda r: r.beginning, runs):.0f}",
            f"{median(lambda r: r.end, runs):.0f}",
            f"{median(lambda r: r.p50, runs):.0f}",
            f"{median(lambda r, d: r.p50 - d.p50, runs, direct):.0f}",
            f"{median(lambda r: r.p99, runs):.0f}",
            f"{median(lambda r, d: r.p99 - d.p99, runs, direct):.0f}",
            f"{median(lambda r: r.saturated, runs) / 1_000:.0f}",
            f"{median(lambda r, p: r.saturated / p.saturated, runs, pipe):.2f}",
        ]
        if name == DIRECT:
            cells = [*["-"] * 4, cells[4], "-", cells[6], "-", "-", "-"]
        rows.append([name, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


OURS = "streamguard on uvloop"
OFF, CHECKED, EVERYTHING = (f"{OURS}, {what}" for what in ("off", "PATTERN_CHECKS", "everything"))
# Goal, what is measured, of which relays (the first is ours), at most or (negative) at least.
GOALS = (
    ("P1", "CPU per event of the pipe's", lambda o, p: o.event / p.event, (CHECKED, PIPE), 1.6),
    ("P1", "of nginx's", lambda o, p: o.event / p.event, (CHECKED, "nginx"), 2.2),
    ("P2", "saturated, of the pipe's", lambda o, p: o.saturated / p.saturated, (CHECKED, PIPE),
     -0.85),
    ("P3", "added p50, us", lambda o, d: o.p50 - d.p50, (CHECKED, DIRECT), 60),
    ("P3", "added p50 of the pipe's", lambda o, d, p: (o.p50 - d.p50) / (p.p50 - d.p50),
     (CHECKED, DIRECT, PIPE), 3),
    ("P3", "p99 of nginx's", lambda o, p: o.p99 / p.p99, (CHECKED, "nginx"), 2),
    ("P4", "CPU per event of the LiteLLM proxy, of ours", lambda o, p: p.event / o.event,
     (CHECKED, "LiteLLM proxy"), -8),
    ("P4", "of httpx and Starlette, of ours", lambda o, p: p.event / o.event,
     (CHECKED, "httpx and Starlette"), -2.5),
    ("P5", "parsing and checks, share of the proxy's CPU per event",
     lambda o, off: 1 - off.event / o.event, (CHECKED, OFF), 0.05),
    ("P5", "the same with everything", lambda o, off: 1 - off.event / o.event, (EVERYTHING, OFF),
     0.05),
)  # fmt: skip


def goals(figures, skipped, streams):
    """Return the goals of the proxy, and which are met; P2 asks for less with 500 streams."""
    rows = [("goal", "measured", "asked", "reached", ""), ["---"] * 5]
    for goal, what, function, names, bound in GOALS:
        missing = [name for name in names if name in skipped or (name, streams) not in figures]
        asked = -0.75 if goal == "P2" and streams >= 500 else bound
        said = f"at {'most' if asked > 0 else 'least'} {abs(asked):g}"
        if missing:
            rows.append((goal, what, said, "-", f"not measured: {missing[0]}"))
            continue
        reached = median(function, *(figures[name, streams] for name in names))
        met = reached <= asked if asked > 0 else reached >= -asked
        rows.append((goal, what, said, f"{reached:.2f}", "met" if met else "NOT MET"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def busiest(figures, streams):
    """Return a warning where a core or the machine had too much to do, else an empty string."""
    found = [
        f"{name} {busy:.0%}"
        for (name, count), runs in figures.items()
        if count == streams and runs and (busy := max(run.busy for run in runs)) > BUSY
    ]
    said = f"\n\nSaturated while paced, delays are queues: {', '.join(found)}." if found else ""
    late = median(lambda run: run.p99, figures[DIRECT, streams])
    if late > LATE_US:
        said += f"\n\nThe machine was busy with other work: {late:.0f} us (p99) without any relay."
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of paced events at a time")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--streams", type=int, nargs="+", default=[100])
    parser.add_argument("--only", default="", help="relays with this word, beside pipe and none")
    parser.add_argument("--envs", type=Path, default=Path(__file__).parent.parent / ".bench-peers")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    args = parser.parse_args()
    if sys.platform != "linux":
        sys.exit("this needs Linux: it reads what processes use from /proc")
    figures, skipped = asyncio.run(bench(args))
    text = (
        f"{datetime.now(UTC).date()}, Python {platform.python_version()},"
        f" {platform.system()} {platform.machine()}, {os.cpu_count()} cores,"
        f" medians of {args.repeats}"
    )
    for streams in args.streams:
        text += f"\n\n{streams} streams, {RATES.get(streams, RATE)} events a second:\n\n"
        text += table(figures, skipped, streams) + busiest(figures, streams)
        text += "\n\n" + goals(figures, skipped, streams)
    print(text)
    if args.write:
        write(args.write, text, "proxies")


if __name__ == "__main__":
    main()
