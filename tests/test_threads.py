"""The threads of verifiers: how many there are, and what is refused."""

import threading

import pytest

from streamguard.verify import threads as threads_module
from streamguard.verify.threads import OverloadedError, Threads


class Blocked:
    """A function that blocks until it is let; `begun` counts its calls."""

    def __init__(self):
        self.free = threading.Event()
        self.begun = threading.Semaphore(0)

    def __call__(self):
        self.begun.release()
        self.free.wait(60)
        return "done"


def test_a_call_that_was_given_up_before_it_began_never_begins():
    blocked, threads, ran = Blocked(), Threads("t", 1), []
    first = threads.call(blocked)
    second = threads.call(lambda: ran.append(1))
    threads.give_up(second)
    blocked.free.set()
    first.result(60)
    assert threads.call(lambda: "third").result(60) == "third"
    assert not ran
    threads.give_up(first)  # it is over: nothing is blocked
    assert threads.call(lambda: "fourth").result(60) == "fourth"


def test_blocked_threads_take_no_more_until_they_come_back():
    blocked, threads = Blocked(), Threads("t", 1)
    future = threads.call(blocked)
    blocked.begun.acquire()
    threads.give_up(future)
    with pytest.raises(OverloadedError, match="all 1 threads are blocked"):
        threads.call(lambda: None)
    blocked.free.set()
    future.result(60)
    assert threads.call(lambda: "again").result(60) == "again"


def test_only_so_many_calls_wait_and_those_given_up_do_not_count(monkeypatch):
    monkeypatch.setattr(threads_module, "MAX_WAITING", 2)
    blocked, threads = Blocked(), Threads("t", 1)
    threads.call(blocked)
    blocked.begun.acquire()
    waiting = [threads.call(lambda: "late") for _ in range(2)]
    with pytest.raises(OverloadedError, match="2 calls wait"):
        threads.call(lambda: None)
    threads.give_up(waiting[0])
    another = threads.call(lambda: "another")
    blocked.free.set()
    assert (waiting[1].result(60), another.result(60)) == ("late", "another")
