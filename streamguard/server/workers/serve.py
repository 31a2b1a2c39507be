"""Runs one aiohttp application until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Literal, get_args

from aiohttp import web

from streamguard.core.model.types import build_models
from streamguard.errors import ConfigError
from streamguard.server.http.bodies import close_where_no_end_is_seen
from streamguard.server.http.patience import PatientRunner
from streamguard.server.workers.collecting import Collecting
from streamguard.server.workers.descriptors import raised_limit, streams_of
from streamguard.text.patterns import compile_all

Loop = Literal["auto", "asyncio", "uvloop"]
LOOPS: tuple[Loop, ...] = get_args(Loop)

GRACE_S = 10.0  # how long open streams may go on once the server is told to stop

log = logging.getLogger("streamguard.server")


def address(listen: str, flag: str = "listen") -> tuple[str, int]:
    """Return host and port of `HOST:PORT`, without brackets around an IPv6 host."""
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ConfigError(f"{flag} is {listen!r}, expected HOST:PORT with a port of 0 to 65535")
    return host.strip("[]"), int(port)


def make_runner(app: web.Application) -> web.AppRunner:
    """Return the runner that all our servers use.

    A client that leaves cancels its request. Bodies are not decompressed.
    """
    app.on_response_prepare.append(_ending_seen)
    return PatientRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=1.0,
        handle_signals=False,
        auto_decompress=False,  # it accepts a truncated gzip body as complete
    )


async def _ending_seen(request: web.Request, response: web.StreamResponse) -> None:
    close_where_no_end_is_seen(request, response)


async def start(runner: web.AppRunner, host: str, port: int, *, shared: bool = False) -> str:
    """Listen on `host` and `port` (0: any free one); return the base URL.

    `shared` lets other processes listen there too. Raises `OSError` if listening fails, with
    `errno.EADDRINUSE` if another program has the port.
    """
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1_024, reuse_port=shared or None).start()
    except OSError as exc:
        if exc.errno != errno.EADDRINUSE:
            raise
        taken = f"another program listens on {host}:{port}; port 0 takes any free one"
        raise OSError(exc.errno, taken) from exc
    bound_host, bound_port = runner.addresses[0][:2]
    shown = f"[{bound_host}]" if ":" in bound_host else bound_host
    return f"http://{shown}:{bound_port}"


async def serve(
    app: web.Application,
    host: str,
    port: int,
    name: str,
    announce: Callable[[str], None] | None = None,
    *,
    parent: int | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then give open streams `GRACE_S` seconds.

    `announce` gets the address once the server listens, for people who read no log. As one of
    several workers, with the `parent`'s descriptor, it shares the port and also stops when the
    parent has ended.
    """
    files = raised_limit()
    compile_all()  # so that the first answer waits for none
    build_models()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has no loop signals
            loop.add_signal_handler(number, stop.set)
    if parent is not None:
        loop.add_reader(parent, _parent_ended, loop, parent, stop)
    runner = make_runner(app)
    collecting = Collecting(shares=parent is not None)
    try:
        base = await start(runner, host, port, shared=parent is not None)
        collecting.begin(loop)  # what exists by now stays
        fields: dict[str, object] = {"server": name, "address": base}
        if files is not None:
            fields |= {"open_files": files, "streams": streams_of(files)}
        log.info("listening", extra={"fields": fields})
        if announce is not None:
            announce(base)
        await stop.wait()
        log.info("stopping", extra={"fields": {"server": name}})
    finally:
        collecting.end()
        await runner.cleanup()


def _parent_ended(loop: asyncio.AbstractEventLoop, parent: int, stop: asyncio.Event) -> None:
    loop.remove_reader(parent)  # it stays readable once the parent has ended
    stop.set()


def run_until_stopped(main: Coroutine[Any, Any, None], loop: Loop = "auto") -> None:
    """Run `main` on the `loop`; auto is uvloop if installed, else asyncio's own.

    Raises `ConfigError` if uvloop is requested and missing.
    """
    try:
        if loop == "asyncio":
            raise ImportError
        import uvloop
    except ImportError as exc:
        if loop == "uvloop":
            main.close()
            raise ConfigError("loop is uvloop, which is missing: install the speed extra") from exc
        asyncio.run(main)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)
