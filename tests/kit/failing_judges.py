"""Servers of judges that fail, on loopback: each answers in its own wrong way."""

import asyncio
import json
from contextlib import asynccontextmanager

LIES = {
    "verdict": "supported", "confidence": 1.0,
    "quotes": ["The Basic plan costs $12 per month, as agreed"],
}  # fmt: skip


def _response(content, status="200 OK", **choice):
    message = {"message": {"content": content}, **choice}
    body = json.dumps({"choices": [message]}).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode(), body


def _sentences(sent):
    asked = json.loads(sent.partition(b"\r\n\r\n")[2])["messages"][1]["content"]
    return [one["id"] for one in json.loads(asked)["sentences"]]


async def hangs(sent, writer, ended):
    await ended.wait()


async def is_slow(sent, writer, ended):
    """Send a byte now and then, for longer than anybody waits."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
    while not ended.is_set():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def talks_nonsense(sent, writer, ended):
    writer.writelines(_response("Sure! All of it is well supported."))


async def is_cut_off(sent, writer, ended):
    head, body = _response('{"verdicts": []}')
    writer.writelines([head, body[: len(body) // 2]])


async def runs_out_of_room(sent, writer, ended):
    writer.writelines(_response('{"verdicts": [{"id": "S1", "ver', finish_reason="length"))


async def denies(sent, writer, ended):
    writer.writelines(_response("", "401 Unauthorized"))


async def is_busy(sent, writer, ended):
    writer.writelines(_response("", "429 Too Many Requests"))


async def lies(sent, writer, ended):
    content = json.dumps({"verdicts": [{"id": one, **LIES} for one in _sentences(sent)]})
    writer.writelines(_response(content))


async def closes(sent, writer, ended):
    writer.transport.abort()


# By name, with what the result says of it.
FAILING = {
    "hangs": (hangs, "no answer within"),
    "is slow by a minute": (is_slow, "no answer within"),
    "answers nonsense": (talks_nonsense, "no JSON of the form asked for"),
    "is cut off": (is_cut_off, "cannot be reached"),
    "runs out of room": (runs_out_of_room, "no JSON of the form asked for"),
    "answers 401": (denies, "answered with status 401"),
    "answers 429": (is_busy, "answered with status 429"),
    "lies with false quotations": (lies, "it is not believed"),
    "closes the connection": (closes, "cannot be reached"),
}


@asynccontextmanager
async def failing_judge(fails):
    """Run a server that fails so; yield its address."""
    ended = asyncio.Event()
    open_ones = set()

    async def serve(reader, writer):
        open_ones.add(asyncio.current_task())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await fails(head + await reader.readexactly(length), writer, ended)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"http://{host}:{port}/v1"
    finally:
        ended.set()
        server.close()
        await asyncio.gather(*open_ones, return_exceptions=True)
