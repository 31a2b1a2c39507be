"""A server's garbage collections visit what came since the last one, and free what is garbage."""

import asyncio
import gc
import weakref

import pytest

from streamguard.server.workers import collecting
from streamguard.server.workers.collecting import THRESHOLDS, Collecting


class Node:
    """An object that may be part of a cycle."""


@pytest.fixture
def begun():
    """Give what has begun to freeze, and leave the collector as it was."""
    loop, made = asyncio.new_event_loop(), Collecting()
    before = gc.get_threshold(), list(gc.callbacks)
    made.begin(loop)
    yield made
    made.end()
    made.end()
    loop.close()
    gc.freeze()
    assert (gc.get_threshold(), list(gc.callbacks)) == before


def cycle():
    """Return an object that refers to itself."""
    node = Node()
    node.self = node
    return node


def test_what_a_second_collection_leaves_is_visited_by_none_after_it(begun):
    assert gc.get_threshold() == THRESHOLDS
    kept = [[number] for number in range(1_000)]
    gc.collect(0)
    assert any(each is kept[0] for each in gc.get_objects())
    frozen = gc.get_freeze_count()
    gc.collect(1)
    assert gc.get_freeze_count() - frozen >= len(kept)
    assert not any(each is kept[0] for each in gc.get_objects())


def test_a_cycle_that_is_garbage_before_it_is_frozen_is_freed(begun):
    seen = weakref.ref(cycle())
    gc.collect()
    assert seen() is None


def test_a_cycle_that_was_frozen_is_freed_once_the_server_is_idle(begun, monkeypatch):
    node = cycle()
    gc.collect()
    seen = weakref.ref(node)
    del node
    gc.collect()
    assert seen() is not None
    assert not begun.look()  # so few objects are not worth a pause
    monkeypatch.setattr(collecting, "SOME", 0)
    assert begun.look()
    assert seen() is None


@pytest.mark.slow  # it visits all that the tests hold
def test_a_busy_server_waits_until_much_may_be_garbage(begun, monkeypatch):
    node = cycle()
    gc.collect()
    monkeypatch.setattr(collecting, "SOME", 0)

    def busy():
        gc.collect(0)
        gc.collect(0)
        return begun.look()

    assert not busy()
    monkeypatch.setattr(collecting, "MANY", 0)
    assert busy()
    assert node.self is node


def test_what_is_shared_with_other_processes_is_not_visited_by_an_idle_server(monkeypatch):
    loop, made = asyncio.new_event_loop(), Collecting(shares=True)
    made.begin(loop)
    try:
        monkeypatch.setattr(collecting, "SOME", 0)
        kept = [[number] for number in range(1_000)]
        gc.collect()
        assert not made.look()
        assert len(kept) == 1_000
    finally:
        made.end()
        loop.close()
        gc.freeze()


def test_no_full_collection_comes_by_itself(begun):
    full = gc.get_stats()[2]["collections"]
    kept = [[number] for number in range(200_000)]
    assert gc.get_stats()[2]["collections"] == full
    assert gc.get_freeze_count() > len(kept) * 0.9


@pytest.mark.slow
def test_it_looks_again_and_again(monkeypatch):
    monkeypatch.setattr(collecting, "LOOK_S", 0.0)
    monkeypatch.setattr(collecting, "MANY", -(10**9))
    monkeypatch.setattr(collecting, "SOME", -(10**9))

    async def run():
        made = Collecting()
        made.begin(asyncio.get_running_loop())
        before = gc.get_stats()[2]["collections"]
        while gc.get_stats()[2]["collections"] < before + 3:
            await asyncio.sleep(0)
        made.end()

    try:
        asyncio.run(asyncio.wait_for(run(), 20))
    finally:
        gc.freeze()


@pytest.mark.slow
@pytest.mark.skipif(not collecting._STATM.exists(), reason="the system does not tell memory")
def test_a_busy_server_frees_few_frozen_objects_that_hold_much(begun, monkeypatch):
    monkeypatch.setattr(collecting, "SOME", 1_000_000_000)
    monkeypatch.setattr(collecting, "MANY", 1_000_000_000)
    monkeypatch.setattr(collecting, "GROWN_BYTES", 64_000_000)
    assert not begun.look()
    node = cycle()
    node.much = [b"x" * 100_000 for _ in range(800)]
    held = collecting._resident_bytes()
    gc.collect()
    seen = weakref.ref(node)
    del node
    assert begun.look()
    assert seen() is None
    assert collecting._resident_bytes() < held - 60_000_000
    assert not begun.look()
