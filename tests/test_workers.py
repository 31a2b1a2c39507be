"""Several workers behind one address: real processes, a real port, real signals."""

import asyncio
import json
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from streamguard.errors import ConfigError, UpstreamError
from streamguard.server.proxy.app import shared_out
from streamguard.server.proxy.config import Settings
from streamguard.server.workers import siblings as siblings_module
from streamguard.server.workers.serve import run_until_stopped
from streamguard.server.workers.siblings import SiblingWorkers
from streamguard.server.workers.workers import Worker, run_workers
from tests.kit.frames import ASKED, CHUNKED, DONE, END, PATIENCE_S, answer, chunked, frame
from tests.kit.upstreams import ask, asking, dial, parts, raw, result, upstream

pytestmark = pytest.mark.asyncio

COUNT = 3
TRIES = 60  # connections until each of three workers had one; 1e-10 that some has none
TEXT = "The Basic plan costs $10 per month. [C1] The Pro plan costs $99 per month. "
WHOLE = CHUNKED + chunked(answer(TEXT) + DONE) + END


@dataclass
class Running:
    base: str
    process: asyncio.subprocess.Process
    directory: Path

    async def line(self, event):
        """Return the fields of the next log line that says `event`."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                line = json.loads(await self.process.stderr.readline())
                if line["event"] == event:
                    return line

    def pids(self):
        """Return the workers' process ids."""
        of = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in of.read_text().split()]


