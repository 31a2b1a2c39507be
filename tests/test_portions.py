"""What comes at once is read in turns: told by counting lines and rounds of the loop."""

import asyncio
import gzip
import re

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.http.portions import MAX_LINES, portion
from streamguard.server.relay.relay import Relay
from streamguard.server.store import ResultStore
from tests.kit.asgi import CHAT_PATH, annotations, call, saying, scope
from tests.kit.frames import ASKED, CHUNKED, DONE, END, HEAD, PATIENCE_S, answer, chunked
from tests.kit.upstreams import ask, proxy, upstream

LINE_END = re.compile(rb"[\r\n]")


def portions(data):
    while data:
        size = portion(data)
        yield data[:size]
        data = data[size:]


def lines(data):
    return len(LINE_END.findall(data))


@given(st.integers(1, 3_000), st.integers(1, 3_000), st.integers(0, 400))
def test_a_portion_of_so_many_bytes_looks_at_no_more(size, most, ends):
    data = bytearray(b"x" * size + b"\n" * ends + b"x" * size)
    assert portion(data, most) == portion(data[:most])
    assert portion(data, len(data)) == portion(data)


@given(st.lists(st.tuples(st.sampled_from([b"\n", b"\r", b"\r\n", b"x", b"yz\n"]),
                          st.integers(0, 3_000)), max_size=8))  # fmt: skip
def test_portions_of_anything_are_all_of_it_in_turns(runs):
    data = b"".join(piece * count for piece, count in runs)
    found = list(portions(data))
    assert b"".join(found) == data
    assert max(map(lines, found), default=0) <= MAX_LINES


@pytest.fixture
def heard(monkeypatch):
    """Note the lines of everything that is read at once."""
    counts = []

    def noting(take):
        return lambda self, chunk: counts.append(lines(chunk)) or take(self, chunk)

    for name in ("receive", "follow"):
        monkeypatch.setattr(Relay, name, noting(getattr(Relay, name)))
    return counts


async def rounds(counts, asked):
    """Return what `asked` gives, and the most receptions in one round of the loop."""
    most, before, task = 0, 0, asyncio.ensure_future(asked)
    while not task.done():
        await asyncio.sleep(0)
        most, before = max(most, len(counts) - before), len(counts)
    return await task, most


HOSTILE = {
    "blank lines": b"\n" * 8_000,
    "blank lines of two characters": b"\r\n" * 4_000,
    "comments": b":\n\n" * 4_000,
    "empty data": b"data:\n\n" * 2_000,
}


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["chunk", "header"])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("packed", [False, True])
async def test_the_proxy_reads_an_upstream_in_turns(name, form, packed, heard):
    content = answer("The Basic plan costs $59. ")
    body = content + HOSTILE[name] + DONE
    head = HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
    script = head + gzip.compress(body) if packed else CHUNKED + chunked(body) + END
    async with upstream(script) as up, proxy(up.url) as base:
        asked = ask(base, ASKED, x_streamguard=form, accept_encoding="gzip")
        async with asyncio.timeout(3 * PATIENCE_S):
            got, most = await rounds(heard, asked)
    assert sum(heard) == lines(body)
    assert max(heard) <= MAX_LINES
    assert most <= 4  # a few connections' callbacks may fall into one round
    if form == "header":
        assert got.body == body
    else:
        assert len(got.annotations) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/files"])
async def test_a_body_of_nothing_but_empty_members_lets_others_have_their_turns(path):
    body = gzip.compress(b"") * 10_000 + gzip.compress(DONE)
    head = HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
    count = 0
    async with upstream(head + body) as up, proxy(up.url) as base:
        asking = asyncio.ensure_future(ask(base, ASKED, path))
        while not asking.done():
            count += 1
            await asyncio.sleep(0)
    assert (await asking).body.endswith(DONE)
    assert count > 10_000 / 64


@pytest.mark.anyio
@pytest.mark.parametrize("name", HOSTILE)
async def test_the_middleware_reads_an_application_in_turns(name, heard):
    content = answer("The Basic plan costs $59. ")
    body = content + HOSTILE[name] + DONE
    inner = saying([body[:6_000], body[6_000:]], "text/event-stream")
    app, rounds_of_others = StreamGuardMiddleware(inner, store=ResultStore()), 0

    async def counting():
        nonlocal rounds_of_others
        while True:
            rounds_of_others += 1
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        group.start_soon(counting)
        sent = await call(app, scope(CHAT_PATH))
        group.cancel_scope.cancel()
    assert sum(heard) == lines(body)
    assert max(heard) <= MAX_LINES
    assert rounds_of_others > len(heard)
    assert len(annotations(sent.body)) == 1
