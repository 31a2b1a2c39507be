"""How long one frame holds up everybody else: CPU of reading it whole, for frames of all shapes.

    python benchmarks/bench_frames.py [--dialect WORD] [--shape WORD] [--repeats 3] [--all]

Every shape is a frame just under the cap, and one of 60 kB, read by every protocol as the doors do
it: place and text, after two ordinary frames. One line for each over the bound, and one for the
worst of each protocol; the least of the repeats, in milliseconds of the process. Asked for: 5 ms.
"""

import argparse
import gc
import json
import platform
from collections.abc import Iterator
from contextlib import suppress
from time import process_time_ns

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
    for event in events:
        began = process_time_ns()
        with suppress(DecodeError):
            reader.place(event)
            reader.read(event)
        longest = max(longest, process_time_ns() - began)
    return longest / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dialect", default="", help="take the protocols with this word")
    parser.add_argument("--shape", default="", help="take the shapes with this word")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="print every line")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}")
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
