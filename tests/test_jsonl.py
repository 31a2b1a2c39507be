"""The sink for JSON lines."""

import json
import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.core.model.types import Finding, RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.sinks.appending import append_atomically
from streamguard.sinks.jsonl import jsonl_sink

CONTEXT = Context(chunks=[RetrievedChunk("The plan costs $10 per month.")])


def annotation(number=0, text="The plan costs $12 per month."):
    guards = ChoiceGuards(CONTEXT)
    guards.feed({0: text})
    return guards.close(f"{number:032x}")


def lines(path):
    content = path.read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.split(b"\n")[:-1]]


@pytest.mark.parametrize("hostile", ["a\nb", "a\r\nb", "a\u2028b", "\x00", "\ud800 alone", "é 😀"])
def test_hostile_text_stays_one_line_of_ascii(tmp_path, hostile):
    path, kept = tmp_path / "results.jsonl", annotation()
    finding = Finding("mine", "mine", "info", 0, 1, hostile, None, hostile)
    result = kept.result.model_copy(update={"findings": (finding,)})
    jsonl_sink(path, store_text=True)(kept.model_copy(update={"result": result}))
    assert path.read_bytes().isascii()
    assert lines(path)[0]["result"]["findings"][0]["value"] == hostile


def test_threads_never_mix_their_lines(tmp_path):
    path, kept = tmp_path / "results.jsonl", [annotation(number) for number in range(40)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(jsonl_sink(path, store_text=True), kept))
    assert sorted(line["id"] for line in lines(path)) == [each.id for each in kept]


def test_no_text_is_stored_unless_asked_for(tmp_path):
    path = tmp_path / "results.jsonl"
    jsonl_sink(path)(annotation())
    assert b"$12" not in path.read_bytes()
    [line] = lines(path)
    assert line["result"]["text_stored"] is False
    assert line["result"]["findings"][0]["flag"] == "potential_hallucination"
    for where in (".", "missing/results.jsonl"):  # which can be no file
        with pytest.raises(ConfigError, match="expected a file in a folder that is"):
            jsonl_sink(tmp_path / where)


# --- appending: all of a line, or nothing of it


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
    append_atomically(path, b"one\n")
    with room_for(room), pytest.raises(OSError, match=rf"room for {room - 4} of 6|too large"):
        append_atomically(path, b"three\n")
    append_atomically(path, b"four\n")
    assert path.read_bytes() == b"one\nfour\n"
