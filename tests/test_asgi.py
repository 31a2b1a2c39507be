"""The ASGI middleware, message by message, on asyncio and trio."""

import asyncio
import json
import logging
import zlib

import anyio
import pytest

from streamguard import Context, LateContext, Policy, check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.server.asgi import (
    StreamGuardMiddleware,
    contexts_app,
    provide_context,
    results_app,
)
from streamguard.server.asgi import messages as asgi_messages
from streamguard.server.asgi import response as asgi_response
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.responses import Results
from streamguard.server.results.result_store import ResultStore
from tests.kit import streams
from tests.kit.asgi import CHAT_PATH, Sent, call, say, saying, scope, start

pytestmark = pytest.mark.anyio

CHUNKS = ["The Basic plan costs $10 per month."]
CONTEXT = Context(query="What does it cost?", chunks=CHUNKS)
TEXT = "The Basic plan costs $59 per month. It includes one seat."


def speaking(protocol):
    return saying(streams.frames(protocol))


def plain(pieces=(TEXT[:9], TEXT[9:]), before=None):
    """Return an application that streams text by events, and calls `before` with each piece."""

    async def app(scope, receive, send):
        await receive()
        await start(send, "text/event-stream; charset=utf-8")
        for number, piece in enumerate((*pieces, None)):
            if before is not None:
                await before(scope, number)
            if piece is not None:
                await say(send, b"data: " + json.dumps(piece).encode() + b"\n\n")
        await say(send, b"", more=False)

    return app


def guarded(app, store=None, **options):
    options.setdefault("context", lambda scope, body: CONTEXT)
    return StreamGuardMiddleware(app, store=store, **options)


async def verdict(app, asked=None, body=b"", **options):
    """Return what was sent, and the stored annotation."""
    store = ResultStore(store_text=True)
    sent = await call(guarded(app, store, **options), asked or scope(), body)
    return sent, store.get(sent.id)


def kinds(annotation):
    """Return the errors of a result without their words."""
    return [error.split(" (")[0] for error in annotation.result.errors]


async def test_only_the_guard_gives_ids_and_pages_elsewhere_may_read_them():
    forged = [(b"X-Streamguard-Id", b"forged"), (b"access-control-allow-origin", b"*")]
    sent, annotation = await verdict(saying([b"data: x\n\n"], headers=forged))
    ids = [v for n, v in sent.messages[0]["headers"] if n.lower() == b"x-streamguard-id"]
    assert ids == [annotation.id.encode()]
    assert sent.headers["access-control-expose-headers"] == "x-streamguard-id"


EVENTS = "text/event-stream"
LEFT_ALONE = [("text/html", 200, "POST"), (EVENTS, 404, "POST"), (EVENTS, 206, "POST"),
              ("", 200, "POST"), (EVENTS, 200, "HEAD"), (EVENTS, 204, "OPTIONS")]  # fmt: skip


@pytest.mark.parametrize(("kind", "status", "method"), LEFT_ALONE)
async def test_other_answers_pass_message_by_message(kind, status, method):
    pieces = [b'{"choices": [', b"", b'{"message": {"content": "x"}}', b"]}"]
    app, asked = saying(pieces, kind, status), scope(method=method)
    assert (await call(guarded(app), asked)).messages == (await call(app, asked)).messages


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
async def test_other_connections_get_the_servers_own_callables(kind, caplog):
    caplog.set_level(logging.INFO)
    seen = []

    async def app(*given):
        seen.append(given)

    asked, receive, send = {"type": kind, "path": "/"}, object(), object()
    await guarded(app)(asked, receive, send)
    assert seen == [(asked, receive, send)]
    assert asked == {"type": kind, "path": "/"}
    told = [each.fields["path"] for each in caplog.records if each.message == "unchecked"]
    assert told == (["/"] if kind == "websocket" else [])


async def test_paths_say_what_is_looked_at():
    for paths in (("/apps/*", "/ask"), ("apps/*", "ask")):
        app = guarded(speaking("chat"), paths=paths)
        for path, is_looked_at in (("/apps/x", True), ("/ask", True), ("/no", False)):
            assert ((await call(app, scope(path))).id is not None) is is_looked_at


async def test_a_form_may_be_named_by_a_text():
    app = guarded(plain(), forms="event")
    sent = await call(app, scope())
    assert b"event: streamguard" in sent.body
    asked = await call(app, scope(x_streamguard="off"))
    assert b"streamguard" not in asked.body


async def test_a_path_that_answers_without_a_context_is_logged_once(caplog):
    app = guarded(plain(), context=None)
    for path in ("/ask", "/ask", "/other"):
        await call(app, scope(path))
    await call(guarded(plain()), scope())
    told = [one.fields for one in caplog.records if one.message == "no_context"]
    assert [fields["path"] for fields in told] == ["/ask", "/other"]
    assert "provide_context" in told[0]["hint"]


