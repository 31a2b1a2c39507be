"""Nobody checks what streamguard itself answers: every endpoint of every door."""

import json

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from streamguard.server.asgi import StreamGuardMiddleware, contexts_app, results_app
from streamguard.server.store import ContextStore, ResultStore
from tests.kit import streams
from tests.kit.asgi import CHAT_PATH, call, saying, scope
from tests.kit.upstreams import ASKED, DONE, ask, frame, proxy, upstream

ID_HEADER = "x-streamguard-id"
UNKNOWN = "0" * 32
# Of the results, wherever they are mounted: what follows the path, its method and its status.
RESULTS = [
    ("/{id}", "GET", 200),
    ("/{id}", "HEAD", 200),
    ("/{id}/events", "GET", 200),
    (f"/{UNKNOWN}", "GET", 404),
    (f"/{UNKNOWN}/events", "GET", 404),
]
CONTEXTS = [("", "POST", 201), ("", "GET", 405)]
CONTEXT = json.dumps({"query": "?", "chunks": ["It costs $10."]}).encode()


def mounted(path, store):
    """Return what answers at `path`, inside a framework, with the middleware around it all."""
    results, contexts = results_app(store), contexts_app(ContextStore())
    if path == CHAT_PATH:  # one whose JSON is checked
        return StreamGuardMiddleware(contexts, store=store)
    routes = [
        Mount("/streamguard/results", results),
        Mount("/streamguard/contexts", contexts),
        Mount("/elsewhere", results),
    ]
    return StreamGuardMiddleware(Starlette(routes=routes), store=store)


async def answered(store):
    """Let the middleware check an answer; return the id of its result."""
    app = StreamGuardMiddleware(saying(streams.frames("chat"), "text/event-stream"), store=store)
    asked = scope(CHAT_PATH, x_streamguard_live="1", x_streamguard="header")
    return (await call(app, asked)).id


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        *((f"/streamguard/results{path}", *rest) for path, *rest in RESULTS),
        *((f"/elsewhere{path}", *rest) for path, *rest in RESULTS),
        *((f"/streamguard/contexts{path}/", *rest) for path, *rest in CONTEXTS),
        *((f"{CHAT_PATH}{path}", *rest) for path, *rest in CONTEXTS),
    ],
)
async def test_the_middleware_leaves_our_endpoints_alone(path, method, status):
    store = ResultStore()
    path = path.format(id=await answered(store))
    kept = len(store)
    app = mounted(path, store)
    body = CONTEXT if method == "POST" else b""
    for form in ("chunk", "header"):
        asked = scope(path, method, x_streamguard=form, content_type="application/json")
        sent = await call(app, asked, body)
        assert (sent.status, sent.id, len(store)) == (status, None, kept)
        assert sent.ended
        if "content-length" in sent.headers:
            assert int(sent.headers["content-length"]) == len(sent.body)


@pytest.mark.asyncio
@pytest.mark.parametrize("required", [False, True])
async def test_the_proxy_checks_none_of_its_own_and_asks_nobody(required):
    endpoints = [
        *((f"/streamguard/results{path}", *rest) for path, *rest in RESULTS),
        ("/streamguard/health", "GET", 200),
        ("/streamguard/metrics", "GET", 200),
        ("/streamguard/contexts", "POST", 201),
        ("/streamguard/contexts", "GET", 404),
        ("/streamguard/v1/chat/completions", "POST", 404),
    ]
    script = frame("It costs $10.") + frame(finish="stop") + DONE
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    how = {"check_paths": ("/*",), "require_check": required}
    async with upstream(head + script) as up, proxy(up.url, **how) as base:
        name = (await ask(base, ASKED)).headers[ID_HEADER]
        for path, method, status in endpoints:
            body = json.loads(CONTEXT) if method == "POST" else None
            got = await ask(base, body, path.format(id=name), method)
            assert (got.status, ID_HEADER in got.headers) == (status, False), path
        health = await ask(base, None, "/streamguard/health", "GET")
        assert json.loads(health.body)["stored_results"] == 1
        assert len(up.requests) == 1
