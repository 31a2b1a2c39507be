"""Runs the verifiers of one answer while its text goes on."""

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
from streamguard.verify.verifier import Verifier
from streamguard.verify.verifier_queue import LEFT, VerifierQueue


class VerifierRunner:
    """The verifiers of one answer: `offer` claims as they settle, then `finish` or `leave`.

    None of these waits. `over` is done once every score that can come has come. The verifiers run
    in the caller's loop if it is asyncio's and may be used (`blocking` False), else in a background
    loop. The order of their answers changes nothing.
    """

    def __init__(self, verifiers: Sequence[Verifier], *, blocking: bool = False) -> None:
        self.over: Future[None] = Future()
        self._blocking = blocking
        self._queues = [VerifierQueue(verifier, self._changed) for verifier in verifiers]
        self._lock = RLock()  # of the queues, where they run in another thread
        self._loop: asyncio.AbstractEventLoop | None = None
        self._here = False  # the loop is the caller's
        self._offered: Counter[int] = Counter()  # claims, by choice
        self._finished = False  # `finish` was called; the queues close after the earlier claims
        self._closed = False
        self._left = False

    def offer(self, claims: Sequence[Claim]) -> None:
        """Offer settled claims to every verifier."""
        if claims:
            self._offered.update(claim.choice for claim in claims)
            self._do(partial(self._offer, claims))

    def finish(self) -> None:
        """Announce that no more claims come."""
        if not self._finished:
            self._finished = True
            self._do(self._close)

    def leave(self) -> None:
        """Abandon all open calls: their scores are not needed any more."""
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
            fresh = [one for queue in self._queues for one in queue.fresh]
            for queue in self._queues:
                queue.fresh.clear()
        return fresh

    def take_judge_scores(self) -> list[tuple[Claim, Score]]:
        """Return the judges' scores that came since the last call."""
        with self._lock:
            fresh = [one for queue in self._queues for one in queue.words]
            for queue in self._queues:
                queue.words.clear()
        return fresh

    def notes(self) -> list[tuple[int, str, str | None]]:
        """Return (choice, verifier, error) for every verifier that claims were meant for.

        The error is None in one entry per choice and verifier; further entries have one error each.
        """
        with self._lock:
            return [note for queue in self._queues for note in self._notes_of(queue)]

    def reports(self) -> tuple[VerifierReport, ...]:
        """Return each verifier's report: its claims counted by outcome."""
        with self._lock:
            return tuple(queue.report() for queue in self._queues)

    def _notes_of(self, queue: VerifierQueue) -> Iterator[tuple[int, str, str | None]]:
        name = queue.verifier.name
        for choice in sorted(self._offered):
            if choice in queue.wanted:
                yield choice, name, None
            wrong = dict(queue.errors.get(choice, {}))
            if self._left and queue.settled[choice] < self._offered[choice]:
                wrong[LEFT] = None
            for each in wrong:
                yield choice, name, each

    def _do(self, step: Callable[[], None]) -> None:
        """Run a step in the verifiers' loop."""
        if self._loop is None:
            self._loop, self._here = self._chosen_loop()
        if self._here:
            step()
        else:
            # In an empty context: in the caller's, its own async library counts as running.
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
            for queue in self._queues:
                for claim in claims:
                    queue.offer(claim)
                queue.start()

    def _close(self) -> None:
        with self._lock:
            self._closed = True
            for queue in self._queues:
                queue.close()
        self._changed()

    def _give_up(self) -> None:
        with self._lock:
            self._closed = True
            for queue in self._queues:
                queue.leave()
        self._changed()

    def _changed(self) -> None:
        """Send waiting claims after a call has returned; set `over` after the last one."""
        with self._lock:
            for queue in self._queues:
                if not self._left:
                    queue.start()
            ended = self._closed and not any(queue.busy for queue in self._queues)
        if ended and not self.over.done():
            self.over.set_result(None)
