"""The async shell of a held stream: items leave once their text has been checked.

On asyncio a separate task reads the source, so that text held long enough leaves while no item
comes. On trio that is checked whenever an item comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import suppress
from enum import Enum
from time import monotonic
from typing import Any, Final, Generic, Literal, TypeVar

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.sources import (
    examine_rest,
    finish,
    forget,
    let_others,
    opened,
    receive_context,
)
from streamguard.tap import Tap, ended_by

T = TypeVar("T")


class _Nothing(Enum):
    YET = 0


NOTHING: Final = _Nothing.YET  # no item came in the time


class ReadAhead(Generic[T]):
    """Reads an async iterator one item ahead, so that waiting for an item can be interrupted.

    Always await `close`, before the iterator itself is closed.
    """

    def __init__(self, source: AsyncIterator[T]) -> None:
        self._source = source
        self._items: list[T] = []  # the one that was read and is not taken yet
        self._error: BaseException | None = None
        self._came = asyncio.Event()
        self._taken = asyncio.Event()
        self._task = asyncio.ensure_future(self._read())

    async def next(self, until: float | None) -> T | Literal[_Nothing.YET]:
        """Return the next item, or `NOTHING` if none came before `until`, in monotonic seconds.

        Raises `StopAsyncIteration` at the end, and the source's errors.
        """
        if not self._came.is_set():
            left = None if until is None else max(0.0, until - monotonic())
            try:
                async with asyncio.timeout(left):
                    await self._came.wait()
            except TimeoutError:
                return NOTHING
        if self._items:
            self._came.clear()
            self._taken.set()
            return self._items.pop()
        raise self._error or StopAsyncIteration

    async def close(self) -> None:
        """Stop reading, and wait until the source is released."""
        self._task.cancel()
        while not self._task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait((self._task,))

    async def _read(self) -> None:
        try:
            async for item in self._source:
                self._items.append(item)
                self._came.set()
                await self._taken.wait()
                self._taken.clear()
        except Exception as exc:
            self._error = exc
        finally:
            self._came.set()


class Direct(Generic[T]):
    """Reads an async iterator on demand: on trio no task may outlive a step."""

    def __init__(self, source: AsyncIterator[T]) -> None:
        self._source = source

    async def next(self, _until: float | None) -> T | Literal[_Nothing.YET]:
        """Return the next item; raises `StopAsyncIteration` at the end, and the source's errors."""
        return await anext(self._source)

    async def close(self) -> None:
        """Do nothing."""


def _reading(source: AsyncIterator[T]) -> ReadAhead[T] | Direct[T]:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return Direct(source)
    return ReadAhead(source)


async def held_items(
    source: Any, tap: Tap[T], coming: Awaitable[Context] | None, extras: bool
) -> AsyncGenerator[T | SentenceAnnotation | Annotation, None]:
    """Yield the source's items as the tap's holder releases them, then the annotation."""
    tap.begun = True
    holder, live = tap.holder, tap.live and extras
    assert holder is not None  # noqa: S101 -- only such streams are read here
    iterator: AsyncIterator[T] | None = None
    reading: ReadAhead[T] | Direct[T] | None = None
    ended: Ended = "complete"
    failure: Exception | None = None
    complete = False
    try:
        source = source if hasattr(source, "__aiter__") else await opened(source)
        iterator = aiter(source)
        reading = _reading(iterator)
        while not holder.stopped:
            try:
                item = await reading.next(holder.until)
            except StopAsyncIteration:
                break
            except Exception as exc:
                failure, ended = exc, ended_by(exc)
                break
            if item is not NOTHING:
                tap.hold(item, monotonic())
            if isinstance(coming, asyncio.Future) and coming.done():
                await receive_context(tap, coming)
                coming = None
            tap.turn()
            while tap.behind:
                await let_others()
                tap.turn()
            for each in holder.leave(monotonic()):
                yield each
            for sentence in tap.settled() if live else ():
                yield sentence
        await reading.close()
        if coming is not None and not holder.stopped:
            await receive_context(tap, coming)
            coming = None
        complete = True
        await examine_rest(tap)
        if tap.examiner.awaits_scores and not holder.stopped:
            await tap.examiner.wait_for_scores()
        tap.close(ended)
        for each in tap.last():
            yield each
        if failure is not None:
            raise failure
    except BaseException as exc:
        if not complete:
            ended = tap.stopped if isinstance(exc, GeneratorExit) else ended_by(exc)
        raise
    finally:
        if reading is not None:
            await reading.close()
        forget(coming)
        annotation = await finish(tap, iterator, source, ended)
    for sentence in tap.settled() if live else ():
        yield sentence
    if extras:
        yield annotation
