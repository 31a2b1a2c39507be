"""Opens, examines and closes a stream's source, late context and tap."""

from __future__ import annotations

from asyncio import Future, wait
from collections.abc import AsyncIterable, Awaitable
from contextlib import suppress
from inspect import isawaitable, iscoroutine
from typing import Any, TypeVar

from anyio.lowlevel import cancel_shielded_checkpoint

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import Ended
from streamguard.delivering import deliver, deliver_late
from streamguard.errors import ConfigError
from streamguard.tap import Tap, logger

T = TypeVar("T")


async def opened(source: Awaitable[AsyncIterable[T]]) -> AsyncIterable[T]:
    """Return the awaited source; raises `ConfigError` if it is no async iterable."""
    awaited = await source
    if not isinstance(awaited, AsyncIterable):
        raise ConfigError(
            f"awaiting the source gave a {type(awaited).__name__}, expected an async iterator;"
            " guard_sync() takes plain iterators"
        )
    return awaited


async def receive_context(tap: Tap[Any], coming: Awaitable[Context]) -> None:
    """Await a late context; its errors are listed in the result."""
    try:
        if isinstance(coming, Future):
            # Somebody may cancel the task that we wait for: that is no cancellation of ours.
            if not coming.done():
                await wait((coming,))
            if coming.cancelled():
                raise ConfigError("the context's task was cancelled")
        tap.give(await coming)
    except Exception as exc:
        tap.examiner.fail("context", exc)


async def examine_rest(tap: Tap[Any]) -> None:
    """Examine the remaining text in turns: after an early exit there may be much."""
    while not tap.close_turn():
        await let_others()


async def let_others() -> None:
    """Yield to other tasks; do nothing on an unknown loop or none."""
    with suppress(RuntimeError):
        await cancel_shielded_checkpoint()


def forget(coming: Awaitable[Context] | None) -> None:
    """Close a coroutine that nobody will await; a task or future belongs to its creator."""
    if iscoroutine(coming):
        coming.close()


async def finish(tap: Tap[Any], iterator: Any, source: Any, ended: Ended) -> Annotation:
    """Conclude the result, close the source and run the sinks, each even if another fails."""
    try:
        await examine_rest(tap)
    finally:
        annotation = tap.close(ended)
        try:
            try:
                if iterator is not source:
                    await _close(iterator)
            finally:
                await _close(source)
        finally:
            if annotation.state == "pending":
                deliver_late(tap.examiner.awaited, tap.sinks)
            else:
                await deliver(annotation, tap.sinks)
    return annotation


async def _close(source: Any) -> None:
    """Close the source: by `aclose`, `close` (plain or coroutine) or a task's `cancel`.

    If the source is a finished task, its result is closed. Errors of closing are logged: the
    consumer has its items, or a better exception.
    """
    if isinstance(source, Future) and source.done() and not source.cancelled():
        source = None if source.exception() else source.result()
    for name in ("aclose", "close", "cancel"):
        close = getattr(source, name, None)
        if close is not None:
            break
    else:
        return
    try:
        outcome = close()
        if isawaitable(outcome):
            await outcome
    except Exception:
        logger.warning("closing the source raised", exc_info=True)
