"""Bytes that a WebSocket carries through the proxy in a second: off, unchecked and checked.

    python benchmarks/bench_websockets.py [--answers 40] [--repeats 7]

The proxy has a process of its own, upstream and client share this one. The upstream says Realtime
answers one after the other as fast as they are taken: the words of each in events of seven
characters, and a second of sound (32 KB in Base64) behind every 50 of them. The kinds take turns
within one run: straight from the upstream, with `off`, on a path that nobody guards, checked, and
checked with the annotation in the stream. The table has the median and the best of the repeats:
megabytes a second up to the last byte, milliseconds of the proxy's CPU time per megabyte until
every verdict is made, and that beside `off`.
"""

import argparse
import asyncio
import json
import statistics
from pathlib import Path
from time import perf_counter

from proxy_process import PASSAGES, ProxyProcess

SAID = "The Basic plan costs $10 per month and includes 5 projects. Support answers in 24 hours. "
PIECE = 7  # characters of an event
WORDS_CHARS = 700  # of one answer
SOUND = "A" * 32_000  # a second of it
KINDS = {
    "straight": ("/v1/realtime", ""),
    "off": ("/v1/realtime", "?streamguard=off"),
    "unguarded path": ("/v1/live", ""),
    "checked": ("/v1/realtime", "?streamguard=header"),
    "checked, annotation in it": ("/v1/realtime", "?streamguard=event&streamguard-live=true"),
}
SWITCH = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: x\r\n\r\n"
)
LAST = b'{"type":"the.end"}'


def framed(data, mask=b""):
    """Return `data` as one message; with `mask` as a client sends it."""
    size, bit = len(data), 0x80 if mask else 0
    if size < 126:
        head = bytes((0x81, bit | size))
    elif size < 65_536:
        head = bytes((0x81, bit | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x81, bit | 127)) + size.to_bytes(8, "big")
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)) if mask else data
    return head + mask + masked


def events(answers):
    """Return the messages of so many answers, and the one behind them."""
    said = SAID * (WORDS_CHARS // len(SAID) + 1)
    found = []
    for number in range(answers):
        name = f"resp_{number}"
        at = {"response_id": name, "item_id": "i", "output_index": 0, "content_index": 0}
        made = {"id": name, "object": "realtime.response"}
        found.append({"type": "response.created", "response": made})
        for begin in range(0, WORDS_CHARS, PIECE):
            delta = said[begin : begin + PIECE]
            found.append({"type": "response.output_text.delta", "delta": delta, **at})
            if not begin % (50 * PIECE):
                found.append({"type": "response.output_audio.delta", "delta": SOUND, **at})
        done = {**made, "status": "completed", "output": []}
        found.append({"type": "response.done", "response": done})
    return b"".join(framed(json.dumps(each).encode()) for each in found) + framed(LAST)


def cpu_s(process):
    """Return the CPU time of a process so far, in seconds."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


async def judged(port, name):
    """Wait until the answer of that id has its verdict."""
    status = b""
    while status != b"200":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"GET /streamguard/results/{name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        status = (await reader.read()).split(b" ", 2)[1]
        writer.close()
        await asyncio.sleep(0.01)


async def carried(port, path):
    """Ask for the answers over one WebSocket.

    Return seconds up to the last byte, bytes, and the id of the first answer where it is checked.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    lines = (f"GET {path} HTTP/1.1", "Host: bench", "Connection: Upgrade", "Upgrade: websocket",
             "Sec-WebSocket-Key: a2V5", "Sec-WebSocket-Version: 13", "", "")  # fmt: skip
    session = {"type": "session.update", "session": {"instructions": PASSAGES}}
    writer.write("\r\n".join(lines).encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 101 " not in head.partition(b"\r\n")[0]:
        raise SystemExit(f"no WebSocket: {head!r}")
    began, got, end = perf_counter(), 0, b""
    writer.write(framed(json.dumps(session).encode(), b"mask"))
    while not end.endswith(LAST):
        piece = await reader.read(1 << 18)
        if not piece:
            raise SystemExit("the WebSocket was closed")
        got += len(piece)
        end = (end + piece)[-len(LAST) :]
    took = perf_counter() - began
    writer.close()
    return took, got, head.lower().partition(b"x-streamguard-id: ")[2][:32].decode()


async def main(answers, repeats):
    stream = events(answers)

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(SWITCH)
        await reader.read(1)  # a client is there
        writer.write(stream)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    own = server.sockets[0].getsockname()[1]
    speeds, costs = ({kind: [] for kind in KINDS} for _ in range(2))
    async with ProxyProcess(f"http://127.0.0.1:{own}") as proxy:
        for repeat in range(repeats + 1):  # the first warms up
            for kind, (path, query) in KINDS.items():
                before = cpu_s(proxy.process)
                port = own if kind == "straight" else proxy.port
                took, size, name = await carried(port, path + query)
                if name:
                    await judged(proxy.port, f"{answers - 1:04x}{name[4:]}")
                if repeat:
                    speeds[kind].append(size / took / 1e6)
                    costs[kind].append((cpu_s(proxy.process) - before) / size * 1e9)
    server.close()
    print(f"{answers} answers of {WORDS_CHARS} characters and {len(stream) / 1e6:.1f} MB at once,"
          f" {repeats} repeats: median, best")  # fmt: skip
    for kind in KINDS:
        best = max(speeds[kind]), min(costs[kind])
        beside = statistics.median(
            cost / max(off, 1e-9) for cost, off in zip(costs[kind], costs["off"], strict=True)
        )
        print(
            f"{kind:28} MB/s {statistics.median(speeds[kind]):7.1f} {best[0]:7.1f}   CPU ms/MB"
            f" {statistics.median(costs[kind]):7.1f} {best[1]:7.1f}   of off {beside:6.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    asyncio.run(main(given.answers, given.repeats))
