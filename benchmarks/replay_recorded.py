"""Send recorded answers through replay server and proxy, and compare all that comes out.

    python benchmarks/replay_recorded.py DATA [--answers 500] [--splittings 20]

DATA: JSON lines with `question`, `chunks`, `answer` (.gz allowed). Every answer is streamed under
every splitting. For each stream: the bytes without the annotation must be those the upstream
wrote, there must be exactly one annotation, and its result must equal `check_text` on the whole
answer with the context the proxy built from the request. Exit status 1 on any difference.
"""

import argparse
import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from streamguard.core.validate import check_text
from streamguard.server.chat.recorded import events, read_records
from streamguard.server.chat.replay import Replay
from streamguard.server.chat.replay import make_app as make_replay
from streamguard.server.proxy.app import Settings
from streamguard.server.proxy.app import make_app as make_proxy
from streamguard.server.workers.serve import make_runner, start
from streamguard.wire.requests.shown import context_of

KEY = b'"streamguard":{"object":"streamguard.result"'


@dataclass
class Tally:
    """What was compared, and what differed."""

    streams: int = 0
    content_bytes: int = 0
    statuses: dict = field(default_factory=dict)
    differences: list = field(default_factory=list)


def splittings(count):
    """Return `count` splittings: one character, tokens, words, whole, then random ones."""
    fixed = [("char", 0), ("token", 0), ("word", 0), ("whole", 0)]
    return [*fixed, *(("random", seed) for seed in range(1, count))][:count]


def messages_for(record):
    """Return the request's messages: numbered passages, then the question."""
    passages = "\n".join(
        f"[C{n}] Source: passage {n}\n{chunk.text}" for n, chunk in enumerate(record.chunks, 1)
    )
    return [
        {"role": "system", "content": f"Answer from these passages and cite them.\n{passages}"},
        {"role": "user", "content": record.question},
    ]


async def stream_one(session, base, record, number, splitting, expected, tally):
    split, seed = splitting
    request = {
        "model": f"replay-{split}",
        "stream": True,
        "seed": seed,
        "messages": messages_for(record),
    }
    async with session.post(f"{base}/v1/chat/completions", json=request) as response:
        got = await response.read()
    written = b"".join(events(record, number, split=split, seed=seed))
    tally.streams += 1
    tally.content_bytes += len(written)
    if problem := compare(got, written, expected, tally):
        tally.differences.append(f"answer {number}, {split} {seed}: {problem}")


def compare(got, written, expected, tally):
    """Return what is wrong with one stream, None if nothing is."""
    if (count := got.count(KEY)) != 1:
        return f"{count} annotations"
    at = got.index(KEY)
    begin, end = got.rindex(b"data:", 0, at), got.index(b"\n\n", at) + 2
    if got[:begin] + got[end:] != written:
        return "other bytes than the upstream wrote"
    if got[end:] != b"data: [DONE]\n\n":
        return "the annotation does not stand before the end sign"
    annotation = json.loads(got[begin + 6 : end])["streamguard"]
    if annotation["state"] != "complete":
        return f"state {annotation['state']}"
    if annotation["result"] != expected:
        differing = [k for k, v in expected.items() if annotation["result"].get(k) != v]
        return f"another result than check_text: {', '.join(differing)}"
    status = expected["status"]
    tally.statuses[status] = tally.statuses.get(status, 0) + 1
    return None


async def run(records, count, parallel):
    tally, began = Tally(), time.perf_counter()
    upstream = make_runner(make_replay(Replay(records, rate=0.0)))
    url = await start(upstream, "127.0.0.1", 0)
    relay = make_runner(make_proxy(Settings(url)))
    base = await start(relay, "127.0.0.1", 0)
    async with aiohttp.ClientSession() as session:
        for number, record in enumerate(records):
            context = context_of(messages_for(record))
            expected = json.loads(check_text(record.answer, context=context).model_dump_json())
            many = splittings(count)
            for at in range(0, len(many), parallel):
                await asyncio.gather(
                    *(
                        stream_one(session, base, record, number, each, expected, tally)
                        for each in many[at : at + parallel]
                    )
                )
            if (number + 1) % 25 == 0 or number + 1 == len(records):
                print(
                    f"\r{number + 1} of {len(records)} answers, {tally.streams} streams,"
                    f" {len(tally.differences)} differences, {time.perf_counter() - began:.0f} s",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
    print(file=sys.stderr)
    await relay.cleanup()
    await upstream.cleanup()
    return tally


def distinct(records, count):
    """Return the first `count` records with a question and an answer of their own."""
    seen = {}
    for record in records:
        if record.question.strip() and record.question.strip() not in seen:
            seen[record.question.strip()] = record
    return list(seen.values())[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="JSON lines with question, chunks, answer; or .gz")
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--splittings", type=int, default=20)
    parser.add_argument("--parallel", type=int, default=10, help="streams at a time")
    args = parser.parse_args()
    if not args.data.is_file():
        print(f"{args.data} is missing: give the path of recorded answers", file=sys.stderr)
        return 2
    records = distinct(read_records(args.data), args.answers)
    tally = asyncio.run(run(records, args.splittings, args.parallel))
    for line in tally.differences[:20]:
        print(line)
    print(
        f"{len(records)} answers under {args.splittings} splittings: {tally.streams} streams,"
        f" {tally.content_bytes} upstream bytes, {len(tally.differences)} differences"
    )
    shown = ", ".join(f"{name}: {n}" for name, n in sorted(tally.statuses.items(), key=str))
    print(f"status of the streams that agree: {shown}")
    return 1 if tally.differences or not tally.streams else 0


if __name__ == "__main__":
    sys.exit(main())
