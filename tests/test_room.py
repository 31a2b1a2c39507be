"""The memory of all open contexts together: what counts, what is refused, what is given back."""

import asyncio
import gc
import json
import random
import tracemalloc
import weakref

import pytest

from streamguard import Context, check_text
from streamguard.core.index.blocks import REMEMBERED
from streamguard.core.index.evidence import Evidence
from streamguard.server.asgi import StreamGuardMiddleware, provide_context
from streamguard.server.observe.metrics import Metrics
from streamguard.server.proxy.app import make_app
from streamguard.server.proxy.config import Settings
from streamguard.server.proxy.exchange import PROXY
from streamguard.server.relay.room import Room
from streamguard.server.results.result_store import ResultStore
from streamguard.text.words import Memo
from streamguard.values.dates import containing
from tests.kit.asgi import call, say, scope
from tests.kit.asgi import start as begin
from tests.kit.frames import DONE, PATIENCE_S, answer
from tests.kit.serving import serving
from tests.kit.upstreams import ask, forever, in_pieces, leaves, upstream

TEXT = "The Basic plan costs $10 per month."
CHUNKS = [TEXT * 30]
ASKED = {
    "messages": [{"role": "user", "content": "What does it cost?"}],
    "streamguard": {"query": "What does it cost?", "chunks": [{"text": CHUNKS[0]}]},
}
STREAM = answer(TEXT) + DONE
WORDS = random.Random(1).choices(
    ["basic", "plan", "Oslo", "costs", "the", "month", "Wednesday"], k=99
)


def rows(write):
    rng = random.Random(1)
    return "".join(write(rng) for _ in range(700))


KINDS = {
    "prose": lambda rng: f"{' '.join(rng.choices(WORDS, k=9))} {rng.getrandbits(20):x}. ",
    "table": lambda rng: f"| x{rng.getrandbits(16):x} | ${rng.random() * 99:.2f} | 3 kg |\n",
    "numbers": lambda rng: f"{rng.getrandbits(16)} {rng.getrandbits(9)} ",
    "JSON": lambda rng: json.dumps({"id": rng.getrandbits(30), "name": rng.choice(WORDS)}) + ",\n",
    "CSV": lambda rng: (
        f"Ab{rng.getrandbits(16):x},2024-03-{rng.randint(10, 28)},{rng.random():.3f}\n"
    ),
    "tiny words": lambda rng: " ".join(rng.choices("abcdefgh0123", k=12)) + " ",
    "tiny sentences": lambda rng: f"Ok {rng.choice('abc')}. ",
    "CJK": lambda rng: "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(12)) + "。",
}


def forget():
    """Forget what the process remembers of texts, words and dates."""
    REMEMBERED.clear()
    containing.cache_clear()
    gc.collect()
    for one in gc.get_objects():
        if type(one) is Memo:  # not `isinstance`: it wakes the lazy modules of the SDKs
            one.clear()


@pytest.mark.parametrize(
    "kind",
    ["prose", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS if kind != "prose")],
)
def test_what_a_context_is_said_to_hold_is_within_a_fourth_of_what_it_holds(kind):
    text = rows(KINDS[kind])
    check_text(TEXT, context=Context(query="What?", chunks=[text[:5_000]]))  # what all share
    REMEMBERED.clear()
    gc.collect()
    tracemalloc.start()
    try:
        context = Context(query="What?", chunks=[f"{text[:-1]}."])  # a text of its own
        context.prepare()
        forget()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert context.evidence is not None
    assert held * 0.75 < context.evidence.held_bytes < held * 1.25


def test_what_is_asked_of_an_index_holds_few_bytes_a_sentence():
    context = Context(query="What?", chunks=["The basic plan costs a month in Oslo. " * 2_000])
    context.prepare()
    keys = context.evidence.keys
    asked = ("basic", "plan", "cost", "month", "oslo")
    assert [len(keys.sentences_with(key)) for key in asked] == [2_000] * 5
    gc.collect()
    tracemalloc.start()
    try:
        keys.best_window(asked, keys.of(asked), None)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 30 * len(keys)  # one for each key, not 100


def test_a_context_counts_as_prose_until_its_index_is_built():
    context = Context(query="What?", chunks=[rows(KINDS["prose"])])
    assert context.evidence is not None
    before = context.evidence.held_bytes
    context.prepare()
    assert before / 2 < context.evidence.held_bytes < 2 * before


def test_an_index_is_given_back_with_its_context_without_a_collector():
    gc.collect()
    gc.disable()
    try:
        context = Context(query="What does it cost?", chunks=CHUNKS)
        check_text("Mr Smith of Oslo pays $12 for 3 plans.", context=context)
        parts = [context.evidence, context.evidence.source, context.evidence.keys]
        left = [weakref.ref(part) for part in parts]
        del context, parts
        assert [ref() for ref in left] == [None] * 3
    finally:
        gc.enable()


