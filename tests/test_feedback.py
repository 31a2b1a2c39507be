"""Feedback: only on what was answered, in every door, kept with its result, bounded."""

import argparse
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from streamguard import Annotation, Context, check_text
from streamguard.errors import ConfigError
from streamguard.server.aiohttp import add_feedback
from streamguard.server.asgi import feedback_app
from streamguard.server.proxy.app import add_arguments, settings_of
from streamguard.server.results.feedback import (
    BURST,
    MAX_BODY_BYTES,
    MAX_COMMENT_CHARS,
    MAX_PER_ANSWER,
    PER_S,
    Feedback,
    FeedbackFullError,
)
from streamguard.server.store import FeedbackFile, ResultStore
from tests.kit.asgi import call, scope
from tests.kit.chatting import chatting, fetch, folder_store, say
from tests.kit.serving import serving
from tests.kit.upstreams import ASKED, CHUNKED, DONE, END, answer, ask, chunked, proxy, upstream
from tests.test_side_channel import two_workers

ID = "0" * 32
JSON = "application/json"
PATH = "/streamguard/feedback"


def annotation(id=ID, text="It costs $15."):
    context = Context(query="What does it cost?", chunks=["It costs $12."])
    return Annotation(id=id, state="complete", result=check_text(text, context=context))


def store_of(*annotations, **settings):
    store = ResultStore(**settings)
    for each in annotations or (annotation(),):
        store.put(each)
    return store


def body(**fields):
    return json.dumps({"id": ID, "label": "up", **fields}).encode()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Kept:
    """A keeper that remembers, or raises."""

    def __init__(self, wrong=None):
        self.given = []
        self._wrong = wrong

    async def keep(self, given, annotation):
        if self._wrong is not None:
            raise self._wrong
        self.given.append((given, annotation))


def code_of(reply):
    return json.loads(reply.body)["error"]["code"] if reply.body else None


@pytest.mark.anyio
async def test_a_line_holds_the_feedback_and_the_result_with_text_only_where_it_is_stored(tmp_path):
    counted, file = [], FeedbackFile(tmp_path / "f.jsonl", clock=lambda: 1_700_000_000.0)
    feedback = Feedback(store_of(), file, count=counted.append)
    said = body(label="was_supported", sentence=0, comment="see page 3 🚲")
    assert (await feedback.take(said, JSON)).status == 204
    assert (await feedback.take(body(), JSON)).status == 204
    first, second = lines(tmp_path / "f.jsonl")
    assert first["time"] == "2023-11-14T22:13:20Z"
    assert (first["label"], first["sentence"]) == ("was_supported", 0)
    assert first["comment"] == "see page 3 🚲"
    assert second["sentence"] is None
    assert first["annotation"]["id"] == ID
    assert first["annotation"]["result"]["text_stored"] is False
    assert "$15" not in (tmp_path / "f.jsonl").read_text()
    assert counted == ["was_supported", "up"]
    await Feedback(store_of(store_text=True), file).take(body(), JSON)
    *_, line = lines(tmp_path / "f.jsonl")
    assert line["annotation"]["result"]["findings"][0]["value"] == "$15"


@pytest.mark.anyio
async def test_wrong_feedback_is_answered_with_what_is_wrong_and_not_told_back():
    secret = json.dumps({"id": "secret words", "label": "up"}).encode()
    for given, media_type, status, words in (
        (body(), "text/plain", 415, "content type is 'text/plain', expected application/json"),
        (None, JSON, 413, f"feedback is over {MAX_BODY_BYTES} bytes"),
        (b"{", JSON, 400, "body: Invalid JSON"),
        (b'{"id": "' + ID.encode() + b'"}', JSON, 400, "label: Field required"),
        (body(label="meh"), JSON, 400, "label: Input should be 'up', 'down', 'refusal_wrong' or"),
        (secret, JSON, 400, "id: String should match pattern"),
        (body(sentence=-1), JSON, 400, "sentence: Input should be greater"),
        (body(sentence=2**31), JSON, 400, "sentence: Input should be less"),
        (body(sentence=1), JSON, 400, "sentence is 1, the answer has 1 sentences"),
        (body(comment="x" * (MAX_COMMENT_CHARS + 1)), JSON, 400, "comment: String"),
        (body(page=1), JSON, 400, "page: Extra inputs are not permitted"),
        (body(id="1" * 32), JSON, 404, "id names no answer of this server, or one too long ago"),
    ):
        kept = Kept()
        reply = await Feedback(store_of(), kept).take(given, media_type)
        assert (reply.status, kept.given) == (status, []), words
        assert words in json.loads(reply.body)["error"]["message"]
        assert b"secret" not in reply.body


@pytest.mark.anyio
async def test_feedback_that_cannot_be_kept_says_so(caplog):
    store = ResultStore()
    store.open(ID)  # it still runs
    assert code_of(await Feedback(store, Kept()).take(body(), JSON)) == "still_running"
    for wrong, status, code in (
        (FeedbackFullError("full"), 507, "feedback_full"),
        (OSError("/secret/place"), 500, "feedback_not_written"),
    ):
        counted = []
        reply = await Feedback(store_of(), Kept(wrong), count=counted.append).take(body(), JSON)
        assert (reply.status, code_of(reply), counted) == (status, code, [])
        assert b"secret" not in reply.body
        assert "secret" not in caplog.text


