"""The proxy over real sockets, with the official client and upstreams that misbehave."""

import asyncio
import json
import logging

import aiohttp
import openai
import pytest

from streamguard import Checks, check_text
from streamguard.server.http.bodies import READ_BYTES
from streamguard.server.proxy import app as proxy_module
from streamguard.server.proxy import exchange
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.request_options import Forms
from streamguard.server.workers.serve import make_runner, start
from streamguard.wire.requests.shown import context_of
from tests.kit.frames import (
    ASKED,
    CHUNKED,
    DONE,
    END,
    HEAD,
    PATH,
    PATIENCE_S,
    answer,
    chunked,
    frame,
    usage,
    whole,
)
from tests.kit.upstreams import (
    ask,
    cut_after,
    dial,
    forever,
    in_pieces,
    leaves,
    opened,
    parts,
    proxy,
    raw,
    result,
    stalls,
    upstream,
    without_annotation,
)
from tests.programs.faults.server import serving

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. [C1] The Pro plan costs $99 per month."
STREAM = answer(TEXT) + usage() + DONE
CONTEXT = context_of(ASKED["messages"])


async def test_the_official_client_gets_its_chunks_and_one_annotation():
    async with (
        upstream(in_pieces(STREAM, 50)) as up,
        proxy(up.url) as base,
        openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0) as client,
    ):
        stream = await client.chat.completions.create(**ASKED)
        async with stream:
            chunks = [chunk async for chunk in stream]
        headers = stream.response.headers
        name = headers["x-streamguard-id"]
        assert headers["Cache-Control"] == "no-cache, no-transform"
        assert headers["X-Accel-Buffering"] == "no"
        content = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        assert content == TEXT
        assert chunks[-1].usage.total_tokens == 5
        (annotation,) = [c.streamguard for c in chunks if getattr(c, "streamguard", None)]
        assert annotation["id"] == name
        expected = check_text(TEXT, context=CONTEXT)
        assert annotation["result"] == json.loads(expected.model_dump_json())
        status, stored = await result(base, name)
        assert status == 200
        assert stored["result"] == json.loads(expected.without_text().model_dump_json())
        assert up.requests[0].headers["authorization"] == "Bearer k"
        assert up.requests[0].headers["accept-encoding"] == "identity"


async def test_off_relays_without_check_or_id():
    key = {"streamguard": {"query": "x"}}
    async with upstream(in_pieces(STREAM, 99)) as up, proxy(up.url) as base:
        got = await ask(base, {**ASKED, **key}, x_streamguard="off")
        assert got.body == STREAM
        assert "x-streamguard-id" not in got.headers
        assert json.loads(up.requests[0].body) == ASKED
        assert "x-streamguard" not in up.requests[0].headers
        await ask(base, b"{broken", x_streamguard="off")
        assert up.requests[1].body == b"{broken"


EVERY_FORM = "expected one of off, header, chunk, attach, event"
SOME_FORMS = {"forms": Forms(None, ("header", "attach"))}
WISHES = [  # headers, settings, and why they are refused
    ({"x_streamguard": "inline"}, {}, EVERY_FORM),
    ({"x_streamguard": ""}, {}, EVERY_FORM),
    ({"x_streamguard": "off"}, {"require_check": True}, "off"),
    ({"x_streamguard": "event"}, SOME_FORMS, "'event', expected one of header, attach"),
    ({"x_streamguard_live": "maybe"}, {}, "x-streamguard-live is 'maybe', expected 1 or 0"),
    ({"x_streamguard_detail": "some"}, {}, "'some', expected one of full, findings, verdict"),
]


async def test_a_wish_that_cannot_be_is_refused_before_anybody_is_asked():
    async with upstream(b"") as up:
        for headers, settings, said in WISHES:
            async with proxy(up.url, **settings) as base:
                got = await ask(base, ASKED, **headers)
            assert got.status == 400
            assert said in json.loads(got.body)["error"]["message"]
        assert up.requests == []


