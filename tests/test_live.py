"""Live annotations: in band between the frames, and on the side channel for whoever listens."""

import asyncio
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import pytest

from streamguard import Context, SSEDecoder
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.server.results import responses
from streamguard.server.results.result_store import ResultStore
from tests.kit.frames import DONE, frame
from tests.kit.upstreams import opened, parts

CONTEXT = Context(query="Basic?", chunks=["Basic costs $10."], citations_requested=True)
FIRST, SECOND = "Basic costs $12. ", "Ask Jane Doe. [C1] "


def test_threads_may_share_a_store():
    store = ResultStore(max_results=5, max_bytes=30_000, ttl_s=0.0005)
    said, annotation = sentences("a")

    def work(number):
        for turn in range(60):
            name = f"{number}.{turn % 20}"
            store.open(name)
            for sentence in said:
                store.publish(sentence.model_copy(update={"id": name}))
                store.feed(name)
            store.put(annotation.model_copy(update={"id": name}))
            store.get_json(name)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)
    store.put(annotation.model_copy(update={"id": "last"}))
    while store.pack_turn():
        pass
    time.sleep(0.001)
    assert store.get_json("last") is None
    assert (len(store), store.held_bytes) == (0, 0)


def sentences(name):
    guards = ChoiceGuards(CONTEXT)
    guards.feed({0: FIRST + SECOND})
    annotation = guards.close(name)
    return guards.settled(name), annotation


def test_stored_sentences_hold_no_text_unless_asked_for():
    for store_text in (False, True):
        store = ResultStore(store_text=store_text)
        said, annotation = sentences("a")
        store.open("a")
        for sentence in said:
            store.publish(sentence)
        store.put(annotation)
        store.publish(said[0])  # too late to be heard
        kept = "".join(each for _, each in store.feed("a").after(0))
        assert ("$12" in kept) is store_text
        assert store.feed("a").count == len(said)
        assert store.feed("b") is None


@pytest.mark.asyncio
async def test_a_sentence_is_told_in_band_and_on_the_side_channel_before_the_answer_ends():
    go = asyncio.Event()
    first, rest = frame(FIRST + SECOND), frame("Bye.") + frame(finish="stop") + DONE
    script = parts(first, rest, go)
    async with (
        opened(script, {"x-streamguard-live": "1"}) as (base, response),
        aiohttp.ClientSession() as session,
    ):
        name = response.headers["x-streamguard-id"]
        got = b""
        while b"streamguard.sentence" not in got:
            got += await response.content.readany()
        address = f"{base}/streamguard/results/{name}/events"
        async with session.get(address) as listening:
            assert listening.content_type == "text/event-stream"
            heard = await listening.content.readuntil(b"\n\n")
            assert heard.startswith(b"id: 1\nevent: streamguard.sentence\ndata: {")
            go.set()
            heard += await listening.content.read()
        got += await response.content.read()
    events = SSEDecoder().feed(got)
    assert b"".join(e.raw for e in events if b"streamguard" not in e.raw) == first + rest
    told = [json.loads(e.data) for e in events if b"streamguard.sentence" in e.raw]
    assert [each["streamguard"]["index"] for each in told] == [0, 1, 2]
    found = SSEDecoder().feed(heard)
    kinds = ["streamguard.sentence"] * 3 + ["streamguard.result"]
    assert [(e.id, e.event) for e in found] == [*zip("1234", kinds, strict=True)]
    assert json.loads(found[-1].data)["state"] == "complete"
    assert json.loads(found[0].data)["findings"][0]["value"] is None  # no text is stored


@pytest.mark.asyncio
async def test_a_listener_is_kept_alive_by_lines_that_are_no_block(monkeypatch):
    monkeypatch.setattr(responses, "PING_S", 0.01)
    go = asyncio.Event()
    script = parts(frame("Hi"), frame(finish="stop") + DONE, go)
    async with opened(script) as (base, response), aiohttp.ClientSession() as session:
        name = response.headers["x-streamguard-id"]
        async with session.get(f"{base}/streamguard/results/{name}/events") as listening:
            heard = await listening.content.readuntil(b": waiting\n: waiting\n")
            assert heard == b": waiting\n: waiting\n"
            go.set()
            (event,) = SSEDecoder().feed(await listening.content.read())
            assert event.event == "streamguard.result"
