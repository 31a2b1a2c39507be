"""Checks what one relayed answer says, in short turns, and never harms the relay."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from time import perf_counter_ns

from anyio.lowlevel import cancel_shielded_checkpoint

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.choices import ChoiceGuards, skipped
from streamguard.core.context import Context
from streamguard.core.late import LateContext
from streamguard.core.policy import Policy
from streamguard.core.result import Annotation, SentenceAnnotation
from streamguard.core.types import Ended
from streamguard.errors import DecodeError
from streamguard.server.metrics import Delays
from streamguard.wire.reader import Reader
from streamguard.wire.sse import SSEEvent

# No turn of the event loop should take longer (F4 of the performance goals: 2 ms). A slice is one
# or two sentences: a sentence of full analysis takes 0.5 to 1 ms (benchmarks/bench_wrapper.py).
TURN_NS = 1_000_000
SLICE_CHARS = 128
# The guard is fed by blocks: the result does not depend on how a text is cut, and a frame that
# is only kept costs a tenth of one that is fed. The frame behind a block waits for its sentences:
# blocks of 256 characters made it wait for four (benchmarks/bench_dialects.py).
BLOCK_CHARS = 64

log = logging.getLogger("streamguard.proxy")


class Checking:
    """Reads the frames of one answer and checks their text until `close`.

    Its pauses are no place to be cancelled at on trio: an application whose stream is being
    checked is cancelled where it waits itself, and so closes what it reads.

    `id` is hexadecimal; `reader` must be set before the first frame. With
    `policy.validation_enabled` False nothing runs, and the annotation says skipped. `on_sentence`
    is called with every sentence once it has settled; without it none is noted in `sentences`.
    `settle` is awaited before an orderly verdict: the last moment for a context that comes late.
    """

    def __init__(
        self,
        id: str,
        context: Context | LateContext,
        policy: Policy,
        checks: Checks = DEFAULT_CHECKS,
        on_sentence: Callable[[SentenceAnnotation], None] | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.id = id
        self.reader: Reader | None = None  # known once the answer has begun
        self.annotation: Annotation | None = None
        self.dialect = "none"  # the protocol's name, once it is known
        self.delays = Delays()
        self.sentences: list[SentenceAnnotation] = []  # settled so far, if anybody listens
        self.late_frames = 0  # frames with text that came after the annotation
        self._context = context
        self._guards = ChoiceGuards(context, policy, checks) if policy.validation_enabled else None
        self._spent_ns = 0
        self._pieces = 0
        self._gathered: dict[int, list[str]] = {}  # text that went on, until there is a block
        # The first block's length is the id's: streams that began together come due one by one.
        self._gathered_chars = int(id[:2], 16) % BLOCK_CHARS
        self._on_sentence = on_sentence
        self._settle = settle
        self._block_chars = BLOCK_CHARS if on_sentence is None else 1
        self._todo: deque[tuple[int, str]] = deque()  # the block that is being checked
        self._indexed = False  # nothing of the evidence index is left to be built
        self._closing = False  # text that comes from now on is too late

    async def examine(self, events: Iterable[SSEEvent]) -> None:
        """Read `events`, and check what has gathered, with a pause wherever a turn gets long.

        Cancelled in a pause, it leaves the rest of the text to `close`.
        """
        self.take(events)
        await self._work()

    async def examine_texts(self, texts: Mapping[int, str]) -> None:
        """Check the text per choice of one frame, or of an answer that came in one piece."""
        self.take_texts(texts)
        await self._work()

    def take(self, events: Iterable[SSEEvent]) -> None:
        """Read `events`, and leave it to what follows to check their text."""
        began = perf_counter_ns()
        for event in events:
            self.take_texts(self._texts(event))
        self._spent_ns += perf_counter_ns() - began

    def take_texts(self, texts: Mapping[int, str]) -> None:
        """Leave it to what follows to check the text per choice of one frame."""
        if self._closing:
            self.late_frames += bool(texts)
            return
        for choice, text in texts.items():
            self._gathered.setdefault(choice, []).append(text)
            self._gathered_chars += len(text)
            self._pieces += 1

    def take_plain(self, choice: int, texts: list[str]) -> None:
        """Leave it to what follows to check the texts of frames, each of that choice."""
        if self._closing:
            self.late_frames += len(texts)
        elif texts:
            self._gathered.setdefault(choice, []).extend(texts)
            self._gathered_chars += len(texts[0]) if len(texts) == 1 else sum(map(len, texts))
            self._pieces += len(texts)

    @property
    def due(self) -> bool:
        """Whether there is anything to do before more text comes."""
        return self._gathered_chars >= self._block_chars or bool(self._todo) or not self._indexed

    async def conclude(self, ended: Ended) -> Annotation:
        """Do what closing takes in turns, then `close`."""
        if self._settle is not None and self.annotation is None:
            await self._settle()
        while self.annotation is None and not self._close_turn():
            await cancel_shielded_checkpoint()
        return self.close(ended)

    def close(self, ended: Ended) -> Annotation:
        """Return the annotation; the first closing counts."""
        if self.annotation is None:
            self.annotation = self._closed(ended)
        return self.annotation

    def skip(self) -> None:
        """Say that the answer was not checked, unless it was."""
        if self.annotation is None:
            self.annotation = skipped(self.id)
            self._closing = True

    def report(self, where: str, error: Exception) -> None:
        """List an error of the server's own in the result, unless it is final."""
        if self._guards is not None and self.annotation is None:
            self._guards.report_error(where, error)

    async def _work(self) -> None:
        self._index_slice()
        if self._gathered_chars < self._block_chars and not self._todo:
            return
        self._cut_gathered()
        turn = perf_counter_ns()
        while self._todo:
            self._feed(*self._todo.popleft())
            self._announce()
            now = perf_counter_ns()
            if now - turn > TURN_NS and self._todo:
                self._spent_ns += now - turn
                await cancel_shielded_checkpoint()
                turn = perf_counter_ns()
        self._spent_ns += perf_counter_ns() - turn

    def _index_slice(self) -> bool:
        """Build a slice of the evidence index; return whether there is nothing left to build."""
        if self._indexed:
            return True
        evidence = self._context.evidence
        if evidence is None or self._guards is None or evidence.ready:
            # A context that comes late brings an index that is still to be built.
            self._indexed = not isinstance(self._context, LateContext) or evidence is not None
            return True
        began = perf_counter_ns()
        ready = evidence.build_slice()
        self._spent_ns += perf_counter_ns() - began
        return ready

    def _cut_gathered(self) -> None:
        """Move the gathered text to what is to be fed, cut to slices that fit a turn.

        Choices are guarded apart, so only the order within each matters.
        """
        for choice, pieces in self._gathered.items():
            text = "".join(pieces)
            for at in range(0, len(text), SLICE_CHARS):
                self._todo.append((choice, text[at : at + SLICE_CHARS]))
        self._gathered.clear()
        self._gathered_chars = 0

    def _close_turn(self) -> bool:
        """Do one turn's share of what `close` has to do; return whether the rest is little."""
        guards = self._guards
        self._closing = True
        if guards is None:
            return True
        began = perf_counter_ns()
        self._cut_gathered()
        try:
            while True:
                if self._todo:
                    self._feed(*self._todo.popleft())
                elif guards.close_step() is None:
                    return True
                if perf_counter_ns() - began >= TURN_NS:
                    return False
        except Exception as exc:
            self._give_up(exc)
            return True
        finally:
            self._spent_ns += perf_counter_ns() - began

    def _closed(self, ended: Ended) -> Annotation:
        while not self._close_turn():
            pass
        guards = self._guards
        if guards is None:
            return skipped(self.id)
        turn = perf_counter_ns()
        try:
            annotation = guards.close(self.id, ended)
        except Exception as exc:
            self._give_up(exc)
            return skipped(self.id)
        self._announce()
        self._spent_ns += perf_counter_ns() - turn
        if annotation.stream is None:
            return annotation
        check_us = round(self._spent_ns / 1_000, 1)
        measured = {"check_us": check_us, "pieces": self._pieces}
        stream = annotation.stream.model_copy(update=measured)
        return annotation.model_copy(update={"stream": stream})

    def _texts(self, event: SSEEvent) -> Mapping[int, str]:
        if event.truncated and self._guards is not None and self.annotation is None:
            self._guards.report_limit("an event over the size that is parsed")
        try:
            return self.reader.read(event) if self.reader is not None else {}
        except DecodeError as exc:
            self.report("wire", exc)
            return {}

    def _feed(self, choice: int, text: str) -> None:
        if self._guards is None:
            return
        try:
            self._guards.feed({choice: text})
        except Exception as exc:
            self._give_up(exc)

    def _announce(self) -> None:
        if self._on_sentence is None or self._guards is None:
            return
        for sentence in self._guards.settled(self.id):
            self.sentences.append(sentence)
            try:
                self._on_sentence(sentence)
            except Exception as exc:
                self.report("on_sentence", exc)

    def _give_up(self, error: Exception) -> None:
        """Go on without checking: an error of ours must not reach the stream."""
        log.error("check_failed", extra={"fields": {"id": self.id}}, exc_info=error)
        self._guards = None