def test_a_wrong_argument_is_named_before_an_answer_comes():
    for name, given, words in (
        ("paths", "/ask", "paths is '/ask', expected a sequence of paths"),
        ("text", "", "text is '', expected a path as data.text"),
        ("checks", [], "checks is a list, expected Checks"),
        ("forms", "chunky", "forms is 'chunky', expected one of off"),
        ("forms", 3, "forms is 3, expected one of off"),
        ("context_from", "all", "context_from is 'all', expected one of application"),
        (
            "context_template",
            "{context}",
            "context_template has no {question}, expected {context} a",
        ),
        ("sinks", [3], "sinks\\[0\\] is a int, expected a function"),
    ):
        with pytest.raises(ConfigError, match=words):
            guarded(speaking("chat"), **{name: given})


@pytest.mark.parametrize("kind", ["http.response.pathsend", "http.response.trailers"])
async def test_messages_of_extensions_pass(kind):
    async def app(scope, receive, send):
        await send({"type": "http.response.debug", "info": {}})
        await start(send)
        await send({"type": kind, "path": "/x"})

    told = [message["type"] for message in (await call(guarded(app), scope())).messages]
    assert told == ["http.response.debug", "http.response.start", kind]


async def test_json_over_the_cap_passes_as_it_is(monkeypatch):
    monkeypatch.setattr(asgi_response, "MAX_ANSWER_BYTES", 50)
    raw = streams.whole("chat")
    app = saying([raw[:60], raw[60:70], raw[70:]], "application/json")
    sent, annotation = await verdict(app, scope(CHAT_PATH))
    assert sent.bodies == [raw[:60], raw[60:70], raw[70:]]
    assert annotation.state == "skipped"


KEY = {"streamguard": {"query": "What does it cost?", "chunks": CHUNKS}}
SHOWN = {"messages": [{"role": "user", "content": "What does it cost?"}]}


def written(value):
    return json.dumps(value).encode()


def said_by(role):
    return written({"messages": [{"role": role, "content": f"[C1] {CHUNKS[0]}"}]})


WRONG = ["context: ConfigError"]
ASKING = [  # headers, body, options, whether the answer has a context, and what is listed
    ({}, written(KEY), {}, True, []),
    ({}, said_by("system"), {}, True, []),
    ({}, said_by("user"), {}, False, []),
    ({}, said_by("user"), {"context_from": "user"}, True, []),
    ({}, written(SHOWN), {}, False, []),
    ({}, b"no JSON", {}, False, []),
    ({}, b"", {}, False, []),
    ({}, written({"streamguard": {"chunk": []}}), {}, False, WRONG),
    ({"content_encoding": "deflate"}, zlib.compress(written(KEY)), {}, True, []),
    ({"content_encoding": "gzip"}, written(KEY), {}, False, WRONG),
    ({"content_encoding": "br"}, written(KEY), {}, False, WRONG),
]


@pytest.mark.parametrize(("headers", "body", "options", "known", "listed"), ASKING)
async def test_the_request_says_or_shows_the_context(headers, body, options, known, listed):
    _, annotation = await verdict(plain(), scope(**headers), body, context=None, **options)
    assert (annotation.result.status is not None, kinds(annotation)) == (known, listed)


def asynchronous(given):
    async def context(scope, body):
        await anyio.lowlevel.checkpoint()
        return given

    return context


@pytest.mark.parametrize(
    ("context", "kind"),
    [
        (lambda scope, body: {}["db://user:secret@host"], "KeyError"),
        (lambda scope, body: "x", "ConfigError"),
        (asynchronous("x"), "ConfigError"),
    ],
)
async def test_what_it_raises_or_gives_wrong_is_listed(context, kind):
    sent, annotation = await verdict(plain(), body=written(KEY), context=context)
    assert sent.ended
    assert kinds(annotation) == [f"context: {kind}"]
    assert "secret" not in str(annotation.result.errors)
    assert annotation.result.status is not None  # what the request says stands in


def providing(number, context=CONTEXT, **options):
    """Return an application that provides a context in front of the piece `number`."""

    async def before(scope, at):
        if at == number:
            provide_context(scope, context, **options)

    return plain(before=before)


@pytest.mark.parametrize(
    ("number", "asked", "context", "listed"),
    [
        (0, SHOWN, None, []),
        (1, SHOWN, None, []),
        (2, SHOWN, None, []),
        (2, {"streamguard": {"chunks": [TEXT]}}, lambda scope, body: LateContext(), []),
        (1, KEY, None, ["context: StreamStateError"]),  # the request's own came first
    ],
)
async def test_a_handler_provides_it_unless_another_came_first(number, asked, context, listed):
    _, annotation = await verdict(providing(number), body=written(asked), context=context)
    assert kinds(annotation) == listed
    expected = check_text(TEXT, context=CONTEXT)
    assert annotation.result.status == expected.status
    assert listed or annotation.result == expected


