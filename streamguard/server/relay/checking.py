"""An answer that is being checked, as every door knows it."""

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

# Why an answer passes unchecked: nobody guards its path; its client, or the server, asked for no
# check; a cap was reached; its encoding is undone by nobody; no text was found where it is looked
# for.
SkipReason = Literal["unguarded_path", "off", "limit", "encoding", "unknown_shape"]
_FAILURES: Mapping[Ended, str] = {"upstream_error": "broke_off", "limit": "silent"}
# Of the loop, between two turns of checking: in the first it hears that bytes have come for
# somebody, in the second they are handed on.
TURNS_TO_HEAR = 2
MAX_TAIL_WAIT_S = 2.0  # SPEC 10; only slow checks, or a context that does not come, need it


async def _others_turns() -> None:
    for _ in range(TURNS_TO_HEAR):
        await cancel_shielded_checkpoint()


class Checking(Examiner):
    """The examiner of one relayed answer: its text is examined behind the relay.

    With `on_sentence` settled sentences are also kept in `sentences`. `settle` is awaited before an
    orderly verdict: the last moment for a context that comes late. `pause` is awaited between two
    turns. Without it, a pause cannot be cancelled on trio: an application whose stream is checked
    is cancelled where it waits itself, and so closes its source. `in_band` turns the annotation
    into the text that rides in the answer. Where the caller does not linger (`lingers` False)
    `conclude` waits for no verifier's word unless told to, and the annotation says pending
    meanwhile. With `keeps_text`, `about` has the sentences' words; `model` is its name in the
    request, and `collection` the searched one, if it is known.
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
        self.told_error = False  # the answer itself said that it failed
        self.sentences: list[SentenceAnnotation] = []  # settled so far, if anybody listens
        self._say = on_sentence
        self._settle = settle
        self._lingers = lingers
        self.pause = pause
        listening = self._settled if on_sentence is not None else None
        super().__init__(id, context, policy, checks, on_sentence=listening, verifiers=verifiers)
        if keeps_text:
            self.keep_text()

    @property
    def hurries(self) -> bool:
        """Whether text is examined as it comes, since somebody listens to its sentences."""
        return self._on_sentence is not None

    def about(self, annotation: Annotation, took_s: float | None = None) -> About:
        """Return the facts to keep beside the annotation; the answer took `took_s` seconds."""
        return about_answer(
            annotation,
            self,
            model=self.model,
            collection=self.collection,
            request_ms=_ms(self.delays.request),
            longest_ms=_ms(self.delays.longest),
            tail_ms=None if self.delays.tail is None else _ms(self.delays.tail),
            duration_ms=None if took_s is None else _ms(took_s),
        )

    @property
    def failure(self) -> str | None:
        """How the upstream failed within its answer, as metrics name it; None if it did not."""
        if self.ended == "upstream_error" and self.told_error:
            return "error_frame"
        return _FAILURES.get(self.ended or "complete")

    def close(self, ended: Ended) -> Annotation:
        """Examine all that is left and make the annotation; only the first closing counts.

        Of a complete answer the verifiers' words are for the store, though its client has left.
        """
        self.ended = self.ended or ended
        if ended == "complete" and self.hears:
            while not self.close_turn():
                pass
            self.hear_later()
        return super().close(ended)

    def bring(self, choice: int, brought: Brought) -> None:
        """Note what a frame brings besides text of one choice; passages, if there is room."""
        chars = sum(len(passage.text) for passage in brought.passages)
        if chars and not self.off and not self.fits(chars):
            self.report_limit("the memory for passages, by those of the answer's own stream")
            brought = replace(brought, passages=())
        super().bring(choice, brought)

    def read(self, reader: Reader, event: SSEEvent) -> Mapping[int, str]:
        """Return the text per choice of a frame, and note what it brings besides.

        Raises as `Reader.read` does.
        """
        texts = reader.read(event)
        for choice, brought in reader.brought():
            self.bring(choice, brought)
        return texts

    def take_texts(self, texts: Mapping[int, str]) -> None:
        """Note the text per choice of one frame."""
        for choice, text in texts.items():
            self.take(choice, (text,))

    async def conclude(self, ended: Ended, *, waits_s: float = 0.0) -> Annotation:
        """Do what closing takes in turns, hear the verifiers, then `close`.

        `waits_s`: for how long they are heard where the caller does not linger.
        """
        if self._settle is not None and self.annotation is None:
            await self._settle()
        await self.catch_up()
        if self.hears and ended == "complete":
            await self.hear(0.0 if self._lingers else self.tail_wait_s - waits_s)
        return self.close(ended)

    async def tail(self, ended: Ended) -> Annotation:
        """Return the annotation for the answer: that of `conclude`, or a pending one.

        The tail of an answer waits `MAX_TAIL_WAIT_S` for the verdict, and from its beginning on
        `tail_wait_s` for the verifiers' words; `conclude` is to follow.
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
        if self.hears and ended == "complete":
            await self.hear(waited_s=monotonic() - began)
        return self.close(ended)

    async def catch_up(self) -> None:
        """Do in turns what `close` would do in one; no text may follow."""
        while not self.close_turn():
            await self.pause()

    def _settled(self, sentence: SentenceAnnotation) -> None:
        self.sentences.append(sentence)
        if self._say is not None:
            self._say(sentence)


def _ms(seconds: float) -> float:
    return round(seconds * 1_000, 3)
