"""Ways around a hold: text that waits for nobody, stands elsewhere, or cannot be read."""

import pytest

from streamguard.core.model.policy import Policy
from streamguard.server.asked import Policies
from tests.frames import ASKED, CHUNKED, DONE, END, chunked, frame
from tests.upstreams import ask, proxy, stored_of, upstream

pytestmark = pytest.mark.asyncio

GOOD = "The Basic plan costs $10 per month. "
WRONG = "The Basic plan costs $66 per month. "
WORSE = "The Basic plan costs $77 per month. "


def holding(hold="sentence", on_violation="stop", **more):
    given = {"hold": hold, "on_violation": on_violation, "block": ("unsupported_price",), **more}
    return {"policies": Policies(Policy.preset("moderate", **given))}


def choices(*texts):
    """Return a frame with a text for each choice, None for none."""
    said = [
        {"index": index, "delta": {"content": text}, "finish_reason": None}
        for index, text in enumerate(texts)
        if text is not None
    ]
    return frame(choices=said)


def streamed(*frames):
    return CHUNKED + b"".join(map(chunked, (*frames, frame(finish="stop"), DONE))) + END


async def left(script, body=ASKED, path="/v1/chat/completions", headers=(), **settings):
    """Return what the client got of the answer itself, and its annotation."""
    async with upstream(script) as up, proxy(up.url, **settings) as base:
        got = await ask(base, body, path, **dict(headers))
        lines = got.body.split(b"\n")
        words = b"\n".join(line for line in lines if b'"streamguard":' not in line)
        return words, await stored_of(base, got)


@pytest.mark.parametrize("hold", ["sentence", "answer"])
@pytest.mark.parametrize(
    "frames",
    [
        (choices(None, WORSE), choices(WRONG), choices("Ok. ")),
        (choices(None, WORSE.strip()), choices(WRONG), choices("Ok. ")),
        (choices("Hello there. ", WORSE), choices(WRONG + "Ok. ", "Ok. ")),
        (choices("Hello there. " + WRONG, WORSE), choices("Ok. ", "Ok. ")),
        (choices(None, WORSE), choices(None, "Ok. "), choices(WRONG + "Ok. ")),
    ],
)
async def test_an_answer_that_is_stopped_for_one_choice_lets_no_word_of_another_slip(hold, frames):
    words, annotation = await left(streamed(*frames), **holding(hold))
    assert annotation["hold"]["action"] == "stopped"
    assert b"$66" not in words
    assert b"$77" not in words


async def test_what_was_judged_of_the_other_choices_leaves():
    frames = (choices(None, GOOD), choices(None, "Hello. "), choices(WRONG), choices("Ok. "))
    words, _ = await left(streamed(*frames), **holding())
    assert GOOD.strip().encode() in words
