"""Frames go on from the connection's own callback; all else is the task's, over real sockets."""

import asyncio
import logging

import pytest

from streamguard.server.http.incoming import Incoming
from streamguard.server.relay.ahead import Ahead
from tests.frames import ASKED, CHUNKED, DONE, END, chunked, frame
from tests.upstreams import ask, proxy, upstream

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
    taken, original = [], Ahead.receive

    def breaks(ahead, chunk):
        taken.append(chunk)
        if len(taken) > 5:
            raise ValueError("planted")
        return original(ahead, chunk)

    monkeypatch.setattr(Ahead, "receive", breaks)
    async with upstream(one_by_one([*map(frame, WORDS), DONE])) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert not got.clean
        assert (await ask(base, None, "/streamguard/health", "GET")).status == 200
