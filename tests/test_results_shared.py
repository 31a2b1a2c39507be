"""Results that instances share: written by whoever made them, read from any of them."""

import argparse
import asyncio
import json
import logging
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from streamguard import Annotation, Context, guard
from streamguard.errors import ConfigError
from streamguard.server.aiohttp import stream_sse
from streamguard.server.asgi import StreamGuardMiddleware, results_app
from streamguard.server.chat.app import make_app as make_chat
from streamguard.server.chat.model import extractive_model
from streamguard.server.chat.settings import ChatSettings
from streamguard.server.proxy.app import Settings, add_arguments, make_app, settings_of
from streamguard.server.results import live as lives
from streamguard.server.results.feedback import Feedback, FeedbackFile, SharedFeedback
from streamguard.server.results.live import Live
from streamguard.server.results.responses import Results, _followed
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import KEEP_DAYS, SharedResults, SharedSettings
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.journal import Journal
from streamguard.sinks.sql.queries import all_about
from tests.kit.asgi import call, saying, scope
from tests.kit.chatting import folder_store, policies_of
from tests.kit.frames import ASKED, CHUNKED, DONE, END, answer, chunked
from tests.kit.serving import serving
from tests.kit.upstreams import ask, proxy, stored_of, upstream
from tests.test_results_database import annotation_of
from tests.test_results_journal import written_by_the_next

TEXT = "The Basic plan costs $12 per month. It includes a seat. "
WHOLE = CHUNKED + chunked(answer(TEXT) + DONE) + END


@pytest.fixture
def shared(tmp_path):
    return SharedSettings(f"sqlite:///{tmp_path}/results.db", tmp_path / "spool")


async def kept(shared, id):
    """Return what is kept of a result, once it is."""
    engine = open_engine(shared.url)
    await migrate(engine)
    try:
        async with asyncio.timeout(30.0):
            while (found := await all_about(engine, id)) is None:
                await asyncio.sleep(0.01)
            return found
    finally:
        await engine.dispose()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_result_of_one_proxy_is_read_from_another_which_takes_feedback_on_it(
    shared, tmp_path
):
    async with (
        upstream(WHOLE) as up,
        proxy(up.url, shared=shared) as one,
        proxy(up.url, shared=shared, feedback=tmp_path / "feedback.jsonl") as other,
    ):
        got = await ask(one, ASKED)
        name = got.headers["x-streamguard-id"]
        found = await kept(shared, name)
        seen = await ask(other, path=f"/streamguard/results/{name}", method="GET")
        told = await ask(one, path="/streamguard/metrics", method="GET")
        none = await ask(other, path=f"/streamguard/results/{'0' * 32}", method="GET")
        assert json.loads(seen.body) == await stored_of(one, got)
        assert (seen.status, none.status) == (200, 404)
        assert b'streamguard_shared_results_total{done="spooled"} 1\n' in told.body
        assert b"streamguard_spool_bytes " in told.body
        for base, label in ((one, "up"), (other, "down")):
            body = json.dumps({"id": name, "label": label}).encode()
            said = await ask(base, body, "/streamguard/feedback", content_type="application/json")
            assert said.status == 204
    row = found["result"]
    assert (row["model"], row["policy"], row["question"]) == ("mock", "moderate", None)
    assert row["keywords"]
    assert row["duration_ms"] > 0
    assert row["tail_ms"] is not None
    assert found["sentences"] == []
    assert all(finding["value"] is None for finding in found["findings"])
    await asyncio.to_thread(written_by_the_next, shared.url, shared.spool)
    marks = (await kept(shared, name))["feedback"]
    assert sorted(mark["label"] for mark in marks) == ["down", "up"]
    assert len((tmp_path / "feedback.jsonl").read_text().splitlines()) == 1