def test_room_is_for_distinct_contexts_and_comes_back():
    one, other = (Context(query="What?", chunks=CHUNKS) for _ in range(2))
    room = Room(Room.held_by(one) * 3 // 2)
    assert room.enter("a", one)
    assert room.enter("b", one)  # the same serves both
    assert room.held_bytes == Room.held_by(one)
    assert not room.enter("c", other)
    assert room.enter("d", Context())  # nothing to hold
    assert len(room) == 2
    room.leave("a")
    assert not room.fits(other)
    room.leave("b")
    room.leave("b")
    assert room.enter("c", other)


# --- the proxy


def indexes():
    """Count the indexes that there are; other tests keep some."""
    return sum(isinstance(one, Evidence) for one in gc.get_objects())


def held_open(app):
    return len(app[PROXY].room)


@pytest.mark.asyncio
async def test_over_it_an_answer_is_relayed_unchecked_or_refused(caplog):
    async with upstream(in_pieces(STREAM, 99)) as up:
        async with serving(make_app(Settings(up.url, max_context_bytes=1_000))) as base:
            got = await ask(base, ASKED)
            assert (got.annotations[0]["state"], got.clean) == ("skipped", True)
            assert got.headers["x-streamguard-skipped"] == "limit"
            assert "limit_reached" in [record.message for record in caplog.records]
            metrics = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
            assert 'limits_reached_total{limit="open_context_bytes"} 1' in metrics
            assert '{limit="open_context_bytes"} 1000' in metrics
        asked = len(up.requests)
        settings = Settings(up.url, max_context_bytes=1_000, require_check=True)
        async with serving(make_app(settings)) as base:
            got = await ask(base, ASKED)
            assert (got.status, len(up.requests)) == (503, asked)
            error = json.loads(got.body)["error"]
            assert error["code"] == "check_required"
            assert "hold 1000 bytes of memory, the most; ask again" in error["message"]


@pytest.mark.asyncio
@pytest.mark.parametrize("status", ["200 OK", "500 No"])
async def test_a_proxy_gives_the_room_back_when_an_answer_ends_or_fails(status):
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    async with upstream(head.encode() + STREAM) as up:
        app = make_app(Settings(up.url))
        async with serving(app) as base:
            await ask(base, ASKED)
            async with asyncio.timeout(PATIENCE_S):
                while held_open(app):
                    await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_an_index_goes_with_its_answer_and_waits_for_no_collector():
    async with upstream(in_pieces(STREAM, 99)) as up:
        app = make_app(Settings(up.url))
        async with serving(app) as base, asyncio.timeout(PATIENCE_S):
            gc.collect()
            gc.disable()
            before = indexes()
            try:
                for _ in range(3):
                    assert (await ask(base, ASKED)).annotations[0]["state"] == "complete"
                while held_open(app):
                    await asyncio.sleep(0)
                while indexes() > before:
                    await asyncio.sleep(0)
            finally:
                gc.enable()


@pytest.mark.asyncio
async def test_a_proxy_gives_the_room_back_when_clients_leave_and_upstreams_break():
    said = forever([answer("Basic costs $10. ")], asyncio.Event())
    async with upstream(said) as up:
        app = make_app(Settings(up.url))
        async with serving(app) as base, asyncio.timeout(PATIENCE_S):
            for _ in range(3):
                await leaves(base, 1)
            clients = [asyncio.create_task(ask(base, ASKED)) for _ in range(3)]
            while held_open(app) != 3:
                await asyncio.sleep(0)
            for client in clients:
                client.cancel()
            while held_open(app):
                await asyncio.sleep(0)


# --- the middleware


def app_of(seen=(), fails=False):
    async def app(scope_, receive, send):
        await receive()
        await begin(send, "text/event-stream; charset=utf-8")
        await say(send, b"data: " + json.dumps(TEXT).encode() + b"\n\n")
        if fails:
            raise OSError("gone")
        await say(send, b"", more=False)

    return app


@pytest.mark.anyio
async def test_the_middleware_lets_an_answer_over_it_pass_unchecked():
    context, metrics = Context(query="What does it cost?", chunks=CHUNKS), Metrics()
    for most, state in ((1_000, "skipped"), (10_000_000, "complete")):
        store = ResultStore()
        guarded = StreamGuardMiddleware(
            app_of(),
            context=lambda scope_, body: context,
            store=store,
            metrics=metrics,
            max_context_bytes=most,
        )
        sent = await call(guarded, scope())
        annotation = store.get(sent.id)
        assert (annotation.state, sent.ended) == (state, True)
        assert json.dumps(TEXT).encode() in sent.body
    assert 'limits_reached_total{limit="open_context_bytes"} 1' in metrics.reached.text({})


@pytest.mark.anyio
async def test_a_handler_provides_a_context_that_is_too_large_before_the_answer_begins():
    async def app(scope_, receive, send):
        provide_context(scope_, Context(query="What does it cost?", chunks=CHUNKS))
        await app_of()(scope_, receive, send)

    store = ResultStore()
    sent = await call(StreamGuardMiddleware(app, store=store, max_context_bytes=9), scope())
    assert sent.headers["x-streamguard-skipped"] == "limit"
    assert store.get(sent.id).state == "skipped"


@pytest.mark.anyio
@pytest.mark.parametrize("fails", [False, True])
async def test_the_middleware_gives_the_room_back(fails):
    context = Context(query="What does it cost?", chunks=CHUNKS)
    most = Room.held_by(context) * 3 // 2
    for _ in range(3):  # of contexts that are not the same
        store, own = ResultStore(), Context(query="What does it cost?", chunks=CHUNKS)
        guarded = StreamGuardMiddleware(
            app_of(fails=fails), context=lambda scope_, body, own=own: own, store=store,
            max_context_bytes=most,
        )  # fmt: skip
        sent = None
        try:
            sent = await call(guarded, scope())
        except OSError:
            assert fails
        assert sent is None or store.get(sent.id).state == "complete"
        assert len(guarded._guard.room) == 0
