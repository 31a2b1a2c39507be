"""HTTP as attackers write it, on both sides of the proxy; the canary must see none of it."""

import json
import tracemalloc
import zlib

import pytest

from streamguard.wire.codecs import json_turns
from tests.kit.frames import ASKED, CHUNKED, DONE, END, HEAD, PATH, answer, chunked, whole
from tests.kit.upstreams import ask, flooded, proxy, raw, upstream

pytestmark = pytest.mark.asyncio

POST = "POST /v1/files HTTP/1.1\r\nHost: x\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
TE = POST + "Transfer-Encoding: chunked\r\n"
LAST = "0\r\n\r\n"

# Requests on whose end two peers might disagree: refused, and the connection closed behind them.
REFUSED = {
    "length and chunks": TE + f"Content-Length: 6\r\n\r\n{LAST}G",
    "chunks and length": POST + f"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n{LAST}",
    "two lengths": POST + "Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
    "a length in other digits": POST + "Content-Length: \u0665\r\n\r\nhello",
    "a space before the colon of the length": POST + "Content-Length : 5\r\n\r\nhello",
    "a space before the colon of the coding": POST + f"Transfer-Encoding : chunked\r\n\r\n{LAST}",
    "an unknown coding": POST + f"Transfer-Encoding: xchunked\r\n\r\n{LAST}",
    "compressed chunks": POST + f"Transfer-Encoding: gzip, chunked\r\n\r\n{LAST}",
    "a folded coding": POST + f"Transfer-Encoding:\r\n chunked\r\n\r\n{LAST}",
    "a coding behind a bare LF": POST + f"X: y\nTransfer-Encoding: chunked\r\n\r\n{LAST}",
    "a coding behind a bare CR": POST + f"X: y\rTransfer-Encoding: chunked\r\n\r\n{LAST}",
    "chunks in HTTP/1.0": TE.replace("1.1", "1.0") + f"Connection: keep-alive\r\n\r\n{LAST}",
    "a chunk size with 0x": TE + f"\r\n0x5\r\nhello\r\n{LAST}",
    "a chunk size too small": TE + f"\r\n3\r\nhello\r\n{LAST}",
    "a chunk that ends with LF": TE + f"\r\n5\r\nhello\n{LAST}",
    "an LF in a chunk's extension": TE + f"\r\n5;a\nb\r\nhello\r\n{LAST}",
    "a length among the trailers": TE + "\r\n5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n",
    "a header with a NUL": POST + "X: a\0b\r\n\r\n",
    "no host": "GET /x HTTP/1.1\r\n\r\n",
    "HTTP/0.9": "GET /x\r\n\r\n",
    "a NUL in the path": "GET /x\0y HTTP/1.1\r\nHost: a\r\n\r\n",
    "TRACE": "TRACE /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\n\r\n",
    "a line of 20 KB": f"GET /{'x' * 20_000} HTTP/1.1\r\nHost: a\r\n\r\n",
    "a header of 20 KB": POST + f"X: {'x' * 20_000}\r\n\r\n",
    "5,000 headers": POST + "".join(f"X-{n}: x\r\n" for n in range(5_000)) + "\r\n",
}


async def test_mode_58_a_request_with_two_readings_is_refused_and_its_connection_closed():
    async with upstream(whole(b"canary")) as up, proxy(up.url) as base:
        for name, request in REFUSED.items():
            back = await raw(base, (request + SMUGGLED * 2).encode())
            # HTTP/0.9 knows no status; some codings are refused only when the body is read.
            refused = back.startswith((b"HTTP/1.1 4", b'{"error"', b"HTTP/1.0 4")) or not back
            assert (refused, back.count(b"HTTP/1.1 ") <= 1) == (True, True), (name, back)
            assert up.requests == [], name


FIVE = "Content-Length: 5\r\n\r\nhello"
ODD = {
    "a tab before the coding": (POST + "Transfer-Encoding:\tchunked\r\n\r\n5\r\nhello\r\n" + LAST),
    "a coding in capitals": (POST + "Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\r\n" + LAST),
    "a chunk with an extension": TE + f"\r\n5;a=b\r\nhello\r\n{LAST}",
    "trailers": TE + "\r\n5\r\nhello\r\n0\r\nX-Trailer: y\r\n\r\n",
    "a GET with a body": "GET /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "a coding with an underscore": POST + "Transfer_Encoding: chunked\r\n" + FIVE,
    "a connection that names the length": POST + "Connection: content-length\r\n" + FIVE,
    "a handshake": POST + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" + FIVE,
}


