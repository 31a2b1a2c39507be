"""Requests that do not come: heads, bodies, and connections that say nothing."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from streamguard.server.http import patience
from tests.kit.chatting import chatting, folder_store
from tests.kit.frames import ASKED, CHUNKED, DONE, END, PATH, PATIENCE_S, answer, chunked, whole
from tests.kit.upstreams import ask, proxy, upstream

pytestmark = pytest.mark.asyncio

WHOLE = CHUNKED + chunked(answer("It costs $10. ") + DONE) + END
BODY = json.dumps(ASKED).encode()


def post(path, length=None):
    length = len(BODY) if length is None else length
    return f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n".encode()


@asynccontextmanager
async def connected(base):
    reader, writer = await asyncio.open_connection(*base.removeprefix("http://").split(":"))
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield reader, writer
    finally:
        writer.close()


@pytest.fixture
def impatient(monkeypatch):
    """Let servers wait for hardly anything."""
    monkeypatch.setattr(patience, "HEAD_S", 0.1)
    monkeypatch.setattr(patience, "LOOK_S", 0.02)
    monkeypatch.setattr(patience, "BODY_S", 0.1)


@pytest.mark.parametrize("said", [b"", b"POST /v1/chat", post(PATH)[:-2], b"\r\n"])
async def test_a_connection_without_a_whole_head_ends(said, impatient):
    async with upstream(WHOLE) as up, proxy(up.url) as base, connected(base) as (reader, writer):
        writer.write(said)
        assert await reader.read() == b""
        assert (await ask(base, ASKED)).status == 200  # others are served
        assert len(up.requests) == 1


@pytest.mark.parametrize("path", [PATH, "/v1/files", "/streamguard/contexts"])
@pytest.mark.parametrize("said", [b"", BODY[:10]])
async def test_a_body_that_does_not_come_is_answered_with_408(path, said, impatient):
    async with upstream(whole(b"{}")) as up, proxy(up.url) as base, connected(base) as both:
        reader, writer = both
        writer.write(post(path) + said)
        back = await reader.readuntil(b"}}")
    assert back.startswith(b"HTTP/1.1 408 ")
    assert b"the request's body does not come" in back
    assert b"connection: close" in back.lower()


async def test_the_chat_server_waits_as_long(monkeypatch):
    monkeypatch.setattr("streamguard.server.chat.requests.BODY_S", 0.05)
    store = folder_store()
    async with chatting(store) as base, connected(base) as (reader, writer):
        head = post("/api/chat", 10).replace(b"\r\n\r\n", b"\r\nContent-Type:"
                                                 b" application/json\r\n\r\n")  # fmt: skip
        writer.write(head)
        assert b"the request's body does not come" in await reader.readuntil(b"}}")
    store.close()
