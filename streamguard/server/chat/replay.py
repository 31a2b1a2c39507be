"""`streamguard replay`: an OpenAI-compatible server that streams recorded answers."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from streamguard.errors import ConfigError
from streamguard.server.chat.recorded import (
    CREATED,
    DONE,
    MODEL,
    SPLITS,
    RecordedAnswer,
    due_of,
    events,
    read_records,
    whole_answer,
)
from streamguard.server.http.bodies import refused
from streamguard.server.observe.logs import set_up
from streamguard.server.workers.serve import address, run_until_stopped, serve
from streamguard.wire.requests.shown import context_of

LISTEN = "127.0.0.1:8081"
RATE = 50.0  # tokens a second: the rough speed of hosted chat models; guess


@dataclass(slots=True)
class Replay:
    """Recorded answers, and the number of the next one.

    `rate` in pieces per second, 0 for the client's speed. The streams of the `broken` ones, by
    number, end without an end sign.
    """

    records: Sequence[RecordedAnswer]
    rate: float = RATE
    split: str = "token"
    seed: int = 0
    broken: Collection[int] = ()
    by_question: dict[str, list[int]] = field(init=False, default_factory=dict)
    turns: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for number, record in enumerate(self.records):
            self.by_question.setdefault(record.question.strip(), []).append(number)

    def choose(self, messages: Any) -> int:
        """Return the next record's number for the question asked; without one the next in turn."""
        question = (context_of(messages).query or "").strip()
        if question not in self.by_question:
            known = (known for known in self.by_question if known and question.endswith(known))
            question = max(known, key=len, default="")
        numbers = self.by_question.get(question) or range(len(self.records))
        turn = self.turns.get(question, 0)
        self.turns[question] = turn + 1
        return numbers[turn % len(numbers)]

    def split_of(self, model: Any) -> str:
        """Return the split in a model name (`replay-char`), else the server's."""
        split = model.removeprefix(f"{MODEL}-") if isinstance(model, str) else ""
        return split if split in SPLITS else self.split


_REPLAY = web.AppKey("replay", Replay)


def make_app(replay: Replay) -> web.Application:
    """Return the server as an application."""
    app = web.Application(client_max_size=2**25)
    app[_REPLAY] = replay
    app.router.add_post("/{path:.*}chat/completions", _chat)
    app.router.add_get("/{path:.*}models", _models)
    return app


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard replay`."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="JSON lines with question, chunks, answer; or .gz")
    add("--listen", default=LISTEN, metavar="HOST:PORT", help="(default: %(default)s)")
    add(
        "--rate",
        type=float,
        default=RATE,
        metavar="N",
        help="pieces a second; 0: as fast as the client reads (default: %(default)g)",
    )
    add(
        "--split",
        choices=SPLITS,
        default="token",
        help="how answers are cut; recorded keeps the pieces and the times of a proxy's --record; a"
        " request's model, as in replay-char, wins"
        " (default: %(default)s)",
    )
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="which random cut; a request's seed wins (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the replay server until it is stopped; return the exit status."""
    host, port = address(args.listen)
    if args.rate < 0:
        raise ConfigError(f"rate is {args.rate:g}, expected 0 or more pieces a second")
    app = make_app(Replay(read_records(args.file), args.rate, args.split, args.seed))
    set_up("info")
    run_until_stopped(serve(app, host, port, "replay"))
    return 0


async def _models(_request: web.Request) -> web.Response:
    models = [
        {"id": f"{MODEL}-{split}", "object": "model", "created": CREATED, "owned_by": "streamguard"}
        for split in SPLITS
    ]
    return web.json_response({"object": "list", "data": models})


async def _chat(request: web.Request) -> web.StreamResponse:
    try:
        body = await request.json()
        messages, stream = body["messages"], body.get("stream")
    except (ValueError, TypeError, KeyError, AttributeError):
        return refused(400, "expected a JSON object with messages", "bad_request")
    replay = request.app[_REPLAY]
    number = replay.choose(messages)
    record = replay.records[number]
    if not stream:
        return web.json_response(whole_answer(record, number))
    seed = body.get("seed")
    options = body.get("stream_options")
    split = replay.split_of(body.get("model"))
    written = events(
        record,
        number,
        split=split,
        seed=seed if isinstance(seed, int) else replay.seed,
        usage=isinstance(options, dict) and bool(options.get("include_usage")),
    )
    if number in replay.broken:
        written = (event for event in written if _goes_on(event))
    return await _stream(request, zip(written, due_of(record, split, replay.rate), strict=False))


def _goes_on(event: bytes) -> bool:
    """Return whether an event does not end an answer."""
    return event != DONE and b'"finish_reason":"stop"' not in event


async def _stream(
    request: web.Request, written: Iterable[tuple[bytes, float]]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    clock = asyncio.get_running_loop().time
    began = clock()
    try:
        for event, due in written:
            await response.write(event)
            await asyncio.sleep(max(0.0, began + due - clock()) if due else 0)
    except ConnectionError:
        pass  # the client left
    return response
