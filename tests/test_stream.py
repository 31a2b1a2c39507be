"""The shells: the async one on asyncio, uvloop and trio, the plain one where it does the same."""

import asyncio
import gc
import weakref

import anyio
import anyio.abc
import pytest
from anyio.lowlevel import checkpoint

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from streamguard.testing import every_split

CHUNKS = ["The Basic plan costs $10 per month and includes 5 GB."]
CONTEXT = Context(query="What does the plan cost?", chunks=CHUNKS)
ANSWER = "The Basic plan costs $12 per month. It includes 5 GB. Ask Joan Miller for more."
PIECES = [ANSWER[i : i + 5] for i in range(0, len(ANSWER), 5)]
LOOPS = {"asyncio": "asyncio", "uvloop": ("asyncio", {"use_uvloop": True}), "trio": "trio"}


@pytest.fixture(params=LOOPS.values(), ids=LOOPS)
def anyio_backend(request):
    return request.param


class Source:
    """A generator over `pieces` that counts how often it is asked and closed."""

    def __init__(self, pieces=PIECES, *, error=None):
        self.asked = self.closed = 0
        self._pieces, self._error = pieces, error

    def plain(self):
        try:
            for piece in self._pieces:
                self.asked += 1
                yield piece
            if self._error is not None:
                raise self._error
        finally:
            self.closed += 1

    async def stream(self):
        pieces = self.plain()
        try:
            for piece in pieces:
                await checkpoint()
                yield piece
        finally:
            pieces.close()
            await checkpoint()


class Awaited:
    """A plain iterator for `async for`."""

    def __init__(self, iterator):
        self._iterator = iterator

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return next(self._iterator)
        except StopIteration:
            raise StopAsyncIteration from None


class Plain(Awaited):
    """The plain shell under the names of the other, so that both pass the same tests."""

    def __init__(self, source, **options):
        self._stream = guard_sync(source, **options)
        super().__init__(self._stream)

    def __getattr__(self, name):
        return getattr(self._stream, name)

    async def __aenter__(self):
        self._stream.__enter__()
        return self

    async def __aexit__(self, *error):
        self._stream.__exit__(*error)

    def items(self):
        return Awaited(self._stream.items())


def awaited(source, **options):
    return guard(source.stream(), **options)


def plainly(source, **options):
    return Plain(source.plain(), **options)


def SHELLS(test):
    """Run a test with either shell. The plain one knows no loop: one is enough for it."""
    each = [*((awaited, loop) for loop in LOOPS.values()), (plainly, "asyncio")]
    run = pytest.mark.parametrize(("shell", "anyio_backend"), each, ids=[*LOOPS, "plain"])
    return pytest.mark.anyio(run(test))


async def read(stream, items=None):
    """Read all of the stream into `items`, which also holds what came before an error."""
    items = [] if items is None else items
    async with stream:
        async for item in stream:
            items += [item]
    return items


def strings(items):
    return [item for item in items if isinstance(item, str)]


@SHELLS
async def test_items_leave_as_the_same_objects_followed_by_one_annotation(shell):
    pieces = [str(n).join("ab") for n in range(100)]
    stream = shell(Source(pieces))
    *items, annotation = await read(stream)
    assert [id(item) for item in items] == [id(piece) for piece in pieces]
    assert isinstance(annotation, Annotation)
    assert (annotation.state, annotation.stream.pieces) == ("complete", len(pieces))
    assert annotation.stream.check_us > 0
    assert annotation is stream.annotation
    assert (annotation.result, annotation.id) == (stream.result, stream.id)


@SHELLS
async def test_result_is_that_of_the_whole_text_under_every_split(shell):
    whole = check_text(ANSWER, context=CONTEXT)
    assert "potential_hallucination" in whole.flags
    for pieces in every_split(ANSWER):
        stream = shell(Source(pieces), context=CONTEXT)
        await read(stream)
        assert stream.result == whole


@SHELLS
async def test_piece_is_handed_on_before_its_text_is_read(shell):
    log = []
    stream = shell(Source(["a", "b"]), text=lambda item: log.append(f"read {item}") or item)
    async with stream:
        async for item in stream.items():
            log += [f"got {item}"]
    assert log == ["got a", "read a", "got b", "read b"]


@SHELLS
async def test_source_is_never_asked_ahead(shell):
    source, received = Source(), 0
    stream = shell(source)
    async with stream:
        async for _ in stream.items():
            received += 1
            await checkpoint()
            assert source.asked == received


@SHELLS
async def test_stream_is_read_in_one_way_only_and_has_no_result_before_its_end(shell):
    stream = shell(Source())
    async with stream:
        assert await anext(stream) == PIECES[0]
        with pytest.raises(StreamStateError, match="already read in the other way"):
            stream.items()
        assert aiter(stream) is aiter(stream)
        for name in ("result", "annotation"):
            with pytest.raises(StreamStateError, match="has not ended"):
                getattr(stream, name)


