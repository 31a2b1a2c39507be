"""The plain shell: the same promises for `for` loops."""

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.policy import Policy
from streamguard.core.result import Annotation, SentenceAnnotation
from streamguard.core.types import Finding, RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.stream_sync import SyncGuardedStream, guard_sync
from tests.feeding import every_split

CONTEXT = Context(
    query="What does the plan cost?",
    chunks=[RetrievedChunk("The Basic plan costs $10 per month and includes 5 GB.")],
)
ANSWER = "The Basic plan costs $12 per month. It includes 5 GB. Ask Joan Miller for more."
PIECES = [ANSWER[i : i + 5] for i in range(0, len(ANSWER), 5)]


class Source:
    """A generator over `pieces` that counts how often it is asked and closed."""

    def __init__(self, pieces: Any = PIECES, *, error: BaseException | None = None) -> None:
        self.asked = 0
        self.closed = 0
        self._pieces = pieces
        self._error = error

    def stream(self) -> Iterator[Any]:
        try:
            for piece in self._pieces:
                self.asked += 1
                yield piece
            if self._error is not None:
                raise self._error
        finally:
            self.closed += 1


def read(stream: SyncGuardedStream[Any]) -> list[Any]:
    with stream:
        return list(stream)


def test_items_leave_as_the_same_objects_followed_by_one_annotation():
    pieces = [str(n).join("ab") for n in range(100)]
    stream = guard_sync(Source(pieces).stream())
    *items, annotation = read(stream)
    assert [id(item) for item in items] == [id(piece) for piece in pieces]
    assert annotation is stream.annotation
    assert annotation.id == stream.id
    assert annotation.state == "complete"


def test_items_gives_only_the_objects_of_the_source():
    stream = guard_sync(PIECES, context=CONTEXT)
    with stream:
        assert list(stream.items()) == PIECES
    assert stream.result.complete


def test_result_is_that_of_the_whole_text_under_every_split():
    whole = check_text(ANSWER, context=CONTEXT)
    for pieces in every_split(ANSWER):
        stream = guard_sync(pieces, context=CONTEXT)
        read(stream)
        assert stream.result == whole


def test_source_is_never_asked_ahead():
    source = Source()
    with guard_sync(source.stream()) as stream:
        for received, _ in enumerate(stream.items(), start=1):
            assert source.asked == received


def test_next_on_the_stream_itself_reads_on():
    with guard_sync(["a"]) as stream:
        assert next(stream) == "a"
        assert isinstance(next(stream), Annotation)
        with pytest.raises(StopIteration):
            next(stream)


def test_stream_can_be_read_in_one_way_only():
    with guard_sync(PIECES) as stream:
        assert next(stream) == PIECES[0]
        with pytest.raises(StreamStateError, match="already read in the other way"):
            stream.items()


def test_live_stream_adds_each_sentence_once():
    *items, annotation = read(guard_sync(PIECES, context=CONTEXT, live=True))
    sentences = [item for item in items if isinstance(item, SentenceAnnotation)]
    assert [item for item in items if isinstance(item, str)] == PIECES
    assert [each.index for each in sentences] == [0, 1, 2]
    assert items.index(sentences[0]) < len(PIECES)
    assert {each.id for each in sentences} == {annotation.id}


def test_on_finding_hears_every_finding_of_the_result_once():
    heard: list[Finding] = []
    stream = guard_sync(PIECES, context=CONTEXT, on_finding=heard.append)
    read(stream)
    assert len(heard) == len(stream.result.findings)
    assert set(heard) == set(stream.result.findings)


@pytest.mark.parametrize("taken", [1, 3, len(PIECES)])
def test_break_closes_the_source_and_keeps_every_piece_handed_on(taken: int):
    source = Source()
    with guard_sync(source.stream(), context=CONTEXT) as stream:
        for item in stream:
            if item is PIECES[taken - 1]:
                break
    part = StreamGuard(CONTEXT)
    part.feed("".join(PIECES[:taken]))
    assert stream.result == part.close("consumer_stopped")
    assert source.closed == 1


@pytest.mark.parametrize(
    ("error", "ended"),
    [(ValueError("broke"), "upstream_error"), (KeyboardInterrupt("broke"), "cancelled")],
)
def test_error_of_the_source_goes_on_as_the_same_object(error: BaseException, ended: str):
    source = Source(PIECES[:3], error=error)
    stream = guard_sync(source.stream(), context=CONTEXT)
    items = []
    with pytest.raises(type(error), match="broke") as caught:
        items.extend(stream)
    assert caught.value is error
    assert caught.value.__context__ is None
    assert source.closed == 1
    assert stream.result.ended == ended
    assert stream.result.text.code_points == 15


@pytest.mark.parametrize(
    ("error", "ended"),
    [(ValueError("mine"), "consumer_stopped"), (KeyboardInterrupt("mine"), "cancelled")],
)
def test_error_in_the_body_of_the_loop_closes_the_source(error: BaseException, ended: str):
    source = Source()

    def consume() -> None:
        with stream:
            next(stream)
            raise error

    stream = guard_sync(source.stream())
    with pytest.raises(type(error), match="mine"):
        consume()
    assert source.closed == 1
    assert stream.result.ended == ended


