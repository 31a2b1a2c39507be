"""What the proxy, the ASGI middleware and the aiohttp helper have in common, through each of them.

A door takes the frames of an answer and gives a function that asks for it. What one of them does
otherwise stands in its own file.
"""

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache

import pytest
from aiohttp import web

from streamguard import Context, check_text, guard, guard_sync
from streamguard.server.aiohttp import add_results, stream_sse
from streamguard.server.asgi import StreamGuardMiddleware, contexts_app, results_app
from streamguard.server.request_options import Forms
from streamguard.server.results.context_store import KEPT_BYTES, ContextStore
from streamguard.server.store import ResultStore
from streamguard.server.workers.serve import start
from tests.kit import asgi, streams
from tests.kit.frames import CHUNKED, END, HEAD, chunked
from tests.kit.upstreams import ask, proxy, upstream

pytestmark = pytest.mark.asyncio

RESULTS, CONTEXTS = "/streamguard/results", "/streamguard/contexts"
PATHS = {
    "chat": "/v1/chat/completions", "completions": "/v1/completions", "responses": "/v1/responses",
    "anthropic": "/v1/messages", "cohere": "/v2/chat", "ollama_chat": "/api/chat",
    "ollama_generate": "/api/generate", "gemini": "/v1beta/models/m:streamGenerateContent",
}  # the others are known by their first frame  # fmt: skip
LINES = ("ollama_chat", "ollama_generate", "lines")
OUT_OF_BAND = ("events", "lines")  # but for who asks for the named event
CHUNKS = ["The Basic plan costs $10 per month."]
ASKED = {"model": "m", "streamguard": {"query": "What does it cost?", "chunks": CHUNKS}}
EXPECTED = check_text(streams.TEXT, context=Context(**ASKED["streamguard"]))


ANY_FORM = Forms()


@dataclass
class Answer:
    """What came back; names of headers are in small letters."""

    status: int
    headers: dict
    body: bytes
    clean: bool
    lines: bool = False

    @property
    def id(self):
        return self.headers.get("x-streamguard-id")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def annotations(self):
        return [annotation for _, annotation in asgi.annotations(self.body, self.lines)]


async def kept(send, name):
    """Return what is kept of an answer, once it has its verdict: a body may end before that."""
    while True:
        got = await send(f"{RESULTS}/{name}", method="GET")
        if got.status != 202:
            return got


