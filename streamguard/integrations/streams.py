"""Small streams that several integrations are made of."""

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
    """Looks at the items of one answer, in order, for its end."""

    def __call__(self, item: S, /) -> bool:
        """Return whether the end begins with this item."""

    @property
    def broken(self) -> bool:
        """Whether an answer that goes no further broke off."""


class Until(Generic[T]):
    """The items up to the end of an answer, and the rest.

    The end is read with the answer, and handed on behind the verdict: whoever reads `upto` keeps
    back the items that `is_end` names. `text` gives an item's text, if any.
    """

    def __init__(self, source: AsyncIterator[T], ends: Ends[T], text: Callable[[T], Any]) -> None:
        self.end: list[T] = []  # no item or one
        self._source = source
        self._ends = ends
        self._text = text

    async def upto(self) -> AsyncIterator[T]:
        """Yield the items up to the end and the end; `BrokenOffError` if the answer broke off."""
        async for item in self._source:
            if self._ends(item):
                self.end.append(item)
            yield item
            if self.end:
                break
        if self._ends.broken:
            raise BrokenOffError

    def is_end(self, item: Any) -> bool:
        """Return whether an item that `upto` yielded is the end."""
        return any(item is end for end in self.end)

    async def rest(self) -> AsyncIterator[T]:
        """Yield the items behind the end, as they come; their text is not read any more."""
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
    """Return the verdict on a whole answer, which the sinks get too."""
    async with guard(once(item), context=context, **options) as stream:
        async for _ in stream.items():
            pass
    return stream.annotation


async def held(
    texts: Mapping[int, str], context: ContextSource | None, options: Options
) -> tuple[Annotation, dict[int, str]]:
    """Return the verdict on a whole answer, and its text per choice as the policy lets it leave."""
    policy = as_policy(options.get("policy"))
    # Nobody reads along: the limits of waiting are for streams.
    patient = {"max_hold_chars": sum(map(len, texts.values())) + 1, "max_hold_s": _WHOLE_S}
    asked = {**options, "policy": policy.model_copy(update=patient), "text": None}
    left = dict.fromkeys(texts, "")
    async with guard(_chunks(texts), context=context, **cast("Options", asked)) as stream:
        async for chunk in stream.items():
            for choice, text in openai_chat.text_of(chunk).items():
                left[choice] = left.get(choice, "") + text
    return stream.annotation, left


async def _chunks(texts: Mapping[int, str]) -> AsyncIterator[dict[str, Any]]:
    """Yield a whole answer as the chunks of a stream."""
    for choice, text in texts.items():
        for delta, reason in (({"content": text}, None), ({}, "stop")):
            choices = [{"index": choice, "delta": delta, "finish_reason": reason}]
            yield {"object": "chat.completion.chunk", "choices": choices}


def while_true(condition: Callable[[], bool], sinks: Sequence[Sink]) -> list[Sink]:
    """Return sinks that pass an annotation on only where `condition` holds."""

    def conditional(sink: Sink) -> Sink:
        return lambda annotation: sink(annotation) if condition() else None

    return [conditional(sink) for sink in sinks]
