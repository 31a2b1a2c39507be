"""Limits of requests to a judge's server: open ones, per minute, and none while it fails."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from threading import Lock

from streamguard.errors import UpstreamError

MINUTE_S = 60.0
FAILURES = 5  # in a row after which a server is left alone; guess
OPEN_S = 30.0  # for so long; guess, a restart

logger = logging.getLogger("streamguard")

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class RequestLimits:
    """Limits open requests, and requests and tokens per minute.

    One object serves event loops in any number of threads. A request waits for its turn.
    """

    def __init__(
        self,
        at_a_time: int,
        requests: int | None,
        tokens: int | None,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._at_a_time = at_a_time
        self._requests, self._tokens = requests, tokens
        self._clock, self._sleep = clock, sleep
        self._lock = Lock()
        self._running = 0
        self._waiting: deque[Future[None]] = deque()
        self._sent: deque[tuple[float, int]] = deque()  # of the last minute: when, tokens

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[None]:
        """Wait until a request of `tokens` tokens may start; it is open inside the context."""
        await self._enter()
        try:
            while (wait := self._to_wait(tokens)) > 0:
                await self._sleep(wait)
            yield
        finally:
            self._leave()

    async def _enter(self) -> None:
        with self._lock:
            if self._running < self._at_a_time:
                self._running += 1
                return
            place: Future[None] = Future()
            self._waiting.append(place)
        try:
            await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            if not place.cancel():  # it was given just now
                self._leave()
            raise

    def _leave(self) -> None:
        with self._lock:
            while self._waiting:
                place = self._waiting.popleft()
                if place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._running -= 1

    def _to_wait(self, tokens: int) -> float:
        """Return the seconds to wait; 0.0 for none, and then the request counts as sent."""
        with self._lock:
            now = self._clock()
            while self._sent and self._sent[0][0] <= now - MINUTE_S:
                self._sent.popleft()
            used = sum(each for _, each in self._sent)
            full = self._requests is not None and len(self._sent) >= self._requests
            # A request with more tokens than a minute allows is sent alone.
            full = full or (self._tokens is not None and used + tokens > self._tokens)
            if full and self._sent:
                return self._sent[0][0] + MINUTE_S - now
            self._sent.append((now, tokens))
            return 0.0


class Breaker:
    """A circuit breaker: after several failures in a row only an occasional request is tried."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._last = ""
        self._again_at = 0.0  # when it may be tried, once it is open

    def check(self) -> None:
        """Raise `UpstreamError` while the circuit is open; an occasional request passes."""
        with self._lock:
            if self._failures < FAILURES:
                return
            now = self._clock()
            if now >= self._again_at:
                self._again_at = now + OPEN_S
                return
            raise UpstreamError(
                f"the circuit is open: {FAILURES} requests in a row failed, the last one because"
                f" {self._last}; one is tried every {OPEN_S:g} s"
            )

    def failed(self, why: str) -> None:
        """Count a failed request."""
        with self._lock:
            self._failures += 1
            self._last = why
            if self._failures >= FAILURES:
                self._again_at = self._clock() + OPEN_S
            opened = self._failures == FAILURES
        if opened:
            fields = {"event": "circuit_open", "verifier": self._name, "error": why}
            message = "the circuit of %s is open: %s"
            logger.warning(message, self._name, why, extra={"fields": fields})

    def succeeded(self) -> None:
        """Count a successful request: failures are forgotten."""
        with self._lock:
            closed = self._failures >= FAILURES
            self._failures = 0
        if closed:
            fields = {"event": "circuit_closed", "verifier": self._name}
            message = "the circuit of %s is closed again"
            logger.info(message, self._name, extra={"fields": fields})
