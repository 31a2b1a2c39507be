"""How long one frame holds up everybody else: CPU of reading it whole, for frames of all shapes.

    python benchmarks/bench_frames.py [--dialect WORD] [--shape WORD] [--repeats 3] [--all]
    python benchmarks/bench_frames.py --proxy [--streams 50] [--shape WORD]

Every shape is a frame just under the cap, and one of 60 kB, read by every protocol as the doors do
it: place and text, after two ordinary frames. One line for each over the bound, and one for the
worst of each protocol; the least of the repeats, in milliseconds of the process. Asked for: 5 ms.

With `--proxy` the frames come through the proxy, as streams of Chat Completions beside ordinary
ones whose events come every 100 ms. What is printed is the longest turns of the proxy's event loop:
CPU of its thread, without the collector's, of which the longest pause is told. Upstream and clients
have a thread of their own; `bench_hostile.py --only frames` has what the ordinary ones feel.
"""

import argparse
import asyncio
import gc
import json
import platform
import threading
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import suppress
from time import process_time_ns

from bench_beside import Turns
from proxy_process import DONE, END, HEAD, REQUEST, chunk, event

from streamguard.errors import DecodeError
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES
from streamguard.wire.dialects import DIALECTS

ASKED_MS = 5.0
SIZES = (60_000, MAX_EVENT_BYTES - 100)
# What is repeated within a list, or as the members of an object.
ITEMS = {
    "zeros": "0", "objects": "{}", "lists": "[]", "strings": '""', "words": '"a b c d"',
    "members": '{"a":1}', "texts": '{"type":"text","text":"a"}', "bare texts": '{"text":"a"}',
    "odd types": '{"type":"x","y":"a b c d"}', "choices": '{"delta":{"content":"a"}}',
    "messages": '{"delta":{"content":"a"},"message":{"content":"b"}}',
    "nested": "[[[[[[0]]]]]]", "marks": '"!!!!!!!!"', "figures": "9" * 399, "numbers": "-1.5e-7",
}  # fmt: skip
PLACES = {
    "top": "[%s]", "choices": '{"choices":[%s]}', "candidates": '{"candidates":[%s]}',
    "parts": '{"candidates":[{"content":{"parts":[%s]}}]}',
    "content": '{"choices":[{"delta":{"content":[%s]}}]}',
    "message": '{"choices":[{"delta":{"content":"a"},"message":{"content":[%s]}}]}',
    "output": '{"type":"response.completed","response":{"output":[%s]}}',
    "item": '{"type":"response.output_item.done","item":{"type":"message","content":[%s]}}',
    "block": '{"type":"content_block_start","content_block":{"x":[%s]}}',
    "delta": '{"type":"content_block_delta","delta":{"type":"y","z":[%s]}}',
    "cohere": '{"type":"content-delta","delta":{"message":{"content":[%s]}}}',
    "artifacts": '{"jsonrpc":"2.0","result":{"artifacts":[{"parts":[%s]}]}}',
    "snapshot": '{"type":"MESSAGES_SNAPSHOT","messages":[%s]}',
    "anywhere": '{"done":false,"model":"m","x":[%s]}',
}  # fmt: skip


