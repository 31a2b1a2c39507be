"""What is said of an upstream that failed: its address and the cause, and nothing it sent."""

import asyncio
import json
import logging
import socket
import ssl
from contextlib import suppress

import aiohttp
import pytest
from aiohttp.http_exceptions import BadHttpMessage, BadStatusLine, ContentLengthError, LineTooLong
from yarl import URL

from streamguard.errors import UpstreamError
from streamguard.server.http.causes import cause_of, failure, unreadable
from streamguard.server.http.connections import Connection
from tests.kit.frames import ASKED, CHUNKED, END, HEAD, PATH, PATIENCE_S, chunked, frame, whole
from tests.kit.upstreams import ask, bare, proxy, read_request, upstream

SECRET = "sk-secret"


def of(error, cause):
    error.__cause__ = cause
    return error


CAUSES = [
    (LineTooLong(SECRET.encode(), 8190), "a part of its head is over 8190 bytes"),
    (BadStatusLine(SECRET), "its first line is none of HTTP/1.1"),
    (BadHttpMessage(f"Invalid header value char:\n\n  b'X: {SECRET}'"),
     "its head is no HTTP: Invalid header value char"),
    (BadHttpMessage(f"'{SECRET}"), "its head is no HTTP"),
    (ContentLengthError(SECRET), "its body is cut, or not coded as its head says"),
    (aiohttp.ServerDisconnectedError(SECRET), "it closed the connection without an answer"),
    (TimeoutError(SECRET), "it said nothing for too long"),
    (UpstreamError("the upstream's compressed body is cut"),
     "the upstream's compressed body is cut"),
    (socket.gaierror(-2, SECRET), "its name is not known"),
    (ssl.SSLCertVerificationError(1, SECRET), "its certificate is not valid"),
    (ssl.SSLError(1, SECRET), "it speaks no TLS that is known"),
    (ConnectionRefusedError(111, SECRET), "connection refused"),
    (OSError(SECRET), "OSError"),
    (RuntimeError(SECRET), "RuntimeError"),
    (of(aiohttp.ClientError(SECRET), ConnectionResetError(104, SECRET)),
     "connection reset by peer"),
    (of(UpstreamError("the upstream broke off"), aiohttp.ClientPayloadError(SECRET)),
     "the upstream broke off"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "cause"), CAUSES)
def test_a_cause_is_told_in_words_that_quote_nothing(error, cause):
    assert cause_of(error) == cause
    fields = failure(URL("http://up:81/v1?key=sk-secret"), error)
    assert fields["upstream"] == "http://up:81"
    assert SECRET not in str(fields)
    assert unreadable(error) == (cause if isinstance(error, BadHttpMessage) else None)


async def _silent(received, _writer):
    await received.gone.wait()


async def _broken_off(_received, writer):
    writer.write(CHUNKED + chunked(frame("Basic costs $10.")))
    await writer.drain()


LONG = HEAD + b"X: " + SECRET.encode() * 9_000 + b"\r\n\r\n"
FAILURES = {
    "closed": (b"", "upstream_unreachable", "it closed the connection without an answer", 502),
    "silent": (_silent, "upstream_silent", "it said nothing for too long", 504),
    "too long": (LONG, "upstream_unrelayable", "a part of its head is over", 502),
    "no HTTP": (b"sk-secret\r\n\r\n", "upstream_unrelayable", "its ", 502),
    "another protocol": (b"HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n", "upstream_unrelayable",
                         "its status is 101", 502),
    "broken off": (_broken_off, "upstream_broke_off", "its body is cut, or not coded", 200),
    "cut": (whole(b"x" * 99)[:-9], "upstream_broke_off", "its body is cut, or not coded", 200),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [PATH, "/v1/files"])
@pytest.mark.parametrize("name", FAILURES)
async def test_every_line_about_a_failed_upstream_has_its_address_and_the_cause(name, path, caplog):
    caplog.set_level(logging.WARNING, "streamguard.proxy")
    script, event, cause, status = FAILURES[name]
    async with upstream(script) as up, proxy(up.url, idle_timeout_s=0.3) as base:
        got = await ask(base, ASKED, path)
    assert got.status == status
    (record,) = [each for each in caplog.records if each.message.startswith("upstream_")]
    assert (record.message, record.fields["upstream"]) == (event, up.url)
    assert record.fields["cause"].startswith(cause)
    assert SECRET not in str(record.fields) + got.body.decode()
    if event == "upstream_unrelayable":
        said = json.loads(got.body)["error"]
        assert said["code"] == event
        assert said["message"].startswith(f"the upstream's answer cannot go on: {cause}")


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [PATH, "/v1/files"])
async def test_an_upstream_that_takes_no_more_of_a_request_is_silent(path, caplog):
    ended = asyncio.Event()

    async def reads_nothing(reader, writer):
        reader._transport.pause_reading()
        await ended.wait()
        writer.close()

    async with bare(reads_nothing) as url, proxy(url, idle_timeout_s=0.3) as base:
        got = await ask(base, {**ASKED, "user": "x" * 20_000_000}, path)
        ended.set()
    assert (got.status, json.loads(got.body)["error"]["code"]) == (504, "upstream_timeout")
    assert [each.message for each in caplog.records] == ["upstream_silent", "refused"]


@pytest.mark.asyncio
async def test_the_limit_on_connecting_covers_the_look_up_of_a_name(monkeypatch):
    async def never(*_asked, **_more):
        await asyncio.sleep(PATIENCE_S)

    monkeypatch.setattr("streamguard.server.proxy.app.CONNECT_TIMEOUT_S", 0.1)
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
    async with proxy("http://nowhere.invalid") as base:
        got = await ask(base, ASKED)
    assert (got.status, json.loads(got.body)["error"]["code"]) == (504, "upstream_timeout")


@pytest.mark.asyncio
async def test_a_connection_that_is_kept_keeps_nothing_of_the_answers_before(monkeypatch):
    made = []

    class Seen(Connection):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    async def serve(reader, writer):
        with suppress(asyncio.IncompleteReadError):
            while await read_request(reader):
                writer.write(CHUNKED + chunked(frame("Basic costs $10.")))
                await writer.drain()
                await asyncio.sleep(0.01)  # the head is there before the end
                writer.write(END)
        writer.close()

    monkeypatch.setattr("streamguard.server.http.connections.Connection", Seen)
    async with bare(serve) as url, proxy(url) as base:
        for _ in range(5):
            await ask(base, ASKED)
        (connection,) = made
        assert not connection.closed._callbacks
