"""The async shell: a source's own items, unchanged and at once, then one annotation.

Items are passed on first and examined later. There is no task, queue or lock, and no cancel scope
around a `yield`, so a stream may be read, closed and cancelled wherever its source may be. It runs
on asyncio and trio.
"""

from __future__ import annotations

from asyncio import (
    Future,
    get_running_loop,
    shield,
    wrap_future,
)
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Sequence,
)
from concurrent.futures import Future as Futured
from functools import partial
from inspect import isawaitable
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import anyio

from streamguard.adapters import TextAt
from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.machine.holding import Hold, OnViolation
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.errors import ConfigError, StreamStateError
from streamguard.examiner import Examiner
from streamguard.held_stream import held_items
from streamguard.holder import Replace, holding_policy
from streamguard.sources import examine_rest, finish, forget, let_others, opened, receive_context
from streamguard.tap import (
    OnAnnotation,
    OnFinding,
    Shell,
    Sink,
    Tap,
    ended_by,
)
from streamguard.verify.verifier import Ask, Scorer

if TYPE_CHECKING:
    from streamguard.verify.judge import Judge

T = TypeVar("T")
Source = AsyncIterable[T] | Awaitable[AsyncIterable[T]]
ContextSource = Context | LateContext | Awaitable[Context]


def guard(
    source: Source[T],
    *,
    context: ContextSource | None = None,
    policy: Policy | str | None = None,
    text: TextAt | None = None,
    checks: Checks = DEFAULT_CHECKS,
    live: bool = False,
    sinks: Sequence[Sink] = (),
    on_finding: OnFinding | None = None,
    judge: Judge | str | None = None,
    scorers: Sequence[Scorer | Ask] = (),
    verifiers: Sequence[Scorer | Ask] = (),
    hold: Hold | None = None,
    on_violation: OnViolation | None = None,
    replace_with: Replace | None = None,
) -> GuardedStream[T]:
    """Wrap an async iterable, or an awaitable of one, in a stream that checks its text.

    `policy`: a `Policy` or a preset's name; None is `moderate`. `text`: a function from an item to
    its text, its text per choice, or None; by default the first item's shape decides, and reading
    an item of unknown shape raises `ConfigError`. `context` may come late: as a `LateContext` or an
    awaitable. A task or future is polled while items pass, and awaited at the source's end; its
    errors are listed in the result's `errors`. Text passes meanwhile, and its sentences are judged
    once the context is there. `live` adds a `SentenceAnnotation` after the item that settled a
    sentence. `on_finding` is called with each finding, `sinks` with the annotation after the
    stream; asynchronous ones are awaited. None of the three can harm the stream: errors of `text`
    and `on_finding` are listed in the result's `errors`, later ones are logged. `judge` is a
    `Judge` or `MODEL@URL`: a language model, to which passages and answer are sent. `scorers` also
    score settled claims; `verifiers` is their earlier name. All run in parallel and delay no item;
    the annotation waits for their scores at most `policy.max_tail_wait_s` seconds (10 with a
    judge). After that its state is `pending`; the sinks get the final one, and `final()` returns
    it. `hold` and `on_violation` replace the policy's: with "sentence" an item waits until its
    sentences have been checked, with "answer" until the end. Text that the policy's `block` names
    does not leave as it is then: the answer stops before it, or ends with the text that
    `replace_with` returns for the finding (by default the standard refusal), or the words are
    masked. Unchanged items are the source's own. Raises `ConfigError` for an invalid source or
    judge.
    """
    if not isinstance(source, AsyncIterable) and not isawaitable(source):
        raise ConfigError(
            f"source is a {type(source).__name__}, expected an async iterator or an awaitable of"
            " one; guard_sync() takes plain iterators"
        )
    coming = context if isawaitable(context) else None
    known = LateContext() if coming is not None else cast("Context | LateContext | None", context)
    tap: Tap[T] = Tap(
        known,
        holding_policy(policy, hold, on_violation),
        text,
        checks,
        live,
        sinks,
        on_finding,
        scorers,
        verifiers,
        judge=judge,
        replace_with=replace_with,
    )
    return GuardedStream(source, tap, coming)