NAMED = {"streamguard": {"chunks": CHUNKS, "collection": "handbook"}}
OF_COLLECTIONS = {"handbook": "strict", "wiki": Policy(name="wiki", validation_enabled=False)}


async def judged(app=None, asked=None, body=b"", **options):
    """Return by what policy an answer was judged, and what went wrong."""
    options = {"context": None, "collection_policies": OF_COLLECTIONS, **options}
    _, annotation = await verdict(app or plain(), asked, body, **options)
    return annotation.result.policy, kinds(annotation)


async def test_a_handler_names_the_collection_before_its_first_piece():
    assert await judged(providing(0, collection="handbook")) == ("strict", [])
    late = await judged(providing(1, collection="handbook"))
    assert late == ("moderate", ["context: StreamStateError"])


async def test_a_wish_that_is_none_is_listed_and_the_answer_is_judged():
    odd = {"x_streamguard": "bad", "x_streamguard_detail": "x", "x_streamguard_context": "0" * 32}
    for name, value in odd.items():
        found = await judged(asked=scope(**{name: value}), body=written(NAMED))
        listed = "context" if "context" in name else "wishes"
        assert found == ("strict", [f"{listed}: ConfigError"])


async def test_providing_wrongly_is_refused_by_what_is_wrong():
    async def before(scope, at):
        if at == 0:
            with pytest.raises(ConfigError, match="takes a Context or a LateContext, not list"):
                provide_context(scope, CHUNKS)
            with pytest.raises(ConfigError, match="collection is 7, expected a string"):
                provide_context(scope, CONTEXT, collection=7)
            provide_context(scope, CONTEXT)
            with pytest.raises(StreamStateError, match="provided already"):
                provide_context(scope, CONTEXT)

    assert (await verdict(plain(before=before), context=None))[0].ended
    for request in ({}, None, object(), {"streamguard": 1}):
        with pytest.raises(ConfigError, match="found no StreamGuardMiddleware"):
            provide_context(request, CONTEXT)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("when", [0, None])
async def test_a_future_that_is_cancelled_is_listed_and_cancels_nothing(when):
    coming = asyncio.get_running_loop().create_future()

    async def before(scope, at):
        if at == 2:
            asyncio.get_running_loop().call_soon(coming.cancel)
        elif at == when:
            coming.cancel()

    sent, annotation = await verdict(plain(before=before), context=lambda scope, body: coming)
    assert sent.ended
    assert kinds(annotation) == ["context: ConfigError"]


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "application/json"])
async def test_uploads_and_what_is_too_long_are_not_kept(kind, monkeypatch):
    monkeypatch.setattr(asgi_messages, "MAX_REQUEST_BYTES", 10)
    seen = []

    async def app(asked, receive, send):
        seen.append(await receive())
        await plain()(asked, nothing, send)

    bodies, body = [], b'{"q": "longer than ten"}'
    await verdict(app, scope(content_type=kind), body, context=lambda _, body: bodies.append(body))
    assert (seen[0]["body"], bodies) == (body, [b""])


async def nothing():
    return {"type": "http.request"}


async def test_pings_of_another_task_lose_no_text():
    """As sse-starlette does it: events and pings are sent without a lock between them."""
    frames, ping = streams.frames("chat"), b": ping\n\n"

    async def app(scope, receive, send):
        async def pings():
            while True:
                await say(send, ping)
                await anyio.lowlevel.checkpoint()

        await start(send)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pings)
            await say(send, *frames)
            tasks.cancel_scope.cancel()
        await say(send, b"", more=False)

    sent, annotation = await verdict(app, scope(CHAT_PATH, x_streamguard="header"))
    assert sent.body.count(ping) > 3
    assert sent.body.replace(ping, b"") == b"".join(frames)
    assert annotation.result == check_text(streams.TEXT, context=CONTEXT)


class Boom(Exception):
    """An application's own error."""


@pytest.mark.parametrize("number", [0, 1, 4])
async def test_what_the_application_raises_is_the_same_object(number):
    frames, boom = streams.frames("chat"), Boom("secret")

    async def app(scope, receive, send):
        if number > 0:
            await start(send)
        for frame in frames[: max(0, number - 1)]:
            await say(send, frame[:-3], frame[-3:])
        if number > 1:
            await say(send, b"data: {")
        raise boom

    store, sent = ResultStore(), Sent()
    with pytest.raises(Boom) as raised:
        await call(guarded(app, store), scope(CHAT_PATH), sent=sent)
    assert raised.value is boom
    if number == 0:
        assert sent.messages == []
        return
    assert not sent.ended
    assert sent.body == b"".join(frames[: number - 1]) + (b"data: {" if number > 1 else b"")
    assert store.get(sent.id).result.ended == "upstream_error"


