"""The checking of one answer, for every kind of server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Literal

import anyio
from anyio.lowlevel import cancel_shielded_checkpoint

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.examiner import Examiner, OnSentence
from streamguard.server.observe.metrics import Delays
from streamguard.sinks.sql.records import About, about_answer
from streamguard.verify.verifier import Verifier
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.reader import Reader
from streamguard.wire.serialising import in_band

# Why an answer passes unchecked:
#   unguarded_path  its path is not among the checked ones
#   off             its client or the server switched the check off
#   limit           a limit was reached
#   encoding        its content encoding is not decoded here
#   unknown_shape   no text was found in it
SkipReason = Literal["unguarded_path", "off", "limit", "encoding", "unknown_shape"]
_FAILURES: Mapping[Ended, str] = {"upstream_error": "broke_off", "limit": "silent"}
# Rounds of the loop between two turns of checking: in the first it receives bytes, in the second
# they are passed on.
ROUNDS_BETWEEN_TURNS = 2
MAX_TAIL_WAIT_S = 2.0  # SPEC 10; only slow checks, or a context that does not come, need it


async def _others_turns() -> None:
    for _ in range(ROUNDS_BETWEEN_TURNS):
        await cancel_shielded_checkpoint()


class Checking(Examiner):
    """The examiner of one relayed answer: its text is examined after it has passed.

    With `on_sentence` settled sentences are also kept in `sentences`. `settle` is awaited before an
    orderly verdict: the last moment for a late context. `pause` is awaited between turns. Without
    it, a pause cannot be cancelled on trio: a checked stream's application is cancelled at its own
    wait, and so closes its source. `in_band` turns the annotation into text for the stream. If the
    caller does not linger (`lingers` False), `conclude` waits for no verifier unless told to, and
    the annotation is pending meanwhile. With `keeps_text`, `about` has the sentences' words;
    `model` is the request's, and `collection` the searched one, if known.
    """

    def __init__(
        self,
        id: str,
        context: Context | LateContext,
        policy: Policy,
        checks: Checks = DEFAULT_CHECKS,
        on_sentence: OnSentence | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
        pause: Callable[[], Awaitable[None]] = _others_turns,
        in_band: Callable[[Annotation], str] = in_band,
        verifiers: Sequence[Verifier] = (),
        lingers: bool = True,
        keeps_text: bool = False,
        model: str = "",
        collection: str = "",
    ) -> None:
        self.in_band = in_band
        self.skip_reason: SkipReason = "unknown_shape"  # should it come to that
        self.dialect = "none"  # the protocol's name, once it is known
        self.model = model
        self.collection = collection
        # Whether there is memory for so many characters of passages that the answer itself brings.
        self.fits: Callable[[int], bool] = lambda chars: True
        self.delays = Delays()
        self.ended: Ended | None = None
        self.reported_error = False  # the answer itself said that it failed
        self.sentences: list[SentenceAnnotation] = []  # settled so far, if anybody listens
        self._listener = on_sentence
        self._settle = settle
        self._lingers = lingers
        self.pause = pause
        listening = self._settled if on_sentence is not None else None
        super().__init__(id, context, policy, checks, on_sentence=listening, verifiers=verifiers)
        if keeps_text:
            self.keep_text()

    @property
    def hurries(self) -> bool:
        """Whether text is examined as it comes, since its sentences have a listener."""
        return self._listener is not None

    def about(self, annotation: Annotation, took_s: float | None = None) -> About:
        """Return the facts to store with the annotation; the answer took `took_s` seconds."""
        delays = self.delays
        return about_answer(
            annotation,
            self,
            model=self.model,
            collection=self.collection,
            request_ms=_ms(delays.request),
            longest_ms=_ms(delays.longest),
            tail_ms=None if delays.tail is None else _ms(delays.tail),
            duration_ms=None if took_s is None else _ms(took_s),
        )

    @property
    def failure(self) -> str | None:
        """The upstream's failure within its answer, by its name in metrics; None without one."""
        if self.ended == "upstream_error" and self.reported_error:
            return "error_frame"
        return _FAILURES.get(self.ended or "complete")

    def close(self, ended: Ended) -> Annotation:
        """Examine all that is left and make the annotation; only the first call counts.

        For a complete answer the verifiers' scores still go to the store if its client has left.
        """
        self.ended = self.ended or ended
        if ended == "complete" and self.awaits_scores:
            while not self.close_turn():
                pass
            self.send_last_claims()
        return super().close(ended)

    def bring(self, choice: int, brought: Brought) -> None:
        """Queue a frame's passages and citations for one choice; passages only within the limit."""
        chars = sum(len(passage.text) for passage in brought.passages)
        if chars and not self.off and not self.fits(chars):
            self.report_limit("the memory for passages, by those of the answer's own stream")
            brought = replace(brought, passages=())
        super().bring(choice, brought)

    def read(self, reader: Reader, event: SSEEvent) -> Mapping[int, str]:
        """Return the text per choice of a frame, and queue its passages and citations.

        Raises as `Reader.read` does.
        """
        texts = reader.read(event)
        for choice, brought in reader.brought():
            self.bring(choice, brought)
        return texts

    def take_texts(self, texts: Mapping[int, str]) -> None:
        """Queue the text per choice of one frame."""
        for choice, text in texts.items():
            self.take(choice, (text,))

    async def conclude(self, ended: Ended, *, waits_s: float = 0.0) -> Annotation:
        """Do the work of closing in turns, wait for the verifiers, then `close`.

        `waits_s`: the time limit if the caller does not linger.
        """
        if self._settle is not None and self.annotation is None:
            await self._settle()
        await self.catch_up()
        if self.awaits_scores and ended == "complete":
            await self.wait_for_scores(0.0 if self._lingers else self.tail_wait_s - waits_s)
        return self.close(ended)

    async def tail(self, ended: Ended) -> Annotation:
        """Return the annotation for the answer: that of `conclude`, or a pending one.

        The end of an answer waits `MAX_TAIL_WAIT_S` for the verdict, and `tail_wait_s` in total for
        the verifiers; `conclude` must follow.
        """
        began = monotonic()
        if self._settle is not None and self.annotation is None:
            with anyio.move_on_after(MAX_TAIL_WAIT_S) as waiting:
                await self._settle()
            if waiting.cancelled_caught:
                return Annotation(id=self.id, state="pending")
        while not self.close_turn():
            if monotonic() - began >= MAX_TAIL_WAIT_S:
                return Annotation(id=self.id, state="pending")
            await self.pause()
        if self.awaits_scores and ended == "complete":
            await self.wait_for_scores(waited_s=monotonic() - began)
        return self.close(ended)

    async def catch_up(self) -> None:
        """Do in turns the work that `close` would do at once; no text may follow."""
        while not self.close_turn():
            await self.pause()

    def _settled(self, sentence: SentenceAnnotation) -> None:
        self.sentences.append(sentence)
        if self._listener is not None:
            self._listener(sentence)


def _ms(seconds: float) -> float:
    return round(seconds * 1_000, 3)
