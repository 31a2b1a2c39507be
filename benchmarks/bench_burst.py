"""How long an answer that comes at once takes through the proxy: its words, and its end.

    python benchmarks/bench_burst.py [--events 2000] [--repeats 7] [--beside 20]

Upstream and client share this process, the proxy has one of its own. The upstream writes all in
one, each event by itself, or each in a round of its loop. The words are there with the last event
of content, the end with the last byte; the forms take turns, in milliseconds the median and the
least of the repeats, and the median of each repeat's words beside those of `off`. The last line:
what an event of another answer, one every 5 ms, takes from the upstream to its client while
`--beside` such answers come at once.
"""

import argparse
import asyncio
import itertools
import json
import statistics
from time import perf_counter

from bench_proxy import REQUEST, frames
from proxy_process import ProxyProcess

FORMS = ("off", "header", "chunk")
PAUSE_S = 0.3  # the checks of one answer are over before the next one comes
WHOLE = "in one piece"
EACH = "each by itself"
ROUNDS = "each in a round"
PACED = "paced"
EVERY_S = 0.005
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nConnection: close\r\n"


def unchunked(raw):
    """Return the bodies of chunks."""
    return b"".join(raw.split(b"\r\n")[1::2])


class Upstream:
    """Answers every request at once: with events, or where it asks for it in one piece."""

    def __init__(self, count):
        self.events, self.end = frames(count)
        self.sent = []  # when each paced event was written
        self.stream = b"".join(self.events) + self.end
        words = unchunked(b"".join(self.events)).split(b"\n\n")[:-1]
        pieces = [json.loads(line[6:]) for line in words]
        said = "".join(piece["choices"][0]["delta"]["content"] for piece in pieces)
        choice = {"index": 0, "message": {"role": "assistant", "content": said}}
        whole = {"id": "1", "object": "chat.completion", "choices": [choice]}
        self.whole = json.dumps(whole).encode()

    async def pace(self, writer):
        """Write events one by one until the client leaves."""
        for event in itertools.cycle(self.events):
            self.sent.append(perf_counter())
            writer.write(event)
            await asyncio.sleep(EVERY_S)
            if writer.is_closing():
                return

    async def answer(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        asked = json.loads(await reader.readexactly(length))
        if asked["stream"]:
            chunked = b"Transfer-Encoding: chunked\r\n\r\n"
            if asked["model"] == PACED:
                writer.write(HEAD % b"text/event-stream" + chunked)
                await self.pace(writer)
                return
            if asked["model"] in (EACH, ROUNDS):
                writer.write(HEAD % b"text/event-stream" + chunked)
                for event in self.events:
                    writer.write(event)
                    await writer.drain()
                    if asked["model"] == ROUNDS:
                        await asyncio.sleep(0)
                writer.write(self.end)
            else:
                writer.write(HEAD % b"text/event-stream" + chunked + self.stream)
        else:
            length = b"Content-Length: %d\r\n\r\n" % len(self.whole)
            writer.write(HEAD % b"application/json" + length + self.whole)
        await writer.drain()
        writer.close()


async def pieces(reader, head):
    """Yield the body as it comes, to its own end and not to that of the connection."""
    if b"chunked" not in head:
        left = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while left and (piece := await reader.read(left)):
            left -= len(piece)
            yield piece
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]


async def burst(port, form, asked, said):
    """Return when the last of the content was there, and the last byte, in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    head += f"x-streamguard: {form}\r\nContent-Length: {len(asked)}\r\n\r\n"
    began = perf_counter()
    writer.write(head.encode() + asked)
    got, words = bytearray(), None
    async for piece in pieces(reader, await reader.readuntil(b"\r\n\r\n")):
        got += piece
        if words is None and said(got):
            words = perf_counter() - began
    end = perf_counter() - began
    writer.close()
    await asyncio.sleep(PAUSE_S)
    return words, end


async def beside(port, model, bursts):
    """Return the delays of paced events while so many answers come at once, in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = json.dumps({**json.loads(REQUEST), "model": PACED}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(asked)}\r\n\r\n".encode() + asked)
    delays = []

    async def listen():
        while data := await reader.read(65_536):
            for _ in range(data.count(b"\n\n")):
                delays.append(perf_counter() - model.sent[len(delays)])

    listening = asyncio.create_task(listen())
    await asyncio.sleep(100 * EVERY_S)
    known = len(delays)
    never = lambda got: False  # noqa: E731
    await asyncio.gather(*(burst(port, "chunk", REQUEST, never) for _ in range(bursts)))
    listening.cancel()
    writer.close()
    return sorted(delays[known:])


def _ms(times):
    return f"{statistics.median(times) * 1e3:8.1f}{min(times) * 1e3:8.1f}"


async def main(count, repeats, bursts):
    model = Upstream(count)
    server = await asyncio.start_server(model.answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    asked = json.loads(REQUEST)
    kinds = (
        ("", asked, lambda got: got.count(b"\n\n") >= count),
        (EACH, {**asked, "model": EACH}, lambda got: got.count(b"\n\n") >= count),
        (ROUNDS, {**asked, "model": ROUNDS}, lambda got: got.count(b"\n\n") >= count),
        (WHOLE, {**asked, "stream": False}, lambda got: len(got) >= len(model.whole) - 1),
    )
    print(f"{count} events of 4 characters at once, {repeats} repeats, ms: median, least")
    async with ProxyProcess(url) as proxy:
        for kind, request, said in kinds:
            took = {form: [] for form in FORMS}
            for _ in range(repeats + 1):  # the first warms up
                for form in FORMS:
                    body = json.dumps(request).encode()
                    took[form].append(await burst(proxy.port, form, body, said))
            off = [words for words, _ in took["off"][1:]]
            for form in FORMS:
                words, end = zip(*took[form][1:], strict=True)
                beside_off = statistics.median(a / b for a, b in zip(words, off, strict=True))
                print(
                    f"{form:8}{kind:16} words{_ms(words)}   end{_ms(end)}   of off"
                    f" {beside_off:.2f}, least of least {min(words) / min(off):.2f}"
                )
        delays = await beside(proxy.port, model, bursts) if bursts else [0.0]
        p50, p99 = (delays[int(len(delays) * share)] * 1e3 for share in (0.5, 0.99))
        print(f"beside {bursts} such answers: an event takes p50 {p50:.1f}   p99 {p99:.1f}")
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--beside", type=int, default=20)
    given = parser.parse_args()
    asyncio.run(main(given.events, given.repeats, given.beside))
