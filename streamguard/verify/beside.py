"""Runs verifiers beside one answer: its claims go to each while its text goes on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from functools import partial
from threading import RLock

import anyio

from streamguard.core.machine.claim import Claim
from streamguard.core.model.types import Score, VerifierReport
from streamguard.verify.background import BACKGROUND
from streamguard.verify.lane import LEFT, VerifierQueue
from streamguard.verify.verifier import Verifier


class VerifierRunner:
    """The verifiers of one answer: `ask` with its claims as they settle, then `finish`, or `leave`.

    None of these waits. `over` is done once every word that can come has come. The verifiers run
    in the caller's event loop where it is one of asyncio's and need not be blocked (`blocking`
    False), else in a loop of their own. In which order they answer changes nothing.
    """

    def __init__(self, verifiers: Sequence[Verifier], *, blocking: bool = False) -> None:
        self.over: Future[None] = Future()
        self._blocking = blocking
        self._lanes = [VerifierQueue(verifier, self._changed) for verifier in verifiers]
        self._lock = RLock()  # of the lanes, where they run in another thread
        self._loop: asyncio.AbstractEventLoop | None = None
        self._here = False  # the loop is the caller's
        self._asked: Counter[int] = Counter()  # claims, by choice
        self._finished = False  # the caller's word; the lanes hear it behind the claims before it
        self._closed = False
        self._left = False

    def ask(self, claims: Sequence[Claim]) -> None:
        """Take claims that have settled."""
        if claims:
            self._asked.update(claim.choice for claim in claims)
            self._do(partial(self._offer, claims))

    def finish(self) -> None:
        """Say that no more claims come."""
        if not self._finished:
            self._finished = True
            self._do(self._close)

    def leave(self) -> None:
        """Say that nobody waits: give up whatever has not been answered."""
        if not self._left:
            self._left = self._finished = True
            self._do(self._give_up)

    async def wait(self, timeout_s: float) -> None:
        """Wait until `over`, for `timeout_s` seconds at most; in asyncio or trio."""
        if self.over.done():
            return
        if self._here:
            await asyncio.wait({asyncio.wrap_future(self.over)}, timeout=timeout_s)
        else:
            await anyio.to_thread.run_sync(self.wait_here, timeout_s, abandon_on_cancel=True)

    def wait_here(self, timeout_s: float | None) -> None:
        """Block this thread until `over`, for `timeout_s` seconds at most."""
        with suppress(TimeoutError):
            self.over.result(timeout_s)

    def take_scores(self) -> list[tuple[Claim, Score]]:
        """Return the scores that came since the last call."""
        with self._lock:
            fresh = [one for lane in self._lanes for one in lane.fresh]
            for lane in self._lanes:
                lane.fresh.clear()
        return fresh

    def take_words(self) -> list[tuple[Claim, Score]]:
        """Return the judges' words that came since the last call."""
        with self._lock:
            fresh = [one for lane in self._lanes for one in lane.words]
            for lane in self._lanes:
                lane.words.clear()
        return fresh

    def notes(self) -> list[tuple[int, str, str | None]]:
        """Return who was to read claims of which choice, and with which errors so far.

        Of one without an error the third is None.
        """
        with self._lock:
            return [note for lane in self._lanes for note in self._notes_of(lane)]

    def reports(self) -> tuple[VerifierReport, ...]:
        """Return the claims so far, counted by outcome, for each verifier."""
        with self._lock:
            return tuple(lane.report() for lane in self._lanes)

    def _notes_of(self, lane: VerifierQueue) -> Iterator[tuple[int, str, str | None]]:
        name = lane.verifier.name
        for choice in sorted(self._asked):
            if choice in lane.wanted:
                yield choice, name, None
            wrong = dict(lane.errors.get(choice, {}))
            if self._left and lane.settled[choice] < self._asked[choice]:
                wrong[LEFT] = None
            for each in wrong:
                yield choice, name, each

    def _do(self, step: Callable[[], None]) -> None:
        """Do a step in the verifiers' loop."""
        if self._loop is None:
            self._loop, self._here = self._chosen_loop()
        if self._here:
            step()
        else:
            # Without the caller's context, in which its own library is the one that runs.
            self._loop.call_soon_threadsafe(step, context=Context())

    def _chosen_loop(self) -> tuple[asyncio.AbstractEventLoop, bool]:
        if not self._blocking:
            try:
                return asyncio.get_running_loop(), True
            except RuntimeError:  # trio's, or none
                pass
        return BACKGROUND.loop(), False

    def _offer(self, claims: Sequence[Claim]) -> None:
        with self._lock:
            for lane in self._lanes:
                for claim in claims:
                    lane.offer(claim)
                lane.start()

    def _close(self) -> None:
        with self._lock:
            self._closed = True
            for lane in self._lanes:
                lane.close()
        self._changed()

    def _give_up(self) -> None:
        with self._lock:
            self._closed = True
            for lane in self._lanes:
                lane.leave()
        self._changed()

    def _changed(self) -> None:
        """Send what waits now that a call has come back; say so when that was the last."""
        with self._lock:
            for lane in self._lanes:
                if not self._left:
                    lane.start()
            ended = self._closed and not any(lane.busy for lane in self._lanes)
        if ended and not self.over.done():
            self.over.set_result(None)
