"""The wrapper under cancellation at every turn of the scheduler, on asyncio, uvloop and trio.

A scenario is a random stream and its reader. It is run anew with one turn more until it is over
before it is cancelled; every run counts as a case.
"""

import asyncio
import random
from dataclasses import dataclass, field
from functools import cache

import anyio
import anyio.lowlevel

from streamguard import PATTERN_CHECKS, Annotation, Context, SentenceAnnotation, check_text, guard

CASE = "wrappers cancelled"
BACKENDS = {
    "asyncio": ("asyncio", {}),
    "uvloop": ("asyncio", {"use_uvloop": True}),
    "trio": ("trio", {}),
}
CONTEXT = Context(query="What is Basic?", chunks=["The Basic plan costs $10 per month."])
PIECES = (
    "The Basic plan", " costs $10.", " ", "It is $99 ", "per month. ", "Unfortunately, I don’t",
    " know.", "", "Ask Jane Doe. ", "🎉", "\ud83c", "\udf89",
)  # fmt: skip
PATIENCE_S = 30.0  # a run that takes longer never ends


class SourceError(Exception):
    """What a source raises."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One stream, and what its reader does; all waits in turns of the scheduler."""

    pieces: tuple[str, ...]
    waits: tuple[int, ...]  # before each piece, and before the end
    works: tuple[int, ...]  # after each item
    shape: str
    extras: bool  # the stream itself is read, or its items()
    live: bool
    fails: bool  # the source raises behind its last piece
    stops: bool  # the reader leaves at the last piece
    context: str
    sink_waits: int | None  # None: no sink
    native: bool  # the task's own cancel(), not a scope's, where there is one


@dataclass(slots=True)
class Seen:
    handed_on: list[str] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    sunk: list[Annotation] = field(default_factory=list)
    begun: bool = False  # the source was asked for a piece
    exhausted: bool = False
    closed: int = 0
    over: bool = False  # before it was cancelled
    stream: object = None


def scenario(seed):
    rng = random.Random(seed)
    count, waits = rng.randint(0, 6), (0, 0, 0, 1, 1, 2)
    return Scenario(
        pieces=tuple(rng.choices(PIECES, k=count)),
        waits=tuple(rng.choices(waits, k=count + 1)),
        works=tuple(rng.choices(waits, k=7)),
        shape=rng.choice(tuple(SHAPES)),
        extras=rng.random() < 0.6,
        live=rng.random() < 0.3,
        fails=rng.random() < 0.15,
        stops=rng.random() < 0.2,
        context=rng.choice(("given", "late", "none")),
        sink_waits=rng.choice((None, 0, 1, 3)),
        native=rng.random() < 0.5,
    )


async def turns(count):
    for _ in range(count):
        await anyio.lowlevel.checkpoint()


async def generator(told, seen):
    seen.begun = True
    try:
        for piece, wait in zip(told.pieces, told.waits, strict=False):
            await turns(wait)
            yield piece
        await turns(told.waits[-1])
        if told.fails:
            raise SourceError
        seen.exhausted = True
    finally:
        seen.closed += 1


class Endless:
    """The pieces from an object that nothing closes."""

    def __init__(self, told, seen):
        self.told, self.seen, self.at = told, seen, 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.seen.begun = True
        await turns(self.told.waits[self.at])
        if self.at < len(self.told.pieces):
            self.at += 1
            return self.told.pieces[self.at - 1]
        if self.told.fails:
            raise SourceError
        self.seen.exhausted = True
        raise StopAsyncIteration


class CoroutineClose(Endless):
    """Closed by a `close` that is awaited, as SDKs have it."""

    async def close(self):
        self.seen.closed += 1
        await anyio.lowlevel.checkpoint()


SHAPES = {"generator": generator, "coroutine": CoroutineClose, "none": Endless}


async def late_context():
    await anyio.lowlevel.checkpoint()
    return CONTEXT


CONTEXTS = {"given": lambda: CONTEXT, "late": late_context, "none": lambda: None}


async def read(told, seen):
    async def sink(annotation):
        seen.sunk.append(annotation)
        await turns(told.sink_waits)

    source = SHAPES[told.shape](told, seen)
    context = CONTEXTS[told.context]()
    sinks = () if told.sink_waits is None else (sink,)
    stream = guard(source, context=context, checks=PATTERN_CHECKS, live=told.live, sinks=sinks)
    async with stream:
        seen.stream, at = stream, 0
        async for item in stream if told.extras else stream.items():
            if isinstance(item, Annotation):
                seen.annotations.append(item)
            elif not isinstance(item, SentenceAnnotation):
                seen.handed_on.append(item)
            await turns(told.works[at % len(told.works)])
            at += 1
            if told.stops and len(seen.handed_on) == len(told.pieces):
                break


async def run(told, turn, backend):
    """Run a scenario, cancelled after `turn` turns; return what happened."""
    seen, how = Seen(), _run_native if told.native and backend != "trio" else _run_in_scope
    with anyio.fail_after(PATIENCE_S):
        await how(told, turn, seen)
    return seen


async def _run_native(told, turn, seen):
    task = asyncio.create_task(read(told, seen))
    for _ in range(turn):
        await asyncio.sleep(0)
    seen.over = task.done()
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and not isinstance(task.exception(), SourceError | None):
        raise task.exception()


async def _run_in_scope(told, turn, seen):
    scope, ended = anyio.CancelScope(), []

    async def reading():
        with scope:
            try:
                await read(told, seen)
            except SourceError:
                pass
            finally:
                ended.append(True)

    async with anyio.create_task_group() as group:
        group.start_soon(reading)
        await turns(turn)
        seen.over = bool(ended)
        scope.cancel()


def check(told, seen):
    """Assert what must be true of every run, however far it came."""
    if seen.stream is None:
        assert not seen.begun
        return
    annotation = seen.stream.annotation
    result = annotation.result
    text = "".join(seen.handed_on)
    expected = _expected(text, told.context)
    assert result.text == expected.text, f"the result is about {result.text}, not {text!r}"
    # Nothing was there to close it by, or a generator that never began to run.
    unclosed = told.shape == "none" or (told.shape == "generator" and not seen.begun)
    assert seen.closed == (0 if unclosed else 1), f"closed {seen.closed} times"
    assert seen.sunk == ([] if told.sink_waits is None else [annotation])
    assert seen.annotations in ([], [annotation])
    assert seen.annotations == [] or (told.extras and seen.exhausted)
    # A context that is still to come when the source has ended may be what is cancelled.
    undecided = told.context == "late" and not seen.over
    assert result.complete == (result.ended == "complete")
    assert seen.exhausted == result.complete or (seen.exhausted and undecided), result.ended
    if seen.over:
        whole = list(told.pieces)
        assert seen.handed_on == whole
        assert result.ended == _ended(told)
        assert bool(seen.annotations) == (told.extras and result.complete)
    if result.complete:
        assert result == expected


def _ended(told):
    """Return how an undisturbed run ends."""
    if told.stops and told.pieces:
        return "consumer_stopped"
    return "upstream_error" if told.fails else "complete"


@cache  # of few texts
def _expected(text, context):
    given = None if context == "none" else CONTEXT
    return check_text(text, context=given, checks=PATTERN_CHECKS)


async def sweep(backend, seed):
    """Cancel one scenario at every turn; return how many runs that took."""
    told, turn = scenario(seed), 0
    while True:
        seen = await run(told, turn, backend)
        try:
            check(told, seen)
        except AssertionError as exc:
            raise AssertionError(f"{told}, cancelled at turn {turn}: {exc}") from exc
        turn += 1
        if seen.over:
            return turn
