"""A raw server that keeps its connections, so that what one answer leaves behind meets the next."""

from contextlib import asynccontextmanager

from tests.kit.upstreams import bare, read_request


@asynccontextmanager
async def serving(answer):
    """Run a server; gives its base URL.

    `answer(headers, reader, writer)` is awaited for every request, whose body was read; the
    connection is kept where it returns True.
    """

    async def serve(reader, writer):
        while await answer((await read_request(reader)).headers, reader, writer):
            await writer.drain()

    async with bare(serve) as url:
        yield url