@pytest.mark.asyncio
async def test_a_full_spool_takes_no_feedback_and_says_so(shared, monkeypatch, tmp_path):
    monkeypatch.setattr(Journal, "_start", lambda _self: None)  # nothing is taken from it
    full = SharedResults(replace(shared, max_spool_bytes=1_048_576))
    (next(shared.spool.iterdir()) / f"{1:020d}-1.seg").write_bytes(b"x" * 1_048_576)
    store = ResultStore(shared=full)
    store.put(Annotation(id="a" * 32, state="complete"))
    keeper = SharedFeedback(full, FeedbackFile(tmp_path / "said.jsonl"))
    try:
        said = json.dumps({"id": "a" * 32, "label": "down"}).encode()
        reply = await Feedback(store, keeper).take(said, "application/json")
        assert (reply.status, json.loads(reply.body)["error"]["code"]) == (507, "feedback_full")
        assert not (tmp_path / "said.jsonl").exists()  # else it is there twice, said again
    finally:
        await store.aclose()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_applications_store_shares_its_results(shared):
    app = saying([answer(TEXT) + DONE])
    store = ResultStore(store_text=True, shared=SharedResults(shared))
    try:
        guarded = StreamGuardMiddleware(app, store=store)
        asked = {**ASKED, "streamguard": {"collection": "handbook"}}
        sent = await call(guarded, scope("/v1/chat/completions"), json.dumps(asked).encode())
        name = sent.id
        found = await kept(shared, name)
        assert found["result"]["collection"] == "handbook"
        empty = ResultStore(shared=store.shared)
        read = await call(results_app(empty), scope(f"/streamguard/results/{name}", "GET"))
        assert read.status == 200
        assert json.loads(read.body) == json.loads(found["annotation"])
        assert found["sentences"]
    finally:
        await store.aclose()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_stream_of_an_aiohttp_application_is_kept_with_what_is_known_of_it(shared):
    store = ResultStore(store_text=True, shared=SharedResults(shared))

    async def said():
        yield TEXT

    async def handler(request):
        stream = guard(said(), context=Context(query="What does Basic cost?", chunks=["It is $5."]))
        return await stream_sse(request, stream, store=store, model="m", collection="handbook")

    app = web.Application()
    app.router.add_get("/ask", handler)
    async with (
        serving(app) as base,
        aiohttp.ClientSession() as session,
        session.get(f"{base}/ask") as got,
    ):
        await got.read()
        found = await kept(shared, got.headers["x-streamguard-id"])
    await store.aclose()
    row = found["result"]
    assert (row["collection"], row["model"]) == ("handbook", "m")
    assert row["keywords"]
    assert row["question"]
    assert found["sentences"]


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_long_result_is_shared_once_it_is_packed_at_the_latest_at_the_end(shared):
    store = ResultStore(shared=SharedResults(shared))
    long = annotation_of(1, " ".join(f"The Basic plan costs ${n} per month." for n in range(300)))
    store.put(long)
    assert store.shared.journal.counts["given"] == 0
    await store.aclose()
    await asyncio.to_thread(written_by_the_next, shared.url, shared.spool)
    assert json.loads((await kept(shared, long.id))["annotation"])["id"] == long.id


@pytest.mark.slow
@pytest.mark.asyncio
async def test_whether_a_database_that_is_gone_has_a_result_nobody_says(shared, caplog):
    file = Path(shared.url.removeprefix("sqlite:///"))
    file.write_text("no database" * 99)
    store = ResultStore(shared=SharedResults(shared))
    results, feedback = Results(store), Feedback(store, SharedFeedback(store.shared))
    said = json.dumps({"id": "0" * 32, "label": "up"}).encode()
    with caplog.at_level(logging.WARNING):
        replies = [
            await results.of_any("0" * 32),
            await results.events_of_any("0" * 32),
            await feedback.take(said, "application/json"),
        ]
    await store.aclose()
    for reply in replies:
        assert (reply.status, reply.headers["Retry-After"]) == (503, "5")
        assert json.loads(reply.body)["error"]["code"] == "results_unreached"
    assert "results_unread" in caplog.messages
    assert (await results.of_any("no id")).status == 404


def parsed(*flags):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_arguments(parser)
    return settings_of(parser.parse_args(["--upstream", "http://127.0.0.1:1", *flags]))


def test_flags_and_environment_say_where_results_are_kept(monkeypatch, tmp_path):
    monkeypatch.delenv("STREAMGUARD_RESULTS", raising=False)
    assert parsed().shared is None
    found = parsed("--results", "sqlite:///a.db").shared
    assert (found.url, found.keep_days, found.keep_results) == ("sqlite:///a.db", KEEP_DAYS, None)
    monkeypatch.setenv("STREAMGUARD_RESULTS", "sqlite:///b.db")
    flags = "--results-spool x --keep-days 0 --keep-results 7 --max-spool-bytes 2000000".split()
    found = parsed(*flags).shared
    assert (found.url, found.keep_days, found.keep_results) == ("sqlite:///b.db", None, 7)
    assert (str(found.spool), found.max_spool_bytes) == ("x", 2_000_000)
    for flag, value, message in (
        ("--collection-policy", "strict", "is 'strict', expected COLLECTION=NAME or =FILE"),
        ("--collection-policy", "a=", "is 'a=', expected COLLECTION=NAME or =FILE"),
        ("--keep-days", "inf", "is 'inf', expected a number of days of at least 0"),
        ("--keep-results", "1.5", "is '1.5', expected a whole number of at least 0"),
        ("--max-spool-bytes", "5", "is 5, expected at least 1048576"),
    ):
        with pytest.raises(argparse.ArgumentError, match=message):
            parsed(flag, value)
    (tmp_path / "own.toml").write_text('preset = "strict"\nmin_groundedness = 0.5\n')
    own = ("--collection-policy", f"a={tmp_path / 'own.toml'}")
    policies = parsed(*own, "--collection-policy", "b=lenient").policies
    assert policies.named(None, "a").min_groundedness == 0.5
    assert policies.named(None, "b").name == "lenient"
    assert policies.named(None, "c") is policies.named(None)