@asynccontextmanager
async def running(url, directory, *flags, listen="127.0.0.1:0"):
    """Run the command with several workers; it is ended if it has not ended by itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "streamguard", "proxy", "--upstream", url, "--listen", listen),
        *("--workers", str(COUNT), *flags),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(directory)},
    )
    made = Running("", process, directory)
    try:
        for _ in range(COUNT):
            made.base = (await made.line("listening"))["address"]
        yield made
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def answers_of_every_worker(base, **headers):
    """Ask over new connections until each worker has answered; return an id of each."""
    ids = {}
    for _ in range(TRIES):
        got = await ask(base, ASKED, **headers)
        name = got.headers["x-streamguard-id"]
        ids[int(name[-2:], 16)] = name
        if len(ids) == COUNT:
            return ids
    raise AssertionError(f"only the workers {sorted(ids)} answered")


@pytest.mark.slow
async def test_every_worker_answers_for_the_results_of_all(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as proxy:
        ids = await answers_of_every_worker(proxy.base)
        for name in ids.values():
            for _ in range(8):  # each a new connection, so some are another worker's
                status, stored = await result(proxy.base, name)
                assert (status, stored["id"], stored["state"]) == (200, name, "complete")
                # Bytes behind the head of an answer to HEAD would be those of the next answer.
                head = f"HEAD /streamguard/results/{name} HTTP/1.1\r\nHost: h\r\n"
                back = await raw(proxy.base, f"{head}Connection: close\r\n\r\n".encode())
                assert back.startswith(b"HTTP/1.1 200 OK\r\n")
                assert back.partition(b"\r\n\r\n")[2] == b""
        assert (await result(proxy.base, "0" * 32))[0] == 404
        assert (await result(proxy.base, "f" * 32))[0] == 404  # there is no worker 255
        health = json.loads((await ask(proxy.base, None, "/streamguard/health", "GET")).body)
        assert health["workers"] == COUNT
        assert health["stored_results"] >= COUNT


@pytest.mark.slow
async def test_every_worker_tells_sentences_as_they_settle(tmp_path):
    told, heard = asyncio.Event(), []

    async def listen(base, name):
        head = f"GET /streamguard/results/{name}/events HTTP/1.1\r\nHost: a\r\n"
        reader, writer = await dial(base, f"{head}Connection: close\r\n\r\n".encode())
        first = await reader.readuntil(b"\n\r\n")
        assert b"event: streamguard.sentence" in first + await reader.readuntil(b"\n\n")
        heard.append(name)
        rest = await reader.read()
        assert b"event: streamguard.result\n" in rest
        writer.close()

    script = parts(answer(TEXT), frame(" Bye.") + DONE, told)
    async with upstream(script) as up, running(up.url, tmp_path) as proxy:
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
            name, reader, writer = await open_answer(proxy.base)
            listeners = [group.create_task(listen(proxy.base, name)) for _ in range(8)]
            while len(heard) < len(listeners):
                await asyncio.sleep(0.001)
            told.set()
        assert b"Bye." in await reader.read()
        writer.close()


async def open_answer(base):
    """Ask for a live answer; return its id and the connection, with the body still to come."""
    reader, writer = await asking(base, x_streamguard_live="1", connection="close")
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    return head.partition("x-streamguard-id: ")[2][:32], reader, writer


@pytest.mark.slow
async def test_told_to_stop_all_let_their_answers_end_and_cut_one_that_does_not(tmp_path):
    stopping, cut, asked = asyncio.Event(), asyncio.Event(), []

    async def script(_received, writer):
        asked.append(writer)
        is_held = len(asked) == 1
        writer.write(CHUNKED + chunked(frame(TEXT) if is_held else answer(TEXT)))
        await (cut if is_held else stopping).wait()
        writer.write(chunked(DONE) + END)

    async with upstream(script) as up, running(up.url, tmp_path) as proxy:
        held, *opened = [await open_answer(proxy.base) for _ in range(9)]
        path = f"/streamguard/results/{held[0]}"
        assert (await ask(proxy.base, None, path, "GET")).status == 202
        proxy.process.terminate()
        for _ in range(COUNT):
            await proxy.line("stopping")
        stopping.set()
        ended = {held[0]: "cancelled", **{name: "complete" for name, *_ in opened}}
        for _, reader, writer in opened:
            rest = await asyncio.wait_for(reader.read(), PATIENCE_S)
            assert b'"streamguard":' in rest
            assert rest.endswith(b"0\r\n\r\n")
            writer.close()
        logged = await asyncio.wait_for(proxy.process.stderr.read(), 3 * PATIENCE_S)
        cut.set()
        said = [json.loads(line) for line in logged.splitlines()]
        assert {line["id"]: line["ended"] for line in said if "ended" in line} == ended
        assert not (await held[1].read()).endswith(b"0\r\n\r\n")
        held[2].close()
        assert await asyncio.wait_for(proxy.process.wait(), PATIENCE_S) == 0
        assert list(tmp_path.iterdir()) == []  # sockets and their directory are gone


@pytest.mark.slow
async def test_a_worker_that_is_killed_is_replaced_and_the_others_keep_their_results(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as proxy:
        ids = await answers_of_every_worker(proxy.base)
        os.kill(proxy.pids()[0], signal.SIGKILL)
        ended = await proxy.line("worker_ended")
        assert ended["status"] == -signal.SIGKILL
        assert (await proxy.line("listening"))["worker"] == ended["number"]
        for number, name in ids.items():
            expected = 404 if number == ended["number"] else 200
            assert (await result(proxy.base, name))[0] == expected
        assert (await answers_of_every_worker(proxy.base)).keys() == ids.keys()


@pytest.mark.slow
async def test_a_replacement_that_is_killed_before_it_listens_is_replaced_as_well(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as proxy:
        before = set(proxy.pids())
        os.kill(min(before), signal.SIGKILL)
        ended = await proxy.line("worker_ended")
        while not (started := set(proxy.pids()) - before):
            await asyncio.sleep(0.001)
        os.kill(started.pop(), signal.SIGKILL)
        assert (await proxy.line("listening"))["worker"] == ended["number"]
        assert len(await answers_of_every_worker(proxy.base)) == COUNT


@pytest.mark.slow
async def test_workers_that_cannot_listen_are_not_started_for_ever(tmp_path):
    deep = tmp_path / ("d" * 120)  # a Unix socket's path has 107 characters
    deep.mkdir()
    command = ("-m", "streamguard", "proxy", "--upstream", "http://127.0.0.1:1", "--workers", "2")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command, "--listen", "127.0.0.1:0"),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(deep)},
    )
    _, said = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 1
    assert b"streamguard: AF_UNIX path too long" in said


@pytest.mark.slow
async def test_workers_end_with_their_parent_however_it_ends(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as proxy:
        proxy.process.kill()
        for _ in range(COUNT):
            await proxy.line("stopping")
        assert await asyncio.wait_for(proxy.process.stderr.read(), PATIENCE_S) == b""


@pytest.mark.slow
async def test_a_port_that_another_proxy_shares_among_its_workers_is_taken(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as proxy:
        port = int(proxy.base.rpartition(":")[2])
        with pytest.raises(OSError, match=f"another program listens on 127.0.0.1:{port}"):
            run_workers(2, "127.0.0.1", port, lambda *_: 0)


async def test_a_platform_that_cannot_share_a_port_says_so(monkeypatch):
    monkeypatch.delattr(socket, "SO_REUSEPORT")
    with pytest.raises(ConfigError, match=f"workers is 2, expected 1: {sys.platform} cannot share"):
        run_workers(2, "127.0.0.1", 0, lambda *_: 0)


async def test_a_loop_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(ConfigError, match="loop is uvloop, which is missing: install the speed"):
        run_until_stopped(asyncio.sleep(0), "uvloop")


async def test_caps_are_shared_out_rounded_up():
    one = shared_out(Settings("http://a", max_results=10, max_open_streams=4_096), 3)
    assert (one.max_results, one.max_open_streams, one.max_contexts) == (4, 1_366, 334)


async def test_a_worker_that_hangs_is_not_waited_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(siblings_module, "CONNECT_TIMEOUT_S", 0.05)
    monkeypatch.setattr(siblings_module, "HEAD_TIMEOUT_S", 0.05)
    with socket.socket(socket.AF_UNIX) as hangs:  # it is connected to, and never answers
        hangs.bind(str(tmp_path / "0.sock"))
        hangs.listen()
        siblings = SiblingWorkers(Worker(1, 2, tmp_path))
        async with asyncio.timeout(PATIENCE_S):
            assert await siblings.context("0" * 32) is None
            assert await siblings.everywhere("/health") == []
            with pytest.raises(UpstreamError, match="worker 0 does not answer"):
                async with siblings.open_response(0, "/streamguard/results/x"):
                    pass
        await siblings.close()
