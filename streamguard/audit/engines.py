"""Runs the parts of an audit: in this process, or in several on this machine."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from streamguard.audit.log_files import FilePart
from streamguard.audit.part_check import Record
from streamguard.errors import StreamguardError

log = logging.getLogger("streamguard.audit")

Work = Callable[[FilePart], Record]
INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT
_AHEAD = 2  # parts per process that are read before they are needed; guess


def cores() -> int:
    """Return how many cores this process may use."""
    usable = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(usable(0)) if usable is not None else os.cpu_count() or 1


def in_processes(parts: Iterable[FilePart], work: Work, processes: int) -> Iterator[Record]:
    """Yield the record of each finished part, from `processes` processes; 1 means this one.

    On an interrupt, running parts are still finished; on a second one all processes end at once.
    Raises `StreamguardError` if a process was killed.
    """
    if processes == 1:
        yield from map(work, parts)
        return
    # Not forked: a fork would copy the caller's threads and locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_as_a_child)
    yield from by_executor(parts, work, pool, processes * _AHEAD)


def by_executor(
    parts: Iterable[FilePart], work: Work, pool: Executor, ahead: int
) -> Iterator[Record]:
    """Yield the record of each finished part; at most `ahead` parts wait in memory."""
    waiting: set[Future[Record]] = set()
    try:
        for part in parts:
            with _without_interrupts():
                waiting.add(pool.submit(work, part))
            while len(waiting) >= ahead:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)
    except KeyboardInterrupt:
        log.warning("interrupted: parts that are under way are still done; again leaves them")
        try:
            pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            # The interpreter's own exit would wait for the pool; all written files are complete.
            os._exit(INTERRUPTED)
        yield from (each.result() for each in waiting if not each.cancelled())
        raise
    except BrokenProcessPool as exc:
        raise StreamguardError(
            "a process of the audit was ended from outside, perhaps for want of memory; the same"
            " command goes on where it stopped"
        ) from exc
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Shield new processes from the interrupt key; this process handles it afterwards.

    A terminal sends it to all of them, also those not far enough to ignore it.
    """
    if sys.platform == "win32":  # no signals that a process inherits
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _as_a_child() -> None:
    """Ignore the interrupt key, which the parent handles, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.join,), daemon=True).start()


def _end_with(ended: Callable[[], Any]) -> None:
    ended()
    os._exit(1)