async def test_an_odd_but_clear_request_goes_on_once_in_words_of_our_own():
    last = SMUGGLED.replace("Host", "Connection: close\r\nHost")
    async with upstream(whole(b"ok", "text/plain")) as up, proxy(up.url) as base:
        for name, request in ODD.items():
            back = await raw(base, (request + last).encode())
            assert back.count(b"HTTP/1.1 200 OK") == 2, name
            odd, after = up.requests[-2:]
            assert (odd.path, odd.body, after.path) == ("/v1/files", b"hello", "/smuggled"), name
            assert not {"upgrade", "connection", "transfer_encoding"} & set(odd.headers)
            assert ("content-length" in odd.headers) != ("transfer-encoding" in odd.headers)


TARGETS = ["{url}/x", "http://{host}/x", "{host}", "//{host}/x", "/@{host}/x", "/x#@{host}/", "*"]


@pytest.mark.parametrize("method", ["GET", "POST", "CONNECT"])
async def test_mode_57_no_target_and_no_header_leads_to_another_host(method):
    async with upstream(whole(b"canary")) as canary, upstream(whole(b"up")) as up:
        host = canary.url.removeprefix("http://")
        async with proxy(up.url) as base:
            for target in TARGETS:
                lines = [
                    f"{method} {target.format(url=canary.url, host=host)} HTTP/1.1",
                    *(f"Host: {host}", f"X-Forwarded-Host: {host}", f"Forwarded: host={host}"),
                    *("X-Forwarded-Proto: https", f"X-Original-URL: {canary.url}"),
                    *("Connection: close", "Content-Length: 0", "", ""),
                ]
                await raw(base, "\r\n".join(lines).encode())
            given = {"api_base": canary.url, "base_url": canary.url, "streamguard": {"query": host}}
            await ask(base, {**ASKED, **given}, f"{PATH}?api_base={canary.url}")
        assert canary.requests == []
        own = up.url.removeprefix("http://")
        assert {seen.headers["host"] for seen in up.requests} == {own}


@pytest.mark.parametrize("upgrade", ["", "Connection: Upgrade\r\nUpgrade: websocket\r\n"])
async def test_encoded_dots_in_a_path_lead_nowhere_and_are_said(upgrade):
    paths = ("/v1/%2e%2e/admin", "/..%2fadmin", "/%252e%252e/x", "/v1\\..\\admin", "/v1/..;/admin")
    async with upstream(whole(b"canary")) as up, proxy(up.url) as base:
        for path in paths:
            for method in ("GET", "POST"):
                asked = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{upgrade}Content-Length: 0\r\n\r\n"
                back = await raw(base, asked.encode())
                assert back.startswith(b"HTTP/1.1 400 "), path
                assert b"in the path is read as dots by some servers" in back
    assert up.requests == []


@pytest.mark.parametrize("status", [302, 307])
async def test_mode_57_a_redirect_takes_no_key_to_another_host(status):
    async with upstream(whole(b"canary")) as canary:
        away = whole(b"", status=f"{status} Away", more=f"Location: {canary.url}/x\r\n")
        async with upstream(away) as up, proxy(up.url) as base:
            for body, path in ((ASKED, PATH), (None, "/v1/models")):
                method = "POST" if body else "GET"
                got = await ask(base, body, path, method, Authorization="Bearer sk-secret")
                assert (got.status, got.headers["Location"]) == (status, f"{canary.url}/x")
        assert canary.requests == []


STREAM = answer("The Basic plan costs $10 per month.") + DONE
LENGTH = f"Content-Length: {len(STREAM)}\r\n".encode()
# Heads of responses that cannot be told apart from something else, or are of another protocol.
NO_ANSWER = {
    "length and chunks": (CHUNKED[:-2] + b"Content-Length: 5\r\n\r\n", chunked(STREAM) + END),
    "two lengths": (HEAD + b"Content-Length: 5\r\n" + LENGTH + b"\r\n", STREAM),
    "an unknown coding": (HEAD + b"Transfer-Encoding: xchunked\r\n\r\n", chunked(STREAM) + END),
    "compressed chunks": (
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        chunked(STREAM) + END,
    ),
    "a bare CR in a header": (HEAD + b"X: a\rX-Injected: b\r\n" + LENGTH + b"\r\n", STREAM),
    "a bare CR in the reason": (HEAD.replace(b"OK", b"OK\rX: 1") + LENGTH + b"\r\n", STREAM),
    "a header of 40 KB": (HEAD + b"X: " + b"a" * 40_000 + b"\r\n" + LENGTH + b"\r\n", STREAM),
    "another protocol": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", STREAM),
    "no HTTP": (b"hello, I am no server\r\n\r\n", STREAM),
}


@pytest.mark.parametrize("path", [PATH, "/v1/files"])
@pytest.mark.parametrize("name", NO_ANSWER)
async def test_a_response_with_two_readings_is_a_502(name, path):
    async with upstream(b"".join(NO_ANSWER[name])) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, path)
    assert (got.status, got.clean, got.annotations) == (502, True, [])
    assert json.loads(got.body)["error"]["type"] == "upstream_error"
    assert not {"X-Injected", "X"} & set(got.headers)


