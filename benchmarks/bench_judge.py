"""How long a judge keeps an annotation waiting: a scripted server of a model's speed, real sockets.

    python benchmarks/bench_judge.py [--answers 40] [--claims 3 10 30] [--first-ms 400]
        [--tokens-per-s 60] [--answer-tokens-per-s 60] [--max-requests 3]

The server reads the judge's real requests and answers in the prompt's form, a quotation of six to
eighteen words for each sentence (the median of a capable model's is ten), as slowly as a model
does: so long before the first token, so many tokens a second (four characters each). Answers stream
as fast. Printed are the share of annotations that came as pending, and the delay from an answer's
last token to its annotation.
"""

import argparse
import asyncio
import json
import math
import platform
from statistics import fmean
from time import perf_counter

from aiohttp import web

from streamguard import Context, Judge, guard
from streamguard.version import __version__

CHARS_A_TOKEN = 4


def line(room: int) -> str:
    words = f"Room {room} has {room + 2} chairs, a desk, a red lamp, and is cleaned every second"
    return " ".join(f"{words} morning before guests come down.".split()[: 6 + room * 5 % 13])


def claim(room: int) -> str:
    return f"In room {room} you find {room + 2} chairs beside the desk and the lamp. "


def quoted(sentence: str, passages: list[str]) -> str:
    """Return the passages' line about the sentence's room."""
    room = sentence.split("room ")[1].split(" ")[0]
    lines = [each for text in passages for each in text.split("\n")]
    return next(each for each in lines if each.startswith(f"Room {room} "))


async def judging(first_s: float, per_s: float) -> tuple[web.AppRunner, str]:
    """Start the server; return it and its address."""

    async def answer(request: web.Request) -> web.Response:
        asked = json.loads((await request.json())["messages"][1]["content"])
        texts = [one["text"] for one in asked["passages"]]
        entries = [
            {
                "id": one["id"],
                "verdict": "supported",
                "confidence": 0.95,
                "quotes": [quoted(one["text"], texts)],
            }
            for one in asked["sentences"]
        ]
        content = json.dumps({"verdicts": entries})
        tokens = len(content) / CHARS_A_TOKEN
        await asyncio.sleep(first_s + tokens / per_s)
        usage = {"prompt_tokens": len(str(asked)) // CHARS_A_TOKEN, "completion_tokens": tokens}
        return web.json_response({"choices": [{"message": {"content": content}}], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    (host, port), *_ = runner.addresses
    return runner, f"http://{host}:{port}/v1"


async def streamed(judge: Judge, claims: int, first: int, per_s: float):
    """Stream one answer; return its annotation and how long that took after the last token."""
    rooms = range(first, first + claims)
    context = Context(query="What is in the rooms?", chunks=["\n".join(map(line, rooms))])

    async def source():
        nonlocal last
        for room in rooms:
            for word in claim(room).split(" ")[:-1]:
                await asyncio.sleep(1.3 / per_s)  # tokens a word
                yield f"{word} "
        last = perf_counter()

    last = 0.0
    async with guard(source(), context=context, judge=judge) as stream:
        async for _ in stream:
            pass
    return stream.annotation, perf_counter() - last


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]


async def measure(args: argparse.Namespace) -> None:
    runner, url = await judging(args.first_ms / 1_000, args.tokens_per_s)
    print(f"{'claims':>6} {'pending':>8} {'p50 s':>6} {'p95 s':>6} {'requests':>9} {'read':>5}")
    try:
        for claims in args.claims:
            judge = Judge(url, f"m{claims}", max_requests=args.max_requests, concurrency=1_000)
            told = await asyncio.gather(
                *(
                    streamed(judge, claims, 100 * number, args.answer_tokens_per_s)
                    for number in range(args.answers)
                )
            )
            delays = [took for _, took in told]
            pending = fmean(one.state == "pending" for one, _ in told)
            reports = [one.verifiers[0] for one, _ in told]
            asked = fmean(one.cost.get("requests", 0.0) for one in reports)
            read = fmean(one.answered / one.claims for one in reports)
            p50, p95 = percentile(delays, 0.5), percentile(delays, 0.95)
            print(f"{claims:6} {pending:8.3f} {p50:6.2f} {p95:6.2f} {asked:9.1f} {read:5.2f}")
    finally:
        await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--claims", type=int, nargs="+", default=[3, 10, 30])
    parser.add_argument("--first-ms", type=float, default=400)
    parser.add_argument("--tokens-per-s", type=float, default=60)
    parser.add_argument("--answer-tokens-per-s", type=float, default=60)
    parser.add_argument("--max-requests", type=int, default=3)
    args = parser.parse_args()
    print(f"streamguard {__version__}, Python {platform.python_version()}, {args.answers} answers")
    asyncio.run(measure(args))


if __name__ == "__main__":
    main()
