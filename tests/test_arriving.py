"""Frames go on from the connection's own callback; all else is the task's, over real sockets."""

import asyncio
import logging

import pytest
from aiohttp.client_proto import ResponseHandler

from streamguard.server.http.connections import Connection
from streamguard.server.http.incoming import Incoming
from streamguard.server.proxy.arriving import Arriving
from streamguard.server.relay.ahead import Ahead
from streamguard.server.relay.opening import Opening
from tests.kit.frames import ASKED, CHUNKED, DONE, END, chunked, frame
from tests.kit.upstreams import ask, bare, proxy, read_request, upstream

pytestmark = pytest.mark.asyncio

WORDS = [f"word {number} " for number in range(40)]


@pytest.fixture
def reads(monkeypatch):
    """Return what the tasks read, in order: what is handed on elsewhere is not there."""
    seen, next_bytes, at_hand = [], Incoming.next_bytes, Incoming.at_hand

    async def counted(body):
        seen.append(await next_bytes(body))
        return seen[-1]

    def counted_at_hand(body):
        found = at_hand(body)
        if found is not None:
            seen.append(found)
        return found

    monkeypatch.setattr(Incoming, "next_bytes", counted)
    monkeypatch.setattr(Incoming, "at_hand", counted_at_hand)
    return seen


def one_by_one(frames, head=CHUNKED, cut=chunked, end=END):
    """Return a script that writes each frame in a turn of its own, and the frames received."""

    async def script(_received, writer):
        writer.write(head)
        for each in frames:
            writer.write(cut(each))
            await writer.drain()
            for _ in range(20):  # the proxy runs in this loop, and reads one frame at a time
                await asyncio.sleep(0)
        writer.write(end)

    return script


async def test_an_error_of_ours_while_nobody_waits_is_the_requests(monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL)
    taken, original = [], Ahead.pass_on

    def breaks(ahead, chunk):
        taken.append(chunk)
        if len(taken) > 5:
            raise ValueError("planted")
        return original(ahead, chunk)

    monkeypatch.setattr(Ahead, "pass_on", breaks)
    async with upstream(one_by_one([*map(frame, WORDS), DONE])) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert not got.clean
        assert (await ask(base, None, "/streamguard/health", "GET")).status == 200


@pytest.fixture
def parsed(monkeypatch):
    """Return what connections to upstreams left to aiohttp's parser."""
    seen, received = [], ResponseHandler.data_received

    def noted(connection, data):
        if isinstance(connection, Connection):  # the tests' client has others
            seen.append(data)
        received(connection, data)

    monkeypatch.setattr(ResponseHandler, "data_received", noted)
    return seen


@pytest.mark.parametrize("asked", ["chunk", "off"])
async def test_whole_chunks_go_on_without_being_parsed(parsed, asked):
    script = one_by_one([*map(frame, WORDS), DONE])
    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard=asked)
    assert got.clean
    assert got.body.startswith(b"".join(map(frame, WORDS)))
    assert len(parsed) < 10


async def test_a_connection_is_used_again_after_chunks_that_were_not_parsed(parsed):
    connections = []

    async def serve(reader, writer):
        connections.append(writer)
        while True:
            await one_by_one([*map(frame, WORDS), DONE])(await read_request(reader), writer)

    async with bare(serve) as url, proxy(url) as base:
        first, second = [await ask(base, ASKED) for _ in range(2)]
    assert len(connections) == 1
    for got in (first, second):
        assert got.clean
        assert got.body.startswith(b"".join(map(frame, WORDS)))
    assert len(parsed) < 20


async def test_an_answer_that_breaks_off_within_a_chunk_is_cut_behind_the_whole_ones(parsed):
    async def script(received, writer):
        await one_by_one(map(frame, WORDS), end=chunked(frame("broken"))[:-9])(received, writer)

    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
    assert not got.clean
    assert got.body.startswith(b"".join(map(frame, WORDS)))


async def test_text_is_examined_without_waking_the_task_that_waits(monkeypatch):
    waits, handed_on = [], Arriving.handed_on

    async def noted(arriving, taker):
        waits.append(await handed_on(arriving, taker))
        return waits[-1]

    monkeypatch.setattr(Arriving, "handed_on", noted)
    words = [f"Plan {number} costs ${number}. " for number in range(300)]
    script = one_by_one([*map(frame, words), DONE])
    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
    assert got.annotations[0]["result"]["text"]["code_points"] == len("".join(words))
    assert len(waits) < 20


async def test_an_error_of_ours_in_a_turn_is_the_requests(monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL)

    def breaks(opening):
        raise ValueError("planted")

    monkeypatch.setattr(Opening, "turn", breaks)
    words = [f"Plan {number} costs ${number}. " for number in range(300)]
    async with upstream(one_by_one([*map(frame, words), DONE])) as up, proxy(up.url) as base:
        assert not (await ask(base, ASKED)).clean
        assert (await ask(base, None, "/streamguard/health", "GET")).status == 200