@SHELLS
async def test_live_stream_adds_each_sentence_once_and_after_the_item_that_settled_it(shell):
    *items, annotation = await read(shell(Source(), context=CONTEXT, live=True))
    sentences = [item for item in items if isinstance(item, SentenceAnnotation)]
    assert strings(items) == PIECES
    assert [(each.index, each.id) for each in sentences] == [(n, annotation.id) for n in range(3)]
    assert [(each.sentence.start, each.sentence.end) for each in sentences] == [
        (report.start, report.end) for report in annotation.result.sentences
    ]
    assert "potential_hallucination" in {f.flag for each in sentences for f in each.findings}
    before = "".join(strings(items[: items.index(sentences[0])]))
    assert "The Basic plan costs $12 per month." in before
    assert len(before) < len(ANSWER) - 30


@pytest.mark.anyio
async def test_whoever_is_handed_a_stream_can_have_its_sentences_told():
    told = await read(awaited(Source(), context=CONTEXT, live=True))
    stream = awaited(Source(), context=CONTEXT)
    stream.listen()
    stream.listen()
    heard = await read(stream)
    assert [getattr(each, "sentence", each) for each in heard[:-1]] == [
        getattr(each, "sentence", each) for each in told[:-1]
    ]
    stream.listen()  # it does already
    late = awaited(Source(), context=CONTEXT)
    async with late:
        await anext(late)
        with pytest.raises(StreamStateError, match="must come before"):
            late.listen()


@SHELLS
async def test_on_finding_hears_a_finding_while_the_stream_runs(shell):
    heard = []
    stream = shell(Source(), context=CONTEXT, on_finding=heard.append)
    async with stream:
        async for _ in stream.items():
            if heard:
                break
    assert heard[0].value == "$12 per month"
    assert stream.result.ended == "consumer_stopped"


@SHELLS
@pytest.mark.parametrize("kind", [ValueError, ConfigError])
async def test_error_of_the_source_goes_on_as_the_same_object_without_annotation(shell, kind):
    error = kind("upstream broke")
    source, items = Source(PIECES[:3], error=error), []
    stream = shell(source, context=CONTEXT)
    with pytest.raises(kind, match="upstream broke") as caught:
        await read(stream, items)
    assert (caught.value, error.__cause__, error.__context__) == (error, None, None)
    assert caught.traceback[-1].name == "plain"
    assert (items, source.closed) == (PIECES[:3], 1)
    assert (stream.result.ended, stream.result.text.code_points) == ("upstream_error", 15)


class Letters:
    """An iterator of two letters, closed by what a test gives."""

    def __init__(self, close):
        self._left, self.aclose = ["b", "a"], close

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()


@pytest.mark.anyio
@pytest.mark.parametrize("times", [1, 2])
async def test_close_before_the_start_closes_the_source_and_gives_a_result(times):
    closed, kept = [], []

    async def close():
        closed.append(True)

    stream = guard(Letters(close), sinks=[kept.append])
    for _ in range(times):
        await stream.aclose()
    assert closed == [True]
    assert [annotation.result.ended for annotation in kept] == ["consumer_stopped"]
    assert [item async for item in stream.items()] == []


@pytest.mark.anyio
async def test_whoever_reads_while_an_unread_stream_is_being_closed_finds_nothing():
    closing, go, items = anyio.Event(), anyio.Event(), []

    async def close():
        closing.set()
        await go.wait()

    stream = guard(Letters(close))
    async with anyio.create_task_group() as group:
        group.start_soon(stream.aclose)
        await closing.wait()
        await read(stream, items)
        go.set()
    assert items == []
    assert stream.result.ended == "consumer_stopped"


@pytest.mark.asyncio
async def test_what_a_task_has_opened_is_closed_also_where_nobody_reads_it():
    source = Source()
    broken, there = (asyncio.get_running_loop().create_future() for _ in range(2))
    broken.set_exception(OSError("not opened"))
    there.set_result(opened := source.stream())
    assert await anext(opened) == PIECES[0]
    for each in (there, broken):
        await guard(each).aclose()
    assert source.closed == 1


@pytest.mark.anyio
async def test_close_while_another_task_waits_is_refused_and_harms_nothing():
    gate, got = anyio.Event(), []

    async def source():
        await gate.wait()
        yield "late"

    async def reader():
        got.extend([item async for item in stream])

    stream = guard(source())
    async with anyio.create_task_group() as group:
        group.start_soon(reader)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(StreamStateError, match="another task waits"):
            await stream.aclose()
        gate.set()
    assert got[0] == "late"
    assert stream.result.complete