REASONS = [b"", b"Ol\xc3\xa9", b"a  b\tc", b"%0d%0aX: 1", b"\x80\xff", b"x" * 4_000]


@pytest.mark.parametrize("path", [PATH, "/v1/files"])
@pytest.mark.parametrize("reason", REASONS)
async def test_a_reason_phrase_of_odd_content_reaches_the_client_and_nothing_else(path, reason):
    head = HEAD.replace(b"200 OK", b"200 " + reason) + LENGTH + b"\r\n"
    body = json.dumps(ASKED).encode()
    asked = f"POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Streamguard: header\r\n"
    asked += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    async with upstream(head + STREAM) as up, proxy(up.url) as base:
        back = await raw(base, asked.encode() + body)
    first, _, rest = back.partition(b"\r\n")
    assert first == b"HTTP/1.1 200 " + reason
    assert b"\r\nX:" not in rest.partition(b"\r\n\r\n")[0]
    assert rest.endswith(STREAM)


@pytest.mark.parametrize("path", [PATH, "/v1/files", "/v1/chat/completions?", "/v1/files?"])
@pytest.mark.parametrize(
    "line", [b"X-Name: Jos\xe9", b"X-Name: \xff\x80\xf0", b"Content-Type: text/pl\xe9in", b""]
)
async def test_a_head_with_other_bytes_than_utf8_or_without_a_type_goes_on_as_it_is(path, line):
    kept = b"HTTP/1.1 200 OK\r\nServer: s\r\nDate: d\r\n" + line + b"\r\n" * bool(line)
    head = kept + b"Content-Length: 2\r\n\r\n"
    async with upstream(head + b"hi") as up, proxy(up.url) as base:
        asked = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close"
        back = await raw(base, asked.encode() + b"\r\n\r\n{}")
        assert up.requests[0].path == path
    assert (back[: len(kept)], back[-6:]) == (kept, b"\r\n\r\nhi"), back
    assert back.lower().count(b"content-type") == line.startswith(b"Content-Type")


BOMB_BYTES = 64_000_000
AT_MOST = 20_000_000


