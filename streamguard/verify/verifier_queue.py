"""One verifier's queue of claims in one answer, and its scores."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from time import perf_counter
from typing import Any

from streamguard.core.context import Context
from streamguard.core.machine.claim import Claim
from streamguard.core.model.types import Score, VerifierReport
from streamguard.core.sentence import Sentence
from streamguard.errors import DecodeError, StreamguardError, UpstreamError
from streamguard.verify.threads import OverloadedError, as_exception
from streamguard.verify.verifier import (
    Batches,
    Verifier,
    VerifierAnswer,
    checked,
    fingerprint,
    key_of,
)

MAX_CLAIMS = 2_000  # of one answer that wait for a verifier; guess, 60 pages
MAX_TASKS = 256  # asynchronous calls of one verifier that have not come back, over all answers
LEFT = "the stream was left before it answered"
OF_TRIO = (
    "asynchronous verifiers run in asyncio, beside streams of trio too: await what anyio or asyncio"
    " has, or be a plain function"
)

_NOTHING = Score()

logger = logging.getLogger("streamguard")


class VerifierQueue:
    """Sends the claims of one answer to one verifier, and keeps its scores.

    All of it runs in one event loop; `changed` is called whenever a call has returned.
    """

    def __init__(self, verifier: Verifier, changed: Callable[[], None]) -> None:
        self.verifier = verifier
        self.scores: dict[str, tuple[Claim, Score]] = {}  # by the claim's id
        self.errors: dict[int, dict[str, None]] = {}  # by choice
        self.settled: Counter[int] = Counter()  # claims without a pending score, by choice
        self.wanted: set[int] = set()  # the choices with a claim for this verifier
        self.fresh: list[tuple[Claim, Score]] = []  # scores not taken yet
        self.words: list[tuple[Claim, Score]] = []  # a judge's scores among them
        self._changed = changed
        self._most = verifier.budget.sentences if verifier.budget is not None else None
        self._held: list[Claim] = []  # sent only if no riskier claim takes the budget
        self._waiting: deque[Claim] = deque()
        self._calls: set[asyncio.Task[None]] = set()
        self._keys: dict[int, bytes] = {}  # of the context, by choice
        self._contexts: dict[int, Context] = {}  # of the latest claims, by choice
        self._offered: Counter[int] = Counter()  # claims with that context
        self._claims = self._unselected = self._chosen = self._cached = 0
        self._over_budget = 0
        self._cost = {"ms": 0.0}
        self._closed = False  # no more claims come
        self._made: Counter[int] = Counter()  # calls by choice, if a plan limits them
        self._read: Counter[int] = Counter()  # claims of these calls
        self._paused = False  # no claim has come for a while
        self._pause: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a call is open or a claim waits."""
        return bool(self._calls or self._waiting)

    def offer(self, claim: Claim) -> None:
        """Queue a settled claim, hold it back for the budget, or skip it."""
        self._paused = False
        self._renew(claim.choice, claim.context)
        self._claims += 1
        self._offered[claim.choice] += 1
        if not self._is_wanted(claim):
            self._unselected += 1
            self.settled[claim.choice] += 1
            return
        self.wanted.add(claim.choice)
        if self._most is None or self._is_worth(claim.sentence, self._most):
            self._choose(claim)
        else:
            self._held.append(claim)

    def _renew(self, choice: int, context: Context) -> None:
        """Drop the scores of a choice once it has further passages."""
        before = self._contexts.setdefault(choice, context)
        if before is context:
            return
        self._contexts[choice] = context
        self._keys.pop(choice, None)
        stale = [key for key, (claim, _) in self.scores.items() if claim.choice == choice]
        for key in stale:
            del self.scores[key]
        waiting = [one for one in (*self._waiting, *self._held) if one.choice == choice]
        self._held = [one for one in self._held if one.choice != choice]
        left = [one for one in self._waiting if one.choice != choice]
        self._chosen -= len(stale) + len(self._waiting) - len(left)
        self._waiting.clear()
        self._waiting.extend(left)
        self.settled[choice] += len(waiting)
        self._claims -= self._offered.pop(choice, 0)

    def close(self) -> None:
        """Queue the worst claims held back, within the budget; no more claims come."""
        self._closed = True
        left = (self._most or 0) - self._chosen
        self._held.sort(key=_rank)
        for claim in self._held[:left]:
            self._choose(claim)
        self._over_budget += len(self._held[left:])
        self.settled.update(claim.choice for claim in self._held[left:])
        self._held.clear()

    def start(self) -> None:
        """Start calls for waiting claims, up to the number of open calls allowed."""
        if (batches := self.verifier.batches) is not None:
            self._start_due(batches)
            return
        while self._waiting and len(self._calls) < self.verifier.parallel:
            choice = self._waiting[0].choice
            batch: list[Claim] = []
            while self._waiting and self._waiting[0].choice == choice and not self._full(batch):
                batch.append(self._waiting.popleft())
            self._start_call(choice, batch)

    def _start_due(self, batches: Batches) -> None:
        """Start the calls due by the plan, choice by choice; surplus claims are an error."""
        for choice in dict.fromkeys(claim.choice for claim in self._waiting):
            claims = [claim for claim in self._waiting if claim.choice == choice]
            made, read, ended = self._made[choice], self._read[choice], self._closed
            sizes = batches.due(len(claims), made, read, ended=ended, paused=self._paused)
            if not (sizes or ended):
                continue
            self._waiting = deque(one for one in self._waiting if one.choice != choice)
            claims.sort(key=lambda one: _is_read_later(one.sentence))
            for size in sizes:
                batch, claims = claims[:size], claims[size:]
                claims = batch[self.verifier.batch :] + claims
                del batch[self.verifier.batch :]
                self._start_call(choice, sorted(batch, key=lambda one: one.sentence.index))
            self._made[choice] += len(sizes)
            self._read[choice] += sum(sizes)
            if claims:
                self.settled[choice] += len(claims)
                more = f"{len(claims)} claims are more than {batches.most} requests have room for"
                self._fail(choice, OverloadedError(more))
        self._await_pause(batches)

    def _await_pause(self, batches: Batches) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        if self._waiting and not self._closed and not self._paused:
            loop = asyncio.get_running_loop()
            self._pause = loop.call_later(batches.pause_s, self._pauses)

    def _pauses(self) -> None:
        self._pause = None
        self._paused = True
        self._changed()

    def _start_call(self, choice: int, batch: Sequence[Claim]) -> None:
        call = asyncio.get_running_loop().create_task(self._call(choice, batch))
        self._calls.add(call)
        call.add_done_callback(self._back)

    def leave(self) -> None:
        """Cancel open calls and drop waiting claims."""
        if self._pause is not None:
            self._pause.cancel()
        self._waiting.clear()
        self._held.clear()
        for call in self._calls:
            call.cancel()

    def report(self) -> VerifierReport:
        """Return the claims so far, counted by outcome."""
        answered = len(self.scores)
        budget = self.verifier.budget
        return VerifierReport(
            self.verifier.name,
            self._claims,
            answered,
            self._cached,
            self._unselected,
            self._over_budget,
            max(0, self._chosen - answered),
            None if budget is None else str(budget),
            {name: round(value, 3) for name, value in sorted(self._cost.items())},
        )

    def _full(self, batch: Sequence[Claim]) -> bool:
        return len(batch) >= self.verifier.batch

    def _is_wanted(self, claim: Claim) -> bool:
        select, sentence, scope = self.verifier.select, claim.sentence, claim.sentence.scope
        if select is None:
            return True
        try:
            return bool(select(sentence, scope))
        except Exception as exc:
            self._fail(claim.choice, exc)
            return False

    def _is_worth(self, sentence: Sentence, most: int) -> bool:
        """Return whether to send it now, with a budget for `most` sentences of the answer.

        Half of the budget goes to any claims, the other half to claims that are likely unsupported
        or have a value that the core cannot judge.
        """
        likely = sentence.support is not None and sentence.support.probability < _minimum(sentence)
        likely = likely or not _is_read_later(sentence)
        return self._chosen < most // 2 or (likely and self._chosen < most)

    def _choose(self, claim: Claim) -> None:
        choice = claim.choice
        self._chosen += 1
        known = self.verifier.cached.get(self._key(claim))
        if known is not None:
            self._cached += 1
            self.settled[choice] += 1
            self._keep(claim, known)
        elif len(self._waiting) < MAX_CLAIMS:
            self._waiting.append(claim)
        else:
            self.settled[choice] += 1
            self._fail(choice, OverloadedError(f"{MAX_CLAIMS} claims of one answer wait"))

    def _key(self, claim: Claim) -> bytes:
        if claim.choice not in self._keys:
            self._keys[claim.choice] = fingerprint(claim.context)
        return key_of(claim.sentence, self._keys[claim.choice])

    async def _call(self, choice: int, batch: Sequence[Claim]) -> None:
        began = perf_counter()
        try:
            answer = checked(await self._answered(batch), len(batch))
        except asyncio.CancelledError:  # by `leave`, or as the loop ends
            self._note(choice, LEFT)
            self._waiting.clear()
            raise
        except Exception as exc:
            self._fail(choice, exc)
        else:
            self._take(choice, batch, answer)
        finally:
            self.settled[choice] += len(batch)
            self._cost["ms"] += (perf_counter() - began) * 1_000

    def _take(self, choice: int, batch: Sequence[Claim], answer: VerifierAnswer) -> None:
        for claim, score in zip(batch, answer.verdicts, strict=True):
            if self._contexts.get(choice) is not claim.context:  # offered anew since
                self._chosen -= 1
                continue
            self._keep(claim, score)
            if score != _NOTHING:  # a later answer may say something
                self.verifier.cached.keep(self._key(claim), score)
        for wrong in answer.errors:
            self._fail(choice, DecodeError(wrong))
        for name, value in answer.cost.items():
            self._cost[name] = self._cost.get(name, 0.0) + value

    def _keep(self, claim: Claim, score: Score) -> None:
        named = claim, replace(score, scorer=self.verifier.name)
        self.scores[claim.id] = named
        self.fresh.append(named)
        if score.word is not None:
            self.words.append(named)

    async def _answered(self, batch: Sequence[Claim]) -> Any:
        """Return the verifier's answer; a call that is too late is abandoned."""
        verifier, sentences = self.verifier, tuple(claim.sentence for claim in batch)
        ends = asyncio.get_running_loop().time() + verifier.timeout_s
        # Without the earlier sentences: a verdict must not depend on the others in the call.
        call = partial(verifier.ask, sentences, replace(sentences[0].scope, earlier=()))
        if verifier.is_async:
            return await self._task(call, ends)
        future = verifier.threads.call(call)
        answer = await self._within(asyncio.wrap_future(future), ends, future)
        return await self._task(answer, ends) if isawaitable(answer) else answer

    async def _task(self, work: Any, ends: float) -> Any:
        if len(self.verifier.tasks) >= MAX_TASKS:
            close = getattr(work, "close", None)
            if close is not None:
                close()
            raise OverloadedError(f"{MAX_TASKS} calls have not come back")
        task = asyncio.ensure_future(_safely(work))
        self.verifier.tasks.add(task)
        task.add_done_callback(self.verifier.tasks.discard)
        return await self._within(task, ends)

    async def _within(
        self, work: asyncio.Future[Any], ends: float, thread: Future[Any] | None = None
    ) -> Any:
        timeout = ends - asyncio.get_running_loop().time()
        try:
            await asyncio.wait({work}, timeout=timeout)
        finally:
            if late := not work.done():
                if thread is not None:
                    self.verifier.threads.give_up(thread)
                work.cancel()  # without waiting: the call may ignore it
                work.add_done_callback(_forgotten)
        if late:
            raise UpstreamError(f"no answer within {self.verifier.timeout_s:g} s")
        if work.cancelled():  # the call cancelled itself: `leave` cancels the task that waits here
            raise UpstreamError("its call was cancelled")
        return work.result()

    def _back(self, call: asyncio.Task[None]) -> None:
        self._calls.discard(call)
        self._changed()

    def _fail(self, choice: int, error: Exception) -> None:
        """Note and log an error, each kind once; an application's error text may hold secrets."""
        known = isinstance(error, StreamguardError)
        if known:
            why = str(error)
        else:
            why = OF_TRIO if _is_trios(error) else ""
        wrong = type(error).__name__ + (f" ({why})" if why else "")
        if self._note(choice, wrong):
            named = {"verifier": self.verifier.name, "error": wrong}
            fields = {"event": "verifier_failed", **named}
            logged = None if known else error
            logger.warning(
                "verifier %s failed: %s",
                self.verifier.name,
                wrong,
                exc_info=logged,
                extra={"fields": fields},
            )

    def _note(self, choice: int, wrong: str) -> bool:
        noted = self.errors.setdefault(choice, {})
        fresh = wrong not in noted
        noted[wrong] = None
        return fresh