@dataclass
class Said:
    """An answer to be given: its frames, or its body in one piece."""

    protocol: str = "chat"
    scenario: str = "text"
    whole: bool = False
    cache: str = ""  # what the application says of caches

    @property
    def path(self):
        path = PATHS.get(self.protocol, "/ask")
        return path.replace(":streamG", ":g") if self.whole else path

    @property
    def kind(self):
        if self.whole:
            return "application/json"
        return "application/x-ndjson" if self.protocol in LINES else "text/event-stream"

    @property
    def headers(self):
        """Return headers of the response beside its type: those that tell its protocol first."""
        told = {"x-vercel-ai-ui-message-stream": "v1"} if self.protocol == "ui" else {}
        return {**told, "Cache-Control": self.cache} if self.cache else told

    @property
    def pieces(self):
        if self.whole:
            return [streams.whole(self.protocol, self.scenario)]
        if self.scenario == "cut":
            made = streams.frames(self.protocol)
            return made[: len(made) // 2]
        return streams.frames(self.protocol, self.scenario)

    @property
    def body(self):
        return b"".join(self.pieces)


def asking(base, lines=False):
    """Return what sends a request to a server, and gives what came back."""

    async def send(path, body=None, method="POST", **headers):
        got = await ask(base, body, path, method, **headers)
        names = {name.lower(): value for name, value in got.headers.items()}
        return Answer(got.status, names, got.body, got.clean, lines)

    return send


@asynccontextmanager
async def through_proxy(said, *, token=None, store_text=False, max_bytes=1_000_000, forms=ANY_FORM):
    head = HEAD.replace(b"text/event-stream", said.kind.encode())
    body = b"".join(map(chunked, said.pieces)) + END
    head += b"".join(f"{name}: {value}\r\n".encode() for name, value in said.headers.items())
    head += CHUNKED.removeprefix(HEAD)
    settings = {"results_token": token, "store_text": store_text, "max_body_bytes": max_bytes}
    async with (
        upstream(head + body) as up,
        proxy(up.url, check_paths=("/ask",), forms=forms, **settings) as base,
    ):
        yield asking(base, said.protocol in LINES)


@asynccontextmanager
async def through_asgi(said, *, token=None, store_text=False, max_bytes=1_000_000, forms=ANY_FORM):
    store = ResultStore(store_text=store_text)
    contexts = ContextStore(max_bytes=max_bytes + KEPT_BYTES)
    raw = [(name.encode(), value.encode()) for name, value in said.headers.items()]
    app = asgi.saying(said.pieces or [b""], said.kind, headers=raw)
    apps = {
        RESULTS: results_app(store, token),
        CONTEXTS: contexts_app(contexts, None, token),
        "": StreamGuardMiddleware(app, store=store, contexts=contexts, forms=forms),
    }

    async def send(path, body=None, method="POST", **headers):
        path, _, query = path.partition("?")
        app = next(app for prefix, app in apps.items() if path.startswith(prefix))
        raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        asked = asgi.scope(path, method, query.encode(), **headers)
        sent = await asgi.call(app, asked, raw or b"")
        names = {name.lower(): value for name, value in sent.headers.items()}
        return Answer(sent.status, names, sent.body, sent.ended, said.protocol in LINES)

    yield send


@asynccontextmanager
async def through_aiohttp(said, *, token=None, store_text=False, forms=ANY_FORM):
    store = ResultStore(store_text=store_text)
    frames = [event.data for event in asgi.events(said.body) if event.data != "[DONE]"]

    async def source():
        for data in frames:
            yield json.loads(data)

    async def answer(request):
        stream = guard(source(), context=Context(**ASKED["streamguard"]))
        more = {"dialect": said.protocol, "headers": said.headers, "forms": forms}
        return await stream_sse(request, stream, store=store, **more)

    app = web.Application()
    app.router.add_post(said.path, answer)
    add_results(app, store, token)
    runner = web.AppRunner(app, access_log=None)
    try:
        yield asking(await start(runner, "127.0.0.1", 0))
    finally:
        await runner.cleanup()


SERVERS = pytest.mark.parametrize("door", [through_proxy, through_asgi])
DOORS = pytest.mark.parametrize("door", [through_proxy, through_asgi, through_aiohttp])


# Items that the library knows by their shape, and those that the helper writes as they are.
KNOWN = ("chat", "completions", "responses", "anthropic", "gemini", "ollama_chat")
WRITTEN = ("chat", "responses", "anthropic")
WITH_PASSAGES = [("ui", "tools"), ("ui", "calls")]  # what their tool returned is evidence too
# An answer that broke off differs by these from a whole one of the same text.
OF_THE_END = {"complete", "ended", "status", "reasons", "work"}


async def by_guard(said):
    async def source():
        for item in items:
            yield item

    items = data_of(said.body, said.protocol in LINES)
    async with guard(source(), context=Context(**ASKED["streamguard"])) as stream:
        *out, annotation = [item async for item in stream]
    assert all(one is other for one, other in zip(out, items, strict=True))
    return out, json.loads(annotation.to_json())


async def by_guard_sync(said):
    items = data_of(said.body, said.protocol in LINES)
    with guard_sync(items, context=Context(**ASKED["streamguard"])) as stream:
        *out, annotation = stream
    assert all(one is other for one, other in zip(out, items, strict=True))
    return out, json.loads(annotation.to_json())


def by(door):
    async def passed(said):
        async with door(said, store_text=True) as send:
            got = await send(said.path, ASKED, x_streamguard="header")
            stored = (await kept(send, got.id)).json
            if said.scenario == "text":
                annotated = await send(said.path, ASKED)
                found = [each["id"] for each in annotated.annotations]
                assert found == [annotated.id] * (said.protocol not in OUT_OF_BAND)
        assert (got.status, got.clean, stored["id"]) == (200, True, got.id)
        assert got.headers["content-type"].startswith(said.kind)
        assert got.body == said.body or door is through_aiohttp
        return data_of(got.body, said.protocol in LINES), stored

    return passed


WAYS = {
    "guard": (by_guard, KNOWN),
    "guard_sync": (by_guard_sync, KNOWN),
    "proxy": (by(through_proxy), streams.PROTOCOLS),
    "asgi": (by(through_asgi), streams.PROTOCOLS),
    "aiohttp": (by(through_aiohttp), WRITTEN),
}


@cache
def verdict_on(text):
    result = check_text(text, context=Context(**ASKED["streamguard"]))
    return json.loads(result.model_dump_json())


@pytest.mark.parametrize(
    ("way", "protocol"), [(way, name) for way, (_, names) in WAYS.items() for name in names]
)
async def test_every_stream_passes_every_door_as_it_is_with_the_verdict_on_its_text(way, protocol):
    passes, _ = WAYS[way]
    for ending in (*streams.SCENARIOS, "cut"):
        scenario = "text" if ending == "cut" else ending
        if not streams.has(protocol, scenario) or (protocol, scenario) in WITH_PASSAGES:
            continue
        said = Said(protocol, ending)
        out, annotation = await passes(said)
        assert out == data_of(said.body, protocol in LINES), ending
        result = annotation["result"]
        text = streams.texts(scenario).get(0, "")[: result["text"]["code_points"]]
        expected = dict(verdict_on(text))
        if ending == "error" or (ending == "cut" and protocol not in OUT_OF_BAND):
            expected |= {name: result[name] for name in OF_THE_END}
            assert (annotation["state"], result["ended"]) == ("partial", "upstream_error"), ending
        assert result == expected, ending


@DOORS
@pytest.mark.parametrize(
    ("form", "by"),
    [("off", "query"), ("header", "header"), ("chunk", "header"), ("attach", "query"),
     ("event", "header"), ("event", "query")],
)  # fmt: skip
async def test_a_request_chooses_the_form_by_header_or_query(door, form, by):
    said = Said("chat", "usage")
    async with door(said) as send:
        path = said.path if by == "header" else f"{said.path}?a=b&streamguard={form}&c"
        got = await send(path, ASKED, **({"x_streamguard": form} if by == "header" else {}))
    found = asgi.annotations(got.body)
    assert (got.id is None) is (form == "off")
    assert len(found) == (form not in ("off", "header"))
    for event, annotation in found:
        assert annotation["id"] == got.id
        assert event.event == ("streamguard.result" if form == "event" else "message")
    carrier = b"" if form == "attach" else b"".join(event.raw for event, _ in found)
    if form != "attach":
        assert data_of(got.body.replace(carrier, b"")) == data_of(said.body)


def data_of(body, lines=False):
    """Return the data of frames, parsed; the helper writes them anew, and not every space."""
    return [_value(event.data) for event in asgi.events(body, lines) if event.data]


def _value(data):
    try:
        return json.loads(data)
    except ValueError:  # an end sign, or text by itself
        return data


@DOORS
async def test_the_servers_form_holds_where_a_request_says_nothing(door):
    async with door(Said(), forms=Forms("header")) as send:
        assert (await send(Said().path, ASKED)).annotations == []
        got = await send(Said().path, ASKED, x_streamguard="attach")
    assert len(got.annotations) == 1


@DOORS
@pytest.mark.parametrize("form", ["chunk", "attach", "event", "header"])
async def test_where_a_request_asks_sentences_are_told_as_they_settle_and_the_result_last(
    door, form
):
    said = Said("chat", "usage")
    asked = [("", {}), ("", {"x_streamguard_live": "yes"}), ("?streamguard-live=1", {})]
    async with door(said) as send:
        answers = [await send(said.path + at, ASKED, x_streamguard=form, **h) for at, h in asked]
    told = [[annotation["object"] for annotation in got.annotations] for got in answers]
    kinds = ["streamguard.sentence"] * len(EXPECTED.sentences) + ["streamguard.result"]
    assert told == ([[]] * 3 if form == "header" else [kinds[-1:], kinds, kinds])


@DOORS
async def test_nobody_on_the_way_may_change_a_stream_that_is_annotated(door):
    said = Said("chat", cache="private")
    async with door(said) as send:
        for form, expected in (("event", "private, no-transform"), ("header", "private")):
            got = await send(said.path, ASKED, x_streamguard=form)
            assert got.headers["cache-control"] == expected


@pytest.mark.parametrize(
    ("door", "most", "whole"),
    [(through_proxy, 3_000, False), (through_proxy, 20_000, True), (through_asgi, 20_000, False),
     (through_asgi, 3_000, True), (through_aiohttp, 3_000, False)],
)  # fmt: skip
async def test_an_annotation_in_an_answer_is_no_longer_than_allowed(door, most, whole):
    said = Said("chat", "long", whole=whole)
    async with door(said, forms=Forms(max_annotation_bytes=most)) as send:
        got = await send(said.path, ASKED, x_streamguard="chunk")
        stored = (await kept(send, got.id)).json
    (annotation,) = [got.json["streamguard"]] if whole else got.annotations
    assert "sentences" in annotation["truncated"]
    assert len(json.dumps(annotation, separators=(",", ":"))) <= most
    assert len(stored["result"]["sentences"]) == 330
    assert (stored["truncated"], stored["state"]) == ([], "complete")


@DOORS
async def test_the_side_channel_ends_with_the_result_and_says_nothing_twice(door):
    said = Said()
    async with door(said) as send:
        got = await send(said.path, ASKED, x_streamguard_live="1")
        path = f"{RESULTS}/{got.id}/events"
        events = asgi.events((await send(path, method="GET")).body)
        again = await send(path, method="GET", last_event_id=str(len(events)))
    told = [event.event for event in events]
    assert told == ["streamguard.sentence"] * (len(told) - 1) + ["streamguard.result"]
    assert len(told) == len(EXPECTED.sentences) + 1
    assert (again.status, again.body) == (204, b"")


UNKNOWN = ("0" * 32, "x", "0" * 31, "a%2fb", "0" * 32 + "/events")


@DOORS
async def test_an_unknown_result_is_not_found(door):
    async with door(Said()) as send:
        for name in UNKNOWN:
            assert (await send(f"{RESULTS}/{name}", method="GET")).status == 404, name


@DOORS
async def test_a_token_guards_results_and_their_sentences(door):
    said = Said()
    async with door(said, token="t") as send:
        name = (await send(said.path, ASKED)).id
        for path in (f"{RESULTS}/{name}", f"{RESULTS}/{name}/events", f"{RESULTS}/{'0' * 32}"):
            for more in ({}, {"authorization": "Bearer u"}):
                assert (await send(path, method="GET", **more)).status == 401
            right = await send(path, method="GET", authorization="Bearer t")
            assert right.status == (404 if name not in path else 200)


@SERVERS
async def test_an_answer_to_an_unknown_context_is_relayed_and_says_what_it_lacks(door):
    said = Said()
    async with door(said) as send:
        for name in ("0" * 32, "x"):
            got = await send(said.path, ASKED, x_streamguard_context=name)
            (annotation,) = got.annotations
            assert annotation["result"]["errors"] == [
                "context: ConfigError (no stored context of this id, or no longer)"
            ]


NO_CONTEXTS = [
    ({"body": b"[]"}, 400, "bad_context"),
    ({"body": b"{"}, 400, "bad_context"),
    ({"body": b'{"policy": "lenient"}'}, 400, "bad_context"),
    ({"body": b"x" * 101}, 413, "context_too_long"),
    ({"authorization": "Bearer u"}, 401, "bad_token"),
]


@SERVERS
async def test_what_is_no_context_is_refused(door):
    headers = {"authorization": "Bearer t", "content_type": "application/json"}
    async with door(Said(), token="t", max_bytes=100) as send:
        for asked, status, code in NO_CONTEXTS:
            got = await send(CONTEXTS, **{**headers, **asked})
            assert (got.status, got.json["error"]["code"]) == (status, code)
        taken = await send(CONTEXTS, b'{"query": "?"}', **headers)
    assert taken.status == 201
