"""What goes on never waits for a check: told by the order of events in one loop, by no clock."""

import asyncio
import json

import aiohttp
import pytest

from streamguard import Checks, Context, Policy, examiner
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.relay import ahead
from streamguard.server.relay.ahead import Ahead
from streamguard.server.relay.checking import Checking
from streamguard.server.store import ResultStore
from tests.kit.asgi import CHAT_PATH, annotations, saying, scope
from tests.kit.frames import (
    ASKED,
    CHUNKED,
    DONE,
    END,
    PATH,
    PATIENCE_S,
    answer,
    chunked,
    frame,
    whole,
)
from tests.kit.upstreams import asking, proxy, result, upstream

SENTENCES = 600


def text_of(sentences):
    return "".join(f"Plan {number} costs ${number} per month. " for number in range(sentences))


def content_of(text):
    return answer(text, 40).removesuffix(frame(finish="stop"))


TEXT = text_of(SENTENCES)
CONTENT = content_of(TEXT)
STREAM = CONTENT + frame(finish="stop") + DONE
WHOLE = json.dumps(
    {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": TEXT}}]}
).encode()


@pytest.fixture(autouse=True)
def shortest_turns(monkeypatch):
    """Let every turn examine one slice, however fast this machine is."""
    monkeypatch.setattr(examiner, "TURN_NS", 0)


class Watch:
    """A check that notes of each sentence whether all content was there when it was checked."""

    def __init__(self):
        self.there = self.ended = False
        self.early = self.late = 0
        self.checks = Checks(per_sentence=(self.note,), verdicts=False)

    def note(self, _sentence, _scope):
        self.early += not self.there
        self.late += self.there
        return ()


async def read(base, form, watch, content):
    """Ask, and note when as much as `content` is there; return body and head."""
    async with (
        asyncio.timeout(PATIENCE_S * 3),
        aiohttp.ClientSession(read_bufsize=2**22) as session,
        session.post(base + PATH, json=ASKED, headers={"x-streamguard": form}) as response,
    ):
        got = b""
        while piece := await response.content.readany():
            got += piece
            watch.there = watch.there or len(got) >= content
        watch.ended = True
        return got, response.headers


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["header", "chunk", "attach"])
async def test_a_stream_that_comes_at_once_is_there_before_it_is_checked(form):
    watch = Watch()
    script = CHUNKED + chunked(STREAM) + END
    async with upstream(script) as up, proxy(up.url, checks=watch.checks) as base:
        got, headers = await read(base, form, watch, len(CONTENT))
        _, stored = await result(base, headers["x-streamguard-id"])
    assert got.startswith(CONTENT)
    assert stored["state"] == "complete"
    assert watch.early + watch.late == SENTENCES
    assert watch.early < SENTENCES / 10  # as many turns as there were reads, not as sentences


BODIES = {
    "events": ("text/event-stream", STREAM),
    "text": ("text/plain", TEXT.encode()),
    "json": ("application/json", WHOLE),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("said", BODIES)
async def test_whoever_leaves_at_the_end_of_a_body_leaves_a_complete_answer(said):
    kind, body = BODIES[said]
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    watch = Watch()
    script = head.encode() + chunked(body) + END
    async with upstream(script) as up, proxy(up.url, checks=watch.checks) as base:
        reader, writer = await asking(base, X_Streamguard="header")
        got = await reader.readuntil(b"\r\n\r\n")
        name = got.lower().partition(b"x-streamguard-id: ")[2][:32].decode()
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(END)
        writer.transport.abort()
        _, stored = await result(base, name)
    assert stored["state"] == "complete"
    assert watch.early + watch.late == SENTENCES


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["header", "attach"])
async def test_an_answer_in_one_piece_is_there_before_it_is_checked(form):
    watch = Watch()
    async with upstream(whole(WHOLE)) as up, proxy(up.url, checks=watch.checks) as base:
        got, headers = await read(base, form, watch, len(WHOLE) - 1)
        _, stored = await result(base, headers["x-streamguard-id"])
    assert got.startswith(WHOLE[:-1])
    assert (got == WHOLE) == (form == "header") == (headers.get("Content-Length") is not None)
    assert stored["state"] == "complete"
    assert watch.early + watch.late == SENTENCES
    assert watch.early < SENTENCES / 10


LONG = text_of(3 * SENTENCES)
LONG_STREAM = content_of(LONG) + frame(finish="stop") + DONE


async def by_frames(_received, writer):
    """Write the stream as chunks that come one by one, and go on as they are."""
    writer.write(CHUNKED)
    for part in LONG_STREAM.split(b"\n\n")[:-1]:
        writer.write(chunked(part + b"\n\n"))
        await asyncio.sleep(0)
    writer.write(END)


@pytest.mark.asyncio
@pytest.mark.parametrize("script", [CHUNKED + chunked(LONG_STREAM) + END, by_frames])
async def test_what_waits_is_bounded_and_everything_is_checked(monkeypatch, script):
    most, fullest, longest, take, pass_on = 10_000, 0, 0, Checking.take, Ahead.pass_on
    read_bytes = 65_536  # at a time, at most

    def taken(checking, choice, texts):
        nonlocal fullest
        take(checking, choice, texts)
        fullest = max(fullest, checking._todo_chars + checking._gathered_chars)

    def received(ahead_of, chunk):
        nonlocal longest
        out = pass_on(ahead_of, chunk)
        longest = max(longest, len(ahead_of._waiting))
        return out

    monkeypatch.setattr(examiner, "MAX_TEXT_CHARS", most)
    monkeypatch.setattr(ahead, "MAX_WAITING_BYTES", most)
    monkeypatch.setattr(Checking, "take", taken)
    monkeypatch.setattr(Ahead, "pass_on", received)
    watch = Watch()
    async with upstream(script) as up, proxy(up.url, checks=watch.checks) as base:
        got, headers = await read(base, "header", watch, len(content_of(LONG)))
        _, stored = await result(base, headers["x-streamguard-id"])
    assert got == LONG_STREAM
    assert stored["result"]["text"]["code_points"] == len(LONG)
    assert watch.early > SENTENCES / 10
    assert fullest < most + read_bytes
    assert longest <= most + read_bytes


async def served(app, form, watch, content):
    """Serve one request by a server that takes all it is given; return body and annotation."""
    sent, store = [], ResultStore()

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)
        size = sum(len(m.get("body", b"")) for m in sent)
        watch.there = watch.there or size >= content

    middleware = StreamGuardMiddleware(
        app, checks=watch.checks, policy=Policy(), context=lambda *_: Context(), store=store
    )
    await middleware(scope(CHAT_PATH, x_streamguard=form), receive, send)
    name = dict(sent[0]["headers"])[b"x-streamguard-id"].decode()
    assert not sent[-1]["more_body"]
    return b"".join(m.get("body", b"") for m in sent), store.get(name)


@pytest.mark.anyio
@pytest.mark.parametrize("form", ["header", "chunk", "attach"])
async def test_no_message_of_an_application_waits_for_a_check(form):
    watch = Watch()
    pieces = [piece + b"\n\n" for piece in STREAM.split(b"\n\n")[:-1]]
    got, annotation = await served(saying(pieces), form, watch, len(CONTENT))
    assert got.startswith(CONTENT)
    assert len(annotations(got)) == (form != "header")
    assert annotation.state == "complete"
    assert (watch.early, watch.late) == (0, SENTENCES)
