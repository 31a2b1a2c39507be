"""Small streams that several integrations are made of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from streamguard.core.model.result import Annotation
from streamguard.integrations.options import Options
from streamguard.stream import ContextSource, guard
from streamguard.tap import Sink

T = TypeVar("T")


async def once(item: T) -> AsyncIterator[T]:
    """Yield one item."""
    yield item


async def until(
    source: AsyncIterator[T], ends: Callable[[T], bool], tail: list[T]
) -> AsyncIterator[T]:
    """Yield what comes before the first item that `ends` the answer; the rest goes into `tail`.

    So the verdict is there before that item is handed on. Closes the source.
    """
    try:
        async for item in source:
            if tail or ends(item):
                tail.append(item)
            else:
                yield item
    finally:
        aclose = getattr(source, "aclose", None)
        if aclose is not None:
            await aclose()


async def judged(item: T, context: ContextSource | None, options: Options) -> Annotation:
    """Return the verdict on a whole answer, which the sinks get too."""
    async with guard(once(item), context=context, **options) as stream:
        async for _ in stream.items():
            pass
    return stream.annotation


def while_true(condition: Callable[[], bool], sinks: Sequence[Sink]) -> list[Sink]:
    """Return sinks that pass an annotation on only where `condition` holds."""

    def conditional(sink: Sink) -> Sink:
        return lambda annotation: sink(annotation) if condition() else None

    return [conditional(sink) for sink in sinks]
