"""The tail of an answer waits so long for the verdict: then it says pending, and goes on."""

import json

import anyio
import pytest

from streamguard import Context
from streamguard.server.asgi import StreamGuardMiddleware, results_app
from streamguard.server.relay import checking
from streamguard.server.store import ResultStore
from tests.kit.asgi import CHAT_PATH, Sent, annotations, call, say, saying, scope, start
from tests.kit.frames import ASKED, CHUNKED, DONE, END, PATIENCE_S, answer, chunked, usage, whole
from tests.kit.upstreams import ask, proxy, stored_of, upstream

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $59 a year. " * 40

CHOICE = {"index": 0, "message": {"role": "assistant", "content": TEXT}}
WHOLE = json.dumps({"object": "chat.completion", "choices": [CHOICE]}).encode()


@pytest.fixture
def no_time(monkeypatch):
    monkeypatch.setattr(checking, "MAX_TAIL_WAIT_S", 0.0)


def judged(annotation):
    """Say whether an annotation is of the whole answer."""
    return annotation["state"], annotation["result"]["text"]["code_points"]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["chunk", "attach", "event"])
@pytest.mark.parametrize("done", [DONE, b""])
async def test_a_stream_ends_with_a_pending_annotation_and_the_result_follows(form, done, no_time):
    content = answer(TEXT, 512) + done
    async with upstream(CHUNKED + chunked(content) + END) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard=form)
        found = annotations(got.body)
        assert [each["state"] for _, each in found] == ["pending"]
        assert found[0][1]["result"] is None
        assert got.clean
        assert got.body.endswith(done)
        assert judged(await stored_of(base, got)) == ("complete", len(TEXT))


@pytest.mark.asyncio
async def test_a_whole_answer_ends_with_a_pending_annotation_and_the_result_follows(no_time):
    async with upstream(whole(WHOLE)) as up, proxy(up.url) as base:
        got = await ask(base, {**ASKED, "stream": False})
        said = json.loads(got.body)
        assert said.pop("streamguard")["state"] == "pending"
        assert said == json.loads(WHOLE)
        assert judged(await stored_of(base, got)) == ("complete", len(TEXT))


@pytest.mark.anyio
@pytest.mark.parametrize("form", ["chunk", "attach"])
async def test_an_application_that_keeps_its_stream_open_holds_no_frame_back(form, monkeypatch):
    monkeypatch.setattr("streamguard.server.asgi.response.MAX_TAIL_WAIT_S", 0.05)
    sent, content = Sent(), answer("The Basic plan costs $59 per month. ") + usage()

    async def inner(_scope, receive, send):
        await receive()
        await start(send)
        await say(send, content)
        with anyio.fail_after(PATIENCE_S):
            while not annotations(sent.body):
                await anyio.sleep(0.01)
        await say(send, DONE, more=False)

    asked = scope(CHAT_PATH, x_streamguard=form)
    await call(StreamGuardMiddleware(inner), asked, json.dumps(ASKED).encode(), sent=sent)
    ((_, found),) = annotations(sent.body)
    assert found["state"] == "complete"
    assert sent.bodies[-1] == DONE


@pytest.mark.anyio
async def test_nobody_waits_for_a_context_of_which_nothing_comes(monkeypatch):
    monkeypatch.setattr("streamguard.server.asgi.response.MAX_TAIL_WAIT_S", 0.02)
    monkeypatch.setattr(checking, "MAX_TAIL_WAIT_S", 0.02)

    async def never(_scope, _body):
        await anyio.sleep_forever()

    for named in ({}, {"plans": "strict"}):
        app = StreamGuardMiddleware(
            saying([WHOLE], "application/json"), context=never, collection_policies=named
        )
        with anyio.fail_after(PATIENCE_S):
            sent = await call(app, scope(CHAT_PATH), json.dumps(ASKED).encode())
        assert sent.ended


@pytest.mark.anyio
async def test_an_answer_that_is_not_read_waits_for_no_sink():
    sent, told = Sent(), []

    async def sink(annotation):
        told.append((annotation.state, sent.ended))
        await anyio.sleep(0.01)

    app = StreamGuardMiddleware(
        saying([b"a", b"b"], headers=[(b"content-encoding", b"br")]), sinks=[sink]
    )
    await call(app, scope(CHAT_PATH), sent=sent)
    assert told == [("skipped", True)]
    assert sent.body == b"ab"


@pytest.mark.anyio
@pytest.mark.parametrize("late", [True, False])
async def test_a_context_that_comes_too_late_for_the_tail_is_in_the_result(late, monkeypatch):
    monkeypatch.setattr(checking, "MAX_TAIL_WAIT_S", 0.02 if late else PATIENCE_S)
    store, go = ResultStore(), anyio.Event()
    context = Context(chunks=["The Basic plan costs $10 per month."])

    class Coming:
        """A future of either library."""

        def __await__(self):
            yield from ()
            return context

    coming, callbacks = Coming(), []
    coming.add_done_callback, coming.done = callbacks.append, go.is_set
    coming.cancelled = lambda: False
    inner = saying([answer("The Basic plan costs $59 per month. "), DONE], "text/event-stream")
    app = StreamGuardMiddleware(inner, store=store, context=lambda *_: coming)
    sent = None

    async def asking():
        nonlocal sent
        sent = await call(app, scope(CHAT_PATH), json.dumps({"model": "m"}).encode())

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(asking)
            while len(callbacks) < (2 if late else 1):
                await anyio.sleep(0.001)
            go.set()
            for each in callbacks:
                each(coming)
    ((_, annotation),) = annotations(sent.body)
    assert annotation["state"] == ("pending" if late else "complete")
    kept = json.loads((await call(results_app(store), scope(f"/{sent.id}", "GET"))).body)
    assert kept["state"] == "complete"
    assert kept["result"]["status"] == "REFUSE"