def test_close_before_the_start_and_twice_gives_one_result():
    kept: list[Annotation] = []
    stream = guard_sync(Source().stream(), sinks=[kept.append])
    stream.close()
    stream.close()
    assert [annotation.result.ended for annotation in kept] == ["consumer_stopped"]
    assert list(stream.items()) == []


def test_close_after_the_end_changes_nothing():
    source, kept = Source(), []
    stream = guard_sync(source.stream(), sinks=[kept.append])
    read(stream)
    annotation = stream.annotation
    stream.close()
    assert stream.annotation is annotation
    assert kept == [annotation]
    assert source.closed == 1


class Closing:
    """An iterator with a plain `close` that is told apart from the generator's."""

    def __init__(self, log: list[str]) -> None:
        self._left = ["b", "a"]
        self._log = log

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self._left:
            raise StopIteration
        return self._left.pop()

    def close(self) -> None:
        self._log.append("source")


class WithSeparateIterator:
    def __init__(self, log: list[str]) -> None:
        self._log = log

    def __iter__(self) -> Iterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            self._log.append("iterator")

    def close(self) -> None:
        self._log.append("source")


@pytest.mark.parametrize("policy", [Policy(), Policy(validation_enabled=False)])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("make", "expected"), [(Closing, ["source"]), (WithSeparateIterator, ["iterator", "source"])]
)
def test_source_is_closed_once(
    make: Callable[[list[str]], Any], expected: list[str], whole: bool, policy: Policy
):
    log: list[str] = []
    with guard_sync(make(log), policy=policy) as stream:
        for _ in stream.items():
            if not whole:
                break
    assert log == expected


def test_error_of_closing_is_logged_and_not_raised(caplog: pytest.LogCaptureFixture):
    class Stubborn(Closing):
        def close(self) -> None:
            raise OSError("already gone")

    assert len(read(guard_sync(Stubborn([])))) == 3
    assert "closing the source raised" in caplog.text


def test_forgotten_stream_is_closed_at_once():
    source, kept = Source(), []
    stream = guard_sync(source.stream(), sinks=[kept.append])
    assert next(stream) == PIECES[0]
    gone = weakref.ref(stream)
    gc.disable()
    try:
        del stream
        assert gone() is None
    finally:
        gc.enable()
    assert source.closed == 1
    assert kept[0].result.ended == "consumer_stopped"


def test_sink_that_raises_is_logged_and_stops_no_other(caplog: pytest.LogCaptureFixture):
    def broken(annotation: Annotation) -> None:
        raise OSError("disk full")

    kept: list[Annotation] = []
    stream = guard_sync(PIECES, sinks=[broken, kept.append])
    assert read(stream)[:-1] == PIECES
    assert kept == [stream.annotation]
    assert "disk full" in caplog.text


def test_sink_that_turns_out_asynchronous_is_logged_and_not_run(caplog: pytest.LogCaptureFixture):
    async def keep(annotation: Annotation) -> None:
        raise AssertionError("ran")

    assert read(guard_sync(PIECES, sinks=[lambda annotation: keep(annotation)]))[:-1] == PIECES
    assert "asynchronous and was not run" in caplog.text


def test_asynchronous_sink_is_refused():
    async def keep(annotation: Annotation) -> None:
        raise AssertionError("ran")

    with pytest.raises(ConfigError, match=r"keep.* is asynchronous, expected a plain function"):
        guard_sync(PIECES, sinks=[keep])


def test_policy_that_switches_checking_off_lets_everything_pass_as_skipped():
    *items, annotation = read(guard_sync(PIECES, policy=Policy(validation_enabled=False)))
    assert items == PIECES
    assert annotation.state == "skipped"


def test_result_before_the_end_is_refused():
    with guard_sync(PIECES) as stream, pytest.raises(StreamStateError, match="has not ended"):
        stream.result  # noqa: B018


def test_unknown_shape_is_refused_before_anything_is_handed_on():
    source = Source([object()])
    with pytest.raises(ConfigError, match="expected a str or an item of OpenAI"):
        read(guard_sync(source.stream()))
    assert source.closed == 1


@pytest.mark.parametrize("wrong", ["whole text", 7])
def test_source_that_is_no_iterator_of_pieces_is_refused(wrong: Any):
    with pytest.raises(ConfigError, match="expected an iterator of pieces"):
        guard_sync(wrong)


def test_an_item_of_another_shape_costs_its_own_text_alone():
    pieces = ["It costs", 5, {"a": "b"}, " $99."]
    with guard_sync(pieces, context=CONTEXT) as stream:
        assert list(stream.items()) == pieces
    assert stream.result.text.code_points == len("It costs $99.")
    (error,) = stream.result.errors
    assert error.startswith("text: TypeError")


def test_what_on_finding_raises_is_listed_however_the_text_is_cut():
    def bell(finding):
        raise RuntimeError("no bell")

    answer = "It costs $99. It takes 77 days. It weighs 9 kg"
    results = []
    for pieces in ([answer], list(answer), [answer[:20], answer[20:]]):
        with guard_sync(pieces, context=CONTEXT, on_finding=bell) as stream:
            list(stream.items())
        results.append(stream.result)
    assert results[0].errors == ("on_finding: RuntimeError",)
    assert results[1] == results[0] == results[2]
