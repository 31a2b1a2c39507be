"""The synchronous twin of the async shell, for `for` loops over synchronous SDK streams."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from inspect import iscoroutine, iscoroutinefunction
from time import monotonic
from types import GeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from streamguard.adapters import TextAt
from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.machine.holding import Hold, OnViolation
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended, functions
from streamguard.delivering import start_sinks
from streamguard.errors import ConfigError, StreamStateError
from streamguard.holder import Replace, holding_policy
from streamguard.tap import OnFinding, Shell, Sink, Tap, ended_by, logger
from streamguard.verify.verifier import Ask, Scorer

if TYPE_CHECKING:
    from streamguard.verify.judge import Judge

T = TypeVar("T")


def guard_sync(
    source: Iterable[T],
    *,
    context: Context | LateContext | None = None,
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
) -> SyncGuardedStream[T]:
    """Wrap an iterable in a stream that checks its text; the arguments are those of `guard`.

    Sinks must be plain functions; if scorers keep the annotation pending, they are called in
    another thread. Asynchronous scorers run in an event loop of their own thread. The time limit of
    held text is checked whenever an item comes. Raises `ConfigError` for an asynchronous source or
    sink.
    """
    if isinstance(source, (str, bytes)) or not hasattr(source, "__iter__"):
        raise ConfigError(
            f"source is a {type(source).__name__}, expected an iterator of pieces; guard() takes"
            " async iterators, check_text() a whole answer"
        )
    sinks = functions("sinks", sinks)
    for sink in sinks:
        if iscoroutinefunction(sink):
            raise ConfigError(f"sink {sink!r} is asynchronous, expected a plain function")
    tap: Tap[T] = Tap(
        context,
        holding_policy(policy, hold, on_violation),
        text,
        checks,
        live,
        sinks,
        on_finding,
        scorers,
        verifiers,
        judge=judge,
        blocking=True,
        replace_with=replace_with,
    )
    return SyncGuardedStream(source, tap)


class SyncGuardedStream(Shell[T, Generator[T | SentenceAnnotation | Annotation, None, None]]):
    """A source's own objects in their order, then one `Annotation`; made by `guard_sync`.

    Iterate it, or `items()` for the source's objects alone, once and inside `with`.
    """

    def __init__(self, source: Iterable[T], tap: Tap[T]) -> None:
        super().__init__(tap, partial(_items if tap.holder is None else _held, source, tap))
        self._source = source

    def final(self, timeout_s: float | None = None) -> Annotation:
        """Wait for the verifiers, blocking, and return the final annotation.

        Raises `StreamStateError` before the stream's end, `TimeoutError` after `timeout_s` seconds.
        """
        annotation = self.annotation
        if annotation.state != "pending":
            return annotation
        return self._tap.examiner.awaited.result(timeout_s)

    def __iter__(self) -> Generator[T | SentenceAnnotation | Annotation, None, None]:
        return self._read(extras=True)

    def __next__(self) -> T | SentenceAnnotation | Annotation:
        return next(self._read(extras=True))

    def items(self) -> Generator[T, None, None]:
        """Return an iterator over the source's objects alone; `result` has the verdict afterwards.

        Raises `StreamStateError` on a stream that is already read with its annotation.
        """
        return cast("Generator[T, None, None]", self._read(extras=False))

    def close(self) -> None:
        """Close the source, conclude the result and run the sinks; further calls do nothing.

        Raises `StreamStateError` while another thread waits for the next item.
        """
        reader = self._reader or self._read(extras=False)
        if cast("GeneratorType[Any, None, None]", reader).gi_running:
            raise StreamStateError(
                "close() while another thread waits for the next item; let that thread close it"
            )
        if not self._tap.begun:
            # A generator that never started runs no `finally`. Both ways to read find nothing now.
            self._tap.begun, self._extras = True, None
            reader.close()
            _finish(self._tap, None, self._source, self._tap.stopped)
        reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc is not None and ended_by(exc) == "cancelled":
            self._tap.stopped = "cancelled"
        self.close()


def _items(
    source: Iterable[T], tap: Tap[T], extras: bool
) -> Generator[T | SentenceAnnotation | Annotation, None, None]:
    tap.begun = True
    held, live = tap.held, tap.live and extras
    iterator: Iterator[T] | None = None
    due = 0
    ended: Ended = "complete"
    complete = False
    try:
        iterator = iter(source)
        if tap.off:
            # No `yield from`: it would close the source a second time.
            for item in iterator:
                yield item
        else:
            for item in iterator:
                held.append(item)
                if not due:
                    due = tap.meet(item)
                yield item
                if len(held) >= due:
                    due = tap.examine()
                    while tap.behind:
                        tap.turn()
                    if live:
                        yield from tap.settled()
            complete = True
            if tap.examiner.awaits_scores:
                tap.block_for_scores()
    except BaseException as exc:
        if not complete:  # an interrupt after the source's end takes nothing from the answer
            ended = tap.stopped if isinstance(exc, GeneratorExit) else ended_by(exc)
        raise
    finally:
        annotation = _finish(tap, iterator, source, ended)
    if live:
        yield from tap.settled()
    if extras:
        yield annotation


def _held(
    source: Iterable[T], tap: Tap[T], extras: bool
) -> Generator[T | SentenceAnnotation | Annotation, None, None]:
    """Yield the source's items as the tap's holder releases them, then the annotation."""
    tap.begun = True
    holder, live = tap.holder, tap.live and extras
    assert holder is not None  # noqa: S101 -- only such streams are read here
    iterator: Iterator[T] | None = None
    ended: Ended = "complete"
    failure: Exception | None = None
    complete = False
    try:
        iterator = iter(source)
        while not holder.stopped:
            try:
                item = next(iterator)
            except StopIteration:
                break
            except Exception as exc:
                failure, ended = exc, ended_by(exc)
                break
            tap.hold(item, monotonic())
            tap.turn()
            while tap.behind:
                tap.turn()
            yield from holder.leave(monotonic())
            if live:
                yield from tap.settled()
        complete = True
        if tap.examiner.awaits_scores and not holder.stopped:
            tap.block_for_scores()
        tap.close(ended)
        yield from tap.last()
        if failure is not None:
            raise failure
    except BaseException as exc:
        if not complete:
            ended = tap.stopped if isinstance(exc, GeneratorExit) else ended_by(exc)
        raise
    finally:
        annotation = _finish(tap, iterator, source, ended)
    if live:
        yield from tap.settled()
    if extras:
        yield annotation


def _finish(tap: Tap[Any], iterator: Any, source: Any, ended: Ended) -> Annotation:
    """Conclude the result, close the source and run the sinks, each in any case."""
    annotation = tap.close(ended)
    try:
        try:
            if iterator is not source:
                _close(iterator)
        finally:
            _close(source)
    finally:
        if annotation.state == "pending":
            here = copy_context()  # with the span that the sinks report to
            tap.examiner.awaited.add_done_callback(
                lambda final: here.run(_deliver, final.result(), tap.sinks)
            )
        else:
            _deliver(annotation, tap.sinks)
    return annotation


def _deliver(annotation: Annotation, sinks: Sequence[Sink]) -> None:
    for sink, outcome in start_sinks(annotation, sinks):
        logger.error("sink %r is asynchronous and was not run on %s", sink, annotation.id)
        if iscoroutine(outcome):
            outcome.close()


def _close(source: Any) -> None:
    """Close the source, if it can be closed; errors of closing are logged."""
    close = getattr(source, "close", None)
    if close is None:
        return
    try:
        close()
    except Exception:
        logger.warning("closing the source raised", exc_info=True)
