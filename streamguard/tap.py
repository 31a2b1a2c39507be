"""Shared by both shells: reads the text of passing items for the examiner."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from secrets import token_hex
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from streamguard.adapters import (
    STRINGS,
    Adapter,
    TextAt,
    adapter_for_stream,
    also_bringing,
    text_by,
)
from streamguard.core.checks import Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import Annotation, GuardrailsResult, SentenceAnnotation
from streamguard.core.model.types import Ended, Finding, functions
from streamguard.delivering import Sink
from streamguard.errors import ConfigError, StreamStateError
from streamguard.examiner import Examiner, OnAnnotation, OnFinding, logger
from streamguard.holder import Holder, ItemEditor, Replace
from streamguard.verify.specs import readers_of
from streamguard.verify.verifier import Ask, Scorer
from streamguard.wire.endings import Ending
from streamguard.wire.found import Silence, is_empty

if TYPE_CHECKING:
    from streamguard.verify.judge import Judge

__all__ = [
    "OnAnnotation",
    "OnFinding",
    "Shell",
    "Sink",
    "Tap",
    "ended_by",
    "logger",
]

T = TypeVar("T")
R = TypeVar("R")

# Items are examined in blocks, so that the clock is read once per block and not once per token.
# Together the two bound a block: 512 characters cost under 0.5 ms with every check
# (benchmarks/bench_wrapper.py); 32 items of 4 characters are a sentence or two.
BLOCK_ITEMS = 32
BLOCK_CHARS = 512
_LEFT: tuple[Ended, ...] = ("consumer_stopped", "client_disconnect", "cancelled")


class Tap(Generic[T]):
    """Keeps the items that a shell passed on until their text is read and examined.

    The shell calls `meet` with the first item, appends every item to `held` before passing it on,
    calls `examine` when `held` has as many items as the last call returned, `turn` while `behind`,
    and `close` in any case. No error of an application's function leaves a method; `meet` raises
    `ConfigError`.
    """

    def __init__(
        self,
        context: Context | LateContext | None,
        policy: Policy | str | None,
        text: TextAt | None,
        checks: Checks,
        live: bool,
        sinks: Sequence[Sink],
        on_finding: OnFinding | None,
        scorers: Sequence[Scorer | Ask] = (),
        verifiers: Sequence[Scorer | Ask] = (),
        *,
        judge: Judge | str | None = None,
        blocking: bool = False,
        replace_with: Replace | None = None,
    ) -> None:
        self.id = token_hex(16)  # SPEC 5: 128 random bits, given by the shell
        self.live = live
        self.sinks: tuple[Sink, ...] = functions("sinks", sinks)
        self.begun = False  # the source is being read, or was closed unread
        self.stopped: Ended = "consumer_stopped"  # the reason, if closed before the source's end
        self._refused = False  # nothing is passed on: no adapter knows the items
        self.held: list[T] = []
        self.behind = False  # text of the last block waits for a further turn
        self._settled: list[SentenceAnnotation] = []
        base, readers = as_policy(policy), readers_of(scorers, judge, verifiers)
        self.holder: Holder[T] | None = None
        if base.hold != "off" and base.validation_enabled:
            self.holder = Holder(
                base,
                _STRING_WAYS,
                self._hold_failed,
                replace_with=replace_with,
                words=self._findings_by_scores if readers else None,
            )
        self.examiner = Examiner(
            self.id,
            context,
            base,
            checks,
            on_finding=on_finding,
            on_sentence=self._note_settled if live or self.holder else None,
            block_chars=1,  # the items make the blocks
            verifiers=readers,
            blocking=blocking,
        )
        self.off = self.examiner.off  # by the policy: items pass without notes
        # If the application names the place of text, an answer without text is suspicious.
        self._named = text is not None
        self._has_text = False
        self._spoke = False  # an item other than an empty text has come
        self._silence = Silence()  # items before any text
        self._met = False  # an item has come
        self._adapter = Adapter(text_by(text)) if text is not None else None
        # Listeners during the stream are called at once, not at the end of a block.
        self._listened_to = live or on_finding is not None
        if self.holder is not None:
            self.examiner.amend = self._held_back
        self._source_ended = False  # the source has ended, whether in order or not
        self._last: list[T] = []  # the items that leave once the answer is judged
        self._context = context
        self._brought: Sequence[tuple[int, Brought]] = ()  # from the item that was read last
        self._seen: set[int] = set()
        self._finished: set[int] = set()

    def listen(self) -> None:
        """Report sentences as they settle, as `live` does; `StreamStateError` once it is read."""
        if self.live:
            return
        if self.begun:
            raise StreamStateError("the stream is being read already: listen() must come before")
        self.live = self._listened_to = True
        self.examiner.listen(self._settled.append)

    def meet(self, first: T) -> int:
        """Choose the adapter by the first item; return how many items to hold before `examine`."""
        self._met = True
        if self._adapter is not None:
            self._adapter = also_bringing(self._adapter, first)
            return 1
        if isinstance(first, str):  # checked first, since the first item waits for it
            self._adapter = STRINGS
        else:
            try:
                self._adapter = adapter_for_stream(first)
            except ConfigError:
                self.held.clear()
                self._refused = True
                raise
        return 1

    def examine(self) -> int:
        """Examine the held items' text for a turn; return how many to hold from now on."""
        items, chars = len(self.held), self._read_held()
        self.turn()
        # While guards are behind, each piece does a part of the queue: one is enough for a turn.
        if self._listened_to or self.examiner.behind:
            return 1
        return max(1, min(BLOCK_ITEMS, items * BLOCK_CHARS // max(1, chars)))

    def turn(self) -> None:
        """Examine the rest of the last block, for a turn."""
        self.behind = not self.examiner.turn()

    def hold(self, item: T, now: float) -> None:
        """Hold an item until its text is checked; `turn` and `leave` must follow."""
        began, holder = perf_counter_ns(), self.holder
        if holder is None:  # nothing is held back
            return
        if not self._met:
            self.meet(item)
            holder.editor = _editor(self._adapter, item)
        texts = {} if self._adapter is None else self._texts_of(self._adapter, item)
        holder.add(item, texts, now)
        self._bring()
        for choice, text in texts.items():
            self.examiner.take(choice, (text,))
        self.examiner.spend(perf_counter_ns() - began)

    def last(self) -> list[T]:
        """Return the items that leave once the complete answer is judged, after `close`."""
        last, self._last = self._last, []
        return last

    def _note_settled(self, sentence: SentenceAnnotation) -> None:
        if self.live:
            self._settled.append(sentence)
        if self.holder is not None:
            self.holder.settled(sentence)

    def _findings_by_scores(self, choice: int, index: int) -> Sequence[Finding] | None:
        return self.examiner.findings_by_scores(choice, index)

    def _hold_failed(self, where: str, error: Exception) -> None:
        self.examiner.fail(where, error)

    def _held_back(self, annotation: Annotation) -> Annotation:
        """Decide on the items still held; return the annotation with the hold's report."""
        if self.holder is None:
            return annotation
        if self._source_ended:
            self._last = self.holder.finish(annotation)
        return annotation.model_copy(update={"hold": self.holder.report()})

    def give(self, context: Context) -> None:
        """Pass on the context that this tap waits for; see `LateContext.give`."""
        if isinstance(self._context, LateContext):
            self._context.give(context)

    def settled(self) -> list[SentenceAnnotation]:
        """Return the sentences settled since the last call, for live streams."""
        settled = self._settled.copy()
        self._settled.clear()
        return settled

    def block_for_scores(self) -> None:
        """Wait for the verifiers, blocking this thread."""
        while not self.close_turn():
            pass
        self.examiner.block_for_scores()

    def close_turn(self) -> bool:
        """Do one turn of the work of `close`; return whether little is left."""
        self._read_held()
        return self.examiner.close_turn()

    def close(self, ended: Ended) -> Annotation:
        """Examine the held text and make the annotation; only the first call counts.

        A `complete` source without its protocol's end sign counts as broken off; one left after its
        end sign, as often happens, as complete.
        """
        self._read_held()
        if self._named and self._spoke and not self._has_text:
            self.examiner.report_unread("text= found no text in any item")
        elif (self._silence.unread and not self._has_text) or (
            self._adapter is not None and self._adapter.unread()
        ):
            self.examiner.report_unread("its items hold text where none was looked for")
        signed = self._adapter is not None and self._adapter.finished is not None
        finished = bool(self._finished) and self._seen <= self._finished
        self._source_ended = ended in ("complete", "upstream_error")
        if self._refused:
            ended = self.stopped
        elif self.holder is not None and self.holder.stopped:
            ended = "blocked"
        elif ended == "complete" and signed and not finished:
            ended = "upstream_error"
        elif ended in _LEFT and finished and self._adapter and not self._adapter.goes_on:
            ended = "complete"
        return self.examiner.close(ended)

    def _read_held(self) -> int:
        """Pass the held items' text to the examiner; return its length."""
        if not self.held or self.off:
            return 0
        began, chars = perf_counter_ns(), 0
        for choice, texts in self._held_texts():
            chars += sum(map(len, texts))
            self.examiner.take(choice, texts)
        self.held.clear()
        self.examiner.spend(perf_counter_ns() - began)
        return chars

    def _held_texts(self) -> Iterable[tuple[int, list[str]]]:
        """Yield the held items' texts by choice, each after the passages that preceded it.

        Only the order within a choice counts.
        """
        adapter, held = self._adapter, self.held
        if adapter is STRINGS and len(held) > 1 and all(isinstance(item, str) for item in held):
            yield 0, cast("list[str]", held)
            return
        texts: dict[int, list[str]] = {}
        if adapter is not None:
            for item in held:
                by_choice = self._texts_of(adapter, item)
                if self._brought:
                    yield from texts.items()
                    texts = {}
                    self._bring()
                for choice, text in by_choice.items():
                    texts.setdefault(choice, []).append(text)
        yield from texts.items()

    def _bring(self) -> None:
        for choice, brought in self._brought:
            self.examiner.bring(choice, brought)
        self._brought = ()

    def _texts_of(self, adapter: Adapter, item: T) -> Mapping[int, str]:
        """Return an item's text by choice, and note the choices it ends."""
        try:
            texts = _expected(adapter.text(item))
            ended: Collection[int] = ()
            if adapter.finished is not None:
                self._seen.update(texts)
                ended = adapter.finished(item)
                self._finished.update(ended)
            if adapter.brings is not None and (adapter.brings_along or ended or not texts):
                self._brought = tuple(adapter.brings(item))
            self._has_text = self._has_text or any(texts.values())
            if not self._has_text and self._named:
                self._spoke = self._spoke or not is_empty(item)
            elif not self._has_text:
                self._silence.take(item)
        except Exception as exc:
            self.examiner.fail("text", exc)
            return {}
        return texts


class Shell(Generic[T, R]):
    """Base of both shells: a source with one reader, and its tap's findings."""

    def __init__(self, tap: Tap[T], items: Callable[[bool], R]) -> None:
        self._tap = tap
        self._items = items  # makes the reader, with our own items among its items or without
        self._reader: R | None = None
        self._extras: bool | None = True

    @property
    def id(self) -> str:
        """The id that the annotation will carry."""
        return self._tap.id

    @property
    def annotation(self) -> Annotation:
        """The annotation, also after a break, an error or a cancellation.

        Raises `StreamStateError` before the stream's end.
        """
        if self._tap.examiner.annotation is None:
            raise StreamStateError(
                "the stream has not ended: read it to its end, or close it, before asking for its"
                " result"
            )
        return self._tap.examiner.annotation

    @property
    def result(self) -> GuardrailsResult:
        """The result of choice 0, also after a break, an error or a cancellation.

        Raises `StreamStateError` before the stream's end, and if the policy disables checking
        (`annotation.state` is `skipped`).
        """
        result = self.annotation.result
        if result is None:
            raise StreamStateError(
                f"there is no result: the annotation's state is {self.annotation.state!r}; read"
                " `annotation` where a policy may switch checking off"
            )
        return result

    def _read(self, *, extras: bool) -> R:
        if self._reader is None:
            self._reader, self._extras = self._items(extras), extras
        elif self._extras not in (extras, None):
            raise StreamStateError(
                "the stream is already read in the other way; read either it or its items()"
            )
        return self._reader


def ended_by(exc: BaseException) -> Ended:
    """Return how a stream ended by raising `exc`.

    Only runtimes and the interpreter raise errors other than `Exception`: both mean that the
    program stops here (asyncio's and trio's cancellation, KeyboardInterrupt).
    """
    if isinstance(exc, GeneratorExit):
        return "consumer_stopped"
    return "upstream_error" if isinstance(exc, Exception) else "cancelled"


def _expected(text: Any) -> Mapping[int, str]:
    """Return the result of an application's `text` by choice, without empty choices."""
    if text is None:
        return {}
    if isinstance(text, str):
        return {0: text} if text else {}
    if not isinstance(text, Mapping):
        raise TypeError(f"text= gave a {type(text).__name__}, expected str, dict[int, str] or None")
    texts = {choice: part for choice, part in text.items() if part is not None}
    if not all(isinstance(c, int) and isinstance(part, str) for c, part in texts.items()):
        raise TypeError("text= gave a dict that is not of int to str")
    return texts


def _strings(item: Any) -> Mapping[int, str]:
    return {0: item} if isinstance(item, str) else {}


_STRING_WAYS: ItemEditor[Any] = ItemEditor(_strings, Ending(), lambda text: text)


def _editor(adapter: Adapter | None, first: Any) -> ItemEditor[Any]:
    """Return the editor of the stream's items, by its first item."""
    if adapter is None or adapter is STRINGS:
        return _STRING_WAYS
    reads = adapter.reads or adapter.text
    return ItemEditor(
        lambda item: _expected(reads(item)), adapter.ending(), partial(adapter.made, first)
    )
