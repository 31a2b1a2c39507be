"""Servers that misbehave as told, and a proxy in front of them, over real sockets."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from multidict import CIMultiDict

from streamguard.server.proxy import Settings, make_app
from streamguard.server.serve import make_runner, start

PATIENCE_S = 10.0  # an event that does not come by then never comes
PATH = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def chunked(data):
    """Return `data` as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def frame(content=None, index=0, finish=None, **more):
    """Return one chat chunk as an event."""
    delta = {} if content is None else {"content": content}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}],
        **more,
    }
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def usage():
    """Return the usage chunk as an event."""
    return frame(choices=[], usage={"prompt_tokens": 3, "total_tokens": 5, "cached_tokens": 0})


DONE = b"data: [DONE]\n\n"


def answer(text, size=4):
    """Return the events of a whole streamed answer but for usage and the end sign."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return b"".join([frame(""), *map(frame, pieces), frame(finish="stop")])


@dataclass
class Received:
    """One request as the upstream saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    gone: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Upstream:
    """A server that answers every request by `script(received, writer)`."""

    url: str
    requests: list[Received] = field(default_factory=list)


@asynccontextmanager
async def upstream(script):
    """Run a raw server; a script is an async function, or bytes to write before closing."""
    made = Upstream("")
    tasks = set()

    async def serve(reader, writer):
        tasks.add(asyncio.current_task())
        try:
            received = await _read_request(reader)
            made.requests.append(received)
            watch = asyncio.create_task(_watch(reader, received.gone))
            try:
                if isinstance(script, bytes):
                    writer.write(script)
                    await writer.drain()
                else:
                    await script(received, writer)
            finally:
                watch.cancel()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            tasks.discard(asyncio.current_task())

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ")
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    elif headers.get("transfer-encoding") == "chunked":
        body = await _read_chunks(reader)
    else:
        body = b""
    return Received(method, path, headers, body)


async def _read_chunks(reader):
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


async def _watch(reader, gone):
    while await reader.read(65_536):
        pass
    gone.set()


@asynccontextmanager
async def proxy(url, **settings):
    """Run a proxy in front of `url`; gives its base URL."""
    runner = make_runner(make_app(Settings(url, **settings)))
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()


@dataclass
class Got:
    """What a client received; `clean` tells whether the body ended in order."""

    status: int
    headers: CIMultiDict
    body: bytes
    clean: bool

    @property
    def annotations(self):
        """The annotations among the events of the body, in order."""
        lines = self.body.replace(b"\r", b"\n").split(b"\n")
        return [
            json.loads(line.removeprefix(b"data: "))["streamguard"]
            for line in lines
            if b'"streamguard":' in line
        ]


async def ask(base, body=None, path=PATH, method="POST", **headers):
    """Send one request and read the answer to its end."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession() as session:
        url = aiohttp.client.URL(base + path, encoded=True)
        async with session.request(
            method, url, data=data, headers=names, allow_redirects=False
        ) as response:
            got, clean = b"", True
            try:
                async for piece in response.content.iter_any():
                    got += piece
            except aiohttp.ClientError:
                clean = False
            return Got(response.status, response.headers.copy(), got, clean)


async def result(base, id, *, pending=False, **headers):
    """Return the status and the stored annotation of an id, also a pending one if `pending`."""
    while True:
        got = await ask(base, None, f"/streamguard/results/{id}", "GET", **headers)
        if pending or got.status != 202:
            return got.status, json.loads(got.body)


QUESTION = {"role": "user", "content": "What does the Basic plan cost?"}
PASSAGES = {
    "role": "system",
    "content": "Answer from these.\n[C1] Source: plans.md\nThe Basic plan costs $10 per month."
    "\n[C2] The Pro plan costs $49 per month and includes support.\n",
}
ASKED = {"model": "mock", "stream": True, "messages": [PASSAGES, QUESTION]}
