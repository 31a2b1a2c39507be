"""Failure modes 31, 32 and 40: clients that leave, and many at once, over real sockets.

The others on cancelling and closing, 33 to 39, stand with the wrapper's and the middleware's
tests: `tests/cases/failure_modes/` says where.
"""

import asyncio
import contextlib
import hashlib
import json

import aiohttp
import pytest

from tests.kit.frames import CHUNKED, DONE, END, PATH, PATIENCE_S, chunked, frame
from tests.kit.upstreams import bare, proxy, read_request

pytestmark = pytest.mark.asyncio


async def test_mode_40_streams_on_kept_connections_do_not_mix():
    def text_of(number):
        return f"Plan {number} costs ${number} per month. It is no. {number}. " * (1 + number % 3)

    served = []

    async def answers(reader, writer):
        served.append(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError):
            while asked := json.loads((await read_request(reader)).body):
                text = text_of(int(asked["messages"][-1]["content"]))
                writer.write(CHUNKED)
                for at in range(0, len(text), 11):
                    writer.write(chunked(frame(text[at : at + 11])))
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
        told = (said, annotation["result"]["text"]["sha256"], annotation["id"])
        digest = hashlib.sha256(text_of(number).encode()).hexdigest()
        assert told == (text_of(number), digest, name)

    async with (
        asyncio.timeout(PATIENCE_S),
        bare(answers) as url,
        proxy(url) as base,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=8)) as session,
    ):
        await asyncio.gather(*(one(session, base, number) for number in range(80)))
    await asyncio.gather(*served)
