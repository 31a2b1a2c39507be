"""Servers that misbehave as told, and a proxy in front of them, over real sockets."""

import asyncio
import io
import json
import os
import socket
import struct
import sys
import tracemalloc
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

import aiohttp
from multidict import CIMultiDict

from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.workers.serve import make_runner, start
from tests.kit.frames import (  # noqa: F401 (for whoever has both from here)
    ASKED,
    CHUNKED,
    DONE,
    END,
    HEAD,
    PASSAGES,
    PATH,
    PATIENCE_S,
    QUESTION,
    answer,
    chunked,
    frame,
    usage,
    whole,
)


@contextmanager
def refusing():
    """Give the address of a port that is held and refuses: one given up may soon be another's."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@dataclass
class Received:
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
async def bare(serve, port=0):
    """Run a server that is nothing but `serve(reader, writer)`; gives its address."""
    tasks = set()

    async def served(reader, writer):
        tasks.add(asyncio.current_task())
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            tasks.discard(asyncio.current_task())

    server = await asyncio.start_server(served, "127.0.0.1", port)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def upstream(script, port=0):
    """Run a raw server; a script is an async function, or bytes to write before closing."""
    made = Upstream("")

    async def serve(reader, writer):
        received = await read_request(reader)
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

    async with bare(serve, port) as made.url:
        yield made


def in_pieces(events, size):
    """Return a script that writes `events` as chunks of `size` bytes, each in its own turn."""

    async def script(_received, writer):
        writer.write(CHUNKED)
        for at in range(0, len(events), size):
            writer.write(chunked(events[at : at + size]))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(END)

    return script


def parts(first, rest, go):
    """Return a script that sends `first`, waits for `go`, and sends `rest` and the end."""

    async def script(_received, writer):
        writer.write(CHUNKED + chunked(first))
        await writer.drain()
        await go.wait()
        writer.write(chunked(rest) + END)

    return script


async def stalls(writer, turns=500):
    """Say whether what was written is stuck: no room for more in so many turns of the loop.

    A loaded machine takes longer for a turn, and no more turns.
    """
    draining = asyncio.ensure_future(writer.drain())
    for _ in range(turns):
        await asyncio.sleep(0)
        if draining.done():
            await draining
            return False
    draining.cancel()
    return True


def cut_after(events, how):
    """Return a script that sends `events` and ends the connection as `how` says."""

    async def script(_received, writer):
        short = HEAD + b"Content-Length: %d\r\n\r\n" % (len(events) + 5)
        bare = HEAD + b"Connection: close\r\n\r\n"
        head = {"short": short, "bare": bare}.get(how, CHUNKED)
        writer.write(head + (events if head is not CHUNKED else chunked(events)))
        if how == "clean":
            writer.write(END)
        await writer.drain()
        if how == "reset":
            leave(writer, how)

    return script


def forever(pieces, seen):
    """Return a script that sends `pieces`, then waits for the proxy to hang up."""

    async def script(received, writer):
        writer.write(CHUNKED)
        for piece in pieces:
            writer.write(chunked(piece))
        await received.gone.wait()
        seen.set()

    return script


async def read_request(reader):
    """Read one request; `IncompleteReadError` where none comes any more."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, path, _ = first.split(" ")
    named = (line.partition(": ") for line in filter(None, lines))
    headers = {name.lower(): value for name, _, value in named}
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


async def until_gone(reader):
    """Wait until the other side has hung up."""
    with suppress(ConnectionError):
        while await reader.read(65_536):
            pass


async def _watch(reader, gone):
    await until_gone(reader)
    gone.set()


@asynccontextmanager
async def proxy(url, **settings):
    """Run a proxy in front of `url`; gives its base URL."""
    runner = make_runner(make_app(Settings(url, **settings)))
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()


@asynccontextmanager
async def opened(script, headers=None, **settings):
    """Ask a proxy in front of `script`; give its base URL and the answer, which is to be read."""
    async with (
        asyncio.timeout(3 * PATIENCE_S),
        upstream(script) as up,
        proxy(up.url, **settings) as base,
        aiohttp.ClientSession() as session,
        session.post(base + PATH, json=ASKED, headers=headers) as response,
    ):
        yield base, response


