"""Delivers an annotation to the sinks: plain ones at once, others in the caller's loop."""

from __future__ import annotations

from asyncio import Future, ensure_future, get_running_loop, wait_for
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future as Futured
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from inspect import isawaitable, iscoroutine

import anyio

from streamguard.core.model.result import Annotation
from streamguard.examiner import logger

Sink = Callable[[Annotation], Awaitable[None] | None]

SINK_TIMEOUT_S = 5.0  # per asynchronous sink; guess: longer than a database takes to answer


def deliver_late(final: Futured[Annotation], sinks: Sequence[Sink]) -> None:
    """Run the sinks in the caller's loop once the annotation is final.

    If that loop was trio's and has ended, the verifiers' asyncio loop runs them.
    """
    soon = _soon_in_trio(sinks)

    def run(done: Futured[Annotation]) -> None:
        annotation = done.result()
        if soon is not None:
            with suppress(RuntimeError):  # its run is over
                soon(annotation)
                return
        for sink, outcome in start_sinks(annotation, sinks):
            late = ensure_future(_late(sink, outcome, annotation))
            _LATE.add(late)
            late.add_done_callback(_LATE.discard)

    if sinks:
        final.add_done_callback(run)


def _soon_in_trio(sinks: Sequence[Sink]) -> Callable[[Annotation], None] | None:
    """Return a function that runs the sinks in trio's loop from any thread; None without trio."""
    try:
        get_running_loop()
    except RuntimeError:  # trio's, or none that is known
        with suppress(ImportError, RuntimeError):
            from trio.lowlevel import current_trio_token, spawn_system_task

            soon, here = current_trio_token().run_sync_soon, copy_context()
            # Nothing that a sink raises leaves `deliver`: it would end the whole run.
            start = partial(spawn_system_task, context=here)
            return lambda annotation: soon(start, deliver, annotation, sinks)
    return None


_LATE: set[Future[None]] = set()  # sinks that run behind their streams: a loop holds them weakly


async def _late(sink: Sink, outcome: Awaitable[None], annotation: Annotation) -> None:
    try:
        await wait_for(outcome, SINK_TIMEOUT_S)
    except Exception:
        log_sink_failure(sink, annotation)


async def deliver(annotation: Annotation, sinks: Sequence[Sink]) -> None:
    """Run the sinks: plain ones without a pause, so that no cancellation can come between.

    Asynchronous ones are awaited one after the other, each under a shield with a time limit (the
    scope holds no `yield`). asyncio's own `task.cancel()` passes the shield and ends the current
    sink and those after it.
    """
    waiting = start_sinks(annotation, sinks)
    try:
        while waiting:
            sink, outcome = waiting.pop(0)
            with anyio.move_on_after(SINK_TIMEOUT_S, shield=True) as scope:
                try:
                    await outcome
                except Exception:
                    log_sink_failure(sink, annotation)
            if scope.cancelled_caught:
                message = "sink %r took over %s s on %s"
                fields = {"event": "sink_timeout", "id": annotation.id}
                logger.error(message, sink, SINK_TIMEOUT_S, annotation.id, extra={"fields": fields})
    finally:
        for sink, outcome in waiting:
            fields = {"event": "sink_cancelled", "id": annotation.id}
            message = "sink %r was cancelled on stream %s"
            logger.error(message, sink, annotation.id, extra={"fields": fields})
            if iscoroutine(outcome):
                outcome.close()


def start_sinks(
    annotation: Annotation, sinks: Iterable[Sink]
) -> list[tuple[Sink, Awaitable[None]]]:
    """Call every sink and return those to await; a sink's exception is logged."""
    waiting = []
    for sink in sinks:
        try:
            outcome = sink(annotation)
        except Exception:
            log_sink_failure(sink, annotation)
        else:
            if outcome is not None and isawaitable(outcome):
                waiting.append((sink, outcome))
    return waiting


def log_sink_failure(sink: Sink, annotation: Annotation) -> None:
    """Log the current exception of a sink: the result is final when sinks run."""
    fields = {"event": "sink_failed", "id": annotation.id}
    logger.exception("sink %r failed on stream %s", sink, annotation.id, extra={"fields": fields})
