"""Appending to a file of lines: all of a line, or nothing of it."""

import resource
import signal
from contextlib import contextmanager

import pytest

from streamguard.sinks.appending import append_whole


@contextmanager
def room_for(size):
    """Let files grow to `size` bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("room", [4, 5, 9])
def test_on_a_full_disk_no_half_line_stays(tmp_path, room):
    path = tmp_path / "lines"
    append_whole(path, b"one\n")
    with room_for(room), pytest.raises(OSError, match=rf"room for {room - 4} of 6|too large"):
        append_whole(path, b"three\n")
    append_whole(path, b"four\n")
    assert path.read_bytes() == b"one\nfour\n"
