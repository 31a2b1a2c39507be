"""Failure modes 21 to 30: how streams end, and what is said of it, over real sockets.

Those that are not here stand beside what they belong to: `tests/cases/failure_modes/` says where.
"""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.proxy.exchange import PROXY
from streamguard.server.results.result_store import ResultStore
from tests.kit.frames import ASKED, DONE, PATIENCE_S, answer, frame
from tests.kit.serving import serving
from tests.kit.upstreams import (
    ask,
    forever,
    in_pieces,
    proxy,
    result,
    stored_of,
    upstream,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month."
STREAM = answer(TEXT) + DONE


async def open_streams(base):
    return json.loads((await ask(base, None, "/streamguard/health", "GET")).body)["open_streams"]


async def test_mode_27_clients_of_a_killed_upstream_end_honestly_and_it_may_come_back():
    said, seen = forever([frame("Basic costs $10. ")], asyncio.Event()), []
    async with AsyncExitStack() as stack:
        async with upstream(said) as up:
            base = await stack.enter_async_context(proxy(up.url))
            clients = [asyncio.create_task(ask(base, ASKED)) for _ in range(10)]
            async with asyncio.timeout(PATIENCE_S):
                while await open_streams(base) != 10:
                    pass
        async with asyncio.timeout(PATIENCE_S):
            seen = await asyncio.gather(*clients)
        assert [(got.clean, got.annotations) for got in seen] == [(False, [])] * 10
        for got in seen:
            stored = await stored_of(base, got)
            assert (stored["state"], stored["result"]["ended"]) == ("partial", "upstream_error")
        refused = await ask(base, ASKED)
        assert (refused.status, b"upstream_unreachable" in refused.body) == (502, True)
        async with upstream(in_pieces(STREAM, 99), int(up.url.rpartition(":")[2])):
            (annotation,) = (await ask(base, ASKED)).annotations
            assert annotation["state"] == "complete"


def failing(sentence, scope):
    raise ZeroDivisionError("a secret of the check's")


async def test_mode_29_a_check_that_raises_lets_every_byte_pass_and_is_listed():
    text = "The Basic plan costs $10 per month [C1]."
    checks = DEFAULT_CHECKS.plus(failing)
    raw = answer(text) + DONE
    async with upstream(in_pieces(raw, 40)) as up:
        async with proxy(up.url) as base:
            (annotation,) = (await ask(base, ASKED)).annotations
            assert annotation["result"]["status"] == "PASS"
        async with proxy(up.url, checks=checks) as base:
            got = await ask(base, ASKED)
    assert without_annotation(got.body) == raw
    (annotation,) = got.annotations
    assert annotation["result"]["status"] == "WARN"
    assert [error.partition(" ")[0] for error in annotation["result"]["errors"]] == ["failing:"]


class FullStore(ResultStore):
    """A store that can keep nothing."""

    def _fail(self, *_):
        raise OSError("no space left for sk-secret")

    open = publish = put = _fail


@pytest.mark.parametrize("form", ["chunk", "header"])
async def test_mode_29_a_store_that_fails_lets_every_byte_pass(form, caplog):
    async with upstream(in_pieces(STREAM, 40)) as up:
        app = make_app(Settings(up.url))
        async with serving(app) as base:
            app[PROXY].store = FullStore()
            got = await ask(base, ASKED, x_streamguard=form, x_streamguard_live="1")
            assert got.clean
            status, _ = await result(base, got.headers["x-streamguard-id"])
            assert (status, await open_streams(base)) == (404, 0)
    if form == "header":
        assert got.body == STREAM
    else:
        assert got.annotations[-1]["result"]["status"] == "WARN"
        assert any("OSError" in error for error in got.annotations[-1]["result"]["errors"])
    events = [record.msg for record in caplog.records]
    assert "result_not_stored" in events
    assert "secret" not in str([vars(record).get("fields") for record in caplog.records])
