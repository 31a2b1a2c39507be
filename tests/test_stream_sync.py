"""The plain shell where it differs from the other; what both do is in `test_stream`."""

import threading

import pytest

from streamguard import guard_sync
from streamguard.errors import ConfigError, StreamStateError
from tests.test_stream import PIECES


def test_close_before_the_start_and_twice_gives_one_result():
    kept = []
    stream = guard_sync((piece for piece in PIECES), sinks=[kept.append])
    stream.close()
    stream.close()
    assert [annotation.result.ended for annotation in kept] == ["consumer_stopped"]
    assert list(stream.items()) == []
    assert list(stream) == []


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
    with pytest.raises(StreamStateError, match=r"close\(\) while another thread waits for the"):
        stream.close()
    go.set()
    reader.join()
    assert stream.annotation.state == "complete"


async def keep(annotation):
    raise AssertionError("ran")


def test_sink_that_is_asynchronous_is_refused_and_one_that_turns_out_so_is_not_run(caplog):
    with guard_sync(PIECES, sinks=[lambda annotation: keep(annotation)]) as stream:
        assert list(stream)[:-1] == PIECES
    assert "asynchronous and was not run" in caplog.text
    with pytest.raises(ConfigError, match=r"keep.* is asynchronous, expected a plain function"):
        guard_sync(PIECES, sinks=[keep])


@pytest.mark.parametrize("wrong", ["whole text", 7])
def test_source_that_is_no_iterator_of_pieces_is_refused(wrong):
    with pytest.raises(ConfigError, match="expected an iterator of pieces"):
        guard_sync(wrong)
