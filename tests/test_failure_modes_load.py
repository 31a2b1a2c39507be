"""Failure modes 41 to 45: load, hostile text in bulk, caps.

Those that are not here stand beside what they belong to: `tests/cases/failure_modes/` says where.
"""

import asyncio
import gc
import sys
import time
from pathlib import Path

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.names.reading import literal_names
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.proxy.exchange import PROXY
from streamguard.server.workers.serve import make_runner, start
from streamguard.values import literal_amounts
from tests.kit.frames import ASKED, DONE, PATIENCE_S, answer, frame
from tests.kit.upstreams import ask, forever, in_pieces, leaves, upstream

CHUNKS = ["The Basic plan costs $10 per month.", "John Smith of Acme Corp leads the Pro plan."]
CONTEXT = Context(query="What does Basic cost?", chunks=CHUNKS)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_mode_42_streams_leave_nothing_behind():
    seen, whole = asyncio.Event(), in_pieces(answer("Basic costs $10.") + DONE, 300)
    held = forever([frame("Basic")], seen)

    async def script(received, writer):
        await (held if "x-leave" in received.headers else whole)(received, writer)

    async with upstream(script) as up:
        app = make_app(Settings(up.url, max_results=10))
        runner = make_runner(app)
        base = await start(runner, "127.0.0.1", 0)

        async def wave():
            async with asyncio.timeout(PATIENCE_S):
                reads = [ask(base, ASKED) for _ in range(30)]
                gone = [leaves(base, 1, {"x-leave": "1"}) for _ in range(20)]
                await asyncio.gather(*reads, *gone)
                while app[PROXY].checked:
                    await asyncio.sleep(0)
            while len(asyncio.all_tasks()) > idle:
                await asyncio.sleep(0)
            gc.collect()
            opened = len(list(Path("/proc/self/fd").iterdir()))
            return opened, len(app[PROXY].tasks), len(app[PROXY].store)

        idle = len(asyncio.all_tasks())
        try:
            before = await wave()
            after = [await wave() for _ in range(3)][-1]
        finally:
            await runner.cleanup()
    assert after[1:] == before[1:] == (0, 10)
    assert abs(after[0] - before[0]) <= 10


HOSTILE = {
    "capitals": "Aa Bb Cc Dd Ee ", "capitals without spaces": "AaBbCc",
    "one name without end": "Anna Maria ", "initials": "J. R. R. ", "amounts": "$1 $22 $333 ",
    "an amount and spaces": "$5" + " " * 98, "separators": "$1,111,111.11/",
    "prices and slashes": "$1 / $1 / ", "fractions": "1⁄2", "listed numbers": "1001, 1002, 1003, ",
    "digits": "1234567890", "digits and points": "1.2.3.4.5.6.", "dates": "5 May 5 May 2024, ",
    "brackets": "[C1][C", "open brackets": "[[[(((", "quotes": "\"a' “b” ",
    "refusals": "I cannot I cannot, ", "negations": "not no never ", "stops": "a. b! c? ",
    "dots": "...", "lines": "\n- a\n", "tables": "|a|b|\n", "code": "```\n`a`\n", "spaces": " ",
    "blank lines": "\n\n", "hyphens": "well-known-", "apostrophes": "it's o'clock ",
    "marks": "e\u0301\u0301", "invisible": "a\u200b\u00ad", "wide": "Ａ１", "emoji": "👩\u200d🚀",
    "surrogates": "\ud800a", "words of the sources": "Basic plan costs month ",
}  # fmt: skip


def calls(text):
    """Return how many functions run, ours and built-in ones, while `text` is checked."""
    guard, count = StreamGuard(CONTEXT), 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        for at in range(0, len(text), 400):
            guard.feed(text[at : at + 400])
        guard.close()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_mode_43_the_work_on_hostile_text_grows_with_its_length_and_no_faster(name):
    text = HOSTILE[name] * 2_400
    calls(text[:400])  # what is made once
    assert calls(text[:2_400]) < 8 * calls(text[:600])  # four times the text; quadratic: sixteen


RUNS = [
    "Aa ", "Aa", "Aaaa\n\n", "Aa9 ", "$1 ", "$1" + " " * 50, "$1 / ", "$1.1", "$", " ", "a", "A",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("find", [literal_names, literal_amounts])
def test_mode_44_the_published_patterns_read_runs_of_their_own_signs_in_linear_time(find, run):
    def least(chars):
        text = (run * chars)[:chars]

        def once():
            begin = time.process_time()
            find(text)
            return time.process_time() - begin

        return min(once() for _ in range(3))

    assert least(40_000) < 8 * least(10_000) + 0.02  # quadratic: sixteen times