async def test_json_that_is_cancelled_is_sent_as_far_as_nothing_waited():
    sinks, sent = [], Sent()

    async def app(scope, receive, send):
        await start(send, "application/json")
        await say(send, b'{"a":{}')
        tasks.cancel_scope.cancel()
        await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        await call(guarded(app, sinks=[sinks.append]), scope(CHAT_PATH), sent=sent)
    assert sent.bodies == [b'{"a":{']
    assert not sent.ended
    assert [annotation.result.ended for annotation in sinks] == ["cancelled"]


@pytest.mark.parametrize("number", [0, 1, 7, 13])
async def test_a_client_that_leaves_at_any_send_leaves_one_result(number):
    app, store, closed = speaking("chat"), ResultStore(), []

    async def watched(scope, receive, send):
        try:
            await app(scope, receive, send)
        finally:
            closed.append(True)

    seen = []
    middleware = guarded(watched, store, sinks=[seen.append])
    with pytest.raises(OSError, match="the client has left"):
        await call(middleware, scope(CHAT_PATH), fail=number)
    assert closed == [True]
    assert [annotation.result.ended for annotation in seen] == ["client_disconnect"]
    assert len(store) == 1


@pytest.mark.parametrize("number", [0, 2])
async def test_a_disconnect_reaches_the_application(number):
    """As Starlette does it: one task streams, another listens and cancels it."""
    leave, sinks, got = anyio.Event(), [], []

    async def app(scope, receive, send):
        await receive()

        async def before(scope, at):
            if at == number:
                leave.set()
                await anyio.sleep_forever()

        async with anyio.create_task_group() as tasks:

            async def listen():
                got.append(await receive())
                tasks.cancel_scope.cancel()

            tasks.start_soon(listen)
            await plain(TEXT.split(" ")[:3], before)(scope, nothing, send)

    sent = Sent()
    with anyio.fail_after(10):
        await call(guarded(app, sinks=[sinks.append]), scope(), leave=leave, sent=sent)
    assert got == [{"type": "http.disconnect"}]
    assert not sent.ended
    assert [a.result.ended for a in sinks] == ["client_disconnect"]


async def test_the_events_of_a_listener_that_leaves_are_closed_at_once(monkeypatch):
    closed = []

    async def events(*_asked):
        try:
            yield b"data: 1\n\n"
            yield b"data: 2\n\n"
        finally:
            closed.append(True)

    monkeypatch.setattr(Results, "events", events)
    with pytest.raises(OSError, match="has left"):
        await call(results_app(ResultStore()), scope("/x/events", "GET"), fail=2)
    assert closed == [True]


@pytest.mark.parametrize(
    ("app", "name", "method"),
    [(results_app(ResultStore()), "results", "POST"),
     (contexts_app(ContextStore()), "contexts", "GET")],
)  # fmt: skip
async def test_what_is_mounted_is_asked_by_its_method_over_http(app, name, method):
    found = await call(app, scope("/x", method))
    assert (found.status, bool(json.loads(found.body)["error"]["message"])) == (405, True)
    with pytest.raises(RuntimeError, match=f"{name} is for http, not websocket"):
        await app({"type": "websocket"}, None, None)


POSTED = b'{"query": "What does it cost?", "chunks": ["The Basic plan costs $59 per month."]}'


async def test_a_context_that_was_posted_counts_for_the_answer():
    contexts = ContextStore()
    posted = scope("/", content_type="application/json")
    name = json.loads((await call(contexts_app(contexts, None, None), posted, POSTED)).body)["id"]
    _, annotation = await verdict(plain(), scope(x_streamguard_context=name), contexts=contexts)
    assert annotation.result == check_text(TEXT, context=CONTEXT)


async def test_a_client_that_leaves_while_it_posts_keeps_nothing():
    contexts = ContextStore()
    parts = [{"type": "http.request", "body": POSTED[:9], "more_body": True}]
    sent = []

    async def receive():
        return parts.pop() if parts else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    await contexts_app(contexts)(scope("/"), receive, send)
    assert len(contexts) == 0


async def test_where_an_application_says_nothing_of_caches_an_annotated_stream_is_left_as_it_is():
    answer, _ = await verdict(saying([b'data: "It costs."\n\n']), scope(query=b"streamguard=event"))
    found = [v for n, v in answer.messages[0]["headers"] if n.lower() == b"cache-control"]
    assert found == [b"no-transform"]
