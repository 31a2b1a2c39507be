"""Failure modes 21 to 30: how streams end, and what is said of it, over real sockets.

Those that are not here stand beside what they belong to: `tests/failure_modes/` says where.
"""

import asyncio
import json
import signal
import socket
import struct
import sys
from contextlib import asynccontextmanager

import pytest

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.server.exchange import PROXY
from streamguard.server.proxy import Settings, make_app
from streamguard.server.serve import make_runner, start
from streamguard.server.store import ResultStore
from tests.upstreams import (
    ASKED,
    CHUNKED,
    DONE,
    END,
    PATH,
    PATIENCE_S,
    answer,
    ask,
    chunked,
    command,
    forever,
    frame,
    in_pieces,
    proxy,
    result,
    stored_of,
    upstream,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month."
STREAM = answer(TEXT) + DONE


async def open_streams(base):
    return json.loads((await ask(base, None, "/streamguard/health", "GET")).body)["open_streams"]


async def until_open(base, count):
    """Wait until so many answers stream."""
    async with asyncio.timeout(PATIENCE_S):
        while await open_streams(base) != count:
            pass


HEAD_END = b"\r\n\r\n"
# Says one frame again and again, or a whole answer.
MODEL = f"""
import asyncio, sys
port, how_long = sys.argv[1:]

async def serve(reader, writer):
    await reader.readuntil({HEAD_END!r})
    writer.write({CHUNKED!r})
    while how_long == "for ever":
        writer.write({chunked(frame("Basic costs $10. "))!r})
        await asyncio.sleep(0.05)
    writer.write({chunked(STREAM) + END!r})

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(port))
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@asynccontextmanager
async def model(port, how_long):
    """Run an upstream in a process of its own; gives its port and the process."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MODEL, str(port), how_long, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            listening = int(await child.stdout.readline())
        yield listening, child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def test_mode_27_clients_of_a_killed_upstream_end_honestly_and_it_may_come_back():
    async with (
        model(0, "for ever") as (port, child),
        proxy(f"http://127.0.0.1:{port}") as base,
    ):
        clients = [asyncio.create_task(ask(base, ASKED)) for _ in range(10)]
        await until_open(base, 10)
        child.kill()
        async with asyncio.timeout(5):
            ended = await asyncio.gather(*clients)
        assert [(got.clean, got.annotations) for got in ended] == [(False, [])] * 10
        for got in ended:
            stored = await stored_of(base, got)
            assert (stored["state"], stored["result"]["ended"]) == ("partial", "upstream_error")
        refused = await ask(base, ASKED)
        assert (refused.status, b"upstream_unreachable" in refused.body) == (502, True)
        async with model(port, "once"):
            (annotation,) = (await ask(base, ASKED)).annotations
            assert annotation["state"] == "complete"


async def test_mode_28_told_to_stop_with_open_streams_it_stores_them_and_ends():
    first, seen = frame("Basic costs $10."), asyncio.Event()
    short = "from streamguard.server import proxy\nproxy.GRACE_S = 0.2"
    flags = ("--listen", "127.0.0.1:0")
    async with (
        upstream(forever([first], seen)) as up,
        command("proxy", "--upstream", up.url, *flags, before=short) as (base, child),
    ):
        clients = [asyncio.create_task(ask(base, ASKED)) for _ in range(3)]
        await until_open(base, 3)
        child.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() == 0
            ended = await asyncio.gather(*clients)
        assert [(got.body, got.clean) for got in ended] == [(first, False)] * 3
        lines = map(json.loads, (await child.stderr.read()).decode().splitlines())
        outcomes = [(line["state"], line["ended"]) for line in lines if line["event"] == "answer"]
        assert outcomes == [("partial", "cancelled")] * 3


def failing(sentence, scope):
    raise ZeroDivisionError("a secret of the check's")


async def test_mode_29_a_check_that_raises_lets_every_byte_pass_and_is_listed():
    text = "The Basic plan costs $10 per month [C1]."
    checks = DEFAULT_CHECKS.plus(failing)
    raw = answer(text) + DONE
    async with upstream(in_pieces(raw, 40)) as up:
        async with proxy(up.url) as base:
            (annotation,) = (await ask(base, ASKED)).annotations
            assert annotation["result"]["status"] == "PASS"
        async with proxy(up.url, checks=checks) as base:
            got = await ask(base, ASKED)
    assert without_annotation(got.body) == raw
    (annotation,) = got.annotations
    assert annotation["result"]["status"] == "WARN"
    assert [error.partition(" ")[0] for error in annotation["result"]["errors"]] == ["failing:"]


class FullStore(ResultStore):
    """A store that can keep nothing."""

    def _fail(self, *_):
        raise OSError("no space left for sk-secret")

    open = say = put = _fail


@pytest.mark.parametrize("form", ["chunk", "header"])
async def test_mode_29_a_store_that_fails_lets_every_byte_pass(form, caplog):
    async with upstream(in_pieces(STREAM, 40)) as up:
        app = make_app(Settings(up.url))
        runner = make_runner(app)
        base = await start(runner, "127.0.0.1", 0)
        app[PROXY].store = FullStore()
        try:
            got = await ask(base, ASKED, x_streamguard=form, x_streamguard_live="1")
            assert got.clean
            status, _ = await result(base, got.headers["x-streamguard-id"])
            assert (status, await open_streams(base)) == (404, 0)
        finally:
            await runner.cleanup()
    if form == "header":
        assert got.body == STREAM
    else:
        assert got.annotations[-1]["result"]["status"] == "WARN"
        assert any("OSError" in error for error in got.annotations[-1]["result"]["errors"])
    events = [record.msg for record in caplog.records]
    assert "result_not_stored" in events
    assert "secret" not in str([vars(record).get("fields") for record in caplog.records])


async def leave(base, how, after):
    """Ask, read `after` bytes, and leave: in order (FIN) or not (RST); return the result's id."""
    host, port = base.removeprefix("http://").split(":")
    body = json.dumps(ASKED).encode()
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    got = b""
    while len(got.partition(b"\r\n\r\n")[2]) < after:
        got += await reader.read(65_536)
    if how == "reset":
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.close()
    return got.partition(b"x-streamguard-id: ")[2][:32].decode()


@pytest.mark.parametrize("how", ["reset", "in order"])
async def test_mode_30_what_a_client_read_before_it_left_is_checked_and_stored_once(how, caplog):
    caplog.set_level("INFO", "streamguard.proxy")
    seen, first = asyncio.Event(), answer(TEXT)[:-200]
    async with upstream(forever([first], seen)) as up, proxy(up.url) as base:
        async with asyncio.timeout(PATIENCE_S):
            name = await leave(base, how, len(first) - 200)
            await seen.wait()
            status, stored = await result(base, name)
    assert (status, stored["state"]) == (200, "partial")
    assert stored["result"]["ended"] == "client_disconnect"
    assert "potential_hallucination" in stored["result"]["flags"]
    assert stored["result"]["status"] == "WARN"
    (line,) = [record.fields for record in caplog.records if record.msg == "answer"]
    assert line["id"] == name