async def test_over_a_cap_answers_are_relayed_unchecked_and_say_so():
    async with upstream(in_pieces(STREAM, 99)) as up:
        async with proxy(up.url, max_open_streams=0) as base:
            assert (await ask(base, ASKED)).annotations[0]["state"] == "skipped"
        async with proxy(up.url, max_body_bytes=10) as base:
            assert (await ask(base, ASKED)).annotations[0]["state"] == "skipped"
            assert json.loads(up.requests[-1].body) == ASKED
            await ask(base, ASKED, x_streamguard="off")
            assert json.loads(up.requests[-1].body) == ASKED


@pytest.mark.parametrize("status", ["200 OK", "500 No", "404 No"])
async def test_no_more_answers_are_checked_at_once_than_the_cap_says(status):
    """One that is skipped takes no place, one that is refused gives its place back."""
    go, came = asyncio.Event(), 0

    async def health(base):
        return json.loads((await ask(base, None, "/streamguard/health", "GET")).body)

    async def waits(received, writer):
        nonlocal came
        came += 1
        if came == 9:
            go.set()
        await go.wait()
        writer.write(whole(STREAM, "text/event-stream", status))

    async with upstream(waits) as up, proxy(up.url, max_open_streams=3) as base:
        for _ in range(2):
            go.clear()
            came = 0
            asked = (ask(base, ASKED, x_streamguard="header") for _ in range(9))
            got = await asyncio.gather(*asked)
            told = [each.headers.get("x-streamguard-skipped") for each in got]
            assert told.count("limit") == (6 if status[0] == "2" else 0)
            while (await health(base))["open_streams"]:  # what has gone on may still be checked
                await asyncio.sleep(0.01)


async def test_a_head_request_has_headers_and_no_body():
    script = b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: x\r\n\r\n"
    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, None, "/v1/files/1", "HEAD")
        assert (got.body, got.headers["ETag"], got.clean) == (b"", "x", True)
        assert got.headers["Content-Length"] == "1234"


async def test_cookies_of_one_client_do_not_reach_the_next_request():
    script = whole(b"ok", "text/plain", more="Set-Cookie: session=secret\r\n")
    async with upstream(script) as up, proxy(up.url) as base:
        for _ in range(2):
            await ask(base, None, "/v1/models", "GET")
        assert "cookie" not in up.requests[1].headers


async def test_an_old_client_is_served_without_chunks_and_sees_a_cut_as_a_reset():
    request = f"POST {PATH} HTTP/1.0\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    async with upstream(in_pieces(STREAM, 99)) as up, proxy(up.url) as base:
        head, _, body = (await raw(base, request)).partition(b"\r\n\r\n")
        assert b"chunked" not in head
        assert without_annotation(body) == STREAM
    script = cut_after(frame("Basic costs $10."), "no last chunk")
    async with upstream(script) as up, proxy(up.url) as base:
        with pytest.raises(ConnectionResetError):
            await raw(base, request)


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_response_that_nobody_asked_for_is_never_the_next_clients_answer(at_once):
    stray = whole(b'{"secret": "of another client"}')

    async def repeats(_headers, _reader, writer):
        writer.write(whole(b'{"data": []}') + (stray if at_once else b""))
        if not at_once:
            await writer.drain()
            answered.append(writer)
        return True

    answered = []
    async with serving(repeats) as url, proxy(url) as base:
        for _ in range(3):
            got = await ask(base, None, "/v1/models", "GET")
            assert (got.status, got.body) == (200, b'{"data": []}')
            while answered:
                answered.pop().write(stray)


