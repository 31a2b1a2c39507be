"""Small streams shared by several integrations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

from streamguard.core.model.policy import as_policy
from streamguard.core.model.result import Annotation
from streamguard.integrations.options import Options
from streamguard.stream import ContextSource, guard
from streamguard.tap import Sink, logger
from streamguard.wire.protocols import openai_chat

_WHOLE_S = 600.0  # that a whole answer may be held
T = TypeVar("T")
S = TypeVar("S", contravariant=True)


async def once(item: T) -> AsyncIterator[T]:
    """Yield one item."""
    yield item


class BrokenOffError(Exception):
    """An answer ended before its end."""


class Ends(Protocol[S]):
    """Detects an answer's end among its items, called in order."""

    def __call__(self, item: S, /) -> bool:
        """Return whether the end begins with this item."""

    @property
    def broken(self) -> bool:
        """Whether an answer without further items broke off."""


class Until(Generic[T]):
    """Splits the items of an answer at its end.

    The end is read with the answer and passed on after the verdict: the reader of `upto` holds back
    the items for which `is_end` is True. `text` returns an item's text, if any.
    """

    def __init__(self, source: AsyncIterator[T], ends: Ends[T], text: Callable[[T], Any]) -> None:
        self.end: list[T] = []  # no item or one
        self._source = source
        self._ends = ends
        self._text = text

    async def upto(self) -> AsyncIterator[T]:
        """Yield the items up to and including the end; raises `BrokenOffError` without one."""
        async for item in self._source:
            if self._ends(item):
                self.end.append(item)
            yield item
            if self.end:
                break
        if self._ends.broken:
            raise BrokenOffError

    def is_end(self, item: Any) -> bool:
        """Return whether an item from `upto` is the end."""
        return any(item is end for end in self.end)

    async def rest(self) -> AsyncIterator[T]:
        """Yield the items after the end; their text is not read."""
        if not self.end:
            return
        async for item in self._source:
            if self._text(item):
                logger.warning("text behind the end of an answer passes unread")
            yield item

    async def aclose(self) -> None:
        """Close the source."""
        aclose = getattr(self._source, "aclose", None)
        if aclose is not None:
            await aclose()


async def judged(item: T, context: ContextSource | None, options: Options) -> Annotation:
    """Return the verdict on a complete answer; the sinks get it too."""
    async with guard(once(item), context=context, **options) as stream:
        async for _ in stream.items():
            pass
    return stream.annotation


async def held(
    texts: Mapping[int, str], context: ContextSource | None, options: Options
) -> tuple[Annotation, dict[int, str]]:
    """Return the verdict on a complete answer, and its released text per choice."""
    policy = as_policy(options.get("policy"))
    # No reader is waiting: time limits of holding are for streams.
    patient = {"max_hold_chars": sum(map(len, texts.values())) + 1, "max_hold_s": _WHOLE_S}
    asked = {**options, "policy": policy.model_copy(update=patient), "text": None}
    left = dict.fromkeys(texts, "")
    async with guard(_chunks(texts), context=context, **cast("Options", asked)) as stream:
        async for chunk in stream.items():
            for choice, text in openai_chat.text_of(chunk).items():
                left[choice] = left.get(choice, "") + text
    return stream.annotation, left


async def _chunks(texts: Mapping[int, str]) -> AsyncIterator[dict[str, Any]]:
    """Yield a complete answer as the chunks of a stream."""
    for choice, text in texts.items():
        for delta, reason in (({"content": text}, None), ({}, "stop")):
            choices = [{"index": choice, "delta": delta, "finish_reason": reason}]
            yield {"object": "chat.completion.chunk", "choices": choices}


def while_true(condition: Callable[[], bool], sinks: Sequence[Sink]) -> list[Sink]:
    """Return sinks that forward annotations only while `condition` holds."""

    def conditional(sink: Sink) -> Sink:
        return lambda annotation: sink(annotation) if condition() else None

    return [conditional(sink) for sink in sinks]
