"""What the doors know of one answer that is being checked, beside what it says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from anyio.lowlevel import cancel_shielded_checkpoint

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.late import LateContext
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended
from streamguard.examiner import Examiner, OnSentence
from streamguard.server.observe.metrics import Delays
from streamguard.verify.verifier import Verifier

# Why an answer passes unchecked: nobody guards its path; its client, or the server, asked for no
# check; a cap was reached; its encoding is undone by nobody; no text was found where it is looked
# for.
SkipReason = Literal["unguarded_path", "off", "limit", "encoding", "unknown_shape"]
# Of the loop, between two turns of checking: in the first it hears that bytes have come for
# somebody, in the second they are handed on.
TURNS_TO_HEAR = 2


async def _others_turns() -> None:
    for _ in range(TURNS_TO_HEAR):
        await cancel_shielded_checkpoint()


class Checking(Examiner):
    """The examiner of one relayed answer: its text is examined behind the relay.

    With `on_sentence` settled sentences are also kept in `sentences`. `settle` is awaited before
    an orderly verdict: the last moment for a context that comes late. `pause` is awaited between
    two turns. Where it is not given, a pause is no place to be cancelled at on trio: an
    application whose stream is being checked is cancelled where it waits itself, and so closes
    what it reads.
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
        verifiers: Sequence[Verifier] = (),
    ) -> None:
        self.skip_reason: SkipReason = "unknown_shape"  # should it come to that
        self.dialect = "none"  # the protocol's name, once it is known
        self.delays = Delays()
        self.sentences: list[SentenceAnnotation] = []  # settled so far, if anybody listens
        self._say = on_sentence
        self._settle = settle
        self._pause = pause
        listening = self._settled if on_sentence is not None else None
        super().__init__(id, context, policy, checks, on_sentence=listening, verifiers=verifiers)

    def take_texts(self, texts: Mapping[int, str]) -> None:
        """Note the text per choice of one frame."""
        for choice, text in texts.items():
            self.take(choice, (text,))

    async def conclude(self, ended: Ended) -> Annotation:
        """Do what closing takes in turns, hear the verifiers, then `close`."""
        if self._settle is not None and self.annotation is None:
            await self._settle()
        await self.catch_up()
        if self.hears and ended == "complete":
            await self.hear()
        return self.close(ended)

    async def catch_up(self) -> None:
        """Do in turns what `close` would do in one; no text may follow."""
        while not self.close_turn():
            await self._pause()

    def _settled(self, sentence: SentenceAnnotation) -> None:
        self.sentences.append(sentence)
        if self._say is not None:
            self._say(sentence)
