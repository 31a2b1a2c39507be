"""What the proxy adds to the delay of every frame, and to the end of the answer, by protocol.

    python benchmarks/bench_dialects.py [--repeats 3] [--answers 10] [--only PROTOCOL]

The proxy runs in a process of its own; upstream and client share this one, so a figure holds some
of the client's own work: `direct` is the same without a proxy. Frames come every 2 ms; their delay
is from the upstream's write to the client's read of its last byte, that of the end from the
upstream's last write to the end of the client's body. Of the repeats the smallest figure counts:
other work only adds.
"""

import argparse
import asyncio
import json
import platform
import statistics
import sys
from bisect import bisect_right
from contextlib import asynccontextmanager
from itertools import accumulate
from time import perf_counter

import aiohttp

PAUSE_S = 0.002  # between two frames; 500 tokens a second
FORMS = ("off", "header", "chunk", "attach")
PASSAGE = "[C1] The Basic plan costs $10 per month.\nQuestion: What does the Basic plan cost?"
ASKED = {"stream": True, "messages": [{"role": "user", "content": PASSAGE}], "input": PASSAGE}
SENTENCE = "The Basic plan costs $10 per month, says Jane Doe of 5 May 2024. "
FRAMES = 200
# Protocol: path, content type, a frame around a piece of text, and what ends the answer.
PROTOCOLS = {
    "openai_chat": (
        "/v1/chat/completions",
        "text/event-stream",
        (
            'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",'
            '"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}\n\n'
        ),
        (
            'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
            "data: [DONE]\n\n"
        ),
    ),
    "openai_responses": (
        "/v1/responses",
        "text/event-stream",
        (
            "event: response.output_text.delta\n"
            'data: {"type":"response.output_text.delta","sequence_number":7,"item_id":"i",'
            '"output_index":0,"content_index":0,"delta":"%s"}\n\n'
        ),
        (
            "event: response.completed\n"
            'data: {"type":"response.completed","response":{"id":"r","output":[]}}\n\n'
        ),
    ),
    "anthropic": (
        "/v1/messages",
        "text/event-stream",
        (
            'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
            '"delta":{"type":"text_delta","text":"%s"}}\n\n'
        ),
        (
            "event: message_delta\n"
            'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
            'event: message_stop\ndata: {"type":"message_stop"}\n\n'
        ),
    ),
    "ollama": (
        "/api/chat",
        "application/x-ndjson",
        '{"model":"m","created_at":"t","message":{"role":"assistant","content":"%s"},"done":false}\n',
        '{"model":"m","created_at":"t","message":{"role":"assistant","content":""},"done":true}\n',
    ),
    "ui_message": (
        "/ui",
        "text/event-stream",
        'data: {"type":"text-delta","id":"0","delta":"%s"}\n\n',
        'data: {"type":"finish"}\n\ndata: [DONE]\n\n',
    ),
    "plain_events": ("/events", "text/event-stream", "data: %s\n\n", "data: [DONE]\n\n"),
}


def answer(protocol):
    """Return the frames of one answer, and its end."""
    _, _, around, end = PROTOCOLS[protocol]
    text = SENTENCE * (FRAMES * 4 // len(SENTENCE) + 1)
    return [(around % text[at * 4 : at * 4 + 4]).encode() for at in range(FRAMES)], end.encode()


@asynccontextmanager
async def upstream(written):
    """Serve the answer of every protocol by its path, noting when each part was written."""

    async def serve(reader, writer):
        asked = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(asked.split(b"content-length: ")[1].split(b"\r\n")[0]))
        path = asked.split(b" ")[1].decode()
        protocol = next(name for name, (end, *_) in PROTOCOLS.items() if end == path)
        frames, end = answer(protocol)
        more = "x-vercel-ai-ui-message-stream: v1\r\n" if protocol == "ui_message" else ""
        kind = f"Content-Type: {PROTOCOLS[protocol][1]}\r\n{more}"
        head = f"HTTP/1.1 200 OK\r\n{kind}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        for frame in frames:
            written.append(perf_counter())
            writer.write(b"%x\r\n%b\r\n" % (len(frame), frame))
            await asyncio.sleep(PAUSE_S)
        written.append(perf_counter())
        writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(end), end))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@asynccontextmanager
async def proxy(url):
    """Run the proxy in a process of its own."""
    flags = ("--upstream", url, "--listen", "127.0.0.1:0", "--check-path", "/ui")
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "streamguard", "proxy", *flags, "--check-path", "/events",
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        line = json.loads(await child.stderr.readline())
        reading = asyncio.create_task(child.stderr.read())  # a full pipe would stop it
        yield line["address"]
    finally:
        child.terminate()
        await child.wait()
        await reading


async def delays(base, protocol, form, answers, written):
    """Return the delays in ms of all content frames, and of all ends."""
    frames, ends = [], []
    # Two frames may come in one read: bytes say which frames a read completes.
    sizes = list(accumulate(len(frame) for frame in answer(protocol)[0]))
    headers = {"x-streamguard": form}
    async with aiohttp.ClientSession() as session:
        for _ in range(answers):
            written.clear()
            address = base + PROTOCOLS[protocol][0]
            async with session.post(address, json=ASKED, headers=headers) as response:
                read, size = [], 0
                async for piece in response.content.iter_any():
                    size += len(piece)
                    now = perf_counter()
                    read += [now] * (bisect_right(sizes, size) - len(read))
            done = perf_counter()
            both = zip(written[:-1], read, strict=True)
            frames += [(got - sent) * 1_000 for sent, got in both]
            ends.append((done - written[-1]) * 1_000)
    return frames, ends


def figures(frames, ends):
    """Return p50 and p99 of the frames, p50 of the ends."""
    cuts = statistics.quantiles(frames, n=100)
    return statistics.median(frames), cuts[98], statistics.median(ends)


async def measure(protocols, repeats, answers):
    written = []
    async with upstream(written) as url, proxy(url) as base:
        for protocol in protocols:
            for form in ("direct", *FORMS):
                where = (url, protocol, "off") if form == "direct" else (base, protocol, form)
                runs = [figures(*await delays(*where, answers, written)) for _ in range(repeats)]
                best = [min(each) for each in zip(*runs, strict=True)]
                shown = "".join(f"{v:>{w}.2f}" for v, w in zip(best, (10, 11, 9), strict=True))
                print(f"{protocol:18}{form:10}{shown}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--answers", type=int, default=10, help="per row and repeat")
    parser.add_argument("--only", choices=PROTOCOLS, help="one protocol")
    args = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}; delays in ms")
    print(f"{'protocol':18}{'form':10}{'frame p50':>10}{'frame p99':>11}{'end p50':>9}")
    protocols = (args.only,) if args.only else tuple(PROTOCOLS)
    asyncio.run(measure(protocols, args.repeats, args.answers))


if __name__ == "__main__":
    main()