def test_a_wrong_address_is_refused_before_anything_starts_and_without_its_password():
    urls = ("http://u:secret@h", "redis://", "u:secret@h", "http://h?password=secret")
    wrong = [
        (SharedSettings("mysql://u:secret@h/d"), "is no database of ours"),
        *((SharedSettings(None, live=url), "expected redis://HOST:PORT") for url in urls),
    ]
    for shared, message in wrong:
        with pytest.raises(ConfigError, match=message) as refused:
            make_app(Settings("http://127.0.0.1:1", shared=shared))
        assert "secret" not in str(refused.value)
    with closing(folder_store()) as store:
        policies, model = policies_of(store), lambda _: extractive_model()
        settings = ChatSettings(store, ["documents"], policies, model, shared=wrong[0][0])
        with pytest.raises(ConfigError, match="is no database of ours"):
            make_chat(settings)


# --- what an instance tells others by Redis, while it takes nothing and when it does again


class Down(Exception):
    pass


class Redis:
    """A server in memory, its client, a pipeline of it and who listens to it."""

    def __init__(self):
        self.down, self.kept = False, {}
        self.lists, self.read = {}, 0
        self.changed = asyncio.Event()

    def pubsub(self):
        return self

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def subscribe(self, key):
        pass

    async def get_message(self, **_):
        await self.changed.wait()
        self.changed.clear()
        return {}

    async def get(self, key):
        return self.kept.get(key)

    async def lrange(self, key, first, _last):
        found = self.lists.get(key, [])[first:]
        self.read += len(found)
        return found

    def pipeline(self, **_):
        return Pipeline(self)

    async def aclose(self):
        pass


class Pipeline:
    def __init__(self, redis):
        self._redis, self._done = redis, []

    def __getattr__(self, name):
        return lambda *given, **_: self._done.append((name, *given))

    async def execute(self):
        if self._redis.down:
            raise Down
        for name, key, *given in self._done:
            if name == "set":
                self._redis.kept[key] = given[0]
            elif name == "delete":
                self._redis.kept.pop(key, None)
            elif name == "rpush":
                self._redis.lists.setdefault(key, []).append(given[0])
            elif name == "publish":
                self._redis.changed.set()


@pytest.fixture
def redis(monkeypatch):
    made = Redis()
    package = type("Package", (), {"from_url": staticmethod(lambda *_, **__: made)})
    monkeypatch.setattr(lives, "library", lambda *_: package)
    monkeypatch.setattr(lives, "RETRY_S", 0.001)
    return made


async def settled(live):
    while live._queue:
        await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_no_answer_whose_result_is_untold_is_told_to_run(redis, monkeypatch):
    live = Live("redis://there", 60)
    live.open("early")
    await settled(live)
    redis.down = True
    monkeypatch.setattr(lives, "MAX_QUEUED_BYTES", 1_000)
    for name in ("queued", "early"):
        live.open(name)
        live.put(name, b"x" * 2_000)
    for number in range(100):
        live.open(f"late{number}")
        live.put(f"late{number}", b"x" * 2_000)
    assert live._queued_bytes < 2_000
    redis.down = False
    await settled(live)
    assert redis.kept == {}
    live.open("next")
    live.put("next", b"result")
    await live.aclose()
    assert redis.kept == {"streamguard:next": b"result"}


@pytest.mark.asyncio
async def test_who_follows_an_answer_reads_each_sentence_once(redis):
    """Also where one was told twice, as Redis answered late, and another not at all."""
    live = Live("redis://there", 60)
    live.open("a")
    await settled(live)
    told = [1, 2, 3, 2, 3, 5, *range(6, 50)]
    followed = _followed(live, "a", 1)
    seen = []
    for number in told:
        live.publish("a", number, "{}")
        await settled(live)
        if number > max(seen, default=1):
            seen.append(int((await anext(followed)).split()[1]))
    live.put("a", zlib.compress(b"{}"))
    assert (await anext(followed)).startswith(b"id: 50\nevent: streamguard.result\n")
    assert await anext(followed, None) is None
    assert seen == [2, 3, 5, *range(6, 50)]
    assert redis.read == len(told)
    await live.aclose()


def test_an_address_that_cannot_be_read_is_refused_without_its_password(monkeypatch):
    def from_url(url, **_):
        raise ValueError(f"Port could not be cast to integer value as {url!r}")

    package = type("Package", (), {"from_url": staticmethod(from_url)})
    monkeypatch.setattr(lives, "library", lambda *_: package)
    with pytest.raises(ConfigError, match=r"live is 'redis://h:a', expected redis://HOST") as seen:
        Live("redis://u:pa/ss@h:a?db=1", 60)
    assert seen.value.__suppress_context__
