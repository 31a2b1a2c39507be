"""Turns of checking are given one after the other, and bytes come between."""

import asyncio

import pytest

from streamguard import Checks, examiner
from streamguard.server.proxy.turns import Turns
from tests.kit.frames import CHUNKED, DONE, END, PATH, PATIENCE_S, answer, chunked, frame
from tests.kit.upstreams import proxy, upstream

pytestmark = pytest.mark.asyncio


async def test_a_frame_waits_for_few_turns_however_many_streams_are_behind(monkeypatch):
    monkeypatch.setattr(examiner, "TURN_NS", 0)
    streams, frames, checked, between = 10, 30, 0, []
    text = "".join(f"Plan {number} costs ${number} per month. " for number in range(300))
    flood = CHUNKED + chunked(answer(text, 40) + DONE) + END
    there = asyncio.Event()

    def note(_sentence, _scope):
        nonlocal checked
        checked += 1
        return ()

    async def script(received, writer):
        if b"paced" not in received.body:
            writer.write(flood)
            return
        writer.write(CHUNKED)
        for _ in range(frames):
            before = checked
            there.clear()
            writer.write(chunked(frame("x")))
            await there.wait()
            between.append(checked - before)
        writer.write(chunked(DONE) + END)

    async def ask(base, model, heard):
        reader, writer = await asyncio.open_connection(*base.removeprefix("http://").split(":"))
        body = b'{"model": "%b", "messages": []}' % model
        head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        got = b""
        while b"0\r\n\r\n" not in got[-9:]:
            got = got[-9:] + await reader.read(65_536)
            heard()
        writer.close()

    checks = Checks(per_sentence=(note,), verdicts=False)
    async with (
        asyncio.timeout(PATIENCE_S * 3),
        upstream(script) as up,
        proxy(up.url, checks=checks) as base,
    ):
        floods = [asyncio.create_task(ask(base, b"flood", int)) for _ in range(streams)]
        while checked < streams * 10:
            await asyncio.sleep(0)
        await ask(base, b"paced", there.set)
        await asyncio.gather(*floods)
    assert checked >= streams * 300
    # From the upstream to the client are some ten rounds of this loop: as many turns, of any one.
    assert sorted(between)[len(between) // 2] < streams


async def test_a_turn_that_nobody_wants_any_more_is_the_next_ones():
    turns, taken = Turns(), []
    assert turns.take()
    turns.request(lambda: taken.append("left") or False)
    turns.request(lambda: taken.append("took it") or True)
    turns.request(lambda: taken.append("waits") or True)
    left = asyncio.create_task(turns.next())
    waits = asyncio.create_task(turns.next())
    for _ in range(3):
        await asyncio.sleep(0)
    assert taken == ["left", "took it"]
    left.cancel()
    await waits
    assert taken == ["left", "took it", "waits"]
