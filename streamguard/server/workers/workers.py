"""Several processes behind one address: started together, replaced on failure, stopped together.

The kernel distributes connections among them (SO_REUSEPORT). What one keeps, a result or a posted
context, the others request over its Unix socket (`siblings`).
"""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from streamguard.errors import ConfigError

PAUSE_S = 1.0  # before a worker is started again that ended before it listened; guess
MAX_WORKERS = 256  # an id has two hexadecimal digits for its worker

_ENDING = (signal.SIGTERM, signal.SIGINT)

log = logging.getLogger("streamguard.workers")


@dataclass(frozen=True, slots=True)
class Worker:
    """One of `count` processes: its number, from 0, and the directory of all sockets.

    `parent` is a descriptor that reads as ended once the parent is gone. A single server has
    neither directory nor parent.
    """

    number: int = 0
    count: int = 1
    directory: Path | None = None
    parent: int | None = None
    listening: int | None = None

    def report_listening(self) -> None:
        """Report to the parent that this worker listens; from now on it is replaced if it ends."""
        if self.listening is not None:
            os.write(self.listening, bytes([self.number]))


@dataclass(slots=True)
class _Parent:
    count: int
    work: Callable[[Worker], int]
    directory: Path
    alive: tuple[int, int]  # a pipe: its other end reads as ended once this process is gone
    listening: tuple[int, int]  # a pipe: the numbers of workers that listen, one byte each
    running: dict[int, int] = field(default_factory=dict)  # worker by process id
    listened: set[int] = field(default_factory=set)  # of those that run
    worked: bool = False  # some worker has listened, so workers can run here
    stopping: bool = False
    status: int = 0


def run_workers(count: int, host: str, port: int, work: Callable[[int, Worker], int]) -> int:
    """Run `work(port, worker)` in `count` processes until SIGTERM or SIGINT; return the status.

    `port` 0 means any free one, the same for all. Raises `ConfigError` if the platform cannot share
    a port, `OSError` if another program has it.
    """
    if not hasattr(os, "fork") or not hasattr(socket, "SO_REUSEPORT"):
        raise ConfigError(f"workers is {count}, expected 1: {sys.platform} cannot share a port")
    with _reserved(host, port) as held:
        taken = held.getsockname()[1]
        directory = Path(tempfile.mkdtemp(prefix="streamguard-"))  # only this user may enter it
        pipes = os.pipe(), os.pipe()
        os.set_blocking(pipes[1][0], False)  # it is polled
        gc.collect()
        gc.freeze()  # workers share these objects' memory while no collection visits them
        try:
            return _supervise(_Parent(count, lambda worker: work(taken, worker), directory, *pipes))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
            for end in (*pipes[0], *pipes[1]):
                os.close(end)


def _reserved(host: str, port: int) -> socket.socket:
    """Return a socket that holds the port and accepts no connection."""
    family, kind, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # Any program of this user may bind a shared port: only a first, unshared bind shows that
    # another program listens on it.
    for shared in (False, True):
        held = socket.socket(family, kind)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            held.bind(where)
        except OSError as exc:
            held.close()
            if exc.errno != errno.EADDRINUSE:
                raise
            taken = f"another program listens on {host}:{port}; port 0 takes any free one"
            raise OSError(exc.errno, taken) from exc
        if not shared:
            where = held.getsockname()
            held.close()
    return held


def _supervise(parent: _Parent) -> int:
    # Blocked and waited for instead of handled: nothing can come between a fork and its entry.
    waited = {*_ENDING, signal.SIGCHLD}
    signal.signal(
        signal.SIGCHLD, _nothing
    )  # a signal that is ignored by default may not be waited for
    signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    for number in range(parent.count):
        _start(parent, number)
    while parent.running:
        received = signal.sigwait(waited)
        if received in _ENDING:
            _stop(parent)
        _reap(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, waited)
    return parent.status


def _nothing(_number: int, _frame: object) -> None:
    """Ignore a signal that is awaited elsewhere."""


def _start(parent: _Parent, number: int, pause_s: float = 0.0) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(_worked(parent, number, pause_s))
    parent.running[pid] = number


def _worked(parent: _Parent, number: int, pause_s: float) -> int:
    """Run as a worker in the new process, after a pause; return its exit status."""
    status = 1
    try:
        os.close(parent.alive[1])
        for each in (*_ENDING, signal.SIGCHLD):
            signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_ENDING, signal.SIGCHLD})
        time.sleep(pause_s)
        ends = parent.alive[0], parent.listening[1]
        status = parent.work(Worker(number, parent.count, parent.directory, *ends))
    except OSError as exc:
        print(f"streamguard: {exc}", file=sys.stderr)  # noqa: T201
    except BaseException as exc:
        log.exception("worker_failed", exc_info=exc)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status


def _stop(parent: _Parent) -> None:
    parent.stopping = True
    for pid in parent.running:
        os.kill(pid, signal.SIGTERM)


def _reap(parent: _Parent) -> None:
    """Collect ended workers, and replace those that should still run.

    If none has ever listened, none can run here (its port is taken, a library is missing), and all
    are stopped instead of restarting forever. A later one that ends before it listens may have been
    killed or lacked memory: it is restarted after a pause.
    """
    with contextlib.suppress(BlockingIOError):
        parent.listened.update(os.read(parent.listening[0], 65_536))
        parent.worked = True
    while parent.running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        number = parent.running.pop(pid)
        if parent.stopping:
            continue
        fields = {"number": number, "status": os.waitstatus_to_exitcode(status)}
        log.error("worker_ended", extra={"fields": fields})
        if not parent.worked:
            parent.status = 1
            _stop(parent)
            continue
        _start(parent, number, 0.0 if number in parent.listened else PAUSE_S)
        parent.listened.discard(number)
