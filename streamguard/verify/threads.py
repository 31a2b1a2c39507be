"""Worker threads in which a call may block forever without holding anything up.

Unlike those of anyio and asyncio they are daemon threads, so a blocked one does not keep the
process alive, and a thread is free again when its call returns, not when somebody stops waiting:
however many streams give up on a verifier, it never blocks more threads than its limit.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any
from weakref import WeakSet

from streamguard.errors import StreamguardError, UpstreamError

_ALL: WeakSet[Threads] = WeakSet()
MAX_WAITING = 512  # calls; guess, more of them than could be answered within their time limits


class OverloadedError(StreamguardError):
    """A verifier has more calls than it can handle."""


class Threads:
    """Up to `limit` daemon threads, which end when idle."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self.forget()
        _ALL.add(self)

    def forget(self) -> None:
        """Start over in a forked child: only the forking thread exists there."""
        self._lock = Lock()
        self._running = 0
        self._abandoned = 0  # abandoned calls that still run
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def call(self, function: Callable[[], Any]) -> Future[Any]:
        """Call `function` in a thread; cancelling the future drops a call that still waits.

        Raises `OverloadedError` if too many calls wait, or if abandoned calls block every thread.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self._abandoned >= self._limit:
                raise OverloadedError(f"all {self._limit} threads are blocked")
            if len(self._waiting) >= MAX_WAITING:
                self._drop_cancelled()
            if len(self._waiting) >= MAX_WAITING:
                raise OverloadedError(f"{MAX_WAITING} calls wait")
            self._waiting.append((future, function))
            starts = self._running < self._limit
            if starts:
                self._running += 1
        if starts:
            Thread(target=self._work, name=f"streamguard {self._name}", daemon=True).start()
        return future

    def give_up(self, future: Future[Any]) -> None:
        """Abandon a call; if it runs, it keeps its thread until it returns."""
        if future.cancel() or future.done():
            return
        with self._lock:
            self._abandoned += 1
        future.add_done_callback(self._came_back)

    def _came_back(self, _future: Future[Any]) -> None:
        with self._lock:
            self._abandoned -= 1

    def _drop_cancelled(self) -> None:
        self._waiting = deque(one for one in self._waiting if not one[0].cancelled())

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                future, function = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                _fulfil(future, function)
            del future, function


def _fulfil(future: Future[Any], function: Callable[[], Any]) -> None:
    try:
        result = function()
    except BaseException as exc:  # its waiter gets it
        future.set_exception(as_exception(exc))
    else:
        future.set_result(result)


def as_exception(error: BaseException) -> Exception:
    """Return an error as an event loop may have it: one that is no `Exception` would end it."""
    if isinstance(error, Exception):
        return error
    return UpstreamError(f"it raised {type(error).__name__}")


def _forget() -> None:
    for threads in list(_ALL):
        threads.forget()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
