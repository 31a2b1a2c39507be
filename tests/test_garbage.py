"""A request leaves nothing behind that only a garbage collection finds, however it ends.

The servers freeze what lives for long (`streamguard.server.workers.collecting`): what waits for a
collection then waits for minutes, and with it all that it holds, the index of 2 MB of passages.
"""

import asyncio
import gc
from collections import Counter
from inspect import getfile
from pathlib import Path
from types import CoroutineType, FrameType, FunctionType

import pytest

import streamguard
from tests.programs.faults.course import course
from tests.programs.faults.kinds import KINDS

PACKAGE = str(Path(streamguard.__file__).parent)
USUAL = (
    "ends_between_frames", "reset_between_frames", "silent_inside_the_answer", "no_http",
    "client_leaves_before_the_answer", "client_leaves_inside_the_answer", "json_answer_cut",
)  # fmt: skip
# aiohttp keeps a second answer to one request, and by it the connection; 5 objects in all.
AIOHTTPS = {"bytes_behind_the_answer", "repeated_head"}
TURNS = 20  # of the loop, for connections that close


async def run(way, kinds, seeds):
    """Send every kind with every seed, and wait until connections are closed."""
    for seed in seeds:
        for kind in kinds:
            assert await way.run(kind, seed) == []
    for _ in range(TURNS):
        await asyncio.sleep(0)


def is_ours(found):
    """Say whether an object is of this package: a value, a function, or a call that is running."""
    if isinstance(found, FrameType | FunctionType | CoroutineType):
        return getfile(found).startswith(PACKAGE)
    return type(found).__module__.partition(".")[0] == "streamguard"


async def garbage_of(kinds, seeds):
    """Return what a collection finds of the package's objects after the requests, by type."""
    async with course(max_results=10) as way:
        await run(way, kinds, [0])  # what is made once
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            await run(way, kinds, seeds)
            gc.collect()
            return Counter(type(each).__qualname__ for each in gc.garbage if is_ours(each))
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()


@pytest.mark.asyncio
async def test_the_usual_ends_of_a_request_leave_no_garbage():
    assert await garbage_of(USUAL, [1, 2]) == {}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_no_fault_leaves_garbage():
    assert await garbage_of([kind for kind in KINDS if kind not in AIOHTTPS], [1, 2, 3]) == {}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_hardly_more_objects_live_after_150_faults_than_after_50():
    counts = []
    async with course(max_results=10) as way:
        for seeds in ([1], [2, 3]):
            await run(way, KINDS, seeds)
            gc.collect()
            counts.append(len(gc.get_objects()))
    # One request has some 1,000; what is left are entries of bounded caches.
    assert (counts[1] - counts[0]) / (2 * len(KINDS)) < 10, counts
