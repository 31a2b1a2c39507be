"""Who may read the side channel, and what odd requests get: at every door, and at its siblings'."""

import hmac
import json
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import web

from streamguard import Context, SentenceAnnotation, guard
from streamguard.server.aiohttp import add_results
from streamguard.server.asgi import results_app
from streamguard.server.proxy.app import make_app
from streamguard.server.proxy.config import Settings
from streamguard.server.results.responses import closed_to
from streamguard.server.store import ResultStore
from streamguard.server.workers.serve import make_runner, start
from streamguard.server.workers.workers import Worker
from tests.kit.asgi import call, scope
from tests.kit.frames import ASKED, CHUNKED, DONE, END, answer, chunked
from tests.kit.serving import serving
from tests.kit.upstreams import ask, raw, upstream

TOKEN = "sécret-tokén-0123456789"
WHOLE = CHUNKED + chunked(answer("It costs $10. ") + DONE) + END


def test_a_token_is_compared_in_a_time_that_tells_nothing(monkeypatch):
    compared, whole = [], hmac.compare_digest

    def noting(*both):
        compared.append(both)
        return whole(*both)

    monkeypatch.setattr(hmac, "compare_digest", noting)
    assert closed_to(TOKEN, f"Bearer {TOKEN}") is None
    assert closed_to(TOKEN, "").status == 401
    wanted = f"Bearer {TOKEN}".encode()
    assert compared == [(wanted, wanted), (b"", wanted)]


async def made(store):
    """Keep a result; return its id."""
    stream = guard(pieces(), context=Context(chunks=["It costs $10."]), live=True)
    store.open(stream.id)
    async with stream:
        async for item in stream:
            if isinstance(item, SentenceAnnotation):
                store.publish(item)
    store.put(stream.annotation)
    return stream.id


async def pieces():
    yield "It costs $10. It costs $59. "


@asynccontextmanager
async def aiohttp_door(store, token):
    """Run an aiohttp application; give what asks it: a path and header values as bytes."""
    app = web.Application()
    add_results(app, store, token)
    async with serving(app) as base:
        yield over_socket(base)


def over_socket(base, prefix="/streamguard/results/"):
    async def asked(path, **headers):
        head = f"GET {prefix}{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n".encode()
        named = [n.replace("_", "-").encode() + b": " + v + b"\r\n" for n, v in headers.items()]
        back = await raw(base, b"".join((head, *named, b"\r\n")))
        return int(back.split(b" ", 2)[1]), back.partition(b"\r\n\r\n")[2]

    return asked


@asynccontextmanager
async def asgi_door(store, token):
    """Give what asks an ASGI application."""

    async def asked(path, **headers):
        request = scope(f"/{path}", "GET")
        request["headers"] = [(n.replace("_", "-").encode(), v) for n, v in headers.items()]
        sent = await call(results_app(store, token), request)
        return sent.status, sent.body

    yield asked


DOORS = [aiohttp_door, asgi_door]


@pytest.mark.asyncio
@pytest.mark.parametrize("door", DOORS)
async def test_a_token_of_any_characters_opens_every_door(door):
    store = ResultStore()
    name = await made(store)
    async with door(store, TOKEN) as asked:
        for path in (name, f"{name}/events"):
            bearing = f"Bearer {TOKEN}".encode()
            assert (await asked(path, authorization=bearing))[0] == 200
            for wrong in (b"", bearing[:-1], bearing + b"\xff", b"Bearer s\xe9cret", b"\xff\xfe"):
                assert (await asked(path, authorization=wrong))[0] == 401


ODD_IDS = [b"-1", b"+1", b"1.0", b"1e3", b"0x1", b" ", b"\xd9\xa3", b"\xff", b"1\xa0", b"a" * 4_000,
           b"9" * 19, b"9" * 5_000]  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("door", DOORS)
async def test_an_event_id_that_is_none_of_ours_is_refused(door):
    store = ResultStore()
    name = await made(store)
    async with door(store, None) as asked:
        for odd in ODD_IDS:
            status, body = await asked(f"{name}/events", last_event_id=odd)
            assert status == 400, odd
            assert len(body) < 300
        for known, first in ((b"0", b"id: 1\n"), (b"01", b"id: 2\n"), (b"2", b"id: 3\n")):
            status, body = await asked(f"{name}/events", last_event_id=known)
            assert (status, first in body, b"id: 1\n" in body) == (200, True, known == b"0")
        assert await asked(f"{name}/events", last_event_id=b"9" * 18) == (204, b"")


@asynccontextmanager
async def two_workers(url, directory, **settings):
    """Run two workers of one proxy in this process; give what each answers at."""
    async with AsyncExitStack() as stack:
        bases = []
        for number in range(2):
            worker = Worker(number, 2, directory)
            runner = make_runner(make_app(Settings(url, **settings), worker))
            stack.push_async_callback(runner.cleanup)
            bases.append(await start(runner, "127.0.0.1", 0))
        yield bases


@pytest.mark.asyncio
async def test_a_sibling_is_asked_with_headers_of_any_content(tmp_path):
    async with upstream(WHOLE) as up, two_workers(up.url, tmp_path, results_token=TOKEN) as bases:
        name = (await ask(bases[1], ASKED)).headers["x-streamguard-id"]
        bearing = f"Bearer {TOKEN}".encode()
        for base in bases:
            asked = over_socket(base)
            assert (await asked(name, authorization=bearing))[0] == 200
            assert (await asked(name, authorization=b"\xff"))[0] == 401
            for odd in ODD_IDS:
                status, _ = await asked(f"{name}/events", authorization=bearing, last_event_id=odd)
                assert status == 400, odd


@pytest.mark.asyncio
async def test_a_context_with_nested_metadata_serves_the_answers_of_a_sibling(tmp_path):
    deep = "x"
    for _ in range(40):
        deep = {"a": [deep]}
    given = {"chunks": [{"text": "It costs $10.", "metadata": {"deep": deep, "n": 1.5}}]}
    async with upstream(WHOLE) as up, two_workers(up.url, tmp_path) as bases:
        posted = await ask(bases[0], given, "/streamguard/contexts")
        name = json.loads(posted.body)["id"]
        for base in bases:
            got = await ask(base, {"stream": True}, x_streamguard_context=name)
            (annotation,) = got.annotations
            assert annotation["result"]["errors"] == []
            assert annotation["result"]["retrieval"]["raw_count"] == 1