async def pause(annotation):
    await checkpoint()


@pytest.mark.anyio
async def test_each_item_may_be_asked_for_in_a_task_of_its_own():
    stream, items = awaited(Source(), context=CONTEXT, sinks=[pause]), []

    async def one():
        items.append(await anext(stream))

    async with stream:
        for _ in range(len(PIECES) + 1):
            async with anyio.create_task_group() as group:
                group.start_soon(one)
    assert items[:-1] == PIECES
    assert items[-1] is stream.annotation


CHAT = [
    {"choices": [{"index": 0, "delta": {"content": "It costs $10."}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"total_tokens": 9}},
]
AGENT = [
    {"type": "raw_response_event", "data": {"type": "response.output_text.delta", "delta": "It."}},
    {"type": "raw_response_event", "data": {"type": "response.completed", "response": {}}},
    {"type": "agent_updated_stream_event", "data": None},
]


@SHELLS
@pytest.mark.parametrize(
    ("items", "stop", "ended"),
    [(CHAT, 2, "complete"), (CHAT, 1, "consumer_stopped"), (AGENT, 2, "consumer_stopped"),
     (PIECES, len(PIECES), "consumer_stopped")],
)  # fmt: skip
async def test_whoever_stops_at_the_protocols_end_sign_has_a_complete_answer(
    shell, items, stop, ended
):
    stream = shell(Source(items), context=CONTEXT)
    async with stream:
        for _ in range(stop):
            await anext(stream)
    assert (stream.result.ended, stream.result.complete) == (ended, ended == "complete")


@pytest.mark.anyio
async def test_cancellation_while_waiting_for_the_source_ends_as_cancelled():
    closed = []

    async def source():
        try:
            yield "The Basic plan costs $12."
            await anyio.sleep_forever()
        finally:
            closed.append(True)

    stream = guard(source(), context=CONTEXT)
    with anyio.CancelScope() as scope:
        async with stream:
            async for _ in stream:
                scope.cancel()
    assert scope.cancelled_caught
    assert closed == [True]
    assert (stream.result.ended, stream.result.text.code_points) == ("cancelled", 25)


@pytest.mark.asyncio
@pytest.mark.parametrize("cancelled", [0, 1, 2])
async def test_what_a_left_stream_still_has_to_examine_leaves_others_their_turns(
    cancelled, monkeypatch
):
    monkeypatch.setattr("streamguard.examiner.TURN_NS", 0)
    text, turns = ANSWER * 30, 0

    async def leave():
        async with stream:
            await anext(stream)
            if cancelled:
                reading.cancel()
                await anext(stream)

    source, kept = Source([text, "", ""]), []
    stream = awaited(source, context=CONTEXT, sinks=[kept.append])
    reading = asyncio.create_task(leave())
    while not reading.done():
        turns += 1
        if cancelled == 2 and turns == 20:
            reading.cancel()  # who waits no longer has the rest examined at once
        await asyncio.sleep(0)
    assert reading.cancelled() == bool(cancelled)
    assert (source.closed, kept) == (1, [stream.annotation])
    assert stream.result.ended == ("cancelled" if cancelled else "consumer_stopped")
    assert stream.result.findings == check_text(text, context=CONTEXT).findings
    assert (turns > len(stream.result.sentences)) == (cancelled < 2)


@pytest.mark.anyio
@pytest.mark.parametrize("whole", [True, False])
async def test_source_and_the_iterator_it_gave_are_both_closed(whole):
    log = []

    class Separate:
        async def __aiter__(self):
            try:
                yield "a"
                yield "b"
            finally:
                log.append("iterator")

        async def aclose(self):
            log.append("source")

    async with guard(Separate()) as stream:
        async for _ in stream.items():
            if not whole:
                break
    assert log == ["iterator", "source"]


@pytest.mark.anyio
async def test_error_of_closing_is_logged_and_not_raised(caplog):
    async def close():
        raise OSError("already gone")

    assert len(await read(guard(Letters(close)))) == 3
    assert "closing the source raised" in caplog.text


@pytest.mark.asyncio
async def test_forgotten_stream_is_closed_at_once_without_a_warning():
    source, kept = Source(), []
    stream = awaited(source, sinks=[kept.append])
    assert await anext(stream) == PIECES[0]
    gone = weakref.ref(stream)
    gc.disable()
    try:
        del stream
        assert gone() is None
        for _ in range(5):
            await asyncio.sleep(0)
    finally:
        gc.enable()
    assert source.closed == 1
    assert kept[0].result.ended == "consumer_stopped"


def broken(annotation):
    raise OSError("disk full")


async def broken_later(annotation):
    await checkpoint()
    raise OSError("database gone")


@pytest.mark.anyio
async def test_sinks_run_before_the_annotation_is_handed_on_and_stop_no_other(caplog):
    log = []

    async def slow(annotation):
        await checkpoint()
        log.append("slow")

    sinks = [broken, slow, broken_later, lambda _: log.append("plain")]
    stream = awaited(Source(), sinks=sinks)
    async with stream:
        async for item in stream:
            log += ["annotation"] if isinstance(item, Annotation) else []
    assert log == ["plain", "slow", "annotation"]
    assert caplog.text.count(f"failed on stream {stream.id}") == 2


@pytest.mark.asyncio
@pytest.mark.parametrize("leaves", [True, False])
async def test_task_cancel_during_a_sink_ends_it_and_those_behind_it(leaves, caplog):
    started = asyncio.Event()

    async def endless(annotation):
        started.set()
        await asyncio.Event().wait()

    async def behind(annotation):
        raise AssertionError("started")

    async def leave():
        async with stream:
            async for _ in stream:
                try:
                    await stream.aclose()
                finally:
                    assert stream.result.ended == "consumer_stopped"

    stream = awaited(Source(), context=CONTEXT, sinks=[endless, behind])
    task = asyncio.create_task(leave() if leaves else read(stream))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.result.complete is not leaves
    assert "behind" in caplog.text


@pytest.mark.asyncio
async def test_sink_over_its_time_is_ended_and_logged(monkeypatch, caplog):
    monkeypatch.setattr("streamguard.delivering.SINK_TIMEOUT_S", 0.0)

    async def endless(annotation):
        await anyio.sleep_forever()

    assert (await read(awaited(Source(), sinks=[endless])))[:-1] == PIECES
    assert "took over" in caplog.text


@SHELLS
async def test_text_that_raises_harms_no_item_and_is_listed(shell, caplog):
    def text(item):
        if item == "b":
            raise KeyError("delta")
        return item

    stream = shell(Source(["a", "b", "c", "b"]), text=text)
    assert (await read(stream))[:-1] == ["a", "b", "c", "b"]
    assert stream.result.errors == ("text: KeyError",)
    assert stream.result.text.code_points == 2
    assert caplog.text.count("text raised") == 1


@SHELLS
async def test_text_may_be_none_or_empty_or_per_choice_and_what_is_not_is_listed(shell):
    texts = {0: None, 1: "", 2: {}, 3: {0: "One.", 1: "Two."}, 4: {0: None, 1: "!"}}
    stream = shell(Source(list(texts)), text=texts.__getitem__)
    *items, annotation = await read(stream)
    assert items == list(texts)
    assert [result.text.code_points for result in annotation.choices] == [4, 5]
    assert stream.result.errors == ()
    for wrong in (7, [], {0: 7}, {"0": "text"}, b"text"):
        stream = shell(Source(["a"]), text=lambda _, wrong=wrong: wrong)
        assert (await read(stream))[0] == "a"
        assert stream.result.errors[0].startswith("text: TypeError")


@SHELLS
async def test_defect_while_feeding_reaches_the_errors_and_not_the_stream(shell):
    class Hostile(str):
        def __getitem__(self, _at):
            raise RuntimeError("defect")

    pieces = [Hostile("It costs $12. "), "Bad. ", "It ends."]  # the first is fed by itself
    stream = shell(Source(pieces), context=CONTEXT)
    assert (await read(stream))[:-1] == pieces
    assert stream.result.errors == ("guard: RuntimeError",)
    assert stream.result.status != "PASS"


@SHELLS
async def test_policy_that_switches_checking_off_lets_everything_pass_as_skipped(shell):
    def text(item):
        raise AssertionError("read")

    source = Source()
    stream = shell(source, policy=Policy(validation_enabled=False), text=text, live=True)
    *items, annotation = await read(stream)
    assert (items, source.closed) == (PIECES, 1)
    assert (annotation.state, annotation.result) == ("skipped", None)
    with pytest.raises(StreamStateError, match="state is 'skipped'"):
        stream.result  # noqa: B018


@SHELLS
async def test_unknown_shape_is_refused_before_anything_is_handed_on(shell):
    source = Source([object()])
    stream = shell(source)
    with pytest.raises(ConfigError, match=r"first item is a builtins\.object, expected a str or"):
        await read(stream)
    assert source.closed == 1
    assert stream.result.ended == "consumer_stopped"


@pytest.mark.asyncio
async def test_a_source_that_is_none_is_refused():
    for wrong in ("text", ["a", "b"], 7):
        with pytest.raises(ConfigError, match="expected an async iterator or an awaitable of one"):
            guard(wrong)

    async def create():
        return ["a"]

    with pytest.raises(ConfigError, match="awaiting the source gave a list"):
        await read(guard(create()))
