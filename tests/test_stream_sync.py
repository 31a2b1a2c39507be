"""The plain shell where it differs from the other; what both do is in `test_stream`."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from streamguard import Annotation, SyncGuardedStream, guard_sync
from streamguard.errors import ConfigError, StreamStateError
from tests.test_stream import PIECES


def read(stream: SyncGuardedStream[Any]) -> list[Any]:
    with stream:
        return list(stream)


def test_close_before_the_start_and_twice_gives_one_result():
    kept: list[Annotation] = []
    stream = guard_sync(Closing([]), sinks=[kept.append])
    stream.close()
    stream.close()
    assert [annotation.result.ended for annotation in kept] == ["consumer_stopped"]
    assert list(stream.items()) == []
    assert list(stream) == []


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


def test_closing_while_another_thread_reads_is_refused():
    asked, go = threading.Event(), threading.Event()

    def source():
        asked.set()
        go.wait(10)
        yield "Hello."

    stream = guard_sync(source())
    reader = threading.Thread(target=lambda: list(stream))
    reader.start()
    asked.wait(10)
    with pytest.raises(
        StreamStateError, match=r"close\(\) while another thread waits for the next"
    ):
        stream.close()
    go.set()
    reader.join()
    assert stream.annotation.state == "complete"


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


@pytest.mark.parametrize("wrong", ["whole text", 7])
def test_source_that_is_no_iterator_of_pieces_is_refused(wrong: Any):
    with pytest.raises(ConfigError, match="expected an iterator of pieces"):
        guard_sync(wrong)
