"""How often a judge's server is asked: at a time, in a minute, and not while it fails."""

import asyncio

import pytest

from streamguard.errors import UpstreamError
from streamguard.verify.judge_limits import FAILURES, MINUTE_S, OPEN_S, Breaker, RequestLimits


class Clock:
    """A clock that moves when somebody sleeps, or is told to."""

    def __init__(self):
        self.now = 100.0
        self.slept = []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_only_so_many_requests_are_open_at_a_time():
    clock, opened, most = Clock(), 0, 0
    pace = RequestLimits(2, None, None, clock, clock.sleep)

    async def ask():
        nonlocal opened, most
        async with pace.turn(10):
            opened += 1
            most = max(most, opened)
            await asyncio.sleep(0)
            opened -= 1

    await asyncio.gather(*(ask() for _ in range(9)))
    assert (most, opened) == (2, 0)


@pytest.mark.asyncio
async def test_who_waits_and_leaves_takes_no_place():
    pace = RequestLimits(1, None, None, Clock())
    inside, done = asyncio.Event(), asyncio.Event()

    async def hold():
        async with pace.turn(1):
            inside.set()
            await done.wait()

    async def wait():
        async with pace.turn(1):
            return True

    first = asyncio.create_task(hold())
    await inside.wait()
    left, stays = asyncio.create_task(wait()), asyncio.create_task(wait())
    await asyncio.sleep(0)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    done.set()
    await first
    assert await stays
    assert await wait()


@pytest.mark.asyncio
async def test_a_place_that_is_given_to_who_leaves_at_that_moment_goes_on():
    pace = RequestLimits(1, None, None, Clock())

    async def wait():
        async with pace.turn(1):
            return True

    holding = pace.turn(1)
    await holding.__aenter__()
    leaves = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await holding.__aexit__(None, None, None)  # gives the place
    leaves.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaves
    assert await wait()


@pytest.mark.asyncio
@pytest.mark.parametrize(("requests", "tokens"), [(2, None), (None, 200)])
async def test_a_minute_has_so_many_requests_or_tokens(requests, tokens):
    clock = Clock()
    pace = RequestLimits(9, requests, tokens, clock, clock.sleep)
    for _ in range(3):
        async with pace.turn(100):
            clock.now += 1
    assert clock.slept == [MINUTE_S - 2]


@pytest.mark.asyncio
async def test_a_request_that_is_larger_than_a_minutes_share_goes_alone():
    clock = Clock()
    pace = RequestLimits(9, None, 50, clock, clock.sleep)
    for _ in range(2):
        async with pace.turn(100):
            pass
    assert clock.slept == [MINUTE_S]


def test_a_server_that_fails_again_and_again_is_left_alone_but_for_a_try(caplog):
    clock = Clock()
    breaker = Breaker("judge m", clock)
    for _ in range(FAILURES):
        breaker.check()
        breaker.failed("it answered with status 500")
    with pytest.raises(UpstreamError) as raised:
        breaker.check()
    assert str(raised.value) == (
        "the circuit is open: 5 requests in a row failed, the last one because it answered with"
        " status 500; one is tried every 30 s"
    )
    clock.now += OPEN_S
    breaker.check()  # the try
    with pytest.raises(UpstreamError, match="the circuit is open"):
        breaker.check()
    breaker.failed("it cannot be reached")
    with pytest.raises(UpstreamError, match="because it cannot be reached"):
        breaker.check()
    assert caplog.messages == ["the circuit of judge m is open: it answered with status 500"]


def test_a_server_that_answers_again_is_asked_as_before(caplog):
    caplog.set_level("INFO")
    clock = Clock()
    breaker = Breaker("judge m", clock)
    for _ in range(FAILURES):
        breaker.failed("it cannot be reached")
    clock.now += OPEN_S
    breaker.check()
    breaker.succeeded()
    for _ in range(FAILURES - 1):
        breaker.failed("it cannot be reached")
        breaker.check()
    assert caplog.messages[-1] == "the circuit of judge m is closed again"
    breaker.succeeded()