def compressed(pieces, encoding="gzip"):
    """Return `pieces` compressed."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    return b"".join([*map(packing.compress, pieces), packing.flush()])


FRAME = b": " + b"x" * 99_996 + b"\n\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "piece"),
    [("text/event-stream", FRAME), ("application/json", b" " * 100_000)],
    ids=["stream", "json"],
)
async def test_a_bomb_of_64_megabytes_from_upstream_takes_20_at_most(kind, piece):
    bomb = compressed(piece for _ in range(BOMB_BYTES // len(piece)))
    assert len(bomb) < 200_000
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\n\r\n".encode()
    count, got, stored, peak = await flooded([bomb], head)
    added = sum(len(json.dumps(each)) for each in got.annotations)
    assert BOMB_BYTES <= count <= BOMB_BYTES + 2 * added
    assert stored["state"] in ("partial", "skipped")
    assert peak < AT_MOST


@pytest.mark.slow
@pytest.mark.parametrize(("path", "encoding"), [(PATH, "gzip"), ("/v1/files", "deflate")])
async def test_a_bomb_of_64_megabytes_from_a_client_takes_20_at_most(path, encoding):
    bomb = compressed((b" " * 100_000 for _ in range(640)), encoding)
    tracemalloc.start()
    try:
        async with upstream(whole(b"{}")) as up, proxy(up.url) as base:
            got = await ask(base, bomb, path, Content_Encoding=encoding)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (request,) = up.requests
    assert (got.status, request.body) == (200, bomb)
    assert request.headers["content-encoding"] == encoding
    assert peak < AT_MOST


ASKING = json.dumps({**ASKED, "streamguard": {"chunks": ["Basic costs $10."]}}).encode()
PACKED = {
    "gzip": compressed([ASKING]),
    "deflate": compressed([ASKING], "deflate"),
    "x-gzip": compressed([ASKING[:40]]) + compressed([ASKING[40:]]),
}


@pytest.mark.parametrize("form", ["off", "header"])
async def test_a_packed_request_is_read_and_goes_on_without_the_key(form):
    async with upstream(whole(b"{}")) as up, proxy(up.url) as base:
        for encoding, body in PACKED.items():
            got = await ask(base, body, PATH, Content_Encoding=encoding, x_streamguard=form)
            assert json.loads(up.requests[-1].body) == ASKED
            assert "content-encoding" not in up.requests[-1].headers
            assert got.headers.get("x-streamguard-skipped") == ("off" if form == "off" else None)


UNPACKABLE = [
    ("br", b"\x0b\x02\x80hello\x03"),
    ("gzip, gzip", compressed([PACKED["gzip"]])),
    ("gzip", PACKED["gzip"][:-9]),
    ("deflate", b"no such thing"),
    ("x-own", ASKING),
]


@pytest.mark.parametrize("path", [PATH, "/v1/files"])
async def test_a_request_that_cannot_be_unpacked_goes_on_as_it_came(path):
    why = "encoding" if path == PATH else "unguarded_path"
    async with upstream(whole(b"{}")) as up, proxy(up.url) as base:
        for encoding, body in UNPACKABLE:
            got = await ask(base, body, path, Content_Encoding=encoding)
            request = up.requests[-1]
            assert (got.status, request.body) == (200, body)
            assert request.headers["content-encoding"] == encoding
            assert request.headers["content-length"] == str(len(body))
            assert got.headers["x-streamguard-skipped"] == why


MANY = b'{"a": [' + b"1," * 20_000 + b"1], " + ASKING[1:]
UNCHECKABLE = {  # body, encoding, status, and what is said of it
    "unknown encoding": (b"x", "br", 400, "encoded as br"),
    "cut": (PACKED["gzip"][:-9], "gzip", 400, "the compressed body is cut; it is said to be gzip"),
    "not packed": (ASKING, "gzip", 400, "the compressed body is broken; it is said to be gzip"),
    "bomb": (compressed([b" " * 5_000_000]), "gzip", 413, "more than 4194304 bytes"),
    "long": (b" " * 9_000 + ASKING, "", 413, "the body has more than 8000 bytes"),
    "values": (compressed([MANY]), "gzip", 413, "more than 20000 values"),
    "depth": (b'{"a": ' + b"[" * 101 + b"]" * 101 + b", " + ASKING[1:], "", 413, "more than 100 "),
    "no JSON": (b'{"a": nan, ' + json.dumps(ASKED).encode()[1:], "", 400, "no JSON in UTF-8"),
}


@pytest.mark.parametrize("name", UNCHECKABLE)
async def test_where_all_is_to_be_checked_what_cannot_be_is_refused(name, monkeypatch):
    monkeypatch.setattr(json_turns, "MAX_VALUES", 20_000)
    body, encoding, status, said = UNCHECKABLE[name]
    most = 8_000 if name == "long" else 5_000_000
    headers = {"Content_Encoding": encoding} if encoding else {}
    async with upstream(whole(b"{}")) as up:
        async with proxy(up.url, require_check=True, max_body_bytes=most) as base:
            got = await ask(base, body, PATH, **headers)
            error = json.loads(got.body)["error"]
            assert (got.status, error["code"], up.requests) == (status, "check_required", [])
            assert said in error["message"]
        async with proxy(up.url, max_body_bytes=most) as base:
            assert (await ask(base, body, PATH, **headers)).status == 200


async def test_where_all_is_to_be_checked_one_answer_more_than_can_be_is_refused():
    async with upstream(whole(b"{}")) as up:
        async with proxy(up.url, require_check=True, max_open_streams=0) as base:
            got = await ask(base, ASKED)
        assert (got.status, up.requests) == (503, [])
        assert "0 answers are being checked, the most" in json.loads(got.body)["error"]["message"]


UNREADABLE = {
    "encoding": ("/v1/files", b"application/json", b"Content-Encoding: br\r\n", "encoded as br"),
    "type": (PATH, b"application/octet-stream", b"", "octet-stream is not read"),
    "length": (PATH, b"application/json", b"Content-Length: 33554433\r\n", "longer than 33554432"),
}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_where_all_is_to_be_checked_an_answer_that_cannot_be_read_goes_no_further(name):
    path, kind, more, said = UNREADABLE[name]
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " + kind + b"\r\n" + more
    async with upstream(head + b"\r\n{}") as up:
        async with proxy(up.url, require_check=True) as base:
            got = await ask(base, ASKED, path)
            assert (got.status, said in got.body.decode()) == (502, True)
            assert (await ask(base, ASKED, "/v1/files")).status == (200 if name == "type" else 502)
        async with proxy(up.url) as base:
            assert (await ask(base, ASKED, path)).status == 200


async def test_a_part_of_a_packed_body_goes_on_as_it_came():
    """Where a part begins in the middle of a gzip body, nobody can undo it."""
    part = PACKED["gzip"][10:]
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Type: application/json\r\n"
    head += b"Content-Encoding: gzip\r\nContent-Range: bytes 10-99/100\r\nConnection: close\r\n\r\n"
    async with upstream(head + part) as up, proxy(up.url) as base:
        for path in (PATH, "/v1/files"):
            got = await ask(base, ASKED, path)
            assert (got.status, got.body, got.clean) == (206, part, True)
            assert got.headers["Content-Encoding"] == "gzip"
