"""A client on a bare socket that takes HTTP by the letter, and may leave."""

import asyncio
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.programs.faults.fault import reset


class NoHTTPError(Exception):
    """What came is no HTTP/1.1 response."""


@dataclass(slots=True)
class Got:
    """What a client received; `status` 0 where it left, or was cut off, before the head."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    clean: bool = False

    @property
    def id(self):
        return self.headers.get("x-streamguard-id")


async def ask(base, body=b"", headers=None, *, path="/", method="POST", leave=None, turns=0):
    """Send one request; return what came until the response ended, or until `leave` says so.

    One that leaves before the head does so after `turns` turns of the loop. Raises `NoHTTPError`.
    """
    host, port = urlsplit(base).hostname, urlsplit(base).port
    reader, writer = await asyncio.open_connection(host, port)
    got = Got()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    try:
        writer.write("\r\n".join((*lines, "", "")).encode() + body)
        if leave is None:
            await _receive(reader, got, method)
        else:
            await _receive_some(reader, got, leave.after, turns)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        if leave is not None and leave.how == "rst":
            reset(writer)
        else:
            writer.close()
    return got


async def _receive(reader, got, method):
    await _head(reader, got)
    if got.headers.get("transfer-encoding") == "chunked":
        await _chunks(reader, got)
    elif "content-length" in got.headers:
        await _exactly(reader, got, int(got.headers["content-length"]))
    else:
        while piece := await reader.read(65_536):
            got.body += piece
    got.clean = True


async def _receive_some(reader, got, after, turns):
    """Read the head and `after` bytes behind it, and no chunk's size is looked at."""
    if not after:
        for _ in range(turns):
            await asyncio.sleep(0)
        return
    await _head(reader, got)
    read = 1
    while read < after and (piece := await reader.read(after - read)):
        read += len(piece)


async def _head(reader, got):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, _, rest = lines[0].partition(" ")
    if version != "HTTP/1.1" or not rest[:3].isdigit():
        raise NoHTTPError(f"the response begins with {lines[0]!r}")
    got.status = int(rest[:3])
    for line in filter(None, lines[1:]):
        name, colon, value = line.partition(":")
        if not colon or name.strip() != name or name.lower() in got.headers:
            raise NoHTTPError(f"the response has the header line {line!r}")
        got.headers[name.lower()] = value.strip()
    if {"content-length", "transfer-encoding"} <= set(got.headers):
        raise NoHTTPError("the response has two lengths")


async def _chunks(reader, got):
    parts = []
    try:
        while size := await _chunk_size(reader):
            parts.append(await _up_to(reader, size))
            if len(parts[-1]) < size:
                raise asyncio.IncompleteReadError(b"", size)
            if await reader.readexactly(2) != b"\r\n":
                raise NoHTTPError(f"a chunk of {size} bytes does not end with a line")
        if await reader.readexactly(2) != b"\r\n":
            raise NoHTTPError("the last chunk has trailers")
    finally:
        got.body = b"".join(parts)


async def _chunk_size(reader):
    line = await reader.readuntil(b"\r\n")
    try:
        return int(line, 16)
    except ValueError:
        raise NoHTTPError(f"a chunk's size is {line!r}") from None


async def _exactly(reader, got, size):
    got.body = await _up_to(reader, size)
    if len(got.body) < size:
        raise asyncio.IncompleteReadError(got.body, size)


async def _up_to(reader, size):
    """Return `size` bytes, fewer where the connection ends before."""
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as exc:
        return exc.partial
