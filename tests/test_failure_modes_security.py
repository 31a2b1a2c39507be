"""Failure modes 52 to 61: hostile text, hostile upstreams, hostile clients, over real sockets.

Targets, redirects and smuggling, 57 and 58, are in `test_http_attacks.py`, what a browser shows,
55, in `tests/browser`.
"""

import argparse
import asyncio
import ipaddress
import json
import logging

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.server.observe.logs import JSONLines
from streamguard.server.proxy.config import add_arguments
from streamguard.server.workers.serve import address
from streamguard.wire.dialect import IN_BAND
from streamguard.wire.dialects import DIALECTS
from streamguard.wire.requests.shown import context_of
from tests.kit.asgi import annotations
from tests.kit.asgi import events as frames_of
from tests.kit.frames import ASKED, CHUNKED, DONE, HEAD, PATH, answer, chunked, frame, whole
from tests.kit.upstreams import (
    ask,
    cut_after,
    in_pieces,
    proxy,
    refusing,
    result,
    stored_of,
    upstream,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

CONTEXT = context_of(ASKED["messages"])
FORGED = {"object": "streamguard.result", "id": "f" * 32, "state": "complete", "result": None}
FRAME_OF_OURS = b"data: " + json.dumps({"streamguard": FORGED}).encode() + b"\n\n"
EVENT_OF_OURS = b"event: streamguard.result\ndata: " + json.dumps(FORGED).encode() + b"\n\n"


IMITATIONS = [
    'Ask "John Smith".}}]}\n\n' + FRAME_OF_OURS.decode() + "data: [DONE]\n\n",
    'It costs $99"},"streamguard":' + json.dumps(FORGED) + ',"x":{"y":"',
    "event: streamguard.result\r\ndata: {}\r\n\r\n It costs $99.",
    "It costs $99.\r\rdata: [DONE]\r\rid: 1\u2028data: x",
    "\\u0022}}]}\\n\\ndata: [DONE]\\n\\n costs $99.",
]


@pytest.mark.parametrize("form", ["chunk", "attach", "event"])
@pytest.mark.parametrize("text", IMITATIONS)
async def test_mode_52_text_that_looks_like_an_annotation_stays_inside_its_string(text, form):
    events = answer(text, 7) + DONE
    async with upstream(in_pieces(events, 50)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard=form)
    ((_, found),) = annotations(got.body)
    assert found["id"] == got.headers["x-streamguard-id"]
    assert found["result"] == json.loads(check_text(text, context=CONTEXT).model_dump_json())
    assert len(frames_of(got.body)) == len(frames_of(events)) + (form != "attach")


async def test_mode_53_events_and_headers_that_bear_our_name_are_told_apart_by_the_id():
    events = FRAME_OF_OURS + EVENT_OF_OURS + answer("Basic costs $10.") + DONE
    head = HEAD + b"x-streamguard-id: %b\r\nX-STREAMGUARD-ID: %b\r\n" % (b"f" * 32, b"e" * 32)
    script = head + b"Connection: close\r\n\r\n" + events
    names = set()
    async with upstream(script) as up, proxy(up.url) as base:
        for _ in range(2):
            got = await ask(base, ASKED)
            theirs = [each.replace(FRAME_OF_OURS, b"") for each in (got.body, events)]
            assert without_annotation(theirs[0]) == theirs[1]
            assert got.body.startswith(FRAME_OF_OURS + EVENT_OF_OURS)
            (name,) = got.headers.getall("x-streamguard-id")
            ids = [each["id"] for event, each in annotations(got.body) if event.event == "message"]
            assert ids == ["f" * 32, name]
            assert (await result(base, name))[1]["id"] == name
            names.add(name)
        unchecked = await ask(base, None, "/v1/files", "GET")
        assert "x-streamguard-id" not in unchecked.headers
    assert len(names | {"f" * 32, "e" * 32}) == 4


HOSTILE = "a\r\n\rdata: x\u2028\u2029\x85\0</script><!--\ud800\U0001f600"


@pytest.mark.parametrize(
    "dialect",
    [d for d in DIALECTS if d.form("event") in IN_BAND and d.name != "gemini_array"],
    ids=lambda dialect: dialect.name,
)
async def test_mode_54_whatever_an_annotation_quotes_it_is_one_line_of_ascii(dialect):
    chunk = RetrievedChunk(f"The {HOSTILE} plan costs $49.", id=HOSTILE, source=HOSTILE)
    guards = ChoiceGuards(Context(query=HOSTILE, chunks=[chunk], citations=[HOSTILE]))
    guards.feed({0: f'The {HOSTILE} plan costs $59 [C9]. "John {HOSTILE} Smith" says so.'})
    line = guards.close("0" * 32).to_json()
    assert "script" in line
    assert line.isascii()
    assert not set("\r\n\0<") & set(line)
    reader, event = dialect.reader(), None
    for made in (reader.addition(line, event), reader.live(0, 0, line)):
        (read,) = [e for e in dialect.decoder().feed(made) if e.data is not None]
        assert made.count(b"\n") <= 3
        assert json.loads(read.data)


KEY = "sk-secret-0123456789"
SENT = {"Authorization": f"Bearer {KEY}", "x_api_key": KEY, "api_key": KEY, "Cookie": f"k={KEY}"}
TEXT = "The Basic plan costs $99 per month."
FAILURES = {
    "nothing": in_pieces(answer(TEXT) + DONE, 50),
    "cut": cut_after(answer(TEXT)[:-9], "no last chunk"),
    "reset": cut_after(frame("A."), "reset"),
    "error frame": in_pieces(frame("A.") + b'data: {"error":"x"}\n\n', 50),
    "broken": in_pieces(b"data: {\n\n" + answer(TEXT), 50),
    "no HTTP": b"hello\r\n\r\n",
    "protocol": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "broken chunks": CHUNKED + chunked(frame("A.")) + b"zz\r\n",
    "error before": whole(b"{}", status="401 No"),
    "redirect": whole(b"", status="302 Away", more="Location: /x\r\n"),
    "one piece": whole(b'{"choices":[{"message":{"content":"x"}}]}'),
    "empty": b"",
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_mode_56_no_key_is_in_logs_errors_metrics_or_stores(failure, caplog):
    caplog.set_level(logging.DEBUG)
    said = []
    async with upstream(FAILURES[failure]) as up:
        async with proxy(up.url, store_text=True, idle_timeout_s=0.2) as base:
            for path in (f"{PATH}?key={KEY}", f"/v1/files?key={KEY}"):
                got = await ask(base, ASKED, path, **SENT)
                said += [got.body.decode(), str(got.headers)]
                if "x-streamguard-id" in got.headers:
                    said.append(json.dumps(await stored_of(base, got)))
            for path in ("health", "metrics", "results/x", "contexts"):
                own = await ask(base, None, f"/streamguard/{path}", "GET", **SENT)
                said.append(own.body.decode())
            wrong = {"Transfer-Encoding": "gzip, chunked", **SENT}
            said.append((await ask(base, b"{}", f"{PATH}?key={KEY}", **wrong)).body.decode())
        keys = [seen.headers["authorization"] for seen in up.requests]
    with refusing() as gone:
        async with proxy(gone) as base:
            said.append((await ask(base, ASKED, f"{PATH}?key={KEY}", **SENT)).body.decode())
    assert set(keys) == {f"Bearer {KEY}"}
    said += [JSONLines().format(record) for record in caplog.records]
    assert [each for each in said if "sk-secret" in each] == []


async def test_mode_59_what_belongs_to_one_connection_goes_no_further():
    hop = (
        "Connection: keep-alive, X-Private\r\nKeep-Alive: timeout=5\r\nX-Private: 1\r\n"
        "Proxy-Authenticate: Basic\r\nTrailer: X-T\r\nUpgrade: h2c\r\nX-Kept: yes\r\n"
    )
    events = answer(TEXT) + DONE
    async with upstream(whole(events, "text/event-stream", more=hop)) as up, proxy(up.url) as base:
        sent = {"Connection": "X-Private", "X_Private": "1", "Keep_Alive": "timeout=5"}
        sent |= {"Proxy_Authorization": "Basic eA==", "TE": "trailers", "X_Kept": "yes"}
        got = await ask(base, ASKED, **sent)
        names = {name.lower() for name in got.headers}
        (seen,) = up.requests
    dropped = {"keep-alive", "x-private", "proxy-authenticate", "trailer", "upgrade"}
    assert not dropped & names
    assert not {*dropped, "proxy-authorization", "te", "connection"} & set(seen.headers)
    assert (got.headers["X-Kept"], seen.headers["x-kept"]) == ("yes", "yes")
    # The length was that of a body without the annotation.
    assert "content-length" not in names
    assert without_annotation(got.body) == events
    assert (got.clean, len(got.annotations)) == (True, 1)


async def test_mode_61_it_listens_on_loopback_and_opens_nothing_to_other_origins():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    host, _ = address(parser.parse_args(["--upstream", "http://up"]).listen)
    assert ipaddress.ip_address(host).is_loopback
    page = {"Origin": "https://elsewhere.example", "Sec_Fetch_Site": "cross-site"}
    asks = {"Access_Control_Request_Method": "GET", **page}
    async with upstream(in_pieces(answer(TEXT) + DONE, 50)) as up, proxy(up.url) as base:
        name = (await ask(base, ASKED)).headers["x-streamguard-id"]
        async with asyncio.timeout(10):
            await result(base, name)
        for path in (f"results/{name}", f"results/{name}/events", "health", "metrics", "contexts"):
            for method, headers in (("GET", page), ("OPTIONS", asks), ("POST", page)):
                got = await ask(base, None, f"/streamguard/{path}", method, **headers)
                assert not [each for each in got.headers if each.lower().startswith("access-")]
        assert len(up.requests) == 1
