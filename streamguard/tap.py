"""What both shells do with the items that pass: note them, examine them, close with one verdict."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import isawaitable
from secrets import token_hex
from time import perf_counter_ns
from typing import Any, Generic, TypeVar, cast

from streamguard.adapters import STRINGS, Adapter, TextOf, adapter_for
from streamguard.core.checks import Checks
from streamguard.core.choices import ChoiceGuards, skipped
from streamguard.core.context import Context
from streamguard.core.late import LateContext
from streamguard.core.policy import Policy
from streamguard.core.result import Annotation, GuardrailsResult, SentenceAnnotation
from streamguard.core.types import Ended, Finding
from streamguard.errors import ConfigError, StreamStateError

T = TypeVar("T")
OnFinding = Callable[[Finding], object]
Sink = Callable[[Annotation], Awaitable[None] | None]

# Items are examined in blocks, so that the clock is read once per block and not once per token.
# Together the two bound one turn of the loop: 512 characters cost under 0.5 ms with every check
# (benchmarks/bench_wrapper.py); 32 items of 4 characters are a sentence or two.
BLOCK_ITEMS = 32
BLOCK_CHARS = 512
# No turn of the event loop should take longer than 2 ms (F4 of the performance goals).
TURN_NS = 1_000_000
logger = logging.getLogger("streamguard")


class Tap(Generic[T]):
    """Keeps the items that a shell hands on until their text is examined, and the verdict.

    The shell calls `meet` with the first item, appends every item to `held` before it hands it
    on, calls `examine` when as many are held as it last said, and `close` in every case.
    Nothing an application's function raises leaves a method; `meet` raises `ConfigError`.
    """

    def __init__(
        self,
        context: Context | LateContext | None,
        policy: Policy | None,
        text: TextOf | None,
        checks: Checks,
        live: bool,
        sinks: Sequence[Sink],
        on_finding: OnFinding | None,
    ) -> None:
        self.id = token_hex(16)  # SPEC 5: 128 random bits, given by the shell
        self.live = live
        self.sinks = tuple(sinks)
        self.begun = False  # somebody reads the source, or closed it unread
        self.stopped: Ended = "consumer_stopped"  # what closing before the source's end means
        self.held: list[T] = []
        policy = policy or Policy()
        self._guards = ChoiceGuards(context, policy, checks) if policy.validation_enabled else None
        self.off = self._guards is None  # by the policy: items pass, and nothing is noted
        self._adapter = Adapter(text) if text is not None else None
        self._on_finding = on_finding
        # Whoever listens while the stream runs is told at once, not at the end of a block.
        self._listened_to = live or on_finding is not None
        self._context = context
        self._announced: set[tuple[int, Finding]] = set()
        self._seen: set[int] = set()
        self._finished: set[int] = set()
        self._failed: set[tuple[str, type[Exception]]] = set()
        self._check_ns = 0
        self._pieces = 0
        self._annotation: Annotation | None = None

    @property
    def annotation(self) -> Annotation:
        """What `close` made; raises `StreamStateError` before."""
        if self._annotation is None:
            raise StreamStateError(
                "the stream has not ended: read it to its end, or close it, before asking for its"
                " result"
            )
        return self._annotation

    @property
    def result(self) -> GuardrailsResult:
        """The verdict on choice 0; raises `StreamStateError` before `close` and where none is."""
        result = self.annotation.result
        if result is None:
            raise StreamStateError(
                f"there is no result: the annotation's state is {self.annotation.state!r}; read"
                " `annotation` where a policy may switch checking off"
            )
        return result

    def meet(self, first: T) -> int:
        """Choose the adapter by the first item; return how many items to hold before `examine`."""
        if self._adapter is not None:
            return 1
        if isinstance(first, str):  # without a look at the other shapes: the first item waits
            self._adapter = STRINGS
        else:
            try:
                self._adapter = adapter_for(first)
            except ConfigError:
                self.held.clear()
                raise
        return 1

    def examine(self) -> int:
        """Feed the text of the held items to the guards; return how many to hold from now on."""
        began = perf_counter_ns()
        items, chars = len(self.held), 0
        for choice, text in self._held_texts():
            chars += len(text)
            try:
                self._feed(choice, text)
            except Exception as exc:  # fail open: a defect of ours must not reach the stream
                self.fail("guard", exc)
        self.held.clear()
        self._check_ns += perf_counter_ns() - began
        # While guards are behind, each piece does a part of what waits: one is enough for a turn.
        if self._listened_to or (self._guards is not None and self._guards.behind):
            return 1
        return max(1, min(BLOCK_ITEMS, items * BLOCK_CHARS // max(1, chars)))

    def give(self, context: Context) -> None:
        """Give the context that this tap was made to wait for; `LateContext.give` says the rest."""
        if isinstance(self._context, LateContext):
            self._context.give(context)

    def settled(self) -> list[SentenceAnnotation]:
        """Return the sentences settled since the last call, for live streams."""
        return self._guards.settled(self.id) if self._guards is not None else []

    def close_turn(self) -> bool:
        """Do one turn's share of what `close` has to do; return whether the rest is little."""
        if self._guards is None or self._annotation is not None:
            return True
        self.examine()
        began = perf_counter_ns()
        try:
            while (found := self._guards.close_step()) is not None:
                for choice, finding in found:
                    self._announce(choice, finding)
                if perf_counter_ns() - began >= TURN_NS:
                    return False
        except Exception as exc:  # fail open, as below
            self.fail("guard", exc)
        finally:
            self._check_ns += perf_counter_ns() - began
        return True

    def close(self, ended: Ended) -> Annotation:
        """Examine what is held and make the annotation; only the first closing counts.

        A `complete` source whose protocol has an end sign that never came counts as broken off.
        """
        if self._annotation is None:
            self._annotation = self._closed(ended)
        return self._annotation

    def _closed(self, ended: Ended) -> Annotation:
        if self._guards is None:
            return skipped(self.id)
        # Announced before the result is made: what `on_finding` raises is listed in it,
        # however the last sentences were cut into pieces.
        while not self.close_turn():
            pass
        if ended == "complete" and not self._ended_as_agreed():
            ended = "upstream_error"
        began = perf_counter_ns()
        try:
            annotation = self._guards.close(self.id, ended)
            self._announce_rest(annotation)
        except Exception:  # fail open, as above: the consumer still gets its one annotation
            logger.exception("the verdict on stream %s could not be made", self.id)
            return Annotation(id=self.id, state="partial")
        self._check_ns += perf_counter_ns() - began
        return _with_cost(annotation, self._check_ns, self._pieces)

    def _ended_as_agreed(self) -> bool:
        if self._adapter is None or self._adapter.finished is None:
            return True
        return bool(self._finished) and self._seen <= self._finished

    def _feed(self, choice: int, text: str) -> None:
        if self._guards is not None:
            for at, finding in self._guards.feed({choice: text}):
                self._announce(at, finding)

    def _held_texts(self) -> Iterable[tuple[int, str]]:
        """Return the held items' text by choice, joined: only the order within a choice counts."""
        adapter, held = self._adapter, self.held
        if adapter is STRINGS and len(held) > 1:
            with suppress(TypeError):  # one of them is no str: each by itself, then
                joined = "".join(cast("list[str]", held))
                self._pieces += len(held)
                return ((0, joined),)
        texts: dict[int, list[str]] = {}
        if adapter is not None:
            for item in held:
                for choice, text in self._texts_of(adapter, item).items():
                    texts.setdefault(choice, []).append(text)
                    self._pieces += 1
        joins = ((choice, parts) for choice, parts in texts.items())
        return [(c, parts[0] if len(parts) == 1 else "".join(parts)) for c, parts in joins]

    def _texts_of(self, adapter: Adapter, item: T) -> Mapping[int, str]:
        """Return one item's text by choice, and note which choices it ends."""
        try:
            texts = _expected(adapter.text(item))
            if adapter.finished is not None:
                self._seen.update(texts)
                self._finished.update(adapter.finished(item))
        except Exception as exc:
            self.fail("text", exc)
            return {}
        return texts

    def _announce(self, choice: int, finding: Finding) -> None:
        if self._on_finding is None:
            return
        self._announced.add((choice, finding))
        try:
            self._on_finding(finding)
        except Exception as exc:
            self.fail("on_finding", exc)

    def _announce_rest(self, annotation: Annotation) -> None:
        """Announce what only the close found; what `on_finding` raises now is logged alone."""
        if self._on_finding is None or annotation.result is None:
            return
        for result in annotation.choices or (annotation.result,):
            for finding in result.findings:
                if (result.choice, finding) not in self._announced:
                    self._announce(result.choice, finding)

    def fail(self, where: str, error: Exception) -> None:
        """List and log an error of the application's, each kind once: it may come every piece."""
        if self._guards is None or (where, type(error)) in self._failed:
            return
        self._failed.add((where, type(error)))
        self._guards.report_error(where, error)
        logger.warning("%s raised on stream %s", where, self.id, exc_info=error)


