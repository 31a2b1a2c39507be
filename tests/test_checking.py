import asyncio

import pytest

from streamguard import examiner
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.validate import check_text
from streamguard.server.relay.checking import Checking

CONTEXT = Context(query="What is on the list?", chunks=["The list has many items."])
ITEMS = "".join(f"- Item number {number} of them\n" for number in range(250))


def checking_of(text):
    checking = Checking("5a" * 16, CONTEXT, Policy())
    checking.take_texts({0: text})
    return checking


async def concluded(checking):
    """Conclude; return how often another task had its turn meanwhile."""
    turns = 0

    async def count():
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    other = asyncio.ensure_future(count())
    await asyncio.sleep(0)
    await checking.conclude("complete")
    other.cancel()
    return turns


@pytest.mark.asyncio
async def test_the_end_of_a_long_answer_leaves_others_their_turns(monkeypatch):
    monkeypatch.setattr(examiner, "TURN_NS", 0)
    checking = checking_of(ITEMS)
    assert await concluded(checking) > 100
    assert checking.annotation.result == check_text(ITEMS, context=CONTEXT)


@pytest.mark.asyncio
async def test_an_answer_whose_conclusion_is_cancelled_is_concluded_by_close(monkeypatch):
    monkeypatch.setattr(examiner, "TURN_NS", 0)
    checking = checking_of(ITEMS)
    task = asyncio.ensure_future(checking.conclude("complete"))
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert checking.annotation is None
    checking.take_texts({0: "Too late."})
    result = checking.close("client_disconnect").result
    assert (result.complete, result.ended) == (False, "client_disconnect")
    assert result.text == check_text(ITEMS, context=CONTEXT).text
    assert checking.late_pieces == 1