class GuardedStream(Shell[T, AsyncGenerator[T | SentenceAnnotation | Annotation, None]]):
    """A source's own objects in their order, then one `Annotation`; made by `guard`.

    Iterate it, or `items()` for the source's objects alone, once and inside `async with`. A
    cancelled read ends the stream, as it ends an async generator.
    """

    def __init__(
        self, source: Source[T], tap: Tap[T], coming: Awaitable[Context] | None = None
    ) -> None:
        items = _items if tap.holder is None else held_items
        super().__init__(tap, partial(items, source, tap, coming))
        self._source = source
        self._coming = coming
        self._left = False  # closing was interrupted: all that could be done was done

    @property
    def examiner(self) -> Examiner:
        """The stream's examiner, with its context and policy; for stores of results."""
        return self._tap.examiner

    def listen(self) -> None:
        """Add a `SentenceAnnotation` after each settled sentence, as `live=True` does.

        For receivers of a stream that others made. Raises `StreamStateError` once the stream is
        being read, unless it is live already.
        """
        self._tap.listen()

    def when_final(self, callback: OnAnnotation) -> None:
        """Call `callback` with the final annotation, now or once no verifier is awaited.

        On trio that may be in another thread. Its errors are logged.
        """
        self._tap.examiner.when_final(callback)

    async def final(self) -> Annotation:
        """Wait for the verifiers and return the final annotation.

        Raises `StreamStateError` before the stream's end.
        """
        annotation = self.annotation
        if annotation.state != "pending":
            return annotation
        return await _result_of(self._tap.examiner.awaited)

    def __aiter__(self) -> AsyncGenerator[T | SentenceAnnotation | Annotation, None]:
        # The generator itself: its own `__anext__` costs half of one written as a coroutine
        # (the rows with append of benchmarks/bench_wrapper.py, Python 3.11).
        return self._read(extras=True)

    def __anext__(self) -> Awaitable[T | SentenceAnnotation | Annotation]:
        return self._read(extras=True).__anext__()

    def items(self) -> AsyncGenerator[T, None]:
        """Return an iterator over the source's objects alone; `result` has the verdict afterwards.

        Raises `StreamStateError` on a stream that is already read with its annotation.
        """
        return cast("AsyncGenerator[T, None]", self._read(extras=False))

    async def aclose(self, ended: Ended | None = None) -> None:
        """Close the source, conclude the result and run the sinks; further calls do nothing.

        `ended` gives the reason for the result, by default that the reader stopped. Raises
        `StreamStateError` while another task waits for the next item: cancel that task.
        """
        if self._left:
            return
        reader = self._reader or self._read(extras=False)
        if cast("AsyncGeneratorType[Any, None]", reader).ag_running:
            raise StreamStateError(
                "aclose() while another task waits for the next item; cancel that task instead"
            )
        self._tap.stopped = ended or self._tap.stopped
        if not self._tap.begun:
            # A generator that never started runs no `finally`. Both ways to read find nothing now.
            self._tap.begun, self._extras = True, None
            await reader.aclose()
            forget(self._coming)
            await finish(self._tap, None, self._source, self._tap.stopped)
        try:
            await reader.aclose()
        except BaseException:
            self._left = True  # CPython 3.11 would see it as running for ever
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc is not None and ended_by(exc) == "cancelled":
            self._tap.stopped = "cancelled"
        await self.aclose()


# Apart from `GuardedStream`: the generator must not hold the object that holds it, so that a
# forgotten stream is no cycle and is closed at once.
async def _items(
    source: Any, tap: Tap[T], coming: Awaitable[Context] | None, extras: bool
) -> AsyncGenerator[T | SentenceAnnotation | Annotation, None]:
    tap.begun = True
    held, live = tap.held, tap.live and extras
    iterator: AsyncIterator[T] | None = None
    due = 0
    ended: Ended = "complete"
    complete = False
    try:
        try:  # not checked in advance: the first item would wait for that
            iterator = aiter(source)
        except TypeError:
            if hasattr(source, "__aiter__"):
                raise
            source = await opened(source)
            iterator = aiter(source)
        if tap.off:
            async for item in iterator:
                yield item
        else:
            async for item in iterator:
                held.append(item)
                if not due:
                    due = tap.meet(item)
                yield item
                if len(held) >= due:
                    if coming is not None and isinstance(coming, Future) and coming.done():
                        await receive_context(tap, coming)
                        coming = None
                    due = tap.examine()
                    while tap.behind:
                        await let_others()
                        tap.turn()
                    if live:
                        for sentence in tap.settled():
                            yield sentence
            if coming is not None:
                await receive_context(tap, coming)
                coming = None
            complete = True
            await examine_rest(tap)
            if tap.examiner.awaits_scores:
                await tap.examiner.wait_for_scores()
    except BaseException as exc:
        if not complete:  # a cancellation after the source's end takes nothing from the answer
            ended = tap.stopped if isinstance(exc, GeneratorExit) else ended_by(exc)
        raise
    finally:
        forget(coming)
        annotation = await finish(tap, iterator, source, ended)
    if live:
        for sentence in tap.settled():
            yield sentence
    if extras:
        yield annotation


async def _result_of(final: Futured[Annotation]) -> Annotation:
    try:
        get_running_loop()
    except RuntimeError:  # trio's, or none that is known
        return await anyio.to_thread.run_sync(final.result, abandon_on_cancel=True)
    return await shield(wrap_future(final))