async def test_a_comment_goes_on_before_the_first_frame_has_come():
    script = parts(b": one moment\n\n", b"data: Hi.\n\n", go := asyncio.Event())
    async with upstream(script) as up, proxy(up.url, check_paths=("/ask",)) as base:
        reader, writer = await dial(base, b"GET /ask HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b": one moment\n\n")
            go.set()
            await reader.readuntil(b"data: Hi.\n\n")
        writer.close()


@pytest.mark.parametrize("end", [END, b""])
async def test_a_stream_that_ends_before_its_first_frame_is_relayed(end):
    script = CHUNKED + chunked(b"data: H") + end
    async with upstream(script) as up, proxy(up.url, check_paths=("/ask",)) as base:
        got = await ask(base, None, "/ask", "GET")
        assert (got.body, got.clean) == (b"data: H", bool(end))
        _, stored = await result(base, got.headers["x-streamguard-id"])
        assert stored["result"]["ended"] == "upstream_error"


async def test_a_client_that_leaves_frees_the_upstream_before_what_had_come_is_checked():
    gone, checked = asyncio.Event(), []  # of each sentence, whether the upstream was left by then

    def note(_sentence, _scope):
        checked.append(gone.is_set())
        return ()

    checks = Checks(per_sentence=(note,), verdicts=False)
    async with (
        upstream(forever([frame("It costs $10 today. " * 3_000)], gone)) as up,
        proxy(up.url, checks=checks) as base,
        asyncio.timeout(PATIENCE_S * 3),
    ):
        await result(base, await leaves(base, 1))
    assert len(checked) > 2_900
    assert checked.count(True) > 1_000


async def test_a_client_that_leaves_an_unguarded_answer_frees_the_upstream():
    seen = asyncio.Event()

    async with (
        upstream(forever([b"x"], seen)) as up,
        proxy(up.url) as base,
        aiohttp.ClientSession() as session,
        asyncio.timeout(PATIENCE_S),
    ):
        response = await session.get(f"{base}/v1/files/1")
        assert await response.content.readany() == b"x"
        response.close()
        await seen.wait()


@pytest.mark.parametrize("mode", ["off", "chunk"])
async def test_a_slow_reader_stops_the_upstream(mode):
    blocked, total = asyncio.Event(), 0
    piece = b": " + b"x" * 20_000 + b"\n\n"  # nothing to check: only the reader may be slow

    async def floods(_received, writer):
        nonlocal total
        writer.write(CHUNKED)
        while total < 100_000_000:
            writer.write(chunked(piece))
            total += len(piece)
            if await stalls(writer):
                blocked.set()
                return

    async with opened(floods, {"x-streamguard": mode}) as (_, response):
        await response.content.readany()
        await blocked.wait()
    assert total < 30_000_000  # the kernel's socket buffers, four times, and little else


@pytest.mark.parametrize("path", [PATH, "/v1/files"])
async def test_a_slow_reader_gets_pieces_of_bounded_size(path):
    blocked, gone = asyncio.Event(), asyncio.Event()

    async def floods(_received, writer):
        writer.write(CHUNKED)
        while not await stalls(writer):
            writer.write(chunked(b": " + b"x" * 20_000 + b"\n\n") * 50)
        blocked.set()
        await gone.wait()

    async with upstream(floods) as up, proxy(up.url) as base, asyncio.timeout(PATIENCE_S * 3):
        asked = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        reader, writer = await dial(base, asked.encode())
        writer.transport.pause_reading()
        await blocked.wait()
        writer.transport.resume_reading()
        await reader.readuntil(b"\r\n\r\n")
        sizes = []
        while sum(sizes) < 1_000_000:
            sizes.append(int(await reader.readuntil(b"\r\n"), 16))
            await reader.readexactly(sizes[-1] + 2)
        gone.set()
        writer.close()
    # A checked frame goes on when it is complete, with the read that completes it.
    assert max(sizes) <= READ_BYTES + (20_004 if path == PATH else 0)


async def started(url):
    runner = make_runner(make_app(Settings(url)))
    return runner, await start(runner, "127.0.0.1", 0)


async def test_stopping_lets_open_streams_end_and_then_stores_them_as_they_are(monkeypatch):
    monkeypatch.setattr(proxy_module, "GRACE_S", 0.05)
    seen, first = asyncio.Event(), frame("Basic costs $10.")
    async with upstream(forever([first], seen)) as up:
        runner, base = await started(up.url)
        async with (
            aiohttp.ClientSession() as session,
            asyncio.timeout(PATIENCE_S),
            session.post(base + PATH, json=ASKED) as response,
        ):
            assert await response.content.readany() == first
            await runner.cleanup()
            with pytest.raises(aiohttp.ClientError):
                await response.content.read()
        store = runner.app[proxy_module.PROXY].store
        assert store.get(response.headers["x-streamguard-id"]).result.ended == "cancelled"


async def test_stopping_waits_for_no_more_than_little_that_is_left_to_be_examined(monkeypatch):
    monkeypatch.setattr(proxy_module, "GRACE_S", 0)
    monkeypatch.setattr(exchange, "CANCEL_WAIT_S", 0)
    said = "Basic costs $10 per month. " * 20_000
    stream = frame(said) + frame(finish="stop") + DONE
    async with upstream(in_pieces(stream, 60_000)) as up:
        runner, base = await started(up.url)
        got = await ask(base, x_streamguard="header")
        await runner.cleanup()
    assert got.body == stream
    result = runner.app[proxy_module.PROXY].store.get(got.headers["x-streamguard-id"]).result
    assert ("limit_reached" in result.flags, result.text.code_points) == (True, len(said))


@pytest.mark.parametrize("path", [PATH, "/v1/files"])
async def test_stopping_takes_the_rest_of_an_upload(path):
    body = json.dumps(ASKED).encode()
    async with upstream(whole(b"{}")) as up:
        runner, base = await started(up.url)
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        reader, writer = await dial(base, head.encode() + body[:10])
        idle, silent = await dial(base)
        async with asyncio.timeout(PATIENCE_S):
            while not runner.app[proxy_module.PROXY].tasks:
                await asyncio.sleep(0)
            stopping = asyncio.create_task(runner.cleanup())
            assert await idle.read() == b""  # so it listens no longer
            with pytest.raises(ConnectionRefusedError):
                await dial(base)
            writer.write(body[10:])
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 200 ")
            await reader.read()  # and the connection ends behind its answer
            await stopping
        writer.close()
        silent.close()
        assert up.requests[0].body == body


@pytest.mark.parametrize("mark", ["?", "%3F", "%253f"])
@pytest.mark.parametrize("check_paths", [(), ("/foo*",)])
async def test_logs_hold_no_query_however_its_mark_is_written(mark, check_paths, caplog):
    caplog.set_level(logging.INFO)
    script = in_pieces(STREAM, 99)
    async with upstream(script) as up, proxy(up.url, check_paths=check_paths) as base:
        await ask(base, ASKED, f"/foo{mark}key=secret")
    told = [each.fields for each in caplog.records if each.message in ("answer", "unchecked")]
    assert [each["path"] for each in told] == ["/foo"]
    assert "secret" not in repr(told)


@pytest.mark.parametrize(
    ("sent", "form", "expected"),
    [
        ("", "chunk", "no-cache, no-transform"),
        ("Cache-Control: private\r\nCache-Control: max-age=0\r\n", "chunk",
         "private, max-age=0, no-transform"),
        ("Cache-Control: No-Transform, no-store\r\n", "attach", "No-Transform, no-store"),
        ("Cache-Control: ,\r\n", "event", "no-transform"),
    ],
)  # fmt: skip
async def test_what_upstream_says_of_caches_goes_on_with_what_an_annotation_needs(
    sent, form, expected
):
    script = HEAD + sent.encode() + b"\r\n" + STREAM
    async with upstream(script) as up, proxy(up.url) as base:
        answer = await ask(base, ASKED, x_streamguard=form)
    assert answer.headers.getall("Cache-Control") == [expected]


@pytest.mark.parametrize(
    ("base_path", "path", "change"),
    [
        ("/v1", "/v1/chat/completions", "leave /v1 out of --upstream"),
        ("/x/v1beta/", "/v1beta/models", "leave /v1beta out of --upstream"),
        ("", "/v1/v1/chat/completions", "leave /v1 out of the address that clients have"),
    ],
)
async def test_a_version_that_stands_twice_is_told_once(base_path, path, change, caplog):
    refusal = b"HTTP/1.1 404 no\r\nContent-Length: 0\r\n\r\n"
    async with upstream(refusal) as up, proxy(f"{up.url}{base_path}") as base:
        for _ in range(3):
            assert (await ask(base, ASKED, f"{path}?key=secret")).status == 404
    (told,) = [each.fields for each in caplog.records if each.message == "upstream_path_twice"]
    assert told == {"path": f"{base_path.rstrip('/')}{path}", "change": change}


@pytest.mark.parametrize(("status", "path"), [(404, "/v1/models"), (200, "/v1/v1/models")])
async def test_of_other_paths_and_answers_nothing_is_told(status, path, caplog):
    answer = f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode()
    async with upstream(answer) as up, proxy(up.url) as base:
        assert (await ask(base, None, path, "GET")).status == status
    assert "upstream_path_twice" not in [each.message for each in caplog.records]
