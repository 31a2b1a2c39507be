"""A raw server that keeps its connections, so that what one answer leaves behind meets the next."""

import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def serving(answer):
    """Run a server; gives its base URL.

    `answer(headers, reader, writer)` is awaited for every request, whose body was read; the
    connection is kept where it returns True. Its errors of the connection are none.
    """
    tasks = set()

    async def serve(reader, writer):
        tasks.add(asyncio.current_task())
        try:
            while await answer(await _headers(reader), reader, writer):
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            tasks.discard(asyncio.current_task())

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until_gone(reader):
    try:
        while await reader.read(65_536):
            pass
    except ConnectionError:
        pass


async def _headers(reader):
    """Read one request with a body of known length; return its headers."""
    _, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines if line)
    await reader.readexactly(int(headers.get("content-length", 0)))
    return headers