def ended_by(exc: BaseException) -> Ended:
    """Say how a stream ended in which `exc` came up.

    Only runtimes and the interpreter raise what is no `Exception`: both mean that the program
    stops here (asyncio's and trio's cancellation, KeyboardInterrupt).
    """
    if isinstance(exc, GeneratorExit | ConfigError):
        return "consumer_stopped"
    return "upstream_error" if isinstance(exc, Exception) else "cancelled"


def start_sinks(
    annotation: Annotation, sinks: Iterable[Sink]
) -> list[tuple[Sink, Awaitable[None]]]:
    """Call every sink; return those that have to be awaited. A sink that raises is logged."""
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
    """Log the exception being handled: sinks run when the result is final."""
    logger.exception("sink %r failed on stream %s", sink, annotation.id)


def _expected(text: Any) -> Mapping[int, str]:
    """Return what an application's `text` gave by choice, without choices that have none."""
    if text is None:
        return {}
    if isinstance(text, str):
        return {0: text}
    if not isinstance(text, Mapping):
        raise TypeError(f"text= gave a {type(text).__name__}, expected str, dict[int, str] or None")
    given = {choice: part for choice, part in text.items() if part is not None}
    if not all(isinstance(c, int) and isinstance(part, str) for c, part in given.items()):
        raise TypeError("text= gave a dict that is not of int to str")
    return given


def _with_cost(annotation: Annotation, check_ns: int, pieces: int) -> Annotation:
    """Return the annotation with what was measured here: guards see pieces in blocks."""
    if annotation.stream is None:
        return annotation
    measured = {"check_us": check_ns / 1000, "pieces": pieces}
    cost = annotation.stream.model_copy(update=measured)
    return annotation.model_copy(update={"stream": cost})
