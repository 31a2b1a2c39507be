"""Failure modes 31, 32 and 40: clients that leave, and many at once, over real sockets.

The others on cancelling and closing, 33 to 39, stand with the wrapper's and the middleware's
tests: `tests/failure_modes/` says where.
"""

import asyncio
import contextlib
import hashlib
import json

import aiohttp
import pytest

from tests.upstreams import (
    CHUNKED,
    DONE,
    END,
    PATH,
    PATIENCE_S,
    answer,
    ask,
    asking,
    chunked,
    frame,
    leave,
    proxy,
    read_request,
    stalls,
    upstream,
)

pytestmark = pytest.mark.asyncio


WHOLE = answer("Basic costs $10.") + DONE
# What was sent when the client leaves, and what of it the client waits for.
PHASES = {
    "before the head": (b"", b""),
    "before the first token": (CHUNKED, b"\r\n\r\n"),
    "in mid-stream": (CHUNKED + chunked(frame("Basic")), b"Basic"),
    "inside a frame": (CHUNKED + chunked(frame("Basic") + frame("x")[:30]), b"Basic"),
    "behind the end sign": (CHUNKED + chunked(WHOLE), b"[DONE]"),
}


@pytest.mark.parametrize("how", ["reset", "in order"])
@pytest.mark.parametrize("phase", PHASES)
async def test_mode_31_a_client_that_leaves_in_any_phase_frees_the_upstream_at_once(phase, how):
    sent, awaited = PHASES[phase]
    asked, seen = asyncio.Event(), asyncio.Event()

    async def silent(received, writer):
        writer.write(sent)
        await writer.drain()
        asked.set()
        await received.gone.wait()
        seen.set()

    async with upstream(silent) as up, proxy(up.url) as base, asyncio.timeout(PATIENCE_S):
        reader, writer = await asking(base)
        await asked.wait()
        got = b""
        while awaited not in got:
            got += await reader.read(65_536)
        leave(writer, how)
        await seen.wait()


@pytest.mark.parametrize(("count", "blocked"), [(40, False), (8, True)])
async def test_mode_32_clients_that_leave_at_once_free_their_upstreams(count, blocked):
    left, all_left, stalled = 0, asyncio.Event(), asyncio.Event()
    piece, waiting = chunked(b": " + b"x" * 50_000 + b"\n\n"), 0

    async def floods(received, writer):
        nonlocal left, waiting
        writer.write(CHUNKED + chunked(frame("Basic costs $10.")))
        while blocked:  # until neither the proxy nor the sockets between take any more
            writer.write(piece)
            if await stalls(writer):
                break
        waiting += 1
        if waiting == count:
            stalled.set()
        await received.gone.wait()
        left += 1
        if left == count:
            all_left.set()

    async with upstream(floods) as up, proxy(up.url) as base, asyncio.timeout(3 * PATIENCE_S):
        clients = [await asking(base) for _ in range(count)]
        for reader, _ in clients:
            assert await reader.read(1)
        await stalled.wait()
        for number, (_, writer) in enumerate(clients):
            leave(writer, "reset" if number % 2 else "in order")
        await all_left.wait()
        health = None
        while health is None or health["open_streams"]:
            health = json.loads((await ask(base, None, "/streamguard/health", "GET")).body)


async def test_mode_40_streams_on_kept_connections_do_not_mix():
    def text_of(number):
        return f"Plan {number} costs ${number} per month. It is no. {number}. " * (1 + number % 3)

    served = []

    async def answers(reader, writer):
        served.append(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                number = int(
                    json.loads((await read_request(reader)).body)["messages"][-1]["content"]
                )
                writer.write(CHUNKED)
                for at in range(0, len(text_of(number)), 11):
                    writer.write(chunked(frame(text_of(number)[at : at + 11])))
                    await asyncio.sleep(0)
                writer.write(chunked(frame(finish="stop") + DONE) + END)
        writer.close()

    async def one(session, base, number):
        asked = {"stream": True, "messages": [{"role": "user", "content": str(number)}]}
        async with session.post(base + PATH, json=asked) as response:
            body = await response.text()
            name = response.headers["x-streamguard-id"]
        frames = [json.loads(line[6:]) for line in body.split("\n\n") if line.startswith("data: {")]
        said = "".join(each["choices"][0]["delta"].get("content", "") for each in frames)
        (annotation,) = [each["streamguard"] for each in frames if "streamguard" in each]
        digest = hashlib.sha256(text_of(number).encode()).hexdigest()
        return (
            said == text_of(number),
            annotation["result"]["text"]["sha256"] == digest,
            (annotation["id"] == name),
        )

    server = await asyncio.start_server(answers, "127.0.0.1", 0)
    connector = aiohttp.TCPConnector(limit=8)
    async with (
        server,
        proxy(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as base,
        aiohttp.ClientSession(connector=connector) as session,
        asyncio.timeout(PATIENCE_S),
    ):
        outcomes = await asyncio.gather(*(one(session, base, number) for number in range(80)))
    await asyncio.gather(*served)
    assert set(outcomes) == {(True, True, True)}