def _minimum(sentence: Sentence) -> float:
    return sentence.scope.policy.min_support


def _rank(claim: Claim) -> tuple[bool, float, bool, int, int]:
    """Return a sort key: claims with a value that no passage is near come first.

    Then the least supported, and among them those with values and names.
    """
    sentence = claim.sentence
    support = sentence.support.probability if sentence.support is not None else 0.0
    has_none = not (sentence.anchors or sentence.names)
    return _is_read_later(sentence), round(support, 1), has_none, claim.choice, sentence.index


def _is_read_later(sentence: Sentence) -> bool:
    """Return whether the claim has no value that is absent and near no passage's.

    Only a reader can judge such values: as many are right as wrong
    (`benchmarks/results/accuracy.md`). The others are read later.
    """
    return not any(edit.standing == "alone" for edit in sentence.edits)


async def _safely(work: Any) -> Any:
    """Return the awaited result; an error that would end the loop is raised as an ordinary one."""
    try:
        return await (work() if callable(work) else work)
    except (SystemExit, KeyboardInterrupt) as exc:
        raise as_exception(exc) from exc


def _forgotten(work: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned call, so that asyncio does not log it."""
    if not work.cancelled():
        work.exception()


def _is_trios(error: Exception) -> bool:
    """Return whether trio raised the error because another loop is running."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = "" if at is None else str(at.tb_frame.f_globals.get("__name__"))
    return isinstance(error, RuntimeError) and where.startswith("trio.")
