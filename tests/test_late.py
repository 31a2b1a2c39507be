"""A context that comes while the answer streams: the result is that of one known from the start."""

import asyncio

import anyio
import pytest
from anyio.lowlevel import checkpoint

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context, LateContext
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.result import SentenceAnnotation
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from tests.test_stream import read

PASSAGES = [
    "The Basic plan costs $10 per month and includes 5 GB.",
    "Joan Miller runs the support desk. " * 60,
]
CONTEXT = Context(query="What does the plan cost?", chunks=PASSAGES, citations_requested=True)
ANSWER = "The Basic plan costs $12 per month [C1]. It includes 5 GB. Ask Ian Green.\n\nCall 555."
EXPECTED = check_text(ANSWER, context=CONTEXT)
PIECES = [ANSWER[at : at + 5] for at in range(0, len(ANSWER), 5)]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


def fresh():
    """Return the context with an index that is yet to be built."""
    return Context(query=CONTEXT.query, chunks=PASSAGES, citations_requested=True)


def test_nothing_is_judged_before_the_context_comes_and_everything_once_after():
    judged = []

    def note(sentence, scope):
        judged.append(sentence.index)
        assert scope.context.chunks is not None
        return []

    late = LateContext()
    machine = StreamGuard(late, checks=DEFAULT_CHECKS.plus(note))
    for piece in PIECES:
        machine.feed(piece)
    assert judged == []
    assert machine.settled() == []
    late.give(CONTEXT)
    assert [finding.flag for finding in machine.feed(" Bye.")]  # while the rest streams
    assert machine.context is CONTEXT
    machine.close()
    assert judged == [0, 1, 2, 3, 4]
    assert len(machine.settled()) == 5


def test_a_context_is_given_once():
    late = LateContext()
    assert (late.context, late.evidence) == (None, None)
    late.give(CONTEXT)
    assert (late.context, late.evidence) == (CONTEXT, CONTEXT.evidence)
    with pytest.raises(StreamStateError, match="the context is given already"):
        late.give(Context())
    with pytest.raises(ConfigError, match=r"give\(\) takes a Context, not list"):
        LateContext().give(["chunk"])


async def stream(pieces=PIECES):
    for piece in pieces:
        await checkpoint()
        yield piece


async def annotation_of(context, *, live=False):
    async with guard(stream(), context=context, live=live) as guarded:
        told = [item async for item in guarded]
    assert [item for item in told if isinstance(item, str)] == PIECES
    return guarded.annotation, told


async def coroutine():
    await checkpoint()
    return fresh()


@pytest.mark.anyio
async def test_a_coroutine_is_awaited_when_the_source_is_over():
    annotation, told = await annotation_of(coroutine(), live=True)
    assert annotation.result == EXPECTED
    assert all(isinstance(item, str) for item in told[: len(PIECES)])
    live = [item for item in told if isinstance(item, SentenceAnnotation)]
    assert len(live) == len(EXPECTED.sentences)


@pytest.mark.asyncio
async def test_a_task_is_looked_at_while_items_pass():
    told = []
    future = asyncio.get_running_loop().create_future()

    def heard():
        return any(isinstance(each, SentenceAnnotation) for each in told)

    async def source():
        for piece in PIECES:
            yield piece
        for _ in range(10_000):  # how many pieces are looked at together depends on their pace
            if heard():
                break
            yield " It is so."
        assert heard()

    async with guard(source(), context=future, live=True) as guarded:
        async for item in guarded:
            told.append(item)
            if len(told) == 8:
                assert not heard()
                future.set_result(fresh())
    passed = "".join(each for each in told if isinstance(each, str))
    assert guarded.result == check_text(passed, context=CONTEXT)


@pytest.mark.asyncio
async def test_a_task_that_takes_longer_is_awaited():
    async def slow():
        await over.wait()
        return fresh()

    async def source():
        async for piece in stream():
            yield piece
        over.set()

    over = asyncio.Event()
    async with guard(source(), context=asyncio.ensure_future(slow())) as guarded:
        assert [piece async for piece in guarded.items()] == PIECES
    assert guarded.result == EXPECTED


@pytest.mark.asyncio
async def test_a_cancelled_task_cancels_nothing_else():
    task = asyncio.ensure_future(anyio.sleep_forever())
    task.cancel()
    annotation, _ = await annotation_of(task)
    assert annotation.result is not None
    assert annotation.result.ended == "complete"
    assert annotation.result.errors == ("context: ConfigError (the context's task was cancelled)",)


@pytest.mark.anyio
async def test_waiting_for_a_context_can_be_cancelled():
    async def never():
        waiting.set()
        await anyio.sleep_forever()

    waiting = anyio.Event()
    guarded = guard(stream(), context=never())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read, guarded)
        await waiting.wait()
        tasks.cancel_scope.cancel()
    assert guarded.result.ended == "cancelled"


def test_the_plain_shell_takes_a_late_context():
    late = LateContext()
    with guard_sync(iter(PIECES), context=late) as guarded:
        for number, _ in enumerate(guarded.items()):
            if number == 8:
                late.give(fresh())
    assert guarded.result == EXPECTED