_COMMANDS = {"proxy": "proxy.app", "replay": "chat.replay"}
_RUN = "import argparse, sys\nimport streamguard.server.{0} as m\np = argparse.ArgumentParser()\n"
_RUN += "m.add_arguments(p)\nsys.exit(m.run(p.parse_args()))"


@asynccontextmanager
async def command(name, *flags, **environment):
    """Run a server's command in a child process; gives its address and the process."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _RUN.format(_COMMANDS[name]),
        *flags,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = json.loads(await child.stderr.readline())
            assert (line["event"], line["server"]) == ("listening", name)
            yield line["address"], child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


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
    """Send one request and read the answer to its end; bytes have no type but a given one."""
    names = CIMultiDict({name.replace("_", "-"): value for name, value in headers.items()})
    if not isinstance(body, bytes | None):
        names.setdefault("Content-Type", "application/json")
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    if data and len(data) > 2**20:  # aiohttp warns of longer ones
        data = io.BytesIO(data)
    async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession(auto_decompress=False) as session:
        url = aiohttp.client.URL(base + path, encoded=True)
        typed = {"headers": names, "skip_auto_headers": ["Content-Type"]}
        async with session.request(
            method, url, data=data, allow_redirects=False, **typed
        ) as response:
            got, clean = b"", True
            try:
                async for piece in response.content.iter_any():
                    got += piece
            except aiohttp.ClientError:
                clean = False
            return Got(response.status, response.headers.copy(), got, clean)


async def flooded(pieces, head=CHUNKED, **headers):
    """Relay `pieces`; return how many bytes came, the last of them, the id, and the most memory.

    Memory in bytes, of upstream, proxy and client together, none of which keeps the body.
    """
    count, last = 0, b""

    async def script(_received, writer):
        writer.write(head)
        for piece in pieces:
            writer.write(chunked(piece) if head is CHUNKED else piece)
            await writer.drain()
        writer.write(END if head is CHUNKED else b"")

    tracemalloc.start()
    try:
        async with opened(script, headers) as (base, response):
            async for piece in response.content.iter_any():
                count += len(piece)
                last = (last + piece)[-100_000:]
            _, peak = tracemalloc.get_traced_memory()
            got = Got(response.status, response.headers.copy(), last, True)
            return count, got, await stored_of(base, got), peak
    finally:
        tracemalloc.stop()


async def result(base, id, *, pending=False, **headers):
    """Return the status and the stored annotation of an id, also a pending one if `pending`."""
    while True:
        got = await ask(base, None, f"/streamguard/results/{id}", "GET", **headers)
        if pending or got.status != 202:
            return got.status, json.loads(got.body)


def without_annotation(body):
    """Return the body without the event that carries our annotation."""
    at = body.index(b'"streamguard":{"object"')
    start = body.rindex(b"data:", 0, at)
    end = body.index(b"\n\n" if b"\r\n" not in body[:at] else b"\r\n\r\n", at)
    return body[:start] + body[end:].lstrip()


async def dial(base, sent=b"", **options):
    """Open a connection, and send bytes; gives its reader and its writer."""
    host, port = base.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), **options)
    writer.write(sent)
    return reader, writer


async def raw(base, request):
    """Send bytes, return all that comes back."""
    reader, writer = await dial(base, request)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    finally:
        writer.close()


async def stored_of(base, got):
    """Return the stored annotation of an answer whose stream is over."""
    return (await result(base, got.headers["x-streamguard-id"]))[1]


async def asking(base, body=None, **headers):
    """Send a question over a bare connection; return it, nothing of the answer is read."""
    body = json.dumps(ASKED).encode() if body is None else body
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    return await dial(base, head.encode() + body, limit=2**22)


def leave(writer, how):
    """Close a connection: in order (FIN) or not (RST)."""
    if how == "reset":
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.close()


async def leaves(base, after, headers=None):
    """Ask, leave once `after` bytes have come; return the result's id, if it came."""
    async with aiohttp.ClientSession() as session:
        response = await session.post(base + PATH, json=ASKED, headers=headers)
        got = b""
        while len(got) < after:
            got += await response.content.readany()
        response.close()
        return response.headers["x-streamguard-id"]
