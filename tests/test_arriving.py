"""Frames go on from the connection's own callback; all else is the task's, over real sockets."""

import asyncio
import logging

import pytest

from streamguard.server.http.incoming import Incoming
from streamguard.server.relay.checking import Checking
from tests.frames import ASKED, CHUNKED, DONE, END, chunked, frame
from tests.upstreams import ask, proxy, result, upstream

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


@pytest.mark.parametrize("form", ["off", "header", "chunk"])
async def test_most_frames_wake_no_task_and_none_is_changed(reads, form):
    frames = [*map(frame, WORDS), frame(finish="stop"), DONE]
    async with upstream(one_by_one(frames)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard=form)
        assert got.clean
        kept = [line for line in got.body.split(b"\n\n") if b'"streamguard"' not in line]
        assert b"\n\n".join(kept) == b"".join(frames)
        assert 1 <= len(reads) < len(frames) / 2
        if form != "off":
            _, stored = await result(base, got.headers["x-streamguard-id"])
            assert stored["result"]["text"]["code_points"] == len("".join(WORDS))


async def test_an_error_of_ours_while_nobody_waits_is_the_requests(monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL)
    taken, original = [], Checking.take

    def breaks(checking, *texts):
        taken.append(texts)
        if len(taken) > 5:
            raise ValueError("planted")
        original(checking, *texts)

    monkeypatch.setattr(Checking, "take", breaks)
    async with upstream(one_by_one([*map(frame, WORDS), DONE])) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert not got.clean
        assert (await ask(base, None, "/streamguard/health", "GET")).status == 200


@pytest.mark.parametrize("last", [frame('"'), frame("half")[:30], frame("word")])
async def test_a_connection_that_is_lost_while_the_task_is_busy_is_noticed(last):
    # One read brings what wakes the task, and then no chunk: aiohttp closes the connection before
    # the task runs, and tells the body only afterwards.
    async def script(received, writer):
        await one_by_one([*map(frame, WORDS[:4])], end=b"")(received, writer)
        writer.write(chunked(last) + b"xyz\r\n")
        await received.gone.wait()

    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard="header")
        assert not got.clean
        _, stored = await result(base, got.headers["x-streamguard-id"])
        assert stored["result"]["ended"] == "upstream_error"