def shapes() -> Iterator[tuple[str, str]]:
    """Yield frames by name."""
    for size in SIZES:
        for place, around in PLACES.items():
            for name, item in ITEMS.items():
                count = (size - len(around)) // (len(item) + 1)
                yield f"{place} of {name}, {size:,}", around % ",".join([item] * count)
        keys = ",".join(f'"k{number}":"a"' for number in range(size // 12))
        yield f"keys, {size:,}", f"{{{keys}}}"
        yield f"type, {size:,}", json.dumps({"type": "!" * (size - 20)})
        yield f"key, {size:,}", json.dumps({"_" * (size - 20): "a b c d"})
        for name, item in {"marks": "!", "words": "a b ", "commas": ",", "escapes": "\n"}.items():
            text = item * ((size - 60) // len(json.dumps(item)[1:-1]))
            yield (
                f"text of {name}, {size:,}",
                json.dumps({"choices": [{"delta": {"content": text}}]}),
            )
        yield f"digits, {size:,}", "[" + ",".join(["9" * 4_000] * (size // 4_001)) + "]"
        yield f"depth, {size:,}", "[" * 900 + "]" * 900
        yield f"open brackets, {size:,}", "[" * size
        yield f"open string, {size:,}", '"' + '\\"' * (size // 2)
        yield f"lines, {size:,}", "0\ndata: " * (size // 8)


def spent_ms(dialect, frame: str) -> float:
    """Return the CPU milliseconds of the longest call that takes the frame."""
    decoder, reader = dialect.decoder(), dialect.reader()
    raw = frame.encode()
    if dialect.name == "gemini_array":
        raw = b"[" + raw + b",\n"
    elif dialect.name in ("ollama", "plain_lines"):
        raw = raw.replace(b"\n", b" ") + b"\n"
    else:
        raw = b"data: " + raw + b"\n\n"
    longest, events = 0, []
    step = min(decoder.turn_bytes, 65_536)
    for at in range(0, len(raw), step):
        piece = raw[at : at + step]
        began = process_time_ns()
        events += decoder.feed(piece)
        longest = max(longest, process_time_ns() - began)
    for cut in events:
        began = process_time_ns()
        with suppress(DecodeError):
            reader.place(cut)
            reader.read(cut)
        longest = max(longest, process_time_ns() - began)
    return longest / 1e6


# --- through the proxy


class LoopTurns(Turns):
    """The turns of this thread's event loop alone."""

    def __enter__(self):
        super().__enter__()
        ours, timed, plain = threading.get_ident(), Handle._run, self._plain

        def of_this_thread(handle):
            (timed if threading.get_ident() == ours else plain)(handle)

        Handle._run = of_this_thread
        return self

    def _collector(self, phase, info):
        if threading.current_thread() is threading.main_thread():
            super()._collector(phase, info)


async def _answer(reader, writer):
    """Answer with the frame that the request's model names, or with an event now and then."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"length:")[2].split()[0])
    asked = json.loads(await reader.readexactly(length))
    writer.write(HEAD)
    if asked["model"] != "bench":
        wide = b"data: " + FRAMES[asked["model"]].encode() + b"\n\n"
        frames = event("It costs $10. ") + wide + event(finish="stop") + DONE
        writer.write(chunk(frames) + END)
        await writer.drain()
        writer.close()
        return
    with suppress(ConnectionError):
        while not writer.is_closing():
            await asyncio.sleep(0.1)
            writer.write(chunk(event("It costs $10. ")))


async def _ask(port, model):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    body = REQUEST.replace(b'"bench"', json.dumps(model).encode())
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    )
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    return reader, writer


async def _listen(port):
    reader, writer = await _ask(port, "bench")
    try:
        while await reader.read(65_536):
            pass
    finally:
        writer.close()


async def _attack(ports, streams, over):
    """Ask for ordinary streams, then for every frame, one behind the other."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, limit=1 << 24)
    ports["upstream"].set_result(server.sockets[0].getsockname()[1])
    port = await asyncio.wrap_future(ports["proxy"])
    listening = [asyncio.create_task(_listen(port)) for _ in range(streams)]
    await asyncio.sleep(1)
    over["begun"]()
    for name in FRAMES:
        reader, writer = await _ask(port, name)
        await reader.readuntil(END)
        writer.close()
        over["longest"](name)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    server.close()


FRAMES: dict[str, str] = {}


async def through_proxy(streams: int) -> None:
    """Print the longest turns of a proxy."""
    from concurrent.futures import Future

    from streamguard.server.proxy.app import Settings, make_app
    from streamguard.server.workers.collecting import Collecting
    from streamguard.server.workers.serve import make_runner, start
    from streamguard.text.patterns import compile_all

    compile_all()  # as a server does before it listens
    ports = {"upstream": Future(), "proxy": Future()}
    worst: list[tuple[float, str]] = []
    with LoopTurns() as turns:
        over = {
            "begun": turns.seconds.clear,
            "longest": lambda name: (
                worst.append((max(turns.seconds, default=0.0) * 1e3, name)),
                turns.seconds.clear(),
            ),
        }
        attack = threading.Thread(target=asyncio.run, args=(_attack(ports, streams, over),))
        attack.start()
        url = f"http://127.0.0.1:{await asyncio.wrap_future(ports['upstream'])}"
        runner = make_runner(make_app(Settings(url)))
        base = await start(runner, "127.0.0.1", 0)
        collecting = Collecting()
        collecting.begin(asyncio.get_running_loop())
        turns.collecting = 0.0
        ports["proxy"].set_result(int(base.rpartition(":")[2]))
        await asyncio.to_thread(attack.join)
        collecting.end()
        await runner.cleanup()
    worst.sort(reverse=True)
    for took, name in worst[:5]:
        print(f"{name:<40}{took:9.2f} ms")
    print(f"{sum(took > ASKED_MS for took, _ in worst)} of {len(worst)} over {ASKED_MS:g} ms")
    print(f"longest pause of the collector {turns.collecting * 1e3:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dialect", default="", help="take the protocols with this word")
    parser.add_argument("--shape", default="", help="take the shapes with this word")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="print every line")
    parser.add_argument("--proxy", action="store_true", help="through the proxy")
    parser.add_argument("--streams", type=int, default=50, help="ordinary streams beside them")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}")
    if options.proxy:
        # A text of a megabyte is read for half a minute; `bench_turns.py` has its turns.
        FRAMES.update(
            (name, frame)
            for name, frame in shapes()
            if options.shape in name and "\n" not in frame and not name.startswith("text")
        )
        asyncio.run(through_proxy(options.streams))
        return
    gc.freeze()
    count = broken = 0
    for dialect in DIALECTS:
        worst = 0.0, ""
        for name, frame in shapes():
            if options.dialect not in dialect.name or options.shape not in name:
                continue
            found = min(spent_ms(dialect, frame) for _ in range(options.repeats))
            worst = max(worst, (found, name))
            count, broken = count + 1, broken + (found > ASKED_MS)
            if found > ASKED_MS or options.all:
                print(f"{dialect.name:<20}{name:<40}{found:9.2f} ms", flush=True)
        if worst[1]:
            print(f"worst {dialect.name:<20}{worst[0]:9.2f} ms  {worst[1]}", flush=True)
    print(f"{broken} of {count} over {ASKED_MS:g} ms")


if __name__ == "__main__":
    main()