@pytest.mark.anyio
async def test_marks_are_bounded_on_one_answer_and_in_a_second_over_all():
    now, other = [0.0], "1" * 32
    feedback = Feedback(store_of(annotation(), annotation(other)), Kept(), clock=lambda: now[0])
    statuses = []
    for _ in range(MAX_PER_ANSWER + 5):
        now[0] += 1.0
        statuses.append((await feedback.take(body(), JSON)).status)
    assert statuses == [204] * MAX_PER_ANSWER + [429] * 5
    assert (await feedback.take(body(id=other), JSON)).status == 204
    ids = [f"{number:032x}" for number in range(int(BURST) + 1)]
    feedback = Feedback(store_of(*map(annotation, ids)), Kept(), clock=lambda: now[0])
    statuses = [(await feedback.take(body(id=each), JSON)).status for each in ids]
    assert statuses == [204] * int(BURST) + [429]
    now[0] += 1.5 / PER_S
    assert [(await feedback.take(body(), JSON)).status for _ in range(2)] == [204, 429]


@pytest.mark.anyio
async def test_the_file_never_grows_beyond_its_bound(tmp_path):
    path = tmp_path / "f.jsonl"
    feedback = Feedback(store_of(), FeedbackFile(path, max_bytes=6_000))
    while (reply := await feedback.take(body(), JSON)).status == 204:
        pass
    assert b"the feedback file is full: 6000 bytes" in reply.body
    assert len(lines(path)) > 1
    assert path.stat().st_size <= 6_000


# ------------------------------------------------------------------ the doors


@asynccontextmanager
async def aiohttp_door(keeper):
    app = web.Application()
    add_feedback(app, store_of(), keeper, "t-1")

    async def post(data, token="t-1", kind=JSON):
        headers = {"Authorization": f"Bearer {token}", "Content_Type": kind}
        return (await ask(base, data, PATH, **headers)).status

    async with serving(app) as base:
        yield post


@asynccontextmanager
async def asgi_door(keeper):
    app = feedback_app(store_of(), keeper, "t-1")

    async def post(data, token="t-1", kind=JSON):
        asked = scope(PATH, authorization=f"Bearer {token}", content_type=kind)
        return (await call(app, asked, data)).status

    yield post


@pytest.mark.parametrize("door", [aiohttp_door, asgi_door])
@pytest.mark.asyncio
async def test_a_door_of_an_application_takes_feedback(door):
    kept = Kept()
    async with door(kept) as post:
        assert await post(body()) == 204
        assert await post(body(), token="t-2") == 401
        assert await post(body(), kind="text/plain") == 415
        assert await post(b" " * (MAX_BODY_BYTES + 1)) == 413
    assert len(kept.given) == 1


@pytest.mark.asyncio
async def test_the_asgi_door_takes_posts_over_http_alone():
    app = feedback_app(store_of(), Kept())
    assert (await call(app, scope(PATH, "GET"))).status == 405
    assert (await call(app, scope(PATH, "HEAD"))).body == b""
    with pytest.raises(RuntimeError, match="is for http, not websocket"):
        await app({**scope(PATH), "type": "websocket"}, None, None)


WHOLE = CHUNKED + chunked(answer("It costs $15.") + DONE) + END


async def say_of(base, got, **fields):
    said = {"id": got.headers["x-streamguard-id"], "label": "down", **fields}
    return await ask(base, said, PATH, Authorization="Bearer t-1", Content_Type=JSON)


@pytest.mark.asyncio
async def test_the_worker_that_keeps_the_result_keeps_the_feedback(tmp_path):
    path, workers = tmp_path / "f.jsonl", tmp_path / "w"
    workers.mkdir()
    settings = {"feedback": path, "results_token": "t-1"}
    async with upstream(WHOLE) as up, two_workers(up.url, workers, **settings) as bases:
        got = await ask(bases[1], ASKED)
        for base in bases:
            assert (await say_of(base, got)).status == 204
            assert (await say_of(base, got, label="meh")).status == 400
            assert (await say_of(base, got, comment="x" * MAX_BODY_BYTES)).status == 413
        stranger = {"id": f"{0:030x}01", "label": "up"}
        assert (await ask(bases[0], stranger, PATH, Content_Type=JSON)).status == 401
    assert len(lines(path)) == 2
    async with proxy(up.url) as base:  # without a file it says how to get one
        got = await ask(base, {"id": ID, "label": "up"}, PATH)
    assert got.status == 404
    assert b"--feedback FILE" in got.body


def test_the_flag_names_a_file_that_can_be_written(tmp_path, monkeypatch):
    parser = argparse.ArgumentParser()
    add_arguments(parser)

    def given(path):
        flags = ["--upstream", "http://localhost", "--feedback", str(path)]
        return settings_of(parser.parse_args(flags)).feedback

    assert given(tmp_path / "f.jsonl") == tmp_path / "f.jsonl"
    for place in (tmp_path, tmp_path / "missing/f.jsonl"):
        with pytest.raises(ConfigError, match="expected a file in a folder that is there"):
            given(place)
    monkeypatch.setattr("streamguard.server.results.feedback.os.access", lambda *_: False)
    with pytest.raises(ConfigError, match="which may not be written"):
        given(tmp_path / "f.jsonl")


@pytest.mark.asyncio
async def test_feedback_on_the_newest_answers_of_the_page_is_kept(tmp_path):
    path, store = tmp_path / "f.jsonl", folder_store()
    settings = {"feedback": path, "results_ttl_s": 0.0, "max_feedback_answers": 1}
    async with chatting(store, **settings) as base:
        older, said = [await say(base, text) for text in ("Hello", "What are the vacation days?")]
        given = {"id": said.annotation["id"], "label": "up", "sentence": 1, "comment": None}
        status, _, nothing = await fetch(base, PATH, "POST", json=given)
        given = {"id": older.annotation["id"], "label": "down"}
        assert (await fetch(base, PATH, "POST", json=given))[0] == 404
    store.close()
    assert (status, nothing) == (204, b"")
    (line,) = lines(path)
    assert line["annotation"]["id"] == said.annotation["id"]
    assert line["annotation"]["result"]["text"] == said.result["text"]
